//! Workers in one process, or in several that are connected.
//!
//! The processes of a hosts file connect as timely's do: each listens at its own address and calls those before it. The connections are made
//! here, for three reasons: a host that does not answer must not be waited for without end, processes that work on different
//! models must not work together, and a connection that breaks must end the search in order.

use std::any::Any;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;

use clinch_engine::Budget;
use clinch_ir::Reason;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::zero_copy::stream::Stream;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::{Config, Hooks};

use crate::health::{Health, lost};

/// How often is called until somebody answers.
const AGAIN: Duration = Duration::from_millis(50);
/// How long a process that is connected may take to say who it is.
const GREETING: Duration = Duration::from_secs(10);

/// What workers of this process are made of, and what has to live as long as they do.
pub(crate) type Builders = (Vec<AllocatorBuilder>, Box<dyn Any + Send>);

/// Where the workers are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cluster {
    /// Workers in each process.
    pub threads: usize,
    /// The addresses of the processes; none if this is the only one.
    pub hosts: Vec<String>,
    /// Which of the processes this is.
    pub process: usize,
}

/// What processes that work together agree on: the model, the property, how it is searched.
pub(crate) type Fingerprint = [u8; 32];

impl Cluster {
    /// How many workers there are in all processes.
    pub fn workers(&self) -> usize {
        self.threads * self.hosts.len().max(1)
    }

    /// Connects the processes.
    pub(crate) fn connect(
        &self,
        agreed: &Fingerprint,
        budget: &Budget,
        health: &Arc<Health>,
    ) -> Result<Builders, Reason> {
        let failed = |error: String| Reason::Unsupported(format!("workers cannot be started: {error}"));
        if self.hosts.is_empty() {
            return Config::Process(self.threads).try_build().map_err(failed);
        }
        let sockets = self.sockets(agreed, budget)?;
        let watched = |(process, socket): (usize, Option<TcpStream>)| {
            socket.map(|socket| Watched {
                socket,
                who: self.name(process),
                health: Arc::clone(health),
                zeros: Arc::default(),
            })
        };
        let sockets = sockets.into_iter().enumerate().map(watched).collect();
        let hooks = Hooks::default();
        let local = ProcessBuilder::new_typed_vector(self.threads, hooks.refill.clone(), hooks.spill.clone());
        let (builders, guard) = initialize_networking_from_sockets(local, sockets, self.process, self.threads, hooks)
            .map_err(|error| failed(error.to_string()))?;
        Ok((builders.into_iter().map(AllocatorBuilder::Tcp).collect(), Box::new(guard)))
    }

    fn name(&self, process: usize) -> String {
        format!("process {process} at {}", self.hosts[process])
    }

    /// A connection to each of the other processes.
    fn sockets(&self, agreed: &Fingerprint, budget: &Budget) -> Result<Vec<Option<TcpStream>>, Reason> {
        let own = &self.hosts[self.process];
        let listener = TcpListener::bind(own).and_then(|listener| {
            listener.set_nonblocking(true)?;
            Ok(listener)
        });
        let listener = listener.map_err(|error| Reason::Unsupported(format!("cannot listen at {own}: {error}")))?;
        let mut sockets: Vec<Option<TcpStream>> = (0..self.hosts.len()).map(|_| None).collect();
        for process in 0..self.process {
            sockets[process] = Some(self.call(process, &sockets, agreed, budget)?);
        }
        while let Some(missing) = (self.process + 1..self.hosts.len()).find(|&process| sockets[process].is_none()) {
            waiting(budget, || format!("{} has not called", self.name(missing)))?;
            self.check_connected(&sockets)?;
            match listener.accept() {
                // Whoever does not greet as one of us is not one of us: a port scanner, say.
                Ok((socket, _)) => {
                    if let Ok(Some(process)) = self.answer(&socket, agreed)
                        && process > self.process
                        && process < self.hosts.len()
                    {
                        sockets[process] = Some(socket);
                    }
                }
                Err(_) => sleep(AGAIN),
            }
        }
        Ok(sockets)
    }

    /// Those that are connected are still there: one that has given up will not wait for the others to call.
    fn check_connected(&self, sockets: &[Option<TcpStream>]) -> Result<(), Reason> {
        for (process, socket) in sockets.iter().enumerate() {
            if let Some(Err(error)) = socket.as_ref().map(is_open) {
                return Err(lost(&self.name(process), &error.to_string()));
            }
        }
        Ok(())
    }

