//! Addresses, and values made of them; records by value.

use super::expressions::Expr;
use super::types::{INT, LONG, Ty};
use super::{Function, Generator, Mode, Var};

impl Generator {
    /// The address of at least `n` elements that live at least as long as a variable of that depth.
    pub(crate) fn address(&mut self, element: &Ty, n: usize, depth: usize) -> Option<String> {
        let mut found = Vec::new();
        for var in self.visible() {
            if var.depth <= depth && var.shared && !var.constant {
                self.addresses_in(&var.name, &var.ty, element, n, &mut found);
            }
            // A pointer that lives as long points to something that does.
            if var.depth <= depth
                && let Ty::Pointer(target, m) = &var.ty
                && **target == *element
                && *m >= n
                && self.rng.percent(50)
            {
                found.push(var.name.clone());
                if *m > n {
                    found.push(format!("{} + {}", var.name, m - n));
                }
            }
        }
        if found.is_empty() { None } else { Some(self.rng.pick(&found).clone()) }
    }

    /// The same, as a constant: of a global.
    pub(crate) fn constant_address(&mut self, element: &Ty, n: usize) -> Option<String> {
        let mut found = Vec::new();
        for var in self.visible() {
            if var.depth == 0 && var.shared && !var.constant {
                self.addresses_in(&var.name, &var.ty, element, n, &mut found);
            }
        }
        found.retain(|a| !a.contains("unsigned"));
        if found.is_empty() { None } else { Some(self.rng.pick(&found).clone()) }
    }

    fn addresses_in(&mut self, text: &str, ty: &Ty, element: &Ty, n: usize, found: &mut Vec<String>) {
        if ty == element && n == 1 {
            found.push(format!("&{text}"));
            return;
        }
        match ty {
            Ty::Array(inner, m) if **inner == *element && *m >= n => {
                let k = self.rng.below(m - n + 1);
                found.push(if k == 0 { text.to_owned() } else { format!("{text} + {k}") });
                found.push(format!("&{text}[{k}]"));
            }
            Ty::Array(inner, m) => {
                let k = self.rng.below(*m);
                self.addresses_in(&format!("{text}[{k}]"), inner, element, n, found);
            }
            Ty::Record(r) => {
                for field in self.records[*r].fields.clone() {
                    if field.width.is_none() && !field.name.is_empty() && !matches!(field.ty, Ty::Pointer(..)) {
                        self.addresses_in(&format!("{text}.{}", field.name), &field.ty, element, n, found);
                    }
                }
            }
            _ => {}
        }
    }

    /// Comparison, difference and bytes of pointers.
    pub(crate) fn pointer_value(&mut self) -> Expr {
        let vars: Vec<Var> = self.visible().into_iter().filter(|v| v.shared || v.constant).collect();
        if vars.is_empty() {
            return self.literal();
        }
        let var = self.rng.pick(&vars).clone();
        match &var.ty {
            Ty::Array(_, n) => {
                let (i, j) = (self.index(*n, false), self.index(*n, false));
                let name = &var.name;
                match self.rng.below(3) {
                    0 => Expr::new(format!("(&{name}[{i}] - &{name}[{j}])"), 15, LONG),
                    1 => Expr::new(format!("(&{name}[{i}] < &{name}[{j}])"), 15, INT),
                    _ => Expr::new(format!("({name} + ({i}) == &{name}[{j}])"), 15, INT),
                }
            }
            Ty::Int(int) if int.bits >= 8 && var.shared => {
                // Its bytes, or its bits read as the other signedness.
                let (i, name) = (self.index((int.bits / 8) as usize, false), &var.name);
                if int.bits == 32 && self.rng.percent(30) {
                    return Expr::new(format!("*(int *)&{name}"), 14, INT);
                }
                Expr::new(format!("((unsigned char *)&{name})[{i}]"), 15, INT)
            }
            Ty::Pointer(element, _) => match self.address(element, 1, usize::MAX) {
                Some(other) => {
                    let op = *self.rng.pick(&["==", "!="]);
                    Expr::new(format!("({} {op} {other})", var.name), 15, INT)
                }
                None => Expr::new(format!("!{}", var.name), 14, INT),
            },
            _ => self.literal(),
        }
    }

    /// A record as a value.
    pub(crate) fn record_value(&mut self, record: usize) -> Option<String> {
        let mut found = Vec::new();
        for var in self.visible() {
            match &var.ty {
                Ty::Record(r) if *r == record => found.push(var.name.clone()),
                Ty::Array(e, n) if **e == Ty::Record(record) => {
                    let index = self.index(*n, false);
                    found.push(format!("{}[{index}]", var.name));
                }
                Ty::Pointer(e, _) if **e == Ty::Record(record) => found.push(format!("*{}", var.name)),
                _ => {}
            }
        }
        let value = self.initialiser(&Ty::Record(record), false);
        let literal = format!("({}){value}", self.records[record].tag);
        if found.is_empty() || self.rng.percent(20) {
            return Some(literal);
        }
        let one = self.rng.pick(&found).clone();
        if self.rng.percent(20) {
            let other = self.rng.pick(&found).clone();
            return Some(format!("({} ? {one} : {other})", self.scalar(false).at(4)));
        }
        Some(one)
    }

    /// A statement that gives a pointer or a record another value.
    pub(crate) fn reassign(&mut self) -> Option<String> {
        let own = |v: &Var| self.mode == Mode::Free || v.depth > 0;
        let vars: Vec<Var> = self
            .visible()
            .into_iter()
            .filter(|v| !v.constant && own(v) && matches!(v.ty, Ty::Pointer(..) | Ty::Record(_) | Ty::Callback))
            .collect();
        if vars.is_empty() {
            return None;
        }
        let var = self.rng.pick(&vars).clone();
        match &var.ty {
            Ty::Pointer(element, n) => {
                if self.mode == Mode::Free && self.rng.percent(30) {
                    return self.store_through(&var.name, element);
                }
                let address = self.address(element, *n, var.depth)?;
                Some(format!("{} = {address};", var.name))
            }
            Ty::Record(r) => {
                let returns = |f: &&Function| f.pure && f.result.as_ref() == Some(&var.ty) && self.affordable(f.cost);
                let functions: Vec<Function> = self.functions.iter().filter(returns).cloned().collect();
                if !functions.is_empty() && self.rng.percent(50) {
                    let f = self.rng.pick(&functions).clone();
                    self.spend(f.cost);
                    let args: Option<Vec<String>> = f.params.iter().map(|p| self.argument(p, 1)).collect();
                    return Some(format!("{} = {}({});", var.name, f.name, args?.join(", ")));
                }
                Some(format!("{} = {};", var.name, self.record_value(*r)?))
            }
            Ty::Callback => {
                let value = self.callback();
                Some(format!("{} = {value};", var.name))
            }
            _ => None,
        }
    }

    /// `*p = ...` for a pointer to a pointer (to a global only: what it points to may live long), or to a record.
    fn store_through(&mut self, name: &str, element: &Ty) -> Option<String> {
        match element {
            Ty::Pointer(target, n) => {
                let address = self.address(target, *n, 0)?;
                Some(format!("*{name} = {address};"))
            }
            Ty::Record(r) => Some(format!("*{name} = {};", self.record_value(*r)?)),
            _ => None,
        }
    }
}
