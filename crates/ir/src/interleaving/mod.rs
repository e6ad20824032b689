//! Processes as one procedure: a loop that chooses a transition and takes it.
//!
//! So engines for procedures take processes too. Program counters are variables like the others. Every iteration asks for the number of a
//! transition; a number that is none, or that of one which is not enabled, ends the run. Where all variables have bounds, integers
//! become bit-vectors without overflow; otherwise they are mathematical ones.
//!
//! ```text
//! any values for what starts with any
//! loop:   error condition? -> error      nothing enabled? -> error, where deadlocks are errors
//!         choose k
//!         k = 0 and guard 0: inputs of 0; a fault? -> error; assignments of 0; again
//!         k = 1 and guard 1: ...
//! ```

mod reading;

use clinch_terms::{EvalError, LocId, Node, ProcId, Symbol, Term, VarId};

use crate::answer::Reason;
use crate::cfa::{
    Assign, CfaProgram, CfaVerdict, Edge, Failure, Global, InputId, InputKind, InputOrigin, InputSite, InputTrace,
    Integers, LineMarker, Location, Op, Procedure, SourceMap, Target, VariableInfo,
};
use crate::definedness::{defined, violated};
use crate::effect::Effect;
use crate::eval::State;
use crate::interp::Interpreter;
use crate::program::{Domain, Init, Program, Span, TransId};
use crate::symbolic::{SymbolicTransition, cell_term};
use crate::verdict::{Proof, Step, Trace, TraceEnd, Verdict};
use reading::Reading;

/// Processes as one procedure, and the way back.
#[derive(Clone, Debug)]
pub struct Interleaving {
    /// The procedure.
    pub automaton: CfaProgram,
}

impl Interleaving {
    /// Reads processes as a procedure.
    pub fn new(program: &Program) -> Result<Self, Reason> {
        let bounded = program.vars.iter().all(|v| v.domain.bounds().is_some());
        let integers = if bounded { Integers::Machine } else { Integers::Mathematical };
        let mut from = program.terms.clone();
        let symbolic = program.transition_ids().map(|id| SymbolicTransition::new(program, &mut from, id)).collect();
        let reading = Reading::new(program, from, integers)?;
        let automaton = Weaving::new(reading, integers).run(symbolic)?;
        Ok(Interleaving { automaton })
    }

    /// What is said of the procedure, about the processes.
    pub fn verdict(&self, program: &Program, verdict: CfaVerdict) -> Verdict {
        match verdict {
            CfaVerdict::Safe(proof) => Verdict::Safe(Proof::Interleaved(proof)),
            CfaVerdict::Unsafe(trace) => self.trace(program, &trace).map_or_else(Verdict::Unknown, Verdict::Unsafe),
            CfaVerdict::Unknown(reason) => Verdict::Unknown(reason),
        }
    }

    /// The run of the processes that these inputs choose.
    fn trace(&self, program: &Program, trace: &InputTrace) -> Result<Trace, Reason> {
        let mut inputs = Inputs { automaton: &self.automaton, trace: trace.inputs.iter() };
        let interpreter = Interpreter::new(program);
        let mut initial = State { locs: program.processes.iter().map(|p| p.initial).collect(), cells: Vec::new() };
        for init in program.cell_inits() {
            initial.cells.push(match init {
                Init::Value(value) => value,
                Init::Any => inputs.next().ok_or_else(lost)?,
            });
        }
        let (mut steps, mut state): (Vec<Step>, State) = (Vec::new(), initial.clone());
        let end = loop {
            let Some(choice) = inputs.next() else { break end_of(program, &state) };
            let transition = usize::try_from(choice).ok().filter(|&k| k < program.transitions.len());
            let transition = TransId::from_index(transition.ok_or_else(lost)?);
            let count = program.transition(transition).inputs().count();
            let values = (0..count).map(|_| inputs.next()).collect::<Option<Vec<i64>>>().ok_or_else(lost)?;
            match interpreter.fire(&state, transition, &values) {
                Ok(next) => state = next.ok_or_else(lost)?,
                Err(EvalError::Fault(fault)) => break TraceEnd::Fault(transition, values, fault),
                Err(EvalError::Overflow) => return Err(Reason::Overflow("the counterexample".to_owned())),
            }
            steps.push(Step { transition, inputs: values, state: state.clone() });
        };
        Ok(Trace { initial, steps, end })
    }
}

