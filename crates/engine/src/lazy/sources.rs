//! Where values and addresses come from: a variable is known only where what it is computed from is, and what is known of a cell
//! helps only where it is known which cell is read.

use clinch_ir::cfa::{CfaProgram, Op, Target};
use clinch_terms::{BinOp, Node, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// The variables that values, and addresses into regions, are computed from.
#[derive(Default)]
pub(super) struct Sources {
    /// By region, the variables of the addresses at which it is read or written.
    of: FxHashMap<Symbol, Vec<Symbol>>,
    /// The variables that the values of a variable are computed from.
    sources: FxHashMap<Symbol, Vec<Symbol>>,
}

impl Sources {
    pub(super) fn new(program: &CfaProgram) -> Self {
        let mut sources = Sources::default();
        for procedure in &program.procedures {
            for edge in &procedure.edges {
                sources.add(program, &edge.op);
            }
        }
        sources
    }

    fn add(&mut self, program: &CfaProgram, op: &Op) {
        let terms = &program.terms;
        for term in op.terms() {
            self.add_reads(terms, term);
        }
        match op {
            Op::Assign(assigns) => {
                for assign in assigns {
                    if let Target::Cell(region, address) = assign.target {
                        self.of.entry(region).or_default().extend(terms.symbols(address));
                    }
                    let (Target::Var(written) | Target::Cell(written, _)) = assign.target;
                    self.sources.entry(written).or_default().extend(terms.symbols(assign.value));
                }
            }
            Op::Call { callee, args, result } => {
                let callee = program.procedure(*callee);
                for (&parameter, &arg) in callee.params.iter().zip(args) {
                    self.sources.entry(parameter).or_default().extend(terms.symbols(arg));
                }
                for edge in &callee.edges {
                    if let (Some(result), Op::Return(Some(value))) = (result, &edge.op) {
                        self.sources.entry(*result).or_default().extend(terms.symbols(*value));
                    }
                }
            }
            _ => {}
        }
    }

    fn add_reads(&mut self, terms: &Terms, term: Term) {
        terms.visit(term, &mut |node| {
            if let Node::Binary(BinOp::Select, array, address) = node
                && let Node::Symbol(region) = terms.node(array)
            {
                self.of.entry(region).or_default().extend(terms.symbols(address));
            }
        });
    }

    /// Whether a variable is a region that is read or written.
    pub(super) fn is_region(&self, variable: Symbol) -> bool {
        self.of.contains_key(&variable)
    }

    /// The variables, with all that their values and the addresses of their cells are computed from.
    pub(super) fn closure(&self, variables: &[Symbol]) -> Vec<Symbol> {
        let mut seen: FxHashSet<Symbol> = variables.iter().copied().collect();
        let (mut found, mut work) = (variables.to_vec(), variables.to_vec());
        while let Some(symbol) = work.pop() {
            for &source in self.of.get(&symbol).into_iter().chain(self.sources.get(&symbol)).flatten() {
                if seen.insert(source) {
                    found.push(source);
                    work.push(source);
                }
            }
        }
        found
    }
}
