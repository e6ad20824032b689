//! Abstract states: what is known of the variables that are tracked.

use clinch_ir::cfa::{Assign, CfaProgram, Edge, Op, ProcedureId, Target};
use clinch_terms::{LocId, Node, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashSet;

use super::range::{Known, Range, Restriction, consequences, range_of, truth_of};

/// What is known of a variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Cell {
    /// Its values.
    pub(super) range: Range,
    /// Variables of one class have the same value. 0 is no class.
    pub(super) class: u16,
}

/// What is known of the tracked globals, and behind them of the tracked variables of a procedure.
pub(super) type State = Vec<Cell>;

/// Where variables are in states.
#[derive(Debug)]
pub(super) struct Layout {
    /// By symbol.
    slots: Vec<Option<u32>>,
    /// The globals that are tracked.
    pub(super) globals: Vec<Symbol>,
    /// The tracked variables of each procedure, parameters first.
    pub(super) locals: Vec<Vec<Symbol>>,
    /// Which of them are read later, by procedure and location; all, where nothing is said.
    live: Vec<Vec<Vec<bool>>>,
    /// By procedure: whether it, or what it calls, reads or writes each global.
    pub(super) touched: Vec<Vec<bool>>,
    /// By procedure: whether it, or what it calls, writes each global; they all are, where nothing is said.
    pub(super) written: Vec<Vec<bool>>,
}

struct View<'a> {
    layout: &'a Layout,
    state: &'a State,
}

impl Known for View<'_> {
    fn range(&self, symbol: Symbol) -> Option<&Range> {
        self.layout.slot(symbol).map(|slot| &self.state[slot].range)
    }
}

/// Whether a variable may be tracked: a bit-vector of at most 64 bits.
pub(super) fn may_be_tracked(terms: &Terms, symbol: Symbol) -> bool {
    matches!(terms.symbol_sort(symbol), Sort::BitVec(1..=64))
}

impl Layout {
    /// For a search.
    pub(super) fn new(program: &CfaProgram, tracked: &FxHashSet<Symbol>) -> Layout {
        let mut layout = Layout::of_paths(program, tracked);
        layout.live = (0..program.procedures.len()).map(|p| layout.liveness(program, p)).collect();
        layout.find_touched(program);
        layout
    }

    /// For single runs.
    pub(super) fn of_paths(program: &CfaProgram, tracked: &FxHashSet<Symbol>) -> Layout {
        let mut slots = vec![None; program.terms.symbol_count()];
        let kept = |symbols: &mut dyn Iterator<Item = Symbol>| -> Vec<Symbol> {
            symbols.filter(|symbol| tracked.contains(symbol)).collect()
        };
        let globals = kept(&mut program.globals.iter().map(|g| g.symbol));
        for (i, global) in globals.iter().enumerate() {
            slots[global.index()] = Some(i as u32);
        }
        let mut locals = Vec::new();
        for procedure in &program.procedures {
            let own = kept(&mut procedure.params.iter().chain(&procedure.locals).copied());
            for (i, local) in own.iter().enumerate() {
                slots[local.index()] = Some((globals.len() + i) as u32);
            }
            locals.push(own);
        }
        let (live, touched, written) = (Vec::new(), Vec::new(), Vec::new());
        Layout { slots, globals, locals, live, touched, written }
    }

    pub(super) fn slot(&self, symbol: Symbol) -> Option<usize> {
        self.slots.get(symbol.index()).copied().flatten().map(|slot| slot as usize)
    }

    /// The position of a variable of a procedure among those.
    fn local(&self, symbol: Symbol) -> Option<usize> {
        self.slot(symbol)?.checked_sub(self.globals.len())
    }

    /// The variables of a procedure's states, in their order.
    pub(super) fn variables(&self, procedure: ProcedureId) -> Vec<Symbol> {
        self.globals.iter().chain(&self.locals[procedure.index()]).copied().collect()
    }

