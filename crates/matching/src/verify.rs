//! The verifier: only code that cannot go wrong is run.
//!
//! In: a draft and what it may call. Out: the same instructions as [`Code`], or the first instruction
//! that is at fault and why. One pass in the order of the list; a state is kept only for places some
//! jump leads to. Checked: every register is written before it is read, on every path; jumps lead
//! forward and stay inside, but for the one from `Next` to its own loop; loops are nested, and a slot
//! is read only by the loop that filled it; rows have the columns their source has.
//! Invariant: verified code neither panics nor runs forever on any memory of its universe.

use std::collections::BTreeMap;

use crate::bytecode::{Code, Draft, Instruction, Lookup, Out, Place, Source, Target};
use crate::error::Error;
use crate::relation::{MAX_ARITY, Mask};

/// What code may refer to outside itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    /// How many values the universe has.
    pub(crate) n_values: usize,
    /// For each procedure, how many arguments are known and how many it delivers.
    pub(crate) procedures: &'a [(usize, usize)],
    /// The codes verified so far.
    pub(crate) codes: &'a [Code],
}

/// Verifies a draft.
pub(crate) fn verify(draft: Draft, surroundings: Surroundings<'_>) -> Result<Code, Error> {
    check_tables(&draft, surroundings)
        .map_err(|fault| Error::Rejected { instruction: None, fault })?;
    let mut walk = Walk { draft: &draft, pending: BTreeMap::new(), loops: Vec::new() };
    let mut state = Some(State::start(&draft));
    for at in 0..draft.instructions.len() {
        let here = merge(state, walk.pending.remove(&at));
        let next = walk.step(at, here);
        state = next.map_err(|fault| Error::Rejected { instruction: Some(at), fault })?;
    }
    let is_closed = walk.loops.is_empty() && state.is_none();
    if !is_closed || draft.instructions.last() != Some(&Instruction::Stop) {
        let fault = "the end is not a stop, or a loop is open";
        return Err(Error::Rejected { instruction: None, fault });
    }
    Ok(Code::certify(draft))
}

type Fault = &'static str;

/// What is certain before an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    /// Which registers are written.
    written: Vec<u64>,
    /// Which instruction filled each loop slot.
    slots: Vec<Option<usize>>,
    /// Which tallies are begun.
    tallies: Vec<bool>,
}

/// A loop that is open in the order of the list.
struct Loop {
    head: usize,
    /// What was certain when its first row was delivered; `None` if that never happens.
    inside: Option<State>,
}

struct Walk<'d> {
    draft: &'d Draft,
    pending: BTreeMap<usize, State>,
    loops: Vec<Loop>,
}

impl State {
    fn start(draft: &Draft) -> Self {
        let n_words = usize::from(draft.n_registers).div_ceil(64);
        let mut state = Self {
            written: vec![0; n_words],
            slots: vec![None; usize::from(draft.n_slots)],
            tallies: vec![false; usize::from(draft.n_tallies)],
        };
        for input in &draft.inputs {
            state.write(*input);
        }
        state
    }

    fn write(&mut self, place: Place) {
        self.written[usize::from(place) / 64] |= 1 << (place % 64);
    }

    fn is_written(&self, place: Place) -> bool {
        self.written[usize::from(place) / 64] >> (place % 64) & 1 == 1
    }

    /// What is certain on both ways.
    fn meet(&mut self, other: &Self) {
        for (word, others) in self.written.iter_mut().zip(&other.written) {
            *word &= others;
        }
        for (slot, others) in self.slots.iter_mut().zip(&other.slots) {
            *slot = slot.filter(|_| slot == others);
        }
        for (tally, others) in self.tallies.iter_mut().zip(&other.tallies) {
            *tally &= others;
        }
    }

    fn implies(&self, other: &Self) -> bool {
        let mut met = other.clone();
        met.meet(self);
        met == *other
    }
}

fn merge(state: Option<State>, jumped: Option<State>) -> Option<State> {
    match (state, jumped) {
        (Some(mut state), Some(jumped)) => {
            state.meet(&jumped);
            Some(state)
        }
        (state, jumped) => state.or(jumped),
    }
}

