//! The programs of \[Spds\], of any size.

use std::fmt::Write as _;

use clinch_frontend::c::{self, Unit};
use clinch_frontend::{Options, rem};
use clinch_ir::cfa::CfaProgram;

const LOCKING: &str = include_str!("../../../../examples/rem/fig9.rem");
const EQUALITY: &str = include_str!("../../../../examples/rem/fig10.rem");
const LINKED_LIST: &str = include_str!("../../../../examples/rem/linked-list.rem");

/// Bits of a pointer of the linked list, and of a cell of its heap.
pub(super) const POINTER_BITS: u32 = 5;

/// Which branch of the last level comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Branches {
    /// As in figure 8.
    Initial,
    /// Exchanged (section 6.5).
    Changed,
}

/// A Remopla text.
fn read(name: &str, text: &str, constants: &[(&str, u32)]) -> Result<CfaProgram, String> {
    let defines = constants.iter().map(|&(name, value)| (name.to_owned(), i64::from(value))).collect();
    let options = Options { defines, ..Options::default() };
    rem::read(&format!("{name}.rem"), text.as_bytes(), &options).map_err(|d| d.render(false))
}

/// Figure 9, with numbers of so many bits.
pub(super) fn locking(bits: u32) -> Result<CfaProgram, String> {
    read("locking", LOCKING, &[("DEFAULT_INT_BITS", bits)])
}

/// Figure 10.
pub(super) fn equality() -> Result<CfaProgram, String> {
    read("equality", EQUALITY, &[])
}

/// Section 6.3, with a heap of so many bits.
pub(super) fn linked_list(heap_bits: u32) -> Result<CfaProgram, String> {
    read("linked-list", LINKED_LIST, &[("CELLS", heap_bits / POINTER_BITS)])
}

/// Figure 11.
pub(super) fn dag(n: u32) -> Result<CfaProgram, String> {
    read("dag", &dag_text(n), &[])
}

fn dag_text(n: u32) -> String {
    let open = each(n, |i| format!("  B[{i}] = undef;\n"));
    let copy =
        each(n, |i| format!("  if\n  :: B[{i}] == false -> C[{i}] = false;\n  :: else -> C[{i}] = B[{i}];\n  fi\n"));
    let check = each(n, |i| format!("  if\n  :: B[{i}] != C[{i}] -> goto error;\n  :: else -> skip;\n  fi\n"));
    format!("bool B[{n}];\nbool C[{n}];\n\nmodule void main() {{\n{open}{copy}{check}  return;\n  error: skip;\n}}\n")
}

/// What is written for each number below `n`.
fn each(n: u32, write: impl Fn(u32) -> String) -> String {
    (0..n).map(write).collect()
}

/// Figure 8.
pub(super) fn level(n: u32, branches: Branches) -> Result<CfaProgram, String> {
    read("level", &level_text(n, branches), &[])
}

fn level_text(n: u32, branches: Branches) -> String {
    let mut out = "bool G;\n\nmodule void main() {\n  G = true;\n  level1();\n  level1();\n  if\n  \
        :: G == false -> goto error;\n  :: else -> return;\n  fi\n  error: skip;\n}\n"
        .to_owned();
    for i in 1..n {
        let next = i + 1;
        let _ = writeln!(out, "\nmodule void level{i}() {{\n  level{next}();\n  level{next}();\n}}");
    }
    let first = branches == Branches::Initial;
    let _ = writeln!(
        out,
        "\nmodule void level{n}() {{\n  if\n  :: G == {first} -> G = {};\n  :: else -> G = {first};\n  fi\n}}",
        !first
    );
    out
}

const LOCKING_IN_C: &str = include_str!("locking.c");
const EQUALITY_IN_C: &str = include_str!("equality.c");
const LINKED_LIST_IN_C: &str = include_str!("linked-list.c");

/// What every C program starts with.
const C_HEAD: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n";

fn read_c(name: &str, text: String) -> Result<CfaProgram, String> {
    c::read(&[Unit { name: format!("{name}.i"), text }], &c::Options::default()).map_err(|e| e.to_string())
}

/// Figure 9 in C, with positions of eight bits; files are handed over by reference.
pub(super) fn locking_in_c() -> Result<CfaProgram, String> {
    read_c("locking", format!("{C_HEAD}{LOCKING_IN_C}"))
}

/// Figure 10 in C: numbers have the machine's width.
pub(super) fn equality_in_c() -> Result<CfaProgram, String> {
    read_c("equality", format!("{C_HEAD}{EQUALITY_IN_C}"))
}

/// Section 6.3 in C, with a heap of so many bits.
pub(super) fn linked_list_in_c(heap_bits: u32) -> Result<CfaProgram, String> {
    read_c("linked-list", format!("{C_HEAD}enum {{ CELLS = {} }};\n{LINKED_LIST_IN_C}", heap_bits / POINTER_BITS))
}

/// Figure 11 in C.
pub(super) fn dag_in_c(n: u32) -> Result<CfaProgram, String> {
    let open = each(n, |i| format!("  int b{i} = __VERIFIER_nondet_int(), c{i};\n"));
    let copy = each(n, |i| format!("  if (b{i} == 0) c{i} = 0; else c{i} = b{i};\n"));
    let check = each(n, |i| format!("  if (b{i} != c{i}) reach_error();\n"));
    read_c("dag", format!("{C_HEAD}int main(void) {{\n{open}{copy}{check}  return 0;\n}}\n"))
}

/// Figure 8 in C.
pub(super) fn level_in_c(n: u32, branches: Branches) -> Result<CfaProgram, String> {
    let first = i32::from(branches == Branches::Initial);
    let mut out =
        format!("{C_HEAD}int g;\nvoid level{n}(void) {{ if (g == {first}) g = {}; else g = {first}; }}\n", 1 - first);
    for i in (1..n).rev() {
        let next = i + 1;
        let _ = writeln!(out, "void level{i}(void) {{ level{next}(); level{next}(); }}");
    }
    out.push_str("int main(void) { g = 1; level1(); level1(); if (g == 0) reach_error(); return 0; }\n");
    read_c("level", out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The generated texts for small sizes are those of the examples.
    #[test]
    fn generated_texts_are_the_examples() {
        let body = |text: &str| -> String {
            text.lines().filter(|l| !l.starts_with("//")).collect::<Vec<_>>().join("\n").trim().to_owned()
        };
        assert_eq!(body(&dag_text(3)), body(include_str!("../../../../examples/rem/fig11.rem")));
        let figure_8 = include_str!("../../../../examples/rem/fig8.rem");
        assert_eq!(body(&level_text(6, Branches::Initial)), body(figure_8));
        let changed = include_str!("../../../../examples/rem/fig8-swapped.rem");
        assert_eq!(body(&level_text(6, Branches::Changed)), body(changed));
    }

    #[test]
    fn all_sizes_are_read() {
        for bits in [1, 8, 64] {
            locking(bits).expect("it is read");
        }
        locking_in_c().expect("it is read");
        equality().expect("it is read");
        equality_in_c().expect("it is read");
        for bits in [40, 100] {
            linked_list(bits).expect("it is read");
            linked_list_in_c(bits).expect("it is read");
        }
        for n in [1, 2, 200] {
            dag(n).expect("it is read");
            dag_in_c(n).expect("it is read");
        }
        for branches in [Branches::Initial, Branches::Changed] {
            assert_eq!(level(1000, branches).expect("it is read").procedures.len(), 1002);
            level_in_c(9, branches).expect("it is read");
        }
    }
}
