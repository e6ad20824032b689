//! `long double` on x86: 80 bits, more than a variable of the automaton has. Values become records of two words, and operations
//! on them calls of functions that the lowering knows (`lower/extended.rs`); so all that is said of records holds for them.

use clinch_ir::Span;
use clinch_terms::float::Format;
use clinch_terms::float::extended::{self, ExtendedOp};
use rustc_hash::FxHashMap;

use super::hir::{
    BinaryOp, Call, Callee, Expr, ExprKind, Function, FunctionId, Hir, Init, InitItem, Place, PlaceKind, Storage,
    UnaryOp, Update, UpdateOp, Variable, VariableId,
};
use super::models::PREFIX;
use super::points_to::extended_function;
use super::types::{DataModel, Field, Rank, Record, Type, TypeId};
use super::walk::MutVisitor;

/// Where the sign and the exponent are, behind the significand.
const EXPONENT_AT: u64 = 8;

/// Rewrites all values of type `long double`, and makes the type a record.
pub fn split_long_doubles(hir: &mut Hir) {
    let Some(extended) = hir.types.find(&Type::Float(80)) else { return };
    let int = hir.types.intern(Type::Int { rank: Rank::Int, signed: true });
    let word = hir.types.intern(Type::Int { rank: Rank::LongLong, signed: false });
    let half = hir.types.intern(Type::Int { rank: Rank::Short, signed: false });
    let mut rewriter = Rewriter { hir, extended, int, word, half, functions: FxHashMap::default(), current: None };
    rewriter.program();
    let record = rewriter.record();
    hir.types.make_extended(extended, record);
}

struct Rewriter<'h> {
    hir: &'h mut Hir,
    /// `long double`
    extended: TypeId,
    int: TypeId,
    /// Of the significand.
    word: TypeId,
    /// Of sign and exponent.
    half: TypeId,
    /// Those that are called, by what they do.
    functions: FxHashMap<&'static str, FunctionId>,
    /// The function whose body is at work.
    current: Option<FunctionId>,
}

fn unsupported(what: &str) -> ExprKind {
    ExprKind::Unsupported(format!("{what} of type `long double`"))
}

