//! Assembler statements that do nothing but change their outputs, and memory that the program lets them reach: idioms of kernels.
//!
//! `asm("..." : "=r" (x), "+m" (*p) : "0" (y) : "memory")` becomes `(OUTPUTS, (x), (*p), INPUTS, (y))`. The text must consist of
//! instructions that neither jump nor call, with what kernels put into tables beside them; what the operands are must not be computed by calls or
//! assignments. Text that only keeps compiler and machine from changing the order of accesses is left out, and where it is empty an output that
//! shares the register of the only input gets its value. Whatever else there is stays assembler text of which nothing is known.

use super::lex::Kind;
use super::rewriter::Rewriter;

/// Stands for an assembler statement that only changes what follows.
pub(crate) const OUTPUTS: &str = "__clinch_asm_outputs";
/// Stands before what such a statement reads.
pub(crate) const INPUTS: &str = "__clinch_asm_inputs";

/// Stands for an assembler statement without text whose output, which follows, is its input.
pub(crate) const TIED: &str = "__clinch_asm_tied";

/// Instructions that only compute and move, without what says how wide they are.
const MNEMONICS: &str = "adc add and bsf bsr bswap bt btc btr bts clc cld cli clflush cmp cmpxchg cpuid dec div idiv imul in \
    inc lea lfence lods mfence mov movs movz mul neg nop not or out pause pop popf prefetch prefetchnta \
    prefetchw push pushf rdmsr rdtsc rol ror sal sar sbb scas set sfence shl shr sti stos sub test \
    wbinvd xadd xchg xor";

/// Functions of a kernel that its text calls with operands in registers: they copy from or to a user's memory, or count bits.
const HELPERS: [&str; 3] = ["__get_user_", "__put_user_", "__sw_hweight"];

/// Text that changes no operand and no memory.
const BARRIERS: [&str; 9] =
    ["", "nop", "pause", "lfence", "mfence", "sfence", "rep nop", "lock addl $0,0(%%esp)", "lock addl $0,0(%%rsp)"];

/// What may stand before an instruction.
const PREFIXES: [&str; 6] = ["lock", "rep", "repe", "repne", "repz", "repnz"];

/// Directives that put nothing where instructions are.
const DIRECTIVES: [&str; 5] = [".align", ".balign", ".previous", ".popsection", ".text"];

