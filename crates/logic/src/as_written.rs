//! The theory as written: questions answered by plain resolution, every success of a condition counted.
//!
//! In: the same questions as the solver's. Out: the same answers, and how many conditions held on the
//! way: what the rules cost before anything is specialised. Clauses are tried in order and their
//! conditions from left to right, as the solver does, but nothing is remembered: a derived predicate is
//! evaluated anew at every call, its answers go on one at a time, and whoever has enough stops it.
//! Invariant: the answers are the solver's.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::base::{Level, Source};
use crate::clause::{Atom, PredicateId};
use crate::limits::Error;
use crate::run::{Emit, Frame, Scope, Task, run_rows, term_value};
use crate::solve::{Flow, Solver, World, match_head};
use crate::table::{Call, Pattern, Row};
use crate::term::Value;

/// How the theory is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsWritten {
    /// Where the answers of static predicates come from.
    pub statics: Statics,
    /// How often one answer goes on.
    pub proofs: Proofs,
    /// More successes than this end with the limit `successes`.
    pub success_limit: u64,
}

/// Where the answers of static predicates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statics {
    /// From their clauses, at every call.
    Clauses,
    /// They are facts: one success for each row.
    Facts,
}

/// How often one answer of one call goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proofs {
    /// Once, and a call without unknowns ends with its first proof: the fewest successes.
    First,
    /// As often as it is proved: what a Prolog system does.
    Every,
}

/// The present reading, and what it counted.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    is_on: Cell<bool>,
    settings: Cell<Option<AsWritten>>,
    n_successes: Cell<u64>,
    /// How deep answers go on inside one another.
    nesting: Cell<u64>,
    /// The calls whose clauses are being tried for the present answer, with where their
    /// worlds are.
    open_calls: RefCell<Vec<(usize, Call)>>,
}

impl Reading {
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.get()
    }

    /// A condition held.
    pub(crate) fn count(&self, n_successes: u64) -> Result<(), Error> {
        if !self.is_on() {
            return Ok(());
        }
        let n_successes = self.n_successes.get() + n_successes;
        self.n_successes.set(n_successes);
        let limit = self.settings.get().map_or(u64::MAX, |settings| settings.success_limit);
        if n_successes > limit { Err(Error::Limit { name: "successes", limit }) } else { Ok(()) }
    }

    fn reads(&self, proofs: Proofs) -> bool {
        self.settings.get().is_some_and(|settings| settings.proofs == proofs)
    }

    fn start(&self, settings: Option<AsWritten>) {
        self.is_on.set(settings.is_some());
        self.settings.set(settings);
        self.nesting.set(0);
        self.open_calls.borrow_mut().clear();
    }
}

