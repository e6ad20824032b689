//! `printf` against what glibc printed.

use crate::format::{Argument, FormatFault, format};

fn text(spec: &str, args: &[Argument]) -> String {
    let mut string = |address: u64, limit: Option<usize>| {
        let all = if address == 0 { return Err(()) } else { b"some text".to_vec() };
        Ok(all[..limit.unwrap_or(all.len()).min(all.len())].to_vec())
    };
    let text = format(spec.as_bytes(), args, 64, &mut string).expect("no fault");
    String::from_utf8(text).expect("text")
}

fn int(value: i64) -> Argument {
    Argument { bits: u64::from(value as u32), width: 32, known: true }
}

fn long(value: u64) -> Argument {
    Argument { bits: value, width: 64, known: true }
}

#[test]
#[rustfmt::skip]
fn integers_as_glibc_prints_them() {
    let cases = [
        ("% -8.15ho", 4294967254, 32, "000000000177726"),
        ("%3.0hx", 0, 32, "   "),
        ("%-20zu", 65535, 64, "65535               "),
        ("%-.1ji", 0, 64, "0"),
        ("%+.15hhu", 127, 32, "000000000000127"),
        ("%+20p", 65536, 64, "            +0x10000"),
        ("%+3llu", 9223372036854775808, 64, "9223372036854775808"),
        ("%12.5lld", 256, 64, "       00256"),
        ("% +#8.5hhd", 0, 32, "  +00000"),
        ("%#-12.15zu", 0, 64, "000000000000000"),
        ("%-+ hx", 32767, 32, "7fff"),
        ("%#-12.5p", 18446744073709551615, 64, "0xffffffffffffffff"),
        ("% 12.1lli", 9223372036854775807, 64, " 9223372036854775807"),
        ("% 8d", 4294967295, 32, "      -1"),
        ("%-+ 12.lx", 42, 64, "2a          "),
        ("%20ju", 42, 64, "                  42"),
        ("%#zu", 65536, 64, "65536"),
        ("%+#12.15hhX", 2147483648, 32, "000000000000000"),
        ("%# 3.0zi", 9223372036854775807, 64, " 9223372036854775807"),
        ("%#3x", 4294967295, 32, "0xffffffff"),
        ("%# 20.5lu", 9223372036854775808, 64, " 9223372036854775808"),
        ("%0 3.llo", 65536, 64, "200000"),
        ("% 8.o", 65536, 32, "  200000"),
        ("%012.1zu", 255, 64, "         255"),
        ("%jX", 128, 64, "80"),
        ("%-8hhd", 7, 32, "7       "),
        ("%+#.1x", 65535, 32, "0xffff"),
        ("%12ho", 0, 32, "           0"),
        ("%# 8.15o", 32767, 32, "000000000077777"),
        ("%0.x", 0, 32, ""),
        ("% #08.0hhX", 256, 32, "        "),
        ("%20.1ji", 42, 64, "                  42"),
        ("% +03.jX", 4294967295, 64, "FFFFFFFF"),
        ("%-.tx", 7, 64, "7"),
        ("%-8.15zX", 18446744071562067968, 64, "FFFFFFFF80000000"),
        ("%#0 20lx", 18446744073709551615, 64, "0x00ffffffffffffffff"),
        ("% +#12.1d", 255, 32, "        +255"),
        ("%.5u", 4294967295, 32, "4294967295"),
        ("%#-0o", 256, 32, "0400"),
        ("%+0 .0hhd", 1, 32, "+1"),
        ("%# 03hho", 0, 32, "000"),
        ("%0+3ti", 256, 64, "+256"),
        ("%#0+.15td", 65535, 64, "+000000000065535"),
        ("%.0ho", 2147483648, 32, ""),
        ("% -012hhx", 1, 32, "1           "),
        ("%03li", 128, 64, "128"),
        ("%8llu", 1, 64, "       1"),
        ("%#+20i", 0, 32, "                  +0"),
        ("%-20.1zo", 0, 64, "0                   "),
        ("%-# 8d", 4294967295, 32, "-1      "),
        ("% -#to", 9223372036854775807, 64, "0777777777777777777777"),
        ("%20x", 2147483648, 32, "            80000000"),
        ("% +-12ji", 65536, 64, "+65536      "),
        ("%3.5p", 42, 64, "0x0002a"),
        ("%-012.15p", 1, 64, "0x000000000000001"),
        ("% 8.15p", 4294967295, 64, " 0x0000000ffffffff"),
        ("%#.X", 65535, 32, "0XFFFF"),
        ("%0#+12.5to", 42, 64, "       00052"),
        ("%#12i", 4294967295, 32, "          -1"),
        ("%#+08.1hu", 4294967295, 32, "   65535"),
    ];
    for (spec, bits, width, expected) in cases {
        assert_eq!(text(spec, &[Argument { bits, width, known: true }]), expected, "{spec} of {bits}");
    }
}

