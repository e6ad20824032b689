//! Functions.

use super::types::{Ty, declare};
use super::{Function, Generator, Mode, Node, Var};

impl Generator {
    fn parameter(&mut self) -> Ty {
        match self.rng.below(8) {
            0 if !self.records.is_empty() => {
                let records = self.named_records();
                Ty::Record(*self.rng.pick(&records))
            }
            1 | 2 => self.pointer_type().unwrap_or(Ty::int("int", 32, true)),
            _ => Ty::Int(self.rng.pick(&self.ints).clone()),
        }
    }

    /// Writes a function and returns what a caller must know.
    fn function(&mut self, name: String, params: Vec<Ty>, result: Option<Ty>, mode: Mode) -> Function {
        self.mode = mode;
        self.result = result.clone();
        self.cost = 1;
        self.times = 1;
        self.depth = 1;
        let vars = self.vars.len();
        let mut head = Vec::new();
        for ty in &params {
            let name = self.fresh("a");
            head.push(declare(ty, &name, &self.records));
            // A pure function must not write through a pointer it was given: `may_use` sees to that.
            let shared = self.rng.percent(30);
            self.vars.push(Var { name, ty: ty.clone(), depth: 1, shared, constant: false });
        }
        let n = self.rng.range(1, if mode == Mode::Pure { 4 } else { 4 + self.size });
        let mut body = self.statements(n, 2);
        if let Some(value) = result.as_ref().and_then(|ty| self.value(ty)) {
            body.push(Node::leaf(format!("return {value};")));
        }
        self.vars.truncate(vars);
        let params_text = if head.is_empty() { "void".to_owned() } else { head.join(", ") };
        let result_text = result.as_ref().map_or_else(
            || format!("void {name}({params_text})"),
            |ty| declare(ty, &format!("{name}({params_text})"), &self.records),
        );
        let inline = if self.rng.percent(15) { "static inline" } else { "static" };
        self.nodes.push(Node::block(format!("{inline} {result_text}\n{{"), body, "}"));
        Function { name, params, result, pure: mode == Mode::Pure, cost: self.cost }
    }

    pub(crate) fn pure_functions(&mut self) {
        self.leaf("typedef int (*callback$)(int, long);");
        for _ in 0..self.rng.range(1, 3) {
            let name = self.fresh("op") + "$";
            let params = vec![Ty::int("int", 32, true), Ty::int("long", 64, true)];
            let callbacks = std::mem::take(&mut self.callbacks);
            let f = self.function(name.clone(), params, Some(Ty::int("int", 32, true)), Mode::Pure);
            self.callbacks = callbacks;
            if f.cost <= 20 {
                self.callbacks.push(name);
            }
            self.functions.push(f);
        }
        for _ in 0..self.rng.below(3) {
            let name = self.fresh("pure") + "$";
            let params = (0..self.rng.range(1, 3)).map(|_| self.parameter()).collect();
            let result = match self.parameter() {
                Ty::Pointer(..) => Ty::int("short", 16, true),
                ty => ty,
            };
            let f = self.function(name, params, Some(result), Mode::Pure);
            self.functions.push(f);
        }
    }

    pub(crate) fn free_functions(&mut self) {
        for _ in 0..self.rng.range(1, 2 + self.size) {
            let name = self.fresh("fun") + "$";
            let mut params: Vec<Ty> = (0..self.rng.range(0, 4)).map(|_| self.parameter()).collect();
            if !self.callbacks.is_empty() && self.rng.percent(20) {
                params.push(Ty::Callback);
            }
            let result = if self.rng.percent(85) { Some(Ty::Int(self.rng.pick(&self.ints).clone())) } else { None };
            let f = self.function(name, params, result, Mode::Free);
            self.functions.push(f);
        }
    }

    pub(crate) fn main(&mut self) {
        self.mode = Mode::Free;
        self.result = Some(Ty::int("int", 32, true));
        (self.cost, self.times, self.depth) = (0, 1, 1);
        let n = self.rng.range(3, 5 + 3 * self.size);
        let mut body = Vec::new();
        for _ in 0..self.rng.range(1, 4) {
            let (name, bits, signed, suffix) = *self.rng.pick(&super::types::INTS);
            let (var, shared) = (self.fresh("in"), self.rng.percent(40));
            body.push(Node::leaf(format!("{name} {var} = __VERIFIER_nondet_{suffix}();")));
            self.vars.push(Var { name: var, ty: Ty::int(name, bits, signed), depth: 1, shared, constant: false });
        }
        body.extend(self.idiom_calls());
        body.extend(self.statements(n, 3));
        body.extend(self.void_calls());
        for var in self.visible() {
            body.extend(self.dump(&var));
        }
        body.push(Node::leaf("printf(\"%016lx\\n\", sum$);"));
        // Only `main` itself may come to its end without a result, and gcc sees it under another name.
        self.nodes.push(Node::block("int main$(void)\n{", body, "  return (int)(sum$ & 127);\n}"));
    }

    /// Each idiom at least once.
    fn idiom_calls(&mut self) -> Vec<Node> {
        let plain = |f: &&Function| {
            !["op", "pure", "fun"].iter().any(|stem| f.name.starts_with(stem)) && f.params == [Ty::int("int", 32, true)]
        };
        let functions: Vec<Function> = self.functions.iter().filter(plain).cloned().collect();
        let mut nodes = Vec::new();
        for f in functions {
            self.spend(f.cost);
            let x = self.pure(1, false);
            nodes.push(Node::leaf(format!("printf(\"{} %d\\n\", {}({}));", f.name.replace('$', ""), f.name, x.at(2))));
        }
        nodes
    }

    /// Calls of the functions that only a statement can call.
    fn void_calls(&mut self) -> Vec<Node> {
        let functions: Vec<Function> = self.functions.iter().filter(|f| f.result.is_none()).cloned().collect();
        let mut nodes = Vec::new();
        for f in functions {
            let args: Option<Vec<String>> = f.params.iter().map(|p| self.argument(p, 1)).collect();
            if let Some(args) = args {
                nodes.push(Node::leaf(format!("{}({});", f.name, args.join(", "))));
            }
        }
        nodes
    }
}
