//! Interpolants from Z3's engine for Horn clauses (Spacer): one predicate per node over the symbols it shares, one clause
//! per node, and the root's clause has the conclusion false.

use clinch_terms::{Symbol, Term};
use rustc_hash::FxHashMap;
use z3::ast::{Ast, Bool, Dynamic, forall_const};
use z3::{DeclKind, Fixedpoint, FuncDecl, Params, SatResult, Sort};

use super::{Failure, Query};
use crate::decode::{self, Names};
use crate::encode::{Encoder, symbol_constant, z3_sort};
use crate::{interrupt, work};

/// Milliseconds the engine may take.
const MILLISECONDS: u32 = 5_000;

/// Candidates by position, or why there are none.
pub(super) fn interpolants(query: &mut Query<'_>) -> Result<Vec<Term>, Failure> {
    let engine = Fixedpoint::new();
    engine.set_params(&parameters());
    let predicates: Vec<Predicate> = (0..query.tree.len()).map(|p| Predicate::new(query, p)).collect();
    for predicate in &predicates {
        engine.register_relation(&predicate.declaration);
    }
    let mut encoder = Encoder::default();
    for position in 0..query.tree.len() {
        let mut body: Vec<Bool> = query.core[position].iter().map(|&c| encoder.term(query.terms, c).bool()).collect();
        body.extend(query.tree.children[position].iter().map(|&c| predicates[c].application.clone()));
        let mut constants: Vec<Dynamic> = constants(query, position);
        constants.extend(query.tree.children[position].iter().flat_map(|&c| predicates[c].arguments.clone()));
        let rule = Bool::and(&body).implies(&predicates[position].application);
        let bound: Vec<&dyn Ast> = constants.iter().map(|c| c as &dyn Ast).collect();
        let rule = if bound.is_empty() { rule } else { forall_const(&bound, &[], &rule) };
        engine.add_rule(&rule, None);
    }
    let root = predicates.last().ok_or("no nodes")?;
    let answer = engine.query(&root.application);
    work::asked();
    match answer {
        SatResult::Unsat => {}
        SatResult::Sat => return Err("the engine finds a derivation".into()),
        SatResult::Unknown => return Err(engine.get_reason_unknown().as_str().into()),
    }
    let decided = decided(&engine);
    let no_constants = FxHashMap::default();
    predicates
        .iter()
        .map(|predicate| {
            if let Some(&value) = decided.get(&predicate.declaration.name()) {
                return Ok(query.terms.bool(value));
            }
            let cover = engine.get_cover_delta(-1, &predicate.declaration).ok_or("no cover")?;
            let bound: Vec<Term> = predicate.symbols.iter().map(|&s| query.terms.symbol(s)).collect();
            let names = Names { constants: &no_constants, bound: &bound };
            decode::term(query.terms, &cover.into(), names).ok_or_else(|| "an answer that is no term".into())
        })
        .collect()
}

/// Predicates without arguments may be decided before the engine starts, which then has no cover for them. The answer
/// lists them as `(= name true)`. (Others are quantified formulas there, which cannot be opened.)
fn decided(engine: &Fixedpoint) -> FxHashMap<String, bool> {
    let Some(answer) = engine.get_answer().map(Dynamic::from) else { return FxHashMap::default() };
    let is_and = answer.safe_decl().is_ok_and(|d| d.kind() == DeclKind::And);
    let parts = if is_and { answer.children() } else { vec![answer] };
    let mut decided = FxHashMap::default();
    for part in parts.iter().filter(|p| p.safe_decl().is_ok_and(|d| d.kind() == DeclKind::Eq)) {
        let sides = part.children();
        let value = sides.get(1).and_then(Dynamic::as_bool).and_then(|b| b.as_bool());
        if let (Some(value), Ok(name)) = (value, sides[0].safe_decl()) {
            decided.insert(name.name(), value);
        }
    }
    decided
}

/// Predicates must stay as they are for their covers to be read.
fn parameters() -> Params {
    let mut params = interrupt::params();
    params.set_symbol("engine", "spacer");
    work::limit(&mut params, 0, MILLISECONDS);
    params.set_bool("xform.inline_eager", false);
    params.set_bool("xform.inline_linear", false);
    params.set_bool("xform.slice", false);
    params
}

struct Predicate {
    declaration: FuncDecl,
    symbols: Vec<Symbol>,
    arguments: Vec<Dynamic>,
    application: Bool,
}

impl Predicate {
    /// For the node at a position, over the symbols that its subtree shares and that matter on both sides.
    fn new(query: &Query<'_>, position: usize) -> Predicate {
        let symbols = query.shared_in_core(position);
        let sorts: Vec<Sort> = symbols.iter().map(|&s| z3_sort(query.terms.symbol_sort(s))).collect();
        let domain: Vec<&Sort> = sorts.iter().collect();
        let declaration = FuncDecl::new(format!("node!{position}"), &domain, &Sort::bool());
        let arguments: Vec<Dynamic> = symbols.iter().map(|&s| symbol_constant(query.terms, s).dynamic()).collect();
        let references: Vec<&dyn Ast> = arguments.iter().map(|a| a as &dyn Ast).collect();
        let application = declaration.apply(&references).as_bool().expect("a predicate");
        Predicate { declaration, symbols, arguments, application }
    }
}

/// The Z3 constants of the symbols of a node's conjuncts.
fn constants(query: &Query<'_>, position: usize) -> Vec<Dynamic> {
    let mut symbols: Vec<Symbol> = query.core[position].iter().flat_map(|&c| query.terms.symbols(c)).collect();
    symbols.extend(query.shared_in_core(position));
    symbols.sort_unstable();
    symbols.dedup();
    symbols.into_iter().map(|s| symbol_constant(query.terms, s).dynamic()).collect()
}
