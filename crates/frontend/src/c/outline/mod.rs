//! The outline of a program: its control flow over the scalars that no pointer reaches, with all of memory left open.
//!
//! A scalar whose address nobody takes is changed by assignments that name it, and by nothing else. So a program may be read without
//! its memory: what is loaded is any value, a store does nothing, an address is any number. Every run of the program is a run of its
//! outline, which has others as well. Where the outline has no error the program has none; an error of the outline says nothing.
//!
//! It needs no pointer analysis and rests on none, and nothing in it depends on where objects are. What the full reading stops at, the order of two
//! addresses or the text that `sprintf` writes, is any value here. It is small: that is what makes it useful for programs of many thousand lines,
//! whose properties are mostly about a few flags.
//!
//! | what | how it is read |
//! |---|---|
//! | scalars in memory, members, floats | any value whenever they are read |
//! | arithmetic that is undefined for some operands | any value |
//! | calls through pointers | any function of that type that may be where the pointer is read, or one from elsewhere that returns any value |
//! | functions without body | any result, nothing is changed; what pointers from outside lead to is told by [`Environment`] |
//! | functions of the C library | any result; those that call back, jump or start threads are not modelled |
//! | what has no meaning here (assembler text that is not known, computed jumps) | not modelled where it is reached |
//!
//! | file | what it has |
//! |---|---|
//! | `automaton` | the automaton of a procedure while it is built |
//! | `statements`, `values`, `conditions`, `calls` | what they say |
//! | `super::control` | how conditions are taken apart, as the full reading does it too |
//! | `sequence` | operands whose order of evaluation may matter |
//! | `members` | functions that members of records point to |
//! | `retyped` | functions that may be called through pointers of another type |

mod automaton;
mod calls;
mod conditions;
mod members;
mod retyped;
mod sequence;
mod statements;
mod values;

use clinch_ir::Span;
use clinch_ir::cfa::{
    CfaProgram, Failure, Global, InputId, InputKind, InputSite, Integers, Op, Procedure, ProcedureId, SourceMap,
    VariableInfo,
};
use clinch_terms::{Sort, Symbol, Term, Terms};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;

use super::Environment;
use super::hir::{Expr, ExprKind, FunctionId, Hir, Init, Storage, Variable, VariableId};
use super::points_to::{Residence, residence};
use super::types::{Rank, Type, TypeId};
use super::walk::{Each, Visitor};
use automaton::Automaton;
use calls::Signature;
use members::{MEMBERS, Members};
use retyped::Retyped;
use values::Value;

/// What is taken for granted about memory.
const MEMORY: &str = "memory is accessed inside of live objects only";
/// What is taken for granted about the environment.
const OUTSIDE: &str = "pointers from outside do not point to variables whose address the program does not take";
/// What is taken for granted about function pointers.
const CALLS: &str =
    "functions are called through pointers with as many arguments, and of the kinds, as they are declared with";

/// The outline of what can be called from a function without parameters that matter. Nothing for programs whose beginning or end is not plain.
pub(super) fn outline(
    hir: &Hir,
    source: SourceMap,
    entry: &str,
    (globals_are_inputs, environment): (bool, Environment),
) -> Option<CfaProgram> {
    let position = hir.functions.iter().position(|f| f.name == entry && f.body.is_some())?;
    let (constructors, destructors) = hir.constructors_and_destructors();
    if !constructors.is_empty() || !destructors.is_empty() {
        return None;
    }
    let mut outline = Outline::new(hir, globals_are_inputs, environment);
    outline.find_retyped();
    outline.addresses_in_initialisers();
    outline.start(FunctionId(position as u32));
    outline.procedures();
    Some(outline.program(source))
}

/// The program while it is read.
struct Outline<'h> {
    hir: &'h Hir,
    globals_are_inputs: bool,
    environment: Environment,
    terms: Terms,
    globals: Vec<Global>,
    inputs: Vec<InputSite>,
    variables: FxHashMap<Symbol, VariableInfo>,
    /// The variables that are read, static ones and those of the function at work.
    symbols: FxHashMap<VariableId, Symbol>,
    /// Functions that can be called, in the order they were found, with their procedures.
    called: IndexMap<FunctionId, ProcedureId>,
    /// Calls through pointers, by what is passed.
    sites: IndexMap<Signature, ProcedureId>,
    /// Functions whose address is a value somewhere.
    addressed: IndexSet<FunctionId>,
    /// Those of them that calls of any type may reach.
    retyped: Retyped,
    /// Where pointers to functions are written; nothing where that is not told apart.
    members: Option<Members>,
    /// Those that were begun have a procedure here, also while it is empty.
    procedures: Vec<Option<Procedure>>,
    assumptions: IndexSet<String>,
    body: Automaton,
}

