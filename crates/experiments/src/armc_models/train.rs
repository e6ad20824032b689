//! Trains: speed supervision by movement authority, and deadlines of a chain of stages.

use super::product::{Automaton, Product, Stepping};

/// Time between two checks of the speed.
const CYCLE: i64 = 4;

/// Time a brake takes to lose one step of speed.
const BRAKE: i64 = 6;

/// The distance to stop from speed step `k`.
fn stopping(k: i64) -> i64 {
    (1..=k).map(|j| 10 * j * BRAKE).sum()
}

/// The distance that must be free for a check at speed step `k`.
fn needed(k: i64, margin: i64) -> i64 {
    10 * k * margin + stopping(k)
}

const DRIVE: [&str; 4] = ["drive1", "drive2", "drive3", "drive4"];
const BRAKES: [&str; 4] = ["brake1", "brake2", "brake3", "brake4"];

/// A train that follows another one. It has `steps` (up to 4) steps of speed; `margin` is the time a check looks ahead;
/// `extras` is how many automata there are besides that do not matter (up to 2).
pub(super) fn control(steps: usize, margin: i64, extras: usize) -> String {
    let about = "A train follows another one. The control centre grants it authority to move up to the rear of the one ahead. Every 4\n\
        time units the train checks whether it could still stop in time, and brakes otherwise. They do not collide.";
    let mut automata = vec![train(steps, margin), ahead(), centre(), observer()];
    automata.extend([radio(), driver()].into_iter().take(extras));
    Product {
        about,
        expect: if margin >= CYCLE { "safe" } else { "unsafe" },
        automata,
        clocks: vec!["X", "Y", "R", "Q", "A", "T"],
        chosen: vec!["DS", "DR", "EXT"],
        choice: super::system::list(&["DS >= 0", "DR >= 0", "EXT >= 0"]),
        data: vec![("POS", "0"), ("MA", "0"), ("REAR", "0"), ("GRANTS", "0"), ("ALARMS", "0"), ("STOPS", "0")],
        flow: super::system::pairs(&[("POS", "POS + DS"), ("REAR", "REAR + DR")]),
        stepping: Stepping::Together,
    }
    .text()
}

/// The train: at rest, driving or braking, at some step of speed.
fn train(steps: usize, margin: i64) -> Automaton {
    let (drive, brake) = (&DRIVE[..steps.min(4)], &BRAKES[..steps.min(4)]);
    let free = |k: i64| format!("MA - POS - DS >= {}", needed(k, margin));
    let mut train = Automaton::new(&["alarm"]).phase("rest", &["DS = 0"], &[]);
    for (k, (&drive, &brake)) in (1..).zip(drive.iter().zip(brake)) {
        let speed = format!("DS =< {}*LEN", 10 * k);
        train = train.phase(drive, &[&format!("X + LEN =< {CYCLE}"), &speed], &[]);
        train = train.phase(brake, &[&format!("Y + LEN =< {BRAKE}"), &speed], &[]);
    }
    train =
        train.edge(("rest", drive[0]), &[], &[&free(1)], &[("X", "0")]).edge(("rest", "rest"), &["alarm"], &[], &[]);
    for (k, (&here, &brakes)) in (1..).zip(drive.iter().zip(brake)) {
        let slower = usize::try_from(k - 2).ok().map(|below| brake[below]);
        let halt = [("Y", "0"), ("STOPS", "STOPS + 1")];
        train = train
            .edge((here, here), &[], &[&free(k)], &[("X", "0")])
            .edge((here, brakes), &[], &[], &[("Y", "0")])
            .edge((here, brakes), &["alarm"], &[], &[("Y", "0")])
            .edge((brakes, brakes), &["alarm"], &[], &[])
            .edge((brakes, slower.unwrap_or("rest")), &[], &[], if k == 1 { &halt } else { &halt[..1] });
        if let Some(&faster) = drive.get(k as usize) {
            train = train.edge((here, faster), &[], &[&free(k + 1)], &[("X", "0")]);
            train = train.edge((BRAKES[k as usize], here), &[], &[&free(k)], &[("X", "0")]);
        }
    }
    train
}

fn ahead() -> Automaton {
    Automaton::new(&[])
        .phase("waits", &["DR = 0"], &[])
        .phase("goes", &[], &[])
        .edge(("waits", "goes"), &[], &[], &[])
        .edge(("goes", "waits"), &[], &[], &[])
}

/// The centre grants more authority, at most every 3 time units, or raises an alarm.
fn centre() -> Automaton {
    let grant = [("MA", "MA + EXT"), ("R", "0"), ("GRANTS", "GRANTS + 1")];
    Automaton::new(&["grant", "alarm"])
        .phase("quiet", &[], &[])
        .phase("busy", &["R + LEN =< 20"], &[])
        .phase("worried", &[], &[])
        .edge(("quiet", "busy"), &["grant"], &["MA + EXT =< REAR"], &grant)
        .edge(("busy", "quiet"), &[], &["R + LEN >= 3"], &[])
        .edge(("quiet", "worried"), &["alarm"], &[], &[("A", "0"), ("ALARMS", "ALARMS + 1")])
        .edge(("busy", "worried"), &["alarm"], &[], &[("A", "0"), ("ALARMS", "ALARMS + 1")])
        .edge(("worried", "quiet"), &[], &["A + LEN >= 30"], &[])
}

