//! The functions that are known by name.

use clinch_terms::float::Integral;

use super::super::hir::{Function, FunctionId, Hir};
use super::super::models::PREFIX;
use super::super::types::{Type, TypeId};
use super::harmless::{Results, harmless, is_library_name};

/// What a known function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Library {
    /// Any value of the result's type.
    Nondet,
    /// The argument is assumed to hold.
    Assume,
    /// The argument must hold.
    Assert,
    /// The error; a failed assertion. Whether an argument says which.
    Error {
        /// The first argument is the text of the assertion.
        text: bool,
    },
    /// Ends the run by a signal.
    Abort,
    /// Ends the run, after what was registered for that.
    Exit,
    /// Ends the run at once.
    ExitAtOnce,
    /// Is never reached.
    Unreachable,
    /// `malloc`
    Malloc,
    /// `calloc`
    Calloc,
    /// `realloc`
    Realloc,
    /// `free`
    Free,
    /// `alloca`
    Alloca,
    /// `memset`
    Memset,
    /// `memcpy` and `memmove`
    Memcpy {
        /// Whether the blocks may overlap.
        overlap: bool,
    },
    /// `memcmp`
    Memcmp,
    /// `strlen`
    Strlen,
    /// `strcpy`, `strncpy`
    Strcpy {
        /// Whether the third argument bounds it.
        bounded: bool,
    },
    /// `strcat`
    Strcat,
    /// `strcmp`, `strncmp`
    Strcmp {
        /// Whether the third argument bounds it.
        bounded: bool,
    },
    /// `strchr`
    Strchr,
    /// `printf`, `fprintf`
    Printf {
        /// Whether the first argument is a stream.
        stream: bool,
    },
    /// `scanf`, `fscanf`, `sscanf`
    Scan {
        /// Which argument is the format.
        format: usize,
    },
    /// `puts`, `fputs`
    Puts {
        /// Whether the second argument is a stream; then there is no newline.
        stream: bool,
    },
    /// `putchar`, `putc`, `fputc`
    Putchar,
    /// No effect; the result is 0.
    Nothing,
    /// `abs`, `labs`, `llabs`
    Abs,
    /// `__builtin_add_overflow` and the like.
    Overflow(super::super::hir::BinaryOp),
    /// Counting and moving bits.
    Bits(Bits),
    /// The first argument: `__builtin_expect`.
    First,
    /// A function of floats that is an operation on them.
    Float(FloatFunction),
    /// An operation on numbers of type `long double`.
    Extended(ExtendedFunction),
    /// A function of the arguments that is not modelled: its result is unknown, not any.
    Opaque,
    /// A function of the C library that changes nothing a program can see: its result is an input.
    Harmless(Results),
    /// In a model: any value of the result's type, from the environment.
    Any,
    /// In a model: an assumption, for the report.
    AssumeThat,
    /// In a model: what the argument says is not modelled.
    Stop,
    /// In a body that was written for the program: how many bytes there are from an address to the end of its object.
    Room,
    /// In a model: `errno` may have any value from here on.
    ForgetErrno,
    /// A function of the C library that is not modelled.
    NotModelled,
    /// Not modelled: what it does is named.
    Unsupported(&'static str),
}

/// Functions of floats, of either format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FloatFunction {
    /// `fabs`
    Magnitude,
    /// `copysign`
    CopySign,
    /// Whether the sign is negative, as 1 or 0.
    SignBit,
    /// Whether it is a NaN that is not quiet, as 1 or 0.
    Signalling,
    /// `fma`
    Fma,
    /// The square root; `errno` is the business of the model.
    Sqrt,
    /// `floor` and the like.
    Integral(Integral),
    /// `rint` and `nearbyint`: as `fesetround` says.
    Rint,
    /// The number beside the first one in the direction of the second one, which differs from it; neither is a NaN.
    Next,
}

impl FloatFunction {
    /// How many floats it takes.
    pub(crate) fn operands(self) -> usize {
        match self {
            FloatFunction::CopySign | FloatFunction::Next => 2,
            FloatFunction::Fma => 3,
            _ => 1,
        }
    }

