use clinch_analyses::clauses::Encoding;
use clinch_ir::cfa::CfaVerdict;
use clinch_terms::Sort;

use super::*;
use crate::{Budget, Observer, Progress, bounded, lazy, testing};

/// A loop, and a global that it reads.
fn program() -> CfaProgram {
    let text = "
        extern void reach_error(void);
        unsigned limit = 100;
        int main(void) {
            unsigned i = 0;
            while (i < limit) i += 2;
            if (i > 200) reach_error();
            return 0;
        }";
    testing::program(text)
}

fn fact(what: Known) -> Fact {
    Fact { from: "test".to_owned(), what }
}

/// The head of the loop, and its counter.
fn head(program: &CfaProgram) -> (Place, Symbol) {
    for (i, procedure) in program.procedures.iter().enumerate() {
        if let Some(location) = procedure.loop_heads().iter().position(|is_head| *is_head) {
            let own = |s: &&Symbol| program.terms.symbol_name(**s).starts_with('i');
            let counter = procedure.locals.iter().find(own).expect("the counter");
            let at = Place { procedure: ProcedureId::from_index(i), location: LocId::from_index(location) };
            return (at, *counter);
        }
    }
    panic!("there is a loop");
}

/// `counter <= 100`, in a store of its own.
fn bound(program: &CfaProgram, counter: Symbol) -> (Terms, Term) {
    let mut terms = program.terms.clone();
    let (i, most) = (terms.symbol(counter), terms.bit_vec(32, 100));
    let formula = terms.bv_ule(i, most);
    (terms, formula)
}

#[test]
fn what_is_told_is_learned_once() {
    let program = program();
    let (at, counter) = head(&program);
    let (terms, formula) = bound(&program, counter);
    let index = u32::try_from(counter.index()).expect("few symbols");
    let bounds = Bounds { default: 3, of: vec![(Repeated::Loop(at), 7)] };
    let told = [
        Known::invariant(&program, &terms, at, formula).expect("about the procedure"),
        Known::candidate(&program, &terms, at, formula).expect("about the program"),
        Known::predicate(&program, &terms, at, formula).expect("about the program"),
        Known::State { at, values: vec![(index, 4)] },
        Known::control(&program, &[counter]).expect("a variable of the program"),
    ];
    let facts: Vec<Fact> = told.into_iter().map(fact).collect();
    let text = serde_json::to_string(&facts).expect("plain data");
    let facts: Vec<Fact> = serde_json::from_str(&text).expect("what was written");
    let mut learned = Learned::default();
    let mut terms = program.terms.clone();
    assert_eq!(learned.absorb(&facts, &program, &mut terms), facts.len());
    assert_eq!(learned.absorb(&facts, &program, &mut terms), 0);
    let formula = learned.invariants[&at][0];
    assert_eq!(terms.sort(formula), Sort::Bool);
    assert_eq!((&learned.candidates[&at], &learned.predicates[&at]), (&vec![formula], &vec![formula]));
    assert_eq!(learned.states[&at], [vec![(counter, 4)]]);
    assert_eq!(learned.absorb(&[fact(Known::NoErrorWithin(bounds))], &program, &mut terms), 0);
    assert!(learned.control.contains(&counter));
}

#[test]
fn what_makes_no_sense_is_ignored() {
    let program = program();
    let (at, counter) = head(&program);
    let (terms, formula) = bound(&program, counter);
    let nowhere = Place { location: LocId(10_000), ..at };
    let Some(Known::Candidate { formula, .. }) = Known::candidate(&program, &terms, at, formula) else {
        panic!("it can be told")
    };
    let strange = [
        Known::Candidate { at: nowhere, formula: formula.clone() },
        Known::Invariant { at: Place { procedure: ProcedureId(99), ..at }, formula: formula.clone() },
        // The counter has no value in the procedure that calls main.
        Known::Invariant { at: Place { procedure: program.entry, location: LocId(0) }, formula: formula.clone() },
        Known::Predicate { procedure: ProcedureId(99), location: None, formula },
        Known::State { at, values: vec![(u32::MAX, 0)] },
        Known::State { at, values: vec![(u32::try_from(counter.index()).expect("few symbols"), u64::MAX)] },
        Known::Control(vec![u32::MAX]),
    ];
    let mut learned = Learned::default();
    let facts: Vec<Fact> = strange.into_iter().map(fact).collect();
    assert_eq!(learned.absorb(&facts, &program, &mut program.terms.clone()), 0, "{learned:?}");
}

