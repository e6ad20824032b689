//! Terms become code. Values of one edge are computed once; what may be undefined is computed only where it counts.

use rustc_hash::FxHashMap;

use clinch_ir::cfa::{may_fail, partial_terms};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms, UnOp};

use super::code::{Binary, Code, End, Instr, Pc, Place, Slot, Unary, WideTerm};

/// Conditions inside conditions inside ... : beyond this depth a term is not executed.
const MAX_DEPTH: u32 = 500;

/// Wide terms beyond this size are not executed.
const MAX_WIDE: usize = 1000;

/// What the whole program's expressions share.
pub(super) struct Shared<'p> {
    pub(super) terms: &'p Terms,
    /// Cells of each region, in bytes.
    pub(super) regions: FxHashMap<Symbol, RegionCode>,
    pub(super) globals: FxHashMap<Symbol, u32>,
    /// Which terms may have no value: their parts divide, shift or read memory.
    pub(super) partial: Vec<bool>,
    /// Which narrow terms have direct parts beyond 64 bits, or are wide themselves.
    pub(super) wide: Vec<bool>,
}

/// Why a term has no code.
#[derive(Clone, Debug)]
pub(super) struct NoCode(pub(super) End);

fn unsupported<T>(what: impl Into<String>) -> Result<T, NoCode> {
    Err(NoCode(End::Unsupported(what.into())))
}

impl<'p> Shared<'p> {
    /// Looks at all terms once; parts come before the terms that have them.
    pub(super) fn new(
        terms: &'p Terms,
        regions: FxHashMap<Symbol, RegionCode>,
        globals: FxHashMap<Symbol, u32>,
    ) -> Self {
        let mut shared = Shared { terms, regions, globals, partial: partial_terms(terms), wide: Vec::new() };
        let wide = |t| shared.is_wide(t) || terms.children(t).any(|c| shared.is_wide(c));
        shared.wide = terms.all_terms().map(wide).collect();
        shared
    }

    fn is_wide(&self, term: Term) -> bool {
        matches!(self.sort(term), Some(Sort::BitVec(width)) if *width > 64)
    }

    pub(super) fn sort(&self, term: Term) -> Option<&Sort> {
        self.terms.sort_id(term).map(|id| self.terms.sort_of_id(id))
    }

    /// The width of a value in a slot: 1 for truth values, 0 for mathematical integers.
    pub(super) fn width(&self, term: Term) -> Result<u8, NoCode> {
        match self.sort(term) {
            Some(Sort::Bool) => Ok(1),
            Some(Sort::Int) => Ok(0),
            Some(Sort::BitVec(width @ 1..=64)) => Ok(*width as u8),
            _ => unsupported("a value of another sort than integers and truth values"),
        }
    }
}

/// What code knows of a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegionCode {
    pub(super) number: u32,
    /// Bytes of a cell.
    pub(super) bytes: u8,
    pub(super) ghost: bool,
}

/// The code of expressions in one procedure.
pub(super) struct Expressions<'a, 'p> {
    pub(super) shared: &'a Shared<'p>,
    pub(super) code: &'a mut Code,
    constants: FxHashMap<u64, u32>,
    /// The procedure's own variables.
    pub(super) variables: FxHashMap<Symbol, Slot>,
    /// What is computed already in the current edge.
    known: FxHashMap<Term, Slot>,
    /// The order in which that was done.
    trail: Vec<Term>,
    /// The first slot that is free.
    free: Slot,
    /// How many slots the frame needs.
    pub(super) slots: Slot,
    depth: u32,
}

impl<'a, 'p> Expressions<'a, 'p> {
    pub(super) fn new(shared: &'a Shared<'p>, code: &'a mut Code, variables: FxHashMap<Symbol, Slot>) -> Self {
        let slots = variables.len() as Slot;
        Expressions {
            shared,
            code,
            constants: FxHashMap::default(),
            variables,
            known: FxHashMap::default(),
            trail: Vec::new(),
            free: slots,
            slots,
            depth: 0,
        }
    }

    /// A new edge: nothing is computed yet. The first slots above the variables are set aside.
    pub(super) fn start(&mut self, reserved: usize) {
        self.known.clear();
        self.trail.clear();
        self.depth = 0;
        self.free = self.variables.len() as Slot + reserved as Slot;
        self.slots = self.slots.max(self.free);
    }

    pub(super) fn fresh(&mut self) -> Slot {
        self.free += 1;
        self.slots = self.slots.max(self.free);
        self.free - 1
    }

