//! The parts of the command line that are source text: `--define`, `--error` and `--predicate`.

use std::sync::Arc;

use clinch_ir::{Program, Source, Span};
use clinch_terms::Term;
use rustc_hash::FxHashSet;

use crate::Options;
use crate::diagnostic::{Bag, Problem};
use crate::dialect::Dialect;
use crate::expr::{ExprId, Exprs};
use crate::parser::Parser;

/// Values for constants, and which of them were used.
pub(crate) struct Defines<'a> {
    values: &'a [(String, i64)],
    used: FxHashSet<&'a str>,
}

impl<'a> Defines<'a> {
    pub(crate) fn new(options: &'a Options) -> Self {
        Defines { values: &options.defines, used: FxHashSet::default() }
    }

    /// The value given for a constant; the last one counts.
    pub(crate) fn value(&mut self, constant: &str) -> Option<i64> {
        let (name, value) = self.values.iter().rev().find(|(name, _)| name == constant)?;
        self.used.insert(name);
        Some(*value)
    }

    /// Reports values for constants the model does not have.
    pub(crate) fn report_unused(&self, bag: &mut Bag) {
        for (name, value) in self.values.iter().filter(|(name, _)| !self.used.contains(name.as_str())) {
            let source = Source { name: "--define".to_owned(), text: format!("{name}={value}") };
            let span = Span { start: 0, end: name.len() as u32 };
            bag.report(&Arc::new(source), Problem::new(span, format!("the model has no constant `{name}`")));
        }
    }
}

/// Properties and predicates that options ask for. `condition` gives an expression outside of all processes its meaning.
pub(crate) fn properties(
    program: &mut Program,
    dialect: Dialect,
    options: &Options,
    bag: &mut Bag,
    mut condition: impl FnMut(&mut Program, &Exprs<'_>, ExprId) -> Result<Term, Problem>,
) {
    let mut read = |program: &mut Program, option: &str, text: &str| {
        let source = Arc::new(Source { name: option.to_owned(), text: text.to_owned() });
        let (exprs, id) = only_expression(dialect, &source, bag)?;
        let condition = condition(program, &exprs, id);
        bag.check(&source, condition)
    };
    program.property.deadlock = options.deadlock;
    if let Some(text) = &options.error {
        program.property.error = read(program, "--error", text);
    }
    for text in &options.predicates {
        let predicate = read(program, "--predicate", text);
        program.predicates.extend(predicate);
    }
}

/// Reads the one expression that a text must consist of.
fn only_expression<'s>(dialect: Dialect, source: &'s Arc<Source>, bag: &mut Bag) -> Option<(Exprs<'s>, ExprId)> {
    let mut parser = Parser::new(dialect, &source.text);
    let expr =
        parser.expression().and_then(|e| if parser.at_end() { Ok(e) } else { Err(parser.unexpected("the end")) });
    for problem in std::mem::take(&mut parser.problems) {
        bag.report(source, problem);
    }
    let expr = bag.check(source, expr)?;
    Some((parser.exprs, expr))
}
