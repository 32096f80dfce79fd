//! The reference solver: every question answered straight from the clauses.
//!
//! In: a clause base, a world of facts, a question. Out: all answers, each once, in a fixed order.
//! Conditions are tried from left to right, a test as soon as its variables are bound; answers are
//! kept per predicate and pattern of known arguments, and recursion is repeated until nothing new
//! comes. Invariant: the answers are those of the stratified least model; nothing is assumed about games.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use smallvec::{SmallVec, smallvec};

use crate::as_written::Reading;
use crate::base::{ClauseBase, Level, Source};
use crate::clause::{Clause, PredicateId};
use crate::goal::{Goals, Rule, prepare, prepare_component};
use crate::limits::{Budget, Error, Limits, Stop};
use crate::run::{Frame, Scope, Task, term_value, unbound_var};
use crate::table::{Call, Pattern, Progress, Row, TableId, Tables};
use crate::term::{Symbols, Term, Value, Var};

/// Where the facts come from that no clause gives: fluents, moves being made, history.
pub trait World {
    /// The facts of a world predicate that match the known arguments.
    fn facts(
        &self,
        solver: &Solver,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error>;

    /// The worlds a passage leads to.
    fn passages(
        &self,
        solver: &Solver,
        by: PredicateId,
        args: &[Value],
    ) -> Result<Vec<Rc<dyn World>>, Error>;

    /// The answers found so far about this world.
    fn tables(&self, level: Level) -> &RefCell<Tables>;
}

/// A world without facts: enough for what clauses alone decide.
#[derive(Debug, Default)]
pub struct Nowhere {
    tables: RefCell<Tables>,
}

impl World for Nowhere {
    fn facts(
        &self,
        _solver: &Solver,
        _predicate: PredicateId,
        _pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        Ok(Rc::default())
    }

    fn passages(
        &self,
        _solver: &Solver,
        _by: PredicateId,
        _args: &[Value],
    ) -> Result<Vec<Rc<dyn World>>, Error> {
        Ok(Vec::new())
    }

    fn tables(&self, _level: Level) -> &RefCell<Tables> {
        &self.tables
    }
}

/// Answers questions about worlds.
#[derive(Debug)]
pub struct Solver {
    pub(crate) base: ClauseBase,
    pub(crate) rules: Vec<Vec<Rule>>,
    pub(crate) component_goals: Vec<Goals>,
    symbols: Rc<RefCell<Symbols>>,
    pub(crate) limits: Limits,
    pub(crate) stop: Stop,
    pub(crate) budget: Budget,
    pub(crate) reading: Reading,
    /// How many calls wait for one another.
    depth: Cell<usize>,
    /// The shallowest waiting call that an answer of the present one depends on.
    leader: Cell<usize>,
    iteration: Cell<u64>,
    n_added: Cell<u64>,
    /// Tables that wait for a shallower call: all of one recursion, and so of one world and level.
    waiting: RefCell<Vec<TableId>>,
}

/// A call whose clauses are tried.
struct CallTask<'a> {
    world: &'a dyn World,
    tables: &'a RefCell<Tables>,
    call: &'a Call,
    table: TableId,
}

/// Whether whoever asks wants more answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    More,
    /// Stop here.
    Enough,
}

/// Nobody waits.
const NO_LEADER: usize = usize::MAX;

impl Solver {
    /// A solver for a settled clause base.
    pub fn new(base: ClauseBase, symbols: Symbols, limits: Limits, stop: Stop) -> Self {
        let rules = base.clauses.iter().map(|all| all.iter().map(prepare).collect()).collect();
        let component_goals = base.components.iter().map(prepare_component).collect();
        Self {
            base,
            rules,
            component_goals,
            symbols: Rc::new(RefCell::new(symbols)),
            limits,
            stop,
            budget: Budget::default(),
            reading: Reading::default(),
            depth: Cell::new(0),
            leader: Cell::new(NO_LEADER),
            iteration: Cell::new(0),
            n_added: Cell::new(0),
            waiting: RefCell::default(),
        }
    }

