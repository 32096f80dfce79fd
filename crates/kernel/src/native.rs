//! Native code: kernels translated to machine code by Cranelift, inside the process.
//!
//! In: a verified module. Out: [`Native`], which runs its kernels as `interpret` does. Read in this
//! order: `machine` folds operations on words, `expressions` takes sets apart into words, `statements`
//! makes blocks of them, `emitter` writes instructions, `compiler` makes them code, `workshop` by
//! several threads, `call` runs it.
//! Invariant: all unsafe code of the project is in `call`.

mod bound;
#[expect(unsafe_code, reason = "code that was made at run time can be called in no other way")]
mod call;
mod compiler;
mod emitter;
mod expressions;
mod machine;
mod registers;
mod resident;
mod statements;
mod workshop;

use call::Code;
pub use call::Entry;
use compiler::Compiler;
pub use workshop::Workshop;

use crate::error::Error;
use crate::kernel::{KernelId, Module};
use crate::run::{Call, Outcome, Stop};
use crate::verify::{Shape, Verified};

/// Operations of one kernel that code is made for. One takes a microsecond or five, so that a kernel of this size takes some
/// seconds.
pub const MAX_OPERATIONS: u64 = 1 << 20;

/// Operations of all kernels of a module together: code of so many takes ten seconds or so.
const MAX_ALL_OPERATIONS: u64 = 4 * MAX_OPERATIONS;

/// The native code of a module.
#[derive(Debug)]
pub struct Native {
    code: Code,
    shapes: Vec<Shape>,
    compiled: Vec<Compiled>,
}

/// How code is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeOptions {
    /// Find the n-th bit of a word by the processor's instruction for it, where it has one.
    pub bit_deposit: bool,
    /// Keep words of the state in registers while a kernel with loops runs.
    pub resident_state: bool,
    /// Keep the text of the code in [`Compiled`].
    pub keep_text: bool,
}

impl Default for CodeOptions {
    fn default() -> Self {
        Self { bit_deposit: true, resident_state: true, keep_text: false }
    }
}

/// What became of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// Its name.
    pub name: String,
    /// Operations on single words that it was written with.
    pub n_operations: u64,
    /// The size of its code.
    pub n_code_bytes: usize,
    /// Its code as text, if asked for.
    pub text: Option<String>,
}

impl Native {
    /// Makes code for all kernels of a module.
    ///
    /// # Examples
    ///
    /// ```
    /// use rulesmith_kernel::{Call, Kernel, KernelId, Module, Native, Statement, Word, verify};
    /// let body = vec![Statement::Store(0, Word::Constant(7)), Statement::Return(Word::Constant(5))];
    /// let kernel = Kernel { name: "seven".into(), body, ..Kernel::default() };
    /// let module = Module { state_words: 1, kernels: vec![kernel], ..Module::default() };
    /// let native = Native::compile(&verify(module).unwrap()).unwrap();
    /// let (mut state, mut random, mut fuel) = ([0], 0, 100);
    /// let mut call = Call {
    ///     state: &mut state,
    ///     params: &[],
    ///     random: &mut random,
    ///     fuel: &mut fuel,
    ///     output: &mut [],
    /// };
    /// assert_eq!(native.run(KernelId(0), &mut call).unwrap().result, 5);
    /// assert_eq!(state, [7]);
    /// ```
    pub fn compile(module: &Verified) -> Result<Self, Error> {
        Self::compile_with(module, CodeOptions::default())
    }

    /// Makes code in a certain way.
    pub fn compile_with(module: &Verified, options: CodeOptions) -> Result<Self, Error> {
        Self::compile_from(module, options, None)
    }

    /// Makes code for all kernels of a module, except for what was made in a workshop.
    pub fn compile_in(module: &Verified, workshop: &Workshop) -> Result<Self, Error> {
        Self::compile_from(module, CodeOptions::default(), Some(workshop))
    }

    fn compile_from(
        module: &Verified,
        options: CodeOptions,
        workshop: Option<&Workshop>,
    ) -> Result<Self, Error> {
        Self::fits(module)?;
        let compiler = Compiler::new(module, Compiler::tables(module), options)?;
        let (code, compiled) = compiler.compile(workshop)?;
        Ok(Self { code, shapes: module.shapes().to_vec(), compiled })
    }

    /// Is every kernel of a module small enough to be translated?
    pub fn fits(module: &Verified) -> Result<(), Error> {
        let Module { kernels, routines, .. } = module.module();
        let kernels = kernels.iter().zip(module.shapes());
        let mut n_all = 0;
        for (kernel, shape) in routines.iter().zip(module.routines()).chain(kernels) {
            let n_operations = n_operations(shape);
            n_all += n_operations;
            let kernel = || kernel.name.clone();
            if n_operations > MAX_OPERATIONS {
                return Err(Error::TooLarge {
                    kernel: kernel(),
                    n_operations,
                    limit: MAX_OPERATIONS,
                });
            }
            if n_all > MAX_ALL_OPERATIONS {
                return Err(Error::TooMany { kernel: kernel(), limit: MAX_ALL_OPERATIONS });
            }
        }
        Ok(())
    }

    /// Runs a kernel.
    #[inline]
    pub fn run(&self, kernel: KernelId, call: &mut Call<'_>) -> Result<Outcome, Stop> {
        self.entry(kernel).ok_or(Stop::NoSuchKernel)?.run(call)
    }

    /// A kernel to be run many times.
    #[inline]
    pub fn entry(&self, KernelId(kernel): KernelId) -> Option<Entry<'_>> {
        let shape = self.shapes.get(usize::from(kernel))?;
        self.code.entry(usize::from(kernel), *shape)
    }

    /// What became of each kernel, in the module's order.
    pub fn compiled(&self) -> &[Compiled] {
        &self.compiled
    }
}

/// What the translation of a kernel takes: its operations, and registers that meet where ways meet.
fn n_operations(shape: &Shape) -> u64 {
    shape.n_operations + shape.n_meeting_words
}
