//! `post`: abstract successors ([Lazy, 3.2 and 5.2.2]).

use clinch_bdd::{Bdd, Bdds, Literal, OutOfNodes};
use clinch_ir::Reason;
use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::{Node, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::label::{LabelId, Labels};
use super::predicates::{PredicateId, Predicates};
use super::prover::Prover;
use crate::budget::Budget;
use crate::search::BitSet;

/// How precise a successor is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Mode {
    Cartesian,
    Boolean,
}

/// Regions of more conjunctions than this are taken as a whole by the Cartesian successor.
const CUBES: usize = 16;
/// Models enumerated for one Boolean successor.
const MODELS: usize = 400;

/// Why there is no room for a region.
pub(super) fn no_room(_: OutOfNodes) -> Reason {
    Reason::Unsupported("the regions outgrow the room for decision diagrams".to_owned())
}

/// A predicate whose value after the label is asked for.
struct Open {
    predicate: PredicateId,
    /// Its weakest precondition.
    wp: Term,
    /// Whether it was seen to be false, and to be true.
    seen: [bool; 2],
}

/// Computes abstract successors.
pub(super) struct Post {
    pub(super) bdds: Bdds,
    pub(super) prover: Prover,
    wps: FxHashMap<(LabelId, PredicateId), Term>,
    guards: FxHashMap<LabelId, Vec<Symbol>>,
    results: FxHashMap<(LabelId, Bdd, BitSet, Mode), Bdd>,
}

/// Room for nodes of decision diagrams.
const NODES: usize = 1 << 21;

/// What all steps of a computation look at.
pub(super) struct Context<'a, 'p> {
    /// The label whose successors are computed.
    pub(super) label: LabelId,
    pub(super) terms: &'a mut Terms,
    pub(super) labels: &'a Labels<'p>,
    pub(super) predicates: &'a Predicates,
    /// Whether predicates that a label has nothing to do with are asked about anyway, with all that is known: a large block
    /// has to do with nearly everything.
    pub(super) ask_unaffected: bool,
    pub(super) budget: &'a Budget,
}

impl Post {
    /// `few` says that there are few labels and many questions about each.
    pub(super) fn new(few: bool) -> Self {
        Post {
            bdds: Bdds::new(NODES),
            prover: Prover::new(few),
            wps: FxHashMap::default(),
            guards: FxHashMap::default(),
            results: FxHashMap::default(),
        }
    }

    /// Forgets all about labels, for their numbers get another meaning.
    pub(super) fn restart(&mut self, few: bool) {
        let calls = self.prover.calls;
        self.prover = Prover::new(few);
        self.prover.calls = calls;
        self.wps.clear();
        self.guards.clear();
        self.results.clear();
    }

    /// The region after the label, in terms of the predicates of `support`; false if the label cannot be taken.
    pub(super) fn post(
        &mut self,
        context: &mut Context<'_, '_>,
        region: &Bdd,
        support: &BitSet,
        mode: Mode,
    ) -> Result<Bdd, Reason> {
        let key = (context.label, region.clone(), support.clone(), mode);
        if let Some(known) = self.results.get(&key) {
            return Ok(known.clone());
        }
        let result = match mode {
            Mode::Boolean => match self.boolean(context, region, support)? {
                Some(result) => result,
                None => self.cartesian(context, region, support)?,
            },
            Mode::Cartesian => self.cartesian(context, region, support)?,
        };
        self.results.insert(key, result.clone());
        Ok(result)
    }

    /// The weakest precondition of a predicate: its value after the label, as a formula over the values before.
    fn wp(&mut self, context: &mut Context<'_, '_>, predicate: PredicateId) -> Term {
        *self.wps.entry((context.label, predicate)).or_insert_with(|| {
            let formula = context.predicates.formula(predicate);
            let symbols = context.predicates.symbols(predicate);
            let updates = &context.labels.get(context.label).step.effect.updates;
            let map: FxHashMap<Symbol, Term> =
                updates.iter().filter(|(s, _)| symbols.binary_search(s).is_ok()).copied().collect();
            if map.is_empty() { formula } else { context.terms.substitute_symbols(formula, &map) }
        })
    }

