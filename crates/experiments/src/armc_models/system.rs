//! A transition system as ARMC's text.

use std::fmt::Write as _;

/// A transition system in the making.
pub(super) struct System {
    vars: Vec<String>,
    text: String,
    transitions: usize,
}

impl System {
    /// A system with these variables. `about` is the comment at the top; `expect` the verdict.
    pub(super) fn new(about: &str, expect: &str, vars: &[&str], start: &str) -> Self {
        let mut text = String::new();
        about.lines().for_each(|line| put(&mut text, format_args!("% {line}\n")));
        put(&mut text, format_args!("% expect: {expect}\n"));
        let vars: Vec<String> = vars.iter().map(|v| (*v).to_owned()).collect();
        let pairs: Vec<String> = vars.iter().map(|v| format!("({v}, '{}')", v.to_lowercase())).collect();
        put(&mut text, format_args!("var2names(p(_, data({})), [{}]).\n", vars.join(", "), pairs.join(", ")));
        put(&mut text, format_args!("start(pc({start})).\nerror(pc(error)).\n"));
        System { vars, text, transitions: 0 }
    }

    /// Adds a transition. A variable that is set to `_` gets any value; one that is not set keeps its own.
    pub(super) fn transition(&mut self, from: &str, to: &str, guard: &[String], set: &[(String, String)]) {
        self.transitions += 1;
        let value = |var: &String| set.iter().rev().find(|(v, _)| v == var).map(|(_, value)| value);
        let mut updates = Vec::new();
        let after: Vec<String> = { self.vars.iter() }
            .map(|var| match value(var) {
                None => var.clone(),
                Some(value) if value == "_" => "_".to_owned(),
                Some(value) => {
                    updates.push(format!("{var}p = {value}"));
                    format!("{var}p")
                }
            })
            .collect();
        let (before, after) = (self.vars.join(","), after.join(","));
        let (guard, updates, id) = (guard.join(", "), updates.join(", "), self.transitions);
        let ends = format_args!("p(pc({from}),data({before})),p(pc({to}),data({after}))");
        put(&mut self.text, format_args!("r({ends},[{guard}],[{updates}],{id}).\n"));
    }

    /// The text.
    pub(super) fn finish(self) -> String {
        self.text
    }
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string cannot fail");
}

/// `vec!["a".to_owned(), ...]`.
pub(super) fn list(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|t| (*t).to_owned()).collect()
}

/// Assignments, as owned texts.
pub(super) fn pairs(texts: &[(&str, &str)]) -> Vec<(String, String)> {
    texts.iter().map(|(v, e)| ((*v).to_owned(), (*e).to_owned())).collect()
}
