//! Classes of rows: rows that are the same but for where they are on the board.
//!
//! In: ground rows, and for each the number of one thing in it, its root. Out: classes in which every
//! test reads the key that is so far from the root. A class is one expression over whole planes: shifts,
//! one for each distance, and a mask of the roots it has. Directions, steps, jumps and lines come out
//! of any numbering that treats them alike, whatever the rules call them. Invariant: the rows of all
//! classes together are the rows that came in.

use std::collections::BTreeMap;

use rulesmith_rules::FluentId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::ground::{Row, Test, Tested};

/// A test by its distance from the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Relative {
    /// How far from the root; near tests come first, so that long patterns begin like short ones.
    distance: u32,
    /// The key less the root.
    pub(crate) shift: i32,
    pub(crate) tested: Tested,
    pub(crate) holds: bool,
}

/// A row by its root.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Member {
    pub(crate) root: u32,
    /// The values of the parameters that it asks for, by number.
    pub(crate) params: Vec<(usize, u32)>,
    pub(crate) head: Vec<u32>,
}

/// Rows with the same tests around their roots.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    /// Tests of single words, the same in all rows.
    pub(crate) words: Vec<Test>,
    /// Tests of planes, sorted.
    pub(crate) relatives: Vec<Relative>,
    pub(crate) members: Vec<Member>,
}

impl Class {
    fn asks_params(&self) -> bool {
        self.members.iter().any(|one| !one.params.is_empty())
    }
}

/// How a test is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// It reads a word.
    Word,
    /// It reads a plane at a distance from the root.
    Plane,
    /// It asks for a value of a parameter.
    Param(usize),
}

/// Sorts rows into classes. A row without a root is not expected.
pub(crate) fn classify(
    rows: &[Row],
    root: &dyn Fn(&Row) -> u32,
    reading: &dyn Fn(&Test) -> Reading,
) -> Vec<Class> {
    // Members of a class ask for values of the same parameters.
    type Shape = (Vec<Test>, Vec<Relative>, Vec<usize>);
    let mut classes: FxHashMap<Shape, Vec<Member>> = FxHashMap::default();
    // Most rows have the shape of others, so that it is written to the same place and copied when it is new.
    let mut shape: Shape = Default::default();
    for row in rows {
        let root = root(row);
        let (words, relatives, numbers) = &mut shape;
        words.clear();
        relatives.clear();
        numbers.clear();
        let mut params = Vec::new();
        for test in &row.tests {
            match reading(test) {
                Reading::Word => words.push(*test),
                Reading::Plane => relatives.push(relative(test, root)),
                Reading::Param(number) => {
                    numbers.push(number);
                    params.push((number, test.key));
                }
            }
        }
        relatives.sort_unstable();
        let member = Member { root, params, head: row.head.clone() };
        match classes.get_mut(&shape) {
            Some(members) => members.push(member),
            None => drop(classes.insert(shape.clone(), vec![member])),
        }
    }
    // No two have the same shape, so that the order of classes does not depend on hashes.
    let mut classes: Vec<(Shape, Vec<Member>)> = classes.into_iter().collect();
    classes.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    let class = |((words, relatives, _), members)| Class { words, relatives, members };
    classes.into_iter().map(class).collect()
}

/// More classes of the same rows are not compared with each other.
const COMPARED_CLASSES: usize = 64;

/// Joins classes that are alike but for the value that one of their tests asks for: it asks for one of several.
/// A joined class stands where the first of its parts stood.
pub(crate) fn join_values(mut classes: Vec<Class>) -> Vec<Class> {
    let mut alike: BTreeMap<(Vec<Test>, Vec<Member>), Vec<usize>> = BTreeMap::new();
    for (place, class) in classes.iter().enumerate() {
        let mut members = class.members.clone();
        members.sort_unstable();
        alike.entry((class.words.clone(), members)).or_default().push(place);
    }
    let mut is_left = vec![true; classes.len()];
    for mut places in alike.into_values().filter(|places| places.len() <= COMPARED_CLASSES) {
        while let Some((one, other, both)) = find_pair(&classes, &places) {
            classes[one].relatives = both;
            is_left[other] = false;
            places.retain(|place| *place != other);
        }
    }
    let mut is_left = is_left.into_iter();
    classes.retain(|_| is_left.next().unwrap_or(true));
    classes
}

