//! Words and sets of the language as operations of the machine.
//!
//! In: expressions of a verified kernel. Out: operands; a set becomes one for each of its words, so
//! that planes live in the machine's registers. Invariant: places in tables are below their end, by
//! their bound or by a comparison that is written here.

use super::bound::Bound;
use super::machine::{
    Binary, Machine, Operand, Source, choose, count_ones, load, lowest_bit, operate, test, value,
    without, zeros,
};
use super::registers::{Facts, Registers};
use crate::kernel::{Array, Comparison, End, Operation, Set, TableId, Word};

/// Translates expressions, knowing what registers may hold.
#[derive(Debug)]
pub(super) struct Expressions<'a, M> {
    pub(super) machine: M,
    /// What tables hold.
    pub(super) facts: &'a Facts<'a>,
    /// Where registers are.
    pub(super) registers: &'a Registers,
    /// What the words of registers may hold here.
    pub(super) known: Vec<Bound>,
}

impl<M: Machine> Expressions<'_, M> {
    pub(super) fn word(&mut self, word: &Word) -> Operand {
        match word {
            Word::Constant(value) => Operand::Constant(*value),
            Word::Scalar(scalar) => self.register(Registers::scalar(*scalar)),
            Word::State(offset) => load(&mut self.machine, Source::State(*offset), Bound::ANY),
            Word::At(array, row) => {
                let start = self.array_start(*array, row);
                self.array_word(array.offset, start)
            }
            Word::Look(table, row) => {
                let row = self.row_start(*table, row);
                self.table_word(*table, row, 0)
            }
            Word::Compute(operation, left, right) => {
                let (left, right) = (self.word(left), self.word(right));
                operate(&mut self.machine, *operation, left, right)
            }
            Word::Compare(comparison, left, right) => {
                let (left, right) = (self.word(left), self.word(right));
                test(&mut self.machine, *comparison, left, right)
            }
            Word::Count(set) => self.count(set),
            Word::Any(set) => {
                let words = self.set(set);
                let all = self.fold(&words, Operation::Or);
                test(&mut self.machine, Comparison::Unequal, all, Operand::Constant(0))
            }
            Word::Has(set, number) => self.has(set, number),
            Word::Nth(set, rank) => {
                let words = self.set(set);
                let rank = self.word(rank);
                self.nth(&words, rank)
            }
            Word::Zeros(end, word) => {
                let word = self.word(word);
                zeros(&mut self.machine, *end, word)
            }
        }
    }

    /// The words of a set.
    pub(super) fn set(&mut self, set: &Set) -> Vec<Operand> {
        match set {
            Set::Mask(words) => words.iter().map(|&word| Operand::Constant(word)).collect(),
            Set::Plane(plane) => {
                self.registers.plane(*plane).map(|place| self.register(place)).collect()
            }
            Set::State { offset, width } => {
                let load = |place| self.machine.load(Source::State(place));
                let values = (*offset..offset + u32::from(*width)).map(load);
                values.map(|value| Operand::Value(value, Bound::ANY)).collect()
            }
            Set::At(array, row) => {
                let start = self.array_start(*array, row);
                let offsets = array.offset..array.offset + u32::from(array.width);
                offsets.map(|offset| self.array_word(offset, start)).collect()
            }
            Set::Row(table, row) => {
                let row = self.row_start(*table, row);
                let columns = 0..self.facts.table(*table).width;
                columns.map(|column| self.table_word(*table, row, column)).collect()
            }
            Set::Single(width, number) => {
                let number = self.word(number);
                self.single(usize::from(*width), number)
            }
            Set::Nth(set, rank) => {
                let words = self.set(set);
                let rank = self.word(rank);
                self.nth_alone(&words, rank)
            }
            Set::And(left, right) => self.join(Operation::And, left, right),
            Set::Or(left, right) => self.join(Operation::Or, left, right),
            Set::Xor(left, right) => self.join(Operation::Xor, left, right),
            Set::Without(left, right) => {
                let pairs = self.set(left).into_iter().zip(self.set(right));
                pairs.map(|(left, right)| without(&mut self.machine, left, right)).collect()
            }
            Set::Shift(set, by) => {
                let words = self.set(set);
                self.shift(&words, *by)
            }
            Set::UpTo(end, set) => {
                let words = self.set(set);
                self.up_to(*end, words)
            }
            Set::Resize(set, width) => {
                let mut words = self.set(set);
                words.resize(usize::from(*width), Operand::Constant(0));
                words
            }
        }
    }

    /// A word of a register.
    fn register(&mut self, place: usize) -> Operand {
        load(&mut self.machine, Source::Register(place), self.known[place])
    }

    fn join(&mut self, operation: Operation, left: &Set, right: &Set) -> Vec<Operand> {
        let pairs = self.set(left).into_iter().zip(self.set(right));
        pairs.map(|(left, right)| operate(&mut self.machine, operation, left, right)).collect()
    }

    /// All words joined by an operation for which zero changes nothing.
    fn fold(&mut self, words: &[Operand], operation: Operation) -> Operand {
        let join = |left, &right| operate(&mut self.machine, operation, left, right);
        words.iter().fold(Operand::Constant(0), join)
    }

    fn count(&mut self, set: &Set) -> Operand {
        let words = self.set(set);
        let counts: Vec<_> =
            words.iter().map(|&word| count_ones(&mut self.machine, word)).collect();
        self.fold(&counts, Operation::Add)
    }

    /// Where a row starts in its array; the last one for numbers that are too large.
    pub(super) fn array_start(&mut self, array: Array, row: &Word) -> Operand {
        let (last, width) = (u64::from(array.n_rows) - 1, u64::from(array.width));
        let row = self.word(row);
        let row = operate(&mut self.machine, Operation::Least, row, Operand::Constant(last));
        operate(&mut self.machine, Operation::Multiply, row, Operand::Constant(width))
    }

    /// The word of the state so many places further.
    fn array_word(&mut self, offset: u32, further: Operand) -> Operand {
        let source = match further {
            Operand::Constant(further) => Source::State(further_than(offset, further)),
            Operand::Value(further, _) => Source::StateAt(offset, further),
        };
        load(&mut self.machine, source, Bound::ANY)
    }

    /// Where a row starts in its table; the last one for numbers that are too large.
    fn row_start(&mut self, table: TableId, row: &Word) -> Operand {
        let facts = self.facts.table(table);
        let (last, width) = (facts.n_rows as u64 - 1, facts.width as u64);
        let row = self.word(row);
        let row = operate(&mut self.machine, Operation::Least, row, Operand::Constant(last));
        operate(&mut self.machine, Operation::Multiply, row, Operand::Constant(width))
    }

    /// A word of the row that starts here.
    fn table_word(&mut self, table: TableId, start: Operand, column: usize) -> Operand {
        let facts = self.facts.table(table);
        match start {
            Operand::Constant(start) => Operand::Constant(facts.word(start, column)),
            Operand::Value(start, _) => {
                let source = Source::Table(table, start, column);
                load(&mut self.machine, source, facts.column(column))
            }
        }
    }

    /// The word of a plane that a number is in; the number may be too large.
    fn word_around(&mut self, set: &Set, number: Operand) -> (Operand, u64) {
        let place = operate(&mut self.machine, Operation::ShiftDown, number, Operand::Constant(6));
        let last = |width: u64| Operand::Constant(width - 1);
        match (set, place) {
            (Set::State { offset, width }, Operand::Value(..)) if *width > 1 => {
                let width = u64::from(*width);
                let place = operate(&mut self.machine, Operation::Least, place, last(width));
                let place = value(&mut self.machine, place);
                (load(&mut self.machine, Source::StateAt(*offset, place), Bound::ANY), width)
            }
            (Set::At(array, row), Operand::Value(..)) if array.width > 1 => {
                let start = self.array_start(*array, row);
                let (width, machine) = (u64::from(array.width), &mut self.machine);
                let place = operate(machine, Operation::Least, place, last(width));
                let place = operate(machine, Operation::Add, start, place);
                let place = value(machine, place);
                (load(machine, Source::StateAt(array.offset, place), Bound::ANY), width)
            }
            (Set::Row(table, row), Operand::Value(..)) if self.facts.table(*table).width > 1 => {
                let (facts, start) = (self.facts.table(*table), self.row_start(*table, row));
                let (width, bound) = (facts.width as u64, facts.anywhere());
                let machine = &mut self.machine;
                let place = operate(machine, Operation::Least, place, last(width));
                let place = operate(machine, Operation::Add, start, place);
                let place = value(machine, place);
                (load(machine, Source::Table(*table, place, 0), bound), width)
            }
            _ => {
                let words = self.set(set);
                let width = words.len() as u64;
                let place = operate(&mut self.machine, Operation::Least, place, last(width));
                (self.pick(&words, place), width)
            }
        }
    }

    /// One of the words; the place is below their number.
    fn pick(&mut self, words: &[Operand], place: Operand) -> Operand {
        match place {
            Operand::Constant(place) => words[usize::try_from(place).unwrap_or(0)],
            Operand::Value(place, _) => {
                let bound = words.iter().map(|word| word.bound()).reduce(Bound::join);
                let values: Vec<_> =
                    words.iter().map(|&word| value(&mut self.machine, word)).collect();
                Operand::Value(self.machine.pick(&values, place), bound.unwrap_or(Bound::ANY))
            }
        }
    }

    fn has(&mut self, set: &Set, number: &Word) -> Operand {
        let number = self.word(number);
        let (word, width) = self.word_around(set, number);
        let bit = match (word, number) {
            (Operand::Constant(0), _) => return Operand::Constant(0),
            (word, Operand::Constant(number)) => {
                let by = Operand::Constant(number % 64);
                operate(&mut self.machine, Operation::ShiftDown, word, by)
            }
            (word, Operand::Value(number, _)) => {
                let word = value(&mut self.machine, word);
                let shift = Binary::Compute(Operation::ShiftDown);
                Operand::Value(self.machine.binary(shift, word, number), Bound::ANY)
            }
        };
        let bit = operate(&mut self.machine, Operation::And, bit, Operand::Constant(1));
        let end = Operand::Constant(64 * width);
        let fits = test(&mut self.machine, Comparison::Less, number, end);
        operate(&mut self.machine, Operation::And, bit, fits)
    }

    /// A set of one number, or of none if it is too large.
    fn single(&mut self, width: usize, number: Operand) -> Vec<Operand> {
        if let Operand::Constant(number) = number {
            let word = |place| if number / 64 == place { 1 << (number % 64) } else { 0 };
            return (0..width as u64).map(|place| Operand::Constant(word(place))).collect();
        }
        let bound = number.bound();
        let bit = self.bit(number);
        let place = operate(&mut self.machine, Operation::ShiftDown, number, Operand::Constant(6));
        let mut words = Vec::with_capacity(width);
        for here in 0..width as u64 {
            let may = numbers_between(bound.least, bound.most, here);
            let is_here =
                test(&mut self.machine, Comparison::Equal, place, Operand::Constant(here));
            words.push(match (may, bit) {
                (0, _) | (_, Operand::Constant(_)) => Operand::Constant(0),
                (may, Operand::Value(bit, _)) => {
                    let bit = Operand::Value(bit, Bound::bits(may));
                    choose(&mut self.machine, is_here, bit, Operand::Constant(0))
                }
            });
        }
        words
    }

    /// The bit of a number within its word.
    fn bit(&mut self, number: Operand) -> Operand {
        let number = value(&mut self.machine, number);
        let one = self.machine.constant(1);
        let shift = Binary::Compute(Operation::ShiftUp);
        Operand::Value(self.machine.binary(shift, one, number), Bound::ANY)
    }

    /// Words moved by a number of bits.
    fn shift(&mut self, words: &[Operand], by: i32) -> Vec<Operand> {
        let (n_words, n_bits) =
            (i64::from(by.div_euclid(64)), u64::from(by.rem_euclid(64).unsigned_abs()));
        let at = |place: i64| {
            let word = usize::try_from(place).ok().and_then(|place| words.get(place));
            word.copied().unwrap_or(Operand::Constant(0))
        };
        let mut shifted = Vec::with_capacity(words.len());
        for place in (0..).take(words.len()) {
            let machine = &mut self.machine;
            let (here, below) = (at(place - n_words), at(place - n_words - 1));
            let up = operate(machine, Operation::ShiftUp, here, Operand::Constant(n_bits));
            let carry =
                operate(machine, Operation::ShiftDown, below, Operand::Constant(64 - n_bits));
            shifted.push(operate(machine, Operation::Or, up, carry));
        }
        shifted
    }

    /// From an end up to the first bit: as long as all words before it are empty, a word has its part.
    fn up_to(&mut self, end: End, mut words: Vec<Operand>) -> Vec<Operand> {
        if end == End::High {
            words.reverse();
        }
        let mut before = Operand::Constant(0);
        let mut reached = Vec::with_capacity(words.len());
        for word in words {
            let machine = &mut self.machine;
            let own = up_to_bit(machine, end, word);
            let is_empty = test(machine, Comparison::Equal, before, Operand::Constant(0));
            reached.push(choose(machine, is_empty, own, Operand::Constant(0)));
            before = operate(machine, Operation::Or, before, word);
        }
        if end == End::High {
            reached.reverse();
        }
        reached
    }

    /// The number of a rank, or all ones.
    fn nth(&mut self, words: &[Operand], rank: Operand) -> Operand {
        if rank.is_zero() {
            return self.first(words);
        }
        // Step down the words: the last one that starts at or below the rank holds it, if any does.
        let (mut word, mut rest, mut base) = (words[0], rank, Operand::Constant(0));
        let mut start = Operand::Constant(0);
        for place in 1..words.len() {
            let machine = &mut self.machine;
            let n_before = count_ones(machine, words[place - 1]);
            start = operate(machine, Operation::Add, start, n_before);
            if words[place].is_zero() {
                continue;
            }
            let is_reached = test(machine, Comparison::LessOrEqual, start, rank);
            let beyond = operate(machine, Operation::Subtract, rank, start);
            word = choose(machine, is_reached, words[place], word);
            rest = choose(machine, is_reached, beyond, rest);
            base = choose(machine, is_reached, Operand::Constant(64 * place as u64), base);
        }
        let (place, is_there) = self.nth_in_word(word, rest);
        let number = operate(&mut self.machine, Operation::Or, base, place);
        choose(&mut self.machine, is_there, number, Operand::Constant(u64::MAX))
    }

    /// The least number of a set; all ones if there is none.
    fn first(&mut self, words: &[Operand]) -> Operand {
        let base = |place: usize| Operand::Constant(64 * place as u64);
        let last = words.len() - 1;
        let (mut word, mut start) = (words[last], base(last));
        for place in (0..last).rev() {
            let (machine, here) = (&mut self.machine, words[place]);
            let is_some = test(machine, Comparison::Unequal, here, Operand::Constant(0));
            word = choose(machine, is_some, here, word);
            start = choose(machine, is_some, base(place), start);
        }
        let machine = &mut self.machine;
        let is_there = test(machine, Comparison::Unequal, word, Operand::Constant(0));
        let place = lowest_bit(machine, word);
        let number = operate(machine, Operation::Or, start, place);
        choose(machine, is_there, number, Operand::Constant(u64::MAX))
    }

    /// The place of a rank within a word, and whether there is such a rank. The place is below 64.
    fn nth_in_word(&mut self, word: Operand, rank: Operand) -> (Operand, Operand) {
        if self.machine.has_deposit() {
            let bit = self.deposit(word, rank);
            let is_there = test(&mut self.machine, Comparison::Unequal, bit, Operand::Constant(0));
            return (lowest_bit(&mut self.machine, bit), is_there);
        }
        let machine = &mut self.machine;
        let n_bits = count_ones(machine, word);
        let is_there = test(machine, Comparison::Less, rank, n_bits);
        (search_bit(machine, word, rank), is_there)
    }

    /// The bit of a rank in a word, or zero.
    fn deposit(&mut self, word: Operand, rank: Operand) -> Operand {
        if word.is_zero() {
            return word;
        }
        if rank.is_zero() {
            // The lowest bit is what a word and its negative share.
            let machine = &mut self.machine;
            let negative = operate(machine, Operation::Subtract, Operand::Constant(0), word);
            return operate(machine, Operation::And, word, negative);
        }
        let one = operate(&mut self.machine, Operation::ShiftUp, Operand::Constant(1), rank);
        let bound = Bound::bits(word.bound().may);
        let (one, word) = (value(&mut self.machine, one), value(&mut self.machine, word));
        Operand::Value(self.machine.binary(Binary::Deposit, one, word), bound)
    }

    /// The number of a rank alone, or nothing.
    fn nth_alone(&mut self, words: &[Operand], rank: Operand) -> Vec<Operand> {
        if !self.machine.has_deposit() {
            let number = self.nth(words, rank);
            let single = self.single(words.len(), number);
            let limit = |(single, word): (Operand, &Operand)| match single {
                Operand::Value(value, _) => Operand::Value(value, Bound::bits(word.bound().may)),
                Operand::Constant(_) => single,
            };
            return single.into_iter().zip(words).map(limit).collect();
        }
        let mut start = Operand::Constant(0);
        let mut alone = Vec::with_capacity(words.len());
        for &word in words {
            // Below its start a word gets a rank that wraps around and is larger than any word.
            let rest = operate(&mut self.machine, Operation::Subtract, rank, start);
            alone.push(self.deposit(word, rest));
            let n_here = count_ones(&mut self.machine, word);
            start = operate(&mut self.machine, Operation::Add, start, n_here);
        }
        alone
    }
}

