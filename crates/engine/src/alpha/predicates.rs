//! The abstraction predicates, and the abstract states they induce.

use clinch_ir::definedness::total;
use clinch_ir::{Move, Reason};
use clinch_terms::predicate::{Atom, atoms, normal_atom};
use clinch_terms::{LocId, ProcId, Term, Terms};
use indexmap::IndexMap;

use crate::concrete::{Code, Expander, Model};

/// Where a predicate is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// In all states.
    Everywhere,
    /// Where this process is at this location ([Alpha, section 7.2]).
    At(ProcId, LocId),
}

impl Scope {
    /// Where predicates for a transition belong: the place it starts from.
    pub(super) fn of_transition(moves: &[Move]) -> Scope {
        moves.first().map_or(Scope::Everywhere, |m| Scope::At(m.process, m.from))
    }

    fn active(self, locs: &[LocId]) -> bool {
        match self {
            Scope::Everywhere => true,
            Scope::At(process, location) => locs[process.index()] == location,
        }
    }
}

/// A predicate: total (false where the atom it came from is undefined), free of program counters.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// The predicate.
    pub term: Term,
    /// Where it is used.
    pub scope: Scope,
    code: Code,
    /// Whether the atom it came from is defined everywhere.
    atom_is_total: bool,
    /// Whether that atom is its own key, rather than the negation of it.
    is_key: bool,
}

/// The set written `Phi` in the paper: ordered, without two predicates equal up to negation.
#[derive(Clone, Debug, Default)]
pub struct Predicates {
    by_key: IndexMap<(Term, Scope), Predicate>,
}

impl Predicates {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// A predicate by its number.
    pub fn get(&self, i: usize) -> &Predicate {
        &self.by_key[i]
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Predicate> {
        self.by_key.values()
    }

    /// Adds the atoms of a formula that are not there yet; says whether there were any.
    pub fn add(&mut self, model: &Model<'_>, terms: &mut Terms, formula: Term, scope: Scope) -> bool {
        let before = self.len();
        for atom in atoms(terms, formula) {
            if let Atom::Predicate { term, key } = atom {
                let (is_key, atom) = (term == key, term);
                let term = total(model.program, terms, atom);
                let known = [(key, Scope::Everywhere), (key, scope)].iter().any(|k| self.by_key.contains_key(k));
                if !known {
                    let code = model.compile(terms, term);
                    self.by_key
                        .insert((key, scope), Predicate { term, scope, code, atom_is_total: term == atom, is_key });
                }
            }
        }
        self.len() > before
    }

    /// The value of an atom in an abstract state, where a predicate gives it: `bit` is the value of a predicate.
    pub fn value_of(&self, terms: &mut Terms, locs: &[LocId], atom: Term, bit: impl Fn(usize) -> bool) -> Option<bool> {
        let (term, key) = match normal_atom(terms, atom) {
            Atom::Constant(value) => return Some(value),
            Atom::Predicate { term, key } => (term, key),
        };
        let here = locs.iter().enumerate().map(|(p, &loc)| Scope::At(ProcId::from_index(p), loc));
        let (i, predicate) = std::iter::once(Scope::Everywhere).chain(here).find_map(|scope| {
            let (i, _, predicate) = self.by_key.get_full(&(key, scope))?;
            Some((i, predicate))
        })?;
        // A predicate that is false where its atom is undefined says nothing of the atom's negation.
        predicate.atom_is_total.then(|| bit(i) == (predicate.is_key == (term == key)))
    }

    /// Whether predicate `i` is used at these locations.
    pub fn active(&self, i: usize, locs: &[LocId]) -> bool {
        self.by_key[i].scope.active(locs)
    }

    /// The values of the predicates in the loaded state, as bits; false for those not used at its locations.
    pub fn values(&self, expander: &mut Expander<'_>, locs: &[LocId]) -> Result<Vec<u64>, Reason> {
        let mut bits = vec![0; self.len().div_ceil(64)];
        self.write_values(expander, locs, &mut bits)?;
        Ok(bits)
    }

    /// Like [`Predicates::values`], into bits that are all 0.
    pub(crate) fn write_values(
        &self,
        expander: &mut Expander<'_>,
        locs: &[LocId],
        bits: &mut [u64],
    ) -> Result<(), Reason> {
        for (i, predicate) in self.iter().enumerate() {
            if predicate.scope.active(locs) {
                match expander.value(&predicate.code) {
                    Some(0) => {}
                    Some(_) => bits[i / 64] |= 1 << (i % 64),
                    None => return Err(Reason::Overflow("a predicate".to_string())),
                }
            }
        }
        Ok(())
    }
}
