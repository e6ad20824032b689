//! From the witness graph to a run: one state after the other, from a target back to the start.

use std::collections::BTreeMap;

use clinch_bdd::{Bdd, Literal};
use clinch_ir::Reason;

use super::Obstacle;
use super::system::{Bit, Kind, PointId, Prepared, Rule, RuleId, Version};
use crate::budget::Budget;

/// Where the last step of a node's states comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Link {
    /// The start: there is none.
    Start,
    /// A step, or a call, from a node.
    Rule(RuleId, usize),
    /// A call from the first node that ended in the second, by the second rule.
    Return { call: RuleId, caller: usize, end: RuleId, exit: usize },
}

/// A graph of nodes with sets of states, in which every state of a node has a predecessor along one of its links.
pub(super) trait Witness {
    /// The control point of a node.
    fn point(&self, node: usize) -> PointId;
    /// Its states.
    fn states(&self, node: usize) -> &Bdd;
    /// Its links.
    fn links(&self, node: usize) -> Vec<Link>;
}

/// Values of bits. What is not there is false.
#[derive(Clone, Debug, Default)]
pub(super) struct Valuation(BTreeMap<u32, bool>);

impl Valuation {
    /// The value of a bit.
    pub(super) fn get(&self, bit: Bit, version: Version) -> bool {
        self.0.get(&bit.at(version)).copied().unwrap_or(false)
    }

    fn set(&mut self, bit: Bit, version: Version, value: bool) {
        self.0.insert(bit.at(version), value);
    }
}

/// A step of a run.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) rule: RuleId,
    /// The values after it.
    pub(super) after: Valuation,
}

/// A run with what it used of the witness.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// In the order of execution.
    pub(super) steps: Vec<Step>,
    /// Nodes, whether no call waited there, and the link into them (none where a call that waited was entered).
    pub(super) links: Vec<(usize, bool, Option<Link>)>,
}

/// Steps of a run, at most.
const STEPS: usize = 1 << 20;

/// A run to the node, in the order of its steps. Those inside of silent procedures that come back are left out.
pub(super) fn trace(
    system: &Prepared<'_>,
    witness: &impl Witness,
    node: usize,
    silent: &[bool],
    budget: &Budget,
) -> Result<Run, Obstacle> {
    let states = witness.states(node);
    let values = pick(states).ok_or(Obstacle::Reason(Reason::NoProgress))?;
    let mut walk =
        Walk { system, witness, silent, at: node, values, waiting: Vec::new(), steps: Vec::new(), links: Vec::new() };
    while walk.back()? {
        budget.check()?;
        if walk.steps.len() > STEPS {
            return Err(Obstacle::Unsupported(format!("a counterexample of more than {STEPS} steps")));
        }
    }
    walk.steps.reverse();
    Ok(Run { steps: walk.steps, links: walk.links })
}

/// Some state, the same each time.
pub(super) fn pick(states: &Bdd) -> Option<Valuation> {
    Some(Valuation(states.pick()?.into_iter().collect()))
}

struct Walk<'s, 'a, W> {
    system: &'s Prepared<'a>,
    witness: &'s W,
    silent: &'s [bool],
    at: usize,
    values: Valuation,
    /// Calls whose procedure is walked through backwards: where they came from.
    waiting: Vec<(RuleId, usize, Valuation)>,
    steps: Vec<Step>,
    links: Vec<(usize, bool, Option<Link>)>,
}

impl<W: Witness> Walk<'_, '_, W> {
    /// One step back; false at the start.
    fn back(&mut self) -> Result<bool, Obstacle> {
        let spds = self.system.spds;
        let point = self.witness.point(self.at);
        let is_entry = spds.frames[spds.points[point.index()].index()].entry == point;
        let here = (self.at, self.waiting.is_empty());
        for link in self.witness.links(self.at) {
            let moved = match link {
                Link::Start => {
                    self.links.push((here.0, here.1, Some(link)));
                    return Ok(false);
                }
                Link::Rule(rule, from) if matches!(self.system.rule(rule).kind, Kind::Push(..)) => {
                    // The procedure that is walked through was entered by the call that waits.
                    is_entry && self.waiting.is_empty() && self.uncall(rule, from)?
                }
                Link::Rule(rule, from) => self.unstep(rule, from)?,
                Link::Return { call, caller, end, exit } => self.unreturn(call, caller, end, exit)?,
            };
            if moved {
                self.links.push((here.0, here.1, Some(link)));
                return Ok(true);
            }
        }
        // An entry whose states have no other origin: the call that waits is it.
        if let Some((rule, node, values)) = self.waiting.pop() {
            debug_assert!(is_entry);
            self.go_back(rule, values, node);
            self.links.push((here.0, here.1, None));
            return Ok(true);
        }
        Err(Obstacle::Reason(Reason::Uncertified("a counterexample has no start".to_owned())))
    }

    /// The function with values for those of its variables that have one.
    fn with_values(&self, f: &Bdd, value: impl Fn(Bit, Version) -> Option<bool>) -> Result<Bdd, Obstacle> {
        let known = |v: u32| {
            let (bit, version) = Bit::of(v);
            value(bit, version).map(|value| (v, value))
        };
        let literals: Vec<Literal> = f.support().into_iter().filter_map(known).collect();
        Ok(f.restrict(&self.system.bdds.known_cube(&literals)?)?)
    }

