//! From functions to code in memory.
//!
//! In: a verified module, and what of it was made in a workshop. Out: code, and a report on each kernel. The instruction that finds the n-th
//! bit of a word (`pdep`) is not in Cranelift's vocabulary: it is a function of two instructions, called
//! so that all registers are kept; it takes its operands in the first two registers of a call and leaves
//! its result in the pinned one. Measured: contests of connect four twice as fast as with the search by
//! halving that stands in for it elsewhere. Putting the instruction in the place of its call gained
//! nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, Function as CraneliftFunction, Signature, UserFuncName};
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable, SetError};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{
    FuncId, Linkage, Module as _, ModuleError, ModuleReloc, default_libcall_names,
};

use super::call::Code;
use super::emitter::{Emitter, WORD};
use super::expressions::Expressions;
use super::registers::{Facts, Registers, bounds};
use super::resident::resident;
use super::statements::translate;
use super::workshop::{Place, Workshop};
use super::{CodeOptions, Compiled, n_operations};
use crate::error::Error;
use crate::kernel::{Kernel, Module, RoutineId, Statement};
use crate::verify::{Shape, Verified};

/// `pdep r15, rdi, rsi`: the first two registers of a call and the pinned one.
const DEPOSIT: [u8; 5] = [0xC4, 0x62, 0xC3, 0xF5, 0xFE];
/// `ret`.
const RETURN: u8 = 0xC3;

/// Tables where code reads them: it holds their addresses.
pub(super) type Tables = Arc<[Box<[u64]>]>;

/// The code of a routine or a kernel, before it is at its place in memory. Functions that it calls are named by their
/// numbers: `pdep` comes first and then the routines, so that all modules with the same routines agree.
pub(super) struct Function {
    bytes: Vec<u8>,
    alignment: u64,
    relocations: Vec<ModuleReloc>,
    text: Option<String>,
}

