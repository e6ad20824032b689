//! The programs of [Spds].

use super::*;

/// Figure 3: `f` answers by parity.
#[test]
fn figure_3() {
    let text = "int G; void f(int A) { if (A % 2 == 0) A = 0; else A = 561; G = A; }\n\
                int main() { int L = __VERIFIER_nondet_int(); L = L * (L + 1); f(L); if (G != 0) reach_error(); }";
    all_say(text, Some(4), true);
}

/// Figure 4, in four bits.
#[test]
fn figure_4() {
    let text = "int main() { int X = __VERIFIER_nondet_int(); int Y = __VERIFIER_nondet_int();\n\
                X = X * (X + 1); while (Y % 2 != 0) Y = Y + 1; if ((X + Y) % 2 != 0) reach_error(); }";
    all_say(text, Some(4), true);
}

fn diamonds(n: usize) -> String {
    let mut text = "int main() {\n".to_owned();
    for i in 0..n {
        text += &format!("_Bool B{i} = __VERIFIER_nondet_bool(), C{i};\n");
    }
    for i in 0..n {
        text += &format!("if (B{i} == 0) C{i} = 0; else C{i} = B{i};\n");
    }
    for i in 0..n {
        text += &format!("if (B{i} != C{i}) reach_error();\n");
    }
    text + "}\n"
}

/// Figure 11 and table 5: one refinement excludes all counterexamples.
#[test]
fn one_refinement_for_all_diamonds() {
    for n in [1, 2, 5, 10] {
        let program = program(&diamonds(n));
        let (safe, stats) = verdict(&program, &small());
        assert_eq!((safe, stats.refinements), (Some(true), 1), "n = {n}");
    }
    all_say(&diamonds(2), None, true);
}

fn levels(n: usize, swapped: bool) -> String {
    let body = if swapped { "if (G == 0) G = 1; else G = 0;" } else { "if (G == 1) G = 0; else G = 1;" };
    let mut text = format!("_Bool G; void level{n}() {{ {body} }}\n");
    for i in (1..n).rev() {
        text += &format!("void level{i}() {{ level{0}(); level{0}(); }}\n", i + 1);
    }
    text + "int main() { G = 1; level1(); level1(); if (G == 0) reach_error(); }\n"
}

/// Figure 8 and table 6: one refinement, linear in the number of levels.
#[test]
fn one_refinement_for_all_levels() {
    for n in [1, 3, 9, 40] {
        for swapped in [false, true] {
            let program = program(&levels(n, swapped));
            let (safe, stats) = verdict(&program, &small());
            assert_eq!((safe, stats.refinements), (Some(true), 1), "n = {n}");
        }
    }
}

/// Figure 10: conciliated interpolants find `X = Y`.
#[test]
fn equality_tracking() {
    let text = "int X, Y, Z;\n\
        void foo() { int P = __VERIFIER_nondet_int(); while (__VERIFIER_nondet_bool()) {\n\
            if (__VERIFIER_nondet_bool()) P = __VERIFIER_nondet_int();\n\
            else { Z = __VERIFIER_nondet_int(); X = X + P; Y = Y + P; } } }\n\
        int main() { X = 0; Y = 0; foo(); if (X != Y) if (Z == 0) reach_error(); }";
    let program = program(text);
    let config = Config { int_bits: Some(3), ..small() };
    let (safe, stats) = verdict(&program, &config);
    assert_eq!(safe, Some(true));
    assert!(stats.refinements <= 6, "{stats:?}");
    let weakest = Config { interpolants: Interpolants::Weakest, ..config };
    let (safe, more) = verdict(&program, &weakest);
    assert_eq!(safe, Some(true));
    assert!(more.refinements >= stats.refinements, "{more:?}");
}

/// Figure 9: the locking example.
#[test]
fn locking() {
    let text = "_Bool l1, l2; int p1, p2;\n\
        void open1() { if (l1) reach_error(); l1 = 1; p1 = 0; }\n\
        void open2() { if (l2) reach_error(); l2 = 1; p2 = 0; }\n\
        void close1() { if (!l1 && p1 != 0) reach_error(); l1 = 0; }\n\
        void close2() { if (!l2 && p2 != 0) reach_error(); l2 = 0; }\n\
        void rw1() { if (!l1 && p1 != 0) reach_error(); p1 = p1 + 1; }\n\
        void rw2() { if (!l2 && p2 != 0) reach_error(); p2 = p2 + 1; }\n\
        int main() { l1 = 0; l2 = 0; open1(); while (__VERIFIER_nondet_bool()) { open2();\n\
            while (__VERIFIER_nondet_bool()) { rw2(); rw1(); } close2(); } close1(); }";
    let program = program(text);
    let mut cycles = Vec::new();
    for bits in [2, 8, 16] {
        let config = Config { int_bits: Some(bits), ..small() };
        let (safe, stats) = verdict(&program, &config);
        assert_eq!(safe, Some(true), "{bits} bits");
        cycles.push(stats.refinements);
    }
    assert!(cycles.iter().all(|&c| c == cycles[0]), "{cycles:?}");
}

/// Section 6.3: no refinement is necessary, however large the heap is. What `find_previous` does on all heaps has no small
/// decision diagram; what it does on the one heap that there is has one.
#[test]
fn linked_list() {
    let text = include_bytes!("../../../../../examples/rem/linked-list.rem");
    for cells in [8, 20] {
        let options = clinch_frontend::Options {
            defines: [("CELLS".to_owned(), cells)].into_iter().collect(),
            ..clinch_frontend::Options::default()
        };
        let program = clinch_frontend::rem::read("linked-list.rem", text, &options).expect("it is read");
        let (safe, stats) = verdict(&program, &Config { nodes: 1 << 20, ..small() });
        assert_eq!((safe, stats.refinements), (Some(false), 0), "{cells} cells");
    }
}
