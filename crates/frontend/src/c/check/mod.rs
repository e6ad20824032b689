//! From lang-c's syntax tree to the typed program ([`Hir`]): names resolved, types computed, conversions made explicit.
//!
//! [`Checker`] holds what is known; each file adds the part of C that its name says. A function that finds a mistake returns
//! a [`Problem`]; declarations and statements collect them, so that one run reports several.

mod align;
mod atomic;
mod attribute;
mod builtin;
mod call;
mod classify;
mod constant;
mod convert;
mod declarator;
mod define;
mod expr;
mod extended_constant;
pub(in crate::c) mod format;
mod global;
mod init;
mod layout;
mod link;
mod literal;
mod local;
mod operator;
mod range;
mod record;
mod resolve;
mod scope;
mod signature;
mod specifier;
mod static_init;
mod stmt;
mod unary;

use clinch_ir::Span;
use clinch_ir::cfa::{Integers, SourceMap};
use lang_c::ast::{ExternalDeclaration, StaticAssert};
use rustc_hash::{FxHashMap, FxHashSet};

use super::hir::{Expr, FunctionId, Hir, VariableId};
use super::parse::{Parsed, parse};
use super::types::{Rank, RecordId, Type, TypeId, Types};
use super::{CheckOptions, Unit};
use crate::diagnostic::{MAX_DIAGNOSTICS, Problem};
use define::FunctionContext;
use scope::{Scope, Symbol};

/// A result, or what is wrong.
type Checked<T> = Result<T, Problem>;

/// How deeply expressions and statements may nest: the program is later walked recursively.
const MAX_DEPTH: u32 = 10_000;

/// The types the language itself speaks of.
#[derive(Clone, Copy)]
struct Basic {
    void: TypeId,
    bool: TypeId,
    char: TypeId,
    int: TypeId,
    unsigned: TypeId,
    long: TypeId,
    double: TypeId,
    /// `size_t`
    size: TypeId,
    /// `ptrdiff_t`
    difference: TypeId,
    void_pointer: TypeId,
}

impl Basic {
    fn new(types: &mut Types) -> Self {
        let (size_rank, long) = match types.model.pointer_bits() {
            32 => (Rank::Int, Rank::Long),
            _ => (Rank::Long, Rank::Long),
        };
        let mut integer = |rank, signed| types.intern(Type::Int { rank, signed });
        let (char, int, unsigned) = (integer(Rank::Char, true), integer(Rank::Int, true), integer(Rank::Int, false));
        let (long, size, difference) = (integer(long, true), integer(size_rank, false), integer(size_rank, true));
        let void = types.intern(Type::Void);
        let bool = types.intern(Type::Bool);
        let double = types.intern(Type::Float(64));
        let void_pointer = types.intern(Type::Pointer(void));
        Basic { void, bool, char, int, unsigned, long, double, size, difference, void_pointer }
    }
}

/// What is known while the units are checked.
struct Checker<'a> {
    hir: Hir,
    basic: Basic,
    integers: Integers,
    /// The unit that is being checked, and the offset of its text.
    unit: &'a Parsed,
    base: u32,
    map: &'a SourceMap,
    /// Names with external linkage.
    externals: FxHashMap<String, Symbol>,
    /// Records of earlier units, by tag or place, to be found again.
    shared_records: FxHashMap<String, RecordId>,
    /// Those of them that this unit names, but does not define (yet).
    reused_records: FxHashSet<RecordId>,
    /// Records that a unit does not share, by its offset and their name: others have that name and are laid out in another way.
    own_records: FxHashSet<(u32, String)>,
    /// More of them, found when the unit had declared something with the other one already.
    other_records: FxHashSet<(u32, String)>,
    has_several_units: bool,
    /// Whether the unit is that of the library's models: what the program defines itself is left out.
    in_models: bool,
    /// The scopes of the unit; the first is that of the file.
    scopes: Vec<Scope>,
    function: Option<FunctionContext>,
    /// The length of the type that was read last, if it is known at run time only.
    length_of_type: Option<Expr>,
    /// What declarations say about the alignment of variables.
    aligns: FxHashMap<VariableId, align::VariableAlign>,
    /// Types to which some typedef, or the like, gives another alignment.
    realigned: FxHashSet<TypeId>,
    /// Declared types of variables that are larger, for their flexible member is initialised.
    flexible: FxHashMap<VariableId, TypeId>,
    /// Lengths of arrays that are known at run time only: the variable that holds them.
    runtime_lengths: FxHashMap<VariableId, VariableId>,
    /// The same for arrays that are elements of others.
    row_lengths: FxHashMap<TypeId, VariableId>,
    /// Aliases of the unit, and what those of all units stand for.
    aliases: Vec<resolve::Alias>,
    function_aliases: FxHashMap<FunctionId, FunctionId>,
    variable_aliases: FxHashMap<VariableId, VariableId>,
    /// Functions and variables that this unit declares weak.
    weak_here: FxHashSet<Symbol>,
    /// Definitions that give way to others: weak ones and inline ones.
    replaceable: FxHashSet<Symbol>,
    problems: Vec<Problem>,
    /// What the initialiser that is read has written so far.
    filled: init::Filled,
    /// Inside the initialiser of something that lives for the whole run.
    in_static: bool,
    /// Inside `sizeof` and the like: what stands there does not happen.
    unevaluated: u32,
    depth: u32,
}

