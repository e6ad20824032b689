//! The certifier can say no: evidence that is almost right is rejected.

use clinch_certify::{Rejection, check_proof, check_trace};
use clinch_frontend::{Language, Options, parse};
use clinch_ir::cfa::unfold::{Point, Unfolding};
use clinch_ir::cfa::{CfaProof, Invariants, ProcedureId};
use clinch_ir::interleaving::Interleaving;
use clinch_ir::{
    AbstractProof, AbstractState, Dead, InputDomain, Interpreter, Layout, Program, Proof, State, StateSet, Step, Trace,
    TraceEnd, TransId,
};
use clinch_terms::{LocId, Term, Terms};

fn gcl(text: &str) -> Program {
    parse(Language::Gcl, "test.gcl", text.as_bytes(), &Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

const COUNTER: &str = "var x: 0..5 = 0; command up when x < 4 do x := x + 1; error x = 5;";

/// The error condition has no value for `x = 2`.
const UNDEFINED: &str = "var x: 0..5 = 0; command up when x < 4 do x := x + 1; error 6 / (x - 2) = 7;";

fn state(x: i64) -> State {
    State { locs: Vec::new(), cells: vec![x] }
}

fn set(program: &Program, values: &[i64]) -> Proof {
    let layout = Layout::new(program);
    let mut chunk = vec![0; layout.words * values.len()];
    for (i, &x) in values.iter().enumerate() {
        layout.pack(&state(x), &mut chunk[i * layout.words..(i + 1) * layout.words]);
    }
    Proof::ReachedSet(StateSet { layout, chunks: vec![chunk] })
}

fn rejected(program: &Program, proof: &Proof, why: &str) {
    match check_proof(program, proof, &|| false) {
        Err(Rejection::Wrong(text)) => assert!(text.contains(why), "{text}"),
        other => panic!("expected a rejection because of \"{why}\", got {other:?}"),
    }
}

#[test]
fn closed_sets() {
    let program = gcl(COUNTER);
    check_proof(&program, &set(&program, &[0, 1, 2, 3, 4]), &|| false).expect("the reachable states");
    rejected(&program, &set(&program, &[0, 1, 2, 4]), "a successor is missing");
    rejected(&program, &set(&program, &[1, 2, 3, 4]), "an initial state is missing");
    rejected(&program, &set(&program, &[0, 1, 2, 3, 4, 5]), "it contains an error");
    let stuck = {
        let mut p = program.clone();
        p.property.deadlock = true;
        p
    };
    rejected(&stuck, &set(&stuck, &[0, 1, 2, 3, 4]), "it contains a deadlock");
    let faulty = gcl("var x: 0..5 = 0; command up do x := x + 1;");
    rejected(&faulty, &set(&faulty, &[0, 1, 2, 3, 4, 5]), "a fault");
    let undefined = gcl(UNDEFINED);
    rejected(&undefined, &set(&undefined, &[0, 1, 2, 3, 4]), "it contains an error");
    rejected(&gcl("var x: bool = false;"), &set(&program, &[0]), "another program");
    assert_eq!(check_proof(&program, &set(&program, &[0, 1, 2, 3, 4]), &|| true), Err(Rejection::Stopped));
}

/// Two processes that pass a token, with an input each round: more states than are looked up at a time.
const RING: &str = "
    var token: 0..1 = 0, a: 0..15[2] = 0;
    process P(i: 0..1) {
      var n: 0..9 = 0;
      loc idle, has, done;
      idle -> has when token = i do n := (n + 1) % 10;
      has -> done do a[i] := input;
      done -> idle do token := 1 - i;
    }
    error a[0] > 15;";

/// The reachable states, in an order of no meaning.
fn reachable(program: &Program) -> Vec<State> {
    let interpreter = Interpreter::new(program);
    let mut found = std::collections::BTreeSet::new();
    let mut open = Vec::new();
    assert!(interpreter.for_each_initial(InputDomain::default(), |state| open.push(state)));
    while let Some(state) = open.pop() {
        if found.insert(state.clone()) {
            for id in program.transition_ids() {
                let mut add = |inputs: &[i64]| open.extend(interpreter.fire(&state, id, inputs).expect("no faults"));
                assert!(interpreter.for_each_input(id, InputDomain::default(), &mut add));
            }
        }
    }
    found.into_iter().collect()
}

fn in_chunks(program: &Program, states: &[State]) -> Proof {
    let layout = Layout::new(program);
    let pack = |state: &State| {
        let mut words = vec![0; layout.words];
        layout.pack(state, &mut words);
        words
    };
    let chunks = states.chunks(1000).map(|chunk| chunk.iter().flat_map(pack).collect()).collect();
    Proof::ReachedSet(StateSet { layout, chunks })
}

/// Whichever state is missing, it is missed.
#[test]
fn large_closed_sets() {
    let program = gcl(RING);
    let states = reachable(&program);
    assert!(states.len() > 5000, "{}", states.len());
    check_proof(&program, &in_chunks(&program, &states), &|| false).expect("the reachable states");
    for missing in (0..states.len()).step_by(97) {
        let mut others = states.clone();
        others.swap_remove(missing);
        rejected(&program, &in_chunks(&program, &others), "is missing");
    }
    let mut more = states;
    more.push(State { locs: vec![LocId(3), LocId(0)], ..more[0].clone() });
    rejected(&program, &in_chunks(&program, &more), "no location");
}

/// `given` is dead where it was added, `part` and an element of `list` where they are not yet read; what the other process reads never is.
const FORGETFUL: &str = "
    var sum: 0..9 = 0, k: 0..2 = 0, list: 0..3[2] = 0, other: 0..1[2] = 0;
    process P {
      var given: 0..3 = 0, part: 0..3 = 0;
      loc idle, read, add;
      idle -> read do given := input;
      read -> add do part := given, list[1] := given;
      add -> idle when sum + part + list[1] <= 9 && k < 2 do sum := sum + part;
      idle -> idle do k := (k + 1) % 3;
    }
    process Q { loc start; start -> start when k = 2 && other[k - 1] = 0 && list[0] = 0 do other[0] := 1; }
    error sum > 9;";

/// A claim that these variables, by name, or elements are dead at these locations of the first process.
fn claim(program: &Program, places: &[(u32, &str)]) -> Dead {
    let mut at: Vec<Vec<Vec<usize>>> = program.processes.iter().map(|p| vec![Vec::new(); p.locations.len()]).collect();
    for (location, name) in places {
        let (name, element) = name.split_once('@').unwrap_or((name, "0"));
        let var = program.vars.iter().find(|var| var.name.ends_with(name)).expect("a variable of the program");
        at[0][*location as usize].push(var.first_cell as usize + element.parse::<usize>().expect("a number"));
    }
    at[0].iter_mut().for_each(|cells| cells.sort_unstable());
    Dead::new(at)
}

fn forgetful(program: &Program, dead: &Dead, leave_out: Option<usize>) -> Proof {
    let mut states = reachable(&dead.forget(program));
    if let Some(number) = leave_out {
        states.swap_remove(number);
    }
    let Proof::ReachedSet(states) = in_chunks(program, &states) else { unreachable!("states are a set") };
    Proof::ForgetfulSet(states, dead.clone())
}

#[test]
fn what_is_dead() {
    let program = gcl(FORGETFUL);
    let dead = Dead::of(&program);
    assert_eq!(
        dead,
        claim(&program, &[(0, "given"), (0, "part"), (0, "list@1"), (1, "part"), (1, "list@1"), (2, "given")])
    );
    check_proof(&program, &forgetful(&program, &dead, None), &|| false).expect("the states apart from what is dead");
    let (all, fewer) = (reachable(&program).len(), reachable(&dead.forget(&program)).len());
    assert!(fewer * 2 < all, "{fewer} of {all}");
    for number in 0..fewer {
        rejected(&program, &forgetful(&program, &dead, Some(number)), "is missing");
    }
    // Without the claim the same set is no proof.
    let Proof::ForgetfulSet(set, _) = forgetful(&program, &dead, None) else { unreachable!() };
    rejected(&program, &Proof::ReachedSet(set), "is missing");
    for (places, why) in [
        (&[(1, "given")][..], "a transition reads one"),
        (&[(2, "part")], "a transition reads one"),
        (&[(0, "k"), (1, "k"), (2, "k")], "a transition reads one"),
        (&[(0, "given"), (0, "part")], "comes back to life"),
        (&[(2, "given")], "comes back to life"),
        (&[(0, "sum")], "the error depends on one"),
        (&[(0, "other@1"), (1, "other@1"), (2, "other@1")], "a transition reads one"),
        (&[(2, "list@1")], "a transition reads one"),
        (&[(0, "list@1")], "comes back to life"),
    ] {
        rejected(&program, &forgetful(&program, &claim(&program, places), None), why);
    }
    let beyond = Dead::new(vec![vec![vec![99]]]);
    rejected(
        &program,
        &Proof::ForgetfulSet(StateSet { layout: Layout::new(&program), chunks: vec![] }, beyond),
        "no such cell",
    );
}

/// A formula over the one variable, at the start and at the head of the loop that processes are read as.
fn at_head(program: &Program, formula: impl Fn(&mut Terms, Term) -> Term) -> Proof {
    let automaton = Interleaving::new(program).expect("finite").automaton;
    let procedure = ProcedureId(0);
    let mut terms = automaton.terms.clone();
    Unfolding::new(&automaton, &mut terms);
    let x = terms.symbol(automaton.globals[0].symbol);
    let invariant = formula(&mut terms, x);
    let heads = automaton.procedures[0].loop_heads();
    let head = LocId::from_index(heads.iter().position(|head| *head).expect("a loop"));
    let at = |location| Point { calls: Box::default(), procedure, location };
    let points = vec![(at(automaton.procedures[0].entry), invariant), (at(head), invariant)];
    Proof::Interleaved(CfaProof::Invariants(Invariants { terms, points, bound: None }))
}

#[test]
fn proofs_about_processes_as_one_procedure() {
    let program = gcl(COUNTER);
    let at_most = |most: u64| {
        move |terms: &mut Terms, x: Term| {
            let most = terms.bit_vec(3, most);
            terms.bv_ule(x, most)
        }
    };
    check_proof(&program, &at_head(&program, at_most(4)), &|| false).expect("x <= 4");
    rejected(&program, &at_head(&program, at_most(3)), "");
    rejected(&program, &at_head(&program, at_most(5)), "");
    let mut stuck = program.clone();
    stuck.property.deadlock = true;
    rejected(&stuck, &at_head(&stuck, at_most(4)), "");
    let faulty = gcl("var x: 0..5 = 0; command up do x := x + 1;");
    rejected(&faulty, &at_head(&faulty, at_most(5)), "");
    let unbounded = gcl("var x: int = 0; command up do x := x + 1; error x < 0;");
    let program_of_another = at_head(&program, at_most(4));
    rejected(&unbounded, &program_of_another, "another program");
}

fn trace(values: &[i64], end: TraceEnd) -> Trace {
    let step = |&x: &i64| Step { transition: TransId(0), inputs: Vec::new(), state: state(x) };
    Trace { initial: state(values[0]), steps: values[1..].iter().map(step).collect(), end }
}

#[test]
fn traces() {
    let program = gcl("var x: 0..5 = 0; command up when x < 5 do x := x + 1; error x = 2;");
    check_trace(&program, &trace(&[0, 1, 2], TraceEnd::Error)).expect("a real trace");
    for wrong in [&[0, 1][..], &[1, 2], &[0, 2], &[0, 1, 2, 3]] {
        assert!(check_trace(&program, &trace(wrong, TraceEnd::Error)).is_err(), "{wrong:?}");
    }
    assert!(check_trace(&program, &trace(&[0, 1, 2, 3, 4, 5], TraceEnd::Deadlock)).is_err(), "not asked for");
    let undefined = gcl(UNDEFINED);
    check_trace(&undefined, &trace(&[0, 1, 2], TraceEnd::Error)).expect("a condition without a value is an error");
    assert!(check_trace(&undefined, &trace(&[0, 1], TraceEnd::Error)).is_err());
    let fault = TraceEnd::Fault(TransId(0), Vec::new(), clinch_terms::Fault::DivisionByZero);
    assert!(check_trace(&program, &trace(&[0], fault)).is_err());
}

/// `x <= 4` and its abstract states.
fn invariant(program: &Program, states: &[bool]) -> Proof {
    let mut terms = program.terms.clone();
    let (x, four) = (terms.var(clinch_terms::VarId(0)), terms.int(4));
    let predicate = terms.le(x, four);
    let states = states.iter().map(|&value| AbstractState { locs: Vec::<LocId>::new(), literals: vec![(0, value)] });
    let states: Vec<AbstractState> = states.collect();
    let successors = vec![Vec::new(); states.len()];
    Proof::AbstractStates(AbstractProof { terms, predicates: vec![predicate], states, successors })
}

#[test]
fn invariants() {
    let program = gcl(COUNTER);
    check_proof(&program, &invariant(&program, &[true]), &|| false).expect("inductive, without hints");
    rejected(&program, &invariant(&program, &[]), "an initial state is not in it");
    rejected(&program, &invariant(&program, &[true, false]), "it contains an error");
    let leaves = gcl("var x: 0..9 = 0; command up when x < 8 do x := x + 1; error x = 9;");
    rejected(&leaves, &invariant(&leaves, &[true]), "a step leaves it");
    let faulty = gcl("var x: 0..4 = 0; command up do x := x + 1;");
    rejected(&faulty, &invariant(&faulty, &[true]), "a fault");
    let undefined = gcl(UNDEFINED);
    rejected(&undefined, &invariant(&undefined, &[true]), "it contains an error");
    let mut stuck = program.clone();
    stuck.property.deadlock = true;
    rejected(&stuck, &invariant(&stuck, &[true]), "it contains a deadlock");
}

#[test]
fn the_interpreter_knows_initial_states() {
    let program = gcl("var x: 0..2; var y: 0..1 = 1;");
    let mut count = 0;
    assert!(Interpreter::new(&program).for_each_initial(InputDomain::default(), |s| {
        assert_eq!(s.cells[1], 1);
        count += 1;
    }));
    assert_eq!(count, 3);
}
