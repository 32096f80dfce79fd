//! Set at a time: variables are eliminated by bit sets instead of being enumerated with all others.
//!
//! In: a clause. Out: a kernel that loops over the variables of its head but the last, and hands over the
//! last as a plane. A variable that is in no conclusion is eliminated: what it leaves of another is the
//! union, over its own values, of the rows they have in common. Conditions that do not mention it stay
//! outside its loop. Invariant: each conclusion is in exactly one plane that is handed over.

use std::collections::BTreeSet;

use rulesmith_kernel::{Kernel, Plane, Set, Statement, Word};
use rulesmith_logic::{Term, Var};
use rulesmith_matching::{Procedure, Universe};

use super::super::Obstacle;
use super::asked::{Asked, Clause, as_var};
use super::layout::Layout;
use super::order::{loop_order, without_equalities, without_useless};
use super::sorts::Slot;
use super::writer::Writer;

/// A row of at most so many places is looped over as a list, a longer one as a plane.
const MOST_LISTED: usize = 16;

/// How a clause hands over its conclusions.
#[derive(Clone, Debug)]
pub(super) struct Concluded {
    /// The arguments of the head that are words, in front of the plane.
    pub(super) words: Vec<usize>,
    /// The arguments that the plane is about, and its words.
    pub(super) planes: Vec<usize>,
    pub(super) width: usize,
}

/// The kernel of a clause. It returns how many conclusions there are.
pub(super) fn sets(
    layout: &mut Layout,
    universe: &Universe,
    procedure: &Procedure,
    clause: &Clause,
) -> Result<(Kernel, Concluded), Obstacle> {
    let inputs = &procedure.tree.inputs;
    let mut clause = without_equalities(clause.clone(), inputs);
    let order = loop_order(layout, &clause, inputs);
    clause.conditions = without_useless(layout, &clause.conditions);
    let is_last = |term: &Term| as_var(*term).is_some_and(|var| order.last() == Some(&var));
    let (planes, words): (Vec<usize>, Vec<usize>) =
        (0..clause.head.len()).partition(|place| is_last(&clause.head[*place]));
    let width = order.last().map_or(0, |var| layout.sorts.width(Slot::Variable(*var)));
    let scratch = layout.n_state_words;
    layout.n_state_words += u32::from(width);
    let mut writer = Writer::new(layout, universe, inputs);
    let total = writer.scalar();
    writer.push(Statement::Let(total, Word::Constant(0)));
    let concluded = Concluded { words, planes, width: usize::from(width) };
    let head = clause.head.clone();
    let mut conclude = |writer: &mut Writer<'_>, plane: Option<Plane>| {
        let mut row: Vec<Word> = writer.head(&head)?.into_iter().flatten().collect();
        let count = match plane {
            Some(plane) => {
                writer.push(Statement::StoreSet(scratch, plane.into()));
                row.extend((scratch..).take(usize::from(width)).map(Word::State));
                Set::from(plane).count()
            }
            None => Word::Constant(1),
        };
        writer.push(Statement::Let(total, Word::from(total) + count));
        if row.is_empty() {
            row.push(Word::Constant(0));
        }
        writer.push(Statement::Emit(row));
        Ok(())
    };
    filtered(&mut writer, &clause.conditions, &mut |writer, rest| {
        loops(writer, &order, rest, &mut conclude)
    })?;
    writer.push(Statement::Return(total.into()));
    Ok((writer.into_kernel("sets", inputs.len()), concluded))
}

type Conclude<'t> = dyn FnMut(&mut Writer<'_>, Option<Plane>) -> Result<(), Obstacle> + 't;
type Rest<'t> = dyn FnMut(&mut Writer<'_>, &[Asked]) -> Result<(), Obstacle> + 't;

/// Loops over the variables but the last, which becomes a plane.
fn loops(
    writer: &mut Writer<'_>,
    order: &[Var],
    conditions: &[Asked],
    conclude: &mut Conclude<'_>,
) -> Result<(), Obstacle> {
    match order {
        [] => {
            let all = exists(writer, conditions)?;
            writer.when(all, &mut |writer| conclude(writer, None))
        }
        [last] => {
            let set = set_of(writer, *last, conditions, conditions)?;
            let plane = writer.plane(Slot::Variable(*last));
            writer.push(Statement::LetSet(plane, set));
            writer.when(Set::from(plane).any(), &mut |writer| conclude(writer, Some(plane)))
        }
        [var, others @ ..] => {
            let (own, rest) = split(writer, *var, conditions);
            each_of(writer, *var, (&own, conditions), &mut |writer| {
                filtered(writer, &rest, &mut |writer, rest| loops(writer, others, rest, conclude))
            })
        }
    }
}

