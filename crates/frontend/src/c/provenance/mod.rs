//! Checks of memory, as part of the program: where each pointer comes from, and which objects are alive.
//!
//! Every variable, and every cell of memory, whose value may be the address of an access gets a companion that holds the start of the
//! object the address was computed from: 0 for a number that is no address, 1 where it is not known. Two tables, indexed by the
//! start of an object, say how many bytes it has and what kind of object it is, as long as it is alive. An access is valid if its object is
//! alive and it lies wholly inside; anything else is an error. That another object may be where a pointer has strayed to does not
//! matter, so the regions of the pointer analysis, which are right for pointers that stay in their objects, are right up to the first error.
//!
//! Companions of named objects are constants, as are those of pointers that point into one object wherever they are used (`pinned`); checks that
//! hold by them disappear.

mod effects;
mod flows;
mod guards;
mod pinned;

use clinch_ir::Span;
use clinch_ir::cfa::{
    Assign, CfaProgram, Checks, Edge, Global, InputKind, ObjectId, ObjectKind, Op, Procedure, ProcedureId,
};
use clinch_terms::{BinOp, LocId, Node, Sort, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ghost::{chain, fresh, hidden, table};
use super::instances::Calls;
pub(super) use flows::flows;

use super::lower::Ranges;
use super::models::{ARGUMENTS, TEXT};
use pinned::Pinned;

use flows::{demands, from_bytes, gets_into_memory, holds_blocks, needed, object_at};

/// Kinds of objects in the table; 0 is one that is no more.
const STATIC: u64 = 1;
const STACK: u64 = 2;
const HEAP: u64 = 3;
const LITERAL: u64 = 4;

/// The companion of an address of which nobody knows where it comes from.
const UNKNOWN: u64 = 1;

/// The companion of what pointed to a local object in an earlier life of it: the one that lives now is another.
pub const EARLIER_LIFE: u64 = 3;

/// Cells that one edge initialises.
const AT_ONCE: usize = 64;

/// Adds the checks that are asked for.
pub(crate) fn check_memory(program: &mut CfaProgram, checks: Checks, ranges: Ranges, calls: Calls) {
    let pinned = Pinned::new(program);
    let needed = needed(program, ranges, |symbol| pinned.object(symbol).is_some());
    let mut pass = Provenance::new(program, checks, (ranges, calls), pinned, &needed);
    for index in 0..pass.program.procedures.len() {
        pass.procedure(ProcedureId::from_index(index));
    }
}

/// Whether an input is any value, and not one that somebody outside means to be used.
fn is_any(kind: &InputKind) -> bool {
    matches!(kind, InputKind::Uninitialised(_) | InputKind::Nondet(_))
}

/// The object that a term is computed from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Base {
    /// It is a number.
    None,
    /// It is not followed through what the program does.
    Unknown,
    /// The term is its start.
    Of(Term),
}

/// The pass.
struct Provenance<'p> {
    program: &'p mut CfaProgram,
    checks: Checks,
    ranges: Ranges,
    /// Which calls of the program models are there for.
    calls: Calls,
    /// Variables that need no companion, since they point into one object.
    pinned: Pinned,
    /// Companions of variables and regions.
    companions: FxHashMap<Symbol, Symbol>,
    /// Bytes of the object that starts at an address, and its kind.
    size: Symbol,
    kind: Symbol,
    /// The companion of what a call returns.
    result: Symbol,
    /// How many blocks of the heap are alive.
    blocks: Symbol,
    /// Objects whose addresses are companions.
    escaped: FxHashSet<ObjectId>,
    /// Those of them that are local and whose addresses get into memory; for each a variable that says whether it has lived.
    stored: FxHashMap<ObjectId, Symbol>,
    /// Whether a companion may be [`UNKNOWN`].
    unknowns: bool,
    /// Whether globals and static objects may hold addresses of blocks.
    held: bool,
}

