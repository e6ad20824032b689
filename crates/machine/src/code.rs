//! What a program is compiled to: register code over slots of 64 bits.
//!
//! A frame has a slot for each variable of its procedure, and above them slots for values inside one edge. The arguments of
//! a call are computed into the first slots above the variables, which are the parameters of the callee's frame.

use clinch_ir::cfa::{EdgeId, Failure, InputId};
use clinch_terms::float::{FloatBinOp, FloatUnOp, Format};
use clinch_terms::{Symbol, Term, Terms};

/// A slot of the frame.
pub(super) type Slot = u32;

/// A position in the code.
pub(super) type Pc = u32;

/// Operations on two slots. Bit-vectors of `width` bits unless said otherwise; operands and results are zero-extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binary {
    Add,
    Sub,
    Mul,
    Udiv,
    Urem,
    Sdiv,
    Srem,
    Smod,
    And,
    Or,
    Xor,
    Shl,
    Lshr,
    Ashr,
    /// `width` is that of the lower part.
    Concat,
    Eq,
    Ne,
    Ult,
    Ule,
    Slt,
    Sle,
    /// Mathematical integers, as `i64`; stops where the result does not fit.
    IntAdd,
    IntSub,
    IntMul,
    IntDiv,
    IntRem,
    IntMod,
    IntFloorDiv,
    IntShl,
    IntShr,
    /// The bits of floats of `width` bits.
    Float(FloatBinOp),
}

/// Operations on one slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unary {
    /// Negation of a truth value.
    Not,
    /// Complement of `width` bits.
    BvNot,
    /// Two's complement in `width` bits.
    BvNeg,
    IntNeg,
    IntNot,
    /// An unsigned number as `i64`.
    ToNat,
    /// The lowest `width` bits.
    Truncate,
    /// The bits of a float, or an integer of `width` bits.
    Float(FloatUnOp, Format),
}

/// Where a value goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Slot(Slot),
    Global(u32),
}

/// A term of at most 64 bits over narrow values that are in slots.
#[derive(Clone, Debug)]
pub(super) struct WideTerm {
    /// In the store of all wide terms.
    pub(super) term: Term,
    /// The symbols it is over.
    pub(super) leaves: Vec<(Symbol, Slot)>,
}

