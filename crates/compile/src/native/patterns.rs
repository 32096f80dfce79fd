//! Patterns: the same tests at many keys, as planes that are shifted over each other.
//!
//! In: a class of rows that ask the same about keys at the same distances. Out: a set with the keys of the rows that
//! hold. Invariant: a run of tests at equal steps is doubled rather than asked one by one.

use rulesmith_kernel::{Plane, Set};

use super::Obstacle;
use super::classes::{Class, Relative};
use super::emit::Emitter;
use super::optimizations::Optimization;

impl Emitter<'_> {
    /// Where the patterns of a class hold around a root; nothing if the class has none.
    pub(crate) fn pattern(&mut self, width: u16, class: &Class) -> Result<Option<Set>, Obstacle> {
        let relatives = &class.relatives;
        // Beginning with something that must hold keeps masks out of the way.
        let Some(first) = relatives.iter().position(|relative| relative.holds) else {
            let mut all = None;
            for relative in relatives {
                let set = self.shifted(width, *relative)?;
                let before = all.unwrap_or_else(|| Set::Mask(vec![u64::MAX; usize::from(width)]));
                all = Some(Set::Without(Box::new(before), Box::new(set)));
            }
            return Ok(all);
        };
        let mut order = relatives.clone();
        order[..=first].rotate_right(1);
        if let Some(step) = run_step(&order)
            && self.tested(order[0].tested)?.1 == width
            && self.places.optimizations.has(Optimization::RunsByDoubling)
        {
            return self.doubled(width, &order, step).map(|plane| Some(Set::Plane(plane)));
        }
        let mut prefix: Option<Plane> = None;
        for length in 1..=order.len() {
            let key = (width, order[..length].to_vec());
            if let Some(plane) = self.known.get(&key) {
                prefix = Some(*plane);
                continue;
            }
            let relative = order[length - 1];
            let next = self.shifted(width, relative)?;
            let set = match prefix {
                None => next,
                Some(before) => {
                    let (before, next) = (Box::new(Set::Plane(before)), Box::new(next));
                    if relative.holds { Set::And(before, next) } else { Set::Without(before, next) }
                }
            };
            let plane = self.let_set(width, set);
            if self.places.optimizations.has(Optimization::SharedPatterns) {
                self.known.insert(key, plane);
            }
            prefix = Some(plane);
        }
        Ok(prefix.map(Set::Plane))
    }

    /// The roots of runs: what is known of a run is known of the one next to it, so that each step doubles it.
    fn doubled(&mut self, width: u16, run: &[Relative], step: i32) -> Result<Plane, Obstacle> {
        let first = self.shifted(width, run[0])?;
        let mut plane = self.let_set(width, first);
        let mut length = 1;
        while length < run.len() {
            let more = length.min(run.len() - length);
            length += more;
            let key = (width, run[..length].to_vec());
            if let Some(known) = self.known.get(&key) {
                plane = *known;
                continue;
            }
            let further = i32::try_from(more).unwrap_or(i32::MAX).saturating_mul(step);
            plane = self.let_set(width, Set::Plane(plane) & Set::Plane(plane).shift(-further));
            if self.places.optimizations.has(Optimization::SharedPatterns) {
                self.known.insert(key, plane);
            }
        }
        Ok(plane)
    }

    /// The plane of a test, moved so that a root finds at its own number what it asks for.
    fn shifted(&self, width: u16, relative: Relative) -> Result<Set, Obstacle> {
        let (set, found) = self.tested(relative.tested)?;
        // What is narrower is made wider first, what is wider loses its end last.
        let set = if found < width { set.resize(width) } else { set };
        let set = if relative.shift == 0 { set } else { set.shift(-relative.shift) };
        Ok(if found > width { set.resize(width) } else { set })
    }
}

/// How far the things are apart that a pattern asks about, if they are all of one kind and equally far from each
/// other.
fn run_step(order: &[Relative]) -> Option<i32> {
    let [first, second, ..] = order else { return None };
    let step = second.shift - first.shift;
    let is_next = |pair: &[Relative]| {
        pair[1].shift - pair[0].shift == step && pair[0].tested == pair[1].tested
    };
    let is_run = order.len() > 3 && order.windows(2).all(is_next);
    (is_run && order.iter().all(|one| one.holds)).then_some(step)
}
