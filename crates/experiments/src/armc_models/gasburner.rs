//! A gas burner: gas must not leak for too long.

use super::product::{Automaton, Product, Stepping};

/// The purge phase that keeps the burner safe.
const SAFE_PURGE: i64 = 30;

/// A burner that purges for this long between two attempts, with `extras` automata that do not matter.
pub(super) fn gasburner(purge: i64, extras: usize) -> String {
    let about = "A gas burner: controller, flame, valve, heat request, and an observer who measures the leaks in some window of 30\n\
        time units. Gas leaks while the valve is open and there is no flame. No more than 4 units may leak in a window.";
    let mut automata = vec![controller(purge), flame(), leak(), request(), observer()];
    automata.extend([fan(), lamp()].into_iter().take(extras));
    Product {
        about,
        expect: if purge >= SAFE_PURGE { "safe" } else { "unsafe" },
        automata,
        clocks: vec!["X", "H", "W", "FAN", "LAMP", "UP"],
        chosen: Vec::new(),
        choice: Vec::new(),
        data: vec![("FLAME", "0"), ("GAS", "0"), ("LEAK", "0"), ("TOTAL", "0"), ("TRIES", "0"), ("BURNS", "0")],
        flow: Vec::new(),
        stepping: Stepping::Together,
    }
    .text()
}

/// Purges, tries to ignite twice, burns; reacts to a lost flame within one time unit. After three attempts it locks.
fn controller(purge: i64) -> Automaton {
    let purged = format!("X + LEN >= {purge}");
    let close = [("X", "0"), ("GAS", "0"), ("TRIES", "TRIES + 1")];
    let mut automaton = Automaton::new(&["heaton", "heatoff", "open", "close", "flameoff"])
        .phase("idle", &[], &[])
        .phase("purge", &[], &[])
        .phase("ignite", &["X + LEN =< 1"], &[])
        .phase("again", &["X + LEN =< 1"], &[])
        .phase("burn", &[], &[])
        .phase("react", &["X + LEN =< 1"], &[])
        .phase("locked", &[], &[])
        .edge(("idle", "purge"), &["heaton"], &[], &[("X", "0")])
        .edge(("locked", "idle"), &["heatoff"], &["X + LEN >= 60"], &[("TRIES", "0")])
        .edge(("purge", "idle"), &["heatoff"], &[], &[("X", "0")])
        .edge(("purge", "ignite"), &["open"], &[&purged], &[("X", "0"), ("GAS", "1")])
        .edge(("ignite", "again"), &[], &[], &[("X", "0")])
        .edge(("ignite", "again"), &["flameoff"], &[], &[("X", "0")])
        .edge(("again", "burn"), &[], &["FLAME = 1"], &[("BURNS", "BURNS + 1"), ("TRIES", "0")])
        .edge(("burn", "react"), &["flameoff"], &[], &[("X", "0")])
        .edge(("burn", "idle"), &["close", "heatoff"], &[], &[("X", "0"), ("GAS", "0")]);
    for from in ["again", "react"] {
        automaton = automaton.edge((from, "purge"), &["close"], &["TRIES < 2"], &close).edge(
            (from, "locked"),
            &["close"],
            &["TRIES >= 2"],
            &close,
        );
    }
    automaton
}

fn flame() -> Automaton {
    Automaton::new(&["close", "flameon", "flameoff"])
        .phase("dark", &[], &[])
        .phase("lit", &[], &[])
        .edge(("dark", "lit"), &["flameon"], &["GAS = 1"], &[("FLAME", "1")])
        .edge(("dark", "dark"), &["close"], &[], &[])
        .edge(("lit", "dark"), &["flameoff"], &[], &[("FLAME", "0")])
        .edge(("lit", "dark"), &["flameoff", "close"], &[], &[("FLAME", "0")])
        .edge(("lit", "dark"), &["close"], &[], &[("FLAME", "0")])
}

/// Whether gas leaks, and how much.
fn leak() -> Automaton {
    let flow = [("LEAK", "LEAK + LEN"), ("TOTAL", "TOTAL + LEN")];
    Automaton::new(&["open", "close", "flameon", "flameoff"])
        .phase("tight", &[], &[])
        .phase("leaking", &[], &flow)
        .edge(("tight", "leaking"), &["open"], &[], &[])
        .edge(("tight", "leaking"), &["flameoff"], &[], &[])
        .edge(("tight", "tight"), &["flameoff", "close"], &[], &[])
        .edge(("tight", "tight"), &["close"], &[], &[])
        .edge(("leaking", "tight"), &["flameon"], &[], &[])
        .edge(("leaking", "tight"), &["close"], &[], &[])
}

fn request() -> Automaton {
    Automaton::new(&["heaton", "heatoff"])
        .phase("cold", &[], &[])
        .phase("warm", &[], &[])
        .edge(("cold", "warm"), &["heaton"], &["H + LEN >= 2"], &[("H", "0")])
        .edge(("warm", "cold"), &["heatoff"], &["H + LEN >= 2"], &[("H", "0")])
}

/// Opens a window at some time, and sees whether too much leaks in it.
fn observer() -> Automaton {
    Automaton::new(&[])
        .phase("wait", &[], &[])
        .phase("watch", &["W + LEN =< 30"], &[])
        .phase("bad", &[], &[])
        .edge(("wait", "watch"), &[], &[], &[("W", "0"), ("LEAK", "0")])
        .edge(("watch", "wait"), &[], &[], &[])
        .edge(("watch", "bad"), &[], &["LEAK > 4"], &[])
}

fn fan() -> Automaton {
    Automaton::new(&["open"])
        .phase("still", &[], &[])
        .phase("blow", &["FAN + LEN =< 50"], &[])
        .edge(("still", "blow"), &[], &[], &[("FAN", "0")])
        .edge(("blow", "still"), &[], &["FAN + LEN >= 5"], &[])
        .edge(("blow", "blow"), &["open"], &[], &[])
        .edge(("still", "still"), &["open"], &[], &[])
}

fn lamp() -> Automaton {
    Automaton::new(&["flameon", "flameoff"])
        .phase("red", &[], &[])
        .phase("green", &[], &[])
        .edge(("red", "green"), &["flameon"], &[], &[("LAMP", "0")])
        .edge(("green", "red"), &["flameoff"], &[], &[("LAMP", "0")])
        .edge(("green", "red"), &[], &["LAMP + LEN >= 20"], &[])
}
