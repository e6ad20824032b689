//! Abstract objects and the values that point to them.
//!
//! Two pointers that may point to the same object have one abstract object between them (unification, as Steensgaard's
//! analysis has it), but each points to an offset of its own. Values flow along edges in one direction only, so a number
//! to which no address flows has no object.

use std::collections::BTreeSet;

use super::super::hir::FunctionId;
use super::layout::{FAR, Field, Layout, Merges, Range, gcd};

/// An abstract object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct NodeId(u32);

/// A value: that of a variable, of the contents of a field, of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Val(u32);

/// A place in an abstract object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Cell {
    pub(crate) node: NodeId,
    pub(crate) offset: i64,
}

impl Cell {
    pub(crate) fn plus(self, bytes: i64) -> Cell {
        Cell { node: self.node, offset: self.offset.saturating_add(bytes).clamp(-FAR / 4, FAR / 4) }
    }
}

#[derive(Debug, Default)]
struct Node {
    /// The object it was merged into, and where its offset 0 is there.
    parent: Option<(NodeId, i64)>,
    layout: Layout,
    functions: BTreeSet<FunctionId>,
    name: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Value {
    parent: Option<Val>,
    link: Option<Cell>,
}

/// What happens to an address that flows along an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// Nothing.
    Copy,
    /// A known number of bytes is added, by a pointer to elements of a size.
    Const {
        /// How many.
        bytes: i64,
        /// Bytes of an element.
        size: i64,
        /// The pointer is an array that decays: it stays in the array.
        direct: bool,
    },
    /// A multiple of an element's size is added.
    Slide(i64),
    /// Anything: other arithmetic.
    Mangle,
}

/// The graph.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    values: Vec<Value>,
    edges: Vec<(Val, Val, Step)>,
    names: Vec<String>,
    /// Something changed since the last look.
    changed: bool,
}

impl Graph {
    pub(crate) fn node(&mut self, name: Option<&str>) -> NodeId {
        let name = name.map(|n| self.name(n));
        self.nodes.push(Node { name, ..Node::default() });
        NodeId(u32::try_from(self.nodes.len() - 1).expect("fewer than 2^32 nodes"))
    }

    pub(crate) fn value(&mut self) -> Val {
        self.values.push(Value::default());
        Val(u32::try_from(self.values.len() - 1).expect("fewer than 2^32 values"))
    }

    fn name(&mut self, name: &str) -> u32 {
        self.names.push(name.to_owned());
        self.names.len() as u32 - 1
    }

    /// A value that points to a place.
    pub(crate) fn address(&mut self, cell: Cell) -> Val {
        let value = self.value();
        self.values[value.0 as usize].link = Some(cell);
        value
    }

    pub(crate) fn edge(&mut self, from: Val, to: Val, step: Step) {
        self.edges.push((from, to, step));
        self.changed = true;
    }

    pub(crate) fn add_function(&mut self, node: NodeId, function: FunctionId) {
        let root = self.find(Cell { node, offset: 0 }).node;
        self.nodes[root.0 as usize].functions.insert(function);
    }

    /// The functions a value may point to.
    pub(crate) fn functions(&mut self, value: Val) -> Vec<FunctionId> {
        match self.link(value) {
            Some(cell) => self.nodes[cell.node.0 as usize].functions.iter().copied().collect(),
            None => Vec::new(),
        }
    }

    /// The object a place is in now, and the offset that stands for it there.
    pub(crate) fn find(&mut self, cell: Cell) -> Cell {
        let (root, shift) = self.root(cell.node);
        let offset = self.nodes[root.0 as usize].layout.normal(cell.offset + shift);
        Cell { node: root, offset }
    }

    fn root(&mut self, node: NodeId) -> (NodeId, i64) {
        let (mut at, mut shift) = (node, 0);
        while let Some((parent, by)) = self.nodes[at.0 as usize].parent {
            (at, shift) = (parent, shift + by);
        }
        if at != node {
            self.nodes[node.0 as usize].parent = Some((at, shift));
        }
        (at, shift)
    }