#[test]
fn what_says_nothing_is_not_told() {
    let program = program();
    let (at, counter) = head(&program);
    let mut terms = program.terms.clone();
    let (i, all) = (terms.symbol(counter), terms.bit_vec(32, u64::MAX));
    let wide = terms.zero_extend(32, i);
    let beyond = terms.bit_vec(64, 1 << 32);
    for trivial in [terms.tt(), terms.bv_ule(i, all), terms.bv_sle(wide, beyond)] {
        assert_eq!(Known::candidate(&program, &terms, at, trivial), None);
    }
    // A symbol that an engine made is nobody else's.
    let own = terms.fresh("mine", Sort::Bool);
    assert_eq!(Known::predicate(&program, &terms, at, own), None);
}

#[test]
fn nobody_tells_too_much() {
    let program = program();
    let (at, _) = head(&program);
    let mut quota = Quota::default();
    let states = (0..1000).filter(|&n| quota.admits(&Known::State { at, values: vec![(0, n)] })).count();
    assert_eq!(states, MAX_STATES);
    let others = (0..10_000).filter(|&n| quota.admits(&Known::Control(vec![n]))).count();
    assert_eq!(states + others, MAX_FACTS);
    assert!(!quota.admits(&Known::Control(vec![0])));
}

/// An observer that tells an engine what it should know, and keeps what the engine tells.
#[derive(Default)]
struct Others {
    facts: Vec<Fact>,
    quota: Quota,
    told: Vec<Known>,
}

impl Observer for Others {
    fn progress(&mut self, _: Progress) {}

    fn shares(&self) -> bool {
        true
    }

    fn tell(&mut self, fact: Known) {
        if self.quota.admits(&fact) {
            self.told.push(fact);
        }
    }

    fn heard(&mut self) -> Vec<Fact> {
        std::mem::take(&mut self.facts)
    }
}

/// Facts that engines tell make sense to others, and wrong ones do not change a verdict.
#[test]
fn engines_tell_what_others_understand() {
    let program = program();
    let (at, counter) = head(&program);
    let mut others = Others::default();
    let (verdict, _) = bounded::check(&program, &bounded::Config::default(), &Budget::unlimited(), &mut others);
    assert!(matches!(verdict, CfaVerdict::Safe(_)), "{verdict:?}");
    let mut terms = program.terms.clone();
    let (i, three) = (terms.symbol(counter), terms.bit_vec(32, 3));
    let wrong = terms.bv_ule(i, three);
    others.facts.extend(Known::invariant(&program, &terms, at, wrong).map(fact));
    let (verdict, stats) =
        lazy::check(&program, Encoding::Bits, &lazy::Config::default(), &Budget::unlimited(), &mut others);
    assert!(matches!(verdict, CfaVerdict::Safe(_)), "{verdict:?}");
    assert_eq!((stats.facts.len(), stats.predicates_of_others), (1, 1));
    let kinds = |known: &Known| match known {
        Known::NoErrorWithin(_) => "bounds",
        Known::Invariant { .. } => "invariant",
        _ => "other",
    };
    let told: Vec<&str> = others.told.iter().map(kinds).collect();
    assert!(told.contains(&"bounds") && told.contains(&"invariant"), "{told:?}");
    let facts: Vec<Fact> =
        others.told.into_iter().filter(|known| !matches!(known, Known::NoErrorWithin(_))).map(fact).collect();
    assert_eq!(Learned::default().absorb(&facts, &program, &mut program.terms.clone()), facts.len());
}
