//! Projects: compile commands, one summary, and what is kept from one run to the next.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::{code, plain_clinch, root, schema, stderr, stdout};

fn write(folder: &TempDir, name: &str, text: &str) {
    let file = folder.path().join(name);
    std::fs::create_dir_all(file.parent().expect("it is in a folder")).expect("made");
    std::fs::write(file, text).expect("written");
}

fn path(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

/// Two files with their own flags, one of which needs the other.
fn small_project() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(&folder, "include/limit.h", "#ifndef LIMIT\n#error no limit\n#endif\nint clamp(int n);\n");
    write(
        &folder,
        "src/clamp.c",
        "#include \"limit.h\"\nint clamp(int n) {\n  return n > LIMIT ? LIMIT : n < 0 ? 0 : n;\n}\n",
    );
    write(
        &folder,
        "src/table.c",
        "#include <limit.h>\nstatic int table[SIZE];\nint at(int n) {\n  return table[clamp(n)];\n}\n\
         int half(int n) {\n  return n / 2;\n}\n",
    );
    let commands = format!(
        r#"[{{"directory": "{0}/build", "file": "../src/clamp.c",
             "command": "cc -DLIMIT=7 -I../include -O2 -Wall -o clamp.o -c ../src/clamp.c"}},
            {{"directory": "{0}/build", "file": "{0}/src/table.c",
             "arguments": ["gcc", "-DLIMIT=7", "-DSIZE=8", "-I", "../include", "-c", "{0}/src/table.c"]}},
            {{"directory": "{0}/build", "file": "../src/x.cpp", "command": "c++ -c ../src/x.cpp"}}]"#,
        folder.path().display()
    );
    write(&folder, "build/compile_commands.json", &commands);
    folder
}

/// Runs clinch on a project: the exit code and the object.
fn check(folder: &TempDir, args: &[&str]) -> (i32, Value) {
    let (project, store) = (path(folder, "build"), path(folder, "store"));
    let given = ["check", "-p", &project, "--store", &store, "--entry", "all", "--json"];
    let output = plain_clinch(&[&given, args].concat());
    let value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    let schema = std::fs::read_to_string(root().join("docs/json-schema.json")).expect("the schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let wrong = schema::errors_in(&schema, &schema["$defs"]["project"], &value);
    assert!(wrong.is_empty(), "{wrong:?}: {value}");
    (code(&output), value)
}

/// Each function, its verdict, and whether it was kept.
fn answers(value: &Value) -> Vec<(String, String, bool)> {
    let text = |answer: &Value, name: &str| answer[name].as_str().unwrap_or_default().to_owned();
    let results = value["results"].as_array().expect("a list");
    results
        .iter()
        .map(|answer| (text(answer, "function"), text(answer, "verdict"), answer["kept"] == Value::Bool(true)))
        .collect()
}

fn kept(value: &Value) -> Vec<bool> {
    answers(value).into_iter().map(|(_, _, kept)| kept).collect()
}

#[test]
fn every_file_is_read_with_its_own_flags_and_linked_with_what_it_needs() {
    let folder = small_project();
    let (code, value) = check(&folder, &[]);
    let expected = [("clamp", "safe"), ("at", "safe"), ("half", "safe")];
    let found: Vec<(String, String)> = answers(&value).into_iter().map(|(f, v, _)| (f, v)).collect();
    assert_eq!(found, expected.map(|(f, v)| (f.to_owned(), v.to_owned())), "{value}");
    assert_eq!(code, 0);
    // The same with a table that is too small: only what reads it is checked again.
    let commands = std::fs::read_to_string(folder.path().join("build/compile_commands.json")).expect("read");
    write(&folder, "build/compile_commands.json", &commands.replace("SIZE=8", "SIZE=7"));
    let (code, value) = check(&folder, &[]);
    assert_eq!(code, 1, "{value}");
    let found = answers(&value);
    assert_eq!(found[1].1, "unsafe", "{value}");
    assert_eq!(kept(&value), [true, false, true], "{value}");
    assert_eq!(value["results"][1]["error"]["line"], 4, "{value}");
}

#[test]
fn the_second_run_checks_what_changed() {
    let folder = small_project();
    assert_eq!(kept(&check(&folder, &[]).1), [false; 3]);
    let (_, again) = check(&folder, &[]);
    assert_eq!(kept(&again), [true; 3], "{again}");
    assert_eq!(again["summary"]["kept"], 3);
    // Lines above a function move it, and change nothing else.
    let table = "#include <limit.h>\n\n/* The\n   table. */\nstatic int table[SIZE];\nint at(int n) {\n  return table[clamp(n)];\n}\n\
        int half(int n) {\n  if (n == 3) return 1;\n  return n / 2;\n}\n";
    write(&folder, "src/table.c", table);
    let (_, moved) = check(&folder, &[]);
    assert_eq!(kept(&moved), [true, true, false], "{moved}");
    assert_eq!(moved["results"][1]["checks"][0]["line"], 7, "{moved}");
    // What `clamp` does matters to who calls it. A comment does not.
    write(&folder, "src/clamp.c", "#include \"limit.h\"\nint clamp(int n) {\n  return n > LIMIT ? LIMIT : n;\n}\n");
    let (code, called) = check(&folder, &[]);
    assert_eq!(kept(&called), [false, false, true], "{called}");
    assert_eq!(code, 1, "negative indices are possible now: {called}");
    // A header, and an option.
    write(&folder, "include/limit.h", "#undef LIMIT\n#define LIMIT 6\nint clamp(int n);\n");
    assert_eq!(kept(&check(&folder, &[]).1), [false, false, true]);
    assert_eq!(kept(&check(&folder, &["--check", "memory"]).1), [false; 3]);
    assert_eq!(kept(&check(&folder, &["--check", "memory"]).1), [true; 3]);
    assert_eq!(kept(&check(&folder, &["--store", "off"]).1), [false; 3]);
}

/// What has no verdict at a limit would take as long again.
#[test]
fn what_is_unknown_is_kept_and_tried_again_on_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let hard = "int f(unsigned n, unsigned x, unsigned y) {\n  while (n--) { x = x * 2654435761u + (y ^ (x >> 7)); y = y * x + n; }\n  \
        return 1 / (x * y != 0x12345679u || x % 1000003u != 77u);\n}\nint asm_(int x) {\n  __asm__ volatile (\"frob %0\" : \"+r\"(x));\n  return 1 / x;\n}\n";
    write(&folder, "hard.c", hard);
    let (file, store) = (path(&folder, "hard.c"), path(&folder, "store"));
    let run = |args: &[&str]| {
        let options = ["check", "--entry", "all", "--check", "arithmetic", "--timeout", "1s", "--store", &store];
        let output = plain_clinch(&[&options, args, &["--files", &file]].concat());
        assert_eq!(code(&output), 2, "{}", stdout(&output));
        stdout(&output)
    };
    assert!(run(&[]).contains("2 unknown; 2 checked, 0 kept from before"));
    let again = run(&[]);
    assert!(
        again.contains("2 unknown; 0 checked, 2 kept from before") && again.contains("; --retry checks "),
        "{again}"
    );
    assert!(run(&["--retry"]).contains("2 unknown; 2 checked, 0 kept from before"));
    let longer = plain_clinch(&["check", "--retry", &file]);
    assert!(code(&longer) == 64 && stderr(&longer).contains("--retry is for projects"), "{longer:?}");
}