    pub(crate) fn find_value(&mut self, value: Val) -> Val {
        let mut at = value;
        while let Some(parent) = self.values[at.0 as usize].parent {
            at = parent;
        }
        if at != value {
            self.values[value.0 as usize].parent = Some(at);
        }
        at
    }

    /// What a value points to, if an address may flow there.
    pub(crate) fn link(&mut self, value: Val) -> Option<Cell> {
        let value = self.find_value(value);
        let cell = self.values[value.0 as usize].link?;
        Some(self.find(cell))
    }

    /// What a value points to; an unknown object if no address flows there yet.
    pub(crate) fn target(&mut self, value: Val) -> Cell {
        if let Some(cell) = self.link(value) {
            return cell;
        }
        let node = self.node(None);
        let root = self.find_value(value);
        let cell = Cell { node, offset: 0 };
        self.values[root.0 as usize].link = Some(cell);
        self.changed = true;
        cell
    }

    /// Notes an access of some bytes; what is stored there.
    pub(crate) fn access(&mut self, cell: Cell, width: i64, bytes: bool, name: Option<&str>) -> Val {
        let cell = self.find(cell);
        let layout = &self.nodes[cell.node.0 as usize].layout;
        if let Some((lo, field)) = layout.field_at(cell.offset)
            && lo == cell.offset
            && field.width == width
            && (field.bytes || !bytes)
            && (field.name.is_some() || name.is_none())
        {
            return field.content;
        }
        let content = self.value();
        let name = name.map(|n| self.name(n));
        let field = Field { width, bytes, content, name };
        let mut merges = Merges::new();
        let content = self.nodes[cell.node.0 as usize].layout.access(cell.offset, field, &mut merges);
        self.merge(merges);
        content
    }

    /// Notes that elements of a size follow each other.
    pub(crate) fn add_array(&mut self, cell: Cell, bytes: Option<i64>, stride: i64) {
        if stride <= 0 || bytes.is_some_and(|b| b <= 0) {
            return;
        }
        let cell = self.find(cell);
        let hi = bytes.map_or(FAR, |b| cell.offset + b);
        self.add_range(cell.node, Range { lo: cell.offset, hi, anchor: cell.offset, stride });
    }

    fn add_range(&mut self, node: NodeId, range: Range) {
        let mut merges = Merges::new();
        if self.nodes[node.0 as usize].layout.add_range(range, &mut merges) {
            self.changed = true;
        }
        self.merge(merges);
    }

    /// The bytes of an object are addressed in ways that are not followed.
    pub(crate) fn collapse(&mut self, cell: Cell) {
        let cell = self.find(cell);
        self.add_range(cell.node, Range::everywhere(1));
    }

    fn merge(&mut self, merges: Merges) {
        for (a, b) in merges {
            self.join(a, b);
        }
    }

    /// Makes two values one.
    fn join(&mut self, a: Val, b: Val) {
        let (a, b) = (self.find_value(a), self.find_value(b));
        if a == b {
            return;
        }
        self.changed = true;
        self.values[b.0 as usize].parent = Some(a);
        match (self.values[a.0 as usize].link, self.values[b.0 as usize].link) {
            (Some(x), Some(y)) => self.unify(x, y),
            (None, link) => self.values[a.0 as usize].link = link,
            _ => {}
        }
    }

