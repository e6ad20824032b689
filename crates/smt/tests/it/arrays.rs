//! Arrays, trees that are none, and feasible trees.

use clinch_smt::{ItpConfig, ItpError, ItpNode, check, interpolate};
use clinch_terms::{Sort, Terms};

#[test]
fn arrays() {
    let mut t = Terms::new();
    let sort = Sort::array(Sort::Int, Sort::Int);
    let (a, b, c) = (t.fresh("a", sort.clone()), t.fresh("b", sort.clone()), t.fresh("c", sort));
    let (i, zero, one) = (t.fresh("i", Sort::Int), t.int(0), t.int(1));
    let (first, second) = (t.store(a, i, one), t.store(b, zero, one));
    let (first, second) = (t.eq(b, first), t.eq(c, second));
    let read = t.select(c, i);
    let error = t.lt(read, one);
    let formulas = [first, second, error];
    let tree: Vec<ItpNode> = formulas
        .iter()
        .enumerate()
        .map(|(n, &formula)| ItpNode { formula, children: n.checked_sub(1).into_iter().collect() })
        .collect();
    let result = interpolate(&mut t, &tree, &ItpConfig::default(), &|| false).expect("interpolants");
    assert!(check(&mut t, &tree, &result.formulas));
}

#[test]
fn what_has_no_interpolants() {
    let mut t = Terms::new();
    let (x, zero) = (t.fresh("x", Sort::Int), t.int(0));
    let (positive, not_negative) = (t.lt(zero, x), t.le(zero, x));
    let node = |formula, children: &[usize]| ItpNode { formula, children: children.to_vec() };
    let config = ItpConfig::default();
    let feasible = [node(positive, &[]), node(not_negative, &[0])];
    assert_eq!(interpolate(&mut t, &feasible, &config, &|| false), Err(ItpError::Satisfiable));
    for broken in [vec![], vec![node(positive, &[]), node(positive, &[])], vec![node(positive, &[0])]] {
        assert!(matches!(interpolate(&mut t, &broken, &config, &|| false), Err(ItpError::GaveUp(_))));
        assert!(!check(&mut t, &broken, &[]));
    }
}
