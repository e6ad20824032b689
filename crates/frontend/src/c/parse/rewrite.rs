//! What lang-c does not read, said in a way that it reads. The map leads from the new text back to the old one.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::implicit;
use super::lex::{Kind, Lexed, Token};

/// Stands for the missing operand of `a ?: b`.
pub(crate) const SAME: &str = "__clinch_same";
/// Stands for an assembler statement.
pub(crate) const ASSEMBLY: &str = "__clinch_asm";
/// `goto *e` is an assignment to this.
pub(crate) const COMPUTED_GOTO: &str = "__clinch_goto";
/// `&&l` is the address of a variable of this name with the label's appended.
pub(crate) const LABEL_ADDRESS: &str = "__clinch_label_";
/// Stands for `__int128`, which lang-c does not know; no program uses this type of ISO/IEC TS 18661-3.
pub(super) const INT128: &str = "_Decimal128x";

/// Types that gcc knows and lang-c does not.
pub(super) const PRELUDE: &str = "typedef int __auto_type; typedef long double __float128; \
    typedef _Decimal128x __int128_t; typedef unsigned _Decimal128x __uint128_t; ";

/// `__attribute__((packed, aligned(8)))` of a struct or union.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordAttributes {
    pub(crate) packed: bool,
    /// Arguments of `aligned`; empty for none.
    pub(crate) aligned: Vec<String>,
}

/// A replacement of a stretch of the old text.
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// Reads tokens, collects edits.
pub(super) struct Rewriter<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) partner: &'a [usize],
    pub(super) typedef_names: FxHashSet<&'a str>,
    pub(super) edits: Vec<Edit>,
    pub(super) records: FxHashMap<u32, RecordAttributes>,
    /// Tokens that are removed already.
    removed: Vec<bool>,
    /// Open braces.
    braces: usize,
}