    /// Cartesian abstraction: for each conjunction of the region, the strongest conjunction afterwards.
    fn cartesian(&mut self, context: &mut Context<'_, '_>, region: &Bdd, support: &BitSet) -> Result<Bdd, Reason> {
        let cubes = match region.cubes(CUBES) {
            Some(cubes) => cubes,
            None => vec![common_literals(region)],
        };
        let mut union = self.bdds.ff();
        for cube in cubes {
            context.budget.check()?;
            if let Some(after) = self.cartesian_of_cube(context, &cube, support) {
                let after = self.bdds.cube(&after).map_err(no_room)?;
                union = union.or(&after).map_err(no_room)?;
            }
        }
        Ok(union)
    }

    /// The literals that hold after the label; nothing if it cannot be taken.
    fn cartesian_of_cube(
        &mut self,
        context: &mut Context<'_, '_>,
        cube: &[Literal],
        support: &BitSet,
    ) -> Option<Vec<Literal>> {
        let mut open: Vec<Open> = Vec::new();
        let mut after: Vec<Literal> = Vec::new();
        for predicate in support.iter().map(|p| p as PredicateId) {
            let wp = self.wp(context, predicate);
            match context.terms.node(wp) {
                Node::Bool(value) => after.push((predicate, value)),
                _ => match context.predicates.find(context.terms, wp).and_then(|l| value_in(cube, l)) {
                    Some(value) => after.push((predicate, value)),
                    None => open.push(Open { predicate, wp, seen: [false; 2] }),
                },
            }
        }
        let reached = self.reached(context, cube, &[]);
        let cube = &self.that_matter(context, cube, &open);
        if self.is_feasible(context, cube, &mut open) == Answer::Unsat {
            return None;
        }
        let affected: Vec<usize> = (0..open.len())
            .filter(|&i| {
                let Open { predicate, wp, .. } = open[i];
                match context.ask_unaffected {
                    true => {
                        wp != context.predicates.formula(predicate) || context.predicates.touches(predicate, &reached)
                    }
                    false => self.affects(context, predicate, wp),
                }
            })
            .collect();
        let rest = match context.ask_unaffected {
            true => self.settle_together(context, cube, &mut open, affected, &mut after),
            false => affected,
        };
        for i in rest {
            let Open { predicate, wp, .. } = open[i];
            let premises = self.connected(context, cube, wp);
            for value in [true, false] {
                if !open[i].seen[usize::from(!value)]
                    && self.ask(context, &premises, Some((wp, !value)), &mut open) == Answer::Unsat
                {
                    after.push((predicate, value));
                    break;
                }
            }
        }
        after.sort_unstable();
        Some(after)
    }

    /// Asks about many predicates at once: whether one of them may have another value than in the models met. A new model settles
    /// some of them; where there is none, all have the value they had. Returns those that are not settled.
    fn settle_together(
        &mut self,
        context: &mut Context<'_, '_>,
        premises: &[Literal],
        open: &mut [Open],
        affected: Vec<usize>,
        after: &mut Vec<Literal>,
    ) -> Vec<usize> {
        let mut rest = affected;
        if rest.len() > 1 && rest.iter().all(|&i| open[i].seen == [false; 2]) {
            self.ask(context, premises, None, open);
        }
        loop {
            rest.retain(|&i| open[i].seen != [true; 2]);
            rest.retain(|&i| {
                let known = [false, true]
                    .into_iter()
                    .find(|&other| self.prover.is_known_impossible(context.label, premises, (open[i].wp, other)));
                after.extend(known.map(|other| (open[i].predicate, !other)));
                known.is_none()
            });
            let asked: Vec<usize> = rest.iter().copied().filter(|&i| open[i].seen != [false; 2]).collect();
            if asked.len() < 2 {
                return rest;
            }
            let others: Vec<(Term, bool)> = asked.iter().map(|&i| (open[i].wp, !open[i].seen[1])).collect();
            let differs =
                others.iter().map(|&(wp, other)| if other { wp } else { context.terms.not(wp) }).collect::<Vec<_>>();
            let differs = context.terms.any(differs);
            let answer = self.ask(context, premises, Some((differs, true)), open);
            if answer == Answer::Unsat {
                self.prover.learn_from((context.label, Some((differs, true))), &others, premises);
            } else if asked.iter().all(|&i| open[i].seen != [true; 2]) {
                return rest;
            }
        }
    }

