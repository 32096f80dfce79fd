//! The outset: what a specialiser knows before it looks at a request.
//!
//! In: knowledge of a theory, and settings. Out: a store of metarules that were mined, that follow from the definition of
//! objects or that the author wrote. It takes a while to be found, and serves every specialiser of the same theory. Paper:
//! metameta §3.1, §3.2. Invariant: it depends on the theory and the settings alone.

use crate::author::{AuthorsMetarule, Standing, authors_metarules};
use crate::knowledge::Knowledge;
use crate::metarules::{Declarations, MiningLimits, Store, Symmetry, mine};
use crate::object_laws::{borders, object_laws};
use crate::program::Settings;

/// Patterns that are mined before any clause is unfolded. Rules with dozens of static relations have
/// thousands, of which their clauses need few; what clauses need besides is mined when they do.
const EAGER_PATTERNS: usize = 300;

/// What a specialiser knows before it looks at a request.
#[derive(Clone, Debug)]
pub struct Outset {
    pub(crate) store: Store,
    pub(crate) authors: Vec<AuthorsMetarule>,
}

impl Outset {
    /// What follows from a theory and its static facts.
    pub fn new(knowledge: &Knowledge<'_>, settings: &Settings) -> Self {
        let theory = knowledge.theory;
        let borders = borders(theory, &knowledge.facts);
        let declarations = Declarations::of(theory).with_borders(borders);
        let mut store = Store::new(declarations, settings.families);
        for law in object_laws(theory) {
            store.add(law);
        }
        if settings.mines_eagerly {
            let limits = MiningLimits { patterns: EAGER_PATTERNS, ..MiningLimits::default() };
            for metarule in mine(&knowledge.facts, Symmetry::AsWritten, limits).metarules {
                store.add(metarule);
            }
        }
        let mut authors = authors_metarules(knowledge);
        for one in &mut authors {
            if let Standing::Dependency(metarule) = &one.standing {
                one.id = Some(store.add((**metarule).clone()));
            }
        }
        Self { store, authors }
    }
}
