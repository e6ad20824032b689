//! Integers of fewer bits: a program whose integer variables hold only so many bits each.
//!
//! What is written to a variable is cut to its lowest bits and extended again by its sign, or by zeros, and so are sums, differences
//! and products of such variables and of constants that fit: an integer has so many bits. Everything else is computed as before;
//! pointers, truth values, cells of memory and their addresses keep their bits.

use rustc_hash::FxHashMap;

use crate::cfa::{Assign, CfaProgram, Edge, Location, Op, Procedure, ProcedureId, Target};
use crate::program::LocId;
use crate::sort::Sort;
use crate::term::{BinOp, Node, Symbol, Term, Terms, UnOp};

/// How a variable is narrowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Narrowing {
    /// The bits it holds.
    pub bits: u32,
    /// Whether the bits above are copies of the highest one; otherwise they are 0.
    pub signed: bool,
}

/// A program with narrow integers.
#[derive(Clone, Debug)]
pub struct Narrowed {
    /// The program. Its terms extend those of the original, its edges begin with the original's.
    pub program: CfaProgram,
    /// The variables that hold fewer bits than their sort has.
    pub variables: FxHashMap<Symbol, Narrowing>,
    /// Locations between an input and the step that cuts it: there the variable has all its bits.
    pub uncut: FxHashMap<(ProcedureId, LocId), Symbol>,
}

/// Cuts all integer variables of more than so many bits.
pub fn narrow(original: &CfaProgram, bits: u32) -> Narrowed {
    let mut program = original.clone();
    let scalars = program.globals.iter().map(|g| g.symbol);
    let locals = program.procedures.iter().flat_map(|p| p.params.iter().chain(&p.locals).copied());
    let all: Vec<Symbol> = scalars.chain(locals).collect();
    let variables: FxHashMap<Symbol, Narrowing> =
        all.into_iter().filter_map(|s| Some((s, narrowing(original, s, bits)?))).collect();
    let mut pass = Pass { variables, uncut: FxHashMap::default(), known: FxHashMap::default() };
    for global in &mut program.globals {
        global.init = pass.fit(&mut program.terms, global.symbol, global.init);
    }
    for index in 0..program.procedures.len() {
        let mut procedure = program.procedures[index].clone();
        pass.procedure(&mut program, ProcedureId::from_index(index), &mut procedure);
        program.procedures[index] = procedure;
    }
    Narrowed { program, variables: pass.variables, uncut: pass.uncut }
}

fn narrowing(program: &CfaProgram, symbol: Symbol, bits: u32) -> Option<Narrowing> {
    let Sort::BitVec(width) = *program.terms.symbol_sort(symbol) else { return None };
    let info = program.variables.get(&symbol);
    let pointer = info.is_some_and(|i| i.ty.contains(['*', '(', '[']));
    let signed = info.is_some_and(|i| i.signed);
    (width > bits && bits > 0 && !pointer).then_some(Narrowing { bits, signed })
}

struct Pass {
    variables: FxHashMap<Symbol, Narrowing>,
    uncut: FxHashMap<(ProcedureId, LocId), Symbol>,
    /// Terms that were cut.
    known: FxHashMap<Term, Term>,
}

impl Pass {
    /// The value as the variable holds it.
    fn fit(&self, terms: &mut Terms, symbol: Symbol, value: Term) -> Term {
        let Some(narrowing) = self.variables.get(&symbol) else { return value };
        let width = terms.bv_width(value);
        let low = terms.extract(narrowing.bits - 1, 0, value);
        terms.resize(narrowing.signed, width, low)
    }

    /// A value for a variable, as the program computes it.
    fn written(&mut self, terms: &mut Terms, symbol: Symbol, value: Term) -> Term {
        // What is not narrow may be an address.
        let integer = self.variables.contains_key(&symbol) || *terms.symbol_sort(symbol) == Sort::Bool;
        let value = if integer { self.cut(terms, value) } else { value };
        self.fit(terms, symbol, value)
    }

    /// The term with sums, differences and products of narrow integers cut.
    fn cut(&mut self, terms: &mut Terms, term: Term) -> Term {
        if let Some(&known) = self.known.get(&term) {
            return known;
        }
        let cut = self.cut_anew(terms, term);
        self.known.insert(term, cut);
        cut
    }

