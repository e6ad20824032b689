//! What each expression says about where values flow.

use super::super::hir::{
    BinaryOp, Call, Callee, Expr, ExprKind, FunctionId, Hir, Init, Place, PlaceKind, Stmt, UnaryOp, Update, UpdateOp,
    VariableId,
};
use super::super::types::{BitRange, DataModel, Type, TypeId, Types};
use super::constant;
use super::flow::{Flow, key, switch_key, update_key};
use super::graph::{Array, Cell, Step};
use super::layout::Val;
use super::observe::{Want, is_no_address, want};
use super::residence::{Residence, is_record, leaves, residence};
use super::{Analysis, used_as};

/// What is accessed at a place.
#[derive(Clone, Copy)]
struct Access<'n> {
    ty: TypeId,
    bits: Option<BitRange>,
    name: Option<&'n str>,
}

impl Access<'_> {
    fn of(ty: TypeId) -> Self {
        Access { ty, bits: None, name: None }
    }
}

/// A place, as far as the analysis is concerned.
enum Spot {
    /// In a variable that is not in memory, at an offset.
    Variable(VariableId, u64),
    /// In memory.
    Memory(Cell),
    /// In memory, behind a pointer, at an offset from where it points.
    Behind(Val, i64),
    /// In a value that is not in memory, at an offset; the type of the whole.
    Value(Flow, TypeId, u64),
}

