//! Pointers that point into one object, wherever they are used.
//!
//! A function that is always called with the address of the same object, a variable that walks through one array: what such a pointer points into
//! is known without a companion, and often its value is, too. This looks at what goes where, not at when, so it says nothing of
//! pointers that may outlive their object: a local one is only known where its name is, or in calls that were made there.

use clinch_ir::cfa::{CfaProgram, ObjectId, ObjectKind, Op, Procedure, ProcedureId};
use clinch_terms::{BinOp, LocId, Node, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::flows::{carrier, flows, object_at, origins};

/// What a variable may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Held {
    /// Numbers, no addresses; and if it is always the same one, which.
    Number(Option<u64>),
    /// Addresses in the object that starts there; and if it is always the same one, which. Or numbers.
    Inside(u64, Option<u64>),
    /// Anything.
    Anything,
}

impl Held {
    fn join(self, other: Held) -> Held {
        let same = |a: Option<u64>, b: Option<u64>| a.filter(|_| a == b);
        match (self, other) {
            (Held::Anything, _) | (_, Held::Anything) => Held::Anything,
            (Held::Number(a), Held::Number(b)) => Held::Number(same(a, b)),
            (Held::Inside(a, v), Held::Inside(b, w)) if a == b => Held::Inside(a, same(v, w)),
            (Held::Inside(..), Held::Inside(..)) => Held::Anything,
            (Held::Inside(a, v), Held::Number(w)) | (Held::Number(w), Held::Inside(a, v)) => {
                Held::Inside(a, same(v, w))
            }
        }
    }

    fn value(self) -> Option<u64> {
        match self {
            Held::Number(value) | Held::Inside(_, value) => value,
            Held::Anything => None,
        }
    }
}

/// Variables that point into one object each.
#[derive(Default)]
pub(super) struct Pinned {
    held: FxHashMap<Symbol, Held>,
}

impl Pinned {
    pub(super) fn new(program: &mut CfaProgram) -> Pinned {
        let flows = flows(program);
        let scopes = Scopes::new(program);
        let mut pinned = Pinned { held: outside(program) };
        loop {
            let mut more = false;
            for &(target, value) in &flows {
                let Some(new) = pinned.of_term(program, value) else { continue };
                let new = scopes.as_seen_by(program, target, value, new);
                let old = pinned.held.get(&target).copied();
                let joined = old.map_or(new, |old| old.join(new));
                more |= old != Some(joined);
                pinned.held.insert(target, joined);
            }
            if !more {
                return pinned;
            }
        }
    }

    /// The start of the object that a variable points into.
    pub(super) fn object(&self, symbol: Symbol) -> Option<u64> {
        match self.held.get(&symbol) {
            Some(Held::Inside(start, _)) => Some(*start),
            _ => None,
        }
    }

    /// An address, with variables whose value is always the same replaced by it.
    pub(super) fn settled(&self, program: &mut CfaProgram, address: Term) -> Term {
        match program.terms.node(address) {
            Node::Symbol(symbol) => match self.held.get(&symbol) {
                Some(Held::Inside(_, Some(value))) => program.terms.bit_vec(program.pointer_bits, *value),
                _ => address,
            },
            Node::Binary(BinOp::BvAdd, a, b) => {
                let (x, y) = (self.settled(program, a), self.settled(program, b));
                if (x, y) == (a, b) { address } else { program.terms.bv(BinOp::BvAdd, x, y) }
            }
            _ => address,
        }
    }

    /// What a term may be, in the way of [`Provenance::base`](super::Provenance); nothing as long as nothing gets to a variable in it.
    fn of_term(&self, program: &CfaProgram, term: Term) -> Option<Held> {
        let of = |term| self.of_term(program, term);
        Some(match program.terms.node(term) {
            Node::BitVec(width, number) if width == program.pointer_bits => match object_at(program, number) {
                Some(start) => Held::Inside(start, Some(number)),
                None => Held::Number(Some(number)),
            },
            Node::Symbol(_) | Node::Binary(BinOp::Select, ..) => match carrier(program, term) {
                Some(symbol) => *self.held.get(&symbol)?,
                None => Held::Number(None),
            },
            Node::Binary(op @ (BinOp::BvAdd | BinOp::BvAnd | BinOp::BvOr), a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                let sum = a.value().zip(b.value()).map(|(a, b)| a.wrapping_add(b));
                match (a, b) {
                    (Held::Number(_), Held::Number(_)) => Held::Number(None),
                    (Held::Inside(start, _), Held::Number(_)) | (Held::Number(_), Held::Inside(start, _)) => {
                        Held::Inside(start, sum.filter(|_| op == BinOp::BvAdd))
                    }
                    _ => Held::Anything,
                }
            }
            Node::Binary(BinOp::BvSub, a, _) => match of(a)? {
                Held::Number(_) => Held::Number(None),
                Held::Inside(start, _) => Held::Inside(start, None),
                Held::Anything => Held::Anything,
            },
            Node::Ite(_, a, b) => of(a)?.join(of(b)?),
            Node::Binary(BinOp::BvConcat, ..) => Held::Anything,
            _ => Held::Number(None),
        })
    }
}