    /// Calls a process until it answers.
    fn call(
        &self,
        process: usize,
        connected: &[Option<TcpStream>],
        agreed: &Fingerprint,
        budget: &Budget,
    ) -> Result<TcpStream, Reason> {
        let mut last = "no answer".to_owned();
        loop {
            waiting(budget, || format!("{} does not answer: {last}", self.name(process)))?;
            self.check_connected(connected)?;
            let connected = TcpStream::connect(&self.hosts[process]).and_then(|socket| {
                let greeting = self.greet(&socket, agreed)?;
                Ok((socket, greeting))
            });
            match connected {
                Ok((socket, Some(answer))) if answer == process => return Ok(socket),
                Ok((_, Some(answer))) => {
                    let wrong = format!("{} says that it is process {answer}", self.name(process));
                    return Err(Reason::Unsupported(wrong));
                }
                Ok((_, None)) => {
                    let other = "works on another model, with other options or another number of workers";
                    return Err(Reason::Unsupported(format!("{} {other}", self.name(process))));
                }
                Err(error) => last = error.to_string(),
            }
            sleep(AGAIN);
        }
    }

    /// Says who this is, and hears who the other one is; nobody if it does not agree.
    fn greet(&self, socket: &TcpStream, agreed: &Fingerprint) -> io::Result<Option<usize>> {
        self.say(socket, agreed)?;
        self.listen(socket, agreed)
    }

    fn answer(&self, socket: &TcpStream, agreed: &Fingerprint) -> io::Result<Option<usize>> {
        socket.set_nonblocking(false)?;
        let caller = self.listen(socket, agreed)?;
        self.say(socket, agreed)?;
        Ok(caller)
    }

    fn say(&self, mut socket: &TcpStream, agreed: &Fingerprint) -> io::Result<()> {
        socket.set_nodelay(true)?;
        let mut greeting = (self.process as u64).to_le_bytes().to_vec();
        greeting.extend_from_slice(agreed);
        socket.write_all(&greeting)
    }

    fn listen(&self, mut socket: &TcpStream, agreed: &Fingerprint) -> io::Result<Option<usize>> {
        socket.set_read_timeout(Some(GREETING))?;
        let mut process = [0; 8];
        let mut theirs = Fingerprint::default();
        socket.read_exact(&mut process)?;
        socket.read_exact(&mut theirs)?;
        socket.set_read_timeout(None)?;
        Ok((theirs == *agreed).then_some(u64::from_le_bytes(process) as usize))
    }
}

/// Whether the other end was not closed; what it sent stays to be read.
fn is_open(socket: &TcpStream) -> io::Result<()> {
    socket.set_nonblocking(true)?;
    let seen = socket.peek(&mut [0]);
    socket.set_nonblocking(false)?;
    match seen {
        Ok(0) => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it was closed")),
        Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
        _ => Ok(()),
    }
}

fn waiting(budget: &Budget, why: impl FnOnce() -> String) -> Result<(), Reason> {
    budget.check().map_err(|reason| Reason::Busy(Box::new(reason), why()))
}

/// A connection that counts its bytes, and that sleeps when it is lost: timely would panic, and the others would wait.
struct Watched {
    socket: TcpStream,
    who: String,
    health: Arc<Health>,
    /// Zeros at the end of what came in: timely's farewell is a header of zeros.
    zeros: Arc<AtomicU64>,
}

/// Length of timely's header.
const HEADER: u64 = 48;

impl Watched {
    fn lose(&self, how: &str) -> ! {
        self.health.lose(&self.who, how);
        loop {
            // The process ends soon, and this thread with it.
            std::thread::park();
        }
    }

    fn count(&self, bytes: &[u8]) {
        self.health.received.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let trailing = bytes.iter().rev().take(HEADER as usize).take_while(|&&byte| byte == 0).count();
        let before = if trailing == bytes.len() { self.zeros.load(Ordering::Relaxed) } else { 0 };
        self.zeros.store(before + trailing as u64, Ordering::Relaxed);
    }
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.socket.read(buffer) {
            Ok(0) if self.zeros.load(Ordering::Relaxed) >= HEADER => {
                self.health.end(&self.who);
                Ok(0)
            }
            Ok(0) => self.lose("it was closed"),
            Ok(read) => {
                self.count(&buffer[..read]);
                Ok(read)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => self.read(buffer),
            Err(error) => self.lose(&error.to_string()),
        }
    }
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.socket.write(bytes) {
            Ok(written) => {
                self.health.sent.fetch_add(written as u64, Ordering::Relaxed);
                Ok(written)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => self.lose(&error.to_string()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

impl Stream for Watched {
    fn try_clone(&self) -> io::Result<Self> {
        let (who, health, zeros) = (self.who.clone(), Arc::clone(&self.health), Arc::clone(&self.zeros));
        Ok(Watched { socket: self.socket.try_clone()?, who, health, zeros })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.socket.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // The other end may be gone by now, and has nothing to miss.
        let _ = self.socket.shutdown(how);
        Ok(())
    }
}
