//! Sequential systems with many counters, of the size of `model-test`.

use super::system::{System, list, pairs};

/// What must hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// No piece gets lost: what is in the buffers and in hand is what was there at first.
    Conservation,
    /// Each buffer holds what came in and did not go out.
    Balance,
    /// The same, but the fourth station forgets to count.
    Miscount,
}

const VARS: [&str; 16] =
    ["Q1", "Q2", "Q3", "Q4", "T1", "T2", "T3", "T4", "H", "K", "N", "MODE", "FAILS", "REPAIRS", "ROUND", "BUDGET"];

/// Stations that take pieces from their buffer, work on them, and put them into the next one's, one station at a time.
pub(super) fn workshop(stations: usize, check: Check) -> String {
    let about = "A workshop: each station in turn takes one or two pieces from its buffer Q, works on them in one of three modes, and\n\
        puts them into the next buffer; work may fail, then the pieces go back. T counts what each station put, H is in hand.";
    let expect = if check == Check::Miscount { "unsafe" } else { "safe" };
    let mut system = System::new(about, expect, &VARS, "start");
    let empty: Vec<(&str, &str)> = VARS[1..].iter().filter(|v| **v != "N").map(|v| (*v, "0")).collect();
    system.transition("start", "plan", &list(&["Q1 = N", "N >= 1", "N =< 1000"]), &pairs(&empty));
    for mode in 0..3 {
        let set = [("MODE", mode.to_string()), ("BUDGET", "_".to_owned())];
        let set = set.map(|(v, e)| (v.to_owned(), e));
        system.transition("plan", "poll(1)", &[format!("BUDGET >= {mode}")], &set);
    }
    for i in 1..=stations {
        station(&mut system, i, stations, check);
    }
    system.finish()
}

fn station(system: &mut System, i: usize, stations: usize, check: Check) {
    let after = if i == stations { "plan".to_owned() } else { format!("poll({})", i + 1) };
    let at = |name: &str| if name == "next" || name == "error" { name.to_owned() } else { format!("{name}({i})") };
    let put = i % stations + 1;
    let mut step = |from: &str, to: &str, guard: &str, set: &str| {
        let fill = |text: &str| text.replace('#', &i.to_string()).replace('@', &put.to_string());
        let (guard, set) = (fill(guard), fill(set));
        let guard: Vec<&str> = guard.split("; ").filter(|g| !g.is_empty()).collect();
        let set: Vec<(&str, &str)> = set.split("; ").filter_map(|a| a.split_once(" := ")).collect();
        let to = if to == "next" { after.clone() } else { at(to) };
        system.transition(&at(from), &to, &list(&guard), &pairs(&set));
    };
    step("poll", "next", "Q# =< 0", "");
    step("poll", "take", "Q# >= 1", "K := 0");
    step("take", "work", "", "Q# := Q# - 1; H := H + 1");
    step("take", "work", "Q# >= 2", "Q# := Q# - 2; H := H + 2");
    step("work", "work", "MODE = 0; K < 3", "K := K + 1");
    step("work", "work", "MODE = 1; K < 6", "K := K + 2");
    step("work", "work", "MODE = 2; K < 9", "K := K + 3");
    step("work", "inspect", "K >= 3", "");
    step("work", "fail", "K < 3", "FAILS := FAILS + 1");
    step("inspect", "put", "K =< 9", "");
    step("inspect", "work", "K > 3", "K := K - 3; ROUND := ROUND + 1");
    step("inspect", "error", "K > 11", "");
    step("fail", "repair", "FAILS >= 3", "FAILS := 0; REPAIRS := REPAIRS + 1");
    step("fail", "return", "FAILS < 3", "");
    step("repair", "return", "", "MODE := 0");
    step("repair", "work", "", "MODE := 1; K := 0");
    step("return", "next", "", "Q# := Q# + H; H := 0");
    step("return", "take", "H = 1", "Q# := Q# + 1; H := 0; K := 0");
    let counted = check != Check::Miscount || i != 4;
    step("put", "audit", "", if counted { "Q@ := Q@ + H; T# := T# + H; H := 0" } else { "Q@ := Q@ + H; H := 0" });
    for relation in ["<", ">"] {
        match check {
            Check::Conservation => step("audit", "error", &format!("Q1 + Q2 + Q3 + Q4 + H {relation} N"), ""),
            _ if i == 1 => step("audit", "error", &format!("Q2 {relation} T1 - T2"), ""),
            _ => step("audit", "error", &format!("Q1 - N {relation} T{stations} - T1"), ""),
        }
    }
    step("audit", "next", "H = 0", "");
    step("audit", "take", "Q# >= 1; ROUND > 0", "ROUND := ROUND - 1; K := 0");
}