impl<'h> Outline<'h> {
    fn new(hir: &'h Hir, globals_are_inputs: bool, environment: Environment) -> Self {
        let outside = (environment == Environment::Fresh).then_some(OUTSIDE);
        let assumptions =
            hir.assumptions.iter().cloned().chain([Some(MEMORY), outside].into_iter().flatten().map(str::to_owned));
        Outline {
            hir,
            globals_are_inputs,
            environment,
            terms: Terms::new(),
            globals: Vec::new(),
            inputs: Vec::new(),
            variables: FxHashMap::default(),
            symbols: FxHashMap::default(),
            called: IndexMap::new(),
            sites: IndexMap::new(),
            addressed: IndexSet::new(),
            retyped: Retyped::default(),
            members: (environment == Environment::Fresh).then(|| Members::of(hir)),
            procedures: Vec::new(),
            assumptions: assumptions.collect(),
            body: Automaton::default(),
        }
    }

    /// Whatever a table of functions holds may be called through it.
    fn addresses_in_initialisers(&mut self) {
        let hir = self.hir;
        for variable in hir.variables.iter().filter(|v| v.storage == Storage::Static) {
            variable.init.iter().for_each(|init| Each(|e: &Expr| self.note_address(e)).init(init));
        }
    }

    fn note_address(&mut self, e: &Expr) {
        if let ExprKind::Function(f) = e.kind {
            self.addressed.insert(f);
        }
    }

    /// The procedure where a run starts: values of globals that are not constant, the entry function with any arguments, the end.
    fn start(&mut self, entry: FunctionId) {
        self.procedures.push(None);
        self.body = Automaton::new();
        let hir = self.hir;
        for (i, variable) in hir.variables.iter().enumerate() {
            let id = VariableId(i as u32);
            if variable.storage == Storage::Static && self.is_tracked(id) {
                let symbol = self.declare(&variable.name, variable.ty, false);
                self.symbols.insert(id, symbol);
                let value = self.first_value(id, variable.init.as_ref());
                let init = match value {
                    Value::Is(term) => term,
                    _ => self.constant(variable.ty, 0),
                };
                self.globals.push(Global { symbol, init });
                if !matches!(value, Value::Is(_)) {
                    self.set(symbol, value, variable.span);
                }
            }
        }
        let span = hir.functions[entry.0 as usize].span;
        self.call_with_any_arguments(entry, span);
        let status = self.terms.bit_vec(32, 0);
        self.body.stop(Op::Exit(status), span);
        self.procedures[0] = Some(self.finished("__start".to_owned(), span));
    }

    /// What a static variable holds at first.
    fn first_value(&mut self, id: VariableId, init: Option<&Init>) -> Value {
        let variable = &self.hir.variables[id.0 as usize];
        if variable.external || self.globals_are_inputs {
            return Value::Any;
        }
        match init.map(|init| init.items.as_slice()) {
            None | Some([]) => Value::Is(self.constant(variable.ty, 0)),
            Some([.., last]) => {
                let value = self.value(&last.value);
                match value {
                    Value::Is(term) if !self.terms.symbols(term).is_empty() => Value::Any,
                    value => value,
                }
            }
        }
    }

    /// Makes procedures of all functions that can be called.
    fn procedures(&mut self) {
        let (mut next, mut next_site) = (0, 0);
        loop {
            if let Some((&function, &procedure)) = self.called.get_index(next) {
                next += 1;
                let made = self.function(function);
                self.procedures[procedure.index()] = Some(made);
            } else if self.reach_addressed() {
                // Functions that only a call through a pointer reaches.
            } else if next_site < self.sites.len() {
                // Nobody else is found any more: all targets are known.
                let (signature, procedure) = self.sites.get_index(next_site).expect("there are more");
                let (signature, procedure) = (signature.clone(), *procedure);
                next_site += 1;
                let made = self.dispatcher(&signature);
                self.procedures[procedure.index()] = Some(made);
            } else {
                return;
            }
        }
    }

    /// Marks the functions that calls through pointers may reach. Whether there are new ones.
    fn reach_addressed(&mut self) -> bool {
        let before = self.called.len();
        let signatures: Vec<Signature> = self.sites.keys().cloned().collect();
        for f in self.addressed.clone() {
            if self.hir.functions[f.0 as usize].body.is_some()
                && signatures.iter().any(|signature| self.may_call(signature, f))
            {
                self.procedure_of(f);
            }
        }
        self.called.len() > before
    }

    /// The procedure of a function with a body, made now or later.
    fn procedure_of(&mut self, function: FunctionId) -> ProcedureId {
        if let Some(&known) = self.called.get(&function) {
            return known;
        }
        let id = ProcedureId::from_index(self.procedures.len());
        self.procedures.push(None);
        self.called.insert(function, id);
        id
    }

