//! Abstract objects and the values that point to them.
//!
//! Two pointers that may point to the same object have one abstract object between them (unification, as Steensgaard's
//! analysis has it), but each points to an offset of its own. Values flow along edges in one direction only, so a number
//! to which no address flows has no object.

use std::collections::BTreeSet;

use super::super::hir::FunctionId;
use super::layout::{FAR, Field, Layout, Merges, Range, Val, gcd};

/// An abstract object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct NodeId(u32);

/// A place in an abstract object, or the places an address may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) node: NodeId,
    pub(crate) offset: i64,
    /// The offset is only one of those at multiples of this distance, all of which the layout treats alike. 0 if it is
    /// the only one.
    pub(crate) spread: i64,
}

impl Cell {
    /// The start of an object.
    pub(crate) fn start(node: NodeId) -> Cell {
        Cell { node, offset: 0, spread: 0 }
    }

    /// A member.
    pub(crate) fn plus(self, bytes: i64) -> Cell {
        let offset = self.offset.saturating_add(bytes).clamp(-FAR / 4, FAR / 4);
        Cell { offset, ..self }
    }
}

#[derive(Debug, Default)]
struct Node {
    /// The object it was merged into, and where its offset 0 is there.
    parent: Option<(NodeId, i64)>,
    layout: Layout,
    functions: BTreeSet<FunctionId>,
    name: Option<u32>,
    census: Census,
    /// Pointers from outside the program may point here.
    outside: bool,
    /// The program is given one of them, by a caller or as the result of a function without body.
    given: bool,
}

/// The objects of the program that an abstract object stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Census {
    /// Variables, and functions.
    variables: u32,
    /// String literals.
    pub(crate) literals: u32,
    /// Whether there may be any number of others: allocated blocks, results of functions.
    many: bool,
    /// Whether some have no fixed address.
    pub(crate) dynamic: bool,
    /// The least offset that is the end of one of them, where ends are known.
    pub(crate) end: i64,
}

impl Default for Census {
    fn default() -> Self {
        Census { variables: 0, literals: 0, many: false, dynamic: false, end: FAR }
    }
}

impl Census {
    /// Any number of objects.
    pub(crate) const MANY: Census = Census { variables: 0, literals: 0, many: true, dynamic: true, end: FAR };

    /// One variable, of so many bytes. Locals may live in blocks of their own, if calls nest.
    pub(crate) fn variable(size: u64, dynamic: bool) -> Census {
        Census { variables: 1, dynamic, end: i64::try_from(size).unwrap_or(FAR).min(FAR), ..Census::default() }
    }

    /// One string literal, of so many bytes.
    pub(crate) fn literal(size: usize) -> Census {
        Census { variables: 0, literals: 1, ..Census::variable(size as u64, false) }
    }

    /// Together with others, whose offset 0 is `shift` here.
    fn with(self, other: Census, shift: i64) -> Census {
        Census {
            variables: self.variables + other.variables,
            literals: self.literals + other.literals,
            many: self.many || other.many,
            dynamic: self.dynamic || other.dynamic,
            end: self.end.min(other.end.saturating_add(shift)),
        }
    }

    /// Whether there is none.
    pub(crate) fn is_empty(self) -> bool {
        !self.many && self.variables + self.literals == 0
    }

    /// Whether all addresses belong to one object.
    pub(crate) fn is_one(self) -> bool {
        !self.many && self.variables + self.literals <= 1
    }
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
    /// A known number of bytes is added: a constant, the offset of a member.
    Const(i64),
    /// A multiple of an element's size is added. Whatever was declared there, any part of the object may be reached.
    Slide(i64),
    /// The address of an array moves to one of its elements; the program checks the index ([`Array`]).
    Index(Array),
    /// Anything: other arithmetic.
    Mangle,
}

/// An array that is part of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Array {
    /// Bytes of an element.
    pub(crate) element: i64,
    /// How many there are; none if there is no bound.
    pub(crate) length: Option<i64>,
    /// Whether the index that is meant is computed from what is in memory.
    pub(crate) index_in_memory: bool,
}

