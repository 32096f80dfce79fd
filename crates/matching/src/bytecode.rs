//! Bytecode: a tree of conditions as one flat list of instructions.
//!
//! In: drafts written by `assemble`. Out: instructions that stand in the order of the tree, each with
//! the place to go on when it fails. A generator is a pair, `Each` before and `Next` behind what it
//! binds for, and keeps its rows in a loop slot given to it beforehand, so that a run needs no stack.
//! Constants stand behind the registers in one frame: an operand is always a place of the frame.
//! Invariant: only `verify` makes [`Code`] from a draft. Paper: metameta §4.

use rulesmith_logic::{Comparison, DomainId, Operation, PredicateId, Quantifier, Symbol};

use crate::relation::Mask;
use crate::universe::ValueId;

/// A place of the frame: a register, or behind the registers a constant.
pub(crate) type Place = u16;

/// A place in the list of instructions.
pub(crate) type Target = u32;

/// What happens to a value that is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Out {
    /// It goes into a register.
    Bind(Place),
    /// It must equal what is there.
    Check(Place),
}

/// A column of a relation that has two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    First,
    Second,
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instruction {
    /// The first row of a stored relation.
    Each { lookup: u32, slot: u16, fail: Target },
    /// The next row of it.
    Next { lookup: u32, slot: u16, body: Target },
    /// `Each` for a relation of two columns of which one is known, the most frequent case.
    EachOne { pair: u16, slot: u16, key: Place, to: Place, fail: Target },
    /// `EachOne` when a conclusion is all that comes after it: the whole loop at once. The verifier puts
    /// it in place of an `EachOne`; the two instructions behind it stay where they are.
    EachEmit { pair: u16, conclusion: u16, key: Place, to: Place, fail: Target },
    /// `Next` for it.
    NextOne { slot: u16, to: Place, body: Target },
    /// The row is in a stored relation.
    Has { lookup: u32, fail: Target },
    /// The first row of what has to be asked for; without unknown columns, whether there is one.
    Ask { lookup: u32, slot: u16, fail: Target },
    /// The next row of it.
    NextAsked { lookup: u32, slot: u16, body: Target },
    /// Both are the same value.
    Equal { left: Place, right: Place, fail: Target },
    /// They are different values.
    Unequal { left: Place, right: Place, fail: Target },
    /// Two integers are in this order.
    Order { comparison: Comparison, left: Place, right: Place, fail: Target },
    /// The register takes a known value.
    Copy { from: Place, to: Place },
    /// The result of an operation is delivered.
    Compute { operation: Operation, left: Place, right: Place, out: Out, fail: Target },
    /// The parts of a compound term are delivered.
    TakeApart { shape: u32, whole: Place, fail: Target },
    /// A compound term is made.
    Make { shape: u32, whole: Place },
    /// What must not hold begins; behind it, at `end`, it is known not to hold.
    NoneBegin { end: Target },
    /// It holds.
    NoneEnd { fail: Target },
    /// Counting begins.
    CountBegin { tally: u16 },
    /// One tuple; then on to `exit`, behind what cannot deliver another one.
    CountAdd { tally: u16, tuple: u32, exit: Target },
    /// The number is delivered.
    CountEnd { tally: u16, out: Out, fail: Target },
    /// A conclusion; then on to `exit`, behind what cannot deliver another one.
    Emit { conclusion: u32, exit: Target },
    /// The end.
    Stop,
}

/// Where rows come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A relation of the memory, by its place in [`Draft::relations`].
    Stored(u16),
    /// A procedure, by its place in the program, and its known arguments.
    Call {
        procedure: u32,
        inputs: Vec<Place>,
        /// Does any one of the rows do as well as all of them?
        is_any: bool,
    },
    /// The host, by what is known of each argument.
    Outside { predicate: PredicateId, pattern: Vec<Option<Place>> },
    /// Other memories, where another code is run.
    Elsewhere {
        by: PredicateId,
        args: Vec<Place>,
        quantifier: Quantifier,
        /// The code's place in the program.
        code: u32,
        inputs: Vec<Place>,
    },
}

/// Rows by what is known of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lookup {
    pub(crate) source: Source,
    /// How many columns the rows have: those of the relation, or those the asked one delivers.
    pub(crate) arity: u8,
    /// Which of them are known.
    pub(crate) mask: Mask,
    /// The known columns.
    pub(crate) keys: Vec<Place>,
    /// The others.
    pub(crate) outs: Vec<Out>,
}

