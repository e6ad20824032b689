//! Random walks of pointers over objects. Where each of them points to is known, so that no walk leaves its array; what it
//! writes is gcc's business.

use super::detours::{DECLARATIONS, DETOURS};
use super::objects::{Objects, Spot, Ty};
use crate::program::Node;
use crate::rng::Rng;
use crate::trap::Body;

/// A pointer in the program, and where it points to.
#[derive(Clone)]
struct Pointer {
    name: String,
    spot: Spot,
    index: usize,
}

struct Walk<'a> {
    rng: &'a mut Rng,
    objects: Objects,
    pointers: Vec<Pointer>,
    setup: Vec<Node>,
    hidden: Vec<Node>,
    /// What was written, by name.
    written: Vec<String>,
}

/// A random walk.
pub(crate) fn body(rng: &mut Rng) -> Body {
    let (objects, declarations, setup) = Objects::draw(rng);
    let mut walk = Walk { rng, objects, pointers: Vec::new(), setup, hidden: Vec::new(), written: Vec::new() };
    walk.start();
    for _ in 0..walk.rng.range(2, 7) {
        walk.step();
    }
    for _ in 0..walk.rng.range(1, 3) {
        walk.write();
    }
    let check = walk.observations();
    let mut all = needed(&walk.setup, &walk.hidden);
    all.extend(declarations);
    Body { declarations: all, setup: walk.setup, hidden: walk.hidden, check, ..Body::default() }
}

/// The declarations that statements ask for.
fn needed(setup: &[Node], hidden: &[Node]) -> Vec<Node> {
    let uses = |word: &str| setup.iter().chain(hidden).any(|node| node.tail.contains(word));
    DECLARATIONS.iter().filter(|(word, _)| uses(word)).map(|(_, text)| Node::leaf(*text)).collect()
}