impl Solver {
    /// Does work that asks about a world while the theory is read as written; also returns how many
    /// conditions held. The budget starts anew.
    ///
    /// All conditions count that hold where the work leads: inside negations and counts, in the worlds
    /// of passages, in the effects that make those worlds, and in the bodies and links of components.
    /// Only alternatives do not count beside what holds in them. A call that comes back to itself is
    /// answered as the solver does, with one success for each row.
    pub fn as_written<T>(
        &self,
        world: &dyn World,
        settings: AsWritten,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<(T, u64), Error> {
        self.reading.n_successes.set(0);
        self.reading.start(Some(settings));
        let done = self.attempt(world, work);
        self.reading.start(None);
        Ok((done?, self.reading.n_successes.get()))
    }

    /// Are the answers of the predicate facts for the present reading?
    pub(crate) fn has_facts(&self, predicate: PredicateId) -> bool {
        let statics = self.reading.settings.get().map(|settings| settings.statics);
        self.base.predicate(predicate).level == Level::Static && statics == Some(Statics::Facts)
    }

    /// All answers to a question met on the way, each once.
    pub(crate) fn call_as_written(
        &self,
        world: &dyn World,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        let mut rows: IndexSet<Row, FxBuildHasher> = IndexSet::default();
        self.each_row(world, &Call { predicate, known: pattern.into() }, &mut |row| {
            rows.insert(row.clone());
            Ok(Flow::More)
        })?;
        Ok(Rc::new(rows.into_iter().collect()))
    }

    /// Goes on with each answer as it is found.
    pub(crate) fn run_as_written(
        &self,
        task: Task<'_>,
        atom: &Atom,
        frame: &mut Frame,
        next: &mut Emit<'_>,
    ) -> Result<Flow, Error> {
        let pattern: Pattern = atom.args.iter().map(|term| term_value(*term, frame)).collect();
        self.each_row(task.world, &Call { predicate: atom.predicate, known: pattern }, &mut |row| {
            run_rows(std::slice::from_ref(row), &atom.args, frame, next)
        })
    }

    fn each_row(
        &self,
        world: &dyn World,
        call: &Call,
        on_row: &mut dyn FnMut(&Row) -> Result<Flow, Error>,
    ) -> Result<Flow, Error> {
        let nesting = self.reading.nesting.get() + 1;
        let limit = self.limits.recursion_depth;
        if nesting > limit {
            return Err(Error::Limit { name: "recursion-depth", limit });
        }
        self.reading.nesting.set(nesting);
        let place = std::ptr::from_ref(world).addr();
        let is_open = |(other, known): &(usize, Call)| *other == place && known == call;
        let source = &self.base.predicate(call.predicate).source;
        let rows = if self.has_facts(call.predicate)
            || self.reading.open_calls.borrow().iter().any(is_open)
        {
            Some(self.tabled(world, call)?)
        } else if *source == Source::World {
            Some(world.facts(self, call.predicate, &call.known)?)
        } else if let Source::Component(id, part) = source {
            Some(self.component_rows(world, (call.predicate, &call.known), *id, *part)?)
        } else {
            None
        };
        let flow = match rows {
            Some(rows) => each_of(&rows, on_row)?,
            None => self.each_proved(world, place, call, on_row)?,
        };
        self.reading.nesting.set(nesting - 1);
        Ok(flow)
    }

    /// The solver's own answers; nothing it does for them counts.
    fn tabled(&self, world: &dyn World, call: &Call) -> Result<Rc<Vec<Row>>, Error> {
        self.reading.is_on.set(false);
        let rows = self.call(world, call.predicate, &call.known);
        self.reading.is_on.set(true);
        rows
    }

    /// Tries the clauses in order and hands over each row as it is proved.
    fn each_proved(
        &self,
        world: &dyn World,
        place: usize,
        call: &Call,
        on_row: &mut dyn FnMut(&Row) -> Result<Flow, Error>,
    ) -> Result<Flow, Error> {
        let is_once = self.reading.reads(Proofs::First);
        let is_proved_once = is_once && call.known.iter().all(Option::is_some);
        let open_calls = &self.reading.open_calls;
        let n_open = open_calls.borrow().len();
        open_calls.borrow_mut().push((place, call.clone()));
        let mut seen: FxHashSet<Row> = FxHashSet::default();
        let mut wanted = Flow::More;
        let clauses = self.base.clauses_of(call.predicate);
        for (rule, clause) in self.rules[call.predicate.0 as usize].iter().zip(clauses) {
            self.budget.charge(&self.limits, &self.stop)?;
            let mut frame = vec![None; clause.variables.len()];
            if !match_head(&rule.head.args, &call.known, &mut frame) {
                continue;
            }
            let scope = Scope { variables: &clause.variables, span: clause.span };
            let mut emit = |frame: &mut Frame| {
                self.conclude(scope, rule, frame, &mut |row| {
                    if wanted == Flow::Enough || is_once && !seen.insert(row.clone()) {
                        return Ok(());
                    }
                    // Who goes on with an answer does not ask from inside this call.
                    let inside = open_calls.borrow_mut().split_off(n_open);
                    wanted = on_row(&row)?;
                    open_calls.borrow_mut().extend(inside);
                    Ok(())
                })?;
                let is_proved = is_proved_once && !seen.is_empty();
                Ok(if is_proved { Flow::Enough } else { wanted })
            };
            let flow =
                self.run(Task { world, goals: &rule.goals, scope }, &mut frame, &mut emit)?;
            if flow == Flow::Enough {
                break;
            }
        }
        open_calls.borrow_mut().truncate(n_open);
        Ok(wanted)
    }
}

fn each_of(
    rows: &[Row],
    on_row: &mut dyn FnMut(&Row) -> Result<Flow, Error>,
) -> Result<Flow, Error> {
    for row in rows {
        if on_row(row)? == Flow::Enough {
            return Ok(Flow::Enough);
        }
    }
    Ok(Flow::More)
}
