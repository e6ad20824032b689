//! What is known of a program before it is executed: its variables by number, the order of its locations, what is live.

use clinch_ir::cfa::order::WeakOrder;
use clinch_ir::cfa::{CfaProgram, EdgeId, Liveness, Op, ProcedureId, partial_terms};
use clinch_terms::{LocId, Symbol, Term, Terms};
use rustc_hash::FxHashSet;

/// A program prepared for execution.
pub(crate) struct Layout<'p> {
    pub(crate) program: &'p CfaProgram,
    /// The number of each symbol that is a variable.
    slots: Vec<Option<u32>>,
    /// For each variable the term that says nothing about it: itself.
    pub(crate) anything: Vec<Term>,
    /// For each variable its procedure and its position among parameters and locals.
    owner: Vec<Option<(ProcedureId, u32)>>,
    pub(super) procedures: Vec<ProcedureLayout>,
    /// Whether memory is allocated: then a state is more than its variables.
    pub(super) allocates: bool,
}

/// One procedure.
pub(crate) struct ProcedureLayout {
    pub(crate) order: WeakOrder,
    pub(super) successors: Vec<Vec<EdgeId>>,
    liveness: Liveness,
    /// The numbers of its parameters and locals.
    pub(super) variables: Vec<usize>,
}

impl<'p> Layout<'p> {
    pub(super) fn new(program: &'p CfaProgram, terms: &mut Terms) -> Self {
        let mut layout = Layout {
            program,
            slots: vec![None; program.terms.symbol_count()],
            anything: Vec::new(),
            owner: Vec::new(),
            procedures: Vec::new(),
            allocates: program.procedures.iter().flat_map(|p| &p.edges).any(|e| matches!(e.op, Op::Alloc { .. })),
        };
        for global in &program.globals {
            layout.number(terms, global.symbol, None);
        }
        for region in &program.regions {
            layout.number(terms, region.symbol, None);
        }
        let partial = partial_terms(&program.terms);
        for (i, procedure) in program.procedures.iter().enumerate() {
            let symbols = procedure.params.iter().chain(&procedure.locals).enumerate();
            let id = ProcedureId::from_index(i);
            let variables = symbols.map(|(k, &s)| layout.number(terms, s, Some((id, k as u32)))).collect();
            layout.procedures.push(ProcedureLayout {
                order: WeakOrder::new(procedure),
                successors: procedure.successors(),
                liveness: Liveness::new(&program.terms, procedure, &partial, &FxHashSet::default()),
                variables,
            });
        }
        layout
    }

    fn number(&mut self, terms: &mut Terms, symbol: Symbol, owner: Option<(ProcedureId, u32)>) -> usize {
        if let Some(known) = self.slots[symbol.index()] {
            return known as usize;
        }
        let number = self.anything.len();
        self.slots[symbol.index()] = Some(number as u32);
        self.anything.push(terms.symbol(symbol));
        self.owner.push(owner);
        number
    }

    /// The number of a variable.
    pub(crate) fn slot(&self, symbol: Symbol) -> Option<usize> {
        self.slots.get(symbol.index()).copied().flatten().map(|n| n as usize)
    }

    /// What is known of a procedure.
    pub(crate) fn of(&self, procedure: ProcedureId) -> &ProcedureLayout {
        &self.procedures[procedure.index()]
    }

    /// Whether a variable, by its number, is one of the procedure and not read after the location.
    pub(crate) fn is_dead(&self, procedure: ProcedureId, location: LocId, variable: usize) -> bool {
        match self.owner[variable] {
            Some((own, position)) if own == procedure => {
                !self.of(procedure).liveness.is_live(location, position as usize)
            }
            _ => false,
        }
    }

    /// The values at the start.
    pub(super) fn initial_values(&self, terms: &mut Terms) -> Vec<Term> {
        let mut values = self.anything.clone();
        for (symbol, value) in self.program.initial_values(terms) {
            if let Some(slot) = self.slot(symbol) {
                values[slot] = value;
            }
        }
        values
    }
}
