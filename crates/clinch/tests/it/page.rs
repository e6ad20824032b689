//! The HTML report: made for every kind of input, and shown by a browser where there is one.

use std::process::Command;

use crate::{code, plain_clinch, root};

fn page(example: &str, args: &[&str]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("report.html");
    let file = root().join("examples").join(example).display().to_string();
    let output = plain_clinch(&[&["check", &file, "--report", out.to_str().expect("a name")], args].concat());
    assert!(code(&output) <= 2, "{output:?}");
    let text = std::fs::read_to_string(&out).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    (folder, text)
}

#[test]
fn pages_need_nothing_else() {
    for (example, parts) in [
        ("c/ring-bug.c", &["UNSAFE", "The run with inputs", "Copy harness", "<svg", "assertions"][..]),
        ("bp/lock.bp", &["SAFE", "Why it is safe", "re-checked"]),
        ("gcl/ticket-err.gcl", &["UNSAFE", "lane-table", "After"]),
        ("rem/parity-bug.rem", &["UNSAFE", "How it happens"]),
    ] {
        let (_folder, text) = page(example, &[]);
        for part in parts {
            assert!(text.contains(part), "{example}: {part}");
        }
        assert!(text.len() < 600_000, "{example}: {} bytes", text.len());
        for outside in ["src=\"http", "href=\"http", "@import", "url(h", "url(\""] {
            assert!(!text.contains(outside), "{example}: {outside}");
        }
        for landmark in ["<header>", "<nav aria-label", "<main>", "<footer>"] {
            assert!(text.contains(landmark), "{example}: {landmark}");
        }
    }
}

/// Where a text comes from decides nothing: it is shown, not run.
#[test]
fn text_of_the_program_is_only_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a&b.c");
    let text = "// </script><script>alert(1)</script>\nextern void reach_error(void);\nint main(void) { char *s = \"<b>\"; if (*s == '<') reach_error(); return 0; }\n";
    std::fs::write(&file, text).expect("a file");
    let out = folder.path().join("report.html");
    let args = [
        "check",
        file.to_str().expect("a name"),
        "--property",
        "unreach-call",
        "--report",
        out.to_str().expect("a name"),
    ];
    assert_eq!(code(&plain_clinch(&args)), 1);
    let page = std::fs::read_to_string(&out).expect("a page");
    assert!(!page.contains("<script>alert"), "{page}");
    assert!(page.contains("a&amp;b.c"));
}

/// What a browser makes of a page; nothing if there is none.
fn shown(name: &str, text: &str) -> Option<String> {
    let browser = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|browser| Command::new(browser).arg("--version").output().is_ok_and(|output| output.status.success()))?;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    std::fs::write(&file, text).expect("a file");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            // It asks nobody for anything.
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--enable-logging=stderr",
            "--virtual-time-budget=3000",
            "--window-size=1400,1000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("the browser starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("Uncaught"), "{said}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The script does what a reader does: steps back, folds, searches; and writes down what it sees.
const READER: &str = "<script>
  const seen = [], $ = (id) => document.getElementById(id), now = () => document.querySelector('#steps .now').dataset.step;
  const count = document.querySelectorAll('#steps li').length;
  const inSight = (row) => { const at = document.querySelector(row).getBoundingClientRect(); return at.top > 0 && at.bottom < innerHeight; };
  seen.push('at ' + (now() == count - 1 ? 'end' : now()));
  seen.push('in sight ' + (inSight('#steps .now') && inSight('#code .now')));
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home' })); seen.push('home ' + now());
  $('next').click(); seen.push('next ' + now());
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' })); seen.push('left ' + now());
  $('fold').click(); seen.push('folded ' + (document.querySelectorAll('#steps li[hidden]').length > 0));
  $('fold').click(); seen.push('unfolded ' + document.querySelectorAll('#steps li[hidden]').length);
  $('search').value = 'sent'; $('search').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' })); seen.push('found ' + (now() > 0));
  $('last').click(); seen.push('values ' + (document.querySelectorAll('#values tr').length > 2), 'line ' + document.querySelectorAll('#code .now').length);
  document.body.append(Object.assign(document.createElement('p'), { id: 'seen', textContent: seen.join('; ') }));
