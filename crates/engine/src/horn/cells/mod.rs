//! Arrays seen through one cell at a time: clauses about arrays as clauses about numbers.
//!
//! D. Monniaux, L. Gonnord, *Cell Morphing: From Array Programs to Array-Free Horn Clauses*, SAS 2016. A predicate `P(x, a)` over
//! an array becomes `P'(x, k, v)`, which says of *every* index `k` what is known of `v = a[k]`. A clause that reads
//! `a[t]` has `P'(x, t, w)` in its body, with `w` for the value read; its head speaks of any index `k`, and of the value there
//! after all writes. A solution of the new clauses is one of the old ones, with a quantifier: `P(x, a)` is "for all k, `P'(x, k,
//! a[k])`". Not the other way round: a refutation of the new clauses says nothing.
//!
//! Arrays of one predicate are looked at in one *place* `k` each time: `a[i]` and `b[i]` together, which is what programs compare. A
//! [`Layout`] says where place 0 of an array is, and how far its cells are apart (memory is addressed by bytes).
//!
//! What is known of a cell depends on where it is: before the index of a loop it is written, behind it is not. So each
//! predicate is split into *zones*: places below 0, inside, behind the end; before and behind the indices that its clauses
//! use. In one zone, what is known is a conjunction, and the rest of the engine is good at these.

mod reader;
mod zones;

use clinch_ir::{Application, Clause, HornSystem, Interpretation, PredId, Span};
use clinch_terms::{Node, Sort, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use clinch_terms::linear::as_symbol;
use reader::Reader;
use zones::Zones;

/// Applications of predicates in one body, at most: what is read beyond that may be anything.
const MAX_APPLICATIONS: usize = 4;
/// Clauses after splitting, at most.
const MAX_CLAUSES: usize = 3000;

/// Where the cells of an array are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The distance of two cells.
    pub stride: u32,
    /// The index of place 0.
    pub origin: i64,
    /// How many cells there are, if it is known.
    pub cells: Option<i64>,
}

/// Clauses about the cells of arrays.
#[derive(Clone, Debug)]
pub struct Cells {
    /// The clauses. Their store extends the original one.
    pub system: HornSystem,
    /// The layout of each parameter of each original predicate that is an array.
    layouts: Vec<Vec<Option<Layout>>>,
    /// The parameters of each original predicate in the new system, before it is split.
    params: Vec<Vec<Symbol>>,
    zones: Vec<Zones>,
    /// The first of the new predicates that an original one became.
    first: Vec<PredId>,
}

/// A solution with a quantifier: its formulas hold for all values of a symbol, the place.
#[derive(Clone, Debug)]
pub struct Quantified {
    /// The formulas, over parameters, the place, and symbols for the values at that place.
    pub solution: Interpretation,
    /// The place.
    pub place: Symbol,
    /// For each predicate its arrays, with the symbols for the value of each.
    pub values: Vec<Vec<(usize, Symbol, Layout)>>,
}

impl Cells {
    /// Takes the arrays of clauses apart. `None` where there are no arrays, or other arrays than those from integers to integers,
    /// or where it becomes too large.
    pub fn new(system: &HornSystem, layout: impl Fn(PredId, usize) -> Layout) -> Option<Cells> {
        let mut layouts = Vec::new();
        for id in system.predicate_ids() {
            let params = system.predicate(id).params.iter().enumerate();
            let own = params.map(|(i, &p)| match system.terms.symbol_sort(p) {
                Sort::Array(of) if of.0 == Sort::Int && matches!(of.1, Sort::Int | Sort::Bool) => {
                    Some(Some(layout(id, i)))
                }
                Sort::Array(_) => None,
                _ => Some(None),
            });
            layouts.push(own.collect::<Option<Vec<_>>>()?);
        }
        if layouts.iter().flatten().all(Option::is_none) {
            return None;
        }
        let mut cells = Cells {
            system: HornSystem::new(system.source.clone()),
            layouts,
            params: Vec::new(),
            zones: Vec::new(),
            first: Vec::new(),
        };
        cells.system.terms = system.terms.clone();
        cells.declare(system);
        let clauses: Option<Vec<Clause>> = system.clauses.iter().map(|clause| cells.clause(clause)).collect();
        cells.split(system, clauses?)
    }

    /// The parameters of the new predicates: scalars as they were, then a place, then a value for each array.
    fn declare(&mut self, system: &HornSystem) {
        for id in system.predicate_ids() {
            let terms = &mut self.system.terms;
            let (mut params, mut values) = (Vec::new(), Vec::new());
            for &param in &system.predicate(id).params {
                let name = terms.symbol_name(param).to_owned();
                match terms.symbol_sort(param).clone() {
                    Sort::Array(of) => values.push(terms.declare(name, of.1.clone())),
                    sort => params.push(terms.declare(name, sort)),
                }
            }
            if !values.is_empty() {
                params.push(terms.declare("k", Sort::Int));
            }
            params.extend(values);
            self.params.push(params);
        }
    }

