//! Search: all ways a flat conjunction holds on a working memory, without bytecode.
//!
//! In: conditions in any order and the variables bound so far. Out: each match once. An order is chosen
//! before the search: tests as soon as they can be made, then what delivers the fewest rows on average
//! in this very memory. Paper: metameta §3.1, the test whether a set of conditions ever matches.
//! Invariant: the set of matches does not depend on the order of the conditions.

use std::cell::{Cell, RefCell};

use rulesmith_logic::{Condition, Flow, Limits, Stop, Symbols, condition_vars};

use crate::error::Error;
use crate::memory::Memory;
use crate::plan::{Body, Out, Place, Plan, Step};
use crate::relation::MAX_ARITY;
use crate::rows::RowSet;
use crate::universe::ValueId;
use crate::values::{apply, compare, make, parts_of};

/// What a search or a run may use and how much of it.
#[derive(Clone, Debug)]
pub struct Setting<'s> {
    /// The interner, which grows as compound terms are made.
    pub symbols: &'s RefCell<Symbols>,
    /// How much may be done.
    pub limits: Limits,
    /// A request to stop.
    pub stop: Stop,
}

/// Hands over every match of the conditions that extends `bound`; variables that no condition names
/// stay as they are. `bound` is afterwards as it was before.
///
/// Negations and counts may be among the conditions; what is judged elsewhere may not.
pub fn each_match(
    setting: &Setting<'_>,
    memory: &Memory,
    conditions: &[Condition],
    bound: &mut [Option<ValueId>],
    on_match: &mut dyn FnMut(&[Option<ValueId>]) -> Flow,
) -> Result<Flow, Error> {
    let plan = Plan::new(memory, conditions, bound)?;
    let search = Search { setting, memory, spent: Cell::new(0) };
    let mut frame = plan.frame(bound);
    let before: Vec<Option<ValueId>> = bound.to_vec();
    let flow = search.run(&plan.body, 0, &mut frame, &mut |frame| {
        for var in &plan.outputs {
            bound[*var] = Some(frame[*var]);
        }
        Ok(on_match(bound))
    });
    bound.copy_from_slice(&before);
    flow
}

/// The first match of the conditions that extends `bound`.
pub fn first_match(
    setting: &Setting<'_>,
    memory: &Memory,
    conditions: &[Condition],
    bound: &mut [Option<ValueId>],
) -> Result<Option<Vec<Option<ValueId>>>, Error> {
    let mut found = None;
    each_match(setting, memory, conditions, bound, &mut |matched| {
        found = Some(matched.to_vec());
        Flow::Enough
    })?;
    Ok(found)
}

/// If the conditions never hold together: the places of those that were ever tried. Without the others
/// they do not hold either, because every attempt ended before one of them. The rows that were looked
/// at are added to `n_rows`.
pub fn tried_in_vain(
    setting: &Setting<'_>,
    memory: &Memory,
    conditions: &[Condition],
    n_rows: &Cell<u64>,
) -> Result<Option<Vec<usize>>, Error> {
    let vars = conditions.iter().flat_map(condition_vars);
    let n_variables = vars.map(|var| usize::from(var.0) + 1).max().unwrap_or_default();
    let bound = vec![None; n_variables];
    let plan = Plan::new(memory, conditions, &bound)?;
    let search = Search { setting, memory, spent: Cell::new(0) };
    let mut frame = plan.frame(&bound);
    let flow = search.run(&plan.body, 0, &mut frame, &mut |_| Ok(Flow::Enough));
    n_rows.set(n_rows.get() + search.spent.get());
    let flow = flow?;
    let mut tried = plan.body.places[..plan.body.n_tried.get()].to_vec();
    tried.sort_unstable();
    Ok((flow == Flow::More).then_some(tried))
}

struct Search<'s> {
    setting: &'s Setting<'s>,
    memory: &'s Memory,
    spent: Cell<u64>,
}

type Frame = [ValueId];
type Found<'f> = dyn FnMut(&mut Frame) -> Result<Flow, Error> + 'f;

/// How often a request to stop is looked at, in rows; a power of two.
const STOP_INTERVAL: u64 = 4096;

