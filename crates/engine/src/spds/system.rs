//! Symbolic pushdown systems ([Spds, definition 3.1]).
//!
//! A valuation is a set of [`Bit`]s, global and local. Each bit has four decision variables: its value when the procedure was
//! entered, now, after the rule, and as an argument of a call. A relation mentions only what it reads and writes; other bits
//! keep their values. So `R ⊆ (G × L) × (G × Lⁿ)` of the paper is [`Rule::relation`] with the identity on the bits that are
//! neither written nor forgotten.
//!
//! As in [Spds, 5.2] a call has a control point of its own for the return: `⟨m⟩ ↪ ⟨f₀, m>⟩`, and a step from `m>` takes the
//! result over.

use clinch_bdd::{Bdd, Bdds, OutOfNodes, Renaming, Variables};
use rustc_hash::FxHashSet;

/// A bit of a valuation: its position in the order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Bit(pub(super) u32);

/// Which value of a bit a decision variable stands for: the bit at some time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Version {
    /// When the procedure was entered: `G_in`, `L_in`.
    Entry,
    /// Before the rule.
    Current,
    /// After the rule.
    Next,
    /// For the procedure that is called.
    Argument,
}

/// Decision variables of a bit.
pub(super) const VERSIONS: u32 = 4;

impl Bit {
    /// The decision variable of a version.
    pub(super) fn at(self, version: Version) -> u32 {
        VERSIONS * self.0 + version as u32
    }

    /// The bit and the version of a decision variable.
    pub(super) fn of(variable: u32) -> (Bit, Version) {
        let version = match variable % VERSIONS {
            0 => Version::Entry,
            1 => Version::Current,
            2 => Version::Next,
            _ => Version::Argument,
        };
        (Bit(variable / VERSIONS), version)
    }
}

/// A control point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct PointId(pub(super) u32);

/// A rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct RuleId(pub(super) u32);

/// A procedure.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct FrameId(pub(super) u32);

impl PointId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl RuleId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl FrameId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The right-hand side of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// `⟨γ⟩ ↪ ⟨γ₁⟩`.
    Step(PointId),
    /// `⟨γ⟩ ↪ ⟨γ₁, γ₂⟩`: a call, and where it comes back.
    Push(FrameId, PointId),
    /// `⟨γ⟩ ↪ ⟨⟩`: the end of a call.
    Pop,
}

/// A symbolic transition rule.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) from: PointId,
    pub(super) kind: Kind,
    /// Over current bits, next bits that are written, and arguments (of a push).
    pub(super) relation: Bdd,
    /// Bits whose next value is in the relation: for a push those of the caller.
    pub(super) written: Vec<Bit>,
    /// Local bits that have any value afterwards.
    pub(super) forgotten: Vec<Bit>,
}

/// What the system knows of a procedure.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) entry: PointId,
    /// Local bits that take arguments.
    pub(super) parameters: Vec<Bit>,
    /// Global bits that a call may read or change.
    pub(super) globals: Vec<Bit>,
    /// Those of both whose value may differ from that at the entry: only they have an entry version.
    pub(super) changed: Vec<Bit>,
    /// Global bits that a call may change.
    pub(super) outputs: Vec<Bit>,
}

/// A symbolic pushdown system.
#[derive(Debug)]
pub(super) struct Spds {
    pub(super) frames: Vec<Frame>,
    /// The procedure of each control point.
    pub(super) points: Vec<FrameId>,
    pub(super) rules: Vec<Rule>,
    /// `γ₀`. The first values of variables are written by a rule.
    pub(super) start: PointId,
    /// The control points in question, which nothing leaves.
    pub(super) targets: Vec<PointId>,
    /// When control points are best processed.
    pub(super) priorities: Vec<u32>,
    /// Points whose rules are applied one after the other; they are steps.
    pub(super) chained: FxHashSet<PointId>,
}

/// A system with what its rules need to be applied.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    pub(super) spds: &'a Spds,
    pub(super) bdds: &'a Bdds,
    pub(super) leaving: Vec<Vec<RuleId>>,
    /// The rules that call each procedure.
    pub(super) callers: Vec<Vec<RuleId>>,
    /// The bits that states of each procedure may speak of, with those of the calls that leave it, ascending.
    pub(super) scopes: Vec<Vec<Bit>>,
    applications: Vec<Application>,
    summaries: Vec<Projection>,
    identities: Vec<Bdd>,
}

/// How states are taken through a rule.
#[derive(Debug)]
enum Application {
    Move(Projection),
    Call { enter: Projection, back: Projection },
}

/// Quantification and renaming.
#[derive(Debug)]
pub(super) struct Projection {
    hidden: Variables,
    renaming: Renaming,
}