#[test]
fn other_conversions() {
    assert_eq!(text("100%% %c%c\n", &[int(97), int(98)]), "100% ab\n");
    assert_eq!(text("[%12s|%-12s|%.4s]", &[long(1); 3]), "[   some text|some text   |some]");
    assert_eq!(text("[%*d|%-*d|%.*d]", &[int(5), int(7), int(4), int(8), int(3), int(9)]), "[    7|8   |009]");
    assert_eq!(text("[%*d|%.*d]", &[int(-5), int(7), int(-1), int(9)]), "[7    |9]");
    assert_eq!(text("%p %p", &[long(0), long(255)]), "(nil) 0xff");
    assert_eq!(text("%5.2Lf %a %d", &[long(0), long(0), int(3)]), "    ? 0x0p+0 3");
    assert_eq!(text("%d", &[Argument { known: false, ..int(3) }]), "?");
    assert_eq!(text("%d %d", &[int(3)]), "3 ?");
    assert_eq!(text("%k and %", &[]), "%k and %");
    let big = Argument { bits: 1 << 40, width: 0, known: true };
    assert_eq!(text("%d %u", &[big, big]), "1099511627776 1099511627776");
    let fault = format::<()>(b"%s", &[long(0)], 64, &mut |_, _| Err(()));
    assert_eq!(fault, Err(FormatFault::String(())));
    let fault = format::<()>(b"%n", &[long(0)], 64, &mut |_, _| Err(()));
    assert_eq!(fault, Err(FormatFault::Unsupported("`%n` in a format")));
}

#[test]
fn a_long_is_as_wide_as_a_pointer() {
    let none = &mut |_: u64, _: Option<usize>| Err::<Vec<u8>, ()>(());
    let text = format(b"%ld %lld", &[long(u64::MAX >> 32), long(u64::MAX >> 32)], 32, none).expect("no fault");
    assert_eq!(text, b"-1 4294967295");
}

#[test]
fn floats() {
    let double = |x: f64| Argument { bits: x.to_bits(), width: 64, known: true };
    let shown = |format: &str, x: f64| text(format, &[double(x)]);
    assert_eq!(shown("%f|", 0.1 + 0.2), "0.300000|");
    assert_eq!(shown("%.20f", 0.1), "0.10000000000000000555");
    assert_eq!(shown("%+08.2f", -2.345), "-0002.35");
    assert_eq!(shown("%-9.1e|", 12345.0), "1.2e+04  |");
    assert_eq!(shown("%E", 1e-300), "1.000000E-300");
    assert_eq!(shown("%g", 100_000.0), "100000");
    assert_eq!(shown("%g", 1e6), "1e+06");
    assert_eq!(shown("%g", 0.0001), "0.0001");
    assert_eq!(shown("%g", 0.00001), "1e-05");
    assert_eq!(shown("%.3g", 2.5), "2.5");
    assert_eq!(shown("%#g", 1.0), "1.00000");
    assert_eq!(shown("%05f", f64::INFINITY), "  inf");
    assert_eq!(shown("%f", -f64::NAN), "-nan");
    assert_eq!(shown("%.0f", 2.5), "2");
    assert_eq!(shown("%.0f", -0.0), "-0");
}

#[test]
fn floats_in_hexadecimal() {
    let double = |x: f64| Argument { bits: x.to_bits(), width: 64, known: true };
    let shown = |format: &str, x: f64| text(format, &[double(x)]);
    assert_eq!(shown("%a", 1.0), "0x1p+0");
    assert_eq!(shown("%A", 0.1), "0X1.999999999999AP-4");
    assert_eq!(shown("%a", -0.0), "-0x0p+0");
    assert_eq!(shown("%a", 5e-324), "0x0.0000000000001p-1022");
    assert_eq!(shown("%.3a", 1.999), "0x1.ffcp+0");
    assert_eq!(shown("%.0a", 1.5), "0x2p+0");
    assert_eq!(shown("%015.1a", 0.1), "0x00000001.ap-4");
    assert_eq!(shown("%a", f64::INFINITY), "inf");
}

/// Numbers of type `long double` are two arguments.
#[test]
fn extended_precision() {
    let shown = |format: &str, significand: u64, exponent: u64| {
        text(format, &[long(significand), Argument { bits: exponent, width: 16, known: true }])
    };
    assert_eq!(shown("%.20Lf", 0xcccc_cccc_cccc_cccd, 0x3ffb), "0.10000000000000000000");
    assert_eq!(shown("%.30Lg", 0xaaaa_aaaa_aaaa_aaab, 0x3ffd), "0.333333333333333333342368351437");
    assert_eq!(shown("%Lg", u64::MAX, 0x7ffe), "1.18973e+4932");
    assert_eq!(shown("%Le", 3, 0), "1.093560e-4950");
    assert_eq!(shown("%La", 0xcccc_cccc_cccc_cccd, 0x3ffb), "0xc.ccccccccccccccdp-7");
    assert_eq!(shown("%.2La", 0xffdf_3b64_5a1c_ac08, 0x3fff), "0xf.fep-3");
    assert_eq!(shown("%La", u64::MAX, 0x7ffe), "0xf.fffffffffffffffp+16380");
    assert_eq!(shown("%Lf|", 1 << 63, 0xffff), "-inf|");
}
