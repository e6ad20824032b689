//! The facts of a system, one after the other.

use std::sync::Arc;

use clinch_ir::{Source, Span};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::clause::{Clause, Shape, TermId, VarIndex};
use super::expr::{Fail, Result, conjuncts, unsupported};
use crate::diagnostic::Problem;
use crate::lexer::shorten;

/// Facts that say what the system is; rules for them have no meaning here.
const MEANINGFUL: &[&str] = &["r", "start", "error", "preds", "var2names", "stmtsrc", "implicit_updates"];

/// Where a variable of a transition stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// It is the value of a variable of the system before the step.
    Before(usize),
    /// The value after it.
    After(usize),
    /// Neither: some value for which the constraints hold.
    Auxiliary,
}

/// A transition as the text has it.
pub(super) struct Step {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Its last argument.
    pub(super) id: String,
    /// The roles of the variables of the clause.
    pub(super) roles: Vec<Role>,
    /// The variable of the clause that is each variable of the system before the step.
    pub(super) before: Vec<VarIndex>,
    /// The same, after it.
    pub(super) after: Vec<VarIndex>,
    pub(super) constraints: Vec<TermId>,
    pub(super) span: Span,
}

/// What has been read so far.
#[derive(Default)]
pub(super) struct Facts {
    /// The locations, by their text.
    pub(super) locations: IndexMap<String, ()>,
    pub(super) start: Option<usize>,
    pub(super) errors: Vec<usize>,
    /// How many variables there are, once it is known.
    pub(super) width: Option<usize>,
    /// Names by `var2names`.
    pub(super) names: Vec<Option<String>>,
    /// Names in the first transition, where they are variables.
    pub(super) fallback_names: Vec<Option<String>>,
    /// The texts of transitions.
    pub(super) statements: FxHashMap<String, String>,
    pub(super) transitions: usize,
}

/// What a fact says that cannot be kept without its clause.
pub(super) enum Said {
    /// Nothing more.
    Nothing,
    /// There is a transition.
    Step(Step),
    /// There are predicates to start from: variables of the clause that are variables of the system, and the constraints.
    Predicates(Vec<VarIndex>, Vec<TermId>),
}

impl Facts {
    /// Takes in a clause.
    pub(super) fn read(&mut self, clause: &mut Clause<'_>, id: TermId) -> Result<Said> {
        let Some((name, args)) = clause.functor(id) else {
            return Err(Problem::new(clause.span(id), "expected a fact").into());
        };
        let args = args.to_vec();
        match (name, &args[..]) {
            (":-", [goal]) => return check_directive(clause, *goal).map(|()| Said::Nothing),
            (":-" | "-->", [head, ..]) => return check_rule(clause, *head).map(|()| Said::Nothing),
            ("r", &[from, to, guards, updates, id]) => {
                return self.step(clause, [from, to, guards, updates, id]).map(Said::Step);
            }
            ("start", &[pc]) => self.start(clause, pc)?,
            ("error", &[pc]) => {
                let location = self.location(clause, pc)?;
                self.errors.push(location);
            }
            ("preds", &[point, list]) => return self.predicates(clause, point, list),
            ("var2names", &[point, list]) => self.variable_names(clause, point, list)?,
            ("stmtsrc", &[id, text]) => {
                let text = match clause.shape(text) {
                    Shape::Atom(name) => name.clone().into_owned(),
                    _ => clause.show(text),
                };
                self.statements.insert(clause.show(id), text);
            }
            ("implicit_updates", []) => return Err(unsupported(clause.span(id), "`implicit_updates`")),
            ("r", args) => return Err(wrong_count(clause, id, "r", 5, args.len())),
            ("start" | "error", args) => return Err(wrong_count(clause, id, "start and error", 1, args.len())),
            ("preds" | "var2names" | "stmtsrc", args) => return Err(wrong_count(clause, id, "it", 2, args.len())),
            _ => {}
        }
        Ok(Said::Nothing)
    }

    fn start(&mut self, clause: &Clause<'_>, pc: TermId) -> Result<()> {
        let location = self.location(clause, pc)?;
        match self.start.replace(location) {
            Some(old) if old != location => {
                let message = "there is more than one start location";
                Err(Problem::new(clause.span(pc), message).label("second start location").into())
            }
            _ => Ok(()),
        }
    }

