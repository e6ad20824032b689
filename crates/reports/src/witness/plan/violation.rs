//! Violation witnesses: waypoints become steps of a counter.

use std::collections::BTreeMap;

use clinch_checker::{Asked, Goal, Property, Reading, Task};

use super::text::{finished, with_folders};
use super::{At, Claim, Plan, Plans, Refusal, Witness};
use crate::outline::Outline;
use crate::witness::editor::{Action, COUNTER, Edited, Editor, PASSED, Passing, VALUE, WITNESS_FILE, chain};
use crate::witness::format::{Entry, Step, Waypoint, mark};

/// Where a waypoint is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    Statement(At),
    Branching(At),
    Enter(At),
    Return(At),
}

/// A witness as it was read: what is evaluated where, and the target.
#[derive(Default)]
struct Sequence {
    spots: BTreeMap<Spot, Vec<Passing>>,
    /// The waypoints that are followed, for people.
    steps: Vec<((usize, usize), String)>,
    target: Option<(At, String)>,
}

/// The statement in which the error happens, in the original text.
struct Extent {
    /// Its bytes.
    start: usize,
    end: usize,
    /// Whether nothing follows on its last line.
    ends_line: bool,
}

impl Witness<'_> {
    pub(super) fn violation(&self, entry: &Entry, reading: Reading, passed: Option<u32>) -> Result<Plan, Refusal> {
        let mut plans = self.plans();
        let Sequence { spots, steps, target } = self.sequence(&plans, entry, passed)?;
        let Some((at, place)) = target else {
            return Err(self.malformed(mark(&entry.entry_type), "there is no target"));
        };
        let extent = extent(&plans.editors[at.file].outline, at.token);
        if reading.asked != Some(Asked::Property(Property::UnreachCall)) {
            self.check_plain(&plans, &spots, (at.file, &extent), entry)?;
        }
        for (spot, steps) in &spots {
            put(&mut plans, *spot, steps).map_err(|why| self.unsupported(mark(&entry.entry_type), &why))?;
        }
        let failure = match passed {
            Some(_) => self.failure(std::slice::from_ref(entry), reading.asked, 1)?,
            None => "",
        };
        let edited: Vec<Edited> = plans.editors.into_iter().map(Editor::finish).collect();
        let goal = match passed {
            Some(_) => Goal { counter: None, file: WITNESS_FILE.to_owned(), from: (1, 1), to: (u32::MAX, None) },
            None => {
                let (from, to) = moved(&extent, &edited[at.file]);
                let counter = Some((COUNTER.to_owned(), steps.len() as u32)).filter(|_| !steps.is_empty());
                Goal { counter, file: self.files[at.file].name(), from, to }
            }
        };
        let sources = finished(&self.files, &edited, |is_first| prelude(is_first, failure));
        let task = Task { sources, reading: Reading { goal: Some(goal), ..with_folders(reading, &self.files) } };
        Ok(Plan { task, claim: Claim::Violation { target: place, steps }, name: self.name.to_owned() })
    }

    fn sequence(&self, plans: &Plans<'_>, entry: &Entry, passed: Option<u32>) -> Result<Sequence, Refusal> {
        let mut sequence = Sequence::default();
        for (number, item) in entry.content.iter().enumerate() {
            let segment = item.segment.as_deref().unwrap_or_default();
            let Some(end) = segment.last().map(|step| &step.waypoint) else {
                return Err(self.malformed(mark(&entry.entry_type), "a segment without waypoints"));
            };
            self.check_actions(segment)?;
            let is_target = end.kind.value == "target";
            if is_target != (number + 1 == entry.content.len()) {
                return Err(self.malformed(mark(&end.kind), "the target is the last waypoint of the last segment"));
            }
            let number = number as u32;
            for waypoint in segment.iter().map(|step| &step.waypoint).filter(|w| w.kind.value != "target") {
                let (spot, mut passing) = self.waypoint(plans, number, waypoint)?;
                passing.is_goal = passed == Some(number) && passing.action == Action::Follow;
                sequence.spots.entry(spot).or_default().push(passing);
            }
            match is_target {
                true => sequence.target = Some(self.target(plans, end)?),
                false => sequence.steps.push((mark(&end.kind), described(end))),
            }
        }
        Ok(sequence)
    }

    /// A constraint that is evaluated in the statement of the target must not be what violates the specification there.
    fn check_plain(
        &self,
        plans: &Plans<'_>,
        spots: &BTreeMap<Spot, Vec<Passing>>,
        (file, extent): (usize, &Extent),
        entry: &Entry,
    ) -> Result<(), Refusal> {
        for (spot, steps) in spots {
            let (Spot::Statement(at) | Spot::Branching(at) | Spot::Enter(at) | Spot::Return(at)) = spot;
            let start = plans.editors[at.file].outline.token(at.token).start;
            let is_inside = at.file == file && (extent.start..extent.end).contains(&start);
            if is_inside && !steps.iter().all(|step| is_plain(&step.condition)) {
                let text = "a constraint in the statement of the target computes something that may be an error itself";
                return Err(self.unsupported(mark(&entry.entry_type), text));
            }
        }
        Ok(())
    }

    /// One waypoint of a segment is followed, the last; the others are avoided.
    fn check_actions(&self, segment: &[Step]) -> Result<(), Refusal> {
        const ORDER: &str = "the last waypoint of a segment is followed, the others are avoided";
        for (number, Step { waypoint }) in segment.iter().enumerate() {
            let action = &waypoint.action;
            let is_last = number + 1 == segment.len();
            match action.value.as_str() {
                "follow" if is_last => {}
                "avoid" if !is_last => {}
                "cycle" => return Err(self.unsupported(mark(action), "runs that go on for ever are not looked at")),
                "follow" | "avoid" => return Err(self.malformed(mark(action), ORDER)),
                other => return Err(self.malformed(mark(action), &format!("unknown action `{other}`"))),
            }
        }
        Ok(())
    }

    fn target(&self, plans: &Plans<'_>, waypoint: &Waypoint) -> Result<(At, String), Refusal> {
        let location = &waypoint.location;
        let starts = |editor: &Editor<'_>, token: usize| editor.outline.statement_start(token) == token;
        let at = self.find(plans, location, ("no statement or controlling expression begins", &starts))?;
        Ok((at, location.text()))
    }

    /// Where a waypoint is evaluated, and what.
    fn waypoint(&self, plans: &Plans<'_>, segment: u32, waypoint: &Waypoint) -> Result<(Spot, Passing), Refusal> {
        let action = if waypoint.action.value == "follow" { Action::Follow } else { Action::Avoid };
        let (spot, condition, fixed) = match waypoint.kind.value.as_str() {
            "assumption" => {
                let starts = |editor: &Editor<'_>, token: usize| editor.outline.starts_statement(token);
                let at = self.find(plans, &waypoint.location, ("no statement begins", &starts))?;
                (Spot::Statement(at), self.expression(plans, &self.constraint(waypoint)?)?, None)
            }
            "branching" => {
                let (at, condition) = self.branching(plans, waypoint)?;
                (Spot::Branching(at), condition, None)
            }
            "function_enter" => (Spot::Enter(self.call(plans, waypoint)?), "1".to_owned(), None),
            "function_return" => {
                let at = self.call(plans, waypoint)?;
                let mut value = self.constraint(waypoint)?;
                let fixed = fixed_result(&value.value).filter(|_| action == Action::Follow);
                value.value = value.value.replace("\\result", VALUE);
                (Spot::Return(at), self.expression(plans, &value)?, fixed)
            }
            "target" => {
                let text = "the target is the last waypoint of the last segment";
                return Err(self.malformed(mark(&waypoint.kind), text));
            }
            other => {
                return Err(self.malformed(mark(&waypoint.kind), &format!("unknown type of waypoint `{other}`")));
            }
        };
        Ok((spot, Passing { segment, action, condition, fixed, is_goal: false }))
    }

    fn call(&self, plans: &Plans<'_>, waypoint: &Waypoint) -> Result<At, Refusal> {
        self.find(plans, &waypoint.location, ("no call ends", &|editor, token| editor.called(token).is_ok()))
    }

    fn branching(&self, plans: &Plans<'_>, waypoint: &Waypoint) -> Result<(At, String), Refusal> {
        let kind = &waypoint.kind;
        let is_branching = |editor: &Editor<'_>, token: usize| {
            matches!(editor.outline.word(token), "if" | "while" | "for" | "switch" | "do" | "?")
        };
        let at = self.find(plans, &waypoint.location, ("no branching", &is_branching))?;
        let word = plans.editors[at.file].outline.word(at.token);
        let value = self.constraint(waypoint)?;
        let condition = match (word, value.value.as_str()) {
            ("?", _) => return Err(self.unsupported(mark(kind), "branchings of `?:` are not followed")),
            ("switch", "default") => {
                return Err(self.unsupported(mark(kind), "the default of a `switch` is not followed"));
            }
            ("switch", _) => format!("{VALUE} == ({})", self.expression(plans, &value)?),
            (_, "true") => VALUE.to_owned(),
            (_, "false") => format!("!{VALUE}"),
            (_, other) => {
                return Err(self.malformed(mark(&value), &format!("`{other}` is neither true nor false")));
            }
        };
        Ok((at, condition))
    }

    /// What a waypoint asks for.
    fn constraint(&self, waypoint: &Waypoint) -> Result<serde_saphyr::Spanned<String>, Refusal> {
        let Some(constraint) = &waypoint.constraint else {
            let text = format!("a waypoint of type `{}` needs a constraint", waypoint.kind.value);
            return Err(self.malformed(mark(&waypoint.kind), &text));
        };
        if let Some(format) = &constraint.format
            && !matches!(format.value.as_str(), "c_expression" | "ext_c_expression" | "acsl_expression")
        {
            return Err(self.malformed(mark(format), &format!("unknown format `{}`", format.value)));
        }
        let value = &constraint.value;
        Ok(serde_saphyr::Spanned::new(value.value.to_string(), value.referenced, value.defined))
    }
}

