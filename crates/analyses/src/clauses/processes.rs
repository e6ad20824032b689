//! Programs as Horn clauses, and evidence about the clauses as evidence about the program.
//!
//! Control is not abstracted: there is one predicate for each vector of locations that the control-flow graphs allow, over
//! the cells of the state. Arrays of constant size are spread out into their cells.

use num_traits::ToPrimitive;
use rustc_hash::FxHashMap;

use clinch_ir::Effect;
use clinch_ir::definedness::{defined, total, violated};
use clinch_ir::eval::State;
use clinch_ir::horn::{Application, Clause, ClauseId, Derivation, HornSystem, HornVerdict, Interpretation, PredId};
use clinch_ir::interp::Interpreter;
use clinch_ir::program::{Domain, Program, Span, TransId};
use clinch_ir::symbolic::{
    SymbolicTransition, at_locations, cell_term, cell_terms, initial_condition, input_condition,
};
use clinch_ir::{AbstractProof, AbstractState, Proof, Reason, Step, Trace, TraceEnd, Verdict};
use clinch_terms::{BinOp, EvalError, LocId, Node, Sort, Symbol, Term, Terms, Value, VarId};

/// Where a clause comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    /// The initial states.
    Initial,
    /// A transition.
    Step(TransId),
    /// The error condition.
    Error,
    /// A transition that faults.
    Fault(TransId),
    /// No transition is enabled.
    Deadlock,
}

/// A program as clauses, and the way back.
#[derive(Clone, Debug)]
pub struct ProgramClauses {
    /// The clauses. Their store extends the program's.
    pub system: HornSystem,
    origins: Vec<Origin>,
    /// The locations of each predicate.
    control: Vec<Vec<LocId>>,
    /// For each clause, where the values of the cells and of the inputs stand among its symbols.
    layout: Vec<ClauseSymbols>,
}

/// The symbols of one clause.
#[derive(Clone, Debug, Default)]
struct ClauseSymbols {
    cells: Vec<Symbol>,
    inputs: Vec<Symbol>,
}

impl ProgramClauses {
    /// Reads a program as clauses. `limit` is how many vectors of locations there may be.
    pub fn new(program: &Program, limit: usize) -> Result<Self, Reason> {
        Translation::new(program).run(limit)
    }

    /// The predicates the program suggests, at every location: its name, and the formula over its parameters.
    pub fn suggested_predicates(&mut self, program: &Program) -> Vec<(String, Term)> {
        let mut found = Vec::new();
        let terms = &mut self.system.terms;
        let vars: Vec<(usize, usize)> =
            program.vars.iter().map(|v| (v.first_cell as usize, v.cells() as usize)).collect();
        for &predicate in &program.predicates {
            let predicate = total(program, terms, predicate);
            for (location, locs) in self.system.predicates.iter().zip(&self.control) {
                let cells = location.params.iter().map(|&p| terms.symbol(p)).collect();
                let here = at_locations(terms, locs, predicate);
                let renaming = Renaming { cells, inputs: Vec::new(), vars: vars.clone() };
                found.push((location.name.clone(), renaming.apply(terms, here)));
            }
        }
        found
    }

    /// What an engine says of the clauses, about the program.
    pub fn verdict(&self, program: &Program, verdict: HornVerdict) -> Verdict {
        match verdict {
            HornVerdict::Safe(solution) => Verdict::Safe(self.proof(program, &solution)),
            HornVerdict::Unsafe(derivation) => {
                self.trace(program, &derivation).map_or_else(Verdict::Unknown, Verdict::Unsafe)
            }
            HornVerdict::Unknown(reason) => Verdict::Unknown(reason),
        }
    }

    /// A solution of the clauses as an invariant of the program: one formula for each vector of locations.
    pub fn proof(&self, program: &Program, solution: &Interpretation) -> Proof {
        let mut terms = solution.terms.clone();
        let cells = cell_terms(program, &mut terms);
        let mut predicates = Vec::new();
        let mut states = Vec::new();
        for (i, locs) in self.control.iter().enumerate() {
            let params = &self.system.predicates[i].params;
            let map = params.iter().copied().zip(cells.iter().copied()).collect();
            let formula = terms.substitute_symbols(solution.formulas[i], &map);
            if terms.node(formula) == Node::Bool(false) {
                continue;
            }
            let literals = match terms.node(formula) {
                Node::Bool(true) => Vec::new(),
                _ => vec![(predicates.len() as u32, true)],
            };
            if !literals.is_empty() {
                predicates.push(formula);
            }
            states.push(AbstractState { locs: locs.clone(), literals });
        }
        let successors = vec![Vec::new(); states.len()];
        Proof::AbstractStates(AbstractProof { terms, predicates, states, successors })
    }

