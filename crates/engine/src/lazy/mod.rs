//! Lazy abstraction (\[Lazy\]): T. A. Henzinger, R. Jhala, R. Majumdar, G. Sutre, *Lazy Abstraction*, POPL 2002; algorithm 2
//! (`LazyAbstraction`), instantiated for C as in section 5.
//!
//! One tree of abstract states is built and refined on demand. Where a path to an error turns out to be spurious, the
//! predicates that rule it out are used from the *pivot* on, the last node from whose region the rest of the path is impossible;
//! everything else stays as it is. So different parts of the tree have different precision, just enough each.
//!
//! | paper                                 | here                                                        |
//! |---------------------------------------|-------------------------------------------------------------|
//! | label `l`                             | `label::Label`, numbered by `LabelId`                       |
//! | `(pc, cs)`                            | [`PointId`] of an [`Unfolding`](clinch_ir::cfa::unfold::Unfolding) |
//! | data region `(phi, Gamma)`            | `Node::region` (a BDD over predicates) and `Node::support`  |
//! | node, time stamp                      | `tree::Node`, the time in `tree::Mark`                      |
//! | post, `wp`                            | `post::Post::post`, `Post::wp`                              |
//! | bad region `pre(E, sigma)`            | the formulas of the steps of a `path::Path`                 |
//! | pivot `n''`                           | `refine::Analysis::pivot`                                   |
//! | focus operator                        | `refine::Analysis::focus`                                   |
//! | `keep_subtree`                        | [`Subtree`]                                                 |
//! | theorem prover, its cache             | `prover::Prover`                                            |
//!
//! **Invariant of the loop.** The region of a son contains every state in which a run along the label of its arc from the region
//! of its parent can end. An uncovered marked node has a son for every label by which a run can go on. A covered node was,
//! when it was marked, inside the union of the regions of nodes that are uncovered and marked still.
//!
//! **Soundness.** When no node is unmarked and none is an error, the uncovered regions contain the initial states and are closed
//! under all labels (theorem 2). That is not taken on trust: their unions, at loop heads and where blocks were cut, are re-checked in
//! bits, and a counterexample is executed. Where the solver gives up, a label counts as possible and a predicate as unknown.
//!
//! **Deviations.**
//! - D1. Whether a label can be taken at all is asked of the prover, beside the predicates: \[Lazy\] sees it when a predicate and its
//!   negation are both implied.
//! - D2. The whole path is checked first; only spurious ones are analysed node by node.
//! - D3. Cores with primes dropped need not rule out a path (`x = 0; x++; x++; if (x != 2) error`). Where they bring nothing new, checked
//!   sequence interpolants of the same formulas are taken.
//! - D4. Refinement that changes nothing is `Unknown(NoProgress)`; the paper's focus operator is assumed to be perfect.
//! - D5. The default is not the paper's: large blocks, predicates bound to control points, interpolants, Boolean abstraction where a
//!   counterexample comes back ([`Config`]). With predicates bound to points the pivot is the parent of the first node on the path
//!   that lacks one of its predicates.
//! - D6. Where all predicates are there and Cartesian successors still do not rule a path out, those at its points are Boolean from
//!   then on (the paper's "recursive subdivision" as a last resort).
//! - D7. Values of control variables are part of the control point too, where a counterexample shows that they matter
//!   (`tracking`): as predicates they are many, and their interpolants unroll loops (`state <= 4400`). The tree then starts anew.
//! - D8. The procedure stack is part of the control point; recursion is `Unknown`, with the procedure's name.
//! - D9. An input that only chooses a way is projected out of a condition before the prover is asked (`projection`), and one question
//!   settles many predicates where it can (`post::Post::settle_together`).
//! - D10. A block that many values of tracked variables meet ends there, though it is no loop head (`tracking::Tracking::is_cut`): the
//!   formulas behind it would be as many as the ways into it.

#![allow(
    clippy::mutable_key_type,
    reason = "the hash of a decision diagram is that of its node, which does not change"
)]