    /// Makes two places one.
    pub(crate) fn unify(&mut self, a: Cell, b: Cell) {
        let mut todo = vec![(a, b)];
        while let Some((a, b)) = todo.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a.node == b.node {
                if a.offset != b.offset {
                    self.overlay(a.node, a.offset, b.offset);
                }
                continue;
            }
            self.changed = true;
            let shift = a.offset - b.offset;
            let other = std::mem::take(&mut self.nodes[b.node.0 as usize]);
            self.nodes[b.node.0 as usize].parent = Some((a.node, shift));
            let node = &mut self.nodes[a.node.0 as usize];
            node.functions.extend(other.functions);
            node.name = node.name.or(other.name);
            let mut merges = Merges::new();
            node.layout.absorb(other.layout, shift, &mut merges);
            // The values are joined here, without recursion.
            for (x, y) in merges {
                let (x, y) = (self.find_value(x), self.find_value(y));
                if x == y {
                    continue;
                }
                self.values[y.0 as usize].parent = Some(x);
                match (self.values[x.0 as usize].link, self.values[y.0 as usize].link) {
                    (Some(l), Some(m)) => todo.push((l, m)),
                    (None, link) => self.values[x.0 as usize].link = link,
                    _ => {}
                }
            }
        }
    }

    /// Two offsets of an object may be the same place: it repeats at their distance.
    fn overlay(&mut self, node: NodeId, a: i64, b: i64) {
        let layout = &self.nodes[node.0 as usize].layout;
        let common = layout.around(a).find(|r| r.contains(b)).copied();
        let range = match common {
            Some(range) => Range { stride: gcd(range.stride, a - b), ..range },
            None => Range { anchor: a, ..Range::everywhere((a - b).abs()) },
        };
        self.add_range(node, range);
    }

    /// Where an address leads after a step.
    fn step(&mut self, cell: Cell, step: Step) -> Cell {
        let cell = self.find(cell);
        match step {
            Step::Copy | Step::Const { bytes: 0, .. } | Step::Slide(0) => cell,
            Step::Mangle => {
                self.collapse(cell);
                self.find(cell)
            }
            Step::Slide(size) => self.slide(cell, size),
            Step::Const { bytes, size, direct } => {
                let layout = &self.nodes[cell.node.0 as usize].layout;
                if bytes.abs() > FAR / 8 {
                    return self.step(cell, Step::Mangle);
                }
                let stays = layout.around(cell.offset).any(|r| size % r.stride == 0);
                if stays && (size > 1 || direct) {
                    return cell;
                }
                let there = cell.offset + bytes;
                // Which element of an array it comes from is not known: leaving it may also mean staying in it.
                let leaves = layout.around(cell.offset).find(|r| !r.contains(there) && r.hi - r.lo > r.stride);
                let raw = Cell { node: cell.node, offset: there };
                if let Some(wrapped) = leaves.map(|r| r.wrap(there)) {
                    self.unify(raw, Cell { node: cell.node, offset: wrapped });
                }
                self.find(raw)
            }
        }
    }

    /// An array is not left by pointers to its elements; what is not known to be an array is one now.
    fn slide(&mut self, cell: Cell, size: i64) -> Cell {
        let size = size.abs();
        let layout = &self.nodes[cell.node.0 as usize].layout;
        if layout.around(cell.offset).any(|r| size % r.stride == 0) {
            return cell;
        }
        let range = match layout.around(cell.offset).next() {
            Some(range) => Range { stride: gcd(range.stride, size), ..*range },
            None => Range { anchor: cell.offset, ..Range::everywhere(size) },
        };
        self.add_range(cell.node, range);
        self.find(cell)
    }

    /// Lets all addresses flow, until nothing changes.
    pub(crate) fn solve(&mut self) {
        while std::mem::take(&mut self.changed) {
            for i in 0..self.edges.len() {
                let (from, to, step) = self.edges[i];
                let Some(cell) = self.link(from) else { continue };
                let cell = self.step(cell, step);
                match self.link(to) {
                    Some(known) if known == cell => {}
                    Some(known) => self.unify(known, cell),
                    None => {
                        let to = self.find_value(to);
                        self.values[to.0 as usize].link = Some(cell);
                        self.changed = true;
                    }
                }
            }
        }
    }

    /// The layout of the object a place is in.
    pub(crate) fn layout(&self, root: NodeId) -> &Layout {
        &self.nodes[root.0 as usize].layout
    }

    /// The objects that were not merged into others.
    pub(crate) fn roots(&self) -> impl Iterator<Item = NodeId> {
        (0..self.nodes.len()).filter(|&n| self.nodes[n].parent.is_none()).map(|n| NodeId(n as u32))
    }

    /// A name for a field of an object.
    pub(crate) fn field_name(&self, root: NodeId, field: &Field) -> Option<&str> {
        let name = field.name.or(self.nodes[root.0 as usize].name)?;
        Some(&self.names[name as usize])
    }
}
