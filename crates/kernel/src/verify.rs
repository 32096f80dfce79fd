//! Verification: a module is checked once, then only its proof is carried around.
//!
//! In: a module from anywhere. Out: the module as [`Verified`], or the first thing wrong with it and
//! where. Invariant: a verified module names only registers, tables and state words that exist, joins
//! only planes of equal width, and is small enough to be walked recursively.

use crate::error::{Error, Problem};
use crate::interpret::has_loop;
use crate::kernel::{
    Array, Kernel, Module, Plane, RoutineId, Scalar, Set, Statement, TableId, Word,
};
use crate::meetings::{BRANCH_WEIGHT, LOOP_WEIGHT, Meetings};
use crate::run::state_words;

/// Statements and expressions may be nested so deep: everything that walks them is recursive.
pub const MAX_DEPTH: usize = 256;
/// Statements, sets and words of one kernel, all counted.
pub const MAX_NODES: usize = 1 << 20;
/// Words of a plane: sets of numbers below 65,536.
pub const MAX_WIDTH: usize = 1 << 10;
/// Words of a state.
pub const MAX_STATE_WORDS: usize = 1 << 24;
/// Words of all tables together.
pub const MAX_TABLE_WORDS: usize = 1 << 26;
/// Words of all registers of one kernel.
pub const MAX_REGISTER_WORDS: usize = 1 << 17;
/// Operations that it takes, for each word of a set, to find the number of a rank.
const NTH_OPERATIONS: u64 = 6;
/// Routines that run each other may do so this deep.
pub const MAX_RUNS: usize = 16;
/// Kernels of a module.
const MAX_KERNELS: usize = 1 << 16;

/// A module that has been checked.
#[derive(Clone, Debug)]
pub struct Verified {
    module: Module,
    routines: Vec<Shape>,
    shapes: Vec<Shape>,
}

impl Verified {
    /// The module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// What is known of each routine, in the module's order.
    pub(crate) fn routines(&self) -> &[Shape] {
        &self.routines
    }

    /// What is known of each kernel, in the module's order.
    pub(crate) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }
}

/// What verification learns of a kernel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    /// Words of a state.
    pub(crate) state_words: usize,
    /// How many parameters it takes.
    pub(crate) n_params: usize,
    /// Words of the rows it hands over; zero if it hands over none.
    pub(crate) row_words: usize,
    /// Does it draw random numbers?
    pub(crate) draws: bool,
    /// Does it cost fuel?
    pub(crate) burns: bool,
    /// Operations on single words that it takes written out once.
    pub(crate) n_operations: u64,
    /// Words of registers that meet where ways meet; in loops all of those that are needed.
    pub(crate) n_meeting_words: u64,
    /// How deep routines run each other below it.
    pub(crate) n_runs: usize,
}

/// Checks a module.
///
/// # Examples
///
/// ```
/// use rulesmith_kernel::{Kernel, Module, Statement, Word, verify};
/// let body = vec![Statement::Return(Word::State(3))];
/// let kernel = Kernel { name: "last".into(), body, ..Kernel::default() };
/// let module = Module { state_words: 4, kernels: vec![kernel], ..Module::default() };
/// assert!(verify(module.clone()).is_ok());
/// let error = verify(Module { state_words: 3, ..module }).unwrap_err();
/// assert_eq!(error.to_string(), "kernel `last`, statement 1: it reaches words 3 to 3+1 of a state of 3");
/// ```
pub fn verify(module: Module) -> Result<Verified, Error> {
    check_module(&module).map_err(|problem| Error::Module { problem })?;
    for (table, id) in module.tables.iter().zip(0..) {
        let problem = match (table.words.len(), usize::from(table.width)) {
            (0, _) | (_, 0) => Problem::NoWords,
            (_, width) if width > MAX_WIDTH => too_many("words in a row", MAX_WIDTH),
            (words, width) if !words.is_multiple_of(width) => {
                Problem::Ragged { words, width: table.width }
            }
            _ => continue,
        };
        return Err(Error::Table { table: TableId(id), problem });
    }
    let mut routines: Vec<Shape> = Vec::new();
    for routine in &module.routines {
        let shape = check_kernel(&module, &routines, routine)?;
        if shape.row_words > 0 {
            let (kernel, problem) = (routine.name.clone(), Problem::RoutineRows);
            return Err(Error::Kernel { kernel, statement: 0, problem });
        }
        routines.push(shape);
    }
    let shapes = module.kernels.iter().map(|kernel| check_kernel(&module, &routines, kernel));
    let shapes = shapes.collect::<Result<_, _>>()?;
    Ok(Verified { module, routines, shapes })
}

