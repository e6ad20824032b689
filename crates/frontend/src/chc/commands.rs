//! The commands of a script.

use clinch_ir::{HornSystem, Source, Span};
use clinch_terms::Sort;

use super::clauses::Clausifier;
use super::formula::Formula;
use super::sexpr::{Kind, Sexp, Tree};
use super::sorts::sort_at;
use super::translate::{Declarations, Global, Macro, Translation};
use super::value::{Context, Value};
use super::{Stop, unsupported};

/// Reads commands one after the other.
pub(super) struct Reader<'s> {
    context: Context,
    declarations: Declarations<'s>,
    /// For each symbol whether a clause has it.
    owned: Vec<bool>,
    /// Whether the question was asked: nothing may be asserted later.
    asked: bool,
    done: bool,
}

/// The elements of a command behind its name.
struct Command<'a, 's> {
    tree: &'a Tree<'s>,
    name: &'s str,
    span: Span,
    args: Vec<Sexp>,
}

impl<'s> Command<'_, 's> {
    fn arg(&self, index: usize, what: &str) -> Result<Sexp, Stop> {
        let missing = || Stop::bad(self.span, format!("`{}` without {what}", self.name));
        self.args.get(index).copied().ok_or_else(missing)
    }

    fn symbol(&self, index: usize) -> Result<&'s str, Stop> {
        let at = self.arg(index, "a name")?;
        self.tree.symbol(at).ok_or_else(|| Stop::bad(self.tree.span(at), "expected a name"))
    }

    fn list(&self, index: usize, what: &str) -> Result<Sexp, Stop> {
        let at = self.arg(index, what)?;
        match self.tree.kind(at) {
            Kind::List => Ok(at),
            _ => Err(Stop::bad(self.tree.span(at), format!("expected {what}"))),
        }
    }

    fn at_most(&self, count: usize) -> Result<(), Stop> {
        match self.args.get(count) {
            Some(&extra) => Err(Stop::bad(self.tree.span(extra), format!("`{}` takes {count} arguments", self.name))),
            None => Ok(()),
        }
    }
}

impl<'s> Reader<'s> {
    pub(super) fn new(source: &Source) -> Self {
        let context = Context::new(HornSystem::new(source.clone()));
        Reader { context, declarations: Declarations::default(), owned: Vec::new(), asked: false, done: false }
    }

    /// Whether the rest of the script is not to be read.
    pub(super) fn is_done(&self) -> bool {
        self.done
    }

    pub(super) fn finish(self) -> HornSystem {
        self.context.system
    }

    pub(super) fn command(&mut self, tree: &Tree<'s>) -> Result<(), Stop> {
        let root = tree.root();
        let span = tree.span(root);
        let mut items = tree.items(root);
        let Some(name) = items.next().and_then(|head| tree.symbol(head)) else {
            return Err(Stop::bad(span, "expected a command in parentheses"));
        };
        let command = Command { tree, name, span, args: items.collect() };
        match name {
            "declare-fun" => self.declare_fun(&command, 2),
            "declare-const" => self.declare_fun(&command, 1),
            "declare-rel" => self.declare_rel(&command),
            "declare-var" => self.declare_var(&command),
            "define-fun" => self.define_fun(&command),
            "define-const" => self.define_const(&command),
            "define-sort" => self.define_sort(&command),
            "assert" | "rule" => self.assert(&command),
            "query" => self.query(&command),
            "check-sat" => {
                self.asked = true;
                Ok(())
            }
            "exit" => {
                self.done = true;
                Ok(())
            }
            "set-logic" | "set-info" | "set-option" | "get-model" | "get-proof" | "get-info" | "get-option"
            | "get-value" | "get-assertions" | "get-unsat-core" | "get-assignment" | "echo" => Ok(()),
            _ => match unsupported::command(name) {
                Some(what) => Err(Stop::unsupported(span, what)),
                None => Err(Stop::bad(span, format!("`{name}` is not a command"))),
            },
        }
    }

    fn declare(&mut self, command: &Command<'_, 's>, name: &'s str, global: Global) -> Result<(), Stop> {
        if self.declarations.globals.insert(name, global).is_some() {
            return Err(Stop::bad(command.span, format!("`{name}` is declared twice")));
        }
        Ok(())
    }

    fn sorts(&self, tree: &Tree<'s>, list: Sexp) -> Result<Vec<Sort>, Stop> {
        tree.items(list).map(|at| sort_at(tree, &self.declarations.sorts, at)).collect()
    }

    fn declare_predicate(&mut self, command: &Command<'_, 's>, sorts: &[Sort]) -> Result<(), Stop> {
        let name = command.symbol(0)?;
        let id = self.context.system.add_predicate(name, sorts);
        self.declare(command, name, Global::Predicate(id))
    }