    fn function(&mut self, function: FunctionId) -> Procedure {
        let hir = self.hir;
        let f = &hir.functions[function.0 as usize];
        self.body = Automaton::new();
        self.body.function = Some(function);
        for &parameter in &f.parameters {
            if self.is_tracked(parameter) {
                let v = &hir.variables[parameter.0 as usize];
                let symbol = self.declare(&v.name, v.ty, false);
                self.symbols.insert(parameter, symbol);
                self.body.params.push(symbol);
            }
        }
        if let Some(ty) = self.result_type(function) {
            let symbol = self.declare("return", ty, true);
            self.body.locals.push(symbol);
            self.body.result = Some(symbol);
        }
        self.statements(f.body.as_deref().unwrap_or_default());
        self.return_value(Value::Any, f.span);
        self.finished(f.name.clone(), f.span)
    }

    fn finished(&mut self, name: String, span: Span) -> Procedure {
        std::mem::take(&mut self.body).finished(name, span)
    }

    fn program(self, source: SourceMap) -> CfaProgram {
        let mut assumptions = self.assumptions;
        if !self.sites.is_empty() {
            assumptions.insert(CALLS.to_owned());
        }
        if self.sites.keys().any(|signature| signature.member.is_some()) {
            assumptions.insert(MEMBERS.to_owned());
        }
        let procedures = self.procedures.into_iter().map(|p| p.expect("every procedure that is called was made"));
        CfaProgram {
            pointer_bits: self.hir.types.model.pointer_bits(),
            integers: Integers::Machine,
            globals: self.globals,
            procedures: procedures.collect(),
            entry: ProcedureId(0),
            inputs: self.inputs,
            variables: self.variables,
            assumptions: assumptions.into_iter().collect(),
            ..CfaProgram::new(self.terms, source)
        }
    }

    /// Whether a variable is read: a number or a pointer whose address nobody takes.
    fn is_tracked(&self, variable: VariableId) -> bool {
        let Variable { ty, exported, storage, .. } = self.hir.variables[variable.0 as usize];
        // Somebody else may hand out its address.
        let known_outside = exported && storage == Storage::Static && self.environment == Environment::Strict;
        self.is_number(ty) && !known_outside && matches!(residence(self.hir, variable), Residence::Symbol)
    }

    /// Whether values of a type are bit-vectors here.
    fn is_number(&self, ty: TypeId) -> bool {
        match self.hir.types.get(ty) {
            Type::Bool | Type::Pointer(_) => true,
            Type::Int { rank, .. } => *rank != Rank::Int128,
            _ => false,
        }
    }

    /// The variable of the automaton for a variable, where it is read.
    fn symbol(&mut self, id: VariableId) -> Option<Symbol> {
        if let Some(&symbol) = self.symbols.get(&id) {
            return Some(symbol);
        }
        if !self.is_tracked(id) {
            return None;
        }
        let v = &self.hir.variables[id.0 as usize];
        let symbol = self.declare(&v.name, v.ty, false);
        self.symbols.insert(id, symbol);
        self.body.locals.push(symbol);
        Some(symbol)
    }

    fn declare(&mut self, name: &str, ty: TypeId, hidden: bool) -> Symbol {
        let symbol = self.terms.declare(name, Sort::BitVec(self.bits(ty)));
        let (signed, pointer) = (self.hir.types.is_signed(ty), self.hir.types.is_pointer(ty));
        let info = VariableInfo { name: name.to_owned(), ty: self.hir.types.name(ty), signed, pointer, hidden };
        self.variables.insert(symbol, info);
        symbol
    }

    /// A hidden variable of the procedure at work.
    fn temporary(&mut self, bits: u32) -> Symbol {
        let name = format!("${}", self.body.locals.len() + 1);
        let symbol = self.terms.declare(name.clone(), Sort::BitVec(bits));
        self.hide(symbol, name);
        symbol
    }

    fn hide(&mut self, symbol: Symbol, name: String) {
        self.body.locals.push(symbol);
        let info = VariableInfo { name, ty: String::new(), signed: false, pointer: false, hidden: true };
        self.variables.insert(symbol, info);
    }

    fn bits(&self, ty: TypeId) -> u32 {
        self.hir.types.scalar_bits(ty).unwrap_or(32)
    }

    fn constant(&mut self, ty: TypeId, value: i128) -> Term {
        let bits = self.bits(ty);
        self.terms.bit_vec(bits, value as u64)
    }

    /// A variable gets any value.
    fn forget(&mut self, symbol: Symbol, span: Span) {
        let id = InputId::from_index(self.inputs.len());
        let kind = InputKind::Opaque("what the outline leaves open".to_owned());
        self.inputs.push(InputSite { kind, ty: String::new(), signed: false, span });
        self.body.emit(Op::Input(symbol, id), span);
    }

    /// What comes here is not modelled.
    fn deny(&mut self, what: &str, span: Span) {
        self.body.stop(Op::Unsupported(what.to_owned()), span);
    }

    fn fail(&mut self, text: String, span: Span) {
        self.body.stop(Op::Error(Failure::assertion(text)), span);
    }
}
