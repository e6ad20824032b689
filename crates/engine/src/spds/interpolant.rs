//! Craig interpolants of Boolean functions, by quantification alone ([Spds, section 2]).
//!
//! A pair `(F, G)` whose conjunction is unsatisfiable is given as `lower = F` and `upper = ¬G`, so that `lower ⊨ upper`;
//! interpolants lie between the two.

use clinch_bdd::{Bdd, Bdds, OutOfNodes};

use super::config::Interpolants;

/// Conciliated interpolants ([Spds, definition 2.12]).
#[derive(Clone, Debug)]
pub(super) struct Conciliated {
    /// The conciliating set `Z`: what both interpolants depend on.
    pub(super) variables: Vec<u32>,
    /// `∃(V \ Z).F`.
    pub(super) strong: Bdd,
    /// `∀(V \ Z).¬G`.
    pub(super) weak: Bdd,
}

/// A function between two others, as simple as the strategy makes it.
pub(super) fn between(bdds: &Bdds, kind: Interpolants, lower: &Bdd, upper: &Bdd) -> Result<Bdd, OutOfNodes> {
    Ok(match kind {
        _ if lower == upper => upper.clone(),
        Interpolants::Strongest => lower.clone(),
        Interpolants::Weakest => upper.clone(),
        // The weak one says what must hold and no more: it is the one that loops keep.
        Interpolants::Conciliated => conciliate(bdds, lower, upper)?.weak,
        Interpolants::Minimal => conciliate_minimal(bdds, lower, upper)?.weak,
    })
}

/// The strongest interpolant, `F ↑ G` (proposition 2.4).
#[cfg(test)]
pub(super) fn strongest(bdds: &Bdds, lower: &Bdd, upper: &Bdd) -> Result<Bdd, OutOfNodes> {
    let own = difference(&lower.support(), &upper.support());
    lower.exists_in(&bdds.variables(&own)?)
}

/// The weakest interpolant, `(¬G) ↓ F` (proposition 2.4).
#[cfg(test)]
pub(super) fn weakest(bdds: &Bdds, lower: &Bdd, upper: &Bdd) -> Result<Bdd, OutOfNodes> {
    let own = difference(&upper.support(), &lower.support());
    upper.forall_in(&bdds.variables(&own)?)
}

/// The conciliated interpolants over the greatest conciliating set ([Spds, figure 1]).
pub(super) fn conciliate(bdds: &Bdds, lower: &Bdd, upper: &Bdd) -> Result<Conciliated, OutOfNodes> {
    let (mut strong, mut weak) = (lower.clone(), upper.clone());
    loop {
        let x = difference(&strong.support(), &weak.support());
        strong = strong.exists_in(&bdds.variables(&x)?)?;
        let y = difference(&weak.support(), &strong.support());
        weak = weak.forall_in(&bdds.variables(&y)?)?;
        if y.is_empty() {
            // What was quantified may have taken other variables with it.
            let variables = strong.support();
            if variables == weak.support() {
                return Ok(Conciliated { variables, strong, weak });
            }
        }
    }
}

/// Conciliated interpolants over a minimal conciliating set ([Spds, figure 2]): the paper leaves open which variable goes
/// first, here it is the first in the order.
pub(super) fn conciliate_minimal(bdds: &Bdds, lower: &Bdd, upper: &Bdd) -> Result<Conciliated, OutOfNodes> {
    let mut found = conciliate(bdds, lower, upper)?;
    'again: loop {
        for &z in &found.variables {
            let z = bdds.variables(&[z])?;
            let (strong, weak) = (found.strong.exists_in(&z)?, found.weak.forall_in(&z)?);
            if strong.implies(&weak)? {
                found = conciliate(bdds, &strong, &weak)?;
                continue 'again;
            }
        }
        return Ok(found);
    }
}

