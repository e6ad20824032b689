//! A closed set in several places is accepted only when every state was checked and every question answered.

use clinch_certify::{Part, Rejection, Sorted, Tally, certify_parts};
use clinch_frontend::{Language, Options, parse};
use clinch_ir::{Layout, Program, Proof, State, StateSet, Verdict};

const COUNTER: &str = "var x: 0..9 = 0; command up when x < 8 do x := x + 1; error x = 9;";

fn gcl(text: &str) -> Program {
    parse(Language::Gcl, "test.gcl", text.as_bytes(), &Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn pack(program: &Program, values: &[i64]) -> Vec<u64> {
    let layout = Layout::new(program);
    let mut words = vec![0; layout.words];
    let mut packed = Vec::new();
    for &x in values {
        layout.pack(&State { locs: Vec::new(), cells: vec![x] }, &mut words);
        packed.extend_from_slice(&words);
    }
    packed
}

/// Packed states in ascending order, as from a disk.
struct OnDisk(Vec<u64>);

impl Sorted for OnDisk {
    fn states(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, first: u64, states: usize, into: &mut Vec<u64>) -> std::io::Result<()> {
        into.extend_from_slice(&self.0[first as usize..][..states]);
        Ok(())
    }
}

/// What became of the parts, each of which answers the questions about the values that are its own: even and odd ones.
fn tallies(program: &Program, parts: &[Vec<i64>; 2], on_disk: bool) -> Result<Vec<Tally>, Rejection> {
    let layout = Layout::new(program);
    let packed: Vec<Vec<u64>> = parts.iter().map(|values| pack(program, values)).collect();
    let sets: Vec<StateSet> =
        packed.iter().map(|words| StateSet { layout: layout.clone(), chunks: vec![words.clone()] }).collect();
    let sorted: Vec<OnDisk> = packed.iter().map(|words| OnDisk(words.clone())).collect();
    let part = |i: usize| match on_disk {
        true => Part::sorted(program, &layout, &sorted[i], 3),
        false => Part::new(program, &sets[i]),
    };
    let mut both = [part(0)?, part(1)?];
    let mut asked: Vec<u64> = Vec::new();
    both[1].ask_initial(|state| asked.extend_from_slice(state))?;
    for (i, part) in both.iter_mut().enumerate() {
        part.check(0..parts[i].len(), |state| asked.extend_from_slice(state))?;
    }
    for state in asked {
        let value = layout.unpack(&[state]).cells[0];
        both[value as usize % 2].answer(&[state])?;
    }
    both.iter_mut().try_for_each(Part::answer_all)?;
    Ok(both.iter().map(Part::tally).collect())
}

fn whole() -> [Vec<i64>; 2] {
    [vec![0, 2, 4, 6, 8], vec![1, 3, 5, 7]]
}

fn verdict(states: u64) -> Verdict {
    Verdict::Safe(Proof::ReachedElsewhere(states))
}

fn wrong<T: std::fmt::Debug>(outcome: Result<T, Rejection>, why: &str) {
    match outcome {
        Err(Rejection::Wrong(text)) => assert!(text.contains(why), "{text}"),
        other => panic!("expected a rejection because of \"{why}\", got {other:?}"),
    }
}

#[test]
fn parts_that_are_closed_together_are_accepted() {
    let program = gcl(COUNTER);
    for on_disk in [false, true] {
        let tallies = tallies(&program, &whole(), on_disk).expect("closed");
        assert!(certify_parts(&program, verdict(9), &tallies).expect("accepted").is_certified());
    }
}

#[test]
fn a_missing_state_is_missed() {
    let program = gcl(COUNTER);
    for on_disk in [false, true] {
        for missing in 0..9 {
            let parts = whole().map(|values| values.into_iter().filter(|&x| x != missing).collect());
            wrong(tallies(&program, &parts, on_disk), "missing");
        }
        let [even, mut odd] = whole();
        odd.push(9);
        wrong(tallies(&program, &[even, odd], on_disk), "an error");
    }
}

#[test]
fn what_was_not_done_is_not_accepted() {
    let program = gcl(COUNTER);
    let done = tallies(&program, &whole(), false).expect("closed");
    let with = |change: fn(&mut Tally)| {
        let mut changed = done.clone();
        changed.iter_mut().for_each(change);
        certify_parts(&program, verdict(9), &changed)
    };
    wrong(with(|part| part.checked -= 1), "not checked");
    wrong(with(|part| part.asked_initial = false), "initial states");
    wrong(with(|part| part.confirmed -= 1), "not every question");
    wrong(certify_parts(&program, verdict(8), &done), "another number");
    wrong(certify_parts(&program, verdict(9), &done[..1]), "another number");
    let elsewhere = clinch_certify::check_proof(&program, &Proof::ReachedElsewhere(9), &|| false);
    assert!(matches!(elsewhere, Err(Rejection::Undecided(_))), "{elsewhere:?}");
}