    /// `declare-fun` with its parameters, or `declare-const` without; the sort stands at `result`.
    fn declare_fun(&mut self, command: &Command<'_, 's>, result: usize) -> Result<(), Stop> {
        let name = command.symbol(0)?;
        let params =
            if result == 2 { self.sorts(command.tree, command.list(1, "parameter sorts")?)? } else { Vec::new() };
        let sort = sort_at(command.tree, &self.declarations.sorts, command.arg(result, "a sort")?)?;
        command.at_most(result + 1)?;
        match sort {
            Sort::Bool => self.declare_predicate(command, &params),
            sort => self.declare(command, name, Global::Function(sort)),
        }
    }

    fn declare_rel(&mut self, command: &Command<'_, 's>) -> Result<(), Stop> {
        let sorts = self.sorts(command.tree, command.list(1, "parameter sorts")?)?;
        self.declare_predicate(command, &sorts)
    }

    fn declare_var(&mut self, command: &Command<'_, 's>) -> Result<(), Stop> {
        let name = command.symbol(0)?;
        let sort = sort_at(command.tree, &self.declarations.sorts, command.arg(1, "a sort")?)?;
        command.at_most(2)?;
        let symbol = self.context.system.terms.declare(name, sort);
        self.declare(command, name, Global::Variable(symbol))
    }

    fn define_sort(&mut self, command: &Command<'_, 's>) -> Result<(), Stop> {
        let (name, params) = (command.symbol(0)?, command.list(1, "parameters")?);
        if command.tree.head(params).is_some() {
            return Err(Stop::unsupported(command.span, "sorts with parameters"));
        }
        let sort = sort_at(command.tree, &self.declarations.sorts, command.arg(2, "a sort")?)?;
        command.at_most(3)?;
        match self.declarations.sorts.insert(name, sort) {
            Some(_) => Err(Stop::bad(command.span, format!("`{name}` is declared twice"))),
            None => Ok(()),
        }
    }

    fn define_fun(&mut self, command: &Command<'_, 's>) -> Result<(), Stop> {
        let params = command.list(1, "parameters")?;
        command.at_most(4)?;
        self.define(command, Some(params), [command.arg(2, "a sort")?, command.arg(3, "a body")?])
    }

    fn define_const(&mut self, command: &Command<'_, 's>) -> Result<(), Stop> {
        command.at_most(3)?;
        self.define(command, None, [command.arg(1, "a sort")?, command.arg(2, "a value")?])
    }

    fn define(&mut self, command: &Command<'_, 's>, params: Option<Sexp>, [sort, body]: [Sexp; 2]) -> Result<(), Stop> {
        let (tree, name) = (command.tree, command.symbol(0)?);
        let sort = sort_at(tree, &self.declarations.sorts, sort)?;
        let mut translation = Translation::new(tree, &mut self.context, &mut self.declarations);
        let params = params.map_or(Ok(Vec::new()), |list| translation.bind_variables(list))?;
        let value = translation.value(body)?;
        let body = match value {
            Value::Formula(_) if sort == Sort::Bool => value,
            Value::Fraction(..) if sort == Sort::Real => value,
            other => Value::Term(self.context.coerce(&other, &sort, tree.span(body))?, sort),
        };
        self.declarations.macros.push(Macro { params, body });
        self.declare(command, name, Global::Macro(self.declarations.macros.len() - 1))
    }

    /// `assert`, or a rule with perhaps a name.
    fn assert(&mut self, command: &Command<'_, 's>) -> Result<(), Stop> {
        let at = command.arg(0, "a formula")?;
        if command.name == "assert" {
            command.at_most(1)?;
        }
        let formula = Translation::new(command.tree, &mut self.context, &mut self.declarations).formula(at)?;
        self.add(command, formula)
    }

    /// A query asks whether its formula has an instance: safe means that it has none.
    fn query(&mut self, command: &Command<'_, 's>) -> Result<(), Stop> {
        let at = command.arg(0, "a formula")?;
        let predicate = command.tree.symbol(at).and_then(|name| match self.declarations.globals.get(name) {
            Some(Global::Predicate(id)) => Some(*id),
            _ => None,
        });
        let mut translation = Translation::new(command.tree, &mut self.context, &mut self.declarations);
        let formula = match predicate {
            Some(id) => self.context.any_instance(id),
            None => translation.formula(at)?,
        };
        let negation = self.context.formulas.not(formula);
        self.add(command, negation)
    }

    fn add(&mut self, command: &Command<'_, 's>, formula: Formula) -> Result<(), Stop> {
        if self.asked {
            return Err(Stop::unsupported(command.span, "incremental scripts: an assertion after `check-sat`"));
        }
        let Context { system, formulas, .. } = &mut self.context;
        Clausifier { system, formulas, owned: &mut self.owned, span: command.span }.assert(formula)
    }
}
