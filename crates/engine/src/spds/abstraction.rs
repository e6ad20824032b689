//! The abstract system for given predicates ([Spds, section 5]).
//!
//! It has the control points and the rules of the concrete one. A local variable at a point stands for a predicate there; global
//! variables stand for predicates on the effect of the procedure that came back last. Each relation is the existential abstraction
//! of the concrete one.

use clinch_bdd::{Bdd, Bdds, OutOfNodes, Variables};
use rustc_hash::FxHashSet;

use super::refine::Found;
use super::system::{Bit, Frame, FrameId, Kind, PointId, Prepared, Rule, RuleId, Spds, VERSIONS, Version};

type Result<T> = std::result::Result<T, OutOfNodes>;

/// The predicates in use.
#[derive(Clone, Debug)]
pub(super) struct Precision {
    /// `P_n`; where a call comes back `P_{m>}`.
    pub(super) points: Vec<Vec<Bdd>>,
    /// `P_{<f}`.
    pub(super) effects: Vec<Vec<Bdd>>,
}

impl Precision {
    pub(super) fn new(spds: &Spds) -> Self {
        Precision { points: vec![Vec::new(); spds.points.len()], effects: vec![Vec::new(); spds.frames.len()] }
    }

    /// Adds predicates; how many are new. One that is constant or the negation of another one is not.
    pub(super) fn add(&mut self, found: Found) -> Result<u64> {
        let mut new = 0;
        for (point, predicate) in found.at_points {
            new += add(&mut self.points[point.index()], predicate)?;
        }
        for (frame, predicate) in found.effects {
            new += add(&mut self.effects[frame.index()], predicate)?;
        }
        Ok(new)
    }
}

fn add(list: &mut Vec<Bdd>, predicate: Bdd) -> Result<u64> {
    let constant = predicate.is_true() || predicate.is_false();
    if constant || list.contains(&predicate) || list.contains(&predicate.negation()?) {
        return Ok(0);
    }
    list.push(predicate);
    Ok(1)
}

/// Makes abstract systems, and remembers the relations of rules whose predicates are the same as before.
pub(super) struct Abstractor<'s, 'a> {
    system: &'s Prepared<'a>,
    /// The concrete decision variables of each procedure.
    concrete: Vec<Variables>,
    /// The first abstract bit.
    base: u32,
    /// The call that comes back at each point, if any.
    call_of: Vec<Option<RuleId>>,
    known: Vec<Option<(Vec<usize>, Bdd)>>,
}

impl<'s, 'a> Abstractor<'s, 'a> {
    /// For a concrete system; decision variables from `base` on are free.
    pub(super) fn new(system: &'s Prepared<'a>, base: u32) -> Result<Self> {
        let spds = system.spds;
        let concrete = system.scopes.iter().map(|scope| variables(system.bdds, scope)).collect::<Result<_>>()?;
        let mut call_of = vec![None; spds.points.len()];
        for (i, rule) in spds.rules.iter().enumerate() {
            if let Kind::Push(_, back) = rule.kind {
                call_of[back.index()] = Some(RuleId(i as u32));
            }
        }
        let known = vec![None; spds.rules.len()];
        Ok(Abstractor { system, concrete, base, call_of, known })
    }

