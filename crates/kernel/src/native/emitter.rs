//! The machine that writes code: instructions of Cranelift for those of [`Machine`].
//!
//! In: instructions on values. Out: the same in the function under construction. Invariant: memory is
//! reached only through the pointers that the function is given, at places that [`Source`] promises to be inside.

use std::collections::BTreeMap;
use std::mem::{self, offset_of};

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AliasRegionData, Block, FuncRef, InstBuilder, MemFlagsData, StackSlot, StackSlotData,
    StackSlotKind, Type, Value, types,
};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::call::Frame;
use super::machine::{Binary, Machine, Source, Unary};
use crate::kernel::{Comparison, Operation, RoutineId};

/// All values are words.
pub(super) const WORD: Type = types::I64;
/// The bytes of a word.
pub(super) const WORD_BYTES: i32 = 8;
/// Up to so many words, one of them is chosen by comparisons; of more, by its place in memory.
const MAX_COMPARED_WORDS: usize = 3;

/// Writes one function.
pub(super) struct Emitter<'f> {
    pub(super) builder: FunctionBuilder<'f>,
    /// The words of registers.
    pub(super) variables: Vec<Variable>,
    /// Words of the state that are in registers, and whether they may differ from those in memory.
    resident: BTreeMap<u32, (Variable, bool)>,
    /// Addresses of tables.
    tables: &'f [usize],
    /// Where words are put side by side to pick one of them, by their number.
    pick_slots: BTreeMap<usize, StackSlot>,
    /// The functions of the routines that are run.
    routines: BTreeMap<RoutineId, FuncRef>,
    /// The function for [`Binary::Deposit`] and whether it was called.
    deposit: Option<FuncRef>,
    has_deposited: bool,
    entry: Block,
    frame: Value,
    state: Value,
    params: Value,
    state_flags: MemFlagsData,
    output_flags: MemFlagsData,
}

impl<'f> Emitter<'f> {
    /// Starts the function with its entry block.
    pub(super) fn new(
        mut builder: FunctionBuilder<'f>,
        tables: &'f [usize],
        (deposit, routines): (Option<FuncRef>, BTreeMap<RoutineId, FuncRef>),
        n_register_words: usize,
    ) -> Self {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        builder.seal_block(entry);
        let params = builder.block_params(entry);
        let (frame, state, params) = (params[0], params[1], params[2]);
        let state_flags = region(&mut builder, 1, "state");
        let output_flags = region(&mut builder, 2, "output");
        let zero = builder.ins().iconst(WORD, 0);
        let variables = (0..n_register_words).map(|_| {
            let variable = builder.declare_var(WORD);
            builder.def_var(variable, zero);
            variable
        });
        let variables = variables.collect();
        let has_deposited = false;
        Self {
            builder,
            variables,
            resident: BTreeMap::new(),
            tables,
            pick_slots: BTreeMap::new(),
            routines,
            deposit,
            has_deposited,
            entry,
            frame,
            state,
            params,
            state_flags,
            output_flags,
        }
    }

    /// Reads words of the state that stay in registers from here on.
    pub(super) fn take_in(&mut self, words: &BTreeMap<u32, bool>) {
        for (&offset, &is_stored) in words {
            let value = self.load(Source::State(offset));
            let variable = self.builder.declare_var(WORD);
            self.builder.def_var(variable, value);
            self.resident.insert(offset, (variable, is_stored));
        }
    }

    /// Writes words of the state back that stayed in registers.
    pub(super) fn put_back(&mut self) {
        for (offset, (variable, is_stored)) in mem::take(&mut self.resident) {
            if is_stored {
                let value = self.builder.use_var(variable);
                self.store_state(offset, value);
            }
        }
    }

    /// Reads the first parameters into the first registers.
    pub(super) fn read_params(&mut self, n_params: u16) {
        let flags = MemFlagsData::trusted().with_readonly();
        for place in 0..n_params {
            let offset = WORD_BYTES * i32::from(place);
            let value = self.builder.ins().load(WORD, flags, self.params, offset);
            self.builder.def_var(self.variables[usize::from(place)], value);
        }
    }

    pub(super) fn load_frame(&mut self, field: FrameField) -> Value {
        let flags = MemFlagsData::trusted();
        self.builder.ins().load(WORD, flags, self.frame, field.offset())
    }

    pub(super) fn store_frame(&mut self, field: FrameField, value: Value) {
        let flags = MemFlagsData::trusted();
        self.builder.ins().store(flags, value, self.frame, field.offset());
    }

