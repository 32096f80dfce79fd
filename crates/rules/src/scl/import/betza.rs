//! Betza's notation of moves: `fmWfceF` to directions and the forms of paths.
//!
//! In: a word. Out: its moves, or what in it cannot be said. Read as Fairy-Stockfish reads it: `m` and `c` say move or capture, `f b v l r s h` choose
//! directions, `n` is lame, `p` and `g` hop, `i` is an initial move, `e` captures in passing; then comes an atom, perhaps twice or with a number.
//! Invariant: a sign that is not understood is never left out.

use std::collections::BTreeSet;

/// Steps to the right and forward.
pub(super) type Way = (i32, i32);

/// Moves of one form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set of letters")]
pub(super) struct Moves {
    pub(super) form: Form,
    pub(super) ways: BTreeSet<Way>,
    pub(super) quiet: bool,
    pub(super) captures: bool,
    /// Only as long as a piece stands where it may take a double step.
    pub(super) initial: bool,
    /// Captures in passing, too.
    pub(super) passing: bool,
}

/// The form of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Leap,
    /// With legs that must be empty.
    Lame,
    /// At least and at most so many steps.
    Ride(Option<i32>, Option<i32>),
    /// Over one piece, and any distance beyond it.
    Hop,
    /// Over one piece, to the square behind it.
    Grasshop,
}

/// Atoms: across and up, the longer first; are they riders by themselves?
fn atom(letter: char) -> Option<(&'static [Way], bool)> {
    Some(match letter {
        'W' => (&[(1, 0)], false),
        'F' => (&[(1, 1)], false),
        'D' => (&[(2, 0)], false),
        'N' => (&[(2, 1)], false),
        'A' => (&[(2, 2)], false),
        'H' => (&[(3, 0)], false),
        'L' | 'C' => (&[(3, 1)], false),
        'J' | 'Z' => (&[(3, 2)], false),
        'G' => (&[(3, 3)], false),
        'K' => (&[(1, 0), (1, 1)], false),
        'R' => (&[(1, 0)], true),
        'B' => (&[(1, 1)], true),
        'Q' => (&[(1, 0), (1, 1)], true),
        _ => return None,
    })
}

/// What stands before an atom.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set of letters")]
struct Modifiers {
    quiet: bool,
    captures: bool,
    lame: bool,
    hop: Option<char>,
    initial: bool,
    passing: bool,
    /// Pairs such as `ff` or `fs`.
    directions: Vec<(char, char)>,
}

/// The moves of a word.
pub(super) fn parse(word: &str) -> Result<Vec<Moves>, String> {
    let mut moves = Vec::new();
    let mut modifiers = Modifiers::default();
    let letters: Vec<char> = word.chars().collect();
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        at += 1;
        let next = letters.get(at).copied();
        match letter {
            'm' => modifiers.quiet = true,
            'c' => modifiers.captures = true,
            'e' => modifiers.passing = true,
            'n' => modifiers.lame = true,
            'i' => modifiers.initial = true,
            'p' | 'g' => modifiers.hop = Some(letter),
            'f' | 'b' | 'v' | 'h' | 'r' | 'l' | 's' => {
                let joined = next.filter(|next| joins(letter, *next));
                at += usize::from(joined.is_some());
                modifiers.directions.push((letter, joined.unwrap_or(letter)));
            }
            _ => {
                let Some((atoms, is_rider)) = atom(letter) else {
                    return Err(format!("`{letter}` in `{word}`"));
                };
                let (range, used) = match next {
                    Some(digit) if digit.is_ascii_digit() => (digit.to_digit(10), 1),
                    Some(same) if same == letter => (None, 1),
                    _ => (None, 0),
                };
                at += used;
                // Longer leaps that go on are nobody's there: such a piece would not move at all.
                if used > 0 && !"WFKNRBQ".contains(letter) {
                    return Err(format!("`{letter}` as a rider in `{word}`"));
                }
                let most =
                    range.and_then(|range| i32::try_from(range).ok()).filter(|range| *range > 0);
                let form = form(&modifiers, letter, (is_rider || used > 0, most));
                let form =
                    form.ok_or_else(|| format!("`{letter}` with these modifiers in `{word}`"))?;
                moves.extend(atoms.iter().map(|atom| one(&modifiers, form, *atom, atoms.len())));
                modifiers = Modifiers::default();
            }
        }
    }
    let is_open = modifiers.quiet || modifiers.captures || !modifiers.directions.is_empty();
    if is_open {
        return Err(format!("the end of `{word}`: an atom is missing"));
    }
    if has_two_lengths(&moves) {
        return Err(format!("rides of several lengths in one direction in `{word}`"));
    }
    Ok(moves)
}

/// Do rides in one direction have several bounds? Elsewhere only one of them would count.
fn has_two_lengths(moves: &[Moves]) -> bool {
    let is_ride = |one: &&Moves| matches!(one.form, Form::Ride(None, _));
    moves.iter().filter(is_ride).any(|one| {
        moves.iter().filter(is_ride).any(|other| {
            let is_same_kind = one.quiet && other.quiet || one.captures && other.captures;
            let is_same_time = one.initial == other.initial;
            let is_apart = one.ways.is_disjoint(&other.ways);
            is_same_kind && is_same_time && !is_apart && one.form != other.form
        })
    })
}

