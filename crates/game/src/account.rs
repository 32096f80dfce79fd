//! Accounts of moves: what a move does on the board.
//!
//! In: the boards before and after a move, and the squares it names. Out: who goes where, and what becomes of the others. It
//! is read off the boards, so it is what the rules do, whatever the move is called. Invariant: every square that
//! differs between the boards has a part in the account.

use crate::board::{Board, SquareId, Thing};
use crate::game::{Game, Notation, RoleId};

/// What a move does on the board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    /// Who moves, and along which squares; one square where it stays.
    pub mover: Option<Journey>,
    /// What the mover is at its end, where it is something else than before.
    pub becomes: Option<Thing>,
    /// Has the mover gone from the board?
    pub is_lost: bool,
    /// Others that go somewhere else.
    pub followers: Vec<Journey>,
    /// What is taken from the board.
    pub taken: Vec<(SquareId, Thing)>,
    /// Who holds what is taken from now on.
    pub captor: Option<RoleId>,
    /// What comes onto the board.
    pub placed: Vec<(SquareId, Thing)>,
    /// Out of whose hand.
    pub giver: Option<RoleId>,
    /// What stays where it is, and becomes something else.
    pub changed: Vec<(SquareId, Thing)>,
}

/// A thing on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journey {
    /// What it is at the start.
    pub thing: Thing,
    /// The squares on which it stands one after another.
    pub path: Vec<SquareId>,
}

/// The boards before and after a move, and what it does between them; nothing where the game has no board or other
/// roles move at the same time.
pub fn account<G: Notation>(
    game: &G,
    state: &G::State,
    (role, chosen): (RoleId, &G::Move),
) -> Option<(Board, Account)> {
    let before = game.board(state)?;
    let after = board_after(game, state, (role, chosen))?;
    let account = Account::new(&before, &after, &game.squares_of(chosen));
    Some((before, account))
}

fn board_after<G: Notation>(
    game: &G,
    state: &G::State,
    (role, chosen): (RoleId, &G::Move),
) -> Option<Board> {
    let mut after = state.clone();
    Game::apply(game, &mut after, &vec![(role, chosen.clone())]).ok()?;
    game.board(&after)
}

impl Account {
    /// What happened between two boards, if the move named these squares.
    pub fn new(before: &Board, after: &Board, named: &[SquareId]) -> Self {
        let mut account = Self::default();
        let differs = |square: &SquareId| before.thing(*square) != after.thing(*square);
        let mut open: Vec<SquareId> = before.ids().filter(differs).collect();
        if let Some((journey, end)) = mover(before, after, named, &open) {
            let now = after.thing(end);
            account.is_lost = now.is_none();
            account.becomes = now.filter(|now| **now != journey.thing).cloned();
            let start = journey.path[0];
            if end != start {
                let fallen = before.thing(end).filter(|_| open.contains(&end));
                account.taken.extend(fallen.map(|thing| (end, thing.clone())));
                let left = after.thing(start).filter(|_| open.contains(&start));
                account.placed.extend(left.map(|thing| (start, thing.clone())));
            }
            open.retain(|square| *square != start && *square != end);
            account.mover = Some(journey);
        }
        account.rest(before, after, open);
        let roles = || before.hands.iter().chain(&after.hands).map(|hand| hand.role);
        let change = |role: &RoleId| after.n_held(*role) - before.n_held(*role);
        account.captor = roles().find(|role| change(role) > 0);
        account.giver = roles().find(|role| change(role) < 0);
        account
    }

    /// What happened on the squares on which the mover neither starts nor ends.
    fn rest(&mut self, before: &Board, after: &Board, open: Vec<SquareId>) {
        let mut arrivals: Vec<SquareId> =
            open.iter().copied().filter(|square| after.thing(*square).is_some()).collect();
        for square in open {
            let Some(thing) = before.thing(square) else { continue };
            let place =
                arrivals.iter().position(|to| *to != square && after.thing(*to) == Some(thing));
            if let Some(place) = place {
                let path = vec![square, arrivals.remove(place)];
                self.followers.push(Journey { thing: thing.clone(), path });
            } else if let Some(now) = after.thing(square).filter(|_| arrivals.contains(&square)) {
                arrivals.retain(|one| *one != square);
                self.changed.push((square, now.clone()));
            } else {
                self.taken.push((square, thing.clone()));
            }
        }
        let placed =
            arrivals.iter().filter_map(|square| Some((*square, after.thing(*square)?.clone())));
        self.placed.extend(placed);
    }
}

/// Who moves: what stands on the first square that the move names, or the only thing that has gone somewhere else.
fn mover(
    before: &Board,
    after: &Board,
    named: &[SquareId],
    open: &[SquareId],
) -> Option<(Journey, SquareId)> {
    let arrives = |thing: &Thing| {
        let mut ends = open.iter().filter(move |square| after.thing(**square) == Some(thing));
        ends.next().copied().filter(|_| ends.next().is_none())
    };
    let (Some(start), Some(last)) = (named.first(), named.last()) else {
        let mut gone = open.iter().filter(|square| after.thing(**square).is_none());
        let start = gone.next().copied().filter(|_| gone.next().is_none())?;
        let thing = before.thing(start)?.clone();
        let end = arrives(&thing)?;
        return Some((Journey { thing, path: vec![start, end] }, end));
    };
    let thing = before.thing(*start)?.clone();
    if named.len() == 1 && !open.contains(start) {
        return None;
    }
    // The squares named after the mover's end are other things' squares; and a move may name a partner's square.
    let stands = |square: &SquareId| after.thing(*square) == Some(&thing);
    if let Some(place) = named.iter().skip(1).rposition(stands) {
        let path = named[..place + 2].to_vec();
        return Some((Journey { thing, path }, named[place + 1]));
    }
    match arrives(&thing) {
        Some(end) => Some((Journey { thing, path: vec![*start, end] }, end)),
        None => Some((Journey { thing, path: named.to_vec() }, *last)),
    }
}
