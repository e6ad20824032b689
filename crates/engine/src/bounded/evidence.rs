//! Evidence: bounds that no run exceeds, inputs that lead to an error.

use std::collections::{BTreeMap, VecDeque};

use clinch_ir::Reason;
use clinch_ir::cfa::{Addresses, CfaProgram, InputId, InputTrace, Unrolling};
use clinch_machine::InputSource;
use clinch_machine::guided::{run_guided, value_bits};
use clinch_smt::LargeQuestion;
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;

use super::path::{PathId, Paths};
use super::walk::{Opened, Repeated, Round};

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
    let mut memory = Unwritten::new(terms, model);
    for opened in &round.opened {
        if is_taken(model, opened.path) {
            memory.open(terms, model, opened);
        }
    }
    run_guided(program, |_, request, _| match &request.source {
        InputSource::Site(site) => {
            let expected = inputs.front().is_some_and(|(asked, _)| asked == site);
            if expected { inputs.pop_front().map_or(0, |(_, bits)| bits) } else { 0 }
        }
        InputSource::Memory { address, .. } => memory.read(blocks.of_machine(*address)),
    })
}

/// The blocks of a run: the machine has them at other addresses, for it knows how large they are and which are made.
struct Blocks {
    /// The address in the machine, ours, and the size.
    blocks: Vec<(u64, u64, u64)>,
    machine: Addresses,
}

impl Blocks {
    fn new(program: &CfaProgram) -> Self {
        Blocks { blocks: Vec::new(), machine: Addresses::new(program) }
    }

    /// Adds the next block.
    fn add(&mut self, address: u64, size: u64) {
        if let Some(in_machine) = self.machine.make(size) {
            self.blocks.push((in_machine, address, size));
        }
    }

    /// Our address of what the machine has at an address.
    fn of_machine(&self, address: u64) -> u64 {
        let found =
            self.blocks.iter().find(|(start, _, size)| address.checked_sub(*start).is_some_and(|at| at < *size));
        found.map_or(address, |(start, ours, _)| address - start + ours)
    }
}

/// What the model says of cells that were read before they were written.
struct Unwritten {
    /// By the symbol of a memory and the address.
    contents: BTreeMap<(Symbol, u64), u64>,
    /// By the address alone.
    anywhere: FxHashMap<u64, u64>,
    /// What cells of local objects hold at the beginning of each lifetime.
    lives: FxHashMap<u64, VecDeque<u64>>,
}

impl Unwritten {
    fn new(terms: &Terms, model: &mut LargeQuestion) -> Self {
        let (mut contents, mut anywhere) = (BTreeMap::new(), FxHashMap::default());
        for term in terms.all_terms() {
            let Node::Binary(BinOp::Select, array, index) = terms.node(term) else { continue };
            let Node::Symbol(memory) = terms.node(array) else { continue };
            let address = match terms.node(index) {
                Node::BitVec(_, address) => Some(address),
                _ => model.value(terms, index).as_ref().and_then(value_bits),
            };
            if let (Some(address), Some(value)) = (address, model.value(terms, term)) {
                let bits = value_bits(&value).unwrap_or(0);
                contents.insert((memory, address), bits);
                anywhere.extend((bits != 0).then_some((address, bits)));
            }
        }
        Unwritten { contents, anywhere, lives: FxHashMap::default() }
    }

    /// The lifetime of an object begins.
    fn open(&mut self, terms: &Terms, model: &mut LargeQuestion, opened: &Opened) {
        let Node::Symbol(symbol) = terms.node(opened.contents) else { return };
        if !matches!(terms.symbol_sort(symbol), Sort::Array(_)) {
            let value = model.value(terms, opened.contents);
            let lives = self.lives.entry(opened.cells.start).or_default();
            return lives.push_back(value.as_ref().and_then(value_bits).unwrap_or(0));
        }
        for (&(_, address), &bits) in self.contents.range((symbol, opened.cells.start)..(symbol, opened.cells.end)) {
            self.lives.entry(address).or_default().push_back(bits);
        }
    }

    /// The contents of a cell that is read. A cell is read before it is written at most once in each of its lives.
    fn read(&mut self, address: u64) -> u64 {
        match self.lives.get_mut(&address) {
            Some(lives) if lives.len() > 1 => lives.pop_front().unwrap_or(0),
            Some(lives) => lives.front().copied().unwrap_or(0),
            None => self.anywhere.get(&address).copied().unwrap_or(0),
        }
    }
}