mod by_values;
mod clauses;
mod config;
mod dataflow;
mod drawing;
mod evidence;
mod label;
mod options;
mod path;
mod post;
mod predicates;
mod projection;
mod prover;
mod refine;
mod sharing;
mod sources;
#[cfg(test)]
mod tests;
mod tracking;
mod tree;
mod waiting;

use std::collections::BTreeMap;
use std::time::Instant;

use clinch_analyses::clauses::Encoding;
use clinch_ir::Reason;
use clinch_ir::cfa::unfold::{Destination, PointId};
use clinch_ir::cfa::{CfaProgram, CfaVerdict};
use clinch_machine::guided::open_reason;
use clinch_terms::{Symbol, Terms};
use rustc_hash::FxHashSet;
use serde::Serialize;

pub use self::options::OPTIONS;
use crate::CfaOutcome;
use crate::budget::{Budget, Observer, Progress, Ticker};
use crate::drawing::Drawing;
use crate::search::BitSet;
use crate::share::Fact;
pub use clauses::check_clauses;
pub use config::{Abstraction, BlockSize, Config, DataFlow, Focus, Grain, Order, Part, Scope, Subtree, Values};
use label::{INITIAL, LabelId, Labels};
use path::Path;
use post::{Context, Mode, Post, no_room};
use predicates::{PredicateId, Predicates};
pub use prover::ProverCalls;
use refine::{Analysis, Outcome, Source};
use sharing::Sharing;
use tree::{Mark, Node, NodeId, ROOT, Tree};
use waiting::Waiting;

/// What a run did ([Lazy, table 1]).
#[derive(Clone, Debug, Default, Serialize)]
pub struct Stats {
    /// Spurious counterexamples.
    pub refinements: u64,
    /// Nodes of the tree at the end.
    pub nodes: u64,
    /// Nodes made in all.
    pub nodes_total: u64,
    /// Predicates.
    pub predicates: PredicateCounts,
    /// Calls of the theorem prover.
    pub prover_calls: ProverCalls,
    /// Control points where abstraction became Boolean.
    pub boolean_points: u64,
    /// Variables and regions tracked by value at the end, by name.
    pub tracked: Vec<String>,
    /// Seconds in the search for variables to track.
    pub values_seconds: f64,
    /// Seconds in the analysis of counterexamples.
    pub refinement_seconds: f64,
    /// Seconds in the computation of successors.
    pub post_seconds: f64,
    /// The last spurious path: the loop it went through most often, and how often.
    pub last_path: Option<PathShape>,
    /// Predicates that other engines found.
    pub predicates_of_others: u64,
    /// What was heard from other engines.
    #[serde(skip)]
    pub facts: Vec<Fact>,
    /// The variables tracked by value at the end.
    #[serde(skip)]
    pub tracked_variables: Vec<Symbol>,
    /// The tree, where it is drawn.
    #[serde(skip)]
    pub drawing: Option<Drawing>,
}

/// How many predicates there are.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct PredicateCounts {
    /// In all.
    pub total: u64,
    /// At one node, at most.
    pub max_active: u64,
}

/// What a spurious path looks like.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PathShape {
    /// Where the loop is.
    pub at: String,
    /// How often the path comes there.
    pub times: u64,
    /// Steps of the path.
    pub steps: u64,
}

impl std::fmt::Display for PathShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let times = match self.times {
            1 => "once".to_owned(),
            2 => "twice".to_owned(),
            n => format!("{n} times"),
        };
        write!(f, "the last spurious path comes {times} to the loop at {} ({} steps)", self.at, self.steps)
    }
}