/// The graph.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    values: Vec<Value>,
    edges: Vec<(Val, Val, Step)>,
    names: Vec<String>,
    /// Addresses that flow into values, still to be looked at.
    pending: Vec<(Cell, Val)>,
    /// Something changed since the last look.
    changed: bool,
    /// Objects that do not start as zeros.
    unwritten: Vec<NodeId>,
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

    /// An object that does not start as zeros.
    pub(crate) fn unwritten_node(&mut self, name: &str) -> NodeId {
        let node = self.node(Some(name));
        self.unwritten.push(node);
        node
    }

    /// An object outside of the program.
    pub(crate) fn outside_node(&mut self) -> NodeId {
        let node = self.unwritten_node("outside");
        self.nodes[node.0 as usize].outside = true;
        node
    }

    /// A value comes from outside of the program.
    pub(crate) fn point_outside(&mut self, value: Val) {
        let node = self.outside_node();
        self.nodes[node.0 as usize].given = true;
        let address = self.address(Cell::start(node));
        self.edge(address, value, Step::Copy);
    }

    /// Whether pointers from outside may point to an object, or nothing is known of those that do. The object must not have
    /// been merged into another one.
    pub(crate) fn is_outside(&self, root: NodeId) -> bool {
        let node = &self.nodes[root.0 as usize];
        node.outside || node.census.is_empty()
    }

    /// Whether the program is given a pointer to an object, by a caller or as a result.
    pub(crate) fn is_given(&self, root: NodeId) -> bool {
        self.nodes[root.0 as usize].given
    }

    /// Makes two places one. Whether they were not before.
    pub(crate) fn unify_anew(&mut self, a: Cell, b: Cell) -> bool {
        let (x, y) = (self.normal(a), self.normal(b));
        let news = (x.node, x.offset) != (y.node, y.offset);
        self.unify(a, b);
        news
    }

    /// Counts objects that a node stands for.
    pub(crate) fn count(&mut self, node: NodeId, objects: Census) {
        let start = self.find(Cell::start(node));
        let node = &mut self.nodes[start.node.0 as usize];
        node.census = node.census.with(objects, start.offset);
    }

    /// The objects that a node stands for; it must not have been merged into another one.
    pub(crate) fn census(&self, root: NodeId) -> Census {
        self.nodes[root.0 as usize].census
    }

    /// The objects that do not start as zeros.
    pub(crate) fn unwritten(&self) -> Vec<NodeId> {
        self.unwritten.clone()
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
        let root = self.find(Cell::start(node)).node;
        self.nodes[root.0 as usize].functions.insert(function);
    }

    /// The functions a value may point to.
    pub(crate) fn functions(&mut self, value: Val) -> Vec<FunctionId> {
        match self.link(value) {
            Some(cell) => self.nodes[cell.node.0 as usize].functions.iter().copied().collect(),
            None => Vec::new(),
        }
    }

    /// The object a place is in now, and where.
    pub(crate) fn find(&mut self, cell: Cell) -> Cell {
        let (root, shift) = self.root(cell.node);
        Cell { node: root, offset: cell.offset + shift, ..cell }
    }

    /// The object a place is in now, and the offset that stands for it there.
    pub(crate) fn normal(&mut self, cell: Cell) -> Cell {
        let cell = self.find(cell);
        Cell { offset: self.nodes[cell.node.0 as usize].layout.normal(cell.offset), ..cell }
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
        let cell = Cell::start(node);
        self.set_link(value, cell);
        cell
    }

    /// Notes an access of some bytes; what is stored there.
    pub(crate) fn access(&mut self, cell: Cell, width: i64, bytes: bool, name: Option<&str>) -> Val {
        let found = self.find(cell);
        self.adopt(found);
        self.settle();
        let cell = self.normal(cell);
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
        let cell = self.normal(cell);
        let hi = bytes.map_or(FAR, |b| cell.offset + b);
        self.add_range(cell.node, Range::new(cell.offset, hi, stride));
    }

    fn add_range(&mut self, node: NodeId, range: Range) {
        self.note_range(node, range);
        self.settle();
    }

    fn note_range(&mut self, node: NodeId, range: Range) {
        let mut merges = Merges::new();
        if self.nodes[node.0 as usize].layout.add_range(range, &mut merges) {
            self.changed = true;
        }
        for (a, b) in merges {
            self.join(a, b);
        }
    }

    fn merge(&mut self, merges: Merges) {
        for (a, b) in merges {
            self.join(a, b);
        }
        self.settle();
    }

    /// Makes two values one.
    fn join(&mut self, a: Val, b: Val) {
        let (a, b) = (self.find_value(a), self.find_value(b));
        if a != b {
            self.changed = true;
            self.values[b.0 as usize].parent = Some(a);
            let link = self.values[b.0 as usize].link;
            self.pending.extend(link.map(|cell| (cell, a)));
        }
    }

    /// Lets the addresses that wait flow.
    fn settle(&mut self) {
        while let Some((cell, to)) = self.pending.pop() {
            self.flow(cell, to);
        }
    }

    /// An address flows into a value: both places become one, as far as the layout is concerned.
    fn flow(&mut self, cell: Cell, to: Val) {
        let Some(known) = self.link(to) else { return self.set_link(to, cell) };
        self.unify_places(known, cell);
        let (known, cell) = (self.find(known), self.find(cell));
        let spread = gcd(gcd(known.spread, cell.spread), known.offset - cell.offset);
        if spread != known.spread {
            self.set_link(to, Cell { spread, ..known });
        }
    }

    fn set_link(&mut self, value: Val, cell: Cell) {
        let root = self.find_value(value);
        self.values[root.0 as usize].link = Some(cell);
        self.changed = true;
    }

    /// Makes two places one.
    pub(crate) fn unify(&mut self, a: Cell, b: Cell) {
        self.unify_places(a, b);
        self.settle();
    }

    fn unify_places(&mut self, a: Cell, b: Cell) {
        let (a, b) = (self.find(a), self.find(b));
        if a.node == b.node {
            self.adopt(a);
            self.adopt(b);
            let (a, b) = (self.normal(a), self.normal(b));
            if a.offset != b.offset {
                self.overlay(a.node, a.offset, b.offset);
            }
            return;
        }
        self.changed = true;
        let shift = a.offset - b.offset;
        let other = std::mem::take(&mut self.nodes[b.node.0 as usize]);
        self.nodes[b.node.0 as usize].parent = Some((a.node, shift));
        let node = &mut self.nodes[a.node.0 as usize];
        node.functions.extend(other.functions);
        node.name = node.name.or(other.name);
        node.census = node.census.with(other.census, shift);
        node.outside |= other.outside;
        node.given |= other.given;
        let mut merges = Merges::new();
        node.layout.absorb(other.layout, shift, &mut merges);
        for (x, y) in merges {
            self.join(x, y);
        }
        self.adopt(a);
    }

    /// A place that addresses lead to is not merely behind an array.
    fn adopt(&mut self, cell: Cell) {
        let mut merges = Merges::new();
        if self.nodes[cell.node.0 as usize].layout.adopt(cell.offset, &mut merges) {
            self.changed = true;
        }
        for (a, b) in merges {
            self.join(a, b);
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
        self.note_range(node, range);
    }

    /// Where an address leads after a step.
    fn step(&mut self, cell: Cell, step: Step) -> Cell {
        let cell = self.find(cell);
        match step {
            Step::Copy | Step::Const(0) | Step::Slide(0) => cell,
            Step::Slide(size) => self.slide(cell, size.abs()),
            Step::Const(bytes) if cell.spread == 0 && bytes.abs() < FAR / 8 => cell.plus(bytes),
            Step::Const(bytes) if self.stays_in_element(cell, bytes) => cell.plus(bytes),
            Step::Const(bytes) => self.slide(cell, bytes.abs()),
            Step::Index(array) => self.index(cell, array),
            Step::Mangle => self.slide(cell, 1),
        }
    }

    /// Whether all places an address may be are at the same offset of an element, and so they are after a move.
    fn stays_in_element(&self, cell: Cell, bytes: i64) -> bool {
        let layout = &self.nodes[cell.node.0 as usize].layout;
        let at = layout.normal(cell.offset);
        let inside = |r: &Range| (r.anchor..r.anchor + r.stride).contains(&(at + bytes));
        layout.around(at).any(|r| cell.spread % r.stride == 0 && inside(r))
    }

    /// Whether a block of bytes lies alike in the object, wherever its address may be: in one element of an array, or in an
    /// object that consists of equal elements throughout.
    pub(crate) fn stays_together(&mut self, cell: Cell, size: u64) -> bool {
        let cell = self.normal(cell);
        let layout = &self.nodes[cell.node.0 as usize].layout;
        let end = cell.offset.saturating_add(i64::try_from(size).unwrap_or(FAR));
        let alike = |r: &Range| cell.spread % r.stride == 0 && (r.is_everywhere() || end <= r.anchor + r.stride);
        cell.spread == 0 || layout.around(cell.offset).any(alike)
    }

    /// Any multiple of a distance further: the whole object consists of elements of that size.
    fn slide(&mut self, cell: Cell, distance: i64) -> Cell {
        let spread = gcd(cell.spread, distance);
        self.add_range(cell.node, Range { anchor: cell.offset, ..Range::everywhere(spread) });
        self.find(Cell { spread, ..cell })
    }

    /// Nothing is known of where in its object a place is.
    pub(crate) fn blur(&mut self, cell: Cell) {
        let cell = self.find(cell);
        self.slide(cell, 1);
    }

    /// Whether the program checks an index of an array inside of an object. It does not if both the array and the index are in
    /// allocated blocks: that would mean to prove something of the contents of all blocks of a kind, where mostly
    /// nothing depends on it. Such an array is not kept apart from what else is in its block.
    pub(crate) fn checks_index(&self, root: NodeId, array: Array) -> bool {
        !(self.nodes[root.0 as usize].census.many && array.index_in_memory)
    }

    /// To an element of an array that starts here.
    fn index(&mut self, cell: Cell, array: Array) -> Cell {
        if !self.checks_index(cell.node, array) {
            return self.slide(cell, array.element);
        }
        self.add_array(cell, array.length.map(|n| n.saturating_mul(array.element)), array.element);
        self.find(Cell { spread: gcd(cell.spread, array.element), ..cell })
    }

    /// Lets all addresses flow, until nothing changes.
    pub(crate) fn solve(&mut self) {
        while std::mem::take(&mut self.changed) {
            for i in 0..self.edges.len() {
                let (from, to, step) = self.edges[i];
                if let Some(cell) = self.link(from) {
                    let cell = self.step(cell, step);
                    self.flow(cell, to);
                    self.settle();
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