    /// All answers to a question; the budget starts anew.
    pub fn query(
        &self,
        world: &dyn World,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        self.attempt(world, || self.call(world, predicate, pattern))
    }

    /// Does work that asks about a world; the budget starts anew, and a failure leaves no half-made
    /// answers behind.
    pub fn attempt<T>(
        &self,
        world: &dyn World,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.budget.renew();
        let done = self.stop.check().and_then(|()| work());
        if done.is_err() {
            self.forget_unfinished(world);
        }
        done
    }

    /// Does this clause give this row? An error counts as no: this only serves explanations.
    pub fn concludes(&self, world: &dyn World, clause: &Clause, row: &[Value]) -> bool {
        let rule = prepare(clause);
        let known: Pattern = row.iter().copied().map(Some).collect();
        let mut frame = vec![None; clause.variables.len()];
        let scope = Scope { variables: &clause.variables, span: clause.span };
        match_head(&rule.head.args, &known, &mut frame)
            && self.run(Task { world, goals: &rule.goals, scope }, &mut frame, &mut |_| {
                Ok(Flow::Enough)
            }) == Ok(Flow::Enough)
    }

    /// Does the ground atom hold? The budget starts anew.
    pub fn holds(
        &self,
        world: &dyn World,
        predicate: PredicateId,
        args: &[Value],
    ) -> Result<bool, Error> {
        let pattern: Pattern = args.iter().copied().map(Some).collect();
        Ok(!self.query(world, predicate, &pattern)?.is_empty())
    }

    /// Can the clause's body hold in this world?
    pub fn is_possible(&self, world: &dyn World, clause: &Clause) -> Result<bool, Error> {
        self.is_possible_within(world, clause, self.limits.inferences)
    }

    /// Can the clause's body hold in this world? An error if that takes more inferences.
    pub fn is_possible_within(
        &self,
        world: &dyn World,
        clause: &Clause,
        inferences: u64,
    ) -> Result<bool, Error> {
        let rule = prepare(clause);
        let scope = Scope { variables: &clause.variables, span: clause.span };
        let mut frame = vec![None; clause.variables.len()];
        let run = || {
            self.budget.allow(inferences);
            self.run(Task { world, goals: &rule.goals, scope }, &mut frame, &mut |_| {
                Ok(Flow::Enough)
            })
        };
        Ok(self.attempt(world, run)? == Flow::Enough)
    }

    /// The values of the first match of the clause's body in this world, by variable.
    pub fn first_match(
        &self,
        world: &dyn World,
        clause: &Clause,
    ) -> Result<Option<Vec<Option<Value>>>, Error> {
        let rule = prepare(clause);
        let scope = Scope { variables: &clause.variables, span: clause.span };
        let mut frame = vec![None; clause.variables.len()];
        let mut found = None;
        self.attempt(world, || {
            self.run(Task { world, goals: &rule.goals, scope }, &mut frame, &mut |frame| {
                found = Some(frame.to_vec());
                Ok(Flow::Enough)
            })
        })?;
        Ok(found)
    }

    /// The clause base it answers from.
    pub fn base(&self) -> &ClauseBase {
        &self.base
    }

    /// The interner, which grows as compound terms are made.
    pub fn symbols(&self) -> &Rc<RefCell<Symbols>> {
        &self.symbols
    }

    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The request to stop it listens to.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// How many conditions the last query tried.
    pub fn inferences(&self) -> u64 {
        self.budget.spent()
    }

    /// How many conditions all queries together tried.
    pub fn total_inferences(&self) -> u64 {
        self.budget.total()
    }

    fn forget_unfinished(&self, world: &dyn World) {
        for level in [Level::Static, Level::State, Level::Step] {
            world.tables(level).borrow_mut().drop_incomplete();
        }
        self.depth.set(0);
        self.leader.set(NO_LEADER);
        self.waiting.borrow_mut().clear();
    }

