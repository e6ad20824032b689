//! Hash-consed terms over the variables and program counters of a program.
//!
//! A [`Term`] is an index into a [`Terms`] store: copying and comparing one costs nothing, and equal terms have equal
//! indices. The store only grows, so a clone of it can be extended by an engine while all older indices stay valid
//! ([`Terms::extends`]).
//!
//! Terms speak about the state of a program ([`Node::Var`], [`Node::At`]), or they are formulas over [`Symbol`]s: logical
//! variables with a sort of their own, declared in the store. Horn clauses and refinement use the latter; there every
//! operation is total, as in SMT-LIB.
//!
//! Integers are mathematical. Some operations are partial (division by zero, an index outside its array, ...); what a
//! partial operation means for a program is said with the program model, and `And`/`Or` evaluate from left to right
//! so that `i < n and a[i] > 0` is defined for every `i`.

use std::hash::Hash;

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use crate::float::Format;
use crate::operators::{BinOp, UnOp};
use crate::{LocId, ProcId, Sort, VarId, work};

/// The nanoseconds that it takes to make a term, about, with what is done before and after.
const WORK: u64 = 200;

/// A term: an index into the [`Terms`] store that made it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(u32);

impl Term {
    /// The position of this term in its store.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A logical variable: an index into the declarations of its [`Terms`] store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(u32);

impl Symbol {
    /// The position of its declaration.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A sort that occurs inside a term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SortId(u32);

/// An integer constant beyond 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BigId(u32);

/// The outermost operation of a term and its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Node {
    /// A truth value.
    Bool(bool),
    /// An integer constant.
    Int(i64),
    /// An integer constant beyond 64 bits; only in formulas.
    Big(BigId),
    /// A bit-vector constant of some width with a value below `2^64`; bit-vectors occur only in formulas.
    BitVec(u32, u64),
    /// A bit-vector constant of some width with a larger value.
    BigBitVec(u32, BigId),
    /// A logical variable; only in formulas.
    Symbol(Symbol),
    /// The array of this sort with the same element everywhere; only in formulas.
    ConstArray(SortId, Term),
    /// A variable: Boolean, integer or array by its declaration.
    Var(VarId),
    /// True iff the process is at the location.
    At(ProcId, LocId),
    /// The value chosen by the n-th input assignment of a step; only in the symbolic reading of a transition.
    Input(u32),
    /// A unary operation.
    Unary(UnOp, Term),
    /// A binary operation.
    Binary(BinOp, Term, Term),
    /// If-then-else on integers or Booleans.
    Ite(Term, Term, Term),
    /// The product of the first two floating-point numbers plus the third one, rounded once; on their bits.
    Fma(Format, Term, Term, Term),
    /// The array that differs from the first argument only at the index (second), where it holds the third.
    Store(Term, Term, Term),
    /// The bits `hi..=lo` of a bit-vector.
    Extract {
        /// The highest bit taken.
        hi: u32,
        /// The lowest bit taken.
        lo: u32,
        /// The bit-vector.
        of: Term,
    },
    /// A bit-vector with more bits above its own.
    Extend {
        /// Whether the new bits are copies of the sign; otherwise they are 0.
        signed: bool,
        /// How many bits more.
        by: u32,
        /// The bit-vector.
        of: Term,
    },
    /// An integer modulo `2^width` as a bit-vector of that width.
    IntToBv(u32, Term),
}

/// The store of all terms of a program.
#[derive(Clone, Default, Debug)]
pub struct Terms {
    nodes: Vec<Node>,
    /// The sort of each term, where it has one.
    sort_of: Vec<Option<SortId>>,
    index: FxHashMap<Node, Term>,
    symbols: Vec<(String, Sort)>,
    /// In boxes, for these are small and the store is part of verdicts.
    sorts: Box<Table<Sort>>,
    bigs: Box<Table<BigInt>>,
}

/// Distinct values by number.
#[derive(Clone, Debug)]
struct Table<T> {
    values: Vec<T>,
    index: FxHashMap<T, u32>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { values: Vec::new(), index: FxHashMap::default() }
    }
}

impl<T: Clone + Eq + Hash> Table<T> {
    fn number(&mut self, value: T) -> u32 {
        *self.index.entry(value).or_insert_with_key(|value| {
            self.values.push(value.clone());
            u32::try_from(self.values.len() - 1).expect("fewer than 2^32 values")
        })
    }
}

