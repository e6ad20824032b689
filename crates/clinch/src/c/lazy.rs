//! The options of lazy abstraction.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clinch_engine::lazy::{
    Abstraction, BlockSize, Config, DataFlow, Focus, Grain, Order, Part, Scope, Subtree, Values,
};
use clinch_ir::cfa::encoding::Overflow;
use clinch_ir::horn::Encoding;

use crate::cli::{CheckArgs, OrderName};

/// Strategies of lazy abstraction. What is not said is as the preset has it.
#[derive(Args, Debug)]
pub(crate) struct LazyArgs {
    /// A set of strategies. blast: those of the paper.
    #[arg(long, value_enum)]
    pub(crate) preset: Option<PresetName>,

    /// Draw the reachability tree into this file, for Graphviz.
    #[arg(long, value_name = "FILE")]
    pub(crate) dot: Option<PathBuf>,

    /// How much of the program is one step: an edge, a basic block, everything up to the next loop head.
    #[arg(long, value_enum)]
    pub(crate) blocks: Option<BlocksName>,

    /// How abstract successors are computed. both: cartesian, and boolean where a counterexample comes back. For spds:
    /// none, refinement by a single counterexample or by a whole graph (dag) of them at a time, or none and then dag (both).
    #[arg(long, value_enum)]
    pub(crate) abstraction: Option<AbstractionName>,

    /// Where predicates come from: atoms of the contradiction, or of sequence interpolants.
    #[arg(long, value_enum)]
    pub(crate) focus: Option<FocusName>,

    /// What of an interpolant becomes a predicate: its atoms, its conjuncts, or atoms first.
    #[arg(long, value_enum)]
    pub(crate) grain: Option<GrainName>,

    /// Which part of a spurious counterexample is refuted: all of it, or what comes after the pivot.
    #[arg(long, value_enum)]
    pub(crate) part: Option<PartName>,

    /// Where new predicates are used: in the subtree of the pivot, or at the locations they were found for.
    #[arg(long, value_enum)]
    pub(crate) local: Option<LocalName>,

    /// Keep the subtree of a pivot and compute only the path to the error anew.
    #[arg(long)]
    pub(crate) keep_subtree: bool,

    /// How machine integers are read. int: as unbounded ones; wrap: with wrap-around; bv: as bits. By
    /// default one after the other, until a verdict holds in exact arithmetic.
    #[arg(long, value_enum)]
    pub(crate) encoding: Option<EncodingName>,

    /// Which variables become control, by value, where they turn out to matter: none; those that are assigned constants; all.
    #[arg(long, value_enum)]
    pub(crate) values: Option<ValuesName>,

    /// What is known without abstraction: nothing, or constants and bounds of variables from a data-flow pass.
    #[arg(long, value_enum)]
    pub(crate) data_flow: Option<DataFlowName>,

    /// Leave equations whole instead of splitting them into two inequalities.
    #[arg(long)]
    pub(crate) whole_equations: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PresetName {
    Default,
    Blast,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EncodingName {
    Int,
    Wrap,
    Bv,
}

impl EncodingName {
    pub(crate) fn encoding(self) -> Encoding {
        match self {
            EncodingName::Int => Encoding::Integers(Overflow::Ignored),
            EncodingName::Wrap => Encoding::Integers(Overflow::Wraps),
            EncodingName::Bv => Encoding::Bits,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BlocksName {
    Edge,
    Basic,
    Loops,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AbstractionName {
    Cartesian,
    Boolean,
    Both,
    None,
    Single,
    Dag,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FocusName {
    Core,
    Interpolants,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GrainName {
    Atoms,
    Conjuncts,
    Both,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PartName {
    Whole,
    Pivot,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LocalName {
    Subtree,
    Location,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValuesName {
    None,
    Control,
    All,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DataFlowName {
    None,
    Intervals,
}

/// The configuration the command line asks for.
pub(crate) fn config(args: &CheckArgs) -> Result<Config, String> {
    let lazy = &args.lazy;
    let mut config = match lazy.preset {
        Some(PresetName::Blast) => Config::blast(),
        Some(PresetName::Default) | None => Config::default(),
    };
    match lazy.blocks {
        Some(BlocksName::Edge) => config.blocks = BlockSize::Edge,
        Some(BlocksName::Basic) => config.blocks = BlockSize::Basic,
        Some(BlocksName::Loops) => config.blocks = BlockSize::Loops,
        None => {}
    }
    if let Some(name) = lazy.abstraction {
        config.abstraction = abstraction(name)?;
    }
    match lazy.focus {
        Some(FocusName::Core) => config.focus = Focus::Core,
        Some(FocusName::Interpolants) => config.focus = Focus::Interpolants,
        None => {}
    }
    match lazy.grain {
        Some(GrainName::Atoms) => config.grain = Grain::Atoms,
        Some(GrainName::Conjuncts) => config.grain = Grain::Conjuncts,
        Some(GrainName::Both) => config.grain = Grain::AtomsThenConjuncts,
        None => {}
    }
    match lazy.part {
        Some(PartName::Whole) => config.part = Part::WholePath,
        Some(PartName::Pivot) => config.part = Part::FromPivot,
        None => {}
    }
    match lazy.local {
        Some(LocalName::Subtree) => config.scope = Scope::Subtree,
        Some(LocalName::Location) => config.scope = Scope::Location,
        None => {}
    }
    if let Some(name) = lazy.values {
        config.values = values(name);
    }
    if let Some(name) = lazy.data_flow {
        config.data_flow = data_flow(name);
    }
    if let Some(name) = args.order {
        config.order = order(name)?;
    }
    if lazy.keep_subtree {
        config.subtree = Subtree::Keep;
    }
    if lazy.whole_equations {
        config.split_equations = false;
    }
    if config.subtree == Subtree::Keep && config.scope == Scope::Location {
        return Err("--keep-subtree goes with --local subtree".to_owned());
    }
    config.draw = lazy.dot.is_some();
    Ok(config)
}

fn abstraction(name: AbstractionName) -> Result<Abstraction, String> {
    match name {
        AbstractionName::Cartesian => Ok(Abstraction::Cartesian),
        AbstractionName::Boolean => Ok(Abstraction::Boolean),
        AbstractionName::Both => Ok(Abstraction::CartesianThenBoolean),
        _ => Err("this --abstraction does not go with --engine lazy".to_owned()),
    }
}

fn values(name: ValuesName) -> Values {
    match name {
        ValuesName::None => Values::None,
        ValuesName::Control => Values::Control,
        ValuesName::All => Values::All,
    }
}

fn data_flow(name: DataFlowName) -> DataFlow {
    match name {
        DataFlowName::None => DataFlow::None,
        DataFlowName::Intervals => DataFlow::Intervals,
    }
}

fn order(name: OrderName) -> Result<Order, String> {
    match name {
        OrderName::Bfs => Ok(Order::BreadthFirst),
        OrderName::Dfs => Ok(Order::DepthFirst),
        OrderName::ReversePostOrder => Ok(Order::ReversePostOrder),
        OrderName::SubsumerFirst => Ok(Order::SubsumerFirst),
        _ => Err("this --order does not go with --engine lazy".to_owned()),
    }
}
