//! Order of evaluation: where it matters, no order is taken for granted.
//!
//! Operands of most operators and arguments of a call are evaluated in any order (C11 6.5, 3; 6.5.2.2, 10), and gcc uses that.
//! For every such pair, what one operand writes is compared with what the other reads or writes, through calls by a summary of
//! the functions that may be called. Where they meet, the statement is unsupported. Inputs do not count: two inputs in one
//! expression may have any values in any order. Nor does the order in which an initialiser's list is evaluated, which gcc takes
//! as it is written unless designators go back, or that a call may not end.

use std::collections::{BTreeMap, BTreeSet};

use clinch_ir::Span;
use clinch_ir::cfa::Op;
use rustc_hash::FxHashMap;

use super::super::hir::{Call, Callee, Expr, ExprKind, FunctionId, Init, Place, PlaceKind, Stmt, Storage, VariableId};
use super::super::points_to::{Cell, Library, Residence, library, library_by_pointer, may_set_errno, residence};
use super::super::types::{Type, TypeId};
use super::Lowering;

/// What is said of a statement whose operands get in each other's way.
const MATTERS: &str = "a value that depends on the order of evaluation";
/// A copy of more cells is taken to touch all memory.
const MOST_CELLS: usize = 256;

/// Something that is read or written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Location {
    /// A variable that has no address.
    Variable(VariableId),
    /// A part of a variable in memory, in a region, accessed by the variable's name.
    Part(VariableId, usize),
    /// What a pointer points to, in a region.
    Region(usize),
    /// Any part of memory.
    Memory,
}

/// What evaluating an expression may do.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    reads: BTreeSet<Location>,
    writes: BTreeSet<Location>,
    /// What may have any value then: two expressions that forget the same have no order.
    forgets: BTreeSet<Location>,
    /// Variables written by the expression itself, not by a call.
    direct: BTreeSet<VariableId>,
    calls: BTreeSet<FunctionId>,
    /// It may reach an error.
    fails: bool,
    /// It may end the run in another way.
    stops: bool,
}

/// Summaries of all functions that can be called, once they are needed.
#[derive(Debug, Default)]
pub(super) struct Summaries {
    known: Option<BTreeMap<FunctionId, Effects>>,
    /// The function whose summary is made: its own variables end with it.
    of: Option<FunctionId>,
}

impl Effects {
    fn and(mut self, other: Effects) -> Self {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.forgets.extend(other.forgets);
        self.direct.extend(other.direct);
        self.calls.extend(other.calls);
        self.fails |= other.fails;
        self.stops |= other.stops;
        self
    }

    /// Whether the order of this and another one shows.
    fn conflicts(&self, other: &Effects) -> bool {
        let meets = |left: &Effects, right: &Effects| {
            let changed = left.writes.iter().chain(&left.forgets);
            changed.into_iter().any(|&w| touches(w, &right.reads) || touches(w, &right.writes))
        };
        meets(self, other) || meets(other, self) || self.fails && other.stops || self.stops && other.fails
    }

    fn is_harmless(&self) -> bool {
        self.writes.is_empty() && self.forgets.is_empty() && self.calls.is_empty() && !self.fails && !self.stops
    }
}

fn touches(location: Location, others: &BTreeSet<Location>) -> bool {
    others.iter().any(|&other| match (location, other) {
        (Location::Variable(_), _) | (_, Location::Variable(_)) => location == other,
        (Location::Part(..), Location::Part(..)) => location == other,
        (Location::Part(_, a) | Location::Region(a), Location::Part(_, b) | Location::Region(b)) => a == b,
        (Location::Memory, _) | (_, Location::Memory) => true,
    })
}

