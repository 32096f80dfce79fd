//! Moves as movements of the language.
//!
//! In: moves of one form with all their directions. Out: texts of movements, as few as symmetries allow. Invariant: together they have exactly
//! the directions that were given.

use std::collections::BTreeSet;

use super::betza::{Form, Way};

/// Every symmetry at once.
const ALL: &str = "all_symmetry";

/// The symmetries of the language, those that ask for least last.
const SYMMETRIES: &[(&str, bool, bool, bool)] = &[
    (ALL, true, true, true),
    ("{forward side}", true, true, false),
    ("{rotation}", false, false, true),
    ("{forward}", true, false, false),
    ("{side}", false, true, false),
    ("{}", false, false, false),
];

/// The movements of some directions; `guards` stand behind each symmetry.
pub(super) fn movements(form: Form, ways: &BTreeSet<Way>, guards: &str) -> Vec<String> {
    let mut left = ways.clone();
    let mut texts = Vec::new();
    while let Some(&way) = left.last() {
        let fitting = SYMMETRIES.iter().map(|(name, forward, side, rotation)| {
            (*name, images(way, (*forward, *side, *rotation)))
        });
        let whole = fitting.filter(|(_, images)| images.is_subset(&left));
        // All of them, or the last of those with most images, which asks for the fewest.
        let most = whole.max_by_key(|(name, images)| (images.len(), *name == ALL));
        let (name, images) = most.expect("a direction alone is its own image");
        left.retain(|way| !images.contains(way));
        let guards = if guards.is_empty() { String::new() } else { format!(" {guards}") };
        texts.push(format!("MOVEMENT {} SYMMETRY {name}{guards} END MOVEMENT", path(form, way)));
    }
    texts
}

fn images(way: Way, (forward, side, rotation): (bool, bool, bool)) -> BTreeSet<Way> {
    let mut all = BTreeSet::from([way]);
    loop {
        let flips = |(x, y): &Way| [(forward, (*x, -*y)), (side, (-*x, *y)), (rotation, (*y, *x))];
        let named = all.iter().flat_map(flips).filter(|(is_named, _)| *is_named);
        let more: BTreeSet<Way> = named.map(|(_, way)| way).chain(all.iter().copied()).collect();
        if more.len() == all.len() {
            return all;
        }
        all = more;
    }
}

fn path(form: Form, (x, y): Way) -> String {
    match form {
        Form::Leap => format!("LEAP <{x},{y}>"),
        Form::Lame => {
            // The first step is straight along the longer side, the next one diagonal.
            let first = if x.abs() > y.abs() { (x.signum(), 0) } else { (0, y.signum()) };
            let second = (first.0 + x.signum(), first.1 + y.signum());
            let last = if x.abs().max(y.abs()) > 2 {
                format!(" <{},{}>", second.0, second.1)
            } else {
                String::new()
            };
            format!("LEAP LAME <{},{}>{last} <{x},{y}>", first.0, first.1)
        }
        Form::Ride(least, most) => {
            let least = least.map_or(String::new(), |least| format!(" MIN {least}"));
            let most = most.map_or(String::new(), |most| format!(" MAX {most}"));
            format!("RIDE{least}{most} <{x},{y}>")
        }
        Form::Hop => hop(">= 0", (x, y)),
        Form::Grasshop => hop("= 0", (x, y)),
    }
}

fn hop(after: &str, (x, y): Way) -> String {
    format!(
        "HOP BEFORE [X >= 0] OVER [X = 1] AFTER [X {after}] HOP_OVER [any_player any_piece] <{x},{y}>"
    )
}

#[cfg(test)]
mod tests {
    use super::movements;
    use crate::scl::import::betza::parse;

    fn check(word: &str, expected: &[&str]) {
        let moves = parse(word).unwrap();
        let texts: Vec<String> =
            moves.iter().flat_map(|one| movements(one.form, &one.ways, "")).collect();
        let expected: Vec<String> =
            expected.iter().map(|text| format!("MOVEMENT {text} END MOVEMENT")).collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn directions_become_as_few_movements_as_possible() {
        check("N", &["LEAP <2,1> SYMMETRY all_symmetry"]);
        check("fsW", &["LEAP <1,0> SYMMETRY {side}", "LEAP <0,1> SYMMETRY {}"]);
        check("fF", &["LEAP <1,1> SYMMETRY {side}"]);
        check("nN", &["LEAP LAME <1,0> <2,1> SYMMETRY all_symmetry"]);
        check("nZ", &["LEAP LAME <1,0> <2,1> <3,2> SYMMETRY all_symmetry"]);
        check("vR", &["RIDE <0,1> SYMMETRY {forward}"]);
        check("rF", &["LEAP <1,1> SYMMETRY {forward}"]);
    }
}