impl Search<'_> {
    fn run(
        &self,
        body: &Body<'_>,
        at: usize,
        frame: &mut Frame,
        found: &mut Found<'_>,
    ) -> Result<Flow, Error> {
        let Some(step) = body.steps.get(at) else { return found(frame) };
        body.n_tried.set(body.n_tried.get().max(at + 1));
        match step {
            Step::Each { relation, mask, keys, outs } => {
                let rows = with_row(keys, frame, |key| relation.matching(*mask, key));
                for row in rows.chunks_exact(outs.len()) {
                    self.charge()?;
                    if take(row, outs, frame)
                        && self.run(body, at + 1, frame, found)? == Flow::Enough
                    {
                        return Ok(Flow::Enough);
                    }
                }
                Ok(Flow::More)
            }
            test => {
                if self.holds(test, frame)? {
                    self.run(body, at + 1, frame, found)
                } else {
                    Ok(Flow::More)
                }
            }
        }
    }

    /// Tries what holds at most once, and binds what it binds.
    fn holds(&self, step: &Step<'_>, frame: &mut Frame) -> Result<bool, Error> {
        let universe = self.memory.universe();
        Ok(match step {
            Step::Has { relation, args } => with_row(args, frame, |row| relation.contains(row)),
            Step::Compare(comparison, left, right) => {
                compare(universe, *comparison, frame[*left], frame[*right])
            }
            Step::Copy { from, to } => {
                frame[*to] = frame[*from];
                true
            }
            Step::Compute { operation, left, right, out } => {
                match apply(universe, *operation, frame[*left], frame[*right]) {
                    Some(result) => take(&[result], &[*out], frame),
                    None => false,
                }
            }
            Step::TakeApart { whole, functor, outs } => {
                let symbols = self.setting.symbols;
                match parts_of(universe, symbols, frame[*whole], *functor) {
                    Some(parts) => parts.len() == outs.len() && take(&parts, outs, frame),
                    None => false,
                }
            }
            Step::Make { whole, functor, args } => {
                let args: Vec<ValueId> = args.iter().map(|place| frame[*place]).collect();
                let made = make(universe, self.setting, *functor, &args)?;
                frame[*whole] = made;
                true
            }
            Step::None(body) => self.run(body, 0, frame, &mut |_| Ok(Flow::Enough))? == Flow::More,
            Step::Count { counted, bodies, out } => match self.count(counted, bodies, frame)? {
                Some(number) => take(&[number], &[*out], frame),
                None => false,
            },
            Step::Each { .. } | Step::Never => false,
        })
    }

    fn count(
        &self,
        counted: &[Place],
        bodies: &[Body<'_>],
        frame: &mut Frame,
    ) -> Result<Option<ValueId>, Error> {
        let mut rows = RowSet::new(counted.len());
        let limit = self.setting.limits.derived_facts;
        for body in bodies {
            self.run(body, 0, frame, &mut |frame| {
                let row: Vec<ValueId> = counted.iter().map(|place| frame[*place]).collect();
                rows.insert(&row);
                if rows.len() as u64 > limit {
                    Err(rulesmith_logic::Error::Limit { name: "derived-facts", limit })?;
                }
                Ok(Flow::More)
            })?;
        }
        let number = i32::try_from(rows.len()).ok().map(rulesmith_logic::Value::Int);
        Ok(number.map(|number| self.memory.universe().id(number)))
    }

    fn charge(&self) -> Result<(), rulesmith_logic::Error> {
        let spent = self.spent.get() + 1;
        self.spent.set(spent);
        let limit = self.setting.limits.inferences;
        if spent > limit {
            return Err(rulesmith_logic::Error::Limit { name: "inferences", limit });
        }
        if spent & (STOP_INTERVAL - 1) == 0 { self.setting.stop.check() } else { Ok(()) }
    }
}

/// Binds what a row binds, if the rest of it agrees.
fn take(row: &[ValueId], outs: &[Out], frame: &mut Frame) -> bool {
    row.iter().zip(outs).all(|(id, out)| match out {
        Out::Bind(place) => {
            frame[*place] = *id;
            true
        }
        Out::Check(place) => frame[*place] == *id,
    })
}

/// Does something with the ids at these places; short rows, which are the rule, cost no clearing.
fn with_row<T>(places: &[Place], frame: &Frame, work: impl FnOnce(&[ValueId]) -> T) -> T {
    match places {
        [] => work(&[]),
        [only] => work(&[frame[*only]]),
        [first, second] => work(&[frame[*first], frame[*second]]),
        _ => {
            let mut row = [ValueId::default(); MAX_ARITY];
            for (id, place) in row.iter_mut().zip(places) {
                *id = frame[*place];
            }
            work(&row[..places.len()])
        }
    }
}
