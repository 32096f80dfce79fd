//! Runs through a move: ends of which only those need to be looked for that go through the key a move changed.
//!
//! In: the rows of ends that a role's move can have brought about. Out: a word that says whether one of those
//! holds that ask for a run, of equal things equally far apart. A run that comes to be goes through a key that
//! has just got the value; how far it reaches from there, to both sides, is read from one word each. Tables
//! say for each key how far rows go, so that no run goes round an edge. Invariant: the word is one exactly if
//! a row holds that has a test at the key; a run that the tables cannot tell is left to whole planes.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_kernel::{Array, Comparison, End, Operation, Scalar, Set, Statement, Table, Word};
use rulesmith_rules::FluentId;

use super::Obstacle;
use super::build::{Builder, compare, number};
use super::changes::Changes;
use super::classes::Member;
use super::effects::Assignment;
use super::emit::{Certainty, Emitter};
use super::ground::{Row, Test, Tested};
use super::optimizations::Optimization;
use super::playout::Contest;
use super::steps::Doing;

/// Shorter runs are as easily found on whole planes.
const MIN_LENGTH: usize = 3;
/// So are runs in planes of fewer words.
const MIN_WIDTH: u16 = 2;
/// The numbers to one side of a key that are looked at: the bits of a word.
const REACH: u32 = 64;

/// What runs that are alike but for their place share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    fluent: FluentId,
    value: u32,
    /// How many keys a run has, and how far they are apart.
    length: usize,
    step: u32,
    /// What else the rows ask for.
    words: Vec<Test>,
}

/// A shape with the lowest keys of its runs.
type Found = (Shape, Vec<u32>);

/// For each key the numbers above and below it that belong to runs through it, as bits counted from the key.
struct Rays {
    up: Vec<u64>,
    down: Vec<u64>,
}

/// What lies around the key that a move changed.
struct Window {
    key: Scalar,
    /// Is the key itself there?
    own: Word,
    up: Scalar,
    down: Scalar,
}

impl<'b> Builder<'b> {
    /// Whether a run goes through the key that the last move changed; the rows of such runs are taken out.
    pub(super) fn runs_through(
        &mut self,
        emitter: &mut Emitter<'b>,
        rows: &mut Vec<Row>,
        (role, changes): (usize, &Changes),
        contest: &Contest,
    ) -> Result<Word, Obstacle> {
        let mut found = Word::Constant(0);
        if !self.optimizations.has(Optimization::RunsThrough) || self.has_long_turns() {
            return Ok(found);
        }
        let apart = self.taken_apart(rows).unwrap_or_else(|| rows.clone());
        let mut shapes: BTreeMap<(FluentId, u32), Vec<Found>> = BTreeMap::new();
        for (shape, roots) in self.shapes(&apart) {
            // A row that can come to hold by another test than one of its run is not told by the run.
            if self.may_come(&shape.words, changes) {
                continue;
            }
            shapes.entry((shape.fluent, shape.value)).or_default().push((shape, roots));
        }
        let mut taken: BTreeSet<Shape> = BTreeSet::new();
        for ((fluent, value), shapes) in shapes {
            let with_rays = shapes.into_iter().filter_map(|(shape, roots)| {
                let rays = rays(&shape, &roots, self.places.layout.fluent(fluent).keys.len())?;
                Some((shape, rays))
            });
            let with_rays: Vec<(Shape, Rays)> = with_rays.collect();
            let Some(gained) = self.gained(role, (fluent, value), contest) else { continue };
            if with_rays.is_empty() {
                continue;
            }
            let window = self.window(emitter, (fluent, value), gained, contest);
            found = found | self.reaches(emitter, &window, &with_rays)?;
            taken.extend(with_rays.into_iter().map(|(shape, _)| shape));
        }
        if !taken.is_empty() {
            let is_left =
                |row: &Row| self.shape(row).is_none_or(|(shape, _)| !taken.contains(&shape));
            *rows = apart.into_iter().filter(is_left).collect();
        }
        Ok(found)
    }

    /// The runs among rows, with their lowest keys.
    fn shapes(&self, rows: &[Row]) -> BTreeMap<Shape, Vec<u32>> {
        let mut shapes: BTreeMap<Shape, Vec<u32>> = BTreeMap::new();
        for (shape, root) in rows.iter().filter_map(|row| self.shape(row)) {
            shapes.entry(shape).or_default().push(root);
        }
        shapes
    }

