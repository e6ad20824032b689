//! Walks over terms: arguments, substitution, what occurs in a term.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{BinOp, Node, Symbol, Term, Terms, UnOp, VarId};

impl Terms {
    /// The symbols of a term, ascending and without repetition.
    pub fn symbols(&self, term: Term) -> Vec<Symbol> {
        self.symbols_of(&[term])
    }

    /// The symbols of several terms, ascending and without repetition. What the terms share is looked at once.
    pub fn symbols_of(&self, roots: &[Term]) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        self.visit_all(roots, &mut |node| {
            if let Node::Symbol(s) = node {
                symbols.push(s);
            }
        });
        symbols.sort_unstable();
        symbols
    }

    /// How many different parts a term has; if there are more than `limit`, some number above it.
    pub fn size(&self, term: Term, limit: usize) -> usize {
        let (mut seen, mut waiting) = (FxHashSet::from_iter([term]), vec![term]);
        while let Some(term) = waiting.pop().filter(|_| seen.len() <= limit) {
            waiting.extend(self.children(term).filter(|&child| seen.insert(child)));
        }
        seen.len()
    }

    /// The conjuncts of a formula, in order, each once.
    pub fn conjuncts(&self, formula: Term) -> Vec<Term> {
        self.operands(BinOp::And, &[formula])
    }

    /// The disjuncts of a formula, in order, each once.
    pub fn disjuncts(&self, formula: Term) -> Vec<Term> {
        self.operands(BinOp::Or, &[formula])
    }

    /// The operands of nested operations of one kind, in order, each once.
    pub fn operands(&self, op: BinOp, formulas: &[Term]) -> Vec<Term> {
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        let mut waiting: Vec<Term> = formulas.iter().rev().copied().collect();
        while let Some(part) = waiting.pop() {
            match self.node(part) {
                _ if !seen.insert(part) => {}
                Node::Binary(other, a, b) if other == op => waiting.extend([b, a]),
                _ => found.push(part),
            }
        }
        found
    }

    /// What a formula says: its conjuncts but for `true`, also those of negated disjunctions, in order, each once.
    pub fn facts(&mut self, formula: Term) -> Vec<Term> {
        self.dual_operands((BinOp::And, BinOp::Or), formula)
    }

    /// The cases of a formula: its disjuncts, also those of negated conjunctions, in order, each once.
    pub fn cases(&mut self, formula: Term) -> Vec<Term> {
        self.dual_operands((BinOp::Or, BinOp::And), formula)
    }

    fn dual_operands(&mut self, (op, dual): (BinOp, BinOp), formula: Term) -> Vec<Term> {
        let (mut found, mut waiting, mut seen) = (Vec::new(), vec![formula], FxHashSet::default());
        while let Some(part) = waiting.pop() {
            let inner = match self.node(part) {
                Node::Unary(UnOp::Not, inner) => self.node(inner),
                _ => Node::Bool(false),
            };
            match (self.node(part), inner) {
                _ if !seen.insert(part) => {}
                (Node::Bool(true), _) if op == BinOp::And => {}
                (Node::Binary(other, a, b), _) if other == op => waiting.extend([b, a]),
                (_, Node::Binary(other, a, b)) if other == dual => {
                    let (a, b) = (self.not(a), self.not(b));
                    waiting.extend([b, a]);
                }
                _ => found.push(part),
            }
        }
        found
    }

    /// Simultaneous substitution of terms for symbols.
    pub fn substitute_symbols(&mut self, term: Term, map: &FxHashMap<Symbol, Term>) -> Term {
        self.substituted(term, map, &mut FxHashMap::default())
    }

    fn substituted(&mut self, term: Term, map: &FxHashMap<Symbol, Term>, memo: &mut FxHashMap<Term, Term>) -> Term {
        if let Node::Symbol(symbol) = self.node(term) {
            return map.get(&symbol).copied().unwrap_or(term);
        }
        let mut children = self.children(term).peekable();
        if children.peek().is_none() {
            return term;
        }
        // What has only symbols and constants as arguments is sooner made again than looked up.
        let is_flat = children.all(|child| self.children(child).next().is_none());
        if let Some(&done) = memo.get(&term).filter(|_| !is_flat) {
            return done;
        }
        let result = self.map_children(term, |terms, child| terms.substituted(child, map, memo));
        if !is_flat {
            memo.insert(term, result);
        }
        result
    }

    /// The direct arguments of a term.
    pub fn children(&self, term: Term) -> impl Iterator<Item = Term> + use<> {
        let (a, b, c) = match self.node(term) {
            Node::Unary(_, a) | Node::ConstArray(_, a) | Node::IntToBv(_, a) => (Some(a), None, None),
            Node::Extract { of, .. } | Node::Extend { of, .. } => (Some(of), None, None),
            Node::Binary(_, a, b) => (Some(a), Some(b), None),
            Node::Ite(a, b, c) | Node::Store(a, b, c) | Node::Fma(_, a, b, c) => (Some(a), Some(b), Some(c)),
            _ => (None, None, None),
        };
        [a, b, c].into_iter().flatten()
    }

    /// The same term with its direct arguments replaced by `f`, rebuilt (and folded) by the constructors above.
    pub fn map_children(&mut self, term: Term, mut f: impl FnMut(&mut Self, Term) -> Term) -> Term {
        match self.node(term) {
            Node::Bool(_) | Node::Int(_) | Node::Big(_) | Node::BitVec(..) | Node::BigBitVec(..) => term,
            Node::Var(_) | Node::At(..) | Node::Input(_) | Node::Symbol(_) => term,
            Node::ConstArray(sort, element) => {
                let element = f(self, element);
                self.intern(Node::ConstArray(sort, element))
            }
            Node::Unary(op, a) => {
                let a = f(self, a);
                self.unary(op, a)
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (f(self, a), f(self, b));
                match op {
                    BinOp::Select => self.select(a, b),
                    BinOp::Eq => self.eq(a, b),
                    _ => self.binary(op, a, b),
                }
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (f(self, c), f(self, a), f(self, b));
                self.ite(c, a, b)
            }
            Node::Store(array, index, value) => {
                let (array, index, value) = (f(self, array), f(self, index), f(self, value));
                self.store(array, index, value)
            }
            Node::Fma(format, a, b, c) => {
                let (a, b, c) = (f(self, a), f(self, b), f(self, c));
                self.fma(format, a, b, c)
            }
            Node::Extract { hi, lo, of } => {
                let of = f(self, of);
                self.extract(hi, lo, of)
            }
            Node::Extend { signed, by, of } => {
                let of = f(self, of);
                self.extend(signed, by, of)
            }
            Node::IntToBv(width, a) => {
                let a = f(self, a);
                self.int_to_bv(width, a)
            }
        }
    }

    /// Replaces subterms: `f` says what stands for a term, or `None` to look inside it.
    pub fn replace(&mut self, term: Term, f: &mut impl FnMut(&mut Self, Term) -> Option<Term>) -> Term {
        self.replace_memo(term, f, &mut FxHashMap::default())
    }

    fn replace_memo(
        &mut self,
        term: Term,
        f: &mut impl FnMut(&mut Self, Term) -> Option<Term>,
        memo: &mut FxHashMap<Term, Term>,
    ) -> Term {
        if let Some(&done) = memo.get(&term) {
            return done;
        }
        let result = match f(self, term) {
            Some(replacement) => replacement,
            None => self.map_children(term, |terms, child| terms.replace_memo(child, f, memo)),
        };
        memo.insert(term, result);
        result
    }

    /// Simultaneous substitution of terms for variables.
    pub fn substitute(&mut self, term: Term, map: &FxHashMap<VarId, Term>) -> Term {
        self.replace(term, &mut |terms, t| match terms.node(t) {
            Node::Var(v) => map.get(&v).copied(),
            _ => None,
        })
    }

    /// The variables of a term, ascending and without repetition.
    pub fn vars(&self, term: Term) -> Vec<VarId> {
        let mut vars = Vec::new();
        self.visit(term, &mut |node| {
            if let Node::Var(v) = node {
                vars.push(v);
            }
        });
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// Whether the term speaks about program counters.
    pub fn mentions_control(&self, term: Term) -> bool {
        let mut found = false;
        self.visit(term, &mut |node| found |= matches!(node, Node::At(..)));
        found
    }

    /// Whether the term is certainly a formula over symbols, which is total, and not one over a program's state: no term is both.
    pub(crate) fn is_formula(&self, term: Term) -> bool {
        let mut stack = vec![term];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(part) = stack.pop() {
            match self.node(part) {
                Node::Symbol(_) => return true,
                Node::Var(_) | Node::At(..) | Node::Input(_) => return false,
                _ if seen.insert(part) => stack.extend(self.children(part)),
                _ => {}
            }
        }
        false
    }

    /// Calls `f` once for each distinct subterm's node.
    pub fn visit(&self, term: Term, f: &mut impl FnMut(Node)) {
        self.visit_all(&[term], f);
    }

    fn visit_all(&self, roots: &[Term], f: &mut impl FnMut(Node)) {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = roots.to_vec();
        while let Some(t) = stack.pop() {
            if seen.insert(t) {
                f(self.node(t));
                stack.extend(self.children(t));
            }
        }
    }

    /// The distinct parts of a term, itself included, each after its own parts.
    pub fn parts(&self, term: Term) -> Vec<Term> {
        let mut seen = rustc_hash::FxHashSet::default();
        let (mut parts, mut stack) = (Vec::new(), vec![term]);
        while let Some(part) = stack.pop() {
            if seen.insert(part) {
                parts.push(part);
                stack.extend(self.children(part));
            }
        }
        // A part is made before the terms that have it.
        parts.sort_unstable();
        parts
    }

    /// As [`Terms::substitute_symbols`], for terms of any depth.
    pub fn substitute_deep(&mut self, term: Term, map: &FxHashMap<Symbol, Term>) -> Term {
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        for part in self.parts(term) {
            let new = match self.node(part) {
                Node::Symbol(symbol) => map.get(&symbol).copied().unwrap_or(part),
                _ if self.children(part).all(|c| done[&c] == c) => part,
                _ => self.map_children(part, |_, child| done[&child]),
            };
            done.insert(part, new);
        }
        done[&term]
    }
}
