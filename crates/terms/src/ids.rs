//! Names of things that terms speak of.

/// Declares a number that is the position of something in a vector.
#[macro_export]
macro_rules! index_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, serde::Serialize, serde::Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// As a position in the vector it indexes.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// From a position in the vector it indexes.
            pub fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 entities"))
            }
        }
    };
}

index_type! {
    /// A variable of a program.
    VarId
}
index_type! {
    /// A process of a program.
    ProcId
}
index_type! {
    /// A location of one process.
    LocId
}
