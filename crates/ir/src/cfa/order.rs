//! The weak topological order of a procedure's locations (F. Bourdoncle, *Efficient chaotic iteration strategies with
//! widenings*, 1993): loops within loops, each with its head first.
//!
//! An edge leads forward in the order, or back to the head of a loop that contains it. Whoever takes locations in this order,
//! with all iterations of a loop before what follows the loop, has seen all ways into a location before it goes on from there.

use clinch_terms::LocId;
use rustc_hash::FxHashMap;

use super::Procedure;

/// A loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loop {
    /// Where it closes.
    pub head: LocId,
    /// The loop around it.
    pub outer: Option<u32>,
    /// How many loops are around it.
    pub depth: u32,
}

/// The order of one procedure.
#[derive(Clone, Debug)]
pub struct WeakOrder {
    /// The loops, outer ones first.
    pub loops: Vec<Loop>,
    position: Vec<u32>,
    innermost: Vec<Option<u32>>,
}

impl WeakOrder {
    /// The order of the locations that can be reached.
    pub fn new(procedure: &Procedure) -> Self {
        let count = procedure.locations.len();
        let mut successors = vec![Vec::new(); count];
        for edge in &procedure.edges {
            successors[edge.from.index()].push(edge.to.index());
        }
        let order = WeakOrder { loops: Vec::new(), position: vec![u32::MAX; count], innermost: vec![None; count] };
        let mut builder = Builder { successors, first: FxHashMap::default(), order, next: 0 };
        let all: Vec<usize> = (0..count).collect();
        builder.divide(&all, procedure.entry.index(), None);
        builder.order
    }

    /// The place of a location in the order.
    pub fn position(&self, location: LocId) -> u32 {
        self.position[location.index()]
    }

    /// The loops around a location, the outermost first; a head is in its loop.
    pub fn loops_around(&self, location: LocId) -> Vec<u32> {
        let mut loops = Vec::new();
        let mut at = self.innermost[location.index()];
        while let Some(id) = at {
            loops.push(id);
            at = self.loops[id as usize].outer;
        }
        loops.reverse();
        loops
    }
}

struct Builder {
    successors: Vec<Vec<usize>>,
    /// When the first walk found each location.
    first: FxHashMap<usize, u32>,
    order: WeakOrder,
    next: u32,
}

impl Builder {
    /// Orders the locations of a part of the graph, without what is outside of it. The walk starts at `start` and goes on
    /// with what it did not find.
    fn divide(&mut self, part: &[usize], start: usize, around: Option<u32>) {
        let components = self.components(part, start, around.is_none());
        for component in components {
            let head = *component.iter().min_by_key(|l| self.first.get(l)).expect("components are not empty");
            if component.len() == 1 && !self.successors[head].contains(&head) {
                self.place(head, around);
                continue;
            }
            let depth = around.map_or(0, |l| self.order.loops[l as usize].depth + 1);
            let id = self.order.loops.len() as u32;
            self.order.loops.push(Loop { head: LocId::from_index(head), outer: around, depth });
            self.place(head, Some(id));
            let rest: Vec<usize> = component.into_iter().filter(|&l| l != head).collect();
            if let Some(&first) = rest.iter().min_by_key(|l| self.first.get(l)) {
                self.divide(&rest, first, Some(id));
            }
        }
    }

    fn place(&mut self, location: usize, around: Option<u32>) {
        self.order.position[location] = self.next;
        self.order.innermost[location] = around;
        self.next += 1;
    }

    /// The strongly connected components of a part of the graph, in topological order (Tarjan).
    fn components(&mut self, part: &[usize], start: usize, outermost: bool) -> Vec<Vec<usize>> {
        let inside: rustc_hash::FxHashSet<usize> = part.iter().copied().collect();
        let mut number: FxHashMap<usize, (u32, u32)> = FxHashMap::default();
        let mut on_stack: rustc_hash::FxHashSet<usize> = rustc_hash::FxHashSet::default();
        let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0);
        let others = part.iter().copied().filter(|_| !outermost);
        for root in [start].into_iter().chain(others) {
            if number.contains_key(&root) {
                continue;
            }
            let mut path: Vec<(usize, usize)> = Vec::new();
            let mut enter = Some(root);
            loop {
                if let Some(at) = enter.take() {
                    number.insert(at, (count, count));
                    if outermost {
                        self.first.insert(at, count);
                    }
                    count += 1;
                    stack.push(at);
                    on_stack.insert(at);
                    path.push((at, 0));
                }
                let Some((at, next)) = path.last_mut() else { break };
                let at = *at;
                if let Some(&to) = self.successors[at].get(*next) {
                    *next += 1;
                    if !inside.contains(&to) {
                        continue;
                    }
                    match number.get(&to) {
                        None => enter = Some(to),
                        Some(&(seen, _)) if on_stack.contains(&to) => lower(&mut number, at, seen),
                        Some(_) => {}
                    }
                    continue;
                }
                path.pop();
                let (own, low) = number[&at];
                if let Some(&(parent, _)) = path.last() {
                    lower(&mut number, parent, low);
                }
                if own == low {
                    let from = stack.iter().rposition(|&l| l == at).expect("a component is on the stack");
                    let component: Vec<usize> = stack.drain(from..).collect();
                    component.iter().for_each(|l| {
                        on_stack.remove(l);
                    });
                    found.push(component);
                }
            }
        }
        found.reverse();
        found
    }
}

fn lower(number: &mut FxHashMap<usize, (u32, u32)>, at: usize, to: u32) {
    if let Some((_, low)) = number.get_mut(&at) {
        *low = (*low).min(to);
    }
}
