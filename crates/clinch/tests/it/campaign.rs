//! Campaigns as users start them: stopped at any moment, in shards, merged.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::{code, example, plain_clinch, stderr, stdout};

/// An index of ten tasks: five models, safe and unsafe, twice.
fn index(folder: &Path) -> String {
    let models = [("stack.gcl", "true"), ("hyman.gcl", "false"), ("ticket-err.gcl", "false"), ("rax-deadlock.gcl", "")];
    let rows = models.iter().cycle().take(10).map(|(name, expected)| format!("{},{expected}\n", example(name)));
    let file = folder.join("tasks.csv");
    std::fs::write(&file, format!("file,expected\n{}", rows.collect::<String>())).expect("written");
    file.display().to_string()
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

/// The columns that do not depend on the machine, in the order of the tasks.
fn table(files: &[&str]) -> Vec<String> {
    let merged = plain_clinch(&[&["campaign", "--merge"], files].concat());
    assert_eq!(code(&merged), 0, "{}", stderr(&merged));
    let text = stdout(&merged);
    let columns = |line: &str| line.split(',').take(7).collect::<Vec<_>>().join(",");
    text.lines().map(columns).collect()
}

#[test]
fn a_campaign_that_is_killed_and_goes_on_is_like_one_that_was_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let (tasks, whole, killed) = (index(folder.path()), path(folder.path(), "whole"), path(folder.path(), "killed"));
    let undisturbed = plain_clinch(&["campaign", &tasks, "--jobs", "2", "--results", &whole]);
    assert_eq!(code(&undisturbed), 0, "{}", stderr(&undisturbed));
    assert!(stdout(&undisturbed).starts_with("10 tasks: "), "{}", stdout(&undisturbed));
    for _ in 0..2 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_clinch"));
        command.args(["campaign", &tasks, "--results", &killed]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut running = command.spawn().expect("clinch starts");
        std::thread::sleep(Duration::from_millis(250));
        running.kill().expect("it can be killed");
        running.wait().expect("it ended");
        // Killed within a line.
        if let Ok(text) = std::fs::read_to_string(&killed)
            && text.lines().count() > 1
        {
            std::fs::write(&killed, &text[..text.len() - 3]).expect("written");
        }
    }
    let last = plain_clinch(&["campaign", &tasks, "--jobs", "2", "--results", &killed]);
    assert_eq!(code(&last), 0, "{}", stderr(&last));
    let expected = table(&[&whole]);
    assert_eq!(expected.len(), 11);
    assert!(expected[1].ends_with("stack.gcl,,,true,safe,correct"), "{expected:?}");
    assert!(expected[2].ends_with("hyman.gcl,,,false,unsafe,correct"), "{expected:?}");
    assert_eq!(table(&[&killed]), expected);
}

#[test]
fn shards_are_put_together_and_what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let tasks = index(folder.path());
    let part = |part: usize| {
        let results = path(folder.path(), &format!("part{part}"));
        let output = plain_clinch(&["campaign", &tasks, "--shard", &format!("{part}/2"), "--results", &results]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        results
    };
    let (first, second) = (part(0), part(1));
    assert_eq!(table(&[&second, &first]).len(), 11);
    let refused = |args: &[&str], why: &str| {
        let output = plain_clinch(&[&["campaign"], args].concat());
        assert_eq!(code(&output), 65, "{}", stderr(&output));
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    };
    refused(&["--merge", &first, &first], "in another file, too");
    refused(&[&tasks, "--shard", "1/2", "--results", &first], "of other tasks, or of another shard");
    refused(&[&tasks, "--shard", "0/2", "--results", &first, "--timeout", "7s"], "with other limits or options");
    let text = std::fs::read_to_string(&first).expect("results");
    std::fs::write(&first, text.replacen("safe", "sane", 1)).expect("written");
    refused(&[&tasks, "--shard", "0/2", "--results", &first], "is damaged");
    let missing = plain_clinch(&["campaign", &tasks, "--merge", &second]);
    assert_eq!(code(&missing), 2);
    assert!(stderr(&missing).contains("5 tasks are missing"), "{}", stderr(&missing));
}
