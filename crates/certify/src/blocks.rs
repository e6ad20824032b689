//! Invariants of programs with procedures: checked block by block, in exact arithmetic.

use clinch_ir::cfa::blocks::blocks_between;
use clinch_ir::cfa::unfold::{Destination, PointId, Step, Unfolding};
use clinch_ir::cfa::{Bound, BoundCell, CfaProgram, Invariants};
use clinch_smt::Z3Solver;
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::unsatisfiable::{Limits, unsatisfiable};
use crate::{Rejection, Stop};

/// Points a block may have.
const BLOCK_POINTS: usize = 200_000;
/// Limits of a query: work, milliseconds.
const LIMITS: Limits = (50_000_000, 10_000);
/// Those of one that may be taken apart.
const QUICK: Limits = (6_000_000, 600);
/// Instances of a formula that holds for all addresses, at most. With fewer than needed a proof is rejected, never accepted.
const MAX_INSTANCES: usize = 64;
/// Places that a block writes, for each to be a case of its own.
const MAX_WRITTEN: usize = 8;
/// Constants that a variable may have after a block, for cases to be left out by them.
const MAX_CONSTANTS: usize = 16;
/// Parts into which a disjunction is taken apart, at most.
const MAX_FACTORS: usize = 256;

/// Checks that the formulas hold at the start, are kept by every block between their points, and exclude every error and
/// everything without verdict.
pub fn check_invariants(program: &CfaProgram, proof: &Invariants, stop: Stop<'_>) -> Result<(), Rejection> {
    if !proof.terms.extends(&program.terms) {
        return Err(Rejection::Wrong("it is about another program".to_owned()));
    }
    let terms = proof.terms.clone();
    let mut unfolding = Unfolding::resume(program, &terms)
        .ok_or_else(|| Rejection::Wrong("it does not know the counter of addresses".to_owned()))?;
    let mut formulas: FxHashMap<PointId, Term> = FxHashMap::default();
    let mut points = Vec::new();
    for (point, formula) in &proof.points {
        let id = unfolding.intern_point(point.clone());
        formulas.insert(id, *formula);
        points.push(id);
    }
    let regions = program.regions.iter().map(|r| r.symbol).collect();
    let (bound, cases, solver) = (proof.bound.clone(), FxHashMap::default(), Z3Solver::for_formulas());
    let mut checker = Checker { terms, formulas, bound, regions, cases, solver, limits: LIMITS, stop };
    checker.check_start(&unfolding)?;
    // A proof may say more than what holds at loop heads; what it says of a point is used from there on.
    let cuts: FxHashSet<PointId> = points.iter().copied().collect();
    for from in points {
        let blocks = blocks_between(&mut unfolding, &mut checker.terms, from, BLOCK_POINTS, &cuts)
            .map_err(|_| Rejection::Undecided("a block is too large".to_owned()))?;
        for block in &blocks {
            checker.check_block(block)?;
        }
    }
    Ok(())
}

/// A case of a disjunction, with variables and their values there.
type Case = (Term, Vec<(Symbol, Term)>);

struct Checker<'a> {
    terms: Terms,
    formulas: FxHashMap<PointId, Term>,
    /// The symbol for all of whose values the formulas hold.
    bound: Option<Bound>,
    /// The arrays.
    regions: FxHashSet<Symbol>,
    /// The cases of each formula, with the variables that each says the value of.
    cases: FxHashMap<Term, Vec<Case>>,
    solver: Z3Solver,
    limits: Limits,
    stop: Stop<'a>,
}

