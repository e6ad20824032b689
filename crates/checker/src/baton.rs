//! Threads of which one works at a time, in turns that grow.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clinch_engine::turns::Rota;

/// How much work an engine does before it is another one's turn, at first.
const SLICE: Duration = Duration::from_millis(200);

/// Whoever holds it works.
pub(crate) struct Baton {
    round: Mutex<Round>,
    passed: Condvar,
}

struct Round {
    holder: usize,
    /// Whether each of them still takes part.
    members: Vec<bool>,
}

impl Baton {
    /// For so many threads; the first begins.
    pub(crate) fn new(members: usize) -> Baton {
        Baton { round: Mutex::new(Round { holder: 0, members: vec![true; members] }), passed: Condvar::new() }
    }

    /// The one of a thread, by number. It takes part as long as that lives.
    pub(crate) fn hand(self: &Arc<Self>, number: usize) -> Hand {
        Hand(Arc::new(Holder { baton: Arc::clone(self), number, slice: Mutex::new(SLICE) }))
    }

    fn round(&self) -> MutexGuard<'_, Round> {
        // Nothing is done under the lock that could leave the round half changed.
        self.round.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands the baton to the next one that takes part, if this one has it.
    fn pass_on(&self, number: usize) {
        let mut round = self.round();
        if round.holder == number {
            let all = round.members.len();
            let next = (1..=all).map(|step| (number + step) % all).find(|&next| round.members[next]);
            round.holder = next.unwrap_or(number);
        }
        self.passed.notify_all();
    }
}

/// The part of one thread. Others go on without it when it goes out of scope.
pub(crate) struct Hand(Arc<Holder>);

impl Hand {
    /// What tells an engine when it is its turn.
    pub(crate) fn rota(&self) -> Arc<dyn Rota> {
        self.0.clone()
    }
}

impl Drop for Hand {
    fn drop(&mut self) {
        let Holder { baton, number, .. } = &*self.0;
        baton.round().members[*number] = false;
        baton.pass_on(*number);
    }
}

struct Holder {
    baton: Arc<Baton>,
    number: usize,
    /// How much work its next turn may be.
    slice: Mutex<Duration>,
}

impl Rota for Holder {
    fn over(&self, _: Duration) {
        self.baton.pass_on(self.number);
    }

    fn wait(&self) -> Duration {
        let round = self.baton.passed.wait_while(self.baton.round(), |round| round.holder != self.number);
        drop(round);
        let mut slice = self.slice.lock().unwrap_or_else(PoisonError::into_inner);
        let length = *slice;
        *slice *= 2;
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three threads that do the same, and note whose turn it is.
    #[test]
    fn one_works_at_a_time() {
        let baton = Arc::new(Baton::new(3));
        let notes = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for number in [2, 0, 1] {
                let (hand, notes) = (baton.hand(number), &notes);
                scope.spawn(move || {
                    for turn in 0..=number {
                        let length = hand.rota().wait();
                        notes.lock().unwrap().push((number, turn, length.as_millis()));
                        if turn < number {
                            hand.rota().over(length);
                        }
                    }
                });
            }
        });
        let expected = [(0, 0, 200), (1, 0, 200), (2, 0, 200), (1, 1, 400), (2, 1, 400), (2, 2, 800)];
        assert_eq!(*notes.lock().unwrap(), expected);
    }
}
