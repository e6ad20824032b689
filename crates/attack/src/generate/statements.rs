//! Statements.

use super::types::{Int, Ty};
use super::{Generator, Mode, Node, Var};

impl Generator {
    /// A block of statements with its own scope.
    pub(crate) fn block(&mut self, count: usize, nesting: usize) -> Vec<Node> {
        let (vars, depth) = (self.vars.len(), self.depth);
        self.depth += 1;
        let nodes = self.statements(count, nesting);
        self.depth = depth;
        self.vars.truncate(vars);
        nodes
    }

    pub(crate) fn statements(&mut self, count: usize, nesting: usize) -> Vec<Node> {
        (0..count).map(|_| self.statement(nesting)).collect()
    }

    /// A body that is executed so many times more often.
    fn repeated(&mut self, times: u64, nesting: usize) -> Vec<Node> {
        let (outer, in_loop) = (self.times, self.in_loop);
        self.times *= times;
        self.in_loop = true;
        let n = self.rng.range(1, 3);
        let body = self.block(n, nesting - 1);
        self.times = outer;
        self.in_loop = in_loop;
        body
    }

    fn statement(&mut self, nesting: usize) -> Node {
        self.spend(1);
        if nesting > 0 && self.rng.percent(40) && self.affordable(12) {
            return match self.rng.below(9) {
                0..=2 => self.branch(nesting),
                3 => self.for_loop(nesting),
                4 => self.while_loop(nesting),
                5 => self.do_loop(nesting),
                6 => self.switch(nesting),
                7 => self.jump(nesting),
                _ => {
                    let n = self.rng.range(1, 3);
                    Node::block("{", self.block(n, nesting - 1), "}")
                }
            };
        }
        match self.rng.below(14) {
            0..=2 => self.local(),
            3 => self.reassign().map_or_else(|| self.simple(), Node::leaf),
            4 => self.string_statement().unwrap_or_else(|| self.simple()),
            5 | 6 if self.mode == Mode::Free && self.times <= 8 => self.print(),
            7 | 8 if self.mode == Mode::Free => {
                let e = self.pure(2, false);
                Node::leaf(format!("mix$({});", e.at(2)))
            }
            9 if self.mode == Mode::Free => {
                let e = self.effect(2);
                Node::leaf(format!("mix$({});", e.at(2)))
            }
            10 | 11 if self.mode == Mode::Free => Node::leaf(format!("{};", self.effect(2).at(1))),
            12 => self.leave(),
            _ => self.simple(),
        }
    }

    fn simple(&mut self) -> Node {
        Node::leaf(format!("{};", self.assignment().at(1)))
    }

    /// A way out, seldom taken.
    fn leave(&mut self) -> Node {
        let c = self.comparison(1, false);
        let rare = format!("{} && {}", c.at(5), self.comparison(1, false).at(6));
        if self.mode == Mode::Free && self.rng.percent(10) {
            let way = *self.rng.pick(&["abort();", "exit(3);", "reach_error();", "__VERIFIER_assume(0);"]);
            return Node::leaf(format!("if ({rare}) {way}"));
        }
        if self.in_loop && self.rng.percent(60) {
            let jump = *self.rng.pick(&["break", "continue"]);
            return Node::leaf(format!("if ({}) {jump};", c.at(1)));
        }
        match self.result.clone() {
            Some(ty) => match self.value(&ty) {
                Some(value) => Node::leaf(format!("if ({rare}) return {value};")),
                None => self.simple(),
            },
            None => Node::leaf(format!("if ({rare}) return;")),
        }
    }

    /// A value of a type that a function returns.
    pub(crate) fn value(&mut self, ty: &Ty) -> Option<String> {
        match ty {
            Ty::Int(_) => Some(self.pure(2, false).at(1)),
            Ty::Record(r) => self.record_value(*r),
            Ty::Pointer(element, n) => self.address(element, *n, 0),
            _ => None,
        }
    }

    fn condition(&mut self) -> String {
        if self.mode == Mode::Free && self.rng.percent(25) {
            return self.effect(1).at(1);
        }
        self.pure(2, false).at(1)
    }

    fn branch(&mut self, nesting: usize) -> Node {
        let mut parts = Vec::new();
        let n = self.rng.range(1, 2);
        parts.push((format!("if ({}) {{", self.condition()), self.block(n, nesting - 1)));
        if self.rng.percent(20) {
            parts.push((format!("}} else if ({}) {{", self.condition()), self.block(n, nesting - 1)));
        }
        if self.rng.percent(50) {
            parts.push(("} else {".to_owned(), self.block(n, nesting - 1)));
        }
        Node { parts, tail: "}".to_owned() }
    }

    /// Runs `body` with a counter that can be read.
    fn with_counter<T>(&mut self, name: &str, ty: &str, body: impl FnOnce(&mut Self) -> T) -> T {
        let int = if ty == "int" { Int::new("int", 32, true) } else { Int::new(ty, 8, false) };
        let depth = self.depth + 1;
        let vars = self.vars.len();
        self.vars.push(Var { name: name.to_owned(), ty: Ty::Int(int), depth, shared: false, constant: true });
        let result = body(self);
        self.vars.truncate(vars);
        result
    }

