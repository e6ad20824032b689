//! The options of the exhaustive search.

use clinch_ir::InputDomain;

use super::{Config, Order, Team};
use crate::options::{EngineOption, Model, OptionTable, Value};

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
            name: "reduce",
            about: "Partial-order reduction, breadth first. por: of steps whose order does not matter to the error some are left out.",
            value: Value::Word(&[("none", |c: &mut Config| c.reduce = false), ("por", |c| c.reduce = true)]),
            on: &[Model::Processes],
        },
        EngineOption {
            name: "input-domain",
            about: "Values tried for inputs and initial values whose domain is unbounded.",
            value: Value::Interval(|c, domain| c.inputs = InputDomain(Some(domain))),
            on: &[Model::Processes],
        },
        EngineOption {
            name: "workers",
            about: "Search with so many workers in each process, which exchange states; breadth first (docs/scale.md).",
            value: Value::Number(1..=1024, None, |c, n| c.team().workers = n as usize),
            on: &[Model::Processes],
        },
        EngineOption {
            name: "hosts",
            about: "Search in several processes: a file with a line host:port for each.",
            value: Value::Path(|c, file| c.team().hosts = Some(file.to_owned())),
            on: &[Model::Processes],
        },
        EngineOption {
            name: "process",
            about: "Which line of the file with the hosts is this process, from 0.",
            value: Value::Number(0..=65_534, None, |c, n| c.team().process = n as usize),
            on: &[Model::Processes],
        },
        EngineOption {
            name: "checkpoint",
            about: "A new folder, reached by all workers, for what is needed to go on after a crash.",
            value: Value::Path(|c, folder| c.team().checkpoint = Some(folder.to_owned())),
            on: &[Model::Processes],
        },
        EngineOption {
            name: "resume",
            about: "Goes on where a checkpoint ends, with any number of workers.",
            value: Value::Path(|c, folder| c.team().resume = Some(folder.to_owned())),
            on: &[Model::Processes],
        },
        EngineOption {
            name: "spill",
            about: "A folder for the states that the memory does not hold.",
            value: Value::Path(|c, folder| c.team().spill = Some(folder.to_owned())),
            on: &[Model::Processes],
        },
    ],
    check: |_, config| match (&config.team, config.order) {
        (Some(_), Order::DepthFirst | Order::RandomDepthFirst) => {
            Err("--order: several workers search breadth first".to_owned())
        }
        (Some(_), _) if config.reduce => Err("--reduce: several workers take all steps".to_owned()),
        (None, Order::DepthFirst | Order::RandomDepthFirst) if config.reduce => {
            Err("--reduce: only the search breadth first leaves out steps".to_owned())
        }
        (Some(_), _) if config.forget => Err("--dead: several workers keep all variables".to_owned()),
        (Some(Team { checkpoint: Some(new), resume: Some(old), .. }), _) if new == old => {
            Err("--checkpoint: it must be another folder than that of --resume".to_owned())
        }
        _ => Ok(()),
    },
};
