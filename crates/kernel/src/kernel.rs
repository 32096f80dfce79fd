//! The language of kernels.
//!
//! In: what `compile` lowers clauses to. Out: values that `interpret` runs and `native` translates. All
//! sizes are constants: planes have a fixed number of words, tables and states a fixed length. Invariant:
//! nothing here can reach memory outside the state, the tables and the output; `verify` proves it or
//! says where it fails.

use serde::{Deserialize, Serialize};

/// A register of one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Scalar(pub u16);

/// A register of one plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Plane(pub u16);

/// A table by its place in the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TableId(pub u16);

/// A kernel by its place in the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct KernelId(pub u16);

/// A routine by its place in the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RoutineId(pub u16);

/// A part of the state in rows of equal width. A number beyond the last row means the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Array {
    /// Its first word.
    pub offset: u32,
    /// Words of one row; at least one.
    pub width: u16,
    /// How many rows there are; at least one.
    pub n_rows: u32,
}

/// Words that never change, in rows of equal width.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Words of one row; at least one.
    pub width: u16,
    /// All rows, one after another; at least one row.
    pub words: Vec<u64>,
}

/// Kernels that work on states of one kind and share tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// Words of a state.
    pub state_words: u32,
    /// The tables.
    pub tables: Vec<Table>,
    /// Kernels that others run; each may run those before it.
    pub routines: Vec<Kernel>,
    /// The kernels.
    pub kernels: Vec<Kernel>,
}

impl Module {
    /// A kernel of this module.
    pub fn kernel(&self, id: KernelId) -> Option<&Kernel> {
        self.kernels.get(usize::from(id.0))
    }

    /// A table of this module.
    pub fn table(&self, id: TableId) -> Option<&Table> {
        self.tables.get(usize::from(id.0))
    }
}

/// One kernel. Its registers hold zero and empty planes until something is written to them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// What it is called in dumps.
    pub name: String,
    /// The first scalars are its parameters, so many.
    pub n_params: u16,
    /// How many scalars there are.
    pub n_scalars: u16,
    /// For each plane register its words.
    pub plane_widths: Vec<u16>,
    /// What it does. A kernel that reaches its end returns zero.
    pub body: Vec<Statement>,
}

/// A plane: a set of numbers below 64 times its width.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Set {
    /// These words, the lowest numbers first.
    Mask(Vec<u64>),
    /// A register.
    Plane(Plane),
    /// Part of the state.
    State {
        /// Its first word.
        offset: u32,
        /// Its words.
        width: u16,
    },
    /// A row of an array in the state.
    At(Array, Box<Word>),
    /// A row of a table. A number beyond the last row means the last one.
    Row(TableId, Box<Word>),
    /// One number; none if it does not fit.
    Single(u16, Box<Word>),
    /// Of a set, the number of this rank alone, counted from zero; none if there are not so many.
    Nth(Box<Set>, Box<Word>),
    /// What is in both.
    And(Box<Set>, Box<Set>),
    /// What is in one of them.
    Or(Box<Set>, Box<Set>),
    /// What is in the first and not in the second.
    Without(Box<Set>, Box<Set>),
    /// What is in exactly one of them.
    Xor(Box<Set>, Box<Set>),
    /// Every number moved by so much, up if positive; what leaves the plane is gone.
    Shift(Box<Set>, i32),
    /// The same numbers in a plane of so many words; what does not fit is gone.
    Resize(Box<Set>, u16),
    /// All numbers from an end up to the first one that is in the set; all if none is.
    UpTo(End, Box<Set>),
}

/// A word. Arithmetic wraps around.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Word {
    /// A constant.
    Constant(u64),
    /// A register.
    Scalar(Scalar),
    /// A word of the state.
    State(u32),
    /// The first word of a row of an array in the state.
    At(Array, Box<Word>),
    /// The first word of a row of a table. A number beyond the last row means the last one.
    Look(TableId, Box<Word>),
    /// The result of an operation.
    Compute(Operation, Box<Word>, Box<Word>),
    /// One if the comparison of unsigned words holds, else zero.
    Compare(Comparison, Box<Word>, Box<Word>),
    /// How many numbers are in the set.
    Count(Box<Set>),
    /// One if something is in the set, else zero.
    Any(Box<Set>),
    /// One if the number is in the set, else zero.
    Has(Box<Set>, Box<Word>),
    /// The number of this rank in the set, counted from zero; all ones if there are not so many.
    Nth(Box<Set>, Box<Word>),
    /// How many zeros there are before the first bit from one end; 64 if no bit is set.
    Zeros(End, Box<Word>),
}

/// An end of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// The lowest bit.
    Low,
    /// The highest bit.
    High,
}

/// An operation on two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// The upper word of the product.
    MultiplyHigh,
    /// Quotient of unsigned words, rounded down; all ones if the divisor is zero.
    Divide,
    /// Bits in both.
    And,
    /// Bits in one.
    Or,
    /// Bits in exactly one.
    Xor,
    /// Bits moved up; none are left if the number is 64 or more.
    ShiftUp,
    /// Bits moved down; none are left if the number is 64 or more.
    ShiftDown,
    /// The smaller one.
    Least,
    /// The greater one.
    Most,
}

/// A comparison of unsigned words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    /// They are equal.
    Equal,
    /// They are not.
    Unequal,
    /// The first is less.
    Less,
    /// The first is less or equal.
    LessOrEqual,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Statement {
    /// A scalar takes a value.
    Let(Scalar, Word),
    /// A plane takes a value of its own width.
    LetSet(Plane, Set),
    /// A word of the state takes a value.
    Store(u32, Word),
    /// Words of the state take a plane.
    StoreSet(u32, Set),
    /// The first word of the row with this number takes a value.
    StoreAt(Array, Word, Word),
    /// The row with this number takes a plane of its width.
    StoreSetAt(Array, Word, Set),
    /// The first part if the word is not zero, else the second.
    If(Word, Vec<Statement>, Vec<Statement>),
    /// For each number of a set, the lowest first, as the set is at the start.
    ForEach(Scalar, Set, Vec<Statement>),
    /// Again and again, until something in it leaves.
    Repeat(Vec<Statement>),
    /// Leaves the innermost `Repeat`.
    Leave,
    /// A scalar takes a random number below a bound, zero if the bound is zero: the upper word of the
    /// product of the bound and the next output of the generator that the caller hands over.
    Draw(Scalar, Word),
    /// The generator of random numbers goes on from here.
    Seed(Word),
    /// A scalar takes what a routine returns, which works on the same state with these parameters.
    Run(Scalar, RoutineId, Vec<Word>),
    /// A row is handed over. A kernel whose output is full ends and says so.
    Emit(Vec<Word>),
    /// The kernel ends and says that something has no room: a list that is kept in the state is full.
    Full,
    /// The kernel ends with a result.
    Return(Word),
}
