//! ARMC's systems of transition constraints, in Prolog syntax. The language is described in `docs/armc.md`.
//!
//! Reading order: [`lexer`], [`clause`] and [`parse`] read Prolog; [`facts`] knows the facts that matter; [`expr`] and
//! [`linear`] give constraints their meaning; [`solve`] finds what a transition computes and what it chooses;
//! [`program`] and [`horn`] build what engines see, for integers and for rational numbers.

mod clause;
mod expr;
mod facts;
mod horn;
mod lexer;
mod linear;
mod names;
mod parse;
mod program;
mod solve;

use std::sync::Arc;

use clinch_ir::{Source, Span};

use crate::diagnostic::{Bag, Problem};
use crate::options::Defines;
use crate::{Input, Numbers, Options, ReadError};

use clause::Clause;
use expr::Fail;
use facts::{Facts, Said, Step, Unsupported};
use names::{Condition, Names};
use parse::Reader;

/// Reads a system.
pub(crate) fn read(name: &str, bytes: &[u8], options: &Options) -> Result<Input, ReadError> {
    let mut bag = Bag::default();
    let source = Arc::new(crate::decode(crate::Bytes::Any, name, bytes, &mut bag));
    bag.stop_if_any()?;
    Defines::new(options).report_unused(&mut bag);
    if options.deadlock {
        let text = Arc::new(Source { name: "--deadlock".to_owned(), text: String::new() });
        let message = "systems of transition constraints have no deadlocks";
        bag.report(&text, Problem::new(Span::default(), message).help("every transition may choose values that block"));
    }
    match options.numbers {
        Numbers::Integer => {
            let target = program::Builder::new(source.as_ref().clone());
            Reading { source, bag, unsupported: None, facts: Facts::default() }.run(target, options)
        }
        Numbers::Rational => {
            let target = horn::Builder::new(source.as_ref().clone());
            Reading { source, bag, unsupported: None, facts: Facts::default() }.run(target, options)
        }
    }
}

/// What a system is translated to.
trait Translation: Sized {
    /// Adds a transition.
    fn step(&mut self, clause: &Clause<'_>, facts: &mut Facts, step: &Step) -> expr::Result<()>;

    /// Adds a predicate to start from, over the variables of the system.
    fn predicate(&mut self, clause: &Clause<'_>, vars: &[clause::VarIndex], id: clause::TermId) -> expr::Result<()>;

    /// Gives variables their names, once all facts are known.
    fn declare(&mut self, facts: &Facts, names: &Names);

    /// Makes the error locations of the text the property.
    fn error_locations(&mut self, facts: &Facts);

    /// Makes a condition over names and locations the property.
    fn error_condition(&mut self, condition: &Condition<'_>) -> expr::Result<()>;

    /// Adds a predicate to start from, over names and locations.
    fn named_predicate(&mut self, condition: &Condition<'_>) -> expr::Result<()>;

    fn finish(self) -> Input;
}

/// The work on one text.
struct Reading {
    source: Arc<Source>,
    bag: Bag,
    unsupported: Option<Unsupported>,
    facts: Facts,
}

impl Reading {
    fn run<T: Translation>(mut self, mut target: T, options: &Options) -> Result<Input, ReadError> {
        self.clauses(&mut target);
        if self.bag.is_silent() && self.unsupported.is_none() {
            let complete = self.facts.check_complete(&self.source);
            self.bag.check(&self.source, complete);
        }
        if self.facts.errors.is_empty() && options.error.is_none() && self.unsupported.is_none() && self.bag.is_silent()
        {
            let end = self.source.text.len() as u32;
            let problem = Problem::new(Span { start: end, end }, "the system has no error location");
            self.bag.report(&self.source, problem.help("write `error(pc(L)).`, or give `--error`"));
        }
        self.stop()?;
        let names = Names::new(&self.facts);
        target.declare(&self.facts, &names);
        self.properties(&mut target, &names, options);
        self.stop()?;
        Ok(target.finish())
    }

    /// What is wrong comes first: what is not supported may be a consequence.
    fn stop(&mut self) -> Result<(), ReadError> {
        self.bag.stop_if_any()?;
        match self.unsupported.take() {
            None => Ok(()),
            Some(Unsupported { source, problem }) => Err(ReadError::Unsupported(Box::new(problem.at(&source)))),
        }
    }

    fn clauses<T: Translation>(&mut self, target: &mut T) {
        let source = self.source.clone();
        let mut reader = Reader::new(&source.text);
        let mut count = 0;
        while let Some(clause) = reader.next_clause() {
            count += 1;
            let done = clause.map_err(Fail::Bad).and_then(|id| match self.facts.read(&mut reader.clause, id)? {
                Said::Nothing => Ok(()),
                Said::Step(step) => target.step(&reader.clause, &mut self.facts, &step),
                Said::Predicates(vars, items) => {
                    items.iter().try_for_each(|item| target.predicate(&reader.clause, &vars, *item))
                }
            });
            self.note(&source, done);
            if self.bag.is_full() {
                reader.skip_to_end();
            }
        }
        if count == 0 {
            let end = source.text.len() as u32;
            self.bag.report(&source, Problem::new(Span { start: end, end }, "the file contains nothing but comments"));
        }
    }

    fn properties<T: Translation>(&mut self, target: &mut T, names: &Names, options: &Options) {
        match &options.error {
            None => target.error_locations(&self.facts),
            Some(text) => self.option("--error", text, names, |condition| target.error_condition(condition)),
        }
        for text in &options.predicates {
            self.option("--predicate", text, names, |condition| target.named_predicate(condition));
        }
    }

    fn option(&mut self, option: &str, text: &str, names: &Names, f: impl FnOnce(&Condition<'_>) -> expr::Result<()>) {
        let source = Arc::new(Source { name: option.to_owned(), text: text.to_owned() });
        let mut reader = Reader::new(&source.text);
        let term = reader.only_term().map_err(Fail::Bad);
        let done = term.and_then(|id| {
            reader.clause.atoms_to_variables(id, |name| names.contains(name));
            f(&Condition { clause: &reader.clause, id, facts: &self.facts, names })
        });
        self.note(&source, done);
    }

    fn note(&mut self, source: &Arc<Source>, done: expr::Result<()>) {
        match done {
            Ok(()) => {}
            Err(Fail::Bad(problem)) => self.bag.report(source, problem),
            Err(Fail::Unsupported(problem)) => {
                self.unsupported.get_or_insert(Unsupported { source: source.clone(), problem });
            }
        }
    }
}
