//! Functions that are known by name.

use clinch_ir::Span;
use clinch_ir::cfa::{AllocKind, InputKind, Op, Print};
use clinch_terms::{BinOp, Term};

use super::super::control::Branching;
use super::super::hir::{BinaryOp, Call, Expr, FunctionId};
use super::super::points_to::{Library, key};
use super::super::types::Type;
use super::Lowering;
use super::blocks::Filling;
use super::place::Lvalue;
use super::values::Value;

impl Lowering<'_> {
    /// A call by name.
    pub(super) fn library(&mut self, known: Library, f: FunctionId, call: &Call, e: &Expr) -> Value {
        if known == Library::Assume && self.hir.functions[f.0 as usize].name == "assume" {
            self.assume("`assume` has no body: runs go on where its argument holds".to_owned());
        }
        if let (Library::Assume | Library::Assert, Some(condition)) = (known, call.args.first()) {
            let (good, bad) = (self.body.fresh(), self.body.fresh());
            self.branch(condition, good, bad);
            self.body.at(bad);
            if known == Library::Assert {
                let what = format!("assertion {}", self.source.excerpt(condition.span));
                self.fail(what, e.span);
            }
            self.body.at(good);
            return self.void_result(e);
        }
        let args = self.arguments(&call.args);
        self.library_with(known, f, &args, call, e)
    }

    /// A call with evaluated arguments.
    pub(super) fn library_with(
        &mut self,
        known: Library,
        f: FunctionId,
        args: &[Value],
        call: &Call,
        e: &Expr,
    ) -> Value {
        let name = self.hir.functions[f.0 as usize].name.clone();
        let span = e.span;
        match known {
            Library::Nondet => return self.any_value(e, &InputKind::Nondet(name)),
            Library::Opaque => return self.any_value(e, &InputKind::Opaque(format!("the result of `{name}`"))),
            Library::Assume => self.go_on_if(args, None, span),
            Library::Assert => {
                let failure = self.assertion_failure(format!("assertion {name}"));
                self.go_on_if(args, Some(failure), span);
            }
            Library::Error { text } => {
                let text = if text { call.args.first().and_then(|a| self.literal(a)) } else { None };
                let what = text.map_or(name, |t| format!("assertion {}", String::from_utf8_lossy(&t)));
                self.fail(what, span);
            }
            Library::Exit => {
                let status = self.scalar_arg(args, 0);
                self.exit(status, span);
            }
            Library::Harmless(results) => return self.harmless(results, name, e),
            Library::Any => {
                let caller = self.caller(name);
                return self.any_value(e, &InputKind::Extern(caller));
            }
            Library::ForgetErrno => {
                let caller = self.caller(name);
                self.forget_errno(&caller, span);
            }
            Library::AssumeThat => {
                let text = self.text_of(call);
                self.assume(text);
            }
            Library::Room => return self.room(args, e),
            Library::Nothing => {}
            _ => match self.end_of_run(known, &name, args, call) {
                Some(end) => self.body.stop(end, span),
                None => return self.library_value(known, args, call, e),
            },
        }
        self.void_result(e)
    }

    /// What a run does last in a function that does not return.
    fn end_of_run(&mut self, known: Library, name: &str, args: &[Value], call: &Call) -> Option<Op> {
        Some(match known {
            Library::Abort => Op::Abort,
            Library::ExitAtOnce => Op::Exit(self.scalar_arg(args, 0)),
            Library::Unreachable => Op::Undefined("__builtin_unreachable was reached".to_owned()),
            Library::Stop => Op::Unsupported(self.text_of(call)),
            Library::NotModelled => {
                Op::Unsupported(format!("call of `{name}`, a library function that is not modelled"))
            }
            Library::Unsupported(what) => Op::Unsupported(format!("{what} (`{name}`)")),
            _ => return None,
        })
    }

    /// The text that a model passes as the first argument.
    fn text_of(&self, call: &Call) -> String {
        let text = call.args.first().and_then(|a| self.literal(a)).unwrap_or_default();
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The model that calls a function.
    fn caller(&self, function: String) -> String {
        self.body.function.map_or(function, |f| self.hir.functions[f.0 as usize].name.clone())
    }

    /// Goes on only where the argument is not zero; elsewhere the run ends, with an operation if there is one.
    fn go_on_if(&mut self, args: &[Value], otherwise: Option<Op>, span: Span) {
        let condition = self.scalar_arg(args, 0);
        let condition = self.nonzero(condition);
        let (good, bad) = (self.body.fresh(), self.body.fresh());
        self.branch_on(condition, good, bad, span);
        self.body.at(bad);
        if let Some(otherwise) = otherwise {
            self.body.stop(otherwise, span);
        }
        self.body.at(good);
    }

    /// The result of a function that returns nothing of interest.
    pub(super) fn void_result(&mut self, e: &Expr) -> Value {
        match self.hir.types.get(e.ty) {
            Type::Void | Type::Record(_) => Value::Void,
            _ => Value::Scalar(self.constant(e.ty, 0)),
        }
    }

    fn library_value(&mut self, known: Library, args: &[Value], call: &Call, e: &Expr) -> Value {
        match known {
            Library::Printf { stream } => return self.print_formatted(args, call, stream, e),
            Library::Puts { stream } => {
                let text = self.scalar_arg(args, 0);
                return self.print_string(text, call, stream, e);
            }
            Library::Scan { format } => return self.read_formatted(args, call, format, e),
            Library::Overflow(op) => return self.overflow(op, args, call, e),
            Library::Bits(bits) => {
                let a = self.scalar_arg(args, 0);
                return self.bits_function(bits, a, call, e);
            }
            Library::Float(function) => return Value::Scalar(self.float_function(function, args, call, e)),
            Library::Extended(function) => return self.extended_function(function, args, call, e),
            Library::First => return args.first().cloned().unwrap_or(Value::Void),
            Library::Free => {
                let a = self.scalar_arg(args, 0);
                self.body.emit(Op::Free(a), e.span);
                return self.void_result(e);
            }
            _ => {}
        }
        let value = match self.heap_value(known, args, call, e) {
            Some(value) => value,
            None => match self.text_value(known, args, call, e) {
                Some(value) => value,
                None => self.other_value(known, args, call, e),
            },
        };
        match self.hir.types.get(e.ty) {
            Type::Void => Value::Void,
            _ => Value::Scalar(self.fit(value, e)),
        }
    }

    /// Functions on blocks of memory.
    fn heap_value(&mut self, known: Library, args: &[Value], call: &Call, e: &Expr) -> Option<Term> {
        let span = e.span;
        let (a, cell) = self.text_arg(args, call, 0);
        Some(match known {
            Library::Malloc => {
                let size = self.size_arg(args, call, 0);
                self.allocate_heap(size, false, span)
            }
            Library::Alloca => {
                let size = self.size_arg(args, call, 0);
                self.allocate(size, AllocKind::Stack, false, span)
            }
            Library::Calloc => {
                let (n, size) = (self.size_arg(args, call, 0), self.size_arg(args, call, 1));
                let block = self.allocate_array(n, size, span);
                let (bytes, cell) = (self.mul(n, size), self.points.pointee(e));
                self.zero_block(block, bytes, cell, span)
            }
            Library::Realloc => {
                let size = self.size_arg(args, call, 1);
                self.reallocate(a, size, cell, span)
            }
            Library::Memset => {
                let (byte, size) = (self.scalar_arg(args, 1), self.size_arg(args, call, 2));
                let a = self.save(a, span);
                self.fill(a, cell, size, Filling::Byte(byte), span);
                a
            }
            Library::Memcpy { overlap } => {
                let (from, size) = (self.scalar_arg(args, 1), self.size_arg(args, call, 2));
                let a = self.save(a, span);
                self.copy(a, from, cell, size, overlap, span);
                a
            }
            Library::Memcmp => {
                let (other, size) = (self.text_arg(args, call, 1), self.size_arg(args, call, 2));
                self.touch(a, size, false, e.span);
                self.touch(other.0, size, false, e.span);
                self.compare_bytes((a, cell), other, Some(size), false, e)
            }
            _ => return None,
        })
    }

    /// Functions on strings.
    fn text_value(&mut self, known: Library, args: &[Value], call: &Call, e: &Expr) -> Option<Term> {
        let span = e.span;
        let (a, cell) = self.text_arg(args, call, 0);
        let other = self.text_arg(args, call, 1);
        Some(match known {
            Library::Strcmp { bounded } => {
                let limit = bounded.then(|| self.size_arg(args, call, 2));
                self.compare_bytes((a, cell), other, limit, true, e)
            }
            Library::Strlen => self.string_length(a, cell, span),
            Library::Strcpy { bounded } => {
                let a = self.save(a, span);
                let limit = bounded.then(|| self.size_arg(args, call, 2));
                let room = self.room_in_member(call, None);
                self.copy_string((a, cell), other, limit, (room, span));
                a
            }
            Library::Strcat => {
                let a = self.save(a, span);
                let b = self.save(other.0, span);
                let length = self.string_length(a, cell, span);
                let end = self.add(a, length);
                let end = self.save(end, span);
                let room = self.room_in_member(call, Some(length));
                self.copy_string((end, cell), (b, other.1), None, (room, span));
                a
            }
            Library::Strchr => self.find_character(a, other.0, cell, span),
            _ => return None,
        })
    }

    fn other_value(&mut self, known: Library, args: &[Value], call: &Call, e: &Expr) -> Term {
        let a = self.scalar_arg(args, 0);
        match (known, call.args.first()) {
            (Library::Putchar, _) => {
                let stdout = call.args.get(1).is_none_or(|a| self.is_stdout(a));
                let a = self.save(a, e.span);
                self.body.emit(Op::Print(Print { format: b"%c".to_vec(), args: vec![a], stdout }), e.span);
                self.forget_errno("putchar", e.span);
                if self.unused != Some(key(e)) {
                    self.assume("output does not fail".to_owned());
                }
                if self.mathematical() { a } else { self.as_byte(a) }
            }
            (Library::Abs, Some(arg)) => {
                let zero = self.constant(arg.ty, 0);
                let negative = self.compare(BinaryOp::Lt, true, a, zero);
                let negated = self.neg(a);
                self.terms.ite(negative, negated, a)
            }
            _ => self.constant(e.ty, 0),
        }
    }

    /// The value as an `unsigned char`, in its own width.
    fn as_byte(&mut self, a: Term) -> Term {
        let byte = self.terms.resize(false, 8, a);
        self.terms.resize(false, 32, byte)
    }

    /// A pointer argument, and what it points to.
    fn text_arg(&mut self, args: &[Value], call: &Call, i: usize) -> super::strings::Text {
        let cell = call.args.get(i).and_then(|a| self.points.pointee(a));
        (self.scalar_arg(args, i), cell)
    }

    /// A result in the width of the type the function is declared with.
    pub(super) fn fit(&mut self, value: Term, e: &Expr) -> Term {
        if self.mathematical() { value } else { self.terms.resize(true, self.bits(e.ty), value) }
    }

    pub(super) fn scalar_arg(&mut self, args: &[Value], i: usize) -> Term {
        match args.get(i) {
            Some(Value::Scalar(term)) => *term,
            _ => self.address(0),
        }
    }

    /// A size as wide as a pointer, whatever the declaration says.
    fn size_arg(&mut self, args: &[Value], call: &Call, i: usize) -> Term {
        let size = self.scalar_arg(args, i);
        let signed = call.args.get(i).is_some_and(|a| self.hir.types.is_signed(a.ty));
        if self.mathematical() { size } else { self.terms.resize(signed, self.pointer_bits(), size) }
    }

    /// `__builtin_add_overflow(a, b, &result)`: computed twice as wide.
    fn overflow(&mut self, op: BinaryOp, args: &[Value], call: &Call, e: &Expr) -> Value {
        let (Some(x), Some(y), Some(p)) = (call.args.first(), call.args.get(1), call.args.get(2)) else {
            return self.void_result(e);
        };
        let Type::Pointer(to) = *self.hir.types.get(p.ty) else { return self.void_result(e) };
        let (a, b, address) = (self.scalar_arg(args, 0), self.scalar_arg(args, 1), self.scalar_arg(args, 2));
        let cell = self.points.pointee(p);
        let target = Lvalue::Memory { address, cell, bits: None };
        if self.mathematical() {
            let value = self.arithmetic(op, to, a, b);
            self.store(&target, to, value, e.span);
            return Value::Scalar(self.constant(e.ty, 0));
        }
        let wide = 2 * self.bits(x.ty).max(self.bits(y.ty)).max(self.bits(to)) + 2;
        let a = self.terms.resize(self.hir.types.is_signed(x.ty), wide, a);
        let b = self.terms.resize(self.hir.types.is_signed(y.ty), wide, b);
        let op = match op {
            BinaryOp::Add => BinOp::BvAdd,
            BinaryOp::Sub => BinOp::BvSub,
            _ => BinOp::BvMul,
        };
        let exact = self.terms.bv(op, a, b);
        let value = self.terms.resize(false, self.bits(to), exact);
        let again = self.terms.resize(self.hir.types.is_signed(to), wide, value);
        let fits = self.terms.eq(exact, again);
        let overflows = self.not(fits);
        let result = self.truth_value(overflows, e.ty);
        let result = self.save(result, e.span);
        self.store(&target, to, value, e.span);
        Value::Scalar(result)
    }
}
