//! The terms of one clause.

use std::borrow::Cow;
use std::fmt::Write as _;

use clinch_ir::Span;

/// A term of a [`Clause`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TermId(u32);

/// A variable of a [`Clause`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct VarIndex(u32);

impl VarIndex {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a term is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Shape<'s> {
    Variable(VarIndex),
    Atom(Cow<'s, str>),
    /// Digits as written, and a sign that stands directly before them.
    Number(&'s str),
    /// A quoted text, with its quotes.
    Text(&'s str),
    /// A functor and its arguments. A conjunction `(a, b, c)` is one term with functor `,`; `{}` has one argument.
    Compound(Cow<'s, str>, Vec<TermId>),
    /// `[a, b | rest]`.
    List(Vec<TermId>, Option<TermId>),
}

struct Node<'s> {
    shape: Shape<'s>,
    span: Span,
    depth: u32,
}

/// A variable: variables of different clauses have nothing to do with each other, and each `_` is a variable of its own.
pub(super) struct Variable<'s> {
    pub(super) name: &'s str,
    /// Where it occurs first.
    pub(super) span: Span,
    /// How often it occurs.
    pub(super) occurrences: u32,
}

impl Variable<'_> {
    /// Whether Prolog wants no second occurrence (`_`, `_X`).
    pub(super) fn is_anonymous(&self) -> bool {
        self.name.starts_with('_')
    }
}

/// A store of terms, used again for the next clause.
#[derive(Default)]
pub(super) struct Clause<'s> {
    nodes: Vec<Node<'s>>,
    vars: Vec<Variable<'s>>,
    known: rustc_hash::FxHashMap<&'s str, VarIndex>,
}