    /// Whether it shows the bits of a NaN.
    pub(crate) fn sees_bits(self) -> bool {
        matches!(self, FloatFunction::CopySign | FloatFunction::SignBit)
    }
}

/// Functions of numbers of type `long double`, which are records (see `extended`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ExtendedFunction {
    /// The number with these two words.
    Of,
    /// A number or an integer of another type, converted.
    From,
    /// A conversion to the type of the result.
    To,
    /// With the other sign.
    Negation,
    /// A function of the library. `fma` is not among them.
    Function(FloatFunction),
    /// An operator.
    Operator(super::super::hir::BinaryOp),
}

/// Operations on bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // The names of gcc.
pub(crate) enum Bits {
    Clz,
    Ctz,
    Ffs,
    Popcount,
    Parity,
    Bswap,
}

/// What a function does that is called by its name, if the name says so. A body in the program wins, except over the
/// functions that state the property.
pub(crate) fn library(hir: &Hir, function: FunctionId) -> Option<Library> {
    let function = &hir.functions[function.0 as usize];
    let name = function.name.as_str();
    match name {
        "__VERIFIER_error" | "reach_error" => return Some(Library::Error { text: false }),
        "__assert_fail" | "__assert_rtn" => return Some(Library::Error { text: true }),
        _ if name.starts_with("__VERIFIER_nondet_") => return Some(Library::Nondet),
        _ if function.body.is_some() && !function.is_model => return None,
        _ => {}
    }
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let plain = plain.strip_prefix("__").and_then(|n| n.strip_suffix("_chk")).unwrap_or(plain);
    let plain = plain.strip_suffix("_chk").and_then(|n| n.strip_prefix("__")).unwrap_or(plain);
    let built_in =
        verification(name).or_else(|| memory(plain)).or_else(|| formatted(plain)).or_else(|| arithmetic(name, plain));
    if built_in.is_some() || function.body.is_some() {
        return built_in;
    }
    in_models(name)
        .or_else(|| unsupported(plain))
        .or_else(|| harmless(plain).map(Library::Harmless))
        .or_else(|| floating(hir, function))
        .or_else(|| is_the_librarys(function).then_some(Library::NotModelled))
}

/// Whether a known function may set `errno`.
pub(crate) fn may_set_errno(known: Library) -> bool {
    matches!(
        known,
        Library::Harmless(_)
            | Library::ForgetErrno
            | Library::Malloc
            | Library::Calloc
            | Library::Realloc
            | Library::Printf { .. }
            | Library::Puts { .. }
            | Library::Putchar
            | Library::Scan { .. }
    )
}

/// What a function does that is called through a pointer: for what is built in there is a model that calls it.
pub(crate) fn library_by_pointer(hir: &Hir, function: FunctionId) -> Option<Library> {
    if hir.functions[function.0 as usize].is_model { None } else { library(hir, function) }
}

/// Whether a function without body is one of the C library or of the compiler.
fn is_the_librarys(function: &Function) -> bool {
    let name = function.name.as_str();
    let of_compiler = ["__builtin_", "__sync_", "__atomic_"].iter().any(|prefix| name.starts_with(prefix));
    of_compiler || function.is_system || is_library_name(name)
}

/// What of the library computes with floating-point numbers and has no model: the result is not known. What may write through a
/// pointer (`strtod`) is not modelled. A function of the program without body may return any number, as any other one.
fn floating(hir: &Hir, function: &Function) -> Option<Library> {
    if !handles_floats(hir, function.ty) || !is_the_librarys(function) {
        return None;
    }
    let Type::Function { parameters, .. } = hir.types.get(function.ty) else { return None };
    let takes_pointers = parameters.iter().any(|&ty| hir.types.is_pointer(ty));
    Some(if takes_pointers { Library::NotModelled } else { Library::Opaque })
}

