//! Control-flow automata as pictures, and who calls whom.

use std::collections::{BTreeMap, BTreeSet};

use clinch_ir::cfa::print::show_op;
use clinch_ir::cfa::{CfaProgram, Op, Procedure};
use serde_json::{Value, json};

use super::picture::{Picture, Shape};

/// Larger automata are not drawn: nobody would see anything.
const MOST_LOCATIONS: usize = 100;
/// Functions that are shown, and the locations of all that are drawn: pages are to be small, and layouts take time.
const MOST_FUNCTIONS: usize = 12;
const MOST_IN_ALL: usize = 250;
/// Functions in a picture of calls.
const MOST_CALLED: usize = 40;

/// Places that are marked: file and line.
type Marked = BTreeSet<(String, u32)>;

/// The automata of the functions, with places that are marked: those first that have some.
pub(super) fn draw(program: &CfaProgram, marked: &Marked) -> Vec<Value> {
    let own = program.procedures.iter().enumerate().filter(|(number, _)| *number != program.entry.index());
    let mut own: Vec<&Procedure> =
        own.map(|(_, procedure)| procedure).filter(|procedure| is_own(program, procedure)).collect();
    own.sort_by_key(|procedure| (std::cmp::Reverse(marks(program, procedure, marked)), procedure.name != "main"));
    let mut left = MOST_IN_ALL;
    let mut shown = |procedure: &Procedure| {
        let locations = procedure.locations.len();
        let is_drawn = locations <= left.min(MOST_LOCATIONS);
        left -= if is_drawn { locations } else { 0 };
        let size = format!("{locations} locations, {} steps", procedure.edges.len());
        json!({ "name": procedure.name, "size": size, "svg": is_drawn.then(|| picture(program, procedure, marked)) })
    };
    own.into_iter().take(MOST_FUNCTIONS).map(&mut shown).collect()
}

/// Who calls whom, where several functions of the program do: it is what decides how deep the stack of a run may be.
pub(super) fn calls(program: &CfaProgram, marked: &Marked) -> Option<Value> {
    let shown = |number: usize| number != program.entry.index() && is_own(program, &program.procedures[number]);
    let mut edges: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (caller, procedure) in program.procedures.iter().enumerate().filter(|&(caller, _)| shown(caller)) {
        for edge in &procedure.edges {
            if let Op::Call { callee, .. } = &edge.op
                && shown(callee.index())
            {
                *edges.entry((caller, callee.index())).or_default() += 1;
            }
        }
    }
    let functions = |edges: &BTreeMap<(usize, usize), usize>| -> BTreeSet<usize> {
        edges.keys().flat_map(|&(caller, callee)| [caller, callee]).collect()
    };
    let mut called = functions(&edges);
    let mut size = format!("{} functions", called.len());
    if called.len() > MOST_CALLED {
        let passed = |number: usize| marks(program, &program.procedures[number], marked) > 0;
        edges.retain(|&(caller, callee), _| passed(caller) && passed(callee));
        called = functions(&edges);
        size.push_str(", those of them that are marked");
    }
    if called.len() < 2 {
        return None;
    }
    if called.len() > MOST_CALLED {
        return Some(json!({ "size": size, "svg": null }));
    }
    let mut picture = Picture::new();
    let mut handles = BTreeMap::new();
    for &number in &called {
        let procedure = &program.procedures[number];
        let shape = if edges.contains_key(&(number, number)) { Shape::DoubleCircle } else { Shape::Box };
        handles.insert(number, picture.node(&procedure.name, shape, marks(program, procedure, marked) > 0));
    }
    for (&(caller, callee), &times) in edges.iter().filter(|((caller, callee), _)| caller != callee) {
        let label = if times > 1 { format!("{times} times") } else { String::new() };
        picture.arrow(handles[&caller], handles[&callee], &label, false);
    }
    Some(json!({ "size": size, "svg": picture.svg() }))
}

/// Whether a procedure is in the program's own text.
fn is_own(program: &CfaProgram, procedure: &Procedure) -> bool {
    procedure.span.end > 0 && !program.source.is_system(procedure.span)
}

fn marks(program: &CfaProgram, procedure: &Procedure, marked: &Marked) -> usize {
    (0..procedure.locations.len()).filter(|&at| is_marked(program, procedure, at, marked)).count()
}

fn is_marked(program: &CfaProgram, procedure: &Procedure, at: usize, marked: &Marked) -> bool {
    let span = procedure.locations[at].span;
    let place = program.source.place(span);
    span.end > 0 && marked.contains(&(place.file, place.line))
}

/// The picture of an automaton; nothing if the layout fails.
fn picture(program: &CfaProgram, procedure: &Procedure, marked: &Marked) -> Option<String> {
    let mut picture = Picture::new();
    let heads = procedure.loop_heads();
    let mut reached = vec![false; procedure.locations.len()];
    reached[procedure.entry.index()] = true;
    procedure.edges.iter().for_each(|edge| reached[edge.to.index()] = true);
    let mut handles = Vec::new();
    for (at, location) in procedure.locations.iter().enumerate() {
        let label = match (&location.label, at) {
            (Some(label), _) => label.clone(),
            _ if at == procedure.entry.index() => "start".to_owned(),
            _ if at == procedure.exit.index() => "end".to_owned(),
            _ if location.span.end > 0 => program.source.place(location.span).line.to_string(),
            _ => String::new(),
        };
        let shape = if heads[at] { Shape::DoubleCircle } else { Shape::Circle };
        let is_marked = is_marked(program, procedure, at, marked);
        handles.push(reached[at].then(|| picture.node(&label, shape, is_marked)));
    }
    for edge in &procedure.edges {
        if let (Some(from), Some(to)) = (handles[edge.from.index()], handles[edge.to.index()]) {
            picture.arrow(from, to, &show_op(program, &edge.op), matches!(edge.op, Op::Error(_)));
        }
    }
    picture.svg()
}
