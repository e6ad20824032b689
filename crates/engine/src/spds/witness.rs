//! The witness graph of a search.

use clinch_bdd::Bdd;

use super::reach::{Cause, LayerId, Reach};
use super::system::{PointId, RuleId};
use super::trace::{Arc, Witness};

impl Witness for Reach {
    fn point(&self, node: usize) -> PointId {
        self.layers[node].point
    }

    fn states(&self, node: usize) -> &Bdd {
        &self.layers[node].states
    }

    fn arcs(&self, node: usize) -> Vec<Arc> {
        let mut arcs = Vec::new();
        for cause in &self.layers[node].causes {
            match *cause {
                Cause::Start => arcs.push(Arc::Start),
                Cause::Rule(rule, from) => arcs.push(Arc::Rule(rule, from.index())),
                Cause::Called(call, callee, caller) => {
                    let known = self.effects[callee.index()].iter().filter(|e| e.0.index() < node);
                    arcs.extend(known.map(|&(exit, end, _)| returned(call, caller, end, exit)));
                }
                Cause::Ended { call, from, end, exit } => {
                    let callers = self.of_point[from.index()].iter().filter(|c| c.index() < node);
                    arcs.extend(callers.map(|&caller| returned(call, caller, end, exit)));
                }
            }
        }
        arcs
    }
}

fn returned(call: RuleId, caller: LayerId, end: RuleId, exit: LayerId) -> Arc {
    Arc::Return { call, caller: caller.index(), end, exit: exit.index() }
}
