//! Models of library functions, one instance for each call of the program.
//!
//! What goes wrong inside of a model is its caller's mistake, and each call makes its own: with an instance for each, every call has checks of its own, at its
//! place. It also tells analyses apart what calls pass.

use clinch_ir::Span;
use clinch_ir::cfa::{CfaProgram, Op, Procedure, ProcedureId, Target, VariableInfo};
use clinch_terms::{Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::fresh::CALLER_FILES;
use super::lower::map_reads;
use super::models::MODEL_FILES;

/// So many edges may instances have together; calls beyond share the model.
const MOST_EDGES: usize = 20_000;
/// So deep do models call each other at most.
const MOST_DEPTH: u32 = 8;

/// The calls of the program that instances of models are for: who is to blame for what goes wrong in them.
pub(super) type Calls = FxHashMap<ProcedureId, Span>;

/// Makes the instances. The first call has the model itself.
pub(super) fn instances(program: &mut CfaProgram) -> Calls {
    let is_model: Vec<bool> = program.procedures.iter().map(|p| is_model(program, p)).collect();
    let own: Vec<usize> = (0..is_model.len()).filter(|&index| !is_model[index]).collect();
    let entry = program.entry;
    let mut pass = Instances { program, is_model, taken: FxHashSet::default(), edges: 0, calls: Calls::default() };
    // What is done before and after the program is nobody's call.
    pass.share(entry);
    for index in own.into_iter().filter(|&index| index != entry.index()) {
        for (edge, callee) in pass.models_called(ProcedureId::from_index(index)) {
            let span = pass.program.procedures[index].edges[edge].span;
            let instance = pass.instance(callee, span, 0);
            pass.let_call(ProcedureId::from_index(index), edge, instance);
        }
    }
    pass.calls
}

/// Whether a procedure is a model of the library. Who calls a function with fresh arguments is none.
fn is_model(program: &CfaProgram, procedure: &Procedure) -> bool {
    let file = program.source.place(procedure.span).file;
    file.starts_with(MODEL_FILES) && !file.starts_with(CALLER_FILES)
}

struct Instances<'p> {
    program: &'p mut CfaProgram,
    is_model: Vec<bool>,
    /// Models that are instances themselves.
    taken: FxHashSet<ProcedureId>,
    /// Edges of all copies so far.
    edges: usize,
    calls: Calls,
}

impl Instances<'_> {
    /// The calls of models in a procedure.
    fn models_called(&self, id: ProcedureId) -> Vec<(usize, ProcedureId)> {
        let numbered = self.program.procedure(id).edges.iter().enumerate();
        let calls = numbered.filter_map(|(index, edge)| match edge.op {
            Op::Call { callee, .. } => Some((index, callee)).filter(|_| self.is_model[callee.index()]),
            _ => None,
        });
        calls.collect()
    }

    /// Several calls share what a procedure calls: nobody is to blame there.
    fn share(&mut self, id: ProcedureId) {
        for (_, callee) in self.models_called(id) {
            if self.taken.insert(callee) | self.calls.remove(&callee).is_some() {
                self.share(callee);
            }
        }
    }

    /// An instance of a model for a call, with instances of what it calls in turn; the model itself where there can be no more.
    fn instance(&mut self, model: ProcedureId, call: Span, depth: u32) -> ProcedureId {
        let id = if self.taken.insert(model) { Some(model) } else { self.copy(model, depth) };
        let Some(id) = id else {
            self.calls.remove(&model);
            self.share(model);
            return model;
        };
        self.calls.insert(id, call);
        for (edge, callee) in self.models_called(id) {
            let instance = self.instance(callee, call, depth + 1);
            self.let_call(id, edge, instance);
        }
        id
    }

    fn let_call(&mut self, caller: ProcedureId, edge: usize, to: ProcedureId) {
        if let Op::Call { callee, .. } = &mut self.program.procedures[caller.index()].edges[edge].op {
            *callee = to;
        }
    }

    /// A copy of a model with variables of its own, unless there are too many. A local object has one address: there is no copy of those that have some.
    fn copy(&mut self, id: ProcedureId, depth: u32) -> Option<ProcedureId> {
        let edges = &self.program.procedure(id).edges;
        let has_objects = edges.iter().any(|edge| matches!(edge.op, Op::Enter(_)));
        if has_objects || depth == MOST_DEPTH || self.edges + edges.len() > MOST_EDGES {
            return None;
        }
        self.edges += edges.len();
        let mut copy = self.program.procedure(id).clone();
        copy.address = None;
        let mut fresh: FxHashMap<Symbol, Symbol> = FxHashMap::default();
        for symbol in copy.params.iter_mut().chain(&mut copy.locals) {
            let own = self.variable_like(*symbol);
            fresh.insert(*symbol, own);
            *symbol = own;
        }
        let own = |symbol: Symbol| fresh.get(&symbol).copied().unwrap_or(symbol);
        copy.result = copy.result.map(own);
        let terms = &mut self.program.terms;
        let map: FxHashMap<Symbol, Term> = fresh.iter().map(|(&old, &new)| (old, terms.symbol(new))).collect();
        for edge in &mut copy.edges {
            edge.op = map_reads(&edge.op, |term| terms.substitute_symbols(term, &map));
            written(&mut edge.op, |symbol| *symbol = own(*symbol));
        }
        self.program.procedures.push(copy);
        self.is_model.push(true);
        Some(ProcedureId::from_index(self.program.procedures.len() - 1))
    }

    fn variable_like(&mut self, symbol: Symbol) -> Symbol {
        let (name, sort) =
            (self.program.terms.symbol_name(symbol).to_owned(), self.program.terms.symbol_sort(symbol).clone());
        let fresh = self.program.terms.declare(name, sort);
        let info: Option<VariableInfo> = self.program.variables.get(&symbol).cloned();
        self.program.variables.extend(info.map(|info| (fresh, info)));
        fresh
    }
}

/// The variables that an operation writes.
fn written(op: &mut Op, mut f: impl FnMut(&mut Symbol)) {
    match op {
        Op::Assign(assigns) => assigns.iter_mut().for_each(|assign| match &mut assign.target {
            Target::Var(symbol) | Target::Cell(symbol, _) => f(symbol),
        }),
        Op::Input(symbol, _) | Op::BlockSize(symbol, _) | Op::Alloc { target: symbol, .. } => f(symbol),
        Op::Call { result, .. } => result.iter_mut().for_each(f),
        _ => {}
    }
}
