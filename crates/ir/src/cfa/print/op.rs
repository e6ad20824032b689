//! Operations of edges as C statements.

use clinch_terms::{Symbol, Term};

use super::expression::{show_c, show_cell, show_typed};
use super::name;
use crate::cfa::{AllocKind, CfaProgram, InputKind, Op, Print, Target};

/// An operation on one line.
pub fn show_op(program: &CfaProgram, op: &Op) -> String {
    let show = |term: Term| show_c(program, term);
    let var = |symbol: Symbol| name(program, symbol);
    match op {
        Op::Skip => "skip".to_owned(),
        Op::Assume(condition) => format!("[{}]", show(*condition)),
        Op::Assign(assigns) => {
            let value = |a: &crate::cfa::Assign| match a.target {
                Target::Var(symbol) => {
                    let ty = program.variables.get(&symbol).map_or("", |v| v.ty.as_str());
                    show_typed(program, a.value, ty)
                }
                Target::Cell(..) => show(a.value),
            };
            let one = |a: &crate::cfa::Assign| format!("{} = {}", target(program, a.target), value(a));
            assigns.iter().map(one).collect::<Vec<_>>().join(", ")
        }
        Op::Input(symbol, input) => {
            let source = program.inputs.get(input.index()).map_or_else(|| "input".to_owned(), |i| source(&i.kind));
            format!("{} = {source}", var(*symbol))
        }
        Op::Call { callee, args, result } => {
            let args: Vec<String> = args.iter().map(|&a| show(a)).collect();
            let call = format!("{}({})", program.procedure(*callee).name, args.join(", "));
            result.map_or(call.clone(), |r| format!("{} = {call}", var(r)))
        }
        Op::Return(None) => "return".to_owned(),
        Op::Return(Some(value)) => format!("return {}", show(*value)),
        Op::Enter(object) => format!("enter {}", program.objects[object.index()].name),
        Op::Leave(object) => format!("leave {}", program.objects[object.index()].name),
        Op::Alloc { target, size, kind, zeroed } => {
            let function = match (kind, zeroed) {
                (AllocKind::Stack, false) => "alloca",
                (AllocKind::Stack, true) => "zeroed_alloca",
                (AllocKind::Heap, false) => "malloc",
                (AllocKind::Heap, true) => "zeroed_malloc",
            };
            format!("{} = {function}({})", var(*target), show(*size))
        }
        Op::Free(address) => format!("free({})", show(*address)),
        Op::BlockSize(target, address) => format!("{} = block_size({})", var(*target), show(*address)),
        Op::SameObject(a, b) => format!("same_object({}, {})", show(*a), show(*b)),
        Op::Print(print) => output(program, print),
        Op::Error(what) => format!("error: {what}"),
        Op::Exit(status) => format!("exit({})", show(*status)),
        Op::Abort => "abort()".to_owned(),
        Op::Unsupported(what) => format!("unsupported: {what}"),
        Op::Undefined(what) => format!("undefined: {what}"),
    }
}

/// What kind of operation it is, in a word.
pub(super) fn kind(op: &Op) -> &'static str {
    match op {
        Op::Skip => "skip",
        Op::Assume(_) => "assume",
        Op::Assign(_) => "assign",
        Op::Input(..) => "input",
        Op::Call { .. } => "call",
        Op::Return(_) => "return",
        Op::Enter(_) => "enter",
        Op::Leave(_) => "leave",
        Op::Alloc { .. } => "alloc",
        Op::Free(_) => "free",
        Op::BlockSize(..) => "block_size",
        Op::SameObject(..) => "same_object",
        Op::Print(_) => "print",
        Op::Error(_) => "error",
        Op::Exit(_) => "exit",
        Op::Abort => "abort",
        Op::Unsupported(_) => "unsupported",
        Op::Undefined(_) => "undefined",
    }
}

fn target(program: &CfaProgram, target: Target) -> String {
    match target {
        Target::Var(symbol) => name(program, symbol).to_owned(),
        Target::Cell(region, address) => show_cell(program, region, address),
    }
}

fn source(kind: &InputKind) -> String {
    match kind {
        InputKind::Nondet(function) | InputKind::Extern(function) => format!("{function}()"),
        InputKind::Uninitialised(_) => "uninitialised".to_owned(),
        InputKind::Environment(what) => format!("environment({what})"),
        InputKind::Parameter(what) => format!("parameter({what})"),
        InputKind::Opaque(what) => format!("unknown({what})"),
        InputKind::Lost => "blocks that are lost".to_owned(),
    }
}

fn output(program: &CfaProgram, print: &Print) -> String {
    let format = print.format.escape_ascii().to_string();
    let args: String = print.args.iter().map(|&a| format!(", {}", show_c(program, a))).collect();
    let function = if print.stdout { "printf(" } else { "fprintf(stderr, " };
    format!("{function}\"{format}\"{args})")
}
