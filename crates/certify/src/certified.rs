//! Verdicts whose evidence was accepted.

use clinch_ir::cfa::{CfaProgram, CfaProof, InputTrace};
use clinch_ir::{Answer, Derivation, HornSystem, Interpretation, Program, Proof, Trace};

use crate::{
    Rejection, Stop, check_induction, check_input_trace, check_invariants, check_proof, check_reached_states,
    check_refutation, check_solution, check_summaries, check_trace, check_unrolling,
};

/// A verdict whose evidence was accepted: only [`certify`] and [`certify_parts`](crate::certify_parts) make one, so that it can neither be forgotten nor done twice.
#[derive(Clone, Debug)]
pub struct Certified<V>(V);

impl<V> Certified<V> {
    /// For a check that was made in parts ([`certify_parts`](crate::certify_parts)).
    pub(crate) fn accepted(verdict: V) -> Self {
        Certified(verdict)
    }
}

/// A verdict as it stands.
#[derive(Clone, Debug)]
pub enum Judged<V> {
    /// Its evidence was accepted.
    Certified(Certified<V>),
    /// Its evidence was not looked at, or there is none.
    Unchecked(V),
}

impl<V> Judged<V> {
    /// The verdict.
    pub fn verdict(&self) -> &V {
        match self {
            Judged::Certified(certified) => &certified.0,
            Judged::Unchecked(verdict) => verdict,
        }
    }

    /// The verdict, which is an ordinary one again.
    pub fn into_verdict(self) -> V {
        match self {
            Judged::Certified(certified) => certified.0,
            Judged::Unchecked(verdict) => verdict,
        }
    }

    /// Whether its evidence was accepted.
    pub fn is_certified(&self) -> bool {
        matches!(self, Judged::Certified(_))
    }
}

/// One of the models that verdicts are about: processes, clauses, procedures.
pub trait Model {
    /// What shows that it is safe.
    type Proof;
    /// What shows that it is not.
    type Counterexample;

    /// Checks a proof.
    fn check_proof(&self, proof: &Self::Proof, stop: Stop<'_>) -> Result<(), Rejection>;

    /// Checks a counterexample.
    fn check_counterexample(&self, counterexample: &Self::Counterexample, stop: Stop<'_>) -> Result<(), Rejection>;
}

impl Model for Program {
    type Proof = Proof;
    type Counterexample = Trace;

    fn check_proof(&self, proof: &Proof, stop: Stop<'_>) -> Result<(), Rejection> {
        check_proof(self, proof, stop)
    }

    fn check_counterexample(&self, trace: &Trace, _: Stop<'_>) -> Result<(), Rejection> {
        check_trace(self, trace)
    }
}

impl Model for HornSystem {
    type Proof = Interpretation;
    type Counterexample = Derivation;

    fn check_proof(&self, solution: &Interpretation, stop: Stop<'_>) -> Result<(), Rejection> {
        check_solution(self, solution, stop)
    }

    fn check_counterexample(&self, derivation: &Derivation, _: Stop<'_>) -> Result<(), Rejection> {
        check_refutation(self, derivation)
    }
}

impl Model for CfaProgram {
    type Proof = CfaProof;
    type Counterexample = InputTrace;

    fn check_proof(&self, proof: &CfaProof, stop: Stop<'_>) -> Result<(), Rejection> {
        match proof {
            CfaProof::Reached(states) => check_reached_states(self, states, stop),
            CfaProof::Invariants(proof) => check_invariants(self, proof, stop),
            CfaProof::Unrolled(proof) => check_unrolling(self, proof, stop),
            CfaProof::Induction(proof) => check_induction(self, proof, stop),
            CfaProof::Summaries(proof) => check_summaries(self, proof, stop),
        }
    }

    fn check_counterexample(&self, trace: &InputTrace, stop: Stop<'_>) -> Result<(), Rejection> {
        check_input_trace(self, trace, stop)
    }
}

/// A verdict about a subject.
type About<S> = Answer<<S as Model>::Proof, <S as Model>::Counterexample>;

/// Checks a verdict against what it is about. One that was accepted before stays so; "unknown" stays unchecked.
pub fn certify<S: Model>(subject: &S, judged: Judged<About<S>>, stop: Stop<'_>) -> Result<Judged<About<S>>, Rejection> {
    let Judged::Unchecked(verdict) = judged else { return Ok(judged) };
    match &verdict {
        Answer::Safe(proof) => subject.check_proof(proof, stop)?,
        Answer::Unsafe(counterexample) => subject.check_counterexample(counterexample, stop)?,
        Answer::Unknown(_) => return Ok(Judged::Unchecked(verdict)),
    }
    Ok(Judged::Certified(Certified(verdict)))
}
