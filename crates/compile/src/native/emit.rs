//! Emitting: classes as statements over planes.
//!
//! In: classes, and where what they test is found. Out: statements of a kernel. Patterns that begin alike
//! are computed once. Invariant: what was computed is used again only while the state is as it was.

use rulesmith_kernel::{
    Comparison, Kernel, Plane, RoutineId, Scalar, Set, Statement, Table, TableId, Word,
    drop_unread, share_registers,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Obstacle;
use super::classes::Relative;
use super::cycles::Cycle;
use super::derived::DerivedLayout;
use super::ground::{Test, Tested};
use super::kept::KeptComponents;
use super::kept_least::KeptPlane;
use super::optimizations::{Optimization, Optimizations};
use super::touching::Untouched;
use crate::state_layout::StateLayout;

/// Statements of which a part is written for nothing, since no kernel of so many is translated.
const WRITTEN_LIMIT: u64 = 400_000;

/// Where everything is that tests read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<'l> {
    pub(crate) layout: &'l StateLayout,
    pub(crate) derived: &'l [DerivedLayout],
    /// The questions about cycles, which have words.
    pub(crate) cycles: &'l [Cycle],
    pub(crate) optimizations: Optimizations,
}

impl Places<'_> {
    /// The words of the plane a test reads; nothing if it reads a word.
    pub(crate) fn width(self, tested: Tested) -> Option<u16> {
        match tested {
            Tested::Fluent(id, _) => {
                let fluent = self.layout.fluent(id);
                if fluent.is_scalar() { fluent.names_keys } else { Some(fluent.keys.width()) }
            }
            Tested::Derived(number, _) => {
                let derived = &self.derived[number];
                (!derived.is_word()).then(|| derived.keys.width())
            }
            Tested::Tally(id, ..) | Tested::OneOf(id, _) => {
                Some(self.layout.fluent(id).keys.width())
            }
            _ => None,
        }
    }
}

/// Where a slice of a derived predicate is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Computed {
    Plane(Plane),
    Word(Scalar),
}

/// The tables of a module under way; equal ones are kept once.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) tables: Vec<Table>,
    places: FxHashMap<(u16, Vec<u64>), TableId>,
}

impl Tables {
    pub(crate) fn add(&mut self, table: Table) -> TableId {
        let next = TableId(u16::try_from(self.tables.len()).unwrap_or(u16::MAX));
        let key = (table.width, table.words.clone());
        *self.places.entry(key).or_insert_with(|| {
            self.tables.push(table);
            next
        })
    }
}

/// A derived predicate that is not in its words before something asks about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Late {
    /// The routine that computes it. It returns one.
    pub(crate) routine: RoutineId,
    /// Not zero once it has run.
    pub(crate) is_there: Scalar,
}

/// A kernel under way.
#[derive(Debug)]
pub(crate) struct Emitter<'l> {
    pub(crate) places: Places<'l>,
    /// The next scalar that nobody holds, and how many there are.
    next_scalar: u16,
    /// Statements written so far, also those that were given up.
    n_written: u64,
    n_scalars: u16,
    plane_widths: Vec<u16>,
    /// Planes that nobody holds, and those that the open blocks hold, the innermost last.
    free_planes: Vec<Plane>,
    held_planes: Vec<Plane>,
    /// Blocks of statements that are open, the innermost last.
    blocks: Vec<Vec<Statement>>,
    /// What prefixes of patterns are in, while the state is as it was.
    pub(super) known: FxHashMap<(u16, Vec<Relative>), Plane>,
    /// Whether closed bodies hold, where that was computed.
    pub(crate) closed: FxHashMap<usize, Scalar>,
    /// Slices of derived predicates, where they were computed.
    pub(crate) computed: FxHashMap<(usize, u32), Computed>,
    /// Derived predicates that are in their words of the state.
    pub(crate) stored: FxHashSet<usize>,
    /// Derived predicates that are computed into their words where they are first asked about.
    pub(crate) late: FxHashMap<usize, Late>,
    /// Where tallies are that were computed.
    pub(crate) tallied: FxHashMap<usize, u32>,
    /// What moves are judged by that touch nothing of what is asked about them.
    pub(crate) untouched: Option<Untouched>,
    /// Kept components that are those of the present state.
    pub(crate) kept: Vec<KeptComponents>,
    /// Are planes kept from turn to turn, and where?
    pub(crate) keeps_planes: bool,
    pub(crate) kept_planes: FxHashMap<(usize, u32), KeptPlane>,
    /// What is done before everything else.
    start: Vec<Statement>,
    /// Are the hashes of fluents changed with them?
    pub(crate) keeps_hashes: bool,
    /// The kind of move and the doer that the code is for.
    pub(crate) doing: Option<(u32, u32)>,
    /// Where roles move at once: for each the scalar that holds one more than the kind of its move.
    pub(crate) joining: Vec<Scalar>,
}

