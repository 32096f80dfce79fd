//! A store of specialised programs and of kernels, so that a game met before is ready sooner.
//!
//! In: what they are made from. Out: those of an earlier run, if the store has some that belong to exactly this.
//! Invariant: whatever a store hands over, the game is the same; bytes that cannot be used are as good as none. Files
//! are the business of whoever keeps the store.

use std::collections::BTreeSet;

use rulesmith_compile::{
    KernelGame, Obstacle, Optimizations, ReferenceGame, Sampling, read_kernels, write_kernels,
};
use rulesmith_logic::PredicateId;
use rulesmith_rules::Request;
use rulesmith_specialize::{Bounds, Specialized, program_key, read_program, write_program};

use crate::engine::{GameSource, PrepareWatch};

/// Keeps programs and kernels under their keys.
pub trait ProgramStore {
    /// What tells this program from other versions of it, which may specialise in other ways.
    fn version(&self) -> &str;
    /// The bytes under a key, if there are some.
    fn load(&mut self, key: &str) -> Option<Vec<u8>>;
    /// Keeps bytes under a key, if it can.
    fn save(&mut self, key: &str, bytes: &[u8]);
}

/// The key of the program that the kernels of a game are made from; none without a store.
pub(crate) fn kernel_program_key(
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

/// The key of the kernels that are made from a program.
pub(crate) fn kernel_key(program: &str, optimizations: Optimizations) -> String {
    program_key(&[&program, &optimizations])
}

/// The program under a key.
pub(crate) fn load_program(
    game: &ReferenceGame,
    key: &str,
    watch: &mut dyn PrepareWatch,
) -> Option<Specialized> {
    let text = String::from_utf8(watch.store()?.load(key)?).ok()?;
    let mut symbols = game.solver().symbols().borrow_mut();
    read_program(&text, key, &game.theory().base, &mut symbols).ok()
}

/// Keeps a program under a key.
pub(crate) fn save_program(
    game: &ReferenceGame,
    specialized: &Specialized,
    key: &str,
    watch: &mut dyn PrepareWatch,
) {
    let text = write_program(specialized, &game.solver().symbols().borrow(), key);
    if let (Some(text), Some(store)) = (text, watch.store()) {
        store.save(key, text.as_bytes());
    }
}

/// The kernels under a key, or why there are none.
pub(crate) fn load_kernels(
    key: &str,
    watch: &mut dyn PrepareWatch,
) -> Option<Result<KernelGame, Obstacle>> {
    read_kernels(&watch.store()?.load(key)?, key)
}

/// Keeps kernels under a key, or why there are none.
pub(crate) fn save_kernels(
    kernels: &Result<KernelGame, Obstacle>,
    key: &str,
    watch: &mut dyn PrepareWatch,
) {
    if let (Some(store), Some(bytes)) = (watch.store(), write_kernels(kernels.as_ref(), key)) {
        store.save(key, &bytes);
    }
}