impl Analysis<'_> {
    pub(super) fn body(&mut self, statements: &[Stmt], function: FunctionId) {
        for statement in statements {
            self.statement(statement, function);
        }
    }

    fn statement(&mut self, statement: &Stmt, function: FunctionId) {
        match statement {
            Stmt::Expr(e) => drop(self.expr(e)),
            Stmt::Declare(variable, init, _) => {
                if let Some(length) = &self.hir.variables[variable.0 as usize].runtime_length {
                    self.expr(length);
                }
                if let Some(init) = init {
                    self.init(*variable, init);
                }
            }
            Stmt::Cleanup(call, _) => drop(self.expr(&self.hir.cleanups[*call])),
            Stmt::Block(body) => self.body(body, function),
            Stmt::If(c, then, otherwise) => {
                self.expr(c);
                self.body(then, function);
                self.body(otherwise, function);
            }
            Stmt::While(c, body) | Stmt::DoWhile(body, c) => {
                self.expr(c);
                self.body(body, function);
            }
            Stmt::Switch(c, body) => {
                let flow = self.expr(c);
                self.observe_at(switch_key(c), Want::Bits, (c, &flow), None);
                self.body(body, function);
            }
            Stmt::For { init, condition, step, body } => {
                for e in [init, condition, step].into_iter().flatten() {
                    self.expr(e);
                }
                self.body(body, function);
            }
            Stmt::Return(Some(e), _) => {
                let flow = self.expr(e);
                let result = self.result(function);
                self.assign(&flow, &result);
            }
            _ => {}
        }
    }

    pub(super) fn init(&mut self, variable: VariableId, init: &Init) {
        for item in &init.items {
            let flow = self.expr(&item.value);
            let spot = match self.residence(variable) {
                Residence::Memory => Spot::Memory(self.variable(variable).plus(item.offset as i64)),
                _ => Spot::Variable(variable, item.offset),
            };
            self.write(spot, Access { bits: item.bits, ..Access::of(item.ty) }, &flow);
        }
    }

    /// Where the value of an expression is; notes what flows and what is accessed on the way.
    pub(super) fn expr(&mut self, e: &Expr) -> Flow {
        let flow = self.value_of(e);
        if let Flow::Scalar(value) = flow {
            self.view(value, e.ty);
        }
        flow
    }

    fn value_of(&mut self, e: &Expr) -> Flow {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Extended(_) | ExprKind::Unsupported(_) => Flow::Nothing,
            ExprKind::Load(place) => {
                let spot = self.place(place);
                let flow = self.read(spot, self.access(place, self.name_of(place).as_deref()));
                if let (Flow::Scalar(v), true) = (&flow, self.hir.types.is_pointer(e.ty)) {
                    self.graph.target(*v);
                }
                flow
            }
            ExprKind::AddressOf(place) => self.address_of(place),
            ExprKind::Function(f) => {
                let cell = self.function(*f);
                Flow::Scalar(self.graph.address(cell))
            }
            ExprKind::Unary(op, a) => {
                let flow = self.expr(a);
                if *op == UnaryOp::Not {
                    return Flow::Nothing;
                }
                self.observe(e, Want::Bits, (a, &flow), None);
                self.through(&[(flow, Step::Mangle)])
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, (a, b), e),
            ExprKind::Offset { pointer, index, size } => self.offset(pointer, index, *size, e),
            ExprKind::Difference { left, right, .. } => {
                let (l, r) = (self.expr(left), self.expr(right));
                self.observe(e, Want::Difference, (left, &l), Some((right, &r)));
                Flow::Nothing
            }
            ExprKind::LogicalAnd(a, b) | ExprKind::LogicalOr(a, b) => {
                self.expr(a);
                self.expr(b);
                Flow::Nothing
            }
            ExprKind::Conditional(c, a, b) => self.conditional(c, a.as_deref(), b, e.ty),
            ExprKind::Convert(a) => self.convert(a, e),
            ExprKind::Assign(place, value) => {
                let spot = self.place(place);
                let flow = self.expr(value);
                self.write(spot, self.access(place, self.name_of(place).as_deref()), &flow);
                flow
            }
            ExprKind::Update(update) => self.update(update),
            ExprKind::Call(call) => self.call(call, e),
            ExprKind::Comma(a, b) => {
                self.expr(a);
                self.expr(b)
            }
            ExprKind::Statements(body, value) => {
                self.body(body, self.current);
                value.as_ref().map_or(Flow::Nothing, |e| self.expr(e))
            }
            ExprKind::InitThen(variable, init, value) => {
                self.init(*variable, init);
                self.expr(value)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, (a, b): (&Expr, &Expr), e: &Expr) -> Flow {
        use BinaryOp::{Add, Eq, Ge, Gt, Le, Lt, Ne, Sub};
        let (constant_a, constant_b) = (self.constant(a), self.constant(b));
        let (x, y) = (self.expr(a), self.expr(b));
        if let (Eq | Ne, Flow::Scalar(left), Flow::Scalar(right)) = (op, &x, &y) {
            // Whoever compares them wants to know what they may point to.
            self.pointers.extend([(key(a), *left), (key(b), *right)]);
        }
        let is_comparison = matches!(op, Eq | Ne | Lt | Le | Gt | Ge);
        let signed_order = !matches!(op, Eq | Ne) && self.hir.types.is_signed(a.ty);
        let sign_known = self.hir.types.model == DataModel::Lp64 || !signed_order;
        let is_plain = |k: Option<i128>| sign_known && k.is_some_and(|k| is_no_address(self.hir, k));
        // Which of two pointers from outside is which does not depend on where our objects are.
        let pointers = matches!(op, Eq | Ne) && self.hir.types.is_pointer(a.ty);
        if !(is_comparison && (is_plain(constant_a) || is_plain(constant_b))) {
            let want = if pointers { Want::Identity } else { want(op) };
            self.observe(e, want, (a, &x), Some((b, &y)));
        }
        let bits = self.hir.types.model.pointer_bits();
        let by = |k: i128| Step::Const(constant::as_distance(k, bits));
        match (op, constant_a, constant_b) {
            _ if is_comparison => Flow::Nothing,
            (Add, _, Some(k)) => self.through(&[(x, by(k))]),
            (Add, Some(k), _) => self.through(&[(y, by(k))]),
            (Sub, _, Some(k)) => self.through(&[(x, by(-k))]),
            _ => self.through(&[(x, Step::Mangle), (y, Step::Mangle)]),
        }
    }

    fn offset(&mut self, pointer: &Expr, index: &Expr, size: u64, e: &Expr) -> Flow {
        let array = checked_array(self.hir, pointer, index);
        let step = array.map_or_else(|| self.pointer_step(index, size), Step::Index);
        let p = self.expr(pointer);
        let i = self.expr(index);
        // The offset of a member is a number, though it may be written with a null pointer.
        let i = if self.constant(index).is_some() { Flow::Nothing } else { i };
        if let (Some(array), Flow::Scalar(start)) = (array, &p) {
            self.indexed.push((key(e), *start, array));
        }
        self.observe(e, Want::Sum, (pointer, &p), Some((index, &i)));
        self.through(&[(p, step), (i, Step::Mangle)])
    }

    fn pointer_step(&self, index: &Expr, size: u64) -> Step {
        let size = size as i64;
        match self.constant(index) {
            Some(k) => {
                let bits = self.hir.types.model.pointer_bits();
                Step::Const(constant::as_distance(k.saturating_mul(size.into()), bits))
            }
            None => Step::Slide(size),
        }
    }

    fn conditional(&mut self, c: &Expr, a: Option<&Expr>, b: &Expr, ty: TypeId) -> Flow {
        let c = self.expr(c);
        let a = a.map_or(c, |a| self.expr(a));
        let b = self.expr(b);
        if is_record(&self.hir.types, ty) {
            let result = self.shape(ty, "conditional");
            self.assign(&a, &result);
            self.assign(&b, &result);
            return result;
        }
        self.through(&[(a, Step::Copy), (b, Step::Copy)])
    }

    fn convert(&mut self, a: &Expr, e: &Expr) -> Flow {
        let types = &self.hir.types;
        let is_float = |ty| matches!(types.get(ty), Type::Float(_));
        let nothing = matches!(types.get(e.ty), Type::Bool | Type::Void);
        let narrower = types.scalar_bits(e.ty) < types.scalar_bits(a.ty);
        let other_bits = narrower || is_float(e.ty) != is_float(a.ty);
        self.sees_float_bits |= self.looks_into_floats(a.ty, e.ty);
        let flow = self.expr(a);
        match other_bits {
            _ if nothing => Flow::Nothing,
            true => {
                self.observe(e, Want::Bits, (a, &flow), None);
                self.through(&[(flow, Step::Mangle)])
            }
            false => flow,
        }
    }

    /// Whether a conversion makes a pointer to floats one to something else, or the other way round.
    fn looks_into_floats(&self, from: TypeId, to: TypeId) -> bool {
        let types = &self.hir.types;
        match (types.get(from), types.get(to)) {
            (&Type::Pointer(from), &Type::Pointer(to)) => {
                from != to && (has_float(types, from) || has_float(types, to))
            }
            (&Type::Pointer(from), Type::Int { .. }) => has_float(types, from),
            (Type::Int { .. }, &Type::Pointer(to)) => has_float(types, to),
            _ => false,
        }
    }

    fn update(&mut self, update: &Update) -> Flow {
        let spot = self.place(&update.place);
        let name = self.name_of(&update.place);
        let access = self.access(&update.place, name.as_deref());
        let old = self.read(shifted(&spot, 0), access);
        let step = match update.op {
            UpdateOp::Pointer(size) => self.pointer_step(&update.operand, size),
            UpdateOp::Arithmetic(..) => Step::Mangle,
        };
        let operand = self.expr(&update.operand);
        if let UpdateOp::Arithmetic(op, _) = update.op {
            let sides = (update.place.ty, &old, &update.operand, &operand);
            self.observe_update(update_key(update), want(op), sides);
        }
        let new = self.through(&[(old.clone(), step), (operand, Step::Mangle)]);
        self.write(spot, access, &new);
        if update.postfix { old } else { new }
    }

    fn call(&mut self, call: &Call, e: &Expr) -> Flow {
        let args: Vec<Flow> = call
            .args
            .iter()
            .map(|arg| {
                let flow = self.expr(arg);
                if let Flow::Scalar(v) = flow {
                    self.pointers.insert(key(arg), v);
                }
                if let Flow::Object(cell) = flow {
                    self.objects.insert(key(arg), cell);
                }
                flow
            })
            .collect();
        match &call.callee {
            Callee::Direct(f) => self.apply(*f, &args, call, e),
            Callee::Indirect(pointer) => {
                let Flow::Scalar(v) = self.expr(pointer) else { return Flow::Nothing };
                self.graph.target(v);
                let result = self.shape(e.ty, "result");
                self.sites.push(super::Site::new(e, self.current, v, args, result.clone()));
                result
            }
        }
    }

    /// Several values flow into one.
    pub(super) fn through(&mut self, sources: &[(Flow, Step)]) -> Flow {
        let mut result = None;
        for (flow, step) in sources {
            if let Flow::Scalar(v) = flow {
                let result = *result.get_or_insert_with(|| self.graph.value());
                self.graph.edge(*v, result, *step);
            }
        }
        result.map_or(Flow::Nothing, Flow::Scalar)
    }

    fn address_of(&mut self, place: &Place) -> Flow {
        let spot = self.place(place);
        let Some(cell) = self.cell(&spot) else { return Flow::Nothing };
        if let Some(array) = array_of(self.hir, place.ty) {
            let bytes = array.length.map(|n| n.saturating_mul(array.element));
            self.graph.add_array(cell, bytes, array.element);
        }
        match spot {
            Spot::Behind(pointer, 0) => Flow::Scalar(pointer),
            Spot::Behind(pointer, bytes) => self.through(&[(Flow::Scalar(pointer), Step::Const(bytes))]),
            _ => Flow::Scalar(self.graph.address(cell)),
        }
    }

    /// Where a place in memory is.
    fn cell(&mut self, spot: &Spot) -> Option<Cell> {
        match spot {
            Spot::Memory(cell) => Some(*cell),
            Spot::Behind(pointer, offset) => Some(self.graph.target(*pointer).plus(*offset)),
            _ => None,
        }
    }

    fn place(&mut self, place: &Place) -> Spot {
        match &place.kind {
            PlaceKind::Variable(v) => match self.residence(*v) {
                Residence::Memory => Spot::Memory(self.variable(*v)),
                _ => Spot::Variable(*v, 0),
            },
            PlaceKind::Deref(pointer) => {
                let value = match self.expr(pointer) {
                    Flow::Scalar(v) => v,
                    _ => self.graph.value(),
                };
                self.pointers.insert(key(pointer), value);
                self.dereferenced.push((value, used_as(&self.hir.types, place.ty)));
                self.graph.target(value);
                Spot::Behind(value, 0)
            }
            PlaceKind::Field(inner, record, i) => {
                let of = self.hir.types.record(*record);
                let offset = of.fields[*i].offset;
                self.sees_float_bits |= of.is_union && of.fields.iter().any(|f| has_float(&self.hir.types, f.ty));
                match self.place(inner) {
                    Spot::Variable(v, o) => Spot::Variable(v, o + offset),
                    Spot::Memory(cell) => Spot::Memory(cell.plus(offset as i64)),
                    Spot::Behind(v, o) => Spot::Behind(v, o + offset as i64),
                    Spot::Value(flow, ty, o) => Spot::Value(flow, ty, o + offset),
                }
            }
            PlaceKind::String(i) => Spot::Memory(self.string(*i)),
            PlaceKind::Value(e) => match self.expr(e) {
                Flow::Object(cell) => Spot::Memory(cell),
                flow => Spot::Value(flow, e.ty, 0),
            },
        }
    }

    fn name_of(&self, place: &Place) -> Option<String> {
        match &place.kind {
            PlaceKind::Field(_, record, i) => {
                let record = self.hir.types.record(*record);
                Some(format!("{}.{}", record.name, record.fields[*i].name))
            }
            _ => None,
        }
    }

    fn access<'n>(&self, place: &Place, name: Option<&'n str>) -> Access<'n> {
        let bits = match place.kind {
            PlaceKind::Field(_, record, i) => self.hir.types.record(record).fields[i].bits,
            _ => None,
        };
        Access { ty: place.ty, bits, name }
    }

    /// The value at a place.
    fn read(&mut self, spot: Spot, access: Access<'_>) -> Flow {
        if !is_record(&self.hir.types, access.ty) {
            return self.scalar_at(&spot, access).map_or(Flow::Nothing, Flow::Scalar);
        }
        match (leaves(&self.hir.types, access.ty), self.cell(&spot)) {
            (Some(leaves), _) => {
                let read = leaves.iter().map(|leaf| {
                    let spot = shifted(&spot, leaf.offset);
                    self.scalar_at(&spot, Access::of(leaf.ty))
                });
                Flow::Leaves(read.collect())
            }
            (None, Some(cell)) => Flow::Object(cell),
            (None, None) => Flow::Nothing,
        }
    }

    /// The scalar at a place; notes the access.
    fn scalar_at(&mut self, spot: &Spot, access: Access<'_>) -> Option<Val> {
        match spot {
            Spot::Variable(v, offset) => Some(self.scalar(*v, *offset)),
            Spot::Memory(_) | Spot::Behind(..) => {
                let (cell, size) = (self.cell(spot)?, self.hir.types.size(access.ty)?);
                let width = access.bits.map_or(size, |bits| bits.unit.into());
                // No machine has integers of three bytes.
                let bytes = access.bits.is_some() && !matches!(width, 1 | 2 | 4 | 8);
                Some(self.graph.access(cell, width as i64, bytes, access.name))
            }
            Spot::Value(Flow::Leaves(values), whole, offset) => {
                let leaves = leaves(&self.hir.types, *whole)?;
                leaves.iter().position(|l| l.offset == *offset).and_then(|i| values.get(i).copied().flatten())
            }
            Spot::Value(..) => None,
        }
    }

    fn write(&mut self, spot: Spot, access: Access<'_>, flow: &Flow) {
        if let (Flow::Object(source), Some(cell)) = (flow, self.cell(&spot)) {
            self.graph.unify(*source, cell);
            return;
        }
        let target = self.read(spot, access);
        self.assign(flow, &target);
    }

    /// One value flows into another of the same type.
    pub(super) fn assign(&mut self, from: &Flow, to: &Flow) {
        match (from, to) {
            (Flow::Scalar(a), Flow::Scalar(b)) => self.graph.edge(*a, *b, Step::Copy),
            (Flow::Leaves(a), Flow::Leaves(b)) => {
                for (a, b) in a.iter().zip(b) {
                    if let (Some(a), Some(b)) = (a, b) {
                        self.graph.edge(*a, *b, Step::Copy);
                    }
                }
            }
            (Flow::Object(a), Flow::Object(b)) => self.graph.unify(*a, *b),
            _ => {}
        }
    }

    fn constant(&self, e: &Expr) -> Option<i128> {
        constant::constant(self.hir, e)
    }
}

