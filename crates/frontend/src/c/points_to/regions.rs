//! The result of the analysis: the region of every access.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::hir::{Callee, Expr, ExprKind, FunctionId, Place, PlaceKind, VariableId};
use super::flow::{Flow, key};
use super::graph::{Cell, NodeId};
use super::layout::{FAR, Range};
use super::{Analysis, Observation};

/// A region, an index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct RegionId(pub(crate) usize);

/// What a region is like.
#[derive(Clone, Debug)]
pub(crate) struct RegionInfo {
    /// Bytes of a cell.
    pub(crate) cell_bytes: u32,
    /// Whether all its objects start as zeros.
    pub(crate) starts_zero: bool,
    /// For people.
    pub(crate) name: String,
}

/// A part of a block of memory that is copied or set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    /// From the start of the block.
    pub(crate) offset: u64,
    /// Where it is.
    pub(crate) region: RegionId,
}

/// Why a block of memory cannot be cut into cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Uncut {
    /// It ends inside a cell.
    Ragged,
    /// There are too many cells.
    Large,
}

/// Equal elements that a block of memory consists of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements {
    /// Bytes of one.
    pub(crate) stride: u64,
    /// Bytes of all of them, where something else may follow.
    pub(crate) limit: Option<u64>,
}

/// The result.
pub(crate) struct PointsTo<'h> {
    analysis: Analysis<'h>,
    regions: Vec<RegionInfo>,
    /// By object and first byte of the field.
    index: FxHashMap<(NodeId, i64), RegionId>,
    targets: FxHashMap<usize, Vec<FunctionId>>,
    observations: FxHashMap<usize, Observation>,
    /// How many elements the arrays have whose indices have to be checked, by expression; none is any number.
    indices: FxHashMap<usize, Option<i64>>,
}

impl<'h> PointsTo<'h> {
    pub(super) fn new(mut analysis: Analysis<'h>) -> Self {
        let mut root = |node: NodeId| analysis.graph.find(Cell::start(node)).node;
        let mut zeros: FxHashSet<NodeId> = FxHashSet::default();
        zeros.extend(analysis.variables.values().map(|cell| root(cell.node)));
        for node in analysis.graph.unwritten() {
            zeros.remove(&analysis.graph.find(Cell::start(node)).node);
        }
        let mut regions = Vec::new();
        let mut index = FxHashMap::default();
        let roots: Vec<NodeId> = analysis.graph.roots().collect();
        for root in roots {
            for (lo, field) in analysis.graph.layout(root).fields() {
                let name = analysis.graph.field_name(root, field).unwrap_or("memory").to_owned();
                let cell_bytes = if field.bytes { 1 } else { field.width.clamp(1, 8) as u32 };
                index.insert((root, lo), RegionId(regions.len()));
                regions.push(RegionInfo { cell_bytes, starts_zero: zeros.contains(&root), name });
            }
        }
        let targets = analysis.sites.iter().map(|s| (s.key, s.targets.iter().copied().collect())).collect();
        let observations = analysis.observations().into_iter().collect();
        let indices = checked_indices(&mut analysis);
        PointsTo { analysis, regions, index, targets, observations, indices }
    }

    /// All regions.
    pub(crate) fn regions(&self) -> &[RegionInfo] {
        &self.regions
    }

    /// Whether the bits of a float may be read as something else.
    pub(crate) fn sees_float_bits(&self) -> bool {
        self.analysis.sees_float_bits
    }

    /// Whether a NaN that is quiet matters as another one than one that is not.
    pub(crate) fn tells_nans_apart(&self) -> bool {
        self.analysis.sees_float_bits || self.analysis.tells_nans_apart
    }

    /// Functions with a body that can be called, in the order they were found.
    pub(crate) fn reached(&self) -> &[FunctionId] {
        &self.analysis.reached
    }

    /// The functions a call through a pointer may reach, by the key of the call.
    pub(crate) fn targets(&self, call: &Expr) -> &[FunctionId] {
        self.targets.get(&key(call)).map_or(&[], Vec::as_slice)
    }

