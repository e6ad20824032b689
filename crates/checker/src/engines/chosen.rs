//! Which encoding of machine integers was asked for.

use clinch_analyses::clauses::Encoding;
use clinch_analyses::encoding::Overflow;
use clinch_engine::options::{EngineOption, Model, OptionTable, Value, any};

/// The only encoding to try, if one was chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Chosen(pub(super) Option<Encoding>);

/// The option of engines that work on formulas.
pub(crate) const OPTIONS: OptionTable<Chosen> = OptionTable {
    options: &[EngineOption {
        name: "encoding",
        about: "How machine integers are read. int: as unbounded ones; checked: the same, but unsigned ones wrap around, and signed operations are shown not to overflow (lazy leaves that to the re-check); wrap: with wrap-around; bv: as bits. By default one after the other, until a verdict holds in exact arithmetic.",
        value: Value::Word(&[
            ("int", |c: &mut Chosen| c.0 = Some(UNCHECKED)),
            ("checked", |c| c.0 = Some(CHECKED)),
            ("wrap", |c| c.0 = Some(Encoding::Integers(Overflow::Wraps))),
            ("bv", |c| c.0 = Some(Encoding::Bits)),
        ]),
        on: &[Model::Procedures],
    }],
    check: any,
};

impl Chosen {
    /// Whether one was chosen.
    pub(crate) fn is_some(self) -> bool {
        self.0.is_some()
    }
}

/// As unbounded integers.
pub(super) const UNCHECKED: Encoding = Encoding::Integers(Overflow::Ignored);

/// As unbounded integers, where that was shown to be right.
pub(super) const CHECKED: Encoding = Encoding::Integers(Overflow::Excluded);
