//! The options of the exhaustive search.

use clinch_ir::InputDomain;

use super::{Config, Order};
use crate::options::{EngineOption, Model, OptionTable, Value, any};

/// The options of the exhaustive search, on processes.
pub const OPTIONS: OptionTable<Config> = OptionTable {
    options: &[
        EngineOption {
            name: "order",
            about: "Which state is expanded next: breadth first (shortest traces, all cores), depth first, random depth first.",
            value: Value::Word(&[
                ("bfs", |c: &mut Config| c.order = Order::BreadthFirst),
                ("dfs", |c| c.order = Order::DepthFirst),
                ("random", |c| c.order = Order::RandomDepthFirst),
            ]),
            on: &[Model::Processes],
        },
        EngineOption {
            name: "dead",
            about: "Variables that are written before they are read again. forget: states that differ in those alone are one.",
            value: Value::Word(&[("keep", |c: &mut Config| c.forget = false), ("forget", |c| c.forget = true)]),
            on: &[Model::Processes],
        },
        EngineOption {
            name: "input-domain",
            about: "Values tried for inputs and initial values whose domain is unbounded.",
            value: Value::Interval(|c, domain| c.inputs = InputDomain(Some(domain))),
            on: &[Model::Processes],
        },
    ],
    check: any,
};