    fn cut_anew(&mut self, terms: &mut Terms, term: Term) -> Term {
        match terms.node(term) {
            Node::Binary(BinOp::Select, ..) | Node::Symbol(_) => return term,
            _ => {}
        }
        let narrowing = self.arithmetic(terms, term);
        let inner = terms.map_children(term, |terms, child| self.cut(terms, child));
        match narrowing {
            Some(Narrowing { bits, signed }) => {
                let width = terms.bv_width(inner);
                let low = terms.extract(bits - 1, 0, inner);
                terms.resize(signed, width, low)
            }
            None => inner,
        }
    }

    /// How a term is cut, if it is arithmetic on narrow integers.
    fn arithmetic(&self, terms: &Terms, term: Term) -> Option<Narrowing> {
        let arithmetic = match terms.node(term) {
            Node::Binary(op, ..) => matches!(op, BinOp::BvAdd | BinOp::BvSub | BinOp::BvMul | BinOp::BvShl),
            Node::Unary(op, _) => op == UnOp::BvNeg,
            _ => false,
        };
        if !arithmetic {
            return None;
        }
        let mut bits = 0;
        let mut signed = true;
        for symbol in terms.symbols(term) {
            let narrowing = self.variables.get(&symbol)?;
            bits = narrowing.bits;
            signed &= narrowing.signed;
        }
        let mut fits = true;
        terms.visit(term, &mut |node| {
            if let Node::BitVec(width, value) = node {
                let unused = 64 - width.min(64);
                let number = ((value << unused) as i64) >> unused;
                fits &= bits > 0 && (number >> bits.min(63) == 0 || number >> (bits - 1).min(63) == -1);
            }
        });
        (fits && bits > 0 && bits < terms.bv_width(term)).then_some(Narrowing { bits, signed })
    }

    fn procedure(&mut self, program: &mut CfaProgram, id: ProcedureId, procedure: &mut Procedure) {
        for index in 0..procedure.edges.len() {
            let edge = procedure.edges[index].clone();
            let result = procedure.result;
            let after = match &edge.op {
                Op::Input(symbol, _) | Op::BlockSize(symbol, _) => Some(*symbol),
                Op::Call { callee, result: Some(target), .. } => {
                    let from = program.procedure(*callee).result.and_then(|r| self.variables.get(&r));
                    Some(*target).filter(|t| self.variables.get(t) != from)
                }
                _ => None,
            };
            procedure.edges[index].op = self.op(program, edge.op, result);
            if let Some(symbol) = after.filter(|s| self.variables.contains_key(s)) {
                let between = self.fit_after(&mut program.terms, procedure, index, symbol);
                self.uncut.insert((id, between), symbol);
            }
        }
    }

    fn op(&mut self, program: &mut CfaProgram, op: Op, result: Option<Symbol>) -> Op {
        match op {
            Op::Assume(condition) => Op::Assume(self.cut(&mut program.terms, condition)),
            Op::Assign(assigns) => {
                let fit = |a: Assign| match a.target {
                    Target::Var(symbol) => Assign { value: self.written(&mut program.terms, symbol, a.value), ..a },
                    Target::Cell(..) => Assign { value: self.cut(&mut program.terms, a.value), ..a },
                };
                Op::Assign(assigns.into_iter().map(fit).collect())
            }
            Op::Call { callee, args, result } => {
                let params = program.procedure(callee).params.clone();
                let fit = |(p, a): (Symbol, Term)| self.written(&mut program.terms, p, a);
                Op::Call { callee, args: params.into_iter().zip(args).map(fit).collect(), result }
            }
            Op::Return(Some(value)) => match result {
                Some(result) => Op::Return(Some(self.written(&mut program.terms, result, value))),
                None => Op::Return(Some(value)),
            },
            op => op,
        }
    }

    /// Cuts the variable behind the edge; where it is not cut yet.
    fn fit_after(&self, terms: &mut Terms, procedure: &mut Procedure, index: usize, symbol: Symbol) -> LocId {
        let edge = procedure.edges[index].clone();
        let between = LocId::from_index(procedure.locations.len());
        procedure.locations.push(Location { label: None, span: edge.span });
        procedure.edges[index].to = between;
        let value = terms.symbol(symbol);
        let value = self.fit(terms, symbol, value);
        let op = Op::Assign(vec![Assign { target: Target::Var(symbol), value }]);
        procedure.edges.push(Edge { from: between, to: edge.to, op, span: edge.span });
        between
    }
}
