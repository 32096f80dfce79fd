//! Where registers are and what is known of them and of tables, whatever the kernel does.
//!
//! In: a verified kernel. Out: for each word of its registers a bound that holds at every moment of
//! every run. The bounds are the least ones found by going through all assignments again and again; what
//! still grows after a few rounds may be anything, unless the assignment itself limits it.

use std::ops::Range;

use super::bound::Bound;
use super::expressions::Expressions;
use super::machine::{Dry, Operand};
use crate::kernel::{Kernel, Plane, Scalar, Statement, Table, TableId};

/// Rounds in which bounds grow step by step; later they jump to the end.
const GROWING_ROUNDS: usize = 6;
/// The round after which nothing is known of any register.
const LAST_ROUND: usize = 16;
/// Rounds that win back what jumps lost.
const NARROWING_ROUNDS: usize = 2;

/// The places of registers among their words, scalars first.
#[derive(Debug)]
pub(super) struct Registers {
    planes: Vec<Range<usize>>,
    /// Words of all registers.
    pub(super) n_words: usize,
}

impl Registers {
    pub(super) fn new(kernel: &Kernel) -> Self {
        let mut n_words = usize::from(kernel.n_scalars);
        let mut place = |width: &u16| {
            let start = n_words;
            n_words += usize::from(*width);
            start..n_words
        };
        let planes = kernel.plane_widths.iter().map(&mut place).collect();
        Self { planes, n_words }
    }

    pub(super) fn scalar(Scalar(scalar): Scalar) -> usize {
        usize::from(scalar)
    }

    pub(super) fn plane(&self, Plane(plane): Plane) -> Range<usize> {
        self.planes[usize::from(plane)].clone()
    }
}

/// What the tables of a module hold.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    tables: Vec<TableFacts<'a>>,
}

/// What a table holds.
#[derive(Debug)]
pub(super) struct TableFacts<'a> {
    words: &'a [u64],
    pub(super) width: usize,
    pub(super) n_rows: usize,
    /// For each column what its words may be.
    columns: Vec<Bound>,
}

impl<'a> Facts<'a> {
    pub(super) fn new(tables: &'a [Table]) -> Self {
        Self { tables: tables.iter().map(TableFacts::new).collect() }
    }

    pub(super) fn table(&self, TableId(table): TableId) -> &TableFacts<'a> {
        &self.tables[usize::from(table)]
    }
}

impl<'a> TableFacts<'a> {
    fn new(table: &'a Table) -> Self {
        let width = usize::from(table.width);
        let mut rows = table.words.chunks_exact(width);
        let first = rows.next().unwrap_or_default();
        let mut columns: Vec<_> = first.iter().map(|&word| Bound::constant(word)).collect();
        for row in rows {
            for (bound, &word) in columns.iter_mut().zip(row) {
                *bound = bound.join(Bound::constant(word));
            }
        }
        Self { words: &table.words, width, n_rows: table.words.len() / width, columns }
    }

    /// A word of the row that starts here.
    pub(super) fn word(&self, start: u64, column: usize) -> u64 {
        let start = usize::try_from(start).expect("a row of the table");
        self.words[start + column]
    }

    /// What the words of a column may be.
    pub(super) fn column(&self, column: usize) -> Bound {
        self.columns[column]
    }

    /// What its words may be.
    pub(super) fn anywhere(&self) -> Bound {
        self.columns.iter().copied().reduce(Bound::join).unwrap_or(Bound::ANY)
    }
}

/// What each word of a register may hold at any time.
pub(super) fn bounds(kernel: &Kernel, facts: &Facts<'_>, registers: &Registers) -> Vec<Bound> {
    let mut start = vec![Bound::constant(0); registers.n_words];
    start[..usize::from(kernel.n_params)].fill(Bound::ANY);
    let round = |known: &[Bound]| {
        let expressions = Expressions { machine: Dry, facts, registers, known: known.to_vec() };
        let mut assignments = Assignments { expressions, found: start.clone() };
        assignments.body(&kernel.body);
        assignments.found
    };
    let mut known = start.clone();
    for n_rounds in 0.. {
        let found = round(&known);
        let mut has_grown = false;
        for (known, found) in known.iter_mut().zip(found) {
            let joined = known.join(found);
            if joined != *known {
                has_grown = true;
                *known = if n_rounds < GROWING_ROUNDS { joined } else { Bound::ANY };
            }
        }
        if !has_grown {
            break;
        }
        if n_rounds == LAST_ROUND {
            known.fill(Bound::ANY);
            break;
        }
    }
    // What an assignment gives under bounds that hold is a bound that holds.
    (0..NARROWING_ROUNDS).fold(known, |known, _| round(&known))
}

/// Goes through all assignments of a kernel.
struct Assignments<'a> {
    expressions: Expressions<'a, Dry>,
    /// What was assigned so far.
    found: Vec<Bound>,
}