    fn is_feasible(&mut self, context: &mut Context<'_, '_>, cube: &[Literal], open: &mut [Open]) -> Answer {
        let condition = context.labels.get(context.label).condition;
        match context.terms.node(condition) {
            Node::Bool(true) => Answer::Sat,
            Node::Bool(false) => Answer::Unsat,
            _ => {
                let premises = self.connected(context, cube, condition);
                self.ask(context, &premises, None, open)
            }
        }
    }

    /// Asks the prover; a model tells about all predicates that are still open.
    fn ask(
        &mut self,
        context: &mut Context<'_, '_>,
        premises: &[Literal],
        wanted: Option<(Term, bool)>,
        open: &mut [Open],
    ) -> Answer {
        // A model of premises that are not all says nothing of the predicates that others have to do with.
        let whole = context.ask_unaffected;
        let mut look = |solver: &mut Z3Solver, terms: &Terms| {
            if !whole {
                return;
            }
            for open in open.iter_mut() {
                if let Some(value) = solver.value(terms, open.wp) {
                    open.seen[usize::from(value != 0)] = true;
                }
            }
        };
        self.prover.ask((context.terms, context.labels, context.predicates), context.label, premises, wanted, &mut look)
    }

    /// Whether the label may change what is known of a predicate: it assigns to its variables, or its guard speaks of them.
    fn affects(&mut self, context: &Context<'_, '_>, predicate: PredicateId, wp: Term) -> bool {
        let guard = self.guard_symbols(context);
        wp != context.predicates.formula(predicate)
            || context.predicates.symbols(predicate).iter().any(|s| guard.binary_search(s).is_ok())
    }

    fn guard_symbols(&mut self, context: &Context<'_, '_>) -> &[Symbol] {
        self.guards.entry(context.label).or_insert_with(|| {
            let mut symbols = context.terms.symbols(context.labels.get(context.label).condition);
            symbols.sort_unstable();
            symbols.dedup();
            symbols
        })
    }

    /// The literals that have to do with a formula or with the guard, directly or through others: as all of them hold
    /// together in some state, the rest cannot help.
    fn connected(&mut self, context: &Context<'_, '_>, cube: &[Literal], formula: Term) -> Vec<Literal> {
        if context.ask_unaffected {
            return cube.to_vec();
        }
        let mut reached: FxHashSet<Symbol> = self.guard_symbols(context).iter().copied().collect();
        reached.extend(context.terms.symbols(formula));
        let taken = spread(context.predicates, cube, &mut reached);
        cube.iter().zip(taken).filter(|(_, taken)| *taken).map(|(l, _)| *l).collect()
    }

    /// The variables that the guard or some formulas have to do with, directly or through literals: of others the label tells nothing
    /// new.
    fn reached(&mut self, context: &Context<'_, '_>, cube: &[Literal], formulas: &[Term]) -> FxHashSet<Symbol> {
        let mut reached: FxHashSet<Symbol> = self.guard_symbols(context).iter().copied().collect();
        reached.extend(context.terms.symbols_of(formulas));
        spread(context.predicates, cube, &mut reached);
        reached
    }

    /// The literals that matter for some of the questions about a label. What is always known of other variables is most of a
    /// conjunction; it would only make each question longer.
    fn that_matter(&mut self, context: &Context<'_, '_>, cube: &[Literal], open: &[Open]) -> Vec<Literal> {
        let wps: Vec<Term> = open.iter().map(|o| o.wp).collect();
        let reached = self.reached(context, cube, &wps);
        let mut literals = cube.to_vec();
        literals.retain(|l| context.predicates.symbols(l.0).is_empty() || context.predicates.touches(l.0, &reached));
        literals
    }

