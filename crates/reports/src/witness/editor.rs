//! Puts checks and steps into the text of a program.
//!
//! \[MetaVal\] validates a witness by checking another program, into which it is woven. Here nothing is added but whole
//! expressions and statements, on the lines on which they belong: the lines of the file keep their numbers.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::outline::{Outline, is_name};

/// The file that errors are in which belong to the witness.
pub(crate) const WITNESS_FILE: &str = "clinch-witness.c";

/// The variable that counts the segments that a run has passed.
pub(crate) const COUNTER: &str = "clinch_segment";

/// The function that is called where the segment is passed that is looked for.
pub(crate) const PASSED: &str = "clinch_passed";

/// The variable that holds the result of a call, a condition, or what a `switch` is about: conditions of a [`Passing`] may speak of it.
pub(crate) const VALUE: &str = "clinch_value";

/// What is evaluated where a run passes a place, as an expression of type `void`.
#[derive(Clone, Debug)]
pub(crate) struct Passing {
    /// The segment in which it is evaluated.
    pub(crate) segment: u32,
    pub(crate) action: Action,
    /// A C expression.
    pub(crate) condition: String,
    /// The one value that an input has to have, if the condition says so.
    pub(crate) fixed: Option<String>,
    /// Whether it is an error to pass it: then it is what is looked for.
    pub(crate) is_goal: bool,
}

impl Passing {
    /// The run goes on to the next segment.
    fn step(&self) -> String {
        let next = self.segment + 1;
        let announced = if self.is_goal { format!(",{PASSED}()") } else { String::new() };
        format!("(void)({COUNTER}={next}{announced})")
    }

    /// Whether its value may stand in a table of `int` and means the same there.
    fn has_plain_value(&self) -> bool {
        let is_plain = |value: &String| value.parse::<i32>().is_ok_and(|number| number.to_string() == *value);
        !self.is_goal && self.fixed.as_ref().is_some_and(is_plain)
    }
}

/// What follows if the condition holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Action {
    /// The run goes on to the next segment; if it does not hold the run is not meant.
    Follow,
    /// The run is not meant.
    Avoid,
}

/// A text with what is to be inserted into it.
pub(crate) struct Editor<'t> {
    pub(crate) outline: Outline<'t>,
    text: &'t str,
    inserts: Vec<Insert>,
}

/// Where several texts are inserted at one place, closing ones (with negative ranks) come first.
struct Insert {
    offset: usize,
    rank: i32,
    text: String,
}

/// From how many on the values of an input are looked up in a table.
const IN_TURN: usize = 16;

/// Ranks of what is opened, from the outside to the inside.
const STATEMENT: i32 = 10;
const CONDITION: i32 = 20;
const ENTERED: i32 = 30;
const RETURNED: i32 = 40;

