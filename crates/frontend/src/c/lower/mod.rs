//! From typed C to control-flow automata.
//!
//! Every function that can be called becomes a procedure. Scalars whose address no one takes are variables of the
//! automaton, everything else lives in the regions that the pointer analysis found (`points_to`). Expressions
//! become terms, their effects become edges, in the order of evaluation.
//!
//! | file | what it lowers |
//! |---|---|
//! | `start` | the procedure that initialises memory and calls the entry function |
//! | `storage` | addresses of objects and functions, variables of the automaton |
//! | `function`, `stmt`, `pieces`, `scopes` | procedures, statements, where code begins that may be unreachable, the life of local objects |
//! | `declare` | initialisers |
//! | `condition`, `expr`, `update`, `values` | expressions |
//! | `guards` | what must not happen: undefined behaviour |
//! | `place`, `record` | loads, stores, bit-fields, records by value |
//! | `call`, `library`, `outside` | calls, functions known by name, what comes from outside |
//! | `allocate`, `blocks`, `strings`, `literals`, `formats`, `bits` | what these functions do |
//! | `order` | which statements depend on the order of evaluation |
//! | `super::control` | how conditions are taken apart, as the outline does it too |
//! | `body`, `tidy` | the automaton while it is built, and what is left out afterwards |

mod allocate;
mod bits;
mod blocks;
mod body;
mod call;
mod condition;
mod declare;
mod expr;
mod extended;
mod float;
mod formats;
mod function;
mod guards;
mod library;
mod literals;
mod order;
mod outside;
mod overflow;
mod pieces;
mod place;
mod record;
mod scopes;
mod start;
mod stmt;
mod storage;
mod strings;
mod tidy;
mod update;
mod values;

use clinch_ir::Span;
use clinch_ir::cfa::{
    CfaProgram, Check, Checks, Global, InputId, InputKind, InputSite, Integers, Object, Op, Procedure, ProcedureId,
    Region, SourceMap, VariableInfo,
};
use clinch_terms::{Sort, Symbol, Term, Terms};
use indexmap::IndexSet;
use rustc_hash::FxHashMap;

pub use allocate::ALLOCATION;
pub(super) use call::POINTERS_FROM_OUTSIDE;
pub(super) use tidy::map_reads;

use super::Environment;
use super::hir::{FunctionId, Hir, VariableId};
use super::points_to::{PointsTo, analyse, expose, outside_types};
use super::types::TypeId;
use body::Body;

/// How a program is read.
#[derive(Clone, Debug)]
pub struct LowerOptions {
    /// The function where a run starts.
    pub entry: String,
    /// How integers are read.
    pub integers: Integers,
    /// Whether globals start with any value instead of their initial one.
    pub globals_are_inputs: bool,
    /// Whether there may be no memory for a block.
    pub malloc_may_fail: bool,
    /// Whether functions without body may write through pointers.
    pub externs_write: bool,
    /// Whether there are objects for pointers from outside, where memory is not checked.
    pub environment: Environment,
    /// Which errors count.
    pub checks: Checks,
}

impl Default for LowerOptions {
    fn default() -> Self {
        LowerOptions {
            entry: "main".to_owned(),
            integers: Integers::Machine,
            globals_are_inputs: false,
            malloc_may_fail: false,
            externs_write: false,
            environment: Environment::Fresh,
            checks: Check::Assertion.into(),
        }
    }
}

/// Why a program cannot be lowered.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct LowerError {
    /// What is wrong, in one line.
    pub message: String,
    /// Where.
    pub span: Span,
}

/// Stack for programs that nest deeply.
const STACK_BYTES: usize = 1 << 30;

/// Puts the globals into memory that pointers from outside of the program may point to. To be done before [`lower`].
pub fn expose_globals(hir: &mut Hir, options: &LowerOptions) -> Result<(), LowerError> {
    let entry = hir.functions.iter().position(|f| f.name == options.entry && f.body.is_some());
    if let Some(entry) = entry {
        let types = deep(|| Ok(outside_types(hir, FunctionId(entry as u32))))?;
        expose(hir, &types);
    }
    Ok(())
}

/// Marks blocks of memory that are read or written as a whole, though not all of their bytes may be: an assignment to the cell at their
/// address, of their size, to a region that is nothing else. They are for `provenance`, which takes them out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranges {
    pub(crate) read: Symbol,
    pub(crate) written: Symbol,
    /// The object that starts there is no more.
    pub(crate) ended: Symbol,
    /// How many bytes may be written from there on: what is assigned is a variable that gets the number.
    pub(crate) room: Symbol,
}

/// Makes automata of all functions that can be called from the entry function.
pub fn lower(hir: &Hir, source: SourceMap, options: &LowerOptions) -> Result<CfaProgram, LowerError> {
    deep(|| Lowering::new(hir, source, options).and_then(Lowering::program))
}