    /// All answers to a question met on the way.
    pub fn call(
        &self,
        world: &dyn World,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        if self.reading.is_on() {
            return self.call_as_written(world, predicate, pattern);
        }
        match self.base.predicate(predicate).source {
            Source::World => world.facts(self, predicate, pattern),
            Source::Component(id, part) => {
                self.component_rows(world, (predicate, pattern), id, part)
            }
            Source::Clauses => self.call_clauses(world, &Call { predicate, known: pattern.into() }),
        }
    }

    fn call_clauses(&self, world: &dyn World, call: &Call) -> Result<Rc<Vec<Row>>, Error> {
        let tables = world.tables(self.base.predicate(call.predicate).level);
        let table = {
            let mut tables = tables.borrow_mut();
            let table = tables.place(call);
            if let Some(leader) = self.leader_of(tables.progress(table)) {
                self.leader.set(self.leader.get().min(leader));
                return Ok(Rc::clone(tables.rows(table)));
            }
            table
        };
        let task = CallTask { world, tables, call, table };
        stacker::maybe_grow(256 * 1024, 8 * 1024 * 1024, || self.evaluate(&task))
    }

    /// Whom a table's answers wait for; nothing if its clauses must be tried now.
    fn leader_of(&self, progress: Progress) -> Option<usize> {
        match progress {
            Progress::Complete => Some(NO_LEADER),
            Progress::Running(depth) => Some(depth),
            Progress::Waiting { iteration, leader } => {
                (iteration == self.iteration.get()).then_some(leader)
            }
            Progress::Absent => None,
        }
    }

    /// Tries the clauses of a call until nothing new comes.
    ///
    /// A call that some deeper call waits for is a leader: it repeats until no table of the cycle
    /// grows. A call that waits for a shallower one leaves its table to that leader's repetition.
    fn evaluate(&self, task: &CallTask<'_>) -> Result<Rc<Vec<Row>>, Error> {
        let CallTask { tables, table, .. } = *task;
        let depth = self.depth.get() + 1;
        if depth as u64 > self.limits.recursion_depth {
            return Err(Error::Limit {
                name: "recursion-depth",
                limit: self.limits.recursion_depth,
            });
        }
        self.depth.set(depth);
        let outer_leader = self.leader.replace(NO_LEADER);
        let first_waiting = self.waiting.borrow().len();
        tables.borrow_mut().set_progress(table, Progress::Running(depth));
        self.check_size(&tables.borrow())?;
        loop {
            let added_before = self.n_added.get();
            let is_proved = self.try_clauses(task)?;
            let leader = self.leader.get();
            if leader < depth && !is_proved {
                let mut waiting = self.waiting.borrow_mut();
                waiting.push(table);
                let mut tables = tables.borrow_mut();
                let iteration = self.iteration.get();
                tables.set_progress(table, Progress::Waiting { iteration, leader });
                // Whoever waited for this call now waits for its leader.
                for other in &waiting[first_waiting..] {
                    tables.lower_leader(*other, leader);
                }
                break;
            }
            if is_proved || leader > depth || self.n_added.get() == added_before {
                self.finish(task, first_waiting, is_proved);
                break;
            }
            self.iteration.set(self.iteration.get() + 1);
        }
        self.depth.set(depth - 1);
        self.leader.set(self.leader.get().min(outer_leader));
        let tables = tables.borrow();
        if tables.progress(table) == Progress::Complete {
            self.leader.set(outer_leader);
        }
        Ok(Rc::clone(tables.rows(table)))
    }

    /// Marks a call, and the calls that only waited for it, as complete. Calls that the last pass did
    /// not try again may lack answers, as may those that waited for a ground call proved early: they
    /// are forgotten, and made anew when somebody asks.
    fn finish(&self, task: &CallTask<'_>, first_waiting: usize, is_proved: bool) {
        let mut tables = task.tables.borrow_mut();
        let iteration = self.iteration.get();
        for waiting in self.waiting.borrow_mut().drain(first_waiting..) {
            if is_proved || !tables.was_tried_in(waiting, iteration) {
                tables.forget(waiting);
            } else {
                tables.set_progress(waiting, Progress::Complete);
            }
        }
        tables.set_progress(task.table, Progress::Complete);
    }

