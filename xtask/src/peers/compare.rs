//! One position, two programs: whole sets of legal moves, and the position after each.
//!
//! In: a state that our program printed. Out: what differs from the other program's answer, if anything
//! does. Invariant: nothing is forgiven here; what is known is looked up elsewhere.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::notation::{Squares, from_uci, respell, sorted_pdn, to_pdn, to_uci};
use super::oracle::{Answer, Oracle, Question};
use super::table::Compared;

/// A state as `rulesmith sample --json` prints it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Sampled {
    pub(super) engine: String,
    pub(super) start: Option<String>,
    pub(super) moves: Vec<String>,
    pub(super) position: String,
    pub(super) terminal: bool,
    pub(super) legal: Vec<Legal>,
}

impl Sampled {
    /// Has a drawing rule that a FEN does not tell of ended the contest? Nobody can be asked about that.
    pub(super) fn is_drawn(&self) -> bool {
        self.terminal && !is_fen(&self.position)
    }
}

/// A legal move and the position after it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Legal {
    #[serde(rename = "move")]
    pub(super) chosen: String,
    pub(super) position: String,
}

/// What differs in one position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    /// Moves that only we have, in the other program's words.
    pub(super) ours: Vec<String>,
    /// Moves that only the other program has.
    pub(super) theirs: Vec<String>,
    /// How the other program was told where we are: a position, and moves from there.
    pub(super) told: (String, Vec<String>),
    /// Moves of both that lead to different positions: the move, ours, theirs.
    pub(super) after: Vec<(String, String, String)>,
}

impl Difference {
    /// Is there nothing?
    pub(super) fn is_none(&self) -> bool {
        self.ours.is_empty() && self.theirs.is_empty() && self.after.is_empty()
    }
}

/// How the other program is told where we are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Telling {
    /// By the position, where its text says all of it.
    Position,
    /// By the moves from the start of the contest, where they can be told without positions.
    Moves,
}

/// How much is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follow {
    /// The legal moves, and the position after each.
    Moves,
    /// The legal moves alone, which takes a thirtieth of the time.
    Nothing,
}

/// Asks the other program about a state and compares.
pub(super) fn compare(
    oracle: &mut Oracle,
    game: &Compared,
    state: &Sampled,
    (telling, follow): (Telling, Follow),
) -> Result<Difference> {
    match game.squares {
        Some(squares) => compare_draughts(oracle, game, state, squares),
        None => compare_fairy(oracle, game, state, (telling, follow)),
    }
}

/// Is the text a FEN, and not a list of fluents?
fn is_fen(text: &str) -> bool {
    !text.contains('=')
}

fn compare_fairy(
    oracle: &mut Oracle,
    game: &Compared,
    state: &Sampled,
    (telling, follow): (Telling, Follow),
) -> Result<Difference> {
    let told = game.told.unwrap_or(telling);
    let moves: Option<Vec<String>> = state.moves.iter().map(|text| to_uci(None, text)).collect();
    let by_moves = moves.filter(|_| told == Telling::Moves || !is_fen(&state.position));
    let spelled = |fen: &str| respell(fen, &game.letters);
    let (position, moves) = match &by_moves {
        Some(moves) => (state.start.as_deref().map_or(String::new(), spelled), moves.as_slice()),
        None => (spelled(&state.position), [].as_slice()),
    };
    let fens = state.legal.iter().map(|legal| legal.position.as_str()).filter(|fen| is_fen(fen));
    let after: Vec<String> = fens.map(spelled).collect();
    let question = Question {
        peer: &game.peer,
        variant: &game.variant,
        position: &position,
        moves,
        // Castling is then written as ours is, king takes rook; nothing else changes.
        chess960: true,
        follow: follow == Follow::Moves,
        after: &after,
    };
    let answer = oracle.ask(&question).with_context(|| state.position.clone())?;
    let ours = our_moves(game, state, &answer)?;
    let told = (position.clone(), moves.to_vec());
    Ok(Difference { told, ..differences(&ours, &answer) })
}

/// Our moves in the other program's words, with the positions after them as it writes them.
fn our_moves(
    game: &Compared,
    state: &Sampled,
    answer: &Answer,
) -> Result<BTreeMap<String, Option<String>>> {
    let mut after = answer.after.iter();
    let mut ours = BTreeMap::new();
    let fen = |text: &str| is_fen(text).then(|| respell(text, &game.letters));
    let position = fen(&state.position);
    for legal in &state.legal {
        let both = position.clone().zip(fen(&legal.position));
        let both = both.as_ref().map(|(before, after)| (before.as_str(), after.as_str()));
        let uci = to_uci(both, &legal.chosen)
            .with_context(|| format!("{} in {}", legal.chosen, state.position))?;
        let after = if is_fen(&legal.position) { after.next().cloned() } else { None };
        ours.insert(uci, after);
    }
    Ok(ours)
}

