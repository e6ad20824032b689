//! Smaller programs that still show a disagreement.

use std::time::{Duration, Instant};

use crate::program::{Node, Program};

/// Drops declarations, statements and subexpressions as long as `fails` holds, for a limited time.
pub fn shrink(program: &Program, limit: Duration, fails: &dyn Fn(&Program) -> bool) -> Program {
    let start = Instant::now();
    let mut best = program.clone();
    loop {
        let before = best.size();
        drop_flags(&mut best, fails);
        let mut at = 0;
        while at < count_all(&best) && start.elapsed() < limit {
            let mut smaller = best.clone();
            edit_at(&mut smaller, at, &mut |nodes, i| drop(nodes.remove(i)));
            if fails(&smaller) {
                best = smaller;
                continue;
            }
            let mut smaller = best.clone();
            edit_at(&mut smaller, at, &mut unwrap);
            if smaller.size() < best.size() && fails(&smaller) {
                best = smaller;
                continue;
            }
            at += 1;
        }
        simplify(&mut best, start, limit, fails);
        if best.size() == before || start.elapsed() >= limit {
            return best;
        }
    }
}

/// Drops the flags that do not matter.
fn drop_flags(best: &mut Program, fails: &dyn Fn(&Program) -> bool) {
    for at in (0..best.beside.flags.len()).rev() {
        let mut smaller = best.clone();
        smaller.beside.flags.remove(at);
        if fails(&smaller) {
            *best = smaller;
        }
    }
}

/// The nodes of both files.
fn count_all(program: &Program) -> usize {
    count(&program.nodes) + count(&program.beside.second)
}

fn count(nodes: &[Node]) -> usize {
    nodes.iter().map(|n| 1 + n.parts.iter().map(|(_, body)| count(body)).sum::<usize>()).sum()
}

/// Applies a change at the node with a number; those of the second file come last.
fn edit_at(program: &mut Program, at: usize, change: &mut dyn FnMut(&mut Vec<Node>, usize)) {
    let mut left = at;
    let _ = edit(&mut program.nodes, &mut left, change) || edit(&mut program.beside.second, &mut left, change);
}

/// Applies a change at the node with a number, in preorder from the back, so that uses go before declarations.
fn edit(nodes: &mut Vec<Node>, left: &mut usize, change: &mut dyn FnMut(&mut Vec<Node>, usize)) -> bool {
    for i in (0..nodes.len()).rev() {
        if *left == 0 {
            change(nodes, i);
            return true;
        }
        *left -= 1;
        for (_, body) in nodes[i].parts.iter_mut().rev() {
            if edit(body, left, change) {
                return true;
            }
        }
    }
    false
}

/// A statement by what it contains.
fn unwrap(nodes: &mut Vec<Node>, i: usize) {
    if nodes[i].parts.is_empty() {
        return;
    }
    let node = nodes.remove(i);
    for (_, body) in node.parts.into_iter().rev() {
        nodes.splice(i..i, body);
    }
}

/// Replaces what stands in parentheses by 0 or 1.
fn simplify(best: &mut Program, start: Instant, limit: Duration, fails: &dyn Fn(&Program) -> bool) {
    for at in 0..count_all(best) {
        let mut group = 0;
        while start.elapsed() < limit {
            let mut done = true;
            let mut improved = false;
            for value in ["", "0", "1"] {
                let mut smaller = best.clone();
                let mut change = |nodes: &mut Vec<Node>, i: usize| {
                    let node = &mut nodes[i];
                    let text = node.parts.first_mut().map_or(&mut node.tail, |(head, _)| head);
                    if let Some(shorter) = replace_group(text, group, value) {
                        *text = shorter;
                        done = false;
                    }
                };
                edit_at(&mut smaller, at, &mut change);
                if !done && smaller.size() < best.size() && fails(&smaller) {
                    *best = smaller;
                    improved = true;
                    break;
                }
            }
            if done {
                break;
            }
            if !improved {
                group += 1;
            }
        }
    }
}

/// The text with the n-th group in parentheses replaced; an empty value takes the parentheses away.
fn replace_group(text: &str, n: usize, value: &str) -> Option<String> {
    let open = text.char_indices().filter(|(_, c)| *c == '(').nth(n)?.0;
    let mut depth = 0;
    for (i, c) in text[open..].char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 {
            // `f` is not `f()`.
            if i == 1 {
                return Some(text.to_owned());
            }
            let inner = if value.is_empty() { &text[open + 1..open + i] } else { value };
            return Some(format!("{}{inner}{}", &text[..open], &text[open + i + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Beside;

    #[test]
    fn both_files_and_the_flags_become_smaller() {
        let leaves = |texts: [&str; 2]| texts.map(Node::leaf).to_vec();
        let flags = vec!["-DA".to_owned(), "-DB".to_owned()];
        let beside = Beside { second: leaves(["int c;", "int d;"]), flags, ..Beside::default() };
        let program = Program { nodes: leaves(["int a;", "int b;"]), beside };
        let fails = |p: &Program| {
            let second = p.second("").is_some_and(|text| text.contains("int d;"));
            second && p.text("").contains("int a;") && p.beside.flags.contains(&"-DB".to_owned())
        };
        let small = shrink(&program, Duration::from_secs(10), &fails);
        assert_eq!((small.text(""), small.second("")), ("int a;\n".to_owned(), Some("int d;\n".to_owned())));
        assert_eq!(small.beside.flags, ["-DB"]);
    }
}