/// The same, with marks where blocks are accessed.
pub(crate) fn lower_with_ranges(
    hir: &Hir,
    source: SourceMap,
    options: &LowerOptions,
) -> Result<(CfaProgram, Ranges), LowerError> {
    deep(|| {
        let mut lowering = Lowering::new(hir, source, options)?;
        let pointer = lowering.sort_of_bits(lowering.pointer_bits());
        let mut mark = |name: &str| lowering.terms.declare(name, Sort::array(pointer.clone(), pointer.clone()));
        let ranges =
            Ranges { read: mark("$read"), written: mark("$written"), ended: mark("$ended"), room: mark("$room") };
        lowering.ranges = Some(ranges);
        lowering.program().map(|program| (program, ranges))
    })
}

/// Does work that recurses as deeply as the program nests.
fn deep<T: Send>(work: impl FnOnce() -> Result<T, LowerError> + Send) -> Result<T, LowerError> {
    std::thread::scope(|scope| match std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work) {
        Ok(handle) => handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(e) => Err(LowerError { message: format!("cannot start a thread: {e}"), span: Span::default() }),
    })
}

/// Everything that is known about the program while it is lowered.
struct Lowering<'h> {
    hir: &'h Hir,
    source: SourceMap,
    options: &'h LowerOptions,
    entry: FunctionId,
    points: PointsTo<'h>,
    terms: Terms,
    storage: storage::Storages,
    globals: Vec<Global>,
    regions: Vec<Region>,
    objects: Vec<Object>,
    inputs: Vec<InputSite>,
    variables: FxHashMap<Symbol, VariableInfo>,
    assumptions: IndexSet<String>,
    procedures: Vec<Procedure>,
    procedure_ids: FxHashMap<FunctionId, ProcedureId>,
    locals_of: FxHashMap<FunctionId, Vec<VariableId>>,
    /// The call whose value no one wants.
    unused: Option<usize>,
    /// What functions do, for the order of evaluation.
    order: order::Summaries,
    /// The call whose value is compared with 0, and not used otherwise.
    tested: Option<usize>,
    /// Marks for blocks, if someone wants to know.
    ranges: Option<Ranges>,
    /// The procedure at work.
    body: Body,
}

impl<'h> Lowering<'h> {
    fn new(hir: &'h Hir, source: SourceMap, options: &'h LowerOptions) -> Result<Self, LowerError> {
        let named = |f: &super::hir::Function| f.name == options.entry;
        let position = hir.functions.iter().position(|f| named(f) && f.body.is_some());
        let Some(position) = position else {
            let declared = hir.functions.iter().find(|f| named(f));
            let message = match declared {
                Some(f) => format!("the entry function `{}` has no body", f.name),
                None if options.entry == "main" => {
                    "there is no function `main`; --entry names the one to start with, --entry all takes each"
                        .to_owned()
                }
                None => format!("there is no function `{}`", options.entry),
            };
            return Err(LowerError { message, span: declared.map_or(Span::default(), |f| f.span) });
        };
        let entry = FunctionId(position as u32);
        let points = analyse(hir, entry);
        Ok(Lowering {
            hir,
            source,
            options,
            entry,
            points,
            terms: Terms::new(),
            storage: storage::Storages::default(),
            globals: Vec::new(),
            regions: Vec::new(),
            objects: Vec::new(),
            inputs: Vec::new(),
            variables: FxHashMap::default(),
            assumptions: hir.assumptions.iter().cloned().collect(),
            procedures: Vec::new(),
            procedure_ids: FxHashMap::default(),
            locals_of: FxHashMap::default(),
            unused: None,
            order: order::Summaries::default(),
            tested: None,
            ranges: None,
            body: Body::new(None),
        })
    }

    fn program(mut self) -> Result<CfaProgram, LowerError> {
        self.declare_regions();
        self.lay_out()?;
        self.declare_globals();
        self.storage.rounding = self.rounding_mode();
        let functions: Vec<FunctionId> = self.points.reached().to_vec();
        for &function in &functions {
            let procedure = self.function(function);
            self.procedures.push(procedure);
        }
        let mut start = self.start();
        self.mark_uncalled(&mut start);
        self.procedures.push(start);
        let entry = ProcedureId::from_index(self.procedures.len() - 1);
        self.drop_unused_inputs();
        // Who asks about memory wants to know of every pointer whether it leads to an object.
        let checks = self.options.checks;
        let outside_is_valid = self.options.environment == Environment::Fresh
            && self.options.integers == Integers::Machine
            && !checks.are_about_memory()
            && !checks.contains(Check::Uninitialised);
        Ok(CfaProgram {
            terms: self.terms,
            pointer_bits: self.hir.types.model.pointer_bits(),
            integers: self.options.integers,
            globals: self.globals,
            regions: self.regions,
            objects: self.objects,
            procedures: self.procedures,
            entry,
            inputs: self.inputs,
            variables: self.variables,
            layouts: super::members::layouts(self.hir),
            accesses: Default::default(),
            outside_is_valid,
            assumptions: self.assumptions.into_iter().collect(),
            source: self.source,
        })
    }

