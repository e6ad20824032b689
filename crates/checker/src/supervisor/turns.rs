//! Whose turn it is, where fewer engines may run at a time than could help.
//!
//! With several cores it is a matter of time: a process is stopped, and goes on later. With one it is to be the same in every run: an engine
//! is told how much work it may do, says when that is done, and what it told others by then they hear at the start of their next turn.

use std::time::{Duration, Instant};

use super::Check;
use super::worker::{State, Worker};
use crate::protocol::Request;

/// The part of a turn that an engine gets which would have answered by now if it could, where another engine surely will.
const PAST_ITS_BEST: u32 = 10;
/// The processor's time that a turn may take beside its length and half of it, for work is a rough measure: a long query must not keep the
/// others from their turns, and goes on in its next one. Where exactly it is interrupted differs between runs, and nobody sees that: others hear of a turn when it is over. Only a query
/// that takes just as long may be over in this turn or in the next, so it is far from what first turns take, on slower machines too.
const OVERDUE: Duration = Duration::from_millis(300);
/// And as much for a verdict to be re-checked, or as much as the search took.
const RECHECK: Duration = Duration::from_secs(2);

/// Engines that rest run so many milliseconds of so many.
const AWAKE: (u128, u128) = (200, 2000);

impl Check<'_> {
    /// The next engine goes on when the turn of the one before is over: those that have not started first, then who waits longest.
    pub(super) fn give_turns(&mut self) {
        if let Some(at_work) = self.workers.iter_mut().find(|worker| worker.state == State::Running) {
            if at_work.is_overdue() {
                at_work.slice *= if at_work.resumed { 2 } else { 1 };
                at_work.pause();
            }
            return;
        }
        if self.over.is_some() {
            return;
        }
        if self.start_next().is_some() {
            return self.give_turn(self.workers.len() - 1);
        }
        let waiting = self.workers.iter().enumerate().filter(|(_, worker)| worker.state != State::Ended);
        if let Some((number, _)) = waiting.min_by_key(|(_, worker)| worker.since) {
            self.give_turn(number);
        }
    }

    fn give_turn(&mut self, number: usize) {
        let length = self.turn_length(&self.workers[number]);
        let worker = &mut self.workers[number];
        if worker.state == State::Paused {
            // It was in the middle of its turn.
            worker.turn = (length, worker.processor_time().unwrap_or_default());
            worker.resumed = true;
            return worker.resume();
        }
        worker.slice *= 2;
        self.store.hand_to(number).into_iter().for_each(|fact| worker.send(&Request::Fact(fact)));
        worker.give_turn(length);
    }

    fn turn_length(&self, worker: &Worker) -> Duration {
        let prospects = worker.member.and_then(|member| self.prospects.get(&member));
        let patience = prospects.and_then(|prospects| prospects.patience);
        match prospects {
            _ if self.one_run && patience.is_some_and(|patience| worker.work > Duration::from_millis(patience.ms)) => {
                worker.slice / PAST_ITS_BEST
            }
            Some(prospects) if worker.work > Duration::ZERO => worker.slice * prospects.part / 100,
            _ => worker.slice,
        }
    }

    /// A worker waits for its next turn. If it was about to end an older one, this one begins.
    pub(super) fn turn_over(&mut self, number: usize, work: Duration) {
        let worker = &mut self.workers[number];
        worker.work = work;
        if worker.state == State::Paused {
            worker.resume();
        }
        worker.becomes(State::Waiting);
        let resumed = std::mem::take(&mut worker.resumed);
        self.tell_of_turn(number);
        if resumed && self.over.is_none() {
            self.give_turn(number);
        }
    }

    /// What a worker told in its turn is for all to hear.
    pub(super) fn tell_of_turn(&mut self, number: usize) {
        let worker = &mut self.workers[number];
        let (name, told) = (worker.name(), std::mem::take(&mut worker.told));
        told.into_iter().for_each(|what| self.store.tell(number, &name, what));
    }

    /// Where not all may run at a time, those whose slice is over wait for the others; while a verdict is re-checked, all do for a while.
    pub(super) fn share_cores(&mut self) {
        if self.workers.iter().any(Worker::is_finishing) {
            let others = self.workers.iter_mut().filter(|w| w.found.is_none() && w.state == State::Running);
            return others.for_each(Worker::pause);
        }
        let is_paused = |worker: &Worker| worker.state == State::Paused && !worker.rests;
        let others_wait = !self.waiting.is_empty() || self.workers.iter().any(is_paused);
        let tired = self.workers.iter().position(|worker| {
            worker.state == State::Running && !worker.is_finishing() && worker.since.elapsed() > worker.slice
        });
        if let Some(tired) = tired.filter(|_| others_wait && self.asked_for_others && self.over.is_none()) {
            let running = self.workers.iter().filter(|worker| worker.state == State::Running).count();
            if running >= self.threads {
                self.workers[tired].slice *= 2;
                self.workers[tired].pause();
            }
        }
        if self.waiting.is_empty() || self.next_waits() {
            let running = self.workers.iter().filter(|worker| worker.state == State::Running).count();
            let mut rested: Vec<&mut Worker> = self.workers.iter_mut().filter(|worker| is_paused(worker)).collect();
            rested.sort_by_key(|worker| worker.since);
            rested.into_iter().take(self.threads.saturating_sub(running)).for_each(Worker::resume);
        }
    }

    /// A search on all cores waits for the slowest of them, so it must not share one all the time, not even with an engine that has only a
    /// tenth of it. Such engines run all at a time, now and then; and always when nobody else does.
    pub(super) fn let_rest(&mut self) {
        let others_run = self.workers.iter().any(|worker| !worker.rests && worker.state == State::Running);
        let finishing = self.workers.iter().any(Worker::is_finishing);
        let awake = !finishing && (!others_run || self.budget.elapsed().as_millis() % AWAKE.1 < AWAKE.0);
        let is_over = self.over.is_some();
        for worker in self.workers.iter_mut().filter(|worker| worker.rests) {
            // That it has a verdict may be heard when it rests already.
            let has_found = worker.found.is_some();
            match worker.state {
                State::Running if !awake && !is_over && !has_found => worker.pause(),
                State::Paused if awake || has_found => worker.resume(),
                _ => {}
            }
        }
    }
}

