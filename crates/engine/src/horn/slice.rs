//! Parameters that influence no constraint and no query are dropped: cone of influence, backwards.
//!
//! A parameter matters if a clause with the predicate in its body has there anything but a symbol of its own, or one that
//! occurs in the constraint, twice in the body, or in an argument of the head that matters. What is dropped is computed
//! forward again when a derivation is taken back.

use clinch_terms::Symbol;
use rustc_hash::FxHashMap;

use super::history::Origin;
use super::work::{Work, roots, symbols_of};
use clinch_terms::linear::as_symbol;

/// Drops all such parameters.
pub(super) fn run(work: &mut Work<'_>) -> bool {
    let matters = cone(work);
    let useless: Vec<Vec<usize>> = matters
        .iter()
        .map(|m| m.iter().enumerate().filter(|(_, matters)| !**matters).map(|(i, _)| i).collect())
        .collect();
    let live: Vec<usize> = work.live().collect();
    let mut changed = false;
    for id in live {
        changed |= rewrite(work, id, &useless);
    }
    for (p, gone) in useless.iter().enumerate().filter(|(_, gone)| !gone.is_empty()) {
        work.drop_parameters(p, gone);
    }
    changed
}

/// The clause without useless arguments.
fn rewrite(work: &mut Work<'_>, id: usize, useless: &[Vec<usize>]) -> bool {
    let mut clause = work.clause(id).clone();
    if clause.body.iter().chain(&clause.head).all(|a| useless[a.predicate.index()].is_empty()) {
        return false;
    }
    let mut restored = Vec::new();
    for (k, application) in clause.body.iter().enumerate() {
        let p = application.predicate.index();
        for &i in &useless[p] {
            let symbol = as_symbol(&work.terms, application.args[i]).expect("other arguments matter");
            restored.push((symbol, k, work.predicates[p].kept[i]));
        }
    }
    for application in clause.body.iter_mut().chain(&mut clause.head) {
        let gone = &useless[application.predicate.index()];
        let mut position = 0..;
        application.args.retain(|_| gone.binary_search(&position.next().expect("without end")).is_err());
    }
    clause.vars = symbols_of(&work.terms, roots(&clause));
    let normal = work.is_normal(id);
    work.remove(id);
    let made = work.add(clause, Origin::Sliced { parent: id, restored });
    if normal {
        work.set_normal(made);
    }
    true
}

/// For each predicate which of its parameters matter.
fn cone(work: &Work<'_>) -> Vec<Vec<bool>> {
    let mut cone =
        Cone { matters: work.predicates.iter().map(|p| vec![false; p.params.len()]).collect(), todo: Vec::new() };
    let mut defined_by: Vec<Vec<usize>> = vec![Vec::new(); work.predicates.len()];
    let mut places = FxHashMap::default();
    for id in work.live() {
        places.insert(id, cone.start(work, id));
        if let Some(head) = &work.clause(id).head {
            defined_by[head.predicate.index()].push(id);
        }
    }
    while let Some((p, i)) = cone.todo.pop() {
        for id in &defined_by[p] {
            let head = work.clause(*id).head.as_ref().expect("it defines a predicate");
            for symbol in work.terms.symbols(head.args[i]) {
                if let Some(&(q, j)) = places[id].get(&symbol) {
                    cone.mark(q, j);
                }
            }
        }
    }
    cone.matters
}

struct Cone {
    matters: Vec<Vec<bool>>,
    todo: Vec<(usize, usize)>,
}

impl Cone {
    fn mark(&mut self, p: usize, i: usize) {
        if !std::mem::replace(&mut self.matters[p][i], true) {
            self.todo.push((p, i));
        }
    }

    /// Marks what matters because of this clause alone. The rest of its body's arguments are symbols: where they stand.
    fn start(&mut self, work: &Work<'_>, id: usize) -> FxHashMap<Symbol, (usize, usize)> {
        let clause = work.clause(id);
        let constrained = symbols_of(&work.terms, [clause.constraint]);
        let mut places = FxHashMap::default();
        for application in &clause.body {
            let p = application.predicate.index();
            for (i, &arg) in application.args.iter().enumerate() {
                match as_symbol(&work.terms, arg) {
                    Some(x) if constrained.binary_search(&x).is_err() => {
                        if let Some((q, j)) = places.insert(x, (p, i)) {
                            self.mark(p, i);
                            self.mark(q, j);
                        }
                    }
                    _ => self.mark(p, i),
                }
            }
        }
        // Symbols inside other arguments of the body are constrained by them.
        for application in &clause.body {
            let composed = application.args.iter().filter(|&&t| as_symbol(&work.terms, t).is_none());
            for x in symbols_of(&work.terms, composed.copied()) {
                if let Some(&(q, j)) = places.get(&x) {
                    self.mark(q, j);
                }
            }
        }
        places
    }
}
