//! Pragmas that change what declarations after them mean. gcc ignores those that it does not know; of those that it knows, the
//! others are about warnings, visibility and code generation.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// What the pragmas of a unit say.
#[derive(Debug, Default)]
pub(crate) struct Pragmas {
    /// From an offset on, the largest alignment of members.
    pack: Vec<(u32, Option<u64>)>,
    /// From an offset on, whether records have their bytes in the other order.
    reversed: Vec<(u32, bool)>,
    /// Names that the linker is told something about, and the pragma.
    names: FxHashMap<String, &'static str>,
}

/// Values that `push` and `pop` save and restore, with the names they are saved under.
#[derive(Default)]
struct Stack {
    current: Option<u64>,
    saved: Vec<(Option<String>, Option<u64>)>,
}

impl Pragmas {
    /// Reads the directives among the blanks of a text.
    pub(super) fn new(text: &str, blanks: &[Range<usize>]) -> Self {
        let mut pragmas = Pragmas::default();
        let mut stack = Stack::default();
        for blank in blanks {
            let Some(directive) = directive(&text[blank.clone()]) else { continue };
            let at = blank.end as u32;
            let mut words = directive.split_whitespace();
            match words.next() {
                Some("scalar_storage_order") => pragmas.reversed.push((at, words.next() == Some("big-endian"))),
                Some("weak") => pragmas.name(words.next(), "#pragma weak"),
                Some("redefine_extname") => pragmas.name(words.next(), "#pragma redefine_extname"),
                _ => {
                    if let Some(arguments) = pack_arguments(directive) {
                        stack.apply(arguments);
                        pragmas.pack.push((at, stack.current));
                    }
                }
            }
        }
        pragmas
    }

    fn name(&mut self, name: Option<&str>, pragma: &'static str) {
        if let Some(name) = name {
            let name = name.split('=').next().unwrap_or(name);
            self.names.insert(name.to_owned(), pragma);
        }
    }

    /// The largest alignment of members of a record that is declared at an offset.
    pub(crate) fn pack_at(&self, offset: u32) -> Option<u64> {
        before(&self.pack, offset)?
    }

    /// Whether the bytes of a record that is declared at an offset are in the other order.
    pub(crate) fn is_reversed_at(&self, offset: u32) -> bool {
        before(&self.reversed, offset).unwrap_or(false)
    }

    /// The pragma that tells the linker something about a name.
    pub(crate) fn about(&self, name: &str) -> Option<&'static str> {
        self.names.get(name).copied()
    }
}

/// The last change before an offset.
fn before<T: Copy>(changes: &[(u32, T)], offset: u32) -> Option<T> {
    let next = changes.partition_point(|c| c.0 <= offset);
    next.checked_sub(1).map(|i| changes[i].1)
}

impl Stack {
    /// What gcc cannot read it ignores, with a warning.
    fn apply(&mut self, arguments: &str) {
        let mut arguments = arguments.split(',').map(str::trim);
        match arguments.next().unwrap_or_default() {
            "" => self.current = None,
            "push" => self.push(arguments),
            "pop" => self.pop(arguments),
            number => self.current = alignment(number).unwrap_or(self.current),
        }
    }

    fn push<'a>(&mut self, arguments: impl Iterator<Item = &'a str>) {
        let (mut name, mut new) = (None, None);
        for argument in arguments {
            match argument.starts_with(|c: char| c.is_ascii_digit()) {
                true if new.is_none() => new = Some(argument),
                false if name.is_none() && !argument.is_empty() => name = Some(argument.to_owned()),
                _ => return,
            }
        }
        let Some(new) = new.map_or(Some(self.current), alignment) else { return };
        self.saved.push((name, self.current));
        self.current = new;
    }

    fn pop<'a>(&mut self, mut arguments: impl Iterator<Item = &'a str>) {
        let name = arguments.next();
        if arguments.next().is_some() || name.is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit())) {
            return;
        }
        // A name that is not known is as good as none.
        let named = self.saved.iter().rposition(|(saved, _)| saved.is_some() && saved.as_deref() == name);
        self.saved.truncate(named.map_or(self.saved.len(), |at| at + 1));
        if let Some((_, saved)) = self.saved.pop() {
            self.current = saved;
        }
    }
}

/// A largest alignment, as C writes numbers; 0 is none.
fn alignment(number: &str) -> Option<Option<u64>> {
    let digits = number.trim_end_matches(['u', 'U', 'l', 'L']);
    let value = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16),
        None if digits.starts_with('0') => u64::from_str_radix(digits, 8),
        None => digits.parse(),
    };
    match value.ok()? {
        0 => Some(None),
        value @ (1 | 2 | 4 | 8 | 16) => Some(Some(value)),
        _ => None,
    }
}

fn directive(text: &str) -> Option<&str> {
    Some(text.strip_prefix('#')?.trim_start().strip_prefix("pragma")?.trim_start())
}

/// Whether a text between tokens is a pragma with options of the compiler that may change what the program means.
pub(super) fn has_options(text: &str) -> bool {
    let options = directive(text).and_then(|rest| rest.strip_prefix("GCC")).map(str::trim_start);
    options.and_then(|rest| rest.strip_prefix("optimize")).is_some_and(|options| !is_about_speed(options))
}

/// Whether options are of those that change how fast a program is, and nothing else.
pub(super) fn is_about_speed(options: &str) -> bool {
    let mut words = options.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|word| !word.is_empty());
    words.all(|word| {
        let word = word.trim_start_matches('-');
        let level = word.strip_prefix('O').unwrap_or(word);
        let plain = level.chars().all(|c| c.is_ascii_digit()) || matches!(level, "s" | "g" | "z");
        plain || matches!(word.trim_start_matches("no-"), "unroll-loops" | "inline" | "tree-vectorize" | "tree-pre")
    })
}

fn pack_arguments(directive: &str) -> Option<&str> {
    let rest = directive.strip_prefix("pack")?.trim_start().strip_prefix('(')?;
    rest.split_once(')').map(|(inside, _)| inside)
}
