//! Working memories for ordering tests: the grid, and positions of Go as blocks and liberties.
//!
//! In: a picture of a board, or a seed. Out: facts. Invariant: the same seed gives the same position.

#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod threat;

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_logic::{
    Atom, ClauseBase, Comparison, Condition, Domain, DomainId, Expr, Level, Predicate, PredicateId,
    Source, Symbols, Term, Value, Var,
};
use rulesmith_specialize::Sample;

/// The published generator `SplitMix64`.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next_bits() % bound as u64).unwrap()
    }
}

pub(crate) fn int(number: usize) -> Value {
    Value::Int(i32::try_from(number).unwrap())
}

pub(crate) fn var(number: u16) -> Term {
    Term::Var(Var(number))
}

pub(crate) fn holds(predicate: PredicateId, args: &[Term]) -> Condition {
    Condition::Holds(Atom { predicate, args: args.to_vec() })
}

pub(crate) fn unequal(left: u16, right: u16) -> Condition {
    Condition::Compare(Comparison::Unequal, Expr::Term(var(left)), Expr::Term(var(right)))
}

pub(crate) fn add_predicate(
    base: &mut ClauseBase,
    name: &str,
    domains: &[DomainId],
) -> PredicateId {
    base.add_predicate(Predicate {
        name: name.to_owned(),
        domains: domains.iter().map(|domain| Some(*domain)).collect(),
        source: Source::Clauses,
        level: Level::Static,
    })
}

pub(crate) fn add_domain(
    base: &mut ClauseBase,
    name: &str,
    values: impl IntoIterator<Item = Value>,
) -> DomainId {
    base.add_domain(Domain { name: name.to_owned(), values: values.into_iter().collect() })
}

/// A square board of Go.
pub(crate) struct Go {
    pub(crate) base: ClauseBase,
    pub(crate) symbols: Symbols,
    pub(crate) size: usize,
    pub(crate) connected: PredicateId,
    pub(crate) color: PredicateId,
    pub(crate) color_intersection: PredicateId,
    pub(crate) color_block: PredicateId,
    pub(crate) liberty: PredicateId,
    pub(crate) empty: Value,
    pub(crate) colors: [Value; 2],
    /// What never changes: `connected` and `color`.
    pub(crate) fixed: Sample,
}

/// One stone or none on each point.
pub(crate) type Board = Vec<Option<usize>>;

impl Go {
    pub(crate) fn new(size: usize) -> Self {
        let mut base = ClauseBase::default();
        let mut symbols = Symbols::default();
        let [black, white, empty] =
            ["black", "white", "empty"].map(|name| Value::Symbol(symbols.symbol(name)));
        let point = add_domain(&mut base, "point", (0..size * size).map(int));
        let contents = add_domain(&mut base, "contents", [black, white, empty]);
        let player = add_domain(&mut base, "player", [black, white]);
        let mut go = Self {
            connected: add_predicate(&mut base, "connected", &[point, point]),
            color: add_predicate(&mut base, "color", &[player]),
            color_intersection: add_predicate(&mut base, "colorintersection", &[point, contents]),
            color_block: add_predicate(&mut base, "colorblock", &[point, player]),
            liberty: add_predicate(&mut base, "liberty", &[point, point]),
            base,
            symbols,
            size,
            empty,
            colors: [black, white],
            fixed: Sample::default(),
        };
        for from in 0..size * size {
            for to in go.neighbors(from) {
                go.fixed.add(go.connected, &[int(from), int(to)]);
            }
        }
        go.fixed.add(go.color, &[black]);
        go.fixed.add(go.color, &[white]);
        go
    }

    pub(crate) fn neighbors(&self, point: usize) -> Vec<usize> {
        let (row, column, size) = (point / self.size, point % self.size, self.size);
        let mut found = Vec::new();
        if row > 0 {
            found.push(point - size);
        }
        if column > 0 {
            found.push(point - 1);
        }
        if column + 1 < size {
            found.push(point + 1);
        }
        if row + 1 < size {
            found.push(point + size);
        }
        found
    }

