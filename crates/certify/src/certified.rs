//! Verdicts whose evidence was accepted.

use clinch_ir::cfa::{CfaProgram, CfaProof, CfaVerdict};
use clinch_ir::{HornSystem, HornVerdict, Program, Verdict};

use crate::{
    Rejection, Stop, check_induction, check_input_trace, check_invariants, check_proof, check_reached_states,
    check_refutation, check_solution, check_summaries, check_trace, check_unrolling,
};

/// A verdict whose evidence was accepted: only [`certify`] makes one, so that it can neither be forgotten nor done twice.
#[derive(Clone, Debug)]
pub struct Certified<V>(V);

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

/// A verdict about something, with evidence unless it is "unknown".
pub trait Evidence {
    /// What it is about.
    type Subject;

    /// Whether there is some: "unknown" has none.
    fn is_given(&self) -> bool;

    /// Checks the evidence; nothing is said of "unknown", which has none.
    fn check(&self, subject: &Self::Subject, stop: Stop<'_>) -> Option<Result<(), Rejection>>;
}

impl Evidence for Verdict {
    type Subject = Program;

    fn is_given(&self) -> bool {
        !matches!(self, Verdict::Unknown(_))
    }

    fn check(&self, program: &Program, stop: Stop<'_>) -> Option<Result<(), Rejection>> {
        match self {
            Verdict::Safe(proof) => Some(check_proof(program, proof, stop)),
            Verdict::Unsafe(trace) => Some(check_trace(program, trace)),
            Verdict::Unknown(_) => None,
        }
    }
}

impl Evidence for HornVerdict {
    type Subject = HornSystem;

    fn is_given(&self) -> bool {
        !matches!(self, HornVerdict::Unknown(_))
    }

    fn check(&self, system: &HornSystem, stop: Stop<'_>) -> Option<Result<(), Rejection>> {
        match self {
            HornVerdict::Sat(solution) => Some(check_solution(system, solution, stop)),
            HornVerdict::Unsat(derivation) => Some(check_refutation(system, derivation)),
            HornVerdict::Unknown(_) => None,
        }
    }
}

impl Evidence for CfaVerdict {
    type Subject = CfaProgram;

    fn is_given(&self) -> bool {
        !matches!(self, CfaVerdict::Unknown(_))
    }

    fn check(&self, program: &CfaProgram, stop: Stop<'_>) -> Option<Result<(), Rejection>> {
        match self {
            CfaVerdict::Safe(proof) => Some(check_procedures(program, proof, stop)),
            CfaVerdict::Unsafe(trace) => Some(check_input_trace(program, trace, stop)),
            CfaVerdict::Unknown(_) => None,
        }
    }
}

/// Checks that a proof about procedures is one.
pub(crate) fn check_procedures(program: &CfaProgram, proof: &CfaProof, stop: Stop<'_>) -> Result<(), Rejection> {
    match proof {
        CfaProof::Reached(states) => check_reached_states(program, states, stop),
        CfaProof::Invariants(proof) => check_invariants(program, proof, stop),
        CfaProof::Unrolled(proof) => check_unrolling(program, proof, stop),
        CfaProof::Induction(proof) => check_induction(program, proof, stop),
        CfaProof::Summaries(proof) => check_summaries(program, proof, stop),
    }
}

/// Checks a verdict against what it is about. One that was accepted before stays so; "unknown" stays unchecked.
pub fn certify<V: Evidence>(subject: &V::Subject, judged: Judged<V>, stop: Stop<'_>) -> Result<Judged<V>, Rejection> {
    let Judged::Unchecked(verdict) = judged else { return Ok(judged) };
    match verdict.check(subject, stop) {
        None => Ok(Judged::Unchecked(verdict)),
        Some(Ok(())) => Ok(Judged::Certified(Certified(verdict))),
        Some(Err(rejection)) => Err(rejection),
    }
}