    /// How many elements an array has, where regions rely on its index: none for no bound.
    pub(crate) fn checked_index(&self, e: &Expr) -> Option<Option<i64>> {
        self.indices.get(&key(e)).copied()
    }

    /// What has to be checked before an operation, by its key.
    pub(crate) fn observation(&self, key: usize) -> Option<Observation> {
        self.observations.get(&key).copied()
    }

    /// Functions that may be active twice at a time.
    pub(crate) fn recursive(&self) -> BTreeSet<FunctionId> {
        let mut callees: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
        for &(caller, callee) in &self.analysis.calls {
            callees.entry(caller).or_default().push(callee);
        }
        let reaches_itself = |f: &FunctionId| {
            let mut seen = BTreeSet::new();
            let mut todo = vec![*f];
            while let Some(at) = todo.pop() {
                for &callee in callees.get(&at).map_or(&[][..], Vec::as_slice) {
                    if callee == *f {
                        return true;
                    }
                    if seen.insert(callee) {
                        todo.push(callee);
                    }
                }
            }
            false
        };
        self.analysis.reached.iter().copied().filter(reaches_itself).collect()
    }

    /// Functions whose address is a value somewhere.
    pub(crate) fn addressed_functions(&self) -> Vec<FunctionId> {
        let all = 0..self.analysis.hir.functions.len();
        let known = |f: &FunctionId| self.analysis.functions.contains_key(f);
        all.map(|f| FunctionId(f as u32)).filter(known).collect()
    }

    /// Whether a variable in memory is used at all.
    pub(crate) fn is_used(&self, variable: VariableId) -> bool {
        self.analysis.variables.contains_key(&variable) || self.analysis.used.contains(&variable)
    }

    /// Which string literals are used.
    pub(crate) fn used_strings(&self) -> Vec<usize> {
        let mut strings: Vec<usize> = self.analysis.strings.keys().copied().collect();
        strings.sort_unstable();
        strings
    }

    /// Where a string literal is.
    pub(crate) fn string(&self, string: usize) -> Option<Cell> {
        self.analysis.strings.get(&string).copied()
    }

    /// Where a place in memory is.
    pub(crate) fn place(&mut self, place: &Place) -> Option<Cell> {
        match &place.kind {
            PlaceKind::Variable(v) => self.analysis.variables.get(v).copied(),
            PlaceKind::Deref(pointer) => self.pointee(pointer),
            PlaceKind::Field(inner, record, i) => {
                let offset = self.analysis.hir.types.record(*record).fields[*i].offset;
                Some(self.place(inner)?.plus(offset as i64))
            }
            PlaceKind::String(i) => self.analysis.strings.get(i).copied(),
            PlaceKind::Value(e) => self.object(e),
        }
    }

    /// Where the object of a variable is.
    pub(crate) fn variable(&self, variable: VariableId) -> Option<Cell> {
        self.analysis.variables.get(&variable).copied()
    }

    /// Where a function's result is, if it is a record in memory.
    pub(crate) fn result_object(&self, function: FunctionId) -> Option<Cell> {
        match self.analysis.results.get(&function) {
            Some(Flow::Object(cell)) => Some(*cell),
            _ => None,
        }
    }

    fn object(&mut self, e: &Expr) -> Option<Cell> {
        match &e.kind {
            ExprKind::Call(call) => match call.callee {
                Callee::Direct(f) => self.result_object(f),
                Callee::Indirect(_) => {
                    let f = *self.targets(e).first()?;
                    self.result_object(f)
                }
            },
            ExprKind::Load(place) => self.place(place),
            ExprKind::Assign(place, _) => self.place(place),
            ExprKind::Comma(_, e) | ExprKind::Statements(_, Some(e)) | ExprKind::InitThen(_, _, e) => self.object(e),
            ExprKind::Conditional(_, _, e) => self.object(e),
            _ => None,
        }
    }