impl Lowering<'_> {
    /// Stops before an expression whose value, or effect, depends on the order of evaluation.
    pub(super) fn ordered(&mut self, e: &Expr) {
        if e.has_effects() && self.effects(e).1 {
            self.body.stop(Op::Unsupported(MATTERS.to_owned()), e.span);
        }
    }

    /// Stops before an initialiser whose parts depend on the order of evaluation.
    pub(super) fn ordered_init(&mut self, init: &Init, span: Span) {
        let mut matters = false;
        if init.items.iter().any(|item| item.value.has_effects()) {
            self.walk_init(init, &mut matters);
        }
        if matters {
            self.body.stop(Op::Unsupported(MATTERS.to_owned()), span);
        }
    }

    /// The effects of an expression, and whether the order of some of them matters.
    fn effects(&mut self, e: &Expr) -> (Effects, bool) {
        let mut matters = false;
        let effects = self.walk(e, &mut matters);
        (effects, matters)
    }

    fn walk(&mut self, e: &Expr, matters: &mut bool) -> Effects {
        match &e.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Extended(_)
            | ExprKind::Function(_)
            | ExprKind::Unsupported(_) => Effects::default(),
            ExprKind::Load(place) => {
                let mut effects = self.walk_place(place, matters);
                effects.reads.extend(self.locations(place));
                effects
            }
            ExprKind::AddressOf(place) => self.walk_place(place, matters),
            ExprKind::Unary(_, a) | ExprKind::Convert(a) => self.walk(a, matters),
            ExprKind::Binary(_, a, b)
            | ExprKind::Offset { pointer: a, index: b, .. }
            | ExprKind::Difference { left: a, right: b, .. } => {
                let operands = vec![self.walk(a, matters), self.walk(b, matters)];
                self.unsequenced(operands, matters)
            }
            ExprKind::LogicalAnd(a, b) | ExprKind::LogicalOr(a, b) | ExprKind::Comma(a, b) => {
                self.walk(a, matters).and(self.walk(b, matters))
            }
            ExprKind::Conditional(c, a, b) => {
                let mut effects = self.walk(c, matters).and(self.walk(b, matters));
                if let Some(a) = a {
                    effects = effects.and(self.walk(a, matters));
                }
                effects
            }
            ExprKind::Assign(place, value) => {
                let operands = vec![self.walk_place(place, matters), self.walk(value, matters)];
                *matters |= operands.iter().any(|o| self.writes_directly(o, place));
                let effects = self.unsequenced(operands, matters);
                self.written(effects, place)
            }
            ExprKind::Update(update) => {
                let mut target = self.walk_place(&update.place, matters);
                target.reads.extend(self.locations(&update.place));
                let operands = vec![target, self.walk(&update.operand, matters)];
                let effects = self.unsequenced(operands, matters);
                self.written(effects, &update.place)
            }
            ExprKind::Call(call) => self.walk_call(call, e, matters),
            ExprKind::Statements(body, value) => {
                let effects = self.walk_statements(body);
                match value {
                    Some(value) => effects.and(self.walk(value, matters)),
                    None => effects,
                }
            }
            ExprKind::InitThen(_, init, value) => self.walk_init(init, matters).and(self.walk(value, matters)),
        }
    }

    /// `x = x++`
    fn writes_directly(&self, operand: &Effects, place: &Place) -> bool {
        matches!(place.kind, PlaceKind::Variable(id) if operand.direct.contains(&id))
    }

    fn written(&mut self, mut effects: Effects, place: &Place) -> Effects {
        effects.writes.extend(self.locations(place));
        if let PlaceKind::Variable(id) = place.kind {
            effects.direct.insert(id);
        }
        effects
    }

    /// Evaluation of a place, without an access to it.
    fn walk_place(&mut self, place: &Place, matters: &mut bool) -> Effects {
        match &place.kind {
            PlaceKind::Variable(_) | PlaceKind::String(_) => Effects::default(),
            PlaceKind::Deref(e) | PlaceKind::Value(e) => self.walk(e, matters),
            PlaceKind::Field(inner, ..) => self.walk_place(inner, matters),
        }
    }

    fn walk_init(&mut self, init: &Init, matters: &mut bool) -> Effects {
        let parts: Vec<Effects> = init.items.iter().map(|item| self.walk(&item.value, matters)).collect();
        if init.items.is_sorted_by_key(|item| item.offset) {
            return parts.into_iter().fold(Effects::default(), Effects::and);
        }
        // Compilers go by the order of the members, or by that of the list.
        self.unsequenced(parts, matters)
    }

    fn walk_call(&mut self, call: &Call, e: &Expr, matters: &mut bool) -> Effects {
        let mut operands: Vec<Effects> = call.args.iter().map(|arg| self.walk(arg, matters)).collect();
        let callees = match &call.callee {
            Callee::Direct(function) => vec![*function],
            Callee::Indirect(pointer) => {
                operands.push(self.walk(pointer, matters));
                self.points.targets(e).to_vec()
            }
        };
        let mut effects = self.unsequenced(operands, matters);
        for callee in callees {
            let known = match call.callee {
                Callee::Direct(_) => library(self.hir, callee),
                Callee::Indirect(_) => library_by_pointer(self.hir, callee),
            };
            match known {
                Some(known) => effects = effects.and(self.library_effects(known, &call.args)),
                None => drop(effects.calls.insert(callee)),
            }
        }
        effects
    }

    /// What a known function does with what its arguments point to.
    fn library_effects(&mut self, known: Library, args: &[Expr]) -> Effects {
        let mut effects = Effects::default();
        match known {
            Library::Nondet => return effects,
            Library::Error { .. } | Library::Assert => effects.fails = true,
            Library::Abort | Library::Exit | Library::Assume | Library::Unreachable => effects.stops = true,
            _ => {}
        }
        if may_set_errno(known) {
            effects.forgets.extend(self.errno_locations());
        }
        let reads_only = matches!(
            known,
            Library::Memcmp
                | Library::Strlen
                | Library::Strcmp { .. }
                | Library::Strchr
                | Library::Printf { .. }
                | Library::Puts { .. }
                | Library::First
                | Library::Room
                | Library::Harmless(_)
                | Library::Error { .. }
        );
        for arg in args.iter().filter(|arg| self.hir.types.is_pointer(arg.ty)) {
            let locations = match self.points.pointee(arg) {
                Some(cell) => self.cells(cell, None),
                None => vec![Location::Memory],
            };
            if !reads_only {
                effects.writes.extend(&locations);
            }
            effects.reads.extend(locations);
        }
        effects
    }

    fn errno_locations(&mut self) -> Vec<Location> {
        let Some(errno) = self.errno() else { return Vec::new() };
        let ty = self.hir.variables[errno.0 as usize].ty;
        self.cell_of(errno).map_or_else(Vec::new, |cell| self.cells(cell, Some(ty)))
    }

    /// Everything that statements do, in whatever order.
    fn walk_statements(&mut self, body: &[Stmt]) -> Effects {
        let hir = self.hir;
        let mut effects = Effects::default();
        for statement in body {
            let (expressions, blocks): (Vec<&Expr>, Vec<&[Stmt]>) = match statement {
                Stmt::Expr(e) | Stmt::Return(Some(e), _) => (vec![e], Vec::new()),
                Stmt::Declare(_, Some(init), _) => (init.items.iter().map(|i| &i.value).collect(), Vec::new()),
                Stmt::Cleanup(call, _) => (vec![&hir.cleanups[*call]], Vec::new()),
                Stmt::Block(body) => (Vec::new(), vec![body]),
                Stmt::If(c, then, otherwise) => (vec![c], vec![then, otherwise]),
                Stmt::While(c, body) | Stmt::DoWhile(body, c) | Stmt::Switch(c, body) => (vec![c], vec![body]),
                Stmt::For { init, condition, step, body } => {
                    ([init, condition, step].into_iter().flatten().collect(), vec![body])
                }
                _ => (Vec::new(), Vec::new()),
            };
            for e in expressions {
                effects = effects.and(self.effects(e).0);
            }
            for block in blocks {
                effects = effects.and(self.walk_statements(block));
            }
        }
        effects
    }

    /// What an access to a place touches.
    fn locations(&mut self, place: &Place) -> Vec<Location> {
        let cells = |this: &mut Self| match this.points.place(place) {
            Some(cell) => this.cells(cell, Some(place.ty)),
            None => vec![Location::Memory],
        };
        match &named(place).kind {
            PlaceKind::String(_) | PlaceKind::Value(_) => Vec::new(),
            PlaceKind::Variable(id) if self.is_own(*id) => Vec::new(),
            PlaceKind::Variable(id) if !matches!(residence(self.hir, *id), Residence::Memory) => {
                vec![Location::Variable(*id)]
            }
            PlaceKind::Variable(id) => {
                let part = |location| match location {
                    Location::Region(region) => Location::Part(*id, region),
                    other => other,
                };
                cells(self).into_iter().map(part).collect()
            }
            _ => cells(self),
        }
    }

    /// Whether a variable belongs to the function whose summary is made.
    fn is_own(&self, id: VariableId) -> bool {
        match self.hir.variables[id.0 as usize].storage {
            Storage::Local(function) | Storage::Parameter(function) => self.order.of == Some(function),
            Storage::Static => false,
        }
    }

    /// The regions of a scalar, of a record, or of all that is behind a pointer.
    fn cells(&mut self, cell: Cell, ty: Option<TypeId>) -> Vec<Location> {
        let is_scalar = ty.is_some_and(|ty| !matches!(self.hir.types.get(ty), Type::Record(_) | Type::Array(..)));
        if is_scalar {
            return match self.points.region(cell) {
                Some(region) => vec![Location::Region(region.0)],
                None => vec![Location::Memory],
            };
        }
        let size = match ty {
            Some(ty) => self.hir.types.size(ty),
            None => self.points.extent(cell),
        };
        match size.map(|size| self.points.pieces(cell, size, MOST_CELLS)) {
            Some(Ok(pieces)) => pieces.into_iter().map(|p| Location::Region(p.region.0)).collect(),
            _ => vec![Location::Memory],
        }
    }

    /// Operands that are evaluated in any order.
    fn unsequenced(&mut self, operands: Vec<Effects>, matters: &mut bool) -> Effects {
        for (i, left) in operands.iter().enumerate() {
            for right in &operands[i + 1..] {
                if *matters || left.is_harmless() && right.is_harmless() {
                    continue;
                }
                *matters = match left.calls.is_empty() && right.calls.is_empty() {
                    true => left.conflicts(right),
                    false => {
                        let (left, right) = (self.with_calls(left), self.with_calls(right));
                        left.conflicts(&right)
                    }
                };
            }
        }
        operands.into_iter().fold(Effects::default(), Effects::and)
    }

    /// The effects with those of the functions that are called.
    fn with_calls(&mut self, effects: &Effects) -> Effects {
        if self.order.known.is_none() {
            // While summaries are made, calls are only collected.
            self.order.known = Some(BTreeMap::new());
            self.order.known = Some(self.summaries());
        }
        let mut all = effects.clone();
        for callee in &effects.calls {
            if let Some(summary) = self.order.known.as_ref().and_then(|known| known.get(callee)) {
                all = all.and(summary.clone());
            }
        }
        all
    }

    /// What each function does, those that it calls included.
    fn summaries(&mut self) -> BTreeMap<FunctionId, Effects> {
        let hir = self.hir;
        let functions = self.points.reached().to_vec();
        let mut own: FxHashMap<FunctionId, Effects> = FxHashMap::default();
        for &function in &functions {
            let body = hir.functions[function.0 as usize].body.as_deref().unwrap_or_default();
            self.order.of = Some(function);
            let mut effects = self.walk_statements(body);
            effects.direct.clear();
            let is_outside = |l: &Location| match l {
                Location::Variable(id) => hir.variables[id.0 as usize].storage == Storage::Static,
                _ => true,
            };
            effects.reads.retain(is_outside);
            effects.writes.retain(is_outside);
            own.insert(function, effects);
        }
        self.order.of = None;
        let closed = functions.iter().map(|&function| {
            let (mut seen, mut work) = (BTreeSet::from([function]), vec![function]);
            let mut all = Effects::default();
            while let Some(next) = work.pop() {
                let Some(effects) = own.get(&next) else { continue };
                work.extend(effects.calls.iter().filter(|&&callee| seen.insert(callee)));
                all = all.and(effects.clone());
            }
            (function, all)
        });
        closed.collect()
    }
}

/// The object that a place is a part of, as far as names, members and indices tell.
fn named(place: &Place) -> &Place {
    match &place.kind {
        PlaceKind::Field(inner, ..) => named(inner),
        PlaceKind::Deref(pointer) => {
            let start = match &pointer.kind {
                ExprKind::Offset { pointer, .. } => pointer,
                _ => pointer,
            };
            match &start.kind {
                ExprKind::AddressOf(inner) => named(inner),
                _ => place,
            }
        }
        _ => place,
    }
}
