//! Running a body: its goals from left to right, each as soon as it is ready.
//!
//! In: goals and the bindings so far. Out: every way to bind the rest, one at a time. Invariant: when
//! a goal is done with, the bindings are as they were before it.

use smallvec::{SmallVec, smallvec};

use crate::clause::{Atom, Quantifier, Span, Variable};
use crate::goal::{Goal, GoalKind, Goals};
use crate::limits::Error;
use crate::solve::{Flow, Solver, World};
use crate::table::{Pattern, Row};
use crate::term::{Term, Value, Var};

/// The bindings of a clause's variables while it runs.
pub(crate) type Frame = [Option<Value>];

/// What a body is part of: where it was written and what its variables range over.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) variables: &'a [Variable],
    pub(crate) span: Span,
}

pub(crate) type Emit<'e> = dyn FnMut(&mut Frame) -> Result<Flow, Error> + 'e;

/// The goals of a body that were not tried yet, by place.
type Pending = SmallVec<[usize; 16]>;

/// The body being run, and where.
#[derive(Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) world: &'a dyn World,
    pub(crate) goals: &'a Goals,
    pub(crate) scope: Scope<'a>,
}

/// What a comparison says.
pub(crate) enum Compared {
    Holds,
    Fails,
    Binds(Var, Value),
}

impl Solver {
    /// Tries all goals, in order, each as soon as it is ready.
    pub(crate) fn run(
        &self,
        task: Task<'_>,
        frame: &mut Frame,
        emit: &mut Emit<'_>,
    ) -> Result<Flow, Error> {
        let mut pending: Pending = (0..task.goals.0.len()).collect();
        self.run_pending(task, &mut pending, frame, emit)
    }

    fn run_pending(
        &self,
        task: Task<'_>,
        pending: &mut Pending,
        frame: &mut Frame,
        emit: &mut Emit<'_>,
    ) -> Result<Flow, Error> {
        if pending.is_empty() {
            return emit(frame);
        }
        self.budget.charge(&self.limits, &self.stop)?;
        let goal = |place: &usize| &task.goals.0[*place];
        let is_next = |place: &usize| is_ready(goal(place), frame);
        let is_cheap = |place: &usize| is_cheap_test(goal(place), frame);
        let is_member = |place: &usize| matches!(goal(place).kind, GoalKind::Member(..));
        let is_choice = |place: &usize| matches!(goal(place).kind, GoalKind::AnyOf(_));
        let chosen = pending.iter().position(is_cheap);
        let chosen = chosen.or_else(|| pending.iter().position(is_next));
        let chosen = chosen.or_else(|| pending.iter().position(is_member));
        let chosen = chosen.or_else(|| pending.iter().position(is_choice));
        let Some(index) = chosen else {
            return self.run_over_domain(task, pending, frame, emit);
        };
        let place = pending.remove(index);
        let goal = &task.goals.0[place];
        // Each condition runs inside the one before it.
        let flow = stacker::maybe_grow(128 * 1024, 4 * 1024 * 1024, || {
            self.run_goal(task, goal, frame, &mut |frame| {
                if self.reading.is_on() && !matches!(goal.kind, GoalKind::AnyOf(_)) {
                    self.reading.count(1)?;
                }
                self.run_pending(task, pending, frame, emit)
            })
        });
        pending.insert(index, place);
        flow
    }

    /// No goal is ready: the first unbound variable ranges over its domain.
    fn run_over_domain(
        &self,
        task: Task<'_>,
        pending: &mut Pending,
        frame: &mut Frame,
        emit: &mut Emit<'_>,
    ) -> Result<Flow, Error> {
        let shared = pending.iter().flat_map(|place| &task.goals.0[*place].shared);
        let unbound: Vec<Var> =
            shared.copied().filter(|var| frame[var.0 as usize].is_none()).collect();
        let has_domain = |var: &&Var| task.scope.variables[var.0 as usize].domain.is_some();
        let var = unbound.iter().find(has_domain).or(unbound.first());
        let var = *var.expect("a goal is not ready only for want of a variable it shares or needs");
        let mut flow = Flow::More;
        for index in 0.. {
            let Some(value) = self.domain_value(task.scope, var, index)? else { break };
            frame[var.0 as usize] = Some(value);
            // That the value is in the domain is a condition that nobody wrote.
            self.reading.count(1)?;
            flow = self.run_pending(task, pending, frame, emit)?;
            if flow == Flow::Enough {
                break;
            }
        }
        frame[var.0 as usize] = None;
        Ok(flow)
    }

    fn run_goal(
        &self,
        task: Task<'_>,
        goal: &Goal,
        frame: &mut Frame,
        next: &mut Emit<'_>,
    ) -> Result<Flow, Error> {
        match &goal.kind {
            GoalKind::Holds(atom) => {
                if self.reading.is_on() {
                    return self.run_as_written(task, atom, frame, next);
                }
                let pattern: Pattern =
                    atom.args.iter().map(|term| term_value(*term, frame)).collect();
                let rows = self.call(task.world, atom.predicate, &pattern)?;
                run_rows(&rows, &atom.args, frame, next)
            }
            GoalKind::None(goals) => {
                if self.is_satisfiable(task, goals, frame)? {
                    Ok(Flow::More)
                } else {
                    next(frame)
                }
            }
            GoalKind::AnyOf(branches) => {
                for goals in branches {
                    if self.run(Task { goals, ..task }, frame, next)? == Flow::Enough {
                        return Ok(Flow::Enough);
                    }
                }
                Ok(Flow::More)
            }
            GoalKind::Compare(comparison, left, right) => {
                match self.compare(task, *comparison, (left, right), frame)? {
                    Compared::Fails => Ok(Flow::More),
                    Compared::Holds => next(frame),
                    Compared::Binds(var, value) => run_bound(frame, &[(var, value)], next),
                }
            }
            GoalKind::Construct { whole, functor, args } => {
                match self.construct(*whole, *functor, args, frame)? {
                    Some(bindings) => run_bound(frame, &bindings, next),
                    None => Ok(Flow::More),
                }
            }
            GoalKind::Member(term, domain) => {
                let values = &self.base.domain(*domain).values;
                match term_value(*term, frame) {
                    Some(value) if values.contains(&value) => next(frame),
                    Some(_) => Ok(Flow::More),
                    None => {
                        let rows: Vec<Row> = values.iter().map(|value| smallvec![*value]).collect();
                        run_rows(&rows, &[*term], frame, next)
                    }
                }
            }
            GoalKind::Elsewhere { by, quantifier, goals } => {
                self.run_elsewhere(task, (by, *quantifier, goals), frame, next)
            }
        }
    }

