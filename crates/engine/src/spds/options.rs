//! The options of symbolic pushdown systems.

use super::{Abstraction, Calls, Config, Interpolants};
use crate::options::{EngineOption, Model, OptionTable, Value, any};

const ON: &[Model] = &[Model::Procedures, Model::Processes];
/// Data of C.
const PROCEDURES: &[Model] = &[Model::Procedures];

/// The options of symbolic pushdown systems.
pub const OPTIONS: OptionTable<Config> = OptionTable {
    options: &[
        EngineOption {
            name: "abstraction",
            about: "What is refined: none, by a single counterexample or a whole graph (dag) of them at a time, or none and dag in turns (both).",
            value: Value::Word(&[
                ("both", |c: &mut Config| c.abstraction = Abstraction::Both),
                ("dag", |c| c.abstraction = Abstraction::Dag),
                ("single", |c| c.abstraction = Abstraction::Single),
                ("none", |c| c.abstraction = Abstraction::None),
            ]),
            on: ON,
        },
        EngineOption {
            name: "interpolants",
            about: "Which interpolants become predicates.",
            value: Value::Word(&[
                ("conciliated", |c: &mut Config| c.interpolants = Interpolants::Conciliated),
                ("minimal", |c| c.interpolants = Interpolants::Minimal),
                ("weakest", |c| c.interpolants = Interpolants::Weakest),
                ("strongest", |c| c.interpolants = Interpolants::Strongest),
            ]),
            on: ON,
        },
        EngineOption {
            name: "weak-calls",
            about: "Which predicates of a call are kept weak: those on the caller, as in the paper, or those on the effect of the procedure.",
            value: Value::Word(&[
                ("caller", |c: &mut Config| c.calls = Calls::WeakCaller),
                ("effect", |c| c.calls = Calls::WeakEffect),
            ]),
            on: ON,
        },
        EngineOption {
            name: "int-bits",
            about: "Integer variables hold only so many bits; the verdict is about integers of that width.",
            value: Value::Number(1..=64, None, |c, n| c.int_bits = u32::try_from(n).ok()),
            on: PROCEDURES,
        },
        EngineOption {
            name: "heap-bits",
            about: "Bits of dynamic memory, for each kind of block; a program that may need more has no verdict (1024).",
            value: Value::Number(8..=65536, None, |c, n| c.heap_bits = n as u32),
            on: PROCEDURES,
        },
    ],
    check: any,
};