/// Checks a program in one encoding. In an encoding by integers a proof may be wrong: the caller has it certified in bits before it
/// counts. A counterexample is one: it was executed.
pub fn check(
    program: &CfaProgram,
    encoding: Encoding,
    config: &Config,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> CfaOutcome<Stats> {
    let mut lazy = Lazy::new(program, encoding, config, budget);
    let verdict = lazy.run(observer).unwrap_or_else(CfaVerdict::Unknown);
    lazy.exchange(observer);
    lazy.close();
    (verdict, lazy.stats)
}

struct Lazy<'a> {
    program: &'a CfaProgram,
    encoding: Encoding,
    config: &'a Config,
    budget: &'a Budget,
    terms: Terms,
    labels: Labels<'a>,
    predicates: Predicates,
    data_flow: dataflow::DataFlow<'a>,
    post: Post,
    tree: Tree,
    waiting: Waiting,
    /// The predicates of each control point, where they are bound to points.
    precision: BTreeMap<PointId, BitSet>,
    /// Control points at which abstraction is Boolean.
    boolean: FxHashSet<PointId>,
    /// Why a run found has no verdict.
    open: Option<Reason>,
    /// The last spurious path.
    spurious: Vec<NodeId>,
    sharing: Sharing,
    stats: Stats,
}

impl<'a> Lazy<'a> {
    fn new(program: &'a CfaProgram, encoding: Encoding, config: &'a Config, budget: &'a Budget) -> Self {
        let mut terms = program.terms.clone();
        let labels = Labels::new(program, &mut terms, encoding, config);
        let post = Post::new(config.has_few_labels());
        let tree = Tree::new(post.bdds.tt(), labels.unfolding.start());
        Lazy {
            program,
            encoding,
            config,
            budget,
            terms,
            labels,
            predicates: Predicates::default(),
            data_flow: dataflow::DataFlow::new(program, config.data_flow == DataFlow::Intervals),
            post,
            tree,
            waiting: Waiting::new(program, config),
            precision: BTreeMap::new(),
            boolean: FxHashSet::default(),
            open: None,
            spurious: Vec::new(),
            sharing: Sharing::default(),
            stats: Stats::default(),
        }
    }

    /// Algorithm 2.
    fn run(&mut self, observer: &mut dyn Observer) -> Result<CfaVerdict, Reason> {
        self.wait(ROOT)?;
        self.start_sharing(observer)?;
        let mut ticker = Ticker::new();
        while let Some(n) = self.waiting.pop() {
            if self.tree.node(n).mark != Mark::Unmarked {
                continue;
            }
            ticker.tick(self.budget)?;
            match self.tree.node(n).place {
                Destination::Point(point) => {
                    if self.tree.is_covered(n).map_err(no_room)? {
                        self.tree.mark_covered(n);
                    } else {
                        self.expand(n, point)?;
                        self.tree.mark_uncovered(n).map_err(no_room)?;
                        self.restart_if_places_changed()?;
                    }
                }
                // No label leads to the end of a run.
                Destination::End => {}
                Destination::Error(..) | Destination::Open(..) => {
                    if let Some(verdict) = self.analyse(n, observer)? {
                        return Ok(verdict);
                    }
                }
            }
        }
        debug_assert!(self.tree.covers_what_it_left_out(), "a covered node is in no region");
        if let Some(reason) = self.open.take() {
            return Err(reason);
        }
        let proof = evidence::proof(&self.terms, &self.labels, &self.predicates, &self.tree, self.encoding);
        proof.map(CfaVerdict::Safe).ok_or_else(|| Reason::Uncertified("an invariant cannot be said in bits".to_owned()))
    }

    fn wait(&mut self, node: NodeId) -> Result<(), Reason> {
        let place = self.tree.node(node).place;
        if self.config.order == Order::SubsumerFirst {
            let smaller = self.tree.subsumed_by(node, self.waiting.iter()).map_err(no_room)?;
            self.waiting.push_before(node, place, &smaller);
        } else {
            self.waiting.push(node, place, &self.labels.unfolding);
        }
        Ok(())
    }

    /// Lines 22 to 25: the sons of a node.
    fn expand(&mut self, n: NodeId, point: PointId) -> Result<(), Reason> {
        let labels = match n {
            ROOT => vec![INITIAL],
            _ => self.labels.leaving(&mut self.terms, point, self.tree.node(n).values),
        };
        let mut sons = Vec::new();
        for label in labels {
            let son = self.son(n, label)?;
            if !son.region.is_false() {
                sons.push(self.tree.add_son(n, son));
            }
        }
        // Depth first takes the last one first: it leads around a branch or out of a loop, as in figure 3.
        for &son in &sons {
            self.wait(son)?;
        }
        self.stats.nodes_total += sons.len() as u64;
        Ok(())
    }