impl Projection {
    fn new(bdds: &Bdds, hidden: &[u32], renaming: &[(u32, u32)]) -> Result<Self, OutOfNodes> {
        let mut hidden = hidden.to_vec();
        hidden.sort_unstable();
        hidden.dedup();
        Ok(Projection { hidden: bdds.variables(&hidden)?, renaming: bdds.renaming(renaming)? })
    }

    fn of_product(&self, a: &Bdd, b: &Bdd) -> Result<Bdd, OutOfNodes> {
        a.and_exists(b, &self.hidden)?.rename(&self.renaming)
    }
}

fn next_to_current(bits: &[Bit]) -> Vec<(u32, u32)> {
    bits.iter().map(|b| (b.at(Version::Next), b.at(Version::Current))).collect()
}

fn at(bits: &[Bit], version: Version) -> Vec<u32> {
    bits.iter().map(|b| b.at(version)).collect()
}

impl<'a> Prepared<'a> {
    pub(super) fn new(bdds: &'a Bdds, spds: &'a Spds) -> Result<Self, OutOfNodes> {
        let mut leaving = vec![Vec::new(); spds.points.len()];
        let mut callers = vec![Vec::new(); spds.frames.len()];
        for (i, rule) in spds.rules.iter().enumerate() {
            leaving[rule.from.index()].push(RuleId(i as u32));
            if let Kind::Push(frame, _) = rule.kind {
                callers[frame.index()].push(RuleId(i as u32));
            }
        }
        let scopes = scopes(spds);
        let scope = |rule: &Rule| &scopes[spds.points[rule.from.index()].index()];
        let applications = spds.rules.iter().map(|r| application(bdds, spds, r, scope(r)));
        let applications = applications.collect::<Result<_, _>>()?;
        let mut pops: Vec<Vec<&Rule>> = vec![Vec::new(); spds.frames.len()];
        for rule in spds.rules.iter().filter(|r| r.kind == Kind::Pop) {
            pops[spds.points[rule.from.index()].index()].push(rule);
        }
        let frames = spds.frames.iter().zip(&pops).zip(&scopes);
        let summaries = frames.map(|((frame, pops), scope)| summary(bdds, frame, pops, scope));
        let summaries = summaries.collect::<Result<_, _>>()?;
        let identities = spds.frames.iter().map(|f| identity(bdds, f)).collect::<Result<_, _>>()?;
        Ok(Prepared { spds, bdds, leaving, callers, scopes, applications, summaries, identities })
    }

    pub(super) fn rule(&self, id: RuleId) -> &'a Rule {
        &self.spds.rules[id.index()]
    }

    /// The states after a step.
    pub(super) fn step(&self, id: RuleId, states: &Bdd) -> Result<Bdd, OutOfNodes> {
        match &self.applications[id.index()] {
            Application::Move(projection) => projection.of_product(states, &self.rule(id).relation),
            Application::Call { .. } => unreachable!("a call is no step"),
        }
    }

    /// The states in which a call starts, over current bits.
    pub(super) fn enter(&self, id: RuleId, states: &Bdd) -> Result<Bdd, OutOfNodes> {
        match &self.applications[id.index()] {
            Application::Call { enter, .. } => enter.of_product(states, &self.rule(id).relation),
            Application::Move(_) => unreachable!("only a push calls"),
        }
    }

    /// `(G_in ↔ G) ∧ (L_in ↔ L)` where the two may differ later.
    pub(super) fn identity(&self, frame: FrameId) -> &Bdd {
        &self.identities[frame.index()]
    }

    /// The states in which a call comes back, for an effect of the procedure as [`Prepared::effect`] gives it.
    pub(super) fn come_back(&self, id: RuleId, states: &Bdd, effect: &Bdd) -> Result<Bdd, OutOfNodes> {
        self.combine(id, &states.and(&self.rule(id).relation)?, effect)
    }

    /// The states of a call with its arguments: `∃ G, L. (P ∧ Push)`.
    pub(super) fn pushed(&self, id: RuleId, states: &Bdd) -> Result<Bdd, OutOfNodes> {
        let rule = self.rule(id);
        let hidden = self.bdds.variables(&at(&rule.forgotten, Version::Current))?;
        states.and_exists(&rule.relation, &hidden)
    }

    /// The states in which a call comes back, from those with arguments.
    pub(super) fn combine(&self, id: RuleId, pushed: &Bdd, effect: &Bdd) -> Result<Bdd, OutOfNodes> {
        match &self.applications[id.index()] {
            Application::Call { back, .. } => back.of_product(pushed, effect),
            Application::Move(_) => unreachable!("only a push comes back"),
        }
    }

    /// What a call does that ends with the rule: over the caller's current global bits, arguments, and next global bits.
    pub(super) fn effect(&self, id: RuleId, states: &Bdd) -> Result<Bdd, OutOfNodes> {
        let rule = self.rule(id);
        self.summaries[self.spds.points[rule.from.index()].index()].of_product(states, &rule.relation)
    }
}