/// An instruction. `dst` takes the result.
#[derive(Clone, Copy, Debug)]
pub(super) enum Instr {
    /// A stretch of code without jumps into it begins: so many edges.
    Block {
        edges: u32,
        head: bool,
    },
    Const {
        dst: Slot,
        value: u64,
    },
    Move {
        dst: Slot,
        src: Slot,
    },
    GetGlobal {
        dst: Slot,
        global: u32,
    },
    SetGlobal {
        global: u32,
        src: Slot,
    },
    Unary {
        op: Unary,
        width: u8,
        dst: Slot,
        a: Slot,
    },
    Binary {
        op: Binary,
        width: u8,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    /// The second operand is a constant (an index into [`Code::constants`]).
    BinaryConst {
        op: Binary,
        width: u8,
        dst: Slot,
        a: Slot,
        b: u32,
    },
    /// `dst = dst + constant`-like and other most common operations have their own instruction: no second dispatch.
    AddConst {
        width: u8,
        dst: Slot,
        a: Slot,
        b: u32,
    },
    Add {
        width: u8,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Extract {
        lo: u8,
        width: u8,
        dst: Slot,
        a: Slot,
    },
    SignExtend {
        from: u8,
        to: u8,
        dst: Slot,
        a: Slot,
    },
    /// `if (condition) dst = a`.
    MoveIf {
        dst: Slot,
        condition: Slot,
        a: Slot,
    },
    Wide {
        dst: Slot,
        wide: u32,
    },
    /// The operands are at this place of [`Code::fmas`].
    Fma {
        format: Format,
        dst: Slot,
        fma: u32,
    },
    Load {
        bytes: u8,
        dst: Slot,
        address: Slot,
    },
    /// A cell of mathematical integers or truth values may be wider than its bytes.
    Store {
        bytes: u8,
        address: Slot,
        src: Slot,
        region: u32,
    },
    /// An entry of a ghost region.
    LoadGhost {
        region: u32,
        dst: Slot,
        address: Slot,
    },
    StoreGhost {
        region: u32,
        address: Slot,
        src: Slot,
    },
    Jump {
        target: Pc,
    },
    JumpIf {
        condition: Slot,
        target: Pc,
    },
    JumpUnless {
        condition: Slot,
        target: Pc,
    },
    /// Jumps where the comparison does not hold.
    UnlessCompare {
        op: Binary,
        width: u8,
        a: Slot,
        b: Slot,
        target: Pc,
    },
    UnlessCompareConst {
        op: Binary,
        width: u8,
        a: Slot,
        b: u32,
        target: Pc,
    },
    Input {
        dst: Place,
        input: InputId,
    },
    Call {
        call: u32,
    },
    /// The exit of a procedure.
    Return,
    Enter {
        object: u32,
    },
    Leave {
        object: u32,
    },
    Alloc {
        alloc: u32,
        dst: Place,
    },
    Free {
        address: Slot,
    },
    BlockSize {
        dst: Place,
        address: Slot,
    },
    SameObject {
        a: Slot,
        b: Slot,
    },
    Print {
        print: u32,
    },
    Exit {
        status: Slot,
        width: u8,
    },
    /// The run ends here, for the reason at this place of [`Code::ends`].
    End {
        end: u32,
    },
    /// An edge is done (only in traced code).
    Trace {
        edge: EdgeId,
        returned: bool,
    },
}

/// Why a run ends at a place that says so.
#[derive(Clone, Debug)]
pub(super) enum End {
    Error(Failure),
    Abort,
    Blocked,
    Undefined(String),
    Unsupported(String),
    /// A constant that does not fit.
    Limit,
}

/// A call.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallCode {
    pub(super) callee: u32,
    pub(super) edge: EdgeId,
    /// Where the code goes on after the call.
    pub(super) resume: Pc,
    pub(super) result: Option<Place>,
}

/// An allocation.
#[derive(Clone, Copy, Debug)]
pub(super) struct AllocCode {
    pub(super) size: Slot,
    pub(super) stack: bool,
    pub(super) zeroed: bool,
}

/// An output: the format is that of the edge.
#[derive(Clone, Debug)]
pub(super) struct PrintCode {
    pub(super) format: Vec<u8>,
    /// Slot and width of each argument; width 0 is a mathematical integer.
    pub(super) args: Vec<(Slot, u8)>,
    pub(super) stdout: bool,
}

/// The code of one procedure.
#[derive(Clone, Debug, Default)]
pub(super) struct ProcedureCode {
    pub(super) entry: Pc,
    /// Where the code of each location starts; `Pc::MAX` for those that are not reached.
    pub(super) locations: Vec<Pc>,
    pub(super) params: u32,
    /// How many slots are variables; the parameters come first.
    pub(super) variables: u32,
    /// Slots of a frame.
    pub(super) slots: u32,
    /// Which slot holds the result.
    pub(super) result: Option<Slot>,
    /// Where the run goes on after the call on each edge that is a call: an index into [`Code::calls`].
    pub(super) call_of_edge: Vec<u32>,
    /// Local objects that end with the call.
    pub(super) objects: Vec<u32>,
}

/// The code of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) instrs: Vec<Instr>,
    /// Procedure and edge of each instruction.
    pub(super) origin: Vec<(u32, EdgeId)>,
    pub(super) procedures: Vec<ProcedureCode>,
    pub(super) constants: Vec<u64>,
    pub(super) calls: Vec<CallCode>,
    pub(super) allocs: Vec<AllocCode>,
    pub(super) prints: Vec<PrintCode>,
    pub(super) ends: Vec<End>,
    pub(super) wides: Vec<WideTerm>,
    /// Factors and summand of fused operations.
    pub(super) fmas: Vec<[Slot; 3]>,
    /// The terms of `wides`.
    pub(super) wide_terms: Terms,
}

impl Code {
    /// Sets the target of a jump.
    pub(super) fn patch(&mut self, jump: Pc, to: Pc) {
        match &mut self.instrs[jump as usize] {
            Instr::Jump { target }
            | Instr::JumpIf { target, .. }
            | Instr::JumpUnless { target, .. }
            | Instr::UnlessCompare { target, .. }
            | Instr::UnlessCompareConst { target, .. } => *target = to,
            other => unreachable!("{other:?} does not jump"),
        }
    }
}

/// An edge that has none.
pub(super) const NO_EDGE: EdgeId = EdgeId(u32::MAX);

/// The mask of the lowest bits, `1..=64` of them.
pub(super) fn mask(width: u8) -> u64 {
    u64::MAX >> (64 - u32::from(width))
}
