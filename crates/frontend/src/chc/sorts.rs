//! Sorts as they are written.

use clinch_ir::Span;
use clinch_terms::Sort;
use rustc_hash::FxHashMap;

use super::sexpr::{Kind, Sexp, Tree};
use super::{Stop, unsupported};

/// Widest bit-vectors.
const MAX_WIDTH: u32 = 1 << 14;

/// Largest number of sorts inside a sort. Sorts are compared as trees, all over.
const MAX_SORT: usize = 64;

/// Names for sorts (`define-sort`).
pub(super) type SortNames<'s> = FxHashMap<&'s str, Sort>;

/// The sort written at `at`.
pub(super) fn sort_at<'s>(tree: &Tree<'s>, names: &SortNames<'s>, at: Sexp) -> Result<Sort, Stop> {
    read(tree, names, at, MAX_SORT).map(|(sort, _)| sort)
}

/// A sort, and how many of `room` it left.
fn read<'s>(tree: &Tree<'s>, names: &SortNames<'s>, at: Sexp, room: usize) -> Result<(Sort, usize), Stop> {
    let span = tree.span(at);
    let too_large = || Stop::unsupported(span, format!("a sort with more than {MAX_SORT} sorts inside"));
    let room = room.checked_sub(1).ok_or_else(too_large)?;
    if tree.kind(at) == Kind::List {
        let parts: Vec<Sexp> = tree.items(at).take(4).collect();
        return match parts.as_slice() {
            [array, index, element] if tree.symbol(*array) == Some("Array") => {
                let (index, room) = read(tree, names, *index, room)?;
                let (element, room) = read(tree, names, *element, room)?;
                Ok((Sort::array(index, element), room))
            }
            [word, name, width] if tree.is(*word, "_") && tree.symbol(*name) == Some("BitVec") => {
                let width = checked_width(index_at(tree, *width)?.into(), span)?;
                Ok((Sort::BitVec(width), room))
            }
            _ => Err(unsupported::sort(tree, at)),
        };
    }
    let sort = match tree.symbol(at) {
        Some("Bool") => Sort::Bool,
        Some("Int") => Sort::Int,
        Some("Real") => Sort::Real,
        Some(name) => names.get(name).cloned().ok_or_else(|| unsupported::sort(tree, at))?,
        None => return Err(Stop::bad(span, "expected a sort")),
    };
    let room = (room + 1).checked_sub(size(&sort)).ok_or_else(too_large)?;
    Ok((sort, room))
}

fn size(sort: &Sort) -> usize {
    match sort {
        Sort::Array(of) => 1 + size(&of.0) + size(&of.1),
        _ => 1,
    }
}

/// A width that is not 0 and not too large.
pub(super) fn checked_width(width: u64, span: Span) -> Result<u32, Stop> {
    match u32::try_from(width) {
        Ok(0) => Err(Stop::bad(span, "a bit-vector has at least one bit")),
        Ok(width) if width <= MAX_WIDTH => Ok(width),
        _ => Err(Stop::unsupported(span, format!("bit-vectors of more than {MAX_WIDTH} bits"))),
    }
}

/// The numbers of an indexed identifier. Those beyond 32 bits are too large for everything.
pub(super) fn index_at(tree: &Tree, at: Sexp) -> Result<u32, Stop> {
    match tree.kind(at) {
        Kind::Numeral => Ok(tree.text(at).parse().unwrap_or(u32::MAX)),
        _ => Err(Stop::bad(tree.span(at), "expected a numeral")),
    }
}
