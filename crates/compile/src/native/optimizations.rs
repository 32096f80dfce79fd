//! The optimisations that can be left out, to see what each is worth.
//!
//! In: names. Out: which are on. Invariant: whatever is on, kernels give the same answers.

/// A way to make kernels faster. docs/optimizations.md says when each applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Optimization {
    /// Clauses are grounded, and rows that are alike but for their place become operations on whole planes.
    WholePlanes,
    /// Patterns that begin alike are computed once while the state is as it was.
    SharedPatterns,
    /// Runs of equal things are found by doubling.
    RunsByDoubling,
    /// After a move, only those ends are looked for that the move can have brought about.
    TouchedEnds,
    /// Effects of moves that are never legal are left out.
    ImpossibleMoves,
    /// An end for lack of moves is found by the next turn.
    EndsByStuck,
    /// Large predicates that are asked with everything known are kernels of their own.
    Routines,
    /// Moves that were found answer whether there are any.
    AnsweredByMoves,
    /// Moves that all ask for something answered already are computed only where it is so.
    GuardedMoves,
    /// Planes say before a step whether the turn goes on after it.
    StepsThatGoOn,
    /// Code of first steps is made for what fluents hold at each turn's start.
    AtRest,
    /// A random move is drawn from a cheap set that has all legal moves, and tested.
    Rejection,
    /// A drawn move is made in order to be judged, and taken back only if it is not legal.
    MadeByJudge,
    /// A filter of bits tells most new states from all old ones at once.
    FilteredPast,
    /// Conditions about one unknown thing meet as sets.
    SetsJoined,
    /// A static relation with one value for what is known is a table.
    FunctionsLookedUp,
    /// A flood ends as soon as its border answers the question.
    FloodsThatEnd,
    /// A loop that sets one bit after another is a union of sets.
    BitsGathered,
    /// A condition that makes a move to judge the state after it comes last.
    AskingLast,
    /// Of several ways to prove something the cheapest is tried first.
    CheapFirst,
    /// Values that are never needed at once share a register.
    SharedRegisters,
    /// What a move's legality says of the state is not asked by its effects.
    LegalContext,
    /// Leaves are counted by a kernel of their own, made only for those who count.
    LeavesByKernel,
    /// Many random contests are played by one call, goals included.
    ContestRows,
    /// A value that is only told from others is a negation, not a row for each value that is left.
    Negations,
    /// Counts around keys are planes, one for each number.
    Tallies,
    /// Closed bodies without rows are loops inside what rows judge.
    LoopedBodies,
    /// Turns of at most two steps are drawn without a search.
    Pairs,
    /// Of runs, only those through the key that a move changed are looked for.
    RunsThrough,
    /// The number that a move was drawn by tells the keys that it changes.
    DrawnNumbers,
    /// A move that changes one key changes one word of a plane.
    SingleKeys,
    /// What nobody reads is not computed.
    UnreadRegisters,
    /// Words of few bits are put side by side before they are hashed.
    PackedHashes,
    /// Patterns that are alike but for a value are one pattern that asks for one of several.
    JoinedValues,
    /// Games in which all roles but one can only wait are played in turn.
    WaitingRoles,
    /// Where a clause asks for a move, other moves in what it denies are that one or none.
    SameMove,
    /// Rows that ask for values that no contest reaches are not made.
    ReachedValues,
    /// Moves that are judged by the state after them are found by masks, without making any.
    AfterMasks,
    /// A move that changes nothing a question about the state after it reads is judged by the answer before it.
    TouchedAfter,
    /// What stands first on a line is found by one bit operation.
    FirstBlockers,
    /// Components are kept from turn to turn, and changed by what a move changes.
    KeptComponents,
    /// The hash of a fluent of wide planes is kept in the state, and changed by what a move changes.
    KeptHashes,
    /// A plane that asks itself goes on from what it was, where nothing that it asks for was taken away.
    KeptRecursion,
    /// What stands on one key goes to another by one operation for each value, whatever it is.
    CarriedValues,
    /// In contests, what held in the states of a cycle is found out when a state occurs again.
    LateCycles,
    /// A large predicate is computed where it is first asked about.
    LatePredicates,
    /// Turns by moves that no preference tells apart are not compared.
    EvenTurns,
    /// Patterns that need a value which no key has are not looked for.
    AbsentValues,
    /// Where only the truth of patterns matters, those that hold only where others do are not looked for.
    ImpliedPatterns,
    /// The tuples of a recursion that has too many for planes are listed.
    ListedRecursions,
}