fn too_many(what: &'static str, limit: usize) -> Problem {
    Problem::TooMany { what, limit }
}

/// Checks sizes of the whole.
fn check_module(module: &Module) -> Result<(), Problem> {
    let table_words = module.tables.iter().map(|table| table.words.len()).sum::<usize>();
    for (n, what, limit) in [
        (state_words(module), "words in a state", MAX_STATE_WORDS),
        (table_words, "words in tables", MAX_TABLE_WORDS),
        (module.tables.len(), "tables", usize::from(u16::MAX) + 1),
        (module.kernels.len(), "kernels", MAX_KERNELS),
        (module.routines.len(), "routines", MAX_KERNELS),
    ] {
        if n > limit {
            return Err(too_many(what, limit));
        }
    }
    Ok(())
}

/// Checks one kernel.
fn check_kernel(module: &Module, routines: &[Shape], kernel: &Kernel) -> Result<Shape, Error> {
    let shape = Shape {
        state_words: state_words(module),
        n_params: usize::from(kernel.n_params),
        ..Shape::default()
    };
    let (loops, meetings) = (Vec::new(), Meetings::new(0, &[]));
    let mut check = Check {
        module,
        routines,
        kernel,
        shape,
        statement: 0,
        depth: 0,
        n_nodes: 0,
        loops,
        meetings,
    };
    match check.head().and_then(|()| check.body(&kernel.body)) {
        Ok(()) => Ok(Shape { n_meeting_words: check.meetings.words(), ..check.shape }),
        Err(problem) => {
            let kernel = kernel.name.clone();
            Err(Error::Kernel { kernel, statement: check.statement, problem })
        }
    }
}

/// Where the check of a kernel stands.
struct Check<'a> {
    module: &'a Module,
    /// The routines that it may run.
    routines: &'a [Shape],
    kernel: &'a Kernel,
    shape: Shape,
    /// Statements begun.
    statement: usize,
    depth: usize,
    n_nodes: usize,
    /// For each `Repeat` around, whether something was found that ends it.
    loops: Vec<bool>,
    meetings: Meetings,
}