/// What models say that C cannot.
fn in_models(name: &str) -> Option<Library> {
    Some(match name.strip_prefix(PREFIX)? {
        "any_int" | "any_char" | "any_long" | "any_double" | "any_float" => Library::Any,
        "assume_that" => Library::AssumeThat,
        "unsupported" => Library::Stop,
        "forget_errno" => Library::ForgetErrno,
        "suppose" => Library::Assume,
        "room" => Library::Room,
        "block" => Library::Malloc,
        name => Library::Extended(extended(name.strip_prefix("extended_")?)?),
    })
}

/// What `extended` makes calls of.
fn extended(name: &str) -> Option<ExtendedFunction> {
    use super::super::hir::BinaryOp;
    Some(ExtendedFunction::Operator(match name {
        "of" => return Some(ExtendedFunction::Of),
        "from" => return Some(ExtendedFunction::From),
        "to" => return Some(ExtendedFunction::To),
        "neg" => return Some(ExtendedFunction::Negation),
        "add" => BinaryOp::Add,
        "sub" => BinaryOp::Sub,
        "mul" => BinaryOp::Mul,
        "div" => BinaryOp::Div,
        "eq" => BinaryOp::Eq,
        "ne" => BinaryOp::Ne,
        "lt" => BinaryOp::Lt,
        "le" => BinaryOp::Le,
        "gt" => BinaryOp::Gt,
        "ge" => BinaryOp::Ge,
        _ => return None,
    }))
}

/// Whether a function takes or returns floating-point numbers: those without body are the mathematical library's.
fn handles_floats(hir: &Hir, ty: TypeId) -> bool {
    let Type::Function { result, parameters, .. } = hir.types.get(ty) else { return false };
    let is_float = |ty: &TypeId| matches!(hir.types.get(*ty), Type::Float(_)) || hir.types.is_extended(*ty);
    is_float(result) || parameters.iter().any(is_float)
}

fn verification(name: &str) -> Option<Library> {
    Some(match name {
        "__VERIFIER_assume" | "assume" => Library::Assume,
        "__VERIFIER_assert" | "assert" => Library::Assert,
        "__assert" => Library::Error { text: true },
        "abort" | "__builtin_trap" | "__builtin_abort" => Library::Abort,
        "exit" | "__builtin_exit" => Library::Exit,
        "_exit" | "_Exit" | "quick_exit" | "__builtin__exit" | "__builtin__Exit" => Library::ExitAtOnce,
        "__builtin_unreachable" => Library::Unreachable,
        _ => return None,
    })
}

fn memory(name: &str) -> Option<Library> {
    Some(match name {
        "malloc" => Library::Malloc,
        "calloc" => Library::Calloc,
        "realloc" => Library::Realloc,
        "free" => Library::Free,
        "alloca" => Library::Alloca,
        "memset" => Library::Memset,
        "memcpy" => Library::Memcpy { overlap: false },
        "memmove" => Library::Memcpy { overlap: true },
        "memcmp" => Library::Memcmp,
        "strlen" => Library::Strlen,
        "strcpy" => Library::Strcpy { bounded: false },
        "strncpy" => Library::Strcpy { bounded: true },
        "strcat" => Library::Strcat,
        "strcmp" => Library::Strcmp { bounded: false },
        "strncmp" => Library::Strcmp { bounded: true },
        "strchr" => Library::Strchr,
        _ => return None,
    })
}

fn formatted(name: &str) -> Option<Library> {
    // What standards changed has another name in glibc.
    let name = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name);
    Some(match name {
        "scanf" => Library::Scan { format: 0 },
        "fscanf" | "sscanf" => Library::Scan { format: 1 },
        "printf" => Library::Printf { stream: false },
        "fprintf" => Library::Printf { stream: true },
        "puts" => Library::Puts { stream: false },
        "fputs" => Library::Puts { stream: true },
        "putchar" | "putc" | "fputc" => Library::Putchar,
        _ => return None,
    })
}

