//! Variables, elements and members: what is read and written.
//!
//! An index that is not constant makes a place several scalars, each with the condition under which it is meant.

use clinch_ir::Span;
use clinch_terms::{Symbol, Term};

use super::expr::{Expressions, Result, Value};
use super::scope::Entity;
use super::types::{Scalar, Type};
use crate::diagnostic::Problem;
use crate::expr::{ExprId, ExprKind, Name};

/// Most scalars one expression may mean.
const MAX_CELLS: usize = 1 << 12;

/// A scalar that a place may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// When it is this one; none is always.
    pub(super) condition: Option<Term>,
    pub(super) symbol: Symbol,
}

/// What an expression such as `a[i].next` stands for.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) scalar: Scalar,
    /// Exactly one of them is meant, if the checks hold.
    pub(super) cells: Vec<Cell>,
}

impl Place {
    /// The scalar it is, if that does not depend on an index.
    pub(super) fn fixed(&self) -> Option<Symbol> {
        match self.cells.as_slice() {
            [Cell { condition: None, symbol }] => Some(*symbol),
            _ => None,
        }
    }
}

/// A part of a variable: the positions of its first scalar.
struct Part {
    variable: usize,
    ty: Type,
    starts: Vec<(Option<Term>, u64)>,
}

impl Expressions<'_, '_> {
    /// The place of an expression that must be a scalar.
    pub(super) fn place(&mut self, id: ExprId) -> Result<Place> {
        let part = self.part(id)?;
        let Some(scalar) = part.ty.scalar() else {
            let what = if let Type::Array(..) = part.ty { "an array" } else { "a struct" };
            return Err(Problem::new(self.exprs.span(id), format!("expected a scalar, found {what}"))
                .help("name one of its elements"));
        };
        let symbols = &self.scope.variables[part.variable].symbols;
        let cell = |(condition, start): (_, u64)| Cell { condition, symbol: symbols[start as usize] };
        Ok(Place { scalar, cells: part.starts.into_iter().map(cell).collect() })
    }

    /// The value of a variable, element or member.
    pub(super) fn read(&mut self, id: ExprId) -> Result<Value> {
        let place = self.place(id)?;
        let mut cells = place.cells.iter().rev();
        let last = cells.next().expect("a place has a scalar");
        let mut value = self.terms.symbol(last.symbol);
        for cell in cells {
            let own = self.terms.symbol(cell.symbol);
            value = match cell.condition {
                Some(condition) => self.terms.ite(condition, own, value),
                None => own,
            };
        }
        Ok(match place.scalar {
            Scalar::Bool => Value::Bool(value),
            Scalar::Int(_) => Value::Int(value),
        })
    }

    fn part(&mut self, id: ExprId) -> Result<Part> {
        let exprs = self.exprs;
        let span = exprs.span(id);
        match exprs.kind(id) {
            ExprKind::Name(name) => match self.entity(name, span)? {
                Entity::Variable(variable) => {
                    let ty = self.scope.variables[variable].ty.clone();
                    Ok(Part { variable, ty, starts: vec![(None, 0)] })
                }
                _ => Err(Problem::new(span, format!("`{name}` is a constant"))),
            },
            ExprKind::Index(base, indices) => {
                let mut part = self.part(*base)?;
                for &index in indices {
                    part = self.element(part, *base, index)?;
                }
                Ok(part)
            }
            ExprKind::Member(base, member) => {
                let part = self.part(*base)?;
                self.member(part, *base, *member)
            }
            _ => Err(Problem::new(span, "expected a variable")),
        }
    }

    fn element(&mut self, part: Part, base: ExprId, index: ExprId) -> Result<Part> {
        let Part { variable, ty: Type::Array(element, len), starts } = part else {
            return Err(Problem::new(self.exprs.span(base), "this is not an array"));
        };
        let size = element.size(&self.scope.structs);
        let span = self.exprs.span(index);
        let starts = match self.value(index)? {
            Value::Constant(at) => {
                let at = self.known_index(at, len, span)?;
                starts.into_iter().map(|(condition, start)| (condition, start + at * size)).collect()
            }
            Value::Int(term) => self.any_index(starts, term, len, size, span)?,
            Value::Bool(_) => return Err(Problem::new(span, "expected a number, found a truth value")),
        };
        Ok(Part { variable, ty: *element, starts })
    }

    fn known_index(&self, at: i128, len: u32, span: Span) -> Result<u64> {
        match u64::try_from(at) {
            Ok(at) if at < u64::from(len) => Ok(at),
            _ if self.dead => Ok(0),
            _ => Err(Problem::new(span, format!("the index {at} is outside of the array, which has {len} elements"))),
        }
    }

    fn any_index(
        &mut self,
        starts: Vec<(Option<Term>, u64)>,
        index: Term,
        len: u32,
        size: u64,
        span: Span,
    ) -> Result<Vec<(Option<Term>, u64)>> {
        let bits = self.terms.bv_width(index);
        let reachable = if bits < 32 { u64::from(len).min(1 << bits) } else { u64::from(len) };
        if reachable < 1 << bits.min(63) {
            let bound = self.terms.bit_vec(bits, u64::from(len));
            let condition = self.terms.bv_ult(index, bound);
            self.check(condition, || format!("an index outside of its array of {len} elements"));
        }
        if starts.len().saturating_mul(reachable as usize) > MAX_CELLS {
            let text = format!("this stands for more than {MAX_CELLS} elements");
            return Err(Problem::new(span, text).help("an array has an element for each value of the index"));
        }
        self.expand((starts.len() * reachable as usize) as u32, span)?;
        let mut found = Vec::new();
        for at in 0..reachable {
            let number = self.terms.bit_vec(bits, at);
            let here = self.terms.eq(index, number);
            for &(condition, start) in &starts {
                let both = condition.map_or(here, |c| self.terms.and(c, here));
                found.push((Some(both), start + at * size));
            }
        }
        Ok(found)
    }

    fn member(&mut self, part: Part, base: ExprId, member: Name<'_>) -> Result<Part> {
        let structs = &self.scope.structs;
        let Type::Struct(index) = part.ty else {
            return Err(Problem::new(self.exprs.span(base), "this is not a struct"));
        };
        let mut offset = 0;
        for (name, ty) in &structs[index].members {
            if name == member.text {
                let starts = part.starts.into_iter().map(|(condition, start)| (condition, start + offset)).collect();
                return Ok(Part { variable: part.variable, ty: ty.clone(), starts });
            }
            offset += ty.size(structs);
        }
        Err(Problem::new(member.span, format!("struct {} has no member `{}`", structs[index].name, member.text)))
    }
}
