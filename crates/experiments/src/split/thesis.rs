//! What the thesis measured ([Split, tables 2.1 and 5.1 to 5.5]).

use super::COLUMNS;
use super::score::Category;

/// A table of the thesis.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThesisTable {
    pub(super) number: &'static str,
    pub(super) title: &'static str,
    /// What is compared; `None` for the fraction of errors found.
    pub(super) category: Option<Category>,
    /// Model by model, in the order of [`super::IMPLEMENTATIONS`].
    pub(super) rows: [(&'static str, [f64; COLUMNS]); 7],
}

impl ThesisTable {
    /// The row of a model; `sum-to-n-big` is `SumToNBig`.
    pub(super) fn row(&self, model: &str) -> Option<[f64; COLUMNS]> {
        let plain = |name: &str| name.replace(['-', '_'], "").to_lowercase();
        self.rows.iter().find(|(name, _)| plain(name) == plain(model)).map(|(_, values)| *values)
    }
}

/// Tables 5.1 to 5.5.
pub(super) const THESIS: [ThesisTable; 5] = [
    ThesisTable {
        number: "5.1",
        title: "Normalized time results",
        category: Some(Category::Time),
        rows: [
            ("Branches", [0.00, 0.22, 0.00, 0.00, 1.00, 0.00, 0.33]),
            ("SumToNBig", [0.00, 0.00, 0.00, 1.00, 0.80, 0.00, 0.00]),
            ("CustWorkers", [0.00, 0.00, 0.00, 1.00, 0.36, 0.00, 0.00]),
            ("MultiplyToN", [0.00, 0.11, 0.00, 1.00, 0.44, 0.00, 0.00]),
            ("Hyman", [0.00, 0.19, 0.00, 1.00, 0.00, 0.00, 0.00]),
            ("DiningPhil", [0.00, 1.00, 0.00, 0.25, 0.00, 0.00, 0.00]),
            ("Barbershop", [0.00, 0.00, 0.00, 1.00, 0.15, 0.00, 0.00]),
        ],
    },
    ThesisTable {
        number: "5.2",
        title: "Per model percentage of errors found over total errors",
        category: None,
        rows: [
            ("Branches", [0.02, 0.30, 0.05, 0.32, 0.35, 0.02, 0.15]),
            ("SumToNBig", [0.20, 0.00, 0.20, 0.45, 0.30, 0.20, 0.20]),
            ("CustWorkers", [0.15, 0.32, 0.00, 0.48, 0.22, 0.15, 0.15]),
            ("MultiplyToN", [0.18, 0.05, 0.20, 0.70, 0.35, 0.18, 0.15]),
            ("Hyman", [0.00, 0.32, 0.00, 0.48, 0.02, 0.00, 0.15]),
            ("DiningPhil", [0.20, 1.00, 0.02, 1.00, 0.72, 0.20, 0.72]),
            ("Barbershop", [0.10, 0.00, 0.20, 0.58, 0.40, 0.10, 0.38]),
        ],
    },
    ThesisTable {
        number: "5.3",
        title: "Normalized states results",
        category: Some(Category::States),
        rows: [
            ("Branches", [0.00, 1.00, 0.09, 0.09, 0.36, 0.00, 0.00]),
            ("SumToNBig", [0.47, 0.00, 0.47, 1.00, 0.71, 0.47, 0.47]),
            ("CustWorkers", [0.00, 0.14, 0.00, 1.00, 0.36, 0.21, 0.21]),
            ("MultiplyToN", [0.37, 0.00, 0.42, 1.00, 0.68, 0.37, 0.32]),
            ("Hyman", [0.00, 0.08, 0.00, 1.00, 0.08, 0.00, 0.25]),
            ("DiningPhil", [0.30, 0.74, 0.04, 1.00, 0.78, 0.30, 0.78]),
            ("Barbershop", [0.17, 0.00, 0.42, 1.00, 0.71, 0.17, 0.67]),
        ],
    },
    ThesisTable {
        number: "5.4",
        title: "Normalized error depth results",
        category: Some(Category::Depth),
        rows: [
            ("Branches", [0.07, 0.29, 0.14, 0.64, 1.00, 0.07, 0.43]),
            ("SumToNBig", [0.44, 0.00, 0.44, 1.00, 0.67, 0.44, 0.44]),
            ("CustWorkers", [0.32, 0.00, 0.00, 1.00, 0.47, 0.32, 0.32]),
            ("MultiplyToN", [0.25, 0.00, 0.29, 1.00, 0.50, 0.25, 0.21]),
            ("Hyman", [0.00, 0.00, 0.00, 1.00, 0.06, 0.00, 0.22]),
            ("DiningPhil", [0.20, 0.00, 0.02, 1.00, 0.72, 0.20, 0.72]),
            ("Barbershop", [0.17, 0.00, 0.35, 1.00, 0.70, 0.17, 0.65]),
        ],
    },
    ThesisTable {
        number: "5.5",
        title: "Normalized predicate results",
        category: Some(Category::Predicates),
        rows: [
            ("Branches", [0.08, 0.00, 0.08, 0.08, 1.00, 0.08, 0.31]),
            ("SumToNBig", [0.57, 0.00, 0.57, 1.00, 0.86, 0.57, 0.57]),
            ("CustWorkers", [0.38, 0.00, 0.00, 1.00, 0.56, 0.38, 0.38]),
            ("MultiplyToN", [0.37, 0.00, 0.42, 1.00, 0.74, 0.37, 0.32]),
            ("Hyman", [0.00, 0.00, 0.00, 1.00, 0.06, 0.00, 0.24]),
            ("DiningPhil", [0.20, 0.00, 0.02, 1.00, 0.72, 0.20, 0.72]),
            ("Barbershop", [0.00, 0.00, 0.00, 1.00, 0.00, 0.00, 0.65]),
        ],
    },
];

/// Table 2.1: error-free search with AMCS. A model, our file of it, and how the search ended: after all states there are, with
/// fewer abstract states than concrete ones, or not at all (`NT`).
pub(super) const AMCS_ERROR_FREE: [(&str, &str, &str); 10] = [
    ("Barbershop", "barbershop", "4621 states (no gain)"),
    ("Branches", "branches", "NT"),
    ("CustWorkers", "cust-workers", "5014 states (no gain)"),
    ("DiningPhil", "dining-phil", "2847 states (no gain)"),
    ("Fibonacci", "fibonacci", "NT"),
    ("Factorial", "factorial", "NT"),
    ("Handshake", "handshake", "79/298 bisimulation"),
    ("Hyman", "hyman", "NT"),
    ("Stack", "stack", "NT"),
    ("SumToN", "sum-to-n", "NT"),
];
