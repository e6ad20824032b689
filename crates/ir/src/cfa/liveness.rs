//! Which variables of a procedure matter later: liveness.
//!
//! A variable that only serves to compute variables that do not matter does not matter itself (a counter that nobody looks
//! at), unless the computation may fail.

use clinch_terms::{LocId, Node, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Op, Procedure, Target};

/// Where more bits than this would be needed nothing is computed, and everything counts as live.
const MAX_BITS: usize = 1 << 29;

/// The live variables of each location.
#[derive(Clone, Debug)]
pub struct Liveness {
    variables: usize,
    words: usize,
    /// A row of bits for each location, by position of the variable among parameters and locals.
    bits: Vec<u64>,
}

impl Liveness {
    /// The live variables of a procedure. `partial` says which terms may fail, as [`partial_terms`](super::partial_terms)
    /// does; assignments to globals in `dead` do not count as uses.
    pub fn new(terms: &Terms, procedure: &Procedure, partial: &[bool], dead: &FxHashSet<Symbol>) -> Self {
        let variables: Vec<Symbol> = procedure.params.iter().chain(&procedure.locals).copied().collect();
        let words = variables.len().div_ceil(64).max(1);
        let (count, locations) = (variables.len(), procedure.locations.len());
        if words * 64 * locations > MAX_BITS {
            return Liveness { variables: count, words, bits: Vec::new() };
        }
        let position: FxHashMap<Symbol, usize> = variables.into_iter().enumerate().map(|(i, s)| (s, i)).collect();
        let mut liveness = Liveness { variables: count, words, bits: vec![0; words * locations] };
        let steps: Vec<Step> =
            procedure.edges.iter().map(|e| Step::new(terms, procedure, &e.op, partial, dead, &position)).collect();
        if let Some(result) = procedure.result.and_then(|r| position.get(&r)) {
            liveness.bits[procedure.exit.index() * words + result / 64] |= 1 << (result % 64);
        }
        liveness.solve(procedure, &steps);
        liveness
    }

    fn solve(&mut self, procedure: &Procedure, steps: &[Step]) {
        let mut entering = vec![Vec::new(); procedure.locations.len()];
        for (i, edge) in procedure.edges.iter().enumerate() {
            entering[edge.to.index()].push(i);
        }
        let mut queued = vec![true; procedure.locations.len()];
        let mut work: Vec<usize> = (0..procedure.locations.len()).collect();
        while let Some(at) = work.pop() {
            queued[at] = false;
            for &i in &entering[at] {
                let from = procedure.edges[i].from.index();
                let row = steps[i].before(&self.bits[at * self.words..][..self.words]);
                let mut changed = false;
                for (word, new) in self.bits[from * self.words..][..self.words].iter_mut().zip(row) {
                    changed |= new & !*word != 0;
                    *word |= new;
                }
                if changed && !queued[from] {
                    queued[from] = true;
                    work.push(from);
                }
            }
        }
    }

    /// Whether a variable, by its position among parameters and locals, may be read after a location.
    pub fn is_live(&self, location: LocId, variable: usize) -> bool {
        debug_assert!(variable < self.variables);
        match self.bits.get(location.index() * self.words + variable / 64) {
            Some(word) => word >> (variable % 64) & 1 == 1,
            None => true,
        }
    }
}

/// What an edge does to the live variables, by their positions.
struct Step {
    writes: Vec<usize>,
    /// Read in any case.
    reads: Vec<usize>,
    /// Read only for a variable that must be live itself.
    reads_for: Vec<(usize, Vec<usize>)>,
}

impl Step {
    fn new(
        terms: &Terms,
        procedure: &Procedure,
        op: &Op,
        partial: &[bool],
        dead: &FxHashSet<Symbol>,
        position: &FxHashMap<Symbol, usize>,
    ) -> Self {
        let own = |symbols: Vec<Symbol>| symbols.iter().filter_map(|s| position.get(s).copied()).collect::<Vec<_>>();
        let mut step = Step { writes: own(procedure.writes(op)), reads: Vec::new(), reads_for: Vec::new() };
        let Op::Assign(assigns) = op else {
            step.reads = own(op.reads(terms));
            return step;
        };
        for assign in assigns {
            let reads = own(terms.symbols(assign.value));
            match assign.target {
                Target::Var(symbol) if !partial[assign.value.index()] => match position.get(&symbol) {
                    Some(&target) => step.reads_for.push((target, reads)),
                    None if dead.contains(&symbol) => {}
                    None => step.reads.extend(reads),
                },
                Target::Var(_) => step.reads.extend(reads),
                Target::Cell(_, address) => {
                    step.reads.extend(reads);
                    step.reads.extend(own(terms.symbols(address)));
                }
            }
        }
        step
    }

    fn before(&self, after: &[u64]) -> Vec<u64> {
        let mut row = after.to_vec();
        self.writes.iter().for_each(|w| row[w / 64] &= !(1 << (w % 64)));
        let live = self.reads_for.iter().filter(|(target, _)| after[target / 64] >> (target % 64) & 1 == 1);
        let reads = self.reads.iter().chain(live.flat_map(|(_, reads)| reads));
        reads.for_each(|r| row[r / 64] |= 1 << (r % 64));
        row
    }
}

impl Op {
    /// The terms it evaluates.
    pub fn terms(&self) -> Vec<Term> {
        match self {
            Op::Skip | Op::Input(..) | Op::Return(None) | Op::Enter(_) | Op::Leave(_) => Vec::new(),
            Op::Error(_) | Op::Abort | Op::Unsupported(_) | Op::Undefined(_) => Vec::new(),
            Op::Assume(term) | Op::Return(Some(term)) | Op::Free(term) | Op::Exit(term) => vec![*term],
            Op::BlockSize(_, term) | Op::Alloc { size: term, .. } => vec![*term],
            Op::SameObject(a, b) => vec![*a, *b],
            Op::Call { args, .. } => args.clone(),
            Op::Print(print) => print.args.clone(),
            Op::Assign(assigns) => {
                let address = |t: Target| match t {
                    Target::Cell(_, address) => Some(address),
                    Target::Var(_) => None,
                };
                assigns.iter().flat_map(|a| address(a.target).into_iter().chain([a.value])).collect()
            }
        }
    }

    /// The variables and regions it reads.
    pub fn reads(&self, terms: &Terms) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        for term in self.terms() {
            terms.visit(term, &mut |node| {
                if let Node::Symbol(symbol) = node {
                    symbols.push(symbol);
                }
            });
        }
        symbols
    }
}

impl Procedure {
    /// The variables an operation of this procedure writes (not the regions).
    pub fn writes(&self, op: &Op) -> Vec<Symbol> {
        match op {
            Op::Assign(assigns) => {
                let variable = |t: Target| match t {
                    Target::Var(symbol) => Some(symbol),
                    Target::Cell(..) => None,
                };
                assigns.iter().filter_map(|a| variable(a.target)).collect()
            }
            Op::Input(symbol, _) | Op::BlockSize(symbol, _) | Op::Alloc { target: symbol, .. } => vec![*symbol],
            Op::Call { result, .. } => result.iter().copied().collect(),
            Op::Return(Some(_)) => self.result.iter().copied().collect(),
            _ => Vec::new(),
        }
    }
}