impl<'p> Provenance<'p> {
    fn new(
        program: &'p mut CfaProgram,
        checks: Checks,
        (ranges, calls): (Ranges, Calls),
        pinned: Pinned,
        needed: &[Symbol],
    ) -> Self {
        let pointer = Sort::BitVec(program.pointer_bits);
        let mut companions = FxHashMap::default();
        for &symbol in needed {
            let name = format!("{}.object", program.terms.symbol_name(symbol));
            let companion = if program.region(symbol).is_some() {
                table(program, name, program.pointer_bits)
            } else {
                hidden(program, name, pointer.clone())
            };
            companions.insert(symbol, companion);
        }
        let (size, kind) =
            (table(program, "$size".to_owned(), program.pointer_bits), table(program, "$kind".to_owned(), 8));
        let (result, blocks) = (
            hidden(program, "$result".to_owned(), pointer.clone()),
            hidden(program, "$blocks".to_owned(), Sort::BitVec(32)),
        );
        let (escaped, held) = (FxHashSet::default(), false);
        let mut pass = Provenance {
            program,
            checks,
            ranges,
            calls,
            pinned,
            companions,
            size,
            kind,
            result,
            blocks,
            escaped,
            stored: FxHashMap::default(),
            unknowns: false,
            held,
        };
        pass.look_at_flows();
        pass.declare_companions();
        pass
    }

    /// Which objects have their addresses in companions, and whether all of those are known.
    fn look_at_flows(&mut self) {
        let flows = flows(self.program);
        for (target, value) in flows {
            if !self.companions.contains_key(&target) {
                continue;
            }
            match self.base(value) {
                Base::Unknown => self.unknowns = true,
                Base::Of(base) => self.escape(base),
                Base::None => {}
            }
        }
        let edges = self.program.procedures.iter().flat_map(|p| &p.edges);
        let asked: Vec<Term> =
            edges.flat_map(|edge| demands(self.program, self.ranges, &edge.op)).map(|d| d.address).collect();
        for address in asked {
            if let Base::Of(base) = self.base(address)
                && !matches!(self.program.terms.node(base), Node::BitVec(..))
            {
                self.escape(base);
            }
        }
        let inputs = self.program.procedures.iter().flat_map(|p| &p.edges).filter_map(|edge| match edge.op {
            Op::Input(symbol, site) => Some((symbol, &self.program.inputs[site.index()].kind)),
            _ => None,
        });
        let mut foreign = inputs.filter(|(_, kind)| !is_any(kind));
        self.unknowns |= foreign.any(|(symbol, _)| self.companions.contains_key(&symbol));
        self.held = holds_blocks(self.program);
        self.look_for_stored();
    }

    /// Which local objects have their addresses in memory, where no one can look for those of an earlier life.
    fn look_for_stored(&mut self) {
        let flows = flows(self.program);
        let is_local = |o: &&ObjectId| matches!(self.program.objects[o.index()].kind, ObjectKind::Local(_));
        let mut local: Vec<ObjectId> = self.escaped.iter().filter(is_local).copied().collect();
        local.sort_unstable();
        for object in local {
            if gets_into_memory(self.program, &flows, object) {
                let name = format!("{}.lived", self.program.objects[object.index()].name);
                let lived = hidden(self.program, name, Sort::Bool);
                let init = self.program.terms.ff();
                self.program.globals.push(Global { symbol: lived, init });
                self.stored.insert(object, lived);
            }
        }
    }

    /// Objects whose constant addresses occur in a base.
    fn escape(&mut self, base: Term) {
        for part in self.program.terms.parts(base) {
            if let Node::BitVec(_, address) = self.program.terms.node(part)
                && let Some(object) = self.program.objects.iter().position(|o| o.address == address)
            {
                self.escaped.insert(ObjectId::from_index(object));
            }
        }
    }

    fn declare_companions(&mut self) {
        let globals = self.program.globals.clone();
        for Global { symbol, init } in globals {
            if let Some(&companion) = self.companions.get(&symbol) {
                let base = self.base(init);
                let init = self.companion_value(base);
                self.program.globals.push(Global { symbol: companion, init });
            }
        }
        let (zero, none) = (self.number(0), self.program.terms.bit_vec(32, 0));
        self.program.globals.push(Global { symbol: self.result, init: zero });
        self.program.globals.push(Global { symbol: self.blocks, init: none });
        for procedure in &mut self.program.procedures {
            let own = |symbols: &[Symbol]| -> Vec<Symbol> {
                symbols.iter().filter_map(|symbol| self.companions.get(symbol).copied()).collect()
            };
            let (params, locals) = (own(&procedure.params), own(&procedure.locals));
            procedure.params.extend(params);
            procedure.locals.extend(locals);
        }
    }

    fn number(&mut self, value: u64) -> Term {
        self.program.terms.bit_vec(self.program.pointer_bits, value)
    }

