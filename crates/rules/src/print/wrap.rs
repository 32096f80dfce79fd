//! Wrapping: long items on several lines.
//!
//! In: one item on one line. Out: the same on lines of at most 100 columns, where it can be broken:
//! behind `:-`, then behind the outermost commas. Invariant: only spaces become line ends.

/// The widest line.
const WIDTH: usize = 100;

/// How much deeper lines are indented than the item, and more for each bracket opened on the way.
const STEP: usize = 4;

/// A space where a line may end.
#[derive(Clone, Copy, Debug)]
struct Break {
    /// Where the space is, in bytes.
    at: usize,
    /// How bad it is to end the line here; brackets make it worse.
    cost: usize,
    /// How many brackets are open.
    depth: usize,
}

/// The item on as many lines as it needs.
pub(super) fn wrap(item: &str) -> String {
    let breaks = breaks(item);
    let mut wrapped = String::with_capacity(item.len());
    let (mut start, mut indent, mut next) = (0, 0, 0);
    let (mut outermost, mut depth) = (None, 0);
    while let Some((place, chosen)) =
        end_of_line(&breaks[next..], item.len() - start, start, (indent, depth))
    {
        wrapped.push_str(&item[start..chosen.at]);
        wrapped.push('\n');
        depth = chosen.depth;
        indent =
            (STEP * (depth.saturating_sub(*outermost.get_or_insert(depth)) + 1)).min(WIDTH / 2);
        wrapped.extend(std::iter::repeat_n(' ', indent));
        start = chosen.at + 1;
        next += place + 1;
    }
    wrapped + &item[start..]
}

/// Where the line that starts at `start` ends: behind the bracket it started in, or at the best break
/// that fits; nowhere when all the rest fits.
fn end_of_line(
    breaks: &[Break],
    length: usize,
    start: usize,
    (indent, depth): (usize, usize),
) -> Option<(usize, Break)> {
    let fits = |one: &&Break| indent + one.at - start <= WIDTH;
    let in_line = &breaks[..breaks.iter().take_while(fits).count()];
    let behind_bracket =
        in_line.iter().position(|one| one.depth < depth).map(|place| (place, in_line[place]));
    let too_long = || {
        let first = breaks.first().map(|first| (0, *first));
        if indent + length > WIDTH { best(in_line).or(first) } else { None }
    };
    behind_bracket.or_else(too_long)
}

/// The last of the cheapest breaks.
fn best(breaks: &[Break]) -> Option<(usize, Break)> {
    breaks.iter().copied().enumerate().rev().min_by_key(|(_, one)| one.cost)
}

/// All places where the item may be broken, in order.
fn breaks(item: &str) -> Vec<Break> {
    let bytes = item.as_bytes();
    let mut breaks = Vec::new();
    let (mut depth, mut quote, mut is_escaped) = (0_usize, None, false);
    for (at, byte) in bytes.iter().copied().enumerate() {
        match (quote, byte) {
            _ if is_escaped => is_escaped = false,
            (Some(_), b'\\') => is_escaped = true,
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            (None, b' ') => {
                breaks.extend(cost(&item[..at], depth).map(|cost| Break { at, cost, depth }));
            }
            _ => {}
        }
    }
    breaks
}

/// How bad it is to end a line with this text, if it can be.
fn cost(before: &str, depth: usize) -> Option<usize> {
    if before.ends_with(":-") {
        return Some(0);
    }
    let within = if before.ends_with(';') {
        1
    } else if before.ends_with(',') {
        2
    } else if before.ends_with(" +") {
        3
    } else {
        return None;
    };
    Some(3 * depth + within)
}
