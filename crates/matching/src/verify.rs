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
use crate::surroundings::{Fault, Surroundings, check_tables};

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
            Instruction::Each { .. } | Instruction::Ask { .. } => {
                self.begin_loop(at, instruction, &mut state, is_reached)?
            }
            Instruction::EachOne { pair, slot, key, to, fail } => {
                let pair = self.draft.pairs.get(usize::from(pair));
                let relation = pair.and_then(|pair| self.draft.relations.get(usize::from(pair.0)));
                if relation.is_none_or(|found| found.1 != 2) {
                    return Err("no such relation of two columns");
                }
                self.read_all(&[key], &state, is_reached)?;
                self.open_loop((at, slot, fail), &[Out::Bind(to)], &mut state, is_reached)?;
                true
            }
            Instruction::Next { lookup, slot, body } => {
                let head = Instruction::Each { lookup, slot, fail: 0 };
                self.end_loop(head, body, state.clone(), is_reached)?
            }
            Instruction::NextOne { slot, to, body } => {
                let head = Instruction::EachOne { pair: 0, slot, key: 0, to, fail: 0 };
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
            Instruction::EachEmit { .. } => return Err("only verified code has this"),
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
        let (Instruction::Each { lookup, slot, fail } | Instruction::Ask { lookup, slot, fail }) =
            head
        else {
            return Err("not the head of a loop");
        };
        let lookup = self.lookup(lookup)?;
        let is_stored = matches!(lookup.source, Source::Stored(_));
        let fits = match head {
            Instruction::Each { .. } => is_stored && !lookup.outs.is_empty(),
            _ => !is_stored,
        };
        if !fits {
            return Err("the instruction does not fit where its rows come from");
        }
        self.read_all(&lookup.keys, state, is_reached)?;
        self.read_source(&lookup.source, state, is_reached)?;
        self.open_loop((at, slot, fail), &lookup.outs, state, is_reached)?;
        Ok(true)
    }

    /// Fills a slot; what delivers nothing is no loop.
    fn open_loop(
        &mut self,
        (at, slot, fail): (usize, u16, Target),
        outs: &[Out],
        state: &mut State,
        is_reached: bool,
    ) -> Result<(), Fault> {
        let place = state.slots.get_mut(usize::from(slot)).ok_or("no such slot")?;
        *place = None;
        self.jump(at, fail, state, is_reached)?;
        state.slots[usize::from(slot)] = Some(at);
        self.take(outs, state, is_reached)?;
        if !outs.is_empty() {
            self.loops.push(Loop { head: at, inside: is_reached.then(|| state.clone()) });
        }
        Ok(())
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
        let (slot, fits) = match (head, wanted) {
            (
                Instruction::Each { lookup, slot, .. },
                Instruction::Each { lookup: other, slot: others, .. },
            )
            | (
                Instruction::Ask { lookup, slot, .. },
                Instruction::Ask { lookup: other, slot: others, .. },
            ) => (slot, (lookup, slot) == (other, others)),
            (
                Instruction::EachOne { slot, to, .. },
                Instruction::EachOne { slot: others, to: other, .. },
            ) => (slot, (slot, to) == (others, other)),
            _ => return Err("the loop ends otherwise than it began"),
        };
        if !fits || body as usize != open.head + 1 {
            return Err("the loop ends otherwise than it began");
        }
        if is_reached {
            if state.slots[usize::from(slot)] != Some(open.head) {
                return Err("the slot was filled by another loop");
            }
            self.deliver_again(head, &mut state)?;
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

    /// The next row binds what the first one bound.
    fn deliver_again(&self, head: Instruction, state: &mut State) -> Result<(), Fault> {
        match head {
            Instruction::Each { lookup, .. } | Instruction::Ask { lookup, .. } => {
                let lookup = self.lookup(lookup)?;
                self.read_all(&lookup.keys, state, true)?;
                self.take(&lookup.outs, state, true)
            }
            Instruction::EachOne { to, .. } => self.take(&[Out::Bind(to)], state, true),
            _ => Err("not the head of a loop"),
        }
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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use rulesmith_logic::{
        Atom, Comparison, Condition, Domain, DomainId, Expr, Flow, Limits, Operation, PredicateId,
        Quantifier, Row, Stop, Symbols, Term, Value, Var,
    };

    use super::*;
    use crate::assemble::{Answered, Program};
    use crate::matcher::Matcher;
    use crate::memory::{Memory, StaticMemory};
    use crate::outside::Outside;
    use crate::search::Setting;
    use crate::tree::{Node, Procedure, Tree};
    use crate::universe::Universe;

    fn var(number: u16) -> Term {
        Term::Var(Var(number))
    }

    fn holds(predicate: u32, args: &[Term]) -> Condition {
        Condition::Holds(Atom { predicate: PredicateId(predicate), args: args.to_vec() })
    }

    fn compare(comparison: Comparison, left: u16, right: u16) -> Condition {
        Condition::Compare(comparison, Expr::Term(var(left)), Expr::Term(var(right)))
    }

    /// Every instruction there is. Predicate 0 is stored, 1 is called, 2 is the host's, 3 a passage.
    fn program(universe: &Rc<Universe>, symbols: &mut Symbols) -> Program {
        let functor = symbols.symbol("pair");
        let sum = Expr::Binary(
            Operation::Add,
            Box::new(Expr::Term(var(1))),
            Box::new(Expr::Term(Term::Value(Value::Int(1)))),
        );
        let count = Expr::Count {
            counted: vec![Var(3)],
            body: vec![holds(0, &[var(1), var(3)]), holds(0, &[var(3), var(4)])],
        };
        let equal =
            |term: Term, expr| Condition::Compare(Comparison::Equal, Expr::Term(term), expr);
        let body = vec![
            holds(0, &[var(0), var(1)]),
            holds(0, &[var(2), var(3)]),
            holds(0, &[var(1), var(2)]),
            compare(Comparison::Unequal, 0, 1),
            compare(Comparison::Less, 0, 2),
            compare(Comparison::Equal, 5, 2),
            compare(Comparison::Equal, 5, 2),
            equal(var(6), sum),
            Condition::Construct { whole: var(7), functor, args: vec![var(1), var(6)] },
            Condition::Construct { whole: var(7), functor, args: vec![var(8), var(6)] },
            Condition::Member(var(9), DomainId(0)),
            holds(0, &[var(10), var(10)]),
            Condition::None { locals: vec![], body: vec![holds(0, &[var(11), var(0)])] },
            equal(var(11), count),
            holds(1, &[var(0), var(12)]),
            holds(2, &[var(13)]),
            Condition::Elsewhere {
                by: Atom { predicate: PredicateId(3), args: vec![var(0)] },
                quantifier: Quantifier::Some,
                body: vec![holds(0, &[var(0), var(14)])],
            },
        ];
        let conclusion = Node::Conclusion { clause: 0, row: vec![var(0), var(14)] };
        let chain = |body: Vec<Condition>, last| {
            body.into_iter()
                .rev()
                .fold(last, |child, condition| Node::Condition { condition, children: vec![child] })
        };
        let short = Node::Conclusion { clause: 1, row: vec![var(0), var(0)] };
        let roots = vec![chain(body, conclusion), chain(vec![holds(0, &[var(0), var(1)])], short)];
        let tree = Tree { inputs: vec![Var(0)], n_registers: 15, roots };
        let procedure = Procedure { predicate: PredicateId(1), known: vec![true, false], tree };
        let answered = |predicate: PredicateId| {
            Some(match predicate.0 {
                0 => Answered::Stored { arity: 2, is_static: false },
                1 => Answered::Called,
                _ => Answered::Outside,
            })
        };
        Program::assemble(universe, &[procedure], &answered).unwrap()
    }

    #[derive(Debug)]
    struct Host(Vec<Rc<Memory>>);

    impl Outside for Host {
        fn facts(
            &self,
            _matcher: &Matcher<'_>,
            _memory: &Memory,
            _predicate: PredicateId,
            _pattern: &[Option<Value>],
        ) -> Result<Rc<Vec<Row>>, rulesmith_logic::Error> {
            Ok(Rc::new(vec![Row::from_slice(&[Value::Int(1)]), Row::from_slice(&[Value::Int(2)])]))
        }

        fn passages(
            &self,
            _matcher: &Matcher<'_>,
            _memory: &Memory,
            _by: PredicateId,
            _args: &[Value],
        ) -> Result<Vec<Rc<Memory>>, rulesmith_logic::Error> {
            Ok(self.0.clone())
        }
    }

    fn memory(universe: &Rc<Universe>) -> Memory {
        let domain = Domain { name: "d".into(), values: (0..3).map(Value::Int).collect() };
        let fixed = Rc::new(StaticMemory::new(Rc::clone(universe), &[domain]));
        let rows: Vec<Row> = [(0, 1), (1, 2), (2, 3), (3, 3), (1, 3), (0, 2)]
            .map(|(left, right)| Row::from_slice(&[Value::Int(left), Value::Int(right)]))
            .to_vec();
        let mut other = Memory::new(Rc::clone(&fixed));
        other.load(PredicateId(0), 2, &rows[..4]);
        let mut memory = Memory::new(fixed);
        memory.load(PredicateId(0), 2, &rows);
        memory.set_outside(Rc::new(Host(vec![Rc::new(other)])));
        memory
    }

    /// A number of a draft that can be made wrong.
    enum Number<'d> {
        Short(&'d mut u16),
        Long(&'d mut u32),
        Byte(&'d mut u8),
        Out(&'d mut Out),
    }

    fn numbers_of(instruction: &mut Instruction) -> Vec<Number<'_>> {
        use Number::{Long, Out, Short};
        match instruction {
            Instruction::Each { lookup, slot, fail: to }
            | Instruction::Next { lookup, slot, body: to }
            | Instruction::Ask { lookup, slot, fail: to }
            | Instruction::NextAsked { lookup, slot, body: to } => {
                vec![Long(lookup), Short(slot), Long(to)]
            }
            Instruction::EachOne { pair, slot, key, to, fail } => {
                vec![Short(pair), Short(slot), Short(key), Short(to), Long(fail)]
            }
            Instruction::NextOne { slot, to, body } => vec![Short(slot), Short(to), Long(body)],
            Instruction::Has { lookup, fail } => vec![Long(lookup), Long(fail)],
            Instruction::Equal { left, right, fail }
            | Instruction::Unequal { left, right, fail }
            | Instruction::Order { left, right, fail, .. } => {
                vec![Short(left), Short(right), Long(fail)]
            }
            Instruction::Copy { from, to } => vec![Short(from), Short(to)],
            Instruction::Compute { left, right, out, fail, .. } => {
                vec![Short(left), Short(right), Out(out), Long(fail)]
            }
            Instruction::TakeApart { shape, whole, fail } => {
                vec![Long(shape), Short(whole), Long(fail)]
            }
            Instruction::Make { shape, whole } => vec![Long(shape), Short(whole)],
            Instruction::NoneBegin { end } => vec![Long(end)],
            Instruction::NoneEnd { fail } => vec![Long(fail)],
            Instruction::CountBegin { tally } => vec![Short(tally)],
            Instruction::CountAdd { tally, tuple, exit } => {
                vec![Short(tally), Long(tuple), Long(exit)]
            }
            Instruction::CountEnd { tally, out, fail } => vec![Short(tally), Out(out), Long(fail)],
            Instruction::Emit { conclusion, exit } => vec![Long(conclusion), Long(exit)],
            Instruction::EachEmit { .. } | Instruction::Stop => Vec::new(),
        }
    }

    fn numbers(draft: &mut Draft) -> Vec<Number<'_>> {
        use Number::{Byte, Long, Out, Short};
        let mut all: Vec<Number<'_>> = draft.instructions.iter_mut().flat_map(numbers_of).collect();
        all.extend([&mut draft.n_registers, &mut draft.n_slots, &mut draft.n_tallies].map(Short));
        all.extend(draft.inputs.iter_mut().map(Short));
        all.extend([Byte(&mut draft.arity), Long(&mut draft.known.0)]);
        all.extend(draft.relations.iter_mut().map(|(_, arity)| Byte(arity)));
        all.extend(draft.pairs.iter_mut().map(|(relation, _)| Short(relation)));
        for lookup in &mut draft.lookups {
            all.extend([Byte(&mut lookup.arity), Long(&mut lookup.mask.0)]);
            all.extend(lookup.keys.iter_mut().map(Short));
            all.extend(lookup.outs.iter_mut().map(Out));
            match &mut lookup.source {
                Source::Stored(place) => all.push(Short(place)),
                Source::Call { procedure, inputs, .. } => {
                    all.push(Long(procedure));
                    all.extend(inputs.iter_mut().map(Short));
                }
                Source::Outside { pattern, .. } => {
                    all.extend(pattern.iter_mut().flatten().map(Short));
                }
                Source::Elsewhere { args, code, inputs, .. } => {
                    all.push(Long(code));
                    all.extend(args.iter_mut().chain(inputs).map(Short));
                }
            }
        }
        all.extend(draft.shapes.iter_mut().flat_map(|shape| &mut shape.parts).map(Out));
        all.extend(draft.tuples.iter_mut().flat_map(|tuple| &mut tuple.row).map(Short));
        all.extend(draft.conclusions.iter_mut().flat_map(|one| &mut one.row).map(Short));
        all
    }

    /// Makes a number wrong in the given way.
    fn spoil(number: Number<'_>, how: u32) {
        let shifted = |value: u32| match how {
            0 => value.wrapping_add(1),
            1 => value.wrapping_sub(1),
            2 => 0,
            3 => value.wrapping_add(7),
            _ => u32::MAX,
        };
        #[expect(clippy::cast_possible_truncation, reason = "any wrong number will do")]
        match number {
            Number::Short(value) => *value = shifted(u32::from(*value)) as u16,
            Number::Byte(value) => *value = shifted(u32::from(*value)) as u8,
            Number::Long(value) => *value = shifted(*value),
            Number::Out(out) => {
                *out = match (*out, how) {
                    (Out::Bind(place), 0) => Out::Check(place),
                    (Out::Check(place), 0) => Out::Bind(place),
                    (Out::Bind(place), _) => Out::Bind(shifted(u32::from(place)) as u16),
                    (Out::Check(place), _) => Out::Check(shifted(u32::from(place)) as u16),
                };
            }
        }
    }

    fn run(program: &Program, symbols: &RefCell<Symbols>) -> usize {
        let memory = memory(&program.universe);
        let limits =
            Limits { inferences: 20_000, recursion_depth: 50, derived_facts: 2000, terms: 2000 };
        let matcher = Matcher::new(program, Setting { symbols, limits, stop: Stop::default() });
        let known = program.universe.id(Value::Int(0));
        let mut n_found = 0;
        let run = matcher.each(&memory, PredicateId(1), &[Some(known), None], &mut |_, _| {
            n_found += 1;
            Flow::More
        });
        usize::from(run.is_ok()) * n_found
    }

    #[test]
    fn every_wrong_number_is_rejected_or_harmless() {
        let universe = Rc::new(Universe::default());
        let symbols = RefCell::<Symbols>::default();
        let mut program = program(&universe, &mut symbols.borrow_mut());
        assert!(run(&program, &symbols) > 1);
        let (mut n_rejected, mut n_harmless) = (0, 0);
        for place in 0..program.codes.len() {
            let original = program.codes[place].clone();
            let n_numbers = numbers(&mut original.to_draft()).len();
            for (target, how) in
                (0..n_numbers).flat_map(|target| (0..5).map(move |how| (target, how)))
            {
                let mut draft = original.to_draft();
                spoil(numbers(&mut draft).swap_remove(target), how);
                let surroundings = Surroundings {
                    n_values: universe.len(),
                    procedures: &[(1, 1)],
                    codes: &program.codes[..place],
                };
                match verify(draft, surroundings) {
                    Ok(code) => {
                        program.codes[place] = code;
                        run(&program, &symbols);
                        n_harmless += 1;
                    }
                    Err(_) => n_rejected += 1,
                }
            }
            program.codes[place] = original;
        }
        // Most are rejected; a jump that leads a little further, or another written register, is not.
        assert!(n_rejected > 3 * n_harmless && n_harmless > 10, "{n_rejected} {n_harmless}");
    }

    #[test]
    fn a_register_read_before_it_is_written_is_rejected() {
        let draft = Draft {
            instructions: vec![
                Instruction::Equal { left: 0, right: 1, fail: 1 },
                Instruction::Stop,
            ],
            nodes: vec![0, 0],
            inputs: vec![0],
            n_registers: 2,
            ..Draft::default()
        };
        let surroundings = Surroundings { n_values: 0, procedures: &[], codes: &[] };
        let fault = "a register is read that may not be written yet";
        let rejected = verify(draft, surroundings).map(|_| ());
        assert_eq!(rejected, Err(Error::Rejected { instruction: Some(0), fault }));
    }
}