    pub(super) fn emit(&mut self, instr: Instr) -> Pc {
        self.code.instrs.push(instr);
        self.code.instrs.len() as Pc - 1
    }

    pub(super) fn here(&self) -> Pc {
        self.code.instrs.len() as Pc
    }

    fn constant(&mut self, value: u64) -> u32 {
        *self.constants.entry(value).or_insert_with(|| {
            self.code.constants.push(value);
            self.code.constants.len() as u32 - 1
        })
    }

    /// The place of a variable.
    pub(super) fn place(&self, symbol: Symbol) -> Result<Place, NoCode> {
        if let Some(&slot) = self.variables.get(&symbol) {
            return Ok(Place::Slot(slot));
        }
        match self.shared.globals.get(&symbol) {
            Some(&global) => Ok(Place::Global(global)),
            None => unsupported(format!("`{}` is no variable here", self.shared.terms.symbol_name(symbol))),
        }
    }

    /// Computes a term and says where its value is.
    pub(super) fn value(&mut self, term: Term) -> Result<Slot, NoCode> {
        let mut stack = vec![(term, false)];
        while let Some((part, ready)) = stack.pop() {
            if self.known.contains_key(&part) {
                continue;
            }
            if ready {
                let slot = self.compute(part, None)?;
                self.remember(part, slot);
            } else {
                stack.push((part, true));
                let strict = self.strict_parts(part);
                stack.extend(strict.into_iter().rev().map(|p| (p, false)));
            }
        }
        Ok(self.known[&term])
    }

    /// Computes a term into a slot, which no part of it may be computed into.
    pub(super) fn value_into(&mut self, term: Term, dst: Slot) -> Result<(), NoCode> {
        if !self.known.contains_key(&term) {
            for part in self.strict_parts(term) {
                self.value(part)?;
            }
            let slot = self.compute(term, Some(dst))?;
            if slot == dst {
                return Ok(());
            }
            self.remember(term, slot);
        }
        let src = self.known[&term];
        self.emit(Instr::Move { dst, src });
        Ok(())
    }

    fn remember(&mut self, term: Term, slot: Slot) {
        self.known.insert(term, slot);
        self.trail.push(term);
    }

    /// Forgets what was computed since: it is computed only on some paths.
    fn forget(&mut self, since: usize) {
        for term in self.trail.drain(since..) {
            self.known.remove(&term);
        }
    }

    /// The parts that are computed before the term, whatever their values are.
    fn strict_parts(&self, term: Term) -> Vec<Term> {
        let partial = |t: Term| self.shared.partial[t.index()];
        match self.shared.terms.node(term) {
            _ if self.shared.wide[term.index()] => Vec::new(),
            Node::Ite(_, a, b) if partial(a) || partial(b) => Vec::new(),
            Node::Binary(BinOp::And | BinOp::Or, _, b) if partial(b) => Vec::new(),
            Node::Binary(BinOp::Select, _, address) => vec![address],
            Node::Binary(_, a, b) if self.immediate(b).is_some() => vec![a],
            _ => self.shared.terms.children(term).collect(),
        }
    }

    fn immediate(&self, term: Term) -> Option<u64> {
        match self.shared.terms.node(term) {
            Node::Bool(b) => Some(b.into()),
            Node::Int(v) => Some(v as u64),
            Node::BitVec(1..=64, bits) => Some(bits),
            _ => None,
        }
    }

    /// The code of a term whose strict parts are computed.
    fn compute(&mut self, term: Term, dst: Option<Slot>) -> Result<Slot, NoCode> {
        if self.shared.wide[term.index()] {
            return self.wide(term);
        }
        if let Some(value) = self.immediate(term) {
            let dst = self.destination(dst);
            self.emit(Instr::Const { dst, value });
            return Ok(dst);
        }
        match self.shared.terms.node(term) {
            Node::Symbol(symbol) => self.variable(symbol, dst),
            Node::Unary(op, a) => self.unary(op, a, dst),
            Node::Binary(BinOp::Select, array, address) => self.load(array, address, dst),
            Node::Binary(op, a, b) => self.binary(term, op, a, b, dst),
            Node::Ite(c, a, b) => self.ite(term, c, a, b),
            Node::Fma(format, a, b, c) => {
                self.code.fmas.push([a, b, c].map(|operand| self.known[&operand]));
                let (fma, dst) = (self.code.fmas.len() as u32 - 1, self.destination(dst));
                self.emit(Instr::Fma { format, dst, fma });
                Ok(dst)
            }
            Node::Extract { hi, lo, of } => {
                let (a, dst) = (self.known[&of], self.destination(dst));
                self.emit(Instr::Extract { lo: lo as u8, width: (hi - lo + 1) as u8, dst, a });
                Ok(dst)
            }
            Node::Extend { signed: false, of, .. } => Ok(self.known[&of]),
            Node::Extend { signed: true, of, .. } => {
                let (from, to) = (self.shared.width(of)?, self.shared.width(term)?);
                let (a, dst) = (self.known[&of], self.destination(dst));
                self.emit(Instr::SignExtend { from, to, dst, a });
                Ok(dst)
            }
            Node::IntToBv(width, of) => {
                let a = self.known[&of];
                Ok(self.emit_unary(Unary::Truncate, width as u8, a, dst))
            }
            Node::Big(_) => Err(NoCode(End::Limit)),
            _ => unsupported("a term that is no expression of the program"),
        }
    }

