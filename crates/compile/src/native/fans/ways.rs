//! Ways: how one gets from a key to others, as tables by the key where it starts.
//!
//! In: for each start the keys that can be reached, each with the keys that must be empty before it. Out: leaps,
//! which nothing stops; lines, on which the first thing that stands in the way is found by one bit operation; stops,
//! which are tested one by one. Invariant: a key is reached by the tables exactly if one of its ways is free.

use std::collections::BTreeMap;

use rulesmith_kernel::{End, Scalar, Set, Statement, Table};

use super::super::classes::mask;
use super::super::emit::{Emitter, Tables};

/// A key that can be reached, and what must be empty before it, sorted.
pub(super) type Way = (u32, Vec<u32>);

/// Ways by the key where they start.
pub(super) type WaysFrom = BTreeMap<u32, Vec<Way>>;

/// Rows of masks by key.
type Masks = Vec<Vec<u64>>;

/// Ways as tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ways {
    width: u16,
    leaps: Option<Masks>,
    lines: Vec<Line>,
    stops: Vec<Stop>,
    /// The things that lines hop over, as bits; none if lines end with the first thing.
    pub(super) screens: u64,
}

/// Keys one after another, from each start, in the order of their numbers seen from an end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    end: End,
    cells: Masks,
    /// Those of them that are reached.
    reached: Masks,
}

/// What is reached if some keys are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stop {
    past: Masks,
    reached: Masks,
}

/// A line from one start.
struct Ray {
    end: End,
    cells: Vec<u32>,
    reached: Vec<u32>,
}

impl Ways {
    /// The tables of ways on a board of so many keys. Without lines each way is a leap or a stop.
    pub(super) fn of((n_keys, width): (u32, u16), from: &WaysFrom, has_lines: bool) -> Self {
        let (lines, stops) = (Vec::new(), Vec::new());
        let mut tables = Self { width, leaps: None, lines, stops, screens: 0 };
        for (start, ways) in from {
            let mut left = longest_first(ways);
            let rays = if has_lines { take_rays(&mut left, 2) } else { Vec::new() };
            tables.add_rays(n_keys, *start, rays);
            tables.add_rest(n_keys, *start, &left);
        }
        tables
    }

    /// The tables of ways over one of these things each: of the keys before the end exactly one is full. Each of them
    /// is on a line.
    pub(super) fn hops((n_keys, width): (u32, u16), from: &WaysFrom, screens: u64) -> Self {
        let mut tables = Self { width, leaps: None, lines: Vec::new(), stops: Vec::new(), screens };
        for (start, ways) in from {
            tables.add_rays(n_keys, *start, take_rays(&mut longest_first(ways), 1));
        }
        tables
    }

    fn empty(&self, n_keys: u32) -> Masks {
        vec![vec![0; usize::from(self.width)]; n_keys as usize]
    }

    fn add_rays(&mut self, n_keys: u32, start: u32, rays: Vec<Ray>) {
        let mut n_taken: BTreeMap<bool, usize> = BTreeMap::new();
        for ray in rays {
            let number = n_taken.entry(ray.end == End::Low).or_default();
            let place = self.lines.iter().enumerate().filter(|(_, line)| line.end == ray.end);
            let place = place.map(|(place, _)| place).nth(*number).unwrap_or_else(|| {
                let (cells, reached) = (self.empty(n_keys), self.empty(n_keys));
                self.lines.push(Line { end: ray.end, cells, reached });
                self.lines.len() - 1
            });
            *number += 1;
            let line = &mut self.lines[place];
            line.cells[start as usize] = mask(self.width, ray.cells);
            line.reached[start as usize] = mask(self.width, ray.reached);
        }
    }

    /// What is on no line.
    fn add_rest(&mut self, n_keys: u32, start: u32, ways: &[Way]) {
        let mut by_past: BTreeMap<&[u32], Vec<u32>> = BTreeMap::new();
        for (to, past) in ways {
            by_past.entry(past).or_default().push(*to);
        }
        if let Some(to) = by_past.remove(&[][..]) {
            let empty = self.empty(n_keys);
            self.leaps.get_or_insert(empty)[start as usize] = mask(self.width, to);
        }
        for (number, (past, to)) in by_past.into_iter().enumerate() {
            if number == self.stops.len() {
                let (past, reached) = (self.empty(n_keys), self.empty(n_keys));
                self.stops.push(Stop { past, reached });
            }
            let stop = &mut self.stops[number];
            stop.past[start as usize] = mask(self.width, past.iter().copied());
            stop.reached[start as usize] = mask(self.width, to);
        }
    }