    /// The block of a stone, and the empty points next to it.
    fn block(&self, board: &Board, stone: usize) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let (mut stones, mut liberties) = (BTreeSet::from([stone]), BTreeSet::new());
        let mut open = vec![stone];
        while let Some(point) = open.pop() {
            for next in self.neighbors(point) {
                if board[next].is_none() {
                    liberties.insert(next);
                } else if board[next] == board[stone] && stones.insert(next) {
                    open.push(next);
                }
            }
        }
        (stones, liberties)
    }

    /// The facts of a position: blocks are named by their first stone.
    pub(crate) fn position(&self, board: &Board) -> Sample {
        let mut sample = Sample::default();
        for predicate in [self.color_intersection, self.color_block, self.liberty] {
            sample.rows.insert(predicate, Vec::new());
        }
        let mut names: BTreeMap<usize, usize> = BTreeMap::new();
        for (point, stone) in board.iter().enumerate() {
            let contents = stone.map_or(self.empty, |color| self.colors[color]);
            sample.add(self.color_intersection, &[int(point), contents]);
            let Some(color) = stone else { continue };
            if names.contains_key(&point) {
                continue;
            }
            let (stones, liberties) = self.block(board, point);
            names.extend(stones.iter().map(|stone| (*stone, point)));
            sample.add(self.color_block, &[int(point), self.colors[*color]]);
            for liberty in liberties {
                sample.add(self.liberty, &[int(liberty), int(point)]);
            }
        }
        sample
    }

    /// A position reached by so many random moves, captures included.
    pub(crate) fn random_board(&self, random: &mut Random, n_moves: usize) -> Board {
        let mut board: Board = vec![None; self.size * self.size];
        for number in 0..n_moves {
            let (color, point) = (number % 2, random.below(board.len()));
            if board[point].is_some() {
                continue;
            }
            board[point] = Some(color);
            for next in self.neighbors(point) {
                if board[next] == Some(1 - color) {
                    let (stones, liberties) = self.block(&board, next);
                    if liberties.is_empty() {
                        for stone in stones {
                            board[stone] = None;
                        }
                    }
                }
            }
            if self.block(&board, point).1.is_empty() {
                board[point] = None;
            }
        }
        board
    }

    /// Positions of random contests, each stopped after any number of moves up to the given one.
    pub(crate) fn random_positions(
        &self,
        seed: u64,
        n_positions: usize,
        most_moves: usize,
    ) -> Vec<Sample> {
        let mut random = Random(seed);
        let mut position = || {
            let n_moves = 1 + random.below(most_moves);
            self.position(&self.random_board(&mut random, n_moves))
        };
        (0..n_positions).map(|_| position()).collect()
    }

    /// Reads `X`, `O` and `.`.
    pub(crate) fn read(&self, picture: &str) -> Sample {
        let stone = |sign: char| match sign {
            'X' => Some(0),
            'O' => Some(1),
            _ => None,
        };
        let board = picture.chars().filter(|sign| !sign.is_whitespace()).map(stone).collect();
        self.position(&board)
    }

    /// The conditions of `threattoconnect(C, B, B1, I)` by number: 0 `C`, 1 `B`, 2 `B1`, 3 `I`, 4 `I1`,
    /// 5 `I2`, in the first order of the paper.
    pub(crate) fn threat_to_connect(&self) -> Vec<Condition> {
        let [c, b, b1, i, i1, i2] = [0, 1, 2, 3, 4, 5].map(var);
        vec![
            holds(self.color_intersection, &[i1, Term::Value(self.empty)]),
            holds(self.connected, &[i, i1]),
            holds(self.connected, &[i1, i2]),
            unequal(3, 5),
            holds(self.liberty, &[i2, b1]),
            holds(self.color_block, &[b1, c]),
            holds(self.liberty, &[i, b]),
            holds(self.color_block, &[b, c]),
            holds(self.color, &[c]),
        ]
    }

    /// The conditions of the path of length four: 0 `X`, 1 `Y`, 2 `Z`, 3 `W`, 4 `D`.
    pub(crate) fn path_of_length_four(&self) -> Vec<Condition> {
        let step = |from, to| holds(self.connected, &[var(from), var(to)]);
        vec![
            step(0, 1),
            unequal(0, 1),
            step(1, 2),
            unequal(2, 0),
            unequal(2, 1),
            step(2, 3),
            unequal(3, 0),
            unequal(3, 1),
            unequal(3, 2),
            step(3, 4),
        ]
    }
}

/// The conditions at these places.
pub(crate) fn at<T: Clone>(items: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|place| items[*place].clone()).collect()
}
