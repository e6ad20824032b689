//! With one thread, engines take turns, and every run is like the one before.

use std::process::{Child, Command, Stdio};

use clinch_testing::together::without_times;

use crate::{check_json, root};

/// A process that keeps a processor busy; it ends when this goes out of scope.
struct Load(Child);

impl Load {
    fn new() -> Load {
        let spin = Command::new("sh").args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn();
        Load(spin.expect("a shell"))
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Programs that different engines decide, after some turns.
#[test]
fn one_thread_repeats_itself() {
    let examples = [
        "c/funlock.c",
        "c/checksum.c",
        "c/mccarthy91.c",
        "c/bucket.c",
        "c/utf8.c",
        "gcl/bakery.gcl",
        "gcl/ticket-err.gcl",
        "armc/seesaw-err.armc",
        "rem/parity.rem",
        "bp/swap.bp",
    ];
    for name in examples {
        let file = root().join("examples").join(name).display().to_string();
        let run = || check_json(&file, &["--threads", "1", "--timeout", "60s"]);
        let (code, alone) = run();
        assert!(code == 0 || code == 1, "{name}: {alone}");
        let _load = Load::new();
        let (again, loaded) = run();
        assert_eq!((code, without_times(alone)), (again, without_times(loaded)), "{name}");
    }
}
