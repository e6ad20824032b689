//! Which options of the compiler may be given for preprocessing.

/// Options that say what text there is, or what is warned about. With an argument of its own, if they end here.
const HARMLESS: [&str; 13] = [
    "-D",
    "-U",
    "-I",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-W",
    "-g",
    "-std=c",
    "-std=gnu",
    "-O",
];
/// Those without anything behind them.
const ALONE: [&str; 8] = ["-w", "-nostdinc", "-pthread", "-pipe", "-P", "-C", "-trigraphs", "-fno-common"];

/// An option that changes the language, the layout of types or what a character is would have to be known to more than the
/// preprocessor.
pub(super) fn check_flags(flags: &[String]) -> Result<(), String> {
    let mut takes_argument = false;
    for flag in flags {
        let is_argument = std::mem::replace(&mut takes_argument, HARMLESS[..8].contains(&flag.as_str()));
        let old = ["89", "90"].iter().any(|year| flag.starts_with("-std=") && flag.ends_with(year));
        let fast = flag == "-Ofast" || flag.starts_with("-Wa,") || flag.starts_with("-Wp,") || flag.starts_with("-Wl,");
        let known = HARMLESS.iter().any(|prefix| flag.starts_with(prefix)) && !old && !fast;
        if !is_argument && !known && !ALONE.contains(&flag.as_str()) {
            return Err(format!(
                "--cpp-flag {flag}: only options for the preprocessor are known, such as -D, -U, -I and -include{}",
                if flag.starts_with("-m") { "; for the sizes of types there is --data-model" } else { "" }
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check_flags;

    #[test]
    fn only_what_preprocessing_needs() {
        let check = |flags: &[&str]| check_flags(&flags.iter().map(|&f| f.to_owned()).collect::<Vec<_>>());
        for good in [&["-DN=7"][..], &["-include", "a.h"], &["-I", "include"], &["-std=gnu11", "-Wall", "-O2"]] {
            assert_eq!(check(good), Ok(()));
        }
        for bad in [&["-funsigned-char"][..], &["-m32"], &["-fpack-struct"], &["-std=gnu89"], &["b.c"], &["-Wp,-x"]] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
    }
}
