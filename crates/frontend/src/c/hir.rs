//! A C program after type checking: every name resolved, every conversion explicit, every initialiser flattened.
//!
//! `check/` makes it from the syntax tree, `points_to/` and `lower/` read it. What C says in several ways is said in one way
//! here: `a[i]` is `*(&a[0] + i)`, `p->f` is `(*p).f`, an array that decays is [`ExprKind::AddressOf`] its first element,
//! `x++` is a [`ExprKind::Update`]; sizes, offsets and enumerators are constants.

use clinch_ir::Span;

use super::types::{BitRange, RecordId, TypeId, Types};

/// A function of the program, an index into [`Hir::functions`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunctionId(pub u32);

/// A variable of the program (global, static, local, parameter), an index into [`Hir::variables`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct VariableId(pub u32);

/// A label of a function, an index into [`Function::labels`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LabelId(pub u32);

/// A typed program: all translation units of a run, linked by name.
#[derive(Debug, Default)]
pub struct Hir {
    /// All types.
    pub types: Types,
    /// All variables, of every storage.
    pub variables: Vec<Variable>,
    /// All functions, defined or only declared.
    pub functions: Vec<Function>,
    /// String literals, with their terminating zero; [`PlaceKind::String`] points here.
    pub strings: Vec<Vec<u8>>,
    /// What was assumed about names that no unit defines, one sentence each.
    pub assumptions: Vec<String>,
    /// Calls that end the life of a variable with a clean-up function; [`Stmt::Cleanup`] points here.
    pub cleanups: Vec<Expr>,
}

impl Hir {
    /// Constructors in the order in which they run, and destructors in theirs: by priority, then as they are written, and
    /// the last backwards.
    pub fn constructors_and_destructors(&self) -> (Vec<FunctionId>, Vec<FunctionId>) {
        let ordered = |priority: fn(&Function) -> Option<u32>| {
            let numbered = self.functions.iter().enumerate();
            let mut found: Vec<(u32, u32, FunctionId)> =
                numbered.filter_map(|(i, f)| Some((priority(f)?, f.span.start, FunctionId(i as u32)))).collect();
            found.sort_unstable();
            found.into_iter().map(|(_, _, id)| id)
        };
        (ordered(|f| f.constructor).collect(), ordered(|f| f.destructor).rev().collect())
    }