impl Checker<'_> {
    /// The initial values satisfy the formula of the start.
    fn check_start(&mut self, unfolding: &Unfolding<'_>) -> Result<(), Rejection> {
        let Some(&formula) = self.formulas.get(&unfolding.start()) else {
            return Err(Rejection::Wrong("it says nothing of the start".to_owned()));
        };
        let values: FxHashMap<Symbol, Term> = unfolding.initial_values(&mut self.terms).into_iter().collect();
        let initially = self.terms.substitute_symbols(formula, &values);
        let broken = self.terms.not(initially);
        self.exclude(&[broken], "the initial values")
    }

    /// No run that satisfies the formula where the block starts breaks the one where it ends: case by case, if the formula is a
    /// disjunction.
    fn check_block(&mut self, block: &Step) -> Result<(), Rejection> {
        for case in self.terms.disjuncts(self.formulas[&block.from]) {
            let values = values_of(&mut self.terms, case);
            if values.is_empty() {
                self.check_case(case, block)?;
                continue;
            }
            let mut block = block.clone();
            block.effect.guard = self.terms.substitute_deep(block.effect.guard, &values);
            if matches!(self.terms.node(block.effect.guard), Node::Bool(false)) {
                continue;
            }
            let mut updates = values.clone();
            for (symbol, value) in &mut block.effect.updates {
                *value = self.terms.substitute_deep(*value, &values);
                updates.insert(*symbol, *value);
            }
            block.effect.updates = updates.into_iter().collect();
            self.check_case(case, &block)?;
        }
        Ok(())
    }

    fn check_case(&mut self, from: Term, block: &Step) -> Result<(), Rejection> {
        let what = format!("a block from point {} to {:?}", block.from.0, block.target);
        let after = match block.target {
            Destination::Point(to) => self.formulas.get(&to).copied(),
            // A run that ends breaks nothing; blocks do not lead there.
            Destination::End => return Ok(()),
            Destination::Error(..) | Destination::Open(..) => None,
        };
        let updates: FxHashMap<Symbol, Term> = block.effect.updates.iter().copied().collect();
        let after = match after {
            Some(formula) => {
                let formula = self.possible_part(formula, &updates);
                self.terms.substitute_symbols(formula, &updates)
            }
            None => self.terms.ff(),
        };
        if self.bound.is_none() {
            return self.check_part(from, block, after, &what);
        }
        // Many small questions are easier than a large one, where it is large.
        self.limits = QUICK;
        let quickly = self.check_part(from, block, after, &what);
        self.limits = LIMITS;
        match quickly {
            Err(Rejection::Undecided(_)) => {
                let parts = factors(&mut self.terms, after);
                parts.into_iter().try_for_each(|part| self.check_places(from, block, part, &what))
            }
            decided => decided,
        }
    }

    /// A disjunction without cases that say another value of a variable than those it can have after a block. To show that one of the
    /// rest holds is no less than to show that of all.
    fn possible_part(&mut self, formula: Term, updates: &FxHashMap<Symbol, Term>) -> Term {
        if !self.cases.contains_key(&formula) {
            let cases = self.terms.disjuncts(formula);
            let cases = cases.into_iter().map(|case| (case, scalars_of(&self.terms, case))).collect();
            self.cases.insert(formula, cases);
        }
        let cases = &self.cases[&formula];
        if cases.len() < 2 {
            return formula;
        }
        #[allow(clippy::iter_over_hash_type, reason = "a map is made of a map")]
        let values: FxHashMap<Symbol, Vec<Term>> =
            updates.iter().filter_map(|(&s, &t)| Some((s, constants(&self.terms, t)?))).collect();
        let can_be = |&(symbol, value): &(Symbol, Term)| values.get(&symbol).is_none_or(|of| of.contains(&value));
        let possible: Vec<Term> = cases.iter().filter(|case| case.1.iter().all(can_be)).map(|case| case.0).collect();
        self.terms.any(possible)
    }

    /// No run of the block that starts in `from` breaks what must hold after it.
    fn check_part(&mut self, from: Term, block: &Step, after: Term, what: &str) -> Result<(), Rejection> {
        let broken = self.terms.not(after);
        let mut conditions = self.instances(from, block, broken);
        conditions.extend([block.effect.guard, broken]);
        self.exclude(&conditions, what)
    }

    /// The same, for each place that the block writes, and for all others: at a place that was written one sees what it holds.
    fn check_places(&mut self, from: Term, block: &Step, after: Term, what: &str) -> Result<(), Rejection> {
        let Some(bound) = self.bound.clone() else { return self.check_part(from, block, after, what) };
        let broken = self.terms.not(after);
        let mut conditions = self.instances(from, block, broken);
        conditions.extend([block.effect.guard, broken]);
        let mut others = Vec::new();
        for place in self.places_written(block, &bound) {
            let here = FxHashMap::from_iter([(bound.symbol, place)]);
            let conditions: Vec<Term> = conditions.iter().map(|&c| self.terms.substitute_symbols(c, &here)).collect();
            self.exclude(&conditions, what)?;
            let symbol = self.terms.symbol(bound.symbol);
            let same = self.terms.eq(symbol, place);
            others.push(self.terms.not(same));
        }
        conditions.extend(others);
        self.exclude(&conditions, what)
    }

    /// The places of cells that a block writes; none if there are many.
    fn places_written(&mut self, block: &Step, bound: &Bound) -> Vec<Term> {
        let mut places = Vec::new();
        for &(region, contents) in &block.effect.updates {
            let cells: Vec<BoundCell> = bound.cells.iter().filter(|c| c.region == region).copied().collect();
            for part in self.terms.parts(contents) {
                let Node::Store(_, address, _) = self.terms.node(part) else { continue };
                for &cell in &cells {
                    let place = self.place(address, cell);
                    if !places.contains(&place) {
                        places.push(place);
                    }
                }
            }
        }
        if places.len() > MAX_WRITTEN { Vec::new() } else { places }
    }

    /// What holds before a block, of the cells that matter: those that the block reads, and the one its end is about to be broken for. In
    /// `broken` the bound symbol stands for some value, and for that one the case holds. For others another case may.
    fn instances(&mut self, case: Term, block: &Step, broken: Term) -> Vec<Term> {
        let mut instances = vec![case];
        let Some(bound) = self.bound.clone() else { return instances };
        let formula = self.formulas[&block.from];
        let mut read: Vec<(Symbol, Term)> = Vec::new();
        let updates = block.effect.updates.iter().map(|u| u.1);
        for root in [block.effect.guard, broken].into_iter().chain(updates) {
            self.addresses_read(root, &mut read);
        }
        let mut places: Vec<Term> = Vec::new();
        for (region, address) in read {
            for cell in bound.cells.iter().filter(|c| c.region == region) {
                places.push(self.place(address, *cell));
            }
        }
        if places.is_empty() {
            // What relates variables is said of every place.
            let sort = self.terms.symbol_sort(bound.symbol).clone();
            places.push(self.terms.zero(&sort));
        }
        for place in places {
            let map = FxHashMap::from_iter([(bound.symbol, place)]);
            let new = self.terms.substitute_symbols(formula, &map);
            if !instances.contains(&new) && instances.len() < MAX_INSTANCES {
                instances.push(new);
            }
        }
        instances
    }

    /// The place at which a cell has an address, if it has any: other places do no harm.
    fn place(&mut self, address: Term, cell: BoundCell) -> Term {
        if let Some(place) = self.plain_place(address, cell) {
            return place;
        }
        match self.terms.sort(address) {
            Sort::BitVec(width) => {
                let (op, by) = match cell.stride.is_power_of_two() {
                    true => (BinOp::BvAshr, cell.stride.trailing_zeros()),
                    false => (BinOp::BvSdiv, cell.stride),
                };
                let origin = self.terms.bit_vec(width, cell.origin as u64);
                let distance = self.terms.bv(BinOp::BvSub, address, origin);
                let by = self.terms.bit_vec(width, u64::from(by));
                self.terms.bv(op, distance, by)
            }
            _ => {
                let (stride, origin) = (self.terms.int(i64::from(cell.stride)), self.terms.int(cell.origin));
                let distance = self.terms.sub(address, origin);
                self.terms.binary(BinOp::FloorDiv, distance, stride)
            }
        }
    }

    /// The place in an address that is written as one: `place << n + origin`, or `place * stride + origin`. Many addresses have the
    /// same place then, and solvers need not divide.
    fn plain_place(&mut self, address: Term, cell: BoundCell) -> Option<Term> {
        let Sort::BitVec(width) = self.terms.sort(address) else { return None };
        let origin = self.terms.bit_vec(width, cell.origin as u64);
        let Node::Binary(BinOp::BvAdd, a, b) = self.terms.node(address) else { return None };
        let distance = [(a, b), (b, a)].into_iter().find(|(_, other)| *other == origin)?.0;
        let (by, stride) = (u64::from(cell.stride.trailing_zeros()), u64::from(cell.stride));
        match self.terms.node(distance) {
            Node::Binary(BinOp::BvShl, place, shift)
                if cell.stride.is_power_of_two() && self.terms.node(shift) == Node::BitVec(width, by) =>
            {
                Some(place)
            }
            Node::Binary(BinOp::BvMul, a, b) => {
                let factor = Node::BitVec(width, stride);
                [(a, b), (b, a)]
                    .into_iter()
                    .find(|(_, other)| self.terms.node(*other) == factor)
                    .map(|(place, _)| place)
            }
            _ => None,
        }
    }

    /// The addresses at which a term reads a region.
    fn addresses_read(&self, term: Term, found: &mut Vec<(Symbol, Term)>) {
        for part in self.terms.parts(term) {
            let Node::Binary(BinOp::Select, array, address) = self.terms.node(part) else { continue };
            for region in self.terms.symbols(array).into_iter().filter(|s| self.regions.contains(s)) {
                if !found.contains(&(region, address)) {
                    found.push((region, address));
                }
            }
        }
    }

    fn exclude(&mut self, conditions: &[Term], what: &str) -> Result<(), Rejection> {
        unsatisfiable((&mut self.solver, &mut self.terms), conditions, self.limits, what, self.stop)
    }
}