    /// The values before a rule was applied, and all that is known there: those after it with others for what the rule or its outputs wrote.
    fn values_before(
        &self,
        rule: &Rule,
        outputs: &[Bit],
        product: &Bdd,
    ) -> Result<Option<(Valuation, Valuation)>, Obstacle> {
        let values = &self.values;
        let forgotten = |bit: Bit| rule.forgotten.contains(&bit) && !outputs.contains(&bit);
        let free = |bit: Bit| rule.written.contains(&bit) || rule.forgotten.contains(&bit) || outputs.contains(&bit);
        let rest = self.with_values(product, |bit, version| match version {
            Version::Entry => Some(values.get(bit, Version::Entry)),
            Version::Current if free(bit) => None,
            Version::Next if forgotten(bit) => None,
            Version::Current | Version::Next => Some(values.get(bit, Version::Current)),
            Version::Argument => None,
        })?;
        let Some(picked) = pick(&rest) else { return Ok(None) };
        let mut before = values.clone();
        for &bit in rule.written.iter().chain(&rule.forgotten).chain(outputs) {
            before.set(bit, Version::Current, picked.get(bit, Version::Current));
        }
        Ok(Some((before, picked)))
    }

    /// Goes back over a step.
    fn go_back(&mut self, rule: RuleId, before: Valuation, to: usize) {
        let after = std::mem::replace(&mut self.values, before);
        self.steps.push(Step { rule, after });
        self.at = to;
    }

    fn unstep(&mut self, id: RuleId, from: usize) -> Result<bool, Obstacle> {
        let rule = self.system.rule(id);
        let product = self.witness.states(from).and(&rule.relation)?;
        let Some((before, _)) = self.values_before(rule, &[], &product)? else { return Ok(false) };
        self.go_back(id, before, from);
        Ok(true)
    }

    fn uncall(&mut self, id: RuleId, from: usize) -> Result<bool, Obstacle> {
        let rule = self.system.rule(id);
        let Kind::Push(callee, _) = rule.kind else { return Ok(false) };
        let frame = &self.system.spds.frames[callee.index()];
        let values = &self.values;
        let compared = self.witness.states(self.at).support();
        let differs = |b: &&Bit| {
            compared.contains(&b.at(Version::Entry))
                && values.get(**b, Version::Entry) != values.get(**b, Version::Current)
        };
        if frame.changed.iter().any(|b| differs(&b)) {
            return Ok(false);
        }
        let product = self.witness.states(from).and(&rule.relation)?;
        let rest = self.with_values(&product, |bit, version| match version {
            Version::Argument => Some(values.get(bit, Version::Current)),
            Version::Current if frame.globals.contains(&bit) => Some(values.get(bit, Version::Current)),
            _ => None,
        })?;
        let Some(mut before) = pick(&rest) else { return Ok(false) };
        frame.globals.iter().for_each(|&b| before.set(b, Version::Current, values.get(b, Version::Current)));
        self.go_back(id, before, from);
        Ok(true)
    }

    fn unreturn(&mut self, call: RuleId, caller: usize, end: RuleId, exit: usize) -> Result<bool, Obstacle> {
        let rule = self.system.rule(call);
        let Kind::Push(callee, _) = rule.kind else { return Ok(false) };
        let frame = &self.system.spds.frames[callee.index()];
        let effect = self.system.effect(end, self.witness.states(exit))?;
        let product = self.witness.states(caller).and(&rule.relation)?.and(&effect)?;
        let Some((before, picked)) = self.values_before(rule, &frame.outputs, &product)? else { return Ok(false) };
        if self.silent[callee.index()] {
            self.values = before;
            self.at = caller;
            return Ok(true);
        }
        let Some(inside) = self.exit_values(&before, &picked, frame, end, exit)? else { return Ok(false) };
        self.waiting.push((call, caller, before));
        self.go_back(end, inside, exit);
        Ok(true)
    }

    /// The values at the end of a call.
    fn exit_values(
        &self,
        caller: &Valuation,
        arguments: &Valuation,
        frame: &super::system::Frame,
        end: RuleId,
        exit: usize,
    ) -> Result<Option<Valuation>, Obstacle> {
        let rule = self.system.rule(end);
        let mut known = Valuation::default();
        for &bit in &frame.parameters {
            known.set(bit, Version::Entry, arguments.get(bit, Version::Argument));
        }
        for &bit in &frame.globals {
            known.set(bit, Version::Entry, caller.get(bit, Version::Current));
        }
        let input = |bit: Bit| frame.parameters.contains(&bit) || frame.globals.contains(&bit);
        let output = |bit: Bit| frame.outputs.contains(&bit) && !rule.written.contains(&bit);
        let fixed = |bit: Bit| {
            if output(bit) {
                Some(self.values.get(bit, Version::Current))
            } else if input(bit) && !frame.changed.contains(&bit) {
                Some(known.get(bit, Version::Entry))
            } else {
                None
            }
        };
        let product = self.witness.states(exit).and(&rule.relation)?;
        let rest = self.with_values(&product, |bit, version| match version {
            Version::Entry => Some(known.get(bit, Version::Entry)),
            Version::Current => fixed(bit),
            Version::Next => Some(self.values.get(bit, Version::Current)),
            Version::Argument => None,
        })?;
        let Some(mut inside) = pick(&rest) else { return Ok(None) };
        inside.0.extend(known.0.iter().map(|(&v, &value)| (v, value)));
        let bits = frame.parameters.iter().chain(&frame.globals).chain(&frame.outputs);
        bits.for_each(|&bit| {
            if let Some(value) = fixed(bit) {
                inside.set(bit, Version::Current, value);
            }
        });
        Ok(Some(inside))
    }
}
