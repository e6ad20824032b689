//! Whether there is something to check: where no error can be named, "no error is reachable" says nothing.

use clinch_ir::cfa::{CfaProgram, Op};
use clinch_ir::{HornSystem, Program, Span};
use clinch_terms::{BinOp, LocId, Node, ProcId, Term};

/// Why nothing was checked of a model, if so. Faults are errors of any model, but nobody asks for them alone.
pub(crate) fn missing_in_program(program: &Program) -> Option<String> {
    let Some(error) = program.property.error else {
        let none =
            "the model has no property (see --error and --deadlock): only faults were looked for, and there are none";
        return (!program.property.deadlock).then(|| none.to_owned());
    };
    if program.property.deadlock {
        return None;
    }
    if program.terms.node(error) == Node::Bool(false) {
        return Some("the error condition is false in every state".to_owned());
    }
    let locations = alternatives(program, error)?;
    let missing = locations.iter().all(|&(process, location)| !is_entered(program, process, location));
    let names: Vec<&str> =
        locations.iter().map(|&(p, l)| program.processes[p.index()].locations[l.index()].as_str()).collect();
    missing.then(|| format!("no transition leads to the error location {}", names.join(", ")))
}

/// The locations of an error condition that is nothing but a choice of locations.
fn alternatives(program: &Program, error: Term) -> Option<Vec<(ProcId, LocId)>> {
    match program.terms.node(error) {
        Node::At(process, location) => Some(vec![(process, location)]),
        Node::Binary(BinOp::Or, left, right) => {
            let mut all = alternatives(program, left)?;
            all.extend(alternatives(program, right)?);
            Some(all)
        }
        _ => None,
    }
}

fn is_entered(program: &Program, process: ProcId, location: LocId) -> bool {
    let moves = program.transitions.iter().flat_map(|t| &t.moves);
    program.processes[process.index()].initial == location
        || moves.into_iter().any(|m| m.process == process && m.to == location)
}

/// Why nothing was checked of Horn clauses, if so.
pub(crate) fn missing_in_clauses(system: &HornSystem) -> Option<String> {
    if system.clauses.iter().all(|clause| clause.head.is_some()) {
        return Some("no clause has the conclusion false: nothing was checked".to_owned());
    }
    let facts = system.clauses.iter().any(|clause| clause.body.is_empty());
    (!facts).then(|| "every clause has a premise, and nothing follows from none: nothing was checked".to_owned())
}

/// Whether no error is in reach of the calls and edges of a program, not even one that is excluded by a constant condition.
pub(crate) fn has_no_error(program: &CfaProgram) -> bool {
    let mut seen: Vec<Vec<bool>> = program.procedures.iter().map(|p| vec![false; p.locations.len()]).collect();
    let mut todo = vec![(program.entry, program.procedure(program.entry).entry)];
    while let Some((procedure, location)) = todo.pop() {
        if std::mem::replace(&mut seen[procedure.index()][location.index()], true) {
            continue;
        }
        for edge in program.procedure(procedure).edges.iter().filter(|edge| edge.from == location) {
            match edge.op {
                Op::Error(_) => return false,
                Op::Call { callee, .. } => todo.push((callee, program.procedure(callee).entry)),
                _ => {}
            }
            todo.push((procedure, edge.to));
        }
    }
    let entered = program.procedures.iter().zip(&seen).filter(|(_, seen)| seen.contains(&true));
    !entered.into_iter().any(|(procedure, _)| names_error(body(&program.source.text, procedure.span)))
}

/// Whether a text names an error of C: a function or the label.
fn names_error(text: &str) -> bool {
    const NAMES: [&str; 8] = [
        "reach_error",
        "__VERIFIER_error",
        "__VERIFIER_assert",
        "assert",
        "__assert_fail",
        "__assert_rtn",
        "__assert",
        "ERROR",
    ];
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| NAMES.contains(&word))
}

/// The text between the braces that follow a name.
fn body(text: &str, name: Span) -> &str {
    let text = &text[name.end as usize..];
    let (mut start, mut depth) = (None, 0_u32);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => {
                start.get_or_insert(at);
                depth += 1;
            }
            b'}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if let (Some(start), 0) = (start, depth) {
            return &text[start..at];
        }
    }
    start.map_or("", |start| &text[start..])
}