impl<'t> Editor<'t> {
    pub(crate) fn new(text: &'t str) -> Editor<'t> {
        Editor { outline: Outline::new(text), text, inserts: Vec::new() }
    }

    fn around(&mut self, tokens: (usize, usize), rank: i32, (open, close): (String, String)) {
        let (start, end) = (self.outline.token(tokens.0).start, self.outline.token(tokens.1).end);
        self.inserts.push(Insert { offset: start, rank, text: open });
        self.inserts.push(Insert { offset: end, rank: -rank, text: close });
    }

    /// Evaluates an expression before the statement that starts with a token.
    pub(crate) fn before_statement(&mut self, first: usize, expression: &str) -> Result<(), String> {
        let mut at = first;
        while is_name(self.outline.word(at)) && self.outline.word(at + 1) == ":" {
            at += 2;
        }
        if matches!(self.outline.word(at), "case" | "default") {
            return Err("a label of a `switch` stands there".to_owned());
        }
        let end = self.outline.statement_end(at).ok_or("the statement there does not end")?;
        let is_single = at > 0 && at == first && matches!(self.outline.word(at - 1), ")" | "else" | "do");
        let close = if is_single { "}" } else { "" };
        let open = if is_single { format!("{{{expression};") } else { format!("{expression};") };
        self.around((at, end), STATEMENT, (open, close.to_owned()));
        Ok(())
    }

    /// Evaluates an expression before the condition of a loop.
    pub(crate) fn before_condition(&mut self, keyword: usize, expression: &str) -> Result<(), String> {
        let (range, behind) = self.outline.condition(keyword).ok_or("the loop there has no condition")?;
        if range.is_empty() {
            let offset = self.outline.token(behind).start;
            self.inserts.push(Insert { offset, rank: CONDITION, text: format!("{expression},1") });
            return Ok(());
        }
        self.around((range.start, range.end - 1), CONDITION, (format!("{expression},("), ")".to_owned()));
        Ok(())
    }

    /// Evaluates steps behind the condition of a branching, which is their value.
    pub(crate) fn behind_condition(&mut self, keyword: usize, steps: &[Passing]) -> Result<(), String> {
        let (range, _) = self.outline.condition(keyword).ok_or("there is no condition")?;
        if range.is_empty() {
            return Err("the loop there has no condition".to_owned());
        }
        let (first, last) = (range.start, range.end - 1);
        let open = match self.outline.word(keyword) {
            "switch" => format!("({{__typeof__({}) {VALUE}=(", self.one_line(first, last)),
            _ => format!("({{int {VALUE}=!!("),
        };
        self.around((first, last), CONDITION, (open, format!(");{};{VALUE};}})", chain(steps))));
        Ok(())
    }

    /// Evaluates steps before the call with this closing parenthesis: its arguments are evaluated behind them.
    pub(crate) fn before_call(&mut self, close: usize, steps: &[Passing]) -> Result<(), String> {
        let name = self.called(close)?;
        self.around((name, close), ENTERED, (format!("({},", chain(steps)), ")".to_owned()));
        Ok(())
    }

    /// Evaluates steps behind the call with this closing parenthesis; its result is their value. A call that returns an input is not even
    /// made where there is but one value that it may return.
    pub(crate) fn behind_call(
        &mut self,
        close: usize,
        steps: &[Passing],
        defined: &BTreeSet<String>,
    ) -> Result<(), String> {
        let name = self.called(close)?;
        let function = self.outline.word(name);
        let is_input = function.starts_with("__VERIFIER_nondet_") && !defined.contains(function);
        let (given, seen): (Vec<_>, Vec<_>) = steps.iter().partition(|step| is_input && step.fixed.is_some());
        let mut open = format!("({{__typeof__({}) {VALUE};", self.one_line(name, close));
        let plain = given.iter().filter(|given| given.has_plain_value()).count();
        let (many, few): (Vec<_>, Vec<_>) =
            given.into_iter().partition(|given| plain >= IN_TURN && given.has_plain_value());
        open += &given_in_turn(&many);
        for given in few {
            open += &given_once(given);
        }
        open += &format!("{{{VALUE}=");
        let seen: Vec<Passing> = seen.into_iter().cloned().collect();
        self.around((name, close), RETURNED, (open, format!(";{};}}{VALUE};}})", chain(&seen))));
        Ok(())
    }

    /// The name before the parentheses of a call.
    pub(crate) fn called(&self, close: usize) -> Result<usize, String> {
        let open = self.outline.partner(close).filter(|_| self.outline.word(close) == ")");
        let name = open.and_then(|open| open.checked_sub(1)).filter(|&name| {
            let word = self.outline.word(name);
            is_name(word) && !matches!(word, "if" | "while" | "for" | "switch" | "return" | "sizeof")
        });
        name.ok_or_else(|| "no call of a named function ends there".to_owned())
    }

    fn one_line(&self, first: usize, last: usize) -> String {
        (first..=last).map(|number| self.outline.word(number)).collect::<Vec<_>>().join(" ")
    }

    /// The text with all that was inserted.
    pub(crate) fn finish(mut self) -> Edited {
        self.inserts.sort_by_key(|insert| (insert.offset, insert.rank));
        let (mut text, mut at) = (String::with_capacity(2 * self.text.len()), 0);
        let mut inserted = Vec::new();
        for insert in &self.inserts {
            text.push_str(&self.text[at..insert.offset]);
            at = insert.offset;
            inserted.push((insert.offset, text.len()..text.len() + insert.text.len()));
            text.push_str(&insert.text);
        }
        text.push_str(&self.text[at..]);
        Edited { text, inserted }
    }
}

/// A text into which something was inserted.
pub(crate) struct Edited {
    pub(crate) text: String,
    /// Where in the original text, and what bytes they are now.
    inserted: Vec<(usize, Range<usize>)>,
}

impl Edited {
    /// Where an offset of the original text is, behind all that was inserted there.
    pub(crate) fn moved(&self, offset: usize) -> usize {
        let before = self.inserted.iter().filter(|(at, _)| *at <= offset).map(|(_, range)| range.len());
        offset + before.sum::<usize>()
    }

    /// Whether a byte of the text was inserted.
    pub(crate) fn is_inserted(&self, offset: usize) -> bool {
        self.inserted.iter().any(|(_, range)| range.contains(&offset))
    }
}

/// The value of an input in one segment: the beginning of an `if` statement that ends in `else`.
fn given_once(given: &Passing) -> String {
    let (segment, value, step) = (given.segment, given.fixed.as_deref().unwrap_or_default(), given.step());
    format!("if({COUNTER}=={segment}){{{VALUE}=({value});if({VALUE}!=({value}))__builtin_abort();{step};}}else ")
}

/// The same for many segments: a loop that fills an array passes hundreds of them, and no run should ask at each step which one it is in.
fn given_in_turn(many: &[&Passing]) -> String {
    let segments = || many.iter().map(|given| given.segment);
    let (Some(first), Some(last)) = (segments().min(), segments().max()) else { return String::new() };
    let (mut is_here, mut values) = (vec!["0"; (last - first + 1) as usize], vec!["0"; (last - first + 1) as usize]);
    for given in many {
        let at = (given.segment - first) as usize;
        (is_here[at], values[at]) = ("1", given.fixed.as_deref().unwrap_or_default());
    }
    let (is_here, values) = (is_here.join(","), values.join(","));
    let value = format!("clinch_values[{COUNTER}-{first}]");
    format!(
        "static const char clinch_here[]={{{is_here}}};static const int clinch_values[]={{{values}}};\
         if({COUNTER}>={first}&&{COUNTER}<={last}&&clinch_here[{COUNTER}-{first}]){{\
         {VALUE}={value};if({VALUE}!={value})__builtin_abort();{COUNTER}++;}}else "
    )
}

/// What steps of one place do, as an expression. A run is in one segment at a time, and one evaluation of a place counts for one of them.
pub(crate) fn chain(steps: &[Passing]) -> String {
    let mut segments: Vec<u32> = steps.iter().map(|step| step.segment).collect();
    segments.sort_unstable();
    segments.dedup();
    let mut text = String::from("(");
    for segment in segments {
        text += &format!("{COUNTER}=={segment}?");
        let of_segment = || steps.iter().filter(|step| step.segment == segment);
        for step in of_segment().filter(|step| step.action == Action::Avoid) {
            text += &format!("({})?__builtin_abort():", step.condition);
        }
        match of_segment().find(|step| step.action == Action::Follow) {
            Some(step) => text += &format!("({})?{}:__builtin_abort():", step.condition, step.step()),
            None => text += "(void)0:",
        }
    }
    text + "(void)0)"
}
