//! Boolean functions as binary decision diagrams with complement edges: a thin layer over OxiDD.
//!
//! Variables are numbers; they are made when they are first used, and their order is that of their numbers. Equal functions
//! are equal values. The one thing that can go wrong is that there is no room for another node, or no time left
//! ([`OutOfNodes`]). [`words`] has arithmetic on vectors of functions, [`terms`] reads terms as such.
//!
//! OxiDD 0.13 leaves reordering to a crate that is not released with it, so orders are chosen once.

#![allow(
    clippy::mutable_key_type,
    reason = "the hash of a decision diagram is that of its node, which does not change"
)]

mod function;
pub mod terms;
#[cfg(test)]
mod tests;
pub mod words;
#[cfg(test)]
mod words_tests;

use oxidd::bcdd::{BCDDFunction, BCDDManagerRef};
use oxidd::util::OutOfMemory;
use oxidd::{BooleanFunction, Manager, ManagerRef, Subst, VarNo};

pub use function::Bdd;
use rustc_hash::FxHashSet;

/// There is no room for another node, or no time ([`Bdds::stop_when`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfNodes;

impl From<OutOfMemory> for OutOfNodes {
    fn from(_: OutOfMemory) -> Self {
        OutOfNodes
    }
}

/// A variable and its value.
pub type Literal = (u32, bool);

/// The home of Boolean functions.
pub struct Bdds {
    manager: BCDDManagerRef,
    variables: VarNo,
    is_over: Box<dyn Fn(usize) -> bool + Send + Sync>,
}

impl std::fmt::Debug for Bdds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bdds({} variables)", self.variables)
    }
}

/// A set of variables to quantify.
#[derive(Clone, Debug)]
pub struct Variables(Bdd);

/// Variables that take the places of others, all at once.
pub struct Renaming(Places);

/// How variables are replaced.
enum Places {
    /// One set after the other: `f[x := y]` is `∃x. f ∧ (x ↔ y)`. This is for neighbours, where the equations are small; it
    /// costs what the function costs, while a substitution looks at all levels down to the last one it replaces.
    Steps(Vec<(Bdd, Variables)>),
    /// By substitution. Results are remembered as long as it is the same value.
    Substitution(Subst<BCDDFunction>),
}

impl std::fmt::Debug for Renaming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Renaming")
    }
}

/// Results of operations that are remembered, unless said otherwise.
const CACHE: usize = 1 << 14;

impl Bdds {
    /// With room for so many nodes.
    pub fn new(nodes: usize) -> Self {
        Bdds::with_cache(nodes, CACHE)
    }

    /// With room for so many nodes, and for so many results.
    pub fn with_cache(nodes: usize, results: usize) -> Self {
        Bdds { manager: oxidd::bcdd::new_manager(nodes, results, 1), variables: 0, is_over: Box::new(|_| false) }
    }

    /// Operations on words give up once this says so of the number of nodes, as if there were no room.
    pub fn stop_when(&mut self, is_over: impl Fn(usize) -> bool + Send + Sync + 'static) {
        self.is_over = Box::new(is_over);
    }

    /// Whether there is time left.
    pub fn check_deadline(&self) -> Result<(), OutOfNodes> {
        if (self.is_over)(self.node_count()) { Err(OutOfNodes) } else { Ok(()) }
    }

    /// Nodes in use, garbage included.
    pub fn node_count(&self) -> usize {
        self.manager.with_manager_shared(|m| m.approx_num_inner_nodes())
    }

    /// Frees the nodes that no function needs.
    pub fn collect_garbage(&self) {
        self.manager.with_manager_shared(|m| m.gc());
    }

    /// How many variables there are.
    pub fn variable_count(&self) -> u32 {
        self.variables
    }

    /// True.
    pub fn tt(&self) -> Bdd {
        self.manager.with_manager_shared(|m| Bdd(BCDDFunction::t(m)))
    }

    /// False.
    pub fn ff(&self) -> Bdd {
        self.manager.with_manager_shared(|m| Bdd(BCDDFunction::f(m)))
    }

    /// A constant.
    pub fn constant(&self, value: bool) -> Bdd {
        if value { self.tt() } else { self.ff() }
    }

    /// Makes all variables below a number.
    pub fn make_variables(&mut self, count: u32) {
        if count > self.variables {
            let more = count - self.variables;
            self.manager.with_manager_exclusive(|m| m.add_vars(more));
            self.variables += more;
        }
    }