    fn son(&mut self, parent: NodeId, label: LabelId) -> Result<Node, Reason> {
        let (place, values) = (self.labels.get(label).step.target, self.labels.get(label).values);
        let (support, mode) = match place {
            Destination::Point(point) => {
                self.seed(point);
                (self.support(parent, point), self.mode(point))
            }
            _ => (BitSet::new(), Mode::Cartesian),
        };
        let mut region = self.post(parent, label, &support, mode)?;
        if let Destination::Point(point) = place {
            let facts = self.data_flow.facts(&mut self.terms, &mut self.labels, &mut self.predicates, point);
            region = match facts {
                Some(facts) => region.and(&self.post.bdds.cube(facts).map_err(no_room)?).map_err(no_room)?,
                None => self.post.bdds.ff(),
            };
        }
        self.stats.predicates.max_active = self.stats.predicates.max_active.max(support.len() as u64);
        let mark = Mark::Unmarked;
        Ok(Node { parent: Some(parent), label, place, values, region, support, mode, mark, sons: Vec::new() })
    }

    fn post(
        &mut self,
        parent: NodeId,
        label: LabelId,
        support: &BitSet,
        mode: Mode,
    ) -> Result<clinch_bdd::Bdd, Reason> {
        let region = self.tree.node(parent).region.clone();
        let mut context = Context {
            label,
            terms: &mut self.terms,
            labels: &self.labels,
            predicates: &self.predicates,
            ask_unaffected: self.config.blocks == BlockSize::Loops,
            budget: self.budget,
        };
        let start = Instant::now();
        let region = self.post.post(&mut context, &region, support, mode);
        self.stats.post_seconds += start.elapsed().as_secs_f64();
        region
    }

    /// The predicates of a new node.
    fn support(&self, parent: NodeId, point: PointId) -> BitSet {
        match self.config.scope {
            Scope::Subtree => self.tree.node(parent).support.clone(),
            Scope::Location => self.precision.get(&point).cloned().unwrap_or_default(),
        }
    }

    fn mode(&self, point: PointId) -> Mode {
        match self.config.abstraction {
            Abstraction::Cartesian => Mode::Cartesian,
            Abstraction::Boolean => Mode::Boolean,
            Abstraction::CartesianThenBoolean if self.boolean.contains(&point) => Mode::Boolean,
            Abstraction::CartesianThenBoolean => Mode::Cartesian,
        }
    }

    /// Lines 5 to 18: an abstract path to an error. A verdict, if it is real; otherwise the tree is refined.
    fn analyse(&mut self, error: NodeId, observer: &mut dyn Observer) -> Result<Option<CfaVerdict>, Reason> {
        let nodes = self.tree.path_to(error);
        let along: Vec<LabelId> = nodes[1..].iter().map(|&n| self.tree.node(n).label).collect();
        let regions: Vec<_> = nodes[1..]
            .iter()
            .map(|&n| self.predicates.concretise(&mut self.terms, &self.tree.nodes[n as usize].region))
            .collect();
        let mut path = Path::new(&mut self.terms, &self.labels, &along, &regions);
        match self.with_analysis(|analysis| analysis.run_backward(&path))? {
            Outcome::Spurious => {}
            Outcome::Feasible(values) => match self.tree.node(error).place {
                Destination::Open(procedure, edge) => {
                    self.open.get_or_insert(open_reason(self.program, procedure, edge));
                    self.tree.remove(error);
                    return Ok(None);
                }
                _ => {
                    self.spurious = nodes;
                    return evidence::trace(self.program, &self.labels, &path, &values)
                        .map(CfaVerdict::Unsafe)
                        .map(Some);
                }
            },
        }
        self.stats.refinements += 1;
        self.stats.last_path = self.shape(&nodes);
        if let Some(shape) = &self.stats.last_path {
            observer.spurious(&shape.to_string());
        }
        self.spurious.clone_from(&nodes);
        if !self.refine_by_values(&mut path, &nodes)? {
            self.refine(&path, &nodes)?;
        }
        self.exchange_now_and_then(observer);
        self.report(observer)?;
        Ok(None)
    }