/// Tests what can be tested, and goes on with the other conditions.
fn filtered(
    writer: &mut Writer<'_>,
    conditions: &[Asked],
    then: &mut Rest<'_>,
) -> Result<(), Obstacle> {
    let (mut tests, mut rest) = (None, Vec::new());
    for condition in conditions {
        match writer.test(condition)? {
            Some(test) => {
                tests = Some(match tests {
                    Some(tests) => tests & test,
                    None => test,
                });
            }
            None => rest.push(condition.clone()),
        }
    }
    match tests {
        Some(tests) => writer.when(tests, &mut |writer| then(writer, &rest)),
        None => then(writer, &rest),
    }
}

/// The conditions about one unknown variable alone, and the others.
fn split(writer: &Writer<'_>, var: Var, conditions: &[Asked]) -> (Vec<Asked>, Vec<Asked>) {
    let is_own = |condition: &Asked| unknown(writer, condition) == BTreeSet::from([var]);
    conditions.iter().cloned().partition(is_own)
}

fn unknown(writer: &Writer<'_>, condition: &Asked) -> BTreeSet<Var> {
    condition.vars().into_iter().filter(|var| !writer.is_bound(*var)).collect()
}

/// Goes on for each value of a variable that satisfies its own conditions; `around` are all that are about it.
fn each_of(
    writer: &mut Writer<'_>,
    var: Var,
    (own, around): (&[Asked], &[Asked]),
    then: &mut dyn FnMut(&mut Writer<'_>) -> Result<(), Obstacle>,
) -> Result<(), Obstacle> {
    let is_alone = own.iter().all(|condition| unknown(writer, condition) == BTreeSet::from([var]));
    if is_alone && let Some(place) = short_list(writer, var, own)? {
        let Asked::Holds(predicate, args) = &own[place] else { return Ok(()) };
        let others: Vec<Asked> = [&own[..place], &own[place + 1..]].concat();
        return writer.each_row(*predicate, args, &mut |writer| {
            filtered(writer, &others, &mut |writer, _| then(writer))
        });
    }
    let set = set_of(writer, var, own, around)?;
    writer.each_number(var, set, &mut |writer| then(writer))
}

/// The place of an atom whose rows are few, each with another value of the variable.
fn short_list(writer: &mut Writer<'_>, var: Var, own: &[Asked]) -> Result<Option<usize>, Obstacle> {
    for (place, condition) in own.iter().enumerate() {
        let Asked::Holds(predicate, args) = condition else { continue };
        if args.iter().filter(|term| as_var(**term) == Some(var)).count() > 1 {
            continue;
        }
        let known = writer.known(*predicate, args)?;
        let columns: Vec<usize> = known.iter().map(|(column, _)| *column).collect();
        if writer.layout.longest(*predicate, &columns) <= MOST_LISTED {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// The values of an unknown variable for which all conditions can hold; `around` are all that are about it.
fn set_of(
    writer: &mut Writer<'_>,
    var: Var,
    conditions: &[Asked],
    around: &[Asked],
) -> Result<Set, Obstacle> {
    let (own, rest) = split(writer, var, conditions);
    let (mut sets, mut excluded, mut guards) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts(writer, var, &rest) {
        if part.iter().any(|condition| condition.vars().contains(&var)) {
            sets.push(eliminated(writer, var, &part)?.into());
        } else {
            guards.push(exists(writer, &part)?);
        }
    }
    for condition in &own {
        match condition {
            Asked::Holds(..) => sets.extend(projection(writer, var, condition)?),
            Asked::Compare { left, right, .. } => {
                let other = if as_var(*left) == Some(var) { *right } else { *left };
                excluded.extend(writer.word(Slot::Variable(var), other)?);
            }
        }
    }
    if sets.is_empty() {
        for condition in around {
            sets.extend(projection(writer, var, condition)?);
        }
    }
    let width = writer.layout.sorts.width(Slot::Variable(var));
    let all = Set::Mask(vec![u64::MAX; usize::from(width)]);
    let set = sets.into_iter().reduce(|one, other| one & other).unwrap_or(all);
    let set = excluded.into_iter().fold(set, |set, number| set - Set::single(width, number));
    let Some(guard) = guards.into_iter().reduce(|one, other| one & other) else { return Ok(set) };
    let plane = writer.plane(Slot::Variable(var));
    writer.push(Statement::LetSet(plane, none(width)));
    writer.push(Statement::If(guard, vec![Statement::LetSet(plane, set)], Vec::new()));
    Ok(plane.into())
}

fn none(width: u16) -> Set {
    Set::Mask(vec![0; usize::from(width)])
}

/// What an atom leaves of a variable, whatever its other unknown ones are.
fn projection(
    writer: &mut Writer<'_>,
    var: Var,
    condition: &Asked,
) -> Result<Option<Set>, Obstacle> {
    let Asked::Holds(predicate, args) = condition else { return Ok(None) };
    let columns: Vec<usize> =
        (0..args.len()).filter(|place| as_var(args[*place]) == Some(var)).collect();
    if columns.is_empty() {
        return Ok(None);
    }
    let known = writer.known(*predicate, args)?;
    let known_columns: Vec<usize> = known.iter().map(|(column, _)| *column).collect();
    let place = writer.layout.planes(*predicate, &known_columns, &columns)?;
    let key = writer.layout.key(*predicate, &known);
    Ok(Some(place.set(key)))
}

/// Conditions that share unknown variables other than this one, together.
fn parts(writer: &Writer<'_>, var: Var, conditions: &[Asked]) -> Vec<Vec<Asked>> {
    let mut parts: Vec<(BTreeSet<Var>, Vec<Asked>)> = Vec::new();
    for condition in conditions {
        let mut vars = unknown(writer, condition);
        vars.remove(&var);
        let mut joined = vec![condition.clone()];
        let (same, others): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|(known, _)| !known.is_disjoint(&vars));
        for (known, conditions) in same.into_iter().rev() {
            vars.extend(known);
            joined.splice(0..0, conditions);
        }
        parts = others;
        parts.push((vars, joined));
    }
    parts.into_iter().map(|(_, conditions)| conditions).collect()
}

/// One if the conditions can hold, else zero.
fn exists(writer: &mut Writer<'_>, conditions: &[Asked]) -> Result<Word, Obstacle> {
    let mut all = Word::Constant(1);
    // No variable is left out, so conditions fall apart into those that have nothing in common.
    let nothing = Var(u16::MAX);
    for part in parts(writer, nothing, conditions) {
        let vars: Vec<Var> = part.iter().flat_map(|condition| unknown(writer, condition)).collect();
        let Some(var) = vars.last() else { continue };
        let set = set_of(writer, *var, &part, &part)?;
        let found = writer.scalar();
        writer.push(Statement::Let(found, set.any()));
        all = all & Word::from(found);
    }
    Ok(all)
}

/// What conditions leave of a variable when all others are eliminated.
fn eliminated(writer: &mut Writer<'_>, var: Var, conditions: &[Asked]) -> Result<Plane, Obstacle> {
    let (about, others): (Vec<Asked>, Vec<Asked>) =
        conditions.iter().cloned().partition(|condition| condition.vars().contains(&var));
    let mut next: Vec<Var> = Vec::new();
    for other in about.iter().flat_map(|condition| unknown(writer, condition)) {
        if other != var && !next.contains(&other) {
            next.push(other);
        }
    }
    let (through, outside, inside) = if let [only] = next[..] {
        // All that is known of the variable comes through this one: its values are found first.
        (only, others, about)
    } else {
        let has_own = |other: &Var| {
            let own = split(writer, *other, conditions).0;
            own.iter().any(|condition| matches!(condition, Asked::Holds(..)))
        };
        let found = next.iter().copied().find(|other| has_own(other));
        let Some(through) = found.or(next.first().copied()) else {
            return Err(Obstacle::new("a condition about nothing"));
        };
        let (outside, inside) = split(writer, through, conditions);
        (through, outside, inside)
    };
    let union = writer.plane(Slot::Variable(var));
    let width = writer.layout.sorts.width(Slot::Variable(var));
    writer.push(Statement::LetSet(union, none(width)));
    each_of(writer, through, (&outside, conditions), &mut |writer| {
        filtered(writer, &inside, &mut |writer, rest| {
            let set = set_of(writer, var, rest, rest)?;
            writer.push(Statement::LetSet(union, Set::from(union) | set));
            Ok(())
        })
    })?;
    Ok(union)
}
