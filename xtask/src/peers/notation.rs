//! Our moves and positions as other programs write them.
//!
//! In: a FEN of ours and the text of a move. Out: the text of the same move in UCI, or the same position
//! in PDN. Invariant: letters and squares are the game's own; nothing here decides what is legal.

use anyhow::{Context, Result, bail};

/// What the whole turn that changes nothing is called.
pub(super) const PASS: &str = "pass";

/// A move of ours in UCI. Without a position (`None`) a move that only a position explains has no text.
pub(super) fn to_uci(position: Option<&str>, text: &str) -> Option<String> {
    if text == PASS {
        return Some(PASS.to_owned());
    }
    if let Some((symbol, square)) = text.split_once('@') {
        return Some(format!("{}@{square}", symbol.to_uppercase()));
    }
    let text: String = text.chars().filter(|letter| *letter != 'x').collect();
    let (from, rest) = split_square(&text)?;
    let (to, symbol) = split_square(rest)?;
    let suffix = match symbol.strip_prefix('+') {
        Some(_) => "+".to_owned(),
        None if symbol.is_empty() => String::new(),
        // What is already promoted goes back; anything else becomes what the letter says.
        None if piece_at(position?, from)?.starts_with('+') => "-".to_owned(),
        None => symbol.trim_end_matches('~').to_lowercase(),
    };
    Some(format!("{from}{to}{suffix}"))
}

/// A UCI move that stays where it is, and becomes nothing else, is a pass.
pub(super) fn from_uci(text: &str) -> String {
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
    let bounds = men.split_once('-').and_then(|(first, last)| {
        Some((first.parse::<u32>().ok()?, last.parse::<u32>().ok()?))
    });
    bounds.map_or_else(
        || vec![men.to_owned()],
        |(first, last)| (first..=last).map(|number| number.to_string()).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const KYOTO: &str = "1L2P/1+S1+sP/2l2/1knK1/1n3[] w - - 0 30";

    fn check(position: &str, ours: &str, theirs: &str) {
        assert_eq!(to_uci(Some(position), ours).as_deref(), Some(theirs), "{ours}");
    }

    #[test]
    fn promotions_lose_their_capitals_and_marks() {
        let chess = "8/P7/8/8/8/8/8/K1k5 w - - 0 1";
        check(chess, "a7a8Q", "a7a8q");
        check(chess, "a2a1n~", "a2a1n");
        check(chess, "a1a2", "a1a2");
        check(chess, "c3xe5", "c3e5");
        check("9/9/9/9/9/9/9/9/9/9 w", "a9a10", "a9a10");
    }

    #[test]
    fn marked_pieces_are_promoted_and_go_back() {
        check(KYOTO, "b5b4+L", "b5b4+");
        check(KYOTO, "b4c5S", "b4c5-");
        check(KYOTO, "d2d1", "d2d1");
        assert_eq!(to_uci(None, "b4c5S"), None);
        assert_eq!(to_uci(None, "b5b4+L").as_deref(), Some("b5b4+"));
    }

    #[test]
    fn drops_have_capitals() {
        check(KYOTO, "p@c3", "P@c3");
        check(KYOTO, "+L@b2", "+L@b2");
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