fn radio() -> Automaton {
    Automaton::new(&["grant"])
        .phase("up", &[], &[])
        .phase("down", &["Q + LEN =< 15"], &[])
        .edge(("up", "up"), &["grant"], &[], &[])
        .edge(("up", "down"), &[], &[], &[("Q", "0")])
        .edge(("down", "up"), &[], &["Q + LEN >= 2"], &[("Q", "0")])
}

fn driver() -> Automaton {
    Automaton::new(&[])
        .phase("awake", &["T + LEN =< 60"], &[])
        .phase("asked", &["T + LEN =< 5"], &[])
        .edge(("awake", "asked"), &[], &["T + LEN >= 30"], &[("T", "0")])
        .edge(("asked", "awake"), &[], &[], &[("T", "0")])
}

fn observer() -> Automaton {
    Automaton::new(&[]).phase("run", &[], &[]).phase("bad", &[], &[]).edge(("run", "bad"), &[], &["POS > REAR"], &[])
}

const STAGES: [&str; 8] = ["s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"];
const STAGE_CLOCKS: [&str; 8] = ["C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8"];
const OTHER_CLOCKS: [&str; 9] = ["E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9"];
const COUNTERS: [&str; 28] = [
    "K1", "K2", "K3", "K4", "K5", "K6", "K7", "K8", "K9", "N1", "N2", "N3", "N4", "N5", "N6", "N7", "N8", "N9", "J1",
    "J2", "J3", "J4", "J5", "J6", "J7", "J8", "J9", "TURNS",
];

/// A message that passes `stages` (up to 8) stages, each within its time, among `others` (up to 9) automata that do not
/// matter. `slack` is what the deadline leaves over; less than 0 is too little.
pub(super) fn timing(stages: usize, others: usize, slack: i64) -> String {
    let about = "A message passes a chain of stages, each with a time bound of its own, while other automata go their way. It arrives\n\
        in time.";
    let (stages, others) = (stages.min(STAGES.len()), others.min(OTHER_CLOCKS.len()));
    let mut automata = vec![chain(stages, slack)];
    automata.extend((0..others).map(other));
    let clocks = STAGE_CLOCKS[..stages].iter().chain(&OTHER_CLOCKS[..others]).chain(&["TOTAL"]).copied();
    let counters = COUNTERS.iter().enumerate().filter(|(i, _)| i % 9 < others || *i == 27).map(|(_, c)| (*c, "0"));
    Product {
        about,
        expect: if slack >= 0 { "safe" } else { "unsafe" },
        automata,
        clocks: clocks.collect(),
        chosen: Vec::new(),
        choice: Vec::new(),
        data: counters.collect(),
        flow: Vec::new(),
        stepping: Stepping::OneOfTheRest(1),
    }
    .text()
}

fn chain(stages: usize, slack: i64) -> Automaton {
    let bounds: Vec<i64> = (2..).take(stages).collect();
    let late = format!("TOTAL + LEN > {}", bounds.iter().sum::<i64>() + slack);
    let mut chain = Automaton::new(&[]).phase("idle", &[], &[]);
    for (i, bound) in bounds.iter().enumerate() {
        chain = chain.phase(STAGES[i], &[&format!("{} + LEN =< {bound}", STAGE_CLOCKS[i])], &[]);
    }
    chain = chain.phase("bad", &[], &[]).edge(("idle", "s1"), &[], &[], &[("C1", "0"), ("TOTAL", "0")]);
    for i in 1..stages {
        chain = chain.edge((STAGES[i - 1], STAGES[i]), &[], &[], &[(STAGE_CLOCKS[i], "0")]);
    }
    let last = STAGES[stages - 1];
    chain.edge((last, "idle"), &[], &[], &[("TURNS", "TURNS + 1")]).edge((last, "bad"), &[], &[&late], &[])
}

/// Something with a clock and three counters.
fn other(i: usize) -> Automaton {
    let clock = OTHER_CLOCKS[i];
    let (k, n, j) = (COUNTERS[i], COUNTERS[9 + i], COUNTERS[18 + i]);
    let (more, less, sum) = (format!("{k} + 1"), format!("{n} + {k}"), format!("{j} - {n}"));
    let (early, due) = (format!("{clock} + LEN =< {}", 10 + i), format!("{clock} + LEN >= {}", 1 + i));
    Automaton::new(&[])
        .phase("off", &[], &[])
        .phase("on", &[&early], &[])
        .edge(("off", "on"), &[], &[], &[(clock, "0"), (k, &more)])
        .edge(("on", "off"), &[], &[&due], &[(clock, "0"), (n, &less), (j, &sum)])
}
