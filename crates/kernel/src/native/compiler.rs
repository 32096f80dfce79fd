//! From functions to code in memory.
//!
//! In: a verified module. Out: code, and a report on each kernel. The instruction that finds the n-th
//! bit of a word (`pdep`) is not in Cranelift's vocabulary: it is a function of two instructions, called
//! so that all registers are kept; it takes its operands in the first two registers of a call and leaves
//! its result in the pinned one. Measured: contests of connect four twice as fast as with the search by
//! halving that stands in for it elsewhere. Putting the instruction in the place of its call gained
//! nothing.

use std::collections::{BTreeMap, BTreeSet};

use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, Function, Signature, UserFuncName};
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable, SetError};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module as _, ModuleError, default_libcall_names};

use super::call::Code;
use super::emitter::{Emitter, WORD};
use super::expressions::Expressions;
use super::registers::{Facts, Registers, bounds};
use super::resident::resident;
use super::statements::translate;
use super::{CodeOptions, Compiled, n_operations};
use crate::error::Error;
use crate::kernel::{Kernel, RoutineId, Statement};
use crate::verify::{Shape, Verified};

/// `pdep r15, rdi, rsi`: the first two registers of a call and the pinned one.
const DEPOSIT: [u8; 5] = [0xC4, 0x62, 0xC3, 0xF5, 0xFE];
/// `ret`.
const RETURN: u8 = 0xC3;

/// Makes the code of a module.
pub(super) struct Compiler<'a> {
    verified: &'a Verified,
    options: CodeOptions,
    jit: JITModule,
    context: Context,
    builder_context: FunctionBuilderContext,
    facts: Facts<'a>,
    tables: Vec<Box<[u64]>>,
    /// The function for `pdep`.
    deposit: Option<FuncId>,
    /// The functions of the routines that have code already.
    routines: BTreeMap<RoutineId, FuncId>,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(verified: &'a Verified, options: CodeOptions) -> Result<Self, Error> {
        let has_deposit = options.bit_deposit && has_deposit();
        let isa = host(has_deposit)?;
        let jit = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let tables = &verified.module().tables;
        let mut compiler = Self {
            verified,
            options,
            context: jit.make_context(),
            jit,
            builder_context: FunctionBuilderContext::new(),
            facts: Facts::new(tables),
            tables: tables.iter().map(|table| table.words.clone().into_boxed_slice()).collect(),
            deposit: None,
            routines: BTreeMap::new(),
        };
        if has_deposit {
            compiler.deposit = Some(compiler.define_deposit().map_err(|error| no_code(&error))?);
        }
        Ok(compiler)
    }

    /// Makes the code of all kernels.
    pub(super) fn compile(mut self) -> Result<(Code, Vec<Compiled>), Error> {
        let verified = self.verified;
        let (mut ids, mut compiled) = (Vec::new(), Vec::new());
        self.routines().map_err(|error| no_code(&error))?;
        for (kernel, shape) in verified.module().kernels.iter().zip(verified.shapes()) {
            let (id, n_code_bytes) = self.kernel(kernel, shape).map_err(|error| no_code(&error))?;
            ids.push(id);
            let text = self.context.compiled_code().and_then(|code| code.vcode.clone());
            let (name, n_operations) = (kernel.name.clone(), n_operations(shape));
            compiled.push(Compiled { name, n_operations, n_code_bytes, text });
        }
        self.jit.finalize_definitions().map_err(|error| no_code(&error))?;
        Ok((Code::new(self.jit, &ids, self.tables), compiled))
    }

    /// Makes the code of the routines that kernels run, each after those that it runs itself.
    fn routines(&mut self) -> Result<(), Box<ModuleError>> {
        let module = self.verified.module();
        let mut wanted = BTreeSet::new();
        for kernel in &module.kernels {
            each_run(&kernel.body, &mut |routine| {
                wanted.insert(routine);
            });
        }
        for (place, routine) in module.routines.iter().enumerate().rev() {
            if wanted.iter().any(|one| usize::from(one.0) == place) {
                each_run(&routine.body, &mut |inner| {
                    wanted.insert(inner);
                });
            }
        }
        for id in wanted {
            let place = usize::from(id.0);
            let (function, _) =
                self.kernel(&module.routines[place], &self.verified.routines()[place])?;
            self.routines.insert(id, function);
        }
        Ok(())
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

    /// Makes the code of one kernel.
    fn kernel(
        &mut self,
        kernel: &Kernel,
        shape: &Shape,
    ) -> Result<(FuncId, usize), Box<ModuleError>> {
        let mut signature = self.jit.make_signature();
        signature.params.extend([AbiParam::new(WORD); 3]);
        signature.returns.push(AbiParam::new(WORD));
        let id = self.jit.declare_anonymous_function(&signature)?;
        // A register allocator that is used again clears as much room as its largest function took, again and again.
        self.context = self.jit.make_context();
        self.context.set_disasm(self.options.keep_text);
        self.context.func =
            Function::with_name_signature(UserFuncName::user(0, id.as_u32()), signature);
        self.write(kernel, shape);
        self.jit.define_function(id, &mut self.context)?;
        let n_code_bytes = self.context.compiled_code().map_or(0, |code| code.code_buffer().len());
        Ok((id, n_code_bytes))
    }

    /// Writes the function of a kernel.
    fn write(&mut self, kernel: &Kernel, shape: &Shape) {
        let deposit =
            self.deposit.map(|id| self.jit.declare_func_in_func(id, &mut self.context.func));
        let mut routines = BTreeMap::new();
        each_run(&kernel.body, &mut |routine| {
            let id = self.routines[&routine];
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
