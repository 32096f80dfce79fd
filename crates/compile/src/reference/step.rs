//! Steps: from a state and the moves made in it to the next state.
//!
//! In: a state and one act for each role that moves. Out: the state that the effects leave, and
//! whether the turn goes on. Invariant: every effect reads the state before the step; what is not
//! assigned stays; two different values for one fluent are an error that names both clauses.

use std::collections::BTreeMap;
use std::rc::Rc;

use rulesmith_logic::{Clause, Error, PredicateId, Row, Span, Value};
use rulesmith_rules::{Fluent, FluentDefault, FluentId, UNDEFINED};

use super::state::{Fluents, Past, State, StateCore, to_stored};
use super::world::StateWorld;
use super::{Act, ReferenceGame, Shared};

/// What a step leads to.
pub(crate) struct Taken {
    /// The state after the step, deferred effects included when the turn is over.
    pub(crate) core: Rc<StateCore>,
    /// The state after the step alone, with the moves just made: what `prefer` looks at.
    pub(crate) before_deferred: Rc<StateWorld>,
    /// Must the same role make another step?
    pub(crate) continues: bool,
}

/// Makes one step.
pub(crate) fn take_step(
    shared: &Rc<Shared>,
    core: &Rc<StateCore>,
    acts: Vec<Act>,
) -> Result<Taken, Error> {
    let theory = &shared.theory;
    let is_joint = acts.len() > 1;
    let world = StateWorld::of_step(shared, core, acts.clone());
    let mut fluents = core.fluents.clone();
    for id in theory.fluent_ids().filter(|id| theory.fluent(*id).is_transient) {
        fluents.clear(id);
    }
    for id in theory.fluent_ids() {
        assign(&world, id, theory.fluent(id).assign, &mut fluents)?;
    }
    let past = Some(Rc::new(Past {
        fluents: core.fluents.clone(),
        acts: acts.clone(),
        is_turn_start: core.is_turn_start,
        before: core.past.clone(),
        earlier: core.earlier.clone(),
    }));
    let after = StateCore::within_turn(fluents, past.clone());
    let before_deferred = StateWorld::of_step(shared, &after, acts);
    let continues = !is_joint && !shared.call(&before_deferred, theory.continues, &[])?.is_empty();
    if continues {
        return Ok(Taken { core: after, before_deferred, continues });
    }
    let mut fluents = after.fluents.clone();
    for id in theory.fluent_ids() {
        assign(&before_deferred, id, theory.fluent(id).deferred, &mut fluents)?;
    }
    Ok(Taken { core: StateCore::new(fluents, past), before_deferred, continues })
}

/// Carries out all assignments to one fluent.
fn assign(
    world: &Rc<StateWorld>,
    id: FluentId,
    assignments: PredicateId,
    fluents: &mut Fluents,
) -> Result<(), Error> {
    let theory = &world.shared.theory;
    let clauses = theory.base.clauses_of(assignments);
    if clauses.is_empty() {
        return Ok(());
    }
    let fluent = theory.fluent(id);
    let rows = world.shared.call(world, assignments, &vec![None; fluent.n_keys + 1])?;
    let mut assigned: BTreeMap<&[Value], Value> = BTreeMap::new();
    for row in rows.iter() {
        let (keys, value) = row.split_at(fluent.n_keys);
        let first = *assigned.entry(keys).or_insert(value[0]);
        if first != value[0] {
            let spans = conflicting(world, clauses, row, first);
            let name = &fluent.name;
            let message = format!("one step gives `{name}` two different values");
            return Err(Error::Conflict { message, spans });
        }
    }
    let symbols = world.shared.solver.symbols().borrow();
    let undefined = symbols.find(UNDEFINED).map(Value::Symbol);
    for (keys, value) in assigned {
        fluents.set(&symbols, id, keys.into(), to_stored(fluent, value, undefined));
    }
    Ok(())
}

/// The clauses whose heads can give either of two rows that differ in their last value.
fn conflicting(world: &Rc<StateWorld>, clauses: &[Clause], row: &Row, other: Value) -> Vec<Span> {
    let mut twin = row.clone();
    if let Some(last) = twin.last_mut() {
        *last = other;
    }
    let gives = |clause: &&Clause| {
        [row, &twin].iter().any(|row| world.shared.solver.concludes(&**world, clause, row))
    };
    let mut spans: Vec<Span> = clauses.iter().filter(gives).map(|clause| clause.span).collect();
    spans.dedup();
    spans
}

impl ReferenceGame {
    /// The state the rules start from.
    pub(crate) fn initial_state(&self) -> Result<State, rulesmith_game::Error> {
        let theory = self.theory();
        let nothing = StateCore::new(Fluents::defaults(theory), None);
        let world = StateWorld::of_state(&self.shared, &nothing);
        let mut fluents = Fluents::defaults(theory);
        for id in theory.fluent_ids() {
            let fluent = theory.fluent(id);
            let n_args = fluent.n_keys + usize::from(fluent.is_functional);
            let rows = self.query(&world, fluent.init, &vec![None; n_args])?;
            let yes = self.solver().symbols().borrow_mut().symbol("true");
            let mut given: BTreeMap<&[Value], Value> = BTreeMap::new();
            for row in rows.iter() {
                let (keys, value) = row.split_at(fluent.n_keys);
                let value = value.first().copied().unwrap_or(Value::Symbol(yes));
                if *given.entry(keys).or_insert(value) != value {
                    let message = format!("`init` gives `{}` two different values", fluent.name);
                    let clauses = theory.base.clauses_of(fluent.init);
                    let spans = clauses.iter().map(|clause| clause.span).collect();
                    return Err(self.explain(Error::Conflict { message, spans }));
                }
            }
            let symbols = self.solver().symbols().borrow();
            for (keys, value) in given {
                fluents.set(&symbols, id, keys.into(), to_stored(fluent, value, None));
            }
        }
        self.require_values(&fluents)?;
        Ok(State { core: StateCore::new(fluents, None) })
    }

    /// An error unless every fluent without a default has a value for every key.
    pub(crate) fn require_values(&self, fluents: &Fluents) -> Result<(), rulesmith_game::Error> {
        let Some(fluent) = self.lacking_values(fluents) else { return Ok(()) };
        let message = format!("the fluent `{}` has no initial value for every key", fluent.name);
        let places = vec![self.theory().sources.locate(fluent.span)];
        Err(rulesmith_game::Error::Rules { message, places })
    }

    /// A fluent without a default that has no value for some key.
    pub(crate) fn lacking_values(&self, fluents: &Fluents) -> Option<&Fluent> {
        let theory = self.theory();
        let is_lacking = |id: &FluentId| {
            let fluent = theory.fluent(*id);
            let domains = &theory.base.predicate(fluent.predicate).domains[..fluent.n_keys];
            let mut sizes = domains
                .iter()
                .map(|domain| domain.map_or(1, |id| theory.base.domain(id).values.len()));
            let n_keys = sizes.try_fold(1_usize, usize::checked_mul);
            fluent.default == FluentDefault::Required
                && n_keys.is_none_or(|n_keys| fluents.entries(*id).count() < n_keys)
        };
        theory.fluent_ids().find(is_lacking).map(|id| theory.fluent(id))
    }
}
