//! Pure expressions.

use super::places::Want;
use super::types::{INT, INTS, Kind, LONG, Ty, ULONG};
use super::{Generator, Var};

/// An expression with its precedence (15 is primary, 1 is the comma) and the type of its promoted value.
#[derive(Clone)]
pub(crate) struct Expr {
    pub(crate) text: String,
    pub(crate) level: u8,
    pub(crate) kind: Kind,
}

impl Expr {
    pub(crate) fn new(text: impl Into<String>, level: u8, kind: Kind) -> Self {
        Expr { text: text.into(), level, kind }
    }

    /// The text where an operand of at least that level is wanted.
    pub(crate) fn at(&self, level: u8) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }

    pub(crate) fn cast(&self, ty: &str) -> Expr {
        let kind = INTS
            .iter()
            .find(|(name, ..)| *name == ty)
            .map_or(INT, |&(_, bits, signed, _)| Kind { wide: bits == 64, signed: signed || bits < 32 });
        Expr::new(format!("({ty}){}", self.at(14)), 14, kind)
    }
}

/// Levels of binary operators.
pub(crate) const ARITHMETIC: [(&str, u8); 6] = [("+", 12), ("-", 12), ("*", 13), ("&", 8), ("^", 7), ("|", 6)];
const COMPARISONS: [(&str, u8); 6] = [("<", 10), ("<=", 10), (">", 10), (">=", 10), ("==", 9), ("!=", 9)];

const LITERALS: [(&str, Kind); 24] = [
    ("2147483647", INT),
    ("(-2147483647 - 1)", INT),
    ("4294967295u", Kind { wide: false, signed: false }),
    ("0x80000000", Kind { wide: false, signed: false }),
    ("2147483648", LONG),
    ("0xffffffffffffffff", ULONG),
    ("9223372036854775807L", LONG),
    ("(-9223372036854775807LL - 1)", LONG),
    ("0x8000000000000000ull", ULONG),
    ("255", INT),
    ("256", INT),
    ("127", INT),
    ("0177", INT),
    ("65535", INT),
    ("32768", INT),
    ("0x10001", INT),
    ("'a'", INT),
    ("'\\n'", INT),
    ("'\\xff'", INT),
    ("'\\0'", INT),
    ("1000000007", INT),
    ("3000000000", LONG),
    ("1ul", ULONG),
    ("0LL", LONG),
];

impl Generator {
    pub(crate) fn literal(&mut self) -> Expr {
        match self.rng.below(10) {
            0..=4 => Expr::new(self.rng.below(17).to_string(), 15, INT),
            5 => Expr::new(format!("-{}", self.rng.range(1, 130)), 14, INT),
            6 if !self.enumerators.is_empty() => {
                let name = self.rng.pick(&self.enumerators).clone();
                Expr::new(name, 15, INT)
            }
            7 => Expr::new(format!("{:#x}u", self.rng.next() & 0xffff_ffff), 15, Kind { wide: false, signed: false }),
            _ => {
                let (text, kind) = *self.rng.pick(&LITERALS);
                Expr::new(text, 15, kind)
            }
        }
    }

    /// A scalar variable or a literal.
    pub(crate) fn scalar(&mut self, private: bool) -> Expr {
        let scalars: Vec<Var> =
            self.visible().into_iter().filter(|v| matches!(v.ty, Ty::Int(_)) && !(private && v.shared)).collect();
        if scalars.is_empty() || self.rng.percent(15) {
            return self.literal();
        }
        let var = self.rng.pick(&scalars).clone();
        let Ty::Int(int) = &var.ty else { return self.literal() };
        Expr::new(var.name, 15, int.promoted())
    }

    fn read(&mut self, private: bool) -> Expr {
        let want = if private { Want::ReadPrivate } else { Want::Read };
        match self.place(want) {
            Some(place) => {
                let kind = place.int.promoted();
                Expr::new(place.text, 15, kind)
            }
            None => self.literal(),
        }
    }

    pub(crate) fn pure(&mut self, depth: usize, private: bool) -> Expr {
        if depth == 0 {
            return if self.rng.percent(25) { self.literal() } else { self.read(private) };
        }
        let e = match self.rng.below(22) {
            0..=5 => self.arithmetic(depth, private),
            6 | 7 => self.shift(depth, private),
            8 => self.division(depth, private),
            9 | 10 => self.comparison(depth, private),
            11 => self.logical(depth, private),
            12 => self.unary(depth, private),
            13 | 14 => self.conversion(depth, private),
            15 => self.conditional(depth, private),
            16 if !private => self.pure_call(depth),
            17 if !private => self.callback_call(depth),
            18 => self.size(),
            19 if !private => self.pointer_value(),
            20 if !private => self.string_value(),
            21 => self.odd(depth, private),
            _ => self.read(private),
        };
        // Parentheses that are not needed, now and then.
        if self.rng.percent(15) { Expr::new(format!("({})", e.text), 15, e.kind) } else { e }
    }

