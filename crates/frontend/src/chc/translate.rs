//! Terms of the input as values. There is no recursion, for inputs nest deeply; and what `let` names is translated once,
//! so that sharing survives.

use clinch_ir::{PredId, Span};
use clinch_terms::{Sort, Symbol};
use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use super::formula::{Argument, Formula, Quantifier};
use super::ops::Op;
use super::sexpr::{Items, Kind, Sexp, Tree};
use super::sorts::{SortNames, index_at, sort_at};
use super::value::{Context, Value, sort_of};
use super::{Stop, bits, unsupported};

/// A function that is defined, not solved for: its body is put in its place.
#[derive(Debug)]
pub(super) struct Macro {
    pub(super) params: Vec<Symbol>,
    pub(super) body: Value,
}

/// What a declared name stands for.
#[derive(Clone, Debug)]
pub(super) enum Global {
    Predicate(PredId),
    Macro(usize),
    /// A variable that every rule quantifies (`declare-var`).
    Variable(Symbol),
    /// A function that is not a predicate.
    Function(Sort),
}

/// The declarations of a script.
#[derive(Default)]
pub(super) struct Declarations<'s> {
    pub(super) globals: FxHashMap<&'s str, Global>,
    pub(super) macros: Vec<Macro>,
    pub(super) sorts: SortNames<'s>,
    /// Instances of macros made so far.
    instances: FxHashMap<(usize, Vec<Value>), Value>,
}

/// What a list applies to its arguments.
enum Head {
    Op(Op),
    Predicate(PredId),
    Macro(usize),
    ConstArray(Sort),
}

/// What is still to be done, last thing first.
enum Task {
    /// Translate a term.
    Visit(Sexp),
    /// Apply to the values above a height.
    Apply(Sexp, Head, usize),
    /// Name the values of a `let`, and go on with its body.
    Bind(Sexp, usize),
    /// Forget names down to this height.
    Unbind(usize),
    /// Quantify the last value.
    Quantify(Quantifier, Vec<Symbol>),
}

/// The translation of one command.
pub(super) struct Translation<'a, 's> {
    tree: &'a Tree<'s>,
    context: &'a mut Context,
    declarations: &'a mut Declarations<'s>,
    /// Values of local names, innermost last.
    locals: FxHashMap<&'s str, Vec<Value>>,
    /// The local names, in the order they were bound.
    bound: Vec<&'s str>,
    tasks: Vec<Task>,
    values: Vec<Value>,
}

impl<'a, 's> Translation<'a, 's> {
    pub(super) fn new(tree: &'a Tree<'s>, context: &'a mut Context, declarations: &'a mut Declarations<'s>) -> Self {
        let (locals, bound) = (FxHashMap::default(), Vec::new());
        Translation { tree, context, declarations, locals, bound, tasks: Vec::new(), values: Vec::new() }
    }

    /// Gives a name to a value, for the terms translated from now on.
    pub(super) fn bind(&mut self, name: &'s str, value: Value) {
        self.locals.entry(name).or_default().push(value);
        self.bound.push(name);
    }

