//! A store of specialised programs, so that a game met before is ready sooner.
//!
//! In: what a program is made from. Out: the program of an earlier run, if the store has one that belongs to
//! exactly this. Invariant: whatever a store hands over, the game is the same; a text that cannot be used is
//! as good as none. Files are the business of whoever keeps the store.

use std::collections::BTreeSet;

use rulesmith_compile::{ReferenceGame, Sampling};
use rulesmith_logic::PredicateId;
use rulesmith_rules::Request;
use rulesmith_specialize::{Bounds, Knowledge, Specialized, program_key, read_program};

use crate::engine::{GameSource, PrepareWatch};

/// Keeps texts of programs under their keys.
pub trait ProgramStore {
    /// What tells this program from other versions of it, which may specialise in other ways.
    fn version(&self) -> &str;
    /// The text under a key, if there is one.
    fn load(&mut self, key: &str) -> Option<String>;
    /// Keeps a text under a key, if it can.
    fn save(&mut self, key: &str, text: &str);
}

/// The key of what the kernels of a game are made from; none without a store.
pub(crate) fn kernel_key(
    source: &GameSource,
    (requests, keep): (&[Request], &BTreeSet<PredicateId>),
    watch: &mut dyn PrepareWatch,
) -> Option<String> {
    let store = watch.store()?;
    let (sampling, bounds) = (Sampling::default(), Bounds::default());
    let requests: Vec<_> = requests.iter().map(|one| (one.predicate, &one.args)).collect();
    Some(program_key(&[
        &store.version(),
        &source.theory,
        &source.limits,
        &sampling,
        &bounds,
        &requests,
        keep,
    ]))
}

/// The program under a key.
pub(crate) fn load(
    game: &ReferenceGame,
    knowledge: &Knowledge<'_>,
    key: &str,
    watch: &mut dyn PrepareWatch,
) -> Option<Specialized> {
    let text = watch.store()?.load(key)?;
    let mut symbols = game.solver().symbols().borrow_mut();
    read_program(&text, key, &knowledge.theory.base, &mut symbols).ok()
}
