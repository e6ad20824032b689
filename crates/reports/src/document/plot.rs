//! Plots, drawn by the crate `plotters`.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;

/// Lines or points over two axes.
#[derive(Clone, Debug)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// What is measured along the axes.
    pub axes: (String, String),
    /// How they are divided.
    pub scales: (Scale, Scale),
    /// What is shown.
    pub series: Vec<Series>,
    /// Whether both axes measure the same, and the line where they are equal is drawn.
    pub diagonal: bool,
}

/// How an axis is divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By powers of ten.
    Log,
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub struct Series {
    /// What they are.
    pub name: String,
    /// The points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// Whether they are connected.
    pub line: bool,
}

/// The size of a plot.
const SIZE: (u32, u32) = (700, 380);
/// The width of the part of it that names the series.
const LEGEND: u32 = 190;
/// Colours of series, told apart by people who see fewer of them as well. The scripts of `scripts/` have the same.
const COLORS: [RGBColor; 7] = [
    RGBColor(0x1f, 0x6f, 0xb4),
    RGBColor(0xc0, 0x39, 0x2b),
    RGBColor(0x2e, 0x8b, 0x57),
    RGBColor(0x8e, 0x44, 0xad),
    RGBColor(0xd9, 0x82, 0x00),
    RGBColor(0x55, 0x55, 0x55),
    RGBColor(0x17, 0xa2, 0xb8),
];

impl Plot {
    /// The picture; nothing if there is nothing to be seen.
    pub fn svg(&self) -> Option<String> {
        let fits = |value: f64, scale: Scale| value.is_finite() && (scale == Scale::Linear || value > 0.0);
        let mut plot = self.clone();
        for series in &mut plot.series {
            series.points.retain(|&(x, y)| fits(x, self.scales.0) && fits(y, self.scales.1));
        }
        plot.series.retain(|series| !series.points.is_empty());
        let all = || plot.series.iter().flat_map(|series| &series.points);
        let (mut across, mut up) = (Span::of(all().map(|point| point.0))?, Span::of(all().map(|point| point.1))?);
        if self.diagonal {
            across = across.and(up);
            up = across;
        }
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let (x, y) = (across.widened(self.scales.0), up.widened(self.scales.1));
        let drawn = match self.scales {
            (Scale::Linear, Scale::Linear) => plot.draw(&area, x.range(), y.range(), x),
            (Scale::Linear, Scale::Log) => plot.draw(&area, x.range(), y.range().log_scale(), x),
            (Scale::Log, Scale::Linear) => plot.draw(&area, x.range().log_scale(), y.range(), x),
            (Scale::Log, Scale::Log) => plot.draw(&area, x.range().log_scale(), y.range().log_scale(), x),
        };
        drop(area);
        drawn.ok().map(|()| svg)
    }

    fn draw<X, Y>(&self, area: &DrawingArea<SVGBackend<'_>, Shift>, x: X, y: Y, span: Span) -> Result<(), String>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
        Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let text = |error: DrawingAreaErrorKind<std::io::Error>| error.to_string();
        area.fill(&WHITE).map_err(text)?;
        let (area, legend) = area.split_horizontally(SIZE.0 - LEGEND);
        let mut builder = ChartBuilder::on(&area);
        builder.margin(10).x_label_area_size(40).y_label_area_size(60);
        let mut chart = builder.build_cartesian_2d(x, y).map_err(text)?;
        let mut mesh = chart.configure_mesh();
        mesh.light_line_style(TRANSPARENT)
            .bold_line_style(RGBColor(0xdd, 0xdd, 0xdd))
            .axis_style(RGBColor(0x88, 0x88, 0x88));
        mesh.x_desc(&self.axes.0).y_desc(&self.axes.1).label_style(("sans-serif", 12));
        mesh.x_label_formatter(&|value| short(*value)).y_label_formatter(&|value| short(*value));
        mesh.draw().map_err(text)?;
        if self.diagonal {
            let line = [(span.low, span.low), (span.high, span.high)];
            chart.draw_series(LineSeries::new(line, RGBColor(0xbb, 0xbb, 0xbb))).map_err(text)?;
        }
        for (number, series) in self.series.iter().enumerate() {
            let color = COLORS[number % COLORS.len()];
            if series.line {
                chart.draw_series(LineSeries::new(series.points.iter().copied(), color)).map_err(text)?;
            }
            let points = series.points.iter().map(|&point| Circle::new(point, 3, color.mix(0.75).filled()));
            chart.draw_series(points).map_err(text)?;
            let at = 24 + 20 * number as i32;
            legend.draw(&Circle::new((6, at), 3, color.filled())).map_err(text)?;
            legend.draw(&Text::new(series.name.as_str(), (16, at - 6), ("sans-serif", 12))).map_err(text)?;
        }
        Ok(())
    }
}

/// A number at an axis.
fn short(value: f64) -> String {
    match value.abs() {
        large if large >= 1e6 => format!("{value:.0e}"),
        whole if whole.fract() == 0.0 => format!("{value}"),
        _ => format!("{}", (value * 1000.0).round() / 1000.0),
    }
}

/// From the least to the greatest value.
#[derive(Clone, Copy)]
struct Span {
    low: f64,
    high: f64,
}

impl Span {
    fn of(values: impl Iterator<Item = f64>) -> Option<Span> {
        values.map(|value| Span { low: value, high: value }).reduce(Span::and)
    }

    fn and(self, other: Span) -> Span {
        Span { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// With some room, so that no point is at the edge.
    fn widened(self, scale: Scale) -> Span {
        match scale {
            Scale::Log => Span { low: self.low / 1.5, high: self.high * 1.5 },
            Scale::Linear => {
                let room = ((self.high - self.low) / 20.0).max(1e-9 + self.high.abs() / 1e6);
                Span {
                    low: if self.low >= 0.0 { (self.low - room).max(0.0) } else { self.low - room },
                    high: self.high + room,
                }
            }
        }
    }

    fn range(self) -> std::ops::Range<f64> {
        self.low..self.high
    }
}