impl Rewriter<'_> {
    fn record(&self) -> Record {
        let types = &self.hir.types;
        let field =
            |name: &str, ty, offset| Field { name: name.to_owned(), ty, offset, bits: None, align: types.align(ty) };
        Record {
            name: "long double".to_owned(),
            is_union: false,
            complete: true,
            fields: vec![field("significand", self.word, 0), field("exponent", self.half, EXPONENT_AT)],
            size: types.size(self.extended).unwrap_or(16),
            align: if types.model == DataModel::Ilp32 { 4 } else { 16 },
            opaque: None,
            transparent: false,
            span: Span::default(),
        }
    }

    fn program(&mut self) {
        for i in 0..self.hir.functions.len() {
            if let Some(mut body) = self.hir.functions[i].body.take() {
                self.current = Some(FunctionId(i as u32));
                self.statements(&mut body);
                self.hir.functions[i].body = Some(body);
            }
        }
        self.current = None;
        for i in 0..self.hir.variables.len() {
            if let Some(mut init) = self.hir.variables[i].init.take() {
                self.static_init(&mut init);
                self.hir.variables[i].init = Some(init);
            }
            if let Some(mut length) = self.hir.variables[i].runtime_length.take() {
                self.expr(&mut length);
                self.hir.variables[i].runtime_length = Some(length);
            }
        }
        let mut cleanups = std::mem::take(&mut self.hir.cleanups);
        cleanups.iter_mut().for_each(|call| self.expr(call));
        self.hir.cleanups = cleanups;
    }

    /// What lives for the whole run is initialised with constants.
    fn static_init(&mut self, init: &mut Init) {
        for mut item in std::mem::take(&mut init.items) {
            if let Some(bits) = self.folded(&item.value) {
                for (offset, ty, value) in self.words(bits) {
                    let value = Expr { kind: ExprKind::Int(value), ty, span: item.value.span };
                    init.items.push(InitItem { offset: item.offset + offset, ty, bits: None, value });
                }
                continue;
            }
            self.expr(&mut item.value);
            init.items.push(item);
        }
    }

    /// The two words of a number, with their offsets and types.
    fn words(&self, bits: u128) -> [(u64, TypeId, i128); 2] {
        [(0, self.word, (bits as u64).into()), (EXPONENT_AT, self.half, (bits >> 64) as i128)]
    }

    /// The bits of a constant of type `long double`.
    fn folded(&self, e: &Expr) -> Option<u128> {
        match e.kind {
            ExprKind::Float(value) if e.ty == self.extended => Some(of_double(value)),
            ExprKind::Extended(bits) => Some(bits),
            _ => None,
        }
    }

    /// Whether nobody knows what bits a function returns.
    fn is_foreign(&self, callee: &Callee) -> bool {
        match callee {
            Callee::Direct(f) => {
                let function = &self.hir.functions[f.0 as usize];
                // The body at work is not in its place.
                let has_body = function.body.is_some() || self.current == Some(*f);
                !has_body && !function.name.starts_with(PREFIX) && extended_function(&function.name).is_none()
            }
            Callee::Indirect(_) => false,
        }
    }

    fn constant(&mut self, bits: u128, span: Span) -> ExprKind {
        let args = self.words(bits).map(|(_, ty, value)| Expr { kind: ExprKind::Int(value), ty, span });
        self.call("of", args.into())
    }

    fn compared_with_zero(&mut self, name: &'static str, a: Expr) -> ExprKind {
        let (kind, ty, span) = (self.constant(0, a.span), self.extended, a.span);
        self.call(name, vec![a, Expr { kind, ty, span }])
    }

    fn binary(&mut self, op: BinaryOp, a: Expr, b: Expr) -> ExprKind {
        let name = match op {
            BinaryOp::Add => "add",
            BinaryOp::Sub => "sub",
            BinaryOp::Mul => "mul",
            BinaryOp::Div => "div",
            BinaryOp::Eq => "eq",
            BinaryOp::Ne => "ne",
            BinaryOp::Lt => "lt",
            BinaryOp::Le => "le",
            BinaryOp::Gt => "gt",
            BinaryOp::Ge => "ge",
            _ => return unsupported("this operation on values"),
        };
        self.call(name, vec![a, b])
    }

    fn conversion(&mut self, a: Expr, to: TypeId) -> ExprKind {
        let is_plain = |ty: TypeId| match self.hir.types.get(ty) {
            Type::Bool | Type::Float(32 | 64) => true,
            Type::Int { rank, .. } => *rank != Rank::Int128,
            _ => false,
        };
        match self.hir.types.get(to) {
            _ if a.ty == to => ExprKind::Convert(Box::new(a)),
            Type::Void => ExprKind::Convert(Box::new(a)),
            Type::Bool if a.ty == self.extended => self.compared_with_zero("ne", a),
            _ if to == self.extended && is_plain(a.ty) => self.call("from", vec![a]),
            _ if a.ty == self.extended && is_plain(to) => self.call("to", vec![a]),
            _ => unsupported("this conversion of values"),
        }
    }

    fn is_extended_update(&self, update: &Update) -> bool {
        let at = match update.op {
            UpdateOp::Arithmetic(_, at) => at,
            UpdateOp::Pointer(_) => return false,
        };
        at == self.extended || update.place.ty == self.extended
    }

    /// `place op= operand` as an assignment; `place++` with a variable that keeps the value before.
    fn update(&mut self, update: Update, span: Span) -> ExprKind {
        let Update { place, op: UpdateOp::Arithmetic(op, at), operand, postfix } = update else {
            return unsupported("this update of values");
        };
        if place.has_effects() {
            return unsupported("an update of a place with effects");
        }
        let load = Expr { kind: ExprKind::Load(Box::new(place.clone())), ty: place.ty, span };
        if !postfix {
            return self.updated(place, (op, at), load, operand, span);
        }
        let Some(function) = self.current else { return unsupported("an update of values") };
        let ty = place.ty;
        let before = self.hidden(ty, function, span);
        let value = || {
            let place = Place { kind: PlaceKind::Variable(before), ty, span };
            Expr { kind: ExprKind::Load(Box::new(place)), ty, span }
        };
        let item = InitItem { offset: 0, ty, bits: None, value: load };
        let kind = self.updated(place, (op, at), value(), operand, span);
        let both = ExprKind::Comma(Box::new(Expr { kind, ty, span }), Box::new(value()));
        let init = Init { zero_fill: false, items: vec![item] };
        ExprKind::InitThen(before, Box::new(init), Box::new(Expr { kind: both, ty, span }))
    }

    fn updated(
        &mut self,
        place: Place,
        (op, at): (BinaryOp, TypeId),
        value: Expr,
        operand: Expr,
        span: Span,
    ) -> ExprKind {
        let ty = place.ty;
        let value = self.converted(value, at);
        let result = Expr { kind: self.binary(op, value, operand), ty: at, span };
        let result = self.converted(result, ty);
        ExprKind::Assign(Box::new(place), Box::new(result))
    }

    fn converted(&mut self, a: Expr, to: TypeId) -> Expr {
        if a.ty == to {
            return a;
        }
        let span = a.span;
        Expr { kind: self.conversion(a, to), ty: to, span }
    }

    fn hidden(&mut self, ty: TypeId, function: FunctionId, span: Span) -> VariableId {
        self.hir.variables.push(Variable {
            name: "before".to_owned(),
            ty,
            storage: Storage::Local(function),
            init: None,
            external: false,
            exported: false,
            at_file_scope: false,
            address_taken: false,
            runtime_length: None,
            align: None,
            weak: false,
            span,
        });
        VariableId(self.hir.variables.len() as u32 - 1)
    }

    fn call(&mut self, name: &'static str, args: Vec<Expr>) -> ExprKind {
        let function = self.function(name);
        ExprKind::Call(Box::new(Call { callee: Callee::Direct(function), args }))
    }

    /// The function that does this; the types of its arguments are those of the call.
    fn function(&mut self, name: &'static str) -> FunctionId {
        if let Some(&known) = self.functions.get(name) {
            return known;
        }
        let ty = Type::Function { result: self.extended, parameters: Vec::new(), variadic: false, unspecified: true };
        let ty = self.hir.types.intern(ty);
        self.hir.functions.push(Function {
            name: format!("{PREFIX}extended_{name}"),
            ty,
            parameters: Vec::new(),
            labels: Vec::new(),
            body: None,
            address_taken: false,
            is_model: false,
            is_system: false,
            exported: false,
            constructor: None,
            destructor: None,
            weak: false,
            unsupported: None,
            span: Span::default(),
        });
        let id = FunctionId(self.hir.functions.len() as u32 - 1);
        self.functions.insert(name, id);
        id
    }
}

