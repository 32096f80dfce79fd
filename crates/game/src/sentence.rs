//! Moves as sentences, as the language of chess-like games wrote them in 1992, and back.
//!
//! In: a move and the state it is made in. Out: `white man (3,3) -> (5,5) x black man (4,4).`; or the legal move that a
//! sentence names. Paper: metagamer §1.3. Invariant: what is written here is read back, if no other legal move is written alike.

use crate::account::{Account, Journey, account};
use crate::board::{Board, SquareId, Thing};
use crate::error::Error;
use crate::game::{Notation, RoleId};

/// How moves are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MoveStyle {
    /// As the rules say: `c3e5`.
    #[default]
    Short,
    /// As sentences: `white man (3,3) -> (5,5) x black man (4,4).`
    Long,
}

/// The move as text. Where it cannot be a sentence, because what is on the board has no owner or no kind, it is short.
pub fn styled_text<G: Notation>(
    game: &G,
    state: &G::State,
    (role, chosen): (RoleId, &G::Move),
    style: MoveStyle,
) -> String {
    let short = || game.move_text(chosen);
    match style {
        MoveStyle::Short => short(),
        MoveStyle::Long => sentence(game, state, (role, chosen)).unwrap_or_else(short),
    }
}

/// The legal move that a text names: short, in its general form, or as a sentence. Of a sentence words may be left out; if
/// several moves have all the words that are left, the one that has no more is meant, then the only one that does not promote.
pub fn read_move<G: Notation>(
    game: &G,
    state: &G::State,
    role: RoleId,
    text: &str,
) -> Result<G::Move, Error> {
    let short = game.parse_move(state, role, text);
    let wanted = game.board(state).map(|board| words(&board, text)).unwrap_or_default();
    if short.is_ok() || wanted.is_empty() {
        return short;
    }
    let mut fitting = Vec::new();
    for chosen in game.legal_moves(state, role)? {
        let Some((board, account)) = account(game, state, (role, &chosen)) else { continue };
        let Some(said) = account.sentence(game, &board) else { continue };
        let said_words = words(&board, &said);
        if said_words == wanted {
            fitting = vec![(chosen, said, account)];
            break;
        }
        if is_within(&wanted, &said_words) {
            fitting.push((chosen, said, account));
        }
    }
    let stays = |account: &Account| account.becomes.is_none() && account.changed.is_empty();
    if fitting.len() > 1 && fitting.iter().filter(|(.., account)| stays(account)).count() == 1 {
        fitting.retain(|(.., account)| stays(account));
    }
    match &fitting[..] {
        [] => short,
        [(chosen, ..)] => Ok(chosen.clone()),
        [(_, first, _), (_, second, _), ..] => {
            Err(Error::Text(format!("`{text}` is ambiguous: `{first}` or `{second}`?")))
        }
    }
}

/// The move as a sentence.
fn sentence<G: Notation>(
    game: &G,
    state: &G::State,
    (role, chosen): (RoleId, &G::Move),
) -> Option<String> {
    let (board, account) = account(game, state, (role, chosen))?;
    let text = account.sentence(game, &board);
    // A move that changes nothing on the board, such as a pass, is a sentence of one word.
    text.or_else(|| (account == Account::default()).then(|| format!("{}.", game.move_text(chosen))))
}

impl Account {
    fn sentence<G: Notation>(&self, game: &G, board: &Board) -> Option<String> {
        let roles = game.roles();
        let who = |thing: &Thing| {
            let owner = thing.owner.filter(|_| !thing.kind.is_empty())?;
            Some(format!("{} {}", roles[owner.0], thing.kind))
        };
        let promotion = |square: SquareId, thing: &Thing| {
            Some(format!("promote {} {}", place(board, square), who(thing)?))
        };
        let hand = |role: RoleId| format!("({})", roles[role.0]);
        let mut parts = Vec::new();
        for (square, thing) in &self.changed {
            parts.push(promotion(*square, thing)?);
        }
        let captor = self.captor.map_or(String::new(), |role| format!(" / {}", hand(role)));
        let mut taken = Vec::new();
        for (square, thing) in &self.taken {
            taken.push((*square, format!("{} {}{captor}", who(thing)?, place(board, *square))));
        }
        if let Some(mover) = self.mover.as_ref().filter(|_| self.is_lost) {
            let end = *mover.path.last()?;
            taken.push((end, format!("{} {}", who(&mover.thing)?, place(board, end))));
        }
        for journey in self.mover.iter().chain(&self.followers) {
            parts.extend(transfers(board, journey, &who(&journey.thing)?, &mut taken));
        }
        for (square, thing) in &self.placed {
            let giver = self.giver.map(|role| format!("{} -> ", hand(role))).unwrap_or_default();
            parts.push(format!("{} {giver}{}", who(thing)?, place(board, *square)));
        }
        if let (Some(mover), Some(now)) = (&self.mover, &self.becomes) {
            parts.push(promotion(*mover.path.last()?, now)?);
        }
        (!parts.is_empty()).then(|| format!("{}.", parts.join("; ")))
    }
}