impl Assignments<'_> {
    fn body(&mut self, body: &[Statement]) {
        for statement in body {
            match statement {
                Statement::Let(scalar, value) => {
                    let bound = self.expressions.word(value).bound();
                    self.assign(*scalar, bound);
                }
                Statement::LetSet(plane, value) => {
                    let words = self.expressions.set(value);
                    for (place, word) in self.expressions.registers.plane(*plane).zip(words) {
                        self.found[place] = self.found[place].join(word.bound());
                    }
                }
                Statement::Draw(scalar, value) => {
                    let bound = below(self.expressions.word(value).bound());
                    self.assign(*scalar, bound);
                }
                Statement::Run(scalar, ..) => self.assign(*scalar, Bound::ANY),
                Statement::ForEach(scalar, set, inside) => {
                    if let Some(bound) = numbers(&self.expressions.set(set)) {
                        self.assign(*scalar, bound);
                        self.body(inside);
                    }
                }
                Statement::If(_, then, otherwise) => {
                    self.body(then);
                    self.body(otherwise);
                }
                Statement::Repeat(inside) => self.body(inside),
                _ => {}
            }
        }
    }

    fn assign(&mut self, scalar: Scalar, bound: Bound) {
        let place = Registers::scalar(scalar);
        self.found[place] = self.found[place].join(bound);
    }
}

/// Numbers below one that is so bounded, or zero.
pub(super) fn below(bound: Bound) -> Bound {
    Bound::between(0, bound.most.saturating_sub(1))
}

/// The numbers that may be in a set; none if it is empty for sure.
pub(super) fn numbers(words: &[Operand]) -> Option<Bound> {
    let of_word = |(word, place): (&Operand, u64)| {
        let may = word.bound().may;
        let (first, last) = (may.trailing_zeros(), may.checked_ilog2()?);
        Some(Bound::between(64 * place + u64::from(first), 64 * place + u64::from(last)))
    };
    words.iter().zip(0..).filter_map(of_word).reduce(Bound::join)
}

/// Marks the words of registers that are assigned in a body.
pub(super) fn mark_assigned(body: &[Statement], registers: &Registers, marks: &mut [bool]) {
    for statement in body {
        match statement {
            Statement::Let(scalar, _) | Statement::Draw(scalar, _) | Statement::Run(scalar, ..) => {
                marks[Registers::scalar(*scalar)] = true;
            }
            Statement::LetSet(plane, _) => marks[registers.plane(*plane)].fill(true),
            Statement::ForEach(scalar, _, inside) => {
                marks[Registers::scalar(*scalar)] = true;
                mark_assigned(inside, registers, marks);
            }
            Statement::If(_, then, otherwise) => {
                mark_assigned(then, registers, marks);
                mark_assigned(otherwise, registers, marks);
            }
            Statement::Repeat(inside) => mark_assigned(inside, registers, marks),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Set, Word};

    /// What the registers of a kernel with one scalar and one plane of one word may hold.
    fn check(body: Vec<Statement>, scalar: Bound, plane: Bound) {
        let kernel = Kernel { n_scalars: 1, plane_widths: vec![1], body, ..Kernel::default() };
        let table = Table { width: 1, words: vec![3, 9, 4] };
        let facts = Facts::new(std::slice::from_ref(&table));
        let found = bounds(&kernel, &facts, &Registers::new(&kernel));
        assert_eq!(found, [scalar, plane]);
    }

    const SCALAR: Scalar = Scalar(0);
    const PLANE: Plane = Plane(0);

    #[test]
    fn registers_that_nothing_is_written_to_are_zero() {
        check(vec![], Bound::constant(0), Bound::constant(0));
    }

    #[test]
    fn the_numbers_of_a_mask_are_bounded_by_it() {
        let each = Statement::ForEach(SCALAR, Set::Mask(vec![0b1001_0000]), vec![]);
        check(vec![each], Bound::between(0, 7), Bound::constant(0));
    }

    #[test]
    fn what_tables_hold_is_bounded_by_their_words() {
        let look = Statement::Let(SCALAR, Word::look(TableId(0), Word::State(0)));
        check(vec![look], Bound { least: 0, most: 9, may: 15 }, Bound::constant(0));
    }

    #[test]
    fn a_flood_that_grows_in_a_loop_stays_within_its_mask() {
        let mask = 0x7F_FFFF_FFFF;
        let grown = (Set::from(PLANE).shift(1) | Set::Mask(vec![1])) & Set::Mask(vec![mask]);
        let body = vec![Statement::LetSet(PLANE, grown), Statement::Leave];
        check(vec![Statement::Repeat(body)], Bound::constant(0), Bound::bits(mask));
    }

    #[test]
    fn a_counter_without_end_may_be_anything() {
        let body = vec![Statement::Let(SCALAR, Word::from(SCALAR) + 1), Statement::Leave];
        check(vec![Statement::Repeat(body)], Bound::ANY, Bound::constant(0));
    }
}
