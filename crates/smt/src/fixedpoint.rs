//! Z3's own engine for Horn clauses, Spacer.
//!
//! [`solve`] gives the clauses to Z3 as one would on its command line, and reads the formulas of its model. [`refute`] asks
//! the fixed-point engine without those transformations that remove predicates, for a ground derivation of the
//! contradiction.

use std::time::Duration;

use clinch_ir::{Application, Clause, HornSystem, PredId};
use clinch_terms::{Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use z3::ast::{Ast, AstKind, Bool, Dynamic, forall_const};
use z3::{DeclKind, Fixedpoint, FuncDecl, Goal, Model, Params, SatResult, Tactic};

use crate::decode::{self, Names};
use crate::encode::{Encoder, symbol_constant, z3_sort};
use crate::{interrupt, work};

/// How many milliseconds one formula may take to lose its quantifiers.
const PATIENCE: u32 = 500;

/// What becomes of quantifiers in a model. Z3 describes a predicate that it inlined by what it was defined from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifiers {
    /// Formulas with some cannot be read.
    Unreadable,
    /// They are eliminated, where that is possible soon.
    Eliminated,
}

/// What Z3 says of clauses.
#[derive(Clone, Debug)]
pub enum HornAnswer {
    /// They have a solution: a formula for each predicate over its parameters. There may be several candidates, and none
    /// if a formula has no counterpart here, such as quantifiers that cannot be eliminated.
    Sat(Vec<Vec<Term>>),
    /// They contradict each other.
    Unsat,
    /// It gave up, and says why.
    Unknown(String),
}

/// What the fixed-point engine says of clauses.
#[derive(Clone, Debug)]
pub enum Refutation {
    /// Facts, premises before conclusions; the last one leads to the contradiction. None where the derivation is not about
    /// the predicates of the system.
    Facts(Option<Vec<Fact>>),
    /// There is none, and these formulas are a solution, if they can be read.
    Solution(Option<Vec<Term>>),
    /// It gave up, and says why.
    Unknown(String),
}

/// A fact of a derivation.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The predicate; none for the contradiction.
    pub predicate: Option<PredId>,
    /// The values of its arguments.
    pub args: Vec<Value>,
    /// The facts it follows from, by position.
    pub premises: Vec<usize>,
}

/// Decides clauses with Z3's defaults. Formulas of a solution are made in `terms`, which extends the system's store.
pub fn solve(system: &HornSystem, terms: &mut Terms, quantifiers: Quantifiers, limit: Option<Duration>) -> HornAnswer {
    interrupt::register();
    let clauses = Clauses::new(system);
    let Some(solver) = z3::Solver::new_for_logic("HORN") else {
        return HornAnswer::Unknown("Z3 has no engine for Horn clauses".to_owned());
    };
    let mut params = interrupt::params();
    set_timeout(&mut params, limit);
    solver.set_params(&params);
    for clause in &system.clauses {
        solver.assert(clauses.rule(clause, None));
    }
    let answer = solver.check();
    work::asked();
    match answer {
        SatResult::Sat => {
            let Some(model) = solver.get_model() else { return HornAnswer::Sat(Vec::new()) };
            // What Z3 found not to matter, matters once the clauses it removed are back.
            let read = |other| clauses.solution(terms, &model, quantifiers, other);
            let candidates = [false, true].into_iter().filter_map(read);
            HornAnswer::Sat(candidates.collect())
        }
        SatResult::Unsat => HornAnswer::Unsat,
        SatResult::Unknown => HornAnswer::Unknown(solver.get_reason_unknown().unwrap_or_default()),
    }
}

/// Looks for a contradiction, with all predicates kept.
pub fn refute(system: &HornSystem, terms: &mut Terms, limit: Option<Duration>) -> Refutation {
    interrupt::register();
    let clauses = Clauses::new(system);
    let engine = Fixedpoint::new();
    engine.set_params(&plain(limit));
    let query = FuncDecl::new("contradiction", &[], &z3::Sort::bool());
    engine.register_relation(&query);
    clauses.predicates.iter().for_each(|p| engine.register_relation(p));
    for clause in &system.clauses {
        engine.add_rule(&clauses.rule(clause, Some(&query)), None);
    }
    let answer = engine.query(&query.apply(&[]));
    work::asked();
    match answer {
        SatResult::Sat => {
            let proof = engine.get_answer();
            Refutation::Facts(proof.and_then(|proof| clauses.facts(&Dynamic::from_ast(&proof))))
        }
        SatResult::Unsat => Refutation::Solution(clauses.covers(terms, &engine)),
        SatResult::Unknown => Refutation::Unknown(engine.get_reason_unknown()),
    }
}

