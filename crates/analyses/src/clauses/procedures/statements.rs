//! Formulas about the program's variables at a location as formulas about the parameters of predicates, and back.

use clinch_ir::cfa::{CfaProgram, ProcedureId};
use clinch_ir::horn::PredId;
use clinch_terms::{LocId, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

use super::{CfaClauses, Encoding};
use crate::encoding::IntEncoding;

/// A formula about the program's variables, in bits, at a location.
pub type Statement = ((ProcedureId, LocId), Term);

impl CfaClauses {
    /// The statements as formulas about the parameters of the predicates of their locations, whatever calls wait. Those about
    /// variables that a predicate does not have are left out there. The formulas of the statements are of the system's store.
    pub fn about_parameters(&mut self, program: &CfaProgram, statements: &[Statement]) -> Vec<(PredId, Term)> {
        let mut encoding = match self.encoding {
            Encoding::Bits => None,
            Encoding::Integers(overflow) => Some(IntEncoding::of_program(overflow, program)),
        };
        let terms = &mut self.system.terms;
        let mut found = Vec::new();
        for &(place, formula) in statements {
            let formula = encoding.as_mut().map_or(formula, |encoding| encoding.formula(terms, formula));
            let mentioned = terms.symbols(formula);
            for (i, _) in self.points.iter().enumerate().filter(|(_, p)| (p.procedure, p.location) == place) {
                let mut map: FxHashMap<Symbol, Term> = FxHashMap::default();
                for (&(variable, _), &parameter) in self.variables[i].iter().zip(&self.system.predicates[i].params) {
                    let own = encoding.as_mut().map_or(variable, |encoding| encoding.symbol(terms, variable));
                    map.insert(own, terms.symbol(parameter));
                }
                if mentioned.iter().all(|symbol| map.contains_key(symbol)) {
                    found.push((PredId::from_index(i), terms.substitute_symbols(formula, &map)));
                }
            }
        }
        found
    }

    /// The other way round: a formula of a store that extends the system's, about the parameters of the predicate with this name.
    /// `None` if there is no such predicate, or if it cannot be said in bits.
    pub fn about_variables(&self, terms: &mut Terms, predicate: &str, formula: Term) -> Option<Statement> {
        let i = self.system.predicates.iter().position(|p| p.name == predicate)?;
        let params = &self.system.predicates[i].params;
        if !terms.symbols(formula).iter().all(|symbol| params.contains(symbol)) {
            return None;
        }
        let formula = self.formula(terms, i, formula, &[])?;
        Some(((self.points[i].procedure, self.points[i].location), formula))
    }
}
