//! Terms become words of Boolean functions of the current bits.

use clinch_bdd::terms::{Leaves, Reader, Unread};
use clinch_bdd::words::{Word, select};
use clinch_bdd::{Bdd, Bdds};
use clinch_terms::{Sort, Symbol, Term, Terms};

use super::Obstacle;
use super::layout::{Layout, Storage};
use super::system::{VERSIONS, Version};

type Result<T> = std::result::Result<T, Obstacle>;

/// Reads terms. What a read outside of all objects gives is open: a fresh variable each time, which
/// [`Translator::take_open`] hands over for quantification.
pub(super) struct Translator<'a> {
    pub(super) bdds: &'a Bdds,
    terms: &'a Terms,
    reader: Reader<Current<'a>>,
}

/// Open variables there are.
pub(super) const OPEN: u32 = 1024;

/// The values of variables now.
struct Current<'a> {
    layout: &'a Layout,
    /// Open variables in use.
    open: u32,
}

impl<'a> Translator<'a> {
    pub(super) fn new(bdds: &'a Bdds, terms: &'a Terms, layout: &'a Layout) -> Self {
        Translator { bdds, terms, reader: Reader::new(Current { layout, open: 0 }) }
    }

    /// The open variables since the last call.
    pub(super) fn take_open(&mut self) -> Vec<u32> {
        if self.reader.leaves.open > 0 {
            // Known words may mention them.
            self.reader.forget();
        }
        let first = VERSIONS * self.reader.leaves.layout.bits;
        let open = (first..first + self.reader.leaves.open).collect();
        self.reader.leaves.open = 0;
        open
    }

    /// The value of a place, in full width.
    pub(super) fn stored(&self, storage: &Storage, version: Version) -> Result<Word> {
        Ok(stored(self.bdds, storage, version)?)
    }

    /// A truth value.
    pub(super) fn truth(&mut self, term: Term) -> Result<Bdd> {
        Ok(self.reader.truth(self.bdds, self.terms, term)?)
    }

    /// The lowest bits of a value; a truth value is one bit.
    pub(super) fn low(&mut self, term: Term, need: u32) -> Result<Word> {
        Ok(self.reader.low(self.bdds, self.terms, term, need)?)
    }
}

fn stored(bdds: &Bdds, storage: &Storage, version: Version) -> std::result::Result<Word, Unread> {
    let mut value = Word::new();
    for (&bit, &position) in storage.bits.iter().zip(&storage.positions) {
        value.extend((value.len() as u32..position).map(|i| bdds.constant(storage.ones >> i & 1 == 1)));
        value.push(bdds.variable(bit.at(version))?);
    }
    let highest = 64 - storage.ones.leading_zeros();
    value.extend((value.len() as u32..highest).map(|i| bdds.constant(storage.ones >> i & 1 == 1)));
    Ok(bdds.resize(&value, storage.width, storage.fill))
}

impl Current<'_> {
    fn fresh(&mut self, bdds: &Bdds, width: u32) -> std::result::Result<Word, Unread> {
        if self.open + width > OPEN {
            return Err(Unread::Unsupported("too many open values in one step".to_owned()));
        }
        let first = VERSIONS * self.layout.bits + self.open;
        self.open += width;
        (first..first + width).map(|v| Ok(bdds.variable(v)?)).collect()
    }
}

impl Leaves for Current<'_> {
    fn scalar(&mut self, bdds: &Bdds, terms: &Terms, symbol: Symbol) -> std::result::Result<Word, Unread> {
        match self.layout.scalars.get(&symbol) {
            Some(storage) => stored(bdds, storage, Version::Current),
            None => Err(Unread::Unsupported(format!("the variable {}", terms.symbol_name(symbol)))),
        }
    }

    fn cell(
        &mut self,
        bdds: &Bdds,
        terms: &Terms,
        region: Symbol,
        address: &[Bdd],
    ) -> std::result::Result<Word, Unread> {
        let Sort::Array(of) = terms.symbol_sort(region).clone() else {
            return Err(Unread::Unsupported("a cell of no array".to_owned()));
        };
        let width = match of.1 {
            Sort::Bool => 1,
            Sort::BitVec(width) => width,
            ref other => return Err(Unread::Unsupported(format!("unbounded data: a cell of sort {other}"))),
        };
        let layout = self.layout;
        let cells = layout.regions.get(&region).map_or(&[][..], Vec::as_slice);
        let mut words = Vec::with_capacity(cells.len());
        let mut covered = bdds.ff();
        for cell in cells {
            let here = bdds.eq(address, &bdds.word(address.len() as u32, cell.address))?;
            if here.is_false() {
                continue;
            }
            covered = covered.or(&here)?;
            words.push((here, stored(bdds, &cell.storage, Version::Current)?));
        }
        let mut found = if covered.is_true() { bdds.word(width, 0) } else { self.fresh(bdds, width)? };
        for (here, word) in &words {
            found = select(here, word, &found)?;
        }
        Ok(found)
    }
}