/// What is wrong with the last state of a trace.
fn end_of(program: &Program, state: &State) -> TraceEnd {
    let error = program.property.error.map(|error| Interpreter::new(program).evaluator().holds(error, state));
    if matches!(error, None | Some(Ok(false))) { TraceEnd::Deadlock } else { TraceEnd::Error }
}

fn lost() -> Reason {
    Reason::Unsupported("the counterexample is no run of the processes".to_owned())
}

/// The inputs of a run, as numbers.
struct Inputs<'a> {
    automaton: &'a CfaProgram,
    trace: std::slice::Iter<'a, crate::cfa::InputValue>,
}

impl Iterator for Inputs<'_> {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        let input = self.trace.next()?;
        let InputOrigin::Site(site) = input.origin else { return None };
        let bits = input.bits as i64;
        let is_word = self.automaton.integers == Integers::Machine;
        if !is_word || !self.automaton.inputs[site.index()].signed {
            return Some(bits);
        }
        let unused = 64 - input.width.clamp(1, 64);
        Some(bits << unused >> unused)
    }
}

/// The procedure while it is made.
struct Weaving<'a> {
    reading: Reading<'a>,
    integers: Integers,
    procedure: Procedure,
    inputs: Vec<InputSite>,
    /// Holds the number of the transition chosen.
    choice: Option<Symbol>,
}

impl<'a> Weaving<'a> {
    fn new(reading: Reading<'a>, integers: Integers) -> Self {
        Weaving { reading, integers, procedure: Procedure::new("processes"), inputs: Vec::new(), choice: None }
    }

    fn run(mut self, symbolic: Vec<SymbolicTransition>) -> Result<CfaProgram, Reason> {
        let program = self.reading.program;
        let start = self.start()?;
        let head = self.fresh(Span::default());
        self.edge(start, head, Op::Skip, Span::default());
        let mut at = head;
        if let Some(error) = program.property.error {
            let error = violated(program, &mut self.reading.from, error);
            let error = self.reading.truth(error)?;
            at = self.unless(at, error, "the error condition holds".to_owned(), Span::default());
        }
        if program.property.deadlock {
            let stuck = self.stuck(&symbolic)?;
            at = self.unless(at, stuck, "no transition is enabled".to_owned(), Span::default());
        }
        if !symbolic.is_empty() {
            let last = symbolic.len() as i64 - 1;
            let numbers = Domain::Range { lo: 0, hi: last };
            let choice = self.temporary("choice", &numbers)?;
            self.choice = Some(choice);
            let chosen = self.fresh(Span::default());
            let site = self.site("choice", &numbers, Span::default());
            self.edge(at, chosen, Op::Input(choice, site), Span::default());
            for transition in symbolic {
                self.transition(transition, chosen, head, &numbers)?;
            }
        }
        self.finish()
    }

    /// The start: variables that start with any value of their domains get one.
    fn start(&mut self) -> Result<LocId, Reason> {
        let program = self.reading.program;
        let mut at = self.procedure.entry;
        let open = program.cell_inits().enumerate().filter(|(_, init)| *init == Init::Any).map(|(cell, _)| cell);
        let domains: Vec<&Domain> = program.cell_domains().collect();
        for cell in open.collect::<Vec<_>>() {
            at = self.input(at, self.reading.cells[cell], domains[cell], Span::default())?;
        }
        Ok(at)
    }