fn shifted(spot: &Spot, by: u64) -> Spot {
    match spot {
        Spot::Variable(v, o) => Spot::Variable(*v, o + by),
        Spot::Memory(cell) => Spot::Memory(cell.plus(by as i64)),
        Spot::Behind(v, o) => Spot::Behind(*v, o + by as i64),
        Spot::Value(flow, ty, o) => Spot::Value(flow.clone(), *ty, o + by),
    }
}

/// The array that a type is. One without elements, as old code has at the end of records, has any number of them.
fn array_of(hir: &Hir, ty: TypeId) -> Option<Array> {
    let Type::Array(of, length) = *hir.types.get(ty) else { return None };
    let element = i64::try_from(hir.types.size(of)?).ok().filter(|&size| size > 0)?;
    let length = length.filter(|&n| n > 0).map(|n| i64::try_from(n).unwrap_or(i64::MAX));
    Some(Array { element, length, index_in_memory: false })
}

/// The array whose element `pointer + index` is, where that can be checked when the program runs: an array inside of a record
/// is indexed by its name with something that is not constant. All other arithmetic may lead anywhere in the object.
fn checked_array(hir: &Hir, pointer: &Expr, index: &Expr) -> Option<Array> {
    let ExprKind::AddressOf(place) = &pointer.kind else { return None };
    let array = Array { index_in_memory: reads_memory(hir, index), ..usable_array(hir, place)? };
    (is_in_record(hir, place) && constant::constant(hir, index).is_none()).then_some(array)
}

