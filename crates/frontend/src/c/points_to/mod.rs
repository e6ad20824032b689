//! Which parts of memory no pointer confuses.
//!
//! The analysis is Steensgaard's (POPL 1996) with fields and offsets, as Lattner's data structure analysis has them: two
//! pointers that may point to the same object share one abstract object (`graph`), in which each has an offset. Values
//! flow through variables, memory, calls, function pointers and integers. What is accessed in an abstract object are
//! its fields (`layout`); each becomes a *region*.
//!
//! **What the regions guarantee**: two accesses in different regions never touch the same byte, and two accesses in one
//! region coincide exactly or touch different bytes. A region whose accesses would not satisfy this has cells of one byte.
//! This holds for pointers that stay in their arrays (C11 6.5.6): arithmetic on a pointer to an element of an array
//! that is a member of a record does not reach the other members, unless it comes from the address of the record. A pointer that comes from outside (the result of a
//! function without body) points to no object of the program.

mod constant;
mod constraints;
mod graph;
mod layout;
mod library;
mod library_flow;
mod residence;

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::hir::{Callee, Expr, ExprKind, FunctionId, Hir, Place, PlaceKind, Storage, VariableId};
use super::types::{Type, TypeId};

use constraints::Flow;
use graph::Graph;

pub(crate) use constant::constant;
pub(crate) use constraints::key;
pub(crate) use graph::{Cell, NodeId, Val};
pub(crate) use library::{Bits, Library, library};
pub(crate) use residence::{Leaf, Residence, is_record, leaves, residence};

/// A call through a pointer.
struct Site {
    key: usize,
    caller: FunctionId,
    pointer: Val,
    args: Vec<Flow>,
    result: Flow,
    targets: BTreeSet<FunctionId>,
}

impl Site {
    fn new(e: &Expr, caller: FunctionId, pointer: Val, args: Vec<Flow>, result: Flow) -> Self {
        Site { key: key(e), caller, pointer, args, result, targets: BTreeSet::new() }
    }
}

/// The analysis while it runs.
struct Analysis<'h> {
    hir: &'h Hir,
    graph: Graph,
    /// What derefenced pointers and arguments point to, by expression.
    pointers: FxHashMap<usize, Val>,
    /// Arguments that are records in memory.
    objects: FxHashMap<usize, Cell>,
    residences: FxHashMap<VariableId, Residence>,
    variables: FxHashMap<VariableId, Cell>,
    scalars: FxHashMap<(VariableId, u64), Val>,
    strings: FxHashMap<usize, Cell>,
    functions: FxHashMap<FunctionId, Cell>,
    results: FxHashMap<FunctionId, Flow>,
    sites: Vec<Site>,
    /// Variables that are not in memory and used.
    used: BTreeSet<VariableId>,
    /// Who calls whom.
    calls: BTreeSet<(FunctionId, FunctionId)>,
    /// Functions that can be called, in the order they were found.
    reached: Vec<FunctionId>,
    seen: BTreeSet<FunctionId>,
    current: FunctionId,
}

impl<'h> Analysis<'h> {
    fn residence(&mut self, variable: VariableId) -> Residence {
        self.residences.entry(variable).or_insert_with(|| residence(self.hir, variable)).clone()
    }

    /// The object of a variable that lives in memory.
    fn variable(&mut self, variable: VariableId) -> Cell {
        if let Some(&cell) = self.variables.get(&variable) {
            return cell;
        }
        let v = &self.hir.variables[variable.0 as usize];
        let zeros = v.storage == Storage::Static && !v.external;
        let node = if zeros { self.graph.node(Some(&v.name)) } else { self.graph.unwritten_node(&v.name) };
        let cell = Cell::start(node);
        self.variables.insert(variable, cell);
        self.arrays(cell, v.ty);
        if v.storage == Storage::Static
            && let Some(init) = &v.init
        {
            self.init(variable, init);
        }
        cell
    }

    /// Notes the arrays inside an object of a type.
    fn arrays(&mut self, cell: Cell, ty: TypeId) {
        let types = &self.hir.types;
        match *types.get(ty) {
            Type::Array(element, length) => {
                let stride = types.size(element).unwrap_or(1) as i64;
                self.graph.add_array(cell, length.map(|n| (n as i64).saturating_mul(stride)), stride);
                self.arrays(cell, element);
            }
            Type::Record(record) if !types.record(record).is_union => {
                for field in &types.record(record).fields {
                    self.arrays(cell.plus(field.offset as i64), field.ty);
                }
            }
            _ => {}
        }
    }

