//! Unrolled loops: what interpolants look like, and how long they take.

use std::time::{Duration, Instant};

use clinch_smt::{Interpolants, ItpConfig, ItpNode, Method, check, interpolate};
use clinch_terms::{BinOp, Node, Sort, Term, Terms, UnOp};

/// A formula as text, symbols by their names.
pub(crate) fn show(terms: &Terms, term: Term) -> String {
    let two = |op: &str, a, b| format!("({} {op} {})", show(terms, a), show(terms, b));
    match terms.node(term) {
        Node::Bool(b) => b.to_string(),
        Node::Symbol(s) => terms.symbol_name(s).to_owned(),
        Node::Unary(UnOp::Not, a) => format!("!{}", show(terms, a)),
        Node::Unary(op, a) => format!("{op:?}({})", show(terms, a)),
        Node::Binary(BinOp::And, a, b) => two("&", a, b),
        Node::Binary(BinOp::Or, a, b) => two("|", a, b),
        Node::Binary(BinOp::Le, a, b) => two("<=", a, b),
        Node::Binary(BinOp::Lt, a, b) => two("<", a, b),
        Node::Binary(BinOp::Eq, a, b) => two("=", a, b),
        Node::Binary(BinOp::Add, a, b) => two("+", a, b),
        Node::Binary(BinOp::Mul, a, b) => two("*", a, b),
        Node::Binary(op, a, b) => two(&format!("{op:?}"), a, b),
        Node::Ite(c, a, b) => format!("({} ? {} : {})", show(terms, c), show(terms, a), show(terms, b)),
        node => match terms.as_integer(term) {
            Some(n) => n.to_string(),
            None => format!("{node:?}"),
        },
    }
}

/// A transition system: its initial states, its step from old to new values, its error.
pub(crate) struct System {
    names: Vec<&'static str>,
    init: fn(&mut Terms, &[Term]) -> Term,
    step: fn(&mut Terms, &[Term], &[Term]) -> Term,
    error: fn(&mut Terms, &[Term]) -> Term,
}

impl System {
    /// The sequence of an unrolling.
    pub(crate) fn unroll(&self, terms: &mut Terms, steps: usize) -> Vec<ItpNode> {
        let states: Vec<Vec<Term>> =
            (0..=steps).map(|_| self.names.iter().map(|&n| terms.fresh(n, Sort::Int)).collect()).collect();
        let mut nodes = vec![ItpNode { formula: (self.init)(terms, &states[0]), children: vec![] }];
        for i in 0..steps {
            nodes.push(ItpNode { formula: (self.step)(terms, &states[i], &states[i + 1]), children: vec![i] });
        }
        nodes.push(ItpNode { formula: (self.error)(terms, &states[steps]), children: vec![steps] });
        nodes
    }

    fn interpolants(&self, steps: usize) -> (Terms, Interpolants, Duration) {
        let mut terms = Terms::new();
        let tree = self.unroll(&mut terms, steps);
        let start = Instant::now();
        let result = interpolate(&mut terms, &tree, &ItpConfig::default(), &|| false).expect("interpolants");
        let time = start.elapsed();
        assert!(check(&mut terms, &tree, &result.formulas));
        (terms, result, time)
    }

    /// The distinct interpolants of an unrolling, as text.
    fn texts(&self, steps: usize) -> Vec<String> {
        let (terms, result, _) = self.interpolants(steps);
        let mut texts: Vec<String> =
            result.formulas[..steps + 1].iter().map(|&f| show(&terms, f).replace('!', "not ")).collect();
        texts.dedup();
        texts
    }
}

fn plus(terms: &mut Terms, term: Term, k: i64) -> Term {
    let k = terms.int(k);
    terms.add(term, k)
}

fn is(terms: &mut Terms, term: Term, k: i64) -> Term {
    let k = terms.int(k);
    terms.eq(term, k)
}

fn at_least(terms: &mut Terms, term: Term, k: i64) -> Term {
    let k = terms.int(k);
    terms.le(k, term)
}

/// `new = old + k`.
fn adds(terms: &mut Terms, new: Term, old: Term, k: i64) -> Term {
    let sum = plus(terms, old, k);
    terms.eq(new, sum)
}

fn zero(terms: &mut Terms, state: &[Term]) -> Term {
    let parts: Vec<Term> = state.iter().map(|&x| is(terms, x, 0)).collect();
    terms.all(parts)
}

/// `y` grows twice as fast as `x`.
fn double() -> System {
    System {
        names: vec!["x", "y"],
        init: zero,
        step: |t, old, new| {
            let (x, y) = (adds(t, new[0], old[0], 1), adds(t, new[1], old[1], 2));
            t.and(x, y)
        },
        error: |t, s| {
            let two = t.int(2);
            let double = t.mul(two, s[0]);
            let same = t.eq(s[1], double);
            t.not(same)
        },
    }
}

#[test]
fn equations_stay_equations() {
    assert_eq!(double().texts(10), ["((2 * x) = y)"]);
}

#[test]
fn constants_are_rounded_to_zero() {
    let system = System {
        names: vec!["x", "y"],
        init: zero,
        step: |t, old, new| {
            let (x, y) = (adds(t, new[0], old[0], 1), adds(t, new[1], old[1], 5));
            t.and(x, y)
        },
        error: |t, s| {
            let zero = t.int(0);
            t.lt(s[0], zero)
        },
    };
    assert_eq!(system.texts(10), ["(0 <= x)"]);
}

#[test]
fn parity_is_found() {
    let system = System {
        names: vec!["x"],
        init: |t, s| {
            let two = t.int(2);
            let rest = t.binary(BinOp::Mod, s[0], two);
            is(t, rest, 0)
        },
        step: |t, old, new| adds(t, new[0], old[0], 2),
        error: |t, s| {
            let two = t.int(2);
            let rest = t.binary(BinOp::Mod, s[0], two);
            is(t, rest, 1)
        },
    };
    assert_eq!(system.texts(10), ["((x Mod 2) = 0)"]);
}