    /// The bytes of a string literal, without the terminating zero.
    pub fn literal(&self, e: &Expr) -> Option<Vec<u8>> {
        match &e.kind {
            ExprKind::Convert(a) => self.literal(a),
            ExprKind::AddressOf(place) => match place.kind {
                PlaceKind::String(i) => Some(self.strings[i].iter().copied().take_while(|&b| b != 0).collect()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Functions with a body that run before or after the entry function.
    pub fn functions_around_main(&self) -> Vec<FunctionId> {
        let (constructors, destructors) = self.constructors_and_destructors();
        let defined = |f: &FunctionId| self.functions[f.0 as usize].body.is_some();
        constructors.into_iter().chain(destructors).filter(defined).collect()
    }
}

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// For the whole run: globals, and statics of a file or a function.
    Static,
    /// From its declaration to the end of its block.
    Local(FunctionId),
    /// For one call.
    Parameter(FunctionId),
}

/// A variable.
#[derive(Debug)]
pub struct Variable {
    /// Its name in the source.
    pub name: String,
    /// Its type; complete, except for an `extern` that no unit defines. With an initialised flexible member it is a larger one than
    /// that of the places that name the variable.
    pub ty: TypeId,
    /// Where it lives.
    pub storage: Storage,
    /// For [`Storage::Static`] only: its initial value; `None` is all zero. Locals are initialised by [`Stmt::Declare`].
    pub init: Option<Init>,
    /// Declared `extern`, and defined nowhere: its value is an input.
    pub external: bool,
    /// Other units may know it by its name.
    pub exported: bool,
    /// Declared outside of all functions: those of its unit may know it by its name.
    pub at_file_scope: bool,
    /// Its address is taken (`&x`, an array that decays, a record whose member's address is taken, ...).
    pub address_taken: bool,
    /// A local array whose length is computed at run time: how many [`Types::sized_part`]s it has. Its type is `Array(element, None)`.
    pub runtime_length: Option<Expr>,
    /// Its alignment in bytes, if a declaration says one that its type does not have.
    pub align: Option<u64>,
    /// A weak symbol: without a definition it may be absent.
    pub weak: bool,
    /// Its declarator.
    pub span: Span,
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// Its name. Functions without linkage (`static`) of several files keep their name; ids tell them apart.
    pub name: String,
    /// Its type, a function type.
    pub ty: TypeId,
    /// Its parameters, if it has a body.
    pub parameters: Vec<VariableId>,
    /// Its labels' names.
    pub labels: Vec<String>,
    /// Its body, if it is defined.
    pub body: Option<Vec<Stmt>>,
    /// Used other than as the callee of a call: it may be the target of a call through a pointer.
    pub address_taken: bool,
    /// Whether the body is not the program's, but that of a model of the library.
    pub is_model: bool,
    /// Whether a header of the system declares it.
    pub is_system: bool,
    /// Other units may know it by its name.
    pub exported: bool,
    /// It runs before `main`, in the order of these numbers.
    pub constructor: Option<u32>,
    /// It runs when the program exits, in the opposite order.
    pub destructor: Option<u32>,
    /// A weak symbol: without a definition it may be absent.
    pub weak: bool,
    /// What an attribute says of it that is not modelled. Nobody calls it or takes its address.
    pub unsupported: Option<String>,
    /// Its declarator.
    pub span: Span,
}

/// An initialiser: what is written, in the order of evaluation, into an object.
#[derive(Clone, Debug)]
pub struct Init {
    /// Whether bytes that no item writes are zero (a braced list) or nothing is left (a scalar, a record by value).
    pub zero_fill: bool,
    /// Values of scalars (or whole records), each at an offset in the object. A later item overrides an earlier one.
    pub items: Vec<InitItem>,
}

/// One value of an initialiser.
#[derive(Clone, Debug)]
pub struct InitItem {
    /// Position in the object, in bytes.
    pub offset: u64,
    /// The type of the sub-object; the value is already converted to it.
    pub ty: TypeId,
    /// Which bits of the unit at `offset`, for a bit-field.
    pub bits: Option<BitRange>,
    /// The value.
    pub value: Expr,
}

/// An expression with its type; never of array or function type.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The type of its value. `void` for calls of such functions and the like.
    pub ty: TypeId,
    /// Where it stands.
    pub span: Span,
}

/// An arithmetic operation on one operand, already promoted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `-x`
    Neg,
    /// `~x`
    BitNot,
    /// `!x`, where `x` is any scalar: 1 if it equals zero. The type is `int`.
    Not,
}

/// An operation on two operands. Both have the same type (after the usual arithmetic conversions, or two pointers), except
/// for shifts, where each is promoted on its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // The names are those of C11, 6.5.5 to 6.5.12.
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitXor,
    BitOr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer constant (also enumerators, character constants, `sizeof`, `_Alignof`, `offsetof`), of integer, Boolean or
    /// pointer type. Sign-extended where the type is signed.
    Int(i128),
    /// A floating constant.
    Float(f64),
    /// A constant of type `long double` that is no `double`: its 80 bits.
    Extended(u128),
    /// The value of a place: a scalar, or a whole record.
    Load(Box<Place>),
    /// The address of a place that is in memory. For an array that decays the place is the array and the type is a pointer to
    /// its element.
    AddressOf(Box<Place>),
    /// The address of a function.
    Function(FunctionId),
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `pointer + index * size`, the index converted to the signed integer of pointer width (and negated for `p - i`).
    Offset {
        /// The pointer; the result has its type.
        pointer: Box<Expr>,
        /// How many elements.
        index: Box<Expr>,
        /// Bytes of an element (1 for `void *`, as in GNU C).
        size: u64,
    },
    /// `(left - right) / size`, of type `ptrdiff_t`.
    Difference {
        /// The minuend.
        left: Box<Expr>,
        /// The subtrahend.
        right: Box<Expr>,
        /// Bytes of an element.
        size: u64,
    },
    /// `a && b`, of type `int`.
    LogicalAnd(Box<Expr>, Box<Expr>),
    /// `a || b`, of type `int`.
    LogicalOr(Box<Expr>, Box<Expr>),
    /// `c ? a : b`; both sides have the type of the expression. `None` is GNU's `c ?: b` (`c` converted).
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    /// Conversion to the type of the expression: between integers, `_Bool` (not equal to zero), pointers, floats; to `void`.
    Convert(Box<Expr>),
    /// `place = value`; the value of the expression is that of the place afterwards. The value has the place's type.
    Assign(Box<Place>, Box<Expr>),
    /// `place op= operand`, `++`, `--`.
    Update(Box<Update>),
    /// A call.
    Call(Box<Call>),
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// `({ ...; e; })`; the value is that of the expression, if there is one.
    Statements(Vec<Stmt>, Option<Box<Expr>>),
    /// Initialises a hidden local variable (a compound literal), then is the value given: `Load` or `AddressOf` of it.
    InitThen(VariableId, Box<Init>, Box<Expr>),
    /// Something recognised but not modelled (`va_arg`, complex numbers, computed labels, ...), with its name.
    Unsupported(String),
}

/// `place op= operand`: the place is read once and written once.
#[derive(Clone, Debug)]
pub struct Update {
    /// What is updated.
    pub place: Place,
    /// How.
    pub op: UpdateOp,
    /// The right-hand side, already converted (1 for `++` and `--`).
    pub operand: Expr,
    /// Whether the value of the expression is that before the update (`x++`).
    pub postfix: bool,
}