    /// A refutation of the clauses as a run of the program.
    pub fn trace(&self, program: &Program, derivation: &Derivation) -> Result<Trace, Reason> {
        let interpreter = Interpreter::new(program);
        let overflow = |_: EvalError| Reason::Overflow("the counterexample".to_owned());
        let mut initial = None;
        let mut steps: Vec<Step> = Vec::new();
        for step in &derivation.steps {
            let (cells, inputs) = self.numbers(step.clause, &step.values)?;
            let state = steps.last().map(|s| &s.state).or(initial.as_ref());
            match (self.origins[step.clause.index()], state) {
                (Origin::Initial, _) => {
                    let locs = program.processes.iter().map(|p| p.initial).collect();
                    initial = Some(State { locs, cells });
                }
                (Origin::Step(transition), Some(state)) => {
                    match interpreter.fire(state, transition, &inputs).map_err(overflow)? {
                        Some(state) => steps.push(Step { transition, inputs, state }),
                        None => break,
                    }
                }
                (end, Some(state)) => {
                    let end = match end {
                        Origin::Deadlock => TraceEnd::Deadlock,
                        Origin::Fault(transition) => match interpreter.fire(state, transition, &inputs) {
                            Err(EvalError::Fault(fault)) => TraceEnd::Fault(transition, inputs, fault),
                            _ => break,
                        },
                        _ => TraceEnd::Error,
                    };
                    let initial = initial.expect("a state is known");
                    return Ok(Trace { initial, steps, end });
                }
                (_, None) => break,
            }
        }
        Err(Reason::Uncertified("the counterexample of the clauses is none of the program".to_owned()))
    }

    /// The numbers a clause instance gives to cells and inputs.
    fn numbers(&self, clause: ClauseId, values: &[Value]) -> Result<(Vec<i64>, Vec<i64>), Reason> {
        let vars = &self.system.clause(clause).vars;
        let number = |symbol: &Symbol| match vars.binary_search(symbol).ok().map(|i| &values[i]) {
            // A symbol that does not occur in the clause.
            None => Ok(0),
            Some(Value::Bool(b)) => Ok(i64::from(*b)),
            Some(Value::Int(n)) => n.to_i64().ok_or_else(|| Reason::Overflow("the counterexample".to_owned())),
            Some(other) => unreachable!("{other} is not a value of a cell"),
        };
        let ClauseSymbols { cells, inputs } = &self.layout[clause.index()];
        let cells = cells.iter().map(number).collect::<Result<_, _>>()?;
        Ok((cells, inputs.iter().map(number).collect::<Result<_, _>>()?))
    }
}

struct Translation<'p> {
    program: &'p Program,
    symbolic: Vec<SymbolicTransition>,
    error: Option<Term>,
    known: FxHashMap<Vec<LocId>, PredId>,
    out: ProgramClauses,
}

impl<'p> Translation<'p> {
    fn new(program: &'p Program) -> Self {
        let mut system = HornSystem::new(program.source.clone());
        system.terms = program.terms.clone();
        let terms = &mut system.terms;
        let symbolic = program.transition_ids().map(|id| SymbolicTransition::new(program, terms, id)).collect();
        let error = program.property.error.map(|error| violated(program, terms, error));
        let out = ProgramClauses { system, origins: Vec::new(), control: Vec::new(), layout: Vec::new() };
        Translation { program, symbolic, error, known: FxHashMap::default(), out }
    }

    fn run(mut self, limit: usize) -> Result<ProgramClauses, Reason> {
        let start: Vec<LocId> = self.program.processes.iter().map(|p| p.initial).collect();
        let initial = initial_condition(self.program, &mut self.out.system.terms);
        let head = (self.predicate(&start), Vec::new());
        self.add(Origin::Initial, None, initial, Some(head), Span::default());
        let mut next = 0;
        while next < self.out.control.len() {
            if next >= limit {
                return Err(Reason::Unsupported(format!("more than {limit} combinations of locations")));
            }
            self.expand(PredId::from_index(next));
            next += 1;
        }
        Ok(self.out)
    }

