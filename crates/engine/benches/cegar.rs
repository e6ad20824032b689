//! How the abstract search scales: time per state and per subsumption check as the number of states grows.
//!
//! `n` switches, each on or off, and the predicates that tell which: 2^n abstract states, none of which subsumes another,
//! and `n` steps from each. `cargo bench -p clinch-engine --bench cegar`, or `make bench`.

#![allow(clippy::print_stdout, missing_docs, reason = "a benchmark prints its table")]

use std::time::Instant;

use clinch_engine::cegar::{Cegar, Config, Order, Seed};
use clinch_engine::{Budget, Silent};
use clinch_ir::{Application, Clause, HornSystem, HornVerdict, Source, Span};
use clinch_terms::Sort;

fn switches(n: usize) -> HornSystem {
    let mut system = HornSystem::new(Source { name: "switches".to_owned(), text: String::new() });
    let state = system.add_predicate("state", &vec![Sort::Int; n]);
    for flipped in 0..=n {
        let before: Vec<_> = (0..n).map(|i| system.terms.fresh(format!("x{i}"), Sort::Int)).collect();
        let (zero, one) = (system.terms.int(0), system.terms.int(1));
        let after = before.iter().enumerate().map(|(i, &x)| if i == flipped { system.terms.sub(one, x) } else { x });
        let (body, args) = if flipped == n {
            (Vec::new(), vec![zero; n])
        } else {
            let after = after.collect();
            (vec![Application { predicate: state, args: before }], after)
        };
        let constraint = system.terms.tt();
        let head = Some(Application { predicate: state, args });
        let vars = HornSystem::collect_vars(&system.terms, &body, constraint, head.as_ref());
        system.clauses.push(Clause { vars, body, constraint, head, span: Span::default() });
    }
    system
}

fn main() {
    println!("switches  order            states     us/state  subsumption checks  visits/check  prover calls");
    for order in [Order::BreadthFirst, Order::SubsumerFirst] {
        for n in [8, 10, 12, 14, 16, 17] {
            let mut system = switches(n);
            let mut seeds = Vec::new();
            let location = system.predicates[0].clone();
            for param in location.params {
                let terms = &mut system.terms;
                let (x, zero, one) = (terms.symbol(param), terms.int(0), terms.int(1));
                for formula in [terms.le(x, zero), terms.le(one, x)] {
                    seeds.push(Seed { location: location.name.clone(), formula });
                }
            }
            let config = Config { order, seeds, ..Config::default() };
            let mut cegar = Cegar::new(&system, &config);
            let start = Instant::now();
            let verdict = cegar.run(&Budget::unlimited(), &mut Silent);
            let time = start.elapsed();
            assert!(matches!(verdict, HornVerdict::Safe(_)));
            let stats = &cegar.stats;
            println!(
                "{n:8}  {:15}  {:7}  {:11.2}  {:18}  {:12.1}  {:12}",
                format!("{order:?}"),
                stats.states,
                time.as_secs_f64() * 1e6 / stats.states as f64,
                stats.subsumption_checks,
                stats.subsumption_visits as f64 / stats.subsumption_checks as f64,
                stats.post.prover_calls,
            );
        }
    }
}
