//! Which variables are control: those that take few values, as far as assignments tell.

use rustc_hash::{FxHashMap, FxHashSet};

use clinch_ir::cfa::{CfaProgram, Op, Procedure, Target};
use clinch_terms::{BinOp, Node, Symbol, Term, Terms, UnOp};

/// The variables and regions whose known values are constants of the program, combined in finitely many ways: none is computed
/// from itself by arithmetic, as a counter is, nor from such a one. What is read as an input is not known; that does no harm.
pub fn control_variables(program: &CfaProgram) -> FxHashSet<Symbol> {
    let flows = Flows::new(program);
    let mut data: FxHashSet<Symbol> = FxHashSet::default();
    let mut work: Vec<Symbol> = Vec::new();
    for &(source, target) in &flows.computed {
        if !data.contains(&target) && flows.reaches(target, source) {
            data.insert(target);
            work.push(target);
        }
    }
    while let Some(symbol) = work.pop() {
        for &target in flows.to.get(&symbol).into_iter().flatten() {
            if data.insert(target) {
                work.push(target);
            }
        }
    }
    let globals = program.globals.iter().map(|g| g.symbol).chain(program.regions.iter().map(|r| r.symbol));
    let locals = program.procedures.iter().flat_map(|p| p.params.iter().chain(&p.locals).copied());
    globals.chain(locals).filter(|s| !data.contains(s)).collect()
}

/// Which variables values flow to.
#[derive(Default)]
struct Flows {
    to: FxHashMap<Symbol, Vec<Symbol>>,
    /// Flows through arithmetic.
    computed: Vec<(Symbol, Symbol)>,
}

impl Flows {
    fn new(program: &CfaProgram) -> Self {
        let mut flows = Flows::default();
        for procedure in &program.procedures {
            for edge in &procedure.edges {
                flows.add_op(program, &edge.op);
            }
        }
        flows
    }

    fn add_op(&mut self, program: &CfaProgram, op: &Op) {
        let terms = &program.terms;
        match op {
            Op::Assign(assigns) => {
                for assign in assigns {
                    match assign.target {
                        Target::Var(symbol) | Target::Cell(symbol, _) => self.add(terms, symbol, assign.value),
                    }
                }
            }
            Op::Call { callee, args, result } => {
                let callee = program.procedure(*callee);
                for (&parameter, &arg) in callee.params.iter().zip(args) {
                    self.add(terms, parameter, arg);
                }
                if let Some(result) = result {
                    for value in returned(callee) {
                        self.add(terms, *result, value);
                    }
                }
            }
            _ => {}
        }
    }

    /// A value goes to a variable.
    fn add(&mut self, terms: &Terms, target: Symbol, value: Term) {
        let mut work = vec![(value, false)];
        let mut seen: FxHashSet<(Term, bool)> = FxHashSet::default();
        while let Some((part, computed)) = work.pop() {
            if !seen.insert((part, computed)) {
                continue;
            }
            match terms.node(part) {
                Node::Symbol(source) => {
                    self.to.entry(source).or_default().push(target);
                    if computed {
                        self.computed.push((source, target));
                    }
                }
                Node::Ite(_, a, b) | Node::Binary(BinOp::BvAnd | BinOp::BvOr, a, b) => {
                    work.extend([(a, computed), (b, computed)]);
                }
                Node::Extract { of, .. } | Node::Extend { of, .. } => work.push((of, computed)),
                Node::Unary(UnOp::BvNot, of) | Node::Binary(BinOp::Select, of, _) => work.push((of, computed)),
                Node::Binary(op, ..) if is_truth(op) => {}
                Node::Unary(UnOp::Not | UnOp::BoolToInt, _) => {}
                _ => work.extend(terms.children(part).map(|child| (child, true))),
            }
        }
    }

    fn reaches(&self, from: Symbol, to: Symbol) -> bool {
        let (mut seen, mut work) = (FxHashSet::from_iter([from]), vec![from]);
        while let Some(symbol) = work.pop() {
            if symbol == to {
                return true;
            }
            work.extend(self.to.get(&symbol).into_iter().flatten().copied().filter(|&s| seen.insert(s)));
        }
        false
    }
}

/// Whether the result of an operation is one of two.
fn is_truth(op: BinOp) -> bool {
    matches!(op, BinOp::And | BinOp::Or | BinOp::Eq | BinOp::Le | BinOp::Lt)
        || op.compares_bit_vectors()
        || matches!(op, BinOp::Float(op, _) | BinOp::Extended(op) if op.compares())
}

fn returned(procedure: &Procedure) -> impl Iterator<Item = Term> + '_ {
    procedure.edges.iter().filter_map(|edge| match edge.op {
        Op::Return(value) => value,
        _ => None,
    })
}
