//! Statements as blocks of code.
//!
//! In: the body of a verified kernel. Out: a function whose registers are values of the machine. What is
//! known of registers is followed from statement to statement; where ways meet, it is joined; where a
//! loop starts, what the loop assigns is as at any time. Invariant: every way round a `Repeat`, and
//! round a `ForEach` with a loop inside, takes fuel.

use std::mem;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use cranelift_frontend::Variable;

use super::bound::Bound;
use super::emitter::{Emitter, FrameField, WORD};
use super::expressions::{Expressions, further_than};
use super::machine::{Machine, Operand, value};
use super::registers::{Registers, below, mark_assigned};
use crate::kernel::{Kernel, RoutineId, Scalar, Statement, Word};
use crate::run::Status;
use crate::verify::Shape;

mod each;

/// Writes the function of a kernel.
pub(super) fn translate<'f>(
    kernel: &Kernel,
    shape: &Shape,
    expressions: Expressions<'_, Emitter<'f>>,
) -> Emitter<'f> {
    let mut statements = Statements::new(kernel, shape, expressions);
    if statements.body(&kernel.body) {
        statements.end(Operand::Constant(0));
    }
    statements.finish()
}

/// A kernel under translation.
struct Statements<'a, 'f> {
    expressions: Expressions<'a, Emitter<'f>>,
    /// What registers may hold at any time.
    always: Vec<Bound>,
    /// The `Repeat`s around, the innermost last.
    loops: Vec<Exit>,
    random: Variable,
    fuel: Variable,
    /// Where the next row goes.
    cursor: Variable,
    /// Which of these are in use, with their places in the frame.
    in_use: Vec<(FrameField, Variable)>,
    /// The end of the function; takes the result.
    end: Block,
}

/// Where a `Repeat` is left to.
struct Exit {
    block: Block,
    /// What is known there, once something leaves.
    known: Option<Vec<Bound>>,
}

impl<'a, 'f> Statements<'a, 'f> {
    fn new(kernel: &Kernel, shape: &Shape, mut expressions: Expressions<'a, Emitter<'f>>) -> Self {
        let emitter = &mut expressions.machine;
        emitter.read_params(kernel.n_params);
        let mut in_use = Vec::new();
        let mut variable = |field, is_used| {
            let variable = emitter.builder.declare_var(WORD);
            if is_used {
                let value = emitter.load_frame(field);
                emitter.builder.def_var(variable, value);
                in_use.push((field, variable));
            }
            variable
        };
        let random = variable(FrameField::Random, shape.draws);
        let fuel = variable(FrameField::Fuel, shape.burns);
        let cursor = variable(FrameField::Cursor, shape.row_words > 0);
        let end = emitter.builder.create_block();
        emitter.builder.append_block_param(end, WORD);
        let always = expressions.known.clone();
        let params = usize::from(kernel.n_params);
        expressions.known[params..].fill(Bound::constant(0));
        Self { expressions, always, loops: Vec::new(), random, fuel, cursor, in_use, end }
    }

