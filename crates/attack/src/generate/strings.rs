//! Strings in buffers that end with a zero at all times.

use super::expressions::Expr;
use super::types::{INT, ULONG};
use super::{Generator, Mode, Node};

const WORDS: [&str; 10] = ["", "a", "abc", "hello", "x\\ty", "zz9", "0123456", "A b", "q\\\"r", "\\x41\\102C"];

impl Generator {
    pub(crate) fn word(&mut self) -> String {
        (*self.rng.pick(&WORDS)).to_owned()
    }

    /// A string: a buffer or a literal.
    fn string(&mut self) -> String {
        if self.buffers.is_empty() || self.rng.percent(30) {
            return format!("\"{}\"", self.word());
        }
        self.rng.pick(&self.buffers).0.clone()
    }

    pub(crate) fn string_value(&mut self) -> Expr {
        let (a, b) = (self.string(), self.string());
        let op = *self.rng.pick(&["<", ">", "==", ">="]);
        match self.rng.below(6) {
            0 => Expr::new(format!("strlen({a})"), 15, ULONG),
            1 => Expr::new(format!("(strcmp({a}, {b}) {op} 0)"), 15, INT),
            2 => Expr::new(format!("(strncmp({a}, {b}, {}) {op} 0)", self.rng.below(5)), 15, INT),
            3 => Expr::new(format!("(memcmp({a}, {b}, 1) {op} 0)"), 15, INT),
            4 => Expr::new(format!("(strchr({a}, '{}') != 0)", self.rng.pick(&['a', 'l', 'z', '0'])), 15, INT),
            _ => {
                let i = self.index(8, false);
                let text = self.buffers.first().map_or("\"abcdefgh\"".to_owned(), |b| b.0.clone());
                Expr::new(format!("{text}[{i}]"), 15, INT)
            }
        }
    }

    /// A statement that changes a buffer.
    pub(crate) fn string_statement(&mut self) -> Option<Node> {
        if self.mode == Mode::Pure || self.buffers.is_empty() {
            return None;
        }
        let (name, n) = self.rng.pick(&self.buffers).clone();
        let word = self.word();
        let text = match self.rng.below(7) {
            0 => format!("strcpy({name}, \"{word}\");"),
            1 => {
                let c = self.scalar(false);
                format!("memset({name}, 'a' + ({} & 15), {});", c.at(8), self.rng.range(1, n - 1))
            }
            2 => {
                let e = self.pure(1, false);
                format!("{name}[{}] = 'a' + ({} & 15);", self.index(n - 1, false), e.at(8))
            }
            3 => format!("if (strlen({name}) < {n} - strlen(\"{word}\")) strcat({name}, \"{word}\");"),
            4 => format!("strncpy({name}, \"{word}\", {});", self.rng.range(1, n - 1)),
            5 => {
                let k = self.rng.range(1, n / 2);
                format!("memmove({name} + {}, {name}, {k});", self.rng.below(n - k))
            }
            _ => format!(
                "for (char *c = {name}; *c; c++) {{ if (*c >= 'a' && *c <= 'z') *c -= 'a' - 'A'; else *c ^= 1 * (*c > '1'); }}"
            ),
        };
        Some(Node::leaf(text))
    }
}
