//! Sorts as they are written.

use clinch_terms::Sort;
use rustc_hash::FxHashMap;

use super::sexpr::{Kind, Sexp, Tree};
use super::{Stop, bits, unsupported};

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
                let width = bits::checked_width(bits::index_at(tree, *width)?.into(), span)?;
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
