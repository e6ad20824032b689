//! The names of the variables of a system, for people and for options.

use clinch_terms::{Term, Terms};
use rustc_hash::FxHashMap;

use super::clause::{Clause, TermId, VarIndex, push_atom};
use super::expr::Scope;
use super::facts::Facts;

/// A name for each variable, all different.
pub(super) struct Names {
    /// As they are printed: quoted where Prolog would not read them otherwise.
    pub(super) shown: Vec<String>,
    positions: FxHashMap<String, usize>,
}

impl Names {
    /// The names of `var2names`, or those in the first transition, or `v1`, `v2`, ...
    pub(super) fn new(facts: &Facts) -> Self {
        let mut names = Names { shown: Vec::new(), positions: FxHashMap::default() };
        for i in 0..facts.width.unwrap_or(0) {
            let declared = [&facts.names, &facts.fallback_names];
            let declared = declared.iter().find_map(|list| list.get(i).cloned().flatten());
            let wanted = declared.unwrap_or_else(|| format!("v{}", i + 1));
            let numbered = (2..).map(|n| format!("{wanted}_{n}"));
            let mut candidates = std::iter::once(wanted.clone()).chain(numbered);
            let name = candidates.find(|n| !names.positions.contains_key(n)).expect("there are enough numbers");
            names.shown.push(shown(&name));
            names.positions.insert(name, i);
        }
        names
    }

    /// Whether it is the name of a variable.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.positions.contains_key(name)
    }

    /// A name for something that is not in the text, different from all others.
    pub(super) fn fresh(&self, wanted: &str) -> String {
        let numbered = (2..).map(|n| format!("{wanted}_{n}"));
        let mut candidates = std::iter::once(wanted.to_owned()).chain(numbered);
        candidates.find(|n| !self.positions.contains_key(n)).expect("there are enough numbers")
    }
}

fn shown(name: &str) -> String {
    let variable = name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let mut out = String::new();
    if variable {
        out.push_str(name);
    } else {
        push_atom(&mut out, name);
    }
    out
}

/// A condition of the command line, over names and locations.
pub(super) struct Condition<'a> {
    pub(super) clause: &'a Clause<'a>,
    pub(super) id: TermId,
    pub(super) facts: &'a Facts,
    pub(super) names: &'a Names,
}

impl<'a> Condition<'a> {
    /// What its names mean, by the terms of the variables and of being at a location.
    pub(super) fn named<F>(&self, values: &'a [Term], at: F) -> Named<'a, F> {
        Named { names: self.names, facts: self.facts, values, at }
    }
}

/// Names and locations, as options use them.
pub(super) struct Named<'a, F> {
    names: &'a Names,
    facts: &'a Facts,
    /// The term of each variable.
    values: &'a [Term],
    /// What it means to be at a location.
    at: F,
}

impl<F: FnMut(&mut Terms, usize) -> Term> Scope for Named<'_, F> {
    fn variable(&mut self, terms: &mut Terms, clause: &Clause<'_>, var: VarIndex) -> Option<Term> {
        self.atom(terms, clause.vars()[var.index()].name)
    }

    fn atom(&mut self, _: &mut Terms, name: &str) -> Option<Term> {
        Some(self.values[*self.names.positions.get(name)?])
    }

    fn location(&mut self, terms: &mut Terms, location: &str) -> Option<Term> {
        let index = self.facts.locations.get_index_of(location)?;
        Some((self.at)(terms, index))
    }
}
