//! Moves as sets: each leaf is a plane in which every number is one legal move.
//!
//! In: the ground rows of a role's `legal` clauses. Out: planes, and for each what its numbers mean as
//! parameters. Counting moves is counting bits, and choosing one at random is finding the bit of a rank;
//! no list is made. Invariant: every legal move is exactly one bit of one leaf.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_kernel::{Plane, Scalar, Set, Statement, Word};
use rustc_hash::FxHashMap;

use super::Obstacle;
use super::absent::by_need;
use super::classes::{Class, classify, join_values, mask};
use super::emit::{Certainty, Emitter, Places, or};
use super::fans::{Fan, List};
use super::ground::{Row, Test};
use super::optimizations::Optimization;
use super::readings::{reading, shared_tests};

/// What the numbers of a plane mean: for each root the parameters of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Meaning {
    pub(crate) width: u16,
    pub(crate) moves: BTreeMap<u32, Vec<u32>>,
}

impl Meaning {
    /// Do both mean the same moves by the same numbers, and different ones by different numbers?
    fn agrees(&self, other: &Self) -> bool {
        let same = |(root, params): (&u32, &Vec<u32>)| {
            self.moves.get(root).is_none_or(|known| known == params)
        };
        self.width == other.width && other.moves.iter().all(same) && {
            let mine: FxHashMap<&Vec<u32>, u32> =
                self.moves.iter().map(|(root, params)| (params, *root)).collect();
            let mut other = other.moves.iter();
            other.all(|(root, params)| mine.get(params).is_none_or(|known| known == root))
        }
    }
}

/// The moves of one kind that share their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) kind: usize,
    pub(crate) set: Set,
    pub(crate) meaning: Meaning,
    /// Is every number a legal move? Otherwise the one that is drawn must be tested.
    pub(crate) is_sure: bool,
    /// Zero if there are none: what all of them ask for, where several leaves do.
    pub(crate) guard: Option<Scalar>,
    pub(crate) found: Found,
}

/// Where moves are.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// They are the numbers of the set.
    Numbers,
    /// They are told by where they start; the set is empty.
    Fan(Fan),
    /// They are in a list; the set is empty.
    List(List),
}

impl Leaf {
    /// Moves that are numbers of a set.
    pub(crate) fn of_set(kind: usize, set: Set, meaning: Meaning) -> Self {
        Self { kind, set, meaning, is_sure: true, guard: None, found: Found::Numbers }
    }

    /// Moves that are not numbers of a set.
    pub(crate) fn of_found(kind: usize, found: Found) -> Self {
        let meaning = Meaning { width: 1, moves: BTreeMap::new() };
        Self { found, ..Self::of_set(kind, Set::Mask(vec![0]), meaning) }
    }

    /// Are its moves numbers of its set?
    pub(crate) fn is_numbered(&self) -> bool {
        matches!(self.found, Found::Numbers)
    }

    /// How many moves there are.
    pub(crate) fn n_moves(&self) -> Word {
        match &self.found {
            Found::Numbers => self.set.clone().count(),
            Found::Fan(fan) => fan.n_moves.into(),
            Found::List(list) => list.n_moves.into(),
        }
    }

    /// A statement about its moves, which there are only where its guard is not zero.
    pub(crate) fn guarded(&self, statement: Statement) -> Statement {
        match self.guard {
            Some(guard) => Statement::If(guard.into(), vec![statement], Vec::new()),
            None => statement,
        }
    }

    /// One if there is a move, else zero.
    pub(crate) fn any(&self) -> Word {
        match &self.found {
            Found::Numbers => self.set.clone().any(),
            _ => Word::Constant(0).is_below(self.n_moves()),
        }
    }
}

/// A part of a leaf before it is emitted.
struct Part {
    class: Class,
    width: u16,
    meaning: Meaning,
}

/// The parts of a leaf, with what its numbers mean.
type Group = (Meaning, Vec<Part>);

/// How moves of several parameters are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbering {
    /// By the key of an atom; of keys that do equally well the last parameter may be taken.
    ByKeys { by_last: bool },
    /// By all parameters, so that the ways to find a move meet in one bit.
    ByHeads,
}

/// How a row's root is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    /// The head's own number.
    Head,
    /// The key of this atom of the clause.
    Anchor(usize),
}

