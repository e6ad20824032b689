//! Labels of the transition system ([Lazy, 5.1]): what a program does between two control points, in the chosen encoding.

use clinch_analyses::clauses::Encoding;
use clinch_analyses::encoding::{IntEncoding, View};
use clinch_ir::Effect;
use clinch_ir::cfa::blocks::blocks_from;
use clinch_ir::cfa::unfold::{Destination, Open, PointId, Step, Unfolding};
use clinch_ir::cfa::{CfaProgram, Op};
use clinch_terms::{Node, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::config::{BlockSize, Config};
use super::projection::without_inputs;
use super::tracking::{NOTHING_KNOWN, Tracking, ValuesId};

/// A label, by number.
pub(super) type LabelId = u32;

/// The label that gives variables their initial values: it leads from the root of the tree to the start of the program.
pub(super) const INITIAL: LabelId = 0;

/// Points a large block may have. Where there are more, the steps from its start are small ones.
const BLOCK_POINTS: usize = 20_000;
/// Steps that a basic block may have.
const BASIC_STEPS: usize = 1_000;

/// A step between control points, in the encoding.
#[derive(Clone, Debug)]
pub(super) struct Label {
    /// The step. Its guard has what is known of the symbols in it.
    pub(super) step: Step,
    /// What is known of tracked variables where it leads.
    pub(super) values: ValuesId,
    /// When it may be taken with some inputs; what is always known of symbols is left out.
    pub(super) condition: Term,
    /// The condition with what is known of the symbols in it: what the prover is asked about.
    pub(super) asked: Term,
    /// The symbols that are no variables: each use of the label has its own.
    pub(super) local: Vec<Symbol>,
    /// The variables it reads.
    pub(super) reads: Vec<Symbol>,
}

/// All labels met so far.
pub(super) struct Labels<'p> {
    pub(super) unfolding: Unfolding<'p>,
    integers: Option<IntEncoding>,
    blocks: BlockSize,
    labels: Vec<Label>,
    leaving: FxHashMap<(PointId, ValuesId), Vec<LabelId>>,
    /// The variables whose values are control.
    pub(super) tracking: Tracking,
    /// The variables as the encoding has them: which variable of the program, and how its bits are read.
    pub(super) variables: FxHashMap<Symbol, (Symbol, View)>,
    /// The other way round.
    own: FxHashMap<Symbol, Symbol>,
}

impl<'p> Labels<'p> {
    pub(super) fn new(program: &'p CfaProgram, terms: &mut Terms, encoding: Encoding, config: &Config) -> Self {
        let unfolding = Unfolding::new(program, terms);
        let integers = match encoding {
            Encoding::Bits => None,
            Encoding::Integers(overflow) => Some(IntEncoding::of_program(overflow, program)),
        };
        let mut this = Labels {
            unfolding,
            integers,
            blocks: config.blocks,
            labels: Vec::new(),
            leaving: FxHashMap::default(),
            tracking: Tracking::new(program, config, BLOCK_POINTS),
            variables: FxHashMap::default(),
            own: FxHashMap::default(),
        };
        for symbol in this.program_variables() {
            let (own, view) = match &mut this.integers {
                Some(encoding) => (encoding.symbol(terms, symbol), encoding.view(symbol)),
                None => (symbol, View::Signed),
            };
            this.variables.insert(own, (symbol, view));
            this.own.insert(symbol, own);
        }
        let counter = this.unfolding.effects().next_address;
        let variables = this.program_variables();
        this.tracking.declare(&variables, counter);
        this.restart(terms);
        this
    }

    /// Forgets all labels: the variables whose values are control are others now.
    pub(super) fn restart(&mut self, terms: &mut Terms) {
        self.labels.clear();
        self.leaving.clear();
        let updates = self.unfolding.initial_values(terms);
        let start = self.unfolding.start();
        let initial =
            Step { from: start, target: Destination::Point(start), effect: Effect::of_updates(terms, updates) };
        let values = self.tracking.initially(terms, &self.unfolding);
        let initial = self.encode(terms, initial, values);
        self.labels.push(initial);
    }

    fn program_variables(&self) -> Vec<Symbol> {
        let program = self.unfolding.program();
        let globals = program.globals.iter().map(|g| g.symbol).chain(program.regions.iter().map(|r| r.symbol));
        let locals = program.procedures.iter().flat_map(|p| p.params.iter().chain(&p.locals).copied());
        globals.chain(locals).chain([self.unfolding.effects().next_address]).collect()
    }

