//! `clinch cfa`: draws control-flow automata.

use clinch_ir::cfa::blocks::{TooLarge, blocks_from};
use clinch_ir::cfa::unfold::{Destination, PointId, Step, Unfolding};
use clinch_ir::cfa::{CfaProgram, ProcedureId, print, show_c_in};
use clinch_terms::Terms;

use crate::check::refuse;
use crate::cli::{CfaArgs, CfaFormat, Format};
use crate::{console, exit};

/// `clinch cfa`.
pub(crate) fn run(args: &CfaArgs) -> u8 {
    let program = match args.program.task().read_procedures() {
        Ok(loaded) => loaded.program,
        Err(error) => return refuse(&error, Format::Text),
    };
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
        return match large_blocks(&program, only) {
            Ok(blocks) => {
                console::line(&blocks);
                exit::SAFE
            }
            Err(TooLarge) => {
                console::error(&format!("error: a block has more than {BLOCK_POINTS} points"));
                exit::UNKNOWN
            }
        };
    }
    console::line(&match args.format {
        CfaFormat::Text => print::text(&program, only),
        CfaFormat::Dot => print::dot(&program, only),
        CfaFormat::Json => print::json(&program, only).to_string(),
    });
    exit::SAFE
}

/// Points that a block may have.
const BLOCK_POINTS: usize = 100_000;

/// The large blocks that runs may take, from the start of the program on: from, to, guard and new values.
fn large_blocks(program: &CfaProgram, only: Option<ProcedureId>) -> Result<String, TooLarge> {
    let mut terms = program.terms.clone();
    let mut unfolding = Unfolding::new(program, &mut terms);
    let mut cuts = vec![unfolding.start()];
    let mut out = String::new();
    let mut next = 0;
    while let Some(&from) = cuts.get(next) {
        next += 1;
        for block in blocks_from(&mut unfolding, &mut terms, from, BLOCK_POINTS)? {
            if let Destination::Point(to) = block.target
                && !cuts.contains(&to)
            {
                cuts.push(to);
            }
            if only.is_none_or(|id| unfolding.point(from).procedure == id) {
                out.push_str(&show_block(program, &terms, &unfolding, &block));
            }
        }
    }
    out.push_str(&format!("{} cut points", cuts.len()));
    Ok(out)
}

fn show_block(program: &CfaProgram, terms: &Terms, unfolding: &Unfolding<'_>, block: &Step) -> String {
    let place = |point: PointId| {
        let point = unfolding.point(point);
        format!("{}:{}", program.procedure(point.procedure).name, point.location.0)
    };
    let target = match block.target {
        Destination::Point(to) => place(to),
        Destination::End => "the end".to_owned(),
        Destination::Error(procedure, edge) | Destination::Open(procedure, edge) => {
            print::show_op(program, &program.procedure(procedure).edges[edge.index()].op)
        }
    };
    let mut line = format!("{} -> {target}  [{}]", place(block.from), show_c_in(program, terms, block.effect.guard));
    for &(symbol, value) in &block.effect.updates {
        let known = program.variables.get(&symbol).map(|info| info.name.as_str());
        let name = known.unwrap_or_else(|| terms.symbol_name(symbol));
        line.push_str(&format!("  {name} = {}", show_c_in(program, terms, value)));
    }
    line.push('\n');
    line
}
