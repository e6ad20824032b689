//! A refutation of the simplified clauses, taken apart along the origins of its clauses.

use clinch_ir::{ClauseId, Derivation, DerivationStep, HornSystem, Reason};
use clinch_terms::evaluate::{Assignment, evaluate};
use clinch_terms::{Symbol, Term, Value};

use super::Simplified;
use super::history::{Origin, Record, Renamed};

/// The refutation of the original clauses.
pub(super) fn translate(
    simplified: &Simplified,
    original: &HornSystem,
    derivation: &Derivation,
) -> Result<Derivation, Reason> {
    let mut expansion = Expansion { simplified, original, steps: Vec::new(), heads: Vec::new() };
    // For each step the original step that derives the same fact.
    let mut derived: Vec<usize> = Vec::new();
    for step in &derivation.steps {
        let record = simplified.clauses.get(step.clause.index()).copied().ok_or_else(|| malformed("clause"))?;
        let vars = &simplified.system.clause(step.clause).vars;
        let values = vars.iter().copied().zip(step.values.iter().cloned()).collect();
        let premises = step.premises.iter().map(|&p| derived.get(p).copied()).collect::<Option<Vec<usize>>>();
        let premises = premises.ok_or_else(|| malformed("premise"))?;
        derived.push(expansion.expand(Instance { record, values, premises })?);
    }
    Ok(Derivation { steps: expansion.steps })
}

fn malformed(what: &str) -> Reason {
    Reason::Uncertified(format!("a derivation without its {what}"))
}

/// An instance of a clause of the history, whose premises are original steps.
struct Instance {
    record: usize,
    values: Assignment,
    premises: Vec<usize>,
}

/// What is left to do; an explicit stack, as histories are as long as chains of predicates.
enum Task {
    Expand(Instance),
    /// The step just made is the premise at this position.
    Consume(Instance, usize),
}

struct Expansion<'a> {
    simplified: &'a Simplified,
    original: &'a HornSystem,
    steps: Vec<DerivationStep>,
    /// The values of the head of each step, where they were asked for.
    heads: Vec<Option<Vec<Value>>>,
}

