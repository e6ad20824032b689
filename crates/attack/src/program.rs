//! A program as a tree of texts, so that parts of it can be dropped.

/// Something that can be dropped as a whole: a declaration, a function, a statement.
#[derive(Clone, Debug)]
pub struct Node {
    /// A head (`if (x) {`, `} else {`) and what stands under it.
    pub(crate) parts: Vec<(String, Vec<Node>)>,
    /// What closes it, or all its text.
    pub(crate) tail: String,
}

impl Node {
    pub(crate) fn leaf(text: impl Into<String>) -> Self {
        Node { parts: Vec::new(), tail: text.into() }
    }

    pub(crate) fn block(head: impl Into<String>, body: Vec<Node>, tail: impl Into<String>) -> Self {
        Node { parts: vec![(head.into(), body)], tail: tail.into() }
    }

    fn print(&self, indent: usize, out: &mut String) {
        for (head, body) in &self.parts {
            line(head, indent, out);
            for node in body {
                node.print(indent + 1, out);
            }
        }
        line(&self.tail, indent, out);
    }
}

fn line(text: &str, indent: usize, out: &mut String) {
    for part in text.lines() {
        out.push_str(&"  ".repeat(indent));
        out.push_str(part);
        out.push('\n');
    }
}

/// A program. Its names with file scope hold a `$`, which stands for a tag that keeps programs in one file apart.
#[derive(Clone, Debug)]
pub struct Program {
    /// Declarations and functions, in order.
    pub nodes: Vec<Node>,
}

impl Program {
    /// The text, with a tag in the names of file scope.
    pub fn text(&self, tag: &str) -> String {
        let mut out = String::new();
        for node in &self.nodes {
            node.print(0, &mut out);
        }
        out.replace('$', tag)
    }
}
