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

/// Values that `push` and `pop` save and restore.
#[derive(Default)]
struct Stack {
    current: Option<u64>,
    saved: Vec<Option<u64>>,
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
    fn apply(&mut self, arguments: &str) {
        for argument in arguments.split(',').map(str::trim) {
            match argument {
                "push" => self.saved.push(self.current),
                "pop" => self.current = self.saved.pop().flatten(),
                number => self.current = number.parse().ok().filter(|&n: &u64| n.is_power_of_two() && n <= 16),
            }
        }
    }
}

fn directive(text: &str) -> Option<&str> {
    Some(text.strip_prefix('#')?.trim_start().strip_prefix("pragma")?.trim_start())
}

fn pack_arguments(directive: &str) -> Option<&str> {
    let rest = directive.strip_prefix("pack")?.trim_start().strip_prefix('(')?;
    rest.split_once(')').map(|(inside, _)| inside)
}
