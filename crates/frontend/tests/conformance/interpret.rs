//! What the front end and the machine make of a program.

use clinch_frontend::c::{CheckOptions, Unit, check};
use crate::outcome::{End, Outcome};
pub(crate) struct Lowered(String);
impl Lowered {
    pub(crate) fn new(text: &str) -> Self {
        let unit = Unit { name: "program.c".to_owned(), text: text.to_owned() };
        match check(&[unit], &CheckOptions::default()) {
            Ok(_) => Lowered("fine".into()),
            Err(error) => { let (s, m) = error.first(); Lowered(format!("check: {m} at {}", &text[s.start as usize..(s.start as usize + 60).min(text.len())])) }
        }
    }
    pub(crate) fn run(&self, _: &[u64]) -> Outcome { Outcome { stdout: Vec::new(), end: End::Other(self.0.clone()) } } }
pub(crate) fn interpret(text: &str, inputs: &[u64]) -> Outcome { Lowered::new(text).run(inputs) }