/// Thirty files, each of which needs the next: `f0` calls `f1`, which calls nobody, and so on in pairs.
#[test]
fn of_thirty_files_only_those_that_depend_on_a_change_are_checked_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let body = |n: usize, step: i32| match n % 2 {
        0 => format!("int f{0}(int n);\nint f{n}(int n) {{ return n > 100 ? 0 : f{0}(n); }}\n", n + 1),
        _ => format!("int f{n}(int n) {{ return n > 1000 ? 0 : n + {step}; }}\n"),
    };
    let names: Vec<String> = (0..30).map(|n| path(&folder, &format!("f{n}.c"))).collect();
    (0..30).for_each(|n| write(&folder, &format!("f{n}.c"), &body(n, 1)));
    let store = path(&folder, "store");
    let options = ["check", "--entry", "all", "--store", &store, "--check", "overflow", "--files"];
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    let numbers = || {
        let output = plain_clinch(&[&options, files.as_slice()].concat());
        let last = stdout(&output).lines().last().unwrap_or_default().to_owned();
        let from = last.find(':').map_or(0, |at| at + 2);
        last[from..].split(" (").next().unwrap_or_default().to_owned()
    };
    assert_eq!(numbers(), "30 safe, 0 unsafe, 0 unknown; 30 checked, 0 kept from before");
    assert_eq!(numbers(), "30 safe, 0 unsafe, 0 unknown; 0 checked, 30 kept from before");
    // f11 is called by f10.
    write(&folder, "f11.c", &body(11, 2));
    assert_eq!(numbers(), "30 safe, 0 unsafe, 0 unknown; 2 checked, 28 kept from before");
    write(&folder, "f11.c", &body(11, 1));
    assert_eq!(numbers(), "30 safe, 0 unsafe, 0 unknown; 0 checked, 30 kept from before");
    write(&folder, "f10.c", &body(10, 1).replace("100", "2000000000"));
    assert_eq!(numbers(), "30 safe, 0 unsafe, 0 unknown; 1 checked, 29 kept from before");
}

/// All entries of a store, after something was done to their bytes.
fn damage(folder: &TempDir, how: impl Fn(&mut Vec<u8>)) {
    for entry in std::fs::read_dir(folder.path().join("store")).expect("a store") {
        let file = entry.expect("a file").path();
        let mut bytes = std::fs::read(&file).expect("read");
        how(&mut bytes);
        std::fs::write(&file, bytes).expect("written");
    }
}

