//! Baseline, not used by the product: stones, strings and empty points of a Go board.
//!
//! In: points to place stones on. Out: the board after captures. Invariant: `liberties` of a string
//! counts each empty point once for every stone of the string beside it, so it is 0 exactly when
//! the string has no liberty; entry 0 of `strings` belongs to no string and takes the counts of
//! empty points and the border.

use super::history::History;

/// A point of the board, or of its border: file + (size + 1) * rank, both from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point(u16);

impl Point {
    /// The point of this file and rank, from 0 on.
    pub(super) fn at<const SIZE: usize>(file: usize, rank: usize) -> Option<Self> {
        let is_inside = file < SIZE && rank < SIZE;
        let index = (rank + 1) * (SIZE + 1) + file + 1;
        is_inside.then(|| u16::try_from(index).ok().map(Self))?
    }

    #[inline(always)]
    fn neighbors<const SIZE: usize>(self) -> [Self; 4] {
        let row = row_length::<SIZE>();
        [self.0 - row, self.0 - 1, self.0 + 1, self.0 + row].map(Self)
    }

    #[inline(always)]
    fn index<const CELLS: usize>(self) -> usize {
        usize::from(self.0) % CELLS
    }
}

/// Points of a row, one of the border included.
#[expect(clippy::cast_possible_truncation, reason = "boards have at most 19 rows")]
#[inline(always)]
const fn row_length<const SIZE: usize>() -> u16 {
    SIZE as u16 + 1
}

/// What is on a point: one bit each for empty, black and white, none for the border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Color(u8);

impl Color {
    const BORDER: Self = Self(0);
    const EMPTY: Self = Self(1);
    pub(super) const BLACK: Self = Self(2);
    pub(super) const WHITE: Self = Self(4);

    /// The other side.
    #[inline(always)]
    pub(super) fn opponent(self) -> Self {
        Self(self.0 ^ (Self::BLACK.0 | Self::WHITE.0))
    }

    /// The number of its bit.
    #[inline(always)]
    fn bit(self) -> u32 {
        u32::from(self.0 >> 1)
    }
}

/// One point: what is there, the string it belongs to, the next stone of that string in a circle,
/// and where it stands among the empty points.
#[derive(Clone, Copy, Debug)]
struct Cell {
    head: Point,
    next: Point,
    place: u16,
    color: Color,
}

/// What is known of a string, kept at the index of one of its stones.
#[derive(Clone, Copy, Debug)]
struct StringOfStones {
    hash: u64,
    liberties: u16,
    n_stones: u16,
}

/// The lowest bit of each byte, for the four neighbors of a point side by side.
const BYTES: [u32; 4] = [1, 1 << 8, 1 << 16, 1 << 24];
/// All four.
const ALL_BYTES: u32 = 0x0101_0101;

/// Stands for no string.
const NOWHERE: Point = Point(0);

/// The board.
#[derive(Clone, Debug)]
pub(super) struct Board<const SIZE: usize, const CELLS: usize> {
    cells: [Cell; CELLS],
    strings: [StringOfStones; CELLS],
    empty_points: [Point; CELLS],
    n_empty: u16,
    hash: u64,
}

/// Where a point is and what is beside it.
pub(super) struct Surroundings {
    pub(super) file: usize,
    pub(super) rank: usize,
    pub(super) has_black: bool,
    pub(super) has_white: bool,
}

/// What a stone on a point would do.
struct Judgment {
    around: [Cell; 4],
    hash: u64,
    /// Neighbors without a stone, of the same color, and with strings that would be captured: the
    /// lowest bit of a byte for each.
    free: u32,
    own: u32,
    captures: u32,
    is_legal: bool,
}

impl<const SIZE: usize, const CELLS: usize> Board<SIZE, CELLS> {
    /// The empty board.
    pub(super) fn start() -> Self {
        const { assert!(CELLS.is_power_of_two() && CELLS > (SIZE + 1) * (SIZE + 2)) };
        let border = Cell { head: NOWHERE, next: NOWHERE, place: 0, color: Color::BORDER };
        let no_string = StringOfStones { hash: 0, liberties: 0, n_stones: 0 };
        let mut board = Self {
            cells: [border; CELLS],
            strings: [no_string; CELLS],
            empty_points: [NOWHERE; CELLS],
            n_empty: 0,
            hash: 0,
        };
        for rank in 0..SIZE {
            for point in (0..SIZE).filter_map(|file| Point::at::<SIZE>(file, rank)) {
                board.add_empty(point);
            }
        }
        board
    }