/// Do two letters choose one direction?
fn joins(first: char, second: char) -> bool {
    let (vertical, horizontal) = ("fbvh", "rlsh");
    first == second
        || vertical.contains(first) && horizontal.contains(second)
        || horizontal.contains(first) && vertical.contains(second)
}

fn form(modifiers: &Modifiers, atom: char, (is_rider, most): (bool, Option<i32>)) -> Option<Form> {
    match (modifiers.hop, modifiers.lame) {
        (Some('p'), false) if is_rider && most.is_none() => Some(Form::Hop),
        (Some(_), false) if is_rider && most.is_none() => Some(Form::Grasshop),
        (None, false) if is_rider => Some(Form::Ride(None, most)),
        (None, false) => Some(Form::Leap),
        (None, true) if is_rider => None,
        (None, true) => match atom {
            // A lame leap of two equal steps is a ride of exactly two.
            'A' | 'D' => Some(Form::Ride(Some(2), Some(2))),
            'N' | 'Z' => Some(Form::Lame),
            _ => None,
        },
        _ => None,
    }
}

fn one(modifiers: &Modifiers, form: Form, (long, short): Way, n_atoms: usize) -> Moves {
    let mut chosen = Vec::new();
    for &(first, second) in &modifiers.directions {
        // `fsW` is forward and sideways.
        if n_atoms == 1 && short == 0 && first != second {
            chosen.extend([(first, first), (second, second)]);
        } else {
            chosen.push((first, second));
        }
    }
    let mut ways = BTreeSet::new();
    for is_steep in [true, false] {
        for (right, forward) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
            let is_chosen = |pair: &(char, char)| chooses(*pair, is_steep, right, forward);
            if chosen.is_empty() || chosen.iter().any(is_chosen) {
                let (across, up) = if is_steep { (short, long) } else { (long, short) };
                ways.insert((right * across, forward * up));
            }
        }
    }
    if form == Form::Ride(Some(2), Some(2)) && long == 2 {
        ways = ways.into_iter().map(|(right, forward)| (right / 2, forward / 2)).collect();
    }
    let both = !modifiers.quiet && !modifiers.captures;
    let (quiet, captures) = (both || modifiers.quiet, both || modifiers.captures);
    let (initial, passing) = (modifiers.initial, modifiers.passing);
    Moves { form, ways, quiet, captures, initial, passing }
}

/// Does a pair of letters choose the image with these signs, longer up than across or the other way round?
fn chooses(pair: (char, char), is_steep: bool, right: i32, forward: i32) -> bool {
    let vertical = if forward > 0 { 'f' } else { 'b' };
    let horizontal = if right > 0 { 'r' } else { 'l' };
    let hand = if (right * forward > 0) == is_steep { 'r' } else { 'l' };
    let common = [(vertical, 'h'), (horizontal, 'h'), ('h', hand)];
    let own = if is_steep {
        [(vertical, vertical), ('v', 'v'), (horizontal, vertical), (horizontal, 'v')]
    } else {
        [(horizontal, horizontal), ('s', 's'), (vertical, horizontal), (vertical, 's')]
    };
    common.contains(&pair) || own.contains(&pair)
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn check(word: &str, expected: &str) {
        let text = match parse(word) {
            Err(problem) => problem,
            Ok(moves) => {
                let one = |one: &super::Moves| {
                    let ways: Vec<String> =
                        one.ways.iter().map(|(x, y)| format!("{x},{y}")).collect();
                    let kind = format!(
                        "{}{}",
                        if one.quiet { "m" } else { "" },
                        if one.captures { "c" } else { "" }
                    );
                    format!("{kind} {:?} {}", one.form, ways.join(" "))
                };
                moves.iter().map(one).collect::<Vec<_>>().join("; ")
            }
        };
        assert_eq!(text, expected, "{word}");
    }

    #[test]
    fn words_have_their_usual_meaning() {
        check("fmWfceF", "m Leap 0,1; c Leap -1,1 1,1");
        check("fsW", "mc Leap -1,0 0,1 1,0");
        check("FfW", "mc Leap -1,-1 -1,1 1,-1 1,1; mc Leap 0,1");
        check("fN", "mc Leap -1,2 1,2");
        check("sN", "mc Leap -2,-1 -2,1 2,-1 2,1");
        check("frN", "mc Leap 2,1");
        check("rfN", "mc Leap 1,2");
        check("fhN", "mc Leap -2,1 -1,2 1,2 2,1");
        check("R4", "mc Ride(None, Some(4)) -1,0 0,-1 0,1 1,0");
        check("fR", "mc Ride(None, None) 0,1");
        check("nA", "mc Ride(Some(2), Some(2)) -1,-1 -1,1 1,-1 1,1");
        check("ifmnD", "m Ride(Some(2), Some(2)) 0,1");
        check("mRcpR", "m Ride(None, None) -1,0 0,-1 0,1 1,0; c Hop -1,0 0,-1 0,1 1,0");
        check("bB", "mc Ride(None, None) -1,-1 1,-1");
        check("lbF", "mc Leap -1,-1");
    }

    #[test]
    fn what_is_not_understood_is_named() {
        check("mafsmafW", "`a` in `mafsmafW`");
        check("nH", "`H` with these modifiers in `nH`");
        check("Wf", "the end of `Wf`: an atom is missing");
        check("WX", "`X` in `WX`");
        check("WDD", "`D` as a rider in `WDD`");
        check("F3K2", "rides of several lengths in one direction in `F3K2`");
    }
}
