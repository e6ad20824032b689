//! Boolean functions as binary decision diagrams: a thin layer over OxiDD.
//!
//! Variables are numbers; they are made when they are first used, and their order is that of their numbers. Equal functions
//! are equal values. The one thing that can go wrong is that there is no room for another node ([`OutOfNodes`]).

use oxidd::bdd::{BDDFunction, BDDManagerRef};
use oxidd::util::OutOfMemory;
use oxidd::{BooleanFunction, BooleanFunctionQuant, Function, HasLevel, Manager, ManagerRef, Node, VarNo};

/// There is no room for another node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfNodes;

impl From<OutOfMemory> for OutOfNodes {
    fn from(_: OutOfMemory) -> Self {
        OutOfNodes
    }
}

/// A Boolean function.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bdd(BDDFunction);

impl std::fmt::Debug for Bdd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bdd({} nodes)", self.size())
    }
}

/// A variable and its value.
pub type Literal = (u32, bool);

/// The home of Boolean functions.
pub struct Bdds {
    manager: BDDManagerRef,
    variables: VarNo,
}

impl std::fmt::Debug for Bdds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bdds({} variables)", self.variables)
    }
}

/// Results of operations that are remembered.
const CACHE: usize = 1 << 14;

impl Bdds {
    /// With room for so many nodes.
    pub fn new(nodes: usize) -> Self {
        Bdds { manager: oxidd::bdd::new_manager(nodes, CACHE, 1), variables: 0 }
    }

    /// True.
    pub fn tt(&self) -> Bdd {
        self.manager.with_manager_shared(|m| Bdd(BDDFunction::t(m)))
    }

    /// False.
    pub fn ff(&self) -> Bdd {
        self.manager.with_manager_shared(|m| Bdd(BDDFunction::f(m)))
    }

    /// A variable, or its negation.
    pub fn literal(&mut self, (variable, value): Literal) -> Result<Bdd, OutOfNodes> {
        if variable >= self.variables {
            let more = variable + 1 - self.variables;
            self.manager.with_manager_exclusive(|m| m.add_vars(more));
            self.variables += more;
        }
        self.manager.with_manager_shared(|m| {
            let function = if value { BDDFunction::var(m, variable) } else { BDDFunction::not_var(m, variable) };
            Ok(Bdd(function?))
        })
    }

    /// The conjunction of literals.
    pub fn cube(&mut self, literals: &[Literal]) -> Result<Bdd, OutOfNodes> {
        let mut cube = self.tt();
        for &literal in literals {
            cube = cube.and(&self.literal(literal)?)?;
        }
        Ok(cube)
    }
}

impl Bdd {
    /// Both.
    pub fn and(&self, other: &Bdd) -> Result<Bdd, OutOfNodes> {
        Ok(Bdd(self.0.and(&other.0)?))
    }

    /// One of them.
    pub fn or(&self, other: &Bdd) -> Result<Bdd, OutOfNodes> {
        Ok(Bdd(self.0.or(&other.0)?))
    }

    /// The opposite.
    pub fn negation(&self) -> Result<Bdd, OutOfNodes> {
        Ok(Bdd(self.0.not()?))
    }

    /// Whether it implies another one.
    pub fn implies(&self, other: &Bdd) -> Result<bool, OutOfNodes> {
        Ok(self.0.imp(&other.0)?.valid())
    }

    /// Whether it is false everywhere.
    pub fn is_false(&self) -> bool {
        !self.0.satisfiable()
    }

    /// Whether it is true everywhere.
    pub fn is_true(&self) -> bool {
        self.0.valid()
    }

    /// What holds for some values of the variables.
    pub fn exists(&self, bdds: &mut Bdds, variables: &[u32]) -> Result<Bdd, OutOfNodes> {
        let literals: Vec<Literal> = variables.iter().map(|&v| (v, true)).collect();
        let cube = bdds.cube(&literals)?;
        Ok(Bdd(self.0.exists(&cube.0)?))
    }

    /// How many nodes it has.
    pub fn size(&self) -> usize {
        self.0.node_count()
    }

    /// Disjoint conjunctions of literals whose disjunction it is, in a canonical order; none if there are more than `limit`.
    pub fn cubes(&self, limit: usize) -> Option<Vec<Vec<Literal>>> {
        let mut cubes = Vec::new();
        let mut stack = vec![(self.clone(), Vec::new())];
        while let Some((function, literals)) = stack.pop() {
            if function.is_false() {
                continue;
            }
            match function.split() {
                None => {
                    if cubes.len() == limit {
                        return None;
                    }
                    cubes.push(literals);
                }
                Some((variable, then, otherwise)) => {
                    for (part, value) in [(otherwise, false), (then, true)] {
                        let mut literals = literals.clone();
                        literals.push((variable, value));
                        stack.push((part, literals));
                    }
                }
            }
        }
        Some(cubes)
    }

    /// The first variable it depends on, and what remains for its values.
    pub fn split(&self) -> Option<(u32, Bdd, Bdd)> {
        let (then, otherwise) = self.0.cofactors()?;
        let variable = self.0.with_manager_shared(|manager, edge| match manager.get_node(edge) {
            Node::Inner(node) => manager.level_to_var(node.level()),
            Node::Terminal(_) => unreachable!("a function with cofactors is no constant"),
        });
        Some((variable, Bdd(then), Bdd(otherwise)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All functions of three variables that are built by a few operations agree with their truth tables.
    #[test]
    fn agrees_with_truth_tables() {
        let mut bdds = Bdds::new(1 << 12);
        let mut known: Vec<(Bdd, u8)> = Vec::new();
        for (variable, table) in [(0, 0b1010_1010), (1, 0b1100_1100), (2, 0b1111_0000)] {
            known.push((bdds.literal((variable, true)).unwrap(), table));
        }
        for _ in 0..2 {
            let before = known.clone();
            for (a, x) in &before {
                known.push((a.negation().unwrap(), !x));
                for (b, y) in &before {
                    known.push((a.and(b).unwrap(), x & y));
                    known.push((a.or(b).unwrap(), x | y));
                }
            }
            known.sort_by_key(|k| k.1);
            known.dedup_by_key(|k| k.1);
        }
        assert!(known.len() > 30);
        for (a, x) in &known {
            let table = |cubes: Vec<Vec<Literal>>| {
                let holds = |row: u32| cubes.iter().any(|c| c.iter().all(|&(v, value)| (row >> v & 1 == 1) == value));
                (0..8).filter(|&row| holds(row)).fold(0u8, |t, row| t | 1 << row)
            };
            assert_eq!(table(a.cubes(8).unwrap()), *x);
            assert_eq!(a.is_false(), *x == 0);
            for (b, y) in &known {
                assert_eq!(a.implies(b).unwrap(), x & !y == 0);
                assert_eq!(a == b, x == y);
            }
        }
    }

    #[test]
    fn quantifies() {
        let mut bdds = Bdds::new(1 << 12);
        let both = bdds.cube(&[(0, true), (1, false)]).unwrap();
        assert_eq!(both.exists(&mut bdds, &[0]).unwrap(), bdds.literal((1, false)).unwrap());
        assert!(both.cubes(0).is_none());
    }
}