    /// What is known at the start of a run.
    pub(super) fn initial(&self, program: &CfaProgram) -> State {
        let mut state = self.unknown(program, program.entry);
        for global in &program.globals {
            if let Some(slot) = self.slot(global.symbol)
                && let Node::BitVec(..) = program.terms.node(global.init)
            {
                state[slot].range = range_of(&program.terms, &View { layout: self, state: &state }, global.init);
            }
        }
        state
    }

    /// Nothing is known of the variables of a procedure.
    pub(super) fn unknown(&self, program: &CfaProgram, procedure: ProcedureId) -> State {
        let variables = self.globals.iter().chain(&self.locals[procedure.index()]);
        variables.map(|&symbol| any(&program.terms, symbol)).collect()
    }

    /// The tracked variables whose values an operation needs, if it assigns only to variables that matter.
    fn needs(&self, program: &CfaProgram, op: &Op, matters: &dyn Fn(Symbol) -> bool) -> Vec<usize> {
        let mut terms: Vec<Term> = Vec::new();
        match op {
            Op::Assign(assigns) => {
                for assign in assigns {
                    if let Target::Var(symbol) = assign.target
                        && self.slot(symbol).is_some()
                        && matters(symbol)
                    {
                        terms.push(assign.value);
                    }
                }
            }
            Op::Call { callee, args, .. } => {
                let params = &program.procedure(*callee).params;
                let passed = params.iter().zip(args).filter(|(param, _)| self.slot(**param).is_some());
                terms.extend(passed.map(|(_, arg)| *arg));
            }
            Op::Assume(condition) => terms.push(*condition),
            Op::Return(Some(value)) => terms.push(*value),
            _ => {}
        }
        let symbols = program.terms.symbols_of(&terms);
        symbols.into_iter().filter_map(|symbol| self.slot(symbol)).collect()
    }

    /// Which variables of a procedure are read later, by location.
    fn liveness(&self, program: &CfaProgram, index: usize) -> Vec<Vec<bool>> {
        let procedure = &program.procedures[index];
        let count = self.locals[index].len();
        let mut live = vec![vec![false; count]; procedure.locations.len()];
        if count == 0 {
            return live;
        }
        let own = |slots: Vec<usize>| slots.into_iter().filter_map(|slot| slot.checked_sub(self.globals.len()));
        if let Some(result) = procedure.result.and_then(|result| self.local(result)) {
            live[procedure.exit.index()][result] = true;
        }
        let mut entering: Vec<Vec<usize>> = vec![Vec::new(); procedure.locations.len()];
        for (i, edge) in procedure.edges.iter().enumerate() {
            entering[edge.to.index()].push(i);
        }
        let mut todo: Vec<usize> = (0..procedure.locations.len()).collect();
        while let Some(at) = todo.pop() {
            for &i in &entering[at] {
                let edge = &procedure.edges[i];
                let mut before = live[at].clone();
                let after = before.clone();
                for symbol in procedure.writes(&edge.op) {
                    if let Some(position) = self.local(symbol) {
                        before[position] = false;
                    }
                }
                // A global counts as read at the end.
                let matters = |symbol: Symbol| self.local(symbol).is_none_or(|position| after[position]);
                own(self.needs(program, &edge.op, &matters)).for_each(|position| before[position] = true);
                let from = &mut live[edge.from.index()];
                let news = before.iter().zip(from.iter()).any(|(new, old)| *new && !old);
                if news {
                    from.iter_mut().zip(before).for_each(|(old, new)| *old |= new);
                    todo.push(edge.from.index());
                }
            }
        }
        live
    }