</script></body>";

#[test]
fn a_browser_shows_the_run() {
    let (_folder, text) = page("c/ring-bug.c", &[]);
    let Some(dom) = shown("report.html", &text.replace("</body>", READER)) else { return };
    let expected =
        "at end; in sight true; home 0; next 1; left 0; folded true; unfolded 0; found true; values true; line 1";
    assert!(dom.contains(expected), "{}", dom.split("id=\"seen\"").nth(1).unwrap_or(&dom));
    let (_folder, text) = page("gcl/ticket-err.gcl", &[]);
    let stepping = "<script>document.getElementById('back').click();</script></body>";
    let dom = shown("report.html", &text.replace("</body>", stepping)).expect("a browser");
    assert!(dom.matches("<tr").count() > 5, "{dom}");
    assert_eq!(dom.matches("<tr class=\"failing\"").count(), 1, "{dom}");
    assert_eq!(dom.matches("<tr class=\"now\"").count(), 1, "one step before the error: {dom}");
    // What a step changes stands beside it; what no step changes has no column.
    let stays =
        "var x: int = 0, fixed: int = 5;\nprocess P { loc a; a -> a when x < fixed do x := x + 1; }\nerror x == 2;\n";
    let folder = tempfile::tempdir().expect("a folder");
    let (model, out) = (folder.path().join("model.gcl"), folder.path().join("out.html"));
    std::fs::write(&model, stays).expect("a file");
    let args = ["check", model.to_str().expect("a name"), "--report", out.to_str().expect("a name")];
    assert_eq!(code(&plain_clinch(&args)), 1);
    let dom = shown("out.html", &std::fs::read_to_string(&out).expect("a page")).expect("a browser");
    assert!(dom.contains("<span class=\"set\">x = 2</span>"), "{dom}");
    assert!(dom.contains("Never changed: 1 variable<") && !dom.contains("scope=\"col\">fixed<"), "{dom}");
    assert_eq!(dom.matches("<td class=\"moved\">a<").count(), 2, "{dom}");
}

#[test]
fn deep_calls_leave_room_for_texts() {
    let text = "extern void reach_error(void);\nstatic void down(int n) { if (n == 0) reach_error(); else down(n - 1); }\nint main(void) { down(7); return 0; }\n";
    let folder = tempfile::tempdir().expect("a folder");
    let (program, out) = (folder.path().join("deep.c"), folder.path().join("out.html"));
    std::fs::write(&program, text).expect("a file");
    let args = ["check", program.to_str().expect("a name"), "--report", out.to_str().expect("a name")];
    assert_eq!(code(&plain_clinch(&args)), 1);
    let Some(dom) = shown("out.html", &std::fs::read_to_string(&out).expect("a page")) else { return };
    assert!(dom.contains("padding-left: 8ch") && !dom.contains("padding-left: 16ch"), "{dom}");
}

/// What answers the question comes before what else there is to see.
#[test]
fn answers_come_first() {
    for (example, args, first, texts) in [
        ("gcl/ticket-err.gcl", &[][..], "lanes", &["the error condition holds: "][..]),
        ("gcl/ticket.gcl", &["-DN=2"], "proof", &["abstract states cover every state", "Predicate"]),
        ("rem/quicksort-bug.rem", &[], "run", &["fails.", "\"from\":\"a[1]\"", "\"globals\":[\"a\"]"]),
    ] {
        let (_folder, text) = page(example, args);
        let at = |section: &str| text.find(&format!("<section id=\"{section}\"")).unwrap_or(usize::MAX);
        assert!(at(first) < at("source") && at("source") < at("engines"), "{example}");
        for part in texts {
            assert!(text.contains(part), "{example}: {part}");
        }
    }
}