fn arithmetic(name: &str, plain: &str) -> Option<Library> {
    use super::super::hir::BinaryOp::{Add, Mul, Sub};
    if let Some(function) = extended_function(plain) {
        return Some(Library::Extended(ExtendedFunction::Function(function)));
    }
    if plain == "abs" || plain == "labs" || plain == "llabs" {
        return Some(Library::Abs);
    }
    if let Some(function) = float_function(plain) {
        return Some(Library::Float(function));
    }
    if name == plain {
        return None;
    }
    let unsized_name = plain.trim_end_matches("ll").trim_end_matches('l');
    Some(match unsized_name {
        "expect" | "expect_with_probability" | "assume_aligned" => Library::First,
        "clz" => Library::Bits(Bits::Clz),
        "ctz" => Library::Bits(Bits::Ctz),
        "ffs" => Library::Bits(Bits::Ffs),
        "popcount" => Library::Bits(Bits::Popcount),
        "parity" => Library::Bits(Bits::Parity),
        "bswap16" | "bswap32" | "bswap64" => Library::Bits(Bits::Bswap),
        "prefetch" => Library::Nothing,
        _ => match plain {
            "add_overflow" | "sadd_overflow" | "saddl_overflow" | "saddll_overflow" => Library::Overflow(Add),
            "uadd_overflow" | "uaddl_overflow" | "uaddll_overflow" => Library::Overflow(Add),
            "sub_overflow" | "ssub_overflow" | "ssubl_overflow" | "ssubll_overflow" => Library::Overflow(Sub),
            "usub_overflow" | "usubl_overflow" | "usubll_overflow" => Library::Overflow(Sub),
            "mul_overflow" | "smul_overflow" | "smull_overflow" | "smulll_overflow" => Library::Overflow(Mul),
            "umul_overflow" | "umull_overflow" | "umulll_overflow" => Library::Overflow(Mul),
            _ => return None,
        },
    })
}

/// The operation of a function on numbers of type `long double`.
pub(crate) fn extended_function(name: &str) -> Option<FloatFunction> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    float_operation(name.strip_suffix('l')?).filter(|function| *function != FloatFunction::Fma)
}

fn float_function(name: &str) -> Option<FloatFunction> {
    float_operation(name.strip_suffix('f').unwrap_or(name))
}

/// The operation of a function, whose name has no letter for a type.
fn float_operation(name: &str) -> Option<FloatFunction> {
    let of_models = name.strip_prefix(PREFIX);
    Some(match of_models.unwrap_or(name) {
        "fabs" => FloatFunction::Magnitude,
        "copysign" => FloatFunction::CopySign,
        "floor" => FloatFunction::Integral(Integral::Down),
        "ceil" => FloatFunction::Integral(Integral::Up),
        "trunc" => FloatFunction::Integral(Integral::Zero),
        "round" => FloatFunction::Integral(Integral::Away),
        "roundeven" => FloatFunction::Integral(Integral::Even),
        "rint" | "nearbyint" => FloatFunction::Rint,
        "fma" => FloatFunction::Fma,
        "signalling" if of_models.is_some() => FloatFunction::Signalling,
        "signbit" if of_models.is_some() => FloatFunction::SignBit,
        "next" if of_models.is_some() => FloatFunction::Next,
        "sqrt" if of_models.is_some() => FloatFunction::Sqrt,
        _ => return None,
    })
}

fn unsupported(name: &str) -> Option<Library> {
    let what = match name {
        "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" | "longjmp" | "siglongjmp" => "non-local jumps",
        "signal" | "sigaction" => "signals",
        "fesetenv" | "feholdexcept" | "feupdateenv" | "fegetenv" | "feenableexcept" | "feclearexcept"
        | "feraiseexcept" | "fetestexcept" | "fesetexceptflag" | "fegetexceptflag" => "the floating-point environment",
        "fork" | "vfork" => "processes",
        "sprintf" | "snprintf" | "vsprintf" | "vsnprintf" => "formatted output to memory",
        "gets" | "getline" => "input to memory",
        _ if name.starts_with("pthread_") || name.starts_with("thrd_") => "threads",
        _ if name.starts_with("va_") => "variable argument lists",
        _ => return None,
    };
    Some(Library::Unsupported(what))
}