impl<'d> Walk<'d> {
    /// Checks one instruction; what is certain before the one behind it, if it is reached from here.
    /// An instruction that nothing reaches is still checked for what it refers to.
    fn step(&mut self, at: usize, here: Option<State>) -> Result<Option<State>, Fault> {
        let is_reached = here.is_some();
        let mut state = here.unwrap_or_else(|| State::start(self.draft));
        let instruction = self.draft.instructions[at];
        let goes_on = match instruction {
            Instruction::Each { .. } | Instruction::EachOne { .. } | Instruction::Ask { .. } => {
                self.begin_loop(at, instruction, &mut state, is_reached)?
            }
            Instruction::Next { lookup, slot, body } => {
                let head = Instruction::Each { lookup, slot, fail: 0 };
                self.end_loop(head, body, state.clone(), is_reached)?
            }
            Instruction::NextOne { slot, to, body } => {
                let head = Instruction::EachOne { lookup: 0, slot, to, fail: 0 };
                self.end_loop(head, body, state.clone(), is_reached)?
            }
            Instruction::NextAsked { lookup, slot, body } => {
                let head = Instruction::Ask { lookup, slot, fail: 0 };
                self.end_loop(head, body, state.clone(), is_reached)?
            }
            Instruction::NoneBegin { end } => {
                self.check_target(at, end)?;
                true
            }
            Instruction::NoneEnd { fail } => {
                self.jump(at, fail, &state, is_reached)?;
                false
            }
            Instruction::CountBegin { .. }
            | Instruction::CountAdd { .. }
            | Instruction::CountEnd { .. } => {
                self.count(at, instruction, &mut state, is_reached)?
            }
            Instruction::Emit { conclusion, exit } => {
                let conclusion =
                    self.draft.conclusions.get(conclusion as usize).ok_or("no such conclusion")?;
                self.read_all(&conclusion.row, &state, is_reached)?;
                self.jump(at, exit, &state, is_reached)?;
                false
            }
            Instruction::Stop => false,
            test => self.test(at, test, &mut state, is_reached)?,
        };
        Ok((goes_on && is_reached).then_some(state))
    }

    /// What holds at most once and falls through.
    fn test(
        &mut self,
        at: usize,
        test: Instruction,
        state: &mut State,
        is_reached: bool,
    ) -> Result<bool, Fault> {
        match test {
            Instruction::Has { lookup, fail } => {
                let lookup = self.lookup(lookup)?;
                if !lookup.outs.is_empty() || !matches!(lookup.source, Source::Stored(_)) {
                    return Err("a test delivers nothing and asks stored relations alone");
                }
                self.read_all(&lookup.keys, state, is_reached)?;
                self.jump(at, fail, state, is_reached)?;
            }
            Instruction::Equal { left, right, fail }
            | Instruction::Unequal { left, right, fail }
            | Instruction::Order { left, right, fail, .. } => {
                self.read_all(&[left, right], state, is_reached)?;
                self.jump(at, fail, state, is_reached)?;
            }
            Instruction::Copy { from, to } => {
                self.read_all(&[from], state, is_reached)?;
                self.take(&[Out::Bind(to)], state, is_reached)?;
            }
            Instruction::Compute { left, right, out, fail, .. } => {
                self.read_all(&[left, right], state, is_reached)?;
                self.jump(at, fail, state, is_reached)?;
                self.take(&[out], state, is_reached)?;
            }
            Instruction::TakeApart { shape, whole, fail } => {
                let shape = self.draft.shapes.get(shape as usize).ok_or("no such shape")?;
                self.read_all(&[whole], state, is_reached)?;
                self.jump(at, fail, state, is_reached)?;
                self.take(&shape.parts, state, is_reached)?;
            }
            Instruction::Make { shape, whole } => {
                let shape = self.draft.shapes.get(shape as usize).ok_or("no such shape")?;
                if shape.parts.iter().any(|part| matches!(part, Out::Bind(_))) {
                    return Err("a part of what is made is not known");
                }
                self.take(&shape.parts, state, is_reached)?;
                self.take(&[Out::Bind(whole)], state, is_reached)?;
            }
            _ => return Err("not a test"),
        }
        Ok(true)
    }

    fn begin_loop(
        &mut self,
        at: usize,
        head: Instruction,
        state: &mut State,
        is_reached: bool,
    ) -> Result<bool, Fault> {
        let (index, slot, fail) = match head {
            Instruction::Each { lookup, slot, fail }
            | Instruction::EachOne { lookup, slot, fail, .. }
            | Instruction::Ask { lookup, slot, fail } => (lookup, slot, fail),
            _ => return Err("not the head of a loop"),
        };
        let lookup = self.lookup(index)?;
        let is_stored = matches!(lookup.source, Source::Stored(_));
        let fits = match head {
            Instruction::EachOne { to, .. } => is_stored && lookup.outs == [Out::Bind(to)],
            Instruction::Each { .. } => is_stored && !lookup.outs.is_empty(),
            _ => !is_stored,
        };
        if !fits {
            return Err("the instruction does not fit where its rows come from");
        }
        self.read_all(&lookup.keys, state, is_reached)?;
        self.read_source(&lookup.source, state, is_reached)?;
        let place = state.slots.get_mut(usize::from(slot)).ok_or("no such slot")?;
        *place = None;
        self.jump(at, fail, state, is_reached)?;
        state.slots[usize::from(slot)] = Some(at);
        self.take(&lookup.outs, state, is_reached)?;
        if !lookup.outs.is_empty() {
            self.loops.push(Loop { head: at, inside: is_reached.then(|| state.clone()) });
        }
        Ok(true)
    }

