//! Which parts of memory no pointer confuses.
//!
//! The analysis is Steensgaard's (POPL 1996) with fields and offsets, as Lattner's data structure analysis has them: two
//! pointers that may point to the same object share one abstract object (`graph`), in which each has an offset. Values
//! flow through variables, memory, calls, function pointers and integers. What is accessed in an abstract object are
//! its fields (`layout`); each becomes a *region*.
//!
//! **What the regions guarantee**: two accesses in different regions never touch the same byte, and two accesses in one
//! region coincide exactly or touch different bytes. A region whose accesses would not satisfy this has cells of one byte.
//! This holds for pointers that stay in their objects, whatever the program declares inside of them: arithmetic on the
//! address of a member may lead to every other member. The one exception is an array inside of a record that is indexed
//! by its name (`s.a[i]`): the lowering guards the index, so that leaving the array is not silent
//! ([`PointsTo::checked_index`]).

mod constant;
mod constraints;
mod environment;
mod flow;
mod graph;
mod harmless;
mod layout;
mod library;
mod library_flow;
mod observe;
mod regions;
mod residence;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::hir::{Expr, FunctionId, Hir, Storage, VariableId};
use super::models::arguments;
use super::types::{Type, TypeId};

use environment::{Outside, Used, used_as};
use flow::Flow;
use graph::{Census, Graph};

pub(crate) use constant::constant;
pub(crate) use constraints::{is_element_of_record, length_of_part};
pub(crate) use environment::expose;
pub(crate) use flow::{key, switch_key, update_key};
pub(crate) use graph::{Array, Cell};
pub(crate) use harmless::{Fixed, Results, fixed_part};
pub(crate) use layout::Val;
pub(crate) use library::{
    Bits, ExtendedFunction, FloatFunction, Library, extended_function, library, library_by_pointer, may_set_errno,
};
pub(crate) use observe::{Home, Observation, addresses};
pub(crate) use regions::{Elements, Piece, PointsTo, Uncut};
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
    /// Operations that may see an address.
    uses: Vec<observe::Use>,
    /// Blocks that `realloc` makes.
    reallocated: Vec<Val>,
    /// Arrays inside of records that are indexed, by expression: where they start, and how long they are.
    indexed: Vec<(usize, Val, Array)>,
    /// Pointers that are dereferenced, and how.
    dereferenced: Vec<(Val, Used)>,
    /// Pointers to records, with the record.
    viewed: BTreeSet<(Val, TypeId)>,
    /// The memory that pointers from outside reach, by how it is used.
    outside: FxHashMap<Outside, Cell>,
    /// Variables that are not in memory and used.
    used: BTreeSet<VariableId>,
    /// Who calls whom.
    calls: BTreeSet<(FunctionId, FunctionId)>,
    /// Whether the bits of a float may be read as something else.
    sees_float_bits: bool,
    /// Whether it matters that a NaN is quiet.
    tells_nans_apart: bool,
    /// Functions that can be called, in the order they were found.
    reached: Vec<FunctionId>,
    seen: BTreeSet<FunctionId>,
    current: FunctionId,
}

impl<'h> Analysis<'h> {
    fn new(hir: &'h Hir, entry: FunctionId) -> Self {
        Analysis {
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
            uses: Vec::new(),
            reallocated: Vec::new(),
            indexed: Vec::new(),
            dereferenced: Vec::new(),
            viewed: BTreeSet::new(),
            sees_float_bits: false,
            tells_nans_apart: false,
            outside: FxHashMap::default(),
            used: BTreeSet::new(),
            calls: BTreeSet::new(),
            reached: Vec::new(),
            seen: BTreeSet::new(),
            current: entry,
        }
    }

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
        self.graph
            .count(node, Census::variable(self.hir.types.size(v.ty).unwrap_or(u64::MAX), v.storage != Storage::Static));
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
                let stride = types.size(types.sized_part(element)).unwrap_or(1) as i64;
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
        self.graph.count(cell.node, Census::literal(self.hir.strings[string].len()));
        self.strings.insert(string, cell);
        cell
    }

    fn function(&mut self, function: FunctionId) -> Cell {
        if let Some(&cell) = self.functions.get(&function) {
            return cell;
        }
        let name = &self.hir.functions[function.0 as usize].name;
        let cell = Cell::start(self.graph.node(Some(name)));
        self.graph.count(cell.node, Census::variable(1, false));
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
            None => {
                let node = self.graph.unwritten_node(name);
                self.graph.count(node, Census::MANY);
                Flow::Object(Cell::start(node))
            }
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
        let arguments = arguments(self.hir, entry);
        for &parameter in &self.hir.functions[entry.0 as usize].parameters {
            if arguments.is_some_and(|(texts, _)| texts == parameter) {
                continue;
            }
            let ty = self.hir.variables[parameter.0 as usize].ty;
            let (outside, target) = (self.outside_value(ty), self.parameter(parameter));
            self.assign(&outside, &target);
        }
        let around = self.hir.functions_around_main();
        for &function in &around {
            if self.seen.insert(function) {
                self.reached.push(function);
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
            if arguments.is_some_and(|(texts, model)| self.bind_arguments(texts, model)) {
                continue;
            }
            self.graph.solve();
            let (joined, bound) = (self.join_outside(), self.bind_sites());
            if !joined && !bound {
                break;
            }
        }
        // Whoever calls `exit` calls the destructors.
        let functions = self.reached.clone();
        self.calls.extend(around.iter().flat_map(|&callee| functions.iter().map(move |&caller| (caller, callee))));
    }

    /// `main` gets its arguments from a model, if it uses them. Whether that is news.
    fn bind_arguments(&mut self, texts: VariableId, model: FunctionId) -> bool {
        let used = self.scalars.contains_key(&(texts, 0)) || self.variables.contains_key(&texts);
        if !used || self.seen.contains(&model) {
            return false;
        }
        let made = self.bind(model, &[]);
        let parameter = self.parameter(texts);
        self.assign(&made, &parameter);
        true
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
                if library_by_pointer(self.hir, function).is_none()
                    && self.hir.functions[function.0 as usize].body.is_some()
                {
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

/// The types with which pointers from outside are dereferenced in what can be called from a function.
pub(crate) fn outside_types(hir: &Hir, entry: FunctionId) -> BTreeSet<Outside> {
    let mut analysis = Analysis::new(hir, entry);
    analysis.run(entry);
    analysis.outside_types()
}

/// Analyses everything that can be called from a function.
pub(crate) fn analyse(hir: &Hir, entry: FunctionId) -> PointsTo<'_> {
    let mut analysis = Analysis::new(hir, entry);
    analysis.run(entry);
    PointsTo::new(analysis)
}
