//! Systems of transition constraints like those of \[Subsumer\], which were never published: of the same nature and size
//! class. The small ones are the files of `examples/armc`; products of automata, which have up to 80 MB, are made by programs, and
//! their small versions are examples too.

mod gasburner;
mod odometry;
mod product;
mod system;
mod train;

use odometry::Bound;

/// A system: its name, and its text when it is needed (the largest has 80 MB).
pub(crate) type Model = (&'static str, fn() -> String);

/// The text of an example.
macro_rules! example {
    ($name:literal) => {
        ($name, || include_str!(concat!("../../../../examples/armc/", $name, ".armc")).to_owned())
    };
}

/// All systems. The names are those of the paper's tables; `-small` are of the same kind, and `-err` are unsafe.
pub(crate) fn all() -> Vec<Model> {
    vec![
        example!("bakery3"),
        example!("triple2"),
        ("gasburner-small", || gasburner::gasburner(30, 0)),
        ("gasburner-err", || gasburner::gasburner(5, 0)),
        ("gasburner", || gasburner::gasburner(30, 2)),
        ("odometry-small", || odometry::odometry(Bound::Lower, 1, 1, false)),
        ("odometry-err", || odometry::odometry(Bound::Upper, 2, 1, false)),
        ("odometry", || odometry::odometry(Bound::Lower, 1, 2, false)),
        ("odometrys1lb", || odometry::odometry(Bound::Lower, 1, 5, true)),
        ("odometrys1ub", || odometry::odometry(Bound::Upper, 1, 5, true)),
        ("odometrys2ub", || odometry::odometry(Bound::Width, 1, 5, true)),
        ("control-small", || train::control(1, 4, 0)),
        ("control-err", || train::control(1, 0, 0)),
        ("rtalltcs", || train::control(3, 4, 2)),
        ("timing-small", || train::timing(4, 2, 0)),
        ("timing", || train::timing(8, 9, 0)),
        example!("model-test01"),
        example!("model-test13"),
    ]
}

#[cfg(test)]
mod tests {
    use clinch_frontend::{Input, Language, Options, read};

    use super::all;

    /// Examples are not larger than this.
    const SMALL: usize = 200_000;

    /// The small systems are in `examples/armc` (`UPDATE_EXPECT=1` writes them).
    #[test]
    fn small_systems_are_examples() {
        for (name, text) in all().into_iter().filter(|(name, _)| *name != "timing") {
            let text = text();
            if text.len() < SMALL {
                let path = format!("../../../../examples/armc/{name}.armc");
                expect_test::expect_file![path].assert_eq(&text);
            }
        }
    }

    /// All systems are read, and no transition chooses values its constraints restrict: one step each.
    #[test]
    fn systems_are_read() {
        for (name, text) in all().into_iter().filter(|(name, _)| *name != "timing") {
            let text = text();
            let input = read(Language::Armc, name, text.as_bytes(), &Options::default());
            let Ok(Input::Program(program)) = input else { panic!("{name}: {input:?}") };
            let transitions = text.lines().filter(|l| l.starts_with("r(")).count();
            assert_eq!(program.transitions.len(), transitions, "{name}");
            assert_eq!(name.ends_with("-err"), text.contains("% expect: unsafe"), "{name}");
        }
    }

    /// Those the paper gives the size of exactly.
    #[test]
    fn sizes_are_those_of_the_paper() {
        for (name, vars, transitions, locations) in [("bakery3", 9, 31, 3), ("triple2", 3, 8, 3)] {
            let (_, text) = all().into_iter().find(|m| m.0 == name).expect("a system");
            let input = read(Language::Armc, name, text().as_bytes(), &Options::default());
            let Ok(Input::Program(program)) = input else { panic!("{name}: {input:?}") };
            let size = (program.vars.len(), program.transitions.len(), program.processes[0].locations.len());
            assert_eq!(size, (vars, transitions, locations), "{name}");
        }
    }
}
