//! Tables and plots of measurements, in one style: as text, and as a page that needs nothing else.

mod plot;

use std::fmt;

use minijinja::{AutoEscape, Environment};
use serde_json::{Value, json};

use crate::html::STYLE;
pub use plot::{Plot, Scale, Series};

const PAGE: &str = include_str!("document.html");

/// What was measured, for people.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// What it is about.
    pub title: String,
    /// Its parts, in order.
    pub parts: Vec<Part>,
}

/// A part of a document.
#[derive(Clone, Debug)]
pub enum Part {
    /// A paragraph.
    Text(String),
    /// A table.
    Table(Table),
    /// A plot; text has none.
    Plot(Plot),
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// The names of the columns.
    pub head: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
    /// How many columns, from the left, have words; the others have numbers, but for the last one where that is said.
    pub words: usize,
    /// Whether the last column has words.
    pub last_has_words: bool,
}

impl Table {
    /// A table without rows, whose first column has names.
    pub fn new(title: impl Into<String>, head: &[&str]) -> Table {
        let head = head.iter().map(|&name| name.to_owned()).collect();
        Table { title: title.into(), head, words: 1, ..Table::default() }
    }

    /// A row that may be shorter than the head, but for its last cell.
    pub fn add(&mut self, mut cells: Vec<String>, last: String) {
        cells.resize(self.head.len().saturating_sub(1), String::new());
        cells.push(last);
        self.rows.push(cells);
    }

    /// Whether a column has words.
    fn has_words(&self, column: usize) -> bool {
        column < self.words || self.last_has_words && column + 1 == self.head.len()
    }
}

impl Document {
    /// A document without parts.
    pub fn new(title: impl Into<String>) -> Document {
        Document { title: title.into(), parts: Vec::new() }
    }

    /// The page.
    pub fn html(&self, version: &str) -> Result<String, String> {
        let parts: Vec<Value> = self.parts.iter().map(Part::data).collect();
        let context = json!({ "title": self.title, "css": STYLE, "version": version, "parts": parts });
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.add_template("document", PAGE).map_err(|error| error.to_string())?;
        let page = environment.get_template("document").map_err(|error| error.to_string())?;
        page.render(minijinja::Value::from(minijinja::value::Serde(&context))).map_err(|error| error.to_string())
    }
}

impl Part {
    fn data(&self) -> Value {
        match self {
            Part::Text(text) => json!({ "text": text }),
            Part::Plot(plot) => json!({ "plot": plot.title, "svg": plot.svg() }),
            Part::Table(table) => {
                let cell = |(column, text): (usize, &String)| json!({ "text": text, "words": table.has_words(column) });
                let cells = |row: &Vec<String>| row.iter().enumerate().map(cell).collect::<Vec<_>>();
                let rows: Vec<_> = table.rows.iter().map(cells).collect();
                json!({ "table": table.title, "head": cells(&table.head), "rows": rows })
            }
        }
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        for part in &self.parts {
            match part {
                Part::Text(text) => writeln!(f, "\n{text}")?,
                Part::Table(table) => write!(f, "\n{table}")?,
                Part::Plot(_) => {}
            }
        }
        Ok(())
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.title)?;
        let columns = self.head.len();
        let width = |column: usize| {
            let cells = self.rows.iter().chain([&self.head]).filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in [&self.head].into_iter().chain(&self.rows) {
            let cells = row.iter().enumerate().map(|(column, cell)| match (self.has_words(column), widths[column]) {
                (true, width) => format!("{cell:<width$}"),
                (false, width) => format!("{cell:>width$}"),
            });
            writeln!(f, "{}", format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        let mut table = Table::new("Times & <places>", &["program", "ours (theirs)", "verdict"]);
        table.last_has_words = true;
        table.rows.push(["ticket", "0.10 (2.5)", "safe"].map(str::to_owned).to_vec());
        table.rows.push(["a", "10.00 (-)", ""].map(str::to_owned).to_vec());
        let series = Series { name: "ours".to_owned(), points: vec![(1.0, 0.1), (2.0, 10.0)], line: true };
        let axes = ("n".to_owned(), "seconds".to_owned());
        let plot = Plot {
            title: "Times".to_owned(),
            axes,
            scales: (Scale::Linear, Scale::Log),
            series: vec![series],
            diagonal: false,
        };
        let parts = vec![Part::Table(table), Part::Plot(plot), Part::Text("One <note>.".to_owned())];
        Document { title: "[Paper]".to_owned(), parts }
    }

    #[test]
    fn as_text() {
        let text = "[Paper]\n\nTimes & <places>\n\n  program  ours (theirs)  verdict\n  ticket      0.10 (2.5)  safe\n  a            10.00 (-)\n\nOne <note>.\n";
        assert_eq!(document().to_string(), text);
    }

    #[test]
    fn as_page() {
        let page = document().html("clinch 0.1").expect("a page");
        for part in [
            "Times &amp; &lt;places&gt;",
            "<td class=\"number\">10.00 (-)</td>",
            "<svg",
            "One &lt;note&gt;.",
            "seconds",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
        assert!(!page.contains("<places>"), "{page}");
        assert_eq!(page.matches("http").count(), page.matches("xmlns=").count(), "{page}");
    }

    /// Nothing to be plotted, or nothing that a logarithm has, is no plot.
    #[test]
    fn plots_of_nothing() {
        let Part::Plot(plot) = document().parts.swap_remove(1) else { panic!() };
        let with = |points: &[(f64, f64)]| {
            let series = vec![Series { points: points.to_vec(), ..plot.series[0].clone() }];
            Plot { series, ..plot.clone() }.svg()
        };
        assert!(with(&[]).is_none() && with(&[(1.0, 0.0)]).is_none() && with(&[(f64::NAN, 1.0)]).is_none());
        assert!(with(&[(1.0, 1.0)]).is_some());
    }
}
