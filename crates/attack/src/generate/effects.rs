//! Expressions with side effects, in an order that C fixes.

use super::expressions::{ARITHMETIC, Expr};
use super::places::{Place, Want};
use super::types::{INTS, Ty};
use super::{Generator, Mode};

impl Generator {
    pub(crate) fn effect(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return match self.rng.below(4) {
                0 => self.pure(1, false),
                1 => self.call(),
                _ => self.assignment(),
            };
        }
        match self.rng.below(9) {
            0 | 1 => self.assignment(),
            2 => self.call(),
            3 => self.beside_call(),
            4 => {
                let op = *self.rng.pick(&[("&&", 5), ("||", 4)]);
                let (a, b) = (self.effect(depth - 1), self.effect(depth - 1));
                let text = format!("{} {} {}", a.at(op.1), op.0, b.at(op.1 + 1));
                Expr::new(text, op.1, super::types::INT)
            }
            5 => {
                let c = self.effect(depth - 1);
                let (a, b) = (self.effect(depth - 1), self.effect(depth - 1));
                Expr::new(format!("{} ? {} : {}", c.at(4), a.at(1), b.at(3)), 3, a.kind.common(b.kind))
            }
            6 => {
                let (a, b) = (self.effect(depth - 1), self.effect(depth - 1));
                Expr::new(format!("{}, {}", a.at(1), b.at(2)), 1, b.kind)
            }
            7 => {
                let (name, a) = (self.fresh("t"), self.effect(depth - 1));
                let ints = self.ints.clone();
                let int = self.rng.pick(&ints).clone();
                let b = self.pure(1, true);
                let text = format!("({{ {} {name} = {}; {name} ^ {}; }})", int.name, a.at(2), b.at(8));
                Expr::new(text, 15, int.promoted().common(b.kind))
            }
            _ => self.pure(depth, false),
        }
    }

    /// `x = e`, `x op= e`, `x++` and the like, of an integer.
    pub(crate) fn assignment(&mut self) -> Expr {
        let Some(place) = self.place(Want::Write) else { return self.pure(1, false) };
        let kind = place.int.promoted();
        let text = match self.rng.below(8) {
            0 => format!("{}++", place.text),
            1 => format!("--{}", place.text),
            2 => format!("++{}", place.text),
            3 | 4 => self.compound(&place),
            _ => format!("{} = {}", place.text, self.pure(2, false).at(2)),
        };
        let level = if text.ends_with("++") { 15 } else { 2 };
        if place.bit_field && place.int.bits > 32 {
            // Its value has a type of its own width.
            return Expr::new(format!("({})({text})", place.int.name), 14, kind);
        }
        Expr::new(text, level, kind)
    }

    fn compound(&mut self, place: &Place) -> String {
        let (name, kind) = (&place.text, place.int.promoted());
        match self.rng.below(9) {
            0 => format!("{name} <<= {}", self.count(kind.bits().min(32), false).at(2)),
            1 => format!("{name} >>= {}", self.count(kind.bits().min(32), false).at(2)),
            2 => format!("{name} /= {}", self.divisor(kind, false).at(2)),
            3 => format!("{name} %= {}", self.divisor(kind, false).at(2)),
            4 if place.private && self.mode == Mode::Free => {
                let call = self.call();
                format!("{name} += {}", call.at(2))
            }
            _ => {
                let (op, _) = *self.rng.pick(&ARITHMETIC);
                format!("{name} {op}= {}", self.pure(1, false).at(2))
            }
        }
    }

    /// A private value beside a call that may change everything else.
    fn beside_call(&mut self) -> Expr {
        let (a, call) = (self.pure(1, true), self.call());
        let op = *self.rng.pick(&ARITHMETIC);
        let kind = a.kind.common(call.kind);
        if self.rng.percent(50) {
            return Expr::new(format!("{} {} {}", a.at(op.1), op.0, call.at(op.1 + 1)), op.1, kind);
        }
        Expr::new(format!("{} {} {}", call.at(op.1), op.0, a.at(op.1 + 1)), op.1, kind)
    }

    /// A call of any function with an integer result, or an input.
    pub(crate) fn call(&mut self) -> Expr {
        if self.mode == Mode::Free && self.rng.percent(15) && self.times <= 6 {
            let (name, bits, signed, suffix) = *self.rng.pick(&INTS);
            let kind = super::types::Int::new(name, bits, signed).promoted();
            return Expr::new(format!("__VERIFIER_nondet_{suffix}()"), 15, kind);
        }
        let fits = |f: &super::Function| {
            (f.pure || self.mode == Mode::Free) && matches!(f.result, Some(Ty::Int(_))) && self.affordable(f.cost)
        };
        let functions: Vec<_> = self.functions.iter().filter(|f| fits(f)).cloned().collect();
        if functions.is_empty() {
            return self.pure(0, true);
        }
        let low = if self.rng.percent(60) { functions.len() / 2 } else { 0 };
        let f = functions[low + self.rng.below(functions.len() - low)].clone();
        self.spend(f.cost);
        let args: Option<Vec<String>> = f.params.iter().map(|p| self.argument(p, 1)).collect();
        match (args, &f.result) {
            (Some(args), Some(Ty::Int(int))) => {
                Expr::new(format!("{}({})", f.name, args.join(", ")), 15, int.promoted())
            }
            _ => self.pure(0, true),
        }
    }
}
