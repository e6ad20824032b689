//! What lang-c does not read, said in a way that it reads. The map leads from the new text back to the old one.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::lex::{Kind, Lexed, raw_string};
use super::rewriter::{
    ASSEMBLY, AT_START, COMPLEX_PART, COMPUTED_GOTO, Edit, INT128, LABEL_ADDRESS, RecordAttributes, Rewriter, SAME,
};
use super::{implicit, names, pragma};

/// Collects the edits of a text and the attributes of its records and enumerations, by the offset of their keyword.
pub(super) fn rewrite(text: &str, lexed: &Lexed, partner: &[usize]) -> (Vec<Edit>, FxHashMap<u32, RecordAttributes>) {
    let typedef_names = implicit::typedef_names(text, &lexed.tokens);
    let mut rewriter = Rewriter::new(text, &lexed.tokens, partner, typedef_names);
    rewriter.edits.extend(lexed.blanks.iter().map(|b| Edit { range: b.clone(), text: " ".to_owned() }));
    if lexed.blanks.iter().any(|blank| pragma::has_options(&text[blank.clone()])) {
        rewriter.deny_at_start();
    }
    for i in 0..lexed.tokens.len() {
        if !rewriter.removed[i] {
            rewriter.token(i);
        }
    }
    implicit::insert_int(&mut rewriter);
    let Rewriter { mut edits, records, .. } = rewriter;
    edits.sort_by_key(|e| (e.range.start, e.range.end));
    (edits, records)
}

impl<'a> Rewriter<'a> {
    fn token(&mut self, i: usize) {
        match self.get(i) {
            "{" if self.begins_nested_function(i) => self.nested_function(i),
            "{" => self.braces += 1,
            "}" => self.braces = self.braces.saturating_sub(1),
            "__extension__" => self.remove(i, i, ""),
            "__thread" => self.replace(i, "_Thread_local"),
            "__const__" => self.replace(i, "const"),
            "__int128" => self.replace(i, INT128),
            "asm" | "__asm" | "__asm__" => self.assembly(i),
            "__attribute__" | "__attribute" | "[" => self.attribute(i),
            "struct" | "union" | "enum" => self.record(i),
            "_Alignas" => self.alignas(i),
            "__real__" | "__real" | "__imag__" | "__imag" => self.replace(i, &format!("*({COMPLEX_PART})")),
            "sizeof" => self.size_of_literal(i),
            "_Alignof" | "__alignof" | "__alignof__" => self.alignof(i),
            "typeof" | "__typeof__" | "__typeof" if !self.type_hint(i + 2).is_empty() => {
                self.insert(self.tokens[i + 1].range.end, self.type_hint(i + 2));
            }
            "_Static_assert" => self.static_assert(i),
            "__builtin_types_compatible_p" => self.types_compatible(i),
            "__label__" => self.local_labels(i),
            "goto" if self.get(i + 1) == "*" => self.replace(i, &format!("{COMPUTED_GOTO}=")),
            "&&" if self.is_word(i + 1) && self.is_operand_next(i) => {
                let instead = format!("&{LABEL_ADDRESS}{}", self.name(i + 1));
                self.remove(i, i + 1, &instead);
            }
            literal if self.tokens[i].kind == Kind::Literal && literal.contains("R\"") => self.raw_string(i),
            literal
                if self.tokens[i].kind == Kind::Literal
                    && (literal.contains("\\e") || literal.contains("\\u") || literal.contains("\\U")) =>
            {
                self.escape(i)
            }
            "?" if self.get(i + 1) == ":" => self.insert(self.tokens[i].range.end, &format!(" {SAME} ")),
            ":" if self.get(i + 1) == "}" || implicit::starts_declaration(self, i + 1) => {
                self.insert(self.tokens[i].range.end, ";");
            }
            _ if self.tokens[i].kind == Kind::Number => self.number(i),
            _ if self.is_word(i) => self.word(i),
            _ => {}
        }
    }

    /// The name that lang-c reads for the word at `i`.
    fn name(&self, i: usize) -> String {
        let name = self.renamed.get(&i).map_or(self.get(i), String::as_str);
        names::encoded(name).unwrap_or_else(|| name.to_owned())
    }

    fn word(&mut self, i: usize) {
        let name = self.name(i);
        if name != self.get(i) {
            self.replace(i, &name);
        }
    }

