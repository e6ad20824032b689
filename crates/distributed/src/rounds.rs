//! Work in rounds, as a dataflow: a loop whose timestamps are the rounds.
//!
//! ```text
//!   +--> exchange by target --> a worker's part --+
//!   +------------- feedback, round + 1 <----------+
//! ```
//!
//! What a part sends in a round arrives in the next one. A round is complete at a worker when the frontier has passed it: then all messages
//! of that round were received, by every worker. A worker that knows it may start on the round and send to others, who
//! find the messages of the next round behind all of this one: that is how they know, too, though the frontier tells them later.
//!
//! At the end of its work in a round, each worker tells all of them something, the *note*: whether to go on is decided from the notes alone,
//! so all decide the same.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use clinch_engine::Budget;
use clinch_ir::Reason;
use timely::container::NoopBuilder;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::{Capability, ConnectLoop, Feedback};
use timely::scheduling::activate::Activator;
use timely::worker::Worker;

use crate::batch::{Batch, Kind, ToTarget};
use crate::health::Health;

/// How long a worker with nothing to do sleeps, at most, until it looks at the health of the others.
const NAP: Duration = Duration::from_millis(20);

/// What a worker does in each round.
pub(crate) trait Part {
    /// Records for the next round.
    fn receive(&mut self, from: u32, records: &[u8]);

    /// What a worker said at the end of the last round.
    fn hear(&mut self, from: u32, note: &[u8]);

    /// All records and all notes for the round have arrived. Whether there is anything to do, which must depend on the notes alone.
    fn begin(&mut self, round: u64) -> bool;

    /// Some of the work of the round; the note when it is done. Must not take long, so that what others send is received.
    fn work(&mut self, out: &mut Outbox) -> Option<Vec<u8>>;
}

/// What a worker sends.
#[derive(Debug)]
pub(crate) struct Outbox {
    me: u32,
    workers: u32,
    batches: Vec<Batch>,
    /// Batches of records, and their bytes, that were sent so far.
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
}

impl Outbox {
    /// Sends records to a worker.
    pub(crate) fn send(&mut self, target: u32, records: Vec<u8>) {
        self.messages += 1;
        self.bytes += records.len() as u64;
        self.batches.push(Batch { target, from: self.me, kind: Kind::Records, bytes: records });
    }

    /// Sends the same to all workers, this one too, as notes.
    pub(crate) fn tell_all(&mut self, note: &[u8]) {
        for target in 0..self.workers {
            self.batches.push(Batch { target, from: self.me, kind: Kind::Note, bytes: note.to_vec() });
        }
    }
}

/// Where the operator, which timely schedules, and the part meet.
#[derive(Debug, Default)]
struct Port {
    /// What arrived, with its round, in this order.
    arrived: VecDeque<(u64, Batch)>,
    leaving: Vec<Batch>,
    /// The round that is worked on, or waited for.
    round: u64,
    /// Whether what leaves is all of this round.
    is_done: bool,
    /// Whether all of this round has arrived.
    is_complete: bool,
    /// Whether nothing is sent any more.
    is_over: bool,
}

/// Works in rounds until the parts decide that there is nothing to do. Fails where another worker does not answer any more.
pub(crate) fn run(worker: &mut Worker, part: &mut dyn Part, health: &Health, budget: &Budget) -> Result<(), Reason> {
    let number = worker.next_dataflow_index();
    let port = Rc::new(RefCell::new(Port::default()));
    let activator = connect(worker, &port);
    let mut rounds = Rounds { outbox: outbox(worker), port, part, round: 0, has_begun: false };
    let outcome = rounds.run(worker, &activator, health, budget);
    if outcome.is_err() {
        worker.drop_dataflow(number);
    }
    outcome
}

fn outbox(worker: &Worker) -> Outbox {
    Outbox { me: worker.index() as u32, workers: worker.peers() as u32, batches: Vec::new(), messages: 0, bytes: 0 }
}

