//! How the expressions of the languages differ: reserved words and the levels of their operators.

use clinch_terms::BinOp;

use crate::expr::{Comparison, Infix, Prefix};

/// Which language's expressions are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    Gcl,
    Dve,
    Rem,
    Bp,
}

/// Level of `? :`, the loosest operator.
pub(crate) const CONDITIONAL: u8 = 1;
/// Level of the operators of range bounds, where a following `..`, `:` or `[` belongs to the surroundings.
pub(crate) const ADDITIVE: u8 = 11;
/// Level of the tight prefix operators.
const UNARY: u8 = 13;

/// How a chain of one operator is grouped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Associativity {
    Left,
    Right,
    /// A chain is an error.
    None,
}

impl Dialect {
    /// Words that cannot be names.
    pub(crate) fn reserved(self) -> &'static [&'static str] {
        match self {
            Dialect::Gcl => {
                &["true", "false", "and", "or", "not", "forall", "exists", "input", "bool", "int", "when", "do"]
            }
            Dialect::Dve => &[
                "byte", "int", "const", "channel", "process", "state", "init", "trans", "guard", "sync", "effect",
                "system", "async", "and", "or", "not", "imply", "true", "false",
            ],
            Dialect::Rem => &[
                "true", "false", "define", "struct", "init", "module", "int", "bool", "void", "if", "fi", "do", "od",
                "else", "goto", "return", "break", "skip", "assert", "undef",
            ],
            Dialect::Bp => &[
                "true", "false", "decl", "begin", "end", "bool", "void", "if", "then", "elsif", "else", "fi", "while",
                "do", "od", "goto", "return", "skip", "assume", "assert", "schoose",
            ],
        }
    }

    /// Whether `and`, `or` and `not` are operators.
    fn has_words(self) -> bool {
        matches!(self, Dialect::Gcl | Dialect::Dve)
    }

    /// The operators of Boolean programs, where one sign is as good as two.
    fn boolean(text: &str) -> Option<(Infix, u8, Associativity)> {
        let (infix, level) = match text {
            "=>" => return Some((Infix::Implies, 2, Associativity::Right)),
            "|" | "||" => (Infix::Or, 3),
            "&" | "&&" => (Infix::And, 4),
            "=" | "==" => (Infix::Compare(Comparison::Equal), 8),
            "!=" | "^" => (Infix::Compare(Comparison::Different), 8),
            _ => return None,
        };
        Some((infix, level, Associativity::Left))
    }

    /// Operator, level (higher binds tighter) and associativity.
    pub(crate) fn infix(self, text: &str) -> Option<(Infix, u8, Associativity)> {
        use Associativity::{Left, None as NonAssociative, Right};
        if self == Dialect::Bp {
            return Self::boolean(text);
        }
        let gcl = self == Dialect::Gcl;
        let integer = |op, level| Some((Infix::Integer(op), level, Left));
        let compare = |op, dve_level| {
            let (level, associativity) = if gcl { (6, NonAssociative) } else { (dve_level, Left) };
            Some((Infix::Compare(op), level, associativity))
        };
        match text {
            "=>" if gcl => Some((Infix::Implies, 2, Right)),
            "imply" if self == Dialect::Dve => Some((Infix::Implies, 2, Left)),
            "||" => Some((Infix::Or, 3, Left)),
            "&&" => Some((Infix::And, 4, Left)),
            "or" if self.has_words() => Some((Infix::Or, 3, Left)),
            "and" if self.has_words() => Some((Infix::And, 4, Left)),
            "=" if gcl => compare(Comparison::Equal, 8),
            "==" => compare(Comparison::Equal, 8),
            "!=" => compare(Comparison::Different, 8),
            "<" => compare(Comparison::Less, 9),
            "<=" => compare(Comparison::LessEqual, 9),
            ">" => compare(Comparison::Greater, 9),
            ">=" => compare(Comparison::GreaterEqual, 9),
            // The bit operators are tighter than comparisons in GCL, and looser elsewhere, as in C.
            "|" => integer(BinOp::BitOr, if gcl { 7 } else { 5 }),
            "^" => integer(BinOp::BitXor, if gcl { 8 } else { 6 }),
            "&" => integer(BinOp::BitAnd, if gcl { 9 } else { 7 }),
            "<<" => integer(BinOp::Shl, 10),
            ">>" => integer(BinOp::Shr, 10),
            "+" => integer(BinOp::Add, ADDITIVE),
            "-" => integer(BinOp::Sub, ADDITIVE),
            "*" => integer(BinOp::Mul, 12),
            "/" => integer(BinOp::Div, 12),
            "%" => integer(BinOp::Rem, 12),
            _ => None,
        }
    }

    /// Operator and the level from which its operand is read.
    pub(crate) fn prefix(self, text: &str) -> Option<(Prefix, u8)> {
        match text {
            "not" if self == Dialect::Gcl => Some((Prefix::Not, 6)),
            "!" => Some((Prefix::Not, UNARY)),
            "not" if self.has_words() => Some((Prefix::Not, UNARY)),
            "-" if self != Dialect::Bp => Some((Prefix::Minus, UNARY)),
            "~" if self == Dialect::Bp => Some((Prefix::Not, UNARY)),
            "~" => Some((Prefix::Complement, UNARY)),
            _ => None,
        }
    }
}
