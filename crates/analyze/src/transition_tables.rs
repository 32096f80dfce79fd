//! The constrained-transition table: where a man can go in one move on an otherwise empty board.
//!
//! In: a man, its moving power, its promotion and all arrival goals. Out: for each square the squares it can go to, without
//! moves that cannot be (the contest was over when it arrived) or that lose at once. Paper: metagamer §2.5.

use rulesmith_rules::scl::{Guard, Man, Movement, Path, SclGame, Side};

use crate::arrivals::Arrivals;
use crate::courses::{Around, Course};
use crate::promotion::Promotion;
use crate::squares::{SquareId, SquareSet, Squares};

/// The table of one man, by square.
pub(crate) fn transitions(
    game: &SclGame,
    squares: &Squares,
    arrivals: &Arrivals,
    promotion: &Promotion,
    man: Man,
) -> Vec<SquareSet> {
    let moving = game.pieces[man.kind.0].moving.iter().filter(|one| is_lasting(one));
    let courses: Vec<Course<'_>> = moving
        .map(|movement| Course::new(game, squares, movement, man.owner, Around::Nothing))
        .collect();
    let from = |from: SquareId| {
        let mut to = squares.none();
        let mut over = Side::BOTH.into_iter().map(|side| arrivals.won_by(side, man));
        // The contest was over when it arrived here.
        if over.any(|won| won.contains(from)) {
            return to;
        }
        for course in &courses {
            course.lead(squares, from, &mut to);
        }
        let lost: Vec<SquareId> =
            to.iter().filter(|to| loses(arrivals, promotion, man, (from, *to))).collect();
        for square in lost {
            to.remove(square);
        }
        to
    };
    squares.ids().map(from).collect()
}

/// Is it a movement that a piece has wherever it stands and whatever it has done, and that leaves it what it is?
fn is_lasting(movement: &Movement) -> bool {
    !movement.guards.contains(&Guard::Unmoved)
        && movement.becoming.is_none()
        && movement.path != Path::Stay
}

/// Does the owner lose by that move, whatever he makes of the man?
fn loses(
    arrivals: &Arrivals,
    promotion: &Promotion,
    man: Man,
    (from, to): (SquareId, SquareId),
) -> bool {
    let is_lost = |man: Man, owner: Side| {
        arrivals.won_by(owner.other(), man).contains(to)
            && !arrivals.won_by(owner, man).contains(to)
    };
    let mut choices = promotion.choices.iter().filter(|_| promotion.is_ripe(from, to)).peekable();
    if choices.peek().is_none() {
        return is_lost(man, man.owner);
    }
    match promotion.decider {
        Some(Side::Opponent) => choices.any(|choice| is_lost(*choice, man.owner)),
        _ => choices.all(|choice| is_lost(*choice, man.owner)),
    }
}