    fn end_loop(
        &mut self,
        wanted: Instruction,
        body: Target,
        mut state: State,
        is_reached: bool,
    ) -> Result<bool, Fault> {
        let open = self.loops.pop().ok_or("no loop is open")?;
        let head = self.draft.instructions[open.head];
        let (lookup, slot, fits) = match (head, wanted) {
            (
                Instruction::Each { lookup, slot, .. },
                Instruction::Each { lookup: other, slot: others, .. },
            )
            | (
                Instruction::Ask { lookup, slot, .. },
                Instruction::Ask { lookup: other, slot: others, .. },
            ) => (lookup, slot, (lookup, slot) == (other, others)),
            (
                Instruction::EachOne { lookup, slot, to, .. },
                Instruction::EachOne { slot: others, to: other, .. },
            ) => (lookup, slot, (slot, to) == (others, other)),
            _ => return Err("the loop ends otherwise than it began"),
        };
        if !fits || body as usize != open.head + 1 {
            return Err("the loop ends otherwise than it began");
        }
        if is_reached {
            if state.slots[usize::from(slot)] != Some(open.head) {
                return Err("the slot was filled by another loop");
            }
            let lookup = self.lookup(lookup)?;
            self.read_all(&lookup.keys, &state, is_reached)?;
            self.take(&lookup.outs, &mut state, is_reached)?;
            // Loops that were done before this one began left their slots filled; nobody reads them.
            let is_open = |head: &usize| self.loops.iter().any(|outer| outer.head == *head);
            let inside = open.inside.map(|mut inside| {
                for slot in &mut inside.slots {
                    *slot = slot.filter(|head| *head == open.head || is_open(head));
                }
                inside
            });
            if !inside.is_some_and(|inside| state.implies(&inside)) {
                return Err("less is certain at the end of the loop than at its beginning");
            }
        }
        Ok(true)
    }

    fn count(
        &mut self,
        at: usize,
        instruction: Instruction,
        state: &mut State,
        is_reached: bool,
    ) -> Result<bool, Fault> {
        let (Instruction::CountBegin { tally }
        | Instruction::CountAdd { tally, .. }
        | Instruction::CountEnd { tally, .. }) = instruction
        else {
            return Err("not a count");
        };
        let begun = state.tallies.get_mut(usize::from(tally)).ok_or("no such tally")?;
        let was_begun = std::mem::replace(begun, true);
        if !was_begun && is_reached && !matches!(instruction, Instruction::CountBegin { .. }) {
            return Err("the count was not begun");
        }
        match instruction {
            Instruction::CountAdd { tuple, exit, .. } => {
                let tuple = self.draft.tuples.get(tuple as usize).ok_or("no such tuple")?;
                self.read_all(&tuple.row, state, is_reached)?;
                self.jump(at, exit, state, is_reached)?;
                Ok(false)
            }
            Instruction::CountEnd { out, fail, .. } => {
                self.jump(at, fail, state, is_reached)?;
                self.take(&[out], state, is_reached)?;
                Ok(true)
            }
            _ => Ok(true),
        }
    }

