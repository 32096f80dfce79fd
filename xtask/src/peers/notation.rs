//! Our moves and positions as other programs write them.
//!
//! In: a FEN of ours and the text of a move. Out: the text of the same move in UCI, or the same position
//! in PDN. Invariant: letters and squares are the game's own; nothing here decides what is legal.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};

/// What the whole turn that changes nothing is called.
pub(super) const PASS: &str = "pass";

/// A move of ours in UCI, told by the positions before and after it, written as the other program does.
/// Without them (`None`) a move that only positions explain has no text.
pub(super) fn to_uci(positions: Option<(&str, &str)>, text: &str) -> Option<String> {
    if text == PASS {
        return Some(PASS.to_owned());
    }
    if let Some((symbol, square)) = text.split_once('@') {
        return Some(format!("{}@{square}", symbol.to_uppercase()));
    }
    let text: String = text.chars().filter(|letter| *letter != 'x').collect();
    let (from, rest) = split_square(&text)?;
    let (to, symbol) = split_square(rest)?;
    let suffix = match positions {
        Some((before, after)) => suffix((piece_at(before, from)?, piece_at(after, to)), symbol),
        None if symbol.is_empty() || symbol.starts_with('+') => {
            symbol.get(..1).unwrap_or_default().to_owned()
        }
        None => return None,
    };
    Some(format!("{from}{to}{suffix}"))
}

/// A piece that gets or loses its mark is promoted or goes back; another becomes what our text says.
fn suffix((before, after): (&str, Option<&str>), symbol: &str) -> String {
    let after = after.unwrap_or_default();
    match (before.strip_prefix('+'), after.strip_prefix('+')) {
        (None, Some(kind)) if kind == before => "+".to_owned(),
        (Some(kind), None) if kind == after => "-".to_owned(),
        _ => symbol.trim_matches(['+', '~']).to_lowercase(),
    }
}

/// The board and the hands of a FEN with other symbols for some pieces, for both sides.
pub(super) fn respell(fen: &str, letters: &BTreeMap<String, String>) -> String {
    let (men, rest) = fen.split_once(' ').unwrap_or((fen, ""));
    let mut spelled = men.to_owned();
    for (ours, theirs) in letters {
        spelled = spelled.replace(ours.as_str(), theirs);
        spelled = spelled.replace(&ours.to_lowercase(), &theirs.to_lowercase());
    }
    format!("{spelled} {rest}")
}

/// A UCI move that stays where it is, and becomes nothing else, is a pass. Where a wall is built is no choice.
pub(super) fn from_uci(text: &str) -> String {
    let text = text.split_once(',').map_or(text, |(text, _)| text);
    let (first, second) = text.split_at_checked(text.len() / 2).unwrap_or((text, ""));
    let stays = first == second;
    if stays { PASS.to_owned() } else { text.to_owned() }
}

/// A square at the beginning, and the rest.
fn split_square(text: &str) -> Option<(&str, &str)> {
    let n_digits = text.get(1..)?.bytes().take_while(u8::is_ascii_digit).count();
    let is_square = text.starts_with(|letter: char| letter.is_ascii_lowercase()) && n_digits > 0;
    is_square.then(|| text.split_at(1 + n_digits))
}

/// What stands on a square of a FEN, with its marks.
fn piece_at<'f>(fen: &'f str, square: &str) -> Option<&'f str> {
    let board = fen.split([' ', '[']).next()?;
    let file = square.bytes().next()?.checked_sub(b'a')?;
    let rank: usize = square[1..].parse().ok()?;
    let row = board.split('/').rev().nth(rank.checked_sub(1)?)?;
    pieces(row).into_iter().find(|(at, _)| *at == usize::from(file)).map(|(_, piece)| piece)
}