impl MutVisitor for Rewriter<'_> {
    fn expr(&mut self, e: &mut Expr) {
        self.walk_expr(e);
        let (ty, span) = (e.ty, e.span);
        let extended = self.extended;
        e.kind = match std::mem::replace(&mut e.kind, ExprKind::Int(0)) {
            ExprKind::Float(value) if ty == extended => self.constant(of_double(value), span),
            ExprKind::Extended(bits) => self.constant(bits, span),
            ExprKind::Unary(UnaryOp::Neg, a) if ty == extended => self.call("neg", vec![*a]),
            ExprKind::Unary(UnaryOp::Not, a) if a.ty == extended => self.compared_with_zero("eq", *a),
            ExprKind::Binary(op, a, b) if a.ty == extended => self.binary(op, *a, *b),
            ExprKind::Convert(a) if ty == extended || a.ty == extended => self.conversion(*a, ty),
            ExprKind::Update(update) if self.is_extended_update(&update) => self.update(*update, span),
            ExprKind::Conditional(_, None, _) if ty == extended => unsupported("`?:` without its second part"),
            ExprKind::Call(call) if ty == extended && self.is_foreign(&call.callee) => {
                unsupported("a result of a function without body")
            }
            other => other,
        };
    }

    fn effect(&mut self, e: &mut Expr) {
        if let ExprKind::Update(update) = &mut e.kind
            && self.is_extended_update(update)
        {
            update.postfix = false;
        }
        self.expr(e);
    }

    fn condition(&mut self, e: &mut Expr) {
        self.expr(e);
        if e.ty == self.extended {
            let value = std::mem::replace(e, Expr { kind: ExprKind::Int(0), ty: self.int, span: e.span });
            e.kind = self.compared_with_zero("ne", value);
        }
    }
}

fn of_double(value: f64) -> u128 {
    extended::unary(ExtendedOp::FromFloat(Format::Double), 64, value.to_bits().into())
}
