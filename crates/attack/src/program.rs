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
    /// Declarations and functions of the file with `main`, in order.
    pub nodes: Vec<Node>,
    /// What it needs besides.
    pub beside: Beside,
}

/// What a program needs besides the file with `main`. Most need nothing.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// Declarations and functions of a second file, which is linked with the first.
    pub(crate) second: Vec<Node>,
    /// Header files: paths below the program's folder, and texts.
    pub(crate) headers: Vec<(String, String)>,
    /// Options of the preprocessor; `FOLDER` is the program's folder.
    pub(crate) flags: Vec<String>,
}

impl Beside {
    pub(crate) fn extend(&mut self, other: Beside) {
        self.second.extend(other.second);
        self.headers.extend(other.headers);
        self.flags.extend(other.flags);
    }
}

impl Program {
    /// A program in one file.
    pub fn new(nodes: Vec<Node>) -> Self {
        Program { nodes, beside: Beside::default() }
    }

    /// The text of the file with `main`, with a tag in the names of file scope.
    pub fn text(&self, tag: &str) -> String {
        print(&self.nodes, tag)
    }

    /// The text of the second file, if there is one.
    pub(crate) fn second(&self, tag: &str) -> Option<String> {
        (!self.beside.second.is_empty()).then(|| print(&self.beside.second, tag))
    }

    /// Characters in all its files and flags: what the reduction makes smaller.
    pub(crate) fn size(&self) -> usize {
        let headers = self.beside.headers.iter().map(|(_, text)| text.len());
        let flags = self.beside.flags.iter().map(String::len);
        self.text("").len() + self.second("").map_or(0, |text| text.len()) + headers.chain(flags).sum::<usize>()
    }
}

fn print(nodes: &[Node], tag: &str) -> String {
    let mut out = String::new();
    for node in nodes {
        node.print(0, &mut out);
    }
    out.replace('$', tag)
}
