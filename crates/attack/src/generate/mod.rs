//! Random C programs without undefined or unspecified behaviour, signed overflow apart (they are compiled with
//! `-fwrapv`).
//!
//! How it is kept away: every variable is initialised where it is declared; indices are masked, shift counts and divisors
//! guarded; a pointer always points to at least as many elements as its type here says, in an object that outlives it;
//! members of a union have the same size. An expression is *pure* (no side effect), or its side effects are sequenced by
//! `&&`, `||`, `?:`, `,` or a call. A *private* expression reads only variables that no call can change, so it may stand
//! beside a call. Loops are bounded, and the cost of a call counts against a budget.

mod address;
mod declarations;
mod effects;
mod expressions;
mod floats;
mod functions;
mod idioms;
mod oddities;
mod output;
mod places;
mod statements;
mod strings;
mod types;

use crate::program::{Node, Program};
use crate::rng::Rng;
pub use floats::float_program;
pub(crate) use types::INTS;
use types::{Int, Record, Ty};

/// A variable that can be named.
#[derive(Clone)]
struct Var {
    name: String,
    ty: Ty,
    /// How long it lives: 0 is the whole run, otherwise the depth of its block.
    depth: usize,
    /// A global, or a local whose address may be taken: a call or a pointer may change it.
    shared: bool,
    /// Not to be written: a loop counter, a `const`.
    constant: bool,
}

/// A function that can be called.
#[derive(Clone)]
struct Function {
    name: String,
    params: Vec<Ty>,
    result: Option<Ty>,
    /// Changes nothing but its own locals.
    pure: bool,
    /// About how many statements a call executes.
    cost: u64,
}

/// What the function being written may do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Only its own locals change.
    Pure,
    Free,
}

struct Generator {
    rng: Rng,
    /// 0 to 2: how much of everything.
    size: usize,
    records: Vec<Record>,
    /// Integer types by name: those of C, enumerations, typedefs.
    ints: Vec<Int>,
    enumerators: Vec<String>,
    vars: Vec<Var>,
    functions: Vec<Function>,
    /// Functions of the table signature.
    callbacks: Vec<String>,
    nodes: Vec<Node>,
    mode: Mode,
    /// The result of the function being written.
    result: Option<Ty>,
    depth: usize,
    /// How often the current statement may be executed in one call.
    times: u64,
    cost: u64,
    /// Whether `break` and `continue` mean the innermost loop.
    in_loop: bool,
    fresh: usize,
    /// Strings: `char` buffers that end with a zero at all times, with their size.
    buffers: Vec<(String, usize)>,
}

/// What a call may cost at most, repetitions included.
const BUDGET: u64 = 4_000;

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut g = Generator {
        rng: Rng::new(seed),
        size: 0,
        records: Vec::new(),
        ints: Vec::new(),
        enumerators: Vec::new(),
        vars: Vec::new(),
        functions: Vec::new(),
        callbacks: Vec::new(),
        nodes: Vec::new(),
        mode: Mode::Free,
        result: None,
        depth: 0,
        times: 1,
        cost: 0,
        in_loop: false,
        fresh: 0,
        buffers: Vec::new(),
    };
    g.size = g.rng.below(3);
    g.environment();
    g.types();
    g.globals();
    g.pure_functions();
    g.tables();
    g.idioms();
    g.free_functions();
    g.main();
    Program::new(g.nodes)
}

impl Generator {
    fn fresh(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    fn leaf(&mut self, text: impl Into<String>) {
        self.nodes.push(Node::leaf(text));
    }

    /// Whether something that costs so much may stand here.
    fn affordable(&self, cost: u64) -> bool {
        self.cost + self.times * cost <= BUDGET
    }

    fn spend(&mut self, cost: u64) {
        self.cost += self.times * cost;
    }
}
