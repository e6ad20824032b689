//! Systems over the integers as programs.
//!
//! A transition that computes all values it does not leave open is a guarded parallel assignment. One that chooses values
//! which its constraints restrict is taken in two steps: the first assigns inputs to auxiliary variables, the second
//! checks the constraints, moves the values to where they belong, and forgets them.

use clinch_ir::{Assign, Domain, Init, Move, Process, Program, Rhs, Source, Syntax, Transition};
use clinch_terms::{LocId, Node, ProcId, Term, Terms, VarId};

use super::clause::{Clause, TermId, VarIndex};
use super::expr::{Result, Scope, Translator};
use super::facts::{Facts, Role, Step};
use super::names::{Condition, Names};
use super::solve::{Solution, Task, solve};
use crate::junction::{conjunction, disjunction};
use crate::{Input, Numbers};

/// The only process.
const MAIN: ProcId = ProcId(0);

/// A program in the making.
pub(super) struct Builder {
    program: Program,
    /// The argument of `r` that names each transition.
    ids: Vec<String>,
    /// How many auxiliary variables are needed.
    auxiliaries: usize,
    /// The locations inside transitions, each with the one before.
    inner: Vec<(usize, usize)>,
}

impl Builder {
    pub(super) fn new(source: Source) -> Self {
        Builder { program: Program::new(source, Syntax::Armc), ids: Vec::new(), auxiliaries: 0, inner: Vec::new() }
    }

    fn push(&mut self, step: &Step, ends: (usize, usize), guard: &[Term], block: Vec<Assign>) {
        let guard = conjunction(&mut self.program.terms, guard);
        let moves = vec![Move { process: MAIN, from: LocId::from_index(ends.0), to: LocId::from_index(ends.1) }];
        let blocks = if block.is_empty() { Vec::new() } else { vec![block] };
        self.program.transitions.push(Transition { name: String::new(), moves, guard, blocks, span: step.span });
        self.ids.push(step.id.clone());
    }

    /// The step that assigns inputs to auxiliary variables, and the location behind it.
    fn choose(&mut self, facts: &mut Facts, step: &Step, guard: &[Term], aux: &[VarId]) -> usize {
        let name = format!("{}~{}", facts.locations.get_index(step.from).expect("it exists").0, step.id);
        let names = std::iter::once(name.clone()).chain((2..).map(|n| format!("{name}~{n}")));
        let name = { names }.find(|n| !facts.locations.contains_key(n)).expect("there are enough numbers");
        let between = facts.locations.insert_full(name, ()).0;
        self.inner.push((step.from, between));
        let block = aux.iter().map(|&var| Assign { var, index: None, value: Rhs::Input });
        self.push(step, (step.from, between), guard, block.collect());
        between
    }

    /// The values after a step.
    fn assigns(&mut self, step: &Step, values: &[Option<Term>]) -> Vec<Assign> {
        let mut block = Vec::new();
        for (i, after) in step.after.iter().enumerate() {
            let var = VarId::from_index(i);
            let value = match values[after.index()] {
                Some(term) if self.program.terms.node(term) == Node::Var(var) => continue,
                Some(term) => Rhs::Term(term),
                None => Rhs::Input,
            };
            block.push(Assign { var, index: None, value });
        }
        block
    }

    fn formula(&mut self, clause: &Clause<'_>, id: TermId, scope: impl Scope) -> Result<Term> {
        Translator { terms: &mut self.program.terms, clause, numbers: Numbers::Integer, scope }.formula(id)
    }

    fn condition(&mut self, condition: &Condition<'_>) -> Result<Term> {
        let values: Vec<Term> =
            (0..condition.names.shown.len()).map(|i| self.program.terms.var(VarId::from_index(i))).collect();
        let inner = std::mem::take(&mut self.inner);
        let at = |terms: &mut Terms, location| {
            let inside = inner.iter().filter(|(from, _)| *from == location).map(|(_, between)| *between);
            let at: Vec<usize> = std::iter::once(location).chain(inside).collect();
            let at: Vec<Term> = at.into_iter().map(|l| terms.at(MAIN, LocId::from_index(l))).collect();
            disjunction(terms, &at)
        };
        let term = self.formula(condition.clause, condition.id, condition.named(&values, at));
        self.inner = inner;
        term
    }
}

