//! The types of the library functions that gcc knows without a declaration.
//!
//! A signature is a result and parameters: `v` void, `p` pointer, `s` char pointer, `i` int, `u` unsigned, `l` long, `L` long long,
//! `z` size_t, `d` double, `f` float, `D` long double, `U` unsigned long long, `h` unsigned short, `H` short, `C` unsigned char,
//! `m` unsigned long, `w` uint64_t; `.` is `...`.

/// The signature of a function.
pub(super) fn signature(name: &str) -> Option<&'static str> {
    let on_floats = || Some(mathematics(name.strip_suffix('f')?)?.1);
    let on_extended = || mathematics(name.strip_suffix('l')?).and_then(|(of_doubles, _)| extended(of_doubles));
    let on_doubles = || Some(mathematics(name)?.0);
    general(name).or_else(|| bytes(name)).or_else(on_doubles).or_else(on_floats).or_else(on_extended)
}

/// The signature of a function on numbers of type `long double`, from that of the one on doubles.
fn extended(of_doubles: &str) -> Option<&'static str> {
    let signatures = ["DD", "DDD", "DDDD", "DDi", "iD", "lD", "LD", "iDD"];
    signatures.into_iter().find(|signature| signature.replace('D', "d") == of_doubles)
}

/// Integers, allocation, ends of a run.
fn general(name: &str) -> Option<&'static str> {
    Some(match name {
        "abort" | "trap" | "unreachable" => "v",
        "exit" | "_exit" => "vi",
        "abs" | "ffs" | "putchar" | "isalnum" | "isalpha" | "isascii" | "isblank" | "iscntrl" | "isdigit"
        | "isgraph" | "islower" | "isprint" | "ispunct" | "isspace" | "isupper" | "isxdigit" | "toascii"
        | "tolower" | "toupper" => "ii",
        "labs" => "ll",
        "llabs" | "imaxabs" => "LL",
        "ffsl" => "il",
        "ffsll" => "iL",
        "clz" | "ctz" | "parity" | "popcount" => "iu",
        "clzl" | "ctzl" | "parityl" | "popcountl" => "im",
        "clzll" | "ctzll" | "parityll" | "popcountll" => "iU",
        "bswap16" => "hh",
        "bswap32" => "uu",
        "bswap64" => "ww",
        "alloca" | "malloc" => "pz",
        "calloc" => "pzz",
        "realloc" => "ppz",
        "free" => "vp",
        "frame_address" | "return_address" => "pu",
        "object_size" => "zpi",
        "prefetch" => "vp.",
        "expect" => "lll",
        _ => return None,
    })
}

/// Blocks of bytes and strings, what is printed.
fn bytes(name: &str) -> Option<&'static str> {
    Some(match name {
        "memchr" | "memset" => "ppiz",
        "memcmp" | "bcmp" => "ippz",
        "memcpy" | "memmove" | "mempcpy" => "pppz",
        "bcopy" => "vppz",
        "bzero" => "vpz",
        "strcat" | "strcpy" | "strstr" | "stpcpy" | "strpbrk" => "sss",
        "strchr" | "strrchr" | "index" | "rindex" => "ssi",
        "strcmp" | "strcasecmp" => "iss",
        "strdup" => "ss",
        "strlen" => "zs",
        "strncat" | "strncpy" | "stpncpy" | "__strcpy_chk" | "__strcat_chk" => "sssz",
        "strncmp" | "strncasecmp" => "issz",
        "strcspn" | "strspn" => "zss",
        "strndup" => "ssz",
        "__memcpy_chk" | "__memmove_chk" => "pppzz",
        "__memset_chk" => "ppizz",
        "__strncpy_chk" => "ssszz",
        "puts" => "is",
        "printf" => "is.",
        "snprintf" => "iszs.",
        "sprintf" => "iss.",
        "__clinch_put_text" => "zszzszzi",
        "__clinch_put_char" => "zszzizi",
        "__clinch_put_signed" => "zszzizi",
        "__clinch_put_signed_long" => "zszzLzi",
        "__clinch_put_unsigned" => "zszzuizi",
        "__clinch_put_unsigned_long" => "zszzUizi",
        "__clinch_put_end" => "iszz",
        _ => return None,
    })
}

/// Functions on doubles, and the signature of the one on floats that is named like it, with an `f`.
fn mathematics(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "fabs" | "floor" | "sqrt" | "logb" | "ceil" | "trunc" | "round" | "rint" | "nearbyint" | "__clinch_fabs"
        | "__clinch_trunc" | "__clinch_rint" | "__clinch_round" | "__clinch_sqrt" | "sin" | "cos" | "tan" | "asin"
        | "acos" | "atan" | "sinh" | "cosh" | "tanh" | "asinh" | "acosh" | "atanh" | "exp" | "exp2" | "expm1"
        | "log" | "log2" | "log10" | "log1p" | "cbrt" | "erf" | "erfc" => ("dd", "ff"),
        "pow" | "copysign" | "fmin" | "fmax" | "fdim" | "fmod" | "remainder" | "nextafter" | "atan2" | "hypot"
        | "__clinch_next" => ("ddd", "fff"),
        "fma" => ("dddd", "ffff"),
        "ldexp" | "scalbn" => ("ddi", "ffi"),
        "__clinch_isunordered" | "__clinch_islessgreater" => ("idd", "iff"),
        "ilogb"
        | "__clinch_signbit"
        | "__clinch_signalling"
        | "__isnan"
        | "__isinf"
        | "__finite"
        | "__fpclassify"
        | "__signbit" => ("id", "if"),
        "lrint" | "lround" => ("ld", "lf"),
        "llrint" | "llround" => ("Ld", "Lf"),
        _ => return None,
    })
}
