//! Meetings: how many registers meet where the ways of a kernel meet.
//!
//! In: the reads and writes of registers, blocks and meetings of a kernel, in the order of its text. Out: the words of
//! registers that are needed both before and after each meeting, added up. Machine code has to say for each of these which
//! value it has there, so that making it takes as long. Invariant: a register is counted at each meeting that its value may
//! cross; a few are counted that no value crosses.

use crate::kernel::{Plane, Scalar};

/// The weight of a meeting behind a condition, a routine or a row handed over: most of these are soon seen to need nothing.
pub(crate) const BRANCH_WEIGHT: u64 = 1;

/// In a loop values meet at its head and at its end, and the head is told before its body is known.
pub(crate) const LOOP_WEIGHT: u64 = 8;

/// Counts meetings while a kernel is read.
#[derive(Debug)]
pub(crate) struct Meetings {
    n_scalars: usize,
    widths: Vec<u64>,
    /// How long each register is needed; nothing for those that were not met yet.
    spans: Vec<Option<Span>>,
    open: Vec<OpenBlock>,
    n_blocks: usize,
    /// The weight of all meetings so far.
    weight: u64,
}

/// The part of a kernel where a register is needed, by the meetings before its start and before its end.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u64,
    end: u64,
    /// The block of its first use, by depth and number.
    depth: usize,
    block: usize,
}

/// A block that has begun and not ended.
#[derive(Debug)]
struct OpenBlock {
    number: usize,
    is_loop: bool,
    /// Registers from outside, which are needed until it ends since it may begin anew.
    carried: Vec<usize>,
}

impl Meetings {
    pub(crate) fn new(n_scalars: u16, plane_widths: &[u16]) -> Self {
        let scalars = (0..n_scalars).map(|_| 1);
        let widths = scalars.chain(plane_widths.iter().map(|&width| u64::from(width)));
        let widths: Vec<u64> = widths.collect();
        let whole = OpenBlock { number: 0, is_loop: false, carried: Vec::new() };
        Self {
            n_scalars: usize::from(n_scalars),
            spans: vec![None; widths.len()],
            widths,
            open: vec![whole],
            n_blocks: 1,
            weight: 0,
        }
    }

    /// Ways meet here.
    pub(crate) fn meet(&mut self, weight: u64) {
        self.weight += weight;
    }

    pub(crate) fn open(&mut self, is_loop: bool) {
        let number = self.n_blocks;
        self.n_blocks += 1;
        self.open.push(OpenBlock { number, is_loop, carried: Vec::new() });
    }

    pub(crate) fn close(&mut self) {
        let Some(block) = self.open.pop() else { return };
        for register in block.carried {
            if let Some(span) = &mut self.spans[register] {
                span.end = self.weight;
            }
        }
    }

    pub(crate) fn scalar(&mut self, Scalar(number): Scalar, is_written: bool) {
        self.touch(usize::from(number), is_written);
    }

    pub(crate) fn plane(&mut self, Plane(number): Plane, is_written: bool) {
        self.touch(self.n_scalars + usize::from(number), is_written);
    }

    /// A register that is read before it is written in the block of its first use, or used outside that block, has its
    /// value from far: it is needed from the start on.
    fn touch(&mut self, register: usize, is_written: bool) {
        let Some(known) = self.spans.get(register).copied() else { return };
        let depth = self.open.len() - 1;
        let here =
            Span { start: self.weight, end: self.weight, depth, block: self.open[depth].number };
        let far = Span { start: 0, end: self.weight, depth: 0, block: 0 };
        let is_open =
            |span: Span| self.open.get(span.depth).is_some_and(|one| one.number == span.block);
        let span = match known {
            None if is_written => here,
            Some(span) if is_open(span) => Span { end: self.weight, ..span },
            _ => far,
        };
        self.spans[register] = Some(span);
        let inner = &mut self.open[span.depth + 1..];
        if let Some(block) = inner.iter_mut().find(|block| block.is_loop)
            && block.carried.last() != Some(&register)
        {
            block.carried.push(register);
        }
    }

    /// The words of registers at all meetings, each by its weight, in loops.
    pub(crate) fn words(&self) -> u64 {
        let spans = self.spans.iter().zip(&self.widths);
        let words = spans.filter_map(|(span, width)| span.map(|one| (one.end - one.start) * width));
        words.sum::<u64>() / LOOP_WEIGHT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Scalar = Scalar(0);

    fn words(kernel: impl FnOnce(&mut Meetings)) -> u64 {
        let mut meetings = Meetings::new(1, &[3]);
        kernel(&mut meetings);
        meetings.words()
    }

    fn a_loop(meetings: &mut Meetings, inside: impl FnOnce(&mut Meetings)) {
        meetings.meet(LOOP_WEIGHT);
        meetings.open(true);
        inside(meetings);
        meetings.close();
    }

    #[test]
    fn what_is_needed_on_one_side_only_meets_nobody() {
        let before = |meetings: &mut Meetings| {
            meetings.scalar(ONE, true);
            meetings.scalar(ONE, false);
            a_loop(meetings, |_| {});
        };
        assert_eq!(words(before), 0);
        let inside = |meetings: &mut Meetings| a_loop(meetings, |inner| inner.scalar(ONE, true));
        assert_eq!(words(inside), 0);
    }

    #[test]
    fn what_is_needed_on_both_sides_meets_by_its_words() {
        let across = |meetings: &mut Meetings| {
            meetings.plane(Plane(0), true);
            a_loop(meetings, |_| {});
            meetings.plane(Plane(0), false);
        };
        assert_eq!(words(across), 3);
    }

    #[test]
    fn what_a_loop_reads_from_outside_is_needed_until_it_ends() {
        let twice = |meetings: &mut Meetings| {
            meetings.scalar(ONE, true);
            a_loop(meetings, |inner| {
                inner.scalar(ONE, false);
                a_loop(inner, |_| {});
            });
        };
        assert_eq!(words(twice), 2);
    }

    #[test]
    fn what_may_not_have_been_written_is_needed_from_the_start() {
        let read_first = |meetings: &mut Meetings| {
            a_loop(meetings, |_| {});
            meetings.scalar(ONE, false);
        };
        assert_eq!(words(read_first), 1);
        let escaped = |meetings: &mut Meetings| {
            a_loop(meetings, |_| {});
            a_loop(meetings, |inner| inner.scalar(ONE, true));
            meetings.scalar(ONE, false);
        };
        assert_eq!(words(escaped), 2);
    }
}
