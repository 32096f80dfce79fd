//! Baselines only: the two rules of the paper `metameta` as loops written by hand.
//!
//! In: the facts of the rules as text, as `rulesmith bench match` writes them. Out: conclusions, stored one
//! after another. The loops stand in the order of the conditions and make every test, also those that the
//! facts make useless. Invariant: a row that is looked up belongs to a number below the number of rows.

use std::collections::BTreeMap;

/// A relation of two columns by one of them: the rows of a number are between two places.
#[derive(Clone, Debug, Default)]
struct Rows {
    starts: Vec<u32>,
    others: Vec<u32>,
}

impl Rows {
    fn new(pairs: &[(u32, u32)], n_keys: u32) -> Self {
        let (mut starts, mut others) = (vec![0], Vec::new());
        for key in 0..n_keys {
            others.extend(pairs.iter().filter(|(one, _)| *one == key).map(|(_, other)| *other));
            starts.push(u32::try_from(others.len()).unwrap_or(u32::MAX));
        }
        Self { starts, others }
    }

    #[inline(always)]
    #[expect(unsafe_code, reason = "the limit of what loops can do has no checks in it")]
    fn of(&self, key: u32) -> &[u32] {
        // SAFETY: All numbers in facts are below the number of keys that `new` was given, so there is a
        // place for this one and the next; places grow and end with the length of `others`.
        unsafe {
            let start = *self.starts.get_unchecked(key as usize) as usize;
            let end = *self.starts.get_unchecked(key as usize + 1) as usize;
            self.others.get_unchecked(start..end)
        }
    }
}

/// Room for conclusions.
#[derive(Clone, Debug, Default)]
pub struct Conclusions<const N: usize> {
    rows: Vec<[u32; N]>,
    n_rows: usize,
}

impl<const N: usize> Conclusions<N> {
    #[inline(always)]
    fn store(&mut self, row: [u32; N]) {
        if let Some(place) = self.rows.get_mut(self.n_rows) {
            *place = row;
        } else {
            self.rows.push(row);
        }
        self.n_rows += 1;
    }

    /// What was stored last.
    pub fn rows(&self) -> &[[u32; N]] {
        &self.rows[..self.n_rows]
    }
}

/// The facts of a rule.
#[derive(Clone, Debug, Default)]
pub struct RuleFacts {
    connected: Rows,
    color: Vec<u32>,
    n_points: u32,
    memories: Vec<Position>,
}

/// The facts of one position.
#[derive(Clone, Debug, Default)]
struct Position {
    points_of_content: Rows,
    content: Vec<u32>,
    blocks_at: Rows,
    liberties_of: Rows,
    color_of: Rows,
    blocks_of: Rows,
}

/// What an empty point holds.
const EMPTY: u32 = 2;

type Facts = BTreeMap<String, Vec<Vec<u32>>>;

impl RuleFacts {
    /// Reads the facts of every rule in a text, by name.
    pub fn read(text: &str) -> Vec<(String, Self)> {
        let mut fixed = Facts::new();
        let mut rules: Vec<(String, Vec<Facts>)> = Vec::new();
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match (words.as_slice(), rules.last_mut()) {
                (["rule", name], _) => rules.push(((*name).to_owned(), Vec::new())),
                (["memory"], Some((_, memories))) => memories.push(Facts::new()),
                ([name, numbers @ ..], last) => {
                    let numbers = numbers.iter().filter_map(|one| one.parse().ok()).collect();
                    let facts = last.and_then(|(_, memories)| memories.last_mut());
                    let facts = facts.unwrap_or(&mut fixed);
                    facts.entry((*name).to_owned()).or_default().push(numbers);
                }
                _ => {}
            }
        }
        let rule = |(name, memories): (String, Vec<Facts>)| (name, Self::new(&fixed, &memories));
        rules.into_iter().map(rule).collect()
    }

    fn new(fixed: &Facts, memories: &[Facts]) -> Self {
        let numbers = fixed.values().chain(memories.iter().flat_map(Facts::values));
        let last = numbers.flatten().flatten().max().copied();
        let n_points = last.map_or(0, |last| last + 1);
        let color = pairs(fixed, "color").iter().map(|(color, _)| *color).collect();
        let memories = memories.iter().map(|facts| Position::new(facts, n_points)).collect();
        Self {
            connected: Rows::new(&pairs(fixed, "connected"), n_points),
            color,
            n_points,
            memories,
        }
    }

    /// Paths of four steps from every point: how many there are. Those of the last point stay stored.
    pub fn paths(&self, found: &mut Conclusions<2>) -> u64 {
        let mut total = 0;
        for x in 0..self.n_points {
            found.n_rows = 0;
            self.paths_from(x, found);
            total += found.n_rows as u64;
        }
        total
    }

    #[inline(always)]
    fn paths_from(&self, x: u32, found: &mut Conclusions<2>) {
        for &y in self.connected.of(x) {
            if x == y {
                continue;
            }
            for &z in self.connected.of(y) {
                if z == x || z == y {
                    continue;
                }
                for &w in self.connected.of(z) {
                    if w == x || w == y || w == z {
                        continue;
                    }
                    for &d in self.connected.of(w) {
                        found.store([x, d]);
                    }
                }
            }
        }
    }

    /// Threats to connect in all positions, by the first published order: how many there are. Those of
    /// the last position stay stored.
    pub fn threats_first(&self, found: &mut Conclusions<4>) -> u64 {
        let mut total = 0;
        for position in &self.memories {
            found.n_rows = 0;
            for &i1 in position.points_of_content.of(EMPTY) {
                for &i in self.connected.of(i1) {
                    for &i2 in self.connected.of(i1) {
                        if i == i2 {
                            continue;
                        }
                        for &b1 in position.blocks_at.of(i2) {
                            for &c in position.color_of.of(b1) {
                                for &b in position.blocks_at.of(i) {
                                    if position.has_color(b, c) && self.color.contains(&c) {
                                        found.store([c, b, b1, i]);
                                    }
                                }
                            }
                        }
                    }
                }
            }
            total += found.n_rows as u64;
        }
        total
    }

    /// The same by the second published order.
    pub fn threats_second(&self, found: &mut Conclusions<4>) -> u64 {
        let mut total = 0;
        for position in &self.memories {
            found.n_rows = 0;
            for &c in &self.color {
                for &b in position.blocks_of.of(c) {
                    for &i in position.liberties_of.of(b) {
                        self.threats_from((c, b, i), position, found);
                    }
                }
            }
            total += found.n_rows as u64;
        }
        total
    }

    #[inline(always)]
    fn threats_from(
        &self,
        (c, b, i): (u32, u32, u32),
        position: &Position,
        found: &mut Conclusions<4>,
    ) {
        for &i1 in self.connected.of(i) {
            if position.content[i1 as usize] != EMPTY {
                continue;
            }
            for &i2 in self.connected.of(i1) {
                if i == i2 {
                    continue;
                }
                for &b1 in position.blocks_at.of(i2) {
                    if position.has_color(b1, c) {
                        found.store([c, b, b1, i]);
                    }
                }
            }
        }
    }
}