    /// Any value of a domain for a variable.
    fn input(&mut self, from: LocId, symbol: Symbol, domain: &Domain, span: Span) -> Result<LocId, Reason> {
        let name = self.reading.to.symbol_name(symbol).to_owned();
        let site = self.site(&name, domain, span);
        let to = self.fresh(span);
        self.edge(from, to, Op::Input(symbol, site), span);
        let fits = self.reading.in_domain(symbol, domain)?;
        if self.reading.to.node(fits) == Node::Bool(true) {
            return Ok(to);
        }
        let inside = self.fresh(span);
        self.edge(to, inside, Op::Assume(fits), span);
        Ok(inside)
    }

    /// An error where a condition holds; where the others go on.
    fn unless(&mut self, from: LocId, error: Term, text: String, span: Span) -> LocId {
        if self.reading.to.node(error) == Node::Bool(false) {
            return from;
        }
        let (bad, good) = (self.fresh(span), self.fresh(span));
        let fine = self.reading.to.not(error);
        self.edge(from, bad, Op::Assume(error), span);
        self.edge(from, good, Op::Assume(fine), span);
        self.edge(bad, self.procedure.exit, Op::Error(Failure::assertion(text)), span);
        good
    }

    /// No transition is enabled. A guard without a value is a fault, not a transition that is disabled.
    fn stuck(&mut self, symbolic: &[SymbolicTransition]) -> Result<Term, Reason> {
        let program = self.reading.program;
        let mut stuck = self.reading.to.tt();
        for transition in symbolic {
            let has_value = defined(program, &mut self.reading.from, transition.effect.guard);
            let (has_value, guard) = (self.reading.truth(has_value)?, self.reading.truth(transition.effect.guard)?);
            let there = self.is_there(transition.id)?;
            let disabled = self.reading.to.not(guard);
            let disabled = self.reading.to.and(has_value, disabled);
            let elsewhere = self.reading.to.not(there);
            let disabled = self.reading.to.or(elsewhere, disabled);
            stuck = self.reading.to.and(stuck, disabled);
        }
        Ok(stuck)
    }

    /// The processes are where a transition starts.
    fn is_there(&mut self, id: TransId) -> Result<Term, Reason> {
        let program = self.reading.program;
        let mut there = self.reading.to.tt();
        for m in &program.transition(id).moves {
            let here = self.reading.is_at(m.process, m.from)?;
            there = self.reading.to.and(there, here);
        }
        Ok(there)
    }

    /// The edges of a transition, from where it is chosen back to the head of the loop.
    fn transition(
        &mut self,
        transition: SymbolicTransition,
        chosen: LocId,
        head: LocId,
        numbers: &Domain,
    ) -> Result<(), Reason> {
        let SymbolicTransition { id, effect: Effect { guard, updates, open: inputs }, fault } = transition;
        let program = self.reading.program;
        let span = program.transition(id).span;
        self.reading.start_transition();
        let number = self.reading.value(numbers, i64::from(id.0))?;
        let choice = self.choice.expect("there are transitions");
        let choice = self.reading.to.symbol(choice);
        let is_chosen = self.reading.to.eq(choice, number);
        let there = self.is_there(id)?;
        let has_value = defined(program, &mut self.reading.from, guard);
        let (has_value, guard) = (self.reading.truth(has_value)?, self.reading.truth(guard)?);
        let no_value = self.reading.to.not(has_value);
        let enabled = self.reading.to.or(no_value, guard);
        let taken = self.reading.to.all([is_chosen, there, enabled]);
        let mut at = self.fresh(span);
        self.edge(chosen, at, Op::Assume(taken), span);
        for (k, domain) in inputs.iter().enumerate() {
            at = self.transition_input(at, k, domain, span)?;
        }
        let fault = self.reading.truth(fault)?;
        at = self.unless(at, fault, format!("run-time error in `{}`", program.transition(id).name), span);
        let mut assigns = Vec::new();
        for m in &program.transition(id).moves {
            let (target, value) = (self.reading.locations[m.process.index()], self.reading.location(m.process, m.to)?);
            assigns.push(Assign { target: Target::Var(target), value });
        }
        for (var, value) in updates {
            self.assign(var, value, &mut assigns)?;
        }
        self.edge(at, head, Op::Assign(assigns), span);
        Ok(())
    }