    /// The value of a term.
    pub(super) fn value(&mut self, at: Sexp) -> Result<Value, Stop> {
        self.tasks.push(Task::Visit(at));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Visit(at) => self.visit(at)?,
                Task::Apply(at, head, height) => {
                    let args = self.values.split_off(height);
                    let value = self.apply(at, head, args)?;
                    self.push(value, at)?;
                }
                Task::Bind(at, height) => self.enter_let(at, height),
                Task::Unbind(height) => self.unbind(height),
                Task::Quantify(quantifier, symbols) => {
                    let value = self.values.pop().expect("the body was translated");
                    let body = self.context.formula(&value, "a quantifier", self.tree.span(at))?;
                    let value = Value::Formula(self.context.formulas.quantified(quantifier, symbols, body));
                    self.push(value, at)?;
                }
            }
        }
        Ok(self.values.pop().expect("one term leaves one value"))
    }

    /// The truth value of a term.
    pub(super) fn formula(&mut self, at: Sexp) -> Result<Formula, Stop> {
        let value = self.value(at)?;
        let span = self.tree.span(at);
        match sort_of(&value) {
            Sort::Bool => self.context.formula(&value, "assert", span),
            sort => Err(Stop::bad(span, format!("expected a truth value, found {sort}"))),
        }
    }

    fn push(&mut self, value: Value, at: Sexp) -> Result<(), Stop> {
        self.context.check(&value, self.tree.span(at))?;
        self.values.push(value);
        Ok(())
    }

    fn unbind(&mut self, height: usize) {
        for name in self.bound.drain(height..) {
            self.locals.get_mut(name).and_then(Vec::pop);
        }
    }

    fn visit(&mut self, at: Sexp) -> Result<(), Stop> {
        match self.tree.kind(at) {
            Kind::List => self.visit_list(at),
            Kind::Numeral | Kind::Decimal => {
                let value = self.context.literal(self.tree.text(at), self.tree.span(at))?;
                self.push(value, at)
            }
            Kind::Symbol | Kind::Quoted => {
                let value = self.named(at)?;
                self.push(value, at)
            }
            Kind::Bits => {
                let value = self.context.bit_literal(self.tree.text(at), self.tree.span(at))?;
                self.push(value, at)
            }
            Kind::Keyword | Kind::Text => Err(unsupported::literal(self.tree, at)),
        }
    }

    fn named(&mut self, at: Sexp) -> Result<Value, Stop> {
        let (name, span) = (self.tree.text(at), self.tree.span(at));
        if let Some(value) = self.locals.get(name).and_then(|of| of.last()) {
            return Ok(value.clone());
        }
        match (self.declarations.globals.get(name), name) {
            (Some(Global::Variable(symbol)), _) => {
                let terms = &mut self.context.system.terms;
                Ok(Value::Term(terms.symbol(*symbol), terms.symbol_sort(*symbol).clone()))
            }
            (Some(_), _) => {
                let head = self.global_head(name, span)?;
                self.apply(at, head, Vec::new())
            }
            (None, "true" | "false") => Ok(Value::Term(self.context.system.terms.bool(name == "true"), Sort::Bool)),
            (None, _) => Err(unknown(name, span)),
        }
    }

    fn visit_list(&mut self, at: Sexp) -> Result<(), Stop> {
        let (tree, span) = (self.tree, self.tree.span(at));
        let mut items = tree.items(at);
        let Some(first) = items.next() else { return Err(Stop::bad(span, "`()` is not a term")) };
        let word = if tree.kind(first) == Kind::Symbol { tree.text(first) } else { "" };
        match word {
            "let" => self.visit_let(at, items),
            "forall" => self.visit_quantifier(at, Quantifier::Forall, items),
            "exists" => self.visit_quantifier(at, Quantifier::Exists, items),
            "!" => {
                let term = items.next().ok_or_else(|| Stop::bad(span, "`!` without a term"))?;
                self.tasks.push(Task::Visit(term));
                Ok(())
            }
            "as" => {
                let term = items.next().ok_or_else(|| Stop::bad(span, "`as` without a term"))?;
                self.tasks.push(Task::Visit(term));
                Ok(())
            }
            "_" => {
                let value = self.indexed_literal(at)?;
                self.push(value, at)
            }
            "lambda" | "match" => Err(Stop::unsupported(span, unsupported::theory_of(word).expect("both are known"))),
            _ => {
                let head = self.head(first)?;
                self.tasks.push(Task::Apply(at, head, self.values.len()));
                self.visit_all(items);
                Ok(())
            }
        }
    }

    /// Translates terms, so that their values are in order.
    fn visit_all(&mut self, terms: impl Iterator<Item = Sexp>) {
        let height = self.tasks.len();
        self.tasks.extend(terms.map(Task::Visit));
        self.tasks[height..].reverse();
    }

    fn head(&mut self, at: Sexp) -> Result<Head, Stop> {
        let (tree, span) = (self.tree, self.tree.span(at));
        let Some(name) = tree.symbol(at) else { return self.qualified_head(at) };
        if self.declarations.globals.contains_key(name) {
            return self.global_head(name, span);
        }
        match (Op::of_name(name), unsupported::theory_of(name)) {
            (Some(op), _) => Ok(Head::Op(op)),
            (None, Some(theory)) => Err(Stop::unsupported(span, theory)),
            (None, None) => Err(unknown(name, span)),
        }
    }

    fn global_head(&mut self, name: &str, span: Span) -> Result<Head, Stop> {
        match self.declarations.globals.get(name) {
            Some(Global::Predicate(id)) => Ok(Head::Predicate(*id)),
            Some(Global::Macro(index)) => Ok(Head::Macro(*index)),
            Some(Global::Function(sort)) => Err(Stop::unsupported(span, unsupported::function(name, sort))),
            Some(Global::Variable(_)) => Err(Stop::bad(span, format!("`{name}` is not a function"))),
            None => Err(unknown(name, span)),
        }
    }

    /// `(as const (Array ...))` and `(_ extract 7 0)`: functions whose names have a syntax of their own.
    fn qualified_head(&mut self, at: Sexp) -> Result<Head, Stop> {
        let (tree, span) = (self.tree, self.tree.span(at));
        let parts: Vec<Sexp> = tree.items(at).take(5).collect();
        match parts.as_slice() {
            [word, name, sort] if tree.is(*word, "as") && tree.symbol(*name) == Some("const") => {
                Ok(Head::ConstArray(sort_at(tree, &self.declarations.sorts, *sort)?))
            }
            [word, name, indices @ ..] if tree.is(*word, "_") => {
                let name = tree.symbol(*name).unwrap_or_default();
                let indices = indices.iter().map(|&i| index_at(tree, i)).collect::<Result<Vec<_>, _>>();
                match indices.ok().and_then(|indices| bits::Op::of_indexed(name, &indices)) {
                    Some(op) => Ok(Head::Op(Op::Bits(op))),
                    None => Err(unsupported::literal(tree, at)),
                }
            }
            _ => Err(Stop::bad(span, "expected a function")),
        }
    }

    /// `(_ bv13 8)`.
    fn indexed_literal(&mut self, at: Sexp) -> Result<Value, Stop> {
        let tree = self.tree;
        let parts: Vec<Sexp> = tree.items(at).skip(1).take(3).collect();
        let &[name, width] = parts.as_slice() else { return Err(unsupported::literal(tree, at)) };
        match tree.symbol(name).and_then(|name| name.strip_prefix("bv")) {
            Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                self.context.bv_literal(digits, index_at(tree, width)?, tree.span(at))
            }
            _ => Err(unsupported::literal(tree, at)),
        }
    }

    fn apply(&mut self, at: Sexp, head: Head, args: Vec<Value>) -> Result<Value, Stop> {
        let span = self.tree.span(at);
        match head {
            Head::Op(op) => {
                let name = self.tree.head(at).map_or("", |h| self.tree.text(h));
                self.context.apply(op, name, args, span)
            }
            Head::ConstArray(sort) => self.context.const_array(&sort, &args, span),
            Head::Predicate(id) => {
                let params = self.context.system.predicate(id).params.clone();
                let args = self.arguments(&params, &args, span, Argument::fractional)?;
                Ok(Value::Formula(self.context.formulas.predicate(id, args)))
            }
            Head::Macro(index) => self.instance(index, args, span),
        }
    }

    fn arguments<T>(
        &mut self,
        params: &[Symbol],
        args: &[Value],
        span: Span,
        convert: impl Fn(&mut Context, &Value, &Sort, Span) -> Result<T, Stop>,
    ) -> Result<Vec<T>, Stop> {
        if params.len() != args.len() {
            let message = format!("expected {} arguments, found {}", params.len(), args.len());
            return Err(Stop::bad(span, message));
        }
        let convert = |(param, arg): (&Symbol, &Value)| {
            let sort = self.context.system.terms.symbol_sort(*param).clone();
            convert(self.context, arg, &sort, span)
        };
        params.iter().zip(args).map(convert).collect()
    }

    fn instance(&mut self, index: usize, args: Vec<Value>, span: Span) -> Result<Value, Stop> {
        let params = self.declarations.macros[index].params.clone();
        let body = self.declarations.macros[index].body.clone();
        let terms = self.arguments(&params, &args, span, Context::coerce)?;
        if params.is_empty() {
            return Ok(body);
        }
        let key = (index, args);
        if let Some(known) = self.declarations.instances.get(&key) {
            return Ok(known.clone());
        }
        let map = params.into_iter().zip(terms).collect();
        let Context { system, formulas, .. } = &mut *self.context;
        let value = match body {
            Value::Term(term, sort) => Value::Term(system.terms.substitute_symbols(term, &map), sort),
            Value::Fraction(term, divisor) => Value::Fraction(system.terms.substitute_symbols(term, &map), divisor),
            Value::Formula(formula) => {
                let memo = &mut FxHashMap::default();
                Value::Formula(formulas.substitute(&mut system.terms, formula, &map, memo))
            }
        };
        self.declarations.instances.insert(key, value.clone());
        Ok(value)
    }

    fn visit_let(&mut self, at: Sexp, mut items: Items<'_>) -> Result<(), Stop> {
        let (Some(bindings), Some(_), None) = (items.next(), items.next(), items.next()) else {
            return Err(Stop::bad(self.tree.span(at), "`let` takes a list of bindings and a term"));
        };
        let mut terms = Vec::new();
        for binding in self.tree.items(bindings) {
            let parts: Vec<Sexp> = self.tree.items(binding).take(3).collect();
            match parts.as_slice() {
                [name, term] if self.tree.symbol(*name).is_some() => terms.push(*term),
                _ => return Err(Stop::bad(self.tree.span(binding), "expected `(name term)`")),
            }
        }
        self.tasks.push(Task::Bind(at, self.values.len()));
        self.visit_all(terms.into_iter());
        Ok(())
    }

    fn enter_let(&mut self, at: Sexp, height: usize) {
        let mut items = self.tree.items(at).skip(1);
        let (bindings, body) = (items.next().expect("checked"), items.next().expect("checked"));
        self.tasks.push(Task::Unbind(self.bound.len()));
        self.tasks.push(Task::Visit(body));
        let values = self.values.split_off(height);
        for (binding, value) in self.tree.items(bindings).zip(values) {
            let name = self.tree.head(binding).expect("checked");
            self.bind(self.tree.text(name), value);
        }
    }

    fn visit_quantifier(&mut self, at: Sexp, quantifier: Quantifier, mut items: Items<'_>) -> Result<(), Stop> {
        let (Some(variables), Some(body), None) = (items.next(), items.next(), items.next()) else {
            return Err(Stop::bad(self.tree.span(at), "a quantifier takes a list of variables and a term"));
        };
        self.tasks.push(Task::Unbind(self.bound.len()));
        let symbols = self.bind_variables(variables)?;
        self.tasks.push(Task::Quantify(quantifier, symbols));
        self.tasks.push(Task::Visit(body));
        Ok(())
    }

    /// Declares the variables of a list `((x Int) ...)`.
    pub(super) fn bind_variables(&mut self, list: Sexp) -> Result<Vec<Symbol>, Stop> {
        let tree = self.tree;
        let mut symbols = Vec::new();
        if tree.kind(list) != Kind::List {
            return Err(Stop::bad(tree.span(list), "expected a list of variables"));
        }
        for variable in tree.items(list) {
            let parts: Vec<Sexp> = tree.items(variable).take(3).collect();
            let (name, sort) = match parts.as_slice() {
                [name, sort] => (tree.symbol(*name), sort),
                _ => return Err(Stop::bad(tree.span(variable), "expected `(name sort)`")),
            };
            let name = name.ok_or_else(|| Stop::bad(tree.span(variable), "expected a name"))?;
            let sort = sort_at(tree, &self.declarations.sorts, *sort)?;
            let symbol = self.context.system.terms.declare(name, sort.clone());
            symbols.push(symbol);
            let term = self.context.system.terms.symbol(symbol);
            self.bind(name, Value::Term(term, sort));
        }
        Ok(symbols)
    }
}

impl Argument {
    /// An argument of a predicate: unlike elsewhere, it may be a fraction.
    pub(super) fn fractional(context: &mut Context, value: &Value, sort: &Sort, span: Span) -> Result<Self, Stop> {
        match value {
            Value::Fraction(term, divisor) if *sort == Sort::Real => {
                Ok(Argument { term: *term, divisor: divisor.clone() })
            }
            other => Ok(Argument { term: context.coerce(other, sort, span)?, divisor: BigInt::from(1) }),
        }
    }
}

fn unknown(name: &str, span: Span) -> Stop {
    let shown = name.chars().take(60).collect::<String>();
    Stop::bad(span, format!("`{shown}` is not declared"))
}
