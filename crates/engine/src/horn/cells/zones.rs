//! Zones of places, in each of which one thing is known.

use clinch_ir::{Application, Clause, PredId};
use clinch_smt::{Answer, Solver, Z3Solver};
use clinch_terms::{BinOp, Node, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

use super::Layout;
use clinch_terms::linear::as_symbol;

/// Borders that move with the variables, at most.
const MAX_MOVING: usize = 2;
/// Fixed borders, at most.
const MAX_FIXED: usize = 3;

/// The borders between zones, for one predicate: a place is below a border or not.
#[derive(Clone, Debug)]
pub(super) struct Zones {
    /// The parameter that is the place.
    place: Option<Symbol>,
    /// Ascending numbers.
    fixed: Vec<i64>,
    /// Terms over the parameters.
    moving: Vec<Term>,
}

impl Zones {
    /// The borders for a predicate: the ends of its arrays, and the places that clauses read or write from there.
    pub(super) fn new(
        terms: &mut Terms,
        id: PredId,
        params: &[Symbol],
        layouts: &[Option<Layout>],
        clauses: &[Clause],
    ) -> Zones {
        let scalars = layouts.iter().filter(|l| l.is_none()).count();
        if scalars == layouts.len() {
            return Zones { place: None, fixed: Vec::new(), moving: Vec::new() };
        }
        let place = params[scalars];
        let mut fixed: Vec<i64> = layouts.iter().flatten().filter_map(|l| l.cells).collect();
        fixed.push(0);
        fixed.sort_unstable();
        fixed.dedup();
        fixed.truncate(MAX_FIXED);
        let mut zones = Zones { place: Some(place), fixed, moving: Vec::new() };
        for clause in clauses {
            for application in clause.body.iter().filter(|a| a.predicate == id) {
                for border in borders(terms, clause, application, scalars) {
                    let map = parameters(terms, application, params);
                    let border = terms.substitute_symbols(border, &map);
                    zones.add(terms, params, border);
                }
            }
        }
        zones
    }

    /// One more border, if it is about the parameters in front of the place and there is room.
    fn add(&mut self, terms: &Terms, params: &[Symbol], border: Term) {
        let known = terms.symbols(border).iter().all(|s| params[..self.scalars(params)].contains(s));
        let is_new = terms.as_integer(border).is_none() && !self.moving.contains(&border);
        if known && is_new && self.moving.len() < MAX_MOVING {
            self.moving.push(border);
        }
    }

    /// How many parameters stand in front of the place.
    fn scalars(&self, params: &[Symbol]) -> usize {
        params.iter().position(|&p| Some(p) == self.place).unwrap_or(0)
    }

    pub(super) fn len(&self) -> usize {
        (self.fixed.len() + 1) << self.moving.len()
    }

    /// When a place is in a zone.
    pub(super) fn condition(&self, terms: &mut Terms, zone: usize) -> Term {
        let Some(place) = self.place else { return terms.tt() };
        let place = terms.symbol(place);
        let mut conjuncts = Vec::new();
        for (i, &border) in self.moving.iter().enumerate() {
            let below = terms.lt(place, border);
            conjuncts.push(if zone >> i & 1 == 0 { below } else { terms.not(below) });
        }
        let interval = zone >> self.moving.len();
        if interval > 0 {
            let from = terms.int(self.fixed[interval - 1]);
            conjuncts.push(terms.le(from, place));
        }
        if let Some(&to) = self.fixed.get(interval) {
            let to = terms.int(to);
            conjuncts.push(terms.lt(place, to));
        }
        terms.all(conjuncts)
    }
}

/// How far borders are handed on.
const GENERATIONS: usize = 2;

/// Borders of one predicate are borders of those behind it as well, as far as they have room: a loop that is over has written, or
/// seen, what is before its index.
pub(super) fn inherit(terms: &mut Terms, zones: &mut [Zones], params: &[Vec<Symbol>], clauses: &[Clause]) {
    for _ in 0..GENERATIONS {
        for clause in clauses {
            let Some(head) = &clause.head else { continue };
            let to = head.predicate.index();
            for from in clause.body.iter().filter(|from| from.predicate != head.predicate) {
                for border in zones[from.predicate.index()].moving.clone() {
                    let border = from.instantiate(terms, &params[from.predicate.index()], border);
                    let map = parameters(terms, head, &params[to]);
                    let border = match terms.symbols(border).iter().all(|s| map.contains_key(s)) {
                        true => Some(border),
                        false => equal_argument(terms, clause, head, zones[to].scalars(&params[to]), border),
                    };
                    if let Some(border) = border {
                        let border = terms.substitute_symbols(border, &map);
                        zones[to].add(terms, &params[to], border);
                    }
                }
            }
        }
    }
}

/// An argument of the head that a border is equal to where the clause applies: at the end of a loop its index is its limit.
fn equal_argument(
    terms: &mut Terms,
    clause: &Clause,
    head: &Application,
    scalars: usize,
    border: Term,
) -> Option<Term> {
    let is_number = |&arg: &Term| as_symbol(terms, arg).is_some_and(|s| *terms.symbol_sort(s) == Sort::Int);
    let arguments: Vec<Term> = head.args[..scalars].iter().copied().filter(is_number).collect();
    let mut solver = Z3Solver::for_formulas();
    solver.set_limits(LIMITS.0, LIMITS.1);
    solver.assert(terms, clause.constraint);
    arguments.into_iter().find(|&argument| {
        let equal = terms.eq(border, argument);
        solver.check(terms, &[(equal, false)]) == Answer::Unsat
    })
}

/// Places that a clause reads or writes: what the place of another application, or of the head, is compared with.
fn borders(terms: &mut Terms, clause: &Clause, application: &Application, scalars: usize) -> Vec<Term> {
    let mut borders = vec![application.args[scalars]];
    let roots = clause.head.iter().flat_map(|h| h.args.clone()).chain([clause.constraint]);
    let place = clause.head.as_ref().and_then(|h| h.args.get(scalars)).copied();
    for part in roots.flat_map(|root| terms.parts(root)).collect::<Vec<_>>() {
        if let Node::Binary(BinOp::Eq, a, b) = terms.node(part)
            && let Some(other) = [(a, b), (b, a)].into_iter().find(|(x, _)| Some(*x) == place).map(|(_, y)| y)
        {
            borders.push(other);
        }
    }
    borders.into_iter().map(|border| without_cases(terms, border)).collect()
}

/// A number that is negative in no interesting case (`i < 0 ? i + 2^32 : i`), without the other case.
fn without_cases(terms: &mut Terms, term: Term) -> Term {
    terms.replace(term, &mut |terms, part| match terms.node(part) {
        Node::Ite(_, _, otherwise) => Some(without_cases(terms, otherwise)),
        _ => None,
    })
}

/// The symbols of a clause that are arguments of an application, as the parameters.
fn parameters(terms: &mut Terms, application: &Application, params: &[Symbol]) -> FxHashMap<Symbol, Term> {
    let mut map = FxHashMap::default();
    for (&arg, &param) in application.args.iter().zip(params) {
        if let Some(symbol) = as_symbol(terms, arg) {
            let param = terms.symbol(param);
            map.entry(symbol).or_insert(param);
        }
    }
    map
}

/// Work and milliseconds to see that a combination of zones is impossible.
const LIMITS: (u32, u32) = (200_000, 200);

/// A clause for each possible combination of zones, with symbols of its own. `None` if there is no room for so many.
pub(super) fn split(
    terms: &mut Terms,
    zones: &[Zones],
    params: &[Vec<Symbol>],
    first: &[PredId],
    clause: Clause,
    room: usize,
) -> Option<Vec<Clause>> {
    let mut solver = Z3Solver::for_formulas();
    solver.set_limits(LIMITS.0, LIMITS.1);
    solver.assert(terms, clause.constraint);
    let applications: Vec<Application> = clause.body.iter().chain(&clause.head).cloned().collect();
    // Depth first over the zones of one application after the other.
    let mut chosen: Vec<(usize, Term)> = Vec::new();
    let mut combinations = Vec::new();
    let mut next = 0;
    loop {
        let depth = chosen.len();
        if depth == applications.len() || next >= zones[applications[depth].predicate.index()].len() {
            if depth == applications.len() {
                combinations.push(chosen.clone());
                if combinations.len() > room {
                    return None;
                }
            }
            let Some((zone, _)) = chosen.pop() else { break };
            solver.pop();
            next = zone + 1;
            continue;
        }
        let application = &applications[depth];
        let condition = zones[application.predicate.index()].condition(terms, next);
        let condition = application.instantiate(terms, &params[application.predicate.index()], condition);
        solver.push();
        solver.assert(terms, condition);
        if solver.check(terms, &[]) == Answer::Unsat {
            solver.pop();
            next += 1;
        } else {
            chosen.push((next, condition));
            next = 0;
        }
    }
    Some(combinations.iter().map(|c| instance(terms, first, &clause, c)).collect())
}

fn instance(terms: &mut Terms, first: &[PredId], clause: &Clause, zones: &[(usize, Term)]) -> Clause {
    let in_zone = |application: &Application, zone: usize| Application {
        predicate: PredId::from_index(first[application.predicate.index()].index() + zone),
        args: application.args.clone(),
    };
    let body: Vec<Application> = clause.body.iter().zip(zones).map(|(a, z)| in_zone(a, z.0)).collect();
    let head = clause.head.as_ref().zip(zones.get(body.len())).map(|(h, z)| in_zone(h, z.0));
    let constraint = terms.all([clause.constraint].into_iter().chain(zones.iter().map(|z| z.1)));
    Clause::with_own_symbols(terms, body, constraint, head)
}
