//! Where values flow in functions that are known by name, or have no body.

use super::super::hir::{Call, Expr, ExprKind, FunctionId, PlaceKind};
use super::super::types::{Rank, Type};
use super::flow::{Flow, key};
use super::graph::{Cell, Census, Step};
use super::library::{ExtendedFunction, FloatFunction, Library, library};
use super::{Analysis, Used, used_as};

impl Analysis<'_> {
    /// A call by name.
    pub(super) fn apply(&mut self, function: FunctionId, args: &[Flow], call: &Call, e: &Expr) -> Flow {
        match library(self.hir, function) {
            Some(known) => self.library_call(known, args, call, e),
            None if self.hir.functions[function.0 as usize].body.is_some() => {
                self.calls.insert((self.current, function));
                self.bind(function, args)
            }
            None => self.outside_value(e.ty),
        }
    }

    fn library_call(&mut self, known: Library, args: &[Flow], call: &Call, e: &Expr) -> Flow {
        if let Library::Float(function) | Library::Extended(ExtendedFunction::Function(function)) = known {
            self.sees_float_bits |= function.sees_bits();
            self.tells_nans_apart |= function == FloatFunction::Signalling;
        }
        match known {
            Library::Malloc | Library::Alloca => self.fresh_block(),
            Library::Calloc => {
                let block = self.fresh_block();
                if let Flow::Scalar(address) = block {
                    // Whoever fills it with zeros wants to know how it is cut.
                    self.pointers.insert(key(e), address);
                }
                block
            }
            Library::Realloc => {
                let block = self.fresh_block();
                self.same_block(args, &block);
                if let Flow::Scalar(address) = block {
                    self.reallocated.push(address);
                }
                block
            }
            Library::Memset | Library::Memcpy { .. } | Library::Memcmp => self.block_call(known, args),
            Library::Strlen | Library::Strcmp { .. } | Library::Strcpy { .. } | Library::Strcat | Library::Strchr => {
                self.text_call(known, args)
            }
            Library::Overflow(_) => self.overflow(args, call),
            Library::Scan { format } => {
                for (arg, flow) in call.args.iter().zip(args).skip(format + 1) {
                    self.stored(flow, arg);
                }
                Flow::Nothing
            }
            Library::First => args.first().cloned().unwrap_or(Flow::Nothing),
            Library::Extended(_) if self.hir.types.is_extended(e.ty) => Flow::Leaves(vec![None, None]),
            Library::Bits(_) | Library::Abs => {
                let sources: Vec<_> = args.iter().map(|a| (a.clone(), Step::Mangle)).collect();
                self.through(&sources)
            }
            Library::Nondet | Library::Harmless(_) | Library::Any => self.outside_value(e.ty),
            Library::Printf { .. } | Library::Puts { .. } => {
                self.printed(args, call);
                Flow::Nothing
            }
            _ => Flow::Nothing,
        }
    }

    /// A function on blocks of bytes.
    fn block_call(&mut self, known: Library, args: &[Flow]) -> Flow {
        match (known, args) {
            (Library::Memcmp, _) => {
                self.characters(&args[..args.len().min(2)]);
                return Flow::Nothing;
            }
            (Library::Memcpy { .. }, [to, from, ..]) => {
                self.bytes(&args[..2]);
                self.same_block(std::slice::from_ref(from), to);
            }
            _ => self.bytes(&args[..args.len().min(1)]),
        }
        args.first().cloned().unwrap_or(Flow::Nothing)
    }

    /// A function on texts.
    fn text_call(&mut self, known: Library, args: &[Flow]) -> Flow {
        let texts = if matches!(known, Library::Strlen | Library::Strchr) { 1 } else { 2 };
        let contents = self.characters(&args[..args.len().min(texts)]);
        match (known, args.first()) {
            (Library::Strcpy { .. } | Library::Strcat, Some(to)) => {
                if let [to, from] = contents[..] {
                    self.graph.edge(from, to, Step::Copy);
                }
                to.clone()
            }
            (Library::Strchr, Some(text)) => self.through(&[(text.clone(), Step::Slide(1))]),
            _ => Flow::Nothing,
        }
    }

    fn fresh_block(&mut self) -> Flow {
        let node = self.graph.unwritten_node("heap");
        self.graph.count(node, Census::MANY);
        Flow::Scalar(self.graph.address(Cell::start(node)))
    }

    /// What is copied from one block to another as a whole may be copied cell by cell if both are cut alike.
    fn same_block(&mut self, from: &[Flow], to: &Flow) {
        if let (Some(Flow::Scalar(a)), Flow::Scalar(b)) = (from.first(), to) {
            let (a, b) = (self.graph.target(*a), self.graph.target(*b));
            self.graph.unify(a, b);
        }
    }

    /// The arguments point to bytes that are accessed.
    fn bytes(&mut self, args: &[Flow]) {
        for arg in args {
            if let Flow::Scalar(v) = arg {
                self.graph.target(*v);
                self.dereferenced.push((*v, Used::Bytes));
            }
        }
    }

    /// The arguments point to characters; what is stored there.
    fn characters(&mut self, args: &[Flow]) -> Vec<super::layout::Val> {
        self.bytes(args);
        let mut contents = Vec::new();
        for arg in args {
            if let Flow::Scalar(v) = arg {
                let moved = self.graph.value();
                self.graph.edge(*v, moved, Step::Slide(1));
                let cell = self.graph.target(*v);
                contents.push(self.graph.access(cell, 1, false, None));
            }
        }
        contents
    }

    /// Text that is printed is read.
    fn printed(&mut self, args: &[Flow], call: &Call) {
        for (flow, arg) in args.iter().zip(&call.args) {
            let types = &self.hir.types;
            // What a literal holds is known to those who print it.
            if let Type::Pointer(to) = *types.get(arg.ty)
                && !is_literal(arg)
                && matches!(types.get(to), Type::Int { rank: Rank::Char | Rank::SignedChar, .. })
            {
                self.characters(std::slice::from_ref(flow));
            }
        }
    }

    /// `__builtin_add_overflow(a, b, &result)`
    fn overflow(&mut self, args: &[Flow], call: &Call) -> Flow {
        if let ([left, right, result], Some(pointer)) = (args, call.args.get(2))
            && let Some(stored) = self.stored(result, pointer)
        {
            // The operands may be addresses, or parts of them.
            for operand in [left, right] {
                if let Flow::Scalar(operand) = operand {
                    self.graph.edge(*operand, stored, Step::Mangle);
                }
            }
        }
        Flow::Nothing
    }

    /// Something is stored where an argument points to.
    fn stored(&mut self, flow: &Flow, pointer: &Expr) -> Option<super::layout::Val> {
        let Flow::Scalar(v) = flow else { return None };
        let size = match *self.hir.types.get(pointer.ty) {
            Type::Pointer(to) => self.hir.types.size(to),
            _ => None,
        };
        if let Type::Pointer(to) = *self.hir.types.get(pointer.ty) {
            self.dereferenced.push((*v, used_as(&self.hir.types, to)));
        }
        let cell = self.graph.target(*v);
        Some(self.graph.access(cell, size.unwrap_or(4) as i64, false, None))
    }
}

fn is_literal(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Convert(a) => is_literal(a),
        ExprKind::AddressOf(place) => matches!(place.kind, PlaceKind::String(_)),
        _ => false,
    }
}