    fn clause(&mut self, clause: &Clause) -> Option<Clause> {
        let mut layouts: FxHashMap<Symbol, Layout> = FxHashMap::default();
        for application in &clause.body {
            for (i, layout) in self.layouts[application.predicate.index()].iter().enumerate() {
                if let Some(layout) = layout {
                    layouts.insert(as_symbol(&self.system.terms, application.args[i])?, *layout);
                }
            }
        }
        let mut reader = Reader::new(&mut self.system.terms, layouts);
        // The place of the head comes first: it is the one that matters most.
        let head = match &clause.head {
            Some(head) => Some(reader.head(head, &self.layouts[head.predicate.index()])?),
            None => None,
        };
        let constraint = reader.term(clause.constraint)?;
        let mut body = Vec::new();
        for application in &clause.body {
            body.extend(reader.applications(application, &self.layouts[application.predicate.index()])?);
        }
        let consistent = reader.consistent();
        let constraint = self.system.terms.all([constraint].into_iter().chain(consistent));
        Some(Clause { vars: Vec::new(), body, constraint, head, span: Span::default() })
    }

    /// Makes a predicate of each zone of a predicate, and clauses between them.
    fn split(mut self, system: &HornSystem, clauses: Vec<Clause>) -> Option<Cells> {
        for id in system.predicate_ids() {
            let layouts = &self.layouts[id.index()];
            let zones = Zones::new(&mut self.system.terms, id, &self.params[id.index()], layouts, &clauses);
            self.zones.push(zones);
        }
        zones::inherit(&mut self.system.terms, &mut self.zones, &self.params, &clauses);
        for id in system.predicate_ids() {
            let sorts: Vec<Sort> =
                self.params[id.index()].iter().map(|&p| self.system.terms.symbol_sort(p).clone()).collect();
            let name = &system.predicate(id).name;
            for zone in 0..self.zones[id.index()].len() {
                let new = self.system.add_predicate(format!("{name}/{zone}"), &sorts);
                if zone == 0 {
                    self.first.push(new);
                }
            }
        }
        for clause in clauses {
            let room = MAX_CLAUSES.checked_sub(self.system.clauses.len())?;
            let new = zones::split(&mut self.system.terms, &self.zones, &self.params, &self.first, clause, room)?;
            self.system.clauses.extend(new);
        }
        Some(self)
    }

    /// A solution of these clauses as one of the original ones.
    pub fn solution(&self, original: &HornSystem, solution: &Interpretation) -> Quantified {
        let mut terms = solution.terms.clone();
        let place = terms.declare("k", Sort::Int);
        let (mut formulas, mut all_values) = (Vec::new(), Vec::new());
        for id in original.predicate_ids() {
            let mut args = Vec::new();
            let mut values = Vec::new();
            for (i, &param) in original.predicate(id).params.iter().enumerate() {
                match self.layouts[id.index()][i] {
                    None => args.push(terms.symbol(param)),
                    Some(layout) => {
                        let sort = match terms.symbol_sort(param) {
                            Sort::Array(of) => of.1.clone(),
                            other => other.clone(),
                        };
                        values.push((i, terms.declare(format!("v{i}"), sort), layout));
                    }
                }
            }
            if !values.is_empty() {
                args.push(terms.symbol(place));
            }
            args.extend(values.iter().map(|v| terms.symbol(v.1)));
            formulas.push(self.formula(&mut terms, id, &args, solution));
            all_values.push(values);
        }
        Quantified { solution: Interpretation { terms, formulas }, place, values: all_values }
    }

    /// What is known in each zone, where one is in it; what is known in all of them stands in front.
    fn formula(&self, terms: &mut Terms, id: PredId, args: &[Term], solution: &Interpretation) -> Term {
        let zones = &self.zones[id.index()];
        let (mut inside, mut everywhere) = (Vec::new(), None);
        for zone in 0..zones.len() {
            let new = PredId::from_index(self.first[id.index()].index() + zone);
            let application = Application { predicate: new, args: args.to_vec() };
            let known =
                application.instantiate(terms, &self.system.predicate(new).params, solution.formulas[new.index()]);
            // A zone without places says nothing against it.
            if terms.node(known) != Node::Bool(false) {
                let own: FxHashSet<Term> = terms.facts(known).into_iter().collect();
                let common = everywhere.get_or_insert_with(|| terms.facts(known));
                common.retain(|fact| own.contains(fact));
            }
            let here = zones.condition(terms, zone);
            let here = application.instantiate(terms, &self.params[id.index()], here);
            let elsewhere = terms.not(here);
            inside.push(terms.or(elsewhere, known));
        }
        let everywhere = everywhere.unwrap_or_default();
        terms.all(everywhere.into_iter().chain(inside))
    }
}