impl Rewriter<'_> {
    /// Replaces an assembler statement from `i` on, whose bracket opens at `open`, if it is known what it does.
    pub(super) fn known_assembly(&mut self, i: usize, open: usize, close: usize) -> bool {
        let modifiers = (i + 1..open).all(|j| matches!(self.get(j), "volatile" | "__volatile__" | "__volatile"));
        let sections = self.sections(open, close);
        let [text, operands @ ..] = &sections[..] else { return false };
        let is_text = |&(from, to): &(usize, usize)| (from..to).all(|j| self.tokens[j].kind == Kind::Literal);
        let whole: String = (text.0..text.1).map(|j| self.get(j).trim_matches('"')).collect();
        if !modifiers || !is_text(text) || text.0 == text.1 || !self.only_computes(&whole) || operands.len() > 3 {
            return false;
        }
        let nothing = (close, close);
        let outputs = self.operands(*operands.first().unwrap_or(&nothing));
        let inputs = self.operands(*operands.get(1).unwrap_or(&nothing));
        let (Some(outputs), Some(inputs)) = (outputs, inputs) else { return false };
        if !operands
            .get(2)
            .is_none_or(|&(from, to)| (from..to).all(|j| self.tokens[j].kind == Kind::Literal || self.get(j) == ","))
        {
            return false;
        }
        if first_instruction(&whole) == Some("ud2") {
            self.remove(i, close, "__builtin_trap()");
            return true;
        }
        if self.is_no_operation(&whole, &outputs) {
            self.remove(i, close, "((void)0)");
            return true;
        }
        if let (true, &[(output, _)], &[(input, _)]) = (whole.is_empty(), &outputs[..], &inputs[..])
            && self.get(input - 1) == "\"0\""
        {
            self.remove(i, output, &format!("({TIED}, ("));
            self.remove(outputs[0].1, input, &format!("), {INPUTS}, ("));
            self.remove(inputs[0].1, close, "))");
            return true;
        }
        // Inputs are evaluated too: an address may be among them. Some text writes to operands in memory that are called inputs.
        let (mut from, mut instead, mut mark) = (i, format!("({OUTPUTS}"), OUTPUTS);
        for (number, &(before, behind)) in outputs.iter().chain(&inputs).enumerate() {
            let in_memory = self.get(before - 1).contains(['m', 'o', 'V', 'g', 'X']) && behind == before + 2;
            let wanted = if number < outputs.len() || in_memory { OUTPUTS } else { INPUTS };
            if wanted != mark {
                instead.push_str(&format!(", {wanted}"));
                mark = wanted;
            }
            self.remove(from, before, &format!("{instead}, ("));
            (from, instead) = (behind, ")".to_owned());
        }
        self.remove(from, close, &format!("{instead}, {INPUTS})"));
        true
    }

    /// Whether a statement without outputs but those that keep their values does nothing.
    fn is_no_operation(&self, text: &str, outputs: &[(usize, usize)]) -> bool {
        outputs.iter().all(|&(before, _)| self.get(before - 1).contains('+')) && is_barrier(text)
    }

    /// Whether text neither jumps nor calls anything but helpers of a kernel that the program has no part of.
    fn only_computes(&self, text: &str) -> bool {
        let is_foreign = |name: &str| (0..self.tokens.len()).all(|j| self.get(j) != name);
        only_computes(text, &is_foreign)
    }

    /// The parts between colons in the brackets.
    fn sections(&self, open: usize, close: usize) -> Vec<(usize, usize)> {
        let mut sections = Vec::new();
        let (mut start, mut j) = (open + 1, open + 1);
        while j < close {
            if self.get(j) == ":" {
                sections.push((start, j));
                start = j + 1;
            }
            j = self.close(j).unwrap_or(j) + 1;
        }
        sections.push((start, close));
        sections
    }

    /// The brackets of the operands in a section; nothing if one is not plain.
    fn operands(&self, (from, to): (usize, usize)) -> Option<Vec<(usize, usize)>> {
        let mut found = Vec::new();
        let mut j = from;
        while j < to {
            if self.get(j) == "[" {
                j = self.close(j)? + 1;
            }
            let open = j + 1;
            if self.tokens[j].kind != Kind::Literal || self.get(open) != "(" {
                return None;
            }
            let close = self.close(open)?;
            if !self.is_plain(open, close) {
                return None;
            }
            found.push((open, close));
            j = close + 1;
            if j < to {
                if self.get(j) != "," {
                    return None;
                }
                j += 1;
            }
        }
        Some(found)
    }

    /// Whether an expression calls nothing and changes nothing.
    fn is_plain(&self, open: usize, close: usize) -> bool {
        (open + 1..close).all(|j| {
            let word = self.get(j);
            let type_of = matches!(word, "sizeof" | "typeof" | "__typeof__" | "__typeof" | "struct" | "union" | "enum");
            let called = self.is_word(j) && !type_of && self.get(j + 1) == "(";
            let is_assignment = word.ends_with('=') && !matches!(word, "==" | "!=" | "<=" | ">=");
            !called && !is_assignment && !matches!(word, "++" | "--" | "{" | "asm" | "__asm__" | "__asm")
        })
    }
}

/// The statements of assembler text as it stands in the source.
fn statements(text: &str) -> Vec<String> {
    let text = text.replace("\\\n", "").replace("\\n", "\n").replace("\\t", " ").replace("\\\"", "\"");
    let without_comments = text.split('\n').map(|line| line.split('#').next().unwrap_or_default());
    without_comments.flat_map(|line| line.split(';')).map(str::to_owned).collect()
}

/// The first instruction of a text.
fn first_instruction(text: &str) -> Option<&'static str> {
    let all = statements(text);
    let first = all.iter().flat_map(|line| line.split_ascii_whitespace()).find(|word| !is_label(word));
    first.filter(|word| *word == "ud2").map(|_| "ud2")
}

/// Whether text changes no operand and no memory.
fn is_barrier(text: &str) -> bool {
    let mut prefix = String::new();
    statements(text).iter().all(|statement| {
        let statement = prefix.clone() + &statement.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        prefix = if PREFIXES.contains(&statement.as_str()) { statement.clone() + " " } else { String::new() };
        !prefix.is_empty() || BARRIERS.contains(&statement.as_str())
    }) && prefix.is_empty()
}