/// Where names are known.
struct Scopes {
    /// The procedure of a variable.
    owner: FxHashMap<Symbol, ProcedureId>,
    /// Variables that results of calls are in.
    results: FxHashSet<Symbol>,
    /// Local objects that live as long as the call that has them.
    lasting: FxHashSet<u64>,
    /// Whether procedures call themselves: a name may then stand for several objects.
    recursive: bool,
}

impl Scopes {
    fn new(program: &CfaProgram) -> Scopes {
        let mut owner = FxHashMap::default();
        for (index, procedure) in program.procedures.iter().enumerate() {
            let own = procedure.params.iter().chain(&procedure.locals);
            owner.extend(own.map(|&symbol| (symbol, ProcedureId::from_index(index))));
        }
        let results = program.procedures.iter().filter_map(|p| p.result).collect();
        let lasting = program.objects.iter().enumerate().filter_map(|(index, object)| match object.kind {
            ObjectKind::Local(id) => {
                let procedure = program.procedure(id);
                lives_as_long(procedure, ObjectId::from_index(index)).then_some(object.address)
            }
            _ => None,
        });
        Scopes { owner, results, lasting: lasting.collect(), recursive: program.is_recursive() }
    }

    /// What gets to a variable, if it may be relied on there that the object is alive.
    fn as_seen_by(&self, program: &CfaProgram, target: Symbol, value: Term, held: Held) -> Held {
        let Held::Inside(start, _) = held else { return held };
        let object = program.objects.iter().find(|o| o.address == start);
        let Some(ObjectKind::Local(of)) = object.map(|o| o.kind) else { return held };
        let own = self.owner.get(&target);
        let mut from = origins(&program.terms, value).into_iter().filter_map(|origin| carrier(program, origin));
        let outlives =
            self.results.contains(&target) || from.any(|s| self.results.contains(&s) || !self.owner.contains_key(&s));
        let known = match own {
            None => false,
            // Where its name is known, it may be left.
            Some(id) if *id == of => self.lasting.contains(&start),
            Some(_) => true,
        };
        if known && !outlives && !self.recursive { held } else { Held::Anything }
    }
}

/// What nobody looks into: inputs, blocks, memory.
fn outside(program: &CfaProgram) -> FxHashMap<Symbol, Held> {
    let edges = program.procedures.iter().flat_map(|p| &p.edges);
    let mut held: FxHashMap<Symbol, Held> = edges
        .filter_map(|edge| match edge.op {
            Op::Input(symbol, _) | Op::Alloc { target: symbol, .. } | Op::BlockSize(symbol, _) => {
                Some((symbol, Held::Anything))
            }
            _ => None,
        })
        .collect();
    held.extend(program.regions.iter().map(|region| (region.symbol, Held::Anything)));
    held
}

/// Whether a local object lives from the beginning of the call to its end: it is entered once, not in a loop, and left when nothing else is done.
fn lives_as_long(procedure: &Procedure, object: ObjectId) -> bool {
    let leaving = procedure.successors();
    let reachable = |from: LocId| {
        let (mut seen, mut todo) = (vec![false; leaving.len()], vec![from]);
        while let Some(at) = todo.pop() {
            if !std::mem::replace(&mut seen[at.index()], true) {
                todo.extend(leaving[at.index()].iter().map(|edge| procedure.edges[edge.index()].to));
            }
        }
        seen
    };
    let entered: Vec<_> = procedure.edges.iter().filter(|edge| edge.op == Op::Enter(object)).collect();
    let [entered] = entered[..] else { return false };
    if reachable(entered.to)[entered.from.index()] {
        return false;
    }
    let mut left = procedure.edges.iter().filter(|edge| edge.op == Op::Leave(object));
    left.all(|edge| {
        let after = reachable(edge.to);
        let ends = |op: &Op| matches!(op, Op::Leave(_) | Op::Return(_) | Op::Skip);
        procedure.edges.iter().all(|edge| !after[edge.from.index()] || ends(&edge.op))
    })
}
