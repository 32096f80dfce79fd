//! Cycles: what held after the moves of a role since the present state last occurred.
//!
//! In: the closed questions of a program about the states of a cycle. Out: for each a word of the state that counts
//! the turns since its body last held after a move of its role, and whether that was within the cycle. Invariant:
//! a question holds exactly when a state of the cycle, as the reference engine lists them, has its body.

use std::collections::BTreeSet;

use rulesmith_kernel::{Comparison, Kernel, Statement, Word};
use rulesmith_logic::{
    Asking, Atom, Condition, Edge, Expr, PredicateId, Quantifier, Term, Value, Var, condition_vars,
    edges, substitute_body,
};
use rulesmith_rules::{FluentId, PredicateKind, Theory};
use rulesmith_specialize::Specialized;

use super::Obstacle;
use super::build::Builder;
use super::emit::Emitter;
use super::loops::Lowering;
use crate::state_layout::StateLayout;

/// What the words of questions are at the start: longer ago than any cycle.
pub(crate) const NEVER: u64 = 1 << 40;

/// A question about the states after the moves of a role since the present state last occurred.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cycle {
    /// The fluents through which states are seen to repeat.
    over: Vec<FluentId>,
    role: Value,
    /// With variables numbered as they come.
    body: Vec<Condition>,
}

/// Is a passage about the states since the present one last occurred?
pub(super) fn is_cycle(theory: &Theory, by: &Atom) -> bool {
    matches!(theory.kinds.get(by.predicate.0 as usize), Some(PredicateKind::Cycle(_)))
}

impl Cycle {
    /// The question that a passage asks; nothing if it is no such question.
    pub(super) fn of(
        theory: &Theory,
        by: &Atom,
        body: &[Condition],
    ) -> Result<Option<Self>, Obstacle> {
        let Some(PredicateKind::Cycle(over)) = theory.kinds.get(by.predicate.0 as usize) else {
            return Ok(None);
        };
        let [Term::Value(role)] = by.args[..] else {
            return Err(Obstacle::new("a cycle of a role that is not known"));
        };
        let mut numbers: Vec<Var> = Vec::new();
        for var in body.iter().flat_map(condition_vars) {
            if !numbers.contains(&var) {
                numbers.push(var);
            }
        }
        let number = |var: Var| {
            let place = numbers.iter().position(|one| *one == var).unwrap_or_default();
            Term::Var(Var(u16::try_from(place).unwrap_or(u16::MAX)))
        };
        let body = substitute_body(body, &number);
        Ok(Some(Self { over: over.clone(), role, body }))
    }

    /// Are its states seen through these fluents?
    pub(super) fn is_over(&self, over: &[FluentId]) -> bool {
        self.over == over
    }

    /// The place of the question that a passage asks; nothing if it is no such question.
    pub(super) fn number(
        theory: &Theory,
        cycles: &[Self],
        by: &Atom,
        body: &[Condition],
    ) -> Result<Option<usize>, Obstacle> {
        let Some(cycle) = Self::of(theory, by, body)? else { return Ok(None) };
        let number = cycles.iter().position(|one| *one == cycle);
        number.map(Some).ok_or_else(|| Obstacle::new("a cycle that has no word"))
    }

    /// Whether a question's body held after a move of its role since the present state last occurred.
    pub(super) fn has_been(
        cycles: &[Self],
        number: usize,
        layout: &StateLayout,
    ) -> Result<Word, Obstacle> {
        let gap = layout.gap(&cycles[number].over);
        let gap = gap.ok_or_else(|| Obstacle::new("a cycle of states that nobody counts"))?;
        Ok(Word::State(layout.cycle(number)).compare(Comparison::Less, Word::State(gap)))
    }

