//! Puts Z3's shared library beside what is built, so that binaries and tests find it wherever the build folder is moved to.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The name under which programs linked with it ask for the library.
const LIBRARY: &str = "libz3.so.5.4";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    if env::var_os("CARGO_FEATURE_VENDORED").is_some() {
        return;
    }
    let folder = PathBuf::from(env::var_os("Z3_LIBRARY_PATH_OVERRIDE").unwrap_or_default());
    let library = folder.join(LIBRARY);
    println!("cargo:rerun-if-changed={}", library.display());
    // Without this check the linker would take whatever Z3 the system has: old ones crash and lose proofs.
    assert!(
        library.is_file(),
        "no {LIBRARY} in `{}`: run `make setup` (or build with --features vendored)",
        folder.display()
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    copy(&library, &out.join(LIBRARY));
    // OUT_DIR is <profile>/build/clinch-smt-<hash>/out.
    let profile = out.ancestors().nth(3).expect("cargo's layout of the build folder");
    copy(&library, &profile.join(LIBRARY));
    // Where `cargo test` looks for libraries while it runs tests of documentation.
    println!("cargo:rustc-link-search=native={}", out.display());
}

/// A hard link where possible: the library has 29 MB.
fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_file(to);
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to).expect("the build folder can be written");
    }
}