impl Optimization {
    /// All of them.
    pub const ALL: [Self; 50] = [
        Self::WholePlanes,
        Self::SharedPatterns,
        Self::RunsByDoubling,
        Self::TouchedEnds,
        Self::ImpossibleMoves,
        Self::EndsByStuck,
        Self::Routines,
        Self::AnsweredByMoves,
        Self::GuardedMoves,
        Self::StepsThatGoOn,
        Self::AtRest,
        Self::Rejection,
        Self::MadeByJudge,
        Self::FilteredPast,
        Self::SetsJoined,
        Self::FunctionsLookedUp,
        Self::FloodsThatEnd,
        Self::BitsGathered,
        Self::AskingLast,
        Self::CheapFirst,
        Self::SharedRegisters,
        Self::LegalContext,
        Self::LeavesByKernel,
        Self::ContestRows,
        Self::Negations,
        Self::Tallies,
        Self::LoopedBodies,
        Self::Pairs,
        Self::RunsThrough,
        Self::DrawnNumbers,
        Self::SingleKeys,
        Self::UnreadRegisters,
        Self::PackedHashes,
        Self::JoinedValues,
        Self::WaitingRoles,
        Self::SameMove,
        Self::ReachedValues,
        Self::AfterMasks,
        Self::TouchedAfter,
        Self::FirstBlockers,
        Self::KeptComponents,
        Self::KeptHashes,
        Self::KeptRecursion,
        Self::CarriedValues,
        Self::LateCycles,
        Self::LatePredicates,
        Self::EvenTurns,
        Self::AbsentValues,
        Self::ImpliedPatterns,
        Self::ListedRecursions,
    ];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::WholePlanes => "whole-planes",
            Self::SharedPatterns => "shared-patterns",
            Self::RunsByDoubling => "runs-by-doubling",
            Self::TouchedEnds => "touched-ends",
            Self::ImpossibleMoves => "impossible-moves",
            Self::EndsByStuck => "ends-by-lack-of-moves",
            Self::Routines => "routines",
            Self::AnsweredByMoves => "answered-by-moves",
            Self::GuardedMoves => "guarded-moves",
            Self::StepsThatGoOn => "steps-that-go-on",
            Self::AtRest => "at-rest",
            Self::Rejection => "rejection",
            Self::MadeByJudge => "made-by-judge",
            Self::FilteredPast => "filtered-past",
            Self::SetsJoined => "sets-joined",
            Self::FunctionsLookedUp => "functions-looked-up",
            Self::FloodsThatEnd => "floods-that-end",
            Self::BitsGathered => "bits-gathered",
            Self::AskingLast => "asking-last",
            Self::CheapFirst => "cheap-first",
            Self::SharedRegisters => "shared-registers",
            Self::LegalContext => "legal-context",
            Self::LeavesByKernel => "leaves-by-kernel",
            Self::ContestRows => "contest-rows",
            Self::Negations => "negations",
            Self::Tallies => "tallies",
            Self::LoopedBodies => "looped-bodies",
            Self::Pairs => "pairs",
            Self::RunsThrough => "runs-through-moves",
            Self::DrawnNumbers => "drawn-numbers",
            Self::SingleKeys => "single-keys",
            Self::UnreadRegisters => "unread-registers",
            Self::PackedHashes => "packed-hashes",
            Self::JoinedValues => "joined-values",
            Self::WaitingRoles => "waiting-roles",
            Self::SameMove => "same-move",
            Self::ReachedValues => "reached-values",
            Self::AfterMasks => "after-masks",
            Self::TouchedAfter => "touched-after",
            Self::FirstBlockers => "first-blockers",
            Self::KeptComponents => "kept-components",
            Self::KeptHashes => "kept-hashes",
            Self::KeptRecursion => "kept-recursion",
            Self::CarriedValues => "carried-values",
            Self::LateCycles => "late-cycles",
            Self::LatePredicates => "late-predicates",
            Self::EvenTurns => "even-turns",
            Self::AbsentValues => "absent-values",
            Self::ImpliedPatterns => "implied-patterns",
            Self::ListedRecursions => "listed-recursions",
        }
    }
}

/// Which optimisations are on: all, unless some are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Optimizations {
    /// A bit for each that is left out.
    out: u64,
}

impl Optimizations {
    /// Is it on?
    pub fn has(self, one: Optimization) -> bool {
        self.out >> one as u8 & 1 == 0
    }

    /// The same without this one.
    #[must_use]
    pub fn without(self, one: Optimization) -> Self {
        Self { out: self.out | 1 << one as u8 }
    }

    /// The same with this one on or off.
    #[must_use]
    pub fn with(self, one: Optimization, is_on: bool) -> Self {
        if is_on { Self { out: self.out & !(1 << one as u8) } } else { self.without(one) }
    }
}
