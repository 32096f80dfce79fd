//! What may be changed about specialising: bounds, families, what is kept, what is loaded.
//!
//! In: names and numbers, as on the command line. Out: the settings of the specialiser. Invariant: a
//! name that does not exist is an answer with the nearest one, never ignored.

use rulesmith_logic::{PredicateId, Source};
use rulesmith_rules::{Theory, nearest};
use rulesmith_specialize::metarules::{Families, Family};
use rulesmith_specialize::{Bounds, Settings};

use super::SpecializeFailure;
use super::metarules::FAMILIES;

/// What may be changed.
#[derive(Clone, Debug)]
pub struct SpecializeOptions {
    /// Predicates that are called, never unfolded.
    pub keep: Vec<String>,
    /// Bounds by name.
    pub bounds: Vec<(String, u64)>,
    /// Families of metarules that are not used.
    pub without: Vec<String>,
    /// Are only proved metarules used?
    pub is_proved_only: bool,
    /// Are conditions after a move turned into conditions before it?
    pub regresses: bool,
    /// Seed of the random contests that states are sampled from.
    pub seed: u64,
    /// Metarules written before.
    pub metarules: Option<String>,
    /// Values of known arguments, at which costs are measured.
    pub at: Vec<(String, String)>,
}

impl Default for SpecializeOptions {
    fn default() -> Self {
        Self {
            keep: Vec::new(),
            bounds: Vec::new(),
            without: Vec::new(),
            is_proved_only: false,
            regresses: true,
            seed: 1,
            metarules: None,
            at: Vec::new(),
        }
    }
}

/// The settings of the specialiser.
pub(super) fn settings(
    theory: &Theory,
    options: &SpecializeOptions,
) -> Result<Settings, SpecializeFailure> {
    let mut bounds = Bounds { regress: options.regresses, ..Bounds::default() };
    for (name, value) in &options.bounds {
        let value = usize::try_from(*value).unwrap_or(usize::MAX);
        *bound(&mut bounds, name)? = value;
    }
    for name in &options.keep {
        bounds.keep.extend(kept(theory, name)?);
    }
    let mut families = Families::ALL;
    for name in &options.without {
        families = families.without(family(name)?);
    }
    if options.is_proved_only {
        families = families.without(Family::Declared);
    }
    Ok(Settings { bounds, families, ..Settings::default() })
}

const BOUNDS: [&str; 9] = [
    "conditions",
    "variables",
    "depth",
    "clauses",
    "definitions",
    "recursion",
    "ways",
    "regression",
    "negations",
];

fn bound<'b>(bounds: &'b mut Bounds, name: &str) -> Result<&'b mut usize, SpecializeFailure> {
    Ok(match name {
        "conditions" => &mut bounds.conditions,
        "variables" => &mut bounds.variables,
        "depth" => &mut bounds.depth,
        "clauses" => &mut bounds.clauses,
        "definitions" => &mut bounds.definitions,
        "recursion" => &mut bounds.recursion,
        "ways" => &mut bounds.ways,
        "regression" => &mut bounds.regression,
        "negations" => &mut bounds.negations,
        _ => return Err(unknown("bound", name, &BOUNDS)),
    })
}

fn family(name: &str) -> Result<Family, SpecializeFailure> {
    let found = FAMILIES.iter().find(|(other, _)| *other == name);
    let names: Vec<&str> = FAMILIES.iter().map(|(name, _)| *name).collect();
    found.map(|(_, family)| *family).ok_or_else(|| unknown("family of metarules", name, &names))
}

fn kept(theory: &Theory, name: &str) -> Result<Vec<PredicateId>, SpecializeFailure> {
    let defined = theory.base.predicates.iter().zip(0..);
    let defined: Vec<_> = defined.filter(|(one, _)| one.source == Source::Clauses).collect();
    let found = defined.iter().filter(|(one, _)| one.name == name);
    let found: Vec<PredicateId> = found.map(|(_, id)| PredicateId(*id)).collect();
    if found.is_empty() {
        let names: Vec<&str> = defined.iter().map(|(one, _)| one.name.as_str()).collect();
        return Err(unknown("predicate that clauses define", name, &names));
    }
    Ok(found)
}

fn unknown(kind: &str, name: &str, names: &[&str]) -> SpecializeFailure {
    let help = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there is {}", names.join(", ")),
    };
    SpecializeFailure::Option { message: format!("there is no {kind} `{name}`"), help }
}
