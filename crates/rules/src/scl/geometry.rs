//! A chess-like game's board, for those who look at games without playing them.
//!
//! In: a checked game. Out: its squares, the squares of an area, a square from the other side's view, the ways that a
//! movement goes, the pieces that a description describes. Invariant: the general theory (`chess_like.rules`) says the same.

use std::collections::BTreeSet;

use super::ast::{
    Area, BoardKind, Comparison, Description, Direction, Inversion, Movement, Name, Names, Path,
    SclGame, Side, Square, Symmetry,
};
use super::facts::range;
use super::fen::KindId;

impl SclGame {
    /// All squares that exist, column by column.
    pub fn squares(&self) -> Vec<Square> {
        let mut all = self.places();
        all.retain(|square| !self.board.holes.contains(square));
        all
    }

    /// The same with holes. Where these are not their own mirror image, the second side sees a square where the first one sees a hole.
    pub fn places(&self) -> Vec<Square> {
        let board = &self.board;
        let all = (1..=board.width)
            .flat_map(|column| (1..=board.height).map(move |row| Square { column, row }));
        all.collect()
    }

    /// The squares of some areas, each once, as a side sees them. Some may be holes for one side and none for the other.
    pub fn area_squares(&self, areas: &[Area]) -> BTreeSet<Square> {
        let mut squares = BTreeSet::new();
        for area in areas {
            match area {
                Area::Squares(some) => squares.extend(some.iter().map(|(square, _)| *square)),
                Area::Region(name) => {
                    // A region may only use those before it, so this ends.
                    let known = self.regions.iter().find(|one| one.name == *name);
                    squares.extend(known.iter().flat_map(|known| self.area_squares(&known.areas)));
                }
                Area::Block { ranks, files } => {
                    let within = |number: i32, range: &Option<(i32, i32)>| {
                        range.is_none_or(|(low, high)| (low..=high).contains(&number))
                    };
                    let all = self.places().into_iter();
                    squares.extend(
                        all.filter(|one| within(one.row, ranks) && within(one.column, files)),
                    );
                }
            }
        }
        squares
    }

    /// A square that a side sees, as the first side sees it.
    #[must_use]
    pub fn square_of(&self, side: Side, square: Square) -> Square {
        if side == Side::Player {
            return square;
        }
        let column = self.board.width + 1 - square.column;
        let row = self.board.height + 1 - square.row;
        match self.inversion.unwrap_or(Inversion::Diagonal) {
            Inversion::Diagonal => Square { column, row },
            Inversion::Forward => Square { column: square.column, row },
            Inversion::Side => Square { column, row: square.row },
        }
    }

    /// A way that a side goes, as the first side sees it.
    #[must_use]
    pub fn way_of(&self, side: Side, way: Direction) -> Direction {
        if side == Side::Player {
            return way;
        }
        let Direction { right, forward } = way;
        match self.inversion.unwrap_or(Inversion::Diagonal) {
            Inversion::Diagonal => Direction { right: -right, forward: -forward },
            Inversion::Forward => Direction { right, forward: -forward },
            Inversion::Side => Direction { right: -right, forward },
        }
    }

    /// One step from a square, if it stays on the board; holes are not asked for.
    pub fn step(&self, from: Square, way: Direction) -> Option<Square> {
        let (width, height) = (self.board.width, self.board.height);
        let (column, row) = (from.column + way.right, from.row + way.forward);
        let column = match self.board.kind {
            BoardKind::Planar => column,
            BoardKind::VerticalCylinder => (column - 1).rem_euclid(width) + 1,
        };
        let is_on_board = (1..=width).contains(&column) && (1..=height).contains(&row);
        is_on_board.then_some(Square { column, row })
    }

    /// No path has more steps.
    pub fn longest_path(&self) -> i32 {
        self.board.width.max(self.board.height)
    }

    /// A kind of piece by its name.
    pub fn kind_named(&self, name: &Name) -> Option<KindId> {
        self.pieces.iter().position(|piece| piece.name == *name).map(KindId)
    }

    /// The kinds that some names stand for.
    pub fn kinds_named(&self, names: &Names) -> Vec<KindId> {
        match names {
            Names::Listed(names) => names.iter().filter_map(|name| self.kind_named(name)).collect(),
            Names::Any { except } => {
                let kept = |(_, piece): &(usize, &super::ast::Piece)| !except.contains(&piece.name);
                self.pieces.iter().enumerate().filter(kept).map(|(kind, _)| KindId(kind)).collect()
            }
        }
    }
}

impl Description {
    /// Does it describe pieces of that side, seen from the side it is written for?
    pub fn is_owned_by(&self, side: Side) -> bool {
        self.owner.is_none_or(|owner| owner == side)
    }
}

impl Side {
    /// Both, the first one first.
    pub const BOTH: [Self; 2] = [Self::Player, Self::Opponent];

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        self.whose(Self::Opponent)
    }

    /// Whom this side means by `player` or `opponent`.
    #[must_use]
    pub fn whose(self, side: Self) -> Self {
        if self == side { Self::Player } else { Self::Opponent }
    }
}

impl Movement {
    /// The direction and all its images, as its owner sees them.
    pub fn ways(&self) -> BTreeSet<Direction> {
        self.symmetry.images(self.direction)
    }

    /// What must be empty on each way, as its owner sees both.
    pub fn legs(&self) -> BTreeSet<(Direction, Direction)> {
        let Path::Leap { lame } = &self.path else { return BTreeSet::new() };
        lame.iter().flat_map(|leg| self.symmetry.turned(self.direction, *leg)).collect()
    }
}

impl Symmetry {
    /// A direction and all its images. `rotation` swaps across and up.
    pub fn images(self, direction: Direction) -> BTreeSet<Direction> {
        self.turned(direction, direction).into_iter().map(|(image, _)| image).collect()
    }

    /// A direction and one that turns with it, and all their images.
    fn turned(self, direction: Direction, other: Direction) -> BTreeSet<(Direction, Direction)> {
        let flips = |Direction { right, forward }| {
            let images = [(right, -forward), (-right, forward), (forward, right)];
            images.map(|(right, forward)| Direction { right, forward })
        };
        let is_there = [self.forward, self.side, self.rotation];
        let mut found = BTreeSet::from([(direction, other)]);
        let mut open = vec![(direction, other)];
        while let Some((one, other)) = open.pop() {
            let images = flips(one).into_iter().zip(flips(other)).zip(is_there);
            let images = images.filter_map(|(image, is_there)| is_there.then_some(image));
            open.extend(images.filter(|image| found.insert(*image)));
        }
        found
    }
}

impl Comparison {
    /// Does a number pass?
    pub fn allows(self, number: i32) -> bool {
        let (low, high) = range(self);
        (low..=high).contains(&number)
    }
}
