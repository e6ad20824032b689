//! What tests share: programs made by hand, and where the files are.

pub mod together;

use std::path::PathBuf;

use clinch_ir::cfa::{
    Assign, CfaProgram, Edge, EdgeId, Global, InputId, InputKind, InputSite, Integers, Location, Object, ObjectId,
    ObjectKind, Op, Procedure, ProcedureId, Region, SourceMap, Target, VariableInfo,
};
use clinch_ir::program::Span;
use clinch_terms::{BinOp, LocId, Sort, Symbol, Term, Terms};

/// The folder of the package whose tests run. It is asked for when they run, not when they are built: one build folder may serve
/// several clones.
pub fn package() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs the tests"))
}

/// How many random cases a test draws: so many, or a multiple where the variable `CLINCH_EFFORT` asks for more, as `make fuzz` does.
pub fn cases(usual: u32) -> u32 {
    let effort = std::env::var("CLINCH_EFFORT").ok().and_then(|factor| factor.parse().ok());
    usual.saturating_mul(effort.unwrap_or(1))
}

/// Where every procedure starts and ends.
pub const ENTRY: LocId = LocId(0);
/// Where the procedures of a [`Build`] end.
pub const EXIT: LocId = LocId(1);

/// A program under construction: procedure 0 is the entry.
pub struct Build {
    /// The program so far.
    pub program: CfaProgram,
}

impl Default for Build {
    fn default() -> Self {
        Build::new()
    }
}

impl Build {
    /// A program with machine integers and an empty first procedure.
    pub fn new() -> Self {
        let program = CfaProgram::new(Terms::new(), SourceMap::default());
        let mut build = Build { program };
        build.procedure("start");
        build
    }

    /// The same with mathematical integers.
    pub fn mathematical() -> Self {
        let mut build = Build::new();
        build.program.integers = Integers::Mathematical;
        build
    }

    /// One more procedure.
    pub fn procedure(&mut self, name: &str) -> ProcedureId {
        self.program.procedures.push(Procedure::new(name));
        ProcedureId::from_index(self.program.procedures.len() - 1)
    }

    fn proc(&mut self, p: ProcedureId) -> &mut Procedure {
        &mut self.program.procedures[p.index()]
    }

    fn declare(&mut self, name: &str, sort: Sort) -> Symbol {
        let symbol = self.program.terms.declare(name, sort);
        let info =
            VariableInfo { name: name.to_owned(), ty: "int".to_owned(), signed: true, pointer: false, hidden: false };
        self.program.variables.insert(symbol, info);
        symbol
    }

    /// A local variable.
    pub fn local(&mut self, p: ProcedureId, name: &str, sort: Sort) -> Symbol {
        let symbol = self.declare(name, sort);
        self.proc(p).locals.push(symbol);
        symbol
    }

    /// A parameter.
    pub fn param(&mut self, p: ProcedureId, name: &str, sort: Sort) -> Symbol {
        let symbol = self.declare(name, sort);
        self.proc(p).params.push(symbol);
        symbol
    }

    /// The variable that takes the result of a procedure.
    pub fn result(&mut self, p: ProcedureId, sort: Sort) -> Symbol {
        let symbol = self.local(p, "result", sort);
        self.proc(p).result = Some(symbol);
        symbol
    }

    /// A global variable.
    pub fn global(&mut self, name: &str, sort: Sort, init: Term) -> Symbol {
        let symbol = self.declare(name, sort);
        self.program.globals.push(Global { symbol, init });
        symbol
    }

    /// A region whose cells have so many bytes.
    pub fn region(&mut self, name: &str, bytes: u32) -> Symbol {
        let sort = match self.program.integers {
            Integers::Machine => Sort::array(Sort::BitVec(64), Sort::BitVec(8 * bytes)),
            Integers::Mathematical => Sort::array(Sort::Int, Sort::Int),
        };
        let symbol = self.program.terms.declare(name, sort);
        self.program.regions.push(Region {
            symbol,
            cell_bytes: bytes,
            starts_zero: false,
            name: name.to_owned(),
            ghost: false,
        });
        symbol
    }

