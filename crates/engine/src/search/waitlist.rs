//! The queue of states to expand, with insertion before any of its members.
//!
//! Every member has a key, and the order of the keys is the order of the queue. A member that is put before another gets
//! a key between that one and its predecessor; when there is no room left, all keys are dealt out anew.

use std::collections::BTreeMap;

/// An ordered queue of distinct identifiers.
#[derive(Clone, Debug, Default)]
pub struct Waitlist {
    order: BTreeMap<u128, u32>,
    /// The key of each identifier that waits.
    keys: Vec<Option<u128>>,
}

/// Distance between keys that are dealt out at an end.
const GAP: u128 = 1 << 64;
/// Key of the first member: as far from the one end as from the other.
const MIDDLE: u128 = 1 << 127;

impl Waitlist {
    /// Nothing waits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the identifier waits.
    pub fn contains(&self, id: u32) -> bool {
        self.key(id).is_some()
    }

    fn key(&self, id: u32) -> Option<u128> {
        self.keys.get(id as usize).copied().flatten()
    }

    fn put(&mut self, key: u128, id: u32) {
        debug_assert!(!self.contains(id), "an identifier waits once");
        if self.keys.len() <= id as usize {
            self.keys.resize(id as usize + 1, None);
        }
        self.keys[id as usize] = Some(key);
        self.order.insert(key, id);
    }

    /// At the end.
    pub fn push_back(&mut self, id: u32) {
        let key = self.order.last_key_value().map_or(MIDDLE, |(k, _)| k + GAP);
        self.put(key, id);
    }

    /// At the front.
    pub fn push_front(&mut self, id: u32) {
        let key = self.order.first_key_value().map_or(MIDDLE, |(k, _)| k - GAP);
        self.put(key, id);
    }

    /// Right before a member.
    pub fn insert_before(&mut self, member: u32, id: u32) {
        let at = self.key(member).expect("the member waits");
        let previous = self.order.range(..at).next_back().map_or(at - GAP, |(&k, _)| k);
        if at - previous < 2 {
            self.deal_anew();
            return self.insert_before(member, id);
        }
        self.put(previous + (at - previous) / 2, id);
    }

    fn deal_anew(&mut self) {
        let ids: Vec<u32> = self.order.values().copied().collect();
        self.order.clear();
        self.keys.fill(None);
        for id in ids {
            self.push_back(id);
        }
    }

    /// Takes the first.
    pub fn pop_front(&mut self) -> Option<u32> {
        let (_, id) = self.order.pop_first()?;
        self.keys[id as usize] = None;
        Some(id)
    }

    /// Takes a member out.
    pub fn remove(&mut self, id: u32) {
        if let Some(key) = self.key(id) {
            self.order.remove(&key);
            self.keys[id as usize] = None;
        }
    }

    /// The one of these that waits first.
    pub fn first_of(&self, ids: impl IntoIterator<Item = u32>) -> Option<u32> {
        ids.into_iter().filter_map(|id| Some((self.key(id)?, id))).min().map(|(_, id)| id)
    }

    /// The members, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.order.values().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};

    #[test]
    fn agrees_with_a_vector() {
        let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(3);
        let mut list = Waitlist::new();
        let mut model: Vec<u32> = Vec::new();
        for id in 0..2000 {
            match rng.random_range(0..6) {
                0 => {
                    list.push_back(id);
                    model.push(id);
                }
                1 => {
                    list.push_front(id);
                    model.insert(0, id);
                }
                2 | 3 if !model.is_empty() => {
                    let at = rng.random_range(0..model.len());
                    list.insert_before(model[at], id);
                    model.insert(at, id);
                }
                4 if !model.is_empty() => {
                    list.remove(model.remove(rng.random_range(0..model.len())));
                }
                _ => assert_eq!(list.pop_front(), if model.is_empty() { None } else { Some(model.remove(0)) }),
            }
            assert!(list.iter().eq(model.iter().copied()));
        }
    }

    #[test]
    fn makes_room_when_there_is_none() {
        let mut list = Waitlist::new();
        list.push_back(0);
        list.push_back(1);
        for id in 2..500 {
            list.insert_before(1, id);
        }
        let order: Vec<u32> = list.iter().collect();
        assert_eq!(order.len(), 500);
        assert_eq!((order[0], order[498], order[499]), (0, 499, 1));
    }
}
