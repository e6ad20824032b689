//! Ghost regions: tables that say something about addresses, beside memory.

use std::collections::BTreeMap;

/// The entries of ghost regions that are not zero, by region and address.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Ghosts(BTreeMap<(u32, u64), u64>);

impl Ghosts {
    pub(super) fn get(&self, region: u32, address: u64) -> u64 {
        self.0.get(&(region, address)).copied().unwrap_or(0)
    }

    pub(super) fn set(&mut self, region: u32, address: u64, value: u64) {
        if value == 0 {
            self.0.remove(&(region, address));
        } else {
            self.0.insert((region, address), value);
        }
    }

    /// All entries, in order: region, address, value.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = [u64; 3]> + '_ {
        self.0.iter().map(|(&(region, address), &value)| [region.into(), address, value])
    }

    /// Nobody asks any more about the addresses of an object that is no more: every access is checked first.
    pub(super) fn forget(&mut self, address: u64, size: u64) {
        if !self.0.is_empty() {
            self.0.retain(|&(_, at), _| at.wrapping_sub(address) >= size);
        }
    }
}