    fn declare_regions(&mut self) {
        let pointer = self.sort_of_bits(self.pointer_bits());
        let mut names: FxHashMap<String, u32> = FxHashMap::default();
        for info in self.points.regions().to_vec() {
            let name = storage::unique(&mut names, &info.name);
            let cell = self.sort_of_bits(info.cell_bytes * 8);
            let starts_zero = info.starts_zero && !self.options.globals_are_inputs;
            let symbol = self.terms.declare(name.clone(), Sort::array(pointer.clone(), cell));
            self.regions.push(Region { symbol, cell_bytes: info.cell_bytes, starts_zero, name, ghost: false });
        }
    }

    /// Code that is never reached takes no inputs.
    fn drop_unused_inputs(&mut self) {
        let mut new_ids: Vec<Option<InputId>> = vec![None; self.inputs.len()];
        let sites = std::mem::take(&mut self.inputs);
        for edge in self.procedures.iter_mut().flat_map(|p| &mut p.edges) {
            if let Op::Input(_, id) = &mut edge.op {
                let new = *new_ids[id.index()].get_or_insert_with(|| {
                    self.inputs.push(sites[id.index()].clone());
                    InputId::from_index(self.inputs.len() - 1)
                });
                *id = new;
            }
        }
    }

    /// A hidden variable of the procedure at work.
    fn temporary(&mut self, sort: Sort, signed: bool) -> Symbol {
        let name = format!("${}", self.body.temporaries.len() + self.body.counters + 1);
        let symbol = self.terms.declare(name.clone(), sort);
        self.body.temporaries.insert(symbol);
        self.body.locals.push(symbol);
        let info = VariableInfo { name, ty: String::new(), signed, pointer: false, hidden: true };
        self.variables.insert(symbol, info);
        symbol
    }

    /// A hidden variable for a value of a type.
    fn temporary_of(&mut self, ty: TypeId) -> Symbol {
        let symbol = self.temporary(self.sort(ty), self.hir.types.is_signed(ty));
        if let (Some(_), Some(info)) = (self.format(ty), self.variables.get_mut(&symbol)) {
            info.ty = self.hir.types.name(ty);
        }
        symbol
    }

    /// An input into a hidden variable.
    fn input(&mut self, ty: TypeId, kind: InputKind, span: Span) -> Term {
        let symbol = self.temporary_of(ty);
        self.input_into(symbol, ty, kind, span);
        self.terms.symbol(symbol)
    }

    fn input_into(&mut self, symbol: Symbol, ty: TypeId, kind: InputKind, span: Span) {
        let id = InputId::from_index(self.inputs.len());
        let signed = self.hir.types.is_signed(ty);
        self.inputs.push(InputSite { kind, ty: self.hir.types.name(ty), signed, span });
        self.body.emit(Op::Input(symbol, id), span);
        if matches!(self.hir.types.get(ty), super::types::Type::Bool) {
            self.assume_boolean(symbol, span);
        }
    }

    /// A `_Bool` holds 0 or 1.
    fn assume_boolean(&mut self, symbol: Symbol, span: Span) {
        let value = self.terms.symbol(symbol);
        let (zero, one) = (self.number(8, 0), self.number(8, 1));
        let (is_zero, is_one) = (self.terms.eq(value, zero), self.terms.eq(value, one));
        let either = self.terms.or(is_zero, is_one);
        self.body.emit(Op::Assume(either), span);
    }

    /// The value is not modelled.
    fn opaque(&mut self, ty: TypeId, what: &str, span: Span) -> Term {
        self.input(ty, InputKind::Opaque(what.to_owned()), span)
    }

    /// What comes here is not modelled; the value that is used from here on does not matter.
    fn unsupported(&mut self, what: impl Into<String>, ty: TypeId, span: Span) -> Term {
        self.body.stop(Op::Unsupported(what.into()), span);
        self.constant(ty, 0)
    }

    /// Keeps the value of a term from now on.
    fn save(&mut self, term: Term, span: Span) -> Term {
        if self.is_constant(term) || self.is_temporary(term) {
            return term;
        }
        let sort = self.terms.sort(term);
        let symbol = self.temporary(sort, false);
        self.assign_variable(symbol, term, span);
        self.terms.symbol(symbol)
    }

    /// A hidden variable is written once before it is read.
    fn is_temporary(&self, term: Term) -> bool {
        matches!(self.terms.node(term), clinch_terms::Node::Symbol(s) if self.body.temporaries.contains(&s))
    }

    fn assign_variable(&mut self, symbol: Symbol, value: Term, span: Span) {
        let target = clinch_ir::cfa::Target::Var(symbol);
        self.body.emit(Op::Assign(vec![clinch_ir::cfa::Assign { target, value }]), span);
    }

    fn assume(&mut self, sentence: String) {
        self.assumptions.insert(sentence);
    }
}