/// Two of the classes that can be joined, and their pattern then.
fn find_pair(classes: &[Class], places: &[usize]) -> Option<(usize, usize, Vec<Relative>)> {
    for (number, one) in places.iter().enumerate() {
        for other in &places[number + 1..] {
            let both = join_patterns(&classes[*one].relatives, &classes[*other].relatives);
            if let Some(both) = both {
                return Some((*one, *other, both));
            }
        }
    }
    None
}

/// The pattern of both, if they differ in the value that one test asks for.
fn join_patterns(one: &[Relative], other: &[Relative]) -> Option<Vec<Relative>> {
    let mut differing = one.iter().zip(other).enumerate().filter(|(_, (one, other))| one != other);
    let (place, (first, second)) = differing.next()?;
    if one.len() != other.len() || differing.next().is_some() {
        return None;
    }
    let ((id, values), (other_id, more)) = (values_of(first)?, values_of(second)?);
    if id != other_id || first.shift != second.shift {
        return None;
    }
    let mut both = one.to_vec();
    both[place].tested = Tested::OneOf(id, values | more);
    both.sort_unstable();
    Some(both)
}

/// More classes are not looked through for those that others imply: each is compared with all that are kept, and
/// this keeps the time for that below what it takes to compile so many.
const IMPLIED_CLASSES: usize = 512;

/// Leaves out classes that hold only where another one does: where it does not matter which of them holds, a thing
/// that may land far behind what it hops over may land just behind it, too.
pub(crate) fn drop_implied_classes(classes: &mut Vec<Class>) {
    if classes.len() > IMPLIED_CLASSES {
        return;
    }
    let mut places: Vec<usize> = (0..classes.len()).collect();
    places.sort_by_key(|place| (classes[*place].relatives.len(), classes[*place].words.len()));
    let mut kept: Vec<Implied<'_>> = Vec::new();
    let mut is_left = vec![true; classes.len()];
    for place in places {
        let class = &classes[place];
        if class.asks_params() {
            continue;
        }
        is_left[place] = !kept.iter().any(|other| other.is_implied_by(class));
        if is_left[place] {
            let roots = class.members.iter().map(|one| one.root).collect();
            kept.push(Implied { class, roots });
        }
    }
    let mut is_left = is_left.into_iter();
    classes.retain(|_| is_left.next().unwrap_or(true));
}

/// A class that others may imply, none of whose rows asks for a parameter.
struct Implied<'c> {
    class: &'c Class,
    roots: FxHashSet<u32>,
}

impl Implied<'_> {
    /// Does it hold wherever the other class does?
    fn is_implied_by(&self, other: &Class) -> bool {
        let Some(first) = self.class.relatives.first() else { return false };
        self.class.words.iter().all(|test| other.words.contains(test))
            && other.relatives.iter().filter(|one| is_told_by(first, one)).any(|one| {
                // How far the roots are from each other.
                let distance = one.shift - first.shift;
                let is_covered = |asked: &Relative| {
                    let shift = asked.shift + distance;
                    let mut there = other.relatives.iter().filter(|one| one.shift == shift);
                    there.any(|one| is_told_by(asked, one))
                };
                let has = |member: &Member| {
                    let root = member.root.checked_add_signed(distance);
                    root.is_some_and(|root| self.roots.contains(&root))
                };
                self.class.relatives.iter().all(is_covered) && other.members.iter().all(has)
            })
    }
}

/// Is the answer to the first test yes wherever that to the second one is, if both ask at the same place?
fn is_told_by(asked: &Relative, told: &Relative) -> bool {
    let among_others = || {
        let ((id, more), (told_id, values)) = (values_of(asked)?, values_of(told)?);
        Some(id == told_id && values & !more == 0)
    };
    asked.holds == told.holds && asked.tested == told.tested || among_others() == Some(true)
}

