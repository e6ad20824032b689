//! Guards: what an edge asks of addresses, and what must not be left over at the end.

use clinch_ir::Span;
use clinch_ir::cfa::{Access, Check, Edge, Failure, InputId, InputKind, InputSite, ObjectKind, Op};
use clinch_terms::{BinOp, LocId, Node, Sort, Symbol, Term};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::super::ghost::{self, fresh, hidden};
use super::flows::{Copied, Demand, Purpose, copied, demands};
use super::{Base, Body, HEAP, LITERAL, Provenance, UNKNOWN};

impl Provenance<'_> {
    /// Checks what the edges out of a location ask of addresses; where they start then.
    pub(super) fn guards(&mut self, body: &mut Body, mut at: LocId, leaving: &[&Edge]) -> LocId {
        let mut seen: IndexSet<Demand, FxBuildHasher> = IndexSet::default();
        for edge in leaving {
            for demand in demands(self.program, self.ranges, &edge.op) {
                let again = match demand.what {
                    Purpose::Read(n) => seen.contains(&Demand { what: Purpose::Write(n), ..demand }),
                    _ => false,
                };
                if seen.insert(demand) && !again {
                    at = self.guard_demand(body, at, demand, edge.span);
                }
            }
            at = self.guard_overlap(body, at, edge);
        }
        at
    }

    pub(super) fn guard_demand(&mut self, body: &mut Body, at: LocId, demand: Demand, span: Span) -> LocId {
        let span = self.blamed(body, span);
        let (check, what) = match demand.what {
            Purpose::Read(_) | Purpose::ReadBlock(_) => (Check::Dereference, "invalid read"),
            Purpose::Write(_) | Purpose::WriteBlock(_) => (Check::Dereference, "invalid write"),
            Purpose::Free | Purpose::Resize => (Check::Free, "invalid free"),
            Purpose::Room => {
                let base = self.base(demand.address);
                return self.guard_origin(body, at, base, span);
            }
        };
        let base = self.base(demand.address);
        let valid = self.is_valid(demand, base);
        if matches!(self.program.terms.node(valid), Node::Bool(true)) {
            return at;
        }
        let at = self.guard_origin(body, at, base, span);
        let otherwise = match self.checks.contains(check) {
            true => {
                let text = format!("{what}: {}", self.program.source.excerpt(span));
                Op::Error(Failure { check, text })
            }
            false => Op::Undefined(format!("an {what}")),
        };
        let good = self.guard(body, at, valid, otherwise, span);
        self.remember(body, demand, base);
        good
    }

    /// Where a mistake is that shows at a place: what goes wrong in a model is the mistake of the call.
    fn blamed(&self, body: &Body, span: Span) -> Span {
        self.calls.get(&body.id).copied().unwrap_or(span)
    }

    /// A block that is read and written by one operation is copied: the function that does it may choose where to begin.
    fn guard_overlap(&mut self, body: &mut Body, at: LocId, edge: &Edge) -> LocId {
        let Some(Copied { to, from, bytes }) = copied(self.ranges, &edge.op) else { return at };
        let span = self.blamed(body, edge.span);
        let apart = self.are_apart(to, from, bytes);
        let otherwise = match self.checks.contains(Check::Overlap) {
            true => {
                let text = format!("blocks that overlap: {}", self.program.source.excerpt(span));
                Op::Error(Failure { check: Check::Overlap, text })
            }
            false => Op::Undefined("a copy between blocks that overlap".to_owned()),
        };
        self.guard(body, at, apart, otherwise, span)
    }

    /// Whether as many bytes do not overlap, or are the same: compilers themselves copy objects onto themselves.
    fn are_apart(&mut self, to: Term, from: Term, bytes: Term) -> Term {
        let bases = (self.base(to), self.base(from));
        let (to, from) = (self.pinned.settled(self.program, to), self.pinned.settled(self.program, from));
        let elsewhere = match bases {
            (Base::Of(a), Base::Of(b)) if a != b => {
                let same = self.program.terms.eq(a, b);
                self.program.terms.not(same)
            }
            _ => self.program.terms.ff(),
        };
        let itself = self.program.terms.eq(to, from);
        let terms = &mut self.program.terms;
        let (above, below) = (terms.bv(BinOp::BvSub, to, from), terms.bv(BinOp::BvSub, from, to));
        let (above, below) = (self.is_at_most(bytes, above), self.is_at_most(bytes, below));
        let terms = &mut self.program.terms;
        let beside = terms.and(above, below);
        let apart = terms.or(elsewhere, beside);
        terms.or(itself, apart)
    }

    /// What is accessed where the guard that was made last fails.
    fn remember(&mut self, body: &Body, demand: Demand, base: Base) {
        let bytes = match demand.what {
            Purpose::Read(bytes) | Purpose::Write(bytes) => Some(self.number(bytes)),
            Purpose::ReadBlock(bytes) | Purpose::WriteBlock(bytes) => Some(bytes),
            Purpose::Free | Purpose::Resize | Purpose::Room => None,
        };
        let base = if let Base::Of(base) = base { Some(base) } else { None };
        let Some(error) = body.procedure.edges.last() else { return };
        let access = Access { address: demand.address, base, bytes };
        self.program.accesses.insert((body.id, error.from), access);
    }

    /// Where an address comes from must be known.
    pub(super) fn guard_origin(&mut self, body: &mut Body, at: LocId, base: Base, span: Span) -> LocId {
        let known = match base {
            Base::None => return at,
            Base::Unknown => self.program.terms.ff(),
            Base::Of(term) if self.unknowns => {
                let unknown = self.number(UNKNOWN);
                let equal = self.program.terms.eq(term, unknown);
                self.program.terms.not(equal)
            }
            Base::Of(_) => return at,
        };
        self.guard(
            body,
            at,
            known,
            Op::Unsupported("an access by a pointer whose object is not known".to_owned()),
            span,
        )
    }

    pub(super) fn guard(&mut self, body: &mut Body, at: LocId, condition: Term, otherwise: Op, span: Span) -> LocId {
        ghost::guard(&mut self.program.terms, &mut body.procedure, at, condition, otherwise, span)
    }

    pub(super) fn is_valid(&mut self, demand: Demand, base: Base) -> Term {
        let address = self.pinned.settled(self.program, demand.address);
        let (bytes, writes) = match demand.what {
            Purpose::Read(bytes) => (self.number(bytes), false),
            Purpose::Write(bytes) => (self.number(bytes), true),
            Purpose::ReadBlock(bytes) => (bytes, false),
            Purpose::WriteBlock(bytes) => (bytes, true),
            Purpose::Free | Purpose::Resize => return self.is_block(demand, base),
            Purpose::Room => return self.program.terms.tt(),
        };
        let zero = self.number(0);
        let nothing = if bytes == zero { self.program.terms.tt() } else { self.program.terms.eq(bytes, zero) };
        let inside = match base {
            Base::Of(base) => self.is_inside(address, base, bytes, writes),
            Base::None | Base::Unknown => self.program.terms.ff(),
        };
        self.program.terms.or(nothing, inside)
    }

    /// How many bytes may be written from an address to the end of its object.
    pub(super) fn room(&mut self, address: Term) -> Term {
        let zero = self.number(0);
        let Base::Of(base) = self.base(address) else { return zero };
        let address = self.pinned.settled(self.program, address);
        let (size, alive) = match self.program.terms.node(base) {
            Node::BitVec(_, start) => self.named_object(start, true),
            _ => (self.entry(self.size, base), self.is_alive(base, true)),
        };
        let within = self.is_within(address, base, size);
        let terms = &mut self.program.terms;
        let offset = terms.bv(BinOp::BvSub, address, base);
        let left = terms.bv(BinOp::BvSub, size, offset);
        let exists = terms.and(alive, within);
        terms.ite(exists, left, zero)
    }

    /// Whether so many bytes at an address are inside of the live object that starts at the base.
    fn is_inside(&mut self, address: Term, base: Term, bytes: Term, writes: bool) -> Term {
        let (size, alive) = match self.program.terms.node(base) {
            Node::BitVec(_, start) => self.named_object(start, writes),
            _ => (self.entry(self.size, base), self.is_alive(base, writes)),
        };
        let long = self.is_at_most(bytes, size);
        let most = self.program.terms.bv(BinOp::BvSub, size, bytes);
        let within = self.is_within(address, base, most);
        self.program.terms.all([alive, long, within])
    }

    /// The size of an object that is accessed by its name, and whether it may be: it is alive where its name is known.
    fn named_object(&mut self, start: u64, writes: bool) -> (Term, Term) {
        let object = self.program.objects.iter().find(|o| o.address == start).map(|o| (o.size, o.kind));
        let (size, kind) = object.unwrap_or((0, ObjectKind::Static));
        let may = !(writes && kind == ObjectKind::Literal);
        (self.number(size), self.program.terms.bool(may))
    }

    fn is_alive(&mut self, base: Term, writes: bool) -> Term {
        let kind = self.entry(self.kind, base);
        let terms = &mut self.program.terms;
        let (dead, literal) = (terms.bit_vec(8, 0), terms.bit_vec(8, LITERAL));
        let (is_dead, is_literal) = (terms.eq(kind, dead), terms.eq(kind, literal));
        let bad = if writes { terms.or(is_dead, is_literal) } else { is_dead };
        terms.not(bad)
    }

    fn is_at_most(&mut self, a: Term, b: Term) -> Term {
        let terms = &mut self.program.terms;
        match (terms.node(a), terms.node(b)) {
            (Node::BitVec(_, a), Node::BitVec(_, b)) => terms.bool(a <= b),
            _ => terms.binary(BinOp::BvUle, a, b),
        }
    }

    pub(super) fn is_within(&mut self, address: Term, base: Term, most: Term) -> Term {
        let terms = &mut self.program.terms;
        let offset = if address == base {
            terms.bit_vec(self.program.pointer_bits, 0)
        } else {
            terms.bv(BinOp::BvSub, address, base)
        };
        self.is_at_most(offset, most)
    }

    pub(super) fn entry(&mut self, table: Symbol, base: Term) -> Term {
        let table = self.program.terms.symbol(table);
        self.program.terms.select(table, base)
    }

    /// Whether an address is the start of a block of the heap that is alive.
    pub(super) fn is_block(&mut self, demand: Demand, base: Base) -> Term {
        let address = demand.address;
        let zero = self.number(0);
        let null = self.program.terms.eq(address, zero);
        let block = match base {
            Base::Of(base) => {
                let kind = self.entry(self.kind, base);
                let heap = self.program.terms.bit_vec(8, HEAP);
                let is_heap = self.program.terms.eq(kind, heap);
                let is_start = self.program.terms.eq(address, base);
                self.program.terms.and(is_start, is_heap)
            }
            _ => self.program.terms.ff(),
        };
        if demand.what == Purpose::Free { self.program.terms.or(null, block) } else { block }
    }

    /// What must not be left over at the end of a run. What `main` knew is gone when it has returned, and only then.
    pub(super) fn guard_leaks(&mut self, body: &mut Body, at: LocId, ends: bool, span: Span) -> LocId {
        let counts = self.checks.contains(Check::Leak) || self.checks.contains(Check::Cleanup);
        if !counts {
            return at;
        }
        let (blocks, none) = (self.program.terms.symbol(self.blocks), self.program.terms.bit_vec(32, 0));
        let all_freed = self.program.terms.eq(blocks, none);
        let failure = |check, text: &str| Op::Error(Failure { check, text: text.to_owned() });
        let otherwise = if self.checks.contains(Check::Cleanup) {
            failure(Check::Cleanup, "memory that is not freed at the end")
        } else if body.is_entry && ends {
            failure(Check::Leak, "memory that nothing points to any more")
        } else {
            Op::Unsupported("whether something still points to memory that is not freed".to_owned())
        };
        if self.held && matches!(&otherwise, Op::Error(failure) if failure.check == Check::Leak) {
            return self.guard_lost(body, (at, all_freed), otherwise, span);
        }
        self.guard(body, at, all_freed, otherwise, span)
    }

    /// Where globals may hold blocks, those are lost that cannot be reached from them: the machine counts them.
    fn guard_lost(&mut self, body: &mut Body, (at, all_freed): (LocId, Term), otherwise: Op, span: Span) -> LocId {
        let lost = hidden(self.program, "$lost".to_owned(), Sort::BitVec(32));
        body.procedure.locals.push(lost);
        let site = InputId::from_index(self.program.inputs.len());
        let (kind, ty) = (InputKind::Lost, "unsigned int".to_owned());
        self.program.inputs.push(InputSite { kind, ty, signed: false, span });
        let (left, counted) = (fresh(&mut body.procedure, at), fresh(&mut body.procedure, at));
        let none_left = fresh(&mut body.procedure, at);
        let some = self.program.terms.not(all_freed);
        let edges = [
            (at, left, Op::Assume(some)),
            (at, none_left, Op::Assume(all_freed)),
            (left, counted, Op::Input(lost, site)),
        ];
        body.procedure.edges.extend(edges.into_iter().map(|(from, to, op)| Edge { from, to, op, span }));
        let (lost, zero) = (self.program.terms.symbol(lost), self.program.terms.bit_vec(32, 0));
        let all_held = self.program.terms.eq(lost, zero);
        let held = self.guard(body, counted, all_held, otherwise, span);
        body.procedure.edges.push(Edge { from: held, to: none_left, op: Op::Skip, span });
        none_left
    }
}
