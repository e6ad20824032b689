//! `clinch cfa`: draws control-flow automata.

use clinch_ir::cfa::{CfaProgram, ProcedureId, passes, print, show_c};

use crate::check::refuse;
use crate::cli::{CfaArgs, CfaFormat, PassName};
use crate::cli::{Format, task};
use crate::{console, exit};

/// `clinch cfa`.
pub(crate) fn run(args: &CfaArgs) -> u8 {
    let mut program = match task(&args.files, args.text.reading(Some(&args.c))).read_procedures() {
        Ok(loaded) => loaded.program,
        Err(error) => return refuse(&error, Format::Text),
    };
    for pass in &args.passes {
        program = match pass {
            PassName::Constants => passes::propagate_constants(&program),
            PassName::Dead => passes::remove_dead(&program),
            PassName::Slice => passes::slice(&program),
            PassName::Inline => passes::inline(&program, &passes::InlineLimits::default()),
        }
        .program;
    }
    let find = |name: &String| program.procedures.iter().position(|p| p.name == *name);
    let only = args.function.as_ref().map(|name| (name, find(name)));
    let only = match only {
        Some((name, None)) => {
            console::error(&format!("error: there is no function `{name}` in the automaton"));
            return exit::USAGE;
        }
        Some((_, Some(index))) => Some(ProcedureId::from_index(index)),
        None => None,
    };
    if args.large_blocks {
        console::line(&large_blocks(&mut program, only));
        return exit::SAFE;
    }
    console::line(&match args.format {
        CfaFormat::Text => print::text(&program, only),
        CfaFormat::Dot => print::dot(&program, only),
        CfaFormat::Json => print::json(&program, only).to_string(),
    });
    exit::SAFE
}

/// The large blocks of each procedure: from, to, guard and new values.
fn large_blocks(program: &mut CfaProgram, only: Option<ProcedureId>) -> String {
    let mut out = String::new();
    for id in (0..program.procedures.len()).map(ProcedureId::from_index) {
        if only.is_some_and(|o| o != id) {
            continue;
        }
        let found = passes::large_blocks(program, id);
        let procedure = program.procedure(id);
        out.push_str(&format!("{}: {} cut points\n", procedure.name, found.cuts.len()));
        for block in &found.blocks {
            out.push_str(&format!("  {} -> {}  [{}]", block.from.0, block.to.0, show_c(program, block.guard)));
            for &(symbol, value) in &block.updates {
                let name = program
                    .variables
                    .get(&symbol)
                    .map_or_else(|| program.terms.symbol_name(symbol), |i| i.name.as_str());
                out.push_str(&format!("  {name} = {}", show_c(program, value)));
            }
            out.push('\n');
        }
        for &edge in &found.edges {
            let edge = &procedure.edges[edge.index()];
            out.push_str(&format!("  {} -> {}  {}\n", edge.from.0, edge.to.0, print::show_op(program, &edge.op)));
        }
    }
    out.trim_end().to_owned()
}
