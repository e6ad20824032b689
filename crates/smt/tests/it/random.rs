//! Random infeasible trees: whatever is returned passes the check.

use clinch_smt::{ItpConfig, ItpError, ItpNode, Method, check, interpolate};
use clinch_terms::{BinOp, Sort, Term, Terms, UnOp};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What formulas are made of.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Conjunctive,
    Boolean,
    Real,
}

struct Generator {
    rng: Xoshiro256PlusPlus,
    kind: Kind,
}

impl Generator {
    fn number(&mut self, terms: &mut Terms, symbols: &[Term], depth: usize) -> Term {
        let (x, k) = (symbols[self.rng.random_range(0..symbols.len())], self.rng.random_range(-4..=4));
        let constant = terms.int(k);
        match self.rng.random_range(0..if depth == 0 { 2 } else { 8 }) {
            0 => constant,
            1 => x,
            2 | 3 => {
                let (a, b) = (self.number(terms, symbols, depth - 1), self.number(terms, symbols, depth - 1));
                terms.add(a, b)
            }
            4 => {
                let a = self.number(terms, symbols, depth - 1);
                terms.mul(constant, a)
            }
            5 if self.kind == Kind::Boolean => {
                let c = self.formula(terms, symbols, depth - 1);
                let (a, b) = (self.number(terms, symbols, depth - 1), self.number(terms, symbols, depth - 1));
                terms.ite(c, a, b)
            }
            6 if self.kind == Kind::Boolean => {
                let (a, n) = (self.number(terms, symbols, depth - 1), self.rng.random_range(2..4));
                let n = terms.int(n);
                let op = if self.rng.random() { BinOp::Mod } else { BinOp::FloorDiv };
                terms.binary(op, a, n)
            }
            _ => {
                let a = self.number(terms, symbols, depth - 1);
                terms.sub(x, a)
            }
        }
    }

    fn atom(&mut self, terms: &mut Terms, symbols: &[Term], depth: usize) -> Term {
        let (a, b) = (self.number(terms, symbols, depth), self.number(terms, symbols, depth));
        match self.rng.random_range(0..4) {
            0 | 1 => terms.eq(a, b),
            2 => terms.le(a, b),
            _ => terms.lt(a, b),
        }
    }

    fn formula(&mut self, terms: &mut Terms, symbols: &[Term], depth: usize) -> Term {
        if depth == 0 || self.kind == Kind::Conjunctive || self.rng.random_range(0..3) == 0 {
            return self.atom(terms, symbols, 1 + usize::from(self.kind == Kind::Conjunctive));
        }
        let (a, b) = (self.formula(terms, symbols, depth - 1), self.formula(terms, symbols, depth - 1));
        match self.rng.random_range(0..6) {
            0 => terms.and(a, b),
            1 => terms.eq(a, b),
            2 => {
                let c = self.formula(terms, symbols, depth - 1);
                terms.ite(c, a, b)
            }
            3 => terms.not(a),
            4 => {
                let (a, one) = (terms.unary(UnOp::BoolToInt, a), terms.int(1));
                if self.kind == Kind::Real { terms.le(one, a) } else { terms.eq(a, one) }
            }
            _ => terms.or(a, b),
        }
    }

