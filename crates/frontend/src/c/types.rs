//! C types, their sizes and layouts.

use clinch_ir::Span;
use rustc_hash::FxHashMap;

/// A type, an index into [`Types`]; equal types have equal ids (records by identity). Qualifiers are not kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(pub u32);

/// A struct or union, an index into [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RecordId(pub u32);

/// Sizes of `long` and pointers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
    /// `int` has 32 bits, `long` and pointers 64.
    #[default]
    Lp64,
}

impl DataModel {
    /// Bits of a pointer and of `long`.
    pub fn pointer_bits(self) -> u32 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }
}

/// The rank of an integer type (C11 6.3.1.1); tells `int` from `long` where both have 32 bits, for messages and
/// conversions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)] // The names of C.
pub enum Rank {
    /// Plain `char`, which is signed, and `unsigned char`.
    Char,
    /// `signed char`, which has the values of `char` and is another type.
    SignedChar,
    Short,
    Int,
    Long,
    LongLong,
    /// `__int128`: 128 bits; recognised, values of it are not modelled.
    Int128,
}

/// Kinds of types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// `void`
    Void,
    /// `_Bool`: one byte that is 0 or 1.
    Bool,
    /// An integer; enumerations are `int` or `unsigned`. Plain `char` is signed.
    Int {
        /// Which one.
        rank: Rank,
        /// Whether it is signed.
        signed: bool,
    },
    /// Floating point of 32, 64, 80 (`long double`: 12 or 16 bytes) or 128 bits.
    Float(u32),
    /// A pointer.
    Pointer(TypeId),
    /// An array; `None` is an incomplete one, or one whose length is known at run time only.
    Array(TypeId, Option<u64>),
    /// A struct or union.
    Record(RecordId),
    /// A function.
    Function {
        /// Type of the result.
        result: TypeId,
        /// Types of the parameters, adjusted (arrays and functions are pointers).
        parameters: Vec<TypeId>,
        /// `, ...`
        variadic: bool,
        /// Declared without a parameter list: `int f()`.
        unspecified: bool,
    },
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its tag, or a made-up name for one without.
    pub name: String,
    /// Whether its members overlap.
    pub is_union: bool,
    /// Whether its members are known: no one may ask for the size before.
    pub complete: bool,
    /// Its members. Those of an anonymous struct or union inside are found through the nameless member.
    pub fields: Vec<Field>,
    /// Size in bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Values of it are not modelled: what it is. Vectors and complex numbers are such records.
    pub opaque: Option<String>,
    /// An argument for a parameter of this union may have the type of any member.
    pub transparent: bool,
    /// Where it is declared.
    pub span: Span,
}

impl Record {
    /// Whether it has the members of another one, at the same places.
    pub fn is_laid_out_as(&self, other: &Record) -> bool {
        self.is_union == other.is_union
            && self.fields == other.fields
            && (self.size, self.align) == (other.size, other.align)
            && self.opaque == other.opaque
            && self.transparent == other.transparent
    }
}

/// A member of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name; empty for an anonymous struct or union.
    pub name: String,
    /// Its type (the declared one, for a bit-field).
    pub ty: TypeId,
    /// Its offset in bytes; for a bit-field that of the storage unit which holds it.
    pub offset: u64,
    /// Which bits of the storage unit, for a bit-field.
    pub bits: Option<BitRange>,
    /// Its alignment in bytes.
    pub align: u64,
}

/// All types of a program.
#[derive(Debug, Default)]
pub struct Types {
    /// Sizes of the machine.
    pub model: DataModel,
    types: Vec<Type>,
    index: FxHashMap<Type, TypeId>,
    records: Vec<Record>,
    /// `long double`, if it is a record.
    extended: Option<TypeId>,
}

impl Types {
    /// An empty collection.
    pub fn new(model: DataModel) -> Self {
        Types { model, ..Types::default() }
    }

