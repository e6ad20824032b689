//! The tokens of a text, and how they are to be replaced.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::lex::{Kind, Token};

/// Stands for the missing operand of `a ?: b`.
pub(crate) const SAME: &str = "__clinch_same";
/// Stands for an assembler statement.
pub(crate) const ASSEMBLY: &str = "__clinch_asm";
/// Stands for what a file does before `main`, other than by functions of C.
pub(crate) const AT_START: &str = "__clinch_at_start";
/// `goto *e` is an assignment to this.
pub(crate) const COMPUTED_GOTO: &str = "__clinch_goto";
/// `&&l` is the address of a variable of this name with the label's appended.
pub(crate) const LABEL_ADDRESS: &str = "__clinch_label_";
/// Stands for `__int128`, which lang-c does not know; no program uses this type of ISO/IEC TS 18661-3.
pub(super) const INT128: &str = "_Decimal128x";

/// Types that gcc knows and lang-c does not.
pub(super) const PRELUDE: &str = "typedef int __auto_type; typedef _Float128 __float128; typedef long double __float80; \
    typedef _Decimal128x __int128_t; typedef unsigned _Decimal128x __uint128_t; typedef int __clinch_part; ";

/// `__real__ z` and `__imag__ z` are `*(__clinch_part)z`.
pub(crate) const COMPLEX_PART: &str = "__clinch_part";

/// Begins the name of an attribute that is neither implemented nor known to be harmless.
pub(crate) const UNKNOWN: &str = "__clinch_unknown_";

/// `__attribute__((packed, aligned(8)))` of a struct, a union or an enumeration.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordAttributes {
    pub(crate) packed: bool,
    /// Arguments of `aligned`; empty for none.
    pub(crate) aligned: Vec<String>,
    /// An argument may have the type of any member.
    pub(crate) transparent: bool,
    /// An attribute that is not known.
    pub(crate) unknown: Option<String>,
}

impl RecordAttributes {
    pub(super) fn add(&mut self, name: &str, argument: &str) {
        match name {
            "packed" => self.packed = true,
            "aligned" => self.aligned.push(argument.to_owned()),
            "transparent_union" => self.transparent = true,
            UNKNOWN => self.unknown = Some(argument.to_owned()),
            other => self.unknown = Some(other.to_owned()),
        }
    }
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
    /// For each closing bracket the position of its opening one; `usize::MAX` elsewhere.
    opener: Vec<usize>,
    pub(super) typedef_names: FxHashSet<&'a str>,
    pub(super) edits: Vec<Edit>,
    pub(super) records: FxHashMap<u32, RecordAttributes>,
    /// Labels that have another name for lang-c, by their token.
    pub(super) renamed: FxHashMap<usize, String>,
    /// Tokens that are removed already.
    pub(super) removed: Vec<bool>,
    /// Open braces.
    pub(super) braces: usize,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(
        text: &'a str,
        tokens: &'a [Token],
        partner: &'a [usize],
        typedef_names: FxHashSet<&'a str>,
    ) -> Rewriter<'a> {
        let removed = vec![false; tokens.len()];
        let mut opener = vec![usize::MAX; tokens.len()];
        for (open, &close) in partner.iter().enumerate().filter(|&(_, &close)| close != usize::MAX) {
            opener[close] = open;
        }
        let (edits, records) = (Vec::new(), FxHashMap::default());
        let renamed = FxHashMap::default();
        Rewriter { text, tokens, partner, opener, typedef_names, edits, records, renamed, removed, braces: 0 }
    }

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

    /// Where the bracket is opened that is closed at `i`.
    pub(super) fn open(&self, i: usize) -> Option<usize> {
        self.opener.get(i).copied().filter(|&p| p != usize::MAX)
    }

    pub(super) fn replace(&mut self, i: usize, text: &str) {
        self.edits.push(Edit { range: self.tokens[i].range.clone(), text: text.to_owned() });
    }

    pub(super) fn insert(&mut self, at: usize, text: &str) {
        self.edits.push(Edit { range: at..at, text: text.to_owned() });
    }

    pub(super) fn remove(&mut self, from: usize, to: usize, instead: &str) {
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

    /// Whether a brace is open here.
    pub(super) fn in_function(&self) -> bool {
        self.braces > 0
    }

    /// Commas in the brackets that open at `open`, outside of inner ones.
    pub(super) fn commas(&self, open: usize, close: usize) -> Vec<usize> {
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
}
