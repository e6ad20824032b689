//! Cells that overlap hold what bytes would; lists of any length are dropped.

use clinch_ir::cfa::{AllocKind, CfaProgram, SourceMap};
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::{Terms, Value};
use proptest::prelude::*;

use super::memory::{Memory, Read};
use super::state::List;

const SIZE: u64 = 24;

/// A write or read of so many bytes at an offset.
#[derive(Clone, Copy, Debug)]
enum Access {
    Write(u64, u8, u64),
    Read(u64, u8),
}

fn access() -> impl Strategy<Value = Access> {
    let width = prop_oneof![Just(1u8), Just(2), Just(4), Just(8)];
    (0..SIZE, width, any::<u64>(), any::<bool>()).prop_filter_map("inside", |(offset, width, value, writes)| {
        let inside = offset + u64::from(width) <= SIZE;
        inside.then_some(if writes { Access::Write(offset, width, value) } else { Access::Read(offset, width) })
    })
}

fn cut(value: u64, bytes: u8) -> u64 {
    if bytes == 8 { value } else { value & ((1 << (8 * bytes)) - 1) }
}

proptest! {
    #[test]
    fn cells_hold_what_bytes_would(accesses in prop::collection::vec(access(), 1..40), zeroed in any::<bool>()) {
        let program = CfaProgram::new(Terms::new(), SourceMap::default());
        let mut terms = Terms::new();
        let mut memory = Memory::new(&program);
        let start = memory.alloc(SIZE, AllocKind::Heap, zeroed).expect("there is room");
        let mut bytes: Vec<Option<u8>> = vec![zeroed.then_some(0); SIZE as usize];
        for access in accesses {
            match access {
                Access::Write(offset, width, value) => {
                    let at = memory.find(&program, start + offset, width).expect("it is inside");
                    let term = terms.bit_vec(8 * u32::from(width), cut(value, width));
                    prop_assert!(memory.write(&mut terms, &program, at, (term, width)));
                    for i in 0..u64::from(width) {
                        bytes[(offset + i) as usize] = Some((value >> (8 * i)) as u8);
                    }
                }
                Access::Read(offset, width) => {
                    let at = memory.find(&program, start + offset, width).expect("it is inside");
                    let known = &bytes[offset as usize..][..width.into()];
                    match memory.read(&mut terms, &program, at, width) {
                        Read::Known(term) => {
                            let all = known.iter().rev().fold(0, |all, byte| all << 8 | u64::from(byte.unwrap_or(0)));
                            prop_assert!(known.iter().all(Option::is_some));
                            let value = Value::BitVec { width: 8 * u32::from(width), bits: all.into() };
                            prop_assert_eq!(evaluate(&terms, &Assignment::default(), term), Some(value));
                        }
                        Read::Open(parts) => {
                            let open: Vec<bool> = parts.iter().map(Option::is_none).collect();
                            let unknown: Vec<bool> = known.iter().map(Option::is_none).collect();
                            prop_assert_eq!(open, unknown);
                        }
                    }
                }
            }
        }
        prop_assert!(memory.find(&program, start + SIZE - 1, 2).is_none());
        memory.kill(start);
        prop_assert!(memory.find(&program, start, 1).is_none());
    }
}

#[test]
fn long_lists_are_dropped() {
    let mut list = List::default();
    (0..1_000_000).for_each(|number| list.push(number));
    let copy = list.clone();
    drop(list);
    assert_eq!(copy.iter().next(), Some(&999_999));
}
