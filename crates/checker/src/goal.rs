//! A goal of a search for a run that a witness describes: the error at a given place, after the steps that the witness lists, is the only
//! one that counts.

use clinch_ir::cfa::{CfaProgram, Edge, Location, ObjectKind, Op, Procedure, SourceMap};
use clinch_terms::{LocId, Sort, Symbol, Term};

/// The error that counts. Runs end without error at all others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Goal {
    /// A global variable of the program and the number that it must have, if that matters.
    pub counter: Option<(String, u32)>,
    /// The file.
    pub file: String,
    /// Where the statement begins in which the error happens: line and column.
    pub from: (u32, u32),
    /// Where it ends: its last line, and the column if something follows on that line.
    pub to: (u32, Option<u32>),
}

impl Goal {
    /// Lets the error count that is meant, and no other. How many edges of the program stand for it; nothing if the variable is not there.
    pub(crate) fn apply(&self, program: &mut CfaProgram) -> Option<usize> {
        let condition = match &self.counter {
            Some((name, value)) => Some(condition(program, name, *value)?),
            None => None,
        };
        let mut count = 0;
        for procedure in &mut program.procedures {
            for number in 0..procedure.edges.len() {
                match procedure.edges[number].op {
                    Op::Error(_) if self.is_at(&program.source, &procedure.edges[number]) => {
                        count += 1;
                        guard(procedure, number, condition);
                    }
                    Op::Error(_) => procedure.edges[number].op = Op::Abort,
                    _ => {}
                }
            }
        }
        Some(count)
    }

    fn is_at(&self, source: &SourceMap, edge: &Edge) -> bool {
        let place = source.place(edge.span);
        let at = (place.line, place.column);
        let ended = place.line == self.to.0 && self.to.1.is_some_and(|column| place.column > column);
        place.file == self.file && at >= self.from && place.line <= self.to.0 && !ended
    }
}

/// That a global variable has a value.
fn condition(program: &mut CfaProgram, name: &str, value: u32) -> Option<Term> {
    let variable = variable(program, name).or_else(|| cell(program, name))?;
    let terms = &mut program.terms;
    let value = match terms.sort(variable) {
        Sort::BitVec(width) => terms.bit_vec(width, value.into()),
        Sort::Int => terms.int(value.into()),
        _ => return None,
    };
    Some(terms.eq(variable, value))
}

fn variable(program: &mut CfaProgram, name: &str) -> Option<Term> {
    let is_meant = |symbol: &Symbol| program.variables.get(symbol).is_some_and(|info| info.name == name);
    let symbol = program.globals.iter().map(|global| global.symbol).find(is_meant)?;
    Some(program.terms.symbol(symbol))
}

/// The variable as a cell of memory: that is where it is if some pointer may lead anywhere.
fn cell(program: &mut CfaProgram, name: &str) -> Option<Term> {
    let object = program.objects.iter().find(|object| object.kind == ObjectKind::Static && object.name == name)?;
    let has_it_whole = |symbol: &Symbol| {
        let region = program.region(*symbol);
        region.is_some_and(|region| !region.ghost && u64::from(region.cell_bytes) == object.size)
    };
    let region = object.regions.iter().copied().find(has_it_whole)?;
    let Sort::Array(of) = program.terms.symbol_sort(region) else { return None };
    let Sort::BitVec(width) = of.0 else { return None };
    let (array, address) = (program.terms.symbol(region), program.terms.bit_vec(width, object.address));
    Some(program.terms.select(array, address))
}

/// Lets an edge be taken only where a condition holds. No other edge leaves its location, so that runs end there otherwise.
fn guard(procedure: &mut Procedure, number: usize, condition: Option<Term>) {
    let Some(condition) = condition else { return };
    let (from, span) = (procedure.edges[number].from, procedure.edges[number].span);
    let between = LocId::from_index(procedure.locations.len());
    procedure.locations.push(Location { label: None, span });
    procedure.edges[number].from = between;
    procedure.edges.push(Edge { from, to: between, op: Op::Assume(condition), span });
}
