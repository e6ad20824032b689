//! Of the lemmas that hold for ever, those without which an error, or what another of them excludes, could be reached: a smaller
//! proof, which is sooner re-checked and can be read.

use clinch_ir::Reason;
use clinch_smt::Lit;

use super::cube::Cube;
use super::search::Search;
use super::system::{BEFORE, Target};

/// A lemma that holds for ever.
struct Lasting {
    cube: Cube,
    /// Assumed to have it.
    said: Lit,
    is_needed: bool,
}

impl Search<'_, '_> {
    /// By location, the cubes that an invariant excludes. Lemmas above the level hold for ever.
    pub(super) fn invariant(&mut self, level: usize) -> Result<Vec<Vec<Cube>>, Reason> {
        let mut lasting: Vec<Vec<Lasting>> = (0..self.frames.len()).map(|location| self.say(location, level)).collect();
        let mut waiting = Vec::new();
        for (location, lasting) in lasting.iter_mut().enumerate().filter(|(location, _)| *location != BEFORE) {
            for way in 0..self.system.locations[location].ways.len() {
                let leads_on = matches!(self.system.locations[location].ways[way].target, Target::Location(_));
                if !leads_on && self.constants[location].is_some() {
                    self.need((location, way), &Cube::default(), lasting, &mut waiting)?;
                }
            }
        }
        while let Some((location, number)) = waiting.pop() {
            let cube = lasting[location][number].cube.clone();
            for (from, way) in self.system.locations[location].incoming.clone() {
                if from != BEFORE && self.constants[from].is_some() {
                    self.need((from, way), &cube, &mut lasting[from], &mut waiting)?;
                }
            }
        }
        let needed = |lemmas: Vec<Lasting>| lemmas.into_iter().filter(|l| l.is_needed).map(|l| l.cube).collect();
        Ok(lasting.into_iter().map(needed).collect())
    }

    fn say(&mut self, location: usize, level: usize) -> Vec<Lasting> {
        let lemmas = self.frames[location].lemmas().iter().filter(|lemma| lemma.level > level);
        let cubes: Vec<Cube> = lemmas.map(|lemma| lemma.cube.clone()).collect();
        let mut lasting = Vec::with_capacity(cubes.len());
        for cube in cubes {
            let bits = self.now(location, &cube);
            let gates = &mut self.system.locations[location].gates;
            let said = gates.fresh();
            gates.add(bits.into_iter().map(|bit| !bit).chain([!said]));
            lasting.push(Lasting { cube, said, is_needed: false });
        }
        lasting
    }

    /// Finds lemmas that keep a way from a cube, or from its error. Those that are needed anyway come first: the solver names what it meets first.
    fn need(
        &mut self,
        (from, way): (usize, usize),
        to: &Cube,
        lasting: &mut [Lasting],
        waiting: &mut Vec<(usize, usize)>,
    ) -> Result<(), Reason> {
        self.budget.check()?;
        let mut assumed = vec![self.guard(from, way)];
        assumed.extend(to.bits().iter().map(|&bit| self.then((from, way), bit)));
        let (known, new): (Vec<&Lasting>, Vec<&Lasting>) = lasting.iter().partition(|lemma| lemma.is_needed);
        assumed.extend(known.into_iter().chain(new).map(|lemma| lemma.said));
        let gates = &mut self.system.locations[from].gates;
        match gates.ask(assumed) {
            Some(false) => {}
            Some(true) => return Err(Reason::Inconclusive("lemmas that hold for ever do not".to_owned())),
            None => return Err(self.budget.check().err().unwrap_or(Reason::NoProgress)),
        }
        for (number, lemma) in lasting.iter_mut().enumerate() {
            if !lemma.is_needed && gates.needs(lemma.said) {
                lemma.is_needed = true;
                waiting.push((from, number));
            }
        }
        Ok(())
    }
}