impl Lookup {
    /// The place of its stored relation; zero for what has to be asked for.
    #[inline]
    pub(crate) fn stored(&self) -> usize {
        match self.source {
            Source::Stored(place) => usize::from(place),
            _ => 0,
        }
    }
}

/// A relation a code reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    Predicate(PredicateId),
    Domain(DomainId),
}

/// A compound term with its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) functor: Symbol,
    pub(crate) parts: Vec<Out>,
}

/// What is concluded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conclusion {
    pub(crate) clause: usize,
    /// All arguments of the head.
    pub(crate) row: Vec<Place>,
}

/// Which tuples are counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tuple {
    pub(crate) row: Vec<Place>,
    /// Can the same tuple come twice?
    pub(crate) repeats: bool,
}

/// Instructions and what they refer to, not yet verified.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) instructions: Vec<Instruction>,
    /// The tree node of each instruction; [`NO_NODE`] where there is none.
    pub(crate) nodes: Vec<u32>,
    pub(crate) inputs: Vec<Place>,
    pub(crate) n_registers: u16,
    pub(crate) constants: Vec<ValueId>,
    pub(crate) relations: Vec<(Stored, u8)>,
    /// Relations of two columns, by their place among the relations, with the column that is known.
    pub(crate) pairs: Vec<(u16, Column)>,
    pub(crate) lookups: Vec<Lookup>,
    pub(crate) shapes: Vec<Shape>,
    pub(crate) tuples: Vec<Tuple>,
    pub(crate) conclusions: Vec<Conclusion>,
    /// How many arguments a conclusion has.
    pub(crate) arity: u8,
    /// Which of them are known at the start.
    pub(crate) known: Mask,
    pub(crate) n_slots: u16,
    pub(crate) n_tallies: u16,
}

/// The instruction belongs to no node of the tree.
pub(crate) const NO_NODE: u32 = u32::MAX;

/// Verified instructions. The field is private, and `verify` alone calls `certify`.
#[derive(Clone, Debug)]
pub(crate) struct Code(Draft);

impl std::ops::Deref for Code {
    type Target = Draft;

    fn deref(&self) -> &Draft {
        &self.0
    }
}

impl Code {
    /// For the verifier alone. Loops that do nothing but conclude become one instruction.
    pub(crate) fn certify(mut draft: Draft) -> Self {
        for at in 0..draft.instructions.len() {
            if let Some(fused) = fuse(&draft.instructions[at..], at) {
                draft.instructions[at] = fused;
            }
        }
        Self(draft)
    }

    /// The instructions as they were before they were verified.
    #[cfg(test)]
    pub(crate) fn to_draft(&self) -> Draft {
        let mut draft = self.0.clone();
        for at in 0..draft.instructions.len() {
            if let Instruction::EachEmit { pair, key, to, fail, .. } = draft.instructions[at]
                && let Instruction::NextOne { slot, .. } = draft.instructions[at + 2]
            {
                draft.instructions[at] = Instruction::EachOne { pair, slot, key, to, fail };
            }
        }
        draft
    }
}

fn fuse(instructions: &[Instruction], at: usize) -> Option<Instruction> {
    match *instructions {
        [
            Instruction::EachOne { pair, slot, key, to, fail },
            Instruction::Emit { conclusion, exit },
            Instruction::NextOne { slot: same, .. },
            ..,
        ] if exit as usize == at + 2 && fail as usize == at + 3 && same == slot => {
            let conclusion = u16::try_from(conclusion).ok()?;
            Some(Instruction::EachEmit { pair, conclusion, key, to, fail })
        }
        _ => None,
    }
}

impl Instruction {
    /// Where it goes on when it fails, or when it is done with.
    pub(crate) fn target_mut(&mut self) -> Option<&mut Target> {
        match self {
            Self::Each { fail, .. }
            | Self::EachOne { fail, .. }
            | Self::EachEmit { fail, .. }
            | Self::Has { fail, .. }
            | Self::Ask { fail, .. }
            | Self::Equal { fail, .. }
            | Self::Unequal { fail, .. }
            | Self::Order { fail, .. }
            | Self::Compute { fail, .. }
            | Self::TakeApart { fail, .. }
            | Self::NoneEnd { fail }
            | Self::CountEnd { fail, .. } => Some(fail),
            Self::NoneBegin { end } => Some(end),
            Self::CountAdd { exit, .. } | Self::Emit { exit, .. } => Some(exit),
            Self::Next { body, .. } | Self::NextOne { body, .. } | Self::NextAsked { body, .. } => {
                Some(body)
            }
            Self::Copy { .. } | Self::Make { .. } | Self::CountBegin { .. } | Self::Stop => None,
        }
    }
}
