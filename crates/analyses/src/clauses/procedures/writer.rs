//! Clauses from formulas about a program's variables.

use std::collections::BTreeSet;

use clinch_ir::cfa::CfaProgram;
use clinch_ir::horn::{Application, Clause, HornSystem, PredId};
use clinch_ir::program::Source;
use clinch_terms::{Sort, Symbol, Term, Terms};

use super::Encoding;
use crate::encoding::{IntEncoding, View};

/// A predicate with arguments over the program's variables, each with the view in which the predicate reads its bits.
pub(super) struct Atom {
    pub(super) predicate: PredId,
    pub(super) args: Vec<(Term, View)>,
}

/// Writes clauses in an encoding.
pub(super) struct Writer {
    pub(super) system: HornSystem,
    integers: Option<IntEncoding>,
    /// Bodies of clauses, and when a signed operation overflows there, where that is to be excluded.
    overflows: Vec<(Vec<Application>, Term)>,
}

impl Writer {
    /// For a program; the store extends the program's.
    pub(super) fn new(program: &CfaProgram, terms: Terms, encoding: Encoding) -> Self {
        let source = Source { name: program.source.files.first().cloned().unwrap_or_default(), text: String::new() };
        let mut system = HornSystem::new(source);
        system.terms = terms;
        let integers = match encoding {
            Encoding::Bits => None,
            Encoding::Integers(overflow) => Some(IntEncoding::of_program(overflow, program)),
        };
        Writer { system, integers, overflows: Vec::new() }
    }

    /// How the clauses read the bits of a variable.
    pub(super) fn view(&self, symbol: Symbol) -> View {
        self.integers.as_ref().map_or(View::Signed, |encoding| encoding.view(symbol))
    }

    /// A symbol is read as another one.
    pub(super) fn inherit_view(&mut self, symbol: Symbol, other: Symbol) {
        if let Some(encoding) = &mut self.integers {
            let view = encoding.view(other);
            encoding.set_view(symbol, view);
        }
    }

    /// The symbol that stands for a variable in clauses, before they get their own.
    pub(super) fn symbol(&mut self, symbol: Symbol) -> Symbol {
        let terms = &mut self.system.terms;
        self.integers.as_mut().map_or(symbol, |encoding| encoding.symbol(terms, symbol))
    }

    /// A predicate of some variables.
    pub(super) fn add_predicate(&mut self, name: String, symbols: &[Symbol]) -> PredId {
        let sorts: Vec<Sort> = symbols
            .iter()
            .map(|&variable| {
                let symbol = self.symbol(variable);
                self.system.terms.symbol_sort(symbol).clone()
            })
            .collect();
        self.system.add_predicate(name, &sorts)
    }

    /// Adds a clause with symbols of its own. Comes back with those that they replace, in order.
    pub(super) fn push(&mut self, guard: Term, body: &[Atom], head: Option<&Atom>) -> Vec<Symbol> {
        let guard_in_clause = self.formula(guard);
        let in_guard = self.take_overflows();
        let mut applications: Vec<Application> = body.iter().chain(head).map(|atom| self.application(atom)).collect();
        let in_values = self.take_overflows();
        let facts = self.facts(guard, body.iter().chain(head));
        let terms = &mut self.system.terms;
        let in_values = terms.and(guard_in_clause, in_values);
        let overflow = terms.or(in_guard, in_values);
        let head = head.and_then(|_| applications.pop());
        if overflow != terms.ff() {
            let constraint = constraint(terms, overflow, &applications, None, &facts);
            self.overflows.push((applications.clone(), constraint));
        }
        let constraint = constraint(&mut self.system.terms, guard_in_clause, &applications, head.as_ref(), &facts);
        self.add_renamed(applications, constraint, head)
    }

    /// The clauses, with those that say that no signed operation overflows at the end, where that is to be shown.
    pub(super) fn finish(mut self) -> HornSystem {
        for (body, constraint) in std::mem::take(&mut self.overflows) {
            self.add_renamed(body, constraint, None);
        }
        self.system
    }

    fn formula(&mut self, formula: Term) -> Term {
        let terms = &mut self.system.terms;
        self.integers.as_mut().map_or(formula, |encoding| encoding.formula(terms, formula))
    }

    fn take_overflows(&mut self) -> Term {
        let terms = &mut self.system.terms;
        match &mut self.integers {
            Some(encoding) => encoding.take_overflows(terms),
            None => terms.ff(),
        }
    }

    /// What is known of the integers that stand for bits.
    fn facts<'a>(&mut self, guard: Term, atoms: impl Iterator<Item = &'a Atom>) -> Vec<Term> {
        let Some(encoding) = &mut self.integers else { return Vec::new() };
        let terms = &mut self.system.terms;
        let args = atoms.flat_map(|atom| atom.args.iter().map(|a| a.0));
        let used: BTreeSet<Symbol> = args.chain([guard]).flat_map(|t| terms.symbols(t)).collect();
        let mut facts: Vec<Term> = used.into_iter().filter_map(|s| encoding.range(terms, s)).collect();
        facts.extend(encoding.take_opaque().into_iter().map(|(_, fact)| fact));
        facts
    }

    fn application(&mut self, atom: &Atom) -> Application {
        let terms = &mut self.system.terms;
        let args = atom.args.iter().map(|&(arg, view)| match &mut self.integers {
            Some(encoding) => encoding.term(terms, arg, view),
            None => arg,
        });
        Application { predicate: atom.predicate, args: args.collect() }
    }

    fn add_renamed(&mut self, body: Vec<Application>, constraint: Term, head: Option<Application>) -> Vec<Symbol> {
        let terms = &mut self.system.terms;
        let used = HornSystem::collect_vars(terms, &body, constraint, head.as_ref());
        let clause = Clause::with_own_symbols(terms, body, constraint, head);
        self.system.clauses.push(clause);
        used
    }
}

/// A condition, with those facts that are about what occurs in the clause.
fn constraint(
    terms: &mut Terms,
    condition: Term,
    body: &[Application],
    head: Option<&Application>,
    facts: &[Term],
) -> Term {
    let args = body.iter().chain(head).flat_map(|a| a.args.iter().copied());
    let mentioned: BTreeSet<Symbol> = args.chain([condition]).flat_map(|t| terms.symbols(t)).collect();
    let about = |fact: &Term| terms.symbols(*fact).iter().all(|s| mentioned.contains(s));
    let mut parts: Vec<Term> = facts.iter().copied().filter(about).collect();
    parts.push(condition);
    terms.all(parts)
}