fn connect(worker: &mut Worker, port: &Rc<RefCell<Port>>) -> Activator {
    let port = Rc::clone(port);
    worker.dataflow::<u64, _, _>(|scope| {
        let (handle, looped) = scope.feedback(1);
        let mut activator = None;
        let told = &mut activator;
        let sent = looped.unary_frontier::<NoopBuilder<Batch>, _, _, _>(
            DistributorPact(|_| ToTarget),
            "part",
            move |first, info| {
                *told = Some(scope.activator_for(info.address));
                // Capabilities of the round that is worked on and of the next.
                let mut held: Vec<Capability<u64>> = vec![first];
                move |(input, frontier), output| {
                    let mut port = port.borrow_mut();
                    input.for_each(|capability, batch| {
                        let round = *capability.time();
                        if !port.is_over && held.iter().all(|held| *held.time() != round) {
                            held.push(capability.retain(0));
                        }
                        port.arrived.push_back((round, std::mem::take(batch)));
                    });
                    if let Some(current) = held.iter().find(|held| *held.time() == port.round) {
                        let mut session = output.session_with_builder(current);
                        port.leaving.drain(..).for_each(|mut batch| session.give_container(&mut batch));
                    }
                    port.round += u64::from(std::mem::take(&mut port.is_done));
                    held.retain(|held| !port.is_over && *held.time() >= port.round);
                    port.is_complete = !frontier.less_equal(&port.round);
                }
            },
        );
        sent.connect_loop(handle);
        activator.expect("the operator was built")
    })
}

struct Rounds<'a> {
    outbox: Outbox,
    port: Rc<RefCell<Port>>,
    part: &'a mut dyn Part,
    round: u64,
    has_begun: bool,
}

impl Rounds<'_> {
    fn run(
        &mut self,
        worker: &mut Worker,
        activator: &Activator,
        health: &Health,
        budget: &Budget,
    ) -> Result<(), Reason> {
        let mut is_over = false;
        let mut waits_since = None;
        while worker.has_dataflows() {
            health.check_waiting(budget, &mut waits_since)?;
            let is_idle = is_over || !self.has_begun;
            worker.step_or_park(Some(if is_idle { NAP } else { Duration::ZERO }));
            if is_over {
                continue;
            }
            is_over = self.take_arrived()? || self.begin_if_complete();
            if is_over {
                self.port.borrow_mut().is_over = true;
                activator.activate();
            } else if self.has_begun {
                self.work();
                activator.activate();
            }
        }
        Ok(())
    }

    /// Hands over what has arrived; whether all is over.
    fn take_arrived(&mut self) -> Result<bool, Reason> {
        loop {
            let Some((round, batch)) = self.port.borrow_mut().arrived.pop_front() else { return Ok(false) };
            if round > self.round && !self.has_begun && self.begin() {
                return Err(Reason::Crashed("workers disagree on the end".to_owned()));
            }
            match batch.kind {
                Kind::Records => self.part.receive(batch.from, &batch.bytes),
                Kind::Note => self.part.hear(batch.from, &batch.bytes),
            }
        }
    }

    fn begin_if_complete(&mut self) -> bool {
        let is_complete = {
            let port = self.port.borrow();
            port.is_complete && port.round == self.round && port.arrived.is_empty()
        };
        is_complete && !self.has_begun && self.begin()
    }

    /// Begins with the round; whether there is nothing to do in it.
    fn begin(&mut self) -> bool {
        self.has_begun = self.part.begin(self.round);
        !self.has_begun
    }

    fn work(&mut self) {
        let note = self.part.work(&mut self.outbox);
        if let Some(note) = &note {
            self.outbox.tell_all(note);
        }
        let mut port = self.port.borrow_mut();
        port.leaving.append(&mut self.outbox.batches);
        if note.is_some() {
            port.is_done = true;
            self.has_begun = false;
            self.round += 1;
        }
    }
}
