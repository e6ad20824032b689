//! The witness graph of a search as a drawing.

use std::time::Duration;

use clinch_bdd::{Bdd, Bdds, OutOfNodes};
use clinch_ir::Span;
use clinch_ir::cfa::{CfaProgram, ProcedureId};
use clinch_terms::{LocId, Symbol};

use super::Setting;
use super::evidence::value;
use super::model::Origin;
use super::reach::{Layer, LayerId, Reach};
use super::system::{FrameId, Kind, Version};
use super::trace::{Link, Witness as _, pick};
use crate::budget::Budget;
use crate::drawing::{Drawing, DrawnKind, DrawnNode, Graph, shortened};

/// Nodes of a diagram in which fixed values are looked for, at most.
const LARGEST: usize = 2_000;
/// The time for that in all.
const TIME: Duration = Duration::from_secs(1);
/// How many of the nodes that a node was found from are named.
const NAMED: usize = 6;

impl Setting<'_> {
    /// The layers of a search, if they are to be drawn: those on the path to an error, and the states of each over the bits of the program. A layer
    /// comes behind what it was found from, so what is left out leads to none that is drawn.
    pub(super) fn draw(
        &self,
        (bdds, reach): (&Bdds, &Reach),
        path: &[LayerId],
        states: &dyn Fn(&Layer) -> Result<Bdd, OutOfNodes>,
    ) -> Option<Drawing> {
        if self.config.draw == 0 {
            return None;
        }
        let (places, time) = (self.places(), self.budget.part(TIME));
        let mut nodes = Vec::new();
        for (layer, id) in reach.layers.iter().zip(0..).take(self.config.draw) {
            let (parent, others) = found_from(reach, id as usize);
            let question = self.model.questions.iter().find(|question| question.point == layer.point);
            let kind = match question.map(|question| question.error) {
                None => DrawnKind::Open,
                Some(true) => DrawnKind::Error,
                Some(false) => DrawnKind::Unmodelled,
            };
            nodes.push(DrawnNode {
                id,
                parent,
                others,
                place: places[layer.point.index()].clone(),
                region: self.region(bdds, layer, states, &time).unwrap_or_else(|OutOfNodes| "…".to_owned()),
                predicates: 0,
                kind,
                on_path: path.contains(&LayerId(id)),
            });
        }
        Some(Drawing { graph: Graph::Pushdown, left_out: reach.layers.len() - nodes.len(), nodes })
    }

    /// Where the control points are, for people.
    fn places(&self) -> Vec<String> {
        let (program, model) = (self.program, self.model);
        let mut places = vec!["start".to_owned(); model.spds.points.len()];
        for (&procedure, points) in model.procedures.iter().zip(&model.locations) {
            for (location, at) in program.procedure(procedure).locations.iter().zip(0..) {
                if let Some(point) = points.get(&LocId(at)) {
                    places[point.index()] = place(program, procedure, location.span);
                }
            }
        }
        for (rule, origin) in model.spds.rules.iter().zip(&model.origins) {
            if let (Kind::Push(_, back), Origin::Edge(procedure, edge)) = (rule.kind, *origin) {
                let span = program.procedure(procedure).edges[edge.index()].span;
                places[back.index()] = format!("{}, after the call", place(program, procedure, span));
            }
        }
        for question in &model.questions {
            let span = program.procedure(question.procedure).edges[question.edge.index()].span;
            let what = if question.error { "ERROR" } else { "no verdict" };
            places[question.point.index()] = format!("{what} in {}", place(program, question.procedure, span));
        }
        places
    }

    /// The values that are the same in all states of a layer.
    fn region(
        &self,
        bdds: &Bdds,
        layer: &Layer,
        states: &dyn Fn(&Layer) -> Result<Bdd, OutOfNodes>,
        time: &Budget,
    ) -> Result<String, OutOfNodes> {
        if time.check().is_err() || layer.states.size() > LARGEST {
            return Err(OutOfNodes);
        }
        let states = states(layer)?;
        if states.size() > LARGEST {
            return Err(OutOfNodes);
        }
        let frame: FrameId = self.model.spds.points[layer.point.index()];
        let procedure = self.program.procedure(self.model.procedures[frame.index()]);
        let globals = self.program.globals.iter().map(|global| global.symbol);
        let mut fixed = Vec::new();
        for symbol in globals.chain(procedure.params.iter().chain(&procedure.locals).copied()) {
            fixed.extend(self.fixed(bdds, &states, symbol)?);
        }
        Ok(shortened(&fixed.join(", ")))
    }

    /// A variable with its value, if that is the same in all these states.
    fn fixed(&self, bdds: &Bdds, states: &Bdd, symbol: Symbol) -> Result<Option<String>, OutOfNodes> {
        let (Some(storage), Some(info)) =
            (self.model.layout.scalars.get(&symbol), self.program.variables.get(&symbol).filter(|info| !info.hidden))
        else {
            return Ok(None);
        };
        let Some(some) = pick(states).filter(|_| !storage.bits.is_empty() && storage.width <= 64) else {
            return Ok(None);
        };
        for &bit in &storage.bits {
            let literal = (bit.at(Version::Current), some.get(bit, Version::Current));
            if !states.implies(&bdds.known_literal(literal)?)? {
                return Ok(None);
            }
        }
        let (bits, unused) = (value(storage, &some), 64 - storage.width.clamp(1, 64));
        let number = bits << unused;
        let number = if info.signed { i128::from(number as i64 >> unused) } else { i128::from(number >> unused) };
        Ok(Some(format!("{} = {number}", info.name)))
    }
}

/// A place in a procedure.
fn place(program: &CfaProgram, procedure: ProcedureId, span: Span) -> String {
    let name = &program.procedure(procedure).name;
    if span.end == 0 {
        return name.clone();
    }
    let place = program.source.place(span);
    format!("{name} {}:{}", place.file, place.line)
}

/// The layer that is drawn above one, and others that it was found from: callers before the ends of calls.
fn found_from(reach: &Reach, layer: usize) -> (Option<u32>, Vec<u32>) {
    let mut from: Vec<u32> = Vec::new();
    for link in reach.links(layer) {
        let sources = match link {
            Link::Start => vec![],
            Link::Rule(_, before) => vec![before],
            Link::Return { caller, exit, .. } => vec![caller, exit],
        };
        for source in sources.into_iter().map(|source| source as u32) {
            if !from.contains(&source) && from.len() < NAMED {
                from.push(source);
            }
        }
    }
    (from.first().copied(), from.into_iter().skip(1).collect())
}