    fn destination(&mut self, dst: Option<Slot>) -> Slot {
        dst.unwrap_or_else(|| self.fresh())
    }

    fn variable(&mut self, symbol: Symbol, dst: Option<Slot>) -> Result<Slot, NoCode> {
        match self.place(symbol)? {
            Place::Slot(slot) => Ok(slot),
            Place::Global(global) => {
                let dst = self.destination(dst);
                self.emit(Instr::GetGlobal { dst, global });
                Ok(dst)
            }
        }
    }

    fn emit_unary(&mut self, op: Unary, width: u8, a: Slot, dst: Option<Slot>) -> Slot {
        let dst = self.destination(dst);
        self.emit(Instr::Unary { op, width, dst, a });
        dst
    }

    fn unary(&mut self, op: UnOp, part: Term, dst: Option<Slot>) -> Result<Slot, NoCode> {
        let (a, width) = (self.known[&part], self.shared.width(part)?);
        let op = match op {
            UnOp::BoolToInt => return Ok(a),
            UnOp::Not => Unary::Not,
            UnOp::Neg => Unary::IntNeg,
            UnOp::BitNot => Unary::IntNot,
            UnOp::BvNot => Unary::BvNot,
            UnOp::BvNeg => Unary::BvNeg,
            UnOp::BvToNat => Unary::ToNat,
            UnOp::Float(op, format) => Unary::Float(op, format),
            UnOp::Extended(_) => unreachable!("its operand or its result is wide"),
        };
        Ok(self.emit_unary(op, width, a, dst))
    }

    fn load(&mut self, array: Term, address: Term, dst: Option<Slot>) -> Result<Slot, NoCode> {
        let Node::Symbol(symbol) = self.shared.terms.node(array) else {
            return unsupported("an array that is no region of memory");
        };
        let Some(&region) = self.shared.regions.get(&symbol) else {
            return unsupported(format!("`{}` is no region of memory", self.shared.terms.symbol_name(symbol)));
        };
        let (address, dst) = (self.known[&address], self.destination(dst));
        self.emit(match region.ghost {
            true => Instr::LoadGhost { region: region.number, dst, address },
            false => Instr::Load { bytes: region.bytes, dst, address },
        });
        Ok(dst)
    }

    fn binary(&mut self, term: Term, op: BinOp, a: Term, b: Term, dst: Option<Slot>) -> Result<Slot, NoCode> {
        let lazy = matches!(op, BinOp::And | BinOp::Or) && self.shared.partial[b.index()];
        if lazy {
            return self.both_or_one(op, a, b);
        }
        let (op, width) = self.operation(op, a, b)?;
        debug_assert!(self.shared.width(term).is_ok());
        let x = self.known[&a];
        let instr = match self.immediate(b) {
            Some(value) => {
                let (b, dst) = (self.constant(value), self.destination(dst));
                match op {
                    Binary::Add => Instr::AddConst { width, dst, a: x, b },
                    _ => Instr::BinaryConst { op, width, dst, a: x, b },
                }
            }
            None => {
                let (b, dst) = (self.known[&b], self.destination(dst));
                match op {
                    Binary::Add => Instr::Add { width, dst, a: x, b },
                    _ => Instr::Binary { op, width, dst, a: x, b },
                }
            }
        };
        self.emit(instr);
        Ok(dst.unwrap_or(self.free - 1))
    }

    /// The operation on slots, and its width.
    fn operation(&self, op: BinOp, a: Term, b: Term) -> Result<(Binary, u8), NoCode> {
        let width = self.shared.width(a)?;
        let other = self.shared.width(b)?;
        if op == BinOp::BvConcat {
            return Ok((Binary::Concat, other));
        }
        if width != other {
            return unsupported("an operation on values of different sorts");
        }
        Ok((on_slots(op), if width == 0 { 64 } else { width }))
    }