    /// `1.5Q`: lang-c knows the suffix by its newer name. `1.5d` is `1.5`.
    fn number(&mut self, i: usize) {
        let number = self.get(i);
        let hexadecimal = number.starts_with("0x") || number.starts_with("0X");
        let suffixed = number.strip_suffix(['q', 'Q']).map(|n| (n, "f128"));
        let suffixed = suffixed.or_else(|| number.strip_suffix(['w', 'W']).map(|n| (n, "f64x")));
        let plain = |n: &str| n.contains(['.', 'e', 'E']) && n.ends_with(|c: char| c.is_ascii_digit() || c == '.');
        let suffixed = suffixed.or_else(|| number.strip_suffix(['d', 'D']).filter(|n| plain(n)).map(|n| (n, "")));
        if let Some((number, suffix)) = suffixed.filter(|_| !hexadecimal || number.contains(['p', 'P'])) {
            self.replace(i, &format!("{number}{suffix}"));
        }
    }

    /// `_Alignas(16)`, which lang-c does not read at members, is an attribute.
    fn alignas(&mut self, i: usize) {
        let Some(close) = self.close(i + 1).filter(|_| self.get(i + 1) == "(") else { return };
        let argument = self.text[self.tokens[i + 1].range.end..self.tokens[close].range.start].to_owned();
        let first = self.get(i + 2);
        let is_type = implicit::is_type_word(first) || matches!(first, "const" | "volatile");
        let argument = match is_type || self.typedef_names.contains(first) {
            true => format!("_Alignof({argument})"),
            false => argument,
        };
        self.remove(i, close, &format!("__attribute__((aligned({argument}))) "));
    }

    /// `sizeof (char){1}`: lang-c takes the brackets for those of `sizeof`.
    fn size_of_literal(&mut self, i: usize) {
        let Some(close) = self.close(i + 1).filter(|_| self.get(i + 1) == "(") else { return };
        if self.get(close + 1) == "{"
            && let Some(end) = self.close(close + 1)
        {
            self.insert(self.tokens[i].range.end, "(");
            self.insert(self.tokens[end].range.end, ")");
        }
    }

    /// `\e`, and names of characters: other escapes for lang-c, which does not know these.
    fn escape(&mut self, i: usize) {
        let Range { start, end } = self.tokens[i].range.clone();
        let mut at = start;
        while let Some(p) = self.text[at..end].find('\\') {
            let from = at + p;
            let digits = match self.text.as_bytes().get(from + 1) {
                Some(b'e') => Some(0),
                Some(b'u') => Some(4),
                Some(b'U') => Some(8),
                _ => None,
            };
            if let Some(code) = digits.and_then(|n| self.text.get(from + 2..from + 2 + n)) {
                let char = if code.is_empty() {
                    Some('\x1b')
                } else {
                    u32::from_str_radix(code, 16).ok().and_then(char::from_u32)
                };
                let text =
                    char.map_or_else(String::new, |c| if c == '\x1b' { "\\033".to_owned() } else { c.to_string() });
                self.edits.push(Edit { range: from..from + 2 + code.len(), text });
            }
            at = (at + p + 2).min(end);
            while !self.text.is_char_boundary(at) {
                at += 1;
            }
        }
    }

    /// Whether an operand follows here rather than an operator.
    pub(super) fn is_operand_next(&self, i: usize) -> bool {
        let Some(before) = i.checked_sub(1) else { return false };
        match self.tokens[before].kind {
            // After `x++` and `(int){ 1 }` comes an operator.
            Kind::Punctuation => !matches!(self.get(before), ")" | "]" | "}" | "++" | "--"),
            _ => self.get(before) == "return",
        }
    }

    /// A raw string as one with escapes.
    fn raw_string(&mut self, i: usize) {
        let Some(raw) = raw_string(self.get(i)) else { return };
        let mut text = format!("{}\"", raw.prefix);
        for c in raw.body.chars() {
            match c {
                '\n' => text.push_str("\\n"),
                '"' | '\\' => text.extend(['\\', c]),
                _ => text.push(c),
            }
        }
        text.push('"');
        self.replace(i, &text);
    }

    /// An assembler statement, or the name that the assembler knows a variable or function by, or assembler text of a file.
    fn assembly(&mut self, i: usize) {
        let mut open = i + 1;
        while self.is_word(open) {
            open += 1;
        }
        let Some(close) = self.close(open).filter(|_| self.get(open) == "(") else { return };
        let before = self.previous(i).map_or("", |j| self.get(j));
        let follows = self.skip_attributes(close + 1);
        let declared = matches!(before, ")" | "]") || self.previous(i).is_some_and(|j| self.is_word(j));
        let text = self.tokens[open + 1..close].iter().all(|t| t.kind == Kind::Literal);
        let label = open == i + 1 && text && declared && !matches!(before, "else" | "do");
        let label = label && (self.braces == 0 || matches!(follows, "=" | "," | "{") || !self.is_after_condition(i));
        if label {
            self.replace(i, "__asm__");
        } else if self.braces > 0 {
            if !self.known_assembly(i, open, close) {
                self.remove(i, close, ASSEMBLY);
            }
        } else {
            if self.speaks_of_names(open, close) {
                self.deny_at_start();
            }
            self.remove(i, close, "");
        }
    }