/// Emits the leaves of one kind of move for one role. `clauses` are the rows of each clause, the role
/// left out of their heads. `by_last`: of keys that number moves equally well the last parameter is taken.
pub(crate) fn emit_leaves(
    emitter: &mut Emitter<'_>,
    places: Places<'_>,
    (kind, sizes, by_last): (usize, &[u32], bool),
    clauses: &[Vec<Row>],
) -> Result<Vec<Leaf>, Obstacle> {
    let numbered = |numbering| groups(places, clauses, (sizes, numbering));
    // Where keys give no numbers, all parameters together do.
    let groups = numbered(Numbering::ByKeys { by_last })
        .or_else(|obstacle| numbered(Numbering::ByHeads).map_err(|_| obstacle))?;
    let mut guarded: BTreeMap<(usize, Vec<Test>), Vec<Group>> = BTreeMap::new();
    for (meaning, mut parts) in groups {
        let tests = take_common(&mut parts);
        let parts = join_parts(places, parts);
        guarded.entry((tests.len(), tests)).or_default().push((meaning, parts));
    }
    let mut leaves = Vec::new();
    for ((_, tests), groups) in guarded {
        let guard = emitter.words(&tests)?;
        leaves.extend(emit_guarded(emitter, kind, guard, groups)?);
    }
    Ok(leaves)
}

/// Parts that mean the same moves are joined where they differ in a value alone.
fn join_parts(places: Places<'_>, parts: Vec<Part>) -> Vec<Part> {
    let Some(Part { width, meaning, .. }) = parts.first() else { return parts };
    let is_even = parts.iter().all(|part| part.width == *width);
    if !is_even || !places.optimizations.has(Optimization::JoinedValues) {
        return parts;
    }
    let (width, meaning) = (*width, meaning.clone());
    let classes = join_values(parts.into_iter().map(|part| part.class).collect());
    let part = |class| Part { class, width, meaning: meaning.clone() };
    classes.into_iter().map(part).collect()
}

/// The parts of all clauses by what their numbers mean.
fn groups(
    places: Places<'_>,
    clauses: &[Vec<Row>],
    (sizes, numbering): (&[u32], Numbering),
) -> Result<Vec<Group>, Obstacle> {
    let mut groups: Vec<Group> = Vec::new();
    for rows in clauses.iter().filter(|rows| !rows.is_empty()) {
        for part in parts(places, rows, (sizes, numbering))? {
            match groups.iter_mut().find(|(meaning, _)| meaning.agrees(&part.meaning)) {
                Some((meaning, parts)) => {
                    meaning.moves.extend(part.meaning.moves.clone());
                    parts.push(part);
                }
                None => groups.push((part.meaning.clone(), vec![part])),
            }
        }
    }
    check_apart(&groups)?;
    Ok(groups)
}

/// The tests of words that all parts share, which need not test them any more.
fn take_common(parts: &mut [Part]) -> Vec<Test> {
    let Some((first, others)) = parts.split_first() else { return Vec::new() };
    let is_common = |test: &&Test| others.iter().all(|part| part.class.words.contains(test));
    let common: Vec<Test> = first.class.words.iter().filter(is_common).copied().collect();
    for part in parts {
        part.class.words.retain(|test| !common.contains(test));
    }
    common
}

/// Leaves that ask for the same words: nothing of them is computed where these are not so.
fn emit_guarded(
    emitter: &mut Emitter<'_>,
    kind: usize,
    guard: Certainty,
    groups: Vec<Group>,
) -> Result<Vec<Leaf>, Obstacle> {
    let empty = |width: u16| Set::Mask(vec![0; usize::from(width)]);
    let planes: Vec<Plane> = groups
        .iter()
        .map(|(meaning, _)| emitter.let_set(meaning.width, empty(meaning.width)))
        .collect();
    let grow = |emitter: &mut Emitter<'_>| -> Result<(), Obstacle> {
        let leaves = planes.iter().zip(&groups);
        let parts = leaves.flat_map(|(plane, (meaning, parts))| {
            parts.iter().map(|part| ((*plane, meaning.width), part))
        });
        grow_by_parts(emitter, parts.collect())
    };
    let guard = match guard {
        Certainty::Never => None,
        Certainty::Always => {
            grow(emitter)?;
            None
        }
        Certainty::If(word) => {
            let guard = emitter.let_word(word);
            let (statements, done) = emitter.block(grow);
            done?;
            emitter.push(Statement::If(guard.into(), statements, Vec::new()));
            // To count one leaf costs less than to ask whether it is needed.
            (groups.len() > 1).then_some(guard)
        }
    };
    let leaf = |(plane, (meaning, _)): (Plane, Group)| Leaf {
        guard,
        ..Leaf::of_set(kind, Set::Plane(plane), meaning)
    };
    Ok(planes.into_iter().zip(groups).map(leaf).collect())
}

