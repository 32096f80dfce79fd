//! Names of the theory: each stands for one thing only.
//!
//! In: the author's names. Out: the same names, with a number where one is taken already or means
//! something in the `.rules` language. Invariant: no name is given twice.

use rustc_hash::FxHashSet;

/// Words that start an item or a condition of the `.rules` language.
const RESERVED: &[&str] = &[
    "after",
    "any",
    "bool",
    "continue",
    "cycle",
    "data",
    "deferred",
    "derived",
    "display",
    "does",
    "draw",
    "effect",
    "fluent",
    "game",
    "glyph",
    "goal",
    "include",
    "init",
    "legal",
    "letters",
    "max",
    "min",
    "move",
    "notation",
    "object",
    "opponent",
    "param",
    "picture",
    "prefer",
    "repeated",
    "role",
    "rules",
    "since",
    "sort",
    "static",
    "target",
    "terminal",
    "transient",
    "turns",
];

/// The names given so far.
#[derive(Debug)]
pub(super) struct Names {
    taken: FxHashSet<String>,
}

impl Names {
    /// No names given; the words of the `.rules` language are taken.
    pub(super) fn new() -> Self {
        Self { taken: RESERVED.iter().map(|word| (*word).to_owned()).collect() }
    }

    /// No names given, none taken.
    pub(super) fn without_reserved() -> Self {
        Self { taken: FxHashSet::default() }
    }

    /// The wanted name, or the first of `wanted_2`, `wanted_3`, … that is free.
    pub(super) fn unique(&mut self, wanted: &str) -> String {
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let mut candidates = std::iter::once(wanted.to_owned()).chain(numbered);
        let free = candidates.find(|name| !self.taken.contains(name));
        let name = free.expect("there are endlessly many names");
        self.taken.insert(name.clone());
        name
    }
}