    /// An object with a fixed address.
    pub fn object(&mut self, name: &str, address: u64, size: u64, kind: ObjectKind) -> ObjectId {
        self.program.objects.push(Object {
            name: name.to_owned(),
            address,
            ty: String::new(),
            size,
            kind,
            bytes: Vec::new(),
            regions: Vec::new(),
        });
        ObjectId::from_index(self.program.objects.len() - 1)
    }

    /// A string at an address.
    pub fn literal(&mut self, address: u64, bytes: &[u8]) {
        let object = self.object("literal", address, bytes.len() as u64, ObjectKind::Literal);
        self.program.objects[object.index()].bytes = bytes.to_vec();
    }

    /// A place that takes an input.
    pub fn input(&mut self, kind: InputKind) -> InputId {
        self.program.inputs.push(InputSite { kind, ty: "int".to_owned(), signed: true, span: Span::default() });
        InputId::from_index(self.program.inputs.len() - 1)
    }

    /// A place that takes any value.
    pub fn nondet(&mut self) -> InputId {
        self.input(InputKind::Nondet("nondet_int".to_owned()))
    }

    /// One more location.
    pub fn location(&mut self, p: ProcedureId) -> LocId {
        self.proc(p).locations.push(Location::default());
        LocId::from_index(self.proc(p).locations.len() - 1)
    }

    /// One more edge.
    pub fn edge(&mut self, p: ProcedureId, from: LocId, to: LocId, op: Op) -> EdgeId {
        self.proc(p).edges.push(Edge { from, to, op, span: Span::default() });
        EdgeId::from_index(self.proc(p).edges.len() - 1)
    }

    /// Edges one after the other; where they lead.
    pub fn chain(&mut self, p: ProcedureId, mut from: LocId, ops: impl IntoIterator<Item = Op>) -> LocId {
        for op in ops {
            let to = self.location(p);
            self.edge(p, from, to, op);
            from = to;
        }
        from
    }

    /// Both ways of a condition.
    pub fn branch(&mut self, p: ProcedureId, at: LocId, condition: Term) -> (LocId, LocId) {
        let (yes, no) = (self.location(p), self.location(p));
        let negation = self.program.terms.not(condition);
        self.edge(p, at, yes, Op::Assume(condition));
        self.edge(p, at, no, Op::Assume(negation));
        (yes, no)
    }

    /// An operation that ends the run.
    pub fn end(&mut self, p: ProcedureId, at: LocId, op: Op) {
        let to = self.location(p);
        self.edge(p, at, to, op);
    }

    /// A variable as a term.
    pub fn var(&mut self, symbol: Symbol) -> Term {
        self.program.terms.symbol(symbol)
    }

    /// A constant.
    pub fn bv(&mut self, width: u32, value: i64) -> Term {
        self.program.terms.bit_vec(width, value as u64)
    }

    /// An operation on bit-vectors.
    pub fn op(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        if op.on_bit_vectors() { self.program.terms.bv(op, a, b) } else { self.program.terms.binary(op, a, b) }
    }

    /// The cell of a region at an address.
    pub fn load(&mut self, region: Symbol, address: Term) -> Term {
        let array = self.var(region);
        self.program.terms.select(array, address)
    }
}

/// One assignment to a variable.
pub fn set(symbol: Symbol, value: Term) -> Op {
    Op::Assign(vec![Assign { target: Target::Var(symbol), value }])
}

/// One assignment to a cell.
pub fn store(region: Symbol, address: Term, value: Term) -> Op {
    Op::Assign(vec![Assign { target: Target::Cell(region, address), value }])
}

/// Numbers that look random, the same each time.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        (self.number() >> 11) % bound
    }
}

/// A term with all its parts, for messages.
pub fn show(terms: &Terms, term: Term) -> String {
    let parts: Vec<String> = terms.children(term).map(|c| show(terms, c)).collect();
    format!("{:?}({})", terms.node(term), parts.join(", "))
}