impl<'l> Emitter<'l> {
    pub(crate) fn new(places: Places<'l>, n_params: u16) -> Self {
        Self {
            places,
            next_scalar: n_params,
            n_written: 0,
            n_scalars: n_params,
            plane_widths: Vec::new(),
            free_planes: Vec::new(),
            held_planes: Vec::new(),
            blocks: vec![Vec::new()],
            known: FxHashMap::default(),
            closed: FxHashMap::default(),
            computed: FxHashMap::default(),
            stored: FxHashSet::default(),
            late: FxHashMap::default(),
            tallied: FxHashMap::default(),
            untouched: None,
            kept: Vec::new(),
            keeps_planes: false,
            kept_planes: FxHashMap::default(),
            start: Vec::new(),
            keeps_hashes: true,
            doing: None,
            joining: Vec::new(),
        }
    }

    pub(crate) fn into_kernel(mut self, name: String, n_params: u16) -> Kernel {
        let mut body = self.start;
        body.extend(self.blocks.pop().unwrap_or_default());
        let (n_scalars, plane_widths) = (self.n_scalars, self.plane_widths);
        let mut kernel = Kernel { name, n_params, n_scalars, plane_widths, body };
        if n_scalars == u16::MAX {
            return kernel;
        }
        if self.places.optimizations.has(Optimization::UnreadRegisters) {
            kernel = drop_unread(kernel);
        }
        if self.places.optimizations.has(Optimization::SharedRegisters) {
            share_registers(kernel)
        } else {
            kernel
        }
    }

    /// A scalar that is held until the innermost open block ends.
    pub(crate) fn scalar(&mut self) -> Scalar {
        // One that the kernel does not have: it is not well formed, and nobody runs it.
        let scalar = Scalar(self.next_scalar);
        self.next_scalar = self.next_scalar.saturating_add(1);
        self.n_scalars = self.n_scalars.max(self.next_scalar);
        scalar
    }

    /// A plane that is held until the innermost open block ends.
    pub(crate) fn plane(&mut self, width: u16) -> Plane {
        let widths = &mut self.plane_widths;
        let is_free = |Plane(number): &Plane| widths[usize::from(*number)] == width;
        let plane = if let Some(place) = self.free_planes.iter().rposition(is_free) {
            self.free_planes.swap_remove(place)
        } else {
            widths.push(width);
            Plane(u16::try_from(widths.len() - 1).unwrap_or(u16::MAX))
        };
        self.held_planes.push(plane);
        plane
    }

    /// A plane that nothing else uses, so that it outlives the block it is made in.
    pub(crate) fn new_plane(&mut self, width: u16) -> Plane {
        self.plane_widths.push(width);
        Plane(u16::try_from(self.plane_widths.len() - 1).unwrap_or(u16::MAX))
    }

    /// Has more been written than any kernel is translated for?
    pub(crate) fn is_too_long(&self) -> bool {
        self.n_written > WRITTEN_LIMIT
    }

    pub(crate) fn push(&mut self, statement: Statement) {
        self.n_written += 1;
        if let Some(block) = self.blocks.last_mut() {
            block.push(statement);
        }
    }

    /// What is done before everything else.
    pub(crate) fn at_start(&mut self, statement: Statement) {
        self.start.push(statement);
    }

    pub(crate) fn push_all(&mut self, statements: Vec<Statement>) {
        if let Some(block) = self.blocks.last_mut() {
            block.extend(statements);
        }
    }

    pub(crate) fn let_word(&mut self, word: Word) -> Scalar {
        let scalar = self.scalar();
        self.push(Statement::Let(scalar, word));
        scalar
    }

