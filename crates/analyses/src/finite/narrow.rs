//! Integers of fewer bits: the program with integer variables of a given width.
//!
//! What is written to a variable is cut to its lowest bits and extended again by its sign, or by zeros, and so are sums, differences
//! and products of such variables and of constants that fit: that is what an integer is. Everything else is computed as before;
//! pointers, truth values and addresses keep their bits, and so do the cells of memory, unless they are known one by one
//! ([`narrow_heap`]).

use clinch_ir::cfa::{Assign, CfaProgram, Edge, Location, ObjectId, Op, Procedure, ProcedureId, Target};
use clinch_terms::{BinOp, LocId, Node, Sort, Symbol, Term, Terms, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

use super::heap::{BoundedHeap, Uncut};

/// How a variable is narrowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Narrowing {
    /// The bits it holds.
    pub bits: u32,
    /// Whether the bits above are copies of the highest one; otherwise they are 0.
    pub signed: bool,
}

/// A program with narrow integers.
#[derive(Clone, Debug)]
pub struct Narrowed {
    /// The program. Its terms extend those of the original, its edges begin with the original's.
    pub program: CfaProgram,
    /// The variables that hold fewer bits than their sort has.
    pub variables: FxHashMap<Symbol, Narrowing>,
    /// Locations between what makes a variable or a cell and the step that cuts it: there it has all its bits.
    pub uncut: FxHashMap<(ProcedureId, LocId), Uncut>,
}

/// Cuts all integer variables of more than so many bits.
pub fn narrow(original: &CfaProgram, bits: u32) -> Narrowed {
    let program = original.clone();
    let variables = scalars(&program).into_iter().filter_map(|s| Some((s, narrowing(original, s, bits)?))).collect();
    Pass { variables, ..Pass::default() }.run(program)
}

/// Cuts integer variables and cells of a program whose cells are known. Further locations where something does not keep
/// to its mask come into the heap.
pub fn narrow_heap(heap: &mut BoundedHeap, bits: u32) -> Narrowed {
    let program = heap.program.clone();
    let integers = scalars(&program).into_iter().filter(|s| !heap.addresses.contains(s));
    let mut variables: FxHashMap<Symbol, Narrowing> =
        integers.filter_map(|s| Some((s, narrowing(&program, s, bits)?))).collect();
    for region in program.regions.iter().filter(|r| !heap.addresses.contains(&r.symbol)) {
        if let Sort::Array(of) = program.terms.symbol_sort(region.symbol)
            && matches!(of.1, Sort::BitVec(width) if width > bits && bits > 0)
        {
            let signed = holds_signed(&program, region.symbol, &variables);
            variables.insert(region.symbol, Narrowing { bits, signed });
        }
    }
    let cells = heap.cells.clone();
    let unmasked = std::mem::take(&mut heap.uncut);
    let known = heap.exact.iter().map(|&t| (t, t)).collect();
    let mut pass = Pass { variables, cells, unmasked, known, ..Pass::default() };
    let narrowed = pass.run(program);
    heap.uncut = pass.unmasked;
    narrowed
}

/// Whether all variables that are written to the cells of a region are signed.
fn holds_signed(program: &CfaProgram, region: Symbol, variables: &FxHashMap<Symbol, Narrowing>) -> bool {
    let ops = program.procedures.iter().flat_map(|p| &p.edges).map(|e| &e.op);
    let assigns = ops.filter_map(|op| if let Op::Assign(assigns) = op { Some(assigns) } else { None }).flatten();
    let written = assigns.filter(|a| matches!(a.target, Target::Cell(r, _) if r == region));
    written.flat_map(|a| leaves(&program.terms, a.value)).all(|leaf| match program.terms.node(leaf) {
        Node::Symbol(symbol) => variables.get(&symbol).is_none_or(|n| n.signed),
        _ => true,
    })
}

fn scalars(program: &CfaProgram) -> Vec<Symbol> {
    let locals = program.procedures.iter().flat_map(|p| p.params.iter().chain(&p.locals).copied());
    program.globals.iter().map(|g| g.symbol).chain(locals).collect()
}

fn narrowing(program: &CfaProgram, symbol: Symbol, bits: u32) -> Option<Narrowing> {
    let Sort::BitVec(width) = *program.terms.symbol_sort(symbol) else { return None };
    let info = program.variables.get(&symbol);
    let pointer = info.is_some_and(|i| i.ty.contains(['*', '(', '[']));
    let signed = info.is_some_and(|i| i.signed);
    (width > bits && bits > 0 && !pointer).then_some(Narrowing { bits, signed })
}

