//! Walks through typed programs.
//!
//! Whoever walks says what happens at an expression or a place, and goes on into its parts with `walk_expr`, `walk_place` or `walk_statement`;
//! by default that is all that happens. [`Visitor`] looks at the parts, [`MutVisitor`] changes them.

use super::hir::{Callee, Expr, ExprKind, Init, Place, PlaceKind, Stmt};

/// A walk through parts that are borrowed, or borrowed mutably.
macro_rules! visitor {
    ($(#[$doc:meta])* $Visitor:ident $(, $mutable:tt)?) => {
        $(#[$doc])*
        pub(super) trait $Visitor {
            fn expr(&mut self, e: &$($mutable)? Expr) {
                self.walk_expr(e);
            }

            /// A condition: all that matters of its value is whether it is zero.
            fn condition(&mut self, e: &$($mutable)? Expr) {
                self.expr(e);
            }

            /// An expression whose value nobody takes.
            fn effect(&mut self, e: &$($mutable)? Expr) {
                self.expr(e);
            }

            fn place(&mut self, place: &$($mutable)? Place) {
                self.walk_place(place);
            }

            fn walk_expr(&mut self, e: &$($mutable)? Expr) {
                match &$($mutable)? e.kind {
                    ExprKind::Int(_)
                    | ExprKind::Float(_)
                    | ExprKind::Extended(_)
                    | ExprKind::Function(_)
                    | ExprKind::Unsupported(_) => {}
                    ExprKind::Load(place) | ExprKind::AddressOf(place) => self.place(place),
                    ExprKind::Unary(_, a) | ExprKind::Convert(a) => self.expr(a),
                    ExprKind::LogicalAnd(a, b) | ExprKind::LogicalOr(a, b) => {
                        self.condition(a);
                        self.condition(b);
                    }
                    ExprKind::Comma(a, b) => {
                        self.effect(a);
                        self.expr(b);
                    }
                    ExprKind::Binary(_, a, b)
                    | ExprKind::Offset { pointer: a, index: b, .. }
                    | ExprKind::Difference { left: a, right: b, .. } => {
                        self.expr(a);
                        self.expr(b);
                    }
                    ExprKind::Conditional(c, a, b) => {
                        match a {
                            Some(a) => {
                                self.condition(c);
                                self.expr(a);
                            }
                            None => self.expr(c),
                        }
                        self.expr(b);
                    }
                    ExprKind::Assign(place, value) => {
                        self.place(place);
                        self.expr(value);
                    }
                    ExprKind::Update(update) => {
                        self.place(&$($mutable)? update.place);
                        self.expr(&$($mutable)? update.operand);
                    }
                    ExprKind::Call(call) => {
                        if let Callee::Indirect(pointer) = &$($mutable)? call.callee {
                            self.expr(pointer);
                        }
                        for arg in &$($mutable)? call.args {
                            self.expr(arg);
                        }
                    }
                    ExprKind::Statements(body, value) => {
                        self.statements(body);
                        if let Some(value) = value {
                            self.expr(value);
                        }
                    }
                    ExprKind::InitThen(_, init, value) => {
                        self.init(init);
                        self.expr(value);
                    }
                }
            }

            fn walk_place(&mut self, place: &$($mutable)? Place) {
                match &$($mutable)? place.kind {
                    PlaceKind::Variable(_) | PlaceKind::String(_) => {}
                    PlaceKind::Deref(e) | PlaceKind::Value(e) => self.expr(e),
                    PlaceKind::Field(inner, ..) => self.place(inner),
                }
            }

            fn init(&mut self, init: &$($mutable)? Init) {
                for item in &$($mutable)? init.items {
                    self.expr(&$($mutable)? item.value);
                }
            }

            fn statements(&mut self, body: &$($mutable)? [Stmt]) {
                for statement in body {
                    self.statement(statement);
                }
            }

            fn statement(&mut self, statement: &$($mutable)? Stmt) {
                self.walk_statement(statement);
            }

            fn walk_statement(&mut self, statement: &$($mutable)? Stmt) {
                match statement {
                    Stmt::Expr(e) => self.effect(e),
                    Stmt::Return(Some(e), _) => self.expr(e),
                    Stmt::Declare(_, Some(init), _) => self.init(init),
                    Stmt::Block(body) => self.statements(body),
                    Stmt::If(condition, then, otherwise) => {
                        self.condition(condition);
                        self.statements(then);
                        self.statements(otherwise);
                    }
                    Stmt::While(condition, body) | Stmt::DoWhile(body, condition) => {
                        self.condition(condition);
                        self.statements(body);
                    }
                    Stmt::Switch(operand, body) => {
                        self.expr(operand);
                        self.statements(body);
                    }
                    Stmt::For { init, condition, step, body } => {
                        if let Some(init) = init {
                            self.effect(init);
                        }
                        if let Some(condition) = condition {
                            self.condition(condition);
                        }
                        if let Some(step) = step {
                            self.effect(step);
                        }
                        self.statements(body);
                    }
                    Stmt::Assembly(outputs, inputs, _) => {
                        for place in outputs {
                            self.place(place);
                        }
                        for input in inputs {
                            self.expr(input);
                        }
                    }
                    _ => {}
                }
            }
        }
    };
}

visitor!(
    /// Looks at a program.
    Visitor
);
visitor!(
    /// Changes a program.
    MutVisitor, mut
);

/// Shows all expressions, each before its parts.
pub(super) struct Each<F: FnMut(&Expr)>(pub(super) F);

impl<F: FnMut(&Expr)> Visitor for Each<F> {
    fn expr(&mut self, e: &Expr) {
        (self.0)(e);
        self.walk_expr(e);
    }
}