    /// Emits what is reached from a key by hops, if the keys of a plane are empty and others have what is hopped over.
    pub(super) fn emit_hops(
        &self,
        emitter: &mut Emitter<'_>,
        tables: &mut Tables,
        (start, empty, screens): (Scalar, &Set, Option<&Set>),
    ) -> Set {
        let nothing = Set::Mask(vec![0; usize::from(self.width)]);
        let all = emitter.let_set(self.width, nothing);
        for line in &self.lines {
            let mut row = |masks: &Masks| {
                let words = masks.concat();
                Set::row(tables.add(Table { width: self.width, words }), start)
            };
            let (cells, reached) = (row(&line.cells), row(&line.reached));
            let first = (cells.clone() - empty.clone()).up_to(line.end);
            let first = emitter.let_set(self.width, cells.clone() & first);
            let beyond = emitter.let_set(self.width, cells - first);
            let free = (Set::from(beyond) - empty.clone()).up_to(line.end);
            let found = Set::from(beyond) & free & reached;
            let further = vec![Statement::LetSet(all, Set::from(all) | found)];
            match screens {
                // Before the first thing everything is empty.
                Some(screens) => {
                    let has_screen = (Set::from(first) & screens.clone()).any();
                    emitter.push(Statement::If(has_screen, further, Vec::new()));
                }
                None => emitter.push_all(further),
            }
        }
        all.into()
    }

    /// Emits what is reached from a key, if the keys of a plane are empty.
    pub(super) fn emit(
        &self,
        emitter: &mut Emitter<'_>,
        tables: &mut Tables,
        (start, empty): (Scalar, &Set),
    ) -> Set {
        let mut row = |masks: &Masks| {
            let words = masks.concat();
            Set::row(tables.add(Table { width: self.width, words }), start)
        };
        let mut reached = self.leaps.as_ref().map(&mut row);
        let mut join = |set: Set| {
            let all = reached.take();
            reached = Some(all.map_or(set.clone(), |all| all | set));
        };
        for line in &self.lines {
            let cells = row(&line.cells);
            let free = (cells.clone() - empty.clone()).up_to(line.end);
            join(if line.cells == line.reached { cells & free } else { row(&line.reached) & free });
        }
        let nothing = Set::Mask(vec![0; usize::from(self.width)]);
        let reached = reached.unwrap_or(nothing);
        if self.stops.is_empty() {
            return reached;
        }
        let all = emitter.let_set(self.width, reached);
        for stop in &self.stops {
            let is_stopped = (row(&stop.past) - empty.clone()).any();
            let further = Set::from(all) | row(&stop.reached);
            let further = vec![Statement::LetSet(all, further)];
            emitter.push(Statement::If(is_stopped, Vec::new(), further));
        }
        all.into()
    }
}

/// Ways with the most before them first.
fn longest_first(ways: &[Way]) -> Vec<Way> {
    let mut ways = ways.to_vec();
    ways.sort_unstable_by_key(|(_, past)| std::cmp::Reverse(past.len()));
    ways
}

/// Takes the lines out of the ways from one start, those with the most before them first. A line has at least so many
/// keys that are reached.
fn take_rays(ways: &mut Vec<Way>, least: usize) -> Vec<Ray> {
    let mut rays = Vec::new();
    let mut place = 0;
    while place < ways.len() {
        match ray_through(ways, place).filter(|(_, taken)| taken.len() >= least) {
            Some((ray, taken)) => {
                rays.push(ray);
                let mut number = 0;
                ways.retain(|_| {
                    number += 1;
                    !taken.contains(&(number - 1))
                });
            }
            None => place += 1,
        }
    }
    rays
}

/// The line that ends with a way, and the places of the ways on it.
fn ray_through(ways: &[Way], place: usize) -> Option<(Ray, Vec<usize>)> {
    let (to, past) = &ways[place];
    let (least, most) = (*past.first()?, *past.last()?);
    let mut cells = past.clone();
    let end = if most < *to {
        End::Low
    } else if *to < least {
        cells.reverse();
        End::High
    } else {
        return None;
    };
    cells.push(*to);
    let is_on_it = |(to, past): &Way| {
        let Some(number) = cells.iter().position(|cell| cell == to) else { return false };
        past.len() == number && cells[..number].iter().all(|cell| past.contains(cell))
    };
    let taken = ways.iter().enumerate().filter(|(_, way)| is_on_it(way));
    let taken: Vec<usize> = taken.map(|(place, _)| place).collect();
    let reached = taken.iter().map(|place| ways[*place].0).collect();
    Some((Ray { end, cells, reached }, taken))
}
