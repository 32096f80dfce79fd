//! The one place with `unsafe`: calls into the code that was made, and its end.
//!
//! In: finished code and what a kernel works on. Out: what the code left behind. Invariant: code runs
//! only on a frame whose pointers span what `verify` checked the kernel against, while its tables live.
//! Measured on an AMD EPYC with `examples/connect_four`: 7.7 million random contests a second on one core,
//! interpreted 27 thousand; a call of a kernel that adds two words takes 2.5 ns.

use std::fmt::{Debug, Formatter};
use std::sync::Mutex;
use std::{fmt, mem};

use cranelift_jit::JITModule;
use cranelift_module::FuncId;

use super::compiler::Tables;
use crate::run::{Call, Outcome, Status, Stop};
use crate::verify::Shape;

/// What code is given beside the state and the parameters, with room for what it leaves behind.
#[repr(C)]
pub(super) struct Frame {
    /// Where the next row goes.
    pub(super) cursor: *mut u64,
    pub(super) output_end: *mut u64,
    pub(super) random: u64,
    pub(super) fuel: u64,
    /// Not zero if there is no result.
    pub(super) status: u64,
}

/// The code of one kernel: takes the frame, the state and the parameters, gives the result.
type Function = unsafe extern "C" fn(*mut Frame, *mut u64, *const u64) -> u64;

/// Finished code with the tables it reads.
pub(super) struct Code {
    functions: Vec<Function>,
    /// Owns the memory of the functions; nobody looks at it before the end.
    module: Mutex<Option<JITModule>>,
    /// The code holds addresses of these.
    _tables: Vec<Tables>,
}

impl Debug for Code {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Code").field("n_functions", &self.functions.len()).finish_non_exhaustive()
    }
}

impl Code {
    /// Takes over finished functions, translated from verified kernels by `statements`, and the tables
    /// whose addresses they hold.
    pub(super) fn new(module: JITModule, ids: &[FuncId], tables: Vec<Tables>) -> Self {
        let function = |&id: &FuncId| {
            let address = module.get_finalized_function(id);
            // SAFETY: every function is declared with three pointers as parameters and one word as its
            // result, in the machine's C convention. It stays where it is until `drop` frees it.
            unsafe { mem::transmute::<*const u8, Function>(address) }
        };
        let functions = ids.iter().map(function).collect();
        Self { functions, module: Mutex::new(Some(module)), _tables: tables }
    }

    /// The code of a kernel.
    pub(super) fn entry(&self, kernel: usize, shape: Shape) -> Option<Entry<'_>> {
        let function = *self.functions.get(kernel)?;
        Some(Entry { function, shape, _code: self })
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        let module = self.module.get_mut().map(Option::take);
        if let Ok(Some(module)) = module {
            // SAFETY: functions are called through `Entry` alone, which borrows `self`, so none is
            // running and none can be called any more.
            unsafe { module.free_memory() }
        }
    }
}

/// A kernel ready to run, any number of times and on any thread.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    function: Function,
    shape: Shape,
    _code: &'a Code,
}

impl Entry<'_> {
    /// Runs the kernel.
    #[inline]
    pub fn run(&self, call: &mut Call<'_>) -> Result<Outcome, Stop> {
        call.check(&self.shape)?;
        let output = call.output.as_mut_ptr_range();
        let mut frame = Frame {
            cursor: output.start,
            output_end: output.end,
            random: *call.random,
            fuel: *call.fuel,
            status: Status::Returned as u64,
        };
        let (state, params) = (call.state.as_mut_ptr(), call.params.as_ptr());
        // SAFETY: The code was translated from a kernel that `verify` accepted with this shape. It
        // reads and writes the state below `state_words` and reads `n_params` parameters, and `check`
        // found both to be there. It writes output only after comparing what is left before
        // `output_end` with the length of the row. It reads tables, which the borrowed `Code` owns, at
        // places that are bounded by their length. The slices are borrowed for the whole call, mutably
        // where they are written, and the frame is a local variable with the fields the code expects.
        let result = unsafe { (self.function)(&raw mut frame, state, params) };
        *call.random = frame.random;
        *call.fuel = frame.fuel;
        if frame.status == Status::Returned as u64 {
            let n_words = (frame.cursor.addr() - output.start.addr()) / size_of::<u64>();
            return Ok(Outcome { result, n_rows: self.n_rows(n_words) });
        }
        let is = |status: Status| frame.status == status as u64;
        Err(match () {
            () if is(Status::OutOfFuel) => Stop::OutOfFuel,
            () if is(Status::ListFull) => Stop::ListFull,
            () => Stop::OutputFull,
        })
    }

    #[inline]
    fn n_rows(&self, n_words: usize) -> usize {
        if n_words == 0 { 0 } else { n_words / self.shape.row_words }
    }
}
