//! The types of a generated program.

/// An integer type, or a bit-field of one (then `bits` is its width).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Int {
    pub(crate) name: String,
    pub(crate) bits: u32,
    pub(crate) signed: bool,
}

/// The type of a promoted value, as far as formats and shifts need it (LP64).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kind {
    pub(crate) wide: bool,
    pub(crate) signed: bool,
}

pub(crate) const INT: Kind = Kind { wide: false, signed: true };
pub(crate) const ULONG: Kind = Kind { wide: true, signed: false };
pub(crate) const LONG: Kind = Kind { wide: true, signed: true };

impl Kind {
    pub(crate) fn bits(self) -> u32 {
        if self.wide { 64 } else { 32 }
    }

    /// The usual arithmetic conversions.
    pub(crate) fn common(self, other: Kind) -> Kind {
        match (self.wide, other.wide) {
            (true, false) => self,
            (false, true) => other,
            _ => Kind { wide: self.wide, signed: self.signed && other.signed },
        }
    }
}

impl Int {
    pub(crate) fn new(name: &str, bits: u32, signed: bool) -> Self {
        Int { name: name.to_owned(), bits, signed }
    }

    pub(crate) fn promoted(&self) -> Kind {
        if self.bits < 32 { INT } else { Kind { wide: self.bits > 32, signed: self.signed } }
    }
}

/// The integer types of C, with the suffix of their `__VERIFIER_nondet_`.
pub(crate) const INTS: [(&str, u32, bool, &str); 12] = [
    ("_Bool", 1, false, "bool"),
    ("char", 8, true, "char"),
    ("signed char", 8, true, "char"),
    ("unsigned char", 8, false, "uchar"),
    ("short", 16, true, "short"),
    ("unsigned short", 16, false, "ushort"),
    ("int", 32, true, "int"),
    ("unsigned int", 32, false, "uint"),
    ("long", 64, true, "long"),
    ("unsigned long", 64, false, "ulong"),
    ("long long", 64, true, "longlong"),
    ("unsigned long long", 64, false, "ulonglong"),
];

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    Int(Int),
    /// A position in the generator's records.
    Record(usize),
    Array(Box<Ty>, usize),
    /// Points to at least so many elements, always.
    Pointer(Box<Ty>, usize),
    /// A pointer to a function of the table signature.
    Callback,
}

pub(crate) struct Record {
    /// With `struct` or `union`.
    pub(crate) tag: String,
    pub(crate) union: bool,
    pub(crate) fields: Vec<Field>,
}

#[derive(Clone)]
pub(crate) struct Field {
    /// Empty for an anonymous member.
    pub(crate) name: String,
    pub(crate) ty: Ty,
    /// The width of a bit-field.
    pub(crate) width: Option<u32>,
}

impl Ty {
    pub(crate) fn int(name: &str, bits: u32, signed: bool) -> Self {
        Ty::Int(Int::new(name, bits, signed))
    }
}

/// A declarator: `int (*x)[3]` and the like.
pub(crate) fn declare(ty: &Ty, name: &str, records: &[Record]) -> String {
    match ty {
        Ty::Int(int) => format!("{} {name}", int.name),
        Ty::Record(r) => format!("{} {name}", records[*r].tag),
        Ty::Array(element, n) => declare(element, &format!("{name}[{n}]"), records),
        Ty::Pointer(element, _) if matches!(**element, Ty::Array(..)) => {
            declare(element, &format!("(*{name})"), records)
        }
        Ty::Pointer(element, _) => declare(element, &format!("*{name}"), records),
        Ty::Callback => format!("callback$ {name}"),
    }
}
