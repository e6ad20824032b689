//! Terms and states in the syntax of the language they came from.

use std::fmt::Write;

use clinch_terms::{BinOp, Node, Term, Terms, UnOp};

use crate::eval::State;
use crate::program::{Domain, Program, Syntax};

/// The term as source text.
pub fn show(program: &Program, terms: &Terms, term: Term) -> String {
    let mut out = String::new();
    Printer { program: Some(program), syntax: program.syntax, terms }.write(&mut out, term, 0);
    out
}

/// A formula over symbols, in the syntax of GCL.
pub fn show_formula(terms: &Terms, formula: Term) -> String {
    let mut out = String::new();
    Printer { program: None, syntax: Syntax::Gcl, terms }.write(&mut out, formula, 0);
    out
}

/// The cells of a state as `name = value`, those of `before` with the same value left out.
pub fn show_cells(program: &Program, before: Option<&State>, state: &State) -> Vec<(String, String)> {
    let names = program.cell_names();
    let cells = program.cell_domains().zip(names).zip(&state.cells).enumerate();
    cells
        .filter(|(i, (_, value))| before.is_none_or(|b| b.cells[*i] != **value))
        .map(|(_, ((domain, name), value))| (name, program.show_value(domain, *value)))
        .collect()
}

/// The locations of a state as `process -> location`, those of `before` that are the same left out.
pub fn show_locations(program: &Program, before: Option<&State>, state: &State) -> Vec<(String, String)> {
    let moved = state.locs.iter().enumerate().filter(|(i, loc)| before.is_none_or(|b| b.locs[*i] != **loc));
    moved
        .map(|(i, loc)| {
            let process = &program.processes[i];
            (process.name.clone(), process.locations[loc.index()].clone())
        })
        .collect()
}

struct Printer<'a> {
    /// None for formulas: they have no variables and no locations.
    program: Option<&'a Program>,
    syntax: Syntax,
    terms: &'a Terms,
}