/// No transformation that renames predicates or removes them, also not from single clauses.
fn plain(limit: Option<Duration>) -> Params {
    const OFF: [&str; 7] = [
        "xform.slice",
        "xform.inline_eager",
        "xform.inline_linear",
        "xform.compress_unbound",
        "xform.coi",
        "xform.subsumption_checker",
        "datalog.subsumption",
    ];
    let mut params = interrupt::params();
    params.set_symbol("engine", "spacer");
    OFF.iter().for_each(|&transformation| params.set_bool(transformation, false));
    set_timeout(&mut params, limit);
    params
}

fn set_timeout(params: &mut Params, limit: Option<Duration>) {
    if let Some(limit) = limit {
        work::limit(params, 0, u32::try_from(limit.as_millis()).unwrap_or(u32::MAX).max(1));
    }
}

/// Clauses as Z3 sees them.
struct Clauses<'a> {
    system: &'a HornSystem,
    predicates: Vec<FuncDecl>,
    by_name: FxHashMap<String, PredId>,
}

impl<'a> Clauses<'a> {
    fn new(system: &'a HornSystem) -> Self {
        // Numbered, because names may repeat and may be anything.
        let name = |id: PredId| format!("{}!{}", system.predicate(id).name, id.index());
        let declare = |id: PredId| {
            let params = system.predicate(id).params.iter();
            let sorts: Vec<z3::Sort> = params.map(|&p| z3_sort(system.terms.symbol_sort(p))).collect();
            FuncDecl::new(name(id), &sorts.iter().collect::<Vec<_>>(), &z3::Sort::bool())
        };
        Clauses {
            system,
            predicates: system.predicate_ids().map(declare).collect(),
            by_name: system.predicate_ids().map(|id| (name(id), id)).collect(),
        }
    }

    /// The clause as a closed formula; what has no head leads to `query`, or to false.
    fn rule(&self, clause: &Clause, query: Option<&FuncDecl>) -> Bool {
        let mut encoder = Encoder::default();
        let mut body: Vec<Bool> = clause.body.iter().map(|a| self.application(&mut encoder, a)).collect();
        body.push(encoder.term(&self.system.terms, clause.constraint).bool());
        let head = match (&clause.head, query) {
            (Some(head), _) => self.application(&mut encoder, head),
            (None, Some(query)) => query.apply(&[]).as_bool().expect("a predicate"),
            (None, None) => Bool::from_bool(false),
        };
        let implication = Bool::and(&body).implies(&head);
        let vars = clause.vars.iter().map(|&v| symbol_constant(&self.system.terms, v).dynamic());
        let vars: Vec<Dynamic> = vars.collect();
        forall_const(&vars.iter().map(|v| v as &dyn Ast).collect::<Vec<_>>(), &[], &implication)
    }

    fn application(&self, encoder: &mut Encoder, application: &Application) -> Bool {
        let params = &self.system.predicate(application.predicate).params;
        let terms = &self.system.terms;
        let args = application.args.iter().zip(params);
        let args = args.map(|(&arg, &param)| encoder.term(terms, arg).of_sort(terms.symbol_sort(param)));
        let args: Vec<Dynamic> = args.collect();
        let applied = self.predicates[application.predicate.index()]
            .apply(&args.iter().map(|a| a as &dyn Ast).collect::<Vec<_>>());
        applied.as_bool().expect("a predicate")
    }

    /// The formulas of a model, `other` where it has none.
    fn solution(&self, terms: &mut Terms, model: &Model, quantifiers: Quantifiers, other: bool) -> Option<Vec<Term>> {
        let formula = |id| match model.has_interp(&self.predicates[id]) {
            true => self.interpretation(terms, model, quantifiers, PredId::from_index(id)),
            false => Some(terms.bool(other)),
        };
        (0..self.predicates.len()).map(formula).collect()
    }

    fn interpretation(&self, terms: &mut Terms, model: &Model, quantifiers: Quantifiers, id: PredId) -> Option<Term> {
        let predicate = &self.predicates[id.index()];
        let constants: Vec<Dynamic> = self.params(id).collect();
        let applied = predicate.apply(&constants.iter().map(|c| c as &dyn Ast).collect::<Vec<_>>());
        let expr = model.eval(&applied, false)?;
        let expr = match quantifiers {
            Quantifiers::Eliminated if has_quantifier(&expr) => without_quantifiers(&expr)?,
            _ => expr,
        };
        let params = self.system.predicate(id).params.iter().zip(&constants);
        let names = params.map(|(&p, c)| (c.decl().name(), terms.symbol(p))).collect();
        decode::term(terms, &expr, Names { constants: &names, bound: &[] })
    }