#[test]
fn choices_are_joined() {
    // Either x and y grow, or y and z; in the end z + x = y.
    let system = System {
        names: vec!["x", "y", "z"],
        init: zero,
        step: |t, old, new| {
            let left = [adds(t, new[0], old[0], 1), adds(t, new[1], old[1], 1), adds(t, new[2], old[2], 0)];
            let right = [adds(t, new[0], old[0], 0), adds(t, new[1], old[1], 1), adds(t, new[2], old[2], 1)];
            let (left, right) = (t.all(left), t.all(right));
            t.or(left, right)
        },
        error: |t, s| {
            let sum = t.add(s[0], s[2]);
            let same = t.eq(sum, s[1]);
            t.not(same)
        },
    };
    assert_eq!(system.texts(10), ["((x + z) = y)"]);
}

/// Five variables, a guard, an if-then-else.
fn five() -> System {
    System {
        names: vec!["x", "y", "z", "n", "s"],
        init: |t, s| {
            let start = zero(t, &[s[0], s[1], s[2], s[4]]);
            let n = at_least(t, s[3], 0);
            t.and(start, n)
        },
        step: |t, old, new| {
            let guard = t.lt(old[0], old[3]);
            let big = t.lt(old[1], old[0]);
            let (up, down) = (plus(t, old[1], 1), plus(t, old[1], 0));
            let y = t.ite(big, up, down);
            let y = t.eq(new[1], y);
            let sum = t.add(old[4], old[1]);
            let s = t.eq(new[4], sum);
            let (x, z) = (adds(t, new[0], old[0], 1), adds(t, new[2], old[2], 3));
            let n = t.eq(new[3], old[3]);
            t.all([guard, x, y, z, n, s])
        },
        error: |t, s| {
            let three = t.int(3);
            let triple = t.mul(three, s[0]);
            let same = t.eq(s[2], triple);
            let wrong = t.not(same);
            let far = t.lt(s[3], s[0]);
            let more = t.lt(s[0], s[1]);
            t.any([wrong, far, more])
        },
    }
}

/// Generous limits: some milliseconds and some tens of milliseconds on an idle machine.
#[test]
fn unrollings_are_fast() {
    for (system, steps, limit) in [(double(), 30, 1), (double(), 100, 5), (five(), 30, 5), (nested(), 15, 20)] {
        let (_, _, time) = system.interpolants(steps);
        assert!(time < Duration::from_secs(limit), "{steps} steps took {time:?}");
    }
}

/// 6^20 paths, too many for a refutation that looks at all of them.
#[test]
fn choices_do_not_multiply() {
    let (terms, result, _) = choice().interpolants(20);
    assert_eq!(result.method, Method::Farkas);
    assert!(result.formulas.iter().all(|&f| show(&terms, f).len() < 60));
}

/// Guarded commands over pc, i, j, n, k, all in one formula: nested loops, k counts; error at pc = 4 if k < i.
fn nested() -> System {
    System {
        names: vec!["pc", "i", "j", "n", "k"],
        init: |t, s| {
            let a = zero(t, &[s[0], s[1], s[2], s[4]]);
            let n = at_least(t, s[3], 1);
            t.and(a, n)
        },
        step: |t, o, w| {
            let mut cases = Vec::new();
            for (pc, next, guard, d) in [
                (0, 1, 0, [0, 0, 0]),
                (1, 2, 1, [0, 0, 0]),
                (1, 3, 2, [0, 0, 0]),
                (2, 2, 3, [0, 1, 1]),
                (2, 1, 4, [1, 0, 0]),
                (3, 4, 5, [0, 0, 0]),
            ] {
                let g = match guard {
                    1 => t.lt(o[1], o[3]),
                    2 => t.le(o[3], o[1]),
                    3 => t.le(o[2], o[1]),
                    4 => t.lt(o[1], o[2]),
                    5 => t.lt(o[4], o[1]),
                    _ => t.tt(),
                };
                let a = is(t, o[0], pc);
                let b = is(t, w[0], next);
                let i = adds(t, w[1], o[1], d[0]);
                let j = if pc == 1 { is(t, w[2], 0) } else { adds(t, w[2], o[2], d[1]) };
                let k = adds(t, w[4], o[4], d[2]);
                let n = t.eq(w[3], o[3]);
                cases.push(t.all([a, g, b, i, j, k, n]));
            }
            t.any(cases)
        },
        error: |t, s| is(t, s[0], 4),
    }
}

/// Each step adds the same to x and y, or the same to y and z, guarded; at the end x + z = y and x >= 0.
fn choice() -> System {
    System {
        names: vec!["x", "y", "z", "w"],
        init: zero,
        step: |t, o, n| {
            let mut cases = Vec::new();
            for (dx, dz) in [(1, 0), (0, 1), (1, 1), (2, 0), (3, 1), (0, 4)] {
                let x = adds(t, n[0], o[0], dx);
                let z = adds(t, n[2], o[2], dz);
                let y = adds(t, n[1], o[1], dx + dz);
                let g = t.le(o[3], o[0]);
                let w = adds(t, n[3], o[3], 0);
                cases.push(t.all([x, y, z, w, g]));
            }
            t.any(cases)
        },
        error: |t, s| {
            let sum = t.add(s[0], s[2]);
            let same = t.eq(sum, s[1]);
            let not = t.not(same);
            let nonneg = at_least(t, s[0], 0);
            let neg = t.not(nonneg);
            t.or(not, neg)
        },
    }
}
