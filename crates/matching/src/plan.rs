//! Plans: in which order a search tries the conditions of a conjunction, and how each.
//!
//! In: flat conditions, a memory, what is bound. Out: steps whose operands are places in one frame of
//! ids, constants behind the variables. Invariant: every place a step reads was written by an earlier
//! step, was bound at the start, or holds a constant.

use std::cell::Cell;
use std::collections::BTreeSet;

use rulesmith_logic::{
    Comparison, Condition, Expr, Operation, Symbol, Term, Value, Var, condition_vars,
};

use crate::error::Error;
use crate::memory::Memory;
use crate::relation::{MAX_ARITY, Mask, Relation};
use crate::universe::ValueId;
use crate::way::{Way, way};

/// A place in the frame.
pub(crate) type Place = usize;

/// What happens to one column of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Out {
    /// It is bound.
    Bind(Place),
    /// It must be equal.
    Check(Place),
}

/// One condition, ready.
#[derive(Debug)]
pub(crate) enum Step<'m> {
    Each {
        relation: &'m Relation,
        mask: Mask,
        keys: Vec<Place>,
        outs: Vec<Out>,
    },
    Has {
        relation: &'m Relation,
        args: Vec<Place>,
    },
    Compare(Comparison, Place, Place),
    Copy {
        from: Place,
        to: Place,
    },
    Compute {
        operation: Operation,
        left: Place,
        right: Place,
        out: Out,
    },
    TakeApart {
        whole: Place,
        functor: Symbol,
        outs: Vec<Out>,
    },
    Make {
        whole: Place,
        functor: Symbol,
        args: Vec<Place>,
    },
    None(Body<'m>),
    Count {
        counted: Vec<Place>,
        bodies: Vec<Body<'m>>,
        out: Out,
    },
    /// There are no such facts.
    Never,
}

/// Steps in the order they are tried.
#[derive(Debug)]
pub(crate) struct Body<'m> {
    pub(crate) steps: Vec<Step<'m>>,
    /// The place of each step among the conditions.
    pub(crate) places: Vec<usize>,
    /// How many steps were ever tried.
    pub(crate) n_tried: Cell<usize>,
}

/// A conjunction ready to be searched.
#[derive(Debug)]
pub(crate) struct Plan<'m> {
    pub(crate) body: Body<'m>,
    /// The variables the search binds.
    pub(crate) outputs: Vec<usize>,
    n_vars: usize,
    constants: Vec<ValueId>,
}

impl<'m> Plan<'m> {
    pub(crate) fn new(
        memory: &'m Memory,
        conditions: &[Condition],
        bound: &[Option<ValueId>],
    ) -> Result<Self, Error> {
        let vars: BTreeSet<Var> = conditions.iter().flat_map(condition_vars).collect();
        let n_used = vars.last().map_or(0, |var| usize::from(var.0) + 1);
        let n_vars = n_used.max(bound.len());
        let mut known = vec![false; n_vars];
        for (place, value) in bound.iter().enumerate() {
            known[place] = value.is_some();
        }
        let start = known.clone();
        let mut planner = Planner { memory, bound, known, constants: Vec::new() };
        let body = planner.order(conditions, &BTreeSet::new())?;
        let is_output = |place: &usize| planner.known[*place] && !start[*place];
        let outputs = (0..bound.len()).filter(is_output).collect();
        Ok(Self { body, outputs, n_vars, constants: planner.constants })
    }

    /// The frame at the start of a search.
    pub(crate) fn frame(&self, bound: &[Option<ValueId>]) -> Vec<ValueId> {
        let mut frame = vec![ValueId::default(); self.n_vars];
        for (place, value) in bound.iter().enumerate() {
            frame[place] = value.unwrap_or_default();
        }
        frame.extend(&self.constants);
        frame
    }
}

struct Planner<'m, 'b> {
    memory: &'m Memory,
    bound: &'b [Option<ValueId>],
    known: Vec<bool>,
    constants: Vec<ValueId>,
}

/// Conditions to be ordered, each with its variables, and the variables that occur around all of them.
struct Pool<'c> {
    conditions: &'c [Condition],
    vars: &'c [BTreeSet<Var>],
    outside: &'c BTreeSet<Var>,
}

impl Pool<'_> {
    /// The variables that occur around one of the conditions.
    fn around(&self, place: usize) -> BTreeSet<Var> {
        let others = self.vars.iter().enumerate().filter(|(other, _)| *other != place);
        others.flat_map(|(_, vars)| vars).chain(self.outside).copied().collect()
    }
}

/// How soon a condition is tried: less is sooner.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Urgency {
    /// It costs next to nothing and delivers at most once.
    Now,
    /// It asks other conditions, but only whether they hold.
    Soon,
    /// It delivers so many rows on average, and this many others wait for what it binds (negated).
    Rows(f64, f64),
    /// It delivers several rows nobody waits for.
    Last(f64),
}

