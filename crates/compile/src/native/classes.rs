//! Classes of rows: rows that are the same but for where they are on the board.
//!
//! In: ground rows, and for each the number of one thing in it, its root. Out: classes in which every
//! test reads the key that is so far from the root. A class is one expression over whole planes: shifts,
//! one for each distance, and a mask of the roots it has. Directions, steps, jumps and lines come out
//! of any numbering that treats them alike, whatever the rules call them. Invariant: the rows of all
//! classes together are the rows that came in.

use std::collections::BTreeMap;

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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    let mut classes: BTreeMap<(Vec<Test>, Vec<Relative>), Vec<Member>> = BTreeMap::new();
    for row in rows {
        let root = root(row);
        let (mut words, mut relatives, mut params) = (Vec::new(), Vec::new(), Vec::new());
        for test in &row.tests {
            match reading(test) {
                Reading::Word => words.push(*test),
                Reading::Plane => relatives.push(relative(test, root)),
                Reading::Param(number) => params.push((number, test.key)),
            }
        }
        relatives.sort_unstable();
        let member = Member { root, params, head: row.head.clone() };
        classes.entry((words, relatives)).or_default().push(member);
    }
    let class = |((words, relatives), members)| Class { words, relatives, members };
    classes.into_iter().map(class).collect()
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
