//! Random modules that pass verification, with every construct of the language.

use rulesmith_kernel::{
    Array, Comparison, End, Kernel, Module, Operation, Plane, RoutineId, Scalar, Set, Statement,
    Table, TableId, Word,
};

use super::Random;

const STATE_WORDS: u32 = 24;
const N_SCALARS: u16 = 6;
const OPERATIONS: [Operation; 12] = [
    Operation::Add,
    Operation::Subtract,
    Operation::Multiply,
    Operation::MultiplyHigh,
    Operation::Divide,
    Operation::And,
    Operation::Or,
    Operation::Xor,
    Operation::ShiftUp,
    Operation::ShiftDown,
    Operation::Least,
    Operation::Most,
];
const COMPARISONS: [Comparison; 4] =
    [Comparison::Equal, Comparison::Unequal, Comparison::Less, Comparison::LessOrEqual];
const CONSTANTS: [u64; 14] = [0, 1, 2, 3, 7, 31, 63, 64, 65, 127, 130, 511, 1 << 40, u64::MAX];
const SHIFTS: [i32; 14] = [0, 1, -1, 8, -7, 63, -63, 64, -64, 65, -70, 128, 200, -600];

/// Makes modules.
pub(crate) struct Generator {
    random: Random,
    tables: Vec<Table>,
    plane_widths: Vec<u16>,
    row_words: usize,
    /// Statements that may still be made.
    budget: usize,
    n_repeats: usize,
    /// Must the kernel hand over nothing?
    is_routine: bool,
    /// Routines that it may run.
    n_routines: usize,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: Random(seed),
            tables: vec![],
            plane_widths: vec![],
            row_words: 0,
            budget: 0,
            n_repeats: 0,
            is_routine: false,
            n_routines: 0,
        }
    }

    pub(crate) fn module(&mut self) -> Module {
        self.tables = (0..3).map(|_| self.table()).collect();
        let routines = (0..2).map(|place| self.kernel(place, true)).collect();
        let kernels = (0..3).map(|_| self.kernel(2, false)).collect();
        Module { state_words: STATE_WORDS, tables: self.tables.clone(), routines, kernels }
    }

    fn table(&mut self) -> Table {
        let (width, n_rows) = (1 + self.random.below(8), 1 + self.random.below(70));
        let mut words = self.random.words(width * n_rows);
        if self.random.below(2) == 0 {
            for word in &mut words {
                *word &= 0x7F;
            }
        }
        Table { width: short(width), words }
    }

    /// A kernel that may run so many routines, or a routine.
    fn kernel(&mut self, n_routines: usize, is_routine: bool) -> Kernel {
        (self.is_routine, self.n_routines) = (is_routine, n_routines);
        self.plane_widths = (0..5).map(|_| self.width()).collect();
        self.row_words = 1 + self.random.below(3);
        self.budget = 5 + self.random.below(40);
        let body = self.body(4);
        let (plane_widths, n_scalars) = (self.plane_widths.clone(), N_SCALARS);
        Kernel { name: "random".into(), n_params: 2, n_scalars, plane_widths, body }
    }

    fn width(&mut self) -> u16 {
        // Small planes are what most games have.
        let limit = if self.random.below(2) == 0 { 2 } else { 8 };
        short(1 + self.random.below(limit))
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.random.below(items.len())]
    }

    fn scalar(&mut self) -> Scalar {
        Scalar(short(self.random.below(usize::from(N_SCALARS))))
    }

    fn body(&mut self, depth: usize) -> Vec<Statement> {
        let n_statements = 1 + self.random.below(6);
        let mut body = vec![];
        for _ in 0..n_statements {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            let statement = self.statement(depth);
            body.push(statement);
        }
        body
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let limit = if depth == 0 { 8 } else { 14 };
        match self.random.below(limit) {
            0 | 1 => Statement::Let(self.scalar(), self.word(3)),
            2 | 3 => {
                let plane = self.random.below(self.plane_widths.len());
                let set = self.set(usize::from(self.plane_widths[plane]), 3);
                Statement::LetSet(Plane(short(plane)), set)
            }
            4 => Statement::Draw(self.scalar(), self.word(2)),
            5 if self.n_routines > 0 && (self.is_routine || self.random.below(3) == 0) => {
                let routine = RoutineId(short(self.random.below(self.n_routines)));
                Statement::Run(self.scalar(), routine, vec![self.word(2), self.word(2)])
            }
            5 if self.is_routine => self.store(),
            5 => Statement::Emit((0..self.row_words).map(|_| self.word(2)).collect()),
            6 => self.store(),
            7 => match self.random.below(5) {
                0 => Statement::Return(self.word(2)),
                4 => Statement::Seed(self.word(2)),
                2 if self.random.below(4) == 0 => Statement::Full,
                1 if self.n_repeats > 0 => Statement::Leave,
                _ => self.store(),
            },
            8..=10 => Statement::If(self.word(3), self.body(depth - 1), self.body(depth - 1)),
            11 => self.repeat(depth),
            _ => {
                let (scalar, width) = (self.scalar(), self.width());
                let set = self.set(usize::from(width), 3);
                Statement::ForEach(scalar, set, self.body(depth - 1))
            }
        }
    }

    fn store(&mut self) -> Statement {
        match self.random.below(4) {
            0 => {
                let (array, row) = (self.array(1), self.word(2));
                return Statement::StoreAt(array, row, self.word(3));
            }
            1 => {
                let width = usize::from(self.width());
                let (array, row) = (self.array(width), self.word(2));
                return Statement::StoreSetAt(array, row, self.set(width, 3));
            }
            _ => {}
        }
        if self.random.below(2) == 0 {
            let offset = self.random.below(STATE_WORDS as usize);
            return Statement::Store(long(offset), self.word(3));
        }
        let width = usize::from(self.width());
        let offset = self.random.below(STATE_WORDS as usize - width);
        Statement::StoreSet(long(offset), self.set(width, 3))
    }

    /// An array of rows of at least this width.
    fn array(&mut self, width: usize) -> Array {
        let n_rows = 1 + self.random.below(STATE_WORDS as usize / width);
        let offset = long(self.random.below(STATE_WORDS as usize - width * n_rows + 1));
        Array { offset, width: short(width), n_rows: long(n_rows) }
    }

    fn repeat(&mut self, depth: usize) -> Statement {
        self.n_repeats += 1;
        let mut body = self.body(depth - 1);
        let leave = match self.random.below(3) {
            0 => Statement::Leave,
            _ => Statement::If(self.word(2), vec![Statement::Leave], vec![]),
        };
        let place = self.random.below(body.len() + 1);
        body.insert(place, leave);
        self.n_repeats -= 1;
        Statement::Repeat(body)
    }

    fn set(&mut self, width: usize, depth: usize) -> Set {
        let limit = if depth == 0 { 3 } else { 14 };
        let inner = depth.saturating_sub(1);
        match self.random.below(limit) {
            0 => Set::Mask(self.random.words(width)),
            1 => {
                let offset = long(self.random.below(STATE_WORDS as usize - width));
                Set::State { offset, width: short(width) }
            }
            2 => match self.plane_widths.iter().position(|one| usize::from(*one) == width) {
                Some(plane) => Set::Plane(Plane(short(plane))),
                None => Set::Mask(self.random.words(width)),
            },
            3 => match self.tables.iter().position(|table| usize::from(table.width) == width) {
                Some(table) => Set::Row(TableId(short(table)), self.boxed_word(inner)),
                None => Set::Single(short(width), self.boxed_word(inner)),
            },
            4 => Set::Single(short(width), self.boxed_word(inner)),
            5 => Set::Nth(self.boxed_set(width, inner), self.boxed_word(inner)),
            6 => Set::And(self.boxed_set(width, inner), self.boxed_set(width, inner)),
            7 => Set::Or(self.boxed_set(width, inner), self.boxed_set(width, inner)),
            8 => Set::Without(self.boxed_set(width, inner), self.boxed_set(width, inner)),
            10 => Set::At(self.array(width), self.boxed_word(inner)),
            9 => Set::Xor(self.boxed_set(width, inner), self.boxed_set(width, inner)),
            11 => {
                let other = usize::from(self.width());
                Set::Resize(self.boxed_set(other, inner), short(width))
            }
            12 => Set::UpTo(self.one_of(&[End::Low, End::High]), self.boxed_set(width, inner)),
            _ => Set::Shift(self.boxed_set(width, inner), self.one_of(&SHIFTS)),
        }
    }

    fn boxed_set(&mut self, width: usize, depth: usize) -> Box<Set> {
        Box::new(self.set(width, depth))
    }

    fn boxed_word(&mut self, depth: usize) -> Box<Word> {
        Box::new(self.word(depth))
    }

    fn word(&mut self, depth: usize) -> Word {
        let limit = if depth == 0 { 4 } else { 14 };
        let inner = depth.saturating_sub(1);
        let width = usize::from(self.width());
        match self.random.below(limit) {
            0 => Word::Constant(self.one_of(&CONSTANTS)),
            1 | 2 => Word::Scalar(self.scalar()),
            3 => Word::State(long(self.random.below(STATE_WORDS as usize))),
            4 => {
                let table = short(self.random.below(self.tables.len()));
                Word::Look(TableId(table), self.boxed_word(inner))
            }
            5 | 6 => {
                let operation = self.one_of(&OPERATIONS);
                Word::Compute(operation, self.boxed_word(inner), self.boxed_word(inner))
            }
            7 => {
                let comparison = self.one_of(&COMPARISONS);
                Word::Compare(comparison, self.boxed_word(inner), self.boxed_word(inner))
            }
            8 => Word::Count(self.boxed_set(width, inner)),
            9 => Word::Any(self.boxed_set(width, inner)),
            11 => Word::At(self.array(width.min(3)), self.boxed_word(inner)),
            10 => Word::Has(self.boxed_set(width, inner), self.boxed_word(inner)),
            12 => Word::Zeros(self.one_of(&[End::Low, End::High]), self.boxed_word(inner)),
            _ => Word::Nth(self.boxed_set(width, inner), self.boxed_word(inner)),
        }
    }
}

fn short(number: usize) -> u16 {
    u16::try_from(number).expect("a small number")
}

fn long(number: usize) -> u32 {
    u32::try_from(number).expect("a small number")
}
