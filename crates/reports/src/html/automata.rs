//! Control-flow automata as pictures, laid out by the crate `layout-rs`.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use clinch_ir::cfa::print::show_op;
use clinch_ir::cfa::{CfaProgram, Op, Procedure};
use layout::backends::svg::SVGWriter;
use layout::core::base::Orientation;
use layout::core::color::Color;
use layout::core::geometry::Point;
use layout::core::style::StyleAttr;
use layout::std_shapes::shapes::{Arrow, Element, ShapeKind};
use layout::topo::layout::VisualGraph;
use serde_json::{Value, json};

/// Larger automata are not drawn: nobody would see anything.
const MOST_LOCATIONS: usize = 150;
/// Functions that are drawn.
const MOST_FUNCTIONS: usize = 12;
/// Characters of a step that are shown.
const LABEL: usize = 44;

/// The automata of the functions, with places that are marked: those first that have some.
pub(super) fn draw(program: &CfaProgram, marked: &BTreeSet<(String, u32)>) -> Vec<Value> {
    let is_own = |procedure: &&Procedure| procedure.span.end > 0 && !program.source.is_system(procedure.span);
    let own = program.procedures.iter().enumerate().filter(|(number, _)| *number != program.entry.index());
    let mut own: Vec<&Procedure> = own.map(|(_, procedure)| procedure).filter(is_own).collect();
    let marks = |procedure: &Procedure| {
        (0..procedure.locations.len()).filter(|&at| is_marked(program, procedure, at, marked)).count()
    };
    own.sort_by_key(|procedure| (std::cmp::Reverse(marks(procedure)), procedure.name != "main"));
    let drawn = own.into_iter().take(MOST_FUNCTIONS);
    drawn
        .map(|procedure| {
            let size = format!("{} locations, {} steps", procedure.locations.len(), procedure.edges.len());
            json!({ "name": procedure.name, "size": size, "svg": picture(program, procedure, marked) })
        })
        .collect()
}

fn is_marked(program: &CfaProgram, procedure: &Procedure, at: usize, marked: &BTreeSet<(String, u32)>) -> bool {
    let span = procedure.locations[at].span;
    let place = program.source.place(span);
    span.end > 0 && marked.contains(&(place.file, place.line))
}

/// The picture; nothing if it is too large, or the layout fails.
fn picture(program: &CfaProgram, procedure: &Procedure, marked: &BTreeSet<(String, u32)>) -> Option<String> {
    if procedure.locations.len() > MOST_LOCATIONS {
        return None;
    }
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let drawn = catch_unwind(AssertUnwindSafe(|| lay_out(program, procedure, marked)));
    std::panic::set_hook(hook);
    // The document is part of a page.
    drawn.ok().and_then(|svg| svg.find("<svg").map(|start| svg[start..].to_owned()))
}

fn lay_out(program: &CfaProgram, procedure: &Procedure, marked: &BTreeSet<(String, u32)>) -> String {
    let mut graph = VisualGraph::new(Orientation::TopToBottom);
    let heads = procedure.loop_heads();
    let mut reached = vec![false; procedure.locations.len()];
    reached[procedure.entry.index()] = true;
    procedure.edges.iter().for_each(|edge| reached[edge.to.index()] = true);
    let mut handles = Vec::new();
    for (at, location) in procedure.locations.iter().enumerate() {
        if !reached[at] {
            handles.push(None);
            continue;
        }
        let line = program.source.place(location.span).line;
        let label = match (&location.label, at) {
            (Some(label), _) => label.clone(),
            _ if at == procedure.entry.index() => "start".to_owned(),
            _ if at == procedure.exit.index() => "end".to_owned(),
            _ if location.span.end > 0 => line.to_string(),
            _ => String::new(),
        };
        let shape = if heads[at] { ShapeKind::new_double_circle(&label) } else { ShapeKind::new_circle(&label) };
        let fill = if is_marked(program, procedure, at, marked) { 0xff_e0_66_ff } else { 0xff_ff_ff_ff };
        let look = StyleAttr::new(Color::new(0x33_33_33_ff), 1, Some(Color::new(fill)), 0, 13);
        let size = Point::new(20.0 + 9.0 * label.chars().count() as f64, 30.0);
        handles.push(Some(graph.add_node(Element::create(shape, look, Orientation::TopToBottom, size))));
    }
    for edge in &procedure.edges {
        let (Some(from), Some(to)) = (handles[edge.from.index()], handles[edge.to.index()]) else { continue };
        let mut label: String = show_op(program, &edge.op);
        if label.chars().count() > LABEL {
            label = label.chars().take(LABEL - 1).collect::<String>() + "…";
        }
        let mut arrow = Arrow::simple(&label);
        let colour = if matches!(edge.op, Op::Error(_)) { 0xc9_2a_2a_ff } else { 0x55_55_55_ff };
        arrow.look = StyleAttr::new(Color::new(colour), 1, None, 0, 11);
        graph.add_edge(arrow, from, to);
    }
    let mut svg = SVGWriter::new();
    graph.do_it(false, false, false, &mut svg);
    svg.finalize()
}