/// Parses and checks all units, then that of the library's models; `bases` are their offsets in the text of `map`.
pub(super) fn check_units(
    units: &[Unit],
    models: &Unit,
    bases: &[u32],
    map: &SourceMap,
    options: &CheckOptions,
) -> Result<Hir, Vec<Problem>> {
    let mut parsed = Vec::new();
    let mut problems = Vec::new();
    for (unit, &base) in units.iter().chain([models]).zip(bases) {
        match parse(&unit.text) {
            Ok(tree) => parsed.push(tree),
            Err(problem) => problems.push(problem.moved(i64::from(base))),
        }
    }
    let Some(first) = parsed.first().filter(|_| problems.is_empty() && !units.is_empty()) else {
        if problems.is_empty() {
            problems.push(Problem::new(Span::default(), "there is no translation unit"));
        }
        return Err(problems);
    };
    let mut own_records = FxHashSet::default();
    loop {
        let mut checker = Checker::new(first, map, options);
        checker.own_records.clone_from(&own_records);
        checker.has_several_units = units.len() > 1;
        for (i, (unit, &base)) in parsed.iter().zip(bases).enumerate() {
            checker.in_models = i >= units.len();
            checker.check_unit(unit, base);
        }
        if checker.other_records.is_empty() {
            return checker.finish();
        }
        own_records.extend(checker.other_records);
    }
}

impl<'a> Checker<'a> {
    fn new(unit: &'a Parsed, map: &'a SourceMap, options: &CheckOptions) -> Self {
        let mut hir = Hir { types: Types::new(options.data_model), ..Hir::default() };
        let basic = Basic::new(&mut hir.types);
        Checker {
            hir,
            basic,
            integers: options.integers,
            unit,
            base: 0,
            map,
            externals: FxHashMap::default(),
            shared_records: FxHashMap::default(),
            reused_records: FxHashSet::default(),
            own_records: FxHashSet::default(),
            other_records: FxHashSet::default(),
            has_several_units: false,
            in_models: false,
            scopes: Vec::new(),
            function: None,
            length_of_type: None,
            aligns: FxHashMap::default(),
            realigned: FxHashSet::default(),
            flexible: FxHashMap::default(),
            runtime_lengths: FxHashMap::default(),
            row_lengths: FxHashMap::default(),
            aliases: Vec::new(),
            function_aliases: FxHashMap::default(),
            variable_aliases: FxHashMap::default(),
            weak_here: FxHashSet::default(),
            replaceable: FxHashSet::default(),
            problems: Vec::new(),
            filled: init::Filled::default(),
            in_static: false,
            unevaluated: 0,
            depth: 0,
        }
    }

    fn check_unit(&mut self, unit: &'a Parsed, base: u32) {
        self.unit = unit;
        self.base = base;
        self.scopes = vec![Scope::default()];
        self.weak_here.clear();
        for declaration in &unit.tree.0 {
            let result = match &declaration.node {
                ExternalDeclaration::Declaration(node) => self.file_declaration(&node.node),
                ExternalDeclaration::StaticAssert(node) => self.static_assert(&node.node),
                ExternalDeclaration::FunctionDefinition(node) => self.function_definition(&node.node),
            };
            self.report(result);
            if self.problems.len() >= MAX_DIAGNOSTICS {
                return;
            }
        }
        self.end_of_unit();
    }

    fn finish(mut self) -> Result<Hir, Vec<Problem>> {
        self.problems.retain(|p| !p.message().is_empty());
        if self.problems.is_empty() {
            self.resolve();
        }
        if self.problems.is_empty() { Ok(self.hir) } else { Err(self.problems) }
    }

    /// The value, or a note of what is wrong.
    fn report<T>(&mut self, result: Checked<T>) -> Option<T> {
        result.map_err(|problem| self.problems.push(problem)).ok()
    }

    /// The place of a node of the tree.
    fn at(&self, span: lang_c::span::Span) -> Span {
        let Span { start, end } = self.unit.span(span);
        Span { start: start + self.base, end: end + self.base }
    }

    fn types(&mut self) -> &mut Types {
        &mut self.hir.types
    }

    fn pointer_to(&mut self, ty: TypeId) -> TypeId {
        self.types().intern(Type::Pointer(ty))
    }

    fn name_of(&self, ty: TypeId) -> String {
        self.hir.types.name(ty)
    }

    /// Runs a step one level deeper, unless that is too deep.
    fn deeper<T>(&mut self, span: Span, step: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Problem::new(span, "nested too deeply"));
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    fn static_assert(&mut self, assertion: &StaticAssert) -> Checked<()> {
        let span = self.at(assertion.expression.span);
        let value = self.constant_or_open(&assertion.expression)?;
        // What is not modelled is left to the compiler.
        match value.unwrap_or(1) {
            0 => {
                let message = self.string_parts(&assertion.message.node, span)?;
                let text = message.readable();
                let said = if text.is_empty() { String::new() } else { format!(": {text}") };
                Err(Problem::new(span, format!("static assertion failed{said}")))
            }
            _ => Ok(()),
        }
    }
}
