//! What programs do after lowering, on the machine and with each region in a memory of its own.
//!
//! The programs in `tests/c` print much; beside each stands what gcc makes of it.

use clinch_ir::cfa::CfaProgram;
use clinch_machine::{InputRequest, Limits, Machine, Observer, Stop, TracedEdge};

use crate::c_apart::{Apart, End};
use crate::c_lowering::lowered;
use crate::c_wellformed::problems;

struct Output(Vec<u8>);

impl Observer for Output {
    const TRACES: bool = false;

    fn edge(&mut self, _: &TracedEdge<'_>) {}

    fn print(&mut self, text: &[u8], _: bool) {
        self.0.extend_from_slice(text);
    }
}

/// What a program prints and its exit status, with every input 1.
fn run(program: &CfaProgram) -> String {
    let machine = Machine::new(program);
    let mut output = Output(Vec::new());
    let mut ones = |_: &InputRequest| Some(1);
    let outcome = machine.run(&mut machine.initial(), &mut ones, &mut output, &Limits::default());
    let end = match outcome.stop {
        Stop::Exit(status) => format!("exit {status}"),
        other => format!("{other:?} at line {}", program.source.place(outcome.at.span).line),
    };
    format!("{}{end}\n", String::from_utf8_lossy(&output.0))
}

/// The same with each region in a memory of its own.
fn run_apart(program: &CfaProgram) -> String {
    let mut apart = Apart::new(program);
    let end = match apart.run(|_| 1, 10_000_000) {
        End::Exit(status) => format!("exit {status}"),
        other => format!("{other:?}"),
    };
    format!("{}{end}\n", String::from_utf8_lossy(&apart.output))
}

fn agrees(text: &str, expected: &str) {
    let program = lowered(text);
    assert_eq!(problems(&program), Vec::<String>::new());
    assert_eq!(run(&program), expected);
    assert_eq!(run_apart(&program), expected, "regions are confused");
}

#[test]
fn values_of_all_types() {
    agrees(include_str!("../c/values.c"), include_str!("../c/values.out"));
}

#[test]
fn arrays_of_arrays_of_computed_length() {
    agrees(include_str!("../c/rows.c"), include_str!("../c/rows.out"));
}

#[test]
fn functions_of_the_library() {
    agrees(include_str!("../c/library.c"), include_str!("../c/library.out"));
}

#[test]
fn small_programs() {
    agrees(include_str!("../c/programs.c"), include_str!("../c/programs.out"));
}

#[test]
fn pointers_of_all_kinds() {
    agrees(include_str!("../c/pointers.c"), include_str!("../c/pointers.out"));
}

/// A pointer to a record is one to its first member, an array: walking over its bytes leaves the array.
#[test]
fn bytes_of_a_record_that_starts_with_an_array() {
    agrees(
        "struct s { char name[6]; int x; int a[2]; };
         void clear(void *p, int n) { char *c = p; while (n--) *c++ = 0; }
         int main(void) {
             struct s s[2] = { { \"ab\", 1, { 2, 3 } }, { \"cd\", 4, { 5, 6 } } };
             clear(&s[1], sizeof *s);
             return s[1].x + s[1].a[1] + s[1].name[0] + s[0].x + 10 * s[0].a[0];
         }",
        "exit 21\n",
    );
}

/// A walk over the bytes of an element of an array inside a record stays in that array, not in the element's first member.
#[test]
fn bytes_of_an_element() {
    agrees(
        "struct in { char c[3]; short s; int a[2]; };
         struct out { int x; struct in in[2]; long l; };
         struct out g[3];
         void swap(void *a, void *b, int n) { char *x = a, *y = b; while (n--) { char z = *x; *x++ = *y; *y++ = z; } }
         int main(void) {
             g[2].in[1].s = 7; g[2].in[1].a[1] = 9; g[0].l = 5;
             swap(&g[2].in[1], &g[0].in[0], sizeof(struct in));
             return g[0].in[0].s * 10 + g[0].in[0].a[1] + g[2].in[1].s + (int)g[0].l;
         }",
        "exit 84\n",
    );
}

#[test]
fn member_to_record() {
    agrees(
        "struct link { struct link *next; };
         struct item { char tag[4]; int v; struct link link; };
         struct item items[3];
         int main(void) {
             struct link *head = 0;
             for (int i = 0; i < 3; i++) { items[i].v = i + 1; items[i].link.next = head; head = &items[i].link; }
             int sum = 0;
             for (struct link *l = head; l; l = l->next) {
                 struct item *it = (struct item *)((char *)l - __builtin_offsetof(struct item, link));
                 sum = sum * 10 + it->v;
             }
             return sum - 300;
         }",
        "exit 21\n",
    );
}