    /// The predicate of a vector of locations.
    fn predicate(&mut self, locs: &[LocId]) -> PredId {
        if let Some(&known) = self.known.get(locs) {
            return known;
        }
        let names = locs.iter().zip(&self.program.processes).map(|(loc, p)| p.locations[loc.index()].as_str());
        let name = if locs.is_empty() { "inv".to_owned() } else { names.collect::<Vec<_>>().join(".") };
        let sorts: Vec<Sort> = self.program.cell_domains().map(sort_of).collect();
        let id = self.out.system.add_predicate(name, &sorts);
        self.out.control.push(locs.to_vec());
        self.known.insert(locs.to_vec(), id);
        id
    }

    /// The clauses whose body is the predicate.
    fn expand(&mut self, from: PredId) {
        let locs = self.out.control[from.index()].clone();
        if let Some(error) = self.error {
            self.add_at(Origin::Error, from, error, None, Span::default());
        }
        let mut stuck = self.out.system.terms.tt();
        for id in self.program.transition_ids() {
            let transition = self.program.transition(id);
            if transition.moves.iter().any(|m| locs[m.process.index()] != m.from) {
                continue;
            }
            let SymbolicTransition { effect, fault, .. } = self.symbolic[id.index()].clone();
            let Effect { guard, updates, open: inputs } = effect;
            let terms = &mut self.out.system.terms;
            let inputs_fit = input_condition(terms, &inputs);
            let (no_fault, disabled) = (terms.not(fault), terms.not(guard));
            let (enabled, faulty) = (terms.all([guard, no_fault, inputs_fit]), terms.and(fault, inputs_fit));
            // A guard without a value is a fault, not a transition that is disabled.
            let has_value = defined(self.program, terms, transition.guard);
            stuck = terms.all([stuck, has_value, disabled]);
            let mut to = locs.clone();
            for m in &transition.moves {
                to[m.process.index()] = m.to;
            }
            let target = self.predicate(&to);
            self.add_at(Origin::Step(id), from, enabled, Some((target, updates)), transition.span);
            self.add_at(Origin::Fault(id), from, faulty, None, transition.span);
        }
        if self.program.property.deadlock {
            self.add_at(Origin::Deadlock, from, stuck, None, Span::default());
        }
    }

    /// Adds a clause from a predicate; its constraint may speak about locations.
    fn add_at(
        &mut self,
        origin: Origin,
        from: PredId,
        constraint: Term,
        head: Option<(PredId, Vec<(VarId, Term)>)>,
        span: Span,
    ) {
        let locs = &self.out.control[from.index()];
        let constraint = at_locations(&mut self.out.system.terms, locs, constraint);
        if self.out.system.terms.node(constraint) != Node::Bool(false) {
            self.add(origin, Some(from), constraint, head, span);
        }
    }

    fn add(
        &mut self,
        origin: Origin,
        from: Option<PredId>,
        constraint: Term,
        head: Option<(PredId, Vec<(VarId, Term)>)>,
        span: Span,
    ) {
        let at = from.map(|p| self.out.control[p.index()].clone());
        let terms = &mut self.out.system.terms;
        let inputs = match origin {
            Origin::Step(id) | Origin::Fault(id) => self.symbolic[id.index()].effect.open.len(),
            Origin::Initial | Origin::Error | Origin::Deadlock => 0,
        };
        let renaming = Renaming::new(self.program, terms, inputs);
        let domains = renaming.in_domains(self.program, terms);
        let constraint = renaming.apply(terms, constraint);
        let constraint = terms.and(domains, constraint);
        let constraint = folded(terms, constraint, &mut FxHashMap::default());
        if terms.node(constraint) == Node::Bool(false) {
            return;
        }
        let args = renaming.cells.clone();
        let head = head.map(|(predicate, updates)| {
            let values = values_after(self.program, terms, &updates).into_iter().map(|value| {
                let value = at.as_ref().map_or(value, |locs| at_locations(terms, locs, value));
                renaming.apply(terms, value)
            });
            Application { predicate, args: values.collect() }
        });
        let body = from.map(|predicate| Application { predicate, args }).into_iter().collect::<Vec<_>>();
        let vars = HornSystem::collect_vars(terms, &body, constraint, head.as_ref());
        self.out.system.clauses.push(Clause { vars, body, constraint, head, span });
        self.out.origins.push(origin);
        self.out.layout.push(renaming.symbols(terms));
    }
}

