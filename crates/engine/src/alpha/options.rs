//! The options of abstract matching.

use clinch_ir::InputDomain;

use super::{Config, ErrorLookup, Inputs, Order, PredicateScope, ProverUse};
use crate::options::{EngineOption, Model, OptionTable, Settings, Value};

const ON: &[Model] = &[Model::Processes];
const BOTH: &[Model] = &[Model::Processes, Model::Procedures];

/// The options of abstract matching.
pub const OPTIONS: OptionTable<Config> = OptionTable {
    options: &[
        EngineOption {
            name: "order",
            about: "Which waiting state is explored next.",
            value: Value::Word(&[
                ("bfs", |c: &mut Config| c.order = Order::BreadthFirst),
                ("dfs", |c| c.order = Order::DepthFirst),
            ]),
            on: BOTH,
        },
        EngineOption {
            name: "prover",
            about: "Use a prover to check exactness. off: the light-weight approach, which adds predicates on every step.",
            value: Value::Word(&[
                ("on", |c: &mut Config| c.prover = ProverUse::On),
                ("off", |c| c.prover = ProverUse::Off),
            ]),
            on: ON,
        },
        EngineOption {
            name: "add-all",
            about: "Describe by predicates the states in which a transition was not exact K times in a row.",
            value: Value::Number(0..=u32::MAX as u64, Some(3), |c, k| c.add_all = u32::try_from(k).ok()),
            on: ON,
        },
        EngineOption {
            name: "scope",
            about: "Use new predicates everywhere, or where the transition that asked for them starts.",
            value: Value::Word(&[
                ("global", |c: &mut Config| c.scope = PredicateScope::Global),
                ("transition", |c| c.scope = PredicateScope::Transition),
            ]),
            on: ON,
        },
        EngineOption {
            name: "inputs",
            about: "Find input values with the solver, one for each combination of predicates, or try all of a domain.",
            value: Value::Word(&[
                ("solve", |c: &mut Config| c.inputs = Inputs::Solve),
                ("brute", |c| c.inputs = Inputs::BruteForce(InputDomain(None))),
            ]),
            on: ON,
        },
        EngineOption {
            name: "input-domain",
            about: "Values tried for inputs and initial values whose domain is unbounded; implies --inputs brute.",
            value: Value::Interval(|c, domain| c.inputs = Inputs::BruteForce(InputDomain(Some(domain)))),
            on: ON,
        },
        EngineOption {
            name: "lookup",
            about: "Look for the error after each search, as in the paper, or stop at the first one.",
            value: Value::Word(&[
                ("end", |c: &mut Config| c.lookup = ErrorLookup::AtEnd),
                ("once", |c| c.lookup = ErrorLookup::AtOnce),
            ]),
            on: ON,
        },
    ],
    check: |settings: &Settings, _| match (settings.get("inputs"), settings.get("input-domain")) {
        (Some("solve"), Some(_)) => Err("--input-domain does not go with --inputs solve".to_owned()),
        _ => Ok(()),
    },
};