impl Worker {
    fn give_turn(&mut self, length: Duration) {
        self.turn = (length, self.processor_time().unwrap_or_default());
        self.becomes(State::Running);
        self.send(&Request::Turn(length.as_millis() as u64));
    }

    /// It has read the input, and starts its engine: what that took is not of its turn.
    pub(super) fn is_prepared(&mut self, engine: String) {
        self.engine = Some(engine);
        self.turn.1 = self.processor_time().unwrap_or_default();
    }

    pub(super) fn has_found(&mut self) {
        self.found = Some((Instant::now(), self.processor_time().unwrap_or_default()));
    }

    /// The search goes on; what the re-check took is not of its turn.
    pub(super) fn is_rejected(&mut self) {
        if let (Some((_, before)), Some(now)) = (self.found.take(), self.processor_time()) {
            self.turn.1 += now.saturating_sub(before.max(self.turn.1));
        }
        self.busy = None;
    }

    /// Whether its turn takes longer than it should, on the processor's clock.
    fn is_overdue(&self) -> bool {
        let (length, start) = self.turn;
        let prepares = self.engine.is_none();
        if prepares || self.settled {
            return false;
        }
        let recheck = if self.found.is_some() { RECHECK.max(self.work + length) } else { Duration::ZERO };
        let most = length * 3 / 2 + OVERDUE + recheck;
        self.processor_time().is_some_and(|now| now.saturating_sub(start) > most)
    }
}
