//! A short run of the attack; `make attack` is the long one.

use std::time::Duration;

use clinch_attack::batches::threads;
use clinch_attack::campaign::Campaign;
use clinch_attack::engines::Asker;
use clinch_attack::families::{FAMILIES, Family};
use clinch_attack::{gcc, planted};

/// Per cent of the answers of auto that may be UNKNOWN.
const CEILING: usize = 60;

#[test]
#[allow(clippy::print_stderr, reason = "a skipped comparison is told")]
fn no_engine_is_wrong_about_generated_programs() {
    if !gcc::available() {
        eprintln!("skipped: no gcc to tell the truth");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let campaign = Campaign {
        seed: 20_020_116,
        traps: 9,
        time: Duration::from_secs(900),
        families: FAMILIES.into_iter().filter(|f| *f != Family::Whole).collect(),
        engines: vec!["auto".to_owned(), "lazy".to_owned()],
        asker: Asker { clinch: env!("CARGO_BIN_EXE_clinch").into(), timeout: Duration::from_secs(2) },
        shrink: Duration::from_secs(10),
        alike: 1,
        jobs: threads(),
        folder: folder.path().to_owned(),
    };
    let results = campaign.run(&|_| ());
    let texts: Vec<String> = results.findings.iter().map(|finding| finding.file_text()).collect();
    assert!(texts.is_empty(), "{}", texts.join("\n"));
    assert!(results.programs >= 12, "{} programs; dropped: {:?}", results.programs, results.dropped);
    let auto = results.table.of("auto");
    assert!(auto.unknown * 100 <= auto.total() * CEILING, "{}", results.table);
}

/// Errors that need no assertion; `make attack` asks about more.
#[test]
#[allow(clippy::print_stderr, reason = "a skipped comparison is told")]
fn planted_errors_are_found_and_nothing_else() {
    if !gcc::available() {
        eprintln!("skipped: no gcc to tell the truth");
        return;
    }
    let clinch = env!("CARGO_BIN_EXE_clinch").into();
    let campaign =
        planted::campaign::Campaign { seed: 1, pairs: 12, clinch, timeout: Duration::from_secs(10), jobs: threads() };
    let tally = campaign.run();
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    assert!(tally.pairs >= 10, "{:?}", tally.dropped);
    assert!(tally.confirmed + 1 >= tally.pairs && tally.proved + 2 >= tally.pairs, "{:?}", tally.unknown);
}