/// Formulas that together are the formula: disjunctions are distributed over conjunctions.
fn factors(terms: &mut Terms, formula: Term) -> Vec<Term> {
    match terms.node(formula) {
        Node::Binary(BinOp::And, a, b) => {
            let mut all = factors(terms, a);
            all.extend(factors(terms, b));
            all
        }
        Node::Binary(BinOp::Or, a, b) => {
            let (a, b) = (factors(terms, a), factors(terms, b));
            if a.len() * b.len() > MAX_FACTORS {
                return vec![formula];
            }
            let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (*x, *y)));
            pairs.map(|(x, y)| terms.or(x, y)).collect()
        }
        _ => vec![formula],
    }
}

/// The variables that a conjunction says the values of, with these; regions have what it says of their cells stored in them. Where the
/// conjunction holds, so it does that each variable is what stands here for it.
fn values_of(terms: &mut Terms, conjunction: Term) -> FxHashMap<Symbol, Term> {
    let mut values: FxHashMap<Symbol, Term> = FxHashMap::default();
    for fact in terms.conjuncts(conjunction) {
        let Node::Binary(BinOp::Eq, what, value) = terms.node(fact) else { continue };
        if !is_constant(terms, value) {
            continue;
        }
        match terms.node(what) {
            Node::Symbol(symbol) => {
                values.insert(symbol, value);
            }
            Node::Binary(BinOp::Select, array, address) if is_constant(terms, address) => {
                if let Node::Symbol(region) = terms.node(array) {
                    let below = values.get(&region).copied().unwrap_or(array);
                    let with = terms.store(below, address, value);
                    values.insert(region, with);
                }
            }
            _ => {}
        }
    }
    add_equations(terms, conjunction, &mut values);
    values
}

