//! Which variables of a procedure are read later: liveness.

use rustc_hash::FxHashMap;

use super::{Op, Procedure, Target};
use crate::program::LocId;
use crate::term::{Node, Symbol, Term, Terms};

/// Beyond so many bits nothing is computed, and everything counts as live.
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
    /// The live variables of a procedure: those that may be read before they are written again.
    pub fn new(terms: &Terms, procedure: &Procedure) -> Self {
        let variables: Vec<Symbol> = procedure.params.iter().chain(&procedure.locals).copied().collect();
        let words = variables.len().div_ceil(64).max(1);
        let (count, locations) = (variables.len(), procedure.locations.len());
        if words * 64 * locations > MAX_BITS {
            return Liveness { variables: count, words, bits: Vec::new() };
        }
        let position: FxHashMap<Symbol, usize> = variables.into_iter().enumerate().map(|(i, s)| (s, i)).collect();
        let mut liveness = Liveness { variables: count, words, bits: vec![0; words * locations] };
        liveness.solve(terms, procedure, &position);
        liveness
    }

    fn solve(&mut self, terms: &Terms, procedure: &Procedure, position: &FxHashMap<Symbol, usize>) {
        let own = |symbols: Vec<Symbol>| symbols.iter().filter_map(|s| position.get(s).copied()).collect::<Vec<_>>();
        let reads: Vec<_> = procedure.edges.iter().map(|e| own(e.op.reads(terms))).collect();
        let writes: Vec<_> = procedure.edges.iter().map(|e| own(procedure.writes(&e.op))).collect();
        let mut entering = vec![Vec::new(); procedure.locations.len()];
        for (i, edge) in procedure.edges.iter().enumerate() {
            entering[edge.to.index()].push(i);
        }
        if let Some(result) = procedure.result.and_then(|r| position.get(&r)) {
            self.bits[procedure.exit.index() * self.words + result / 64] |= 1 << (result % 64);
        }
        let mut queued = vec![true; procedure.locations.len()];
        let mut work: Vec<usize> = (0..procedure.locations.len()).collect();
        while let Some(at) = work.pop() {
            queued[at] = false;
            for &i in &entering[at] {
                let from = procedure.edges[i].from.index();
                let mut row = self.bits[at * self.words..][..self.words].to_vec();
                writes[i].iter().for_each(|w| row[w / 64] &= !(1 << (w % 64)));
                reads[i].iter().for_each(|r| row[r / 64] |= 1 << (r % 64));
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

impl Op {
    /// The terms it evaluates.
    pub fn terms(&self) -> Vec<Term> {
        match self {
            Op::Skip | Op::Input(..) | Op::Return(None) | Op::Enter(_) | Op::Leave(_) => Vec::new(),
            Op::Error(_) | Op::Abort | Op::Unsupported(_) | Op::Undefined(_) => Vec::new(),
            Op::Assume(term) | Op::Return(Some(term)) | Op::Free(term) | Op::Exit(term) => vec![*term],
            Op::BlockSize(_, term) | Op::Alloc { size: term, .. } => vec![*term],
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
