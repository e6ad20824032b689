//! Re-checks that a program may forget what is said to be dead: then it has an error if and only if it has one when it forgets.
//!
//! Two states are alike if they differ in nothing but what is dead at their locations. Of two states that are alike, each step of one is a step
//! of the other, and leads to states that are alike: no transition reads what is dead where it starts, and what it does not write stays
//! dead. Errors do not depend on what is dead. Setting it to any value makes a state that is alike.

use clinch_ir::dead::{Accesses, cells_read};
use clinch_ir::{Dead, Program, Transition};
use clinch_terms::{LocId, ProcId};

use crate::Rejection;

pub(crate) fn check(program: &Program, dead: &Dead) -> Result<(), Rejection> {
    let observed = program.property.error.map_or_else(Vec::new, |error| cells_read(program, error));
    let cells = program.cell_count();
    for (process, location) in places(program) {
        let here = dead.at(process, location);
        if here.iter().any(|&cell| cell >= cells) {
            return wrong("there is no such cell");
        }
        if here.iter().any(|cell| observed.contains(cell)) {
            return wrong("the error depends on one");
        }
    }
    program.transitions.iter().try_for_each(|transition| check_transition(program, dead, transition))
}

fn places(program: &Program) -> impl Iterator<Item = (ProcId, LocId)> {
    let locations = |(p, process): (usize, &clinch_ir::Process)| {
        (0..process.locations.len() as u32).map(move |location| (ProcId(p as u32), LocId(location)))
    };
    program.processes.iter().enumerate().flat_map(locations)
}

fn check_transition(program: &Program, dead: &Dead, transition: &Transition) -> Result<(), Rejection> {
    let Accesses { reads, writes } = Accesses::of(program, transition);
    // It can be taken while a process that it moves is where it starts, and another one is anywhere.
    let starts_at = |&(process, location): &(ProcId, LocId)| {
        transition.moves.iter().find(|m| m.process == process).is_none_or(|m| m.from == location)
    };
    for (process, location) in places(program).filter(starts_at) {
        if dead.at(process, location).iter().any(|cell| reads.contains(cell)) {
            return wrong("a transition reads one");
        }
    }
    for m in &transition.moves {
        let after = dead.at(m.process, m.to);
        if !dead.at(m.process, m.from).iter().all(|cell| after.contains(cell) || writes.contains(cell)) {
            return wrong("one comes back to life, and was not written");
        }
    }
    Ok(())
}

fn wrong<T>(what: &str) -> Result<T, Rejection> {
    Err(Rejection::Wrong(format!("not all of these cells are dead: {what}")))
}