    fn report(&self, observer: &mut dyn Observer) -> Result<(), Reason> {
        observer.progress(Progress {
            iteration: self.stats.refinements,
            predicates: self.predicates.len() as u64,
            states: self.tree.len() as u64,
            active: self.stats.predicates.max_active,
            prover_calls: self.post.prover.calls.total,
            cached_calls: self.post.prover.calls.cached,
        });
        self.budget.check_iteration(self.stats.refinements)
    }

    fn with_analysis<R>(&mut self, work: impl FnOnce(&mut Analysis<'_, 'a>) -> Result<R, Reason>) -> Result<R, Reason> {
        let mut analysis = Analysis {
            terms: &mut self.terms,
            labels: &self.labels,
            predicates: &mut self.predicates,
            config: self.config,
            budget: self.budget,
            calls: 0,
        };
        let start = Instant::now();
        let result = work(&mut analysis);
        self.stats.refinement_seconds += start.elapsed().as_secs_f64();
        self.post.prover.calls.total += analysis.calls;
        result
    }

    /// Lines 11 to 18.
    fn refine(&mut self, path: &Path, nodes: &[NodeId]) -> Result<(), Reason> {
        let pivot = self.with_analysis(|analysis| Ok(analysis.pivot(path)))?;
        let (wanted, first) = self.focus(path, nodes, pivot)?;
        if self.track_instead(&wanted)? {
            return Ok(());
        }
        let pivot = if self.config.scope == Scope::Subtree { pivot } else { first - 1 };
        self.learn(nodes, pivot, &wanted);
        let (pivot_node, time) = (nodes[pivot], self.tree.time(nodes[pivot]));
        match self.config.subtree {
            Subtree::Keep => self.relabel(&nodes[pivot..])?,
            Subtree::Remove => {
                self.tree.remove_sons(pivot_node);
                self.tree.node_mut(pivot_node).mark = Mark::Unmarked;
                self.wait(pivot_node)?;
            }
        }
        for node in self.tree.unmark_covered_after(&self.post.bdds, time).map_err(no_room)? {
            self.wait(node)?;
        }
        Ok(())
    }

    /// The focus operator: predicates for nodes of the path, and the position of the first node that changes by them. What is tried
    /// first is cheap; what is tried last rules the path out.
    #[allow(clippy::type_complexity, reason = "two results of one search")]
    fn focus(
        &mut self,
        path: &Path,
        nodes: &[NodeId],
        pivot: usize,
    ) -> Result<(Vec<(usize, Vec<PredicateId>)>, usize), Reason> {
        if self.config.focus == Focus::Core {
            let wanted = self.with_analysis(|analysis| Ok(analysis.focus(path, pivot, Source::Core)))?;
            if let Some(first) = self.first_lacking(nodes, &wanted) {
                return Ok((wanted, first));
            }
        }
        let formulas = self.with_analysis(|analysis| analysis.interpolants(path, pivot))?;
        let grains: &[Grain] = match self.config.grain {
            Grain::Atoms => &[Grain::Atoms],
            Grain::Conjuncts => &[Grain::Conjuncts],
            Grain::AtomsThenConjuncts => &[Grain::Atoms, Grain::Conjuncts],
        };
        for &grain in grains {
            let source = Source::Interpolants(&formulas, grain);
            let wanted = self.with_analysis(|analysis| Ok(analysis.focus(path, pivot, source)))?;
            if let Some(first) = self.first_lacking(nodes, &wanted) {
                return Ok((wanted, first));
            }
        }
        self.first_cartesian(nodes, pivot).map(|first| (Vec::new(), first)).ok_or(Reason::NoProgress)
    }

