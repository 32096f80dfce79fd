//! Binding patterns: a condition as an ordering metarule sees it.
//!
//! In: a predicate, and for each argument whether its value is known and who found it. Out: the key
//! an estimate is filed under. Paper: metameta §3.3. Invariant: two conditions with one pattern have
//! one estimate.

use std::fmt::Write as _;

use rulesmith_logic::{PredicateId, Value};

/// An atom without its variables: what is known of each argument before it is tried.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern {
    /// The predicate.
    pub predicate: PredicateId,
    /// What is known of each argument.
    pub arguments: Vec<Argument>,
    /// The atoms that bound the arguments.
    pub binders: Vec<Binder>,
}

/// What is known of an argument before its atom is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Argument {
    /// Nothing: the atom binds it.
    Free,
    /// It is the variable of the argument at this earlier place.
    Same(usize),
    /// It is this value.
    Constant(Value),
    /// Its value is known and nobody knows from where.
    Known,
    /// Its value was bound by an argument of one of the binders of the pattern.
    Bound {
        /// Which binder.
        binder: usize,
        /// Which argument of the binder.
        place: usize,
    },
}

/// An atom that bound an argument: its predicate and its constants.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Binder {
    /// The predicate.
    pub predicate: PredicateId,
    /// The arguments that are constants.
    pub constants: Vec<(usize, Value)>,
}

impl Pattern {
    /// The pattern of an atom whose known arguments come from nowhere in particular.
    pub fn of_mask(predicate: PredicateId, known: &[bool]) -> Self {
        let argument = |known: &bool| if *known { Argument::Known } else { Argument::Free };
        Self { predicate, arguments: known.iter().map(argument).collect(), binders: Vec::new() }
    }

    /// Is nothing left to bind?
    pub fn is_test(&self) -> bool {
        let is_free = |argument: &Argument| *argument == Argument::Free;
        !self.arguments.iter().any(is_free)
    }

    /// The next pattern of the back-off chain: who bound the arguments is forgotten.
    #[must_use]
    pub fn without_binders(&self) -> Self {
        let forget = |argument: &Argument| match argument {
            Argument::Bound { .. } => Argument::Known,
            other => *other,
        };
        let arguments = self.arguments.iter().map(forget).collect();
        Self { predicate: self.predicate, arguments, binders: Vec::new() }
    }

    /// The constants among the arguments, by place.
    pub(crate) fn constants(&self) -> Vec<(usize, Value)> {
        let constant = |(place, argument): (usize, &Argument)| match argument {
            Argument::Constant(value) => Some((place, *value)),
            _ => None,
        };
        self.arguments.iter().enumerate().filter_map(constant).collect()
    }

    /// As the paper writes it: `connected(+X, -Y)`, a known argument with `+`, a free one with `-`,
    /// and after a slash the predicate and argument that bound it.
    pub fn describe(
        &self,
        name: &dyn Fn(PredicateId) -> String,
        show: &dyn Fn(Value) -> String,
    ) -> String {
        let argument = |(place, argument): (usize, &Argument)| {
            let letter = letter(place);
            match argument {
                Argument::Free => format!("-{letter}"),
                Argument::Same(first) => self::letter(*first),
                Argument::Constant(value) => show(*value),
                Argument::Known => format!("+{letter}"),
                Argument::Bound { binder, place } => {
                    format!("+{letter}/{}", self.describe_binder(*binder, *place, name, show))
                }
            }
        };
        let mut text = name(self.predicate);
        let arguments: Vec<String> = self.arguments.iter().enumerate().map(argument).collect();
        if !arguments.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(text, "({})", arguments.join(", "));
        }
        text
    }

    fn describe_binder(
        &self,
        binder: usize,
        place: usize,
        name: &dyn Fn(PredicateId) -> String,
        show: &dyn Fn(Value) -> String,
    ) -> String {
        let Some(binder) = self.binders.get(binder) else { return String::new() };
        let mut words = vec![format!("{}.{}", name(binder.predicate), place + 1)];
        words.extend(binder.constants.iter().map(|(_, value)| show(*value)));
        words.join(" ")
    }
}

/// `X`, `Y`, `Z`, then `X1`, `Y1` and so on.
fn letter(place: usize) -> String {
    let letter = ["X", "Y", "Z"][place % 3];
    if place < 3 { letter.to_owned() } else { format!("{letter}{}", place / 3) }
}
