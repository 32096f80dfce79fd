//! The reference engine: a theory played exactly as it reads.
//!
//! In: a checked theory. Out: the game contract. Every answer is a question to the reference solver;
//! nothing is precomputed but the static facts. Invariant: no cleverness that could hide a bug.

mod board;
mod fen;
mod grid;
mod position;
pub(crate) mod state;
pub(crate) mod step;
mod text;
pub(crate) mod turns;
pub(crate) mod values;
pub(crate) mod world;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rulesmith_game::{Draws, Ending, Error, Game, JointMove, Outcome, Random, RoleId};
use rulesmith_logic::{Clause, Limits, PredicateId, Row, Solver, Stop, Tables, Value};
use rulesmith_rules::{MoveId, Theory, Wording};

use crate::interpreter::Interpreter;

pub use state::State;
use state::StateCore;
pub use turns::TurnLimits;
use world::StateWorld;

/// A theory that can be played.
#[derive(Debug)]
pub struct ReferenceGame {
    shared: Rc<Shared>,
    roles: Vec<String>,
    turn_limits: TurnLimits,
    /// Are ways to make a turn one as soon as they meet?
    merges_ways: bool,
    wording: Option<Arc<dyn Wording>>,
}

/// What all worlds of a game share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) theory: Theory,
    pub(crate) solver: Solver,
    pub(crate) static_tables: RefCell<Tables>,
    /// What answers in the solver's place, if anything does.
    pub(crate) interpreter: OnceCell<Interpreter>,
}

impl Shared {
    /// All answers to a question met on the way.
    pub(crate) fn call(
        self: &Rc<Self>,
        world: &Rc<StateWorld>,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, rulesmith_logic::Error> {
        match self.interpreter.get() {
            Some(interpreter) if interpreter.answers(predicate) => {
                interpreter.rows(world, predicate, pattern)
            }
            Some(interpreter) => interpreter.ask_solver(world, predicate, pattern),
            None => self.solver.call(&**world, predicate, pattern),
        }
    }
}

/// One step of a turn: a kind of move and its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The kind of move.
    pub kind: MoveId,
    /// Its arguments.
    pub args: Row,
}

/// A whole turn of one role: one step or more.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    /// The steps in order.
    pub steps: Vec<Step>,
}

/// A step and who makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Act {
    pub(crate) role: Value,
    pub(crate) step: Step,
}

impl ReferenceGame {
    /// The game of a theory. `wording` writes facts and moves when the rules came from another language.
    pub fn new(
        theory: Theory,
        wording: Option<Arc<dyn Wording>>,
        limits: Limits,
        stop: Stop,
    ) -> Self {
        let solver = Solver::new(theory.base.clone(), theory.symbols.clone(), limits, stop);
        let roles = theory.roles.iter().map(|role| theory.symbols.name(*role).to_owned()).collect();
        let (static_tables, interpreter) = (RefCell::default(), OnceCell::new());
        let shared = Rc::new(Shared { theory, solver, static_tables, interpreter });
        let merges_ways = shared.theory.merges_ways();
        Self { shared, roles, turn_limits: TurnLimits::default(), merges_ways, wording }
    }

    /// With other limits on turns of many steps.
    #[must_use]
    pub fn with_turn_limits(mut self, turn_limits: TurnLimits) -> Self {
        self.turn_limits = turn_limits;
        self
    }

    /// Makes a game of the same theory that shares nothing with this one, in another thread.
    pub fn apart(&self) -> impl FnOnce() -> Self + Send + use<> {
        let (theory, wording) = (self.theory().clone(), self.wording.clone());
        let (limits, stop) = (*self.solver().limits(), self.solver().stop().clone());
        let turn_limits = self.turn_limits;
        move || Self::new(theory, wording, limits, stop).with_turn_limits(turn_limits)
    }

    /// The limits on turns of many steps.
    pub(crate) fn turn_limits(&self) -> TurnLimits {
        self.turn_limits
    }

    /// The theory it plays.
    pub fn theory(&self) -> &Theory {
        &self.shared.theory
    }

    /// The solver that answers for it; counts inferences.
    pub fn solver(&self) -> &Solver {
        &self.shared.solver
    }