    fn find_touched(&mut self, program: &CfaProgram) {
        let count = self.globals.len();
        let (mut touched, mut written, mut callees) = (Vec::new(), Vec::new(), Vec::new());
        for procedure in &program.procedures {
            let (mut reads, mut writes, mut called) = (vec![false; count], vec![false; count], Vec::new());
            for edge in &procedure.edges {
                let needed = self.needs(program, &edge.op, &|_| true);
                needed.into_iter().filter(|&slot| slot < count).for_each(|slot| reads[slot] = true);
                for slot in procedure.writes(&edge.op).into_iter().filter_map(|symbol| self.slot(symbol)) {
                    if slot < count {
                        writes[slot] = true;
                    }
                }
                if let Op::Call { callee, .. } = edge.op {
                    called.push(callee.index());
                }
            }
            touched.push(reads.iter().zip(&writes).map(|(r, w)| *r || *w).collect::<Vec<bool>>());
            written.push(writes);
            callees.push(called);
        }
        for sets in [&mut touched, &mut written] {
            let mut changed = true;
            while std::mem::take(&mut changed) {
                for (p, called) in callees.iter().enumerate() {
                    for &callee in called {
                        let joined: Vec<bool> = sets[p].iter().zip(&sets[callee]).map(|(a, b)| *a || *b).collect();
                        changed |= joined != sets[p];
                        sets[p] = joined;
                    }
                }
            }
        }
        (self.touched, self.written) = (touched, written);
    }

    /// The state behind an edge that is no call; none if it cannot be taken.
    pub(super) fn after(
        &self,
        program: &CfaProgram,
        procedure: ProcedureId,
        state: &State,
        edge: &Edge,
    ) -> Option<State> {
        let mut state = state.clone();
        match &edge.op {
            Op::Assume(condition) => self.assume(&program.terms, &mut state, *condition)?,
            Op::Assign(assigns) => self.assign(&program.terms, &mut state, assigns),
            Op::Return(Some(value)) => {
                let target = program.procedure(procedure).result.map(Target::Var);
                let assigns: Vec<Assign> = target.map(|target| Assign { target, value: *value }).into_iter().collect();
                self.assign(&program.terms, &mut state, &assigns);
            }
            op => {
                for symbol in program.procedure(procedure).writes(op) {
                    self.forget(&program.terms, &mut state, symbol);
                }
            }
        }
        self.tidy(program, procedure, edge.to, &mut state);
        Some(state)
    }

    fn forget(&self, terms: &Terms, state: &mut State, symbol: Symbol) {
        if let Some(slot) = self.slot(symbol) {
            state[slot] = any(terms, symbol);
        }
    }

    /// Restricts a state to where a condition holds.
    fn assume(&self, terms: &Terms, state: &mut State, condition: Term) -> Option<()> {
        match truth_of(terms, &View { layout: self, state }, condition) {
            Some(true) => return Some(()),
            Some(false) => return None,
            None => {}
        }
        let mut restrictions = Vec::new();
        let mut note = |symbol: Symbol, restriction| restrictions.push((symbol, restriction));
        consequences(terms, &View { layout: self, state }, (condition, true), &mut note);
        for (symbol, restriction) in restrictions {
            let Some(slot) = self.slot(symbol) else { continue };
            let known = state[slot].range.clone();
            let new = match restriction {
                Restriction::To(range) => known.meet(&range),
                Restriction::Not(value) => known.without(value),
            }?;
            let class = state[slot].class;
            state[slot].range = new.clone();
            for cell in state.iter_mut().filter(|cell| class != 0 && cell.class == class) {
                cell.range = cell.range.meet(&new)?;
            }
        }
        Some(())
    }

    fn assign(&self, terms: &Terms, state: &mut State, assigns: &[Assign]) {
        let mut new = Vec::new();
        for assign in assigns {
            let Target::Var(symbol) = assign.target else { continue };
            if let Some(slot) = self.slot(symbol) {
                new.push((slot, self.value(terms, state, assign.value)));
            }
        }
        for (slot, cell) in new {
            state[slot] = cell;
        }
    }

    /// What is known of the value of a term; that of a variable stays equal to it.
    fn value(&self, terms: &Terms, state: &mut State, term: Term) -> Cell {
        if let clinch_terms::Node::Symbol(symbol) = terms.node(term)
            && let Some(slot) = self.slot(symbol)
        {
            if state[slot].class == 0 {
                state[slot].class = state.iter().map(|cell| cell.class).max().unwrap_or(0) + 1;
            }
            return state[slot].clone();
        }
        Cell { range: range_of(terms, &View { layout: self, state }, term), class: 0 }
    }

