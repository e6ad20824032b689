//! The options of predicate abstraction of Horn clauses.

use super::{Config, Order, RefinementMode, Scope};
use crate::options::{EVERY, EngineOption, OptionTable, Settings, Value};

/// The options of predicate abstraction of Horn clauses.
pub const OPTIONS: OptionTable<Config> = OptionTable {
    options: &[
        EngineOption {
            name: "order",
            about: "Which abstract state is expanded next.",
            value: Value::Word(&[
                ("subsumer-first", |c: &mut Config| c.order = Order::SubsumerFirst),
                ("subsumer", |c| c.order = Order::SubsumerFirst),
                ("priority", |c| c.order = Order::Priority),
                ("bfs", |c| c.order = Order::BreadthFirst),
                ("dfs", |c| c.order = Order::DepthFirst),
            ]),
            on: EVERY,
        },
        EngineOption {
            name: "simplify",
            about: "Make the clauses smaller before the search. off: the paper's configuration.",
            value: Value::Word(&[("on", |_: &mut Config| {}), ("off", |c| c.simplify = None)]),
            on: EVERY,
        },
        EngineOption {
            name: "control",
            about: "Make control explicit that the clauses keep in Boolean or integer parameters (needs --simplify on).",
            value: Value::Word(&[("on", |_: &mut Config| {}), ("off", |c| c.control = None)]),
            on: EVERY,
        },
        EngineOption {
            name: "invariants",
            about: "Look for simple invariants before the search.",
            value: Value::Word(&[("on", |_: &mut Config| {}), ("off", |c| c.invariants = None)]),
            on: EVERY,
        },
        EngineOption {
            name: "scope",
            about: "Use new predicates where the transition that asked for them ends, or everywhere.",
            value: Value::Word(&[
                ("transition", |c: &mut Config| c.scope = Scope::Location),
                ("global", |c| c.scope = Scope::Everywhere),
            ]),
            on: EVERY,
        },
        EngineOption {
            name: "refine",
            about: "Learn from spurious counterexamples. off: compute the fixpoint for the predicates given.",
            value: Value::Word(&[
                ("on", |c: &mut Config| c.refinement = RefinementMode::Refine),
                ("off", |c| c.refinement = RefinementMode::Fixed),
            ]),
            on: EVERY,
        },
    ],
    check: |settings: &Settings, _| match (settings.get("control"), settings.get("simplify")) {
        (Some("on"), Some("off")) => Err("--control on needs --simplify on".to_owned()),
        _ => Ok(()),
    },
};
