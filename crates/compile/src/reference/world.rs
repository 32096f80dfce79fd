//! Worlds: a state as the solver asks about it, with the moves being made and the past.
//!
//! In: a state. Out: facts of fluents, moves and history, and the passages `after` and `cycle` take.
//! Invariant: a world never changes; its tables only grow.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use rulesmith_logic::{Error, Level, PredicateId, Row, Solver, Tables, Value, World};
use rulesmith_matching::Memory;
use rulesmith_rules::{FluentId, MoveId, PredicateKind};

use super::state::{Past, StateCore};
use super::step::take_step;
use super::{Act, Shared, Step};

/// A state, and perhaps moves being made in it.
#[derive(Debug)]
pub(crate) struct StateWorld {
    pub(crate) shared: Rc<Shared>,
    pub(crate) core: Rc<StateCore>,
    pub(crate) acts: Vec<Act>,
    step_tables: RefCell<Tables>,
    /// The working memory of the step, for a specialised program.
    pub(crate) memory: OnceCell<Rc<Memory>>,
    /// The world after the move last passed through, since several conditions often ask about one move.
    passed: RefCell<Option<(Act, Rc<StateWorld>)>>,
}

impl StateWorld {
    pub(crate) fn of_state(shared: &Rc<Shared>, core: &Rc<StateCore>) -> Rc<Self> {
        Self::of_step(shared, core, Vec::new())
    }

    pub(crate) fn of_step(shared: &Rc<Shared>, core: &Rc<StateCore>, acts: Vec<Act>) -> Rc<Self> {
        let (step_tables, passed) = (RefCell::default(), RefCell::default());
        Rc::new(Self {
            shared: Rc::clone(shared),
            core: Rc::clone(core),
            acts,
            step_tables,
            memory: OnceCell::new(),
            passed,
        })
    }

    fn does_rows(&self, id: MoveId, pattern: &[Option<Value>]) -> Vec<Row> {
        let made = self.acts.iter().filter(|act| act.step.kind == id);
        let rows =
            made.map(|act| [act.role].iter().chain(&act.step.args).copied().collect::<Row>());
        rows.filter(|row| agrees(row, pattern)).collect()
    }

    /// How often the present state, seen through these fluents, occurred at the start of a turn.
    fn times_repeated(&self, over: &[FluentId]) -> i32 {
        let earlier = self.pasts().filter(|past| past.is_turn_start);
        let same = earlier.filter(|past| self.core.fluents.agree(&past.fluents, over)).count();
        i32::try_from(same + 1).unwrap_or(i32::MAX)
    }

    fn pasts(&self) -> impl Iterator<Item = &Rc<Past>> {
        std::iter::successors(self.core.past.as_ref(), |past| past.before.as_ref())
    }

    /// How many turns were made, also before the past that is known.
    pub(crate) fn n_turns(&self) -> i32 {
        let made = self.pasts().filter(|past| past.is_turn_start).count();
        let earlier = self.core.earlier.as_ref().map_or(0, |earlier| earlier.n_turns);
        i32::try_from(made).unwrap_or(i32::MAX).saturating_add(earlier)
    }

    /// How many steps were made after the last one at which the event held.
    pub(crate) fn steps_since(&self, solver: &Solver, event: PredicateId) -> Result<i32, Error> {
        let mut steps = 0;
        for past in self.pasts() {
            let core = StateCore::of_past(past);
            let world = Self::of_step(&self.shared, &core, past.acts.clone());
            if !solver.call(&*world, event, &[])?.is_empty() {
                return Ok(steps);
            }
            steps += 1;
        }
        Ok(self.core.earlier_steps_since(event).saturating_add(steps))
    }

    /// The worlds after each move of the role since the present state last occurred.
    pub(crate) fn cycle_states(&self, over: &[FluentId], role: Value) -> Vec<Rc<Self>> {
        let mut worlds: Vec<Rc<Self>> = Vec::new();
        let mut after = Rc::clone(&self.core);
        for past in self.pasts() {
            if past.acts.iter().any(|act| act.role == role) {
                worlds.push(Self::of_state(&self.shared, &after));
            }
            if past.is_turn_start && self.core.fluents.agree(&past.fluents, over) {
                return worlds;
            }
            after = StateCore::of_past(past);
        }
        Vec::new()
    }

    /// The world after one role's step.
    pub(crate) fn world_after(&self, act: Act) -> Result<Rc<Self>, Error> {
        if let Some((known, world)) = &*self.passed.borrow()
            && *known == act
        {
            return Ok(Rc::clone(world));
        }
        let taken = take_step(&self.shared, &self.core, vec![act.clone()])?;
        let world = Self::of_state(&self.shared, &taken.core);
        *self.passed.borrow_mut() = Some((act, Rc::clone(&world)));
        Ok(world)
    }
}

impl World for StateWorld {
    fn facts(
        &self,
        solver: &Solver,
        predicate: PredicateId,
        pattern: &[Option<Value>],
    ) -> Result<Rc<Vec<Row>>, Error> {
        let rows = match self.shared.theory.kind(predicate) {
            PredicateKind::Fluent(id) => self.fluent_rows(solver, *id, pattern),
            PredicateKind::Does(id) => self.does_rows(*id, pattern),
            PredicateKind::Repeated(over) => at_least(self.times_repeated(over), 1, pattern[0]),
            PredicateKind::Since(event) => {
                at_least(self.steps_since(solver, *event)?, 0, pattern[0])
            }
            _ => Vec::new(),
        };
        Ok(Rc::new(rows))
    }

    fn passages(
        &self,
        _solver: &Solver,
        by: PredicateId,
        args: &[Value],
    ) -> Result<Vec<Rc<dyn World>>, Error> {
        match self.shared.theory.kind(by) {
            PredicateKind::Does(kind) => {
                let step = Step { kind: *kind, args: args[1..].into() };
                Ok(vec![self.world_after(Act { role: args[0], step })?])
            }
            PredicateKind::Cycle(over) => {
                let worlds = self.cycle_states(over, args[0]).into_iter();
                Ok(worlds.map(|world| -> Rc<dyn World> { world }).collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    fn tables(&self, level: Level) -> &RefCell<Tables> {
        match level {
            Level::Static => &self.shared.static_tables,
            Level::State => &self.core.tables,
            Level::Step => &self.step_tables,
        }
    }
}

/// Does the row agree with the known arguments?
pub(crate) fn agrees(row: &[Value], pattern: &[Option<Value>]) -> bool {
    row.iter().zip(pattern).all(|(value, known)| known.is_none_or(|known| known == *value))
}

/// The numbers from `least` to `reached` that match.
fn at_least(reached: i32, least: i32, known: Option<Value>) -> Vec<Row> {
    match known {
        Some(Value::Int(number)) if number <= reached => {
            vec![Row::from_slice(&[Value::Int(number)])]
        }
        Some(_) => Vec::new(),
        None => (least..=reached).map(|number| Row::from_slice(&[Value::Int(number)])).collect(),
    }
}
