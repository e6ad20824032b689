//! Random recursive programs over truth values: all strategies agree with explicit saturation, and pre* with post*.

use clinch_ir::Span;
use clinch_ir::cfa::{
    Assign, Edge, Failure, Global, InputId, InputKind, InputSite, Location, Op, Procedure, ProcedureId, SourceMap,
    Target,
};
use clinch_terms::{LocId, Sort, Symbol, Term, Terms};
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::explicit::reaches_error;
use super::pre::pre_star;
use super::*;

struct Generator {
    random: Xoshiro256PlusPlus,
    terms: Terms,
    globals: Vec<Symbol>,
    params: Vec<Vec<Symbol>>,
    inputs: Vec<InputSite>,
}

impl Generator {
    fn program(seed: u64) -> CfaProgram {
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut g =
            Generator { random, terms: Terms::new(), globals: Vec::new(), params: Vec::new(), inputs: Vec::new() };
        for i in 0..g.random.random_range(1..=2) {
            let symbol = g.terms.declare(format!("g{i}"), Sort::Bool);
            g.globals.push(symbol);
        }
        let count = g.random.random_range(2..=3);
        for p in 0..count {
            let params = if p == 0 { 0 } else { g.random.random_range(0..=2) };
            let params = (0..params).map(|i| g.terms.declare(format!("p{p}_{i}"), Sort::Bool)).collect();
            g.params.push(params);
        }
        let procedures = (0..count).map(|p| g.procedure(p, count)).collect();
        let globals = g.globals.clone().into_iter();
        let globals = globals.map(|symbol| Global { symbol, init: g.terms.ff() }).collect();
        CfaProgram { globals, procedures, inputs: g.inputs, ..CfaProgram::new(g.terms, SourceMap::default()) }
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.random.random_range(0..list.len())]
    }

    fn term(&mut self, variables: &[Symbol], depth: u32) -> Term {
        if depth == 0 || self.random.random_range(0..4) == 0 {
            let symbol = self.pick(variables);
            return self.terms.symbol(symbol);
        }
        let a = self.term(variables, depth - 1);
        let b = self.term(variables, depth - 1);
        match self.random.random_range(0..4) {
            0 => self.terms.not(a),
            1 => self.terms.and(a, b),
            2 => self.terms.or(a, b),
            _ => self.terms.eq(a, b),
        }
    }

    fn procedure(&mut self, p: usize, count: usize) -> Procedure {
        let mut locals: Vec<Symbol> = (0..2).map(|i| self.terms.declare(format!("l{p}_{i}"), Sort::Bool)).collect();
        let result = self.terms.declare(format!("r{p}"), Sort::Bool);
        let params = self.params[p].clone();
        let variables: Vec<Symbol> = self.globals.iter().chain(&params).chain(&locals).copied().collect();
        let size = self.random.random_range(3..=7u32);
        let mut edges: Vec<Edge> = Vec::new();
        let mut add = |from: u32, to: u32, op: Op| {
            edges.push(Edge { from: LocId(from), to: LocId(to), op, span: Span::default() });
        };
        // The locals get their values first: 0 and 1; the exit is behind everything.
        let exit = size + 2;
        let first = self.inputs.len() as u32;
        for i in 0..2u32 {
            add(i, i + 1, Op::Input(locals[i as usize], InputId(first + i)));
            self.inputs.push(site());
        }
        for at in 2..size + 2 {
            let next = if self.random.random_range(0..5) == 0 { self.random.random_range(2..=exit) } else { at + 1 };
            let next = if next == exit { at + 1 } else { next };
            let target = self.pick(&variables);
            match self.random.random_range(0..12) {
                0..=2 => {
                    let condition = self.term(&variables, 2);
                    let other = self.terms.not(condition);
                    let elsewhere = self.random.random_range(2..=size + 1);
                    add(at, next, Op::Assume(condition));
                    add(at, elsewhere, Op::Assume(other));
                }
                3..=6 => {
                    let value = self.term(&variables, 2);
                    add(at, next, Op::Assign(vec![Assign { target: Target::Var(target), value }]));
                }
                7 => {
                    add(at, next, Op::Input(target, InputId(self.inputs.len() as u32)));
                    self.inputs.push(site());
                }
                8 if self.random.random_range(0..2) == 0 => add(at, next, Op::Error(Failure::assertion("error"))),
                _ => {
                    let callee = self.random.random_range(1..count);
                    let args = (0..self.params[callee].len()).map(|_| self.term(&variables, 1)).collect();
                    let result = (self.random.random_range(0..3) > 0).then_some(target);
                    add(at, next, Op::Call { callee: ProcedureId(callee as u32), args, result });
                }
            }
        }
        let value = self.term(&variables, 1);
        add(size + 2, size + 3, Op::Return(Some(value)));
        locals.push(result);
        Procedure {
            params,
            locals,
            result: Some(result),
            locations: vec![Location::default(); size as usize + 4],
            edges,
            exit: LocId(size + 3),
            ..Procedure::new(format!("p{p}"))
        }
    }
}

fn site() -> InputSite {
    InputSite {
        kind: InputKind::Nondet("any".to_owned()),
        ty: "_Bool".to_owned(),
        signed: false,
        span: Span::default(),
    }
}

#[test]
fn all_strategies_agree_with_saturation() {
    let mut counts = [0; 2];
    for seed in 0..60 {
        let program = Generator::program(seed);
        let expected = !reaches_error(&program);
        counts[usize::from(expected)] += 1;
        for config in configurations() {
            assert_eq!(verdict(&program, &config).0, Some(expected), "seed {seed} {config:?}");
        }
    }
    assert!(counts[0] > 5 && counts[1] > 5, "{counts:?}");
}

/// Thousands of programs: post* without evidence, pre*, saturation.
#[test]
fn post_star_and_pre_star_agree() {
    let mut safe = 0;
    for seed in 1000..4000 {
        let program = Generator::program(seed);
        let expected = reaches_error(&program);
        let mut bdds = Bdds::with_cache(1 << 16, 1 << 12);
        let model = model::read(&mut bdds, &program, &Widths::default()).unwrap();
        let system = Prepared::new(&bdds, &model.spds).unwrap();
        let reach = post_star(&system, Until::Fixpoint, &BTreeSet::new(), &Budget::unlimited()).unwrap();
        let found = model.questions.iter().any(|q| reach.first(q.point).is_some());
        assert_eq!(found, expected, "post*, seed {seed}");
        assert_eq!(pre_star(&system).unwrap(), expected, "pre*, seed {seed}");
        safe += u32::from(!expected);
    }
    assert!(safe > 300, "{safe}");
}