/// The value of each cell after a step with these updates, over the state before it.
fn values_after(program: &Program, terms: &mut Terms, updates: &[(VarId, Term)]) -> Vec<Term> {
    let mut values = Vec::new();
    for (i, var) in program.vars.iter().enumerate() {
        let id = VarId::from_index(i);
        for offset in 0..var.cells() {
            let written = updates.iter().find(|u| u.0 == id).map(|u| u.1);
            values.push(match (written, var.len) {
                (None, _) => cell_term(program, terms, id, offset.into()),
                (Some(value), None) => value,
                (Some(array), Some(_)) => {
                    let index = terms.int(offset.into());
                    terms.select(array, index)
                }
            });
        }
    }
    values
}

/// The formula without the parts that are constant: where everything is total, `a and false` is false.
fn folded(terms: &mut Terms, formula: Term, memo: &mut FxHashMap<Term, Term>) -> Term {
    if let Some(&known) = memo.get(&formula) {
        return known;
    }
    let rebuilt = terms.map_children(formula, |terms, child| folded(terms, child, memo));
    let result = match terms.node(rebuilt) {
        Node::Binary(BinOp::And, _, b) if terms.node(b) == Node::Bool(false) => b,
        Node::Binary(BinOp::Or, _, b) if terms.node(b) == Node::Bool(true) => b,
        _ => rebuilt,
    };
    memo.insert(formula, result);
    result
}

fn sort_of(domain: &Domain) -> Sort {
    if *domain == Domain::Bool { Sort::Bool } else { Sort::Int }
}

/// Cells and inputs as symbols of one clause.
struct Renaming {
    /// The symbol of each cell, as a term.
    cells: Vec<Term>,
    /// The symbol of each input, as a term.
    inputs: Vec<Term>,
    /// The first cell and the number of cells of each variable.
    vars: Vec<(usize, usize)>,
}

impl Renaming {
    fn new(program: &Program, terms: &mut Terms, inputs: usize) -> Self {
        let domains = program.cell_domains().zip(program.cell_names());
        let cells = domains.map(|(domain, name)| terms.fresh(name, sort_of(domain))).collect();
        let inputs = (0..inputs).map(|i| terms.fresh(format!("input{i}"), Sort::Int)).collect();
        let vars = program.vars.iter().map(|v| (v.first_cell as usize, v.cells() as usize)).collect();
        Renaming { cells, inputs, vars }
    }

    fn in_domains(&self, program: &Program, terms: &mut Terms) -> Term {
        let mut conjuncts = Vec::new();
        for (&cell, domain) in self.cells.iter().zip(program.cell_domains()) {
            if let (Sort::Int, Some((lo, hi))) = (sort_of(domain), domain.bounds()) {
                let (lo, hi) = (terms.int(lo), terms.int(hi));
                conjuncts.extend([terms.le(lo, cell), terms.le(cell, hi)]);
            }
        }
        terms.all(conjuncts)
    }

    fn apply(&self, terms: &mut Terms, term: Term) -> Term {
        terms.replace(term, &mut |terms, t| match terms.node(t) {
            Node::Input(i) => Some(self.inputs[i as usize]),
            Node::Var(v) => Some(self.cells[self.vars[v.index()].0]),
            Node::Binary(BinOp::Select, array, index) => {
                let Node::Var(v) = terms.node(array) else { return None };
                let index = self.apply(terms, index);
                Some(self.element(terms, v, index))
            }
            _ => None,
        })
    }

    /// An element of an array; the last one outside its bounds, where the program faults anyway.
    fn element(&self, terms: &mut Terms, array: VarId, index: Term) -> Term {
        let (first, len) = self.vars[array.index()];
        let mut value = self.cells[first + len - 1];
        for offset in (0..len - 1).rev() {
            let position = terms.int(offset as i64);
            let here = terms.eq(index, position);
            value = terms.ite(here, self.cells[first + offset], value);
        }
        value
    }

    fn symbols(&self, terms: &Terms) -> ClauseSymbols {
        let symbol = |t: &Term| match terms.node(*t) {
            Node::Symbol(s) => s,
            node => unreachable!("{node:?} is not a symbol"),
        };
        ClauseSymbols {
            cells: self.cells.iter().map(symbol).collect(),
            inputs: self.inputs.iter().map(symbol).collect(),
        }
    }
}
