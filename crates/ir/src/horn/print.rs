//! Horn clauses, their solutions and their refutations in SMT-LIB.

use std::sync::Arc;

use clinch_terms::Sort;
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::show::{Body, Names, Unprintable, show_value};
use rustc_hash::FxHashSet;

use super::{Application, Clause, Derivation, DerivationStep, HornSystem, Interpretation, PredId};

/// The clauses as a script: declarations, one assertion per clause, `check-sat`.
pub fn to_smtlib(system: &HornSystem) -> Result<String, Unprintable> {
    let printer = Printer::new(system);
    let mut out = "(set-logic HORN)\n\n".to_owned();
    for id in system.predicate_ids() {
        let sorts: Vec<String> = printer.sorts(id).map(Sort::to_string).collect();
        out += &format!("(declare-fun {} ({}) Bool)\n", printer.predicates[id.index()], sorts.join(" "));
    }
    out.push('\n');
    for clause in &system.clauses {
        out += &printer.assertion(clause)?;
        out.push('\n');
    }
    out.push_str("\n(check-sat)\n");
    Ok(out)
}

/// The solution as a model: a list of definitions, one for each predicate.
pub fn model_to_smtlib(system: &HornSystem, solution: &Interpretation) -> Result<String, Unprintable> {
    let printer = Printer::new(system);
    let mut out = "(\n".to_owned();
    for (id, &formula) in system.predicate_ids().zip(&solution.formulas) {
        let mut names = Names::inside(&printer.names);
        let params = &system.predicate(id).params;
        for (i, &param) in params.iter().enumerate() {
            names.add(param, &format!("x{i}"));
        }
        let body = Body::new(&solution.terms, names, vec![(formula, false)])?;
        let list = params.iter().map(|&p| Ok(format!("({} {})", body.names().of(p)?, system.terms.symbol_sort(p))));
        let list = list.collect::<Result<Vec<_>, Unprintable>>()?.join(" ");
        let text = body.show(|body| body.text((formula, false)))?;
        out += &format!("(define-fun {} ({list}) Bool\n  {text})\n", printer.predicates[id.index()]);
    }
    out.push_str(")\n");
    Ok(out)
}

/// The refutation, one line per step: what it derives, by which clause, from which steps, with which values of the
/// clause's symbols. Steps and clauses count from 1; the last step derives `false`.
pub fn refutation_to_smtlib(system: &HornSystem, refutation: &Derivation) -> Result<String, Unprintable> {
    let printer = Printer::new(system);
    let mut out = String::new();
    for (number, step) in refutation.steps.iter().enumerate() {
        out += &printer.step(number + 1, step)?;
        out.push('\n');
    }
    Ok(out)
}

struct Printer<'a> {
    system: &'a HornSystem,
    /// The names of the predicates.
    predicates: Vec<String>,
    /// They are taken everywhere.
    names: Arc<FxHashSet<String>>,
}

impl<'a> Printer<'a> {
    fn new(system: &'a HornSystem) -> Self {
        let mut names = Names::default();
        let predicates = system.predicates.iter().map(|p| names.unique(&p.name)).collect();
        Printer { system, predicates, names: names.into_used() }
    }

    fn sorts(&self, id: PredId) -> impl Iterator<Item = &'a Sort> {
        self.system.predicate(id).params.iter().map(|&p| self.system.terms.symbol_sort(p))
    }

    fn assertion(&self, clause: &Clause) -> Result<String, Unprintable> {
        let terms = &self.system.terms;
        let mut names = Names::inside(&self.names);
        names.add_all(terms, &clause.vars);
        let mut variables = Vec::new();
        for &var in &clause.vars {
            variables.push(format!("({} {})", names.of(var)?, terms.symbol_sort(var)));
        }
        let mut roots = Vec::new();
        for application in clause.body.iter().chain(&clause.head) {
            roots.extend(self.keys(application));
        }
        roots.push((clause.constraint, false));
        let matrix = Body::new(terms, names, roots)?.show(|body| self.implication(body, clause))?;
        Ok(match variables.is_empty() {
            true => format!("(assert {matrix})"),
            false => format!("(assert (forall ({})\n  {matrix}))", variables.join(" ")),
        })
    }

    /// The arguments, and which are real numbers.
    fn keys(&self, application: &Application) -> Vec<(clinch_terms::Term, bool)> {
        let real = self.sorts(application.predicate).map(|sort| *sort == Sort::Real);
        application.args.iter().copied().zip(real).collect()
    }

    fn implication(&self, body: &Body<'_>, clause: &Clause) -> Result<String, Unprintable> {
        let mut premises = Vec::new();
        for application in &clause.body {
            premises.push(self.application(body, application)?);
        }
        for part in body.conjuncts(clause.constraint) {
            premises.push(body.text(part)?);
        }
        let premise = match premises.as_slice() {
            [] => "true".to_owned(),
            [single] => single.clone(),
            many => format!("(and {})", many.join(" ")),
        };
        let head = clause.head.as_ref().map_or(Ok("false".to_owned()), |head| self.application(body, head))?;
        Ok(format!("(=> {premise} {head})"))
    }

    fn application(&self, body: &Body<'_>, application: &Application) -> Result<String, Unprintable> {
        let args = self.keys(application).into_iter().map(|key| body.text(key));
        Ok(self.applied(application.predicate, args.collect::<Result<Vec<_>, _>>()?))
    }

    fn applied(&self, id: PredId, args: Vec<String>) -> String {
        let name = &self.predicates[id.index()];
        if args.is_empty() { name.clone() } else { format!("({name} {})", args.join(" ")) }
    }

    fn step(&self, number: usize, step: &DerivationStep) -> Result<String, Unprintable> {
        let (terms, clause) = (&self.system.terms, self.system.clause(step.clause));
        let assignment: Assignment = clause.vars.iter().copied().zip(step.values.iter().cloned()).collect();
        let conclusion = match &clause.head {
            None => "false".to_owned(),
            Some(head) => {
                let args = head.args.iter().zip(self.sorts(head.predicate)).map(|(&arg, sort)| {
                    let value = evaluate(terms, &assignment, arg);
                    let value = value.ok_or_else(|| Unprintable(format!("the conclusion of step {number}")))?;
                    Ok(show_value(&value, sort))
                });
                self.applied(head.predicate, args.collect::<Result<Vec<_>, Unprintable>>()?)
            }
        };
        let mut names = Names::inside(&self.names);
        names.add_all(terms, &clause.vars);
        let mut values = Vec::new();
        for (&var, value) in clause.vars.iter().zip(&step.values) {
            values.push(format!("({} {})", names.of(var)?, show_value(value, terms.symbol_sort(var))));
        }
        let premises: Vec<String> = step.premises.iter().map(|p| (p + 1).to_string()).collect();
        Ok(format!(
            "(step {number} {conclusion} :clause {} :premises ({}) :values ({}))",
            step.clause.index() + 1,
            premises.join(" "),
            values.join(" ")
        ))
    }
}
