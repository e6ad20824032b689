//! Counterexamples: real ones become refutations, spurious ones become predicates.

use clinch_ir::{ClauseId, Derivation, DerivationStep, HornSystem, PredId, Reason};
use clinch_smt::{Answer, ItpConfig, ItpError, ItpNode, Solver, Z3Solver, interpolate};
use clinch_terms::{Node, Sort, Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;

use super::Scope;
use super::frontier::Expansion;
use super::precision::Precision;
use super::tree::{NodeId, Tree};
use crate::budget::Budget;

/// A clause instance of a counterexample.
struct Step {
    clause: ClauseId,
    /// Earlier steps, one per application in the body.
    premises: Vec<usize>,
    /// What each symbol of the clause is called in this instance.
    instance: FxHashMap<Symbol, Term>,
    /// The arguments of the head: the symbols by which the step above knows it.
    interface: Vec<Term>,
    /// The instance of the constraint, and the equations that tie it to premises and head.
    formula: Term,
}

/// An abstract derivation of the contradiction, spelled out as a tree of clause instances.
pub(super) struct Counterexample {
    /// Premises before conclusions; the last one derives the contradiction.
    steps: Vec<Step>,
}

/// What a counterexample turns out to be.
pub(super) enum Refinement {
    /// Real.
    Feasible(Derivation),
    /// Spurious; this many predicates are new.
    Spurious(usize),
}

/// More steps than this are not spelled out.
const MAX_STEPS: usize = 20_000;
/// Work and milliseconds for the one query whether a counterexample is real.
const LIMITS: (u32, u32) = (50_000_000, 20_000);

impl Counterexample {
    /// The derivation of an error, from the record of how each node was derived.
    pub(super) fn new(system: &HornSystem, terms: &mut Terms, tree: &Tree, error: &Expansion) -> Result<Self, Reason> {
        let mut this = Counterexample { steps: Vec::new() };
        let premises = error.premises.iter().map(|&p| this.unfold(system, terms, tree, p)).collect::<Result<_, _>>()?;
        this.push(system, terms, error.clause, premises);
        Ok(this)
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Adds the derivation of a node; its position.
    fn unfold(&mut self, system: &HornSystem, terms: &mut Terms, tree: &Tree, root: NodeId) -> Result<usize, Reason> {
        enum Task {
            Visit(NodeId),
            Build(NodeId),
        }
        let mut tasks = vec![Task::Visit(root)];
        let mut done: Vec<usize> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(id) => {
                    tasks.push(Task::Build(id));
                    tasks.extend(tree.node(id).premises.iter().rev().map(|&p| Task::Visit(p)));
                }
                Task::Build(id) => {
                    let node = tree.node(id);
                    let premises = done.split_off(done.len() - node.premises.len());
                    done.push(self.push(system, terms, node.clause, premises));
                    if self.steps.len() > MAX_STEPS {
                        return Err(Reason::Unsupported(format!("a derivation of more than {MAX_STEPS} steps")));
                    }
                }
            }
        }
        Ok(done[0])
    }

    /// Adds an instance of a clause. Arguments that are symbols are identified with the interface instead of being
    /// equated to it: refinement sees fewer equations.
    fn push(&mut self, system: &HornSystem, terms: &mut Terms, id: ClauseId, premises: Vec<usize>) -> usize {
        let clause = system.clause(id);
        let mut instance: FxHashMap<Symbol, Term> = FxHashMap::default();
        for (application, &premise) in clause.body.iter().zip(&premises) {
            for (&arg, &known) in application.args.iter().zip(&self.steps[premise].interface) {
                if let Node::Symbol(symbol) = terms.node(arg) {
                    instance.entry(symbol).or_insert(known);
                }
            }
        }
        let number = self.steps.len();
        let rest: Vec<Symbol> = clause.vars.iter().copied().filter(|s| !instance.contains_key(s)).collect();
        for symbol in rest {
            let (name, sort) = (format!("{}#{number}", terms.symbol_name(symbol)), terms.symbol_sort(symbol).clone());
            let fresh = terms.fresh(name, sort);
            instance.insert(symbol, fresh);
        }
        let mut conjuncts = vec![terms.substitute_symbols(clause.constraint, &instance)];
        for (application, &premise) in clause.body.iter().zip(&premises) {
            for (&arg, &known) in application.args.iter().zip(&self.steps[premise].interface) {
                let here = terms.substitute_symbols(arg, &instance);
                conjuncts.push(terms.eq(known, here));
            }
        }
        let mut interface: Vec<Term> = Vec::new();
        for &arg in clause.head.iter().flat_map(|h| &h.args) {
            let here = terms.substitute_symbols(arg, &instance);
            // A value that is only passed on keeps its name: then there is no equation to refute it through.
            interface.push(if matches!(terms.node(here), Node::Symbol(_)) && !interface.contains(&here) {
                here
            } else {
                let sort = argument_sort(system, terms, clause.head.as_ref().map(|h| h.predicate), interface.len());
                let known = terms.fresh(format!("arg{}#{number}", interface.len()), sort);
                conjuncts.push(terms.eq(known, here));
                known
            });
        }
        let formula = terms.all(conjuncts);
        self.steps.push(Step { clause: id, premises, instance, interface, formula });
        number
    }

    /// Decides whether the counterexample is real, and learns from it if it is not.
    pub(super) fn refine(&self, mut learner: Learner<'_>, budget: &Budget) -> Result<Refinement, Reason> {
        let (system, terms) = (learner.system, &*learner.terms);
        let mut solver = Z3Solver::for_one_question();
        let left = budget.remaining().map_or(LIMITS.1, |r| (r.as_millis() as u32).min(LIMITS.1));
        solver.set_limits(LIMITS.0, left.max(1));
        for step in &self.steps {
            solver.assert(terms, step.formula);
        }
        match solver.check(terms, &[]) {
            Answer::Sat => Ok(Refinement::Feasible(self.derivation(system, terms, &solver)?)),
            Answer::Unknown => {
                budget.check()?;
                Err(Reason::Unsupported("the solver cannot tell whether a counterexample is real".to_owned()))
            }
            Answer::Unsat => self.learn(&mut learner, budget).map(Refinement::Spurious),
        }
    }

    /// The values of a real counterexample.
    fn derivation(&self, system: &HornSystem, terms: &Terms, solver: &Z3Solver) -> Result<Derivation, Reason> {
        let steps = self.steps.iter().map(|step| {
            let values = system.clause(step.clause).vars.iter().map(|symbol| {
                let Node::Symbol(here) = terms.node(step.instance[symbol]) else { unreachable!("renamed to symbols") };
                solver.symbol_value(terms, here)
            });
            let values: Option<Vec<Value>> = values.collect();
            Some(DerivationStep { clause: step.clause, values: values?, premises: step.premises.clone() })
        });
        let steps: Option<Vec<DerivationStep>> = steps.collect();
        let unreadable = || Reason::Uncertified("a value of the counterexample cannot be written down".to_owned());
        Ok(Derivation { steps: steps.ok_or_else(unreadable)? })
    }

    /// Adds the predicates that refute the counterexample; how many are new.
    fn learn(&self, learner: &mut Learner<'_>, budget: &Budget) -> Result<usize, Reason> {
        let tree: Vec<ItpNode> =
            self.steps.iter().map(|step| ItpNode { formula: step.formula, children: step.premises.clone() }).collect();
        let found = interpolate(learner.terms, &tree, learner.config, &|| budget.check().is_err());
        let interpolants = match found {
            Ok(interpolants) => interpolants,
            Err(ItpError::Satisfiable) => {
                return Err(Reason::Unsupported("the solver contradicts itself about a counterexample".to_owned()));
            }
            Err(ItpError::GaveUp(why)) => {
                budget.check()?;
                return Err(Reason::Unsupported(format!("no interpolants: {why}")));
            }
        };
        let mut new = 0;
        for (step, &formula) in self.steps.iter().zip(&interpolants.formulas) {
            let Some(head) = &learner.system.clause(step.clause).head else { continue };
            let formula = over_parameters(learner.system, learner.terms, step, head.predicate, formula);
            new += learner.add(head.predicate, formula);
        }
        Ok(new)
    }
}

