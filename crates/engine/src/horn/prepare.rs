//! All preparation of Horn clauses, in the order in which it pays.

use clinch_ir::{Derivation, HornSystem, HornVerdict, Interpretation, Reason};
use clinch_smt::{ItpConfig, ItpNode, interpolate};
use clinch_terms::{Term, Terms};

use super::control::{ControlOptions, ControlStats, Split, recover_control};
use super::{Interpolate, LostSolution, Simplified, SimplifyOptions, simplify};
use crate::budget::Budget;

/// Clauses that were simplified, and if there was control in their data, split and simplified again.
#[derive(Clone, Debug)]
pub struct Prepared {
    simplified: Simplified,
    split: Option<(Split, Simplified)>,
}

/// Simplifies clauses and makes their control explicit. When `stop` says so, the result so far.
pub fn prepare(
    system: &HornSystem,
    options: &SimplifyOptions,
    control: Option<&ControlOptions>,
    stop: &dyn Fn() -> bool,
) -> Prepared {
    let simplified = simplify(system, options, stop);
    let split = control.and_then(|control| recover_control(&simplified.system, control, stop)).map(|split| {
        let again = simplify(&split.system, options, stop);
        (split, again)
    });
    Prepared { simplified, split }
}

impl Prepared {
    /// The clauses.
    pub fn system(&self) -> &HornSystem {
        &self.last().system
    }

    /// The last simplification.
    pub fn last(&self) -> &Simplified {
        self.split.as_ref().map_or(&self.simplified, |(_, again)| again)
    }

    /// What making control explicit did.
    pub fn control(&self) -> Option<ControlStats> {
        self.split.as_ref().map(|(split, _)| split.stats)
    }

    /// A solution of the prepared clauses as one of the original clauses.
    pub fn solution(
        &self,
        original: &HornSystem,
        mut solution: Interpretation,
        interpolate: &mut Interpolate<'_>,
    ) -> Result<Interpretation, LostSolution> {
        if let Some((split, again)) = &self.split {
            solution = again.solution(&split.system, solution, interpolate)?;
            solution = split.solution(&self.simplified.system, solution);
        }
        self.simplified.solution(original, solution, interpolate)
    }

    /// The same; what a solution lacks is found by interpolation.
    pub(crate) fn interpolated_solution(
        &self,
        original: &HornSystem,
        solution: Interpretation,
        config: &ItpConfig,
        budget: &Budget,
    ) -> Result<Interpretation, LostSolution> {
        let mut between = |terms: &mut Terms, a: Term, b: Term| {
            let tree = [ItpNode { formula: a, children: Vec::new() }, ItpNode { formula: b, children: vec![0] }];
            let found = interpolate(terms, &tree, config, &|| budget.check().is_err());
            found.ok().map(|i| i.formulas[0])
        };
        self.solution(original, solution, &mut between)
    }

    /// What is said of the prepared clauses as something that is said of the original clauses.
    pub(crate) fn verdict(
        &self,
        original: &HornSystem,
        verdict: HornVerdict,
        config: &ItpConfig,
        budget: &Budget,
    ) -> Result<HornVerdict, LostSolution> {
        match verdict {
            HornVerdict::Safe(solution) => {
                self.interpolated_solution(original, solution, config, budget).map(HornVerdict::Safe)
            }
            HornVerdict::Unsafe(derivation) => {
                let derivation = self.refutation(original, &derivation);
                Ok(derivation.map_or_else(HornVerdict::Unknown, HornVerdict::Unsafe))
            }
            unknown => Ok(unknown),
        }
    }

    /// A refutation of the prepared clauses as one of the original clauses.
    pub fn refutation(&self, original: &HornSystem, derivation: &Derivation) -> Result<Derivation, Reason> {
        let Some((split, again)) = &self.split else { return self.simplified.refutation(original, derivation) };
        let derivation = again.refutation(&split.system, derivation)?;
        let derivation = split.refutation(&self.simplified.system, &derivation)?;
        self.simplified.refutation(original, &derivation)
    }
}