impl Walk<'_> {
    fn step(&mut self) {
        match self.rng.below(10) {
            0 => self.start(),
            1 | 2 => self.shift(),
            3 | 4 => self.detour(),
            5 | 6 => self.container(),
            7 => self.descend(),
            _ => self.write(),
        }
    }

    fn declare(&mut self, spot: Spot, index: usize, value: &str) {
        let name = format!("p{}", self.pointers.len());
        self.setup.push(Node::leaf(format!("{} *{name} = {value};", spot.element.name())));
        self.pointers.push(Pointer { name, spot, index });
    }

    /// A pointer to something with a name, or just behind it.
    fn start(&mut self) {
        let spot = self.rng.pick(&self.objects.spots).clone();
        let index = self.rng.range(0, spot.len());
        let value = spot.address(index);
        self.declare(spot, index, &value);
    }

    fn pointer(&mut self) -> Pointer {
        self.rng.pick(&self.pointers).clone()
    }

    /// `p + d` for a place in the same array or its end.
    fn moved(&mut self, p: &Pointer, to: usize) -> String {
        let distance = to as i64 - p.index as i64;
        let number = self.number(distance.unsigned_abs() as usize);
        match (distance, self.rng.below(3)) {
            (0, 0) => p.name.clone(),
            (0.., _) => format!("{} + {number}", p.name),
            (_, 0) => format!("{} + -(int){number}", p.name),
            _ => format!("{} - {number}", p.name),
        }
    }

    /// A number, as itself or as something only a run knows.
    fn number(&mut self, n: usize) -> String {
        match self.rng.below(3) {
            0 if n <= 8 => format!("v{n}$"),
            1 => format!("({n} + v0$)"),
            _ => n.to_string(),
        }
    }

    fn shift(&mut self) {
        let p = self.pointer();
        let to = self.rng.range(0, p.spot.len());
        let mut value = self.moved(&p, to);
        if self.rng.percent(20) {
            let distance = to as i64 - p.index as i64;
            value = format!("({0} *)((char *){1} + {distance} * (long)sizeof({0}))", p.spot.element.name(), p.name);
        }
        self.declare(p.spot, to, &value);
    }

    fn detour(&mut self) {
        let p = self.pointer();
        let (name, detour) = (format!("p{}", self.pointers.len()), *self.rng.pick(&DETOURS));
        let text = words(detour, |word| match word {
            "P" => Some(p.name.clone()),
            "T" => Some(p.spot.element.name()),
            "R" => Some(name.clone()),
            _ => word.strip_suffix('U').map(|stem| format!("{stem}_{name}")),
        });
        self.setup.push(Node::leaf(text));
        self.pointers.push(Pointer { name, ..p });
    }

    /// From a member to the record it is in.
    fn container(&mut self) {
        let p = self.pointer();
        let Some(container) = p.spot.container.clone() else { return self.detour() };
        let start = self.moved(&p, 0);
        let record = Ty::Record(container.record);
        let value = format!("({0} *)((char *)({start}) - offsetof({0}, {1}))", record.name(), container.member);
        let spots = &self.objects.spots;
        let known =
            spots.iter().find_map(|s| (0..s.len()).find(|&i| s.at(i) == container.path).map(|i| (s.clone(), i)));
        let Some((spot, index)) = known else { return };
        self.declare(spot, index, &value);
    }

    /// From a record to one of its members.
    fn descend(&mut self) {
        let p = self.pointer();
        let members = if p.index < p.spot.len() { self.objects.members_of(&p.spot.at(p.index)) } else { Vec::new() };
        if members.is_empty() {
            return self.shift();
        }
        let spot = self.rng.pick(&members).clone();
        let index = self.rng.range(0, spot.len());
        let member = spot.container.as_ref().map(|c| c.member.clone()).unwrap_or_default();
        let through = Spot { path: format!("{}->{member}", p.name), ..spot.clone() };
        self.declare(spot, index, &through.address(index));
    }

    /// A write through a pointer: by elements, by bytes, of a whole record, by a function.
    fn write(&mut self) {
        let p = self.pointer();
        let to = self.rng.below(p.spot.len());
        let place = self.moved(&p, to);
        let value = self.rng.range(1, 120);
        let text = match (&p.spot.element, self.rng.below(6)) {
            (Ty::Scalar(..), 0..=2) => format!("*({place}) = {value};"),
            (Ty::Scalar(..), 3) => format!("{}[{}] += {value};", p.name, to as i64 - p.index as i64),
            (Ty::Scalar(_, size), 4) => {
                format!("((unsigned char *)({place}))[{}] = {value};", self.rng.below(*size))
            }
            (Ty::Scalar(..), _) => format!("memset({place}, {value}, sizeof *{});", p.name),
            (_, 0..=3) => match self.member_write(&p, to, &place, value) {
                Some(text) => text,
                None => return,
            },
            _ => format!("memset({place}, {value}, sizeof *{});", p.name),
        };
        self.written.push(p.spot.at(to));
        let list = if self.rng.percent(65) { &mut self.hidden } else { &mut self.setup };
        list.push(Node::leaf(text));
    }

    fn member_write(&mut self, p: &Pointer, to: usize, place: &str, value: usize) -> Option<String> {
        let members = self.objects.members_of(&p.spot.at(to));
        let scalars: Vec<Spot> = members.into_iter().filter(|m| matches!(m.element, Ty::Scalar(..))).collect();
        if scalars.is_empty() {
            return None;
        }
        let spot = self.rng.pick(&scalars).clone();
        let index = self.rng.below(spot.len());
        self.written.push(spot.at(index));
        let member = spot.container.as_ref()?.member.clone();
        let through = Spot { path: format!("({place})->{member}"), ..spot };
        Some(format!("{} = {value};", through.at(index)))
    }

    /// Reads what was written by its name, and more by pointers.
    fn observations(&mut self) -> Vec<Node> {
        let mut texts = Vec::new();
        let scalars: Vec<Spot> =
            self.objects.spots.iter().filter(|s| matches!(s.element, Ty::Scalar(..))).cloned().collect();
        for spot in &scalars {
            for i in 0..spot.len() {
                let place = spot.at(i);
                if self.written.iter().any(|w| place.starts_with(w.as_str())) || self.rng.percent(10) {
                    texts.push(place);
                }
            }
        }
        for p in self.pointers.clone() {
            if matches!(p.spot.element, Ty::Scalar(..)) && self.rng.percent(40) {
                let to = self.rng.below(p.spot.len());
                texts.push(format!("*({})", self.moved(&p, to)));
            }
        }
        texts.into_iter().map(|text| Node::leaf(format!("OBSERVE({text});"))).collect()
    }
}

/// The text with some of its words replaced.
fn words(text: &str, replace: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() || c == '_' || c == '$' {
            word.push(c);
            continue;
        }
        out.push_str(&replace(&word).unwrap_or_else(|| word.clone()));
        word.clear();
        out.push(c);
    }
    out.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_replaced_whole() {
        let text = words("T *R = TP; tU = P;", |w| match w {
            "T" => Some("int".to_owned()),
            "P" => Some("q".to_owned()),
            "R" => Some("r".to_owned()),
            _ => w.strip_suffix('U').map(|s| format!("{s}_1")),
        });
        assert_eq!(text, "int *r = TP; t_1 = q;");
    }
}