/// The pieces of a row of a FEN with their files from zero.
fn pieces(row: &str) -> Vec<(usize, &str)> {
    let (mut found, mut file, mut at) = (Vec::new(), 0, 0);
    while let Some(first) = row.as_bytes().get(at) {
        if first.is_ascii_digit() {
            let length = row[at..].bytes().take_while(u8::is_ascii_digit).count();
            file += row[at..at + length].parse::<usize>().unwrap_or(0);
            at += length;
            continue;
        }
        let mut length = if *first == b'+' { 2 } else { 1 };
        if row.as_bytes().get(at + length) == Some(&b'~') {
            length += 1;
        }
        let Some(piece) = row.get(at..at + length) else { break };
        found.push((file, piece));
        file += 1;
        at += length;
    }
    found
}

/// How a game of draughts counts its squares in PDN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Squares {
    /// `a1`.
    Letters,
    /// Numbers from the row of the side that begins, which is called black; eight columns.
    BlackFirst,
    /// Our own text is PDN.
    Pdn,
}

/// A position in PDN with its men in order, from a FEN of draughts (letters `M` and `K`) or from PDN.
pub(super) fn to_pdn(fen: &str, squares: Squares) -> Result<String> {
    if squares == Squares::Pdn {
        return sorted_pdn(fen);
    }
    let mut fields = fen.split(' ');
    let (board, turn) = (fields.next().context("a board")?, fields.next().context("a turn")?);
    let mut sides = [Vec::new(), Vec::new()];
    for (rank, row) in board.split('/').rev().enumerate() {
        for (file, piece) in pieces(row) {
            let side = usize::from(piece.chars().all(|letter| letter.is_ascii_lowercase()));
            let king = if piece.eq_ignore_ascii_case("k") { "K" } else { "" };
            sides[side].push(format!("{king}{}", square_name(file, rank, squares)?));
        }
    }
    let [first, second] = sides.map(|men| men.join(","));
    let is_first = turn == "w";
    let text = match squares {
        Squares::BlackFirst => {
            format!("{}:W{second}:B{first}", if is_first { "B" } else { "W" })
        }
        _ => format!("{}:W{first}:B{second}", if is_first { "W" } else { "B" }),
    };
    sorted_pdn(&text)
}

fn square_name(file: usize, rank: usize, squares: Squares) -> Result<String> {
    let letter = u8::try_from(file).ok().filter(|file| *file < 26).context("a file")? + b'a';
    Ok(match squares {
        // Number 1 is g1, 4 is a1, 5 is h2: four a row, from the right to the left.
        Squares::BlackFirst => (rank * 4 + (7 - file.min(7)) / 2 + 1).to_string(),
        _ => format!("{}{}", char::from(letter), rank + 1),
    })
}

/// A PDN position with the men of each side in order, runs written out.
pub(super) fn sorted_pdn(text: &str) -> Result<String> {
    let mut fields = text.trim_end_matches('.').split(':');
    let turn = fields.next().context("who is to move")?;
    let mut sides = [String::new(), String::new()];
    for side in fields {
        let (name, men) = side.split_at_checked(1).context("a side without a name")?;
        let at = match name {
            "W" => 0,
            "B" => 1,
            // Clocks follow.
            "H" | "F" => continue,
            _ => bail!("`{name}` is no side in `{text}`"),
        };
        let mut men: Vec<String> = men.split(',').flat_map(run).collect();
        men.retain(|man| !man.is_empty());
        men.sort();
        sides[at] = men.join(",");
    }
    Ok(format!("{turn}:W{}:B{}", sides[0], sides[1]))
}