    pub(super) fn get(&self, label: LabelId) -> &Label {
        &self.labels[label as usize]
    }

    /// The symbol of the encoding for a variable of the program.
    pub(super) fn symbol_of(&self, variable: Symbol) -> Symbol {
        self.own.get(&variable).copied().unwrap_or(variable)
    }

    /// Whether a symbol is a variable of the program.
    pub(super) fn is_variable(&self, symbol: Symbol) -> bool {
        self.variables.contains_key(&symbol)
    }

    /// Whether labels say of all these symbols what they are at a point.
    pub(super) fn are_live(&self, point: PointId, symbols: &[Symbol]) -> bool {
        let live = |s| matches!(self.variables.get(s), Some(v) if self.tracking.is_live(&self.unfolding, point, v.0));
        symbols.iter().all(live)
    }

    /// The labels that leave a point with what is known there.
    pub(super) fn leaving(&mut self, terms: &mut Terms, point: PointId, values: ValuesId) -> Vec<LabelId> {
        if let Some(known) = self.leaving.get(&(point, values)) {
            return known.clone();
        }
        let mut found = Vec::new();
        for (block, values) in self.blocks(terms, point, values) {
            let label = self.encode(terms, block, values);
            found.push(self.labels.len() as LabelId);
            self.labels.push(label);
        }
        self.leaving.insert((point, values), found.clone());
        found
    }

    fn blocks(&mut self, terms: &mut Terms, point: PointId, values: ValuesId) -> Vec<(Step, ValuesId)> {
        if self.tracking.is_on() {
            if let Ok(blocks) = self.tracking.leaving(&mut self.unfolding, terms, point, values) {
                return blocks;
            }
        } else if self.blocks == BlockSize::Loops
            && let Ok(blocks) = blocks_from(&mut self.unfolding, terms, point, BLOCK_POINTS)
        {
            return blocks.into_iter().map(|block| (block, NOTHING_KNOWN)).collect();
        }
        let steps = self.unfolding.steps(terms, point);
        let blocks = steps.into_iter().filter_map(|step| self.small_block(terms, step));
        blocks.map(|block| (block, NOTHING_KNOWN)).collect()
    }

    /// One step as a block, with the statements after it up to the next branch unless steps are single edges. `None` if the
    /// run ends there.
    fn small_block(&mut self, terms: &mut Terms, mut step: Step) -> Option<Step> {
        let mut values: FxHashMap<Symbol, Term> = FxHashMap::default();
        let (from, guard, mut open) = (step.from, step.effect.guard, Vec::new());
        for _ in 0..BASIC_STEPS {
            open.extend(&step.effect.open);
            let updates: Vec<(Symbol, Term)> =
                step.effect.updates.iter().map(|&(s, t)| (s, terms.substitute_symbols(t, &values))).collect();
            values.extend(updates);
            let at = match step.target {
                Destination::Point(to) => to,
                Destination::End => return None,
                Destination::Error(..) | Destination::Open(..) => break,
            };
            let ends = self.unfolding.is_loop_head(at) || self.tracking.is_cut(at);
            if self.blocks == BlockSize::Edge || ends {
                break;
            }
            let mut next = self.unfolding.steps(terms, at);
            match next.pop() {
                Some(only) if next.is_empty() && terms.node(only.effect.guard) == Node::Bool(true) => step = only,
                _ => break,
            }
        }
        let mut updates: Vec<(Symbol, Term)> = values.into_iter().collect();
        updates.sort_unstable();
        Some(Step { from, target: step.target, effect: Effect { guard, updates, open } })
    }

    /// A block in the encoding.
    fn encode(&mut self, terms: &mut Terms, step: Step, values: ValuesId) -> Label {
        let condition = condition(terms, &step.effect);
        let mut mentioned = mentioned(terms, step.effect.guard, &step.effect.updates);
        let mut label = Label { step, values, condition, asked: condition, local: Vec::new(), reads: Vec::new() };
        if self.integers.is_some() {
            mentioned = self.read_as_integers(terms, &mut label, &mentioned);
        }
        (label.reads, label.local) = mentioned.into_iter().partition(|s| self.is_variable(*s));
        label.step.effect.open.retain(|open| label.local.binary_search(&open.symbol).is_ok());
        label
    }