    fn run_elsewhere(
        &self,
        task: Task<'_>,
        (by, quantifier, goals): (&Atom, Quantifier, &Goals),
        frame: &mut Frame,
        next: &mut Emit<'_>,
    ) -> Result<Flow, Error> {
        let args: Option<Row> = by.args.iter().map(|term| term_value(*term, frame)).collect();
        let args = args.expect("a passage is ready when its arguments are bound");
        let worlds = task.world.passages(self, by.predicate, &args)?;
        match quantifier {
            Quantifier::Some => {
                for world in worlds {
                    if self.run(Task { world: &*world, goals, ..task }, frame, next)?
                        == Flow::Enough
                    {
                        return Ok(Flow::Enough);
                    }
                }
                Ok(Flow::More)
            }
            Quantifier::Every => {
                for world in &worlds {
                    if !self.is_satisfiable(Task { world: &**world, ..task }, goals, frame)? {
                        return Ok(Flow::More);
                    }
                }
                if worlds.is_empty() { Ok(Flow::More) } else { next(frame) }
            }
        }
    }

    fn is_satisfiable(
        &self,
        task: Task<'_>,
        goals: &Goals,
        frame: &mut Frame,
    ) -> Result<bool, Error> {
        let flow = self.run(Task { goals, ..task }, frame, &mut |_| Ok(Flow::Enough))?;
        Ok(flow == Flow::Enough)
    }
}

/// Goes on with each row that agrees with the bindings so far.
pub(crate) fn run_rows(
    rows: &[Row],
    args: &[Term],
    frame: &mut Frame,
    next: &mut Emit<'_>,
) -> Result<Flow, Error> {
    let free: SmallVec<[(usize, Var); 6]> = args
        .iter()
        .enumerate()
        .filter_map(|(place, term)| unbound_var(*term, frame).map(|var| (place, var)))
        .collect();
    for row in rows {
        let agrees = free
            .iter()
            .all(|(place, var)| *frame[var.0 as usize].get_or_insert(row[*place]) == row[*place]);
        let flow = if agrees { next(frame) } else { Ok(Flow::More) };
        for (_, var) in &free {
            frame[var.0 as usize] = None;
        }
        if flow? == Flow::Enough {
            return Ok(Flow::Enough);
        }
    }
    Ok(Flow::More)
}

/// Goes on with these bindings, all of variables that were unbound.
fn run_bound(
    frame: &mut Frame,
    bindings: &[(Var, Value)],
    next: &mut Emit<'_>,
) -> Result<Flow, Error> {
    for (var, value) in bindings {
        frame[var.0 as usize] = Some(*value);
    }
    let flow = next(frame);
    for (var, _) in bindings {
        frame[var.0 as usize] = None;
    }
    flow
}

/// A test that asks no other predicate and binds nothing: it is made as soon as it can be. What binds
/// waits for its turn, since recursion may end only by what stands before it.
fn is_cheap_test(goal: &Goal, frame: &Frame) -> bool {
    let asks_nothing = match &goal.kind {
        GoalKind::Compare(_, left, right) => !left.has_count() && !right.has_count(),
        GoalKind::Construct { .. } | GoalKind::Member(..) => true,
        _ => false,
    };
    asks_nothing && goal.shared.iter().all(|var| frame[var.0 as usize].is_some())
}

fn is_ready(goal: &Goal, frame: &Frame) -> bool {
    let all_bound = || goal.shared.iter().all(|var| frame[var.0 as usize].is_some());
    let is_bound = |term: &Term| term_value(*term, frame).is_some();
    match &goal.kind {
        GoalKind::Holds(_) => true,
        GoalKind::None(_) | GoalKind::AnyOf(_) => all_bound(),
        GoalKind::Compare(comparison, left, right) => {
            crate::arithmetic::is_ready(*comparison, left, right, frame)
        }
        GoalKind::Construct { whole, args, .. } => is_bound(whole) || args.iter().all(is_bound),
        GoalKind::Member(term, _) => is_bound(term),
        GoalKind::Elsewhere { by, quantifier, .. } => match quantifier {
            Quantifier::Some => by.args.iter().all(is_bound),
            Quantifier::Every => all_bound(),
        },
    }
}

pub(crate) fn term_value(term: Term, frame: &Frame) -> Option<Value> {
    match term {
        Term::Var(var) => frame[var.0 as usize],
        Term::Value(value) => Some(value),
    }
}

pub(crate) fn unbound_var(term: Term, frame: &Frame) -> Option<Var> {
    match term {
        Term::Var(var) if frame[var.0 as usize].is_none() => Some(var),
        _ => None,
    }
}