    fn params(&self, id: PredId) -> impl Iterator<Item = Dynamic> + '_ {
        self.system.predicate(id).params.iter().map(|&p| symbol_constant(&self.system.terms, p).dynamic())
    }

    /// The inductive formulas of the fixed-point engine.
    fn covers(&self, terms: &mut Terms, engine: &Fixedpoint) -> Option<Vec<Term>> {
        let cover = |id: PredId| {
            let expr = engine.get_cover_delta(-1, &self.predicates[id.index()])?;
            let params = self.system.predicate(id).params.iter();
            let params: Vec<Term> = params.map(|&p| terms.symbol(p)).collect();
            let names = Names { constants: &FxHashMap::default(), bound: &params };
            decode::term(terms, &Dynamic::from_ast(&expr), names)
        };
        self.system.predicate_ids().map(cover).collect()
    }

    /// The facts of a proof by hyper-resolution.
    fn facts(&self, proof: &Dynamic) -> Option<Vec<Fact>> {
        let mut facts = Vec::new();
        let mut known: FxHashMap<Dynamic, usize> = FxHashMap::default();
        let root = resolution(proof)?;
        let mut waiting = vec![root];
        while let Some(node) = waiting.last() {
            if known.contains_key(node) {
                waiting.pop();
                continue;
            }
            let (premises, conclusion) = parts(node)?;
            let open: Vec<Dynamic> = premises.iter().filter(|p| !known.contains_key(*p)).cloned().collect();
            if open.is_empty() {
                let premises = premises.iter().map(|p| known[p]).collect();
                facts.push(self.fact(&conclusion, premises)?);
                known.insert(node.clone(), facts.len() - 1);
                waiting.pop();
            } else {
                waiting.extend(open);
            }
        }
        Some(without_queries(facts))
    }

    fn fact(&self, conclusion: &Dynamic, premises: Vec<usize>) -> Option<Fact> {
        let predicate = self.by_name.get(&conclusion.safe_decl().ok()?.name()).copied();
        if predicate.is_none() && conclusion.num_children() > 0 {
            return None;
        }
        let args = conclusion.children().iter().map(decode::value).collect::<Option<Vec<_>>>()?;
        Some(Fact { predicate, args, premises })
    }
}

/// Whether a quantifier occurs in the expression.
fn has_quantifier(expr: &Dynamic) -> bool {
    let mut seen: FxHashSet<Dynamic> = FxHashSet::default();
    let mut waiting = vec![expr.clone()];
    while let Some(next) = waiting.pop() {
        if next.kind() == AstKind::Quantifier {
            return true;
        }
        if seen.insert(next.clone()) {
            waiting.extend(next.children());
        }
    }
    false
}

/// An equivalent formula without quantifiers, if Z3 finds one soon.
fn without_quantifiers(expr: &Dynamic) -> Option<Dynamic> {
    let goal = Goal::new(false, false, false);
    goal.assert(&expr.as_bool()?);
    let result = work::apply(&Tactic::new("qe2"), &goal, PATIENCE)?;
    // Several goals would be a disjunction.
    let [goal] = &result.list_subgoals().collect::<Vec<Goal>>()[..] else { return None };
    Some(Bool::and(&goal.get_formulas()).into())
}

/// The resolution at the root, below the last step from it to false.
fn resolution(proof: &Dynamic) -> Option<Dynamic> {
    let mut node = proof.clone();
    while node.safe_decl().ok()?.kind() == DeclKind::PrModusPonens {
        node = node.nth_child(0)?;
    }
    Some(node)
}

/// The derivations a step uses, and what it derives.
fn parts(node: &Dynamic) -> Option<(Vec<Dynamic>, Dynamic)> {
    if node.safe_decl().ok()?.kind() != DeclKind::PrHyperResolve {
        return None;
    }
    let mut children = node.children();
    let conclusion = children.pop()?;
    let used = |c: &Dynamic| c.safe_decl().is_ok_and(|d| d.kind() == DeclKind::PrHyperResolve);
    Some((children.into_iter().filter(used).collect(), conclusion))
}

/// Z3 derives "the query" from the contradiction, perhaps in several steps: only the first of them is kept.
fn without_queries(mut facts: Vec<Fact>) -> Vec<Fact> {
    if let Some(first) = facts.iter().position(|f| f.predicate.is_none()) {
        facts.truncate(first + 1);
    }
    facts
}