/// The array at a place. Old code has one element where C has none now.
fn usable_array(hir: &Hir, place: &Place) -> Option<Array> {
    let array = array_of(hir, place.ty)?;
    Some(if ends_record(hir, place) && array.length == Some(1) { Array { length: None, ..array } } else { array })
}

/// How many elements the array has that `pointer + index` is an element of, if it is a part of an object: a member, or an element of
/// another array. That a whole object is not left needs no index.
pub(crate) fn length_of_part(hir: &Hir, e: &Expr) -> Option<i64> {
    let array = indexed(e)?;
    let is_part = matches!(array.kind, PlaceKind::Field(..) | PlaceKind::Deref(_));
    if is_part { usable_array(hir, array)?.length } else { None }
}

/// Whether `pointer + index` is an element of an array that is part of a record.
pub(crate) fn is_element_of_record(hir: &Hir, e: &Expr) -> bool {
    indexed(e).is_some_and(|array| is_in_record(hir, array))
}

/// The array that is indexed by its name.
fn indexed(e: &Expr) -> Option<&Place> {
    let ExprKind::Offset { pointer, .. } = &e.kind else { return None };
    let ExprKind::AddressOf(place) = &pointer.kind else { return None };
    Some(place)
}

/// Whether a place is the last member of a record that a pointer leads to.
fn ends_record(hir: &Hir, place: &Place) -> bool {
    let PlaceKind::Field(record, id, index) = &place.kind else { return false };
    let known = hir.types.record(*id);
    matches!(record.kind, PlaceKind::Deref(_)) && !known.is_union && index + 1 == known.fields.len()
}