/// When which engine ran, what it counted, who calls whom, and the tree of lazy abstraction.
#[test]
fn pages_show_the_search() {
    let (_folder, text) = page("c/funlock.c", &["--engine", "lazy", "--check", "assertions"]);
    for part in [
        "<span class=\"stint\"",
        "<span class=\"found\"",
        "prover calls of lazy over time",
        "<summary>Calls <small>4 functions</small></summary>",
        "The tree of lazy abstraction",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let rows = text.split("<table id=\"tree-table\">").nth(1).and_then(|table| table.split("</table>").next());
    let rows = rows.expect("a tree").matches("<tr").count();
    assert!((3..=301).contains(&rows), "{rows} rows");
    // Several engines, in several rounds: a lane for each.
    let (_folder, text) = page("c/overflow-bug.c", &[]);
    assert!(text.contains("had it first"), "{text}");
    let lanes = text.matches("<div class=\"lane\">").count();
    assert!(lanes >= 1 && text.matches("<div class=\"lane\"><span>explicit</span>").count() == 1, "{lanes}");
    let (_folder, text) = page("gcl/ticket.gcl", &["-DN=2", "--engine", "alpha"]);
    assert!(text.contains("states of alpha over time"), "{text}");
}

/// What the engine with the verdict searched, in the page alone.
#[test]
fn pages_show_what_was_searched() {
    let drawn = |example: &str, args: &[&str]| {
        let (_folder, text) = page(example, args);
        let section = text.split("<section id=\"tree\"").nth(1).and_then(|rest| rest.split("</section>").next());
        section.unwrap_or_else(|| panic!("{example} {args:?}: no tree")).to_owned()
    };
    let rows = |section: &str| section.matches("<tr").count() - 1;
    // A tree with its path to the error, of clauses and of a C program.
    for (example, args, place) in [
        ("armc/seesaw-err.armc", &["--engine", "cegar"][..], "ERROR"),
        ("c/parity-bug.c", &["--engine", "cegar", "--check", "assertions"], "ERROR"),
        ("gcl/ticket.gcl", &["--engine", "cegar", "-DN=2"], "idle.idle"),
    ] {
        let section = drawn(example, args);
        assert!(section.contains("The last tree of predicate abstraction"), "{example}: {section}");
        assert!(section.contains(&format!("<td>{place}")), "{example}: {section}");
        assert_eq!(section.contains("class=\"on-path\""), place == "ERROR", "{example}: {section}");
        assert!((2..=300).contains(&rows(&section)), "{example}: {} rows", rows(&section));
        assert!(section.contains("<small>from 0"), "{example}: {section}");
    }
    // The graph of a pushdown system without abstraction and with it: calls come back, and values are known.
    for abstraction in ["none", "dag"] {
        let args = ["--engine", "spds", "--abstraction", abstraction];
        for (example, part) in [("rem/parity-bug.rem", "ERROR in "), ("rem/fig10.rem", "after the call")] {
            let section = drawn(example, &args);
            assert!(section.contains("The witness graph of the pushdown system"), "{example}: {section}");
            assert!(section.contains(part), "{example}: {section}");
            assert!((3..=300).contains(&rows(&section)), "{example}: {} rows", rows(&section));
        }
    }
    assert!(drawn("rem/quicksort-bug.rem", &["--engine", "spds", "--abstraction", "none"]).contains("<code>a[0] = "));
}

/// The values with which a check fails stand at the top, and at its line.
#[test]
fn a_browser_says_with_which_values_it_fails() {
    let (_folder, text) = page("c/ring-bug.c", &["--property", "unreach-call"]);
    let Some(dom) = shown("report.html", &text) else { return };
    assert!(dom.contains("<span id=\"there\">There ring.count = 5. </span>"), "{dom}");
    assert!(dom.contains("<span class=\"why\">← ring.count = 5</span>"), "{dom}");
    let (_folder, text) = page("rem/quicksort-bug.rem", &[]);
    let dom = shown("report.html", &text).expect("a browser");
    assert!(dom.contains("<span id=\"there\">There a[0] = "), "{dom}");
}