    /// Writes the end of the function.
    fn finish(mut self) -> Emitter<'f> {
        self.enter(self.end);
        for (field, variable) in mem::take(&mut self.in_use) {
            let value = self.emitter().builder.use_var(variable);
            self.emitter().store_frame(field, value);
        }
        self.emitter().put_back();
        let end = self.end;
        let result = self.emitter().builder.block_params(end)[0];
        self.emitter().return_(result);
        self.expressions.machine.builder.seal_all_blocks();
        self.expressions.machine
    }

    fn emitter(&mut self) -> &mut Emitter<'f> {
        &mut self.expressions.machine
    }

    fn block(&mut self) -> Block {
        self.emitter().builder.create_block()
    }

    fn jump(&mut self, block: Block) {
        self.emitter().builder.ins().jump(block, &[]);
    }

    fn switch(&mut self, block: Block) {
        self.emitter().builder.switch_to_block(block);
    }

    /// Goes on in a block that nothing else will jump to.
    fn enter(&mut self, block: Block) {
        self.switch(block);
        self.emitter().builder.seal_block(block);
    }

    fn branch(&mut self, condition: Value, then: Block, otherwise: Block) {
        self.emitter().builder.ins().brif(condition, then, &[], otherwise, &[]);
    }

    /// Writes the statements; does the last one go on to what follows?
    fn body(&mut self, body: &[Statement]) -> bool {
        body.iter().all(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> bool {
        match statement {
            Statement::Let(scalar, word) => {
                let word = self.expressions.word(word);
                self.assign(Registers::scalar(*scalar), word);
            }
            Statement::LetSet(plane, set) => {
                let words = self.expressions.set(set);
                let places = self.expressions.registers.plane(*plane);
                places.zip(words).for_each(|(place, word)| self.assign(place, word));
            }
            Statement::Store(offset, word) => {
                let word = self.expressions.word(word);
                self.store(*offset, word);
            }
            Statement::StoreSet(offset, set) => {
                let words = self.expressions.set(set);
                (*offset..).zip(words).for_each(|(offset, word)| self.store(offset, word));
            }
            Statement::StoreAt(array, row, word) => {
                let start = self.expressions.array_start(*array, row);
                let word = self.expressions.word(word);
                self.store_at(array.offset, start, word);
            }
            Statement::StoreSetAt(array, row, set) => {
                let start = self.expressions.array_start(*array, row);
                let words = self.expressions.set(set);
                for (offset, word) in (array.offset..).zip(words) {
                    self.store_at(offset, start, word);
                }
            }
            Statement::If(condition, then, otherwise) => {
                return self.condition(condition, then, otherwise);
            }
            Statement::ForEach(scalar, set, body) => self.for_each(*scalar, set, body),
            Statement::Repeat(body) => return self.repeat(body),
            Statement::Leave => {
                self.leave();
                return false;
            }
            Statement::Draw(scalar, bound) => self.draw(*scalar, bound),
            Statement::Seed(word) => {
                let word = self.expressions.word(word);
                let (value, variable) = (self.value(word), self.random);
                self.emitter().builder.def_var(variable, value);
            }
            Statement::Run(scalar, routine, params) => self.run(*scalar, *routine, params),
            Statement::Emit(row) => self.emit(row),
            Statement::Full => {
                self.stop(Status::ListFull);
                return false;
            }
            Statement::Return(result) => {
                let result = self.expressions.word(result);
                self.end(result);
                return false;
            }
        }
        true
    }

    fn value(&mut self, operand: Operand) -> Value {
        value(self.emitter(), operand)
    }

    fn assign(&mut self, place: usize, operand: Operand) {
        let value = self.value(operand);
        let variable = self.emitter().variables[place];
        self.emitter().builder.def_var(variable, value);
        self.expressions.known[place] = operand.bound();
    }

    fn store(&mut self, offset: u32, operand: Operand) {
        let value = self.value(operand);
        self.emitter().store_state(offset, value);
    }

    /// Stores a word so many places further in the state.
    fn store_at(&mut self, offset: u32, further: Operand, operand: Operand) {
        match further {
            Operand::Constant(further) => self.store(further_than(offset, further), operand),
            Operand::Value(further, _) => {
                let value = self.value(operand);
                self.emitter().store_state_at(offset, further, value);
            }
        }
    }

    /// Ends the kernel with a result.
    fn end(&mut self, result: Operand) {
        let result = self.value(result);
        let end = self.end;
        self.emitter().builder.ins().jump(end, &[result.into()]);
    }

    /// Ends the kernel in a block of its own if a condition is zero; goes on in another.
    fn stop_unless(&mut self, condition: Value, status: Status) {
        let (stop, on) = (self.block(), self.block());
        self.emitter().builder.set_cold_block(stop);
        self.branch(condition, on, stop);
        self.enter(stop);
        self.stop(status);
        self.enter(on);
    }

    /// Ends the kernel without a result.
    fn stop(&mut self, status: Status) {
        let status = self.emitter().constant(status as u64);
        self.emitter().store_frame(FrameField::Status, status);
        self.end(Operand::Constant(0));
    }

    fn condition(&mut self, condition: &Word, then: &[Statement], otherwise: &[Statement]) -> bool {
        let condition = match self.expressions.word(condition) {
            Operand::Constant(0) => return self.body(otherwise),
            Operand::Constant(_) => return self.body(then),
            Operand::Value(condition, _) => condition,
        };
        let (then_block, else_block, after) = (self.block(), self.block(), self.block());
        self.branch(condition, then_block, else_block);
        let before = self.expressions.known.clone();
        let mut known = None;
        for (block, part) in [(then_block, then), (else_block, otherwise)] {
            self.enter(block);
            self.expressions.known.clone_from(&before);
            if self.body(part) {
                self.jump(after);
                meet(&mut known, &self.expressions.known);
            }
        }
        self.go_on(after, known)
    }

    /// Goes on in a block that is reached with what is known, or not at all.
    fn go_on(&mut self, block: Block, known: Option<Vec<Bound>>) -> bool {
        let Some(known) = known else { return false };
        self.enter(block);
        self.expressions.known = known;
        true
    }

    /// Forgets what a loop with this body changes.
    fn forget(&mut self, body: &[Statement]) {
        let registers = self.expressions.registers;
        let mut marks = vec![false; registers.n_words];
        mark_assigned(body, registers, &mut marks);
        for (place, _) in marks.into_iter().enumerate().filter(|(_, mark)| *mark) {
            self.expressions.known[place] = self.always[place];
        }
    }

    fn repeat(&mut self, body: &[Statement]) -> bool {
        let (start, after) = (self.block(), self.block());
        self.jump(start);
        self.switch(start);
        self.forget(body);
        self.burn();
        self.loops.push(Exit { block: after, known: None });
        if self.body(body) {
            self.jump(start);
        }
        self.emitter().builder.seal_block(start);
        let exit = self.loops.pop().expect("pushed above");
        self.go_on(after, exit.known)
    }

    fn leave(&mut self) {
        let exit = self.loops.last_mut().expect("verified to be in a loop");
        meet(&mut exit.known, &self.expressions.known);
        let block = exit.block;
        self.jump(block);
    }

    /// Takes one unit of fuel or ends the kernel.
    fn burn(&mut self) {
        let variable = self.fuel;
        let fuel = self.emitter().builder.use_var(variable);
        self.stop_unless(fuel, Status::OutOfFuel);
        let less = self.emitter().builder.ins().iadd_imm_s(fuel, -1);
        self.emitter().builder.def_var(variable, less);
    }

    fn draw(&mut self, scalar: Scalar, bound: &Word) {
        let bound = self.expressions.word(bound);
        let variable = self.random;
        let bits = self.next_random(variable);
        let limit = self.value(bound);
        let drawn = self.emitter().builder.ins().umulhi(bits, limit);
        let place = Registers::scalar(scalar);
        let bound = below(bound.bound());
        let drawn = bound.value().map_or(Operand::Value(drawn, bound), Operand::Constant);
        self.assign(place, drawn);
    }

    /// The next number of the generator: `SplitMix64`.
    fn next_random(&mut self, variable: Variable) -> Value {
        let builder = &mut self.emitter().builder;
        let random = builder.use_var(variable);
        let step = builder.ins().iconst(WORD, 0x9E37_79B9_7F4A_7C15_u64.cast_signed());
        let random = builder.ins().iadd(random, step);
        builder.def_var(variable, random);
        let mut mix = |bits, by, factor: u64| {
            let high = builder.ins().ushr_imm_u(bits, by);
            let mixed = builder.ins().bxor(bits, high);
            let factor = builder.ins().iconst(WORD, factor.cast_signed());
            builder.ins().imul(mixed, factor)
        };
        let bits = mix(random, 30, 0xBF58_476D_1CE4_E5B9);
        let bits = mix(bits, 27, 0x94D0_49BB_1331_11EB);
        let high = builder.ins().ushr_imm_u(bits, 31);
        builder.ins().bxor(bits, high)
    }

    /// Runs a routine; if it stopped, the kernel does.
    fn run(&mut self, scalar: Scalar, routine: RoutineId, params: &[Word]) {
        let params: Vec<_> = params.iter().map(|word| self.expressions.word(word)).collect();
        let params: Vec<_> = params.into_iter().map(|word| self.value(word)).collect();
        let in_use = self.in_use.clone();
        for (field, variable) in &in_use {
            let value = self.emitter().builder.use_var(*variable);
            self.emitter().store_frame(*field, value);
        }
        let result = self.emitter().run(routine, &params);
        for (field, variable) in &in_use {
            let value = self.emitter().load_frame(*field);
            self.emitter().builder.def_var(*variable, value);
        }
        let status = self.emitter().load_frame(FrameField::Status);
        let (stop, on) = (self.block(), self.block());
        self.emitter().builder.set_cold_block(stop);
        self.branch(status, stop, on);
        self.enter(stop);
        self.end(Operand::Constant(0));
        self.enter(on);
        self.assign(Registers::scalar(scalar), Operand::Value(result, Bound::ANY));
    }

    fn emit(&mut self, row: &[Word]) {
        let words: Vec<_> = row.iter().map(|word| self.expressions.word(word)).collect();
        let values: Vec<_> = words.into_iter().map(|word| self.value(word)).collect();
        let variable = self.cursor;
        let n_bytes = i64::try_from(8 * row.len()).expect("rows are small");
        let output_end = self.emitter().load_frame(FrameField::OutputEnd);
        let builder = &mut self.emitter().builder;
        let cursor = builder.use_var(variable);
        let room = builder.ins().isub(output_end, cursor);
        let fits = builder.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, room, n_bytes);
        self.stop_unless(fits, Status::OutputFull);
        for (value, place) in values.into_iter().zip(0..) {
            self.emitter().store_output(cursor, place, value);
        }
        let builder = &mut self.emitter().builder;
        let next = builder.ins().iadd_imm_s(cursor, n_bytes);
        builder.def_var(variable, next);
    }
}

/// Joins what is known on one more way to a block.
fn meet(known: &mut Option<Vec<Bound>>, more: &[Bound]) {
    match known {
        Some(known) => {
            known.iter_mut().zip(more).for_each(|(known, more)| *known = known.join(*more));
        }
        None => *known = Some(more.to_vec()),
    }
}
