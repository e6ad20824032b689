//! Clinch as a library: from a task to a report.
//!
//! A [`Task`] is what is checked: files or texts, in any language that clinch reads, and how they are read. [`Options`] say how. The
//! [`Report`] has the verdict with its evidence, which was re-checked by something that does not know how it was found.
//!
//! ```
//! use clinch_checker::report::{Counterexample, Proof, Verdict};
//! use clinch_checker::{Options, Task, check};
//!
//! // A C program: what holds in its loop?
//! let text = "
//!     extern void reach_error(void);
//!     extern int __VERIFIER_nondet_int(void);
//!     int main(void) {
//!         int n = __VERIFIER_nondet_int(), i = 0;
//!         while (i < 1000 && i < n) i++;
//!         if (i > 1000) reach_error();
//!         return 0;
//!     }";
//! let report = check(&Task::text("count.c", text), &Options::default()).expect("a C program");
//! let Verdict::Safe { proof, under } = &report.verdict else { panic!("{report}") };
//! assert!(report.certified && under.is_empty());
//! if let Proof::Invariants { invariants, .. } = proof {
//!     for found in invariants {
//!         println!("{}:{}: {}", found.file, found.line, found.invariant);
//!     }
//! }
//!
//! // Guarded commands: how is the error reached?
//! let text = "
//!     var x: 0..9 = 0;
//!     command grow when x < 5 do x := x + 2;
//!     error x = 4;";
//! let report = check(&Task::text("grow.gcl", text), &Options::default()).expect("a model");
//! let Verdict::Unsafe { counterexample: Counterexample::Processes(trace), .. } = &report.verdict else {
//!     panic!("{report}")
//! };
//! assert_eq!(trace.steps.len(), 2);
//! for step in &trace.steps {
//!     println!("{}: {:?}", step.transition, step.changed.variables);
//! }
//! ```
//!
//! [`check`] runs the engines in threads of the calling process; several checks may run at a time. The solver is foreign code: who wants to
//! survive its crashes has the engines in processes of their own ([`supervisor`], [`worker`]), as the `clinch` command does.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod asked;
mod baton;
mod c;
mod check;
mod counted;
pub mod engines;
mod given;
mod goal;
mod in_process;
mod kind;
pub mod options;
mod outbox;
mod predicates;
mod property;
pub mod protocol;
mod reading;
pub mod report;
mod rounds;
mod sites;
mod smtlib;
mod spots;
mod store;
pub mod supervisor;
pub mod task;
mod watcher;
pub mod worker;

pub use asked::{Asked, Property};
pub use c::harness::origin_text;
pub use c::load::{Language, Loaded, c_files, entries, preprocess};
pub use check::{Outcome, check_program};
pub use counted::{AtWork, Counted, Doing, Nobody, Onlooker, Sample, words};
pub use given::scope_text;
pub use goal::Goal;
pub use in_process::check;
pub use kind::Kind;
pub use options::{EngineName, Limits, Options};
pub use reading::{Error, Reading, Source};
pub use report::Report;
pub use sites::Site;
pub use spots::Spot;
pub use task::Task;
pub use watcher::Watcher;
