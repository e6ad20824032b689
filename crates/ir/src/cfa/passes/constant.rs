//! Constants: of globals that nobody changes, and of locals along the edges. Branches that are never taken go.
//!
//! A computation that may fail stays, so that every run ends as before: the constructors of terms fold `x / y * 0` to 0.

use rustc_hash::{FxHashMap, FxHashSet};

use super::collapse::collapse;
use super::{Back, Transformed};
use crate::cfa::{Assign, CfaProgram, Op, Print, Procedure, Target, may_fail, may_fail_with};
use crate::term::{BinOp, Node, Symbol, Term, Terms};

/// In procedures with more locations times variables only globals are replaced.
const MAX_SIZE: usize = 20_000_000;

/// What is known at a location: the constants that variables hold. `None`: not reached.
type Known = Option<FxHashMap<Symbol, Term>>;

/// Replaces variables by the constants they hold.
pub fn propagate_constants(original: &CfaProgram) -> Transformed {
    let mut program = original.clone();
    let mut back = Back::identity(original);
    let globals = constant_globals(&program);
    for index in 0..program.procedures.len() {
        let procedure = program.procedures[index].clone();
        let size = procedure.locations.len() * (procedure.locals.len() + procedure.params.len());
        let known = if size > MAX_SIZE {
            vec![Some(globals.clone()); procedure.locations.len()]
        } else {
            solve(&mut program.terms, &procedure, &globals)
        };
        let mut edges = Vec::new();
        for edge in &procedure.edges {
            let Some(at) = &known[edge.from.index()] else { continue };
            let op = rewrite(&mut program.terms, &edge.op, at);
            match op {
                Op::Assume(term) if program.terms.node(term) == Node::Bool(false) => {}
                Op::Assume(term) if program.terms.node(term) == Node::Bool(true) => {
                    edges.push(crate::cfa::Edge { op: Op::Skip, ..edge.clone() });
                }
                op => edges.push(crate::cfa::Edge { op, ..edge.clone() }),
            }
        }
        program.procedures[index].edges = edges;
    }
    collapse(&mut program, &mut back);
    Transformed { program, back }
}

/// Globals that keep their first value.
fn constant_globals(program: &CfaProgram) -> FxHashMap<Symbol, Term> {
    let mut written = FxHashSet::default();
    for procedure in &program.procedures {
        for edge in &procedure.edges {
            written.extend(procedure.writes(&edge.op));
        }
    }
    program.globals.iter().filter(|g| !written.contains(&g.symbol)).map(|g| (g.symbol, g.init)).collect()
}

fn solve(terms: &mut Terms, procedure: &Procedure, globals: &FxHashMap<Symbol, Term>) -> Vec<Known> {
    let own: FxHashSet<Symbol> = procedure.params.iter().chain(&procedure.locals).copied().collect();
    let successors = procedure.successors();
    let mut known: Vec<Known> = vec![None; procedure.locations.len()];
    known[procedure.entry.index()] = Some(globals.clone());
    let mut work = vec![procedure.entry];
    while let Some(at) = work.pop() {
        for edge in &successors[at.index()] {
            let edge = &procedure.edges[edge.index()];
            let before = known[at.index()].clone().expect("only reached locations are looked at");
            let Some(after) = step(terms, procedure, &own, &edge.op, before) else { continue };
            if join(&mut known[edge.to.index()], after) {
                work.push(edge.to);
            }
        }
    }
    known
}

/// What is known behind an edge; `None` if it is never taken.
fn step(
    terms: &mut Terms,
    procedure: &Procedure,
    own: &FxHashSet<Symbol>,
    op: &Op,
    before: FxHashMap<Symbol, Term>,
) -> Known {
    let mut after = before.clone();
    for symbol in procedure.writes(op) {
        after.remove(&symbol);
    }
    match op {
        Op::Assume(condition) => {
            let condition = substitute(terms, *condition, &before);
            if terms.node(condition) == Node::Bool(false) {
                return None;
            }
            for (symbol, value) in equalities(terms, condition) {
                if own.contains(&symbol) {
                    after.insert(symbol, value);
                }
            }
        }
        Op::Assign(assigns) => {
            for assign in assigns {
                let Target::Var(symbol) = assign.target else { continue };
                let value = substitute(terms, assign.value, &before);
                if own.contains(&symbol) && is_constant(terms, value) {
                    after.insert(symbol, value);
                }
            }
        }
        _ => {}
    }
    Some(after)
}

