//! `ForEach` as loops over the bits of words.
//!
//! In: the words of a set. Out: one copy of the body. A set that fits into one word stays in a register;
//! several words are put into memory at the start, so that the body may change what they came from.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::FunctionBuilder;

use super::Statements;
use crate::interpret::has_loop;
use crate::kernel::{Scalar, Set, Statement};
use crate::native::bound::Bound;
use crate::native::emitter::WORD;
use crate::native::machine::{Machine, Operand, Unary};
use crate::native::registers::{Registers, numbers};

impl Statements<'_, '_> {
    pub(super) fn for_each(&mut self, scalar: Scalar, set: &Set, body: &[Statement]) {
        let words = self.expressions.set(set);
        let Some(bound) = numbers(&words) else { return };
        let first = words.iter().position(|word| !word.is_zero()).unwrap_or(0);
        let end = words.iter().rposition(|word| !word.is_zero()).map_or(first, |last| last + 1);
        let place = Registers::scalar(scalar);
        self.expressions.known[place] = self.always[place];
        self.forget(body);
        let after = self.expressions.known.clone();
        let each = Each { place, bound, first, body };
        match &words[first..end] {
            [word] => self.for_each_bit(&each, *word),
            words => self.for_each_word(&each, words),
        }
        self.expressions.known = after;
    }

    /// A loop over one word.
    fn for_each_bit(&mut self, each: &Each<'_>, word: Operand) {
        let rest = self.value(word);
        let (inside, after) = (self.block(), self.block());
        let builder = &mut self.emitter().builder;
        let param = builder.append_block_param(inside, WORD);
        builder.ins().brif(rest, inside, &[rest.into()], after, &[]);
        builder.switch_to_block(inside);
        let base = Operand::Constant(64 * each.first as u64);
        let base = self.value(base);
        if let Some(next) = self.each(each, param, base) {
            let builder = &mut self.emitter().builder;
            builder.ins().brif(next, inside, &[next.into()], after, &[]);
        }
        self.emitter().builder.seal_block(inside);
        self.enter(after);
    }

    /// A loop over several words around one over the bits of each.
    fn for_each_word(&mut self, each: &Each<'_>, words: &[Operand]) {
        let values: Vec<_> = words.iter().map(|&word| self.value(word)).collect();
        let slot = self.emitter().new_slot(values.len());
        self.emitter().spill(slot, &values);
        let (word, inside) = (self.block(), self.block());
        let (next_word, after) = (self.block(), self.block());
        let builder = &mut self.emitter().builder;
        let word_place = builder.append_block_param(word, WORD);
        let inside_place = builder.append_block_param(inside, WORD);
        let param = builder.append_block_param(inside, WORD);
        let next_place = builder.append_block_param(next_word, WORD);
        let start = builder.ins().iconst(WORD, 0);
        builder.ins().jump(word, &[start.into()]);
        builder.switch_to_block(word);
        let rest = self.emitter().load_spilled(slot, word_place);
        let builder = &mut self.emitter().builder;
        let (there, none) = ([word_place.into(), rest.into()], [word_place.into()]);
        builder.ins().brif(rest, inside, &there, next_word, &none);
        builder.switch_to_block(inside);
        let base = builder.ins().ishl_imm_u(inside_place, 6);
        let base = builder.ins().iadd_imm_s(base, 64 * i64::try_from(each.first).unwrap_or(0));
        if let Some(next) = self.each(each, param, base) {
            let builder = &mut self.emitter().builder;
            let (there, none) = ([inside_place.into(), next.into()], [inside_place.into()]);
            builder.ins().brif(next, inside, &there, next_word, &none);
        }
        let builder = &mut self.emitter().builder;
        builder.seal_block(inside);
        builder.switch_to_block(next_word);
        builder.seal_block(next_word);
        let further = builder.ins().iadd_imm_s(next_place, 1);
        let n_words = i64::try_from(words.len()).expect("planes are small");
        let is_more = builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, further, n_words);
        builder.ins().brif(is_more, word, &[further.into()], after, &[]);
        builder.seal_block(word);
        self.enter(after);
    }

    /// Writes the body for the lowest of these bits; the result is the other bits, if it comes to them.
    fn each(&mut self, each: &Each<'_>, rest: Value, base: Value) -> Option<Value> {
        if has_loop(each.body) {
            self.burn();
        }
        let lowest = self.emitter().unary(Unary::ZerosBelow, rest);
        let builder = &mut self.emitter().builder;
        let number = builder.ins().bor(base, lowest);
        let next = without_lowest(builder, rest);
        let number = match each.bound.value() {
            Some(number) => Operand::Constant(number),
            None => Operand::Value(number, each.bound),
        };
        self.assign(each.place, number);
        self.body(each.body).then_some(next)
    }
}

/// The bits of a word above the lowest that is set: all of them but that one. A single instruction of x86-64 does
/// this (`blsr`, which `word & (word - 1)` would be translated into), but there are processors on which it waits
/// for what was in the register that it writes to, and thus for what the body did before.
fn without_lowest(builder: &mut FunctionBuilder<'_>, word: Value) -> Value {
    let negative = builder.ins().ineg(word);
    let above = builder.ins().bxor(word, negative);
    builder.ins().band(word, above)
}

/// A `ForEach` under translation.
struct Each<'a> {
    /// The register for numbers.
    place: usize,
    /// What numbers there may be.
    bound: Bound,
    /// The first word of the set that is looked at.
    first: usize,
    body: &'a [Statement],
}
