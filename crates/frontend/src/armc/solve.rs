//! What a transition does: which values it computes, which it chooses, and when it may be taken.
//!
//! The constraints of a transition relate values before and after it, in any form. An equation in which one value is not
//! yet known defines it (`X1 = X + 1`, but also `X = X1 - 1`, and one after the other `X1 = X, Y1 = X1 + Y`). Where no
//! equation does, a value is *chosen*: it stays a variable of its own, and all constraints that are no definitions must
//! hold for it. A value that no constraint mentions is left open.

use std::collections::VecDeque;

use clinch_terms::{Term, Terms};
use num_rational::BigRational;
use num_traits::{One, Signed};

use super::clause::{Clause, Shape, TermId, VarIndex};
use super::expr::{Relation, Result, Scope, Translator, comparison, has_fraction, linear};
use crate::Numbers;

/// Definitions beyond this size are not substituted into each other: what they define is chosen instead.
const MOST: Size = Size { nodes: 2000, depth: 300 };

/// The constraints of a transition, solved.
pub(super) struct Solution {
    /// The value of each variable of the clause; `None`: any.
    pub(super) values: Vec<Option<Term>>,
    /// What must hold.
    pub(super) guard: Vec<Term>,
}

/// What is to be solved.
pub(super) struct Task<'a, 's> {
    pub(super) clause: &'a Clause<'s>,
    pub(super) numbers: Numbers,
    pub(super) constraints: &'a [TermId],
    /// The terms of the variables that are known before.
    pub(super) known: Vec<Option<Term>>,
}

/// Solves the constraints; `choose` makes the term of a value that is chosen.
pub(super) fn solve(
    terms: &mut Terms,
    task: Task<'_, '_>,
    choose: &mut dyn FnMut(&mut Terms, VarIndex) -> Term,
) -> Result<Solution> {
    let mut solver = Solver::new(terms, task);
    solver.define_all()?;
    for var in solver.clause.var_indices() {
        if solver.values[var.index()].is_none() && solver.uses[var.index()].iter().any(|c| !solver.items[*c].done) {
            let term = choose(solver.terms, var);
            solver.set(var, term, Size { nodes: 1, depth: 1 });
            solver.define_all()?;
        }
    }
    let left: Vec<TermId> = solver.items.iter().filter(|c| !c.done).map(|c| c.id).collect();
    let guard = left.into_iter().map(|id| solver.translator().formula(id)).collect::<Result<_>>()?;
    Ok(Solution { values: solver.values, guard })
}

/// How large a term is, written out.
#[derive(Clone, Copy, Default, Debug)]
struct Size {
    nodes: usize,
    depth: u32,
}

/// A constraint.
struct Item {
    id: TermId,
    /// Its sides, if it is an equation.
    equation: Option<(TermId, TermId)>,
    vars: Vec<VarIndex>,
    /// How many of them are not known yet.
    unknown: usize,
    /// Whether it became a definition.
    done: bool,
}

struct Solver<'a, 's> {
    terms: &'a mut Terms,
    clause: &'a Clause<'s>,
    numbers: Numbers,
    values: Vec<Option<Term>>,
    sizes: Vec<Size>,
    items: Vec<Item>,
    /// The constraints each variable occurs in.
    uses: Vec<Vec<usize>>,
    /// Equations that may define something.
    queue: VecDeque<usize>,
}

impl<'a, 's> Solver<'a, 's> {
    fn new(terms: &'a mut Terms, task: Task<'a, 's>) -> Self {
        let Task { clause, numbers, constraints, known: values } = task;
        let mut uses = vec![Vec::new(); values.len()];
        let (mut items, mut queue) = (Vec::new(), VecDeque::new());
        for (i, &id) in constraints.iter().enumerate() {
            let vars = clause.vars_of(id);
            vars.iter().for_each(|v| uses[v.index()].push(i));
            let unknown = vars.iter().filter(|v| values[v.index()].is_none()).count();
            let equation = comparison(clause, id).filter(|c| c.0 == Relation::Equal).map(|(_, a, b)| (a, b));
            if unknown == 1 && equation.is_some() {
                queue.push_back(i);
            }
            items.push(Item { id, equation, vars, unknown, done: false });
        }
        let sizes = vec![Size { nodes: 1, depth: 1 }; values.len()];
        Solver { terms, clause, numbers, values, sizes, items, uses, queue }
    }

