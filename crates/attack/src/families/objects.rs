//! Random objects with members, and the arrays inside them.

use crate::program::Node;
use crate::rng::Rng;

/// Integers with their sizes.
const SCALARS: [(&str, usize); 8] = [
    ("char", 1),
    ("unsigned char", 1),
    ("short", 2),
    ("unsigned short", 2),
    ("int", 4),
    ("unsigned", 4),
    ("long", 8),
    ("unsigned long long", 8),
];

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    /// An integer and its size.
    Scalar(&'static str, usize),
    /// A position among the records.
    Record(usize),
    Array(Box<Ty>, usize),
}

impl Ty {
    /// The name of a type that is not an array.
    pub(crate) fn name(&self) -> String {
        match self {
            Ty::Scalar(name, _) => (*name).to_owned(),
            Ty::Record(r) => format!("struct s{r}$"),
            Ty::Array(element, _) => element.name(),
        }
    }

    fn declare(&self, name: &str) -> String {
        match self {
            Ty::Array(element, n) => element.declare(&format!("{name}[{n}]")),
            _ => format!("{} {name}", self.name()),
        }
    }
}

/// The record that something is a member of.
#[derive(Clone, Debug)]
pub(crate) struct Container {
    /// Its type.
    pub(crate) record: usize,
    /// The member, as `offsetof` names it.
    pub(crate) member: String,
    /// The record itself.
    pub(crate) path: String,
}

/// An array, or one object as an array of one.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    /// How it is named.
    pub(crate) path: String,
    /// What its elements are; not arrays.
    pub(crate) element: Ty,
    /// How many; none if it is not an array.
    pub(crate) length: Option<usize>,
    pub(crate) container: Option<Container>,
}

impl Spot {
    pub(crate) fn len(&self) -> usize {
        self.length.unwrap_or(1)
    }

    /// One of its elements, by name.
    pub(crate) fn at(&self, index: usize) -> String {
        if self.length.is_some() { format!("{}[{index}]", self.path) } else { self.path.clone() }
    }

    /// A pointer to one of its elements, or one past the end.
    pub(crate) fn address(&self, index: usize) -> String {
        match (self.length, index) {
            (Some(_), 0) => self.path.clone(),
            (Some(_), _) => format!("{} + {index}", self.path),
            (None, 0) => format!("&{}", self.path),
            (None, _) => format!("&{} + {index}", self.path),
        }
    }
}

/// The types and objects of a program.
pub(crate) struct Objects {
    records: Vec<Vec<(String, Ty)>>,
    /// Everything that has a name.
    pub(crate) spots: Vec<Spot>,
}

impl Objects {
    /// Draws types and objects; returns their declarations and what `main` has to do first.
    pub(crate) fn draw(rng: &mut Rng) -> (Objects, Vec<Node>, Vec<Node>) {
        let mut objects = Objects { records: Vec::new(), spots: Vec::new() };
        let (mut declarations, mut setup) = (Vec::new(), Vec::new());
        for _ in 0..rng.range(1, 3) {
            declarations.push(objects.record(rng));
        }
        for i in 0..rng.range(1, 3) {
            objects.object(i, rng, &mut declarations, &mut setup);
        }
        (objects, declarations, setup)
    }

    fn record(&mut self, rng: &mut Rng) -> Node {
        let members: Vec<(String, Ty)> =
            (0..rng.range(2, 5)).map(|i| (format!("m{i}"), self.member_type(rng))).collect();
        let text: Vec<String> = members.iter().map(|(name, ty)| format!("{};", ty.declare(name))).collect();
        let r = self.records.len();
        self.records.push(members);
        Node::leaf(format!("struct s{r}$ {{ {} }};", text.join(" ")))
    }

    fn member_type(&self, rng: &mut Rng) -> Ty {
        let plain = match self.records.len() {
            n if n > 0 && rng.percent(30) => Ty::Record(rng.below(n)),
            _ => {
                let (name, size) = *rng.pick(&SCALARS);
                Ty::Scalar(name, size)
            }
        };
        match rng.below(6) {
            0 => Ty::Array(Box::new(Ty::Array(Box::new(plain), rng.range(1, 3))), rng.range(1, 3)),
            1..=3 => Ty::Array(Box::new(plain), rng.range(1, 4)),
            _ => plain,
        }
    }

    /// An object: global, local or on the heap.
    fn object(&mut self, i: usize, rng: &mut Rng, declarations: &mut Vec<Node>, setup: &mut Vec<Node>) {
        let record = Ty::Record(self.records.len() - 1 - rng.below(self.records.len().min(2)));
        let ty = if rng.percent(30) { Ty::Array(Box::new(record.clone()), rng.range(1, 3)) } else { record.clone() };
        let name = format!("g{i}$");
        match rng.below(6) {
            0 => setup.push(Node::leaf(format!("{} = {{ 0 }};", ty.declare(&name)))),
            1 => {
                let n = rng.range(1, 3);
                let text = format!("{} *{name} = calloc({n}, sizeof *{name}); if (!{name}) return 0;", record.name());
                setup.push(Node::leaf(text));
                self.add(&name, &Ty::Array(Box::new(record), n), None, rng);
                return;
            }
            2 => declarations.push(Node::leaf(format!("static {};", ty.declare(&name)))),
            _ => declarations.push(Node::leaf(format!("{};", ty.declare(&name)))),
        }
        self.add(&name, &ty, None, rng);
    }

    /// Notes a place and what is in it; of the elements of an array, some.
    fn add(&mut self, path: &str, ty: &Ty, container: Option<Container>, rng: &mut Rng) {
        match ty {
            Ty::Array(element, n) if matches!(**element, Ty::Array(..)) => {
                let row = rng.below(*n);
                let container = container.map(|c| Container { member: format!("{}[{row}]", c.member), ..c });
                self.add(&format!("{path}[{row}]"), element, container, rng);
            }
            Ty::Array(element, n) => {
                let spot = Spot { path: path.to_owned(), element: (**element).clone(), length: Some(*n), container };
                let inside = spot.at(rng.below(*n));
                self.spots.push(spot);
                if let Ty::Record(r) = **element {
                    self.add_members(&inside, r, rng);
                }
            }
            _ => {
                self.spots.push(Spot { path: path.to_owned(), element: ty.clone(), length: None, container });
                if let Ty::Record(r) = ty {
                    self.add_members(path, *r, rng);
                }
            }
        }
    }

    fn add_members(&mut self, path: &str, record: usize, rng: &mut Rng) {
        for (member, ty) in self.records[record].clone() {
            let container = Container { record, member: member.clone(), path: path.to_owned() };
            self.add(&format!("{path}.{member}"), &ty, Some(container), rng);
        }
    }

    /// The members of a record that has a name.
    pub(crate) fn members_of(&self, path: &str) -> Vec<Spot> {
        let inside = |s: &&Spot| s.container.as_ref().is_some_and(|c| c.path == path);
        self.spots.iter().filter(inside).cloned().collect()
    }
}