/// One transfer for each leg of a journey, each with the victims on its way; the last has those that are left.
fn transfers(
    board: &Board,
    journey: &Journey,
    who: &str,
    taken: &mut Vec<(SquareId, String)>,
) -> Vec<String> {
    let n_legs = journey.path.len().saturating_sub(1);
    let legs = journey.path.windows(2).enumerate().map(|(leg, ends)| {
        let (from, to) = (ends[0], ends[1]);
        let is_here = |square: SquareId| leg + 1 == n_legs || is_on_way(board, (from, to), square);
        let here: Vec<String> = taken
            .extract_if(.., |(square, _)| is_here(*square))
            .map(|(_, victim)| format!(" {victim}"))
            .collect();
        let cross = if here.is_empty() { "" } else { " x" };
        format!("{who} {} -> {}{cross}{}", place(board, from), place(board, to), here.concat())
    });
    legs.collect()
}

/// Is a square on the straight line between two, or its end?
pub fn is_on_way(board: &Board, (from, to): (SquareId, SquareId), square: SquareId) -> bool {
    let at = |id: SquareId| {
        let square = &board.squares[id.0];
        let signed = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        (signed(square.column), signed(square.row))
    };
    let ((x, y), (end_x, end_y), (here_x, here_y)) = (at(from), at(to), at(square));
    let (across, down, over, under) = (end_x - x, end_y - y, here_x - x, here_y - y);
    let is_inside = |part: i64, whole: i64| (whole.min(0)..=whole.max(0)).contains(&part);
    square != from
        && across * under == down * over
        && is_inside(over, across)
        && is_inside(under, down)
}

/// `(3,3)`.
fn place(board: &Board, square: SquareId) -> String {
    let (column, row) = board.coordinates(square);
    format!("({column},{row})")
}

/// The words of a sentence: names of squares become coordinates, capitals, commas and full stops are left out.
fn words(board: &Board, text: &str) -> Vec<String> {
    let spaced: String =
        text.replace("->", " ").chars().map(|c| if ".;,".contains(c) { ' ' } else { c }).collect();
    // `( 3  3 )` belongs together again.
    let apart = spaced.replace('(', " (").replace(')', ") ");
    let mut words: Vec<String> = Vec::new();
    let mut inside = String::new();
    for word in apart.split_whitespace() {
        if word.starts_with('(') || !inside.is_empty() {
            let between =
                if inside.is_empty() || inside.ends_with('(') || word == ")" { "" } else { "," };
            inside = format!("{inside}{between}{word}");
            if inside.ends_with(')') {
                words.push(std::mem::take(&mut inside));
            }
        } else {
            words.push(word.to_owned());
        }
    }
    words.extend((!inside.is_empty()).then_some(inside));
    words.iter().map(|word| plain_word(board, word)).collect()
}

/// `c3` and `(c,3)` are `(3,3)`.
fn plain_word(board: &Board, word: &str) -> String {
    let word = word.to_lowercase();
    let name: String = word.chars().filter(|c| !"(,)".contains(*c)).collect();
    let is_place = word.starts_with('(') || !word.contains(['(', ')']);
    let is_square = is_place && name.starts_with(|c: char| c.is_ascii_alphabetic());
    match board.named(&name).filter(|_| is_square) {
        Some(square) => place(board, square),
        None => word,
    }
}

/// Do all words occur in the other text, in their order?
fn is_within(wanted: &[String], said: &[String]) -> bool {
    let mut said = said.iter();
    wanted.iter().all(|word| said.any(|other| other == word))
}