/// What is in the first sorted list only.
fn difference(a: &[u32], b: &[u32]) -> Vec<u32> {
    a.iter().copied().filter(|v| b.binary_search(v).is_err()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bdds() -> (Bdds, Vec<Bdd>) {
        let mut bdds = Bdds::new(1 << 16);
        bdds.make_variables(8);
        let variables = (0..8).map(|v| bdds.variable(v).unwrap()).collect();
        (bdds, variables)
    }

    #[test]
    fn example_2_2() {
        let (bdds, v) = bdds();
        let [x, y, z] = [&v[0], &v[1], &v[2]];
        let f = x.and(y).unwrap();
        let not_g = x.or(&z.negation().unwrap()).unwrap();
        assert_eq!(strongest(&bdds, &f, &not_g).unwrap(), *x);
        assert_eq!(weakest(&bdds, &f, &not_g).unwrap(), *x);
    }

    #[test]
    fn example_2_5() {
        let (bdds, v) = bdds();
        let [w, x, y, z] = [&v[0], &v[1], &v[2], &v[3]];
        let f = bdds.all([w, x, y]).unwrap();
        let not_g = bdds.any([x, y, z]).unwrap();
        assert_eq!(strongest(&bdds, &f, &not_g).unwrap(), x.and(y).unwrap());
        assert_eq!(weakest(&bdds, &f, &not_g).unwrap(), x.or(y).unwrap());
    }

    #[test]
    fn example_2_13() {
        let (bdds, v) = bdds();
        let [w, x, y, z] = [&v[0], &v[1], &v[2], &v[3]];
        let f = x.and(&y.or(z).unwrap()).unwrap();
        let not_g = bdds.any([x, y, &z.and(w).unwrap()]).unwrap();
        assert_eq!(strongest(&bdds, &f, &not_g).unwrap(), f);
        assert_eq!(weakest(&bdds, &f, &not_g).unwrap(), x.or(y).unwrap());
        let found = conciliate(&bdds, &f, &not_g).unwrap();
        assert_eq!((found.variables, found.strong, found.weak), (vec![1], x.clone(), x.clone()));
    }

    /// The example at the end of the proof of proposition 2.14: conciliating sets are not closed under intersection.
    #[test]
    fn example_of_proposition_2_14() {
        let (bdds, v) = bdds();
        let [x, y, z] = [&v[0], &v[1], &v[2]];
        let f = x.and(y).unwrap().or(z).unwrap();
        let upper = bdds.any([x, y, z]).unwrap();
        assert_eq!(conciliate(&bdds, &f, &upper).unwrap().variables, [0, 1, 2]);
        let minimal = conciliate_minimal(&bdds, &f, &upper).unwrap();
        assert_eq!(minimal.variables, [1, 2]);
        assert!(is_conciliating(&bdds, &f, &upper, &[0, 2]));
        assert!(is_conciliating(&bdds, &f, &upper, &[1, 2]));
        assert!(!is_conciliating(&bdds, &f, &upper, &[2]));
    }

    const VARIABLES: u32 = 4;

    /// Definition 2.12, for the set that is kept.
    fn is_conciliating(bdds: &Bdds, lower: &Bdd, upper: &Bdd, kept: &[u32]) -> bool {
        let others: Vec<u32> = (0..VARIABLES).filter(|v| !kept.contains(v)).collect();
        let others = bdds.variables(&others).unwrap();
        let (strong, weak) = (lower.exists_in(&others).unwrap(), upper.forall_in(&others).unwrap());
        strong.implies(&weak).unwrap() && strong.support() == kept && weak.support() == kept
    }

    fn function(bdds: &Bdds, table: u16) -> Bdd {
        let row = |r: u32| (0..VARIABLES).map(|v| (v, r >> v & 1 == 1)).collect::<Vec<_>>();
        let rows: Vec<Bdd> =
            (0..16).filter(|r| table >> r & 1 == 1).map(|r| bdds.known_cube(&row(r)).unwrap()).collect();
        bdds.any(&rows).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(clinch_testing::cases(1000)))]

        /// Propositions 2.4 and 2.14, and what figure 2 promises, against all sets of variables.
        #[test]
        fn propositions(a: u16, b: u16) {
            let (bdds, _) = bdds();
            let (lower, upper) = (function(&bdds, a & b), function(&bdds, a | b));
            let sets: Vec<Vec<u32>> =
                (0..1u32 << VARIABLES).map(|s| (0..VARIABLES).filter(|v| s >> v & 1 == 1).collect()).collect();
            let conciliating: Vec<&Vec<u32>> =
                sets.iter().filter(|s| is_conciliating(&bdds, &lower, &upper, s)).collect();
            // An example where there is none does not exist: the greatest one is found.
            let greatest = conciliate(&bdds, &lower, &upper).unwrap();
            prop_assert!(conciliating.contains(&&greatest.variables));
            for set in &conciliating {
                prop_assert!(set.iter().all(|v| greatest.variables.contains(v)));
            }
            let minimal = conciliate_minimal(&bdds, &lower, &upper).unwrap();
            prop_assert!(conciliating.contains(&&minimal.variables));
            for set in &conciliating {
                let below = set.iter().all(|v| minimal.variables.contains(v));
                prop_assert!(!below || **set == minimal.variables);
            }
            for found in [&greatest, &minimal] {
                for i in [&found.strong, &found.weak] {
                    prop_assert!(lower.implies(i).unwrap() && i.implies(&upper).unwrap());
                }
            }
            let (s, w) = (strongest(&bdds, &lower, &upper).unwrap(), weakest(&bdds, &lower, &upper).unwrap());
            prop_assert!(lower.implies(&s).unwrap() && s.implies(&w).unwrap() && w.implies(&upper).unwrap());
            let common: Vec<u32> =
                lower.support().into_iter().filter(|v| upper.support().contains(v)).collect();
            prop_assert!(s.support().iter().chain(&w.support()).all(|v| common.contains(v)));
        }

        /// Propositions 2.6, 2.8 and 2.10: interpolants of chains are interpolants and satisfy the tracking property.
        #[test]
        fn chains(tables in proptest::collection::vec(any::<u16>(), 2..6), kind in 0usize..4) {
            let kinds = [Interpolants::Strongest, Interpolants::Weakest, Interpolants::Conciliated, Interpolants::Minimal];
            let (bdds, _) = bdds();
            let mut parts: Vec<Bdd> = tables.iter().map(|t| function(&bdds, *t)).collect();
            let all = bdds.all(&parts).unwrap();
            parts.push(all.negation().unwrap());
            let mut itp = bdds.tt();
            for i in 0..parts.len() {
                let lower = itp.and(&parts[i]).unwrap();
                let rest = bdds.all(&parts[i + 1..]).unwrap();
                let next = between(&bdds, kinds[kind], &lower, &rest.negation().unwrap()).unwrap();
                prop_assert!(itp.and(&parts[i]).unwrap().implies(&next).unwrap());
                prop_assert!(next.and(&rest).unwrap().is_false());
                itp = next;
            }
            prop_assert!(itp.is_false());
        }

        #[test]
        fn disjunctions(f: u16, g: u16, h: u16) {
            let (bdds, _) = bdds();
            let upper = function(&bdds, f | g | h);
            let (f, g) = (function(&bdds, f), function(&bdds, g));
            let support = upper.support();
            let up = |f: &Bdd| f.exists_in(&bdds.variables(&difference(&[0, 1, 2, 3], &support)).unwrap()).unwrap();
            prop_assert_eq!(up(&f.or(&g).unwrap()), up(&f).or(&up(&g)).unwrap());
        }
    }
}