    fn for_loop(&mut self, nesting: usize) -> Node {
        let (i, n) = (self.fresh("i"), self.rng.range(1, 6));
        let ty = *self.rng.pick(&["int", "unsigned char"]);
        let head = match self.rng.below(4) {
            0 => format!("for ({ty} {i} = {n}; {i}; {i}--) {{"),
            1 => format!("for ({ty} {i} = 0; ; ++{i}) {{\n  if ({i} >= {n}) break;"),
            2 => format!("for ({ty} {i} = 0; {i} < {}; {i} += 2) {{", 2 * n),
            _ => format!("for ({ty} {i} = 0; {i} < {n}; {i}++) {{"),
        };
        let body = self.with_counter(&i, ty, |g| g.repeated(n as u64, nesting));
        Node::block(head, body, "}")
    }

    fn while_loop(&mut self, nesting: usize) -> Node {
        let (w, n) = (self.fresh("w"), self.rng.range(1, 6));
        let c = self.condition();
        let head = format!("{{ int {w} = {n};\nwhile ({w}-- > 0 && ({c})) {{");
        let body = self.with_counter(&w, "int", |g| g.repeated(n as u64, nesting));
        Node::block(head, body, "} }")
    }

    fn do_loop(&mut self, nesting: usize) -> Node {
        let (w, n) = (self.fresh("w"), self.rng.range(1, 6));
        let head = format!("{{ int {w} = 0;\ndo {{");
        let (body, c) = self.with_counter(&w, "int", |g| {
            let body = g.repeated(n as u64, nesting);
            (body, g.pure(1, false))
        });
        Node::block(head, body, format!("}} while (++{w} < {n} && {}); }}", c.at(6)))
    }

    fn switch(&mut self, nesting: usize) -> Node {
        let in_loop = std::mem::replace(&mut self.in_loop, false);
        let e = self.pure(1, false);
        let operand = match self.rng.below(3) {
            0 => e.at(1),
            1 => format!("(unsigned char)({})", e.at(1)),
            _ => format!("{} & 7", e.at(8)),
        };
        let mut parts = vec![(format!("switch ({operand}) {{"), Vec::new())];
        let mut next = 0;
        let default = self.rng.below(5);
        for i in 0..self.rng.range(1, 4) {
            if i == default {
                parts.push(("default: ;".to_owned(), self.arm(nesting)));
            }
            let high = next + self.rng.below(2);
            let head = match (high > next, self.rng.percent(20)) {
                (true, true) => format!("case {next} ... {high}: ;"),
                (true, false) => format!("case {next}: case {high}: ;"),
                _ => format!("case {next}: ;"),
            };
            next = high + 1 + self.rng.below(2);
            let arm = self.arm(nesting);
            parts.push((head, arm));
        }
        if self.rng.percent(30) {
            parts.push((format!("case -{}: ;", self.rng.range(1, 3)), self.arm(nesting)));
        }
        self.in_loop = in_loop;
        Node { parts, tail: "}".to_owned() }
    }

    fn arm(&mut self, nesting: usize) -> Vec<Node> {
        let n = self.rng.range(1, 2);
        let mut nodes = vec![Node::block("{", self.block(n, nesting - 1), "}")];
        if self.rng.percent(60) {
            nodes.push(Node::leaf("break;"));
        }
        nodes
    }

    /// Jumps: forward, backward, into a block, and cases inside a loop.
    fn jump(&mut self, nesting: usize) -> Node {
        let (label, c) = (self.fresh("L"), self.fresh("c"));
        let (d, n) = (self.pure(1, false), self.rng.range(1, 4));
        match self.rng.below(4) {
            0 => {
                let body = self.block(2, nesting - 1);
                Node {
                    parts: vec![(format!("if ({}) goto {label};\n{{", d.at(1)), body)],
                    tail: format!("}}\n{label}: ;"),
                }
            }
            1 => {
                let times = self.times;
                self.times *= n as u64 + 1;
                let body = Node::block("{", self.block(2, nesting - 1), "}");
                self.times = times;
                let head = format!("{{ int {c} = 0;\n{label}: ;");
                Node::block(head, vec![body], format!("if ({c}++ < {n} && {}) goto {label}; }}", d.at(6)))
            }
            2 => {
                let e = self.comparison(1, false);
                let (first, second) = (self.block(1, 0), self.block(1, 0));
                let parts = vec![
                    (format!("if ({}) goto {label};\nif ({}) {{\n{{", d.at(1), e.at(1)), first),
                    (format!("}}\n{label}: {{"), second),
                ];
                Node { parts, tail: "}\n}".to_owned() }
            }
            _ => {
                let times = self.times;
                self.times *= n as u64 + 1;
                let in_loop = std::mem::replace(&mut self.in_loop, true);
                let (a, b) = (self.block(1, 0), self.block(1, 0));
                self.times = times;
                self.in_loop = in_loop;
                let parts = vec![
                    (format!("{{ int {c} = {n};\nswitch ({} & 1) {{\ncase 0: do {{\n{{", d.at(8)), a),
                    ("}\ncase 1: {".to_owned(), b),
                ];
                Node { parts, tail: format!("}}\n}} while ({c}-- > 0);\n}} }}") }
            }
        }
    }
}
