//! The name of a program: a hash of all that the engines see of it, wherever its text stands.
//!
//! The front end makes automata of the functions that a run can reach, and of nothing else. So a change elsewhere in a file leaves
//! the hash as it is. Lines are not in it, so that text above may grow; columns and the text of statements are, for reports show them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clinch_ir::Span;
use clinch_ir::cfa::{CfaProgram, Edge, Location, Procedure};

use crate::Digest;

/// A line of a file.
pub type Place = (String, u32);

/// The name of a program, and where its text stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fingerprint {
    /// The hash.
    pub digest: String,
    /// Where each part of it starts and ends. Programs with one hash have as many places, in one order.
    pub places: Vec<Place>,
}

/// The fingerprint of a program.
pub fn fingerprint(program: &CfaProgram) -> Fingerprint {
    let mut writer = Writer { program, digest: Digest::default(), places: Vec::new() };
    writer.data();
    program.procedures.iter().for_each(|procedure| writer.procedure(procedure));
    Fingerprint { digest: writer.digest.finish(), places: writer.places }
}

/// Where lines have gone between two programs with one hash. Nothing if a line was torn apart.
pub fn moves(from: &[Place], to: &[Place]) -> Option<BTreeMap<Place, Place>> {
    let mut moves = BTreeMap::new();
    for (old, new) in from.iter().zip(to) {
        if moves.insert(old.clone(), new.clone()).is_some_and(|other| other != *new) {
            return None;
        }
    }
    (from.len() == to.len()).then_some(moves)
}

struct Writer<'p> {
    program: &'p CfaProgram,
    digest: Digest,
    places: Vec<Place>,
}

impl Writer<'_> {
    /// What is not in procedures.
    fn data(&mut self) {
        let CfaProgram {
            terms,
            pointer_bits,
            integers,
            globals,
            regions,
            objects,
            procedures: _,
            entry,
            inputs,
            variables,
            // Names of members, for people. Those that a function uses are in its text.
            layouts: _,
            accesses,
            outside_is_valid,
            assumptions,
            source: _,
        } = self.program;
        self.add(&(terms, pointer_bits, integers, globals, regions, objects, entry));
        self.add(&(outside_is_valid, assumptions));
        self.add(&variables.iter().collect::<BTreeMap<_, _>>());
        let accesses: BTreeMap<_, _> =
            accesses.iter().map(|((procedure, location), access)| ((procedure.0, location.0), access)).collect();
        self.add(&accesses);
        for input in inputs {
            self.add(&(&input.kind, &input.ty, input.signed));
            self.span(input.span);
        }
    }

    fn procedure(&mut self, procedure: &Procedure) {
        let Procedure { name, params, locals, result, locations, edges, entry, exit, address, span } = procedure;
        self.add(&(name, params, locals, result, entry, exit, address));
        self.span(*span);
        for Location { label, span } in locations {
            self.add(label);
            self.span(*span);
        }
        for Edge { from, to, op, span } in edges {
            self.add(&(from, to, op));
            self.span(*span);
        }
    }

    /// The text of a span, its columns, and how far apart its ends are; its lines are noted beside.
    fn span(&mut self, span: Span) {
        let source = &self.program.source;
        let (start, end) = (source.place(span), source.place_of_end(span));
        let height = i64::from(end.line) - i64::from(start.line);
        self.add(&(start.column, end.column, height, source.excerpt(span), source.is_system(span)));
        self.places.extend([(start.file, start.line), (end.file, end.line)]);
    }

    fn add(&mut self, part: &impl std::fmt::Debug) {
        writeln!(self.digest, "{part:?}").expect("a hash takes everything");
    }
}