    /// Tells positions apart, whoever is to move.
    #[inline(always)]
    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    /// The number of empty points.
    #[inline(always)]
    pub(super) fn n_empty(&self) -> u32 {
        u32::from(self.n_empty)
    }

    /// One of the empty points.
    #[inline(always)]
    pub(super) fn empty_point(&self, place: u32) -> Point {
        self.empty_points[place as usize % CELLS]
    }

    /// Exchanges two empty points.
    #[inline(always)]
    pub(super) fn swap_empty_points(&mut self, left: u32, right: u32) {
        let (one, other) = (self.empty_point(left), self.empty_point(right));
        let places = (self.cell(one).place, self.cell(other).place);
        self.put_empty(one, places.1);
        self.put_empty(other, places.0);
    }

    /// The number of stones of a side.
    pub(super) fn n_stones(&self, color: Color) -> u32 {
        let colors = self.cells.iter().map(|cell| cell.color);
        colors.map(|found| u32::from(found == color)).sum()
    }

    /// The file and rank of a point, from 0 on, and whether black and white stones are beside it.
    pub(super) fn surroundings(&self, point: Point) -> Surroundings {
        let index = usize::from(point.0) - SIZE - 2;
        let around = point.neighbors::<SIZE>().map(|neighbor| self.cell(neighbor).color.0);
        let colors = around[0] | around[1] | around[2] | around[3];
        Surroundings {
            file: index % (SIZE + 1),
            rank: index / (SIZE + 1),
            has_black: colors & Color::BLACK.0 != 0,
            has_white: colors & Color::WHITE.0 != 0,
        }
    }

    /// May this side place a stone on this empty point?
    pub(super) fn is_legal(&mut self, history: &History, point: Point, color: Color) -> bool {
        let judgment = self.touch(history, point, color);
        self.untouch(&judgment);
        judgment.is_legal
    }

    /// Places a stone on an empty point and removes what it captures, if that is legal.
    #[inline(always)]
    pub(super) fn place(&mut self, history: &History, point: Point, color: Color) -> bool {
        let judgment = self.touch(history, point, color);
        if !judgment.is_legal {
            self.untouch(&judgment);
            return false;
        }
        self.remove_empty(point);
        *self.cell_mut(point) = Cell { head: point, next: point, place: 0, color };
        *self.string_mut(point) = StringOfStones {
            hash: zobrist(point, color),
            liberties: count_bytes(judgment.free),
            n_stones: 1,
        };
        for (neighbor, byte) in point.neighbors::<SIZE>().into_iter().zip(BYTES) {
            if judgment.own & byte != 0 {
                self.join(self.cell(point).head, self.cell(neighbor).head);
            }
        }
        if judgment.captures != 0 {
            for (neighbor, byte) in point.neighbors::<SIZE>().into_iter().zip(BYTES) {
                // Two neighbors of one string: the first removes both.
                let is_there = self.cell(neighbor).color == color.opponent();
                if judgment.captures & byte != 0 && is_there {
                    self.remove_string(neighbor);
                }
            }
        }
        self.hash = judgment.hash;
        true
    }

    /// Takes the point from the liberties of the strings around it and judges the result.
    #[inline(always)]
    fn touch(&mut self, history: &History, point: Point, color: Color) -> Judgment {
        let around = point.neighbors::<SIZE>().map(|neighbor| self.cell(neighbor));
        for near in around {
            let string = self.string_mut(near.head);
            string.liberties = string.liberties.wrapping_sub(1);
        }
        let mut colors = 0;
        let mut out = 0;
        for (near, byte) in around.iter().zip(BYTES) {
            colors |= u32::from(near.color.0) * byte;
            out |= u32::from(self.string_mut(near.head).liberties == 0) * byte;
        }
        let [free, own, other] = [Color::EMPTY, color, color.opponent()]
            .map(|color| (colors >> color.bit()) & ALL_BYTES);
        let captures = other & out;
        let mut hash = self.hash ^ zobrist(point, color);
        if captures != 0 {
            hash ^= self.hash_of_captures(&around, captures);
        }
        let is_suicide = free | (own & !out) | captures == 0;
        let is_legal = !is_suicide && !history.has(hash);
        Judgment { around, hash, free, own, captures, is_legal }
    }