#[test]
fn a_damaged_store_is_noticed_and_made_anew() {
    let folder = small_project();
    let (project, store) = (path(&folder, "build"), path(&folder, "store"));
    let run = || plain_clinch(&["check", "-p", &project, "--store", &store, "--entry", "half"]);
    let kept = || stdout(&run()).contains("0 checked, 1 kept");
    assert!(!kept() && kept());
    let flip = |bytes: &mut Vec<u8>| {
        let text = String::from_utf8(bytes.clone()).expect("text").replace("\"Safe\"", "\"safe\"");
        *bytes = text.into_bytes();
    };
    let cut = |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 2);
    let empty = |bytes: &mut Vec<u8>| bytes.clear();
    let noise = |bytes: &mut Vec<u8>| *bytes = vec![0xff; 100];
    for how in [&flip as &dyn Fn(&mut Vec<u8>), &cut, &empty, &noise] {
        damage(&folder, how);
        let output = run();
        assert_eq!(code(&output), 0, "{}", stdout(&output));
        assert!(stderr(&output).contains("was damaged; what it was about was checked again"), "{}", stderr(&output));
        assert!(stdout(&output).contains("1 checked, 0 kept"), "{}", stdout(&output));
    }
    assert!(kept());
}

/// An entry under the name of another one.
#[test]
fn an_entry_counts_under_its_own_name_only() {
    let folder = small_project();
    check(&folder, &[]);
    let entries = std::fs::read_dir(folder.path().join("store")).expect("a store");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let bytes = std::fs::read(&files[0]).expect("read");
    files.iter().for_each(|file| std::fs::write(file, &bytes).expect("written"));
    let (_, again) = check(&folder, &[]);
    assert!(kept(&again).iter().filter(|kept| **kept).count() <= 1, "{again}");
}

#[test]
fn programs_with_a_main_are_linked() {
    let folder = tempfile::tempdir().expect("a folder");
    write(
        &folder,
        "main.c",
        "#include <assert.h>\nint twice(int);\nint main(void) { assert(twice(3) == 6); return 0; }\n",
    );
    write(&folder, "twice.c", "int twice(int n) { return n + n; }\n");
    write(&folder, "other.c", "int main(void) { return 0; }\n");
    let names = ["main.c", "twice.c", "other.c"].map(|name| path(&folder, name));
    let files: Vec<&str> = names.iter().map(String::as_str).collect();
    let output = plain_clinch(&[&["check", "--store", "off", "--files"], files.as_slice()].concat());
    assert_eq!(code(&output), 0, "{}", stdout(&output));
    assert!(stdout(&output).contains("2 files, 2 functions: 2 safe, 0 unsafe, 0 unknown"), "{}", stdout(&output));
    write(&folder, "twice.c", "int twice(int n) { return n * n; }\n");
    let output = plain_clinch(&[&["check", "--store", "off", "--files"], files.as_slice()].concat());
    assert_eq!(code(&output), 1, "{}", stdout(&output));
}

#[test]
fn what_is_wrong_with_a_project_is_said() {
    let folder = small_project();
    let run = |args: &[&str]| plain_clinch(&[&["check"], args].concat());
    let project = path(&folder, "build");
    let nothing = run(&["-p", &path(&folder, "nowhere")]);
    assert_eq!(code(&nothing), 65, "{}", stderr(&nothing));
    let no_main = run(&["-p", &project, "--store", "off"]);
    assert_eq!(code(&no_main), 64);
    assert!(stderr(&no_main).contains("no file of the project defines `main`"), "{}", stderr(&no_main));
    let two = run(&["-p", &project, &path(&folder, "src/table.c")]);
    assert_eq!(code(&two), 64, "{}", stderr(&two));
    let alone = run(&[&path(&folder, "src/table.c"), "--store", "x"]);
    assert_eq!(code(&alone), 64, "{}", stderr(&alone));
    assert!(!Path::new("x").exists());
    // A file that cannot be read does not keep the others from being checked.
    write(&folder, "src/clamp.c", "int clamp(int n) { return n\n");
    let (code_of, value) = check(&folder, &[]);
    assert_eq!(code_of, 1, "`at` takes any index from a function that nobody defines: {value}");
    assert_eq!(value["results"][0]["verdict"], "unknown", "{value}");
    assert!(value["results"][0]["reason"].as_str().is_some_and(|why| why.contains("src/clamp.c:")), "{value}");
    write(&folder, "build/compile_commands.json", "[\n{\"directory\": 3}]");
    let output = run(&["-p", &project]);
    assert_eq!(code(&output), 65);
    assert!(stderr(&output).contains("compile_commands.json:2:"), "{}", stderr(&output));
}