    /// The value of a variable that is not in memory, or of a scalar in it.
    fn scalar(&mut self, variable: VariableId, offset: u64) -> Val {
        if let Some(&value) = self.scalars.get(&(variable, offset)) {
            return value;
        }
        let value = self.graph.value();
        let first = self.used.insert(variable);
        self.scalars.insert((variable, offset), value);
        let v = &self.hir.variables[variable.0 as usize];
        if first
            && v.storage == Storage::Static
            && let Some(init) = &v.init
        {
            self.init(variable, init);
        }
        value
    }

    fn string(&mut self, string: usize) -> Cell {
        if let Some(&cell) = self.strings.get(&string) {
            return cell;
        }
        let cell = Cell::start(self.graph.unwritten_node("string"));
        self.strings.insert(string, cell);
        cell
    }

    fn function(&mut self, function: FunctionId) -> Cell {
        if let Some(&cell) = self.functions.get(&function) {
            return cell;
        }
        let name = &self.hir.functions[function.0 as usize].name;
        let cell = Cell::start(self.graph.node(Some(name)));
        self.graph.add_function(cell.node, function);
        self.functions.insert(function, cell);
        cell
    }

    /// A fresh value of a type.
    fn shape(&mut self, ty: TypeId, name: &str) -> Flow {
        if matches!(self.hir.types.get(ty), Type::Void) {
            return Flow::Nothing;
        }
        if !is_record(&self.hir.types, ty) {
            return Flow::Scalar(self.graph.value());
        }
        match leaves(&self.hir.types, ty) {
            Some(leaves) => Flow::Leaves(leaves.iter().map(|_| Some(self.graph.value())).collect()),
            None => Flow::Object(Cell::start(self.graph.unwritten_node(name))),
        }
    }

    /// What a function returns.
    fn result(&mut self, function: FunctionId) -> Flow {
        if let Some(flow) = self.results.get(&function) {
            return flow.clone();
        }
        let f = &self.hir.functions[function.0 as usize];
        let flow = match *self.hir.types.get(f.ty) {
            Type::Function { result, .. } => self.shape(result, &f.name),
            _ => Flow::Nothing,
        };
        self.results.insert(function, flow.clone());
        flow
    }

    /// A call of a function with a body.
    fn bind(&mut self, function: FunctionId, args: &[Flow]) -> Flow {
        let hir = self.hir;
        for (&parameter, arg) in hir.functions[function.0 as usize].parameters.iter().zip(args) {
            let target = self.parameter(parameter);
            self.assign(arg, &target);
        }
        if self.seen.insert(function) {
            self.reached.push(function);
        }
        self.result(function)
    }

    /// Where the value of a parameter goes.
    fn parameter(&mut self, parameter: VariableId) -> Flow {
        let ty = self.hir.variables[parameter.0 as usize].ty;
        let types = &self.hir.types;
        match (self.residence(parameter), is_record(types, ty)) {
            (Residence::Symbol, _) => Flow::Scalar(self.scalar(parameter, 0)),
            (Residence::Split(leaves), _) => {
                Flow::Leaves(leaves.iter().map(|l| Some(self.scalar(parameter, l.offset))).collect())
            }
            (Residence::Memory, false) => {
                let cell = self.variable(parameter);
                let width = types.size(ty).unwrap_or(1) as i64;
                Flow::Scalar(self.graph.access(cell, width, false, None))
            }
            (Residence::Memory, true) => {
                let cell = self.variable(parameter);
                match leaves(types, ty) {
                    None => Flow::Object(cell),
                    Some(leaves) => {
                        let scalars = leaves.iter().map(|l| {
                            let width = types.size(l.ty).unwrap_or(1) as i64;
                            Some(self.graph.access(cell.plus(l.offset as i64), width, false, None))
                        });
                        Flow::Leaves(scalars.collect())
                    }
                }
            }
        }
    }

    /// Looks at all functions that can be called.
    fn run(&mut self, entry: FunctionId) {
        self.seen.insert(entry);
        self.reached.push(entry);
        for &parameter in &self.hir.functions[entry.0 as usize].parameters {
            if let Flow::Scalar(v) = self.parameter(parameter) {
                self.graph.target(v);
            }
        }
        let mut next = 0;
        loop {
            while let Some(&function) = self.reached.get(next) {
                next += 1;
                self.current = function;
                if let Some(body) = &self.hir.functions[function.0 as usize].body {
                    self.body(body, function);
                }
            }
            self.graph.solve();
            if !self.bind_sites() {
                break;
            }
        }
    }