/// How an update computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UpdateOp {
    /// The place's value is converted to the type, the operation is done there (for shifts: the type of the left operand), the
    /// result converted back.
    Arithmetic(BinaryOp, TypeId),
    /// A pointer moves by `operand` elements of the size in bytes (the operand negated for `-=`, `--`).
    Pointer(u64),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Who is called.
    pub callee: Callee,
    /// The arguments, converted to the parameters' types (or promoted, in the variable part).
    pub args: Vec<Expr>,
}

/// Who is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A function by its name.
    Direct(FunctionId),
    /// A function through a pointer (the expression is of pointer type).
    Indirect(Expr),
}

/// Something that has a value and, unless it is a bit-field or a register, an address.
#[derive(Clone, Debug)]
pub struct Place {
    /// Which one.
    pub kind: PlaceKind,
    /// The type of the object, possibly an array or a record.
    pub ty: TypeId,
    /// Where it stands.
    pub span: Span,
}

/// Kinds of places.
#[derive(Clone, Debug)]
pub enum PlaceKind {
    /// A variable.
    Variable(VariableId),
    /// What a pointer points to.
    Deref(Box<Expr>),
    /// A member of a record: its position in [`super::types::Record::fields`].
    Field(Box<Place>, RecordId, usize),
    /// A string literal: an array of characters.
    String(usize),
    /// A record that is not an lvalue (the result of a call): `f().x`.
    Value(Box<Expr>),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// An expression for its effects.
    Expr(Expr),
    /// The life of a local variable begins, with the initialiser, or with any contents.
    Declare(VariableId, Option<Init>, Span),
    /// When the block ends in which this stands, in whatever way, [`Hir::cleanups`] has a call to make.
    Cleanup(usize, Span),
    /// A block.
    Block(Vec<Stmt>),
    /// `if`; the condition is a scalar.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `while`
    While(Expr, Vec<Stmt>),
    /// `do while`
    DoWhile(Vec<Stmt>, Expr),
    /// `for`; declarations of the head stand before, in a block.
    For {
        /// First clause.
        init: Option<Expr>,
        /// Condition.
        condition: Option<Expr>,
        /// Third clause.
        step: Option<Expr>,
        /// Body.
        body: Vec<Stmt>,
    },
    /// `switch`; the operand is promoted. Its `Case`s stand anywhere inside, not inside an inner `switch`.
    Switch(Expr, Vec<Stmt>),
    /// `case lo ... hi:` (mostly equal), converted to the promoted type of the operand.
    Case(i128, i128, Span),
    /// `default:`
    Default(Span),
    /// A label.
    Label(LabelId, Span),
    /// `goto`
    Goto(LabelId, Span),
    /// `break`
    Break(Span),
    /// `continue`
    Continue(Span),
    /// `return`; the value has the type of the function's result.
    Return(Option<Expr>, Span),
    /// Assembler text that does nothing but change these places, and memory that the program lets it reach; and what it reads.
    Assembly(Vec<Place>, Vec<Expr>, Span),
    /// Something recognised but not modelled (other assembler text, a computed `goto`, ...), with its name.
    Unsupported(String, Span),
}

impl Expr {
    /// Whether evaluating it changes something.
    pub fn has_effects(&self) -> bool {
        match &self.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Extended(_) | ExprKind::Function(_) => false,
            ExprKind::Load(place) | ExprKind::AddressOf(place) => place.has_effects(),
            ExprKind::Unary(_, a) | ExprKind::Convert(a) => a.has_effects(),
            ExprKind::Binary(_, a, b)
            | ExprKind::LogicalAnd(a, b)
            | ExprKind::LogicalOr(a, b)
            | ExprKind::Comma(a, b)
            | ExprKind::Offset { pointer: a, index: b, .. }
            | ExprKind::Difference { left: a, right: b, .. } => a.has_effects() || b.has_effects(),
            ExprKind::Conditional(c, a, b) => {
                c.has_effects() || a.as_ref().is_some_and(|a| a.has_effects()) || b.has_effects()
            }
            ExprKind::Assign(..) | ExprKind::Update(_) | ExprKind::Call(_) | ExprKind::Statements(..) => true,
            ExprKind::InitThen(..) | ExprKind::Unsupported(_) => true,
        }
    }
}

impl Place {
    /// Whether evaluating where it is changes something.
    pub fn has_effects(&self) -> bool {
        match &self.kind {
            PlaceKind::Variable(_) | PlaceKind::String(_) => false,
            PlaceKind::Deref(e) | PlaceKind::Value(e) => e.has_effects(),
            PlaceKind::Field(inner, ..) => inner.has_effects(),
        }
    }
}