    pub(crate) fn let_set(&mut self, width: u16, set: Set) -> Plane {
        let plane = self.plane(width);
        self.push(Statement::LetSet(plane, set));
        plane
    }

    /// The state has changed: what was read from it is not known any more.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
        self.closed.clear();
        self.computed.clear();
        self.stored.clear();
        self.late.clear();
        self.tallied.clear();
        self.kept.clear();
        self.untouched = None;
    }

    /// Moves are made from here on and taken back: the words of derived predicates and tallies, which are not put back, may be
    /// those of another state.
    pub(crate) fn forget_stored(&mut self) {
        self.stored.clear();
        self.late.clear();
        self.tallied.clear();
    }

    /// What a block of its own contains; what it computes is not known outside, and its registers are
    /// used again.
    pub(crate) fn block<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (Vec<Statement>, T) {
        let before = self.memory();
        self.blocks.push(Vec::new());
        let (next_scalar, n_held) = (self.next_scalar, self.held_planes.len());
        let done = work(self);
        self.next_scalar = next_scalar;
        self.free_planes.extend(self.held_planes.drain(n_held..));
        let statements = self.blocks.pop().unwrap_or_default();
        self.remember(before);
        (statements, done)
    }

    /// Work that may fail; then it leaves no trace.
    pub(crate) fn attempt<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Obstacle>,
    ) -> Result<T, Obstacle> {
        let (before, n_blocks) = (self.memory(), self.blocks.len());
        self.blocks.push(Vec::new());
        let done = work(self);
        if done.is_ok() {
            let statements = self.end();
            self.push_all(statements);
        } else {
            self.blocks.truncate(n_blocks);
            self.remember(before);
        }
        done
    }

    fn memory(&self) -> Memory {
        let Self { known, closed, computed, stored, tallied, kept, .. } = self;
        let late = self.late.clone();
        let (tallied, kept) = (tallied.clone(), (kept.clone(), self.untouched.clone(), late));
        (known.clone(), closed.clone(), computed.clone(), stored.clone(), tallied, kept)
    }

    fn remember(&mut self, before: Memory) {
        let kept;
        (self.known, self.closed, self.computed, self.stored, self.tallied, kept) = before;
        (self.kept, self.untouched, self.late) = kept;
    }

    /// Opens a block in which nothing is computed that outlives it.
    pub(crate) fn begin(&mut self) {
        self.blocks.push(Vec::new());
    }

    /// Closes the innermost block.
    pub(crate) fn end(&mut self) -> Vec<Statement> {
        self.blocks.pop().unwrap_or_default()
    }

    /// One if all tests of words hold; nothing if that is certain, an error if one never does here.
    pub(crate) fn words(&self, tests: &[Test]) -> Result<Certainty, Obstacle> {
        let mut all: Option<Word> = None;
        for test in tests {
            let word = match self.word(test)? {
                Certainty::Always => continue,
                Certainty::Never => return Ok(Certainty::Never),
                Certainty::If(word) => word,
            };
            all = Some(match all {
                None => word,
                Some(all) => and(all, word),
            });
        }
        Ok(all.map_or(Certainty::Always, Certainty::If))
    }

    fn word(&self, test: &Test) -> Result<Certainty, Obstacle> {
        let known = |is_so: bool| {
            if is_so == test.holds { Certainty::Always } else { Certainty::Never }
        };
        let comparison = if test.holds { Comparison::Equal } else { Comparison::Unequal };
        let equals = |word: Word, key: u32| {
            let key = Word::Constant(u64::from(key));
            Certainty::If(Word::Compare(comparison, Box::new(word), Box::new(key)))
        };
        Ok(match (test.tested, self.doing) {
            (Tested::Fluent(id, _), _) => {
                let fluent = self.places.layout.fluent(id);
                if fluent.is_scalar() {
                    equals(Word::State(fluent.offset), test.key)
                } else {
                    Certainty::If(self.bit(test)?)
                }
            }
            (Tested::Kind, Some((kind, _))) => known(kind == test.key),
            (Tested::Doer, Some((_, doer))) => known(doer == test.key),
            (Tested::Counter(number), _) => {
                let word = Word::State(self.places.layout.counter(number));
                let key = Word::Constant(u64::from(test.key));
                let (comparison, left, right) = if test.holds {
                    (Comparison::LessOrEqual, key, word)
                } else {
                    (Comparison::Less, word, key)
                };
                Certainty::If(Word::Compare(comparison, Box::new(left), Box::new(right)))
            }
            (Tested::Cycle(number), _) => {
                let has_been = Cycle::has_been(self.places.cycles, number, self.places.layout)?;
                equals(has_been, test.key)
            }
            (Tested::Joins(role), _) => match self.joining.get(role as usize) {
                Some(scalar) => equals(Word::Scalar(*scalar), test.key),
                None => return Err(Obstacle::new("a test of a move that nobody makes")),
            },
            (Tested::Derived(number, slice), _) => match self.computed.get(&(number, slice)) {
                Some(Computed::Word(scalar)) => equals(Word::Scalar(*scalar), test.key),
                Some(Computed::Plane(_)) => Certainty::If(self.bit(test)?),
                None => return Err(Obstacle::new("a derived predicate is not computed here")),
            },
            (Tested::Tally(..), _) => Certainty::If(self.bit(test)?),
            (Tested::Closed(number), _) => match self.closed.get(&number) {
                Some(scalar) => equals(Word::Scalar(*scalar), 1),
                None => return Err(Obstacle::new("a closed body is not computed here")),
            },
            _ => return Err(Obstacle::new("a test of a word nobody holds")),
        })
    }

    /// One if the bit of a plane is as the test says.
    fn bit(&self, test: &Test) -> Result<Word, Obstacle> {
        let (set, _) = self.tested(test.tested)?;
        let has = Word::Has(Box::new(set), Box::new(Word::Constant(u64::from(test.key))));
        let zero = Box::new(Word::Constant(0));
        Ok(if test.holds { has } else { Word::Compare(Comparison::Equal, Box::new(has), zero) })
    }

    /// The plane that a test reads, with its width.
    pub(super) fn tested(&self, tested: Tested) -> Result<(Set, u16), Obstacle> {
        Ok(match tested {
            Tested::Fluent(id, value) => {
                let fluent = self.places.layout.fluent(id);
                let width = fluent.keys.width();
                match fluent.names_keys {
                    Some(width) => {
                        (Set::Single(width, Box::new(Word::State(fluent.offset))), width)
                    }
                    None => (Set::State { offset: fluent.plane(value), width }, width),
                }
            }
            Tested::Derived(number, slice) => match self.computed.get(&(number, slice)) {
                Some(Computed::Plane(plane)) => {
                    (Set::Plane(*plane), self.places.derived[number].keys.width())
                }
                _ => return Err(Obstacle::new("a derived predicate is not computed here")),
            },
            Tested::OneOf(id, values) => {
                let fluent = self.places.layout.fluent(id);
                let width = fluent.keys.width();
                let values = (0..fluent.n_values).filter(|value| values >> value & 1 == 1);
                let planes = values.map(|value| Set::State { offset: fluent.plane(value), width });
                let none = || Set::Mask(vec![0; usize::from(width)]);
                (planes.reduce(or).unwrap_or_else(none), width)
            }
            Tested::Tally(fluent, number, count) => match self.tallied.get(&number) {
                Some(offset) => {
                    let width = self.places.layout.fluent(fluent).keys.width();
                    (Set::State { offset: offset + count * u32::from(width), width }, width)
                }
                None => return Err(Obstacle::new("a tally is not computed here")),
            },
            _ => return Err(Obstacle::new("a test of a plane nobody holds")),
        })
    }
}

/// What is known about a word before the code runs.
#[derive(Clone, Debug)]
pub(crate) enum Certainty {
    Always,
    Never,
    /// It depends on this word.
    If(Word),
}

pub(crate) fn and(left: Word, right: Word) -> Word {
    Word::Compute(rulesmith_kernel::Operation::And, Box::new(left), Box::new(right))
}

pub(crate) fn or(left: Set, right: Set) -> Set {
    Set::Or(Box::new(left), Box::new(right))
}

/// What was computed so far.
type Memory = (
    FxHashMap<(u16, Vec<Relative>), Plane>,
    FxHashMap<usize, Scalar>,
    FxHashMap<(usize, u32), Computed>,
    FxHashSet<usize>,
    FxHashMap<usize, u32>,
    (Vec<KeptComponents>, Option<Untouched>, FxHashMap<usize, Late>),
);