    /// What an expression points to, if it is dereferenced or an argument.
    pub(crate) fn pointee(&mut self, pointer: &Expr) -> Option<Cell> {
        let value = *self.analysis.pointers.get(&key(pointer))?;
        self.analysis.graph.link(value)
    }

    /// The regions that hold parts of a variable in memory (and maybe of other objects), ascending.
    pub(crate) fn regions_of(&mut self, variable: VariableId) -> Vec<RegionId> {
        self.variable(variable).map_or(Vec::new(), |cell| self.regions_in(cell))
    }

    /// The regions that hold parts of the object at a place, ascending.
    pub(crate) fn regions_in(&mut self, cell: Cell) -> Vec<RegionId> {
        let root = self.analysis.graph.find(cell).node;
        let mut regions: Vec<RegionId> =
            self.index.iter().filter(|((node, _), _)| *node == root).map(|(_, region)| *region).collect();
        regions.sort_unstable();
        regions
    }

    /// The region of an access.
    pub(crate) fn region(&mut self, cell: Cell) -> Option<RegionId> {
        let cell = self.analysis.graph.normal(cell);
        let (lo, _) = self.analysis.graph.layout(cell.node).field_at(cell.offset)?;
        self.index.get(&(cell.node, lo)).copied()
    }

    /// The cells of a block of memory that anyone reads or writes.
    pub(crate) fn pieces(&mut self, cell: Cell, size: u64, limit: usize) -> Result<Vec<Piece>, Uncut> {
        if !self.analysis.graph.stays_together(cell, size) {
            return Err(Uncut::Ragged);
        }
        let mut pieces = Vec::new();
        let mut offset = 0;
        while offset < size {
            let at = self.analysis.graph.normal(cell.plus(offset as i64));
            let layout = self.analysis.graph.layout(at.node);
            let Some((lo, field)) = layout.field_at(at.offset) else {
                offset += 1;
                if offset > 1 << 20 {
                    return Err(Uncut::Large);
                }
                continue;
            };
            let width = if field.bytes { 1 } else { field.width as u64 };
            if (!field.bytes && lo != at.offset) || offset + width > size {
                return Err(Uncut::Ragged);
            }
            if pieces.len() >= limit {
                return Err(Uncut::Large);
            }
            pieces.push(Piece { offset, region: self.index[&(at.node, lo)] });
            offset += width;
        }
        Ok(pieces)
    }

    /// How many bytes from a place on are accessed, if that is known.
    pub(crate) fn extent(&mut self, cell: Cell) -> Option<u64> {
        let cell = self.analysis.graph.normal(cell);
        let end = self.analysis.graph.layout(cell.node).end()?;
        Some(u64::try_from(end - cell.offset).unwrap_or(0))
    }

    /// The elements that a block of unknown size at a place consists of: those of the whole object, or of an array that
    /// starts there.
    pub(crate) fn elements(&mut self, cell: Cell) -> Option<Elements> {
        let cell = self.analysis.graph.normal(cell);
        let layout = self.analysis.graph.layout(cell.node);
        let around: Vec<&Range> = layout.around(cell.offset).filter(|r| r.anchor == cell.offset).collect();
        // Innermost first; an element that is an array itself is cut into its own elements.
        let smallest = around.first()?.stride as u64;
        let outermost = around.last()?;
        if outermost.is_everywhere() || (outermost.lo == 0 && layout.end() == Some(outermost.end())) {
            return Some(Elements { stride: smallest, limit: None });
        }
        let starts_here = cell.spread == 0 && outermost.lo == cell.offset && outermost.end() < FAR;
        starts_here.then(|| Elements { stride: smallest, limit: Some(outermost.len() as u64) })
    }
}

/// The lengths of the arrays whose indices the program has to check.
fn checked_indices(analysis: &mut Analysis<'_>) -> FxHashMap<usize, Option<i64>> {
    let mut indices = FxHashMap::default();
    for (key, start, array) in std::mem::take(&mut analysis.indexed) {
        let cell = analysis.graph.target(start);
        if analysis.graph.checks_index(cell.node, array) {
            indices.insert(key, array.length);
        }
    }
    indices
}
