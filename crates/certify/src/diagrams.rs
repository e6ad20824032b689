//! Questions about bits that decision diagrams answer: implications between large formulas that were diagrams before they were written
//! down. The solver takes minutes where a diagram is built again in milliseconds.

use clinch_bdd::terms::{Leaves, Reader, Unread};
use clinch_bdd::words::Word;
use clinch_bdd::{Bdd, Bdds};
use clinch_terms::{Sort, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Nodes at most.
const NODES: usize = 1 << 24;

/// Decision diagrams of terms, made when they are first asked for.
pub(crate) struct Diagrams {
    order: Vec<(Symbol, u32)>,
    made: Option<(Bdds, Reader<Bits>)>,
    /// Terms all of whose variables have bits.
    placed: FxHashSet<Term>,
}

/// The decision variables of symbols: one for each bit.
#[derive(Default)]
struct Bits {
    variables: FxHashMap<(Symbol, u32), u32>,
}

impl Leaves for Bits {
    fn scalar(&mut self, bdds: &Bdds, terms: &Terms, symbol: Symbol) -> Result<Word, Unread> {
        let bits = (0..width(terms, symbol)?).map(|bit| Ok(bdds.variable(self.variables[&(symbol, bit)])?));
        bits.collect()
    }

    fn cell(&mut self, _: &Bdds, _: &Terms, _: Symbol, _: &[Bdd]) -> Result<Word, Unread> {
        Err(Unread::Unsupported("memory".to_owned()))
    }
}

fn width(terms: &Terms, symbol: Symbol) -> Result<u32, Unread> {
    match terms.symbol_sort(symbol) {
        Sort::Bool => Ok(1),
        Sort::BitVec(width) => Ok(*width),
        other => Err(Unread::Unsupported(format!("a variable of sort {other}"))),
    }
}

impl Diagrams {
    /// With bits in this order; others come behind them.
    pub(crate) fn new(order: &[(Symbol, u32)]) -> Self {
        Diagrams { order: order.to_vec(), made: None, placed: FxHashSet::default() }
    }

    /// Whether the conclusion holds with these values of variables wherever all premises hold. `None` if there is no room to find out, or
    /// the formulas are about more than bits.
    pub(crate) fn implies(
        &mut self,
        terms: &Terms,
        premises: &[Term],
        conclusion: Term,
        values: &FxHashMap<Symbol, Term>,
    ) -> Option<bool> {
        self.asked(terms, premises, conclusion, values).ok()
    }

    fn asked(
        &mut self,
        terms: &Terms,
        premises: &[Term],
        conclusion: Term,
        values: &FxHashMap<Symbol, Term>,
    ) -> Result<bool, Unread> {
        let mut updates: Vec<(Symbol, Term)> = values.iter().map(|(&symbol, &value)| (symbol, value)).collect();
        updates.sort_unstable();
        let (bdds, reader) = self.made.get_or_insert_with(|| (Bdds::new(NODES), Reader::new(Bits::default())));
        let read = premises.iter().copied().chain([conclusion]).chain(updates.iter().map(|u| u.1));
        let symbols = read.filter(|&term| self.placed.insert(term)).flat_map(|term| terms.symbols(term));
        let symbols: Vec<Symbol> = symbols.chain(updates.iter().map(|u| u.0)).collect();
        place(bdds, &mut reader.leaves, terms, &self.order, &symbols)?;
        let mut holds = bdds.tt();
        for &premise in premises {
            holds = holds.and(&reader.truth(bdds, terms, premise)?)?;
        }
        let after = reader.truth(bdds, terms, conclusion)?;
        let depends_on: FxHashSet<u32> = after.support().into_iter().collect();
        let mut places = Vec::new();
        for (symbol, value) in updates {
            let variables: Vec<u32> =
                (0..width(terms, symbol)?).map(|bit| reader.leaves.variables[&(symbol, bit)]).collect();
            if variables.iter().any(|v| depends_on.contains(v)) {
                let word = reader.full(bdds, terms, value)?;
                places.extend(variables.into_iter().zip(word));
            }
        }
        let after = if places.is_empty() { after } else { after.compose(&places)? };
        Ok(holds.implies(&after)?)
    }
}

/// Gives bits to symbols that have none yet.
fn place(
    bdds: &mut Bdds,
    bits: &mut Bits,
    terms: &Terms,
    order: &[(Symbol, u32)],
    symbols: &[Symbol],
) -> Result<(), Unread> {
    if bits.variables.is_empty() {
        for &bit in order {
            let next = bits.variables.len() as u32;
            bits.variables.entry(bit).or_insert(next);
        }
    }
    for &symbol in symbols {
        for bit in 0..width(terms, symbol)? {
            let next = bits.variables.len() as u32;
            bits.variables.entry((symbol, bit)).or_insert(next);
        }
    }
    bdds.make_variables(bits.variables.len() as u32);
    Ok(())
}