    /// All questions of a program, each once. Those that share variables with what stands around them have no word.
    pub(super) fn all(theory: &Theory, specialized: &Specialized) -> Result<Vec<Self>, Obstacle> {
        let mut all = Vec::new();
        let edges = edges(&theory.base);
        for one in &specialized.procedures {
            let n_before = all.len();
            for clause in one.clauses.iter().map(|one| &one.clause) {
                let head = clause.head.args.iter().filter_map(|term| match term {
                    Term::Var(var) => Some(*var),
                    Term::Value(_) => None,
                });
                collect(theory, &clause.body, &head.collect(), &mut all)?;
            }
            // Elsewhere the words may be those of another state than the one that is asked about.
            if all.len() > n_before && !is_for_ends(theory, one.source, &edges) {
                return Err(Obstacle::new("a cycle that other questions than the end ask about"));
            }
        }
        let asks = |one: &Self| one.asks_past(theory, &edges);
        if all.iter().any(asks) {
            return Err(Obstacle::new("a cycle of states of which the past is asked"));
        }
        Ok(all)
    }

    /// Does the body ask about the past or about moves, itself or by others? The words that tell are not yet those of
    /// the state that is counted.
    fn asks_past(&self, theory: &Theory, edges: &[Edge]) -> bool {
        let mut open = Vec::new();
        if !add_asked(&self.body, &mut open) {
            return true;
        }
        let mut seen: BTreeSet<PredicateId> = open.iter().copied().collect();
        while let Some(next) = open.pop() {
            let kind = theory.kinds.get(next.0 as usize);
            let is_past = kind.is_some_and(PredicateKind::is_history);
            let own = || edges.iter().filter(|edge| edge.from == next);
            if is_past || own().any(|edge| edge.asking == Asking::Elsewhere) {
                return true;
            }
            open.extend(own().map(|edge| edge.to).filter(|to| seen.insert(*to)));
        }
        false
    }
}

/// Is a predicate an end that nobody asks about, or asked by such ends alone, about the present state?
pub(super) fn is_for_ends(theory: &Theory, predicate: PredicateId, edges: &[Edge]) -> bool {
    let ends = [theory.terminal, theory.goal, theory.draw];
    let (mut open, mut seen) = (vec![predicate], BTreeSet::from([predicate]));
    while let Some(next) = open.pop() {
        let asking: Vec<&Edge> = edges.iter().filter(|edge| edge.to == next).collect();
        let is_end = ends.contains(&next);
        let is_asked_elsewhere = asking.iter().any(|edge| edge.asking == Asking::Elsewhere);
        if is_end != asking.is_empty() || is_asked_elsewhere {
            return false;
        }
        open.extend(asking.iter().map(|edge| edge.from).filter(|from| seen.insert(*from)));
    }
    true
}

/// Adds the predicates that conditions ask; false if they ask about another state.
fn add_asked(body: &[Condition], asked: &mut Vec<PredicateId>) -> bool {
    body.iter().all(|condition| match condition {
        Condition::Holds(atom) => {
            asked.push(atom.predicate);
            true
        }
        Condition::None { body, .. } | Condition::Compare(_, _, Expr::Count { body, .. }) => {
            add_asked(body, asked)
        }
        Condition::AnyOf(branches) => branches.iter().all(|branch| add_asked(branch, asked)),
        Condition::Compare(..) | Condition::Member(..) | Condition::Construct { .. } => true,
        Condition::Elsewhere { .. } => false,
    })
}

/// Do conditions ask about a cycle?
pub(super) fn asks_cycle(theory: &Theory, body: &[Condition]) -> bool {
    let mut all = Vec::new();
    collect(theory, body, &BTreeSet::new(), &mut all).is_err() || !all.is_empty()
}

