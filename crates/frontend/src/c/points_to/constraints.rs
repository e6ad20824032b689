//! What each expression says about where values flow.

use super::super::hir::{
    Call, Callee, Expr, ExprKind, FunctionId, Init, Place, PlaceKind, Stmt, UnaryOp, Update, UpdateOp, VariableId,
};
use super::super::types::{Type, TypeId};
use super::Analysis;
use super::constant;
use super::graph::{Cell, Step, Val};
use super::residence::{Residence, is_record, leaves};

/// Where the value of an expression is.
#[derive(Clone, Debug)]
pub(crate) enum Flow {
    /// Nowhere: no address flows.
    Nothing,
    /// A scalar.
    Scalar(Val),
    /// A record, as its scalars.
    Leaves(Vec<Option<Val>>),
    /// A record in memory.
    Object(Cell),
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
            Stmt::Block(body) => self.body(body, function),
            Stmt::If(c, then, otherwise) => {
                self.expr(c);
                self.body(then, function);
                self.body(otherwise, function);
            }
            Stmt::While(c, body) | Stmt::DoWhile(body, c) | Stmt::Switch(c, body) => {
                self.expr(c);
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
            self.write(spot, item.ty, &flow, None);
        }
    }

    /// Where the value of an expression is; notes what flows and what is accessed on the way.
    pub(super) fn expr(&mut self, e: &Expr) -> Flow {
        match &e.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Unsupported(_) => Flow::Nothing,
            ExprKind::Load(place) => {
                let spot = self.place(place);
                let flow = self.read(spot, place.ty, self.name_of(place).as_deref());
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
                let a = self.expr(a);
                if *op == UnaryOp::Not { Flow::Nothing } else { self.through(&[(a, Step::Mangle)]) }
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Offset { pointer, index, size } => self.offset(pointer, index, *size),
            ExprKind::Difference { left, right, .. } => {
                self.expr(left);
                self.expr(right);
                Flow::Nothing
            }
            ExprKind::LogicalAnd(a, b) | ExprKind::LogicalOr(a, b) => {
                self.expr(a);
                self.expr(b);
                Flow::Nothing
            }
            ExprKind::Conditional(c, a, b) => self.conditional(c, a.as_deref(), b, e.ty),
            ExprKind::Convert(a) => self.convert(a, e.ty),
            ExprKind::Assign(place, value) => {
                let spot = self.place(place);
                let flow = self.expr(value);
                self.write(spot, place.ty, &flow, self.name_of(place).as_deref());
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

    fn binary(&mut self, op: super::super::hir::BinaryOp, a: &Expr, b: &Expr) -> Flow {
        use super::super::hir::BinaryOp::{Add, Eq, Ge, Gt, Le, Lt, Ne, Sub};
        let (constant_a, constant_b) = (self.constant(a), self.constant(b));
        let keys = (key(a), key(b));
        let (a, b) = (self.expr(a), self.expr(b));
        if let (Eq | Ne, Flow::Scalar(left), Flow::Scalar(right)) = (op, &a, &b) {
            // Whoever compares them wants to know what they may point to.
            self.pointers.extend([(keys.0, *left), (keys.1, *right)]);
        }
        let bits = self.hir.types.model.pointer_bits();
        let by = |k: i128| Step::Const(constant::as_distance(k, bits));
        match (op, constant_a, constant_b) {
            (Eq | Ne | Lt | Le | Gt | Ge, ..) => Flow::Nothing,
            (Add, _, Some(k)) => self.through(&[(a, by(k))]),
            (Add, Some(k), _) => self.through(&[(b, by(k))]),
            (Sub, _, Some(k)) => self.through(&[(a, by(-k))]),
            _ => self.through(&[(a, Step::Mangle), (b, Step::Mangle)]),
        }
    }

    fn offset(&mut self, pointer: &Expr, index: &Expr, size: u64) -> Flow {
        let step = self.pointer_step(index, size);
        let p = self.expr(pointer);
        let i = self.expr(index);
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

    fn convert(&mut self, a: &Expr, ty: TypeId) -> Flow {
        let types = &self.hir.types;
        let (from, to) = (types.scalar_bits(a.ty), types.scalar_bits(ty));
        let opaque = |ty| matches!(types.get(ty), Type::Float(_));
        let nothing = opaque(ty) || opaque(a.ty) || matches!(types.get(ty), Type::Bool | Type::Void);
        let flow = self.expr(a);
        match (from, to) {
            _ if nothing => Flow::Nothing,
            (Some(from), Some(to)) if to < from => self.through(&[(flow, Step::Mangle)]),
            _ => flow,
        }
    }

    fn update(&mut self, update: &Update) -> Flow {
        let spot = self.place(&update.place);
        let name = self.name_of(&update.place);
        let old = self.read(shifted(&spot, 0), update.place.ty, name.as_deref());
        let step = match update.op {
            UpdateOp::Pointer(size) => self.pointer_step(&update.operand, size),
            UpdateOp::Arithmetic(..) => Step::Mangle,
        };
        let operand = self.expr(&update.operand);
        let new = self.through(&[(old.clone(), step), (operand, Step::Mangle)]);
        self.write(spot, update.place.ty, &new, name.as_deref());
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
        let Some(mut cell) = self.cell(&spot) else { return Flow::Nothing };
        let mut element = 0;
        if let Type::Array(of, length) = *self.hir.types.get(place.ty) {
            element = self.hir.types.size(of).unwrap_or(1) as i64;
            let bytes = length.filter(|&n| n > 0).map(|n| (n as i64).saturating_mul(element));
            self.graph.add_array(cell, bytes, element);
        }
        match spot {
            Spot::Behind(pointer, 0) if element == 0 && matches!(place.kind, PlaceKind::Deref(_)) => {
                Flow::Scalar(pointer)
            }
            Spot::Behind(pointer, bytes) => self.through(&[(Flow::Scalar(pointer), Step::Member { bytes, element })]),
            _ => {
                cell.element = element;
                Flow::Scalar(self.graph.address(cell))
            }
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
                self.graph.target(value);
                Spot::Behind(value, 0)
            }
            PlaceKind::Field(inner, record, i) => {
                let offset = self.hir.types.record(*record).fields[*i].offset;
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

    /// The value at a place of a type.
    fn read(&mut self, spot: Spot, ty: TypeId, name: Option<&str>) -> Flow {
        if !is_record(&self.hir.types, ty) {
            return self.scalar_at(&spot, ty, name).map_or(Flow::Nothing, Flow::Scalar);
        }
        match (leaves(&self.hir.types, ty), self.cell(&spot)) {
            (Some(leaves), _) => {
                let read = leaves.iter().map(|leaf| {
                    let spot = shifted(&spot, leaf.offset);
                    self.scalar_at(&spot, leaf.ty, None)
                });
                Flow::Leaves(read.collect())
            }
            (None, Some(cell)) => Flow::Object(cell),
            (None, None) => Flow::Nothing,
        }
    }

    /// The scalar at a place; notes the access.
    fn scalar_at(&mut self, spot: &Spot, ty: TypeId, name: Option<&str>) -> Option<Val> {
        match spot {
            Spot::Variable(v, offset) => Some(self.scalar(*v, *offset)),
            Spot::Memory(_) | Spot::Behind(..) => {
                let (cell, width) = (self.cell(spot)?, self.hir.types.size(ty)? as i64);
                Some(self.graph.access(cell, width, false, name))
            }
            Spot::Value(Flow::Leaves(values), whole, offset) => {
                let leaves = leaves(&self.hir.types, *whole)?;
                leaves.iter().position(|l| l.offset == *offset).and_then(|i| values.get(i).copied().flatten())
            }
            Spot::Value(..) => None,
        }
    }

    fn write(&mut self, spot: Spot, ty: TypeId, flow: &Flow, name: Option<&str>) {
        if let (Flow::Object(source), Some(cell)) = (flow, self.cell(&spot)) {
            self.graph.unify(*source, cell);
            return;
        }
        let target = self.read(spot, ty, name);
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

/// Expressions are known by where they are stored: the program does not change while it is analysed.
pub(crate) fn key(e: &Expr) -> usize {
    std::ptr::from_ref(e).addr()
}