    /// The position of the first node that lacks one of the predicates it should have.
    fn first_lacking(&self, nodes: &[NodeId], wanted: &[(usize, Vec<PredicateId>)]) -> Option<usize> {
        let lacks = |&(i, ref predicates): &(usize, Vec<PredicateId>)| {
            let support = &self.tree.node(nodes[i]).support;
            predicates.iter().any(|&p| !support.contains(p as usize))
        };
        wanted.iter().filter(|w| w.0 + 1 < nodes.len()).find(|w| lacks(w)).map(|w| w.0)
    }

    /// All predicates are there, and the path still is: from the first node on whose successor could be more precise, it shall be.
    fn first_cartesian(&mut self, nodes: &[NodeId], pivot: usize) -> Option<usize> {
        if self.config.abstraction != Abstraction::CartesianThenBoolean {
            return None;
        }
        let cartesian = |n: NodeId| {
            let node = self.tree.node(n);
            node.mode == Mode::Cartesian && !node.support.is_empty()
        };
        let first = (pivot + 1..nodes.len() - 1).find(|&i| cartesian(nodes[i]))?;
        for &n in &nodes[first..] {
            if let Destination::Point(point) = self.tree.node(n).place {
                self.boolean.insert(point);
            }
        }
        Some(first)
    }

    /// Puts new predicates where they belong.
    fn learn(&mut self, nodes: &[NodeId], pivot: usize, wanted: &[(usize, Vec<PredicateId>)]) {
        match self.config.scope {
            Scope::Subtree => {
                let support = &mut self.tree.node_mut(nodes[pivot]).support;
                for &predicate in wanted.iter().flat_map(|w| &w.1) {
                    support.insert(predicate as usize);
                }
            }
            Scope::Location => {
                for (i, predicates) in wanted {
                    if let Destination::Point(point) = self.tree.node(nodes[*i]).place {
                        let support = self.precision.entry(point).or_default();
                        predicates.iter().for_each(|&p| support.insert(p as usize));
                    }
                }
            }
        }
    }

    /// Lines 13 and 14: the regions along the path from the pivot (the first of the nodes) are computed anew.
    fn relabel(&mut self, nodes: &[NodeId]) -> Result<(), Reason> {
        for pair in nodes.windows(2) {
            let son = self.son(pair[0], self.tree.node(pair[1]).label)?;
            if son.region.is_false() {
                self.tree.remove(pair[1]);
                return Ok(());
            }
            let node = self.tree.node_mut(pair[1]);
            (node.region, node.support, node.mode) = (son.region, son.support, son.mode);
            if node.mark == Mark::Unmarked {
                self.wait(pair[1])?;
            }
        }
        Ok(())
    }

    fn shape(&self, nodes: &[NodeId]) -> Option<PathShape> {
        let mut times: BTreeMap<PointId, u64> = BTreeMap::new();
        for &n in nodes {
            if let Destination::Point(point) = self.tree.node(n).place
                && self.labels.unfolding.is_loop_head(point)
            {
                *times.entry(point).or_default() += 1;
            }
        }
        let (&point, &times) = times.iter().max_by_key(|(point, times)| (**times, std::cmp::Reverse(**point)))?;
        Some(PathShape { at: self.place_text(point), times, steps: nodes.len() as u64 - 1 })
    }

    fn place_text(&self, point: PointId) -> String {
        let point = self.labels.unfolding.point(point);
        let procedure = self.program.procedure(point.procedure);
        let place = self.program.source.place(procedure.locations[point.location.index()].span);
        format!("{}:{}", place.file, place.line)
    }

    /// Fills in what is counted elsewhere.
    fn close(&mut self) {
        self.stats.nodes = self.tree.len() as u64;
        self.stats.predicates.total = self.predicates.len() as u64;
        self.stats.prover_calls = self.post.prover.calls;
        self.stats.tracked_variables = self.labels.tracking.tracked_variables();
        let name = |&symbol: &Symbol| self.terms.symbol_name(symbol).to_owned();
        self.stats.tracked = self.stats.tracked_variables.iter().map(name).collect();
        self.stats.boolean_points = self.boolean.len() as u64;
        if self.config.draw > 0 {
            self.stats.drawing = Some(self.draw(self.config.draw));
        }
    }
}
