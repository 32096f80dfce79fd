//! What one run of a kernel works on, and how it ends; the same for `interpret` and `native`.

use thiserror::Error;

use crate::kernel::Module;
use crate::verify::Shape;

/// What a kernel works on.
#[derive(Debug)]
pub struct Call<'a> {
    /// The state: read and changed.
    pub state: &'a mut [u64],
    /// What the first scalars hold.
    pub params: &'a [u64],
    /// The generator of random numbers: read and changed.
    pub random: &'a mut u64,
    /// How many passes through loops are left. A pass through a `Repeat` costs one, and so does a pass
    /// through a `ForEach` with another loop inside: a run's time is bounded by its fuel.
    pub fuel: &'a mut u64,
    /// Where rows go, one after another.
    pub output: &'a mut [u64],
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What the kernel returned.
    pub result: u64,
    /// How many rows it handed over.
    pub n_rows: usize,
}

/// Why a run has no outcome. The state may have changed before the last three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Stop {
    /// No such kernel.
    #[error("there is no such kernel")]
    NoSuchKernel,
    /// The state has fewer words than the module says.
    #[error("the state is too short")]
    ShortState,
    /// There are fewer parameters than the kernel has.
    #[error("there are too few parameters")]
    FewParams,
    /// All passes through loops are used up.
    #[error("out of fuel")]
    OutOfFuel,
    /// A row did not fit into the output.
    #[error("the output is full")]
    OutputFull,
    /// The kernel has no room in the state for what it found.
    #[error("a list is full")]
    ListFull,
}

/// What native code says at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Returned = 0,
    OutOfFuel = 1,
    OutputFull = 2,
    ListFull = 3,
}

impl Call<'_> {
    /// Is everything there that a kernel of this shape needs?
    #[inline]
    pub(crate) fn check(&self, shape: &Shape) -> Result<(), Stop> {
        if self.state.len() < shape.state_words {
            return Err(Stop::ShortState);
        }
        if self.params.len() < shape.n_params {
            return Err(Stop::FewParams);
        }
        Ok(())
    }
}

/// Words of a state, as an index.
pub(crate) fn state_words(module: &Module) -> usize {
    usize::try_from(module.state_words).unwrap_or(usize::MAX)
}