/// Collects the edits of a text and the attributes of its records, by the offset of `struct` or `union`.
pub(super) fn rewrite(text: &str, lexed: &Lexed, partner: &[usize]) -> (Vec<Edit>, FxHashMap<u32, RecordAttributes>) {
    let tokens = &lexed.tokens;
    let typedef_names = implicit::typedef_names(text, tokens);
    let removed = vec![false; tokens.len()];
    let (edits, records) = (Vec::new(), FxHashMap::default());
    let mut rewriter = Rewriter { text, tokens, partner, typedef_names, edits, records, removed, braces: 0 };
    rewriter.edits.extend(lexed.blanks.iter().map(|b| Edit { range: b.clone(), text: " ".to_owned() }));
    for i in 0..tokens.len() {
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
    /// The text of a token; empty beyond the end.
    pub(super) fn get(&self, i: usize) -> &'a str {
        self.tokens.get(i).map_or("", |t| &self.text[t.range.clone()])
    }

    pub(super) fn is_word(&self, i: usize) -> bool {
        self.tokens.get(i).is_some_and(|t| t.kind == Kind::Word)
    }

    /// Where the bracket at `i` is closed.
    pub(super) fn close(&self, i: usize) -> Option<usize> {
        self.partner.get(i).copied().filter(|&p| p != usize::MAX)
    }

    fn replace(&mut self, i: usize, text: &str) {
        self.edits.push(Edit { range: self.tokens[i].range.clone(), text: text.to_owned() });
    }

    pub(super) fn insert(&mut self, at: usize, text: &str) {
        self.edits.push(Edit { range: at..at, text: text.to_owned() });
    }

    fn remove(&mut self, from: usize, to: usize, instead: &str) {
        let end = to.min(self.tokens.len() - 1);
        let range = self.tokens[from].range.start..self.tokens[end].range.end;
        self.edits.push(Edit { range, text: format!(" {instead}") });
        self.removed[from..=end].fill(true);
    }

    /// The last token before `i` that is not removed.
    pub(super) fn previous(&self, i: usize) -> Option<usize> {
        (0..i).rev().find(|&j| !self.removed[j])
    }

    /// The first token from `i` on that is not removed.
    pub(super) fn skip_removed(&self, i: usize) -> usize {
        (i..self.tokens.len()).find(|&j| !self.removed[j]).unwrap_or(self.tokens.len())
    }

    fn token(&mut self, i: usize) {
        match self.get(i) {
            "{" => self.braces += 1,
            "}" => self.braces = self.braces.saturating_sub(1),
            "__extension__" => self.remove(i, i, ""),
            "__thread" => self.replace(i, "_Thread_local"),
            "__const__" => self.replace(i, "const"),
            "__int128" => self.replace(i, INT128),
            "asm" | "__asm" | "__asm__" => self.assembly(i),
            "__attribute__" | "__attribute" => self.attribute(i),
            "struct" | "union" => self.record(i),
            "enum" => self.enumeration(i),
            "_Alignof" | "__alignof" | "__alignof__" => self.alignof(i),
            "typeof" | "__typeof__" | "__typeof" if !self.type_hint(i + 2).is_empty() => {
                self.insert(self.tokens[i + 1].range.end, self.type_hint(i + 2));
            }
            "_Static_assert" => self.static_assert(i),
            "__builtin_types_compatible_p" => self.types_compatible(i),
            "__label__" => {
                let end = (i..self.tokens.len()).find(|&j| self.get(j) == ";");
                self.remove(i, end.unwrap_or(i), "");
            }
            "goto" if self.get(i + 1) == "*" => self.replace(i, &format!("{COMPUTED_GOTO}=")),
            "&&" if self.is_word(i + 1) && self.is_operand_next(i) => {
                let instead = format!("&{LABEL_ADDRESS}{}", self.get(i + 1));
                self.remove(i, i + 1, &instead);
            }
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
            _ => {}
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
    fn is_operand_next(&self, i: usize) -> bool {
        let Some(before) = i.checked_sub(1) else { return false };
        match self.tokens[before].kind {
            // After `x++` and `(int){ 1 }` comes an operator.
            Kind::Punctuation => !matches!(self.get(before), ")" | "]" | "}" | "++" | "--"),
            _ => self.get(before) == "return",
        }
    }

    /// An assembler statement; elsewhere (names of variables, file scope) assembler text means nothing here.
    fn assembly(&mut self, i: usize) {
        let mut open = i + 1;
        while self.is_word(open) {
            open += 1;
        }
        let Some(close) = self.close(open).filter(|_| self.get(open) == "(") else { return };
        let before = self.previous(i).map_or("", |j| self.get(j));
        let statement = self.braces > 0 && matches!(before, ";" | "{" | "}" | ")" | ":" | "else" | "do");
        self.remove(i, close, if statement { ASSEMBLY } else { "" });
    }

    /// The attribute at `i`: its last token.
    fn end_of_attribute(&self, i: usize) -> Option<usize> {
        let named = matches!(self.get(i), "__attribute__" | "__attribute") && self.get(i + 1) == "(";
        if named { self.close(i + 1) } else { None }
    }

    /// Removes an attribute, unless it speaks about sizes.
    fn attribute(&mut self, i: usize) {
        let Some(end) = self.end_of_attribute(i) else { return };
        let sizes =
            (i..end).any(|j| matches!(self.get(j).trim_matches('_'), "packed" | "aligned" | "mode") && self.is_word(j));
        if sizes {
            self.removed[i..=end].fill(false);
        } else {
            self.remove(i, end, "");
        }
    }

    /// Takes the attributes at `i` away and adds them to those of a record; the next token.
    fn take_attributes(&mut self, mut i: usize, attributes: &mut RecordAttributes) -> usize {
        while let Some(end) = self.end_of_attribute(i) {
            for j in i..end {
                match self.get(j).trim_matches('_') {
                    "packed" => attributes.packed = true,
                    "aligned" => {
                        let argument = self.close(j + 1).filter(|_| self.get(j + 1) == "(").map(|close| {
                            let from = self.tokens[j + 1].range.end;
                            self.text[from..self.tokens[close].range.start].trim().to_owned()
                        });
                        attributes.aligned.push(argument.unwrap_or_default());
                    }
                    _ => {}
                }
            }
            self.remove(i, end, "");
            i = end + 1;
        }
        i
    }

    /// Attributes of a record stand before its tag or after its members.
    fn record(&mut self, i: usize) {
        let mut attributes = RecordAttributes::default();
        let mut j = self.take_attributes(i + 1, &mut attributes);
        if self.is_word(j) {
            j = self.take_attributes(j + 1, &mut attributes);
        }
        if self.get(j) == "{"
            && let Some(close) = self.close(j)
        {
            self.take_attributes(close + 1, &mut attributes);
        }
        if attributes.packed || !attributes.aligned.is_empty() {
            self.records.insert(self.tokens[i].range.start as u32, attributes);
        }
    }

    fn enumeration(&mut self, i: usize) {
        let mut attributes = RecordAttributes::default();
        let j = self.take_attributes(i + 1, &mut attributes);
        let open = if self.is_word(j) { j + 1 } else { j };
        if self.get(open) == "{"
            && let Some(close) = self.close(open)
        {
            self.take_attributes(close + 1, &mut attributes);
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

    /// Commas in the brackets that open at `open`, outside of inner ones.
    fn commas(&self, open: usize, close: usize) -> Vec<usize> {
        let mut commas = Vec::new();
        let mut j = open + 1;
        while j < close {
            if self.get(j) == "," {
                commas.push(j);
            }
            j = self.close(j).unwrap_or(j) + 1;
        }
        commas
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