    /// The id of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        *self.index.entry(ty).or_insert_with_key(|ty| {
            self.types.push(ty.clone());
            TypeId(u32::try_from(self.types.len() - 1).expect("fewer than 2^32 types"))
        })
    }

    /// A type that is none of the others, though it looks like one of them: an array whose length someone else knows.
    pub(crate) fn fresh(&mut self, ty: Type) -> TypeId {
        self.types.push(ty);
        TypeId(u32::try_from(self.types.len() - 1).expect("fewer than 2^32 types"))
    }

    /// The id of a type that was asked for before.
    pub(crate) fn find(&self, ty: &Type) -> Option<TypeId> {
        self.index.get(ty).copied()
    }

    /// From here on `long double` is a record.
    pub(crate) fn make_extended(&mut self, ty: TypeId, record: Record) {
        let record = self.add_record(record);
        self.types[ty.0 as usize] = Type::Record(record);
        self.extended = Some(ty);
    }

    /// Whether it is `long double` as a record.
    pub(crate) fn is_extended(&self, ty: TypeId) -> bool {
        self.extended == Some(ty)
    }

    /// The type with an id.
    pub fn get(&self, ty: TypeId) -> &Type {
        &self.types[ty.0 as usize]
    }

    /// A record.
    pub fn record(&self, record: RecordId) -> &Record {
        &self.records[record.0 as usize]
    }

    /// A record, to complete it.
    pub fn record_mut(&mut self, record: RecordId) -> &mut Record {
        &mut self.records[record.0 as usize]
    }

    /// Adds a record.
    pub fn add_record(&mut self, record: Record) -> RecordId {
        self.records.push(record);
        RecordId(u32::try_from(self.records.len() - 1).expect("fewer than 2^32 records"))
    }

    /// Takes back the record that was added last; no type may speak of it.
    pub(crate) fn remove_last_record(&mut self) {
        self.records.pop();
    }

    /// All records.
    pub(super) fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.iter()
    }

    /// How many records there are.
    pub fn record_count(&self) -> usize {
        self.records.len()
    }

    /// Bits of an integer rank.
    pub fn bits_of_rank(&self, rank: Rank) -> u32 {
        match rank {
            Rank::Char | Rank::SignedChar => 8,
            Rank::Short => 16,
            Rank::Int => 32,
            Rank::Long => self.model.pointer_bits(),
            Rank::LongLong => 64,
            Rank::Int128 => 128,
        }
    }

    /// Bits that the value of a scalar takes in memory (8 for `_Bool`); `None` for other types.
    pub fn scalar_bits(&self, ty: TypeId) -> Option<u32> {
        match *self.get(ty) {
            Type::Bool => Some(8),
            Type::Int { rank, .. } => Some(self.bits_of_rank(rank)),
            Type::Pointer(_) => Some(self.model.pointer_bits()),
            Type::Float(80) => Some(if self.model == DataModel::Ilp32 { 96 } else { 128 }),
            Type::Float(bits) => Some(bits),
            _ => None,
        }
    }

    /// Whether values of it are signed integers.
    pub fn is_signed(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Int { signed: true, .. })
    }

    /// Whether it is a pointer.
    pub fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Pointer(_))
    }

    /// Whether it is an integer type, `_Bool` included.
    pub fn is_integer(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Bool | Type::Int { .. })
    }

    /// Whether it is an integer or floating type.
    pub fn is_arithmetic(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Bool | Type::Int { .. } | Type::Float(_))
    }

    /// Whether it is an arithmetic type or a pointer.
    pub fn is_scalar(&self, ty: TypeId) -> bool {
        self.is_arithmetic(ty) || self.is_pointer(ty)
    }

    /// What it is, or has inside, of which no value is modelled.
    pub fn opaque(&self, ty: TypeId) -> Option<&str> {
        match *self.get(ty) {
            Type::Array(element, _) => self.opaque(element),
            Type::Record(record) => {
                let record = self.record(record);
                record.opaque.as_deref().or_else(|| record.fields.iter().find_map(|f| self.opaque(f.ty)))
            }
            _ => None,
        }
    }

    /// Why nobody knows the size of a type, or the places in it: an attribute, or that the type is only guessed.
    pub fn unknown_layout(&self, ty: TypeId) -> Option<&str> {
        let keeps_sizes = "attribute `scalar_storage_order`";
        let unknown = |what: &&str| what.starts_with("attribute ") || what.starts_with("the type of ");
        self.opaque(ty).filter(|what| unknown(what) && *what != keeps_sizes)
    }

    /// What arrays of arrays are made of in the end; other types are made of themselves.
    pub fn innermost_element(&self, ty: TypeId) -> TypeId {
        match *self.get(ty) {
            Type::Array(element, _) => self.innermost_element(element),
            _ => ty,
        }
    }

    /// What an array of run-time length is made of whose size is known: arrays of run-time length have parts of their own.
    pub fn sized_part(&self, ty: TypeId) -> TypeId {
        match *self.get(ty) {
            Type::Array(element, _) if self.size(ty).is_none() => self.sized_part(element),
            _ => ty,
        }
    }

    /// What a pointer points to.
    pub fn pointee(&self, ty: TypeId) -> Option<TypeId> {
        match *self.get(ty) {
            Type::Pointer(to) => Some(to),
            _ => None,
        }
    }

    /// A value cut to the bits of an integer, Boolean or pointer type: sign-extended where the type is signed.
    pub fn wrap(&self, value: i128, ty: TypeId) -> i128 {
        match (self.get(ty), self.scalar_bits(ty)) {
            (Type::Bool, _) => i128::from(value != 0),
            (_, Some(bits)) if bits < 128 => {
                let shift = 128 - bits;
                if self.is_signed(ty) { value << shift >> shift } else { ((value as u128) << shift >> shift) as i128 }
            }
            _ => value,
        }
    }

    /// The type as C writes it.
    pub fn name(&self, ty: TypeId) -> String {
        self.declaration(ty, String::new(), 0)
    }

    /// The declaration of a name with a type.
    pub fn declared(&self, ty: TypeId, name: &str) -> String {
        self.declaration(ty, name.to_owned(), 0)
    }

    /// The declaration of something with a type. The depth is limited: function types may be deep.
    fn declaration(&self, ty: TypeId, inner: String, depth: u32) -> String {
        if depth > 20 {
            return "...".to_owned();
        }
        let with = |name: &str| if inner.is_empty() { name.to_owned() } else { format!("{name} {inner}") };
        match self.get(ty) {
            Type::Void => with("void"),
            Type::Bool => with("_Bool"),
            Type::Int { rank, signed } => with(int_name(*rank, *signed)),
            Type::Float(32) => with("float"),
            Type::Float(64) => with("double"),
            Type::Float(80) => with("long double"),
            Type::Float(bits) => with(&format!("_Float{bits}")),
            Type::Pointer(to) => {
                let wrapped = matches!(self.get(*to), Type::Array(..) | Type::Function { .. });
                let inner = if wrapped { format!("(*{inner})") } else { format!("*{inner}") };
                self.declaration(*to, inner, depth + 1)
            }
            Type::Array(element, length) => {
                let length = length.map_or(String::new(), |n| n.to_string());
                self.declaration(*element, format!("{inner}[{length}]"), depth + 1)
            }
            Type::Record(_) if self.is_extended(ty) => with("long double"),
            Type::Record(record) => {
                let record = self.record(*record);
                with(&format!("{} {}", if record.is_union { "union" } else { "struct" }, record.name))
            }
            Type::Function { result, parameters, variadic, unspecified } => {
                let mut list: Vec<String> =
                    parameters.iter().map(|p| self.declaration(*p, String::new(), depth + 1)).collect();
                list.extend(variadic.then(|| "...".to_owned()));
                list.extend((list.is_empty() && !unspecified).then(|| "void".to_owned()));
                self.declaration(*result, format!("{inner}({})", list.join(", ")), depth + 1)
            }
        }
    }

    /// Size in bytes; `None` for incomplete types, functions and `void`.
    pub fn size(&self, ty: TypeId) -> Option<u64> {
        match *self.get(ty) {
            Type::Array(element, Some(len)) => self.size(element)?.checked_mul(len),
            Type::Record(record) => {
                let record = self.record(record);
                record.complete.then_some(record.size)
            }
            _ => Some(u64::from(self.scalar_bits(ty)?) / 8),
        }
    }

    /// Alignment in bytes, as gcc on x86 has it in structs: 8-byte scalars are aligned to 4 in ILP32.
    pub fn align(&self, ty: TypeId) -> u64 {
        match *self.get(ty) {
            Type::Array(element, _) => self.align(element),
            Type::Record(record) => self.record(record).align.max(1),
            Type::Float(128) => 16,
            _ => match self.size(ty) {
                Some(size) if self.model == DataModel::Ilp32 => size.clamp(1, 4),
                Some(size) => size.clamp(1, 16),
                None => 1,
            },
        }
    }
}

fn int_name(rank: Rank, signed: bool) -> &'static str {
    match (rank, signed) {
        (Rank::Char, true) => "char",
        (Rank::Char | Rank::SignedChar, false) => "unsigned char",
        (Rank::SignedChar, true) => "signed char",
        (Rank::Short, true) => "short",
        (Rank::Short, false) => "unsigned short",
        (Rank::Int, true) => "int",
        (Rank::Int, false) => "unsigned int",
        (Rank::Long, true) => "long",
        (Rank::Long, false) => "unsigned long",
        (Rank::LongLong, true) => "long long",
        (Rank::LongLong, false) => "unsigned long long",
        (Rank::Int128, true) => "__int128",
        (Rank::Int128, false) => "unsigned __int128",
    }
}

/// Bits of a storage unit, counted from the least significant one. The unit is what is read and written for them: no byte of it
/// lies outside of the record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BitRange {
    /// The first.
    pub lo: u32,
    /// How many.
    pub width: u32,
    /// Bytes of the unit.
    pub unit: u32,
}
