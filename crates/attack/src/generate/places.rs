//! Places that hold an integer, reached through variables, members, elements and pointers.

use super::types::{Int, Ty};
use super::{Generator, Mode, Var};

/// An lvalue of integer type.
pub(crate) struct Place {
    pub(crate) text: String,
    pub(crate) int: Int,
    pub(crate) bit_field: bool,
    /// No call can change it.
    pub(crate) private: bool,
}

/// What a place is wanted for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    Read,
    /// Only what no call can change.
    ReadPrivate,
    Write,
}

impl Generator {
    /// The variables that their name means here.
    pub(crate) fn visible(&self) -> Vec<Var> {
        let hidden = |i: usize| self.vars[i + 1..].iter().any(|v| v.name == self.vars[i].name);
        (0..self.vars.len()).filter(|&i| !hidden(i)).map(|i| self.vars[i].clone()).collect()
    }

    fn may_use(&self, var: &Var, want: Want) -> bool {
        match want {
            Want::Read => true,
            Want::ReadPrivate => !var.shared,
            // A pure function writes its own locals only, and through no pointer.
            Want::Write => {
                let pointer = matches!(var.ty, Ty::Pointer(..));
                (!var.constant || pointer) && (self.mode == Mode::Free || (var.depth > 0 && !pointer))
            }
        }
    }

    pub(crate) fn place(&mut self, want: Want) -> Option<Place> {
        let vars: Vec<Var> = self.visible().into_iter().filter(|v| self.may_use(v, want)).collect();
        for _ in 0..6 {
            if vars.is_empty() {
                return None;
            }
            // Recent variables are more interesting.
            let low = if self.rng.percent(50) { vars.len() / 2 } else { 0 };
            let i = low + self.rng.below(vars.len() - low);
            let var = vars[i].clone();
            if let Some(place) = self.descend(var.name.clone(), &var.ty, want, !var.shared) {
                return Some(place);
            }
        }
        None
    }

    fn descend(&mut self, text: String, ty: &Ty, want: Want, private: bool) -> Option<Place> {
        match ty {
            Ty::Int(int) => Some(Place { text, int: int.clone(), bit_field: false, private }),
            Ty::Array(element, n) => {
                let index = self.index(*n, want == Want::ReadPrivate);
                // Reading through an index that a call may change is not private.
                let fixed = private && index.chars().all(|c| c.is_ascii_digit());
                let fixed = fixed || want == Want::ReadPrivate;
                self.descend(format!("{text}[{index}]"), element, want, fixed)
            }
            Ty::Record(r) => self.member(text, *r, want, private),
            Ty::Pointer(element, n) => {
                // A pure function's own aggregates may hold pointers to what is not its own.
                if want == Want::ReadPrivate || (want == Want::Write && self.mode == Mode::Pure) {
                    return None;
                }
                if let Ty::Record(r) = **element
                    && *n == 1
                    && self.rng.percent(70)
                {
                    return self.through(text, r, want);
                }
                let text = match self.rng.below(3) {
                    0 if *n == 1 => format!("(*{text})"),
                    1 => format!("(*({text} + ({})))", self.index(*n, false)),
                    _ => format!("{text}[{}]", self.index(*n, false)),
                };
                self.descend(text, element, want, false)
            }
            Ty::Callback => None,
        }
    }

    fn through(&mut self, text: String, record: usize, want: Want) -> Option<Place> {
        let arrow = self.member("@".to_owned(), record, want, false)?;
        Some(Place { text: arrow.text.replacen("@.", &format!("{text}->"), 1), ..arrow })
    }

    fn member(&mut self, text: String, record: usize, want: Want, private: bool) -> Option<Place> {
        let fields = self.records[record].fields.clone();
        let field = self.rng.pick(&fields).clone();
        let text = if field.name.is_empty() { text } else { format!("{text}.{}", field.name) };
        match (&field.ty, field.width) {
            (Ty::Int(int), Some(width)) => {
                let mut int = int.clone();
                int.bits = if width > 32 { 64 } else { width };
                let wide = width > 32;
                if wide && want != Want::Write {
                    // Its own width counts in gcc's arithmetic, unless it is converted first.
                    let text = format!("(({}){text})", int.name);
                    return Some(Place { text, int, bit_field: true, private });
                }
                Some(Place { text, int, bit_field: true, private })
            }
            (ty, _) => self.descend(text, ty, want, private),
        }
    }

    /// An index below `n`.
    pub(crate) fn index(&mut self, n: usize, private: bool) -> String {
        if n == 1 || self.rng.percent(40) {
            return self.rng.below(n).to_string();
        }
        let e = self.scalar(private);
        if n.is_power_of_two() && self.rng.percent(80) {
            format!("{} & {}", e.at(8), n - 1)
        } else if self.rng.percent(50) {
            format!("(unsigned){} % {n}", e.at(14))
        } else {
            format!("{} % {n}u", e.cast("unsigned char").at(13))
        }
    }
}
