//! What every program with procedures satisfies, whatever it was made from.

use std::collections::HashSet;

use clinch_ir::cfa::{CfaProgram, Edge, Op, Procedure, Target};
use clinch_terms::{Sort, Symbol, Term};

/// The rules a program breaks; empty for a good one.
pub(crate) fn problems(program: &CfaProgram) -> Vec<String> {
    let mut wrong = Vec::new();
    for procedure in &program.procedures {
        let mut report = |what: String| wrong.push(format!("{}: {what}", procedure.name));
        shape(procedure, &mut report);
        for edge in &procedure.edges {
            sorts(program, procedure, edge, &mut report);
            scopes(program, procedure, edge, &mut report);
        }
    }
    for pair in program.objects.windows(2) {
        if pair[0].address + pair[0].size >= pair[1].address {
            wrong.push(format!("{} and {} overlap", pair[0].name, pair[1].name));
        }
    }
    wrong
}

/// At most one edge is enabled; nothing leaves the exit.
fn shape(procedure: &Procedure, report: &mut impl FnMut(String)) {
    for (loc, out) in procedure.successors().iter().enumerate() {
        let ops: Vec<&Op> = out.iter().map(|e| &procedure.edges[e.index()].op).collect();
        if ops.len() > 1 && !ops.iter().all(|op| matches!(op, Op::Assume(_))) {
            report(format!("several edges leave {loc}, not only assumptions"));
        }
        if loc == procedure.exit.index() && !ops.is_empty() {
            report("an edge leaves the exit".to_owned());
        }
    }
    for edge in &procedure.edges {
        let ends = matches!(edge.op, Op::Error(_) | Op::Exit(_) | Op::Abort | Op::Unsupported(_) | Op::Undefined(_));
        let leaves = procedure.edges.iter().any(|e| e.from == edge.to);
        if ends && leaves {
            report("something comes after the end of the run".to_owned());
        }
        if matches!(edge.op, Op::Return(_)) && edge.to != procedure.exit {
            report("a return that does not go to the exit".to_owned());
        }
    }
}

fn sorts(program: &CfaProgram, procedure: &Procedure, edge: &Edge, report: &mut impl FnMut(String)) {
    let terms = &program.terms;
    let mut expect = |term: Term, sort: Sort| {
        if terms.sort(term) != sort {
            report(format!("a term of sort {} where {sort} is expected: {:?}", terms.sort(term), edge.op));
        }
    };
    let of = |s: Symbol| terms.symbol_sort(s).clone();
    match &edge.op {
        Op::Assume(t) => expect(*t, Sort::Bool),
        Op::Assign(assigns) => {
            let targets: HashSet<Target> = assigns.iter().map(|a| a.target).collect();
            assert_eq!(targets.len(), assigns.len(), "targets are distinct: {assigns:?}");
            for assign in assigns {
                match assign.target {
                    Target::Var(s) => expect(assign.value, of(s)),
                    Target::Cell(s, address) => {
                        let Sort::Array(array) = of(s) else { panic!("a region is an array") };
                        expect(address, array.0.clone());
                        expect(assign.value, array.1.clone());
                    }
                }
            }
        }
        Op::Call { callee, args, result } => {
            let callee = program.procedure(*callee);
            assert_eq!(args.len(), callee.params.len(), "{} calls {}", procedure.name, callee.name);
            args.iter().zip(&callee.params).for_each(|(a, p)| expect(*a, of(*p)));
            if let Some(s) = result {
                assert_eq!(Some(of(*s)), callee.result.map(of), "{} calls {}", procedure.name, callee.name);
            }
        }
        Op::Return(value) => {
            assert_eq!(value.is_some(), procedure.result.is_some(), "{}", procedure.name);
            if let (Some(value), Some(result)) = (value, procedure.result) {
                expect(*value, of(result));
            }
        }
        _ => {}
    }
}

/// An edge speaks about globals, regions and variables of its own procedure.
fn scopes(program: &CfaProgram, procedure: &Procedure, edge: &Edge, report: &mut impl FnMut(String)) {
    let known = |s: &Symbol| {
        procedure.params.contains(s)
            || procedure.locals.contains(s)
            || program.globals.iter().any(|g| g.symbol == *s)
            || program.region(*s).is_some()
    };
    let mut symbols = Vec::new();
    let mut read = |t: &Term| symbols.extend(program.terms.symbols(*t));
    match &edge.op {
        Op::Assume(t) | Op::Exit(t) | Op::Free(t) => read(t),
        Op::BlockSize(s, t) => {
            read(t);
            symbols.push(*s);
        }
        Op::Assign(assigns) => {
            for assign in assigns {
                read(&assign.value);
                if let Target::Cell(_, address) = &assign.target {
                    read(address);
                }
            }
            symbols.extend(assigns.iter().map(|a| match a.target {
                Target::Var(s) | Target::Cell(s, _) => s,
            }));
        }
        Op::Call { args, result, .. } => {
            args.iter().for_each(&mut read);
            symbols.extend(*result);
        }
        Op::Return(value) => value.iter().for_each(&mut read),
        Op::Alloc { target, size, .. } => {
            read(size);
            symbols.push(*target);
        }
        Op::Input(s, _) => symbols.push(*s),
        Op::Print(print) => print.args.iter().for_each(&mut read),
        _ => {}
    }
    for symbol in symbols {
        if !known(&symbol) {
            report(format!("`{}` is not declared here", program.terms.symbol_name(symbol)));
        }
    }
}
