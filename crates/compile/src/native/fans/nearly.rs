//! Moves that are legal but for what follows them.
//!
//! In: the clauses of a kind of move that all deny the same things of the state after the move. Out: the rows of the
//! clauses without that condition, and what is denied first. Invariant: a move is legal exactly if one of the rows holds
//! and nothing that is denied holds once it is made; only clauses that are marked ask for more.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_logic::{Atom, Condition, PredicateId, Term, Var, atom_vars, condition_vars};
use rulesmith_rules::MoveKind;
use rulesmith_specialize::Specialized;

use super::super::Obstacle;
use super::super::build::Builder;
use super::super::goals::head_columns;
use super::super::ground::{Grounded, Grounding, Row};
use super::super::plan::is_elsewhere;

/// A kind of move that is judged by the state after it.
#[derive(Clone, Debug)]
pub(crate) struct Nearly {
    /// The derived predicate that must not hold of the mover then, by the place of its layout.
    pub(crate) denied: usize,
    /// Must others not hold of the mover either? Then no masks tell what is legal.
    pub(crate) denies_more: bool,
    /// The rows of each clause.
    pub(crate) clauses: Vec<Vec<Row>>,
    /// What clauses ask about the states after moves beside that.
    pub(crate) odd: BTreeMap<usize, More>,
}

/// What a clause asks for that its rows do not say.
#[derive(Clone, Debug)]
pub(crate) struct More {
    pub(super) head: Vec<Term>,
    pub(super) conditions: Vec<Condition>,
    /// Does the move alone tell what they ask about?
    pub(super) is_of_move: bool,
}

/// The rows of a kind's clauses without what they deny of the state after the move.
pub(crate) fn nearly_legal(
    grounding: &Grounding<'_>,
    specialized: &Specialized,
    kind: &MoveKind,
) -> Result<Nearly, Obstacle> {
    let other = || Obstacle::new("moves that do not deny the same of the state after them");
    let mut all = specialized.procedures.iter();
    let procedure = all.find(|one| one.source == kind.legal).ok_or_else(other)?;
    let columns = head_columns(grounding.theory, kind.legal)?;
    let (mut denied, mut clauses, mut odd) = (None, Vec::new(), BTreeMap::new());
    for (number, one) in procedure.clauses.iter().enumerate() {
        let head = &one.clause.head;
        let (after, body): (Vec<&Condition>, Vec<&Condition>) =
            one.clause.body.iter().partition(|condition| is_elsewhere(condition));
        let found = after.iter().filter_map(|one| denied_of_mover(one, (head, kind.does)));
        let [predicates] = &found.collect::<Vec<_>>()[..] else { return Err(other()) };
        if denied.get_or_insert_with(|| predicates.clone()) != predicates {
            return Err(other());
        }
        let body: Vec<Condition> = body.into_iter().cloned().collect();
        let is_more = |one: &&&Condition| denied_of_mover(one, (head, kind.does)).is_none();
        let more: Vec<Condition> = after.iter().filter(is_more).copied().cloned().collect();
        if !more.is_empty() {
            odd.insert(number, More::new(head, more, &body));
        }
        clauses.push(grounding.rows(Grounded {
            head: &head.args,
            columns: &columns,
            body: &body,
        })?);
    }
    let (first, others) = denied.as_deref().and_then(<[_]>::split_first).ok_or_else(other)?;
    let mut layouts = grounding.derived.iter();
    let denied = layouts.position(|layout| layout.predicate == *first).ok_or_else(other)?;
    Ok(Nearly { denied, denies_more: !others.is_empty(), clauses, odd })
}

impl Builder<'_> {
    /// Do moves that are judged by the state after them deny one thing of it only?
    pub(crate) fn deny_one_thing(&self) -> Result<(), Obstacle> {
        if self.nearly.iter().flatten().any(|nearly| nearly.denies_more) {
            return Err(Obstacle::new("moves that deny several things of the state after them"));
        }
        Ok(())
    }
}

impl More {
    fn new(head: &Atom, conditions: Vec<Condition>, body: &[Condition]) -> Self {
        let others: BTreeSet<Var> = body.iter().flat_map(condition_vars).collect();
        let own = atom_vars(head);
        let mut shared = conditions.iter().flat_map(condition_vars);
        let is_of_move = shared.all(|var| own.contains(&var) || !others.contains(&var));
        Self { head: head.args.clone(), conditions, is_of_move }
    }
}

/// What a condition denies of the mover after the very move that a clause is about, and nothing else.
fn denied_of_mover(
    after: &Condition,
    (head, does): (&Atom, PredicateId),
) -> Option<Vec<PredicateId>> {
    // One state follows a move, so that it does not matter whether some or every one is meant.
    let Condition::Elsewhere { by, body, .. } = after else { return None };
    let denied = |condition: &Condition| {
        let Condition::None { locals, body } = condition else { return None };
        let [Condition::Holds(denied)] = &body[..] else { return None };
        let is_of_mover = denied.args.len() == 1 && denied.args.first() == head.args.first();
        (locals.is_empty() && is_of_mover).then_some(denied.predicate)
    };
    let is_own = by.predicate == does && by.args == head.args;
    is_own.then(|| body.iter().map(denied).collect()).flatten()
}
