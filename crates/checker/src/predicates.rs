//! Files of predicates (`--save-predicates`, `--predicates`): one line each, a location, a tab, and a formula in SMT-LIB over
//! the location's parameters.

use std::fmt::Write as _;

use clinch_engine::cegar::Seed;
use clinch_frontend::{Input, Language, Options, read};
use clinch_ir::{HornSystem, Predicate};
use clinch_terms::show::show_symbol;
use clinch_terms::{Node, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

/// The predicates of a file, put into the system's store. Locations the system does not have are skipped: files may be
/// used for another version of a program. An error names file, line and column.
pub(crate) fn parse(system: &mut HornSystem, file: &str, text: &str) -> Result<Vec<Seed>, String> {
    let mut seeds = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let place = |column: usize| format!("{file}:{}:{column}: error: ", i + 1);
        if line.trim().is_empty() || line.starts_with(';') {
            continue;
        }
        let Some((location, formula)) = line.split_once('\t') else {
            return Err(place(1) + "expected a location, a tab, and a formula");
        };
        let Some(predicate) = system.predicates.iter().find(|p| p.name == location).cloned() else { continue };
        let column = location.chars().count() + 2;
        let parsed = parse_formula(system, &predicate, formula).map_err(|e| place(column) + &e)?;
        seeds.extend(parsed.map(|formula| Seed { location: location.to_owned(), formula }));
    }
    Ok(seeds)
}

/// Reads a formula by way of a clause that has it as constraint. Nothing, if it says nothing.
fn parse_formula(system: &mut HornSystem, predicate: &Predicate, formula: &str) -> Result<Option<Term>, String> {
    let terms = &system.terms;
    let (mut sorts, mut binders, mut args) = (String::new(), String::new(), String::new());
    for &param in &predicate.params {
        let (name, sort) = (show_symbol(terms.symbol_name(param)), terms.symbol_sort(param));
        let _ = write!(sorts, " {sort}");
        let _ = write!(binders, " ({name} {sort})");
        let _ = write!(args, " {name}");
    }
    let head = if args.is_empty() { "P".to_owned() } else { format!("(P{args})") };
    let matrix = format!("(=> {formula}\n{head})");
    let quantified = if binders.is_empty() { matrix } else { format!("(forall ({binders}) {matrix})") };
    let script = format!("(set-logic HORN)(declare-fun P ({sorts}) Bool)(assert {quantified})");
    let read = read(Language::Chc, "formula", script.as_bytes(), &Options::default());
    let Ok(Input::Horn(other)) = read else {
        return Err("this is not a formula over the location's parameters".to_owned());
    };
    let [clause] = other.clauses.as_slice() else { return Ok(None) };
    let Some(head) = &clause.head else { return Ok(None) };
    let mut map: FxHashMap<Symbol, Term> = FxHashMap::default();
    for (&arg, &param) in head.args.iter().zip(&predicate.params) {
        if let Node::Symbol(symbol) = other.terms.node(arg) {
            let param = system.terms.symbol(param);
            map.insert(symbol, param);
        }
    }
    Ok(import(&mut system.terms, &other.terms, clause.constraint, &map))
}

/// A term of another store, symbols replaced.
fn import(terms: &mut Terms, other: &Terms, root: Term, map: &FxHashMap<Symbol, Term>) -> Option<Term> {
    terms.import(other, root, &mut |symbol| map.get(&symbol).copied())
}

/// The text of a file of predicates.
pub(crate) fn show(predicates: &[(String, String)]) -> String {
    predicates.iter().map(|(location, formula)| format!("{location}\t{}\n", formula.replace('\n', " "))).collect()
}