fn collect(
    theory: &Theory,
    body: &[Condition],
    outside: &BTreeSet<Var>,
    all: &mut Vec<Cycle>,
) -> Result<(), Obstacle> {
    for (place, condition) in body.iter().enumerate() {
        let others = body.iter().enumerate().filter(|(other, _)| *other != place);
        let mut around: BTreeSet<Var> = others.flat_map(|(_, one)| condition_vars(one)).collect();
        around.extend(outside);
        let bodies: &[Vec<Condition>] = match condition {
            Condition::Elsewhere { by, quantifier, body } => {
                if let Some(cycle) = Cycle::of(theory, by, body)? {
                    let is_some = *quantifier == Quantifier::Some;
                    if !is_some || condition_vars(condition).iter().any(|var| around.contains(var))
                    {
                        return Err(Obstacle::new("a cycle of states of which more is asked"));
                    }
                    if !all.contains(&cycle) {
                        all.push(cycle);
                    }
                }
                std::slice::from_ref(body)
            }
            Condition::Compare(_, _, Expr::Count { counted, body }) => {
                around.extend(counted);
                std::slice::from_ref(body)
            }
            Condition::None { body, .. } => std::slice::from_ref(body),
            Condition::AnyOf(branches) => branches,
            _ => &[],
        };
        for inner in bodies {
            collect(theory, inner, &around, all)?;
        }
    }
    Ok(())
}

impl<'b> Builder<'b> {
    /// Does nothing stand in the way of counting turns for questions about cycles?
    pub(super) fn check_cycles(&self) -> Result<(), Obstacle> {
        if self.places.cycles.is_empty() {
            return Ok(());
        }
        let obstacle = "cycles of other turns than single steps of one role";
        let is_plain = !self.is_joint && self.waiting.is_none() && !self.has_long_turns();
        if is_plain { Ok(()) } else { Err(Obstacle::new(obstacle)) }
    }

    /// The kernel that counts the present state, which a move has just led to; nothing if nobody asks.
    pub(super) fn cycles_kernel(&mut self) -> Result<Option<Kernel>, Obstacle> {
        if self.places.cycles.is_empty() {
            return Ok(None);
        }
        let mut emitter = Emitter::new(self.places, 0);
        self.count_cycles(&mut emitter)?;
        emitter.push(Statement::Return(Word::Constant(0)));
        Ok(Some(emitter.into_kernel("cycles".to_owned(), 0)))
    }

    /// Counts the present state, which a move has just led to.
    pub(super) fn count_cycles(&mut self, emitter: &mut Emitter<'b>) -> Result<(), Obstacle> {
        let layout = self.places.layout;
        for number in 0..self.places.cycles.len() {
            let word = layout.cycle(number);
            let count = emitter.let_word(Word::State(word) + 1);
            let holds = self.holds_after_mover(emitter, number)?;
            let zero = Statement::Let(count, Word::Constant(0));
            emitter.push(Statement::If(holds, vec![zero], Vec::new()));
            emitter.push(Statement::Store(word, Word::Scalar(count)));
        }
        emitter.forget();
        Ok(())
    }

    /// Whether the role of a question made the last move, and its body holds in the present state, of which nothing is known.
    pub(super) fn holds_after_mover(
        &mut self,
        emitter: &mut Emitter<'b>,
        number: usize,
    ) -> Result<Word, Obstacle> {
        let Some(mover) = self.places.layout.mover() else { return Ok(Word::Constant(0)) };
        let cycle = &self.places.cycles[number];
        let roles = self.theory.roles.iter();
        let role = roles.zip(1..).find(|(role, _)| Value::Symbol(**role) == cycle.role);
        let role = role.map_or(0, |(_, number)| number);
        emitter.forget();
        let answer = emitter.let_word(Word::Constant(0));
        let (judged, done) = emitter.block(|emitter| {
            let holds = self.holds_now(emitter, &cycle.body)?;
            emitter.push(Statement::Let(answer, holds));
            Ok(())
        });
        done?;
        let is_mover = Word::State(mover).compare(Comparison::Equal, role);
        emitter.push(Statement::If(is_mover, judged, Vec::new()));
        Ok(answer.into())
    }

    /// Whether conditions hold in the present state, by loops.
    fn holds_now(
        &mut self,
        emitter: &mut Emitter<'b>,
        body: &[Condition],
    ) -> Result<Word, Obstacle> {
        self.store_asked(emitter, body)?;
        let mut lowering = Lowering::new(&self.setting, emitter, &mut self.tables, &mut self.spare);
        Ok(lowering.holds(body)?.into())
    }
}
