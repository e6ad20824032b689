//! Answers of engines. There is none without evidence, and evidence is plain data that `clinch-certify` re-checks.

use std::time::Duration;

/// What an engine says: with a proof, or with a counterexample.
#[derive(Clone, Debug)]
pub enum Answer<P, C> {
    /// No error is reachable; clauses have a solution.
    Safe(P),
    /// An error is reachable; clauses contradict each other.
    Unsafe(C),
    /// The engine cannot say.
    Unknown(Reason),
}

impl<P, C> Answer<P, C> {
    /// Whether there is a verdict, with evidence.
    pub fn is_known(&self) -> bool {
        !matches!(self, Answer::Unknown(_))
    }
}

/// Why an engine stopped without an answer.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Reason {
    /// The time given is used up.
    #[error("time limit of {} s reached", .0.as_secs_f64())]
    Timeout(Duration),
    /// The memory given is used up.
    #[error("memory limit of {0} MiB reached")]
    Memory(u64),
    /// The iterations given are used up.
    #[error("iteration limit of {0} reached")]
    Iterations(u64),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
    /// Refinement found nothing new to distinguish.
    #[error("no progress: refinement found no new predicate")]
    NoProgress,
    /// An integer outgrew 64 bits.
    #[error("an integer outgrew 64 bits in {0}")]
    Overflow(String),
    /// Inputs or initial values with infinitely many choices.
    #[error("{0} may take infinitely many values: restrict them with --input-domain LO..HI")]
    InfiniteInputs(String),
    /// All values of the restricted input domain were tried; others were not.
    #[error("no error for inputs in {0}..{1}, other values were not tried")]
    RestrictedInputs(i64, i64),
    /// No run tried reaches the error; there are inputs with more values than were tried.
    #[error("no error for the inputs tried; there are more values than can be tried")]
    SampledInputs,
    /// A search came to its end, and that says nothing: why.
    #[error("no verdict: {0}")]
    Inconclusive(String),
    /// A run has undefined behaviour; no run tried reaches the error.
    #[error("undefined behaviour: {0}")]
    Undefined(String),
    /// The compiled program does not do what the model does: no verdict is to be trusted.
    #[error("execution of the compiled program does not confirm the error found: {0}")]
    NotConfirmed(String),
    /// A limit was reached, and this is what kept the engine busy.
    #[error("{0}; {1}")]
    Busy(Box<Reason>, String),
    /// The engine cannot treat something.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// The engine cannot treat procedures that call themselves; others can.
    #[error("unsupported: recursion: {0}")]
    Recursion(String),
    /// The process that searched is gone: this is what ended it.
    #[error("engine crashed: {0}")]
    Crashed(String),
    /// Found, but its re-check did not finish.
    #[error("the verdict could not be re-checked: {0}")]
    Uncertified(String),
}
