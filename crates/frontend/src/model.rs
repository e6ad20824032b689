//! Models of processes: the steps by which GCL and DVE are read.

use std::sync::Arc;

use clinch_ir::{Program, Source};

use crate::Options;
use crate::diagnostic::{Bag, Diagnostics};
use crate::dialect::Dialect;
use crate::expr::Exprs;
use crate::options::Defines;
use crate::parser::Parser;

/// A model that was parsed: `M` is its shape.
pub(crate) struct Parsed<'a, 's, M> {
    pub(crate) source: &'a Arc<Source>,
    pub(crate) exprs: &'a Exprs<'s>,
    pub(crate) model: &'a M,
}

/// A program without transitions, and what its names mean.
pub(crate) struct Declared<N> {
    pub(crate) program: Program,
    pub(crate) names: N,
}

/// The steps of reading a model. What is wrong goes to the bag, and the next step is not taken.
pub(crate) struct Steps<'s, M, N> {
    pub(crate) dialect: Dialect,
    /// Gives the text a shape.
    pub(crate) parse: fn(&mut Parser<'s>) -> M,
    /// Gives the names their meaning.
    pub(crate) declare: fn(&Parsed<'_, 's, M>, &mut Defines<'_>, &mut Bag) -> Declared<N>,
    /// Adds transitions and properties.
    pub(crate) lower: fn(&Parsed<'_, 's, M>, Declared<N>, &Options, &mut Bag) -> Program,
}

impl<'s, M, N> Steps<'s, M, N> {
    /// Reads a model.
    pub(crate) fn compile(
        &self,
        source: &'s Arc<Source>,
        options: &Options,
        mut bag: Bag,
    ) -> Result<Program, Diagnostics> {
        let mut parser = Parser::new(self.dialect, &source.text);
        let model = (self.parse)(&mut parser);
        parser.finish(source, &mut bag)?;
        let parsed = Parsed { source, exprs: &parser.exprs, model: &model };

        let mut defines = Defines::new(options);
        let declared = (self.declare)(&parsed, &mut defines, &mut bag);
        defines.report_unused(&mut bag);
        bag.stop_if_any()?;

        let program = (self.lower)(&parsed, declared, options, &mut bag);
        bag.stop_if_any()?;
        Ok(program)
    }
}