/// Adds variables that the conjunction says to be other terms, over variables that have no value: sums need not be compared bit by
/// bit then.
fn add_equations(terms: &Terms, conjunction: Term, values: &mut FxHashMap<Symbol, Term>) {
    let mut used: FxHashSet<Symbol> = FxHashSet::default();
    for fact in terms.conjuncts(conjunction) {
        let Node::Binary(BinOp::Eq, what, value) = terms.node(fact) else { continue };
        let Node::Symbol(symbol) = terms.node(what) else { continue };
        let of = terms.symbols(value);
        let is_free = |s: &Symbol| *s != symbol && !values.contains_key(s);
        if !values.contains_key(&symbol) && !used.contains(&symbol) && of.iter().all(is_free) {
            used.extend(of);
            values.insert(symbol, value);
        }
    }
}

/// The variables that a conjunction says the values of, but for regions.
fn scalars_of(terms: &Terms, conjunction: Term) -> Vec<(Symbol, Term)> {
    let scalar = |fact| match terms.node(fact) {
        Node::Binary(BinOp::Eq, what, value) if is_constant(terms, value) => match terms.node(what) {
            Node::Symbol(symbol) => Some((symbol, value)),
            _ => None,
        },
        _ => None,
    };
    terms.conjuncts(conjunction).into_iter().filter_map(scalar).collect()
}

/// The constants that a term chooses from, if it does nothing else; nothing where there are many.
fn constants(terms: &Terms, term: Term) -> Option<Vec<Term>> {
    let (mut found, mut stack, mut seen) = (Vec::new(), vec![term], FxHashSet::default());
    while let Some(part) = stack.pop() {
        match terms.node(part) {
            _ if !seen.insert(part) => {}
            Node::Ite(_, then, otherwise) => stack.extend([then, otherwise]),
            _ if is_constant(terms, part) && found.len() < MAX_CONSTANTS => found.push(part),
            _ => return None,
        }
    }
    Some(found)
}

fn is_constant(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::BitVec(..) | Node::Int(_) | Node::Bool(_))
}