impl Position {
    fn new(facts: &Facts, n_points: u32) -> Self {
        let (contents, liberties) = (pairs(facts, "colorintersection"), pairs(facts, "liberty"));
        let blocks = pairs(facts, "colorblock");
        let turned = |pairs: &[(u32, u32)]| -> Vec<(u32, u32)> {
            pairs.iter().map(|(one, other)| (*other, *one)).collect()
        };
        let mut content = vec![EMPTY; n_points as usize];
        for (point, own) in &contents {
            content[*point as usize] = *own;
        }
        Self {
            points_of_content: Rows::new(&turned(&contents), n_points),
            content,
            blocks_at: Rows::new(&liberties, n_points),
            liberties_of: Rows::new(&turned(&liberties), n_points),
            color_of: Rows::new(&blocks, n_points),
            blocks_of: Rows::new(&turned(&blocks), n_points),
        }
    }

    #[inline(always)]
    fn has_color(&self, block: u32, color: u32) -> bool {
        self.color_of.of(block).first() == Some(&color)
    }
}

/// The rows of a relation; the second number of a single one is zero.
fn pairs(facts: &Facts, name: &str) -> Vec<(u32, u32)> {
    let pair = |row: &Vec<u32>| Some((*row.first()?, row.get(1).copied().unwrap_or_default()));
    facts.get(name).into_iter().flatten().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of five points, and stones of one color at its second and fourth point.
    const LINE: &str = "color 0\ncolor 1\nconnected 0 1\nconnected 1 0\nconnected 1 2\nconnected 2 1\n\
        connected 2 3\nconnected 3 2\nconnected 3 4\nconnected 4 3\nrule paths\nmemory\nrule threat\n\
        memory\ncolorintersection 0 2\ncolorintersection 1 2\ncolorintersection 2 2\n\
        colorintersection 3 2\ncolorintersection 4 2\ncolorblock 0 1\ncolorblock 4 1\nliberty 1 0\n\
        liberty 3 4\n";

    #[test]
    fn a_line_of_five_points_has_six_paths_of_four_steps() {
        let rules = RuleFacts::read(LINE);
        let mut found = Conclusions::default();
        // Three steps forward without turning back, then any step: forward or back again.
        assert_eq!(rules[0].1.paths(&mut found), 6);
        assert_eq!(found.rows(), [[4, 0], [4, 2]]);
    }

    #[test]
    fn both_orders_find_the_same_threats() {
        let rules = RuleFacts::read(LINE);
        let (mut first, mut second) = (Conclusions::default(), Conclusions::default());
        assert_eq!(rules[1].1.threats_first(&mut first), 2);
        assert_eq!(rules[1].1.threats_second(&mut second), 2);
        let sorted = |found: &Conclusions<4>| {
            let mut rows = found.rows().to_vec();
            rows.sort_unstable();
            rows
        };
        assert_eq!(sorted(&first), sorted(&second));
        assert_eq!(sorted(&first), [[1, 0, 4, 1], [1, 4, 0, 3]]);
    }
}