impl<'a> Printer<'a> {
    fn program(&self) -> &'a Program {
        self.program.expect("formulas do not speak about the state of a program")
    }

    fn write(&self, out: &mut String, term: Term, context: u8) {
        let precedence = self.precedence(term);
        let parenthesised = precedence < context;
        if parenthesised {
            out.push('(');
        }
        self.write_bare(out, term, precedence);
        if parenthesised {
            out.push(')');
        }
    }

    fn write_bare(&self, out: &mut String, term: Term, precedence: u8) {
        match self.terms.node(term) {
            Node::Extract { hi, lo, of } => {
                self.write(out, of, precedence);
                push(out, format_args!("[{hi}:{lo}]"));
            }
            Node::Extend { signed, by, of } => {
                self.write_call(out, format_args!("{}_extend[{by}]", if signed { "sign" } else { "zero" }), of);
            }
            Node::IntToBv(width, a) => self.write_call(out, format_args!("int2bv[{width}]"), a),
            Node::Unary(UnOp::BvToNat, a) => self.write_call(out, "bv2nat", a),
            Node::Unary(UnOp::Float(op, format), a) => {
                self.write_call(out, format_args!("{}[{}]", op.name(), format.width()), a);
            }
            Node::Unary(UnOp::Extended(op), a) => {
                self.write_call(out, format_args!("{}[{}]", op.name(), op.width()), a);
            }
            Node::ConstArray(..) | Node::Store(..) | Node::Binary(BinOp::Select, ..) => {
                self.write_array(out, term, precedence);
            }
            Node::Unary(UnOp::BoolToInt, a) => match self.syntax {
                Syntax::Gcl | Syntax::Armc => {
                    self.write(out, a, precedence + 1);
                    out.push_str(" ? 1 : 0");
                }
                Syntax::Dve => self.write(out, a, precedence),
            },
            Node::Unary(UnOp::Not, a) => self.write_not(out, a),
            Node::Unary(op, a) => {
                out.push(if matches!(op, UnOp::Neg | UnOp::BvNeg) { '-' } else { '~' });
                self.write(out, a, precedence + 1);
            }
            Node::Binary(op @ (BinOp::Eq | BinOp::Le | BinOp::Lt), a, b) => {
                self.write_comparison(out, a, self.symbol(op), b);
            }
            Node::Binary(op, a, b) => {
                self.write(out, a, precedence);
                let symbol = self.symbol(op);
                push(out, format_args!("{}{symbol} ", if symbol == "," { "" } else { " " }));
                self.write(out, b, precedence + 1);
            }
            Node::Ite(c, a, b) => {
                self.write(out, c, precedence + 1);
                out.push_str(" ? ");
                self.write(out, a, precedence + 1);
                out.push_str(" : ");
                self.write(out, b, precedence);
            }
            Node::Fma(format, a, b, c) => {
                push(out, format_args!("fp.fma[{}](", format.width()));
                for (operand, after) in [(a, ", "), (b, ", "), (c, ")")] {
                    self.write(out, operand, 0);
                    out.push_str(after);
                }
            }
            leaf => self.write_leaf(out, term, leaf),
        }
    }

    /// An array with one value everywhere, an element, or an array with another element.
    fn write_array(&self, out: &mut String, term: Term, precedence: u8) {
        match self.terms.node(term) {
            Node::ConstArray(_, element) => {
                out.push('{');
                self.write(out, element, 0);
                out.push('}');
            }
            Node::Binary(_, array, index) => {
                self.write(out, array, precedence);
                out.push('[');
                self.write(out, index, 0);
                out.push(']');
            }
            Node::Store(array, index, value) => {
                self.write(out, array, 20);
                out.push('{');
                self.write(out, index, 0);
                out.push_str(" := ");
                self.write(out, value, 0);
                out.push('}');
            }
            _ => {}
        }
    }

    /// A constant or a name.
    fn write_leaf(&self, out: &mut String, term: Term, leaf: Node) {
        match leaf {
            Node::Bool(value) => match self.syntax {
                Syntax::Gcl | Syntax::Armc => push(out, value),
                Syntax::Dve => push(out, i64::from(value)),
            },
            Node::Int(v) => push(out, v),
            Node::Big(id) => push(out, self.terms.big_value(id)),
            Node::Var(v) => out.push_str(&self.program().var(v).name),
            Node::Input(i) => push(out, format_args!("input#{i}")),
            Node::Symbol(symbol) => out.push_str(self.terms.symbol_name(symbol)),
            Node::At(process, location) => {
                let process = &self.program().processes[process.index()];
                let location = &process.locations[location.index()];
                match self.syntax {
                    Syntax::Armc => push(out, format_args!("pc({location})")),
                    _ => push(out, format_args!("{}.{location}", process.name)),
                }
            }
            _ => {
                let (width, bits) = self.terms.as_bit_vec(term).expect("what is left is a constant of bits");
                out.push_str(&clinch_terms::sort::bit_vec_literal(width, &bits));
            }
        }
    }

    fn write_call(&self, out: &mut String, name: impl std::fmt::Display, argument: Term) {
        push(out, format_args!("{name}("));
        self.write(out, argument, 0);
        out.push(')');
    }

    /// Negated comparisons read better than `not (...)`.
    fn write_not(&self, out: &mut String, a: Term) {
        let armc = self.syntax == Syntax::Armc;
        let flipped = match self.terms.node(a) {
            Node::Binary(BinOp::Eq, x, y) => Some((x, if armc { "=\\=" } else { "!=" }, y)),
            Node::Binary(BinOp::Le, x, y) => Some((x, ">", y)),
            Node::Binary(BinOp::Lt, x, y) => Some((x, ">=", y)),
            _ => None,
        };
        match flipped {
            Some((x, op, y)) => self.write_comparison(out, x, op, y),
            None => {
                out.push_str(if armc { "\\+ " } else { "not " });
                self.write(out, a, UNARY + 1);
            }
        }
    }

    /// Comparisons inside comparisons are always parenthesised: GCL refuses chains, in DVE they mislead. A number that is
    /// compared with an enumeration is shown by its name.
    fn write_comparison(&self, out: &mut String, a: Term, op: &str, b: Term) {
        let context = self.comparison() + 1;
        self.write_side(out, a, b, context);
        push(out, format_args!(" {op} "));
        self.write_side(out, b, a, context);
    }

    fn write_side(&self, out: &mut String, side: Term, other: Term, context: u8) {
        match (self.terms.node(side), self.domain(other)) {
            (Node::Int(value), Some(domain @ Domain::Enum(_))) => {
                out.push_str(&self.program().show_value(domain, value));
            }
            _ => self.write(out, side, context),
        }
    }

    /// The domain of a variable or element.
    fn domain(&self, term: Term) -> Option<&Domain> {
        match self.terms.node(term) {
            Node::Var(v) => Some(&self.program().var(v).domain),
            Node::Binary(BinOp::Select, array, _) | Node::Store(array, ..) => self.domain(array),
            _ => None,
        }
    }

    /// The level of comparisons: in GCL the bit operators are tighter, in DVE looser, as in C.
    fn comparison(&self) -> u8 {
        match self.syntax {
            Syntax::Gcl | Syntax::Armc => 5,
            Syntax::Dve => 7,
        }
    }

    fn symbol(&self, op: BinOp) -> &'static str {
        let armc = self.syntax == Syntax::Armc;
        match op {
            BinOp::And if armc => ",",
            BinOp::And => "and",
            BinOp::Or if armc => ";",
            BinOp::Or => "or",
            BinOp::Eq if self.syntax != Syntax::Dve => "=",
            BinOp::Eq => "==",
            BinOp::Le if armc => "=<",
            BinOp::Le => "<=",
            BinOp::Lt => "<",
            BinOp::Add | BinOp::BvAdd => "+",
            BinOp::Sub | BinOp::BvSub => "-",
            BinOp::Mul | BinOp::BvMul => "*",
            BinOp::BvUdiv => "/u",
            BinOp::BvUrem => "%u",
            BinOp::BvSdiv => "/s",
            BinOp::BvSrem => "%s",
            BinOp::BvSmod => "mod",
            BinOp::BvConcat => "++",
            BinOp::BvUlt => "<u",
            BinOp::BvUle => "<=u",
            BinOp::BvSlt => "<s",
            BinOp::BvSle => "<=s",
            BinOp::BvAshr => ">>s",
            BinOp::Div | BinOp::FloorDiv => "/",
            BinOp::Rem | BinOp::Mod => "%",
            BinOp::BitAnd | BinOp::BvAnd => "&",
            BinOp::BitOr | BinOp::BvOr => "|",
            BinOp::BitXor | BinOp::BvXor => "^",
            BinOp::Shl | BinOp::BvShl => "<<",
            BinOp::Shr | BinOp::BvLshr => ">>",
            BinOp::Select => "[]",
            BinOp::Float(op, _) | BinOp::Extended(op) => op.name(),
        }
    }

    fn precedence(&self, term: Term) -> u8 {
        let gcl = self.syntax != Syntax::Dve;
        match self.terms.node(term) {
            Node::Int(v) if v < 0 => UNARY,
            Node::Bool(_) | Node::Int(_) | Node::Var(_) | Node::At(..) | Node::Input(_) => 20,
            Node::Store(..) | Node::Fma(..) => 20,
            Node::Big(_) | Node::Symbol(_) | Node::ConstArray(..) => 20,
            Node::BitVec(..)
            | Node::BigBitVec(..)
            | Node::Unary(UnOp::BvToNat | UnOp::Float(..) | UnOp::Extended(_), _) => 20,
            Node::Extract { .. } | Node::Extend { .. } | Node::IntToBv(..) => 20,
            Node::Unary(UnOp::Not, a) => match self.terms.node(a) {
                Node::Binary(BinOp::Eq | BinOp::Le | BinOp::Lt, ..) => self.comparison(),
                _ if gcl => 4,
                _ => UNARY,
            },
            Node::Unary(UnOp::BoolToInt, a) if !gcl => self.precedence(a),
            Node::Ite(..) | Node::Unary(UnOp::BoolToInt, _) => 1,
            Node::Unary(..) => UNARY,
            Node::Binary(op, ..) => match op {
                BinOp::Or => 2,
                BinOp::And => 3,
                BinOp::BitOr | BinOp::BvOr => {
                    if gcl {
                        6
                    } else {
                        4
                    }
                }
                BinOp::BitXor | BinOp::BvXor => {
                    if gcl {
                        7
                    } else {
                        5
                    }
                }
                BinOp::BitAnd | BinOp::BvAnd => {
                    if gcl {
                        8
                    } else {
                        6
                    }
                }
                BinOp::Eq | BinOp::Le | BinOp::Lt => self.comparison(),
                BinOp::Float(..) | BinOp::Extended(_) => self.comparison(),
                op if op.compares_bit_vectors() => self.comparison(),
                BinOp::Shl | BinOp::Shr | BinOp::BvShl | BinOp::BvLshr | BinOp::BvAshr => 9,
                BinOp::Add | BinOp::Sub | BinOp::BvAdd | BinOp::BvSub | BinOp::BvConcat => 10,
                BinOp::Select => 20,
                // Products, quotients and remainders.
                _ => 11,
            },
        }
    }
}

const UNARY: u8 = 12;

fn push(out: &mut String, text: impl std::fmt::Display) {
    write!(out, "{text}").expect("writing to a string cannot fail");
}