impl<'s> Clause<'s> {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.vars.clear();
        self.known.clear();
    }

    pub(super) fn shape(&self, id: TermId) -> &Shape<'s> {
        &self.nodes[id.0 as usize].shape
    }

    pub(super) fn span(&self, id: TermId) -> Span {
        self.nodes[id.0 as usize].span
    }

    /// Terms on top of each other, itself included.
    pub(super) fn depth(&self, id: TermId) -> u32 {
        self.nodes[id.0 as usize].depth
    }

    pub(super) fn add(&mut self, shape: Shape<'s>, span: Span) -> TermId {
        let children = match &shape {
            Shape::Compound(_, args) => (args.as_slice(), None),
            Shape::List(items, rest) => (items.as_slice(), *rest),
            _ => (&[][..], None),
        };
        let depth = 1 + children.0.iter().chain(&children.1).map(|c| self.depth(*c)).max().unwrap_or(0);
        self.nodes.push(Node { shape, span, depth });
        TermId(self.nodes.len() as u32 - 1)
    }

    /// An occurrence of a variable.
    pub(super) fn variable(&mut self, name: &'s str, span: Span) -> TermId {
        let known = if name == "_" { None } else { self.known.get(name).copied() };
        let var = known.unwrap_or_else(|| {
            let var = self.fresh(name, span);
            if name != "_" {
                self.known.insert(name, var);
            }
            var
        });
        self.vars[var.index()].occurrences += 1;
        self.add(Shape::Variable(var), span)
    }

    /// A variable that the text does not have.
    pub(super) fn fresh(&mut self, name: &'s str, span: Span) -> VarIndex {
        self.vars.push(Variable { name, span, occurrences: 0 });
        VarIndex(self.vars.len() as u32 - 1)
    }

    pub(super) fn vars(&self) -> &[Variable<'s>] {
        &self.vars
    }

    pub(super) fn var_indices(&self) -> impl Iterator<Item = VarIndex> + use<> {
        (0..self.vars.len() as u32).map(VarIndex)
    }

    /// The variables of a term, ascending and without repetition.
    pub(super) fn vars_of(&self, id: TermId) -> Vec<VarIndex> {
        let (mut vars, mut stack) = (Vec::new(), vec![id]);
        while let Some(id) = stack.pop() {
            match self.shape(id) {
                Shape::Variable(var) => vars.push(*var),
                Shape::Compound(_, args) => stack.extend(args),
                Shape::List(items, rest) => stack.extend(items.iter().chain(rest)),
                Shape::Atom(_) | Shape::Number(_) | Shape::Text(_) => {}
            }
        }
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// Makes variables of the atoms that are names, but for those in locations.
    pub(super) fn atoms_to_variables(&mut self, root: TermId, is_name: impl Fn(&str) -> bool) {
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            match self.shape(id) {
                Shape::Atom(Cow::Borrowed(name)) if is_name(name) => {
                    let name = *name;
                    let var = self.known.get(name).copied().unwrap_or_else(|| self.fresh(name, self.span(id)));
                    self.known.insert(name, var);
                    self.nodes[id.0 as usize].shape = Shape::Variable(var);
                }
                Shape::Compound(name, args) if name != "pc" => stack.extend(args),
                _ => {}
            }
        }
    }

    /// Functor and arguments; an atom has none.
    pub(super) fn functor(&self, id: TermId) -> Option<(&str, &[TermId])> {
        match self.shape(id) {
            Shape::Atom(name) => Some((name, &[])),
            Shape::Compound(name, args) => Some((name, args)),
            _ => None,
        }
    }

    /// The term as Prolog would write it; equal texts mean equal terms, if there are no variables.
    pub(super) fn show(&self, id: TermId) -> String {
        let mut out = String::new();
        self.write(&mut out, id, 1200);
        out
    }

    fn write(&self, out: &mut String, id: TermId, context: u16) {
        match self.shape(id) {
            Shape::Variable(v) => out.push_str(self.vars[v.index()].name),
            Shape::Atom(name) => push_atom(out, name),
            Shape::Number(text) | Shape::Text(text) => out.push_str(text),
            Shape::List(items, rest) => {
                out.push('[');
                self.write_all(out, items);
                if let Some(rest) = rest {
                    out.push('|');
                    self.write(out, *rest, 999);
                }
                out.push(']');
            }
            Shape::Compound(name, args) => match args[..] {
                [left, right] if name == "-" || name == "+" || name == "/" || name == ":" => {
                    let level = if name == "/" { 400 } else { 500 };
                    let (open, close) = if level > context { ("(", ")") } else { ("", "") };
                    out.push_str(open);
                    self.write(out, left, level);
                    out.push_str(name);
                    self.write(out, right, level - 1);
                    out.push_str(close);
                }
                _ => {
                    push_atom(out, name);
                    out.push('(');
                    self.write_all(out, args);
                    out.push(')');
                }
            },
        }
    }

    fn write_all(&self, out: &mut String, terms: &[TermId]) {
        for (i, term) in terms.iter().enumerate() {
            out.push_str(if i == 0 { "" } else { "," });
            self.write(out, *term, 999);
        }
    }
}

/// An atom, quoted where it must be.
pub(super) fn push_atom(out: &mut String, name: &str) {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain {
        out.push_str(name);
        return;
    }
    out.push('\'');
    for c in name.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => write!(out, "\\x{:x}\\", c as u32).expect("writing to a string cannot fail"),
            c => out.push(c),
        }
    }
    out.push('\'');
}

/// The text of a quoted atom.
pub(super) fn unquote(text: &str) -> Cow<'_, str> {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    if !inner.contains(['\\', '\'']) {
        return Cow::Borrowed(inner);
    }
    let mut out = String::new();
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        match c {
            '\'' => {
                out.push('\'');
                rest.next();
            }
            '\\' => match rest.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('x') => {
                    let digits: String = rest.by_ref().take_while(|c| *c != '\\').collect();
                    out.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
                }
                Some('\n') | None => {}
                Some(other) => out.push(other),
            },
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}
