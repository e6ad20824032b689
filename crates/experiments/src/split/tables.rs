//! Tables 5.1 to 5.5, ours beside the thesis'.

use clinch_engine::Sighting;
use clinch_reports::document::{self, Document, Part, Plot, Scale, Series};
use serde::Serialize;

use super::score::{normalised, points};
use super::thesis::THESIS;
use super::{COLUMNS, IMPLEMENTATIONS, Implementation, Search, Setup};

/// One model's results.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Row {
    pub(super) model: String,
    /// Our values, in the order of [`IMPLEMENTATIONS`].
    pub(super) ours: [f64; COLUMNS],
    /// The thesis', if it has the model.
    pub(super) thesis: Option<[f64; COLUMNS]>,
}

/// One table.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Table {
    pub(super) number: &'static str,
    pub(super) title: &'static str,
    pub(super) rows: Vec<Row>,
}

/// A model of the experiment.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct ModelSize {
    pub(super) model: String,
    pub(super) states: usize,
    pub(super) errors: usize,
}

/// The results of the experiment.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Tables {
    pub(super) seeds: Vec<u64>,
    pub(super) bound: f64,
    pub(super) implementations: [&'static str; COLUMNS],
    pub(super) models: Vec<ModelSize>,
    pub(super) tables: Vec<Table>,
    pub(super) runs: Vec<Search>,
}

impl Tables {
    pub(super) fn new(setup: &Setup) -> Self {
        Tables {
            seeds: setup.seeds.clone(),
            bound: setup.bound.as_secs_f64(),
            implementations: IMPLEMENTATIONS.map(|implementation| implementation.name),
            models: Vec::new(),
            tables: THESIS.iter().map(|t| Table { number: t.number, title: t.title, rows: Vec::new() }).collect(),
            runs: Vec::new(),
        }
    }

    /// Adds a row for a model to each table.
    pub(super) fn add_model(&mut self, name: &str, states: usize, errors: usize, runs: Vec<(Implementation, Search)>) {
        let repetitions: Vec<Repetition<'_>> = self.seeds.iter().map(|&seed| repetition(&runs, seed)).collect();
        for (table, thesis) in self.tables.iter_mut().zip(&THESIS) {
            let ours = match thesis.category {
                Some(category) => normalised(mean(&repetitions, |r| points(category, *r).map(f64::from))),
                None => mean(&repetitions, |r| r.map(|s| s.iter().flatten().count() as f64 / errors.max(1) as f64)),
            };
            table.rows.push(Row { model: name.to_string(), ours, thesis: thesis.row(name) });
        }
        self.models.push(ModelSize { model: name.to_string(), states, errors });
        self.runs.extend(runs.into_iter().map(|(_, run)| run));
    }

    /// A table by what it compares; that of errors found for `None`.
    #[cfg(test)]
    pub(super) fn table(&self, category: Option<super::score::Category>) -> Option<&Table> {
        self.tables.iter().zip(&THESIS).find(|(_, thesis)| thesis.category == category).map(|(table, _)| table)
    }

    /// All tables: ours, and the thesis' value in parentheses.
    pub(super) fn document(&self) -> Document {
        let sizes: Vec<String> = self.models.iter().map(|m| format!("{} {}", m.model, m.states)).collect();
        let (seeds, bound) = (self.seeds.len(), self.bound);
        let title = format!("[Split] {seeds} seeds, {bound} s per search. States: {}.", sizes.join(", "));
        let parts = self.tables.iter().flat_map(|table| [Part::Table(self.shown(table)), Part::Plot(self.plot(table))]);
        Document { title, parts: parts.collect() }
    }

    fn shown(&self, table: &Table) -> document::Table {
        let head = ["Models"].into_iter().chain(self.implementations).collect::<Vec<_>>();
        let title = format!("Table {}: {} (thesis in parentheses)", table.number, table.title);
        let mut shown = document::Table::new(title, &head);
        for row in &table.rows {
            let cell = |column: usize| {
                let thesis = row.thesis.map_or("-".to_string(), |thesis| format!("{:.2}", thesis[column]));
                format!("{:.2} ({thesis})", row.ours[column])
            };
            shown.rows.push([row.model.clone()].into_iter().chain((0..COLUMNS).map(cell)).collect());
        }
        shown
    }

    /// Ours against the thesis': a point for each model and implementation.
    fn plot(&self, table: &Table) -> Plot {
        let series = self.implementations.iter().enumerate().map(|(column, name)| {
            let points = table.rows.iter().filter_map(|row| Some((row.thesis?[column], row.ours[column])));
            Series { name: (*name).to_owned(), points: points.collect(), line: false }
        });
        Plot {
            title: format!("Table {}: a point for each model", table.number),
            axes: ("the thesis".to_owned(), "ours".to_owned()),
            scales: (Scale::Linear, Scale::Linear),
            series: series.collect(),
            diagonal: true,
        }
    }
}

/// What each implementation found with one seed.
type Repetition<'r> = [&'r [Option<Sighting>]; COLUMNS];

fn repetition(runs: &[(Implementation, Search)], seed: u64) -> Repetition<'_> {
    IMPLEMENTATIONS.map(|implementation| {
        let same = |(i, run): &&(Implementation, Search)| *i == implementation && (run.seed == seed || !i.is_random());
        runs.iter().find(same).map_or(&[][..], |(_, run)| &run.sightings)
    })
}

fn mean(repetitions: &[Repetition<'_>], f: impl Fn(&Repetition<'_>) -> [f64; COLUMNS]) -> [f64; COLUMNS] {
    let mut sum = [0.0; COLUMNS];
    for values in repetitions.iter().map(f) {
        sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    sum.map(|s| s / repetitions.len().max(1) as f64)
}
