//! Rules backwards: the weakest conditions before a rule ([Spds, table 1, right]).

use clinch_bdd::{Bdd, OutOfNodes};

use super::system::{Bit, Frame, FrameId, Kind, Prepared, Rule, RuleId, Version};

type Result<T> = std::result::Result<T, OutOfNodes>;

fn at(bits: &[Bit], version: Version) -> Vec<u32> {
    bits.iter().map(|b| b.at(version)).collect()
}

fn pairs(bits: &[Bit], from: Version, to: Version) -> Vec<(u32, u32)> {
    bits.iter().map(|b| (b.at(from), b.at(to))).collect()
}

impl Prepared<'_> {
    fn forall(&self, f: &Bdd, variables: &[u32]) -> Result<Bdd> {
        if variables.is_empty() { Ok(f.clone()) } else { f.forall_in(&self.bdds.variables(variables)?) }
    }

    fn renamed(&self, f: &Bdd, pairs: &[(u32, u32)]) -> Result<Bdd> {
        if pairs.is_empty() { Ok(f.clone()) } else { f.rename(&self.bdds.renaming(pairs)?) }
    }

    /// From where a step only leads into the set: `∀ G', L'. (R → W)`.
    pub(super) fn before_step(&self, id: RuleId, after: &Bdd) -> Result<Bdd> {
        let rule = self.rule(id);
        let after = self.forall(after, &at(&rule.forgotten, Version::Current))?;
        let after = self.renamed(&after, &pairs(&rule.written, Version::Current, Version::Next))?;
        let hidden = self.bdds.variables(&at(&rule.written, Version::Next))?;
        rule.relation.imp_forall(&after, &hidden)
    }

    /// From where a call only starts in the set (of states of the procedure, over current bits).
    pub(super) fn before_enter(&self, id: RuleId, inside: &Bdd) -> Result<Bdd> {
        let frame = self.callee(id);
        let inside = self.renamed(inside, &pairs(&frame.parameters, Version::Current, Version::Argument))?;
        self.before_push(id, &inside)
    }

    /// From where a call only leads into the set of states *with arguments*: `∀ G_in, L_in, L''. (Push → W)`.
    pub(super) fn before_push(&self, id: RuleId, pushed: &Bdd) -> Result<Bdd> {
        let rule = self.rule(id);
        let hidden = self.bdds.variables(&at(&self.callee(id).parameters, Version::Argument))?;
        rule.relation.imp_forall(pushed, &hidden)
    }

    /// The states where a call comes back, in terms of those with arguments and of the values that the call leaves.
    pub(super) fn with_outputs(&self, id: RuleId, back: &Bdd) -> Result<Bdd> {
        let rule = self.rule(id);
        let back = self.forall(back, &at(&rule.forgotten, Version::Current))?;
        self.renamed(&back, &pairs(&self.callee(id).outputs, Version::Current, Version::Next))
    }

    /// The weakest condition `W_{m>}` for an effect: `∀ G'. (S_{<f} → W)`, where `W` is as [`Prepared::with_outputs`] says it.
    pub(super) fn before_effect(&self, id: RuleId, effect: &Bdd, back: &Bdd) -> Result<Bdd> {
        let outputs = self.bdds.variables(&at(&self.callee(id).outputs, Version::Next))?;
        effect.imp_forall(back, &outputs)
    }

    /// The weakest effect `W_{<f}` that leads from `W_{m>}` to `W`: `∀ G_in, L_in, L''. (W_{m>} → W)`.
    pub(super) fn weakest_effect(&self, id: RuleId, pushed: &Bdd, back: &Bdd) -> Result<Bdd> {
        let frame = self.callee(id);
        let own = |v: &u32| {
            let (bit, version) = Bit::of(*v);
            match version {
                Version::Entry => false,
                Version::Current => frame.globals.contains(&bit),
                Version::Next => frame.outputs.contains(&bit),
                Version::Argument => frame.parameters.contains(&bit),
            }
        };
        let mut hidden = pushed.support();
        hidden.extend(back.support());
        hidden.retain(|v| !own(v));
        hidden.sort_unstable();
        hidden.dedup();
        pushed.imp_forall(back, &self.bdds.variables(&hidden)?)
    }

    /// From where a procedure only ends with the effect: `∀ G'. (Pop → W_{<f})`.
    pub(super) fn before_pop(&self, id: RuleId, effect: &Bdd) -> Result<Bdd> {
        let rule = self.rule(id);
        let frame = &self.spds.frames[self.spds.points[rule.from.index()].index()];
        let effect = self.renamed(effect, &effect_to_exit(frame, rule))?;
        rule.relation.imp_forall(&effect, &self.bdds.variables(&at(&rule.written, Version::Next))?)
    }

    /// The procedure that a push calls.
    pub(super) fn callee(&self, id: RuleId) -> &Frame {
        let Kind::Push(frame, _) = self.rule(id).kind else { unreachable!("only a push calls") };
        &self.spds.frames[frame.index()]
    }

    /// States of a procedure's entry as conditions on its arguments: entry and current values are the same.
    pub(super) fn as_arguments(&self, frame: FrameId, states: &Bdd) -> Result<Bdd> {
        let frame = &self.spds.frames[frame.index()];
        let mut renaming = pairs(&frame.parameters, Version::Current, Version::Argument);
        for &bit in &frame.changed {
            let to = if frame.parameters.contains(&bit) { Version::Argument } else { Version::Current };
            renaming.push((bit.at(Version::Entry), bit.at(to)));
        }
        self.renamed(states, &renaming)
    }

    /// States of a procedure's entry as conditions on the values at the entry.
    pub(super) fn as_entry(&self, frame: FrameId, states: &Bdd) -> Result<Bdd> {
        self.renamed(states, &pairs(&self.spds.frames[frame.index()].changed, Version::Current, Version::Entry))
    }

    /// An effect in terms of the states at the end of the procedure and of what the rule writes.
    pub(super) fn effect_at_exit(&self, id: RuleId, effect: &Bdd) -> Result<Bdd> {
        let rule = self.rule(id);
        let frame = &self.spds.frames[self.spds.points[rule.from.index()].index()];
        self.renamed(effect, &effect_to_exit(frame, rule))
    }
}

/// From the variables of an effect to those of the exit.
fn effect_to_exit(frame: &Frame, rule: &Rule) -> Vec<(u32, u32)> {
    let mut renaming = Vec::new();
    for &bit in &frame.parameters {
        let to = if frame.changed.contains(&bit) { Version::Entry } else { Version::Current };
        renaming.push((bit.at(Version::Argument), bit.at(to)));
    }
    for &bit in frame.globals.iter().filter(|b| frame.changed.contains(b)) {
        renaming.push((bit.at(Version::Current), bit.at(Version::Entry)));
    }
    let carried = frame.outputs.iter().filter(|b| !rule.written.contains(b));
    renaming.extend(carried.map(|b| (b.at(Version::Next), b.at(Version::Current))));
    renaming
}
