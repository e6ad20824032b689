//! Horn clauses in SMT-LIB.

use clinch_frontend::{Input, Language, Options, ReadError, read};
use clinch_ir::HornSystem;

pub(crate) fn read_chc(text: &str) -> Result<HornSystem, ReadError> {
    match read(Language::Chc, "model", text.as_bytes(), &Options::default())? {
        Input::Horn(system) => Ok(*system),
        Input::Program(_) => unreachable!("it is no program"),
    }
}

/// What the documentation of Horn clauses promises.
pub(crate) fn check_invariants(system: &HornSystem) {
    let mut owned = vec![false; system.terms.symbol_count()];
    let mut own = |symbol: clinch_ir::Symbol| {
        assert!(!std::mem::replace(&mut owned[symbol.index()], true), "{} is shared", system.terms.symbol_name(symbol));
    };
    system.predicates.iter().flat_map(|p| &p.params).for_each(|&s| own(s));
    for clause in &system.clauses {
        clause.vars.iter().for_each(|&s| own(s));
        let vars = HornSystem::collect_vars(&system.terms, &clause.body, clause.constraint, clause.head.as_ref());
        assert_eq!(vars, clause.vars);
        assert_eq!(system.terms.sort(clause.constraint), clinch_ir::Sort::Bool);
        for application in clause.body.iter().chain(&clause.head) {
            let params = &system.predicate(application.predicate).params;
            assert_eq!(params.len(), application.args.len());
            for (param, arg) in params.iter().zip(&application.args) {
                let (wanted, found) = (system.terms.symbol_sort(*param), system.terms.sort(*arg));
                let constant = system.terms.as_integer(*arg).is_some();
                assert!(*wanted == found || constant && wanted.is_numeric(), "{found} for {wanted}");
            }
        }
    }
}
