//! The values that are written to each variable anywhere in the program, where they are few constants.

use std::collections::{BTreeMap, BTreeSet};

use clinch_ir::cfa::{CfaProgram, Op, Target};
use clinch_terms::{Node, Symbol, Term, Terms, UnOp};

/// A variable to which more values are written may hold any.
const MOST: usize = 8;

/// The values of variables that hold few.
pub(super) struct Domains {
    /// None: any value.
    of: BTreeMap<Symbol, Option<BTreeSet<u64>>>,
}

impl Domains {
    /// Collects what is written until nothing is new.
    pub(super) fn new(program: &CfaProgram) -> Self {
        let mut domains = Domains { of: BTreeMap::new() };
        for global in &program.globals {
            domains.write(&program.terms, global.symbol, global.init);
        }
        while domains.pass(program) {}
        domains
    }

    /// The values that a variable may hold after the first write to it, if they are few.
    pub(super) fn get(&self, symbol: Symbol) -> Option<&BTreeSet<u64>> {
        self.of.get(&symbol)?.as_ref()
    }

    /// Goes through all writes once. Whether something was new.
    fn pass(&mut self, program: &CfaProgram) -> bool {
        let mut new = false;
        for procedure in &program.procedures {
            for edge in &procedure.edges {
                match &edge.op {
                    Op::Assign(assigns) => {
                        for assign in assigns {
                            if let Target::Var(symbol) = assign.target {
                                new |= self.write(&program.terms, symbol, assign.value);
                            }
                        }
                    }
                    Op::Input(symbol, _) | Op::BlockSize(symbol, _) | Op::Alloc { target: symbol, .. } => {
                        new |= self.of.insert(*symbol, None) != Some(None);
                    }
                    Op::Call { callee, args, result } => {
                        let called = program.procedure(*callee);
                        for (&parameter, &value) in called.params.iter().zip(args) {
                            new |= self.write(&program.terms, parameter, value);
                        }
                        if let (Some(result), Some(value)) = (result, called.result) {
                            let value = self.of.get(&value).cloned().unwrap_or_else(|| Some(BTreeSet::new()));
                            new |= self.add(*result, value);
                        }
                    }
                    Op::Return(Some(value)) => {
                        if let Some(result) = procedure.result {
                            new |= self.write(&program.terms, result, *value);
                        }
                    }
                    _ => {}
                }
            }
        }
        new
    }

    fn write(&mut self, terms: &Terms, symbol: Symbol, value: Term) -> bool {
        let mut values = BTreeSet::new();
        let few = self.values(terms, value, &mut values, 0);
        self.add(symbol, few.then_some(values))
    }

    fn add(&mut self, symbol: Symbol, values: Option<BTreeSet<u64>>) -> bool {
        let known = self.of.entry(symbol).or_insert_with(|| Some(BTreeSet::new()));
        let Some(before) = known else { return false };
        let Some(values) = values else {
            *known = None;
            return true;
        };
        let size = before.len();
        before.extend(values);
        let grown = before.len() > size;
        if before.len() > MOST {
            *known = None;
        }
        grown
    }

    /// Adds the values of a term; false if they are not known.
    fn values(&self, terms: &Terms, term: Term, into: &mut BTreeSet<u64>, depth: u32) -> bool {
        if depth > 16 {
            return false;
        }
        match terms.node(term) {
            Node::BitVec(_, bits) => _ = into.insert(bits),
            Node::Int(value) => _ = into.insert(value as u64),
            Node::Symbol(symbol) => match self.of.get(&symbol) {
                Some(Some(values)) => into.extend(values),
                Some(None) => return false,
                // Not written yet: it will be looked at again.
                None => {}
            },
            Node::Ite(_, then, otherwise) => {
                return self.values(terms, then, into, depth + 1) && self.values(terms, otherwise, into, depth + 1);
            }
            Node::Unary(UnOp::BoolToInt, _) => into.extend([0, 1]),
            Node::Extend { signed: false, of, .. } => return self.values(terms, of, into, depth + 1),
            _ => return false,
        }
        true
    }
}
