//! Explicit saturation of small programs over truth values: the oracle.

use std::collections::{BTreeMap, BTreeSet};

use clinch_ir::cfa::{CfaProgram, Op, ProcedureId, Target};
use clinch_terms::{BinOp, LocId, Node, Symbol, Term, UnOp};

/// Values of all symbols of a frame and the globals.
type State = BTreeMap<Symbol, bool>;

/// A path edge: the values at the entry, where control is, and the values there.
type Edge = (ProcedureId, State, LocId, State);

/// What is entered.
type Entry = (ProcedureId, State);

/// The globals and the result at the end.
type End = (State, Option<bool>);

/// Who waits, where it goes on, and the target of the result.
type Waiting = (Edge, LocId, Option<Symbol>);

/// Whether an error can be reached.
pub(super) fn reaches_error(program: &CfaProgram) -> bool {
    let mut oracle =
        Oracle { program, edges: BTreeSet::new(), work: Vec::new(), ends: BTreeMap::new(), calls: BTreeMap::new() };
    let globals: State = program.globals.iter().map(|g| (g.symbol, value(program, g.init, &State::new()))).collect();
    oracle.enter(program.entry, globals);
    while let Some(edge) = oracle.work.pop() {
        if oracle.follow(&edge) {
            return true;
        }
    }
    false
}

fn value(program: &CfaProgram, term: Term, state: &State) -> bool {
    let read = |t: Term| value(program, t, state);
    match program.terms.node(term) {
        Node::Bool(b) => b,
        Node::Symbol(s) => state.get(&s).copied().unwrap_or(false),
        Node::Unary(UnOp::Not, a) => !read(a),
        Node::Binary(BinOp::And, a, b) => read(a) && read(b),
        Node::Binary(BinOp::Or, a, b) => read(a) || read(b),
        Node::Binary(BinOp::Eq, a, b) => read(a) == read(b),
        Node::Ite(c, a, b) => {
            if read(c) {
                read(a)
            } else {
                read(b)
            }
        }
        other => panic!("{other:?}"),
    }
}

struct Oracle<'p> {
    program: &'p CfaProgram,
    edges: BTreeSet<Edge>,
    work: Vec<Edge>,
    ends: BTreeMap<Entry, BTreeSet<End>>,
    calls: BTreeMap<Entry, BTreeSet<Waiting>>,
}

impl Oracle<'_> {
    fn add(&mut self, edge: Edge) {
        if self.edges.insert(edge.clone()) {
            self.work.push(edge);
        }
    }

    fn enter(&mut self, procedure: ProcedureId, entry: State) {
        self.add((procedure, entry.clone(), self.program.procedure(procedure).entry, entry));
    }

    fn is_global(&self, symbol: Symbol) -> bool {
        self.program.globals.iter().any(|g| g.symbol == symbol)
    }

    fn back(
        &mut self,
        (procedure, entry, _, before): Edge,
        to: LocId,
        target: Option<Symbol>,
        end: &(State, Option<bool>),
    ) {
        let mut after = before;
        after.extend(end.0.clone());
        if let (Some(target), Some(result)) = (target, end.1) {
            after.insert(target, result);
        }
        self.add((procedure, entry, to, after));
    }

    /// Whether the error is next.
    fn follow(&mut self, edge: &Edge) -> bool {
        let (procedure, entry, location, state) = edge;
        let program = self.program;
        let body = program.procedure(*procedure);
        if *location == body.exit {
            let globals: State = state.iter().filter(|(s, _)| self.is_global(**s)).map(|(s, v)| (*s, *v)).collect();
            let end = (globals, body.result.map(|r| state.get(&r).copied().unwrap_or(false)));
            let key = (*procedure, entry.clone());
            if self.ends.entry(key.clone()).or_default().insert(end.clone()) {
                for (caller, to, target) in self.calls.get(&key).cloned().unwrap_or_default() {
                    self.back(caller, to, target, &end);
                }
            }
            return false;
        }
        for step in body.edges.iter().filter(|e| e.from == *location) {
            let mut after = state.clone();
            match &step.op {
                Op::Error(_) => return true,
                Op::Assume(c) if !value(program, *c, state) => continue,
                Op::Assume(_) | Op::Skip => {}
                Op::Assign(assigns) => {
                    for assign in assigns {
                        let Target::Var(s) = assign.target else { panic!("no memory") };
                        after.insert(s, value(program, assign.value, state));
                    }
                }
                Op::Input(s, _) => {
                    after.insert(*s, true);
                    self.add((*procedure, entry.clone(), step.to, after.clone()));
                    after.insert(*s, false);
                }
                Op::Return(v) => {
                    if let (Some(r), Some(v)) = (body.result, v) {
                        after.insert(r, value(program, *v, state));
                    }
                }
                Op::Call { callee, args, result } => {
                    self.call(edge, *callee, args, (step.to, *result));
                    continue;
                }
                other => panic!("{other:?}"),
            }
            self.add((*procedure, entry.clone(), step.to, after));
        }
        false
    }

    fn call(&mut self, edge: &Edge, callee: ProcedureId, args: &[Term], (to, target): (LocId, Option<Symbol>)) {
        let state = &edge.3;
        let mut entry: State = state.iter().filter(|(s, _)| self.is_global(**s)).map(|(s, v)| (*s, *v)).collect();
        for (&param, &arg) in self.program.procedure(callee).params.iter().zip(args) {
            entry.insert(param, value(self.program, arg, state));
        }
        let key = (callee, entry.clone());
        if self.calls.entry(key.clone()).or_default().insert((edge.clone(), to, target)) {
            for end in self.ends.get(&key).cloned().unwrap_or_default() {
                self.back(edge.clone(), to, target, &end);
            }
        }
        self.enter(callee, entry);
    }
}
