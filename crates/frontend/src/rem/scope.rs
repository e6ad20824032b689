//! What names mean.

use clinch_ir::cfa::{CfaProgram, VariableInfo};
use clinch_terms::{Symbol, Term, Terms};
use rustc_hash::FxHashMap;

use super::types::{MAX_SCALARS, Scalar, Struct, Type, Variable};
use crate::diagnostic::Problem;
use crate::expr::Name;

/// What a name stands for in expressions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entity {
    Constant(i128),
    /// An index into [`Scope::variables`].
    Variable(usize),
    /// Declared, but wrong: reported already.
    Broken,
}

/// A module as its callers see it.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) params: Vec<Scalar>,
    pub(super) result: Option<Scalar>,
}

/// The names of a text.
#[derive(Default)]
pub(super) struct Scope<'s> {
    pub(super) structs: Vec<Struct>,
    pub(super) struct_names: FxHashMap<&'s str, usize>,
    pub(super) globals: FxHashMap<&'s str, Entity>,
    /// The names of the module at hand, parameters included.
    pub(super) locals: FxHashMap<&'s str, Entity>,
    pub(super) variables: Vec<Variable>,
    /// Indices into [`Scope::signatures`].
    pub(super) modules: FxHashMap<&'s str, usize>,
    pub(super) signatures: Vec<Signature>,
    /// The width of an `int` without one.
    pub(super) default_bits: u32,
    /// How many scalars were made.
    scalars: u64,
}

impl Scope<'_> {
    /// A name of an expression.
    pub(super) fn find(&self, name: &str) -> Option<Entity> {
        self.locals.get(name).or_else(|| self.globals.get(name)).copied()
    }

    /// Makes the scalars of a variable.
    pub(super) fn variable(&mut self, program: &mut CfaProgram, name: Name<'_>, ty: Type) -> Result<usize, Problem> {
        self.scalars = self.scalars.saturating_add(ty.size(&self.structs));
        if self.scalars > MAX_SCALARS {
            return Err(Problem::new(name.span, format!("there are more than {MAX_SCALARS} scalars"))
                .label("with the elements of this variable"));
        }
        let mut scalars = Vec::new();
        ty.scalars(&self.structs, name.text, &mut scalars);
        let symbols = scalars.into_iter().map(|(name, scalar)| declare(program, name, scalar, false)).collect();
        self.variables.push(Variable { ty, symbols, span: name.span });
        Ok(self.variables.len() - 1)
    }
}

/// A scalar.
pub(super) fn declare(program: &mut CfaProgram, name: String, scalar: Scalar, hidden: bool) -> Symbol {
    let symbol = program.terms.declare(name.as_str(), scalar.sort());
    let info = VariableInfo { name, ty: scalar.text(), signed: false, pointer: false, hidden };
    program.variables.insert(symbol, info);
    symbol
}

/// False, or 0.
pub(super) fn zero(terms: &mut Terms, scalar: Scalar) -> Term {
    match scalar {
        Scalar::Bool => terms.ff(),
        Scalar::Int(bits) => terms.bit_vec(bits, 0),
    }
}