    /// The state in which a procedure is entered. Where `masked`, nothing is known there of globals that it does not touch.
    pub(super) fn entered(
        &self,
        program: &CfaProgram,
        state: &State,
        (callee, args): (ProcedureId, &[Term]),
        masked: bool,
    ) -> State {
        let mut before = state.clone();
        let mut inside = self.unknown(program, callee);
        let params = &program.procedure(callee).params;
        for (&param, &arg) in params.iter().zip(args) {
            if let Some(slot) = self.slot(param) {
                inside[slot] = self.value(&program.terms, &mut before, arg);
            }
        }
        for global in (0..self.globals.len()).filter(|&g| !masked || self.touched[callee.index()][g]) {
            inside[global] = before[global].clone();
        }
        self.tidy(program, callee, program.procedure(callee).entry, &mut inside);
        inside
    }

    /// The state behind a call: that before it, with what the callee wrote.
    pub(super) fn returned(
        &self,
        program: &CfaProgram,
        (procedure, before, edge): (ProcedureId, &State, &Edge),
        (callee, at_exit): (ProcedureId, &State),
    ) -> State {
        let mut state = before.clone();
        let shift = state.iter().map(|cell| cell.class).max().unwrap_or(0);
        let shifted = |cell: &Cell| Cell {
            range: cell.range.clone(),
            class: if cell.class == 0 { 0 } else { cell.class + shift },
        };
        for global in 0..self.globals.len() {
            if self.written.get(callee.index()).is_none_or(|written| written[global]) {
                state[global] = shifted(&at_exit[global]);
            }
        }
        if let Op::Call { result: Some(target), .. } = edge.op {
            match (self.slot(target), program.procedure(callee).result.and_then(|result| self.slot(result))) {
                (Some(to), Some(from)) => state[to] = shifted(&at_exit[from]),
                _ => self.forget(&program.terms, &mut state, target),
            }
        }
        self.tidy(program, procedure, edge.to, &mut state);
        state
    }

    /// Forgets what nobody reads, and numbers classes in the order in which they appear.
    fn tidy(&self, program: &CfaProgram, procedure: ProcedureId, at: LocId, state: &mut State) {
        for (position, &symbol) in self.locals[procedure.index()].iter().enumerate() {
            if self.live.get(procedure.index()).is_some_and(|live| !live[at.index()][position]) {
                state[self.globals.len() + position] = any(&program.terms, symbol);
            }
        }
        let most = state.iter().map(|cell| cell.class).max().unwrap_or(0);
        if most == 0 {
            return;
        }
        let mut members = vec![0_u32; usize::from(most) + 1];
        state.iter().for_each(|cell| members[usize::from(cell.class)] += 1);
        let mut number = vec![0_u16; usize::from(most) + 1];
        let mut next = 1;
        for cell in state.iter_mut() {
            let class = usize::from(cell.class);
            if class == 0 || members[class] < 2 || cell.range.value().is_some() {
                cell.class = 0;
                continue;
            }
            if number[class] == 0 {
                number[class] = next;
                next += 1;
            }
            cell.class = number[class];
        }
    }
}

fn any(terms: &Terms, symbol: Symbol) -> Cell {
    let width = match terms.symbol_sort(symbol) {
        Sort::BitVec(width) => *width,
        _ => 64,
    };
    Cell { range: Range::any(width), class: 0 }
}

/// Whether a state stands for all that another one does.
pub(super) fn includes(state: &State, other: &State) -> bool {
    let ranges = state.iter().zip(other).all(|(a, b)| a.range.includes(&b.range));
    ranges
        && state.iter().enumerate().all(|(i, a)| {
            let mate = || state[..i].iter().position(|cell| cell.class == a.class);
            a.class == 0 || mate().is_none_or(|j| are_equal(&other[i], &other[j]))
        })
}

fn are_equal(a: &Cell, b: &Cell) -> bool {
    (a.class != 0 && a.class == b.class) || (a.range.value().is_some() && a.range.value() == b.range.value())
}