impl Terms {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// The term with this outermost node.
    pub fn intern(&mut self, node: Node) -> Term {
        work::add(WORK);
        if let Some(&known) = self.index.get(&node) {
            return known;
        }
        let sort = self.node_sort(node);
        let term = Term(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        self.nodes.push(node);
        self.sort_of.push(sort);
        self.index.insert(node, term);
        term
    }

    /// The term with this outermost node, if it was made.
    pub fn find(&self, node: Node) -> Option<Term> {
        self.index.get(&node).copied()
    }

    /// The sort of a formula's term. Terms over the state of a program have none here: their variables are declared
    /// elsewhere.
    ///
    /// A sum of real terms and integer constants is real.
    pub fn sort(&self, term: Term) -> Sort {
        let id = self.sort_id(term).expect("program variables are declared by their program");
        self.sort_of_id(id).clone()
    }

    /// The number of a term's sort; variables of a program have none.
    pub fn sort_id(&self, term: Term) -> Option<SortId> {
        self.sort_of[term.index()]
    }

    pub(crate) fn intern_sort(&mut self, sort: Sort) -> SortId {
        SortId(self.sorts.number(sort))
    }

    /// The outermost node of a term.
    pub fn node(&self, term: Term) -> Node {
        self.nodes[term.index()]
    }

    /// How many distinct terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All terms; the parts of a term come before it.
    pub fn all_terms(&self) -> impl Iterator<Item = Term> + use<> {
        (0..self.nodes.len() as u32).map(Term)
    }

    /// Whether no term was made yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether every term of `older` is the same term here.
    pub fn extends(&self, older: &Terms) -> bool {
        self.nodes.starts_with(&older.nodes)
            && self.symbols.starts_with(&older.symbols)
            && self.sorts.values.starts_with(&older.sorts.values)
            && self.bigs.values.starts_with(&older.bigs.values)
    }

    /// Declares a symbol, distinct from all others of any name.
    pub fn declare(&mut self, name: impl Into<String>, sort: Sort) -> Symbol {
        self.symbols.push((name.into(), sort));
        Symbol(u32::try_from(self.symbols.len() - 1).expect("fewer than 2^32 symbols"))
    }

    /// The term that is a symbol.
    pub fn symbol(&mut self, symbol: Symbol) -> Term {
        self.intern(Node::Symbol(symbol))
    }

    /// Declares a symbol, and is the term for it.
    pub fn fresh(&mut self, name: impl Into<String>, sort: Sort) -> Term {
        let symbol = self.declare(name, sort);
        self.symbol(symbol)
    }

    /// The name a symbol was declared with.
    pub fn symbol_name(&self, symbol: Symbol) -> &str {
        &self.symbols[symbol.index()].0
    }

    /// The sort of a symbol.
    pub fn symbol_sort(&self, symbol: Symbol) -> &Sort {
        &self.symbols[symbol.index()].1
    }

    /// The symbol that was declared at this position, if there are so many.
    pub fn symbol_at(&self, index: usize) -> Option<Symbol> {
        let known = index < self.symbols.len();
        known.then(|| Symbol(u32::try_from(index).expect("fewer than 2^32 symbols")))
    }

    /// How many symbols are declared.
    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// An integer constant of any size.
    pub fn big(&mut self, value: BigInt) -> Term {
        if let Ok(small) = i64::try_from(&value) {
            return self.int(small);
        }
        let id = self.intern_big(value);
        self.intern(Node::Big(id))
    }

    pub(crate) fn intern_big(&mut self, value: BigInt) -> BigId {
        BigId(self.bigs.number(value))
    }

    /// The value of a constant beyond 64 bits.
    pub fn big_value(&self, id: BigId) -> &BigInt {
        &self.bigs.values[id.0 as usize]
    }

    /// The integer a constant term stands for.
    pub fn as_integer(&self, term: Term) -> Option<BigInt> {
        match self.node(term) {
            Node::Int(v) => Some(v.into()),
            Node::Big(id) => Some(self.big_value(id).clone()),
            _ => None,
        }
    }

    /// The array of the (array) sort that holds `element` everywhere.
    pub fn const_array(&mut self, sort: Sort, element: Term) -> Term {
        let id = self.intern_sort(sort);
        self.intern(Node::ConstArray(id, element))
    }

    /// A sort that occurs in a term.
    pub fn sort_of_id(&self, id: SortId) -> &Sort {
        &self.sorts.values[id.0 as usize]
    }

    /// True.
    pub fn tt(&mut self) -> Term {
        self.bool(true)
    }

    /// False.
    pub fn ff(&mut self) -> Term {
        self.bool(false)
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) -> Term {
        self.intern(Node::Bool(value))
    }

    /// An integer constant.
    pub fn int(&mut self, value: i64) -> Term {
        self.intern(Node::Int(value))
    }

    /// A variable.
    pub fn var(&mut self, var: VarId) -> Term {
        self.intern(Node::Var(var))
    }

    /// The atom "process is at location".
    pub fn at(&mut self, process: ProcId, location: LocId) -> Term {
        self.intern(Node::At(process, location))
    }

    /// A unary operation, folded where its argument is constant.
    pub fn unary(&mut self, op: UnOp, a: Term) -> Term {
        match (op, self.node(a)) {
            _ if op.on_bit_vectors() => self.bv_unary(op, a),
            (UnOp::Float(op, format), _) => self.float_unary(op, format, a),
            (UnOp::Extended(op), _) => self.extended_unary(op, a),
            (UnOp::Not, Node::Bool(b)) => self.bool(!b),
            (UnOp::Not, Node::Unary(UnOp::Not, inner)) => inner,
            (UnOp::BoolToInt, Node::Bool(b)) => self.int(i64::from(b)),
            (UnOp::Neg, Node::Int(v)) if v != i64::MIN => self.int(-v),
            (UnOp::BitNot, Node::Int(v)) if i32::try_from(v).is_ok() => self.int(!v),
            _ => self.intern(Node::Unary(op, a)),
        }
    }

    /// A binary operation, folded where that is possible without changing where it is defined.
    pub fn binary(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let folded = match (op, self.node(a), self.node(b)) {
            _ if op.on_bit_vectors() => return self.bv(op, a, b),
            (BinOp::Float(op, format), ..) => return self.float_binary(op, format, a, b),
            (BinOp::Extended(op), ..) => return self.extended_binary(op, a, b),
            (BinOp::And, Node::Bool(true), _) | (BinOp::Or, Node::Bool(false), _) => Some(b),
            (BinOp::And, Node::Bool(false), _) | (BinOp::Or, Node::Bool(true), _) => Some(a),
            (BinOp::And, _, Node::Bool(true)) | (BinOp::Or, _, Node::Bool(false)) => Some(a),
            (BinOp::And | BinOp::Or, _, _) if a == b => Some(a),
            (BinOp::And, _, Node::Bool(false)) | (BinOp::Or, _, Node::Bool(true)) if self.is_formula(a) => Some(b),
            (op, Node::Int(x), Node::Int(y)) => self.fold_constants(op, x, y),
            (BinOp::Eq, Node::BitVec(..) | Node::BigBitVec(..), Node::BitVec(..) | Node::BigBitVec(..)) => {
                Some(self.bool(a == b))
            }
            _ => None,
        };
        folded.unwrap_or_else(|| self.intern(Node::Binary(op, a, b)))
    }

    fn fold_constants(&mut self, op: BinOp, x: i64, y: i64) -> Option<Term> {
        match op {
            BinOp::Eq => Some(self.bool(x == y)),
            BinOp::Le => Some(self.bool(x <= y)),
            BinOp::Lt => Some(self.bool(x < y)),
            _ => crate::integers::integer_op(op, x, y).ok().map(|v| self.int(v)),
        }
    }

    /// If-then-else, folded for a constant condition or equal branches.
    pub fn ite(&mut self, condition: Term, then: Term, otherwise: Term) -> Term {
        match self.node(condition) {
            Node::Bool(true) => then,
            Node::Bool(false) => otherwise,
            _ if then == otherwise && self.is_total(condition) => then,
            _ => self.intern(Node::Ite(condition, then, otherwise)),
        }
    }

    /// The array `array` with `value` at `index`.
    pub fn store(&mut self, array: Term, index: Term, value: Term) -> Term {
        self.intern(Node::Store(array, index, value))
    }

    /// Element of an array; a read over a write is resolved ("is it the same index?").
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        match self.node(array) {
            Node::Store(base, at, value) => {
                let same = self.eq(at, index);
                let below = self.select(base, index);
                self.ite(same, value, below)
            }
            Node::ConstArray(_, element) => element,
            _ => self.intern(Node::Binary(BinOp::Select, array, index)),
        }
    }