    /// The same game, with a specialised program that answers in the solver's place.
    #[must_use]
    pub fn with_interpreter(self, interpreter: Interpreter) -> Self {
        // A game has one program; a second one changes nothing.
        let _ = self.shared.interpreter.set(interpreter);
        self
    }

    /// The program that answers in the solver's place.
    pub fn interpreter(&self) -> Option<&Interpreter> {
        self.shared.interpreter.get()
    }

    /// The values of the first match of a clause's body in this state, by variable.
    pub fn first_match(
        &self,
        state: &State,
        clause: &Clause,
    ) -> Result<Option<Vec<Option<Value>>>, Error> {
        let found = self.solver().first_match(&*self.world(state), clause);
        found.map_err(|error| self.explain(error))
    }

    pub(crate) fn world(&self, state: &State) -> Rc<StateWorld> {
        StateWorld::of_state(&self.shared, &state.core)
    }

    pub(crate) fn role_value(&self, role: RoleId) -> Value {
        Value::Symbol(self.theory().roles[role.0])
    }

    /// The steps a role may make now, in a fixed order.
    pub(crate) fn legal_steps(
        &self,
        core: &Rc<StateCore>,
        role: RoleId,
    ) -> Result<Vec<Step>, Error> {
        let world = StateWorld::of_state(&self.shared, core);
        let mut steps = Vec::new();
        for kind in self.theory().move_ids() {
            let rows = self.legal_rows(&world, kind, role)?;
            let mut args: Vec<Row> = rows.iter().map(|row| row[1..].into()).collect();
            let symbols = self.solver().symbols().borrow();
            args.sort_by(|a, b| symbols.compare_rows(a, b));
            steps.extend(args.into_iter().map(|args| Step { kind, args }));
        }
        Ok(steps)
    }

    /// May the role make this step now?
    pub(crate) fn is_legal_step(
        &self,
        core: &Rc<StateCore>,
        role: RoleId,
        step: &Step,
    ) -> Result<bool, Error> {
        let world = StateWorld::of_state(&self.shared, core);
        let args = step.args.iter().copied();
        let pattern: Vec<_> = [self.role_value(role)].into_iter().chain(args).map(Some).collect();
        let legal = self.theory().move_kind(step.kind).legal;
        Ok(!self.query(&world, legal, &pattern)?.is_empty())
    }

    /// All answers to a question about a state, by the program if it answers this predicate.
    pub fn ask(
        &self,
        state: &State,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        self.query(&self.world(state), predicate, pattern)
    }

    pub(crate) fn query(
        &self,
        world: &Rc<StateWorld>,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        let ask = || self.shared.call(world, predicate, pattern);
        self.solver().attempt(&**world, ask).map_err(|error| self.explain(error))
    }

    /// The solver's error in words, with places.
    pub(crate) fn explain(&self, error: rulesmith_logic::Error) -> Error {
        use rulesmith_logic::Error as Fault;
        let locate = |span| self.theory().sources.locate(span);
        match error {
            Fault::Limit { name, limit } => Error::Limit { name, limit },
            Fault::Interrupted => Error::Interrupted,
            Fault::Unbound { span, .. } => {
                Error::Rules { message: error.to_string(), places: vec![locate(span)] }
            }
            Fault::Conflict { message, spans } => {
                Error::Rules { message, places: spans.into_iter().map(locate).collect() }
            }
        }
    }

    /// For each role its goal value in this state, terminal or not; `None` where the rules give none.
    pub fn goals(&self, state: &State) -> Result<Vec<Option<u8>>, Error> {
        (0..self.roles.len()).map(|role| self.goal(state, RoleId(role))).collect()
    }

    /// The goal value of one role in this state.
    pub fn goal(&self, state: &State, role: RoleId) -> Result<Option<u8>, Error> {
        self.goal_of(&self.world(state), role)
    }

