//! What of a compiler's arguments changes the meaning of a file.
//!
//! Arguments for the preprocessor are passed on, the word size becomes the data model, and what is about code, warnings or files is left out. What is
//! not known may change the language, so that its file is not checked.

use std::path::Path;

/// What matters of a command.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// Arguments for the preprocessor.
    pub preprocessor: Vec<String>,
    /// Whether `long` and pointers have 32 bits.
    pub ilp32: bool,
}

/// Arguments for the preprocessor that may have theirs behind them.
const WITH_ARGUMENT: [&str; 8] = ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-D", "-U", "-I"];
/// Those that stand alone.
const ALONE: [&str; 4] = ["-nostdinc", "-pthread", "-trigraphs", "-w"];
/// What is about files, with a name behind it.
const FILES: [&str; 6] = ["-o", "-MF", "-MT", "-MQ", "-MJ", "--serialize-diagnostics"];
/// What is about files, warnings and the code that is made: nothing that a program may rely on.
const HARMLESS: [&str; 44] = [
    "-c",
    "-M",
    "-MD",
    "-MMD",
    "-MP",
    "-MG",
    "-MM",
    "-v",
    "-s",
    "-S",
    "-pipe",
    "-save-temps",
    "-pedantic",
    "-fPIC",
    "-fpic",
    "-fPIE",
    "-fpie",
    "-fno-pie",
    "-fno-common",
    "-fno-plt",
    "-fno-ident",
    "-fdiagnostics-",
    "-fcolor-diagnostics",
    "-fno-omit-frame-pointer",
    "-fomit-frame-pointer",
    "-fstack-",
    "-fno-stack-",
    "-fvisibility",
    "-ffunction-sections",
    "-fdata-sections",
    "-fcf-protection",
    "-flto",
    "-fno-lto",
    "-fprofile-",
    "--coverage",
    "-fno-sanitize",
    "-ftest-coverage",
    "-fmacro-prefix-map",
    "-ffile-prefix-map",
    "-fdebug-prefix-map",
    "-mtune=",
    "-ftree-",
    "-funroll-",
    "-finline",
];
/// The languages that are read: older ones mean something else by `inline`.
const LANGUAGES: [&str; 5] = ["99", "9x", "11", "17", "18"];

/// What matters of a command, or which argument is not known.
pub fn of_command(arguments: &[String], file: &Path) -> Result<Flags, String> {
    let mut rest = arguments.iter().map(String::as_str).skip_while(|word| is_launcher(word)).peekable();
    let compiler = rest.next().unwrap_or_default();
    if !is_known_compiler(compiler) {
        return Err(format!("it is compiled by {compiler}, which is not known"));
    }
    let mut flags = Flags::default();
    while let Some(flag) = rest.next() {
        if let Some(known) = WITH_ARGUMENT.iter().find(|known| flag.starts_with(**known)) {
            flags.preprocessor.push(flag.to_owned());
            if flag == *known {
                flags.preprocessor.extend(rest.next().map(str::to_owned));
            }
        } else if FILES.contains(&flag) {
            rest.next();
        } else if ALONE.contains(&flag) || is_warning_or_level(flag) || is_language(flag) {
            flags.preprocessor.push(flag.to_owned());
        } else if flag == "-m32" || flag == "-m64" {
            flags.ilp32 = flag == "-m32";
        } else if !is_harmless(flag) && !is_file(flag, file) {
            return Err(format!("its compiler is given {flag}, which is not known"));
        }
    }
    Ok(flags)
}

fn is_launcher(word: &str) -> bool {
    matches!(base_name(word), "ccache" | "distcc" | "sccache" | "icecc")
}

fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// A compiler for the machine that programs are modelled on.
fn is_known_compiler(word: &str) -> bool {
    let name = base_name(word);
    let name = name.strip_prefix("x86_64-linux-gnu-").unwrap_or(name);
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end_matches('-');
    matches!(name, "cc" | "gcc" | "clang" | "c")
}

fn is_warning_or_level(flag: &str) -> bool {
    let passes_on = ["-Wa,", "-Wp,", "-Wl,"].iter().any(|start| flag.starts_with(start));
    let is_known = ["-W", "-g", "-O"].iter().any(|start| flag.starts_with(start));
    is_known && !passes_on && flag != "-Ofast"
}

fn is_language(flag: &str) -> bool {
    ["-std=c", "-std=gnu"].iter().filter_map(|start| flag.strip_prefix(start)).any(|year| LANGUAGES.contains(&year))
}

fn is_harmless(flag: &str) -> bool {
    let is_meant = |known: &&str| match known.ends_with(['-', '=']) || known.starts_with("-fvis") {
        true => flag.starts_with(*known),
        false => flag == *known || flag.strip_prefix(*known).is_some_and(|rest| rest.starts_with(['=', '-'])),
    };
    HARMLESS.iter().any(is_meant)
}

/// The file itself; or another one, which is none of our business.
fn is_file(flag: &str, file: &Path) -> bool {
    !flag.starts_with('-') && (Path::new(flag) == file || flag.ends_with(".c") || flag.ends_with(".o"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &str) -> Result<Flags, String> {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        of_command(&words, Path::new("src/a.c"))
    }

    #[test]
    fn what_the_preprocessor_needs_is_kept() {
        let flags =
            of("/usr/bin/gcc-12 -DN=3 -I inc -I/usr/local/include -isystem x -std=gnu11 -O2 -g -Wall -Wextra -fPIC \
                        -fstack-protector-strong -MD -MT a.o -MF a.d -o a.o -c src/a.c");
        let kept = "-DN=3 -I inc -I/usr/local/include -isystem x -std=gnu11 -O2 -g -Wall -Wextra";
        let kept: Vec<String> = kept.split(' ').map(str::to_owned).collect();
        assert_eq!(flags, Ok(Flags { preprocessor: kept, ilp32: false }));
        assert_eq!(of("ccache cc -m32 -c src/a.c"), Ok(Flags { ilp32: true, ..Flags::default() }));
    }

    #[test]
    fn what_may_change_the_language_is_refused() {
        for flag in [
            "-funsigned-char",
            "-fpack-struct",
            "-fshort-enums",
            "-fwrapv",
            "-ffast-math",
            "-Ofast",
            "-std=gnu89",
            "-ansi",
            "-xc++",
            "-Wp,-DX",
            "-mno-sse",
            "-march=native",
            "@file",
            "-fgnu89-inline",
        ] {
            let why = of(&format!("cc {flag} -c src/a.c"));
            assert!(why.as_ref().is_err_and(|why| why.contains(flag)), "{flag}: {why:?}");
        }
        for compiler in ["arm-none-eabi-gcc", "g++", "clang++", "nvcc"] {
            assert!(of(&format!("{compiler} -c src/a.c")).is_err_and(|why| why.contains(compiler)), "{compiler}");
        }
    }
}
