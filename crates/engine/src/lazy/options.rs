//! The options of lazy abstraction.

use super::{Abstraction, BlockSize, Config, DataFlow, Focus, Grain, Order, Part, Scope, Subtree, Values};
use crate::options::{EVERY, EngineOption, OptionTable, Settings, Value};

/// The options of lazy abstraction. What is not said is as the preset has it.
pub const OPTIONS: OptionTable<Config> = OptionTable {
    options: &[
        EngineOption {
            name: "preset",
            about: "A set of strategies. blast: those of the paper instead of what pays today.",
            value: Value::Word(&[("default", |_: &mut Config| {}), ("blast", |c| *c = Config::blast())]),
            on: EVERY,
        },
        EngineOption {
            name: "order",
            about: "Which node is processed next: reverse post-order, breadth first, depth first, larger states before smaller ones.",
            value: Value::Word(&[
                ("rpo", |c: &mut Config| c.order = Order::ReversePostOrder),
                ("bfs", |c| c.order = Order::BreadthFirst),
                ("dfs", |c| c.order = Order::DepthFirst),
                ("subsumer-first", |c| c.order = Order::SubsumerFirst),
                ("subsumer", |c| c.order = Order::SubsumerFirst),
            ]),
            on: EVERY,
        },
        EngineOption {
            name: "blocks",
            about: "How much of the program is one step: an edge, a basic block, everything up to the next loop head.",
            value: Value::Word(&[
                ("edge", |c: &mut Config| c.blocks = BlockSize::Edge),
                ("basic", |c| c.blocks = BlockSize::Basic),
                ("loops", |c| c.blocks = BlockSize::Loops),
            ]),
            on: EVERY,
        },
        EngineOption {
            name: "abstraction",
            about: "How abstract successors are computed. both: cartesian, and boolean where a counterexample comes back.",
            value: Value::Word(&[
                ("cartesian", |c: &mut Config| c.abstraction = Abstraction::Cartesian),
                ("boolean", |c| c.abstraction = Abstraction::Boolean),
                ("both", |c| c.abstraction = Abstraction::CartesianThenBoolean),
            ]),
            on: EVERY,
        },
        EngineOption {
            name: "focus",
            about: "Where predicates come from: atoms of the contradiction, or of sequence interpolants.",
            value: Value::Word(&[
                ("core", |c: &mut Config| c.focus = Focus::Core),
                ("interpolants", |c| c.focus = Focus::Interpolants),
            ]),
            on: EVERY,
        },
        EngineOption {
            name: "part",
            about: "Which part of a spurious counterexample is refuted: all of it, or what comes after the pivot.",
            value: Value::Word(&[
                ("whole", |c: &mut Config| c.part = Part::WholePath),
                ("pivot", |c| c.part = Part::FromPivot),
            ]),
            on: EVERY,
        },
        EngineOption {
            name: "local",
            about: "Where new predicates are used: in the subtree of the pivot, or at the locations they were found for.",
            value: Value::Word(&[
                ("subtree", |c: &mut Config| c.scope = Scope::Subtree),
                ("location", |c| c.scope = Scope::Location),
            ]),
            on: EVERY,
        },
        EngineOption {
            name: "grain",
            about: "What of an interpolant becomes a predicate: its atoms, its conjuncts, or atoms first.",
            value: Value::Word(&[
                ("atoms", |c: &mut Config| c.grain = Grain::Atoms),
                ("conjuncts", |c| c.grain = Grain::Conjuncts),
                ("both", |c| c.grain = Grain::AtomsThenConjuncts),
            ]),
            on: EVERY,
        },
        EngineOption {
            name: "values",
            about: "Which variables become control, by value, where they turn out to matter: none; those that are assigned constants; all.",
            value: Value::Word(&[
                ("none", |c: &mut Config| c.values = Values::None),
                ("control", |c| c.values = Values::Control),
                ("all", |c| c.values = Values::All),
            ]),
            on: EVERY,
        },
        EngineOption {
            name: "data-flow",
            about: "What is known without abstraction: nothing, or constants and bounds of variables from a data-flow pass.",
            value: Value::Word(&[
                ("none", |c: &mut Config| c.data_flow = DataFlow::None),
                ("intervals", |c| c.data_flow = DataFlow::Intervals),
            ]),
            on: EVERY,
        },
        EngineOption {
            name: "keep-subtree",
            about: "Keep the subtree of a pivot and compute only the path to the error anew.",
            value: Value::Flag(|c| c.subtree = Subtree::Keep),
            on: EVERY,
        },
        EngineOption {
            name: "whole-equations",
            about: "Leave equations whole instead of splitting them into two inequalities.",
            value: Value::Flag(|c| c.split_equations = false),
            on: EVERY,
        },
    ],
    check: |_: &Settings, config| match (config.subtree, config.scope) {
        (Subtree::Keep, Scope::Location) => Err("--keep-subtree goes with --local subtree".to_owned()),
        _ => Ok(()),
    },
};