    fn goal_of(&self, world: &Rc<StateWorld>, role: RoleId) -> Result<Option<u8>, Error> {
        let goal = self.theory().goal;
        let rows = self.query(world, goal, &[Some(self.role_value(role)), None])?;
        let mut values: Vec<Value> = rows.iter().map(|row| row[1]).collect();
        values.dedup();
        let complain = |message: String| {
            let clauses = self.theory().base.clauses_of(goal).iter();
            let places = clauses.map(|clause| self.theory().sources.locate(clause.span)).collect();
            Err(Error::Rules { message, places })
        };
        let name = &self.roles[role.0];
        match values[..] {
            [] => Ok(None),
            [value] => match self.goal_value(value) {
                Some(value) => Ok(Some(value)),
                None => complain(format!("the goal of `{name}` is not a number from 0 to 100")),
            },
            _ => complain(format!(
                "the rules give `{name}` {} different goals at once",
                values.len()
            )),
        }
    }

    /// Goals are numbers; GDL writes them as names made of digits.
    fn goal_value(&self, value: Value) -> Option<u8> {
        let number = match value {
            Value::Int(number) => u8::try_from(number).ok()?,
            Value::Symbol(symbol) => self.solver().symbols().borrow().name(symbol).parse().ok()?,
            Value::Compound(_) => return None,
        };
        (number <= 100).then_some(number)
    }

    fn holds(&self, world: &Rc<StateWorld>, predicate: PredicateId) -> Result<bool, Error> {
        Ok(!self.query(world, predicate, &[])?.is_empty())
    }

    /// Has nobody a legal step? Moves with few parameters are asked first: they are soon answered.
    fn is_stuck(&self, state: &State) -> Result<bool, Error> {
        let world = self.world(state);
        let mut kinds: Vec<MoveId> = self.theory().move_ids().collect();
        kinds.sort_by_key(|kind| self.theory().move_kind(*kind).n_params);
        for kind in kinds {
            for role in 0..self.roles.len() {
                if !self.legal_rows(&world, kind, RoleId(role))?.is_empty() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn legal_rows(
        &self,
        world: &Rc<StateWorld>,
        kind: MoveId,
        role: RoleId,
    ) -> Result<Rc<Vec<Row>>, Error> {
        let legal = self.theory().move_kind(kind);
        let mut pattern = vec![None; legal.n_params + 1];
        pattern[0] = Some(self.role_value(role));
        self.query(world, legal.legal, &pattern)
    }
}

impl Game for ReferenceGame {
    type State = State;
    type Move = Turn;
    type Undo = State;

    fn name(&self) -> String {
        self.theory().instance_name()
    }

    fn roles(&self) -> &[String] {
        &self.roles
    }

    fn initial(&self) -> Result<State, Error> {
        self.initial_state()
    }

    fn legal_moves(&self, state: &State, role: RoleId) -> Result<Vec<Turn>, Error> {
        self.turns(state, role)
    }

    fn random_move(
        &self,
        state: &State,
        role: RoleId,
        random: &mut Random,
    ) -> Result<Option<Turn>, Error> {
        self.random_turn(state, role, random)
    }

    fn apply(&self, state: &mut State, joint: &JointMove<Turn>) -> Result<State, Error> {
        let after = self.after_joint(state, joint)?;
        Ok(std::mem::replace(state, after))
    }

    fn undo(&self, state: &mut State, undo: State) {
        *state = undo;
    }

    fn is_over(&self, state: &State, draws: Draws) -> Result<bool, Error> {
        let world = self.world(state);
        let is_draw = || Ok(draws == Draws::Apply && self.holds(&world, self.theory().draw)?);
        Ok(self.holds(&world, self.theory().terminal)? || is_draw()?)
    }

    fn outcome(&self, state: &State, draws: Draws) -> Result<Option<Outcome>, Error> {
        let world = self.world(state);
        let ending = if self.holds(&world, self.theory().terminal)? {
            Ending::Terminal
        } else if draws == Draws::Apply && self.holds(&world, self.theory().draw)? {
            let goals = vec![Some(50); self.roles.len()];
            return Ok(Some(Outcome { ending: Ending::Draw, goals }));
        } else if self.is_stuck(state)? {
            Ending::Stuck
        } else {
            return Ok(None);
        };
        Ok(Some(Outcome { ending, goals: self.goals(state)? }))
    }

    fn hash(&self, state: &State) -> u64 {
        state.core.fluents.hash
    }
}
