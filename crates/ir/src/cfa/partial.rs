//! Which terms may have no value when a program is executed: those that divide, shift or read memory.

use clinch_terms::{BinOp, Node, Terms};

/// Whether the outermost operation may have no value, as far as a constant right operand does not exclude it.
pub fn may_fail(terms: &Terms, node: Node) -> bool {
    let Node::Binary(op, _, b) = node else { return false };
    let constant = match terms.node(b) {
        Node::BitVec(width, bits) => Some((width, bits)),
        Node::Int(value) => Some((64, value as u64)),
        _ => None,
    };
    match op {
        BinOp::Select => true,
        BinOp::Div | BinOp::Rem | BinOp::BvSdiv | BinOp::BvSrem | BinOp::BvUdiv | BinOp::BvUrem | BinOp::BvSmod => {
            constant.is_none_or(|(width, bits)| bits == 0 || bits == u64::MAX >> (64 - width.clamp(1, 64)))
        }
        BinOp::BvShl | BinOp::BvLshr | BinOp::BvAshr | BinOp::Shl | BinOp::Shr => {
            constant.is_none_or(|(width, bits)| bits >= width.into())
        }
        _ => false,
    }
}

/// For each term, whether it or a part of it may have no value.
pub fn partial_terms(terms: &Terms) -> Vec<bool> {
    let mut partial: Vec<bool> = Vec::with_capacity(terms.len());
    for term in terms.all_terms() {
        let own = may_fail(terms, terms.node(term));
        partial.push(own || terms.children(term).any(|c| partial[c.index()]));
    }
    partial
}