    /// Translates a label. Only what occurs in it (`bits`) is worth saying. Returns the symbols that occur in it then, sorted.
    fn read_as_integers(&mut self, terms: &mut Terms, label: &mut Label, bits: &[Symbol]) -> Vec<Symbol> {
        let effect = &mut label.step.effect;
        effect.open.retain(|open| bits.binary_search(&open.symbol).is_ok());
        for &open in &effect.open {
            self.inherit_view(open);
        }
        let Some(encoding) = &mut self.integers else { return bits.to_vec() };
        effect.guard = encoding.formula(terms, effect.guard);
        label.condition = encoding.formula(terms, label.condition);
        for (symbol, value) in &mut effect.updates {
            let view = encoding.view(*symbol);
            *value = encoding.term(terms, *value, view);
            *symbol = encoding.symbol(terms, *symbol);
        }
        let mut facts: Vec<Term> = encoding.take_opaque().into_iter().map(|(_, fact)| fact).collect();
        let opens: Vec<Symbol> = effect.open.iter().map(|o| o.symbol).collect();
        for open in &mut effect.open {
            open.symbol = encoding.symbol(terms, open.symbol);
        }
        let mut all = mentioned(terms, effect.guard, &effect.updates);
        let variables = all.iter().filter_map(|s| self.variables.get(s)).map(|v| v.0);
        let ranges: Vec<Symbol> = variables.chain(opens).collect();
        facts.extend(ranges.into_iter().filter_map(|s| encoding.range(terms, s)));
        label.asked = with_facts(terms, label.condition, &effect.updates, &facts);
        effect.guard = with_facts(terms, effect.guard, &effect.updates, &facts);
        // A fact is about symbols that occur already, but for what stands for operations that are not translated.
        all.extend(terms.symbols(effect.guard));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether a variable of the program is read with sign.
    pub(super) fn has_sign(&self, variable: Symbol) -> bool {
        self.variables.get(&self.symbol_of(variable)).is_some_and(|v| v.1 == View::Signed)
    }

    /// A formula over the program's variables, in the encoding.
    pub(super) fn formula(&mut self, terms: &mut Terms, formula: Term) -> Term {
        match &mut self.integers {
            Some(encoding) => encoding.formula(terms, formula),
            None => formula,
        }
    }

    /// Whether bits are read as integers, among which there are no floats.
    pub(super) fn has_integers(&self) -> bool {
        self.integers.is_some()
    }

    /// What is open is read as the variable that takes it.
    fn inherit_view(&mut self, Open { point, edge, symbol }: Open) {
        let Some(encoding) = &mut self.integers else { return };
        let procedure = self.unfolding.point(point).procedure;
        let target = match &self.unfolding.program().procedure(procedure).edges[edge.index()].op {
            Op::Input(target, _) | Op::BlockSize(target, _) => *target,
            _ => return,
        };
        let view = encoding.view(target);
        encoding.set_view(symbol, view);
    }
}

/// When a run can take a block, whatever it reads on the way.
fn condition(terms: &mut Terms, effect: &Effect<Symbol, Open>) -> Term {
    let mut inputs: FxHashSet<Symbol> = effect.open.iter().map(|o| o.symbol).collect();
    let values: Vec<Term> = effect.updates.iter().map(|u| u.1).collect();
    for symbol in terms.symbols_of(&values) {
        inputs.remove(&symbol);
    }
    without_inputs(terms, effect.guard, &inputs)
}

/// A condition with those of the facts that are about symbols of it and of the updates.
fn with_facts(terms: &mut Terms, condition: Term, updates: &[(Symbol, Term)], facts: &[Term]) -> Term {
    let known = mentioned(terms, condition, updates);
    let mut all: Vec<Term> = facts.to_vec();
    all.retain(|&fact| terms.symbols(fact).iter().all(|s| known.binary_search(s).is_ok()));
    all.push(condition);
    terms.all(all)
}

/// The symbols of a condition and of values, sorted.
fn mentioned(terms: &Terms, condition: Term, updates: &[(Symbol, Term)]) -> Vec<Symbol> {
    let all: Vec<Term> = updates.iter().map(|u| u.1).chain([condition]).collect();
    terms.symbols_of(&all)
}
