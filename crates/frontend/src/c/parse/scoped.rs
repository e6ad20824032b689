//! GNU C inside of functions: labels of a block (`__label__`), and functions in functions.

use super::names::numbered;
use super::rewriter::{Rewriter, UNKNOWN};

impl Rewriter<'_> {
    /// `__label__ a, b;` declares labels of the block: they get names that no other label has.
    pub(super) fn local_labels(&mut self, i: usize) {
        let Some(end) = (i..self.tokens.len()).find(|&j| self.get(j) == ";") else { return };
        let block = (0..i).rev().find(|&j| self.get(j) == "{" && self.close(j).is_some_and(|close| close > i));
        let close = block.and_then(|open| self.close(open)).unwrap_or(self.tokens.len());
        let declared: Vec<usize> = (i + 1..end).filter(|&j| self.is_word(j)).collect();
        for name in declared {
            let fresh = numbered(self.get(name), i);
            for j in end..close {
                if self.get(j) == self.get(name) && self.is_label(j) {
                    // An inner block may declare it again: its own declaration comes later and wins.
                    self.renamed.insert(j, fresh.clone());
                }
            }
        }
        self.remove(i, end, "");
    }

    fn is_label(&self, j: usize) -> bool {
        let before = j.checked_sub(1).map_or("", |b| self.get(b));
        let defines = self.get(j + 1) == ":" && matches!(before, ";" | "{" | "}" | ":" | ")" | "else" | "do");
        before == "goto" || defines || before == "&&" && self.is_operand_next(j - 1)
    }

    /// A definition inside of a function becomes a declaration that nobody may call.
    pub(super) fn nested_function(&mut self, open: usize) {
        let Some(end) = self.close(open) else { return };
        self.remove(open, end, &format!("__attribute__(({UNKNOWN}nested_function)); "));
    }

    /// Whether the brace at `i` begins the body of a function inside of another one.
    pub(super) fn begins_nested_function(&self, i: usize) -> bool {
        if !self.in_function() {
            return false;
        }
        let Some(mut close) = self.previous(i) else { return false };
        while let Some(list) = (0..close).rev().take(64).find(|&j| self.end_of_attribute(j) == Some(close)) {
            let Some(before) = self.previous(list) else { return false };
            close = before;
        }
        let Some(open) = self.open(close).filter(|&j| self.get(close) == ")" && self.get(j) == "(") else {
            return false;
        };
        let (Some(name), Some(before)) = (open.checked_sub(1), open.checked_sub(2)) else { return false };
        let declares = self.is_word(name) && !is_statement_word(self.get(name));
        let typed = self.is_word(before) && !is_statement_word(self.get(before)) || self.get(before) == "*";
        declares && typed
    }
}

fn is_statement_word(word: &str) -> bool {
    matches!(
        word,
        "if" | "while"
            | "for"
            | "switch"
            | "return"
            | "sizeof"
            | "else"
            | "do"
            | "goto"
            | "case"
            | "_Alignof"
            | "__alignof__"
            | "__typeof__"
            | "typeof"
            | "__attribute__"
            | "_Generic"
            | "__extension__"
    )
}