    /// Connects calls through pointers with the functions they may reach. Whether there are new ones.
    fn bind_sites(&mut self) -> bool {
        let mut new = false;
        for i in 0..self.sites.len() {
            for function in self.graph.functions(self.sites[i].pointer) {
                if self.sites[i].targets.contains(&function) || !self.compatible(function, i) {
                    continue;
                }
                new = true;
                self.sites[i].targets.insert(function);
                let (args, result) = (self.sites[i].args.clone(), self.sites[i].result.clone());
                if library(self.hir, function).is_none() && self.hir.functions[function.0 as usize].body.is_some() {
                    self.calls.insert((self.sites[i].caller, function));
                    let flow = self.bind(function, &args);
                    self.assign(&flow, &result);
                }
            }
        }
        new
    }

    /// Whether a call passes what the function takes: enough arguments, records for records.
    fn compatible(&self, function: FunctionId, site: usize) -> bool {
        let f = &self.hir.functions[function.0 as usize];
        let Type::Function { parameters, unspecified, .. } = self.hir.types.get(f.ty) else { return false };
        let args = &self.sites[site].args;
        let same = |(ty, arg): (&TypeId, &Flow)| {
            is_record(&self.hir.types, *ty) == matches!(arg, Flow::Leaves(_) | Flow::Object(_))
        };
        *unspecified || (args.len() >= parameters.len() && parameters.iter().zip(args).all(same))
    }
}

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

/// The result.
pub(crate) struct PointsTo<'h> {
    analysis: Analysis<'h>,
    regions: Vec<RegionInfo>,
    /// By object and first byte of the field.
    index: FxHashMap<(NodeId, i64), RegionId>,
    targets: FxHashMap<usize, Vec<FunctionId>>,
}

/// Analyses everything that can be called from a function.
pub(crate) fn analyse(hir: &Hir, entry: FunctionId) -> PointsTo<'_> {
    let mut analysis = Analysis {
        hir,
        graph: Graph::default(),
        pointers: FxHashMap::default(),
        objects: FxHashMap::default(),
        residences: FxHashMap::default(),
        variables: FxHashMap::default(),
        scalars: FxHashMap::default(),
        strings: FxHashMap::default(),
        functions: FxHashMap::default(),
        results: FxHashMap::default(),
        sites: Vec::new(),
        used: BTreeSet::new(),
        calls: BTreeSet::new(),
        reached: Vec::new(),
        seen: BTreeSet::new(),
        current: entry,
    };
    analysis.run(entry);
    PointsTo::new(analysis)
}

impl<'h> PointsTo<'h> {
    fn new(mut analysis: Analysis<'h>) -> Self {
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
        PointsTo { analysis, regions, index, targets }
    }

    /// All regions.
    pub(crate) fn regions(&self) -> &[RegionInfo] {
        &self.regions
    }

    /// Functions with a body that can be called, in the order they were found.
    pub(crate) fn reached(&self) -> &[FunctionId] {
        &self.analysis.reached
    }

    /// The functions a call through a pointer may reach, by the key of the call.
    pub(crate) fn targets(&self, call: &Expr) -> &[FunctionId] {
        self.targets.get(&key(call)).map_or(&[], Vec::as_slice)
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
        let Some(cell) = self.variable(variable) else { return Vec::new() };
        let root = self.analysis.graph.find(cell).node;
        let mut regions: Vec<RegionId> =
            self.index.iter().filter(|((node, _), _)| *node == root).map(|(_, region)| *region).collect();
        regions.sort_unstable();
        regions
    }

    /// The region of an access.
    pub(crate) fn region(&mut self, cell: Cell) -> Option<RegionId> {
        let cell = self.analysis.graph.find(cell);
        let (lo, _) = self.analysis.graph.layout(cell.node).field_at(cell.offset)?;
        self.index.get(&(cell.node, lo)).copied()
    }

    /// The cells of a block of memory that anyone reads or writes.
    pub(crate) fn pieces(&mut self, cell: Cell, size: u64, limit: usize) -> Result<Vec<Piece>, Uncut> {
        let mut pieces = Vec::new();
        let mut offset = 0;
        while offset < size {
            let at = self.analysis.graph.find(cell.plus(offset as i64));
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
        let cell = self.analysis.graph.find(cell);
        let end = self.analysis.graph.layout(cell.node).end()?;
        Some(u64::try_from(end - cell.offset).unwrap_or(0))
    }

    /// The size of the elements a block consists of, if it is an array: the smallest, for arrays of arrays.
    pub(crate) fn stride(&mut self, cell: Cell) -> Option<u64> {
        let cell = self.analysis.graph.find(cell);
        let mut ranges: Vec<&layout::Range> = self.analysis.graph.layout(cell.node).around(cell.offset).collect();
        let mut stride = ranges.pop().filter(|r| r.anchor == cell.offset)?.stride;
        while let Some(inner) = ranges.pop() {
            if inner.anchor != cell.offset || inner.hi - inner.lo != stride {
                break;
            }
            stride = inner.stride;
        }
        Some(stride as u64)
    }
}