    pub(super) fn store_state(&mut self, offset: u32, value: Value) {
        if let Some((variable, _)) = self.resident.get(&offset) {
            return self.builder.def_var(*variable, value);
        }
        let (base, offset) = self.state_place(offset);
        self.builder.ins().store(self.state_flags, value, base, offset);
    }

    /// Stores a word of the state so many places further; both together are inside.
    pub(super) fn store_state_at(&mut self, offset: u32, further: Value, value: Value) {
        let address = self.address(self.state, further);
        let (_, offset) = self.state_place(offset);
        self.builder.ins().store(self.state_flags, value, address, offset);
    }

    /// Stores a word of a row; the output has room for the row.
    pub(super) fn store_output(&mut self, cursor: Value, place: i32, value: Value) {
        self.builder.ins().store(self.output_flags, value, cursor, WORD_BYTES * place);
    }

    /// Room for words side by side in memory.
    pub(super) fn new_slot(&mut self, n_words: usize) -> StackSlot {
        let size = u32::try_from(8 * n_words).expect("planes are small");
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3);
        self.builder.create_sized_stack_slot(data)
    }

    /// Puts words side by side in memory.
    pub(super) fn spill(&mut self, slot: StackSlot, words: &[Value]) {
        for (&word, place) in words.iter().zip(0..) {
            self.builder.ins().stack_store(WORD, word, slot, WORD_BYTES * place);
        }
    }

    /// Loads one of the words put side by side.
    pub(super) fn load_spilled(&mut self, slot: StackSlot, place: Value) -> Value {
        let base = self.builder.ins().stack_addr(WORD, slot, 0);
        let address = self.address(base, place);
        self.builder.ins().load(WORD, MemFlagsData::trusted(), address, 0)
    }

    /// Calls the function of a routine on the same frame and state.
    pub(super) fn run(&mut self, routine: RoutineId, params: &[Value]) -> Value {
        let slot = self.new_slot(params.len().max(1));
        self.spill(slot, params);
        let params = self.builder.ins().stack_addr(WORD, slot, 0);
        let function = self.routines[&routine];
        let call = self.builder.ins().call(function, &[self.frame, self.state, params]);
        self.builder.inst_results(call)[0]
    }

    /// Ends the block and the function with a result. The caller's register that the code for
    /// [`Binary::Deposit`] uses gets its value back.
    pub(super) fn return_(&mut self, result: Value) {
        if self.has_deposited {
            let mut start = FuncCursor::new(self.builder.func).at_first_insertion_point(self.entry);
            let saved = start.ins().get_pinned_reg(WORD);
            self.builder.ins().set_pinned_reg(saved);
        }
        self.builder.ins().return_(&[result]);
    }

    fn address(&mut self, base: Value, place: Value) -> Value {
        let bytes = self.builder.ins().ishl_imm_u(place, 3);
        self.builder.ins().iadd(base, bytes)
    }

    /// A base and an offset for a word of the state.
    fn state_place(&mut self, offset: u32) -> (Value, i32) {
        let bytes = i32::try_from(8 * u64::from(offset)).expect("states are small");
        (self.state, bytes)
    }
}

/// Flags for memory that no other kind of access reaches.
fn region(
    builder: &mut FunctionBuilder<'_>,
    user_id: u32,
    description: &'static str,
) -> MemFlagsData {
    let data = AliasRegionData { user_id, description: description.into() };
    let region = builder.func.dfg.alias_regions.insert(data);
    MemFlagsData::trusted().with_alias_region(Some(region))
}

/// A field of the frame.
#[derive(Clone, Copy, Debug)]
pub(super) enum FrameField {
    Cursor,
    OutputEnd,
    Random,
    Fuel,
    Status,
}

impl FrameField {
    fn offset(self) -> i32 {
        let offset = match self {
            Self::Cursor => offset_of!(Frame, cursor),
            Self::OutputEnd => offset_of!(Frame, output_end),
            Self::Random => offset_of!(Frame, random),
            Self::Fuel => offset_of!(Frame, fuel),
            Self::Status => offset_of!(Frame, status),
        };
        i32::try_from(offset).expect("the frame is small")
    }
}