impl Check<'_> {
    fn head(&mut self) -> Result<(), Problem> {
        let Kernel { n_params, n_scalars, ref plane_widths, .. } = *self.kernel;
        if n_params > n_scalars {
            return Err(Problem::Params { n_params, n_scalars });
        }
        for &width in plane_widths {
            check_width(usize::from(width))?;
        }
        let plane_words = plane_widths.iter().map(|&width| usize::from(width)).sum::<usize>();
        let register_words = plane_words + usize::from(n_scalars);
        if register_words > MAX_REGISTER_WORDS || plane_widths.len() > usize::from(u16::MAX) + 1 {
            return Err(too_many("words in registers", MAX_REGISTER_WORDS));
        }
        self.meetings = Meetings::new(n_scalars, plane_widths);
        Ok(())
    }

    /// Goes one level down and does something there.
    fn below<T>(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        if self.depth == MAX_DEPTH {
            return Err(too_many("levels of nesting", MAX_DEPTH));
        }
        if self.n_nodes == MAX_NODES {
            return Err(too_many("statements and expressions", MAX_NODES));
        }
        self.n_nodes += 1;
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    fn body(&mut self, body: &[Statement]) -> Result<(), Problem> {
        for statement in body {
            self.statement += 1;
            self.shape.n_operations += 1;
            self.below(|check| check.statement(statement))?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Problem> {
        match statement {
            Statement::Let(scalar, value) | Statement::Draw(scalar, value) => {
                self.shape.draws |= matches!(statement, Statement::Draw(..));
                self.scalar(*scalar)?;
                self.word(value)?;
                self.meetings.scalar(*scalar, true);
                Ok(())
            }
            Statement::Seed(value) => {
                self.shape.draws = true;
                self.word(value)
            }
            Statement::LetSet(plane, value) => {
                let width = self.plane(*plane)?;
                let value = self.set(value)?;
                self.meetings.plane(*plane, true);
                same_width(width, value).map(drop)
            }
            Statement::Store(offset, value) => {
                self.state(*offset, 1)?;
                self.word(value)
            }
            Statement::StoreSet(offset, value) => {
                let width = self.set(value)?;
                self.state(*offset, width)
            }
            Statement::StoreAt(array, row, value) => {
                self.array(array)?;
                self.word(row)?;
                self.word(value)
            }
            Statement::StoreSetAt(array, row, value) => {
                let width = self.array(array)?;
                self.word(row)?;
                let value = self.set(value)?;
                same_width(width, value).map(drop)
            }
            Statement::If(condition, then, otherwise) => {
                self.word(condition)?;
                self.branch([then, otherwise])
            }
            Statement::ForEach(scalar, set, body) => self.for_each(*scalar, set, body),
            Statement::Repeat(body) => self.repeat(body),
            Statement::Leave => {
                *self.loops.last_mut().ok_or(Problem::NothingToLeave)? = true;
                Ok(())
            }
            Statement::Run(scalar, routine, params) => self.run(*scalar, *routine, params),
            Statement::Emit(row) => self.row(row),
            Statement::Full => {
                self.loops.fill(true);
                Ok(())
            }
            Statement::Return(value) => {
                self.loops.fill(true);
                self.word(value)
            }
        }
    }

    fn branch(&mut self, arms: [&[Statement]; 2]) -> Result<(), Problem> {
        for arm in arms {
            self.meetings.open(false);
            self.body(arm)?;
            self.meetings.close();
        }
        self.meetings.meet(BRANCH_WEIGHT);
        Ok(())
    }

    fn for_each(&mut self, scalar: Scalar, set: &Set, body: &[Statement]) -> Result<(), Problem> {
        self.scalar(scalar)?;
        self.set(set)?;
        self.meetings.meet(LOOP_WEIGHT);
        self.meetings.open(true);
        self.meetings.scalar(scalar, true);
        self.body(body)?;
        self.meetings.close();
        self.shape.burns |= has_loop(body);
        Ok(())
    }

    fn repeat(&mut self, body: &[Statement]) -> Result<(), Problem> {
        self.shape.burns = true;
        let statement = self.statement;
        self.loops.push(false);
        self.meetings.meet(LOOP_WEIGHT);
        self.meetings.open(true);
        self.body(body)?;
        self.meetings.close();
        if self.loops.pop() != Some(true) {
            self.statement = statement;
            return Err(Problem::Endless);
        }
        Ok(())
    }

    fn run(&mut self, scalar: Scalar, routine: RoutineId, params: &[Word]) -> Result<(), Problem> {
        self.scalar(scalar)?;
        let run = self.routines.get(usize::from(routine.0));
        let run = *run.ok_or(Problem::NoSuchRoutine(routine))?;
        if params.len() != run.n_params {
            return Err(Problem::GivenParams { given: params.len(), wanted: run.n_params });
        }
        self.shape.draws |= run.draws;
        self.shape.burns |= run.burns;
        self.shape.n_runs = self.shape.n_runs.max(run.n_runs + 1);
        if self.shape.n_runs > MAX_RUNS {
            return Err(too_many("routines that run each other", MAX_RUNS));
        }
        params.iter().try_for_each(|word| self.word(word))?;
        self.meetings.meet(BRANCH_WEIGHT);
        self.meetings.scalar(scalar, true);
        Ok(())
    }

    fn row(&mut self, row: &[Word]) -> Result<(), Problem> {
        let before = self.shape.row_words;
        match row.len() {
            0 => return Err(Problem::NoWords),
            n_words if before != 0 && n_words != before => {
                return Err(Problem::RowWidths(before, n_words));
            }
            n_words => self.shape.row_words = n_words,
        }
        row.iter().try_for_each(|word| self.word(word))?;
        self.meetings.meet(BRANCH_WEIGHT);
        Ok(())
    }

    /// Checks a set and says its width.
    fn set(&mut self, set: &Set) -> Result<usize, Problem> {
        let width = self.below(|check| check.set_inside(set))?;
        self.shape.n_operations += width as u64;
        check_width(width)
    }

    /// Checks a set of which the number of a rank is wanted.
    fn ranked_set(&mut self, set: &Set) -> Result<usize, Problem> {
        let width = self.set(set)?;
        self.shape.n_operations += NTH_OPERATIONS * width as u64;
        Ok(width)
    }

    fn set_inside(&mut self, set: &Set) -> Result<usize, Problem> {
        match set {
            Set::Mask(words) => Ok(words.len()),
            Set::Plane(plane) => {
                self.meetings.plane(*plane, false);
                self.plane(*plane)
            }
            Set::State { offset, width } => {
                self.state(*offset, usize::from(*width))?;
                Ok(usize::from(*width))
            }
            Set::At(array, row) => {
                self.word(row)?;
                self.array(array)
            }
            Set::Row(table, index) => {
                self.word(index)?;
                self.table(*table)
            }
            Set::Single(width, number) => {
                self.word(number)?;
                Ok(usize::from(*width))
            }
            Set::Nth(set, rank) => {
                self.word(rank)?;
                self.ranked_set(set)
            }
            Set::And(left, right)
            | Set::Or(left, right)
            | Set::Without(left, right)
            | Set::Xor(left, right) => {
                let left = self.set(left)?;
                let right = self.set(right)?;
                same_width(left, right)
            }
            Set::Shift(set, _) | Set::UpTo(_, set) => self.set(set),
            Set::Resize(set, width) => self.set(set).map(|_| usize::from(*width)),
        }
    }

    fn word(&mut self, word: &Word) -> Result<(), Problem> {
        self.shape.n_operations += 1;
        self.below(|check| check.word_inside(word))
    }

    fn word_inside(&mut self, word: &Word) -> Result<(), Problem> {
        match word {
            Word::Constant(_) => Ok(()),
            Word::Scalar(scalar) => {
                self.meetings.scalar(*scalar, false);
                self.scalar(*scalar)
            }
            Word::State(offset) => self.state(*offset, 1),
            Word::At(array, row) => {
                self.array(array)?;
                self.word(row)
            }
            Word::Look(table, index) => {
                self.table(*table)?;
                self.word(index)
            }
            Word::Compute(_, left, right) | Word::Compare(_, left, right) => {
                self.word(left)?;
                self.word(right)
            }
            Word::Count(set) | Word::Any(set) => self.set(set).map(drop),
            Word::Has(set, number) => {
                self.set(set)?;
                self.word(number)
            }
            Word::Nth(set, rank) => {
                self.ranked_set(set)?;
                self.word(rank)
            }
            Word::Zeros(_, word) => self.word(word),
        }
    }

    fn scalar(&self, scalar: Scalar) -> Result<(), Problem> {
        if scalar.0 < self.kernel.n_scalars { Ok(()) } else { Err(Problem::NoSuchScalar(scalar)) }
    }

    fn plane(&self, plane: Plane) -> Result<usize, Problem> {
        let width = self.kernel.plane_widths.get(usize::from(plane.0));
        width.map(|&width| usize::from(width)).ok_or(Problem::NoSuchPlane(plane))
    }

    /// The width of a table.
    fn table(&self, table: TableId) -> Result<usize, Problem> {
        let found = self.module.table(table).ok_or(Problem::NoSuchTable(table))?;
        Ok(usize::from(found.width))
    }

    /// The width of an array.
    fn array(&self, array: &Array) -> Result<usize, Problem> {
        let Array { offset, width, n_rows } = *array;
        let n_rows = usize::try_from(n_rows).unwrap_or(usize::MAX);
        if n_rows == 0 {
            return Err(Problem::NoWords);
        }
        self.state(offset, usize::from(width).saturating_mul(n_rows))?;
        check_width(usize::from(width))
    }

    fn state(&self, offset: u32, width: usize) -> Result<(), Problem> {
        let end = usize::try_from(offset).ok().and_then(|offset| offset.checked_add(width));
        if end.is_some_and(|end| end <= self.shape.state_words) {
            return Ok(());
        }
        let state_words = self.module.state_words;
        Err(Problem::OutsideState { offset, width, state_words })
    }
}

fn check_width(width: usize) -> Result<usize, Problem> {
    match width {
        0 => Err(Problem::NoWords),
        1..=MAX_WIDTH => Ok(width),
        _ => Err(too_many("words in a plane", MAX_WIDTH)),
    }
}

fn same_width(left: usize, right: usize) -> Result<usize, Problem> {
    if left == right { Ok(left) } else { Err(Problem::Widths(left, right)) }
}
