//! Which stored sets are below or above a given one?
//!
//! An abstract state is a set of predicates that hold in it, and the state with *fewer* predicates is the larger one: it
//! subsumes those whose sets contain its own. Sets are kept in a trie over their elements in ascending order. A subset of
//! `q` is a path all of whose elements are in `q`; a superset is a path that misses no element of `q`. Both walks leave a
//! branch at the first element that decides against it, so the cost follows the answer and not the number of sets.

use super::bitset::BitSet;

/// Sets with identifiers, searched by inclusion.
#[derive(Clone, Debug, Default)]
pub struct SubsumptionIndex {
    nodes: Vec<TrieNode>,
    free: Vec<u32>,
    /// Nodes visited by all queries so far: the work a check takes.
    visits: u64,
}

#[derive(Clone, Debug, Default)]
struct TrieNode {
    /// The next elements, ascending, and where they lead.
    children: Vec<(u32, u32)>,
    /// The identifier of the set that ends here.
    end: Option<u32>,
}

const ROOT: u32 = 0;

impl SubsumptionIndex {
    /// No sets.
    pub fn new() -> Self {
        SubsumptionIndex { nodes: vec![TrieNode::default()], ..Self::default() }
    }

    /// How many trie nodes all queries visited.
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// Stores a set, which must not be there yet.
    pub fn insert(&mut self, set: &BitSet, id: u32) {
        if self.nodes.is_empty() {
            self.nodes.push(TrieNode::default());
        }
        let mut at = ROOT;
        for element in set.iter() {
            at = self.child_or_new(at, element as u32);
        }
        debug_assert!(self.nodes[at as usize].end.is_none(), "a set is stored once");
        self.nodes[at as usize].end = Some(id);
    }

    fn child_or_new(&mut self, at: u32, element: u32) -> u32 {
        match self.nodes[at as usize].children.binary_search_by_key(&element, |c| c.0) {
            Ok(position) => self.nodes[at as usize].children[position].1,
            Err(position) => {
                let new = self.free.pop().unwrap_or_else(|| {
                    self.nodes.push(TrieNode::default());
                    self.nodes.len() as u32 - 1
                });
                self.nodes[at as usize].children.insert(position, (element, new));
                new
            }
        }
    }

    /// Forgets a set.
    pub fn remove(&mut self, set: &BitSet) {
        let mut path = vec![ROOT];
        let elements: Vec<u32> = set.iter().map(|e| e as u32).collect();
        for element in &elements {
            let node = &self.nodes[path[path.len() - 1] as usize];
            match node.children.binary_search_by_key(element, |c| c.0) {
                Ok(position) => path.push(node.children[position].1),
                Err(_) => return,
            }
        }
        self.nodes[path[path.len() - 1] as usize].end = None;
        self.prune(&path, &elements);
    }

    /// Gives back the nodes at the end of a path that lead nowhere any more.
    fn prune(&mut self, path: &[u32], elements: &[u32]) {
        for depth in (1..path.len()).rev() {
            let node = &self.nodes[path[depth] as usize];
            if node.end.is_some() || !node.children.is_empty() {
                break;
            }
            let parent = &mut self.nodes[path[depth - 1] as usize];
            parent.children.retain(|c| c.0 != elements[depth - 1]);
            self.free.push(path[depth]);
        }
    }

    /// A stored set that is a subset of `query`, or equal to it: a state that subsumes the query.
    pub fn find_subset(&mut self, query: &BitSet) -> Option<u32> {
        let mut stack = vec![ROOT];
        while let Some(at) = stack.pop() {
            self.visits += 1;
            let node = self.nodes.get(at as usize)?;
            if node.end.is_some() {
                return node.end;
            }
            stack.extend(node.children.iter().rev().filter(|c| query.contains(c.0 as usize)).map(|c| c.1));
        }
        None
    }

    /// All stored sets that are supersets of `query`, or equal to it: the states that the query subsumes. Ascending.
    pub fn supersets(&mut self, query: &BitSet) -> Vec<u32> {
        let needed: Vec<u32> = query.iter().map(|e| e as u32).collect();
        let mut found = Vec::new();
        let mut stack = if self.nodes.is_empty() { Vec::new() } else { vec![(ROOT, 0)] };
        while let Some((at, met)) = stack.pop() {
            self.visits += 1;
            let node = &self.nodes[at as usize];
            match needed.get(met) {
                None => {
                    found.extend(node.end);
                    stack.extend(node.children.iter().map(|c| (c.1, met)));
                }
                Some(&next) => {
                    let possible = node.children.iter().take_while(|c| c.0 <= next);
                    stack.extend(possible.map(|c| (c.1, met + usize::from(c.0 == next))));
                }
            }
        }
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};

    #[test]
    fn agrees_with_a_scan() {
        let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(7);
        for round in 0..200 {
            let width = 1 + round % 12;
            let mut index = SubsumptionIndex::new();
            let mut stored: Vec<(BitSet, u32)> = Vec::new();
            for id in 0..60 {
                let set: BitSet = (0..width).filter(|_| rng.random_bool(0.4)).collect();
                let scan_subset = stored.iter().any(|(s, _)| s.is_subset(&set));
                let found = index.find_subset(&set);
                assert_eq!(found.is_some(), scan_subset);
                assert!(found.is_none_or(|f| stored.iter().any(|(s, i)| *i == f && s.is_subset(&set))));
                let mut scan: Vec<u32> = stored.iter().filter(|(s, _)| set.is_subset(s)).map(|(_, i)| *i).collect();
                scan.sort_unstable();
                assert_eq!(index.supersets(&set), scan);
                if !stored.is_empty() && rng.random_bool(0.3) {
                    let (gone, _) = stored.swap_remove(rng.random_range(0..stored.len()));
                    index.remove(&gone);
                }
                if !stored.iter().any(|(s, _)| *s == set) {
                    index.insert(&set, id);
                    stored.push((set, id));
                }
            }
        }
    }
}
