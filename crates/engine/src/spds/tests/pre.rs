//! pre*: from where the targets can be reached. It is there to hold post* against it.

use clinch_bdd::{Bdd, OutOfNodes};

use crate::spds::system::{Bit, Kind, Prepared, RuleId, Version};

type Result<T> = std::result::Result<T, OutOfNodes>;

/// For each control point the states from which a target is reached (before its procedure ends), and the relation of states to
/// the outputs with which the procedure can end, which are in the entry copies.
pub(super) struct Backward {
    targets: Vec<Bdd>,
    ends: Vec<Bdd>,
}

/// Whether a target can be reached from the start.
pub(super) fn pre_star(system: &Prepared<'_>) -> Result<bool> {
    let spds = system.spds;
    let none = vec![system.bdds.ff(); spds.points.len()];
    let mut known = Backward { targets: none.clone(), ends: none };
    spds.targets.iter().for_each(|t| known.targets[t.index()] = system.bdds.tt());
    loop {
        let mut moved = false;
        for i in 0..spds.rules.len() {
            let rule = RuleId(i as u32);
            let from = system.rule(rule).from.index();
            let (targets, ends) = known.before(system, rule)?;
            for (old, new) in [(&mut known.targets[from], targets), (&mut known.ends[from], ends)] {
                let all = old.or(&new)?;
                moved |= all != *old;
                *old = all;
            }
        }
        if !moved {
            return Ok(!known.targets[spds.start.index()].is_false());
        }
    }
}

fn at(bits: &[Bit], version: Version) -> Vec<u32> {
    bits.iter().map(|b| b.at(version)).collect()
}

fn renamed(system: &Prepared<'_>, f: &Bdd, bits: &[Bit], from: Version, to: Version) -> Result<Bdd> {
    let pairs: Vec<(u32, u32)> = bits.iter().map(|b| (b.at(from), b.at(to))).collect();
    f.rename(&system.bdds.renaming(&pairs)?)
}

impl Backward {
    fn before(&self, system: &Prepared<'_>, id: RuleId) -> Result<(Bdd, Bdd)> {
        let rule = system.rule(id);
        match rule.kind {
            Kind::Step(to) => {
                let step = |f: &Bdd| system.before_step(id, &f.negation()?)?.negation();
                Ok((step(&self.targets[to.index()])?, step(&self.ends[to.index()])?))
            }
            Kind::Pop => {
                let frame = &system.spds.frames[system.spds.points[rule.from.index()].index()];
                let mut ends = renamed(system, &rule.relation, &rule.written, Version::Next, Version::Entry)?;
                for bit in frame.outputs.iter().filter(|b| !rule.written.contains(b)) {
                    let same = system
                        .bdds
                        .variable(bit.at(Version::Entry))?
                        .iff(&system.bdds.variable(bit.at(Version::Current))?)?;
                    ends = ends.and(&same)?;
                }
                Ok((system.bdds.ff(), ends))
            }
            Kind::Push(callee, back) => {
                let frame = &system.spds.frames[callee.index()];
                let entry = frame.entry.index();
                let inside = |f: &Bdd| renamed(system, f, &frame.parameters, Version::Current, Version::Argument);
                let hidden = system.bdds.variables(&at(&frame.parameters, Version::Argument))?;
                let here = rule.relation.and_exists(&inside(&self.targets[entry])?, &hidden)?;
                let effect = renamed(system, &self.ends[entry], &frame.outputs, Version::Entry, Version::Next)?;
                let effect = inside(&effect)?;
                let forgotten = system.bdds.variables(&at(&rule.forgotten, Version::Current))?;
                let mut all = at(&frame.parameters, Version::Argument);
                all.extend(at(&frame.outputs, Version::Next));
                let all = system.bdds.variables(&all)?;
                let through = |f: &Bdd| {
                    let back =
                        renamed(system, &f.exists_in(&forgotten)?, &frame.outputs, Version::Current, Version::Next)?;
                    rule.relation.and(&effect)?.and_exists(&back, &all)
                };
                let targets = here.or(&through(&self.targets[back.index()])?)?;
                Ok((targets, through(&self.ends[back.index()])?))
            }
        }
    }
}