    fn bdds(&self) -> &'a Bdds {
        self.system.bdds
    }

    fn local(&self, i: usize) -> Bit {
        Bit(self.base + 2 * i as u32)
    }

    fn global(&self, i: usize) -> Bit {
        Bit(self.base + 2 * i as u32 + 1)
    }

    fn locals(&self, count: std::ops::Range<usize>) -> Vec<Bit> {
        count.map(|i| self.local(i)).collect()
    }

    fn globals(&self, count: usize) -> Vec<Bit> {
        (0..count).map(|i| self.global(i)).collect()
    }

    /// How many decision variables an abstract system needs.
    pub(super) fn variables(&self, precision: &Precision) -> u32 {
        let most = precision.points.iter().chain(&precision.effects).map(Vec::len).max().unwrap_or(0);
        VERSIONS * (self.base + 2 * most as u32 + 2)
    }

    /// The abstract system.
    pub(super) fn system(&mut self, precision: &Precision) -> Result<Spds> {
        let spds = self.system.spds;
        let mut rules = Vec::with_capacity(spds.rules.len());
        for i in 0..spds.rules.len() {
            self.bdds().check_deadline()?;
            rules.push(self.rule(RuleId(i as u32), precision)?);
        }
        let frames = spds.frames.iter().enumerate().map(|(f, frame)| {
            let called = !self.system.callers[f].is_empty();
            let parameters =
                if called { self.locals(0..precision.points[frame.entry.index()].len()) } else { Vec::new() };
            Frame {
                entry: frame.entry,
                changed: parameters.clone(),
                parameters,
                globals: Vec::new(),
                outputs: self.globals(precision.effects[f].len()),
            }
        });
        Ok(Spds {
            frames: frames.collect(),
            points: spds.points.clone(),
            rules,
            start: spds.start,
            targets: spds.targets.clone(),
            priorities: spds.priorities.clone(),
            chained: FxHashSet::default(),
        })
    }

    fn rule(&mut self, id: RuleId, precision: &Precision) -> Result<Rule> {
        let rule = self.system.rule(id);
        let count = |point: PointId| precision.points[point.index()].len();
        let here = count(rule.from);
        let (key, written, mut forgotten) = match rule.kind {
            Kind::Step(to) => {
                (vec![here, count(to)], self.locals(0..count(to)), self.locals(count(to)..here.max(count(to))))
            }
            Kind::Push(callee, back) => {
                let entry = self.system.spds.frames[callee.index()].entry;
                let saved = count(back);
                (vec![here, count(entry), saved], self.locals(0..saved), self.locals(saved..here.max(saved)))
            }
            Kind::Pop => {
                let effects = precision.effects[self.system.spds.points[rule.from.index()].index()].len();
                (vec![here, effects], self.globals(effects), Vec::new())
            }
        };
        let mut key = key;
        if let Some(call) = self.call_of[rule.from.index()] {
            let effects = precision.effects[self.callee(call).index()].len();
            forgotten.extend(self.globals(effects));
            key.push(effects);
        }
        let relation = match &self.known[id.index()] {
            Some((known, relation)) if *known == key => relation.clone(),
            _ => {
                let relation = self.relation(id, precision)?;
                self.known[id.index()] = Some((key, relation.clone()));
                relation
            }
        };
        Ok(Rule { from: rule.from, kind: rule.kind, relation, written, forgotten })
    }

    fn callee(&self, call: RuleId) -> FrameId {
        match self.system.rule(call).kind {
            Kind::Push(frame, _) => frame,
            _ => unreachable!("only a push calls"),
        }
    }

    fn relation(&self, id: RuleId, precision: &Precision) -> Result<Bdd> {
        let rule = self.system.rule(id);
        if rule.relation.is_false() {
            return Ok(self.bdds().ff());
        }
        let before = self.meaning(&precision.points[rule.from.index()], Version::Current, Ok)?;
        match (rule.kind, self.call_of[rule.from.index()]) {
            (Kind::Step(to), None) => {
                let moved: Vec<(u32, u32)> = moved(rule);
                let renaming = self.bdds().renaming(&moved)?;
                let after = self.meaning(&precision.points[to.index()], Version::Next, |p| p.rename(&renaming))?;
                self.abs(rule, &before.and(&rule.relation)?, &after)
            }
            (Kind::Step(to), Some(call)) => self.eval(rule, call, to, &before, precision),
            (Kind::Push(callee, back), _) => {
                let entry = self.system.spds.frames[callee.index()].entry;
                let inside = self.meaning(&precision.points[entry.index()], Version::Argument, |p| {
                    self.system.as_arguments(callee, &p)
                })?;
                let saved = self.meaning(&precision.points[back.index()], Version::Next, Ok)?;
                // A predicate at the entry may speak of locals that have no value yet: not those of a caller that is the
                // same procedure.
                let inside = inside.exists_in(&self.locals_of(callee)?)?;
                self.abs(rule, &before.and(&rule.relation)?.and(&inside)?, &saved)
            }
            (Kind::Pop, _) => {
                let frame = self.system.spds.points[rule.from.index()];
                let effects = &precision.effects[frame.index()];
                let after = self.meaning_of_effects(effects, Version::Next, |p| self.system.effect_at_exit(id, &p))?;
                self.abs(rule, &before.and(&rule.relation)?, &after)
            }
        }
    }

    /// `eval ≡ Abs([m>] ∧ [<f] ∧ [m'])`: the predicates behind the step are those on the states where the call comes back.
    fn eval(&self, rule: &Rule, call: RuleId, to: PointId, before: &Bdd, precision: &Precision) -> Result<Bdd> {
        let effects = &precision.effects[self.callee(call).index()];
        let before = before.and(&self.meaning_of_effects(effects, Version::Current, Ok)?)?;
        let renaming = self.bdds().renaming(&moved(rule))?;
        let written: Vec<u32> = rule.written.iter().map(|b| b.at(Version::Next)).collect();
        let written = self.bdds().variables(&written)?;
        let outputs: Vec<(u32, u32)> =
            self.system.callee(call).outputs.iter().map(|b| (b.at(Version::Current), b.at(Version::Next))).collect();
        let outputs = self.bdds().renaming(&outputs)?;
        let after = self.meaning(&precision.points[to.index()], Version::Next, |p| {
            // The step is an assignment: a function of the state.
            p.rename(&renaming)?.and_exists(&rule.relation, &written)?.rename(&outputs)
        })?;
        self.abs(rule, &before, &after)
    }

    /// `Abs` of a conjunction, for a rule.
    fn abs(&self, rule: &Rule, a: &Bdd, b: &Bdd) -> Result<Bdd> {
        a.and_exists(b, &self.concrete[self.system.spds.points[rule.from.index()].index()])
    }

    /// The current values of a procedure's own bits.
    fn locals_of(&self, frame: FrameId) -> Result<Variables> {
        let globals = &self.system.spds.frames[frame.index()].globals;
        let own = self.system.scopes[frame.index()].iter().filter(|b| globals.binary_search(b).is_err());
        self.bdds().variables(&own.map(|b| b.at(Version::Current)).collect::<Vec<_>>())
    }

    /// The concretisation of a list of predicates: `l_i ↔ P_i`.
    fn meaning(&self, predicates: &[Bdd], version: Version, read: impl Fn(Bdd) -> Result<Bdd>) -> Result<Bdd> {
        let bits: Vec<Bit> = self.locals(0..predicates.len());
        self.equivalences(&bits, predicates, version, read)
    }

    fn meaning_of_effects(
        &self,
        predicates: &[Bdd],
        version: Version,
        read: impl Fn(Bdd) -> Result<Bdd>,
    ) -> Result<Bdd> {
        let bits: Vec<Bit> = self.globals(predicates.len());
        self.equivalences(&bits, predicates, version, read)
    }

    fn equivalences(
        &self,
        bits: &[Bit],
        predicates: &[Bdd],
        version: Version,
        read: impl Fn(Bdd) -> Result<Bdd>,
    ) -> Result<Bdd> {
        let mut all = self.bdds().tt();
        for (bit, predicate) in bits.iter().zip(predicates) {
            let variable = self.bdds().variable(bit.at(version))?;
            all = all.and(&variable.iff(&read(predicate.clone())?)?)?;
        }
        Ok(all)
    }

    /// The concrete states that abstract ones of a point stand for.
    pub(super) fn concretise(&self, precision: &Precision, point: PointId, states: &Bdd) -> Result<Bdd> {
        let frame = self.system.spds.points[point.index()];
        let mut all = states.and(&self.meaning(&precision.points[point.index()], Version::Current, Ok)?)?;
        if !self.system.callers[frame.index()].is_empty() {
            let entry = self.system.spds.frames[frame.index()].entry;
            let inputs =
                self.meaning(&precision.points[entry.index()], Version::Entry, |p| self.system.as_entry(frame, &p))?;
            all = all.and(&inputs)?;
        }
        let abstract_variables: Vec<u32> = all.support().into_iter().filter(|v| *v >= VERSIONS * self.base).collect();
        all.exists_in(&self.bdds().variables(&abstract_variables)?)
    }
}

/// All decision variables of bits.
fn variables(bdds: &Bdds, bits: &[Bit]) -> Result<Variables> {
    let variables: Vec<u32> = bits.iter().flat_map(|b| (0..VERSIONS).map(|c| VERSIONS * b.0 + c)).collect();
    bdds.variables(&variables)
}

/// What a step changes, in the terms of the states behind it.
fn moved(rule: &Rule) -> Vec<(u32, u32)> {
    let bits = rule.written.iter().chain(rule.forgotten.iter().filter(|b| !rule.written.contains(b)));
    bits.map(|b| (b.at(Version::Current), b.at(Version::Next))).collect()
}