impl Expansion<'_> {
    /// Adds the original steps of an instance; returns the one that derives its head.
    fn expand(&mut self, instance: Instance) -> Result<usize, Reason> {
        let mut stack = vec![Task::Expand(instance)];
        let mut last = 0;
        while let Some(task) = stack.pop() {
            let instance = match task {
                Task::Expand(instance) => instance,
                Task::Consume(mut instance, position) => {
                    instance.premises.insert(position, last);
                    instance
                }
            };
            match &self.record(instance.record).origin {
                Origin::Original => last = self.add(instance),
                Origin::Resolvent { consumer, position, definition } => {
                    let (upper, lower) = self.split(instance, consumer, *position, definition)?;
                    stack.extend([Task::Consume(upper, *position), Task::Expand(lower)]);
                }
                _ => stack.push(Task::Expand(self.parent(instance)?)),
            }
        }
        Ok(last)
    }

    fn record(&self, id: usize) -> &Record {
        &self.simplified.history.records[id]
    }

    fn add(&mut self, instance: Instance) -> usize {
        let clause = ClauseId::from_index(instance.record);
        let vars = &self.original.clause(clause).vars;
        let values = vars.iter().map(|&s| self.value_or_default(&instance.values, s)).collect();
        self.steps.push(DerivationStep { clause, values, premises: instance.premises });
        self.heads.push(None);
        self.steps.len() - 1
    }

    fn value_or_default(&self, values: &Assignment, symbol: Symbol) -> Value {
        let sort = self.simplified.system.terms.symbol_sort(symbol);
        values.get(&symbol).cloned().unwrap_or_else(|| Value::default_of(sort))
    }

    /// The instances of both parents; that of the consumer lacks the premise that the other one derives.
    fn split(
        &self,
        instance: Instance,
        consumer: &Renamed,
        position: usize,
        definition: &Renamed,
    ) -> Result<(Instance, Instance), Reason> {
        let mut premises = instance.premises;
        let width = self.record(definition.clause).clause.body.len();
        if premises.len() < position + width {
            return Err(malformed("premises"));
        }
        let lower = premises.splice(position..position + width, []).collect();
        let parent = |renamed: &Renamed, premises| Instance {
            record: renamed.clause,
            values: self.renamed_values(&instance.values, renamed),
            premises,
        };
        Ok((parent(consumer, premises), parent(definition, lower)))
    }

    fn renamed_values(&self, values: &Assignment, renamed: &Renamed) -> Assignment {
        let vars = &self.record(renamed.clause).clause.vars;
        if renamed.symbols.is_empty() {
            return vars.iter().map(|&s| (s, self.value_or_default(values, s))).collect();
        }
        renamed.symbols.iter().map(|&(s, fresh)| (s, self.value_or_default(values, fresh))).collect()
    }

    /// The instance of the only parent.
    fn parent(&mut self, instance: Instance) -> Result<Instance, Reason> {
        let Instance { record, mut values, premises } = instance;
        let simplified = self.simplified;
        let origin = &simplified.history.records[record].origin;
        let parent = match origin {
            Origin::Rewritten { parent, .. } | Origin::Sliced { parent, .. } => *parent,
            Origin::Original | Origin::Resolvent { .. } => unreachable!("these have no single parent"),
        };
        match origin {
            Origin::Rewritten { definitions, .. } => self.evaluate_definitions(parent, definitions, &mut values)?,
            Origin::Sliced { restored, .. } => {
                for &(symbol, application, param) in restored {
                    let premise = *premises.get(application).ok_or_else(|| malformed("premise"))?;
                    let value = self.head_value(premise, param)?;
                    values.insert(symbol, value);
                }
            }
            _ => {}
        }
        Ok(Instance { record: parent, values, premises })
    }

    /// Gives eliminated symbols their values, the last one first: earlier definitions may mention later symbols.
    fn evaluate_definitions(
        &self,
        parent: usize,
        definitions: &[(Symbol, Term)],
        values: &mut Assignment,
    ) -> Result<(), Reason> {
        if definitions.is_empty() {
            return Ok(());
        }
        // Symbols that vanished with a folded term may take any value.
        let terms = &self.simplified.system.terms;
        let eliminated: rustc_hash::FxHashSet<Symbol> = definitions.iter().map(|d| d.0).collect();
        for &symbol in self.record(parent).clause.vars.iter().filter(|s| !eliminated.contains(s)) {
            values.entry(symbol).or_insert_with(|| Value::default_of(terms.symbol_sort(symbol)));
        }
        for &(symbol, term) in definitions.iter().rev() {
            let value = self.evaluate(values, term)?.into_sort(terms.symbol_sort(symbol));
            values.insert(symbol, value);
        }
        Ok(())
    }

    fn evaluate(&self, values: &Assignment, term: Term) -> Result<Value, Reason> {
        let no_value = || Reason::Uncertified("a term of a derivation has no value".to_owned());
        evaluate(&self.simplified.system.terms, values, term).ok_or_else(no_value)
    }

    /// The value a step gives to a parameter of its head.
    fn head_value(&mut self, step: usize, param: usize) -> Result<Value, Reason> {
        if self.heads[step].is_none() {
            let DerivationStep { clause, values, .. } = &self.steps[step];
            let clause = self.original.clause(*clause);
            let values: Assignment = clause.vars.iter().copied().zip(values.iter().cloned()).collect();
            let head = clause.head.as_ref().ok_or_else(|| malformed("head"))?;
            let params = &self.original.predicate(head.predicate).params;
            let values = params.iter().zip(&head.args).map(|(&param, &arg)| {
                Ok(self.evaluate(&values, arg)?.into_sort(self.original.terms.symbol_sort(param)))
            });
            self.heads[step] = Some(values.collect::<Result<_, Reason>>()?);
        }
        let values = self.heads[step].as_ref().expect("computed above");
        values.get(param).cloned().ok_or_else(|| malformed("argument"))
    }
}
