//! Z3, in process.

use std::cell::{Cell, RefCell};

use clinch_ir::Program;
use clinch_terms::{Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;
use z3::ast::{Bool, Dynamic};
use z3::{Model, SatResult, Tactic};

use crate::encode::{Encoder, symbol_constant};
use crate::expr::Expr;
use crate::interrupt::interrupted;
use crate::solver::{Answer, Solver};
use crate::{decode, interrupt, work};

/// Work a query may do before Z3 gives up: deterministic, some tenths of a second on today's machines.
const RESOURCES: u32 = 1_000_000;
/// Milliseconds a query may take: for work that Z3 does not count.
const TIMEOUT: u32 = 1_000;

/// A Z3 solver over the variables of one program.
#[derive(Debug)]
pub struct Z3Solver {
    solver: z3::Solver,
    pub(crate) encoder: Encoder,
    /// How long a query may take, where Z3 is not told.
    milliseconds: Cell<u32>,
    /// For each assumed term, as it stands or denied, the Boolean constant that stands for it, and the scope in which that was said.
    proxies: FxHashMap<(Term, bool), (Bool, usize)>,
    /// Whether these constants only imply their terms, so that what is not assumed does not occupy the solver.
    one_way: bool,
    scope: usize,
    /// The constants of symbols whose values were asked for.
    constants: RefCell<FxHashMap<Symbol, Dynamic>>,
    model: Option<Model>,
    assumed: Vec<Bool>,
}

impl Z3Solver {
    /// Knows that the program's variables are in their domains, and nothing else.
    pub fn new(program: &Program) -> Self {
        let (encoder, known) = Encoder::new(program);
        let this = Self::with_encoder(encoder);
        for fact in known {
            this.solver.assert(&fact);
        }
        this
    }

    /// For formulas over symbols.
    pub fn for_formulas() -> Self {
        Self::with_encoder(Encoder::default())
    }

    /// For many conjunctions of many formulas: nothing is asserted, all is assumed, and what is not assumed does not matter.
    pub fn for_conjunctions() -> Self {
        Z3Solver { one_way: true, ..Self::for_formulas() }
    }

    /// For one question about formulas: everything is asserted, then asked once without assumptions. Z3 then rewrites the
    /// whole problem first, which it does not in a conversation; on large formulas that makes all the difference.
    pub fn for_one_question() -> Self {
        let steps = ["simplify", "propagate-values", "solve-eqs", "elim-uncnstr", "simplify", "smt"];
        let tactic = steps.iter().map(|name| Tactic::new(name)).reduce(|all, next| all.and_then(&next));
        Self::with_tactic(&tactic.expect("there are steps"))
    }

    /// The same for bits and arrays of them: most such questions come down to satisfiability of propositions.
    pub fn for_one_question_in_bits() -> Self {
        Self::with_tactic(&Tactic::new("qfaufbv"))
    }

    /// For one question about formulas, which the tactic answers.
    pub(crate) fn with_tactic(tactic: &Tactic) -> Self {
        let mut this = Self::for_formulas();
        this.solver = tactic.solver();
        this.set_limits(RESOURCES, TIMEOUT);
        this
    }

    /// Adds a formula of Z3's.
    pub(crate) fn assert_formula(&mut self, formula: &Bool) {
        self.solver.assert(formula);
    }

    /// After `Sat`: the model.
    pub(crate) fn model(&self) -> Option<&Model> {
        self.model.as_ref()
    }

    fn with_encoder(encoder: Encoder) -> Self {
        interrupt::register();
        let this = Z3Solver {
            solver: z3::Solver::new(),
            encoder,
            milliseconds: Cell::new(TIMEOUT),
            proxies: FxHashMap::default(),
            one_way: false,
            scope: 0,
            constants: RefCell::default(),
            model: None,
            assumed: Vec::new(),
        };
        this.set_limits(RESOURCES, TIMEOUT);
        this
    }

    /// What each query may use: a deterministic measure of work, and milliseconds.
    pub fn set_limits(&self, resources: u32, milliseconds: u32) {
        let mut params = interrupt::params();
        let milliseconds = work::limit(&mut params, resources, milliseconds);
        if interrupt::is_watched() {
            params.set_u32("timeout", u32::MAX);
        }
        self.milliseconds.set(milliseconds);
        self.solver.set_params(&params);
    }

    /// Adds a Boolean term, or its negation.
    pub fn assert_literal(&mut self, terms: &Terms, term: Term, holds: bool) {
        let expr = self.encoder.term(terms, term).bool();
        self.solver.assert(if holds { expr } else { expr.not() });
    }

    /// After `Sat`: the value of a symbol in the model, if it is one that can be written down.
    pub fn symbol_value(&self, terms: &Terms, symbol: Symbol) -> Option<Value> {
        let model = self.model.as_ref()?;
        let mut constants = self.constants.borrow_mut();
        let constant = constants.entry(symbol).or_insert_with(|| symbol_constant(terms, symbol).dynamic());
        decode::value(&model.eval(constant, true)?)
    }

    /// A Boolean constant that stands for the term, as it stands or denied, so that the solver keeps what it learns about it.
    fn proxy(&mut self, terms: &Terms, term: Term, holds: bool) -> Bool {
        if let Some((proxy, _)) = self.proxies.get(&(term, holds)) {
            return proxy.clone();
        }
        let proxy = Bool::fresh_const("p");
        let formula = self.encoder.term(terms, term).bool();
        let meaning = if holds { formula } else { formula.not() };
        self.solver.assert(if self.one_way { proxy.implies(&meaning) } else { proxy.iff(&meaning) });
        self.proxies.insert((term, holds), (proxy.clone(), self.scope));
        proxy
    }
}

impl Solver for Z3Solver {
    fn push(&mut self) {
        self.solver.push();
        self.scope += 1;
    }

    fn pop(&mut self) {
        self.solver.pop(1);
        self.scope -= 1;
        let scope = self.scope;
        self.proxies.retain(|_, (_, made_in)| *made_in <= scope);
    }

    fn assert(&mut self, terms: &Terms, term: Term) {
        let expr = self.encoder.term(terms, term).bool();
        self.solver.assert(&expr);
    }

    fn check(&mut self, terms: &Terms, assumptions: &[(Term, bool)]) -> Answer {
        self.assumed = assumptions
            .iter()
            .map(|&(term, holds)| {
                let proxy = self.proxy(terms, term, holds || !self.one_way);
                if holds || self.one_way { proxy } else { proxy.not() }
            })
            .collect();
        self.model = None;
        let ask = || self.solver.check_assumptions(&self.assumed);
        let answer = interrupt::within(self.milliseconds.get(), ask).unwrap_or(SatResult::Unknown);
        work::asked();
        if interrupted() {
            return Answer::Unknown;
        }
        match answer {
            SatResult::Sat => {
                self.model = self.solver.get_model();
                Answer::Sat
            }
            SatResult::Unsat => Answer::Unsat,
            SatResult::Unknown => Answer::Unknown,
        }
    }

    fn value(&mut self, terms: &Terms, term: Term) -> Option<i64> {
        let model = self.model.as_ref()?;
        match self.encoder.term(terms, term) {
            Expr::Bool(b) => model.eval(&b, true)?.as_bool().map(i64::from),
            Expr::Int(i) => model.eval(&i, true)?.as_i64(),
            Expr::Real(_) | Expr::BitVec(_) | Expr::Array(_) | Expr::Map(_) => None,
        }
    }

    fn core(&self) -> Vec<usize> {
        let core = self.solver.get_unsat_core();
        self.assumed.iter().enumerate().filter(|(_, a)| core.contains(a)).map(|(i, _)| i).collect()
    }
}
