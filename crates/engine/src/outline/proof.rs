//! What a search has seen, as procedure summaries.

use clinch_ir::cfa::effects::Effects;
use clinch_ir::cfa::{CfaProgram, ProcedureId, Summaries, SummaryPoint};
use clinch_terms::{LocId, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

use super::search::Search;
use super::state::{Layout, State};

struct Writer<'s, 'p> {
    search: &'s Search<'p>,
    terms: Terms,
    /// The symbols for values at the entry.
    entries: FxHashMap<Symbol, Symbol>,
}

/// The proof that nothing bad is reached. At each location: some call that was seen has the values at the entry, and whichever has
/// them, one of its states has the values here; globals that the procedure does not write are as they were.
pub(super) fn summaries(search: &Search<'_>) -> Summaries {
    let program = search.program;
    let mut terms = program.terms.clone();
    // The counter of addresses comes first.
    let _ = Effects::new(program, &mut terms);
    let mut entries = Vec::new();
    let layout = &search.layout;
    for (index, procedure) in program.procedures.iter().enumerate() {
        let params = layout.locals[index].iter().filter(|symbol| procedure.params.contains(symbol));
        let globals: &[Symbol] = if index == 0 { &layout.globals } else { &[] };
        for &variable in globals.iter().chain(params) {
            let sort = terms.symbol_sort(variable).clone();
            let name = format!("{}@", terms.symbol_name(variable));
            entries.push((variable, terms.declare(name, sort)));
        }
    }
    let mut writer = Writer { search, terms, entries: entries.iter().copied().collect() };
    let mut points = Vec::new();
    for (index, procedure) in program.procedures.iter().enumerate() {
        let id = ProcedureId::from_index(index);
        let contexts: Vec<usize> = (0..search.contexts.len()).filter(|&c| search.contexts[c].procedure == id).collect();
        let entered = writer.entered(program, id, &contexts);
        for location in (0..procedure.locations.len()).map(LocId::from_index) {
            if contexts.iter().any(|&c| !search.contexts[c].nodes[location.index()].is_empty()) {
                let formula = writer.at(id, location, &entered);
                points.push(SummaryPoint { procedure: id, location, formula });
            }
        }
    }
    Summaries { terms: writer.terms, entries, points, order: Vec::new(), int_bits: None, heap_bits: None }
}

/// What is said at all locations of a procedure.
struct Entered {
    /// The contexts, with what holds at their entry.
    contexts: Vec<(usize, Term)>,
    /// One of them holds, and what is not written is as it was.
    always: Term,
}

impl Writer<'_, '_> {
    fn entered(&mut self, program: &CfaProgram, procedure: ProcedureId, contexts: &[usize]) -> Entered {
        let search = self.search;
        let mut known = Vec::new();
        for &context in contexts {
            let formula = self.formula(procedure, &search.contexts[context].entry, true);
            known.push((context, formula));
        }
        let mut always = self.terms.any(known.iter().map(|(_, formula)| *formula));
        for (global, written) in search.layout.globals.iter().zip(&search.layout.written[procedure.index()]) {
            if !written && procedure != program.entry {
                let (now, before) = (self.terms.symbol(*global), self.terms.symbol(self.entries[global]));
                let kept = self.terms.eq(now, before);
                always = self.terms.and(always, kept);
            }
        }
        Entered { contexts: known, always }
    }

    fn at(&mut self, procedure: ProcedureId, location: LocId, entered: &Entered) -> Term {
        let search = self.search;
        let mut formula = entered.always;
        for &(context, entry) in &entered.contexts {
            let nodes = &search.contexts[context].nodes[location.index()];
            let states: Vec<Term> =
                nodes.iter().map(|&node| self.formula(procedure, &search.nodes[node].state, false)).collect();
            let here = self.terms.any(states);
            let not_entered = self.terms.not(entry);
            let follows = self.terms.or(not_entered, here);
            formula = self.terms.and(formula, follows);
        }
        formula
    }

    /// What a state says, of the values now or of those at the entry.
    fn formula(&mut self, procedure: ProcedureId, state: &State, at_entry: bool) -> Term {
        let layout: &Layout = &self.search.layout;
        let variables: Vec<Symbol> = layout.globals.iter().chain(&layout.locals[procedure.index()]).copied().collect();
        let mut parts = Vec::new();
        let mut classes: FxHashMap<u16, Term> = FxHashMap::default();
        for (cell, variable) in state.iter().zip(variables) {
            let symbol = match self.entries.get(&variable) {
                Some(&entry) if at_entry => entry,
                // Other variables have no value at the entry, and nothing is known of them.
                None if at_entry => continue,
                _ => variable,
            };
            let Sort::BitVec(width) = *self.terms.symbol_sort(symbol) else { continue };
            let term = self.terms.symbol(symbol);
            self.in_range(term, width, &cell.range, &mut parts);
            if cell.class != 0 {
                match classes.get(&cell.class) {
                    Some(&first) => parts.push(self.terms.eq(first, term)),
                    None => drop(classes.insert(cell.class, term)),
                }
            }
        }
        self.terms.all(parts)
    }

    fn in_range(&mut self, term: Term, width: u32, range: &super::range::Range, parts: &mut Vec<Term>) {
        let any = super::range::Range::any(width);
        let constant = |terms: &mut Terms, value: i64| terms.bit_vec(width, value as u64);
        if let Some(value) = range.value() {
            let value = constant(&mut self.terms, value);
            parts.push(self.terms.eq(term, value));
            return;
        }
        if range.lo > any.lo {
            let lo = constant(&mut self.terms, range.lo);
            parts.push(self.terms.bv_sle(lo, term));
        }
        if range.hi < any.hi {
            let hi = constant(&mut self.terms, range.hi);
            parts.push(self.terms.bv_sle(term, hi));
        }
        for &hole in &range.holes {
            let hole = constant(&mut self.terms, hole);
            let equal = self.terms.eq(term, hole);
            parts.push(self.terms.not(equal));
        }
    }
}
