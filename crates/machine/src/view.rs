//! A state as values of symbols: variables of active calls, and memory.

use std::cell::RefCell;

use clinch_terms::evaluate::Environment;
use clinch_terms::{Sort, Symbol, Value};

use crate::guided::value_bits;
use crate::{Machine, MachineState};

/// A state in which terms have values. What was never written is 0.
pub struct View<'m> {
    machine: &'m Machine<'m>,
    state: RefCell<MachineState>,
}

impl<'m> View<'m> {
    /// A view of a state.
    pub fn new(machine: &'m Machine<'m>, state: MachineState) -> Self {
        View { machine, state: RefCell::new(state) }
    }

    /// The least address that was never allocated.
    pub fn next_address(&self) -> u64 {
        self.machine.next_address(&self.state.borrow())
    }

    /// The sort of a symbol of the program.
    fn sort(&self, symbol: Symbol) -> Option<&Sort> {
        let terms = &self.machine.program().terms;
        (symbol.index() < terms.symbol_count()).then(|| terms.symbol_sort(symbol))
    }
}

impl Environment for View<'_> {
    fn value(&self, symbol: Symbol) -> Option<Value> {
        as_value(self.sort(symbol)?, self.machine.value(&self.state.borrow(), symbol)?)
    }

    fn element(&self, array: Symbol, index: &Value) -> Option<Value> {
        let Sort::Array(of) = self.sort(array)? else { return None };
        let region = self.machine.program().region(array)?;
        let address = value_bits(index)?;
        if region.ghost {
            return as_value(&of.1, self.machine.ghost(&self.state.borrow(), array, address)?);
        }
        let cell = self.machine.cell(&mut self.state.borrow_mut(), address, region.cell_bytes as u8);
        as_value(&of.1, cell.unwrap_or(0))
    }
}

/// The value that bits stand for in a sort.
pub fn as_value(sort: &Sort, bits: u64) -> Option<Value> {
    match sort {
        Sort::Bool => Some(Value::Bool(bits & 1 != 0)),
        Sort::Int => Some(Value::int(bits as i64)),
        Sort::BitVec(width) => {
            let mask = if *width < 64 { (1 << width) - 1 } else { u64::MAX };
            Some(Value::BitVec { width: *width, bits: (bits & mask).into() })
        }
        Sort::Real | Sort::Array(_) => None,
    }
}