/// What takes in the predicates of counterexamples.
pub(super) struct Learner<'a> {
    pub(super) system: &'a HornSystem,
    pub(super) terms: &'a mut Terms,
    pub(super) precision: &'a mut Precision,
    pub(super) config: &'a ItpConfig,
    pub(super) scope: Scope,
}

impl Learner<'_> {
    /// Adds a formula over the parameters of a location; how many predicates are new.
    fn add(&mut self, found_at: PredId, formula: Term) -> usize {
        match self.scope {
            Scope::Location => self.precision.add(self.terms, found_at, formula),
            Scope::Everywhere => self.add_everywhere(found_at, formula),
        }
    }

    /// Adds it at all locations with parameters of the same sorts.
    fn add_everywhere(&mut self, found_at: PredId, formula: Term) -> usize {
        let system = self.system;
        let sorts = |terms: &Terms, id: PredId| -> Vec<Sort> {
            system.predicate(id).params.iter().map(|&p| terms.symbol_sort(p).clone()).collect()
        };
        let here = sorts(self.terms, found_at);
        let mut new = 0;
        for location in system.predicate_ids() {
            if sorts(self.terms, location) == here {
                let pairs = system.predicate(found_at).params.iter().zip(&system.predicate(location).params);
                let map = pairs.map(|(&from, &to)| (from, self.terms.symbol(to))).collect();
                let formula = self.terms.substitute_symbols(formula, &map);
                new += self.precision.add(self.terms, location, formula);
            }
        }
        new
    }
}

/// An interpolant over the interface of a step, as a formula over the parameters of the location.
fn over_parameters(system: &HornSystem, terms: &mut Terms, step: &Step, location: PredId, formula: Term) -> Term {
    let params = &system.predicate(location).params;
    let mut map = FxHashMap::default();
    for (&known, &param) in step.interface.iter().zip(params) {
        if let Node::Symbol(symbol) = terms.node(known) {
            let param = terms.symbol(param);
            map.insert(symbol, param);
        }
    }
    terms.substitute_symbols(formula, &map)
}

fn argument_sort(system: &HornSystem, terms: &Terms, location: Option<PredId>, position: usize) -> Sort {
    let location = location.expect("only heads have arguments");
    terms.symbol_sort(system.predicate(location).params[position]).clone()
}