/// Whether an expression reads memory, as far as one can see without looking into calls.
fn reads_memory(hir: &Hir, e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Load(place) => !is_variable(hir, place),
        ExprKind::Unary(_, a) | ExprKind::Convert(a) => reads_memory(hir, a),
        ExprKind::Binary(_, a, b) | ExprKind::Comma(a, b) => reads_memory(hir, a) || reads_memory(hir, b),
        ExprKind::Conditional(_, a, b) => a.as_ref().is_some_and(|a| reads_memory(hir, a)) || reads_memory(hir, b),
        ExprKind::Update(update) => !is_variable(hir, &update.place),
        ExprKind::Assign(_, value) => reads_memory(hir, value),
        _ => false,
    }
}

/// Whether a place is a variable that does not live in memory, or a part of one.
fn is_variable(hir: &Hir, place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Variable(v) => !matches!(residence(hir, *v), Residence::Memory),
        PlaceKind::Field(inner, ..) => is_variable(hir, inner),
        _ => false,
    }
}

/// Whether an array is a member of a record, or an element of an array that is.
fn is_in_record(hir: &Hir, place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Field(..) => true,
        PlaceKind::Deref(pointer) => match &pointer.kind {
            ExprKind::Offset { pointer, .. } => match &pointer.kind {
                ExprKind::AddressOf(outer) => array_of(hir, outer.ty).is_some() && is_in_record(hir, outer),
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

/// Whether a part of a type is a float.
fn has_float(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        _ if types.is_extended(ty) || matches!(types.get(ty), Type::Float(_)) => true,
        Type::Array(element, _) => has_float(types, *element),
        Type::Record(record) => types.record(*record).fields.iter().any(|f| has_float(types, f.ty)),
        _ => false,
    }
}