    /// The object that a term is computed from.
    fn base(&mut self, term: Term) -> Base {
        match self.program.terms.node(term) {
            Node::BitVec(width, address) if width == self.program.pointer_bits => {
                match object_at(self.program, address) {
                    Some(start) => Base::Of(self.number(start)),
                    None => Base::None,
                }
            }
            Node::Symbol(symbol) if self.pinned.object(symbol).is_some() => {
                Base::Of(self.number(self.pinned.object(symbol).unwrap_or_default()))
            }
            Node::Symbol(symbol) => match self.companions.get(&symbol) {
                Some(&companion) => Base::Of(self.program.terms.symbol(companion)),
                None => Base::None,
            },
            Node::Binary(BinOp::Select, array, address) => match self.program.terms.node(array) {
                Node::Symbol(region) if self.companions.contains_key(&region) => {
                    let table = self.program.terms.symbol(self.companions[&region]);
                    Base::Of(self.program.terms.select(table, address))
                }
                _ => Base::None,
            },
            Node::Binary(BinOp::BvAdd | BinOp::BvAnd | BinOp::BvOr, a, b) => match (self.base(a), self.base(b)) {
                (Base::None, base) | (base, Base::None) => base,
                (Base::Of(x), Base::Of(y)) => {
                    let zero = self.number(0);
                    let none = self.program.terms.eq(x, zero);
                    Base::Of(self.program.terms.ite(none, y, x))
                }
                _ => Base::Unknown,
            },
            Node::Binary(BinOp::BvSub, a, _) => self.base(a),
            Node::Ite(condition, a, b) => match (self.base(a), self.base(b)) {
                (Base::None, Base::None) => Base::None,
                (Base::Unknown, _) | (_, Base::Unknown) => Base::Unknown,
                (a, b) => {
                    let (a, b) = (self.companion_value(a), self.companion_value(b));
                    Base::Of(self.program.terms.ite(condition, a, b))
                }
            },
            Node::Binary(BinOp::BvConcat, ..) => match from_bytes(self.program, term) {
                Some((region, address)) if self.companions.contains_key(&region) => {
                    let table = self.program.terms.symbol(self.companions[&region]);
                    Base::Of(self.program.terms.select(table, address))
                }
                _ => Base::Unknown,
            },
            _ => Base::None,
        }
    }

    fn companion_value(&mut self, base: Base) -> Term {
        match base {
            Base::None => self.number(0),
            Base::Unknown => self.number(UNKNOWN),
            Base::Of(term) => term,
        }
    }

    fn companion_of(&mut self, value: Term) -> Term {
        let base = self.base(value);
        self.companion_value(base)
    }

    /// Rewrites the edges of a procedure.
    fn procedure(&mut self, id: ProcedureId) {
        let mut procedure = std::mem::replace(&mut self.program.procedures[id.index()], Procedure::new(""));
        self.assume_loops_end(&procedure);
        let leaving = procedure.successors();
        let edges = std::mem::take(&mut procedure.edges);
        let made = self.stack_blocks(&mut procedure, &edges);
        let is_entry = id == self.program.entry;
        let is_set_up = [ARGUMENTS, TEXT].contains(&procedure.name.as_str());
        let first = if is_entry { self.initial_tables() } else { self.no_blocks(&made) };
        self.start_with(&mut procedure, first);
        let mut body = Body { id, is_entry, made, procedure };
        for (location, leaving) in leaving.into_iter().enumerate() {
            let leaving: Vec<&Edge> = leaving.into_iter().map(|edge| &edges[edge.index()]).collect();
            let mut at = LocId::from_index(location);
            // What is set up for the program is as it should be.
            if !is_entry && !is_set_up {
                at = self.guards(&mut body, at, &leaving);
            }
            for edge in leaving {
                self.edge(&mut body, at, edge);
            }
        }
        self.program.procedures[id.index()] = body.procedure;
    }

    /// Assignments that a call starts with, even if its first location is the head of a loop.
    fn start_with(&mut self, procedure: &mut Procedure, first: Vec<Vec<Assign>>) {
        if first.iter().all(Vec::is_empty) {
            return;
        }
        let (before, start) = (procedure.entry, fresh(procedure, procedure.entry));
        procedure.entry = start;
        let at = chain(procedure, start, first);
        procedure.edges.push(Edge { from: at, to: before, op: Op::Skip, span: Span::default() });
    }
}

/// A procedure at work.
struct Body {
    id: ProcedureId,
    is_entry: bool,
    /// The last block of each place where one is made on the stack.
    made: FxHashMap<Symbol, Symbol>,
    procedure: Procedure,
}