impl super::Translation for Builder {
    fn step(&mut self, clause: &Clause<'_>, facts: &mut Facts, step: &Step) -> Result<()> {
        let width = step.before.len();
        let terms = &mut self.program.terms;
        let known = step.roles.iter().map(|role| match role {
            Role::Before(i) => Some(terms.var(VarId::from_index(*i))),
            _ => None,
        });
        let known = known.collect();
        let mut aux: Vec<VarId> = Vec::new();
        let mut choose = |terms: &mut Terms, _: VarIndex| {
            let var = VarId::from_index(width + aux.len());
            aux.push(var);
            terms.var(var)
        };
        let task = Task { clause, numbers: Numbers::Integer, constraints: &step.constraints, known };
        let Solution { values, guard } = solve(terms, task, &mut choose)?;
        let mut block = self.assigns(step, &values);
        if aux.is_empty() {
            self.push(step, (step.from, step.to), &guard, block);
            return Ok(());
        }
        self.auxiliaries = self.auxiliaries.max(aux.len());
        let early = |g: &Term| self.program.terms.vars(*g).iter().all(|v| v.index() < width);
        let (early, late): (Vec<Term>, Vec<Term>) = guard.into_iter().partition(early);
        let between = self.choose(facts, step, &early, &aux);
        let zero = self.program.terms.int(0);
        block.extend(aux.iter().map(|&var| Assign { var, index: None, value: Rhs::Term(zero) }));
        self.push(step, (between, step.to), &late, block);
        Ok(())
    }

    fn predicate(&mut self, clause: &Clause<'_>, vars: &[VarIndex], id: TermId) -> Result<()> {
        let term = self.formula(clause, id, Positions(vars))?;
        self.program.predicates.push(term);
        Ok(())
    }

    fn declare(&mut self, facts: &Facts, names: &Names) {
        for name in &names.shown {
            self.program.add_var(name.clone(), Domain::Unbounded, None, vec![Init::Any]);
        }
        for i in 1..=self.auxiliaries {
            let name = names.fresh(&format!("_{i}"));
            self.program.add_var(name, Domain::Unbounded, None, vec![Init::Value(0)]);
        }
        let locations: Vec<String> = facts.locations.keys().cloned().collect();
        for (transition, id) in self.program.transitions.iter_mut().zip(&self.ids) {
            transition.name = match (facts.statements.get(id), &transition.moves[..]) {
                (Some(text), _) => format!("{id}: {text}"),
                (None, moves) => {
                    let ends = moves.iter().map(|m| [m.from, m.to].map(|l| locations[l.index()].as_str()).join(" -> "));
                    format!("{id}: {}", ends.collect::<String>())
                }
            };
        }
        let initial = LocId::from_index(facts.start.expect("it was checked"));
        self.program.processes.push(Process { name: "main".to_owned(), locations, initial });
    }

    fn error_locations(&mut self, facts: &Facts) {
        let terms = &mut self.program.terms;
        let at: Vec<Term> = facts.errors.iter().map(|l| terms.at(MAIN, LocId::from_index(*l))).collect();
        self.program.property.error = Some(disjunction(terms, &at));
    }

    fn error_condition(&mut self, condition: &Condition<'_>) -> Result<()> {
        self.program.property.error = Some(self.condition(condition)?);
        Ok(())
    }

    fn named_predicate(&mut self, condition: &Condition<'_>) -> Result<()> {
        let term = self.condition(condition)?;
        self.program.predicates.push(term);
        Ok(())
    }

    fn finish(self) -> Input {
        Input::Program(Box::new(self.program))
    }
}

/// The variables of `data(...)`, in order.
pub(super) struct Positions<'a>(pub(super) &'a [VarIndex]);

impl Scope for Positions<'_> {
    fn variable(&mut self, terms: &mut Terms, _: &Clause<'_>, var: VarIndex) -> Option<Term> {
        let position = self.0.iter().position(|v| *v == var)?;
        Some(terms.var(VarId::from_index(position)))
    }
}