    /// A variable that was made, or its negation.
    pub fn known_literal(&self, (variable, value): Literal) -> Result<Bdd, OutOfNodes> {
        debug_assert!(variable < self.variables);
        self.manager.with_manager_shared(|m| {
            let function = if value { BCDDFunction::var(m, variable) } else { BCDDFunction::not_var(m, variable) };
            Ok(Bdd(function?))
        })
    }

    /// A variable that was made.
    pub fn variable(&self, variable: u32) -> Result<Bdd, OutOfNodes> {
        self.known_literal((variable, true))
    }

    /// The conjunction of literals.
    pub fn cube(&mut self, literals: &[Literal]) -> Result<Bdd, OutOfNodes> {
        self.make_variables(literals.iter().map(|l| l.0 + 1).max().unwrap_or(0));
        self.known_cube(literals)
    }

    /// The conjunction of literals of variables that were made.
    pub fn known_cube(&self, literals: &[Literal]) -> Result<Bdd, OutOfNodes> {
        let mut sorted = literals.to_vec();
        sorted.sort_unstable();
        let mut cube = self.tt();
        for &literal in sorted.iter().rev() {
            cube = self.known_literal(literal)?.and(&cube)?;
        }
        Ok(cube)
    }

    /// A set of variables that were made.
    pub fn variables(&self, variables: &[u32]) -> Result<Variables, OutOfNodes> {
        let literals: Vec<Literal> = variables.iter().map(|&v| (v, true)).collect();
        Ok(Variables(self.known_cube(&literals)?))
    }

    /// The renaming that puts the second variable of each pair in the place of the first.
    pub fn renaming(&self, pairs: &[(u32, u32)]) -> Result<Renaming, OutOfNodes> {
        if let Some(steps) = steps(pairs) {
            let step = |pairs: Vec<(u32, u32)>| {
                let replaced: Vec<u32> = pairs.iter().map(|p| p.0).collect();
                Ok((self.equations(&pairs)?, self.variables(&replaced)?))
            };
            return Ok(Renaming(Places::Steps(steps.into_iter().map(step).collect::<Result<_, OutOfNodes>>()?)));
        }
        let from: Vec<VarNo> = pairs.iter().map(|p| p.0).collect();
        let to = pairs.iter().map(|p| Ok(self.variable(p.1)?.0)).collect::<Result<Vec<_>, OutOfNodes>>()?;
        Ok(Renaming(Places::Substitution(Subst::new(from, to))))
    }

    /// Where the variables of each pair are equal.
    fn equations(&self, pairs: &[(u32, u32)]) -> Result<Bdd, OutOfNodes> {
        let mut sorted = pairs.to_vec();
        sorted.sort_unstable();
        let mut all = self.tt();
        for &(a, b) in sorted.iter().rev() {
            all = self.variable(a)?.iff(&self.variable(b)?)?.and(&all)?;
        }
        Ok(all)
    }

    /// The disjunction of functions.
    pub fn any<'f>(&self, functions: impl IntoIterator<Item = &'f Bdd>) -> Result<Bdd, OutOfNodes> {
        functions.into_iter().try_fold(self.ff(), |all, f| all.or(f))
    }

    /// The conjunction of functions.
    pub fn all<'f>(&self, functions: impl IntoIterator<Item = &'f Bdd>) -> Result<Bdd, OutOfNodes> {
        functions.into_iter().try_fold(self.tt(), |all, f| all.and(f))
    }
}

/// Pairs in an order in which they can be replaced one after the other, those together that need no order; none if there is no
/// such order, or if their variables are far from each other.
fn steps(pairs: &[(u32, u32)]) -> Option<Vec<Vec<(u32, u32)>>> {
    /// Equations of variables that are further away remember the values of all between.
    const NEIGHBOURS: u32 = 8;
    let mut left: Vec<(u32, u32)> = pairs.iter().copied().filter(|(from, to)| from != to).collect();
    if left.iter().any(|(from, to)| from.abs_diff(*to) > NEIGHBOURS) {
        return None;
    }
    let mut steps = Vec::new();
    while !left.is_empty() {
        // What takes a place must not be replaced afterwards.
        let replaced: FxHashSet<u32> = left.iter().map(|p| p.0).collect();
        let (later, now): (Vec<_>, Vec<_>) = left.iter().partition(|p| replaced.contains(&p.1));
        if now.is_empty() {
            return None;
        }
        steps.push(now);
        left = later;
    }
    Some(steps)
}