    /// One pass over the clauses; true when a ground call is proved and nothing more can come.
    fn try_clauses(&self, task: &CallTask<'_>) -> Result<bool, Error> {
        let CallTask { world, call, .. } = *task;
        let is_ground = call.known.iter().all(Option::is_some);
        let clauses = &self.base.clauses[call.predicate.0 as usize];
        for (rule, clause) in self.rules[call.predicate.0 as usize].iter().zip(clauses) {
            self.budget.charge(&self.limits, &self.stop)?;
            let mut frame = new_frame(clause);
            if !match_head(&rule.head.args, &call.known, &mut frame) {
                continue;
            }
            let scope = Scope { variables: &clause.variables, span: clause.span };
            let mut found = false;
            let mut emit = |frame: &mut Frame| {
                self.conclude(scope, rule, frame, &mut |row| {
                    found = true;
                    self.keep_row(task, row)
                })?;
                Ok(if is_ground && found { Flow::Enough } else { Flow::More })
            };
            self.run(Task { world, goals: &rule.goals, scope }, &mut frame, &mut emit)?;
            if is_ground && found {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn keep_row(&self, task: &CallTask<'_>, row: Row) -> Result<(), Error> {
        let mut tables = task.tables.borrow_mut();
        if tables.add(task.table, row) {
            self.n_added.set(self.n_added.get() + 1);
            self.check_size(&tables)?;
        }
        Ok(())
    }

    fn check_size(&self, tables: &Tables) -> Result<(), Error> {
        let limit = self.limits.derived_facts;
        if tables.size() > limit {
            Err(Error::Limit { name: "derived-facts", limit })
        } else {
            Ok(())
        }
    }

    /// Hands over the head's rows: head variables that no condition bound range over their domain.
    pub(crate) fn conclude(
        &self,
        scope: Scope<'_>,
        rule: &Rule,
        frame: &mut Frame,
        keep: &mut dyn FnMut(Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let unbound = rule.head.args.iter().find_map(|term| unbound_var(*term, frame));
        if let Some(var) = unbound {
            for index in 0.. {
                let Some(value) = self.domain_value(scope, var, index)? else { break };
                self.budget.charge(&self.limits, &self.stop)?;
                frame[var.0 as usize] = Some(value);
                self.reading.count(1)?;
                self.conclude(scope, rule, frame, keep)?;
            }
            frame[var.0 as usize] = None;
            return Ok(());
        }
        let row: Option<Row> = rule.head.args.iter().map(|term| term_value(*term, frame)).collect();
        let row = row.expect("every head variable was bound just now");
        let domains = &self.base.predicate(rule.head.predicate).domains;
        let inside = |(value, domain): (&Value, &Option<_>)| {
            domain.is_none_or(|domain| self.base.domain(domain).values.contains(value))
        };
        if row.iter().zip(domains).all(inside) { keep(row) } else { Ok(()) }
    }

    pub(crate) fn domain_value(
        &self,
        scope: Scope<'_>,
        var: Var,
        index: usize,
    ) -> Result<Option<Value>, Error> {
        let variable = &scope.variables[var.0 as usize];
        let Some(domain) = variable.domain else {
            return Err(Error::Unbound { variable: variable.name.clone(), span: scope.span });
        };
        Ok(self.base.domain(domain).values.get_index(index).copied())
    }
}

/// The bindings of a clause that nothing is known of yet.
fn new_frame(clause: &Clause) -> SmallVec<[Option<Value>; 16]> {
    smallvec![None; clause.variables.len()]
}

pub(crate) fn match_head(head: &[Term], pattern: &[Option<Value>], frame: &mut Frame) -> bool {
    head.iter().zip(pattern).all(|(term, known)| match (term, known) {
        (_, None) => true,
        (Term::Value(value), Some(known)) => value == known,
        (Term::Var(var), Some(known)) => *frame[var.0 as usize].get_or_insert(*known) == *known,
    })
}