    /// `a and b`, `a or b` where `b` is computed only if it counts.
    fn both_or_one(&mut self, op: BinOp, a: Term, b: Term) -> Result<Slot, NoCode> {
        self.descend()?;
        let dst = self.fresh();
        self.value_into(a, dst)?;
        let jump = self.emit(match op {
            BinOp::And => Instr::JumpUnless { condition: dst, target: 0 },
            _ => Instr::JumpIf { condition: dst, target: 0 },
        });
        let inner = self.trail.len();
        self.value_into(b, dst)?;
        self.forget(inner);
        self.land(jump);
        self.depth -= 1;
        Ok(dst)
    }

    fn ite(&mut self, term: Term, c: Term, a: Term, b: Term) -> Result<Slot, NoCode> {
        self.shared.width(term)?;
        let partial = |t: Term| self.shared.partial[t.index()];
        let dst = self.fresh();
        if !partial(a) && !partial(b) {
            let (condition, a, src) = (self.known[&c], self.known[&a], self.known[&b]);
            self.emit(Instr::Move { dst, src });
            self.emit(Instr::MoveIf { dst, condition, a });
            return Ok(dst);
        }
        self.descend()?;
        let mut otherwise = self.jumps_unless(c)?;
        let since = self.trail.len();
        self.value_into(a, dst)?;
        self.forget(since);
        let end = self.emit(Instr::Jump { target: 0 });
        otherwise.drain(..).for_each(|jump| self.land(jump));
        self.value_into(b, dst)?;
        self.forget(since);
        self.land(end);
        self.depth -= 1;
        Ok(dst)
    }

    fn descend(&mut self) -> Result<(), NoCode> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { unsupported("an expression with conditions nested too deeply") } else { Ok(()) }
    }

    /// The jump goes here.
    pub(super) fn land(&mut self, jump: Pc) {
        let here = self.here();
        self.code.patch(jump, here);
    }

    /// Jumps away unless the condition holds: the jumps, to be landed. What is computed for parts that are not always
    /// reached is forgotten.
    pub(super) fn jumps_unless(&mut self, condition: Term) -> Result<Vec<Pc>, NoCode> {
        let mut conjuncts = Vec::new();
        let mut stack = vec![condition];
        while let Some(part) = stack.pop() {
            match self.shared.terms.node(part) {
                Node::Binary(BinOp::And, a, b) if !self.known.contains_key(&part) => stack.extend([b, a]),
                _ => conjuncts.push(part),
            }
        }
        // Where the last conjunct holds all of them were computed; where one fails only those before it.
        let mut jumps = Vec::new();
        let mut certain = None;
        for conjunct in conjuncts {
            jumps.push(self.jump_unless(conjunct)?);
            certain.get_or_insert(self.trail.len());
        }
        self.forget(certain.unwrap_or(self.trail.len()));
        Ok(jumps)
    }

    fn jump_unless(&mut self, condition: Term) -> Result<Pc, NoCode> {
        if !self.known.contains_key(&condition)
            && !self.shared.wide[condition.index()]
            && let Some((op, a, b)) = comparison(self.shared.terms, condition)
        {
            let (op, width) = self
                .operation(op, a, b)
                .map(|(o, w)| if negated(self.shared.terms, condition) { (Binary::Ne, w) } else { (o, w) })?;
            let x = self.value(a)?;
            return match self.immediate(b) {
                Some(value) => {
                    let b = self.constant(value);
                    Ok(self.emit(Instr::UnlessCompareConst { op, width, a: x, b, target: 0 }))
                }
                None => {
                    let b = self.value(b)?;
                    Ok(self.emit(Instr::UnlessCompare { op, width, a: x, b, target: 0 }))
                }
            };
        }
        if let Node::Unary(UnOp::Not, inner) = self.shared.terms.node(condition) {
            let condition = self.value(inner)?;
            return Ok(self.emit(Instr::JumpIf { condition, target: 0 }));
        }
        let condition = self.value(condition)?;
        Ok(self.emit(Instr::JumpUnless { condition, target: 0 }))
    }

    /// A term with parts beyond 64 bits: the narrow parts go to slots, the rest is evaluated as a formula.
    fn wide(&mut self, term: Term) -> Result<Slot, NoCode> {
        if self.shared.is_wide(term) {
            return unsupported("a value of more than 64 bits");
        }
        self.descend()?;
        // Parts first: they may have wide terms of their own.
        let mut leaves = Vec::new();
        for leaf in self.wide_leaves(term)? {
            leaves.push((leaf, self.value(leaf)?));
        }
        let mut terms = std::mem::take(&mut self.code.wide_terms);
        if terms.is_empty() {
            terms = self.shared.terms.clone();
        }
        let mut symbols = FxHashMap::default();
        let mut places = Vec::new();
        for (leaf, slot) in leaves {
            let sort = self.shared.sort(leaf).expect("narrow parts have sorts").clone();
            let symbol = terms.declare("part", sort);
            symbols.insert(leaf, terms.symbol(symbol));
            places.push((symbol, slot));
        }
        let term = terms.replace(term, &mut |_, t| symbols.get(&t).copied());
        self.code.wide_terms = terms;
        self.code.wides.push(WideTerm { term, leaves: places });
        let (dst, wide) = (self.fresh(), self.code.wides.len() as u32 - 1);
        self.emit(Instr::Wide { dst, wide });
        self.depth -= 1;
        Ok(dst)
    }

    /// The largest narrow parts below wide ones.
    fn wide_leaves(&self, term: Term) -> Result<Vec<Term>, NoCode> {
        let terms = self.shared.terms;
        let mut seen = rustc_hash::FxHashSet::default();
        let (mut leaves, mut stack) = (Vec::new(), vec![term]);
        while let Some(part) = stack.pop() {
            if !seen.insert(part) {
                continue;
            }
            if seen.len() > MAX_WIDE {
                return unsupported("a large expression with values of more than 64 bits");
            }
            if part != term && !self.shared.is_wide(part) {
                leaves.push(part);
                continue;
            }
            if may_fail(terms, terms.node(part)) {
                return unsupported("a division or shift of more than 64 bits");
            }
            stack.extend(terms.children(part));
        }
        Ok(leaves)
    }
}