    /// Makes definitions of equations, as long as there are some.
    fn define_all(&mut self) -> Result<()> {
        while let Some(i) = self.queue.pop_front() {
            let item = &self.items[i];
            let (Some((a, b)), 1) = (item.equation, item.unknown) else { continue };
            let unknown = item.vars.iter().find(|v| self.values[v.index()].is_none());
            let var = *unknown.expect("one variable is not known");
            if let Some((term, size)) = self.definition(var, a, b)? {
                self.items[i].done = true;
                self.set(var, term, size);
            }
        }
        Ok(())
    }

    fn set(&mut self, var: VarIndex, term: Term, size: Size) {
        self.values[var.index()] = Some(term);
        self.sizes[var.index()] = size;
        for &i in &self.uses[var.index()] {
            let item = &mut self.items[i];
            item.unknown -= 1;
            if item.unknown == 1 && item.equation.is_some() {
                self.queue.push_back(i);
            }
        }
    }

    /// The value an equation gives to the one variable in it that is not known.
    fn definition(&mut self, var: VarIndex, a: TermId, b: TermId) -> Result<Option<(Term, Size)>> {
        for (side, other) in [(a, b), (b, a)] {
            let bare = *self.clause.shape(side) == Shape::Variable(var);
            if bare && !self.clause.vars_of(other).contains(&var) && !has_fraction(self.clause, other) {
                let size = self.size(other);
                if size.nodes > MOST.nodes || size.depth > MOST.depth {
                    return Ok(None);
                }
                return Ok(Some((self.translator().number(other)?, size)));
            }
        }
        // What is no sum is reported, if it must be, when it is translated as a constraint.
        let (Ok(left), Ok(right)) = (linear(self.clause, a), linear(self.clause, b)) else { return Ok(None) };
        let difference = left.plus(&right, &-BigRational::one());
        let coefficient = difference.coefficient(var);
        if !coefficient.abs().is_one() {
            return Ok(None);
        }
        let rest = difference.plus(&super::linear::Linear::variable(var), &-coefficient.clone());
        let value = rest.times(&-coefficient);
        let (x, y) = (self.size(a), self.size(b));
        let size = Size { nodes: x.nodes.saturating_add(y.nodes), depth: x.depth + y.depth };
        if !value.is_integral() || size.nodes > MOST.nodes || size.depth > MOST.depth {
            return Ok(None);
        }
        Ok(Some((self.translator().sum(&value)?, size)))
    }

    /// The size of an arithmetic term with the values of its variables put in.
    fn size(&self, id: TermId) -> Size {
        match self.clause.shape(id) {
            Shape::Variable(var) => self.sizes[var.index()],
            Shape::Compound(_, args) => {
                args.iter().map(|a| self.size(*a)).fold(Size { nodes: 1, depth: 1 }, |all, s| Size {
                    nodes: all.nodes.saturating_add(s.nodes),
                    depth: all.depth.max(s.depth + 1),
                })
            }
            _ => Size { nodes: 1, depth: 1 },
        }
    }

    fn translator(&mut self) -> Translator<'_, 's, Values<'_>> {
        Translator { terms: self.terms, clause: self.clause, numbers: self.numbers, scope: Values(&self.values) }
    }
}

/// The values of variables, by their index.
struct Values<'a>(&'a [Option<Term>]);

impl Scope for Values<'_> {
    fn variable(&mut self, _: &mut Terms, _: &Clause<'_>, var: VarIndex) -> Option<Term> {
        self.0[var.index()]
    }
}
