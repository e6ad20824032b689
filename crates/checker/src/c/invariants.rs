//! Invariants as assertions that a developer can paste: C expressions over what is in scope.

use clinch_certify::Stop;
use clinch_ir::Span;
use clinch_ir::cfa::{CfaProgram, Invariants, ObjectKind, ProcedureId, show_c_in};
use clinch_smt::{Tidy, tidy};
use clinch_terms::{LocId, Node, Symbol, Term, Terms};

use super::boundaries::at_calls;

/// Questions to the solver about one invariant.
const QUESTIONS: usize = 150;

/// An invariant that can be written down.
pub(crate) struct Shown {
    /// The procedure it holds in.
    pub(crate) procedure: ProcedureId,
    /// The statement or the loop it holds at.
    pub(crate) span: Span,
    /// The C expression.
    pub(crate) text: String,
    /// Whether it speaks of every `k`.
    pub(crate) quantified: bool,
    /// Whether it holds at the head of a loop.
    pub(crate) at_head: bool,
}

/// What holds at the loop heads, where functions are entered and behind their calls. A loop in a function that is called from several places has one for all of them, and none speaks
/// of variables that cannot be named there: it may be weaker than what was proved.
pub(crate) fn invariants(program: &CfaProgram, proof: &Invariants, stop: Stop<'_>) -> Vec<Shown> {
    let mut terms = proof.terms.clone();
    let mut heads: Vec<(ProcedureId, LocId, Term)> = Vec::new();
    for (point, formula) in &proof.points {
        if point.calls.is_empty() && point.location == program.procedure(point.procedure).entry {
            continue;
        }
        match heads.iter_mut().find(|h| (h.0, h.1) == (point.procedure, point.location)) {
            Some(head) => head.2 = terms.or(head.2, *formula),
            None => heads.push((point.procedure, point.location, *formula)),
        }
    }
    let bound = proof.bound.as_ref().map(|b| b.symbol);
    if bound.is_none() {
        let in_scope = |terms: &Terms, at: ProcedureId, literal: Term| is_in_scope(program, terms, (at, None), literal);
        let line = |procedure: ProcedureId, location: LocId| {
            let place = program.source.place(program.procedure(procedure).locations[location.index()].span);
            (place.file, place.line)
        };
        let taken: Vec<_> = heads.iter().map(|h| line(h.0, h.1)).collect();
        // On the line of a loop an invariant is one of the loop: what holds before it would be taken for that.
        let boundaries = at_calls(program, proof, &mut terms, &in_scope, stop);
        heads.extend(boundaries.into_iter().filter(|b| !taken.contains(&line(b.0, b.1))));
    }
    at_heads(program, &mut terms, heads, bound, stop)
}

/// Formulas at locations as assertions, as far as they can be written down there.
pub(crate) fn at_heads(
    program: &CfaProgram,
    terms: &mut Terms,
    heads: Vec<(ProcedureId, LocId, Term)>,
    bound: Option<Symbol>,
    stop: Stop<'_>,
) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    for (procedure, location, formula) in heads {
        // The end of a function has no statement of its own.
        let of = program.procedure(procedure);
        let span = match of.locations[location.index()].span {
            span if span != Span::default() => span,
            _ if location == of.entry => of.span,
            _ => continue,
        };
        let keep = |terms: &Terms, literal: Term| is_in_scope(program, terms, (procedure, bound), literal);
        let how = Tidy { questions: QUESTIONS, keep: &keep, stop: &stop };
        let Some(short) = tidy(terms, formula, how) else { continue };
        // In an order that does not depend on which part was thought of first.
        let mut parts = terms.conjuncts(short);
        parts.sort_by_cached_key(|&part| show_c_in(program, terms, part));
        let short = terms.all(parts);
        if !matches!(terms.node(short), Node::Bool(true)) {
            let text = show_c_in(program, terms, short);
            let quantified = bound.is_some_and(|b| terms.symbols(short).contains(&b));
            let text = if quantified { format!("/* for every k */ {text}") } else { text };
            let at_head = of.loop_heads()[location.index()];
            found.push(Shown { procedure, span, text, quantified, at_head });
        }
    }
    found.sort_by_cached_key(|shown| {
        let place = program.source.place(shown.span);
        (place.file, place.line)
    });
    found
}

/// Whether everything a literal speaks of has a name in a procedure.
fn is_in_scope(
    program: &CfaProgram,
    terms: &Terms,
    (procedure, bound): (ProcedureId, Option<Symbol>),
    literal: Term,
) -> bool {
    let here = program.procedure(procedure);
    let symbols = terms.symbols(literal);
    let known = symbols.iter().all(|symbol| {
        let local = here.params.contains(symbol) || here.locals.contains(symbol);
        let global = program.globals.iter().any(|g| g.symbol == *symbol);
        let named = program.variables.get(symbol).is_some_and(|v| !v.hidden);
        program.region(*symbol).is_some() || (named && (local || global)) || Some(*symbol) == bound
    });
    let mut nameable = true;
    terms.visit(literal, &mut |node| match node {
        // The address of an object that has no name here.
        Node::BitVec(width, address) if width == program.pointer_bits => {
            nameable &= !is_elsewhere(program, procedure, address);
        }
        Node::Store(..) | Node::ConstArray(..) => nameable = false,
        _ => {}
    });
    known && nameable
}

fn is_elsewhere(program: &CfaProgram, procedure: ProcedureId, address: u64) -> bool {
    program.objects.iter().filter(|o| address.wrapping_sub(o.address) < o.size.max(1)).any(|o| match o.kind {
        ObjectKind::Static => false,
        ObjectKind::Handover | ObjectKind::Literal => true,
        ObjectKind::Local(owner) => owner != procedure,
    })
}