    fn binary(&mut self, left: &Expr, op: (&str, u8), right: &Expr, kind: Kind) -> Expr {
        Expr::new(format!("{} {} {}", left.at(op.1), op.0, right.at(op.1 + 1)), op.1, kind)
    }

    pub(crate) fn arithmetic(&mut self, depth: usize, private: bool) -> Expr {
        let (a, b) = (self.pure(depth - 1, private), self.pure(depth - 1, private));
        let op = *self.rng.pick(&ARITHMETIC);
        self.binary(&a, op, &b, a.kind.common(b.kind))
    }

    /// A shift count below the width.
    pub(crate) fn count(&mut self, bits: u32, private: bool) -> Expr {
        if self.rng.percent(50) {
            return Expr::new(self.rng.below(bits as usize).to_string(), 15, INT);
        }
        let e = self.scalar(private);
        Expr::new(format!("{} & {}", e.at(8), bits - 1), 8, e.kind)
    }

    fn shift(&mut self, depth: usize, private: bool) -> Expr {
        let a = self.pure(depth - 1, private);
        let n = self.count(a.kind.bits(), private);
        let op = *self.rng.pick(&["<<", ">>"]);
        self.binary(&a, (op, 11), &n, a.kind)
    }

    /// Neither 0 nor -1, beside a value of that type.
    pub(crate) fn divisor(&mut self, kind: Kind, private: bool) -> Expr {
        let e = self.scalar(private);
        match self.rng.below(4) {
            0 => Expr::new(format!("(({} & 15) + 1)", e.at(8)), 15, e.kind),
            1 => Expr::new(format!("(-({} & 7) - 2)", e.at(8)), 15, e.kind),
            2 if !kind.common(e.kind).signed => Expr::new(format!("({} | 1)", e.at(6)), 15, e.kind),
            _ => {
                let text = *self.rng.pick(&["3", "7", "-3", "10", "255", "1000000007", "-128", "2"]);
                Expr::new(text, 14, INT)
            }
        }
    }

    fn division(&mut self, depth: usize, private: bool) -> Expr {
        let a = self.pure(depth - 1, private);
        let b = self.divisor(a.kind, private);
        let op = *self.rng.pick(&["/", "%"]);
        self.binary(&a, (op, 13), &b, a.kind.common(b.kind))
    }

    pub(crate) fn comparison(&mut self, depth: usize, private: bool) -> Expr {
        let (a, b) = (self.pure(depth - 1, private), self.pure(depth - 1, private));
        let op = *self.rng.pick(&COMPARISONS);
        self.binary(&a, op, &b, INT)
    }

    fn logical(&mut self, depth: usize, private: bool) -> Expr {
        let (a, b) = (self.pure(depth - 1, private), self.pure(depth - 1, private));
        let op = *self.rng.pick(&[("&&", 5), ("||", 4)]);
        self.binary(&a, op, &b, INT)
    }

    fn unary(&mut self, depth: usize, private: bool) -> Expr {
        let a = self.pure(depth - 1, private);
        let op = *self.rng.pick(&["-", "~", "!", "+"]);
        let kind = if op == "!" { INT } else { a.kind };
        let operand = a.at(14);
        let space = if operand.starts_with(['-', '+']) { " " } else { "" };
        Expr::new(format!("{op}{space}{operand}"), 14, kind)
    }

    fn conversion(&mut self, depth: usize, private: bool) -> Expr {
        let a = self.pure(depth - 1, private);
        let ints = self.ints.clone();
        let int = self.rng.pick(&ints).clone();
        Expr::new(format!("({}){}", int.name, a.at(14)), 14, int.promoted())
    }

    fn conditional(&mut self, depth: usize, private: bool) -> Expr {
        let c = self.pure(depth - 1, private);
        let (a, b) = (self.pure(depth - 1, private), self.pure(depth - 1, private));
        if self.rng.percent(10) {
            return Expr::new(format!("{} ?: {}", c.at(4), b.at(3)), 3, c.kind.common(b.kind));
        }
        Expr::new(format!("{} ? {} : {}", c.at(4), a.at(1), b.at(3)), 3, a.kind.common(b.kind))
    }

