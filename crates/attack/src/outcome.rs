//! What a run shows.

/// How a run ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// With an exit status, as the system keeps it.
    Exit(i32),
    /// By `abort`.
    Abort,
    /// The error was reached.
    Error,
    /// An assumption does not hold.
    Blocked,
    /// None of these, which no generated program should do.
    Other(String),
}

/// What a run prints and how it ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The standard output.
    pub stdout: Vec<u8>,
    /// Its end.
    pub end: End,
}

impl Outcome {
    /// Whether it ends for about the same reason.
    pub fn ends_like(&self, other: &Outcome) -> bool {
        match (&self.end, &other.end) {
            (End::Other(a), End::Other(b)) => a.chars().take(30).eq(b.chars().take(30)),
            (End::Other(_), _) | (_, End::Other(_)) => false,
            _ => true,
        }
    }

    /// Whether the run stops at something that is said not to be modelled.
    pub fn has_no_verdict(&self) -> bool {
        matches!(&self.end, End::Other(text) if text.starts_with("Unsupported"))
    }

    /// The first line that differs, for people.
    pub fn difference(&self, other: &Outcome) -> String {
        let (ours, theirs) = (String::from_utf8_lossy(&self.stdout), String::from_utf8_lossy(&other.stdout));
        let lines = ours.lines().chain([""]).zip(theirs.lines().chain([""]));
        let first = lines.into_iter().find(|(a, b)| a != b);
        format!("gcc: {:?}, ours: {:?}; first difference (gcc, ours): {first:?}", self.end, other.end)
    }
}
