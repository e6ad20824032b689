//! What went wrong, in words.

use super::arithmetic::ArithmeticFault;
use super::memory::{Block, BlockKind, Memory, MemoryFault};
use super::{Limit, Machine, Stop};

/// An access that is near no object.
const ASTRAY: &str = "access outside any object";
const NULL: &str = "null pointer dereference";

impl Stop {
    /// Whether the run ends with an access at an address that has nothing to do with any object: that of a null pointer, or of
    /// one that was never set.
    pub fn is_astray(&self) -> bool {
        matches!(self, Stop::Undefined(what) if what.starts_with(ASTRAY) || what == NULL)
    }
}

/// Why an instruction has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    Arithmetic(ArithmeticFault),
    /// An access at an address, of so many bytes.
    Memory(MemoryFault, u64, u8),
    /// The order or distance of two addresses that do not belong to one object.
    DifferentObjects,
    /// What depends on a value that is not modelled.
    Poison(&'static str),
    Unsupported(&'static str),
}

impl From<ArithmeticFault> for Fault {
    #[cold]
    fn from(fault: ArithmeticFault) -> Self {
        Fault::Arithmetic(fault)
    }
}

/// Whether a variable is defined elsewhere, with a size that no declaration says.
fn is_of_unknown_size(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Static(_)) && block.size == 0
}

impl Machine<'_> {
    /// The end of the run by a fault, except where an input is needed.
    pub(super) fn stop_of(&self, memory: &Memory, fault: Fault) -> Stop {
        match fault {
            Fault::Arithmetic(ArithmeticFault::DivisionByZero) => Stop::Undefined("division by zero".to_owned()),
            Fault::Arithmetic(ArithmeticFault::DivisionOverflow) => {
                Stop::Undefined("the quotient of the least number and -1 overflows".to_owned())
            }
            Fault::Arithmetic(ArithmeticFault::ShiftCount) => Stop::Undefined("shift count out of range".to_owned()),
            Fault::Arithmetic(ArithmeticFault::TooLarge) => Stop::Limit(Limit::Integer),
            Fault::Memory(MemoryFault::Limit, ..) => Stop::Limit(Limit::Memory),
            Fault::Memory(MemoryFault::Beyond(index) | MemoryFault::Outside(Some(index)), ..)
                if is_of_unknown_size(&memory.blocks[index as usize]) =>
            {
                let name = self.block_name(&memory.blocks[index as usize]);
                Stop::Unsupported(format!("an access to {name}, whose size is not known"))
            }
            Fault::Memory(fault, address, bytes) => Stop::Undefined(self.memory_text(memory, fault, address, bytes)),
            Fault::DifferentObjects => {
                Stop::Undefined("the order or distance of pointers to different objects".to_owned())
            }
            Fault::Poison(what) => Stop::Unsupported(format!("{what} depends on a value that is not modelled")),
            Fault::Unsupported(what) => Stop::Unsupported(what.to_owned()),
        }
    }

    fn memory_text(&self, memory: &Memory, fault: MemoryFault, address: u64, bytes: u8) -> String {
        let block = |index: u32| &memory.blocks[index as usize];
        match fault {
            MemoryFault::Null => NULL.to_owned(),
            MemoryFault::Outside(Some(index)) if address - block(index).address < block(index).size + 64 => {
                self.beyond(block(index), address, bytes)
            }
            MemoryFault::Outside(_) => format!("{ASTRAY}, at address {address:#x}"),
            MemoryFault::Dangling(index) => match block(index).kind {
                BlockKind::Heap => "use of memory that was freed".to_owned(),
                _ => format!("use of {} after the end of its life", self.block_name(block(index))),
            },
            MemoryFault::Beyond(index) => self.beyond(block(index), address, bytes),
            MemoryFault::Literal(_) => "write to a string literal".to_owned(),
            MemoryFault::NotHeap => format!("address {address:#x} is not the start of an allocated block"),
            MemoryFault::FreedTwice => "memory is freed twice".to_owned(),
            MemoryFault::Unknown(_) | MemoryFault::Limit => "access to memory".to_owned(),
        }
    }

    fn beyond(&self, block: &Block, address: u64, bytes: u8) -> String {
        let (offset, size) = (address - block.address, block.size);
        let name = self.block_name(block);
        let plural = |n: u64| if n == 1 { "" } else { "s" };
        let (s, t) = (plural(bytes.into()), plural(size));
        format!("access of {bytes} byte{s} at offset {offset} of {name}, which has {size} byte{t}")
    }

    pub(super) fn block_name(&self, block: &Block) -> String {
        match block.kind {
            BlockKind::Static(object) | BlockKind::Local(object) => {
                format!("`{}`", self.program.objects[object as usize].name)
            }
            BlockKind::Literal(_) => "a string literal".to_owned(),
            BlockKind::Stack => "a block on the stack".to_owned(),
            BlockKind::Heap => "an allocated block".to_owned(),
            BlockKind::Outside => "an object from outside".to_owned(),
        }
    }
}
