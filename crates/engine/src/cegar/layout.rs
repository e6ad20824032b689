//! Where the cells of a region are: how far apart, and which is the first.
//!
//! Members of an array of structures have regions of their own. Their cells are as far apart as the structures, and cells of one structure
//! are at one place, so that a proof can say what they have to do with each other.

use clinch_ir::cfa::{CfaProgram, DYNAMIC_BASE, Object, Op, Target};
use clinch_terms::{BinOp, Node, Symbol, Term, Terms, UnOp};
use num_integer::Integer;

use crate::horn::Layout;

/// Cells that are further apart are looked at one by one.
const MAX_STRIDE: u64 = 4096;

/// The layout of a region. Place 0 is in the first object that is accessed in it, or where the heap starts.
pub(super) fn of(program: &CfaProgram, region: Symbol) -> Layout {
    let bytes = u64::from(program.region(region).map_or(1, |r| r.cell_bytes));
    let sums: Vec<Sum> = accesses(program, region).iter().map(|&a| Sum::of(&program.terms, a)).collect();
    let is_in = |o: &Object, s: &Sum| (o.address..o.address + o.size).contains(&s.constant);
    let object = program.objects.iter().find(|o| sums.iter().any(|s| is_in(o, s)));
    // Without an object, constants are distances from a pointer.
    let offset = |s: &Sum| match object {
        Some(object) => is_in(object, s).then(|| s.constant - object.address),
        None => Some(s.constant),
    };
    let offsets: Vec<u64> = sums.iter().filter_map(offset).collect();
    let start = object.map_or(DYNAMIC_BASE, |o| o.address);
    let first = offsets.iter().copied().min().unwrap_or(0);
    let distances = offsets.iter().map(|offset| offset - first);
    let steps = sums.iter().flat_map(|s| s.steps.iter().copied()).chain(distances).fold(0, |a: u64, b| a.gcd(&b));
    let stride = if steps % bytes == 0 && (bytes..=MAX_STRIDE).contains(&steps) { steps } else { bytes };
    let origin = start + first % stride;
    Layout {
        stride: stride as u32,
        origin: origin as i64,
        cells: object.map(|o| (o.size.saturating_sub(first % stride)).div_ceil(stride) as i64),
    }
}

/// Edges of programs of which clauses over single cells are worth a try.
const MAX_EDGES: usize = 500;

/// Whether a program is about arrays: it is not large, and walks through them by an index.
#[must_use]
pub fn walks_through_arrays(program: &CfaProgram) -> bool {
    let edges: usize = program.procedures.iter().map(|p| p.edges.len()).sum();
    let steps = |address: &Term| !Sum::of(&program.terms, *address).steps.is_empty();
    let has_steps = |region: Symbol| accesses(program, region).iter().any(steps);
    edges <= MAX_EDGES && program.regions.iter().any(|region| has_steps(region.symbol))
}

/// The addresses at which a region is read or written.
fn accesses(program: &CfaProgram, region: Symbol) -> Vec<Term> {
    let mut addresses: Vec<Term> = Vec::new();
    for term in program.terms.all_terms() {
        if let Node::Binary(BinOp::Select, array, address) = program.terms.node(term)
            && program.terms.node(array) == Node::Symbol(region)
        {
            addresses.push(address);
        }
    }
    for edge in program.procedures.iter().flat_map(|p| &p.edges) {
        if let Op::Assign(assigns) = &edge.op {
            addresses.extend(assigns.iter().filter_map(|a| match a.target {
                Target::Cell(r, address) if r == region => Some(address),
                _ => None,
            }));
        }
    }
    addresses
}

/// An address: a constant, and what is added in steps.
#[derive(Default)]
struct Sum {
    constant: u64,
    steps: Vec<u64>,
}

impl Sum {
    fn of(terms: &Terms, address: Term) -> Sum {
        let mut sum = Sum::default();
        sum.add(terms, address, 1);
        sum
    }

    /// Adds `factor * term`. A pointer is no step: nobody knows where it is, but it is at the start of a cell.
    fn add(&mut self, terms: &Terms, term: Term, factor: u64) {
        let number = |t: Term| match terms.node(t) {
            Node::BitVec(_, bits) => Some(bits),
            Node::Int(n) => u64::try_from(n).ok(),
            _ => None,
        };
        match terms.node(term) {
            Node::BitVec(..) | Node::Int(_) => {
                let product = number(term).and_then(|n| n.checked_mul(factor));
                self.constant = product.and_then(|n| n.checked_add(self.constant)).unwrap_or(self.constant);
            }
            Node::Binary(BinOp::BvAdd | BinOp::Add, a, b) => {
                self.add(terms, a, factor);
                self.add(terms, b, factor);
            }
            Node::Binary(BinOp::BvShl, a, by) if number(by).is_some_and(|by| by < 12) => {
                self.add(terms, a, factor.saturating_mul(1 << number(by).unwrap_or(0)));
            }
            Node::Binary(BinOp::BvMul | BinOp::Mul, a, b) => match (number(a), number(b)) {
                (Some(n @ 0..=MAX_STRIDE), _) => self.add(terms, b, factor.saturating_mul(n)),
                (_, Some(n @ 0..=MAX_STRIDE)) => self.add(terms, a, factor.saturating_mul(n)),
                _ => self.steps.push(factor),
            },
            Node::Unary(UnOp::Neg, a) => self.add(terms, a, factor),
            _ if factor > 1 => self.steps.push(factor),
            _ => {}
        }
    }
}
