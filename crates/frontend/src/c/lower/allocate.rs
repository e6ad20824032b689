//! Dynamic memory.

use clinch_ir::Span;
use clinch_ir::cfa::{AllocKind, InputKind, MOST_ON_STACK, Op};
use clinch_terms::{BinOp, Symbol, Term};

use super::super::fresh::CALLER_FILES;
use super::super::hir::BinaryOp;
use super::super::models::{ARGUMENTS, TEXT};
use super::super::points_to::Cell;
use super::Lowering;
use super::blocks::Filling;

/// The function that says whether there is memory, where there may be none.
pub const ALLOCATION: &str = "__VERIFIER_nondet_allocation";

const STACK: &str = "no block on the stack has more than 64 MiB: runs end that would need one";

impl Lowering<'_> {
    /// A block of the heap. For one of no bytes the standard allows a null pointer too; for one that cannot exist it is the
    /// only answer.
    pub(super) fn allocate_heap(&mut self, size: Term, zeroed: bool, span: Span) -> Term {
        // Before it succeeds, it may have tried in vain to get more memory from the system.
        self.forget_errno("malloc", span);
        let most = self.impossible_size();
        match self.constant_size(size) {
            Some(n) if n >= most => return self.address(0),
            Some(n) if n > 0 && !self.may_lack_memory(span) => {
                return self.allocate(size, AllocKind::Heap, zeroed, span);
            }
            _ => {}
        }
        let pointer = self.null_pointer(span);
        let (some, none, refused, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh(), self.body.fresh());
        let (fits, limit) = (self.body.fresh(), self.address(most));
        let can_exist = self.compare(BinaryOp::Lt, false, size, limit);
        self.branch_on(can_exist, fits, refused, span);
        self.body.at(fits);
        let may_fail = self.may_lack_memory(span);
        if may_fail {
            self.body.goto(none, span);
        } else {
            let is_some = self.nonzero(size);
            self.branch_on(is_some, some, none, span);
        }
        self.body.at(none);
        let whether = match may_fail {
            true => InputKind::Nondet(ALLOCATION.to_owned()),
            false => InputKind::Extern("malloc".to_owned()),
        };
        let is_block = self.open_truth(whether, span);
        self.branch_on(is_block, some, refused, span);
        self.body.at(refused);
        self.body.goto(after, span);
        self.body.at(some);
        let block = self.allocate(size, AllocKind::Heap, zeroed, span);
        self.assign_variable(pointer, block, span);
        self.body.go_on_at(after, span);
        self.terms.symbol(pointer)
    }

    /// Whether there may be no memory for a block. The environment, and who calls the program, have enough.
    fn may_lack_memory(&self, span: Span) -> bool {
        let function = self.body.function.map(|f| self.hir.functions[f.0 as usize].name.as_str());
        let is_environment = function.is_some_and(|name| [TEXT, ARGUMENTS].contains(&name));
        self.options.malloc_may_fail && !is_environment && !self.source.place(span).file.starts_with(CALLER_FILES)
    }

    /// No block has so many bytes.
    fn impossible_size(&self) -> u64 {
        1 << if self.pointer_bits() == 32 { 30 } else { 46 }
    }

    /// The null pointer that stands for a block that is refused, which sets `errno`.
    fn no_block(&mut self, span: Span) -> Term {
        self.forget_errno("malloc", span);
        self.address(0)
    }

    /// Writes the zeros of a new block of a fixed size one by one: proofs know what is written.
    pub(super) fn zero_block(&mut self, block: Term, bytes: Term, cell: Option<Cell>, span: Span) -> Term {
        let Some(bytes) = self.constant_size(bytes).filter(|_| !self.mathematical()) else { return block };
        if self.constant_size(block).is_some() || self.may_lack_memory(span) {
            return block;
        }
        let block = self.save(block, span);
        let zero = self.number(32, 0);
        let zeros = self.fill_at_once(block, cell, bytes, Filling::Byte(zero), span).unwrap_or_default();
        if !zeros.is_empty() {
            self.body.emit(Op::Assign(zeros), span);
        }
        block
    }

    /// A hidden variable that holds a null pointer so far.
    fn null_pointer(&mut self, span: Span) -> Symbol {
        let symbol = self.counter(0, span);
        if let Some(info) = self.variables.get_mut(&symbol) {
            info.ty = "void *".to_owned();
        }
        symbol
    }

    /// `calloc`: an array that does not fit into memory is not allocated.
    pub(super) fn allocate_array(&mut self, n: Term, size: Term, span: Span) -> Term {
        let bytes = self.mul(n, size);
        let bits = self.pointer_bits();
        if self.mathematical() {
            return self.allocate_heap(bytes, true, span);
        }
        if let (Some(n), Some(size)) = (self.constant_size(n), self.constant_size(size)) {
            let fits = n.checked_mul(size).is_some_and(|bytes| bytes >> (bits - 1) <= 1);
            return if fits { self.allocate_heap(bytes, true, span) } else { self.no_block(span) };
        }
        let (n, size) = (self.terms.resize(false, 2 * bits, n), self.terms.resize(false, 2 * bits, size));
        let exact = self.terms.bv(BinOp::BvMul, n, size);
        let excess = self.terms.extract(2 * bits - 1, bits, exact);
        let overflows = self.nonzero(excess);
        let pointer = self.null_pointer(span);
        let (fits, refused, after) = (self.body.fresh(), self.body.fresh(), self.body.fresh());
        self.branch_on(overflows, refused, fits, span);
        self.body.at(refused);
        self.no_block(span);
        self.body.goto(after, span);
        self.body.at(fits);
        let block = self.allocate_heap(bytes, true, span);
        self.assign_variable(pointer, block, span);
        self.body.go_on_at(after, span);
        self.terms.symbol(pointer)
    }

    pub(super) fn allocate(&mut self, size: Term, kind: AllocKind, zeroed: bool, span: Span) -> Term {
        if kind == AllocKind::Heap && !self.may_lack_memory(span) {
            self.assume("memory is never exhausted: `malloc` and the like do not return a null pointer".to_owned());
        }
        let target = self.temporary(self.sort_of_bits(self.pointer_bits()), false);
        if kind == AllocKind::Stack {
            self.allocate_on_stack(target, size, span);
        } else {
            self.body.emit(Op::Alloc { target, size, kind, zeroed }, span);
        }
        self.terms.symbol(target)
    }

    /// A block on the stack. Runs end where there is no room for it.
    pub(super) fn allocate_on_stack(&mut self, target: Symbol, size: Term, span: Span) {
        if self.constant_size(size).is_none() {
            self.assume(STACK.to_owned());
            let most = self.address(MOST_ON_STACK);
            let fits = self.compare(BinaryOp::Le, false, size, most);
            let (good, bad) = (self.body.fresh(), self.body.fresh());
            self.branch_on(fits, good, bad, span);
            self.body.at(good);
        }
        self.body.emit(Op::Alloc { target, size, kind: AllocKind::Stack, zeroed: false }, span);
    }

    /// `realloc`. Where the new block cannot exist, the old one stays as it is; for no bytes, the old one is freed even if
    /// there is no new one, as glibc does.
    pub(super) fn reallocate(&mut self, old: Term, size: Term, cell: Option<Cell>, span: Span) -> Term {
        let (old, size) = (self.save(old, span), self.save(size, span));
        let block = self.allocate_heap(size, false, span);
        let (copy, after) = (self.body.fresh(), self.body.fresh());
        let given = self.nonzero(old);
        let limit = self.address(self.impossible_size());
        let can_exist = self.compare(BinaryOp::Lt, false, size, limit);
        let mut moves = self.terms.and(given, can_exist);
        if self.may_lack_memory(span) {
            let (is_block, is_some) = (self.nonzero(block), self.nonzero(size));
            let is_none = self.terms.not(is_some);
            let moved = self.terms.or(is_block, is_none);
            moves = self.terms.and(moves, moved);
        }
        self.branch_on(moves, copy, after, span);
        self.body.at(copy);
        let had = self.temporary(self.sort_of_bits(self.pointer_bits()), false);
        self.body.emit(Op::BlockSize(had, old), span);
        let had = self.terms.symbol(had);
        let smaller = self.compare(BinaryOp::Lt, false, had, size);
        let bytes = self.terms.ite(smaller, had, size);
        self.fill(block, cell, bytes, Filling::From(old), span);
        self.body.emit(Op::Free(old), span);
        self.body.go_on_at(after, span);
        block
    }
}