    /// The `k`-th input of the transition that is read. Inputs are numbers, also those for Boolean variables.
    fn transition_input(&mut self, from: LocId, k: usize, domain: &Domain, span: Span) -> Result<LocId, Reason> {
        let numbers = match domain {
            Domain::Bool => Domain::Range { lo: 0, hi: 1 },
            domain => domain.clone(),
        };
        let symbol = self.temporary(&format!("input{k}"), &numbers)?;
        let scalar = self.reading.variable(symbol, &numbers);
        self.reading.inputs.push(scalar);
        self.input(from, symbol, &numbers, span)
    }

    /// The assignments that give a variable a new value; those of an array cell by cell.
    fn assign(&mut self, var: VarId, value: Term, assigns: &mut Vec<Assign>) -> Result<(), Reason> {
        let program = self.reading.program;
        let variable = program.var(var);
        for offset in 0..variable.cells() {
            let value = match variable.len {
                None => value,
                Some(_) => {
                    let index = self.reading.from.int(offset.into());
                    self.reading.from.select(value, index)
                }
            };
            if value == cell_term(program, &mut self.reading.from, var, offset.into()) {
                continue;
            }
            let value = self.reading.stored(value, &variable.domain)?;
            let target = self.reading.cells[(variable.first_cell + offset) as usize];
            assigns.push(Assign { target: Target::Var(target), value });
        }
        Ok(())
    }

    fn temporary(&mut self, name: &str, domain: &Domain) -> Result<Symbol, Reason> {
        let symbol = self.reading.declare(name.to_owned(), domain)?;
        self.procedure.locals.push(symbol);
        Ok(symbol)
    }

    fn site(&mut self, name: &str, domain: &Domain, span: Span) -> InputId {
        let signed = self.integers == Integers::Mathematical || domain.bounds().is_none_or(|(lo, _)| lo < 0);
        self.inputs.push(InputSite { kind: InputKind::Nondet(name.to_owned()), ty: "int".to_owned(), signed, span });
        InputId::from_index(self.inputs.len() - 1)
    }

    fn fresh(&mut self, span: Span) -> LocId {
        self.procedure.locations.push(Location { label: None, span });
        LocId::from_index(self.procedure.locations.len() - 1)
    }

    fn edge(&mut self, from: LocId, to: LocId, op: Op, span: Span) {
        self.procedure.edges.push(Edge { from, to, op, span });
    }

    /// The program with this one procedure; variables are global.
    fn finish(mut self) -> Result<CfaProgram, Reason> {
        let program = self.reading.program;
        let (mut globals, mut signed) = (Vec::new(), Vec::new());
        for (cell, (init, domain)) in program.cell_inits().zip(program.cell_domains()).enumerate() {
            let least = domain.bounds().map_or(i64::MIN, |(lo, _)| lo);
            let first = match init {
                Init::Value(value) => value,
                Init::Any => least.max(0),
            };
            let init = self.reading.value(domain, first)?;
            globals.push(Global { symbol: self.reading.cells[cell], init });
            signed.push(least < 0);
        }
        for (p, process) in program.processes.iter().enumerate() {
            let init = self.reading.location(ProcId::from_index(p), process.initial)?;
            globals.push(Global { symbol: self.reading.locations[p], init });
            signed.push(false);
        }
        let Reading { to, .. } = self.reading;
        let info = |(global, &signed): (&Global, &bool)| {
            let name = to.symbol_name(global.symbol).to_owned();
            (global.symbol, VariableInfo { name, ty: "int".to_owned(), signed, pointer: false, hidden: false })
        };
        let variables = globals.iter().zip(&signed).map(info).collect();
        let marker = LineMarker { offset: 0, line: 1, file: 0, system: false };
        let source = SourceMap::new(program.source.text.clone(), vec![program.source.name.clone()], vec![marker]);
        Ok(CfaProgram {
            integers: self.integers,
            globals,
            variables,
            inputs: self.inputs,
            procedures: vec![self.procedure],
            ..CfaProgram::new(to, source)
        })
    }
}