    /// Gives the liberties back.
    #[inline(always)]
    fn untouch(&mut self, judgment: &Judgment) {
        for near in judgment.around {
            let string = self.string_mut(near.head);
            string.liberties = string.liberties.wrapping_add(1);
        }
    }

    /// The hash of all captured stones, each string once.
    fn hash_of_captures(&mut self, around: &[Cell; 4], captures: u32) -> u64 {
        let mut hash = 0;
        let mut known = [NOWHERE; 4];
        for (near, place) in around.iter().zip(0..) {
            if captures & BYTES[place] != 0 && !known.contains(&near.head) {
                known[place] = near.head;
                hash ^= self.string_mut(near.head).hash;
            }
        }
        hash
    }

    /// Makes one string of two; the stones of the smaller one are told their new head.
    #[inline(always)]
    fn join(&mut self, left: Point, right: Point) {
        if left == right {
            return;
        }
        let is_larger = self.string_mut(left).n_stones >= self.string_mut(right).n_stones;
        let (head, joined) = if is_larger { (left, right) } else { (right, left) };
        let added = *self.string_mut(joined);
        let string = self.string_mut(head);
        string.hash ^= added.hash;
        string.liberties += added.liberties;
        string.n_stones += added.n_stones;
        let mut stone = joined;
        loop {
            self.cell_mut(stone).head = head;
            stone = self.cell(stone).next;
            if stone == joined {
                break;
            }
        }
        let next = self.cell(head).next;
        self.cell_mut(head).next = self.cell(joined).next;
        self.cell_mut(joined).next = next;
    }

    fn remove_string(&mut self, first: Point) {
        let mut stone = first;
        loop {
            let next = self.cell(stone).next;
            self.add_empty(stone);
            for neighbor in stone.neighbors::<SIZE>() {
                let head = self.cell(neighbor).head;
                let string = self.string_mut(head);
                string.liberties = string.liberties.wrapping_add(1);
            }
            stone = next;
            if stone == first {
                return;
            }
        }
    }

    #[inline(always)]
    fn add_empty(&mut self, point: Point) {
        *self.cell_mut(point) =
            Cell { head: NOWHERE, next: NOWHERE, place: 0, color: Color::EMPTY };
        self.put_empty(point, self.n_empty);
        self.n_empty += 1;
    }

    #[inline(always)]
    fn remove_empty(&mut self, point: Point) {
        self.n_empty -= 1;
        let last = self.empty_points[usize::from(self.n_empty) % CELLS];
        self.put_empty(last, self.cell(point).place);
    }

    #[inline(always)]
    fn put_empty(&mut self, point: Point, place: u16) {
        self.empty_points[usize::from(place) % CELLS] = point;
        self.cell_mut(point).place = place;
    }

    #[inline(always)]
    fn cell(&self, point: Point) -> Cell {
        self.cells[point.index::<CELLS>()]
    }

    #[inline(always)]
    fn cell_mut(&mut self, point: Point) -> &mut Cell {
        &mut self.cells[point.index::<CELLS>()]
    }

    #[inline(always)]
    fn string_mut(&mut self, head: Point) -> &mut StringOfStones {
        &mut self.strings[head.index::<CELLS>()]
    }
}

/// The number of bytes whose lowest bit is set, when no other bits are.
#[inline(always)]
fn count_bytes(bytes: u32) -> u16 {
    // The sum of all bytes ends up in the highest one.
    u16::from(bytes.wrapping_mul(ALL_BYTES).to_be_bytes()[0])
}

/// Enough for the largest board.
const N_KEYS: usize = 512;
/// A random word for a black and a white stone on every point.
static KEYS: [[u64; 2]; N_KEYS] = keys();

const fn keys() -> [[u64; 2]; N_KEYS] {
    let mut keys = [[0; 2]; N_KEYS];
    let mut word = 0u64;
    let mut index = 0;
    while index < 2 * N_KEYS {
        // Sebastiano Vigna's splitmix64.
        word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        keys[index / 2][index % 2] = mixed ^ (mixed >> 31);
        index += 1;
    }
    keys
}

#[inline(always)]
fn zobrist(point: Point, color: Color) -> u64 {
    KEYS[point.index::<N_KEYS>()][usize::from(color == Color::WHITE)]
}
