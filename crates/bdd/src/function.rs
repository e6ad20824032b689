//! Operations on functions.

use oxidd::bcdd::BCDDFunction;
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, HasLevel, InnerNode, Manager,
    Node, NodeID, Subst, VarNo,
};
use rustc_hash::FxHashSet;

use crate::{Literal, OutOfNodes, Places, Renaming, Variables};

/// A Boolean function.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bdd(pub(crate) BCDDFunction);

impl std::fmt::Debug for Bdd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Bdd({} nodes)", self.size())
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

    /// Exactly one of them.
    pub fn xor(&self, other: &Bdd) -> Result<Bdd, OutOfNodes> {
        Ok(Bdd(self.0.xor(&other.0)?))
    }

    /// Both or none.
    pub fn iff(&self, other: &Bdd) -> Result<Bdd, OutOfNodes> {
        Ok(Bdd(self.0.equiv(&other.0)?))
    }

    /// The first but not the second.
    pub fn minus(&self, other: &Bdd) -> Result<Bdd, OutOfNodes> {
        self.and(&other.negation()?)
    }

    /// `then` where it holds, `otherwise` elsewhere.
    pub fn ite(&self, then: &Bdd, otherwise: &Bdd) -> Result<Bdd, OutOfNodes> {
        Ok(Bdd(self.0.ite(&then.0, &otherwise.0)?))
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
    pub fn exists_in(&self, variables: &Variables) -> Result<Bdd, OutOfNodes> {
        Ok(Bdd(self.0.exists(&variables.0.0)?))
    }

    /// What holds for all values of the variables.
    pub fn forall_in(&self, variables: &Variables) -> Result<Bdd, OutOfNodes> {
        Ok(Bdd(self.0.forall(&variables.0.0)?))
    }

    /// The relational product: for which some values of the variables both hold.
    pub fn and_exists(&self, other: &Bdd, variables: &Variables) -> Result<Bdd, OutOfNodes> {
        Ok(Bdd(self.0.apply_exists(BooleanOperator::And, &other.0, &variables.0.0)?))
    }

    /// For which the second holds wherever the first does, for all values of the variables.
    pub fn imp_forall(&self, other: &Bdd, variables: &Variables) -> Result<Bdd, OutOfNodes> {
        Ok(Bdd(self.0.apply_forall(BooleanOperator::Imp, &other.0, &variables.0.0)?))
    }

    /// The same function of other variables.
    pub fn rename(&self, renaming: &Renaming) -> Result<Bdd, OutOfNodes> {
        match &renaming.0 {
            Places::Steps(steps) => {
                let mut function = self.clone();
                for (equations, replaced) in steps {
                    function = function.and_exists(equations, replaced)?;
                }
                Ok(function)
            }
            Places::Substitution(substitution) => Ok(Bdd(self.0.substitute(substitution)?)),
        }
    }

    /// The function with other functions in the place of some variables, all at once.
    pub fn compose(&self, places: &[(u32, Bdd)]) -> Result<Bdd, OutOfNodes> {
        let (from, to): (Vec<VarNo>, Vec<BCDDFunction>) = places.iter().map(|(v, f)| (*v, f.0.clone())).unzip();
        Ok(Bdd(self.0.substitute(&Subst::new(from, to))?))
    }

    /// The function with values for some variables, as a conjunction of literals.
    pub fn restrict(&self, cube: &Bdd) -> Result<Bdd, OutOfNodes> {
        Ok(Bdd(self.0.restrict(&cube.0)?))
    }

    /// The variables it depends on, ascending.
    pub fn support(&self) -> Vec<u32> {
        let mut support = self.0.with_manager_shared(|manager, edge| {
            let mut seen: FxHashSet<NodeID> = FxHashSet::default();
            let mut found: FxHashSet<u32> = FxHashSet::default();
            let mut variables = Vec::new();
            let mut work = vec![edge];
            while let Some(edge) = work.pop() {
                let Node::Inner(node) = manager.get_node(edge) else { continue };
                if seen.insert(edge.node_id()) {
                    let variable = manager.level_to_var(node.level());
                    if found.insert(variable) {
                        variables.push(variable);
                    }
                    work.extend(node.children());
                }
            }
            variables
        });
        support.sort_unstable();
        support
    }

    /// Values for which it is true, the same each time; what is left out does not matter. None for false.
    pub fn pick(&self) -> Option<Vec<Literal>> {
        let mut function = self.clone();
        let mut literals = Vec::new();
        while let Some((variable, then, otherwise)) = function.split() {
            let value = otherwise.is_false();
            literals.push((variable, value));
            function = if value { then } else { otherwise };
        }
        function.is_true().then_some(literals)
    }

    /// Its value where all its variables have one.
    pub fn value(&self, literals: &[Literal]) -> bool {
        self.0.eval(literals.iter().copied())
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