    fn lookup(&self, index: u32) -> Result<&'d Lookup, Fault> {
        self.draft.lookups.get(index as usize).ok_or("no such look-up")
    }

    fn read_source(&self, source: &Source, state: &State, is_reached: bool) -> Result<(), Fault> {
        match source {
            Source::Stored(_) => Ok(()),
            Source::Call { inputs, .. } => self.read_all(inputs, state, is_reached),
            Source::Outside { pattern, .. } => {
                let known: Vec<Place> = pattern.iter().copied().flatten().collect();
                self.read_all(&known, state, is_reached)
            }
            Source::Elsewhere { args, inputs, .. } => {
                self.read_all(args, state, is_reached)?;
                self.read_all(inputs, state, is_reached)
            }
        }
    }

    fn read_all(&self, places: &[Place], state: &State, is_reached: bool) -> Result<(), Fault> {
        for place in places {
            if *place < self.draft.n_registers {
                if is_reached && !state.is_written(*place) {
                    return Err("a register is read that may not be written yet");
                }
            } else if usize::from(*place - self.draft.n_registers) >= self.draft.constants.len() {
                return Err("no such place in the frame");
            }
        }
        Ok(())
    }

    fn take(&self, outs: &[Out], state: &mut State, is_reached: bool) -> Result<(), Fault> {
        for out in outs {
            match out {
                Out::Bind(place) if *place < self.draft.n_registers => state.write(*place),
                Out::Bind(_) => return Err("a constant is written"),
                Out::Check(place) => self.read_all(&[*place], state, is_reached)?,
            }
        }
        Ok(())
    }

    fn check_target(&self, at: usize, target: Target) -> Result<usize, Fault> {
        let target = target as usize;
        if target <= at || target >= self.draft.instructions.len() {
            return Err("a jump leads backward or outside");
        }
        Ok(target)
    }

    fn jump(
        &mut self,
        at: usize,
        target: Target,
        state: &State,
        is_reached: bool,
    ) -> Result<(), Fault> {
        let target = self.check_target(at, target)?;
        if is_reached {
            let before = self.pending.remove(&target);
            let merged = merge(Some(state.clone()), before);
            self.pending.extend(merged.map(|state| (target, state)));
        }
        Ok(())
    }
}

/// Checks what instructions refer to, apart from where they stand.
fn check_tables(draft: &Draft, surroundings: Surroundings<'_>) -> Result<(), Fault> {
    let n_places = usize::from(draft.n_registers) + draft.constants.len();
    let arity = usize::from(draft.arity);
    let n_known = draft.known.n_known();
    if n_places > usize::from(Place::MAX) || draft.nodes.len() != draft.instructions.len() {
        return Err("the frame is too large, or the nodes are not those of the instructions");
    }
    if draft.inputs.iter().any(|input| *input >= draft.n_registers) {
        return Err("an input is not a register");
    }
    if draft.constants.iter().any(|id| id.index() >= surroundings.n_values) {
        return Err("a constant is not a value");
    }
    if arity > MAX_ARITY || draft.known.0.checked_shr(u32::from(draft.arity)).unwrap_or(0) != 0 {
        return Err("the known arguments are not those of the conclusion");
    }
    if n_known != 0 && n_known != draft.inputs.len() {
        return Err("the inputs are not the known arguments");
    }
    if draft.conclusions.iter().any(|conclusion| conclusion.row.len() != arity) {
        return Err("a conclusion has another number of arguments");
    }
    if draft.relations.iter().any(|(_, arity)| usize::from(*arity) > MAX_ARITY) {
        return Err("a relation has too many columns");
    }
    draft.lookups.iter().try_for_each(|lookup| check_lookup(draft, lookup, surroundings))
}

fn check_lookup(
    draft: &Draft,
    lookup: &Lookup,
    surroundings: Surroundings<'_>,
) -> Result<(), Fault> {
    let arity = usize::from(lookup.arity);
    let n_known = lookup.mask.n_known();
    let full = Mask::new((0..arity).map(|_| true));
    if arity > MAX_ARITY || lookup.mask.0 & !full.0 != 0 {
        return Err("a mask names columns that are not there");
    }
    if lookup.keys.len() != n_known || lookup.outs.len() != arity - n_known {
        return Err("a look-up has another number of columns");
    }
    let fits = match &lookup.source {
        Source::Stored(place) => draft
            .relations
            .get(usize::from(*place))
            .is_some_and(|(_, columns)| *columns == lookup.arity),
        Source::Call { procedure, inputs } => {
            surroundings.procedures.get(*procedure as usize) == Some(&(inputs.len(), arity))
        }
        Source::Outside { pattern, .. } => {
            pattern.len() <= MAX_ARITY
                && pattern.iter().filter(|known| known.is_none()).count() == arity
        }
        Source::Elsewhere { code, inputs, quantifier, .. } => {
            let is_every = *quantifier == rulesmith_logic::Quantifier::Every;
            surroundings.codes.get(*code as usize).is_some_and(|code| {
                code.inputs.len() == inputs.len()
                    && code.known == Mask(0)
                    && usize::from(code.arity) == arity
                    && !(is_every && arity > 0)
            })
        }
    };
    if fits { Ok(()) } else { Err("a look-up does not fit its source") }
}