    /// The run that a row asks for, if it does, and its lowest key.
    fn shape(&self, row: &Row) -> Option<(Shape, u32)> {
        let is_run = |test: &Test| match test.tested {
            Tested::Fluent(id, _) => {
                let fluent = self.places.layout.fluent(id);
                test.holds && !fluent.is_scalar() && fluent.keys.width() >= MIN_WIDTH
            }
            _ => false,
        };
        let (run, words): (Vec<Test>, Vec<Test>) = row.tests.iter().partition(|test| is_run(test));
        let [first, second, ..] = run[..] else { return None };
        let Tested::Fluent(fluent, value) = first.tested else { return None };
        let step = second.key.checked_sub(first.key)?;
        let is_next = |pair: &[Test]| {
            pair[0].tested == pair[1].tested && pair[1].key.checked_sub(pair[0].key) == Some(step)
        };
        let reach = step.checked_mul(number(run.len() - 1))?;
        let is_short = run.len() < MIN_LENGTH || reach > REACH || step == 0;
        let is_word = |test: &Test| {
            matches!(test.tested, Tested::Fluent(..)) && self.places.width(test.tested).is_none()
        };
        if is_short || !run.windows(2).all(is_next) || !words.iter().all(is_word) {
            return None;
        }
        Some((Shape { fluent, value, length: run.len(), step, words }, first.key))
    }

    /// For each kind of a role's moves the key that gets the value, if some does; nothing at all if a
    /// move may give it to several, or to one that its parameters do not tell.
    fn gained(
        &mut self,
        role: usize,
        (fluent, value): (FluentId, u32),
        contest: &Contest,
    ) -> Option<Vec<(usize, Word)>> {
        let is_looped = self.looped.iter().flatten().any(|id| *id == fluent);
        if is_looped || self.resets().iter().any(|reset| reset.fluent == fluent) {
            return None;
        }
        let width = self.places.layout.fluent(fluent).keys.width();
        let mut gained = Vec::new();
        for kind in 0..self.theory.moves.len() {
            let sizes = self.param_sizes(kind).ok()?;
            let params = contest.params(kind, sizes);
            let mut of_kind: Option<Word> = None;
            let assignments = self.assignments.iter().chain(&self.deferred);
            for Assignment { rows, .. } in assignments.filter(|one| one.fluent == fluent) {
                let doing = Doing::One(role, kind);
                let gains =
                    rows.iter().filter(|(row, _, to)| *to == Some(value) && doing.allows(row));
                let members: Vec<Member> = gains.map(|(row, key, _)| member(row, *key)).collect();
                if members.is_empty() {
                    continue;
                }
                let members = by_fewest_params(members)?;
                let roots =
                    params.roots(&members.iter().collect::<Vec<_>>(), width, &mut self.tables)?;
                let key = single(roots)?;
                if of_kind.is_some_and(|other| other != key) {
                    return None;
                }
                of_kind = Some(key);
            }
            gained.extend(of_kind.map(|key| (kind, key)));
        }
        Some(gained)
    }

    /// Reads what lies around the key that was gained. Where none was, the key is one that has no rays.
    fn window(
        &self,
        emitter: &mut Emitter<'b>,
        (fluent, value): (FluentId, u32),
        gained: Vec<(usize, Word)>,
        contest: &Contest,
    ) -> Window {
        let layout = self.places.layout.fluent(fluent);
        let n_keys = u64::from(layout.keys.len());
        let is_only = self.theory.moves.len() == 1;
        let key = emitter.let_word(Word::Constant(n_keys));
        for (kind, word) in gained {
            let found = Statement::Let(key, word.compute(Operation::Least, n_keys));
            let kind = compare(Comparison::Equal, contest.kind.into(), Word::Constant(kind as u64));
            emitter.push(if is_only { found } else { Statement::If(kind, vec![found], vec![]) });
        }
        let place = emitter.let_word(Word::from(key).compute(Operation::ShiftDown, 6));
        let bit = emitter.let_word(Word::from(key) & 63);
        let rest = emitter.let_word(Word::from(bit) ^ 63);
        let (offset, width) = (layout.plane(value), u32::from(layout.keys.width()));
        // Rays have no bits outside the plane, so the words beside it may be anything.
        let has_room = offset > 0 && offset + width < self.places.layout.n_state_words();
        let (array, first) = if has_room {
            (Array { offset: offset - 1, width: 1, n_rows: width + 2 }, 0)
        } else {
            (Array { offset, width: 1, n_rows: width }, u64::MAX)
        };
        let mut word = |further: u64| {
            let place = Word::from(place) + first.wrapping_add(further);
            emitter.let_word(Word::at(array, place))
        };
        let (before, here, next) = (word(0), word(1), word(2));
        let moved = |word: Scalar, by: Scalar, up: Operation| Word::from(word).compute(up, by);
        let (up, down) = (Operation::ShiftUp, Operation::ShiftDown);
        let above = moved(here, bit, down).compute(down, 1) | moved(next, rest, up);
        let below = moved(here, rest, up).compute(up, 1) | moved(before, bit, down);
        let (above, below) = (emitter.let_word(above), emitter.let_word(below));
        Window { key, own: moved(here, bit, down) & 1, up: above, down: below }
    }