#[derive(Default)]
struct Pass {
    /// Variables, and regions whose cells are cut.
    variables: FxHashMap<Symbol, Narrowing>,
    uncut: FxHashMap<(ProcedureId, LocId), Uncut>,
    /// The cells of regions, where they are known.
    cells: FxHashMap<Symbol, Vec<u64>>,
    /// Where something does not keep to its mask.
    unmasked: FxHashMap<(ProcedureId, LocId), Uncut>,
    /// Terms that were cut, or stay as they are.
    known: FxHashMap<Term, Term>,
}

impl Pass {
    fn run(&mut self, mut program: CfaProgram) -> Narrowed {
        for global in &mut program.globals {
            global.init = self.fit(&mut program.terms, global.symbol, global.init);
        }
        for index in 0..program.procedures.len() {
            let mut procedure = program.procedures[index].clone();
            self.procedure(&mut program, ProcedureId::from_index(index), &mut procedure);
            program.procedures[index] = procedure;
        }
        let (variables, uncut) = (std::mem::take(&mut self.variables), std::mem::take(&mut self.uncut));
        Narrowed { program, variables, uncut }
    }

    /// The value as the variable holds it.
    fn fit(&self, terms: &mut Terms, symbol: Symbol, value: Term) -> Term {
        let Some(narrowing) = self.variables.get(&symbol) else { return value };
        let width = terms.bv_width(value);
        let low = terms.extract(narrowing.bits - 1, 0, value);
        terms.resize(narrowing.signed, width, low)
    }

    /// A value for a variable, as the program computes it.
    fn written(&mut self, terms: &mut Terms, symbol: Symbol, value: Term) -> Term {
        // What is not narrow may be an address.
        let integer = self.variables.contains_key(&symbol) || *terms.symbol_sort(symbol) == Sort::Bool;
        let value = if integer { self.cut(terms, value) } else { value };
        self.fit(terms, symbol, value)
    }

    /// The term with sums, differences and products of narrow integers cut.
    fn cut(&mut self, terms: &mut Terms, term: Term) -> Term {
        if let Some(&known) = self.known.get(&term) {
            return known;
        }
        let cut = self.cut_anew(terms, term);
        self.known.insert(term, cut);
        cut
    }

    fn cut_anew(&mut self, terms: &mut Terms, term: Term) -> Term {
        match terms.node(term) {
            Node::Binary(BinOp::Select, ..) | Node::Symbol(_) => return term,
            // A cell, if there is one.
            Node::Ite(_, then, _) if matches!(terms.node(then), Node::Binary(BinOp::Select, ..)) => return term,
            _ => {}
        }
        let narrowing = self.arithmetic(terms, term);
        let inner = terms.map_children(term, |terms, child| self.cut(terms, child));
        match narrowing {
            Some(Narrowing { bits, signed }) => {
                let width = terms.bv_width(inner);
                let low = terms.extract(bits - 1, 0, inner);
                terms.resize(signed, width, low)
            }
            None => inner,
        }
    }

    /// How a term is cut, if it is arithmetic on narrow integers.
    fn arithmetic(&self, terms: &Terms, term: Term) -> Option<Narrowing> {
        let arithmetic = match terms.node(term) {
            Node::Binary(op, ..) => matches!(op, BinOp::BvAdd | BinOp::BvSub | BinOp::BvMul | BinOp::BvShl),
            Node::Unary(op, _) => op == UnOp::BvNeg,
            _ => false,
        };
        if !arithmetic {
            return None;
        }
        let mut bits = 0;
        let mut signed = true;
        let mut numbers = Vec::new();
        for leaf in leaves(terms, term) {
            match terms.node(leaf) {
                Node::Symbol(symbol) => {
                    let narrowing = self.variables.get(&symbol)?;
                    bits = narrowing.bits;
                    signed &= narrowing.signed;
                }
                Node::BitVec(width, value) => {
                    let unused = 64 - width.min(64);
                    numbers.push(((value << unused) as i64) >> unused);
                }
                _ => {}
            }
        }
        let fits = |n: &i64| bits > 0 && (n >> bits.min(63) == 0 || n >> (bits - 1).min(63) == -1);
        let fits = numbers.iter().all(fits);
        (fits && bits > 0 && bits < terms.bv_width(term)).then_some(Narrowing { bits, signed })
    }