/// Whether assembler text, as it stands in the source, neither jumps nor calls, but for helpers that are foreign.
fn only_computes(text: &str, is_foreign: &dyn Fn(&str) -> bool) -> bool {
    // What a kernel calls to leave an operation to the machine it runs on: not the program's.
    let is_hook = text.contains(".parainstructions");
    let mut elsewhere = false;
    statements(text).iter().all(|statement| {
        let mut words = statement.split_ascii_whitespace().filter(|word| !is_label(word));
        let Some(mut word) = words.next() else { return true };
        while PREFIXES.contains(&word) {
            match words.next() {
                Some(next) => word = next,
                None => return true,
            }
        }
        match word {
            // What is in other sections is no part of the statement: it is looked at by those who know the table.
            ".pushsection" | ".section" => elsewhere = true,
            ".popsection" | ".previous" | ".text" => elsewhere = false,
            _ if elsewhere => return is_beside(word, words.next()),
            ".byte" => return is_known_code(words),
            "ud2" => {}
            "call" if is_hook => return words.next().is_some_and(|to| to.starts_with("*%c")),
            "call" => return words.next().is_some_and(|to| is_helper(to) && is_foreign(to)),
            _ => return DIRECTIVES.contains(&word) || is_computation(word),
        }
        true
    })
}

/// Instructions that are written as numbers: one that does nothing, and one that asks the machine's host for something.
fn is_known_code<'w>(words: impl Iterator<Item = &'w str>) -> bool {
    let all: String = words.collect();
    let parts = all.split(',').map(|part| u8::from_str_radix(part.strip_prefix("0x").unwrap_or("?"), 16));
    let bytes: Vec<u8> = parts.map_while(Result::ok).collect();
    bytes.len() == all.split(',').count() && matches!(bytes[..], [0x66, 0x66, 0x90] | [0x0f, 0x01, 0xc1])
}

/// Whether a name is that of a helper of a kernel: what it works on may follow.
fn is_helper(name: &str) -> bool {
    let rest = HELPERS.iter().find_map(|prefix| name.strip_prefix(prefix));
    rest.is_some_and(|rest| rest.len() <= 2 && rest.bytes().all(|b| b.is_ascii_digit() || b == b'X'))
}

fn is_label(word: &str) -> bool {
    word.strip_suffix(':')
        .is_some_and(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.')))
}

/// What may stand in tables of a kernel: numbers, and code that goes back to the statement after a fault.
fn is_beside(word: &str, next: Option<&str>) -> bool {
    let back = word == "jmp" && next.is_some_and(|to| to.len() == 2 && to.ends_with('b'));
    word.starts_with('.') || back || is_computation(word)
}

fn is_computation(word: &str) -> bool {
    let is_known = |word: &str| MNEMONICS.split(' ').any(|known| known == word);
    let conditional = word.strip_prefix("set").is_some_and(|c| (1..=3).contains(&c.len()));
    is_known(word)
        || conditional
        || ["b", "w", "l", "q", "bl", "bw", "wl", "bq", "wq"]
            .iter()
            .any(|width| word.strip_suffix(width).is_some_and(is_known))
}

#[cfg(test)]
mod tests {
    use super::{is_barrier, only_computes};

    #[test]
    fn text_that_neither_jumps_nor_calls() {
        for text in [
            "",
            "mfence",
            "1:\\tud2\\n.pushsection __bug_table,\\\"a\\\"\\n2:\\t.long 1b - 2b, %c0 - 2b\\n\\t.word %c1, 0\\n.popsection",
            ".pushsection .smp_locks,\\\"a\\\"\\n.balign 4\\n.long 671f - .\\n.popsection\\n671:\\n\\tlock; bts %1,%0",
            "1:\\tmovq %1,%2\\n2:\\n.section .fixup,\\\"ax\\\"\\n3:\\tmov %3,%0\\n\\tjmp 2b\\n.previous\\n",
            "bt %2,%1\\n\\tsbb %0,%0",
            "rep; nop",
            "movl %%gs:%P1,%0",
            "call __get_user_4",
            ".byte 0x00f, 0x001, 0x0c1",
        ] {
            assert!(only_computes(text, &|_| true), "{text}");
        }
    }

    #[test]
    fn text_that_may_go_elsewhere() {
        for text in [
            "call f",
            "jmp f",
            "ret",
            "syscall",
            "int $0x80",
            ".byte 0xe8,0,0,0,0",
            "nop; call *%0",
            ".globl x",
            ".set x, 1",
            "jmp 2b",
            "call __get_user_table",
            ".byte 0x0f, 0x0b",
        ] {
            assert!(!only_computes(text, &|_| true), "{text}");
        }
        assert!(!only_computes("call __get_user_4", &|name| name != "__get_user_4"));
    }

    #[test]
    fn text_that_changes_nothing() {
        for text in ["", "mfence", "rep; nop", "pause\\n\\tnop", "lock; addl $0,0(%%rsp)"] {
            assert!(is_barrier(text), "{text}");
        }
        for text in ["lock; addl $1,0(%%rsp)", "rep; movsb", "rep", "cli", "nop; incl %0", "ud2", "addl $0,0(%%rsp"] {
            assert!(!is_barrier(text), "{text}");
        }
    }
}
