//! States as bytes: of each word those that its fields reach; and small numbers in few bytes.

use clinch_ir::Layout;
use clinch_ir::layout::Field;

/// How the states of a program are written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Format {
    /// Bytes of each word.
    lengths: Vec<usize>,
}

/// A reader takes eight bytes at a time, the last ones too.
const SLACK: usize = 8;

impl Format {
    pub(crate) fn new(layout: &Layout) -> Self {
        let mut lengths = vec![0; layout.words];
        for Field { word, shift, mask, .. } in layout.locs.iter().chain(&layout.cells) {
            let bits = if *mask == 0 { 0 } else { shift + u64::BITS - mask.leading_zeros() };
            let length = &mut lengths[*word as usize];
            *length = (bits as usize).div_ceil(8).max(*length);
        }
        // A state takes at least a byte, so that states can be counted.
        if lengths.iter().all(|&length| length == 0) {
            lengths[0] = 1;
        }
        Format { lengths }
    }

    /// Words of a state.
    pub(crate) fn words(&self) -> usize {
        self.lengths.len()
    }

    /// Appends a state.
    #[inline]
    pub(crate) fn write(&self, words: &[u64], bytes: &mut Vec<u8>) {
        for (word, &length) in words.iter().zip(&self.lengths) {
            let end = bytes.len() + length;
            bytes.extend_from_slice(&word.to_le_bytes());
            bytes.truncate(end);
        }
    }
}

/// Appends a number, seven bits to a byte.
#[inline]
pub(crate) fn write_number(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Ends what was written, so that it can be read.
pub(crate) fn seal(bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&[0; SLACK]);
}

/// Reads what [`Format::write`] and [`write_number`] wrote and [`seal`] ended.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes, at: 0 }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at + SLACK >= self.bytes.len()
    }

    #[inline]
    pub(crate) fn number(&mut self) -> u64 {
        let mut number = 0;
        let mut shift = 0;
        loop {
            let byte = self.bytes[self.at];
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return number;
            }
            shift += 7;
        }
    }

    /// Appends the words of a state.
    #[inline]
    pub(crate) fn state(&mut self, format: &Format, words: &mut Vec<u64>) {
        for &length in &format.lengths {
            let next: [u8; 8] = self.bytes[self.at..self.at + 8].try_into().expect("eight bytes");
            let mask = if length == 8 { u64::MAX } else { (1 << (8 * length)) - 1 };
            words.push(u64::from_le_bytes(next) & mask);
            self.at += length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_and_numbers_come_back() {
        let format = Format { lengths: vec![8, 3, 0, 1] };
        let states = [[u64::MAX, 0xab_cdef, 0, 0x7f], [1, 0, 0, 255], [0; 4]];
        let numbers = [0, 127, 128, 1 << 40, u64::MAX];
        let mut bytes = Vec::new();
        for state in &states {
            format.write(state, &mut bytes);
            numbers.iter().for_each(|&number| write_number(number, &mut bytes));
        }
        seal(&mut bytes);
        let mut reader = Reader::new(&bytes);
        for state in states {
            let mut words = Vec::new();
            reader.state(&format, &mut words);
            assert_eq!(words, state);
            numbers.iter().for_each(|&number| assert_eq!(reader.number(), number));
        }
        assert!(reader.is_at_end());
    }
}
