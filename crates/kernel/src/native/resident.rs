//! Words of the state that stay in registers while a kernel runs.
//!
//! In: a kernel. Out: the words that it reaches by their places alone, so that they can be read at its start
//! and written back at its end. It pays where there are loops: between two passes nothing goes through memory,
//! and a state that is put back costs nothing. Invariant: no word of an array is among them, nor one that may
//! be reached by a place that is computed.

use std::collections::BTreeMap;

use crate::interpret::has_loop;
use crate::kernel::{Array, Kernel, Set, Statement, Table, Word};

/// More words are left in memory: registers that meet where ways meet make translation slow.
const MAX_RESIDENT: usize = 64;
/// Statements of kernels that are translated so.
const MAX_STATEMENTS: usize = 2000;

/// The words that stay in registers, and whether something is stored to them.
pub(super) fn resident(kernel: &Kernel, tables: &[Table]) -> BTreeMap<u32, bool> {
    let (words, arrays) = (BTreeMap::new(), Vec::new());
    let mut reached = Reached { kernel, tables, words, arrays, n_statements: 0, runs: false };
    if has_loop(&kernel.body) {
        reached.body(&kernel.body);
    }
    let Reached { mut words, arrays, n_statements, runs, .. } = reached;
    for (first, end) in arrays {
        let within: Vec<u32> = words.range(first..end).map(|(word, _)| *word).collect();
        for word in within {
            words.remove(&word);
        }
    }
    let is_small = words.len() <= MAX_RESIDENT && n_statements <= MAX_STATEMENTS;
    if is_small && !runs && words.values().any(|is_stored| *is_stored) {
        words
    } else {
        BTreeMap::new()
    }
}

/// What a kernel reaches of the state.
struct Reached<'k> {
    kernel: &'k Kernel,
    tables: &'k [Table],
    words: BTreeMap<u32, bool>,
    /// Parts of which any word may be meant: the first one, and the one after the last.
    arrays: Vec<(u32, u32)>,
    n_statements: usize,
    /// Are other kernels run, which look for the state in memory?
    runs: bool,
}

impl Reached<'_> {
    fn body(&mut self, body: &[Statement]) {
        self.n_statements += body.len();
        for statement in body {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let(_, word)
            | Statement::Draw(_, word)
            | Statement::Seed(word)
            | Statement::Return(word) => self.word(word),
            Statement::LetSet(_, set) => {
                self.set(set);
            }
            Statement::Store(offset, word) => {
                self.word(word);
                self.words.insert(*offset, true);
            }
            Statement::StoreSet(offset, set) => {
                let width = self.set(set);
                self.words.extend((*offset..*offset + width).map(|word| (word, true)));
            }
            Statement::StoreAt(array, row, word) => {
                self.array(*array);
                self.word(row);
                self.word(word);
            }
            Statement::StoreSetAt(array, row, set) => {
                self.array(*array);
                self.word(row);
                self.set(set);
            }
            Statement::If(word, then, otherwise) => {
                self.word(word);
                self.body(then);
                self.body(otherwise);
            }
            Statement::ForEach(_, set, body) => {
                self.set(set);
                self.body(body);
            }
            Statement::Repeat(body) => self.body(body),
            Statement::Leave | Statement::Full => {}
            Statement::Run(_, _, params) => {
                self.runs = true;
                for word in params {
                    self.word(word);
                }
            }
            Statement::Emit(row) => row.iter().for_each(|word| self.word(word)),
        }
    }

    fn array(&mut self, Array { offset, width, n_rows }: Array) {
        self.arrays.push((offset, offset.saturating_add(n_rows.saturating_mul(width.into()))));
    }

    fn word(&mut self, word: &Word) {
        match word {
            Word::Constant(_) | Word::Scalar(_) => {}
            Word::State(offset) => {
                self.words.entry(*offset).or_default();
            }
            Word::At(array, row) => {
                self.array(*array);
                self.word(row);
            }
            Word::Look(_, row) | Word::Zeros(_, row) => self.word(row),
            Word::Compute(_, left, right) | Word::Compare(_, left, right) => {
                self.word(left);
                self.word(right);
            }
            Word::Count(set) | Word::Any(set) => {
                self.set(set);
            }
            Word::Has(set, number) => {
                // The word around a number is read by its place.
                if let Set::State { offset, width } = **set
                    && width > 1
                {
                    self.arrays.push((offset, offset + u32::from(width)));
                }
                self.set(set);
                self.word(number);
            }
            Word::Nth(set, rank) => {
                self.set(set);
                self.word(rank);
            }
        }
    }

    /// Looks at a set; how many words it has.
    fn set(&mut self, set: &Set) -> u32 {
        match set {
            Set::Mask(words) => u32::try_from(words.len()).unwrap_or(u32::MAX),
            Set::Plane(plane) => self.kernel.plane_widths[usize::from(plane.0)].into(),
            Set::State { offset, width } => {
                for word in *offset..*offset + u32::from(*width) {
                    self.words.entry(word).or_default();
                }
                (*width).into()
            }
            Set::At(array, row) => {
                self.array(*array);
                self.word(row);
                array.width.into()
            }
            Set::Row(table, row) => {
                self.word(row);
                self.tables[usize::from(table.0)].width.into()
            }
            Set::Single(width, number) => {
                self.word(number);
                (*width).into()
            }
            Set::Nth(set, rank) => {
                self.word(rank);
                self.set(set)
            }
            Set::And(left, right)
            | Set::Or(left, right)
            | Set::Without(left, right)
            | Set::Xor(left, right) => {
                self.set(left);
                self.set(right)
            }
            Set::Shift(set, _) | Set::UpTo(_, set) => self.set(set),
            Set::Resize(set, width) => {
                self.set(set);
                (*width).into()
            }
        }
    }
}
