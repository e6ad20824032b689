//! The options of interval splitting.

use clinch_ir::InputDomain;

use super::{Config, Strategy};
use crate::options::{EngineOption, Model, OptionTable, Value, any};

const ON: &[Model] = &[Model::Processes, Model::Procedures];

/// The options of interval splitting.
pub const OPTIONS: OptionTable<Config> = OptionTable {
    options: &[
        EngineOption {
            name: "strategy",
            about: "Which predicates split abstract states.",
            value: Value::Word(&[
                ("max-overlap", |c: &mut Config| c.strategy = Strategy::MaxOverlap),
                ("min-set", |c| c.strategy = Strategy::MinSet),
                ("min-only", |c| c.strategy = Strategy::MinOnly),
            ]),
            on: ON,
        },
        EngineOption {
            name: "input-domain",
            about: "Values tried for inputs and initial values whose domain is unbounded.",
            value: Value::Interval(|c, domain| c.inputs = InputDomain(Some(domain))),
            on: ON,
        },
    ],
    check: any,
};
