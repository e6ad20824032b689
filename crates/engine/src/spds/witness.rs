//! The witness graph of a search.

use clinch_bdd::Bdd;

use super::reach::{Cause, LayerId, Reach};
use super::system::{PointId, RuleId};
use super::trace::{Link, Witness};

impl Witness for Reach {
    fn point(&self, node: usize) -> PointId {
        self.layers[node].point
    }

    fn states(&self, node: usize) -> &Bdd {
        &self.layers[node].states
    }

    fn links(&self, node: usize) -> Vec<Link> {
        let mut links = Vec::new();
        for cause in &self.layers[node].causes {
            match *cause {
                Cause::Start => links.push(Link::Start),
                Cause::Rule(rule, from) => links.push(Link::Rule(rule, from.index())),
                Cause::Called(call, callee, caller) => {
                    let known = self.effects[callee.index()].iter().filter(|e| e.0.index() < node);
                    links.extend(known.map(|&(exit, end, _)| returned(call, caller, end, exit)));
                }
                Cause::Ended { call, from, end, exit } => {
                    let callers = self.of_point[from.index()].iter().filter(|c| c.index() < node);
                    links.extend(callers.map(|&caller| returned(call, caller, end, exit)));
                }
            }
        }
        links
    }
}

fn returned(call: RuleId, caller: LayerId, end: RuleId, exit: LayerId) -> Link {
    Link::Return { call, caller: caller.index(), end, exit: exit.index() }
}
