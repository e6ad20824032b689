//! Odometry of a train: where it is, as far as two sensors know.

use super::product::{Automaton, Product, Stepping};

/// Which bound is the property.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// The lower bound is not above the position.
    Lower,
    /// The upper bound, with what the train can have moved since, is not below the position.
    Upper,
    /// The upper bound is not too far from the position.
    Width,
}

/// Two wheel sensors feed the estimate `LB =< S =< UB` of the position. `error` is the error of a sensor per time unit (1
/// is what the estimate allows for); `modes` how many speeds the train has; `balises` whether it passes balises.
pub(super) fn odometry(bound: Bound, error: i64, modes: usize, balises: bool) -> String {
    let about = "Odometry: a train at position S; two wheel sensors count M1 and M2, each with a bounded error but while its wheel\n\
        slips; every few time units the bounds LB and UB are moved by what a sensor counted since the last time.";
    let property = match bound {
        Bound::Lower => "LB > S",
        Bound::Upper => "S > UB + 20*C",
        Bound::Width => "UB - S > 2100",
    };
    let mut automata = vec![sensor(1, error), sensor(2, error), fusion(), observer(property)];
    if modes > 1 {
        automata.push(train(modes));
    }
    if balises {
        automata.push(balise());
    }
    Product {
        about,
        expect: if error == 1 { "safe" } else { "unsafe" },
        automata,
        clocks: vec!["C", "B", "T1", "T2"],
        chosen: vec!["DS", "D1", "D2"],
        choice: vec!["DS >= 0".to_owned(), "DS =< 20*LEN".to_owned()],
        data: [("S", "0"), ("M1", "0"), ("M2", "0"), ("L1", "0"), ("L2", "0"), ("LB", "0"), ("UB", "0")].to_vec(),
        flow: super::system::pairs(&[("S", "S + DS"), ("M1", "M1 + D1"), ("M2", "M2 + D2")]),
        stepping: Stepping::Together,
    }
    .text()
}

/// A sensor: it counts well, or its wheel slips, for at most 10 time units: it spins and counts too much, or it slides.
fn sensor(i: u32, error: i64) -> Automaton {
    let (slip, grip) = if i == 1 { ("slip1", "grip1") } else { ("slip2", "grip2") };
    let low = format!("D{i} >= DS - {error}*LEN");
    let high = format!("D{i} =< DS + {error}*LEN");
    let (more, less) = (format!("D{i} >= DS"), format!("D{i} =< DS"));
    let (clock, limit) = (format!("T{i}"), format!("T{i} + LEN =< 10"));
    Automaton::new(&[slip, grip])
        .phase("good", &[&low, &high], &[])
        .phase("spins", &[&limit, &more], &[])
        .phase("slides", &[&limit, &less], &[])
        .edge(("good", "spins"), &[slip], &[], &[(&clock, "0")])
        .edge(("good", "slides"), &[slip], &[], &[(&clock, "0")])
        .edge(("spins", "good"), &[grip], &[], &[(&clock, "0")])
        .edge(("slides", "good"), &[grip], &[], &[(&clock, "0")])
}

/// Which sensors are trusted. A sensor that grips again is trusted from the next sample on.
fn fusion() -> Automaton {
    let by = |i: u32| (format!("LB + M{i} + D{i} - L{i} - C - LEN"), format!("UB + M{i} + D{i} - L{i} + C + LEN"));
    let ((lb1, ub1), (lb2, ub2)) = (by(1), by(2));
    let sample = |lb, ub| [("LB", lb), ("UB", ub), ("L1", "M1 + D1"), ("L2", "M2 + D2"), ("C", "0")];
    let (one, two) = (sample(&lb1, &ub1), sample(&lb2, &ub2));
    let blind = [("LB", "LB"), ("UB", "UB + 20*LEN")];
    let restart = [("LB", "LB"), ("UB", "UB + 20*LEN"), ("L1", "M1 + D1"), ("L2", "M2 + D2"), ("C", "0")];
    let cycle = "C + LEN =< 5";
    Automaton::new(&["slip1", "slip2", "grip1", "grip2"])
        .phase("both", &[cycle], &[])
        .phase("first", &[cycle], &[])
        .phase("second", &[cycle], &[])
        .phase("ready1", &[cycle], &[])
        .phase("ready2", &[cycle], &[])
        .phase("blind", &[], &blind)
        .edge(("both", "both"), &[], &[], &one)
        .edge(("both", "both"), &[], &["C + LEN >= 3"], &two)
        .edge(("both", "second"), &["slip1"], &[], &two)
        .edge(("both", "first"), &["slip2"], &[], &one)
        .edge(("both", "blind"), &["slip1", "slip2"], &[], &one)
        .edge(("first", "first"), &[], &[], &one)
        .edge(("first", "blind"), &["slip1"], &[], &one)
        .edge(("first", "ready2"), &["grip2"], &[], &[])
        .edge(("first", "second"), &["slip1", "grip2"], &[], &one)
        .edge(("ready2", "both"), &[], &[], &one)
        .edge(("ready2", "first"), &["slip2"], &[], &[])
        .edge(("ready2", "second"), &["slip1"], &[], &one)
        .edge(("ready2", "blind"), &["slip1", "slip2"], &[], &one)
        .edge(("second", "second"), &[], &[], &two)
        .edge(("second", "blind"), &["slip2"], &[], &two)
        .edge(("second", "ready1"), &["grip1"], &[], &[])
        .edge(("second", "first"), &["slip2", "grip1"], &[], &two)
        .edge(("ready1", "both"), &[], &[], &two)
        .edge(("ready1", "second"), &["slip1"], &[], &[])
        .edge(("ready1", "first"), &["slip2"], &[], &two)
        .edge(("ready1", "blind"), &["slip1", "slip2"], &[], &two)
        .edge(("blind", "first"), &["grip1"], &[], &restart)
        .edge(("blind", "second"), &["grip2"], &[], &restart)
        .edge(("blind", "both"), &["grip1", "grip2"], &[], &restart)
}

fn observer(property: &str) -> Automaton {
    Automaton::new(&[]).phase("run", &[], &[]).phase("bad", &[], &[]).edge(("run", "bad"), &[], &[property], &[])
}

/// The train's speeds, in steps; it changes by one step at a time, with some time between.
fn train(modes: usize) -> Automaton {
    const NAMES: [&str; 5] = ["still", "slow", "medium", "fast", "rush"];
    let names = &NAMES[..modes.min(NAMES.len())];
    let mut automaton = Automaton::new(&[]);
    for (i, name) in names.iter().enumerate() {
        automaton = automaton.phase(name, &[&format!("DS =< {}*LEN", 5 * i)], &[]);
    }
    for pair in names.windows(2) {
        automaton = automaton.edge((pair[0], pair[1]), &[], &[], &[]).edge((pair[1], pair[0]), &[], &[], &[]);
    }
    automaton
}

/// Balises tell the position, at least every 100 time units. Then the bounds start from it.
fn balise() -> Automaton {
    let here = [("LB", "S + DS"), ("UB", "S + DS"), ("L1", "M1 + D1"), ("L2", "M2 + D2"), ("C", "0"), ("B", "0")];
    Automaton::new(&[]).phase("track", &["B + LEN =< 100"], &[]).edge(
        ("track", "track"),
        &[],
        &["B + LEN >= 10"],
        &here,
    )
}
