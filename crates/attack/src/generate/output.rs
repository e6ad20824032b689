//! What a program prints.

use super::expressions::Expr;
use super::types::{Kind, Ty};
use super::{Generator, Node, Var};

impl Generator {
    fn format(&mut self, kind: Kind) -> String {
        let formats: &[&str] = match (kind.wide, kind.signed) {
            (false, true) => {
                &["%d", "%d", "%i", "%5d", "%-6d|", "%+d", "% d", "%05d", "%.3d", "%8.4d", "%hhd", "%hd", "%x"]
            }
            (false, false) => &["%u", "%u", "%x", "%#x", "%08x", "%X", "%o", "%#o", "%-8u|", "%12u", "%hu", "%hhu"],
            (true, true) => &["%ld", "%lld", "%20ld", "%-22lld|", "%+ld", "%020ld", "%.21ld", "%lx", "%li"],
            (true, false) => &["%lu", "%llu", "%lx", "%#llx", "%016lx", "%zu", "%lo", "%-22lu|", "%25llu", "%#lX"],
        };
        (*self.rng.pick(formats)).to_owned()
    }

    fn print_all(&mut self, label: &str, values: &[Expr]) -> Node {
        let mut format = label.to_owned();
        let mut args = String::new();
        for value in values {
            format.push(' ');
            format.push_str(&self.format(value.kind));
            args.push_str(", ");
            args.push_str(&value.at(2));
        }
        Node::leaf(format!("printf(\"{format}\\n\"{args});"))
    }

    pub(crate) fn print(&mut self) -> Node {
        match self.rng.below(8) {
            0 if !self.buffers.is_empty() => {
                let name = self.rng.pick(&self.buffers).0.clone();
                match self.rng.below(3) {
                    0 => Node::leaf(format!("puts({name});")),
                    1 => Node::leaf(format!("printf(\"%s,%10s,%-6s|%.3s\\n\", {name}, {name}, {name}, {name});")),
                    _ => Node::leaf(format!("printf(\"%s\\n\", {name});")),
                }
            }
            1 => {
                let e = self.pure(1, false);
                Node::leaf(format!("printf(\"%c%%\\n\", 'a' + (int)({} & 15));", e.at(8)))
            }
            2 => {
                let e = self.pure(2, false);
                let (width, e) = (self.rng.range(1, 14), e.cast("int"));
                Node::leaf(format!("printf(\"<%*d>\\n\", {width}, {});", e.at(2)))
            }
            3 => {
                let e = self.pure(1, false);
                Node::leaf(format!("putchar('A' + (int)({} & 7)); putchar('\\n');", e.at(8)))
            }
            _ => {
                let n = self.rng.range(1, 4);
                let values: Vec<Expr> = (0..n).map(|_| self.pure(2, false)).collect();
                let label = self.fresh("p");
                self.print_all(&label, &values)
            }
        }
    }

    /// The integers inside a variable, each as an expression, at most so many.
    fn integers(&self, text: &str, ty: &Ty, out: &mut Vec<Expr>) {
        if out.len() >= 12 {
            return;
        }
        match ty {
            Ty::Int(int) => out.push(Expr::new(text, 15, int.promoted())),
            Ty::Array(element, n) => (0..*n).for_each(|i| self.integers(&format!("{text}[{i}]"), element, out)),
            Ty::Record(r) => {
                for field in &self.records[*r].fields {
                    let text = if field.name.is_empty() { text.to_owned() } else { format!("{text}.{}", field.name) };
                    match (&field.ty, field.width) {
                        (Ty::Int(int), Some(width)) => {
                            let int = super::Int { bits: if width > 32 { 64 } else { width }, ..int.clone() };
                            let text = if width > 32 { format!("({}){text}", int.name) } else { text };
                            out.push(Expr::new(text, 14, int.promoted()));
                        }
                        (ty, _) => self.integers(&text, ty, out),
                    }
                }
            }
            Ty::Pointer(element, _) if matches!(**element, Ty::Int(_) | Ty::Record(_)) => {
                self.integers(&format!("(*{text})"), element, out);
            }
            Ty::Pointer(..) | Ty::Callback => {}
        }
    }

    /// Prints what a variable holds.
    pub(crate) fn dump(&mut self, var: &Var) -> Option<Node> {
        let mut values = Vec::new();
        self.integers(&var.name, &var.ty, &mut values);
        if values.is_empty() {
            return None;
        }
        let label = var.name.replace('$', "");
        Some(self.print_all(&label, &values))
    }
}