/// The values of a fluent that a test is content with.
fn values_of(relative: &Relative) -> Option<(FluentId, u64)> {
    match relative.tested {
        Tested::Fluent(id, value) if relative.holds => Some((id, 1_u64.checked_shl(value)?)),
        Tested::OneOf(id, values) if relative.holds => Some((id, values)),
        _ => None,
    }
}

fn relative(test: &Test, root: u32) -> Relative {
    let number = |index: u32| i32::try_from(index).unwrap_or(i32::MAX);
    let shift = number(test.key) - number(root);
    let Test { tested, holds, .. } = *test;
    let distance = match tested {
        // Few patterns share a number that is counted: it comes last, so that their beginnings are alike.
        Tested::Tally(..) => u32::MAX,
        _ => shift.unsigned_abs(),
    };
    Relative { distance, shift, tested, holds }
}

/// The mask of some roots.
pub(crate) fn mask(width: u16, roots: impl IntoIterator<Item = u32>) -> Vec<u64> {
    let mut words = vec![0; usize::from(width)];
    for root in roots {
        if let Some(word) = words.get_mut(root as usize / 64) {
            *word |= 1 << (root % 64);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(shift: i32, tested: Tested) -> Relative {
        Relative { distance: shift.unsigned_abs(), shift, tested, holds: true }
    }

    fn class(relatives: &[Relative], roots: &[u32]) -> Class {
        let member = |root: &u32| Member { root: *root, params: vec![], head: vec![] };
        let members = roots.iter().map(member).collect();
        Class { words: vec![], relatives: relatives.to_vec(), members }
    }

    /// Which of two classes are left, by number.
    fn left(mut classes: Vec<Class>) -> Vec<usize> {
        // The head of a class does not matter to what it implies, so that it can say which one it is.
        for (number, class) in (0..).zip(&mut classes) {
            class.members.iter_mut().for_each(|member| member.head = vec![number]);
        }
        drop_implied_classes(&mut classes);
        classes.iter().map(|class| class.members[0].head[0] as usize).collect()
    }

    #[test]
    fn a_class_is_left_out_only_where_another_one_holds_whenever_it_does() {
        let id = FluentId(0);
        let [own, other] = [1, 2].map(|value| Tested::Fluent(id, value));
        let short = class(&[at(0, own), at(1, other)], &[3, 4, 5]);
        let long = |roots: &[u32]| class(&[at(0, own), at(1, other), at(2, own)], roots);
        assert_eq!(left(vec![long(&[3, 5]), short.clone()]), [1]);
        assert_eq!(left(vec![short.clone(), long(&[3, 5])]), [0]);
        assert_eq!(left(vec![short.clone(), short.clone()]), [0]);
        // A root that the other one does not have.
        assert_eq!(left(vec![long(&[3, 6]), short.clone()]), [0, 1]);
        // The same pattern from a root two keys on.
        let shifted = [at(-2, own), at(-1, other), at(0, own)];
        assert_eq!(left(vec![class(&shifted, &[5, 7]), short.clone()]), [1]);
        assert_eq!(left(vec![class(&shifted, &[3, 5]), short.clone()]), [0, 1]);
        // One of several values tells less than one of them.
        let either = Tested::OneOf(id, 0b110);
        let vague = class(&[at(0, own), at(1, either), at(2, own)], &[3]);
        assert_eq!(left(vec![vague, short.clone()]), [0, 1]);
        let wide = class(&[at(0, own), at(1, either)], &[3, 4]);
        assert_eq!(left(vec![long(&[3]), wide]), [1]);
        // What only one of them asks of a word, or of a parameter.
        let word = Test { tested: Tested::Fluent(FluentId(1), 0), key: 1, holds: true };
        let asking = Class { words: vec![word], ..short.clone() };
        assert_eq!(left(vec![long(&[3]), asking.clone()]), [0, 1]);
        assert_eq!(left(vec![asking, short.clone()]), [1]);
        let mut choosing = long(&[3]);
        choosing.members[0].params = vec![(0, 2)];
        assert_eq!(left(vec![choosing, short]), [0, 1]);
    }
}