    /// The location of `pc(L)`.
    fn location(&mut self, clause: &Clause<'_>, id: TermId) -> Result<usize> {
        let Some(("pc", &[location])) = clause.functor(id) else {
            return Err(expected(clause, id, "a location `pc(L)`"));
        };
        if !clause.vars_of(location).is_empty() {
            return Err(unsupported(clause.span(location), "a location with variables"));
        }
        Ok(self.locations.insert_full(clause.show(location), ()).0)
    }

    /// The location and the variables of `p(pc(L), data(...))`.
    fn point(&mut self, clause: &Clause<'_>, id: TermId) -> Result<(TermId, Vec<TermId>)> {
        let Some(("p", &[pc, data])) = clause.functor(id) else {
            return Err(expected(clause, id, "a state `p(pc(L), data(...))`"));
        };
        let Some(("data", values)) = clause.functor(data) else {
            return Err(expected(clause, data, "the variables `data(...)`"));
        };
        let width = *self.width.get_or_insert(values.len());
        if width != values.len() {
            let message = format!("the system has {width} variables, here are {}", values.len());
            return Err(Problem::new(clause.span(data), message).into());
        }
        Ok((pc, values.to_vec()))
    }

    fn step(&mut self, clause: &mut Clause<'_>, args: [TermId; 5]) -> Result<Step> {
        let [from, to, guards, updates, id] = args;
        let span = crate::expr::join(clause.span(from), clause.span(id));
        let (from, before) = self.point(clause, from)?;
        let (to, after) = self.point(clause, to)?;
        let (from, to) = (self.location(clause, from)?, self.location(clause, to)?);
        if self.fallback_names.is_empty() {
            let name = |v: &TermId| match clause.shape(*v) {
                Shape::Variable(v) => Some(clause.vars()[v.index()].name.to_owned()).filter(|n| n != "_"),
                _ => None,
            };
            self.fallback_names = before.iter().map(name).collect();
        }
        let mut roles = vec![None; clause.vars().len()];
        let mut constraints = Vec::new();
        let before = bind(clause, &before, Role::Before, &mut roles, &mut constraints);
        let after = bind(clause, &after, Role::After, &mut roles, &mut constraints);
        for list in [guards, updates] {
            if !matches!(clause.shape(list), Shape::List(..)) {
                return Err(expected(clause, list, "a list of constraints"));
            }
            conjuncts(clause, list, &mut constraints)?;
        }
        check_singletons(clause, &roles)?;
        self.transitions += 1;
        let roles = roles.into_iter().map(|r| r.unwrap_or(Role::Auxiliary)).collect();
        Ok(Step { from, to, id: clause.show(id), roles, before, after, constraints, span })
    }

    fn predicates(&mut self, clause: &mut Clause<'_>, point: TermId, list: TermId) -> Result<Said> {
        let (_, values) = self.point(clause, point)?;
        let vars = distinct_variables(clause, &values)?;
        let Shape::List(items, None) = clause.shape(list) else {
            return Err(expected(clause, list, "a list of predicates"));
        };
        Ok(Said::Predicates(vars, items.clone()))
    }

    fn variable_names(&mut self, clause: &Clause<'_>, point: TermId, list: TermId) -> Result<()> {
        let (_, values) = self.point(clause, point)?;
        let vars = distinct_variables(clause, &values)?;
        let Shape::List(items, None) = clause.shape(list) else {
            return Err(expected(clause, list, "a list of pairs `(X, 'name')`"));
        };
        let mut names = vec![None; vars.len()];
        for &item in items {
            let pair = match clause.shape(item) {
                Shape::Compound(name, args) if name == "," || name == "-" || name == "=" => args.as_slice(),
                _ => &[],
            };
            let &[var, name] = pair else { return Err(expected(clause, item, "a pair `(X, 'name')`")) };
            let position = match clause.shape(var) {
                Shape::Variable(var) => vars.iter().position(|v| v == var),
                _ => None,
            };
            let Some(position) = position else { return Err(expected(clause, var, "one of the variables of `data`")) };
            names[position] = Some(match clause.shape(name) {
                Shape::Atom(name) => name.clone().into_owned(),
                Shape::Text(text) => text.trim_matches('"').to_owned(),
                _ => return Err(expected(clause, name, "a name")),
            });
        }
        self.names = names;
        Ok(())
    }