/// A comparison: of bit-vectors, of integers, or the negation of an equality.
fn comparison(terms: &Terms, condition: Term) -> Option<(BinOp, Term, Term)> {
    match terms.node(condition) {
        Node::Binary(op @ (BinOp::Eq | BinOp::Le | BinOp::Lt), a, b) => Some((op, a, b)),
        Node::Binary(op, a, b) if op.compares_bit_vectors() => Some((op, a, b)),
        Node::Unary(UnOp::Not, inner) => match terms.node(inner) {
            Node::Binary(BinOp::Eq, a, b) => Some((BinOp::Eq, a, b)),
            _ => None,
        },
        _ => None,
    }
}

fn negated(terms: &Terms, condition: Term) -> bool {
    matches!(terms.node(condition), Node::Unary(UnOp::Not, _))
}

fn on_slots(op: BinOp) -> Binary {
    match op {
        BinOp::And | BinOp::BvAnd | BinOp::BitAnd => Binary::And,
        BinOp::Or | BinOp::BvOr | BinOp::BitOr => Binary::Or,
        BinOp::BvXor | BinOp::BitXor => Binary::Xor,
        BinOp::Eq => Binary::Eq,
        BinOp::Le | BinOp::BvSle => Binary::Sle,
        BinOp::Lt | BinOp::BvSlt => Binary::Slt,
        BinOp::BvUlt => Binary::Ult,
        BinOp::BvUle => Binary::Ule,
        BinOp::Add => Binary::IntAdd,
        BinOp::Sub => Binary::IntSub,
        BinOp::Mul => Binary::IntMul,
        BinOp::Div => Binary::IntDiv,
        BinOp::Rem => Binary::IntRem,
        BinOp::Mod => Binary::IntMod,
        BinOp::FloorDiv => Binary::IntFloorDiv,
        BinOp::Shl => Binary::IntShl,
        BinOp::Shr => Binary::IntShr,
        BinOp::BvAdd => Binary::Add,
        BinOp::BvSub => Binary::Sub,
        BinOp::BvMul => Binary::Mul,
        BinOp::BvUdiv => Binary::Udiv,
        BinOp::BvUrem => Binary::Urem,
        BinOp::BvSdiv => Binary::Sdiv,
        BinOp::BvSrem => Binary::Srem,
        BinOp::BvSmod => Binary::Smod,
        BinOp::BvShl => Binary::Shl,
        BinOp::BvLshr => Binary::Lshr,
        BinOp::BvAshr => Binary::Ashr,
        BinOp::BvConcat => Binary::Concat,
        BinOp::Float(op, _) => Binary::Float(op),
        BinOp::Extended(_) => unreachable!("its operands are wide"),
        BinOp::Select => unreachable!("selects are loads"),
    }
}
