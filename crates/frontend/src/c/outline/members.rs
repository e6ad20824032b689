//! Which functions the members of records point to.
//!
//! Drivers keep their functions in tables: records with a member for each. A call through such a member reaches the functions that the program
//! writes to it, in an initialiser or by an assignment. A function whose address is used in another way may be anywhere, and so may those of a member
//! that is read for anything but a call or a comparison, or whose address is taken.
//!
//! That a member is read as another one was written, by way of a conversion of pointers to records, is told as an assumption, and this is for large
//! programs only. Unions are seen.

use indexmap::{IndexMap, IndexSet};

use super::super::hir::{
    BinaryOp, Call, Callee, Expr, ExprKind, FunctionId, Hir, Init, Place, PlaceKind, Stmt, UnaryOp,
};
use super::super::types::{Field, RecordId, Type, TypeId, Types};
use super::super::walk::Visitor;

/// A member of a record.
pub(super) type Member = (RecordId, usize);

/// What is taken for granted where this is used.
pub(super) const MEMBERS: &str = "pointers to functions are read from the members of records that they were written to";

/// What members point to.
#[derive(Default)]
pub(super) struct Members {
    written: IndexMap<Member, IndexSet<FunctionId>>,
    /// Functions that may be anywhere.
    anywhere: IndexSet<FunctionId>,
    /// Whether that is so of all.
    all: bool,
}

impl Members {
    /// Looks at a whole program.
    pub(super) fn of(hir: &Hir) -> Members {
        let mut finder = Finder { hir, found: Members::default(), copied: IndexSet::new() };
        for variable in &hir.variables {
            variable.init.iter().for_each(|init| finder.initialiser(variable.ty, init));
        }
        hir.functions.iter().flat_map(|f| &f.body).for_each(|body| finder.statements(body));
        let Finder { mut found, mut copied, .. } = finder;
        found.all |= has_twins(&hir.types);
        copied.extend(overlapping(&hir.types));
        for functions in copied.iter().filter_map(|member| found.written.get(member)) {
            found.anywhere.extend(functions);
        }
        found
    }

    /// Whether a function may be called through a member.
    pub(super) fn may_hold(&self, member: Member, function: FunctionId) -> bool {
        let is_written = || self.written.get(&member).is_some_and(|functions| functions.contains(&function));
        self.all || self.anywhere.contains(&function) || is_written()
    }
}

/// The member that an expression reads, if no union is around it.
pub(super) fn member_read(types: &Types, e: &Expr) -> Option<Member> {
    match &e.kind {
        ExprKind::Load(place) if !is_in_union(types, place) => member_at(place),
        _ => None,
    }
}

fn member_at(place: &Place) -> Option<Member> {
    match place.kind {
        PlaceKind::Field(_, record, field) => Some((record, field)),
        _ => None,
    }
}

fn is_in_union(types: &Types, place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Field(base, record, _) => types.record(*record).is_union || is_in_union(types, base),
        _ => false,
    }
}

/// Whether several records have one name: what one file writes to its record, another one may read from its own.
fn has_twins(types: &Types) -> bool {
    let mut names: IndexSet<&str> = IndexSet::new();
    types.records().any(|record| record.complete && !names.insert(&record.name))
}

/// Members that share their place in a union with others: what is written to one may be read from another.
fn overlapping(types: &Types) -> Vec<Member> {
    let unions = types.records().filter(|record| record.is_union);
    let mut found = Vec::new();
    for union in unions {
        let parts = union.fields.iter().map(|field| members_in(types, field.ty)).filter(|part| !part.is_empty());
        let parts: Vec<Vec<Member>> = parts.collect();
        if parts.len() > 1 {
            found.extend(parts.into_iter().flatten());
        }
    }
    found
}

/// The members of the records in an object that point to functions.
fn members_in(types: &Types, object: TypeId) -> Vec<Member> {
    match *types.get(object) {
        Type::Array(element, _) => members_in(types, element),
        Type::Record(id) => {
            let fields = types.record(id).fields.iter().enumerate();
            let of = |(index, field): (usize, &Field)| match points_to_function(types, field.ty) {
                true => vec![(id, index)],
                false => members_in(types, field.ty),
            };
            fields.flat_map(of).collect()
        }
        _ => Vec::new(),
    }
}