    /// Reports what is missing.
    pub(super) fn check_complete(&self, source: &Source) -> std::result::Result<(), Problem> {
        let end = Span { start: source.text.len() as u32, end: source.text.len() as u32 };
        if self.start.is_none() {
            return Err(Problem::new(end, "the system has no start location").help("write `start(pc(L)).`"));
        }
        if self.transitions == 0 {
            let help = "write `r(p(pc(L), data(X)), p(pc(M), data(Y)), [X >= 0], [Y = X + 1], 1).`";
            return Err(Problem::new(end, "the system has no transitions").help(help));
        }
        Ok(())
    }
}

/// Gives each position its variable. What is no new variable becomes an equation.
fn bind(
    clause: &mut Clause<'_>,
    values: &[TermId],
    role: fn(usize) -> Role,
    roles: &mut Vec<Option<Role>>,
    constraints: &mut Vec<TermId>,
) -> Vec<VarIndex> {
    let mut vars = Vec::with_capacity(values.len());
    for (i, &value) in values.iter().enumerate() {
        let own = match clause.shape(value) {
            Shape::Variable(var) if roles[var.index()].is_none() => Some(*var),
            _ => None,
        };
        let var = own.unwrap_or_else(|| {
            let span = clause.span(value);
            let var = clause.fresh("_", span);
            roles.push(None);
            let place = clause.add(Shape::Variable(var), span);
            constraints.push(clause.add(Shape::Compound("=".into(), vec![place, value]), span));
            var
        });
        roles[var.index()] = Some(role(i));
        vars.push(var);
    }
    vars
}

/// A variable that occurs once, and not as a value of the state, is a slip of the pen.
fn check_singletons(clause: &Clause<'_>, roles: &[Option<Role>]) -> Result<()> {
    let mut alone = clause.vars().iter().zip(roles).filter(|(var, role)| role.is_none() && var.occurrences == 1);
    match alone.find(|(var, _)| !var.is_anonymous()) {
        None => Ok(()),
        Some((var, _)) => {
            let message = format!("`{}` is no variable of the transition: it occurs only here", var.name);
            Err(Problem::new(var.span, message).help("write `_` for any value").into())
        }
    }
}

fn distinct_variables(clause: &Clause<'_>, values: &[TermId]) -> Result<Vec<VarIndex>> {
    let mut vars: Vec<VarIndex> = Vec::with_capacity(values.len());
    let mut seen = vec![false; clause.vars().len()];
    for &value in values {
        match clause.shape(value) {
            Shape::Variable(var) if !std::mem::replace(&mut seen[var.index()], true) => vars.push(*var),
            _ => return Err(expected(clause, value, "a variable of its own for each variable of the system")),
        }
    }
    Ok(vars)
}

fn check_directive(clause: &Clause<'_>, goal: TermId) -> Result<()> {
    match clause.functor(goal) {
        Some((name @ ("op" | "include" | "consult" | "ensure_loaded"), [_, ..])) => {
            Err(unsupported(clause.span(goal), &format!("the directive `{name}`")))
        }
        _ => Ok(()),
    }
}

fn check_rule(clause: &Clause<'_>, head: TermId) -> Result<()> {
    match clause.functor(head) {
        Some((name, _)) if MEANINGFUL.contains(&name) => {
            Err(unsupported(clause.span(head), &format!("a rule for `{name}`: only facts are read")))
        }
        _ => Ok(()),
    }
}

fn expected(clause: &Clause<'_>, id: TermId, wanted: &str) -> Fail {
    let found = shorten(&clause.show(id));
    Problem::new(clause.span(id), format!("expected {wanted}, found `{found}`")).into()
}

fn wrong_count(clause: &Clause<'_>, id: TermId, what: &str, wanted: usize, found: usize) -> Fail {
    let arguments = if wanted == 1 { "argument" } else { "arguments" };
    Problem::new(clause.span(id), format!("{what} must have {wanted} {arguments}, here are {found}")).into()
}

/// The first unsupported thing, kept until it is clear that nothing is wrong.
pub(super) struct Unsupported {
    pub(super) source: Arc<Source>,
    pub(super) problem: Problem,
}
