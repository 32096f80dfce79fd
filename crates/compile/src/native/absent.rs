//! Patterns that need something of which there may be none.
//!
//! In: patterns. Out: groups of them: those that are asked for anyway, and for each value that many of them need
//! somewhere those that do. Invariant: where no key has the value, no pattern of its group holds.

use rulesmith_kernel::{Statement, Word};
use rustc_hash::FxHashMap;

use super::Obstacle;
use super::classes::{Class, Relative};
use super::emit::{Emitter, Places};
use super::ground::Tested;
use super::optimizations::Optimization;

/// Whether a value is there is asked where this spares so many operations on words, or more.
const WORTH_ASKING: usize = 64;

/// Patterns that need one value, or none that would be asked for first.
pub(super) struct Needing<T> {
    pub(super) value: Option<Tested>,
    pub(super) patterns: Vec<T>,
}

/// Patterns by the value they need. Those that need several stand with the one that the fewest need.
pub(super) fn by_need<T>(
    places: Places<'_>,
    patterns: Vec<T>,
    class: impl Fn(&T) -> &Class,
) -> Vec<Needing<T>> {
    let mut costs: FxHashMap<Tested, usize> = FxHashMap::default();
    if places.optimizations.has(Optimization::AbsentValues) {
        for pattern in &patterns {
            let class = class(pattern);
            for value in values(places, class) {
                *costs.entry(value).or_default() += cost(places, class);
            }
        }
    }
    costs.retain(|_, cost| *cost >= WORTH_ASKING);
    let mut groups = vec![Needing { value: None, patterns: Vec::new() }];
    for pattern in patterns {
        let needed = values(places, class(&pattern)).filter(|value| costs.contains_key(value));
        let value = needed.min_by_key(|value| (costs[value], *value));
        match groups.iter_mut().find(|group| group.value == value) {
            Some(group) => group.patterns.push(pattern),
            None => groups.push(Needing { value, patterns: vec![pattern] }),
        }
    }
    groups
}

/// The values that a pattern needs on some key. What keys have by default is hardly ever absent.
fn values(places: Places<'_>, class: &Class) -> impl Iterator<Item = Tested> {
    let needed = move |relative: &Relative| match relative.tested {
        Tested::Fluent(id, value) if relative.holds => {
            let fluent = places.layout.fluent(id);
            let is_rare = fluent.default != Some(value) && fluent.names_keys.is_none();
            (is_rare && places.width(relative.tested).is_some()).then_some(relative.tested)
        }
        _ => None,
    };
    class.relatives.iter().filter_map(needed)
}

fn cost(places: Places<'_>, class: &Class) -> usize {
    let widths = class.relatives.iter().filter_map(|relative| places.width(relative.tested));
    widths.map(usize::from).sum()
}

impl Emitter<'_> {
    /// Work that is done only where a key has the value, if one is needed.
    pub(super) fn where_needed(
        &mut self,
        value: Option<Tested>,
        work: impl FnOnce(&mut Self) -> Result<(), Obstacle>,
    ) -> Result<(), Obstacle> {
        let Some(value) = value else { return work(self) };
        let (keys, _) = self.tested(value)?;
        let (statements, done) = self.block(work);
        done?;
        self.push(Statement::If(Word::Any(Box::new(keys)), statements, Vec::new()));
        Ok(())
    }
}