    /// A tree over symbols shared along its edges, with some Boolean ones, given as `b = (1 <= x)` so that the same
    /// generator makes them.
    fn tree(&mut self, terms: &mut Terms, nodes: usize, sequence: bool) -> Vec<ItpNode> {
        let sort = if self.kind == Kind::Real { Sort::Real } else { Sort::Int };
        let mut open: Vec<usize> = Vec::new();
        let mut up: Vec<Vec<Term>> = Vec::new();
        let mut tree = Vec::new();
        for i in 0..nodes {
            let mut children = Vec::new();
            while let Some(&last) = open.last() {
                if sequence || i + 1 == nodes || self.rng.random() {
                    children.push(last);
                    open.pop();
                } else {
                    break;
                }
            }
            up.push((0..2).map(|_| terms.fresh("s", sort.clone())).collect());
            let flag = terms.fresh("b", Sort::Bool);
            let mut symbols: Vec<Term> = children.iter().flat_map(|&c: &usize| up[c].clone()).collect();
            let flags: Vec<Term> = symbols.iter().copied().filter(|&s| terms.sort(s) == Sort::Bool).collect();
            symbols.retain(|&s| terms.sort(s) != Sort::Bool);
            symbols.extend(&up[i]);
            let mut formula = terms.tt();
            for _ in 0..self.rng.random_range(1..4) {
                let part = self.formula(terms, &symbols, 3);
                formula = terms.and(formula, part);
            }
            if self.kind != Kind::Conjunctive {
                let meaning = self.atom(terms, &symbols, 1);
                let definition = terms.eq(flag, meaning);
                formula = terms.and(formula, definition);
                for below in flags {
                    let consequence = self.atom(terms, &symbols, 1);
                    let implication = terms.or(below, consequence);
                    formula = terms.and(formula, implication);
                }
                up[i].push(flag);
            }
            tree.push(ItpNode { formula, children });
            open.push(i);
        }
        tree
    }
}

/// How often each method succeeded on infeasible trees.
fn run(kind: Kind, method: Method, seeds: std::ops::Range<u64>) -> (usize, usize, usize, Vec<String>) {
    let (mut done, mut infeasible, mut rejected, mut reasons) = (0, 0, 0, Vec::new());
    for seed in seeds {
        let mut generator = Generator { rng: Xoshiro256PlusPlus::seed_from_u64(seed), kind };
        let mut terms = Terms::new();
        let nodes = 2 + (seed % 7) as usize;
        let tree = generator.tree(&mut terms, nodes, seed % 2 == 0);
        let config = ItpConfig { methods: vec![method], ..ItpConfig::default() };
        match interpolate(&mut terms, &tree, &config, &|| false) {
            Err(ItpError::Satisfiable) => continue,
            Ok(result) => {
                assert!(check(&mut terms, &tree, &result.formulas), "seed {seed}");
                done += 1;
            }
            Err(ItpError::GaveUp(reason)) => {
                rejected += usize::from(reason.contains("not confirmed"));
                reasons.push(format!("{seed}: {reason}"));
            }
        }
        infeasible += 1;
    }
    (done, infeasible, rejected, reasons)
}

#[test]
fn farkas_on_conjunctions() {
    let (done, infeasible, rejected, reasons) = run(Kind::Conjunctive, Method::Farkas, 0..300);
    assert!(infeasible > 50 && rejected == 0 && done * 100 >= infeasible * 98, "{done}/{infeasible} {reasons:#?}");
}

#[test]
fn farkas_on_formulas() {
    let (done, infeasible, rejected, reasons) = run(Kind::Boolean, Method::Farkas, 0..300);
    assert!(infeasible > 50 && rejected == 0 && done * 100 >= infeasible * 95, "{done}/{infeasible} {reasons:#?}");
}

#[test]
fn farkas_on_reals() {
    let (done, infeasible, rejected, reasons) = run(Kind::Real, Method::Farkas, 0..300);
    assert!(infeasible > 50 && rejected == 0 && done == infeasible, "{done}/{infeasible} {reasons:#?}");
}

#[test]
fn horn() {
    for kind in [Kind::Conjunctive, Kind::Boolean, Kind::Real] {
        let (done, infeasible, rejected, reasons) = run(kind, Method::Horn, 0..60);
        assert!(infeasible > 15 && done * 100 >= infeasible * 80, "{done}/{infeasible} {rejected} {reasons:#?}");
    }
}

#[test]
fn newton() {
    for kind in [Kind::Conjunctive, Kind::Boolean, Kind::Real] {
        let (done, infeasible, rejected, reasons) = run(kind, Method::Newton, 0..150);
        assert!(infeasible > 15 && done * 100 >= infeasible * 90, "{done}/{infeasible} {rejected} {reasons:#?}");
    }
}