    /// An argument for a parameter.
    pub(crate) fn argument(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        match ty {
            Ty::Int(_) => Some(self.pure(depth, false).at(2)),
            Ty::Record(r) => self.record_value(*r),
            Ty::Pointer(element, n) => self.address(element, *n, self.depth),
            Ty::Callback => Some(self.callback()),
            Ty::Array(..) => None,
        }
    }

    fn pure_call(&mut self, depth: usize) -> Expr {
        let fits = |f: &super::Function| f.pure && matches!(f.result, Some(Ty::Int(_))) && self.affordable(f.cost);
        let functions: Vec<_> = self.functions.iter().filter(|f| fits(f)).cloned().collect();
        if functions.is_empty() {
            return self.read(false);
        }
        let f = self.rng.pick(&functions).clone();
        self.spend(f.cost);
        let args: Option<Vec<String>> = f.params.iter().map(|p| self.argument(p, depth - 1)).collect();
        match (args, &f.result) {
            (Some(args), Some(Ty::Int(int))) => {
                Expr::new(format!("{}({})", f.name, args.join(", ")), 15, int.promoted())
            }
            _ => self.literal(),
        }
    }

    pub(crate) fn callback(&mut self) -> String {
        let name = self.rng.pick(&self.callbacks).clone();
        if self.rng.percent(20) { format!("&{name}") } else { name }
    }

    /// A call of a table function through a pointer to it.
    fn callback_call(&mut self, depth: usize) -> Expr {
        if self.callbacks.is_empty() || !self.affordable(20) {
            return self.read(false);
        }
        self.spend(20);
        let (a, b) = (self.pure(depth - 1, false).at(2), self.pure(depth - 1, false).at(2));
        let holders: Vec<Var> = self.visible().into_iter().filter(|v| holds_callback(&v.ty)).collect();
        let text = match holders.is_empty() {
            true => format!("({})({a}, {b})", self.callback()),
            false => {
                let var = self.rng.pick(&holders).clone();
                let callee = match var.ty {
                    Ty::Array(_, n) => format!("{}[{}]", var.name, self.index(n, false)),
                    _ => var.name,
                };
                if self.rng.percent(30) { format!("(*{callee})({a}, {b})") } else { format!("{callee}({a}, {b})") }
            }
        };
        Expr::new(text, 15, INT)
    }

    fn size(&mut self) -> Expr {
        let named = self.named_records();
        let text = match self.rng.below(5) {
            0 => format!("sizeof({})", self.rng.pick(&self.ints).name),
            1 if !named.is_empty() => format!("sizeof({})", self.records[*self.rng.pick(&named)].tag),
            2 => format!("_Alignof({})", self.rng.pick(&self.ints).name),
            3 if !named.is_empty() => {
                let record = &self.records[*self.rng.pick(&named)];
                let fields: Vec<_> = record.fields.iter().filter(|f| f.width.is_none() && !f.name.is_empty()).collect();
                match fields.is_empty() {
                    true => format!("_Alignof({})", record.tag),
                    false => format!("__builtin_offsetof({}, {})", record.tag, self.rng.pick(&fields).name),
                }
            }
            _ => {
                let vars = self.visible();
                match vars.is_empty() {
                    true => "sizeof(long)".to_owned(),
                    false => format!("sizeof({})", self.rng.pick(&vars).name),
                }
            }
        };
        Expr::new(text, 14, ULONG)
    }

    /// Less common forms: a comma, a statement expression, a compound literal.
    fn odd(&mut self, depth: usize, private: bool) -> Expr {
        let (a, b) = (self.pure(depth - 1, private), self.pure(depth - 1, private));
        match self.rng.below(4) {
            0 => Expr::new(format!("{}, {}", a.at(1), b.at(2)), 1, b.kind),
            1 => {
                let int = self.rng.pick(&self.ints).clone();
                let name = self.fresh("t");
                let text = format!("({{ {} {name} = {}; {name} + {}; }})", int.name, a.at(2), b.at(13));
                Expr::new(text, 15, int.promoted().common(b.kind))
            }
            2 => {
                let index = self.index(3, private);
                Expr::new(format!("(long[]){{ {}, {}, 7 }}[{index}]", a.at(2), b.at(2)), 15, LONG)
            }
            _ => {
                let int = self.rng.pick(&self.ints).clone();
                Expr::new(format!("({}){{ {} }}", int.name, a.at(2)), 15, int.promoted())
            }
        }
    }
}

fn holds_callback(ty: &Ty) -> bool {
    match ty {
        Ty::Callback => true,
        Ty::Array(element, _) => **element == Ty::Callback,
        _ => false,
    }
}