impl<'m> Planner<'m, '_> {
    /// Orders the conditions; `outside` are the variables that occur around them.
    fn order(
        &mut self,
        conditions: &[Condition],
        outside: &BTreeSet<Var>,
    ) -> Result<Body<'m>, Error> {
        let vars: Vec<BTreeSet<Var>> = conditions.iter().map(free_vars).collect();
        let pool = Pool { conditions, vars: &vars, outside };
        let mut pending: Vec<usize> = (0..conditions.len()).collect();
        let (mut steps, mut places) = (Vec::new(), Vec::new());
        while !pending.is_empty() {
            let Some(index) = self.most_urgent(&pool, &pending)? else {
                let mut unknown = pending.iter().flat_map(|place| &vars[*place]);
                let variable = unknown.find(|var| !self.known[usize::from(var.0)]);
                return Err(Error::Unbound { variable: variable.copied().unwrap_or(Var(0)) });
            };
            let place = pending.remove(index);
            places.push(place);
            steps.push(self.step(&pool, place)?);
        }
        Ok(Body { steps, places, n_tried: Cell::new(0) })
    }

    /// Which of the conditions that are left is tried next, if one can be.
    fn most_urgent(&self, pool: &Pool<'_>, pending: &[usize]) -> Result<Option<usize>, Error> {
        let mut best: Option<(Urgency, usize)> = None;
        for (index, place) in pending.iter().enumerate() {
            let Some(urgency) = self.urgency(pool, *place, pending)? else { continue };
            if urgency == Urgency::Now {
                return Ok(Some(index));
            }
            if best.is_none_or(|(least, _)| urgency < least) {
                best = Some((urgency, index));
            }
        }
        Ok(best.map(|(_, index)| index))
    }

    fn urgency(
        &self,
        pool: &Pool<'_>,
        place: usize,
        pending: &[usize],
    ) -> Result<Option<Urgency>, Error> {
        let condition = &pool.conditions[place];
        let Some(way) = way(condition, &|term| self.is_known(term))? else { return Ok(None) };
        let rows = match way {
            Way::Holds(atom) => match self.memory.relation(atom.predicate) {
                Some(relation) => self.mean_rows(relation, &atom.args),
                None => return Ok(Some(Urgency::Now)),
            },
            Way::Member(term, domain) if !self.is_known(term) => {
                self.memory.fixed().domain(domain).map_or(0.0, |relation| to_float(relation.len()))
            }
            Way::None { locals, body } => {
                let around = pool.around(place);
                return Ok(self.is_settled(locals, body, &around).then_some(Urgency::Soon));
            }
            Way::Count { counted, body, result } => {
                let mut around = pool.around(place);
                around.extend(as_var(result));
                return Ok(self.is_settled(counted, body, &around).then_some(Urgency::Soon));
            }
            Way::Elsewhere { .. } => return Err(Error::NotFlat { what: "a passage in a search" }),
            _ => return Ok(Some(Urgency::Now)),
        };
        let is_unknown = |var: &&Var| !self.known[usize::from(var.0)];
        let unknown: Vec<&Var> = pool.vars[place].iter().filter(is_unknown).collect();
        if unknown.is_empty() {
            return Ok(Some(Urgency::Now));
        }
        let waits = |other: &&usize| {
            **other != place && unknown.iter().any(|var| pool.vars[**other].contains(var))
        };
        let n_waiting = pending.iter().filter(waits).count();
        Ok(Some(if n_waiting == 0 && rows >= 1.0 {
            Urgency::Last(rows)
        } else {
            Urgency::Rows(rows, -to_float(n_waiting))
        }))
    }

    /// Are the variables bound that the body shares with what is around it?
    fn is_settled(&self, own: &[Var], body: &[Condition], around: &BTreeSet<Var>) -> bool {
        let inside = body.iter().flat_map(condition_vars).filter(|var| !own.contains(var));
        inside.filter(|var| around.contains(var)).all(|var| self.known[usize::from(var.0)])
    }

    /// How many rows a look-up delivers: exactly, when its key is known already, else on average.
    fn mean_rows(&self, relation: &Relation, args: &[Term]) -> f64 {
        if args.len() != relation.arity() {
            return 0.0;
        }
        let mask = Mask::new(args.iter().map(|term| self.is_known(*term)));
        let known = args.iter().filter(|term| self.is_known(**term));
        let key: Option<Vec<ValueId>> = known.map(|term| self.value_now(*term)).collect();
        match key {
            Some(key) => to_float(relation.count(mask, &key)),
            None => to_float(relation.len()) / to_float(relation.n_keys(mask).max(1)),
        }
    }

    fn value_now(&self, term: Term) -> Option<ValueId> {
        match term {
            Term::Var(var) => self.bound.get(usize::from(var.0)).copied().flatten(),
            Term::Value(value) => self.memory.universe().find(value),
        }
    }

    fn step(&mut self, pool: &Pool<'_>, place: usize) -> Result<Step<'m>, Error> {
        let condition = &pool.conditions[place];
        let known = way(condition, &|term| self.is_known(term))?;
        Ok(match known.expect("only a condition with a way is chosen") {
            Way::Holds(atom) => {
                let relation = self.memory.relation(atom.predicate);
                match relation {
                    Some(relation) if relation.arity() != atom.args.len() => {
                        return Err(Error::Arity { predicate: atom.predicate });
                    }
                    _ => self.look_up(relation, &atom.args),
                }
            }
            Way::Member(term, domain) => self.look_up(self.memory.fixed().domain(domain), &[term]),
            Way::Compare(comparison, left, right) => {
                Step::Compare(comparison, self.place(left), self.place(right))
            }
            Way::Bind(var, term) => {
                let from = self.place(term);
                Step::Copy { from, to: self.bind(var) }
            }
            Way::Compute { operation, left, right, result } => {
                let (left, right) = (self.place(left), self.place(right));
                Step::Compute { operation, left, right, out: self.out(result) }
            }
            Way::TakeApart { whole, functor, args } => {
                let whole = self.place(whole);
                let outs = args.iter().map(|term| self.out(*term)).collect();
                Step::TakeApart { whole, functor, outs }
            }
            Way::Make { whole, functor, args } => {
                let args = args.iter().map(|term| self.place(*term)).collect();
                Step::Make { whole: self.bind(whole), functor, args }
            }
            Way::None { body, .. } => Step::None(self.inner(body, &pool.around(place))?),
            Way::Count { counted, body, result } => {
                self.count(counted, body, result, pool.around(place))?
            }
            Way::Elsewhere { .. } => return Err(Error::NotFlat { what: "a passage in a search" }),
        })
    }

    fn look_up(&mut self, relation: Option<&'m Relation>, args: &[Term]) -> Step<'m> {
        let mask = Mask::new(args.iter().map(|term| self.is_known(*term)));
        let (known, unknown): (Vec<Term>, Vec<Term>) =
            args.iter().partition(|term| self.is_known(**term));
        let keys: Vec<Place> = known.iter().map(|term| self.place(*term)).collect();
        let outs: Vec<Out> = unknown.iter().map(|term| self.out(*term)).collect();
        match relation {
            Some(relation) if args.len() <= MAX_ARITY && outs.is_empty() => {
                Step::Has { relation, args: keys }
            }
            Some(relation) if args.len() <= MAX_ARITY => Step::Each { relation, mask, keys, outs },
            _ => Step::Never,
        }
    }

    fn count(
        &mut self,
        counted: &[Var],
        body: &[Condition],
        result: Term,
        mut around: BTreeSet<Var>,
    ) -> Result<Step<'m>, Error> {
        around.extend(counted);
        let alternatives: Vec<&[Condition]> = match body {
            [Condition::AnyOf(bodies)] => bodies.iter().map(Vec::as_slice).collect(),
            body => vec![body],
        };
        let mut bodies = Vec::new();
        for alternative in alternatives {
            let before = self.known.clone();
            bodies.push(self.order(alternative, &around)?);
            if let Some(variable) = counted.iter().find(|var| !self.is_known(Term::Var(**var))) {
                return Err(Error::Unbound { variable: *variable });
            }
            self.known = before;
        }
        let counted = counted.iter().map(|var| usize::from(var.0)).collect();
        Ok(Step::Count { counted, bodies, out: self.out(result) })
    }

    fn inner(&mut self, body: &[Condition], around: &BTreeSet<Var>) -> Result<Body<'m>, Error> {
        let before = self.known.clone();
        let ordered = self.order(body, around)?;
        self.known = before;
        Ok(ordered)
    }

    fn is_known(&self, term: Term) -> bool {
        match term {
            Term::Var(var) => self.known[usize::from(var.0)],
            Term::Value(_) => true,
        }
    }

    fn place(&mut self, term: Term) -> Place {
        match term {
            Term::Var(var) => usize::from(var.0),
            Term::Value(value) => self.constant(value),
        }
    }

    fn constant(&mut self, value: Value) -> Place {
        let id = self.memory.universe().id(value);
        let found = self.constants.iter().position(|other| *other == id);
        let index = found.unwrap_or_else(|| {
            self.constants.push(id);
            self.constants.len() - 1
        });
        self.known.len() + index
    }

    fn bind(&mut self, var: Var) -> Place {
        self.known[usize::from(var.0)] = true;
        usize::from(var.0)
    }

    fn out(&mut self, term: Term) -> Out {
        match term {
            Term::Var(var) if !self.is_known(term) => Out::Bind(self.bind(var)),
            term => Out::Check(self.place(term)),
        }
    }
}

/// The variables of a condition but for those it declares as its own.
fn free_vars(condition: &Condition) -> BTreeSet<Var> {
    let mut vars = condition_vars(condition);
    match condition {
        Condition::None { locals, .. } => vars.retain(|var| !locals.contains(var)),
        Condition::Compare(_, left, right) => {
            for side in [left, right] {
                if let Expr::Count { counted, .. } = side {
                    vars.retain(|var| !counted.contains(var));
                }
            }
        }
        _ => {}
    }
    vars
}

fn as_var(term: Term) -> Option<Var> {
    match term {
        Term::Var(var) => Some(var),
        Term::Value(_) => None,
    }
}

fn to_float(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::MAX, f64::from)
}
