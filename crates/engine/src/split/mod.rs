//! placeholder
use clinch_ir::{InputDomain, Program, Verdict, Reason};
use crate::budget::{Budget, Observer};
/// s
#[derive(Clone, Copy, Debug, Default)]
pub enum Strategy { /// a
 MaxOverlap, /// b
 MinSet, /// c
 #[default] MinOnly }
/// c
#[derive(Clone, Debug, Default)]
pub struct Config { /// a
 pub strategy: Strategy, /// b
 pub seed: u64, /// c
 pub inputs: InputDomain }
/// s
#[derive(serde::Serialize)]
pub struct Stats;
/// c
pub fn check(_: &Program, _: &Config, _: &Budget, _: &mut dyn Observer) -> (Verdict, Stats) { (Verdict::Unknown(Reason::NoProgress), Stats) }
