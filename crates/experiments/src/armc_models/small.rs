//! The small systems of \[Subsumer\]: `bakery3` and `triple2`.

use super::system::{System, list, pairs};

/// The bakery algorithm of three processes, program counters as data: 9 variables, 31 transitions, 3 locations.
pub(super) fn bakery() -> String {
    let about = "Lamport's bakery algorithm with three processes. P: 0 idle, 1 choosing, 2 waits for the first of the others,\n\
        3 for the second, 4 critical; C: whether it is choosing; N: its ticket.";
    let vars = ["P1", "P2", "P3", "C1", "C2", "C3", "N1", "N2", "N3"];
    let mut system = System::new(about, "safe", &vars, "init");
    let zero: Vec<(&str, &str)> = vars.iter().map(|v| (*v, "0")).collect();
    system.transition("init", "run", &[], &pairs(&zero));
    for i in 1..=3 {
        let others: Vec<u32> = (1..=3).filter(|j| *j != i).collect();
        let (j, k) = (others[0], others[1]);
        let mut step = |guard: &str, set: &str| {
            let name = |text: &str| {
                let text = text.replace("#i", &i.to_string());
                text.replace("#j", &j.to_string()).replace("#k", &k.to_string())
            };
            let (guard, set) = (name(guard), name(set));
            let set: Vec<(&str, &str)> = set.split("; ").filter_map(|a| a.split_once(" := ")).collect();
            system.transition("run", "run", &list(&guard.split("; ").collect::<Vec<_>>()), &pairs(&set));
        };
        step("P#i = 0", "P#i := 1; C#i := 1");
        step("P#i = 1; N#j >= N#k", "P#i := 2; C#i := 0; N#i := N#j + 1");
        step("P#i = 1; N#j < N#k", "P#i := 2; C#i := 0; N#i := N#k + 1");
        for (phase, other, rank) in [(2, "#j", j), (3, "#k", k)] {
            let (at, next) = (format!("P#i = {phase}; C{other} = 0"), format!("P#i := {}", phase + 1));
            step(&format!("{at}; N{other} = 0"), &next);
            step(&format!("{at}; N#i < N{other}"), &next);
            if i < rank {
                step(&format!("{at}; N#i = N{other}"), &next);
            }
        }
        step("P#i = 4", "P#i := 0; N#i := 0");
    }
    for (i, j) in [(1, 2), (1, 3), (2, 3)] {
        system.transition("run", "error", &[format!("P{i} = 4"), format!("P{j} = 4")], &[]);
    }
    system.finish()
}

/// Three counters that go through three modes: 3 variables, 8 transitions, 3 locations.
///
/// `rise` is how much Y grows per step of the first mode; 2 is safe.
pub(super) fn triple(half: i64, rise: i64) -> String {
    let about = "Three counters: X cycles; Y grows in the first half of a cycle and is moved to Z in the second, where what is\n\
        left over is thrown away; Z is emptied in portions. Y is never negative nor above its peak, Z never negative.";
    let expect = if rise == 2 { "safe" } else { "unsafe" };
    let mut system = System::new(about, expect, &["X", "Y", "Z"], "init");
    let mut step = |to: &str, guard: &[String], set: &[(&str, &str)]| {
        system.transition(if guard.is_empty() { "init" } else { "run" }, to, guard, &pairs(set));
    };
    let (up, portion) = (format!("Y + {rise}"), format!("Z - {half}"));
    step("run", &[], &[("X", "0"), ("Y", "0"), ("Z", "0")]);
    step("run", &[format!("X < {half}")], &[("X", "X + 1"), ("Y", &up)]);
    step(
        "run",
        &[format!("X >= {half}"), format!("X < {}", 2 * half)],
        &[("X", "X + 1"), ("Y", "Y - 1"), ("Z", "Z + 1")],
    );
    step("run", &[format!("X >= {}", 2 * half)], &[("X", "0"), ("Y", &format!("Y - {half}"))]);
    step("run", &[format!("Z >= {half}")], &[("Z", &portion)]);
    step("error", &list(&["Y < 0"]), &[]);
    step("error", &[format!("Y > {}", 2 * half)], &[]);
    step("error", &list(&["Z < 0"]), &[]);
    system.finish()
}