/// No move may be in two leaves.
fn check_apart(groups: &[Group]) -> Result<(), Obstacle> {
    let mut seen: FxHashMap<&Vec<u32>, usize> = FxHashMap::default();
    for (number, (meaning, _)) in groups.iter().enumerate() {
        for params in meaning.moves.values() {
            if seen.insert(params, number).is_some() {
                return Err(Obstacle::new("a move can be found in two ways"));
            }
        }
    }
    Ok(())
}

/// The classes of a clause, split so that a root means one move.
fn parts(
    places: Places<'_>,
    rows: &[Row],
    (sizes, numbering): (&[u32], Numbering),
) -> Result<Vec<Part>, Obstacle> {
    let shared = shared_tests(rows);
    let reading = |test: &Test| reading(places, &shared, test);
    let head = |row: &Row| {
        row.head.iter().zip(sizes).rev().fold(0, |number, (column, size)| number * size + column)
    };
    let n_anchors = rows[0].anchors.len();
    let roots = (0..n_anchors).filter(|anchor| is_plane(places, rows, *anchor)).map(Root::Anchor);
    // A move of one parameter is numbered by it, so that the ways to find it meet in one bit.
    let by_heads = sizes.len() <= 1 || numbering == Numbering::ByHeads;
    let by_last = numbering == Numbering::ByKeys { by_last: true };
    let roots: Vec<Root> = if by_heads { vec![Root::Head] } else { roots.collect() };
    let ranked = roots.into_iter().map(|root| {
        let root_of = |row: &Row| match root {
            Root::Head => head(row),
            Root::Anchor(anchor) => row.anchors[anchor],
        };
        let is_last = rows.iter().all(|row| row.head.last() == Some(&root_of(row)));
        let n_classes = split(classify(rows, &root_of, &reading)).len();
        (n_classes, by_last && !is_last, root)
    });
    let best = ranked.min_by_key(|(n_classes, is_odd, _)| (*n_classes, *is_odd));
    let best = best.map(|(n_classes, _, root)| (n_classes, root));
    let Some((n_classes, root)) = best else {
        return Err(Obstacle::new("moves of several parameters without a key to number them by"));
    };
    if n_classes > CLASSES_LIMIT {
        return Err(Obstacle::new(format!("{n_classes} shapes of one move")));
    }
    let root_of = |row: &Row| match root {
        Root::Head => head(row),
        Root::Anchor(anchor) => row.anchors[anchor],
    };
    let width_of = |class: &Class| width_of(places, class, sizes, root);
    split(classify(rows, &root_of, &reading))
        .into_iter()
        .map(|class| {
            let width = width_of(&class)?;
            let moves = class.members.iter().map(|member| (member.root, member.head.clone()));
            let meaning = Meaning { width, moves: moves.collect() };
            Ok(Part { class, width, meaning })
        })
        .collect()
}

/// Moves of several parameters that read no planes have planes of their own of at most so many words.
const HEADS_LIMIT: u16 = 16;

/// A clause that falls into more classes than this is not a pattern of planes.
const CLASSES_LIMIT: usize = 512;

/// Does the atom read planes, in every row?
fn is_plane(places: Places<'_>, rows: &[Row], anchor: usize) -> bool {
    let is_read = |row: &Row| {
        row.tests.iter().any(|test| {
            test.holds && test.key == row.anchors[anchor] && places.width(test.tested).is_some()
        })
    };
    rows.iter().all(is_read)
}

fn width_of(places: Places<'_>, class: &Class, sizes: &[u32], root: Root) -> Result<u16, Obstacle> {
    let widths = class.relatives.iter().filter_map(|relative| places.width(relative.tested));
    let plane = widths.max();
    let own = sizes.iter().map(|size| u64::from(*size)).product::<u64>().div_ceil(64).max(1);
    let own = u16::try_from(own).map_err(|_| Obstacle::new("too many values of parameters"))?;
    match (root, plane) {
        (Root::Head, _) if sizes.len() > 1 && own > plane.unwrap_or(HEADS_LIMIT) => {
            Err(Obstacle::new("too many moves to number"))
        }
        (Root::Head, _) => Ok(own),
        (Root::Anchor(_), Some(width)) => Ok(width),
        (Root::Anchor(_), None) => Err(Obstacle::new("a class without planes")),
    }
}

