//! What a loop is about: the places, variables and cells at fixed addresses, that an invariant may speak of.

use std::collections::{BTreeMap, BTreeSet};

use clinch_ir::cfa::{CfaProgram, Op, ProcedureId, Target};
use clinch_terms::{BinOp, LocId, Node, Sort, Symbol, Term, Terms};

use crate::bounded::Layout;
use crate::bounded::cut::CutLoop;

/// The most places of one loop.
const MOST: usize = 24;

/// A place at the head of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Its value.
    pub(super) term: Term,
    /// Whether an iteration may change it.
    pub(super) changed: bool,
    /// Whether its bits are read as a signed number.
    pub(super) signed: bool,
}

/// The places that a loop is about, those that it changes first.
pub(super) fn places(
    layout: &Layout<'_>,
    terms: &mut Terms,
    (procedure, head): (ProcedureId, LocId),
    cut: &CutLoop,
) -> Vec<Place> {
    let program = layout.program;
    let order = &layout.of(procedure).order;
    let own = order.loops_around(head).pop();
    let inside = |location: LocId| own.is_some_and(|own| order.loops_around(location).contains(&own));
    let mut used: BTreeMap<Term, usize> = BTreeMap::new();
    for edge in program.procedure(procedure).edges.iter().filter(|edge| inside(edge.from)) {
        count_used(terms, &edge.op, &mut used);
    }
    // What the procedures called are about counts less than what the loop itself is about.
    for called in called(program, procedure) {
        let mut below = BTreeMap::new();
        program.procedure(called).edges.iter().for_each(|edge| count_used(terms, &edge.op, &mut below));
        below.into_keys().for_each(|term| _ = used.entry(term).or_insert(0));
    }
    let is_visible = |terms: &Terms, term| is_visible(layout, terms, (procedure, head), term);
    let mut found: Vec<(usize, Place)> = Vec::new();
    for (term, times) in used {
        if !is_visible(terms, term) || !matches!(terms.sort(term), Sort::BitVec(2..=64) | Sort::Int | Sort::Bool) {
            continue;
        }
        let symbol = variable_of(terms, term);
        let changed = symbol.and_then(|s| layout.slot(s)).is_some_and(|slot| cut.changed.contains(&slot));
        let info = symbol.and_then(|symbol| program.variables.get(&symbol));
        found.push((times, Place { term, changed, signed: info.is_none_or(|info| info.signed) }));
    }
    found.sort_by_key(|(times, place)| (!place.changed, std::cmp::Reverse(*times), place.term));
    found.into_iter().map(|(_, place)| place).take(MOST).collect()
}

/// Numbers of the procedure that the loop is not about but what comes behind it: they are as they were before it.
pub(super) fn live_around(
    layout: &Layout<'_>,
    terms: &mut Terms,
    (procedure, head): (ProcedureId, LocId),
    known: &[Place],
) -> Vec<Place> {
    let here = layout.program.procedure(procedure);
    let mut found = Vec::new();
    for &symbol in here.params.iter().chain(&here.locals) {
        let (term, info) = (terms.symbol(symbol), layout.program.variables.get(&symbol));
        let is_number = matches!(terms.sort(term), Sort::BitVec(2..=64) | Sort::Int);
        let is_new = known.iter().all(|place| place.term != term);
        if is_number && is_new && is_visible(layout, terms, (procedure, head), term) {
            found.push(Place { term, changed: false, signed: info.is_none_or(|info| info.signed) });
        }
    }
    found
}

/// The variable, or the region of the cell.
fn variable_of(terms: &Terms, term: Term) -> Option<Symbol> {
    match terms.node(term) {
        Node::Symbol(symbol) => Some(symbol),
        Node::Binary(BinOp::Select, array, _) => variable_of(terms, array),
        _ => None,
    }
}

/// Whether a formula means something at a location.
pub(super) fn is_known_at(layout: &Layout<'_>, terms: &mut Terms, at: (ProcedureId, LocId), formula: Term) -> bool {
    let symbols = terms.symbols(formula);
    symbols.into_iter().all(|symbol| {
        let place = terms.symbol(symbol);
        is_visible(layout, terms, at, place)
    })
}

/// Whether a place means something at a location: it is global, or a live variable of the procedure.
fn is_visible(layout: &Layout<'_>, terms: &Terms, (procedure, head): (ProcedureId, LocId), term: Term) -> bool {
    let Some(symbol) = variable_of(terms, term) else { return false };
    let here = layout.program.procedure(procedure);
    let is_global =
        layout.program.region(symbol).is_some() || layout.program.globals.iter().any(|g| g.symbol == symbol);
    let is_live = || {
        let own = here.params.contains(&symbol) || here.locals.contains(&symbol);
        own && layout.slot(symbol).is_some_and(|slot| !layout.is_dead(procedure, head, slot))
    };
    is_global || is_live()
}

/// The places that an operation reads or writes.
fn count_used(terms: &mut Terms, op: &Op, used: &mut BTreeMap<Term, usize>) {
    if let Op::Assign(assigns) = op {
        for assign in assigns {
            let written = match assign.target {
                Target::Var(symbol) => Some(terms.symbol(symbol)),
                Target::Cell(region, address) if is_constant(terms, address) => {
                    let array = terms.symbol(region);
                    Some(terms.select(array, address))
                }
                Target::Cell(..) => None,
            };
            written.into_iter().for_each(|term| *used.entry(term).or_insert(0) += 1);
        }
    }
    for term in op.terms() {
        for place in places_in(terms, term) {
            *used.entry(place).or_insert(0) += 1;
        }
    }
}

/// The variables, and the cells at constant addresses, that a term is about.
pub(super) fn places_in(terms: &Terms, term: Term) -> Vec<Term> {
    let mut places = Vec::new();
    for part in terms.parts(term) {
        match terms.node(part) {
            Node::Symbol(_) if !matches!(terms.sort(part), Sort::Array(_)) => places.push(part),
            Node::Binary(BinOp::Select, array, address)
                if matches!(terms.node(array), Node::Symbol(_)) && is_constant(terms, address) =>
            {
                places.push(part);
            }
            _ => {}
        }
    }
    places
}

pub(super) fn is_constant(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::BitVec(..) | Node::Int(_))
}

/// The procedures that a procedure may call, directly or not.
fn called(program: &CfaProgram, procedure: ProcedureId) -> BTreeSet<ProcedureId> {
    let (mut found, mut waiting) = (BTreeSet::new(), vec![procedure]);
    while let Some(next) = waiting.pop() {
        for edge in &program.procedure(next).edges {
            if let Op::Call { callee, .. } = edge.op
                && found.insert(callee)
            {
                waiting.push(callee);
            }
        }
    }
    found
}
