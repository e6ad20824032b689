//! The options of symbolic pushdown systems.

use clap::{Args, ValueEnum};
use clinch_engine::spds::{Abstraction, Calls, Config, Interpolants};

use super::lazy::AbstractionName;
use crate::cli::CheckArgs;

/// Options of symbolic pushdown systems.
#[derive(Args, Debug)]
pub(crate) struct SpdsArgs {
    /// Integer variables hold only so many bits; the verdict is about integers of that width.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) int_bits: Option<u32>,

    /// Bits of dynamic memory, for each kind of block; a program that may need more has no verdict.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(8..=65536))]
    pub(crate) heap_bits: Option<u32>,

    /// Which interpolants become predicates.
    #[arg(long, value_enum)]
    pub(crate) interpolants: Option<InterpolantsName>,

    /// Which predicates of a call are kept weak: those on the caller, as in the paper, or those on the effect of the procedure.
    #[arg(long, value_enum)]
    pub(crate) weak_calls: Option<WeakCallsName>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WeakCallsName {
    Caller,
    Effect,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InterpolantsName {
    Strongest,
    Weakest,
    Conciliated,
    Minimal,
}

/// The configuration the command line asks for.
pub(crate) fn config(args: &CheckArgs) -> Result<Config, String> {
    let defaults = Config::default();
    Ok(Config {
        int_bits: args.spds.int_bits,
        heap_bits: args.spds.heap_bits.unwrap_or(defaults.heap_bits),
        abstraction: match args.lazy.abstraction {
            None => defaults.abstraction,
            Some(AbstractionName::Both) => Abstraction::Both,
            Some(AbstractionName::None) => Abstraction::None,
            Some(AbstractionName::Single) => Abstraction::Single,
            Some(AbstractionName::Dag) => Abstraction::Dag,
            Some(_) => return Err("this --abstraction does not go with --engine spds".to_owned()),
        },
        interpolants: match args.spds.interpolants {
            None => defaults.interpolants,
            Some(InterpolantsName::Strongest) => Interpolants::Strongest,
            Some(InterpolantsName::Weakest) => Interpolants::Weakest,
            Some(InterpolantsName::Conciliated) => Interpolants::Conciliated,
            Some(InterpolantsName::Minimal) => Interpolants::Minimal,
        },
        calls: match args.spds.weak_calls {
            None => defaults.calls,
            Some(WeakCallsName::Caller) => Calls::WeakCaller,
            Some(WeakCallsName::Effect) => Calls::WeakEffect,
        },
        ..defaults
    })
}