fn differences(ours: &BTreeMap<String, Option<String>>, answer: &Answer) -> Difference {
    let theirs: BTreeMap<String, &str> =
        answer.legal.iter().map(|(text, after)| (from_uci(text), after.as_str())).collect();
    let mut found = Difference {
        ours: ours.keys().filter(|text| !theirs.contains_key(*text)).cloned().collect(),
        ..Difference::default()
    };
    found.theirs = theirs.keys().filter(|text| !ours.contains_key(*text)).cloned().collect();
    for (text, their) in &theirs {
        if let Some(Some(our)) = ours.get(text)
            && !their.is_empty()
            && !are_alike(our, their)
        {
            found.after.push((text.clone(), our.clone(), (*their).to_owned()));
        }
    }
    found
}

/// Do two FENs mean the same position? Squares passed by a pawn count only where it may be taken there, which
/// programs decide differently and the legal moves show; and our clock stands still in games without a rule
/// that looks at it.
fn are_alike(ours: &str, theirs: &str) -> bool {
    let ours: Vec<_> = ours.split(' ').collect();
    let theirs: Vec<_> = theirs.split(' ').collect();
    let n_fields = ours.len();
    let stands_still = |at: usize| match n_fields - at {
        2 => ours[at] == "0",
        _ => at == PASSED && n_fields > PASSED + 2,
    };
    n_fields == theirs.len() && (0..n_fields).all(|at| ours[at] == theirs[at] || stands_still(at))
}

/// Which field of a FEN names the squares that were passed.
const PASSED: usize = 3;

/// Draughts are compared by the positions after the moves: paths are written in many ways.
fn compare_draughts(
    oracle: &mut Oracle,
    game: &Compared,
    state: &Sampled,
    squares: Squares,
) -> Result<Difference> {
    let position = to_pdn(&state.position, squares)?;
    let question = Question {
        peer: &game.peer,
        variant: &game.variant,
        position: &position,
        moves: &[],
        chess960: false,
        follow: true,
        after: &[],
    };
    let answer = oracle.ask(&question).with_context(|| position.clone())?;
    let mut ours = BTreeMap::new();
    for legal in &state.legal {
        ours.insert(to_pdn(&legal.position, squares)?, legal.chosen.clone());
    }
    let mut theirs = BTreeMap::new();
    for (text, after) in &answer.legal {
        theirs.insert(sorted_pdn(after)?, text.clone());
    }
    let only = |these: &BTreeMap<String, String>, those: &BTreeMap<String, String>| {
        let missing = these.iter().filter(|(after, _)| !those.contains_key(*after));
        missing.map(|(after, text)| format!("{text} to {after}")).collect()
    };
    Ok(Difference {
        ours: only(&ours, &theirs),
        theirs: only(&theirs, &ours),
        ..Difference::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(legal: &[(&str, &str)]) -> Answer {
        let own = |(text, after): &(&str, &str)| ((*text).to_owned(), (*after).to_owned());
        Answer { legal: legal.iter().map(own).collect(), after: Vec::new() }
    }

    #[test]
    fn sets_of_moves_and_positions_after_them_are_compared() {
        let ours = [("a1a2", "8 b - - 1 1"), ("b1b2", "8 b - - 1 1"), ("pass", "8 b - - 1 1")];
        let ours: BTreeMap<String, Option<String>> =
            ours.map(|(text, after)| (text.to_owned(), Some(after.to_owned()))).into();
        let theirs =
            answer(&[("a1a2", "8 b - - 1 1"), ("c1c2", "8 b - - 1 1"), ("e1e1", "7k b - - 1 1")]);
        let found = differences(&ours, &theirs);
        assert_eq!(found.ours, ["b1b2"]);
        assert_eq!(found.theirs, ["c1c2"]);
        let after = ("pass".to_owned(), "8 b - - 1 1".to_owned(), "7k b - - 1 1".to_owned());
        assert_eq!(found.after, [after]);
        assert!(!found.is_none());
        assert!(differences(&BTreeMap::new(), &answer(&[])).is_none());
    }

    #[test]
    fn only_passed_squares_and_unused_clocks_may_differ() {
        assert!(are_alike("8/8 b KQ e3 0 1", "8/8 b KQ - 0 1"));
        assert!(are_alike("8/8 b - - 0 1", "8/8 b - - 7 1"));
        assert!(!are_alike("8/8 b - - 3 1", "8/8 b - - 7 1"));
        assert!(!are_alike("8/8 b K - 0 1", "8/8 b Q - 0 1"));
        assert!(!are_alike("8/8[P] b 0 1", "8/8[p] b 0 1"));
        assert!(!are_alike("8/8 b - - 0 1", "8/8 b - - 0 2"));
        assert!(!are_alike("8/8 b - - 0 3", "8/8 b - - 0 2"));
        assert!(!are_alike("8/8 b - - 3+2 0 1", "8/8 b - - 2+3 0 1"));
    }
}