    /// Boolean negation.
    pub fn not(&mut self, a: Term) -> Term {
        self.unary(UnOp::Not, a)
    }

    /// Conjunction.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinOp::And, a, b)
    }

    /// Disjunction.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinOp::Or, a, b)
    }

    /// Conjunction of many.
    pub fn all(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        let tt = self.tt();
        terms.into_iter().fold(tt, |acc, t| self.and(acc, t))
    }

    /// Disjunction of many.
    pub fn any(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        let ff = self.ff();
        terms.into_iter().fold(ff, |acc, t| self.or(acc, t))
    }

    /// Whether the term certainly has a value in every state: then it may be dropped where its value does not matter.
    fn is_total(&self, term: Term) -> bool {
        let (mut over_state, mut partial) = (false, false);
        self.visit(term, &mut |node| match node {
            Node::Var(_) => over_state = true,
            Node::Binary(BinOp::Div | BinOp::Rem | BinOp::Select | BinOp::Shl | BinOp::Shr, ..)
            | Node::Binary(BinOp::BitAnd | BinOp::BitOr | BinOp::BitXor, ..)
            | Node::Unary(UnOp::BitNot, _) => partial = true,
            _ => {}
        });
        !(over_state && partial)
    }

    /// Equality.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        if a == b && self.is_total(a) { self.tt() } else { self.binary(BinOp::Eq, a, b) }
    }

    /// `a = b`, of truth values: a constant side disappears.
    pub fn iff(&mut self, a: Term, b: Term) -> Term {
        match (self.node(a), self.node(b)) {
            (Node::Bool(true), _) => b,
            (_, Node::Bool(true)) => a,
            (Node::Bool(false), _) => self.not(b),
            (_, Node::Bool(false)) => self.not(a),
            _ => self.eq(a, b),
        }
    }

    /// `a <= b`.
    pub fn le(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinOp::Le, a, b)
    }

    /// `a < b`.
    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinOp::Lt, a, b)
    }

    /// Sum.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinOp::Add, a, b)
    }

    /// Difference.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinOp::Sub, a, b)
    }

    /// Product.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        self.binary(BinOp::Mul, a, b)
    }
}