    /// Does a run of one of the shapes go through the key?
    fn reaches(
        &mut self,
        emitter: &mut Emitter<'b>,
        window: &Window,
        shapes: &[(Shape, Rays)],
    ) -> Result<Word, Obstacle> {
        let mut none: Option<Word> = None;
        for (shape, rays) in shapes {
            let Shape { length, step, words, .. } = shape;
            let steps = |to_bit: &dyn Fn(u32) -> u32| {
                (1..number(*length)).fold(0_u64, |all, further| all | 1 << to_bit(further * step))
            };
            let (up, down) = (steps(&|further| further - 1), steps(&|further| REACH - further));
            let [above, below] = [&rays.up, &rays.down].map(|ray| {
                let table = self.tables.add(Table { width: 1, words: ray.clone() });
                Word::Look(table, Box::new(window.key.into()))
            });
            // What is missing at first: so far the run reaches, and one step.
            let above = Word::Zeros(End::Low, Box::new((Word::from(window.up) & above) ^ up));
            let below = Word::Zeros(End::High, Box::new((Word::from(window.down) & below) ^ down));
            // A run is long enough where less than a step is lacking to both together; one that is whole to
            // one side reaches so far by that alone. The highest bit says that it is not.
            let needed = u64::from(number(*length) * step) - 1;
            let lacking = emitter.let_word((above + below) - needed);
            match emitter.words(words)? {
                Certainty::Never => {}
                Certainty::Always => none = Some(both(none, lacking.into())),
                Certainty::If(word) => {
                    // Where the rest of the row does not hold, there is no such run.
                    let is_off = word.compare(Comparison::Equal, 0).compute(Operation::ShiftUp, 63);
                    none = Some(both(none, Word::from(lacking) | is_off));
                }
            }
        }
        let found =
            |none: Word| none.compute(Operation::ShiftDown, 63).compare(Comparison::Equal, 0);
        Ok(none.map_or(Word::Constant(0), |none| found(none) & window.own.clone()))
    }
}

fn both(one: Option<Word>, other: Word) -> Word {
    match one {
        None => other,
        Some(one) => one & other,
    }
}

/// How far rows go from each key; nothing if a row is missing among others, since then how far a run reaches
/// does not tell whether there is a row for it.
fn rays(shape: &Shape, roots: &[u32], n_keys: u32) -> Option<Rays> {
    let (length, step) = (number(shape.length), shape.step);
    let roots: BTreeSet<u32> = roots.iter().copied().collect();
    // No run goes through the last one: it stands for a move that gains no key.
    let mut rays = Rays { up: Vec::new(), down: vec![] };
    for key in 0..=n_keys {
        let has_row = |below: &u32| {
            let root = key.checked_sub(below * step);
            root.is_some_and(|root| roots.contains(&root))
        };
        let rows: BTreeSet<u32> = (0..length).filter(has_row).collect();
        let n_below = rows.last().copied().unwrap_or(0);
        let n_above = rows.first().map_or(0, |below| length - 1 - below);
        let all = (0..length).filter(|below| *below <= n_below && length - 1 - below <= n_above);
        if !rows.is_empty() && !rows.iter().copied().eq(all) {
            return None;
        }
        let bits = |n: u32, to_bit: &dyn Fn(u32) -> u32| {
            (1..=n).fold(0_u64, |all, further| all | 1 << to_bit(further * step))
        };
        rays.up.push(bits(n_above, &|further| further - 1));
        rays.down.push(bits(n_below, &|further| REACH - further));
    }
    Some(rays)
}

/// A row of an effect by the key that it assigns.
fn member(row: &Row, key: u32) -> Member {
    let param = |test: &Test| match test.tested {
        Tested::Param(number) if test.holds => Some((number, test.key)),
        _ => None,
    };
    Member { root: key, params: row.tests.iter().filter_map(param).collect(), head: Vec::new() }
}

/// The same members with one parameter alone, if it tells their keys; nothing if they ask for different ones.
fn by_fewest_params(members: Vec<Member>) -> Option<Vec<Member>> {
    let numbers = |member: &Member| -> Vec<usize> {
        member.params.iter().map(|(number, _)| *number).collect()
    };
    let all = numbers(members.first()?);
    if members.iter().any(|member| numbers(member) != all) {
        return None;
    }
    for (place, number) in all.iter().enumerate() {
        let mut keys: BTreeMap<u32, u32> = BTreeMap::new();
        let is_told = |member: &Member| {
            *keys.entry(member.params[place].1).or_insert(member.root) == member.root
        };
        if members.iter().all(is_told) {
            let one = |(value, root): (u32, u32)| Member {
                root,
                params: vec![(*number, value)],
                head: Vec::new(),
            };
            return Some(keys.into_iter().map(one).collect());
        }
    }
    Some(members)
}

/// The only number that may be in a set.
fn single(set: Set) -> Option<Word> {
    match set {
        Set::Single(_, number) => Some(*number),
        Set::And(left, _) => single(*left),
        _ => None,
    }
}
