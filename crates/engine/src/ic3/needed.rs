//! Of the lemmas that hold for ever, and of the variables with constant bits, those without which an error, or what another of them denies, could be
//! reached: a smaller proof, which is sooner re-checked and can be read.

use clinch_ir::Reason;
use clinch_smt::Lit;

use super::cube::{Bit, Cube};
use super::search::Search;
use super::system::{BEFORE, Target};

/// What holds at a location.
#[derive(Debug, Default)]
pub(super) struct Invariant {
    pub(super) constants: Cube,
    /// No state is in one of these.
    pub(super) excluded: Vec<Cube>,
}

/// What holds for ever at a location.
#[derive(Clone)]
enum Fact {
    /// The constant bits of a variable.
    Constant(Cube),
    /// No state is in this cube.
    Lemma(Cube),
}

struct Lasting {
    fact: Fact,
    /// Assumed to have it.
    said: Lit,
    is_needed: bool,
}

/// What lasts, by location; those that are needed and were not looked at.
struct Facts {
    lasting: Vec<Vec<Lasting>>,
    waiting: Vec<(usize, usize)>,
}

impl Search<'_, '_> {
    /// An invariant for each location, none where no run comes. Lemmas above the level hold for ever.
    pub(super) fn invariants(&mut self, level: usize) -> Result<Vec<Option<Invariant>>, Reason> {
        // So far constants were said once and for all.
        for location in &mut self.system.locations {
            let budget = self.budget.clone();
            location.gates = location.gates.anew(move || budget.check().is_err());
        }
        let lasting = (0..self.frames.len()).map(|location| self.say(location, level)).collect();
        let mut facts = Facts { lasting, waiting: Vec::new() };
        for location in (BEFORE + 1)..self.frames.len() {
            for way in 0..self.system.locations[location].ways.len() {
                if !self.leads_on(location, way) {
                    let guard = self.guard(location, way);
                    self.need(location, &[guard], &mut facts)?;
                }
            }
        }
        while let Some((location, number)) = facts.waiting.pop() {
            let fact = facts.lasting[location][number].fact.clone();
            for (from, way) in self.system.locations[location].incoming.clone() {
                if from != BEFORE && self.constants[from].is_some() {
                    self.keep((from, way), &fact, &mut facts)?;
                }
            }
        }
        let reached = self.constants.iter().map(Option::is_some);
        Ok(facts.lasting.into_iter().zip(reached).map(|(facts, reached)| reached.then(|| invariant(facts))).collect())
    }

    /// Whether a way from a location may be taken, as it leads to another one.
    fn leads_on(&self, location: usize, way: usize) -> bool {
        let is_reached = |location: usize| self.constants[location].is_some();
        let target = self.system.locations[location].ways[way].target;
        !is_reached(location) || matches!(target, Target::Location(to) if is_reached(to))
    }

    fn say(&mut self, location: usize, level: usize) -> Vec<Lasting> {
        let constants = self.constants[location].as_ref().map_or(&[][..], Cube::bits);
        let of = |bit: Bit| self.system.owner(bit).0;
        let constants =
            constants.chunk_by(|a, b| of(a.0) == of(b.0)).map(|bits| Fact::Constant(Cube::new(bits.to_vec())));
        let lemmas = self.frames[location].lemmas().iter().filter(|lemma| lemma.level > level);
        let facts: Vec<Fact> = constants.chain(lemmas.map(|lemma| Fact::Lemma(lemma.cube.clone()))).collect();
        let mut lasting = Vec::with_capacity(facts.len());
        for fact in facts {
            let (Fact::Constant(cube) | Fact::Lemma(cube)) = &fact;
            let bits = self.now(location, cube);
            let gates = &mut self.system.locations[location].gates;
            let said = gates.fresh();
            match fact {
                Fact::Constant(_) => bits.into_iter().for_each(|bit| gates.add([bit, !said])),
                Fact::Lemma(_) => gates.add(bits.into_iter().map(|bit| !bit).chain([!said])),
            }
            lasting.push(Lasting { fact, said, is_needed: false });
        }
        lasting
    }

    /// Finds what keeps a fact true on a way to its location.
    fn keep(&mut self, (from, way): (usize, usize), fact: &Fact, facts: &mut Facts) -> Result<(), Reason> {
        let (Fact::Constant(cube) | Fact::Lemma(cube)) = fact;
        let mut assumed = vec![self.guard(from, way)];
        let then: Vec<Lit> = cube.bits().iter().map(|&bit| self.then((from, way), bit)).collect();
        if matches!(fact, Fact::Lemma(_)) {
            assumed.extend(then);
            return self.need(from, &assumed, facts);
        }
        let gates = &mut self.system.locations[from].gates;
        let differs = gates.fresh();
        gates.add(then.into_iter().map(|bit| !bit).chain([!differs]));
        assumed.push(differs);
        self.need(from, &assumed, facts)?;
        self.system.locations[from].gates.retire(differs);
        Ok(())
    }

    /// Finds facts of a location that contradict what is assumed. Those that are needed anyway come first: the solver names what it meets first.
    fn need(&mut self, from: usize, assumed: &[Lit], facts: &mut Facts) -> Result<(), Reason> {
        self.budget.check()?;
        let lasting = &mut facts.lasting[from];
        let (known, new): (Vec<&Lasting>, Vec<&Lasting>) = lasting.iter().partition(|fact| fact.is_needed);
        let said = known.into_iter().chain(new).map(|fact| fact.said);
        let gates = &mut self.system.locations[from].gates;
        match gates.ask(assumed.iter().copied().chain(said)) {
            Some(false) => {}
            Some(true) => return Err(Reason::Inconclusive("what holds for ever does not".to_owned())),
            None => return Err(self.budget.check().err().unwrap_or(Reason::NoProgress)),
        }
        for (number, fact) in lasting.iter_mut().enumerate() {
            if !fact.is_needed && gates.needs(fact.said) {
                fact.is_needed = true;
                facts.waiting.push((from, number));
            }
        }
        Ok(())
    }
}

/// The facts that are needed.
fn invariant(facts: Vec<Lasting>) -> Invariant {
    let (mut constants, mut excluded) = (Vec::new(), Vec::new());
    for fact in facts.into_iter().filter(|fact| fact.is_needed) {
        match fact.fact {
            Fact::Constant(cube) => constants.extend_from_slice(cube.bits()),
            Fact::Lemma(cube) => excluded.push(cube),
        }
    }
    Invariant { constants: Cube::new(constants), excluded }
}
