//! What scripts need: exit codes without output, completions, manual pages.

use crate::{code, plain_clinch, root, stdout};

#[test]
fn quiet_is_quiet() {
    for (example, expected) in [("gcl/ticket-err.gcl", 1), ("bp/lock.bp", 0)] {
        let file = root().join("examples").join(example).display().to_string();
        let output = plain_clinch(&["check", &file, "--quiet"]);
        assert_eq!((code(&output), stdout(&output)), (expected, String::new()), "{example}");
    }
}

#[test]
fn colours_are_as_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bad.gcl");
    std::fs::write(&file, "var x: 0..9 = ;\n").expect("a file");
    let said = |when: &str| {
        let output = plain_clinch(&["check", file.to_str().expect("a name"), "--color", when]);
        assert_eq!(code(&output), 65);
        String::from_utf8_lossy(&output.stderr).contains('\u{1b}')
    };
    assert_eq!([said("always"), said("never"), said("auto")], [true, false, false]);
}

#[test]
fn shells_get_completions() {
    for shell in ["bash", "zsh", "fish"] {
        let output = plain_clinch(&["completions", shell]);
        assert_eq!(code(&output), 0);
        for part in ["validate", "witness", "sarif"] {
            assert!(stdout(&output).contains(part), "{shell}: {part}");
        }
    }
}

#[test]
fn every_command_has_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("man1");
    assert_eq!(code(&plain_clinch(&["man", pages.to_str().expect("a name")])), 0);
    for page in ["clinch.1", "clinch-check.1", "clinch-validate.1"] {
        let text = std::fs::read_to_string(pages.join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(text.contains(".TH clinch"), "{page}");
    }
}

#[test]
fn help_tells_the_exit_codes() {
    for args in [&["--help"][..], &["validate", "--help"]] {
        let text = stdout(&plain_clinch(args));
        assert!(text.contains("Exit codes: 0 "), "{text}");
    }
}

/// What most people need fits a screen, and says where the rest is.
#[test]
fn help_fits_a_screen() {
    for args in [&["--help"][..], &["check", "--help"]] {
        let output = plain_clinch(args);
        let text = stdout(&output);
        assert!(code(&output) == 0 && text.lines().count() <= 45, "{} lines: {text}", text.lines().count());
    }
    let short = stdout(&plain_clinch(&["check", "--help"]));
    assert!(
        short.contains("--help-all") && short.contains("--report") && !short.contains("--max-iterations"),
        "{short}"
    );
    let long = stdout(&plain_clinch(&["check", "--help-all"]));
    assert!(
        long.contains("--max-iterations") && long.contains("--encoding") && long.contains("shifts out of range"),
        "{long}"
    );
}
