//! Linear Horn clauses as a control-flow automaton, so that lazy abstraction works on every language that is read as clauses.
//!
//! A predicate is a location and its parameters are variables; a clause is a way from the location of its premise to that of
//! its conclusion. Which clause is taken, and the symbols that its premise does not determine, are inputs. Variables of other
//! locations are zero, so that nothing is remembered that the predicate does not speak of. Every location counts as the head of a
//! loop (it has an edge to itself that is never taken): a solution has a formula for each predicate.

use clinch_analyses::clauses::Encoding;
use clinch_ir::cfa::unfold::Point;
use clinch_ir::cfa::{
    Assign, CfaProgram, CfaProof, CfaVerdict, Edge, Failure, Global, InputId, InputKind, InputSite, InputTrace,
    Integers, Invariants, Location, Op, Procedure, SourceMap, Target,
};
use clinch_ir::{
    Application, ClauseId, Derivation, DerivationStep, HornSystem, HornVerdict, Interpretation, PredId, Reason, Span,
};
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::{LocId, Node, Sort, Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;

use super::{Config, Stats};
use crate::HornOutcome;
use crate::budget::{Budget, Observer};
use crate::horn::{SimplifyOptions, prepare};

/// Checks linear Horn clauses over integers and truth values.
pub fn check_clauses(
    system: &HornSystem,
    config: &Config,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> HornOutcome<Stats> {
    let prepared = prepare(system, &SimplifyOptions::default(), None, &|| budget.check().is_err());
    let automaton = match Automaton::new(prepared.system()) {
        Ok(automaton) => automaton,
        Err(reason) => return (HornVerdict::Unknown(reason), Stats::default()),
    };
    let (verdict, stats) = super::check(&automaton.program, Encoding::Bits, config, budget, observer);
    let verdict = match verdict {
        CfaVerdict::Safe(CfaProof::Invariants(proof)) => {
            let solution = automaton.solution(&proof);
            let original = prepared.interpolated_solution(system, solution, &config.interpolation, budget);
            original.map(HornVerdict::Safe).map_err(|lost| Reason::Uncertified(lost.to_string()))
        }
        CfaVerdict::Unsafe(trace) => automaton
            .derivation(&trace)
            .and_then(|derivation| prepared.refutation(system, &derivation))
            .map(HornVerdict::Unsafe),
        CfaVerdict::Safe(_) => Err(Reason::Uncertified("not a formula".to_owned())),
        CfaVerdict::Unknown(reason) => Err(reason),
    };
    (verdict.unwrap_or_else(HornVerdict::Unknown), stats)
}

const ENTRY: LocId = LocId(0);
const EXIT: LocId = LocId(1);

/// The clauses as an automaton, and the way back.
struct Automaton<'s> {
    system: &'s HornSystem,
    program: CfaProgram,
    /// The location of each predicate.
    places: Vec<LocId>,
    /// The variables of each predicate: its parameters, or numbers instead of those that are truth values.
    variables: Vec<Vec<Symbol>>,
    /// All variables, inputs included.
    all: Vec<Symbol>,
    /// For each clause the variables that take its inputs, with the symbols they stand for.
    inputs: Vec<Vec<(Symbol, Symbol)>>,
    /// Clauses without premise, and clauses by premise: the order of choices.
    initial: Vec<ClauseId>,
    leaving: Vec<Vec<ClauseId>>,
}

impl<'s> Automaton<'s> {
    fn new(system: &'s HornSystem) -> Result<Self, Reason> {
        let mut automaton = Automaton {
            system,
            program: empty_program(system),
            places: Vec::new(),
            variables: Vec::new(),
            all: Vec::new(),
            inputs: vec![Vec::new(); system.clauses.len()],
            initial: Vec::new(),
            leaving: vec![Vec::new(); system.predicates.len()],
        };
        for id in system.clause_ids() {
            match system.clause(id).body.as_slice() {
                [] => automaton.initial.push(id),
                [premise] => automaton.leaving[premise.predicate.index()].push(id),
                _ => return Err(Reason::Unsupported("lazy abstraction of clauses with several premises".to_owned())),
            }
        }
        for id in system.predicate_ids() {
            automaton.add_predicate(id)?;
        }
        for (from, clauses) in automaton.sources() {
            automaton.add_choice(from, &clauses)?;
        }
        let init = automaton.program.terms.int(0);
        automaton.program.globals = automaton.all.iter().map(|&symbol| Global { symbol, init }).collect();
        Ok(automaton)
    }

    /// The locations with the clauses that lead on from there.
    fn sources(&self) -> Vec<(Option<PredId>, Vec<ClauseId>)> {
        let predicates = self.system.predicate_ids().map(|p| (Some(p), self.leaving[p.index()].clone()));
        std::iter::once((None, self.initial.clone())).chain(predicates).collect()
    }

    fn procedure(&mut self) -> &mut Procedure {
        &mut self.program.procedures[0]
    }

    fn location(&mut self, span: Span) -> LocId {
        let procedure = self.procedure();
        procedure.locations.push(Location { label: None, span });
        LocId::from_index(procedure.locations.len() - 1)
    }

    fn edge(&mut self, from: LocId, to: LocId, op: Op, span: Span) {
        self.procedure().edges.push(Edge { from, to, op, span });
    }

    /// A number, or a truth value as a number.
    fn variable(&mut self, symbol: Symbol, name: &str) -> Result<Symbol, Reason> {
        let terms = &mut self.program.terms;
        let variable = match terms.symbol_sort(symbol) {
            Sort::Int => symbol,
            Sort::Bool => terms.declare(format!("{name}!bit"), Sort::Int),
            sort => return Err(Reason::Unsupported(format!("lazy abstraction of clauses about {sort}"))),
        };
        self.all.push(variable);
        Ok(variable)
    }

    fn add_predicate(&mut self, id: PredId) -> Result<(), Reason> {
        let span = self.leaving[id.index()].first().map_or(Span::default(), |&c| self.system.clause(c).span);
        let predicate = self.system.predicate(id);
        let place = self.location(span);
        self.procedure().locations[place.index()].label = Some(predicate.name.clone());
        self.places.push(place);
        let variables: Result<Vec<Symbol>, Reason> =
            predicate.params.iter().map(|&param| self.variable(param, &predicate.name)).collect();
        self.variables.push(variables?);
        Ok(())
    }

    fn input(&mut self, from: LocId, variable: Symbol, span: Span) -> LocId {
        let kind = InputKind::Nondet(self.program.terms.symbol_name(variable).to_owned());
        self.program.inputs.push(InputSite { kind, ty: "integer".to_owned(), signed: true, span });
        let (site, to) = (InputId::from_index(self.program.inputs.len() - 1), self.location(span));
        self.edge(from, to, Op::Input(variable, site), span);
        to
    }

    /// The clauses that lead on from a location: an input says which one is taken.
    fn add_choice(&mut self, from: Option<PredId>, clauses: &[ClauseId]) -> Result<(), Reason> {
        let mut at = ENTRY;
        if let Some(predicate) = from {
            at = self.places[predicate.index()];
            let span = self.procedure().locations[at.index()].span;
            let (tt, ff, next) = (self.program.terms.tt(), self.program.terms.ff(), self.location(span));
            self.edge(at, at, Op::Assume(ff), span);
            self.edge(at, next, Op::Assume(tt), span);
            at = next;
        }
        if clauses.len() < 2 {
            return clauses.iter().try_for_each(|&clause| self.add_clause(at, clause));
        }
        let choice = self.program.terms.declare("choice", Sort::Int);
        self.all.push(choice);
        let at = self.input(at, choice, Span::default());
        for (i, &clause) in clauses.iter().enumerate() {
            let span = self.system.clause(clause).span;
            let terms = &mut self.program.terms;
            let (choice, number) = (terms.symbol(choice), terms.int(i as i64));
            let (taken, next) = (terms.eq(choice, number), self.location(span));
            self.edge(at, next, Op::Assume(taken), span);
            self.add_clause(next, clause)?;
        }
        Ok(())
    }

    fn add_clause(&mut self, from: LocId, id: ClauseId) -> Result<(), Reason> {
        let clause = self.system.clause(id);
        let (mut meaning, mut conditions) = (FxHashMap::default(), Vec::new());
        if let [premise] = clause.body.as_slice() {
            self.read_premise(premise, &mut meaning, &mut conditions);
        }
        let mut at = from;
        for &symbol in &clause.vars {
            if meaning.contains_key(&symbol) {
                continue;
            }
            let variable = self.variable(symbol, "input")?;
            at = self.input(at, variable, clause.span);
            meaning.insert(symbol, value_of(&mut self.program.terms, symbol, variable));
            self.inputs[id.index()].push((variable, symbol));
        }
        conditions.push(clause.constraint);
        let terms = &mut self.program.terms;
        let condition = terms.all(conditions);
        let condition = terms.substitute_symbols(condition, &meaning);
        let next = self.location(clause.span);
        self.edge(at, next, Op::Assume(condition), clause.span);
        match &clause.head {
            None => self.edge(next, EXIT, Op::Error(Failure::assertion("error")), clause.span),
            Some(head) => {
                let assigns = self.conclusion(head, &meaning);
                let to = self.places[head.predicate.index()];
                self.edge(next, to, Op::Assign(assigns), clause.span);
            }
        }
        Ok(())
    }

    /// What the arguments of a premise say: a symbol is the variable there, for anything else they must be equal.
    fn read_premise(
        &mut self,
        premise: &Application,
        meaning: &mut FxHashMap<Symbol, Term>,
        conditions: &mut Vec<Term>,
    ) {
        let params = &self.system.predicate(premise.predicate).params;
        for (i, &arg) in premise.args.iter().enumerate() {
            let variable = self.variables[premise.predicate.index()][i];
            let terms = &mut self.program.terms;
            let value = value_of(terms, params[i], variable);
            match terms.node(arg) {
                Node::Symbol(symbol) if !meaning.contains_key(&symbol) => {
                    meaning.insert(symbol, value);
                }
                _ => conditions.push(terms.eq(arg, value)),
            }
        }
    }

    /// The variables of the conclusion take its arguments, all others are forgotten.
    fn conclusion(&mut self, head: &Application, meaning: &FxHashMap<Symbol, Term>) -> Vec<Assign> {
        let terms = &mut self.program.terms;
        let (zero, one) = (terms.int(0), terms.int(1));
        let mut values: FxHashMap<Symbol, Term> = FxHashMap::default();
        for (&arg, &variable) in head.args.iter().zip(&self.variables[head.predicate.index()]) {
            let value = terms.substitute_symbols(arg, meaning);
            let value = if terms.sort(value) == Sort::Bool { terms.ite(value, one, zero) } else { value };
            values.insert(variable, value);
        }
        // Inputs of later clauses are not declared yet: they are zero still, or were made so.
        let assign = |&variable: &Symbol| Assign {
            target: Target::Var(variable),
            value: values.get(&variable).copied().unwrap_or(zero),
        };
        self.all.iter().map(assign).collect()
    }

    /// Invariants as a solution.
    fn solution(&self, proof: &Invariants) -> Interpretation {
        let mut terms = proof.terms.clone();
        let ff = terms.ff();
        let zero = terms.int(0);
        let formulas = self.system.predicate_ids().map(|id| {
            let place = self.places[id.index()];
            let here = |(point, _): &&(Point, Term)| point.location == place;
            let Some(&(_, formula)) = proof.points.iter().find(here) else { return ff };
            let mut values: FxHashMap<Symbol, Term> = self.all.iter().map(|&v| (v, zero)).collect();
            for (&param, &variable) in self.system.predicate(id).params.iter().zip(&self.variables[id.index()]) {
                let value = terms.symbol(param);
                let value = if param == variable {
                    value
                } else {
                    let one = terms.int(1);
                    terms.ite(value, one, zero)
                };
                values.insert(variable, value);
            }
            terms.substitute_symbols(formula, &values)
        });
        let formulas = formulas.collect();
        Interpretation { terms, formulas }
    }

    /// A run as a derivation: its inputs say which clauses are taken, and the values of their symbols.
    fn derivation(&self, trace: &InputTrace) -> Result<Derivation, Reason> {
        let lost = || Reason::Uncertified("the run found does not follow the clauses".to_owned());
        let mut inputs = trace.inputs.iter().map(|input| input.bits as i64);
        let mut steps: Vec<DerivationStep> = Vec::new();
        let mut at: Option<(PredId, Vec<Value>)> = None;
        loop {
            let clauses = at.as_ref().map_or(&self.initial, |(predicate, _)| &self.leaving[predicate.index()]);
            let taken = match clauses.as_slice() {
                [only] => Some(*only),
                _ => inputs.next().and_then(|i| clauses.get(usize::try_from(i).ok()?).copied()),
            };
            let id = taken.ok_or_else(lost)?;
            let clause = self.system.clause(id);
            let mut assignment = Assignment::default();
            if let (Some((_, values)), [premise]) = (&at, clause.body.as_slice()) {
                for (&arg, value) in premise.args.iter().zip(values) {
                    if let Node::Symbol(symbol) = self.system.terms.node(arg) {
                        assignment.entry(symbol).or_insert_with(|| value.clone());
                    }
                }
            }
            for &(_, symbol) in &self.inputs[id.index()] {
                let value = inputs.next().ok_or_else(lost)?;
                let is_bool = *self.system.terms.symbol_sort(symbol) == Sort::Bool;
                assignment.insert(symbol, if is_bool { Value::Bool(value == 1) } else { Value::int(value) });
            }
            let values: Option<Vec<Value>> = clause.vars.iter().map(|v| assignment.get(v).cloned()).collect();
            let premises = steps.len().checked_sub(1).into_iter().collect();
            steps.push(DerivationStep { clause: id, values: values.ok_or_else(lost)?, premises });
            let Some(head) = &clause.head else { return Ok(Derivation { steps }) };
            let args = head.args.iter().map(|&arg| evaluate(&self.system.terms, &assignment, arg));
            at = Some((head.predicate, args.collect::<Option<Vec<Value>>>().ok_or_else(lost)?));
        }
    }
}

/// What a symbol of the clauses means, in terms of the variable that stands for it.
fn value_of(terms: &mut Terms, symbol: Symbol, variable: Symbol) -> Term {
    let value = terms.symbol(variable);
    match terms.symbol_sort(symbol) {
        Sort::Bool => {
            let one = terms.int(1);
            terms.eq(value, one)
        }
        _ => value,
    }
}

fn empty_program(system: &HornSystem) -> CfaProgram {
    let source = SourceMap::new(system.source.text.clone(), vec![system.source.name.clone()], Vec::new());
    let mut program = CfaProgram::new(system.terms.clone(), source);
    program.integers = Integers::Mathematical;
    program.procedures.push(Procedure::new("start"));
    program
}