/// Splits classes in which one root means several moves.
fn split(classes: Vec<Class>) -> Vec<Class> {
    let mut parts = Vec::new();
    for mut class in classes {
        let mut layers: Vec<Class> = Vec::new();
        // In order, so that the last one tells whether a root is there already.
        class.members.sort_by_key(|member| member.root);
        for member in class.members {
            let fits = |layer: &&mut Class| {
                layer.members.last().is_none_or(|last| last.root < member.root)
            };
            match layers.iter_mut().find(fits) {
                Some(layer) => layer.members.push(member),
                None => layers.push(Class {
                    words: class.words.clone(),
                    relatives: class.relatives.clone(),
                    members: vec![member],
                }),
            }
        }
        parts.extend(layers);
    }
    parts
}

/// Into how many classes rows fall; a head is one number.
pub(crate) fn n_shapes(places: Places<'_>, rows: &[Row]) -> usize {
    let shared = shared_tests(rows);
    let root = |row: &Row| row.head.first().copied().unwrap_or(0);
    classify(rows, &root, &|test| reading(places, &shared, test)).len()
}

/// The plane of the heads of rows that hold; a head is one number.
pub(crate) fn emit_set(
    emitter: &mut Emitter<'_>,
    places: Places<'_>,
    width: u16,
    rows: &[Row],
) -> Result<Plane, Obstacle> {
    let shared = shared_tests(rows);
    let reading = |test: &Test| reading(places, &shared, test);
    let root = |row: &Row| row.head.first().copied().unwrap_or(0);
    let parts = classify(rows, &root, &reading).into_iter().map(|class| {
        let meaning = Meaning { width, moves: BTreeMap::new() };
        Part { class, width, meaning }
    });
    let parts: Vec<Part> = join_parts(places, parts.collect());
    if parts.len() > CLASSES_LIMIT {
        return Err(Obstacle::new("too many shapes of one set"));
    }
    emit_parts(emitter, width, &parts)
}

fn emit_parts(emitter: &mut Emitter<'_>, width: u16, parts: &[Part]) -> Result<Plane, Obstacle> {
    let result = emitter.let_set(width, Set::Mask(vec![0; usize::from(width)]));
    grow_by_parts(emitter, parts.iter().map(|part| ((result, width), part)).collect())?;
    Ok(result)
}

/// Adds to planes where parts hold.
fn grow_by_parts(
    emitter: &mut Emitter<'_>,
    parts: Vec<((Plane, u16), &Part)>,
) -> Result<(), Obstacle> {
    for needing in by_need(emitter.places, parts, |(_, part)| &part.class) {
        emitter.where_needed(needing.value, |emitter| {
            needing.patterns.into_iter().try_for_each(|(plane, part)| grow(emitter, plane, part))
        })?;
    }
    Ok(())
}

/// Adds to a plane where a part holds.
fn grow(
    emitter: &mut Emitter<'_>,
    (result, width): (Plane, u16),
    part: &Part,
) -> Result<(), Obstacle> {
    let certainty = emitter.words(&part.class.words)?;
    if let Certainty::Never = certainty {
        return Ok(());
    }
    let roots = mask(width, part.class.members.iter().map(|member| member.root));
    let add = |emitter: &mut Emitter<'_>| -> Result<(), Obstacle> {
        let pattern = emitter.pattern(part.width, &part.class)?;
        let set = match pattern {
            None => Set::Mask(roots),
            Some(pattern) => Set::And(Box::new(pattern), Box::new(Set::Mask(roots))),
        };
        emitter.push(Statement::LetSet(result, or(Set::Plane(result), set)));
        Ok(())
    };
    match certainty {
        Certainty::If(word) => {
            let (statements, done) = emitter.block(add);
            done?;
            emitter.push(Statement::If(word, statements, Vec::new()));
        }
        _ => add(emitter)?,
    }
    Ok(())
}

/// How many moves there are. Leaves of which nothing was computed are not counted.
pub(crate) fn count(emitter: &mut Emitter<'_>, leaves: &[Leaf]) -> Scalar {
    let sum = |guard: Option<Scalar>| {
        let counts = leaves.iter().filter(|leaf| leaf.guard == guard);
        counts.map(Leaf::n_moves).reduce(|sum, count| sum + count)
    };
    let n_moves = emitter.let_word(sum(None).unwrap_or(Word::Constant(0)));
    let guards: BTreeSet<Scalar> = leaves.iter().filter_map(|leaf| leaf.guard).collect();
    for guard in guards {
        let more = sum(Some(guard)).unwrap_or(Word::Constant(0));
        let more = vec![Statement::Let(n_moves, more + n_moves)];
        emitter.push(Statement::If(guard.into(), more, Vec::new()));
    }
    n_moves
}