    /// Boolean abstraction: all combinations of truth values that some run along the label ends with. Nothing if there are
    /// too many, or the solver gives up.
    fn boolean(
        &mut self,
        context: &mut Context<'_, '_>,
        region: &Bdd,
        support: &BitSet,
    ) -> Result<Option<Bdd>, Reason> {
        let wps: Vec<(PredicateId, Term)> =
            support.iter().map(|p| p as PredicateId).map(|p| (p, self.wp(context, p))).collect();
        let before = context.predicates.concretise(context.terms, region);
        let asked = context.labels.get(context.label).asked;
        let mut models: Vec<Vec<Literal>> = Vec::new();
        let budget = context.budget;
        let mut calls = 0;
        let complete = self.prover.with_solver(context.terms, context.label, asked, |solver, terms| {
            solver.push();
            solver.assert(terms, before);
            let complete = loop {
                calls += 1;
                let answer = if models.len() < MODELS { solver.check(terms, &[]) } else { Answer::Unknown };
                if answer != Answer::Sat || budget.check().is_err() {
                    break answer == Answer::Unsat;
                }
                let values: Option<Vec<Literal>> =
                    wps.iter().map(|&(p, wp)| Some((p, solver.value(terms, wp)? != 0))).collect();
                let Some(model) = values else { break false };
                let differs: Vec<Term> =
                    wps.iter().zip(&model).map(|(&(_, wp), &(_, v))| if v { terms.not(wp) } else { wp }).collect();
                let differs = terms.any(differs);
                solver.assert(terms, differs);
                models.push(model);
            };
            solver.pop();
            complete
        });
        self.prover.calls.total += calls;
        budget.check()?;
        if !complete {
            return Ok(None);
        }
        let mut union = self.bdds.ff();
        for model in models {
            let cube = self.bdds.cube(&model).map_err(no_room)?;
            union = union.or(&cube).map_err(no_room)?;
        }
        Ok(Some(union))
    }
}

/// Adds the variables of all literals that have to do with some of these, directly or through others. Says which literals these are.
fn spread(predicates: &Predicates, cube: &[Literal], reached: &mut FxHashSet<Symbol>) -> Vec<bool> {
    let mut taken = vec![false; cube.len()];
    loop {
        let before = reached.len();
        for (&(predicate, _), taken) in cube.iter().zip(&mut taken) {
            if !*taken && (predicates.symbols(predicate).is_empty() || predicates.touches(predicate, reached)) {
                *taken = true;
                reached.extend(predicates.symbols(predicate));
            }
        }
        if reached.len() == before {
            return taken;
        }
    }
}

/// The value of a literal's formula in a conjunction, if it has one there.
fn value_in(cube: &[Literal], (predicate, positive): Literal) -> Option<bool> {
    cube.iter().find(|l| l.0 == predicate).map(|l| l.1 == positive)
}

/// The literals that a region implies.
fn common_literals(region: &Bdd) -> Vec<Literal> {
    // A walk over the diagram: at each node, what all paths from it to true have in common.
    fn walk(region: &Bdd, memo: &mut FxHashMap<Bdd, Option<Vec<Literal>>>) -> Option<Vec<Literal>> {
        if let Some(known) = memo.get(region) {
            return known.clone();
        }
        let result = match region.split() {
            None => (!region.is_false()).then(Vec::new),
            Some((predicate, then, otherwise)) => match (walk(&then, memo), walk(&otherwise, memo)) {
                (Some(mut literals), None) => {
                    literals.push((predicate, true));
                    Some(literals)
                }
                (None, Some(mut literals)) => {
                    literals.push((predicate, false));
                    Some(literals)
                }
                (Some(a), Some(b)) => Some(a.into_iter().filter(|l| b.contains(l)).collect()),
                (None, None) => None,
            },
        };
        memo.insert(region.clone(), result.clone());
        result
    }
    let mut literals = walk(region, &mut FxHashMap::default()).unwrap_or_default();
    literals.sort_unstable();
    literals
}
