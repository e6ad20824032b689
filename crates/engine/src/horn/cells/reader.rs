//! Replaces what a clause reads from arrays by symbols.

use std::collections::BTreeMap;

use clinch_ir::Application;
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

use super::{Layout, MAX_APPLICATIONS};
use clinch_terms::linear::{Linear, as_symbol};

/// Clauses with larger terms are not taken apart.
const MAX_PARTS: usize = 20_000;

pub(super) struct Reader<'t> {
    terms: &'t mut Terms,
    layouts: FxHashMap<Symbol, Layout>,
    /// The cells read of each array: place and value, in the order in which they were first met.
    cells: BTreeMap<Symbol, Vec<(Term, Term)>>,
    done: FxHashMap<Term, Term>,
    read: FxHashMap<(Term, Term), Term>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(terms: &'t mut Terms, layouts: FxHashMap<Symbol, Layout>) -> Self {
        Reader { terms, layouts, cells: BTreeMap::new(), done: FxHashMap::default(), read: FxHashMap::default() }
    }

    /// The head, about one place.
    pub(super) fn head(&mut self, head: &Application, layouts: &[Option<Layout>]) -> Option<Application> {
        let mut args = Vec::new();
        for (&arg, _) in head.args.iter().zip(layouts).filter(|(_, layout)| layout.is_none()) {
            args.push(self.term(arg)?);
        }
        if layouts.iter().any(Option::is_some) {
            let place = self.terms.fresh("k", Sort::Int);
            args.push(place);
            for (&arg, layout) in head.args.iter().zip(layouts) {
                let Some(layout) = layout else { continue };
                let address = self.address(place, *layout);
                args.push(self.read(arg, address, *layout)?);
            }
        }
        Some(Application { predicate: head.predicate, args })
    }

    /// The index of a place.
    fn address(&mut self, place: Term, layout: Layout) -> Term {
        let (stride, origin) = (self.terms.int(i64::from(layout.stride)), self.terms.int(layout.origin));
        let distance = self.terms.mul(stride, place);
        self.terms.add(distance, origin)
    }

    /// A term without arrays.
    pub(super) fn term(&mut self, term: Term) -> Option<Term> {
        if let Some(&done) = self.done.get(&term) {
            return Some(done);
        }
        if self.done.len() + self.read.len() > MAX_PARTS {
            return None;
        }
        let new = match self.terms.node(term) {
            Node::Binary(BinOp::Select, array, index) => {
                let index = self.term(index)?;
                let layout = self.layout(array);
                self.read(array, index, layout)?
            }
            // Whether two arrays are equal is not seen by their cells: it may be so or not.
            Node::Binary(BinOp::Eq, a, _) if matches!(self.terms.sort(a), Sort::Array(_)) => {
                self.terms.fresh("same", Sort::Bool)
            }
            _ => {
                let children: Vec<Term> = self.terms.children(term).collect();
                for child in children {
                    self.term(child)?;
                }
                let done = &self.done;
                self.terms.map_children(term, |_, child| done[&child])
            }
        };
        self.done.insert(term, new);
        Some(new)
    }

    /// The layout of the array that a term is made of.
    fn layout(&self, mut array: Term) -> Layout {
        const NONE: Layout = Layout { stride: 1, origin: 0, cells: None };
        loop {
            array = match self.terms.node(array) {
                Node::Store(inner, ..) | Node::Ite(_, inner, _) => inner,
                Node::Symbol(symbol) => return self.layouts.get(&symbol).copied().unwrap_or(NONE),
                _ => return NONE,
            }
        }
    }

    /// What stands at an index, after all writes.
    fn read(&mut self, array: Term, index: Term, layout: Layout) -> Option<Term> {
        if let Some(&done) = self.read.get(&(array, index)) {
            return Some(done);
        }
        let value = match self.terms.node(array) {
            Node::Symbol(symbol) => self.cell(symbol, index),
            Node::Store(inner, written, value) => {
                let (written, value) = (self.term(written)?, self.term(value)?);
                let same = self.same(written, index, layout);
                match self.terms.node(same) {
                    Node::Bool(true) => value,
                    Node::Bool(false) => self.read(inner, index, layout)?,
                    _ => {
                        let before = self.read(inner, index, layout)?;
                        self.terms.ite(same, value, before)
                    }
                }
            }
            Node::Ite(condition, a, b) => {
                let condition = self.term(condition)?;
                let (a, b) = (self.read(a, index, layout)?, self.read(b, index, layout)?);
                self.terms.ite(condition, a, b)
            }
            Node::ConstArray(_, element) => self.term(element)?,
            _ => return None,
        };
        self.read.insert((array, index), value);
        Some(value)
    }

    /// Whether two indices are the same.
    fn same(&mut self, a: Term, b: Term, layout: Layout) -> Term {
        if let Some(distance) = Linear::difference(self.terms, a, b).and_then(|d| d.as_constant()) {
            return self.terms.bool(distance == 0);
        }
        match (self.place(a, layout), self.place(b, layout)) {
            (Some(a), Some(b)) => self.terms.eq(a, b),
            _ => self.terms.eq(a, b),
        }
    }

    /// The place of an index that is a cell's on the face of it.
    fn place(&mut self, index: Term, layout: Layout) -> Option<Term> {
        let stride = i64::from(layout.stride);
        let mut linear = Linear::of(self.terms, index)?;
        linear.constant = linear.constant.checked_sub(layout.origin)?;
        if linear.constant % stride != 0 || linear.summands.values().any(|c| c % stride != 0) {
            return None;
        }
        linear.constant /= stride;
        linear.summands.values_mut().for_each(|c| *c /= stride);
        Some(linear.term(self.terms))
    }

    /// The value of a cell at the start of the clause.
    fn cell(&mut self, array: Symbol, index: Term) -> Term {
        let layout = self.layouts.get(&array).copied().unwrap_or(Layout { stride: 1, origin: 0, cells: None });
        if let Some(place) = self.place(index, layout) {
            return self.cell_at(array, place);
        }
        let (stride, origin) = (self.terms.int(i64::from(layout.stride)), self.terms.int(layout.origin));
        let distance = self.terms.sub(index, origin);
        let place = self.terms.binary(BinOp::FloorDiv, distance, stride);
        let (rest, zero) = (self.terms.binary(BinOp::Mod, distance, stride), self.terms.int(0));
        let at_cell = self.terms.eq(rest, zero);
        let (value, any) = (self.cell_at(array, place), self.any_value(array));
        self.terms.ite(at_cell, value, any)
    }

    fn cell_at(&mut self, array: Symbol, place: Term) -> Term {
        if let Some((_, value)) = self.cells.get(&array).and_then(|cells| cells.iter().find(|c| c.0 == place)) {
            return *value;
        }
        let value = self.any_value(array);
        self.cells.entry(array).or_default().push((place, value));
        value
    }

    fn any_value(&mut self, array: Symbol) -> Term {
        let sort = match self.terms.symbol_sort(array) {
            Sort::Array(of) => of.1.clone(),
            _ => Sort::Int,
        };
        self.terms.fresh("v", sort)
    }

    /// Cells of an array at the same place have the same value.
    pub(super) fn consistent(&mut self) -> Vec<Term> {
        let mut facts = Vec::new();
        for cells in self.cells.values() {
            for (i, &(place, value)) in cells.iter().enumerate() {
                for &(other, other_value) in &cells[..i] {
                    let same = self.terms.eq(place, other);
                    let different = self.terms.not(same);
                    let equal = self.terms.eq(value, other_value);
                    facts.push(self.terms.or(different, equal));
                }
            }
        }
        facts
    }

    /// What the body says of the cells read: an application for each place.
    pub(super) fn applications(
        &mut self,
        application: &Application,
        layouts: &[Option<Layout>],
    ) -> Option<Vec<Application>> {
        let (mut scalars, mut arrays) = (Vec::new(), Vec::new());
        for (&arg, layout) in application.args.iter().zip(layouts) {
            match layout {
                None => scalars.push(self.term(arg)?),
                Some(_) => arrays.push(as_symbol(self.terms, arg)?),
            }
        }
        let mut places: Vec<Term> = Vec::new();
        for (place, _) in arrays.iter().flat_map(|a| self.cells.get(a).into_iter().flatten()) {
            if !places.contains(place) {
                places.push(*place);
            }
        }
        if places.is_empty() && !arrays.is_empty() {
            places.push(self.terms.fresh("k", Sort::Int));
        }
        if arrays.is_empty() {
            return Some(vec![Application { predicate: application.predicate, args: scalars }]);
        }
        places.truncate(MAX_APPLICATIONS);
        let mut applications = Vec::new();
        for place in places {
            let mut args = scalars.clone();
            args.push(place);
            args.extend(arrays.iter().map(|&array| self.cell_at(array, place)));
            applications.push(Application { predicate: application.predicate, args });
        }
        Some(applications)
    }
}
