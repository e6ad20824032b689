//! Evidence: bounds that no run exceeds, inputs that lead to an error.

use std::collections::VecDeque;

use clinch_ir::cfa::guided::{run_guided, value_bits};
use clinch_ir::cfa::{CfaProgram, InputId, InputTrace, Unrolling};
use clinch_ir::machine::{InputSource, behind_block, first_block};
use clinch_ir::{BinOp, Node, Reason, Term, Terms, Value};
use clinch_smt::LargeQuestion;
use rustc_hash::FxHashMap;

use super::path::{PathId, Paths};
use super::walk::{Repeated, Round};

/// The bounds that were enough.
pub(crate) fn unrolling(round: &Round) -> Unrolling {
    let mut unrolling = Unrolling::default();
    for (&what, &times) in &round.used {
        match what {
            Repeated::Loop(procedure, head) => unrolling.loops.push((procedure, head, times)),
            Repeated::Call(procedure) => unrolling.calls.push((procedure, times)),
        }
    }
    unrolling
}

/// Whether a condition holds in a model.
pub(super) fn holds(terms: &Terms, model: &mut LargeQuestion, condition: Term) -> bool {
    model.value(terms, condition) == Some(Value::Bool(true))
}

/// The run that a model describes: inputs are asked for in the order of time, those on the path taken.
pub(super) fn trace(
    program: &CfaProgram,
    terms: &Terms,
    paths: &Paths,
    round: &Round,
    model: &mut LargeQuestion,
) -> Result<InputTrace, Reason> {
    let mut taken: FxHashMap<PathId, bool> = FxHashMap::default();
    let mut is_taken = |model: &mut LargeQuestion, path: PathId| {
        *taken.entry(path).or_insert_with(|| holds(terms, model, paths.condition(path)))
    };
    let mut inputs: VecDeque<(InputId, u64)> = VecDeque::new();
    for asked in &round.inputs {
        if is_taken(model, asked.path) {
            let symbol = terms.find(Node::Symbol(asked.value));
            let value = symbol.and_then(|term| model.value(terms, term));
            inputs.push_back((asked.site, value.as_ref().and_then(value_bits).unwrap_or(0)));
        }
    }
    let mut blocks = Blocks::new(program);
    for block in &round.blocks {
        if is_taken(model, block.path) {
            let size = model.value(terms, block.size);
            blocks.add(block.address, size.as_ref().and_then(value_bits).unwrap_or(0));
        }
    }
    let memory = unwritten(terms, model);
    run_guided(program, |_, request, _| match &request.source {
        InputSource::Site(site) => {
            let expected = inputs.front().is_some_and(|(asked, _)| asked == site);
            if expected { inputs.pop_front().map_or(0, |(_, bits)| bits) } else { 0 }
        }
        InputSource::Memory { address, .. } => memory.get(&blocks.of_machine(*address)).copied().unwrap_or(0),
    })
}

/// The blocks of a run: the machine has them at other addresses, for it knows how large they are and which are made.
struct Blocks {
    /// The address in the machine, ours, and the size.
    blocks: Vec<(u64, u64, u64)>,
    /// Where the machine has its next block.
    next: u64,
}

impl Blocks {
    fn new(program: &CfaProgram) -> Self {
        Blocks { blocks: Vec::new(), next: first_block(program) }
    }

    /// Adds the next block.
    fn add(&mut self, address: u64, size: u64) {
        self.blocks.push((self.next, address, size));
        self.next = behind_block(self.next, size);
    }

    /// Our address of what the machine has at an address.
    fn of_machine(&self, address: u64) -> u64 {
        let found =
            self.blocks.iter().find(|(start, _, size)| address.checked_sub(*start).is_some_and(|at| at < *size));
        found.map_or(address, |(start, ours, _)| address - start + ours)
    }
}

/// What the model says of cells that were read before they were written, by address.
fn unwritten(terms: &Terms, model: &mut LargeQuestion) -> FxHashMap<u64, u64> {
    let mut contents = FxHashMap::default();
    for term in terms.all_terms() {
        let Node::Binary(BinOp::Select, array, index) = terms.node(term) else { continue };
        let (Node::Symbol(_), Node::BitVec(_, address)) = (terms.node(array), terms.node(index)) else { continue };
        if let Some(bits) = model.value(terms, term).as_ref().and_then(value_bits).filter(|&bits| bits != 0) {
            contents.insert(address, bits);
        }
    }
    contents
}