fn points_to_function(types: &Types, ty: TypeId) -> bool {
    types.pointee(ty).is_some_and(|to| matches!(types.get(to), Type::Function { .. }))
}

struct Finder<'h> {
    hir: &'h Hir,
    found: Members,
    /// Members whose values go elsewhere.
    copied: IndexSet<Member>,
}

impl Finder<'_> {
    fn initialiser(&mut self, ty: TypeId, init: &Init) {
        for item in &init.items {
            match (&item.value.kind, member_at_offset(&self.hir.types, ty, item.offset)) {
                (&ExprKind::Function(f), Some(member)) => self.write(member, f),
                _ => self.expr(&item.value),
            }
        }
    }

    fn write(&mut self, member: Member, function: FunctionId) {
        self.found.written.entry(member).or_default().insert(function);
    }

    /// A pointer to a function that is read, or whose place is: it may be written anywhere.
    fn copy(&mut self, place: &Place) {
        match member_at(place) {
            Some(_) if is_in_union(&self.hir.types, place) => self.found.all = true,
            member => self.copied.extend(member),
        }
    }

    /// An expression of whose value only the truth or what it is equal to is asked.
    fn compared(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Convert(inner) => self.compared(inner),
            ExprKind::Load(place) => self.place(place),
            ExprKind::Function(_) => {}
            _ => self.expr(e),
        }
    }

    fn call(&mut self, call: &Call) {
        if let Callee::Indirect(pointer) = &call.callee {
            match &pointer.kind {
                ExprKind::Load(place) => self.place(place),
                _ => self.expr(pointer),
            }
        }
        call.args.iter().for_each(|arg| self.expr(arg));
    }
}

impl Visitor for Finder<'_> {
    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Function(f) => self.found.anywhere.extend([*f]),
            ExprKind::Load(place) | ExprKind::AddressOf(place) => {
                if points_to_function(&self.hir.types, place.ty) {
                    self.copy(place);
                }
                self.place(place);
            }
            ExprKind::Assign(place, value) => match (&value.kind, member_at(place)) {
                (&ExprKind::Function(f), Some(member)) if !is_in_union(&self.hir.types, place) => {
                    self.write(member, f);
                    self.place(place);
                }
                _ => self.walk_expr(e),
            },
            ExprKind::Update(update) => {
                self.copy(&update.place);
                self.walk_expr(e);
            }
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
                self.compared(a);
                self.compared(b);
            }
            ExprKind::Unary(UnaryOp::Not, a) => self.compared(a),
            ExprKind::Call(call) => self.call(call),
            ExprKind::InitThen(variable, init, value) => {
                self.initialiser(self.hir.variables[variable.0 as usize].ty, init);
                self.expr(value);
            }
            _ => self.walk_expr(e),
        }
    }

    fn condition(&mut self, e: &Expr) {
        self.compared(e);
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Declare(variable, Some(init), _) => {
                self.initialiser(self.hir.variables[variable.0 as usize].ty, init);
            }
            _ => self.walk_statement(statement),
        }
    }
}

/// The innermost member at an offset in an object, if that is a pointer and in no union.
fn member_at_offset(types: &Types, ty: TypeId, offset: u64) -> Option<Member> {
    match *types.get(ty) {
        Type::Array(element, _) => member_at_offset(types, element, offset % types.size(element).filter(|&n| n > 0)?),
        Type::Record(id) if !types.record(id).is_union => {
            let record = types.record(id);
            let is_around = |start: u64, ty| offset >= start && offset - start < types.size(ty).unwrap_or(0);
            let index =
                record.fields.iter().position(|field| field.bits.is_none() && is_around(field.offset, field.ty))?;
            let field = &record.fields[index];
            match types.get(field.ty) {
                Type::Pointer(_) => (field.offset == offset).then_some((id, index)),
                _ => member_at_offset(types, field.ty, offset - field.offset),
            }
        }
        _ => None,
    }
}
