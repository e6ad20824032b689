//! Small systems of Horn clauses, built by hand, and what is known of them.

use clinch_ir::horn::Application;
use clinch_ir::{Clause, HornSystem, PredId, Source, Span};
use clinch_terms::{Sort, Term, Terms};

use crate::support::Answer;

/// Writes systems of clauses.
pub(crate) struct Builder {
    pub(crate) system: HornSystem,
}

impl Builder {
    fn new(name: &str) -> Self {
        Builder { system: HornSystem::new(Source { name: name.to_owned(), text: String::new() }) }
    }

    fn terms(&mut self) -> &mut Terms {
        &mut self.system.terms
    }

    fn predicate(&mut self, name: &str, sorts: &[Sort]) -> PredId {
        self.system.add_predicate(name, sorts)
    }

    /// Fresh symbols.
    fn vars<const N: usize>(&mut self, sort: &Sort) -> [Term; N] {
        std::array::from_fn(|i| self.terms().fresh(format!("v{i}"), sort.clone()))
    }

    fn int(&mut self, value: i64) -> Term {
        self.terms().int(value)
    }

    fn clause(&mut self, body: &[(PredId, &[Term])], constraint: &[Term], head: Option<(PredId, &[Term])>) {
        let apply = |&(predicate, args): &(PredId, &[Term])| Application { predicate, args: args.to_vec() };
        let body: Vec<Application> = body.iter().map(apply).collect();
        let head = head.as_ref().map(apply);
        let constraint = self.terms().all(constraint.iter().copied());
        let vars = HornSystem::collect_vars(&self.system.terms, &body, constraint, head.as_ref());
        self.system.clauses.push(Clause { vars, body, constraint, head, span: Span::default() });
    }
}

/// `x` counts to 10 in steps of 2; is it ever `bad`?
pub(crate) fn counter(bad: i64) -> HornSystem {
    let mut b = Builder::new("counter");
    let p = b.predicate("p", &[Sort::Int]);
    let (zero, two, ten, bad) = (b.int(0), b.int(2), b.int(10), b.int(bad));
    b.clause(&[], &[], Some((p, &[zero])));
    let [x] = b.vars(&Sort::Int);
    let (below, next) = (b.terms().lt(x, ten), b.terms().add(x, two));
    b.clause(&[(p, &[x])], &[below], Some((p, &[next])));
    let [x] = b.vars(&Sort::Int);
    let wrong = b.terms().eq(x, bad);
    b.clause(&[(p, &[x])], &[wrong], None);
    b.system
}

/// `fib(n, r)`; is `r` below `n - slack` anywhere? Not linear.
pub(crate) fn fibonacci(slack: i64) -> HornSystem {
    let mut b = Builder::new("fibonacci");
    let fib = b.predicate("fib", &[Sort::Int, Sort::Int]);
    let (zero, one, two, slack) = (b.int(0), b.int(1), b.int(2), b.int(slack));
    b.clause(&[], &[], Some((fib, &[zero, zero])));
    b.clause(&[], &[], Some((fib, &[one, one])));
    let [n, r, s] = b.vars(&Sort::Int);
    let (large, n1, n2) = (b.terms().le(two, n), b.terms().sub(n, one), b.terms().sub(n, two));
    let sum = b.terms().add(r, s);
    b.clause(&[(fib, &[n1, r]), (fib, &[n2, s])], &[large], Some((fib, &[n, sum])));
    let [n, r] = b.vars(&Sort::Int);
    let bound = b.terms().sub(n, slack);
    let wrong = b.terms().lt(r, bound);
    b.clause(&[(fib, &[n, r])], &[wrong], None);
    b.system
}

/// Two flags toggled together stay equal; toggled apart they do not.
pub(crate) fn flags(together: bool) -> HornSystem {
    let mut b = Builder::new("flags");
    let p = b.predicate("p", &[Sort::Bool, Sort::Bool]);
    let ff = b.terms().ff();
    b.clause(&[], &[], Some((p, &[ff, ff])));
    let [x, y] = b.vars(&Sort::Bool);
    let (not_x, not_y) = (b.terms().not(x), b.terms().not(y));
    b.clause(&[(p, &[x, y])], &[], Some((p, &[not_x, if together { not_y } else { y }])));
    let [x, y] = b.vars(&Sort::Bool);
    let same = b.terms().eq(x, y);
    let wrong = b.terms().not(same);
    b.clause(&[(p, &[x, y])], &[wrong], None);
    b.system
}

/// `x` is halved from 1 again and again: it is never above 1, but below 1/8.
pub(crate) fn halves(safe: bool) -> HornSystem {
    let mut b = Builder::new("halves");
    let p = b.predicate("p", &[Sort::Real]);
    let (one, two, eight) = (b.int(1), b.int(2), b.int(8));
    b.clause(&[], &[], Some((p, &[one])));
    let [x, y] = b.vars(&Sort::Real);
    let twice = b.terms().mul(two, y);
    let halved = b.terms().eq(twice, x);
    b.clause(&[(p, &[x])], &[halved], Some((p, &[y])));
    let [x] = b.vars(&Sort::Real);
    let eightfold = b.terms().mul(eight, x);
    let wrong = if safe { b.terms().lt(eight, eightfold) } else { b.terms().lt(eightfold, one) };
    b.clause(&[(p, &[x])], &[wrong], None);
    b.system
}

/// Writes 7 into an array, somewhere; is what is read there `bad`? One predicate is used only once.
pub(crate) fn array(bad: i64) -> HornSystem {
    let mut b = Builder::new("array");
    let sort = Sort::array(Sort::Int, Sort::Int);
    let p = b.predicate("p", &[sort.clone(), Sort::Int]);
    let q = b.predicate("q", &[sort.clone(), Sort::Int]);
    let (seven, bad) = (b.int(7), b.int(bad));
    let [a] = b.vars(&sort);
    let [i] = b.vars(&Sort::Int);
    b.clause(&[], &[], Some((p, &[a, i])));
    let [a] = b.vars(&sort);
    let [i] = b.vars(&Sort::Int);
    let written = b.terms().store(a, i, seven);
    b.clause(&[(p, &[a, i])], &[], Some((q, &[written, i])));
    let [a] = b.vars(&sort);
    let [i] = b.vars(&Sort::Int);
    let read = b.terms().select(a, i);
    let wrong = b.terms().eq(read, bad);
    b.clause(&[(q, &[a, i])], &[wrong], None);
    b.system
}

/// All of them, with what is true of them.
pub(crate) fn all() -> Vec<(HornSystem, Answer)> {
    vec![
        (counter(11), Answer::Safe),
        (counter(7), Answer::Safe),
        (counter(8), Answer::Unsafe),
        (fibonacci(1), Answer::Safe),
        (fibonacci(0), Answer::Unsafe),
        (flags(true), Answer::Safe),
        (flags(false), Answer::Unsafe),
        (halves(true), Answer::Safe),
        (halves(false), Answer::Unsafe),
        (array(6), Answer::Safe),
        (array(7), Answer::Unsafe),
    ]
}