/// The bits that the rules of each procedure mention and those that procedures exchange with the ones they call: no other bit gets
/// into their states. A system of many procedures has many bits, each of them few.
fn scopes(spds: &Spds) -> Vec<Vec<Bit>> {
    let exchanged = |f: &Frame| {
        let parts = [&f.parameters, &f.globals, &f.changed, &f.outputs];
        parts.into_iter().flatten().copied().collect::<Vec<_>>()
    };
    let mut scopes: Vec<Vec<Bit>> = spds.frames.iter().map(exchanged).collect();
    for rule in &spds.rules {
        let scope = &mut scopes[spds.points[rule.from.index()].index()];
        scope.extend(rule.relation.support().into_iter().map(|v| Bit::of(v).0));
        scope.extend(rule.written.iter().chain(&rule.forgotten));
        if let Kind::Push(callee, _) = rule.kind {
            scope.extend(exchanged(&spds.frames[callee.index()]));
        }
    }
    for scope in &mut scopes {
        scope.sort_unstable();
        scope.dedup();
    }
    scopes
}

fn application(bdds: &Bdds, spds: &Spds, rule: &Rule, scope: &[Bit]) -> Result<Application, OutOfNodes> {
    let mut hidden = at(&rule.written, Version::Current);
    hidden.extend(at(&rule.forgotten, Version::Current));
    let forgotten_next: Vec<Bit> = rule.written.iter().copied().filter(|b| rule.forgotten.contains(b)).collect();
    hidden.extend(at(&forgotten_next, Version::Next));
    let Kind::Push(frame, _) = rule.kind else {
        return Ok(Application::Move(Projection::new(bdds, &hidden, &next_to_current(&rule.written))?));
    };
    let frame = &spds.frames[frame.index()];
    hidden.extend(at(&frame.parameters, Version::Argument));
    hidden.extend(at(&frame.outputs, Version::Current));
    let mut renaming = next_to_current(&rule.written);
    renaming.extend(next_to_current(&frame.outputs));
    let back = Projection::new(bdds, &hidden, &renaming)?;
    let all = scope.iter();
    let seen: FxHashSet<Bit> = frame.globals.iter().copied().collect();
    let others = all.clone().filter(|b| !seen.contains(b)).map(|b| b.at(Version::Current));
    let hidden: Vec<u32> = others.chain(all.flat_map(|b| [b.at(Version::Entry), b.at(Version::Next)])).collect();
    let renaming: Vec<(u32, u32)> =
        frame.parameters.iter().map(|b| (b.at(Version::Argument), b.at(Version::Current))).collect();
    Ok(Application::Call { enter: Projection::new(bdds, &hidden, &renaming)?, back })
}

/// From the states at the end of a call to its effect. A pop writes global bits; the relation has their next values.
fn summary(bdds: &Bdds, frame: &Frame, pops: &[&Rule], scope: &[Bit]) -> Result<Projection, OutOfNodes> {
    let written: FxHashSet<Bit> = pops.iter().flat_map(|r| r.written.iter().copied()).collect();
    let changed: FxHashSet<Bit> = frame.changed.iter().copied().collect();
    let carried: Vec<Bit> = frame.outputs.iter().copied().filter(|b| !written.contains(b)).collect();
    let mut kept: FxHashSet<Bit> = carried.iter().copied().collect();
    let mut renaming: Vec<(u32, u32)> = carried.iter().map(|b| (b.at(Version::Current), b.at(Version::Next))).collect();
    for (bits, to) in [(&frame.parameters, Version::Argument), (&frame.globals, Version::Current)] {
        for &bit in bits {
            let from = if changed.contains(&bit) { Version::Entry } else { Version::Current };
            if from == Version::Current {
                kept.insert(bit);
            }
            if from != to {
                renaming.push((bit.at(from), bit.at(to)));
            }
        }
    }
    let hidden: Vec<u32> = scope.iter().filter(|b| !kept.contains(b)).map(|b| b.at(Version::Current)).collect();
    Projection::new(bdds, &hidden, &renaming)
}

fn identity(bdds: &Bdds, frame: &Frame) -> Result<Bdd, OutOfNodes> {
    let mut same = bdds.tt();
    let mut bits = frame.changed.clone();
    bits.sort_unstable();
    for bit in bits.iter().rev() {
        same = bdds.variable(bit.at(Version::Entry))?.iff(&bdds.variable(bit.at(Version::Current))?)?.and(&same)?;
    }
    Ok(same)
}
