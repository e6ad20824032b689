//! Correctness witnesses: invariants become assertions.

use std::collections::BTreeMap;

use clinch_checker::{Asked, Reading, Task};
use clinch_ir::cfa::Check;

use super::text::{finished, inserted_places, with_folders};
use super::{At, Claim, Plan, Plans, Refusal, Witness};
use crate::witness::editor::{Edited, Editor};
use crate::witness::format::{Entry, Invariant, mark};

impl Witness<'_> {
    pub(super) fn correctness(&self, entries: &[Entry], reading: Reading) -> Result<Plan, Refusal> {
        let mut plans = self.plans();
        let mut stated = Vec::new();
        let mut loops: BTreeMap<At, String> = BTreeMap::new();
        for item in entries.iter().flat_map(|entry| &entry.content) {
            if let Some(contract) = &item.contract {
                return Err(self.unsupported(mark(contract), "contracts of functions are not read"));
            }
            let Some(invariant) = &item.invariant else {
                return Err(self.malformed((1, 1), "an entry `invariant_set` holds something else than invariants"));
            };
            let (at, is_loop, text) = self.invariant(&plans, invariant)?;
            let check = format!("(({text})?(void)0:clinch_broken_{}())", stated.len());
            let place = invariant.location.text();
            stated.push((mark(&invariant.value), format!("`{}` at {place}", invariant.value.value)));
            if is_loop {
                let all = loops.entry(at).or_default();
                *all = if all.is_empty() { check } else { format!("{all},{check}") };
            } else {
                let put = plans.editors[at.file].before_statement(at.token, &check);
                put.map_err(|why| self.unsupported(mark(&invariant.value), &why))?;
            }
        }
        for (at, checks) in loops {
            let put = plans.editors[at.file].before_condition(at.token, &checks);
            put.map_err(|why| self.unsupported((1, 1), &why))?;
        }
        let failure = self.failure(entries, reading.asked, stated.len())?;
        let prelude: String = (0..stated.len())
            .map(|number| format!("static void clinch_broken_{number}(void) {{ {failure} }}\n"))
            .collect();
        let edited: Vec<Edited> = plans.editors.into_iter().map(Editor::finish).collect();
        let inserted = self.files.iter().zip(&edited).map(|(file, edited)| (file.name(), inserted_places(edited)));
        let inserted = inserted.collect();
        let sources = finished(&self.files, &edited, |_| prelude.clone());
        let reading = with_folders(reading, &self.files);
        let claim = Claim::Correctness { invariants: stated, inserted };
        Ok(Plan { task: Task { sources, reading }, claim, name: self.name.to_owned() })
    }

    /// Where an invariant holds, whether that is a loop, and the expression.
    fn invariant(&self, plans: &Plans<'_>, invariant: &Invariant) -> Result<(At, bool, String), Refusal> {
        let kind = &invariant.kind;
        let is_loop = match kind.value.as_str() {
            "loop_invariant" => true,
            "location_invariant" => false,
            "loop_transition_invariant" | "location_transition_invariant" => {
                return Err(self.unsupported(mark(kind), "transition invariants are not read"));
            }
            other => return Err(self.malformed(mark(kind), &format!("unknown type of invariant `{other}`"))),
        };
        match invariant.format.value.as_str() {
            "c_expression" | "ext_c_expression" => {}
            other => {
                let text = format!("invariants in the format `{other}` are not read");
                return Err(self.unsupported(mark(&invariant.format), &text));
            }
        }
        let at = match is_loop {
            true => self.find(
                plans,
                &invariant.location,
                ("no loop begins", &|editor, token| {
                    matches!(editor.outline.word(token), "while" | "for" | "do")
                        && editor.outline.starts_statement(token)
                }),
            ),
            false => self.find(
                plans,
                &invariant.location,
                ("no statement begins", &|editor, token| editor.outline.starts_statement(token)),
            ),
        }?;
        Ok((at, is_loop, self.expression(plans, &invariant.value)?))
    }

    /// What is an error to the specification.
    pub(super) fn failure(
        &self,
        entries: &[Entry],
        asked: Option<Asked>,
        invariants: usize,
    ) -> Result<&'static str, Refusal> {
        let checks = asked.map(Asked::checks).unwrap_or_default();
        let failures = [
            (Check::Assertion, "__VERIFIER_error();"),
            (Check::Overflow, "int most = 2147483647; most = most + 1;"),
            (Check::Dereference, "int *nowhere = 0; *nowhere = 0;"),
        ];
        let found = failures.into_iter().find(|(check, _)| checks.contains(*check));
        let place = mark(&entries[0].metadata.task.specification);
        match found {
            Some((_, failure)) => Ok(failure),
            None if invariants == 0 => Ok(""),
            None => Err(self.unsupported(place, "invariants are not looked at together with this specification")),
        }
    }
}