/// `1-3` is 1, 2, 3.
fn run(men: &str) -> Vec<String> {
    let bounds = men
        .split_once('-')
        .and_then(|(first, last)| Some((first.parse::<u32>().ok()?, last.parse::<u32>().ok()?)));
    bounds.map_or_else(
        || vec![men.to_owned()],
        |(first, last)| (first..=last).map(|number| number.to_string()).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const KYOTO: &str = "1L2P/1+S1+sP/2l2/1knK1/1n3[] w - - 0 30";

    fn check(before: &str, after: &str, ours: &str, theirs: &str) {
        assert_eq!(to_uci(Some((before, after)), ours).as_deref(), Some(theirs), "{ours}");
    }

    #[test]
    fn promotions_lose_their_capitals_and_marks() {
        let chess = "8/P7/8/8/8/8/p7/K1k5 w - - 0 1";
        check(chess, "Q7/8/8/8/8/8/p7/K1k5 b - - 0 1", "a7a8Q", "a7a8q");
        check(chess, "8/P7/8/8/8/8/8/n~1k5 w - - 0 1", "a2a1n~", "a2a1n");
        check(chess, "8/P7/8/8/8/8/K7/2k5 b - - 0 1", "a1a2", "a1a2");
        check("8/8/8/4p3/8/2P5/8/8 w", "8/8/8/4P3/8/8/8/8 b", "c3xe5", "c3e5");
        check("9/R8/9/9/9/9/9/9/9/9 w", "R8/9/9/9/9/9/9/9/9/9 b", "a9a10", "a9a10");
        assert_eq!(to_uci(None, "a7a8Q"), None);
        // An explosion leaves nothing there.
        check("8/8/8/8/8/8/p7/R7 w", "8/8/8/8/8/8/8/8 b", "a1a2", "a1a2");
    }

    #[test]
    fn marked_pieces_are_promoted_and_go_back() {
        let turned = "2S1P/1L1+sP/2l2/1knK1/1n3[] b - - 0 30";
        check(KYOTO, turned, "b4c5S", "b4c5-");
        check("1L2P/5/5/5/5 w", "4P/1+L3/5/5/5 b", "b5b4+L", "b5b4+");
        // A piece that turns over by itself, as in micro shogi, is written as one that is promoted.
        check("1L2P/1p3/5/5/5 w", "4P/1+L3/5/5/5 b", "b5b4", "b5b4+");
        check(KYOTO, "1L2P/1+S1+sP/2l2/1kn2/1n1K1[] b - - 0 30", "d2d1", "d2d1");
        assert_eq!(to_uci(None, "b5b4+L").as_deref(), Some("b5b4+"));
    }

    #[test]
    fn symbols_are_spelled_as_others_do() {
        let letters = BTreeMap::from([("H".to_owned(), "+C".to_owned())]);
        assert_eq!(respell("1H1/1h1[Cc] w - - 0 4", &letters), "1+C1/1+c1[Cc] w - - 0 4");
        let walls = BTreeMap::from([("W".to_owned(), "*".to_owned())]);
        assert_eq!(respell("2W5/w7 b - - 0 4", &walls), "2*5/*7 b - - 0 4");
        assert_eq!(from_uci("d4c2,c2d4"), "d4c2");
    }

    #[test]
    fn drops_have_capitals() {
        check(KYOTO, KYOTO, "p@c3", "P@c3");
        check(KYOTO, KYOTO, "+L@b2", "+L@b2");
    }

    #[test]
    fn a_pass_is_a_move_that_stays() {
        assert_eq!(to_uci(None, "pass").as_deref(), Some("pass"));
        assert_eq!(from_uci("e2e2"), "pass");
        assert_eq!(from_uci("e10e10"), "pass");
        assert_eq!(from_uci("e5e5f"), "e5e5f");
        assert_eq!(from_uci("e2e3"), "e2e3");
    }

    #[test]
    fn positions_of_draughts_become_pdn() {
        let fen = "7m/2m5/3m1k2/m7/8/m7/1M6/K7 w - - 0 26";
        let pdn = to_pdn(fen, Squares::Letters).unwrap();
        assert_eq!(pdn, "W:WKa1,b2:BKf6,a3,a5,c7,d6,h8");
        let start = "1m1m1m1m/m1m1m1m1/1m1m1m1m/8/8/M1M1M1M1/1M1M1M1M/M1M1M1M1 w - - 0 1";
        let pdn = to_pdn(start, Squares::BlackFirst).unwrap();
        assert_eq!(pdn, sorted_pdn("B:W21-32:B1-12").unwrap());
        let one = to_pdn("8/8/8/8/8/8/7K/8 b - - 0 1", Squares::BlackFirst).unwrap();
        assert_eq!(one, "W:W:BK5");
    }

    #[test]
    fn pdn_is_compared_in_order() {
        assert_eq!(sorted_pdn("B:WK2,13,8:B:H1:F2").unwrap(), "B:W13,8,K2:B");
        assert!(sorted_pdn("B:X2").is_err());
    }
}