/// Whether an expression only compares variables and numbers.
fn is_plain(expression: &str) -> bool {
    let words: Vec<&str> = expression.split_whitespace().collect();
    let is_sign = |at: usize| words.get(at + 1).is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()));
    words.iter().enumerate().all(|(at, word)| match *word {
        "-" => at > 0 && matches!(words[at - 1], "==" | "!=" | "<" | ">" | "<=" | ">=" | "(") && is_sign(at),
        "+" | "*" | "/" | "%" | "<<" | ">>" | "[" | "->" | "~" => false,
        _ => true,
    })
}

fn put(plans: &mut Plans<'_>, spot: Spot, steps: &[Passing]) -> Result<(), String> {
    match spot {
        Spot::Statement(at) => plans.editors[at.file].before_statement(at.token, &chain(steps)),
        Spot::Branching(at) => plans.editors[at.file].behind_condition(at.token, steps),
        Spot::Enter(at) => plans.editors[at.file].before_call(at.token, steps),
        Spot::Return(at) => plans.editors[at.file].behind_call(at.token, steps, &plans.defined),
    }
}

fn extent(outline: &Outline<'_>, first: usize) -> Extent {
    let last = outline.extent(first).unwrap_or(first);
    let end = outline.token(last).end;
    let ends_line = outline.on_line(outline.place(end).0).all(|token| token <= last);
    Extent { start: outline.token(first).start, end, ends_line }
}

