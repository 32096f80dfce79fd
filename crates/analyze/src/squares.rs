//! Squares by number, and sets of them.
//!
//! In: a game. Out: its squares, numbered column by column, holes left out. Invariant: numbers are below `Squares::len`.

use std::collections::BTreeMap;

use rulesmith_rules::scl::{SclGame, Side, Square};

/// A square by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SquareId(pub usize);

/// The squares of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Squares {
    list: Vec<Square>,
    ids: BTreeMap<Square, SquareId>,
}

impl Squares {
    pub(crate) fn of(game: &SclGame) -> Self {
        let list = game.squares();
        let ids = list.iter().enumerate().map(|(id, square)| (*square, SquareId(id))).collect();
        Self { list, ids }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All of them.
    pub fn ids(&self) -> impl Iterator<Item = SquareId> + use<> {
        (0..self.list.len()).map(SquareId)
    }

    /// The square of a number.
    pub fn square(&self, id: SquareId) -> Square {
        self.list[id.0]
    }

    /// The number of a square, if it exists.
    pub fn id(&self, square: Square) -> Option<SquareId> {
        self.ids.get(&square).copied()
    }

    /// No squares yet.
    pub(crate) fn none(&self) -> SquareSet {
        SquareSet(vec![0; self.list.len().div_ceil(BITS)])
    }

    /// All squares.
    pub(crate) fn all(&self) -> SquareSet {
        self.set(self.list.iter().copied())
    }

    /// Those of these squares that exist.
    pub(crate) fn set(&self, squares: impl IntoIterator<Item = Square>) -> SquareSet {
        let mut set = self.none();
        squares.into_iter().filter_map(|square| self.id(square)).for_each(|id| {
            set.insert(id);
        });
        set
    }

    /// Squares that a side sees, as a set.
    pub(crate) fn seen_by(
        &self,
        game: &SclGame,
        side: Side,
        squares: impl IntoIterator<Item = Square>,
    ) -> SquareSet {
        self.set(squares.into_iter().map(|square| game.square_of(side, square)))
    }
}

const BITS: usize = u64::BITS as usize;

/// A set of squares of one board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SquareSet(Vec<u64>);

impl SquareSet {
    /// Adds a square; was it new?
    pub fn insert(&mut self, id: SquareId) -> bool {
        let (word, bit) = (&mut self.0[id.0 / BITS], 1 << (id.0 % BITS));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Takes a square out.
    pub(crate) fn remove(&mut self, id: SquareId) {
        self.0[id.0 / BITS] &= !(1 << (id.0 % BITS));
    }

    /// Is the square in it?
    pub fn contains(&self, id: SquareId) -> bool {
        self.0[id.0 / BITS] & 1 << (id.0 % BITS) != 0
    }

    /// How many squares there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// The squares, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = SquareId> + '_ {
        self.0.iter().enumerate().flat_map(|(place, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(SquareId(place * BITS + bit))
            })
        })
    }

    /// Adds all squares of another set.
    pub(crate) fn unite(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    /// Takes all squares of another set out.
    pub(crate) fn subtract(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= !other;
        }
    }

    /// Have the two a square in common?
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(word, other)| word & other != 0)
    }
}
