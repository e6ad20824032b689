//! Types, constants and layouts of C, beside those of the C compiler where one is there.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use clinch_frontend::c::hir::Hir;
use clinch_frontend::c::types::DataModel;
use clinch_frontend::c::{CheckOptions, Unit, check};

const CONSTANTS: &str = include_str!("c/constants.c");

fn flag(model: DataModel) -> &'static str {
    match model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    }
}

/// Runs the C compiler on a text; none if there is no compiler.
fn compiler(arguments: &[&str], text: &str) -> Option<(bool, String)> {
    let mut command = Command::new("cc");
    command.args(arguments).args(["-std=gnu11", "-w", "-x", "c", "-"]);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let text = if output.status.success() { output.stdout } else { output.stderr };
    Some((output.status.success(), String::from_utf8_lossy(&text).into_owned()))
}

fn checked(text: &str, data_model: DataModel) -> Hir {
    let units = [Unit { name: "test.c".to_owned(), text: text.to_owned() }];
    match check(&units, &CheckOptions { data_model, ..CheckOptions::default() }) {
        Ok((hir, _)) => hir,
        Err(error) => panic!("{data_model:?}: {}", error.diagnostics().render(false)),
    }
}

#[test]
fn constants_are_those_of_the_compiler() {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let Some((fine, text)) = compiler(&["-E", flag(model)], CONSTANTS) else { return };
        assert!(fine, "{text}");
        let (fine, errors) = compiler(&["-fsyntax-only", flag(model)], CONSTANTS).expect("it ran before");
        assert!(fine, "the compiler disagrees: {errors}");
        checked(&text, model);
    }
}

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }
}

const SCALARS: [&str; 10] =
    ["char", "short", "int", "long", "long long", "double", "char *", "_Bool", "long double", "unsigned"];
const BIT_TYPES: [(&str, u64); 8] = [
    ("char", 8),
    ("short", 16),
    ("int", 32),
    ("unsigned", 32),
    ("long long", 64),
    ("unsigned char", 8),
    ("_Bool", 1),
    ("unsigned long long", 64),
];

/// A random struct or union `R<n>`, with members of earlier ones.
fn record(n: usize, numbers: &mut Numbers) -> String {
    let mut text = String::new();
    let kind = numbers.pick(&["struct", "struct", "struct", "union"]);
    let attribute = numbers.pick(&["", "", "", "", "__attribute__((packed))", "__attribute__((aligned(8)))"]);
    let pack = numbers.pick(&["", "", "", "", "", "#pragma pack(2)", "#pragma pack(1)", "#pragma pack(4)"]);
    write!(text, "{pack}\n{kind} {attribute} R{n} {{").expect("a string");
    for m in 0..1 + numbers.below(6) {
        let align = numbers.pick(&["", "", "", "", "", "__attribute__((aligned(4)))", "__attribute__((packed))"]);
        match numbers.below(10) {
            0 if n > 0 => write!(text, "struct {{ char x; {} y; }} m{m};", numbers.pick(&SCALARS)),
            1 if n > 0 => write!(text, "T{} m{m} {align};", numbers.below(n as u64)),
            2 => write!(text, "{} m{m}[{}];", numbers.pick(&SCALARS), numbers.below(4)),
            3..=6 => {
                let (ty, bits) = BIT_TYPES[numbers.below(8) as usize];
                let width = 1 + numbers.below(bits);
                match numbers.below(8) {
                    0 => write!(text, "{ty} : {};", numbers.below(bits + 1)),
                    _ => write!(text, "{ty} b{m} : {width};"),
                }
            }
            _ => write!(text, "{} m{m} {align};", numbers.pick(&SCALARS)),
        }
        .expect("a string");
    }
    writeln!(text, "}};\n#pragma pack()\ntypedef {kind} R{n} T{n};").expect("a string");
    text
}

/// What the layouts are, as assertions for the compiler, and code that prints where the bit-fields are.
fn claims(hir: &Hir, count: usize) -> (String, String) {
    let (mut claims, mut prints) = (String::new(), String::new());
    for n in 0..count {
        let name = format!("R{n}");
        let record = (0..).map(|i| hir.types.record(clinch_frontend::c::types::RecordId(i))).find(|r| r.name == name);
        let record = record.expect("it was declared");
        let (size, align) = (record.size, record.align);
        writeln!(
            claims,
            "_Static_assert(sizeof(T{n}) == {size} && _Alignof(T{n}) == {align}, \"T{n} {size} {align}\");"
        )
        .expect("a string");
        for field in &record.fields {
            let (name, offset) = (&field.name, field.offset);
            match field.bits {
                None => writeln!(claims, "_Static_assert(__builtin_offsetof(T{n}, {name}) == {offset}, \"T{n}.{name}\");"),
                Some(bits) => {
                    let (first, width) = (offset * 8 + u64::from(bits.lo), bits.width);
                    writeln!(prints, "{{ T{n} t; memset(&t, 0, sizeof t); t.{name} = -1; claim(&t, sizeof t, {first}, {width}, \"T{n}.{name}\"); }}")
                }
            }
            .expect("a string");
        }
    }
    (claims, prints)
}

#[test]
fn layouts_are_those_of_the_compiler() {
    const COUNT: usize = 300;
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let records: String = (0..COUNT).map(|n| record(n, &mut numbers)).collect();
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let hir = checked(&records, model);
        let (claims, prints) = claims(&hir, COUNT);
        let text = format!("{records}\n{claims}");
        let Some((fine, errors)) = compiler(&["-fsyntax-only", flag(model)], &text) else { return };
        assert!(fine, "{model:?}: {}\n{errors}", errors.lines().filter(|l| l.contains("error")).count());
        if model == DataModel::Lp64 {
            let program = format!("{BIT_CLAIMS}\n{records}\nint main(void) {{ {prints} return 0; }}");
            let dir = std::env::temp_dir().join(format!("clinch-bits-{}", std::process::id()));
            let path = dir.to_str().expect("a plain name");
            let (fine, errors) = compiler(&["-o", path], &program).expect("it ran before");
            assert!(fine, "{errors}");
            let output = Command::new(&dir).output().expect("it runs");
            std::fs::remove_file(&dir).expect("it was written");
            assert_eq!(String::from_utf8_lossy(&output.stdout), "");
        }
    }
}

const BIT_CLAIMS: &str = "
int printf(const char *, ...); void *memset(void *, int, unsigned long);
static void claim(void *p, unsigned long size, unsigned long first, unsigned long width, const char *name) {
    for (unsigned long i = 0; i < size * 8; i++) {
        int bit = ((unsigned char *)p)[i / 8] >> (i % 8) & 1, expected = i >= first && i < first + width;
        if (bit != expected) { printf(\"%s: bit %lu is %d\\n\", name, i, bit); return; }
    }
}";
