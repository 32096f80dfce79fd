//! Kernels as bytes, so that a game met before needs none of the work that leads to them.
//!
//! In: kernels, or why a game has none, and the key of what they were made from. Out: bytes, and from them the same
//! again. Invariant: bytes that are not whole or belong to another key are as good as none, and every module is
//! verified again before anything runs it.

use rulesmith_kernel::{Module, Verified, verify};
use serde::{Deserialize, Serialize};

use super::Obstacle;
use super::plan::{KernelGame, Plan};

/// Bytes of the digest that comes first.
const DIGEST: usize = blake3::OUT_LEN;

/// Kernels, or why there are none.
type Found<T> = Result<T, Obstacle>;

/// A module beside another whose tables it may share, and mostly does.
#[derive(Serialize, Deserialize)]
struct Beside {
    has_same_tables: bool,
    module: Module,
}

#[derive(Serialize)]
struct Written<'a> {
    module: &'a Module,
    contests: Found<Beside>,
    leaves: Found<Beside>,
    plan: &'a Plan,
}

#[derive(Deserialize)]
struct Read {
    module: Module,
    contests: Found<Beside>,
    leaves: Found<Beside>,
    plan: Plan,
}

/// Kernels, or why there are none, as bytes.
pub fn write_kernels(kernels: Result<&KernelGame, &Obstacle>, key: &str) -> Option<Vec<u8>> {
    let written = kernels.map(|game| {
        let module = game.module.module();
        let beside = |other: &Found<Verified>| match other {
            Ok(other) => Ok(Beside::of(other.module(), module)),
            Err(obstacle) => Err(obstacle.clone()),
        };
        let (contests, leaves) = (beside(&game.contests), beside(&game.leaves));
        Written { module, contests, leaves, plan: &game.plan }
    });
    let saved = postcard::to_allocvec(&written).ok()?;
    Some([digest(key, &saved).as_bytes().as_slice(), &saved].concat())
}

/// What was written, if all of it is there and it was written under this key.
pub fn read_kernels(bytes: &[u8], key: &str) -> Option<Found<KernelGame>> {
    let (first, saved) = bytes.split_at_checked(DIGEST)?;
    if digest(key, saved).as_bytes() != first {
        return None;
    }
    let read: Found<Read> = postcard::from_bytes(saved).ok()?;
    let Read { module, contests, leaves, plan } = match read {
        Ok(read) => read,
        Err(obstacle) => return Some(Err(obstacle)),
    };
    let beside = |other: Found<Beside>| match other {
        Ok(other) => verify(other.module_beside(&module)).ok().map(Ok),
        Err(obstacle) => Some(Err(obstacle)),
    };
    let (contests, leaves) = (beside(contests)?, beside(leaves)?);
    Some(Ok(KernelGame { module: verify(module).ok()?, contests, leaves, plan, ahead: None }))
}

impl Beside {
    fn of(module: &Module, first: &Module) -> Self {
        let has_same_tables = module.tables == first.tables;
        let tables = if has_same_tables { Vec::new() } else { module.tables.clone() };
        let Module { state_words, routines, kernels, .. } = module;
        let (routines, kernels) = (routines.clone(), kernels.clone());
        Self {
            has_same_tables,
            module: Module { state_words: *state_words, tables, routines, kernels },
        }
    }

    fn module_beside(self, first: &Module) -> Module {
        let Self { has_same_tables, mut module } = self;
        if has_same_tables {
            module.tables.clone_from(&first.tables);
        }
        module
    }
}

fn digest(key: &str, saved: &[u8]) -> blake3::Hash {
    blake3::Hasher::new().update(key.as_bytes()).update(saved).finalize()
}