impl Emitter<'_> {
    /// A quotient that no divisor can make trap.
    fn divide(&mut self, left: Value, right: Value) -> Value {
        let one = self.builder.ins().iconst(WORD, 1);
        let divisor = self.builder.ins().umax(right, one);
        let quotient = self.builder.ins().udiv(left, divisor);
        let all = self.builder.ins().iconst(WORD, -1);
        let is_zero = self.builder.ins().icmp_imm_s(IntCC::Equal, right, 0);
        self.builder.ins().select(is_zero, all, quotient)
    }
}

impl Machine for Emitter<'_> {
    fn constant(&mut self, value: u64) -> Value {
        self.builder.ins().iconst(WORD, value.cast_signed())
    }

    fn unary(&mut self, operation: Unary, operand: Value) -> Value {
        match operation {
            Unary::CountOnes => self.builder.ins().popcnt(operand),
            Unary::ZerosBelow => self.builder.ins().ctz(operand),
            Unary::ZerosAbove => self.builder.ins().clz(operand),
        }
    }

    fn binary(&mut self, operation: Binary, left: Value, right: Value) -> Value {
        if let Binary::Compute(Operation::Divide) = operation {
            return self.divide(left, right);
        }
        let ins = self.builder.ins();
        match operation {
            Binary::Compute(operation) => match operation {
                Operation::Add => ins.iadd(left, right),
                Operation::Subtract => ins.isub(left, right),
                Operation::Multiply => ins.imul(left, right),
                Operation::MultiplyHigh => ins.umulhi(left, right),
                Operation::Divide => ins.udiv(left, right),
                Operation::And => ins.band(left, right),
                Operation::Or => ins.bor(left, right),
                Operation::Xor => ins.bxor(left, right),
                Operation::ShiftUp => ins.ishl(left, right),
                Operation::ShiftDown => ins.ushr(left, right),
                Operation::Least => ins.umin(left, right),
                Operation::Most => ins.umax(left, right),
            },
            Binary::Without => ins.band_not(left, right),
            Binary::Compare(comparison) => {
                let code = match comparison {
                    Comparison::Equal => IntCC::Equal,
                    Comparison::Unequal => IntCC::NotEqual,
                    Comparison::Less => IntCC::UnsignedLessThan,
                    Comparison::LessOrEqual => IntCC::UnsignedLessThanOrEqual,
                };
                let holds = ins.icmp(code, left, right);
                self.builder.ins().uextend(WORD, holds)
            }
            Binary::Deposit => {
                let deposit = self.deposit.expect("asked for only where it is there");
                self.has_deposited = true;
                ins.call(deposit, &[left, right]);
                self.builder.ins().get_pinned_reg(WORD)
            }
        }
    }

    fn select(&mut self, condition: Value, then: Value, otherwise: Value) -> Value {
        self.builder.ins().select(condition, then, otherwise)
    }

    fn load(&mut self, source: Source) -> Value {
        match source {
            Source::Register(place) => self.builder.use_var(self.variables[place]),
            Source::State(offset) => {
                if let Some((variable, _)) = self.resident.get(&offset) {
                    return self.builder.use_var(*variable);
                }
                let (base, offset) = self.state_place(offset);
                self.builder.ins().load(WORD, self.state_flags, base, offset)
            }
            Source::StateAt(offset, place) => {
                let address = self.address(self.state, place);
                let (_, offset) = self.state_place(offset);
                self.builder.ins().load(WORD, self.state_flags, address, offset)
            }
            Source::Table(table, place, further) => {
                let start = self.tables[usize::from(table.0)] as u64;
                let base = self.constant(start);
                let address = self.address(base, place);
                let flags = MemFlagsData::trusted().with_readonly();
                let offset = i32::try_from(8 * further).expect("rows are small");
                self.builder.ins().load(WORD, flags, address, offset)
            }
        }
    }

    fn pick(&mut self, words: &[Value], place: Value) -> Value {
        if words.len() > MAX_COMPARED_WORDS {
            let slot = match self.pick_slots.get(&words.len()) {
                Some(&slot) => slot,
                None => self.new_slot(words.len()),
            };
            self.pick_slots.insert(words.len(), slot);
            self.spill(slot, words);
            return self.load_spilled(slot, place);
        }
        let mut picked = words[0];
        for (&word, here) in words.iter().zip(0..).skip(1) {
            let is_here = self.builder.ins().icmp_imm_u(IntCC::Equal, place, here);
            picked = self.builder.ins().select(is_here, word, picked);
        }
        picked
    }

    fn has_deposit(&self) -> bool {
        self.deposit.is_some()
    }
}
