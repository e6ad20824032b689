//! Traps as text with holes. templates/README.md has the notation.

use std::collections::BTreeMap;

use super::literals;
use crate::program::Node;
use crate::rng::Rng;
use crate::trap::{Body, Says};

/// A body of a trap with holes in it.
pub(crate) struct Template {
    pub(crate) name: String,
    pub(crate) says: Says,
    /// Headings and texts, in order; the declarations, which come first, have no heading.
    sections: Vec<(String, String)>,
}

/// Begins the heading of a section.
const SECTION: &str = "-- ";

/// Behind the name of a template in which C leaves a choice.
const UNSPECIFIED: &str = " (unspecified)";

const TYPES: [&str; 10] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
];

impl Template {
    /// The templates in a file.
    pub(crate) fn read(text: &str) -> Vec<Template> {
        let mut templates: Vec<Template> = Vec::new();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("=== ") {
                let (name, says) = match name.strip_suffix(UNSPECIFIED) {
                    Some(name) => (name, Says::Possible),
                    None => (name, Says::All),
                };
                templates.push(Template { name: name.to_owned(), says, sections: vec![Default::default()] });
            } else if let Some(template) = templates.last_mut() {
                template.add(line);
            }
        }
        templates
    }

    fn add(&mut self, line: &str) {
        if let Some(heading) = line.strip_prefix(SECTION) {
            self.sections.push((heading.to_owned(), String::new()));
        } else if let Some((_, text)) = self.sections.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }

    /// Fills the holes. The id keeps the names of several templates in one program apart.
    pub(crate) fn expand(&self, id: usize, rng: &mut Rng) -> Body {
        let mut holes = Holes { rng, bound: BTreeMap::new() };
        let named = |text: &str| text.replace('$', &format!("{id}$"));
        let mut body = Body::default();
        for (heading, text) in &self.sections {
            let text = holes.fill(&named(text));
            match heading.as_str() {
                "" => body.declarations = paragraphs(&text),
                "setup" => body.setup = statements(&text),
                "hidden" => body.hidden = statements(&text),
                "check" => body.check = statements(&text),
                "second" => body.beside.second = paragraphs(&text),
                "flags" => body.beside.flags = text.lines().map(str::to_owned).collect(),
                header => body.beside.headers.push((holes.fill(&named(header.trim_start_matches("header "))), text)),
            }
        }
        body.beside.flags.retain(|flag| !flag.is_empty());
        body
    }
}

/// What is between empty lines; an `#include` is one by itself.
fn paragraphs(text: &str) -> Vec<Node> {
    let mut nodes = Vec::new();
    for part in text.split("\n\n").map(|part| part.trim_matches('\n')) {
        let mut rest = part;
        while let Some((line, after)) = rest.split_once('\n').filter(|(line, _)| line.starts_with("#include")) {
            nodes.push(Node::leaf(line));
            rest = after;
        }
        if !rest.is_empty() {
            nodes.push(Node::leaf(rest));
        }
    }
    nodes
}

/// Lines, together with those that close their braces.
fn statements(text: &str) -> Vec<Node> {
    let (mut nodes, mut current, mut depth) = (Vec::new(), String::new(), 0i32);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if !current.is_empty() {
            current.push('\n');
        }
        current.push_str(line);
        depth += line.chars().map(|c| i32::from(c == '{') - i32::from(c == '}')).sum::<i32>();
        if depth <= 0 {
            nodes.push(Node::leaf(std::mem::take(&mut current)));
        }
    }
    if !current.is_empty() {
        nodes.push(Node::leaf(current));
    }
    nodes
}

/// The holes of one program: names keep the values they were given.
struct Holes<'a> {
    rng: &'a mut Rng,
    bound: BTreeMap<String, String>,
}

impl Holes<'_> {
    /// Fills innermost holes first, from the left.
    fn fill(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        while let Some(end) = text.find('⟩') {
            let Some(start) = text[..end].rfind('⟨') else { break };
            let hole = text[start + '⟨'.len_utf8()..end].to_owned();
            let value = self.value(&hole);
            text.replace_range(start..end + '⟩'.len_utf8(), &value);
        }
        text
    }

    fn value(&mut self, hole: &str) -> String {
        if let Some((name, rest)) = hole.split_once(":=") {
            let value = self.value(rest);
            self.bound.insert(name.to_owned(), value.clone());
            return value;
        }
        if let Some(value) = self.bound.get(hole) {
            return value.clone();
        }
        if let Some(number) = hole.strip_prefix('#') {
            return self.opaque(number);
        }
        match hole {
            "type" => (*self.rng.pick(&TYPES)).to_owned(),
            "small" => self.rng.range(1, 9).to_string(),
            "byte" => self.rng.range(1, 255).to_string(),
            "number" => (self.rng.value() as i32).to_string(),
            "text" => literals::text(self.rng),
            "character" => literals::character(self.rng),
            "integer" => literals::integer(self.rng),
            "float" => literals::float(self.rng),
            "word" => (0..self.rng.range(2, 6)).map(|_| (b'a' + self.rng.below(4) as u8) as char).collect(),
            _ => {
                let choices: Vec<&str> = hole.split('¦').collect();
                (*self.rng.pick(&choices)).to_owned()
            }
        }
    }

    /// A number up to 8, as itself or as something only a run knows.
    fn opaque(&mut self, number: &str) -> String {
        match self.rng.below(3) {
            0 => number.to_owned(),
            1 => format!("v{number}$"),
            _ => format!("({number} + v0$)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_filled_and_names_kept() {
        let mut rng = Rng::new(3);
        let mut holes = Holes { rng: &mut rng, bound: BTreeMap::new() };
        assert_eq!(holes.fill("⟨T:=int⟩ a[⟨N:=⟨4⟩⟩], b[⟨N⟩]; ⟨T⟩ c;"), "int a[4], b[4]; int c;");
        assert!(["x", "y"].contains(&holes.fill("⟨x¦y⟩").as_str()));
    }

    #[test]
    fn a_template_has_four_sections() {
        let text = "=== t\n#include <a.h>\nint x$;\n\nint y$;\n-- setup\nfor (;;) {\n  f();\n}\n-- hidden\nx$ = 1;\n-- check\nOBSERVE(x$);\n";
        let body = Template::read(text)[0].expand(7, &mut Rng::new(1));
        let texts = |nodes: &[Node]| nodes.iter().map(|n| n.tail.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&body.declarations), ["#include <a.h>", "int x7$;", "int y7$;"]);
        assert_eq!(texts(&body.setup), ["for (;;) {\n  f();\n}"]);
        assert_eq!(texts(&body.hidden), ["x7$ = 1;"]);
    }
}
