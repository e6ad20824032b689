//! Graphs as pictures, laid out by the crate `layout-rs`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use layout::adt::dag::NodeHandle;
use layout::backends::svg::SVGWriter;
use layout::core::base::Orientation;
use layout::core::color::Color;
use layout::core::geometry::Point;
use layout::core::style::StyleAttr;
use layout::std_shapes::shapes::{Arrow, Element, ShapeKind};
use layout::topo::layout::VisualGraph;

const PLAIN: u32 = 0xff_ff_ff_ff;
const MARKED: u32 = 0xff_e0_66_ff;
const INK: u32 = 0x33_33_33_ff;
const ARROW: u32 = 0x55_55_55_ff;
const ERROR: u32 = 0xc9_2a_2a_ff;
/// Characters at an arrow that are shown.
const LABEL: usize = 44;

/// A graph that is going to be drawn.
pub(super) struct Picture(VisualGraph);

/// What a node looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Circle,
    DoubleCircle,
    Box,
}

impl Picture {
    pub(super) fn new() -> Picture {
        Picture(VisualGraph::new(Orientation::TopToBottom))
    }

    pub(super) fn node(&mut self, label: &str, shape: Shape, is_marked: bool) -> NodeHandle {
        let kind = match shape {
            Shape::Circle => ShapeKind::new_circle(label),
            Shape::DoubleCircle => ShapeKind::new_double_circle(label),
            Shape::Box => ShapeKind::new_box(label),
        };
        let fill = Color::new(if is_marked { MARKED } else { PLAIN });
        let look = StyleAttr::new(Color::new(INK), 1, Some(fill), 0, 13);
        let longest = label.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let size = Point::new(20.0 + 9.0 * longest as f64, 14.0 + 16.0 * label.lines().count().max(1) as f64);
        self.0.add_node(Element::create(kind, look, Orientation::TopToBottom, size))
    }

    pub(super) fn arrow(&mut self, from: NodeHandle, to: NodeHandle, label: &str, is_error: bool) {
        let label = match label.char_indices().nth(LABEL) {
            Some((end, _)) => format!("{}…", &label[..end]),
            None => label.to_owned(),
        };
        let mut arrow = Arrow::simple(&label);
        arrow.look = StyleAttr::new(Color::new(if is_error { ERROR } else { ARROW }), 1, None, 0, 11);
        self.0.add_edge(arrow, from, to);
    }

    /// The picture, as a part of a page; nothing if the layout fails.
    pub(super) fn svg(mut self) -> Option<String> {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let drawn = catch_unwind(AssertUnwindSafe(|| {
            let mut svg = SVGWriter::new();
            self.0.do_it(false, false, false, &mut svg);
            svg.finalize()
        }));
        std::panic::set_hook(hook);
        drawn.ok().and_then(|svg| svg.find("<svg").map(|start| svg[start..].to_owned()))
    }
}