/// Where the statement is in the text with the steps: behind what was inserted where it begins.
fn moved(extent: &Extent, edited: &Edited) -> ((u32, u32), (u32, Option<u32>)) {
    let now = Outline::new(&edited.text);
    let to = now.place(edited.moved(extent.end));
    (now.place(edited.moved(extent.start)), (to.0, (!extent.ends_line).then_some(to.1)))
}

/// A waypoint for people.
fn described(waypoint: &Waypoint) -> String {
    let place = waypoint.location.text();
    let constraint = waypoint.constraint.as_ref().map(|c| format!(", {}", c.value.value)).unwrap_or_default();
    format!("{}{constraint}, at {place}", waypoint.kind.value)
}

/// The one value that a result may have, if a constraint is that it is a number.
fn fixed_result(constraint: &str) -> Option<String> {
    let number = constraint.trim().strip_prefix("\\result")?.trim_start().strip_prefix("==")?.trim();
    let digits = number.strip_prefix('-').unwrap_or(number);
    let is_number =
        digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(|c| c.is_ascii_alphanumeric());
    is_number.then(|| number.to_owned())
}

/// What the program with the waypoints needs before its own text.
fn prelude(is_first: bool, failure: &str) -> String {
    let counter = if is_first { format!("int {COUNTER} = 0;") } else { format!("extern int {COUNTER};") };
    format!("{counter}\nstatic void {PASSED}(void) {{ {failure} }}\n")
}