    fn procedure(&mut self, program: &mut CfaProgram, id: ProcedureId, procedure: &mut Procedure) {
        for index in 0..procedure.edges.len() {
            let edge = procedure.edges[index].clone();
            let result = procedure.result;
            let after = match &edge.op {
                Op::Input(symbol, _) | Op::BlockSize(symbol, _) => Some(*symbol),
                Op::Call { callee, result: Some(target), .. } => {
                    let from = program.procedure(*callee).result.and_then(|r| self.variables.get(&r));
                    Some(*target).filter(|t| self.variables.get(t) != from)
                }
                _ => None,
            };
            procedure.edges[index].op = self.op(program, edge.op, result);
            if let Some(symbol) = after.filter(|s| self.variables.contains_key(s)) {
                let value = program.terms.symbol(symbol);
                let value = self.fit(&mut program.terms, symbol, value);
                let cut = vec![Assign { target: Target::Var(symbol), value }];
                self.fit_after(id, procedure, index, (cut, Uncut::Variable(symbol)));
            }
            if let Op::Enter(object) = procedure.edges[index].op {
                let (assigns, uncut) = self.contents(program, object);
                if !assigns.is_empty() {
                    self.fit_after(id, procedure, index, (assigns, uncut));
                }
            }
        }
    }

    fn op(&mut self, program: &mut CfaProgram, op: Op, result: Option<Symbol>) -> Op {
        match op {
            Op::Assume(condition) => Op::Assume(self.cut(&mut program.terms, condition)),
            Op::Assign(assigns) => {
                let fit = |a: Assign| match a.target {
                    Target::Var(symbol) => Assign { value: self.written(&mut program.terms, symbol, a.value), ..a },
                    Target::Cell(region, _) => {
                        let value = self.cut(&mut program.terms, a.value);
                        Assign { value: self.fit(&mut program.terms, region, value), ..a }
                    }
                };
                Op::Assign(assigns.into_iter().map(fit).collect())
            }
            Op::Call { callee, args, result } => {
                let params = program.procedure(callee).params.clone();
                let fit = |(p, a): (Symbol, Term)| self.written(&mut program.terms, p, a);
                Op::Call { callee, args: params.into_iter().zip(args).map(fit).collect(), result }
            }
            Op::Return(Some(value)) => match result {
                Some(result) => Op::Return(Some(self.written(&mut program.terms, result, value))),
                None => Op::Return(Some(value)),
            },
            op => op,
        }
    }

    /// The cells of an object that comes to life, cut.
    fn contents(&self, program: &mut CfaProgram, object: ObjectId) -> (Vec<Assign>, Uncut) {
        let object = &program.objects[object.index()];
        let (from, to) = (object.address, object.address + object.size);
        let mut assigns = Vec::new();
        for region in object.regions.iter().filter(|r| self.variables.contains_key(r)) {
            let cells = self.cells.get(region).map_or(&[][..], Vec::as_slice);
            for &cell in cells.iter().filter(|c| (from..to).contains(c)) {
                let (array, address) =
                    (program.terms.symbol(*region), program.terms.bit_vec(program.pointer_bits, cell));
                let value = program.terms.select(array, address);
                let value = self.fit(&mut program.terms, *region, value);
                assigns.push(Assign { target: Target::Cell(*region, address), value });
            }
        }
        (assigns, Uncut::Cells(from, to))
    }

    /// Cuts behind the edge.
    fn fit_after(
        &mut self,
        id: ProcedureId,
        procedure: &mut Procedure,
        index: usize,
        (assigns, uncut): (Vec<Assign>, Uncut),
    ) {
        let edge = procedure.edges[index].clone();
        let between = LocId::from_index(procedure.locations.len());
        procedure.locations.push(Location { label: None, span: edge.span });
        procedure.edges[index].to = between;
        procedure.edges.push(Edge { from: between, to: edge.to, op: Op::Assign(assigns), span: edge.span });
        self.uncut.insert((id, between), uncut);
        if let Some(&unmasked) = self.unmasked.get(&(id, edge.to)) {
            self.unmasked.insert((id, between), unmasked);
        }
    }
}

/// The variables and constants that a term is computed from, and the regions whose cells are; not what an address or a
/// condition reads that only says whether there is a cell.
fn leaves(terms: &Terms, term: Term) -> Vec<Term> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![term];
    while let Some(term) = work.pop() {
        if !seen.insert(term) {
            continue;
        }
        match terms.node(term) {
            Node::Symbol(_) | Node::BitVec(..) => found.push(term),
            Node::Binary(BinOp::Select, array, _) => work.push(array),
            Node::Ite(condition, then, otherwise) => {
                let cell = matches!(terms.node(then), Node::Binary(BinOp::Select, ..));
                work.extend([then, otherwise].into_iter().chain((!cell).then_some(condition)));
            }
            _ => work.extend(terms.children(term)),
        }
    }
    found
}