    /// Whether the assembler text between two tokens has a name of the file in it, and may change what it means.
    fn speaks_of_names(&self, open: usize, close: usize) -> bool {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '%' | '@');
        let text: String = (open + 1..close).map(|j| self.get(j)).collect();
        let names: FxHashSet<&str> = text.split(|c| !is_part(c)).collect();
        (0..self.tokens.len()).any(|j| self.is_word(j) && names.contains(self.get(j)))
    }

    /// No verdict about the program: something happens before `main` that is not modelled.
    pub(super) fn deny_at_start(&mut self) {
        let end = self.text.len();
        if !self.edits.iter().any(|edit| edit.range.start == end && edit.text.contains(AT_START)) {
            let text = format!(" __attribute__((constructor)) static void {AT_START}_(void) {{ {AT_START}; }} ");
            self.edits.push(Edit { range: end..end, text });
        }
    }

    /// The token after the attributes at `i`.
    pub(super) fn skip_attributes(&self, mut i: usize) -> &'a str {
        while let Some(end) = self.end_of_attribute(i) {
            i = end + 1;
        }
        self.get(i)
    }

    /// Whether a statement follows here: `if (c) asm("nop");`
    fn is_after_condition(&self, i: usize) -> bool {
        let Some(close) = self.previous(i).filter(|&j| self.get(j) == ")") else { return false };
        let before = self.open(close).and_then(|j| self.previous(j)).map_or("", |j| self.get(j));
        matches!(before, "if" | "while" | "for" | "switch")
    }

    /// Attributes of a record or an enumeration stand before its tag or after its members. Those after a tag without members
    /// belong to what is declared.
    fn record(&mut self, i: usize) {
        let mut attributes = RecordAttributes::default();
        let mut j = self.take_attributes(i + 1, |name, argument| attributes.add(name, argument));
        if self.is_word(j) && self.skip_attributes(j + 1) == "{" {
            j = self.take_attributes(j + 1, |name, argument| attributes.add(name, argument));
        }
        if self.get(j) == "{"
            && let Some(close) = self.close(j)
        {
            self.take_attributes(close + 1, |name, argument| attributes.add(name, argument));
        }
        let RecordAttributes { packed, aligned, transparent, unknown } = &attributes;
        if *packed || *transparent || unknown.is_some() || !aligned.is_empty() {
            self.records.insert(self.tokens[i].range.start as u32, attributes);
        }
    }

    /// `__alignof__(e)`: lang-c reads types only.
    fn alignof(&mut self, i: usize) {
        if let Some(close) = self.close(i + 1).filter(|_| self.get(i + 1) == "(") {
            let text = format!("__typeof__({}", self.type_hint(i + 2));
            self.insert(self.tokens[i + 1].range.end, &text);
            self.insert(self.tokens[close].range.start, ")");
        }
    }

    /// lang-c tries `T *)` as an expression and gives up, and reads `typeof(x)` as a call; a qualifier says that it is a type.
    fn type_hint(&self, i: usize) -> &'static str {
        if matches!(self.get(i), "typeof" | "__typeof__" | "__typeof") {
            return "const ";
        }
        let mut after = i + 1;
        while matches!(self.get(after), "*" | "const" | "volatile") {
            after += 1;
        }
        let pointer = after > i + 1 && matches!(self.get(after), ")" | "," | "(");
        let function = self.get(i + 1) == "(" && self.get(i + 2) == "*";
        let is_type = self.typedef_names.contains(self.get(i)) && (pointer || function);
        if is_type { "const " } else { "" }
    }

    fn static_assert(&mut self, i: usize) {
        if let Some(close) = self.close(i + 1)
            && self.commas(i + 1, close).is_empty()
        {
            self.insert(self.tokens[close].range.start, ", \"\"");
        }
    }

    /// The two types become null pointers to them.
    fn types_compatible(&mut self, i: usize) {
        let Some(close) = self.close(i + 1) else { return };
        if let [comma] = self.commas(i + 1, close)[..] {
            for (from, to) in [(i + 1, comma), (comma, close)] {
                let text = format!("((__typeof__({}", self.type_hint(from + 1));
                self.insert(self.tokens[from].range.end, &text);
                self.insert(self.tokens[to].range.start, ")*)0)");
            }
        }
    }
}