/// The bits from an end up to the first one that is set; all if none is.
fn up_to_bit<M: Machine>(machine: &mut M, end: End, word: Operand) -> Operand {
    match end {
        End::Low => {
            let less = operate(machine, Operation::Subtract, word, Operand::Constant(1));
            operate(machine, Operation::Xor, word, less)
        }
        End::High => {
            let above = zeros(machine, End::High, word);
            let most = Operand::Constant(u64::MAX >> 1);
            let below = operate(machine, Operation::ShiftDown, most, above);
            operate(machine, Operation::Xor, below, Operand::Constant(u64::MAX))
        }
    }
}

/// An offset so many places further in the state.
pub(super) fn further_than(offset: u32, further: u64) -> u32 {
    offset + u32::try_from(further).expect("inside the state")
}

/// The place of the bit of this rank, found by halving; any place below 64 if there is none.
fn search_bit<M: Machine>(machine: &mut M, word: Operand, rank: Operand) -> Operand {
    let (mut word, mut rank, mut place) = (word, rank, Operand::Constant(0));
    for half in [32, 16, 8, 4, 2, 1] {
        let low = operate(machine, Operation::And, word, Operand::Constant((1 << half) - 1));
        let n_low = count_ones(machine, low);
        let is_high = test(machine, Comparison::LessOrEqual, n_low, rank);
        let high = operate(machine, Operation::ShiftDown, word, Operand::Constant(half));
        let rest = operate(machine, Operation::Subtract, rank, n_low);
        let moved = operate(machine, Operation::Add, place, Operand::Constant(half));
        word = choose(machine, is_high, high, low);
        rank = choose(machine, is_high, rest, rank);
        place = choose(machine, is_high, moved, place);
    }
    place
}

/// The bits of a word of a plane for the numbers from `least` to `most`.
fn numbers_between(least: u64, most: u64, place: u64) -> u64 {
    let first = 64 * place;
    if most < first || least > first + 63 {
        return 0;
    }
    let from = least.saturating_sub(first);
    let to = (most - first).min(63);
    u64::MAX << from & u64::MAX >> (63 - to)
}
