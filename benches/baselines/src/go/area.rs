//! Baseline, not used by the product: the area of both sides of a Go board.
//!
//! In: a board. Out: for each side its stones and the empty points of regions that touch only its
//! stones. One word holds a rank; a region fills by adding within a rank and by sweeps up and down.

use super::board::{Board, Color};

/// The longest side of a board.
const MAX_SIZE: usize = 19;

/// One word for each rank.
type Ranks = [u32; MAX_SIZE];

/// The areas of black and white.
pub(super) fn areas<const SIZE: usize, const CELLS: usize>(board: &Board<SIZE, CELLS>) -> [u32; 2] {
    let mut empty = [0; MAX_SIZE];
    let mut reached = [[0; MAX_SIZE]; 2];
    for place in 0..board.n_empty() {
        let here = board.surroundings(board.empty_point(place));
        empty[here.rank] |= 1 << here.file;
        reached[0][here.rank] |= u32::from(here.has_black) << here.file;
        reached[1][here.rank] |= u32::from(here.has_white) << here.file;
    }
    spread::<SIZE>(&mut reached[0], &empty);
    spread::<SIZE>(&mut reached[1], &empty);
    let mut areas = [board.n_stones(Color::BLACK), board.n_stones(Color::WHITE)];
    for (black, white) in reached[0].iter().zip(&reached[1]) {
        areas[0] += (black & !white).count_ones();
        areas[1] += (white & !black).count_ones();
    }
    areas
}

/// Adds to some empty points all that are connected to them through empty points.
fn spread<const SIZE: usize>(reached: &mut Ranks, empty: &Ranks) {
    loop {
        let before = *reached;
        let mut above = 0;
        for (reached, empty) in reached.iter_mut().zip(empty).take(SIZE) {
            *reached = fill_rank(*reached | above, *empty);
            above = *reached;
        }
        let mut below = 0;
        for (reached, empty) in reached.iter_mut().zip(empty).take(SIZE).rev() {
            *reached = fill_rank(*reached | below, *empty);
            below = *reached;
        }
        if *reached == before {
            return;
        }
    }
}

/// The runs of empty points that hold one of these points, whole.
fn fill_rank(from: u32, empty: u32) -> u32 {
    let seeds = from & empty;
    // Adding carries from the lowest seed of a run to its upper end, and what changed is the run
    // from there on; each seed is then followed downwards by doubling.
    let mut run = seeds | (empty & !(empty + seeds));
    let mut open = empty;
    for step in [1, 2, 4, 8, 16] {
        run |= open & (run >> step);
        open &= open >> step;
    }
    run
}

#[cfg(test)]
mod tests {
    use super::fill_rank;

    #[test]
    fn a_seed_fills_its_run_and_no_other() {
        assert_eq!(fill_rank(0b0001_0000, 0b0111_1011), 0b0111_1000);
        assert_eq!(fill_rank(0b0010_0100, 0b0011_1011), 0b0011_1000);
        assert_eq!(fill_rank(1 << 18, (1 << 19) - 1), (1 << 19) - 1);
        assert_eq!(fill_rank(1 << 9, (1 << 19) - 1), (1 << 19) - 1);
        assert_eq!(fill_rank(0, 0b1111), 0);
    }

    #[test]
    fn every_rank_of_eight_points_fills_as_step_by_step() {
        for empty in 0..256 {
            for from in 0..256 {
                let mut slow = from & empty;
                for _ in 0..8 {
                    slow |= empty & (slow << 1 | slow >> 1);
                }
                assert_eq!(fill_rank(from, empty), slow, "{from:b} {empty:b}");
            }
        }
    }
}
