//! How a task is checked.

use std::time::Duration;

use clinch_engine::options::{OptionForm, Settings};
use clinch_engine::{alpha, cegar, explicit, lazy, spds, split};

use crate::engines::chosen;

/// A technique.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
pub enum EngineName {
    /// Several of them at a time.
    #[default]
    Auto,
    /// Every reachable state, one by one.
    Explicit,
    /// Concrete search with abstract matching \[Alpha\].
    Alpha,
    /// Abstract matching with intervals \[Split\].
    Split,
    /// Predicate abstraction of Horn clauses \[Subsumer\].
    Cegar,
    /// Lazy abstraction \[Lazy\].
    Lazy,
    /// Bounded model checking.
    Bounded,
    /// k-induction with auxiliary invariants.
    KInduction,
    /// Property-directed reachability, on bits.
    Ic3,
    /// Z3's fixed-point engine.
    Spacer,
    /// Symbolic pushdown systems \[Spds\].
    Spds,
    /// Value analysis with summaries, of a program without its memory.
    Outline,
    /// Symbolic execution of one run at a time, towards the error.
    Symex,
}

use EngineName::{Alpha, Auto, Bounded, Cegar, Explicit, Ic3, KInduction, Lazy, Outline, Spacer, Spds, Split, Symex};

impl EngineName {
    /// All of them.
    pub const ALL: &'static [EngineName] =
        &[Auto, Explicit, Alpha, Split, Cegar, Lazy, Bounded, KInduction, Ic3, Spacer, Spds, Outline, Symex];

    /// As it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Auto => "auto",
            Explicit => "explicit",
            Alpha => "alpha",
            Split => "split",
            Cegar => "cegar",
            Lazy => "lazy",
            Bounded => "bounded",
            KInduction => "kinduction",
            Ic3 => "ic3",
            Spacer => "spacer",
            Spds => "spds",
            Outline => "outline",
            Symex => "symex",
        }
    }

    /// What it does, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Auto => {
                "several of them at a time, each in a process of its own; the first verdict that holds is the answer"
            }
            Explicit => "every reachable state, one by one; the oracle for the others",
            Alpha => "concrete search with abstract matching, refined until exact [Alpha]",
            Split => "abstract matching with intervals split until abstract and concrete states agree [Split]",
            Cegar => {
                "predicate abstraction of Horn clauses, refined by interpolants from spurious counterexamples [Subsumer]"
            }
            Lazy => {
                "lazy abstraction: one tree, refined where it must be; predicates differ from place to place [Lazy]"
            }
            Bounded => {
                "bounded model checking of C programs: loops and recursion unrolled, with bounds that grow [Bmc]"
            }
            KInduction => {
                "k-induction in exact bits, with invariants that are preserved among candidates from templates [Kind]"
            }
            Ic3 => "property-directed reachability on bits: errors are excluded frame by frame, by a SAT solver [Ic3]",
            Spacer => "Z3's fixed-point engine on the program's Horn clauses: a reference to compare with",
            Spds => {
                "symbolic pushdown systems: procedures and recursion exactly, over bits; refined by interpolants [Spds]"
            }
            Outline => "values of a few variables, with summaries, in large C programs whose memory is left open [Rhs]",
            Symex => "symbolic execution of one run at a time, those that are nearest to an error first [Dart, Dse]",
        }
    }

    /// Its own options, declared beside the engine.
    pub fn options(self) -> Vec<OptionForm> {
        match self {
            Auto | Bounded | Ic3 | KInduction | Outline | Symex => Vec::new(),
            Explicit => explicit::OPTIONS.forms(),
            Alpha => alpha::OPTIONS.forms(),
            Split => split::OPTIONS.forms(),
            Cegar => both(cegar::OPTIONS.forms(), chosen::OPTIONS.forms()),
            Lazy => both(lazy::OPTIONS.forms(), chosen::OPTIONS.forms()),
            Spacer => chosen::OPTIONS.forms(),
            Spds => spds::OPTIONS.forms(),
        }
    }
}

fn both(mut forms: Vec<OptionForm>, more: Vec<OptionForm>) -> Vec<OptionForm> {
    forms.extend(more);
    forms
}

/// What a check may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Time.
    pub timeout: Option<Duration>,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Refinement iterations.
    pub iterations: Option<u64>,
}

/// How a task is checked.
#[derive(Clone, Debug)]
pub struct Options {
    /// The technique.
    pub engine: EngineName,
    /// Options of that engine, by their names: see [`EngineName::options`].
    pub settings: Settings,
    /// Seed of everything random.
    pub seed: u64,
    /// What the check may use.
    pub limits: Limits,
    /// How many engines run at a time (auto), or threads of the breadth-first search (explicit); all that there are cores for if not said.
    pub threads: Option<usize>,
    /// Whether the verdict is re-checked. It is not to be trusted otherwise.
    pub certify: bool,
    /// Whether engines that look for the answer together tell each other what they find out (programs with procedures). The answer
    /// does not depend on it, the time until it does.
    pub share: bool,
    /// A file of predicates to start from (cegar): its name and its text.
    pub predicates: Option<(String, String)>,
    /// What is wanted beside the verdict.
    pub wanted: Wanted,
}

/// What is wanted beside the verdict. Each takes time or memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wanted {
    /// The tree of lazy abstraction, for Graphviz.
    pub tree: bool,
    /// What a page shows beside the verdict: what the engine searched, its first nodes.
    pub page: bool,
    /// The predicates of cegar at the end.
    pub predicates: bool,
    /// A C file that drives the program to the error found.
    pub harness: bool,
    /// A witness of the software verification competition; it is made from the report.
    pub witness: bool,
    /// The answer as a solver for Horn clauses writes it.
    pub smtlib: bool,
}

/// Nodes of a tree that Graphviz draws, and that a page shows, at most.
const NODES_FOR_GRAPHVIZ: usize = 5_000;
const NODES_ON_PAGE: usize = 300;

impl Wanted {
    /// How many nodes of the tree of lazy abstraction are drawn.
    pub(crate) fn nodes_drawn(self) -> usize {
        if self.tree { NODES_FOR_GRAPHVIZ } else { self.nodes_on_page() }
    }

    /// How many nodes are drawn of what another engine searched: only for a page.
    pub(crate) fn nodes_on_page(self) -> usize {
        if self.page { NODES_ON_PAGE } else { 0 }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            engine: Auto,
            settings: Settings::default(),
            seed: 1,
            limits: Limits::default(),
            threads: None,
            certify: true,
            share: true,
            predicates: None,
            wanted: Wanted::default(),
        }
    }
}
