//! Functions of the C library that are not modelled and need not be: they write through no pointer, call nothing back and
//! keep nothing that the program could see again, but for `errno`, which any of them may set.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// What a function returns, as far as the standard or POSIX say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Results {
    /// Nothing, or any value of its type.
    Any,
    /// A number of this range.
    Range(i64, i64),
}

/// 0, or -1 for a failure.
const SUCCESS: Results = Results::Range(-1, 0);
/// A number that is not negative, or -1 for a failure.
const COUNT: Results = Results::Range(-1, i64::MAX);
/// A character, or `EOF`.
const CHARACTER: Results = Results::Range(-1, 255);

/// What a harmless function returns; nothing for others.
pub(crate) fn harmless(name: &str) -> Option<Results> {
    Some(match name {
        // Input, one character at a time: what was read before says nothing of what comes.
        "getchar" | "getc" | "fgetc" | "getchar_unlocked" | "getc_unlocked" => CHARACTER,
        // Pseudo-random numbers: the seed decides, but no standard says how. `RAND_MAX` is that of glibc.
        "rand" | "random" | "lrand48" => Results::Range(0, 0x7fff_ffff),
        "mrand48" => Results::Range(-0x8000_0000, 0x7fff_ffff),
        "srand" | "srandom" | "srand48" => Results::Any,
        // Streams are handles: a program does not look inside of them.
        "fopen" | "fdopen" | "freopen" | "tmpfile" | "popen" | "fopen64" => Results::Any,
        "fclose" | "fflush" | "fseek" | "fseeko" => SUCCESS,
        "ftell" | "ftello" | "fileno" => COUNT,
        "feof" | "ferror" | "clearerr" | "rewind" | "pclose" | "fwrite" => Results::Any,
        // Files and directories: what is stored there is not memory.
        "open" | "openat" | "creat" | "dup" | "dup2" | "write" => COUNT,
        // Some files have more bytes than positions that are not negative.
        "lseek" => Results::Any,
        "close" | "access" | "unlink" | "remove" | "rename" | "mkdir" | "rmdir" | "chdir" | "chmod" | "chown" => {
            SUCCESS
        }
        "link" | "symlink" | "fsync" | "fdatasync" | "ftruncate" | "truncate" | "fchmod" | "flock" => SUCCESS,
        "isatty" => Results::Range(0, 1),
        "umask" | "opendir" => Results::Any,
        "closedir" => SUCCESS,
        // Sockets, as far as they do not hand addresses back.
        "socket" | "send" | "sendto" => COUNT,
        "bind" | "listen" | "connect" | "shutdown" | "setsockopt" => SUCCESS,
        // Who and where the process is.
        "getpid" | "getpagesize" => Results::Range(1, 0x7fff_ffff),
        // 0 where the parent is in another namespace.
        "getppid" => Results::Range(0, 0x7fff_ffff),
        "getuid" | "geteuid" | "getgid" | "getegid" | "sysconf" | "gethostid" => Results::Any,
        "setuid" | "setgid" | "seteuid" | "setegid" => SUCCESS,
        // Time passes.
        "clock" => COUNT,
        "sleep" => Results::Any,
        "usleep" | "sched_yield" => SUCCESS,
        // Another process.
        "system" => Results::Any,
        // Messages for others. `printk` is that of the kernel.
        "openlog" | "closelog" | "perror" | "printk" => Results::Any,
        _ => return None,
    })
}

/// What of a result the standard fixes, where it does not fix all of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fixed {
    /// Whether it is 0.
    Truth,
    /// Its sign.
    Sign,
}

/// What the standard fixes of the results of comparisons and classifications. The rest differs between compilers, which
/// know these functions, and libraries.
pub(crate) fn fixed_part(name: &str) -> Option<Fixed> {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    Some(match name {
        "strcmp" | "strncmp" | "memcmp" | "strcasecmp" | "strncasecmp" | "strcoll" | "wcscmp" | "wcsncmp"
        | "wmemcmp" => Fixed::Sign,
        "isnan" | "isnanf" | "isnanl" | "__isnan" | "__isnanf" | "__isnanl" | "isinf" | "isinff" | "isinfl"
        | "__isinf" | "__isinff" | "__isinfl" | "finite" | "finitef" | "finitel" | "__finite" | "__finitef"
        | "__finitel" | "__signbit" | "__signbitf" | "__signbitl" => Fixed::Truth,
        "bcmp" | "isalnum" | "isalpha" | "isblank" | "iscntrl" | "isdigit" | "isgraph" | "islower" | "isprint"
        | "ispunct" | "isspace" | "isupper" | "isxdigit" | "isascii" => Fixed::Truth,
        _ => return None,
    })
}

/// Whether the C library has a function of this name.
pub(crate) fn is_library_name(name: &str) -> bool {
    static NAMES: LazyLock<FxHashSet<&str>> = LazyLock::new(|| {
        let lines = include_str!("library_names.txt").lines().filter(|line| !line.starts_with('#'));
        lines.flat_map(str::split_ascii_whitespace).collect()
    });
    NAMES.contains(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_names_has_what_programs_call_and_nothing_else() {
        for name in ["strtol", "pthread_create", "qsort", "printf", "sigaction", "frexp", "__isoc99_sscanf"] {
            assert!(is_library_name(name), "{name}");
        }
        for name in ["kmalloc", "nondet", "f", "", "#", "my_function"] {
            assert!(!is_library_name(name), "{name}");
        }
    }
}