/// Keeps what both know. Whether something changed.
fn join(known: &mut Known, new: FxHashMap<Symbol, Term>) -> bool {
    let Some(old) = known else {
        *known = Some(new);
        return true;
    };
    let before = old.len();
    old.retain(|symbol, value| new.get(symbol) == Some(value));
    old.len() != before
}

/// `x == c` among the conjuncts.
fn equalities(terms: &Terms, condition: Term) -> Vec<(Symbol, Term)> {
    let (mut found, mut stack) = (Vec::new(), vec![condition]);
    while let Some(part) = stack.pop() {
        match terms.node(part) {
            Node::Binary(BinOp::And, a, b) => stack.extend([a, b]),
            Node::Binary(BinOp::Eq, a, b) => {
                for (x, c) in [(a, b), (b, a)] {
                    if let Node::Symbol(symbol) = terms.node(x)
                        && is_constant(terms, c)
                    {
                        found.push((symbol, c));
                    }
                }
            }
            _ => {}
        }
    }
    found
}

fn is_constant(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::Bool(_) | Node::Int(_) | Node::BitVec(..))
}

/// The term with constants for variables, unless that would lose a computation that may fail.
fn substitute(terms: &mut Terms, term: Term, known: &FxHashMap<Symbol, Term>) -> Term {
    let result = terms.substitute_deep(term, known);
    let mut partial = Vec::new();
    terms.visit(term, &mut |node| {
        if let Node::Binary(op, _, b) = node
            && may_fail(terms, node)
        {
            partial.push((op, b));
        }
    });
    if partial.is_empty() || result == term {
        return result;
    }
    let mut expected = 0;
    for (op, b) in partial {
        let b = terms.substitute_deep(b, known);
        expected += usize::from(may_fail_with(terms, op, b));
    }
    let mut left = 0;
    terms.visit(result, &mut |node| left += usize::from(may_fail(terms, node)));
    if left == expected { result } else { term }
}

fn rewrite(terms: &mut Terms, op: &Op, known: &FxHashMap<Symbol, Term>) -> Op {
    let mut sub = |term: Term| substitute(terms, term, known);
    match op {
        Op::Assume(term) => Op::Assume(sub(*term)),
        Op::Assign(assigns) => {
            let one = |a: &Assign| {
                let target = match a.target {
                    Target::Cell(region, address) => Target::Cell(region, sub(address)),
                    var => var,
                };
                Assign { target, value: sub(a.value) }
            };
            Op::Assign(assigns.iter().map(one).collect())
        }
        Op::Call { callee, args, result } => {
            Op::Call { callee: *callee, args: args.iter().map(|&a| sub(a)).collect(), result: *result }
        }
        Op::Return(value) => Op::Return(value.map(sub)),
        Op::Alloc { target, size, kind, zeroed } => {
            Op::Alloc { target: *target, size: sub(*size), kind: *kind, zeroed: *zeroed }
        }
        Op::Free(address) => Op::Free(sub(*address)),
        Op::BlockSize(target, address) => Op::BlockSize(*target, sub(*address)),
        Op::SameObject(a, b) => Op::SameObject(sub(*a), sub(*b)),
        Op::Print(print) => {
            let args = print.args.iter().map(|&a| sub(a)).collect();
            Op::Print(Print { format: print.format.clone(), args, stdout: print.stdout })
        }
        Op::Exit(status) => Op::Exit(sub(*status)),
        other => other.clone(),
    }
}
