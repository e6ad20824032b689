//! The parts of the command line that are source text: `--define`, `--error` and `--predicate`.

use std::sync::Arc;

use clinch_ir::{Source, Span};
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

/// An option whose value is an expression.
pub(crate) struct OptionText {
    pub(crate) source: Arc<Source>,
}

impl OptionText {
    pub(crate) fn new(option: &str, text: &str) -> Self {
        OptionText { source: Arc::new(Source { name: option.to_owned(), text: text.to_owned() }) }
    }

    /// Reads the one expression the text must consist of.
    pub(crate) fn parse(&self, dialect: Dialect, bag: &mut Bag) -> Option<(Exprs<'_>, ExprId)> {
        let mut parser = Parser::new(dialect, &self.source.text);
        let expr =
            parser.expression().and_then(|e| if parser.at_end() { Ok(e) } else { Err(parser.unexpected("the end")) });
        for problem in std::mem::take(&mut parser.problems) {
            bag.report(&self.source, problem);
        }
        let expr = bag.check(&self.source, expr)?;
        Some((parser.exprs, expr))
    }
}