/// Makes the code of a module.
pub(super) struct Compiler<'a> {
    verified: &'a Verified,
    options: CodeOptions,
    jit: JITModule,
    context: Context,
    builder_context: FunctionBuilderContext,
    facts: Facts<'a>,
    tables: Tables,
    /// The function for `pdep`.
    deposit: Option<FuncId>,
    /// The functions of the routines.
    routines: Vec<FuncId>,
    /// The functions of the kernels.
    kernels: Vec<FuncId>,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(
        verified: &'a Verified,
        tables: Tables,
        options: CodeOptions,
    ) -> Result<Self, Error> {
        let has_deposit = options.bit_deposit && has_deposit();
        let isa = host(has_deposit)?;
        let jit = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let mut compiler = Self {
            verified,
            options,
            context: jit.make_context(),
            jit,
            builder_context: FunctionBuilderContext::new(),
            facts: Facts::new(&verified.module().tables),
            tables,
            deposit: None,
            routines: Vec::new(),
            kernels: Vec::new(),
        };
        compiler.declare(has_deposit).map_err(|error| no_code(&error))?;
        Ok(compiler)
    }

    /// Gives all functions their numbers.
    fn declare(&mut self, has_deposit: bool) -> Result<(), Box<ModuleError>> {
        if has_deposit {
            self.deposit = Some(self.define_deposit()?);
        }
        let signature = self.signature();
        for _ in &self.verified.module().routines {
            self.routines.push(self.jit.declare_anonymous_function(&signature)?);
        }
        for _ in &self.verified.module().kernels {
            self.kernels.push(self.jit.declare_anonymous_function(&signature)?);
        }
        Ok(())
    }

    /// The tables of a module where its code can read them.
    pub(super) fn tables(verified: &Verified) -> Tables {
        let tables = &verified.module().tables;
        tables.iter().map(|table| table.words.clone().into_boxed_slice()).collect()
    }

    /// Makes the code of all kernels, except for what was made in a workshop.
    pub(super) fn compile(
        mut self,
        workshop: Option<&Workshop>,
    ) -> Result<(Code, Vec<Compiled>), Error> {
        let verified = self.verified;
        let mut tables = vec![self.tables.clone()];
        for number in Self::wanted(verified.module()) {
            let routine = (&verified.module().routines[number], &verified.routines()[number]);
            let id = self.routines[number];
            self.put(id, (Place::Routine(number), routine), workshop, &mut tables)?;
        }
        let mut compiled = Vec::new();
        let kernels = verified.module().kernels.iter().zip(verified.shapes());
        for (number, (kernel, shape)) in kernels.enumerate() {
            let id = self.kernels[number];
            let place = Place::Kernel(number);
            let function = self.put(id, (place, (kernel, shape)), workshop, &mut tables)?;
            let (name, n_operations) = (kernel.name.clone(), n_operations(shape));
            let (n_code_bytes, text) = (function.bytes.len(), function.text.clone());
            compiled.push(Compiled { name, n_operations, n_code_bytes, text });
        }
        self.jit.finalize_definitions().map_err(|error| no_code(&error))?;
        Ok((Code::new(self.jit, &self.kernels, tables), compiled))
    }

    /// Puts a function at its place in memory; where it was made in a workshop, the tables that it reads are kept.
    fn put(
        &mut self,
        id: FuncId,
        (place, (kernel, shape)): (Place, (&Kernel, &Shape)),
        workshop: Option<&Workshop>,
        tables: &mut Vec<Tables>,
    ) -> Result<Arc<Function>, Error> {
        let function = match workshop.and_then(|workshop| workshop.find(place, kernel)) {
            Some((function, own)) => {
                tables.push(own);
                function
            }
            None => Arc::new(self.function(place, kernel, shape)?),
        };
        let Function { bytes, alignment, relocations, .. } = &*function;
        let put = self.jit.define_function_bytes(id, *alignment, bytes, relocations);
        put.map_err(|error| no_code(&error))?;
        Ok(function)
    }

    /// The routines that kernels run, and those that these run. Where there are no kernels yet, they will run all.
    pub(super) fn wanted(module: &Module) -> BTreeSet<usize> {
        if module.kernels.is_empty() {
            return (0..module.routines.len()).collect();
        }
        let mut wanted = BTreeSet::new();
        let want = |body: &[Statement]| {
            let mut runs = Vec::new();
            each_run(body, &mut |routine| runs.push(usize::from(routine.0)));
            runs
        };
        for kernel in &module.kernels {
            wanted.extend(want(&kernel.body));
        }
        for (place, routine) in module.routines.iter().enumerate().rev() {
            if wanted.contains(&place) {
                wanted.extend(want(&routine.body));
            }
        }
        wanted
    }

    /// The function for `pdep`.
    fn define_deposit(&mut self) -> Result<FuncId, Box<ModuleError>> {
        let mut signature = Signature::new(CallConv::PreserveAll);
        signature.params.extend([AbiParam::new(WORD); 2]);
        // Not local: a call by distance fails where memory is handed out in places far apart.
        let id = self.jit.declare_function("deposit", Linkage::Preemptible, &signature)?;
        let mut code = DEPOSIT.to_vec();
        code.push(RETURN);
        self.jit.define_function_bytes(id, 16, &code, &[])?;
        Ok(id)
    }

    /// All functions take the frame, the state and the parameters, and give one word.
    fn signature(&self) -> Signature {
        let mut signature = self.jit.make_signature();
        signature.params.extend([AbiParam::new(WORD); 3]);
        signature.returns.push(AbiParam::new(WORD));
        signature
    }

    /// Makes the code of one routine or kernel of the module.
    pub(super) fn function(
        &mut self,
        place: Place,
        kernel: &Kernel,
        shape: &Shape,
    ) -> Result<Function, Error> {
        let id = match place {
            Place::Routine(number) => self.routines[number],
            Place::Kernel(number) => self.kernels[number],
        };
        // A register allocator that is used again clears as much room as its largest function took, again and again.
        self.context = self.jit.make_context();
        self.context.set_disasm(self.options.keep_text);
        self.context.func = CraneliftFunction::with_name_signature(
            UserFuncName::user(0, id.as_u32()),
            self.signature(),
        );
        self.write(kernel, shape);
        let made = self.context.compile(self.jit.isa(), &mut ControlPlane::default());
        let alignment = u64::from(made.map_err(|error| no_code(&error.inner))?.buffer.alignment);
        let code = self.context.compiled_code().ok_or_else(|| no_code(&"nothing was made"))?;
        let relocations = code.buffer.relocs().iter();
        let relocations = relocations
            .map(|relocation| ModuleReloc::from_mach_reloc(relocation, &self.context.func, id));
        Ok(Function {
            bytes: code.code_buffer().to_vec(),
            alignment,
            relocations: relocations.collect(),
            text: code.vcode.clone(),
        })
    }

    /// Writes the function of a kernel.
    fn write(&mut self, kernel: &Kernel, shape: &Shape) {
        let deposit =
            self.deposit.map(|id| self.jit.declare_func_in_func(id, &mut self.context.func));
        let mut routines = BTreeMap::new();
        each_run(&kernel.body, &mut |routine| {
            let id = self.routines[usize::from(routine.0)];
            let declare = || self.jit.declare_func_in_func(id, &mut self.context.func);
            routines.entry(routine).or_insert_with(declare);
        });
        let registers = Registers::new(kernel);
        let known = bounds(kernel, &self.facts, &registers);
        let addresses: Vec<_> =
            self.tables.iter().map(|table| table.as_ptr().expose_provenance()).collect();
        let builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder_context);
        let mut machine = Emitter::new(builder, &addresses, (deposit, routines), registers.n_words);
        if self.options.resident_state {
            machine.take_in(&resident(kernel, &self.verified.module().tables));
        }
        let expressions = Expressions { machine, facts: &self.facts, registers: &registers, known };
        let emitter = translate(kernel, shape, expressions);
        emitter.builder.finalize(self.jit.target_config());
    }
}

/// The routines that a body runs.
fn each_run(body: &[Statement], visit: &mut dyn FnMut(RoutineId)) {
    for statement in body {
        match statement {
            Statement::Run(_, routine, _) => visit(*routine),
            Statement::If(_, then, otherwise) => {
                each_run(then, visit);
                each_run(otherwise, visit);
            }
            Statement::ForEach(_, _, inside) | Statement::Repeat(inside) => each_run(inside, visit),
            _ => {}
        }
    }
}

/// Has this machine an instruction that finds the n-th bit?
fn has_deposit() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("bmi2");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// The machine we run on, with all it can do.
fn host(has_deposit: bool) -> Result<OwnedTargetIsa, Error> {
    let mut flags = settings::builder();
    let mut set = || -> Result<(), SetError> {
        flags.set("opt_level", "speed")?;
        flags.set("is_pic", "false")?;
        flags.set("use_colocated_libcalls", "false")?;
        flags.set("enable_probestack", "true")?;
        flags.set("probestack_strategy", "inline")?;
        flags.set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" })?;
        flags.set("enable_pinned_reg", if has_deposit { "true" } else { "false" })
    };
    set().map_err(|error| no_code(&error))?;
    let builder = cranelift_native::builder().map_err(|error| no_code(&error))?;
    builder.finish(settings::Flags::new(flags)).map_err(|error| no_code(&error))
}

fn no_code(reason: &impl ToString) -> Error {
    Error::NoNativeCode { reason: reason.to_string() }
}
