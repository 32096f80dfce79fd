//! The tree of conditions: clauses that answer one call, merged where their beginnings agree.
//!
//! In: clauses of one predicate and the arguments that are known when it is called. Out: one tree in
//! which every variable is a register. Paper: metameta §4, admheur §3.2. Invariant: the conditions on
//! the path to a conclusion are those of its clause, in a safe order; a condition that several clauses
//! would try next is tried once, and a clause takes a dearer order only where the whole tree gains.

mod key;
mod prepare;
mod render;
mod written;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use rulesmith_logic::{Clause, Condition, Var, substitute_term};
use rulesmith_matching::{Node, Tree};
use rustc_hash::FxBuildHasher;

use crate::condition_order::{Body, Inside, OrderError, Plan};
use crate::estimates::Estimates;
use key::{Registers, key};
use prepare::{Prepared, prepare};

pub use render::render_tree;
pub use written::written_tree;

/// A clause has no place in a tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("clause {clause}: {why}")]
pub struct TreeError {
    /// Its number.
    pub clause: usize,
    /// Why not.
    pub why: OrderError,
}

/// A tree, and what its registers were in the clauses it was made of.
#[derive(Clone, Debug, Default)]
pub struct NamedTree {
    /// The tree.
    pub tree: Tree,
    /// For each clause by its number, which variable of it each register holds on the way to its
    /// conclusion.
    pub registers: BTreeMap<usize, BTreeMap<Var, Var>>,
}

/// Merges clauses, each with its number, into the tree that answers calls with these known arguments.
pub fn build_tree(
    estimates: &Estimates,
    known: &[bool],
    clauses: &[(usize, &Clause)],
) -> Result<Tree, TreeError> {
    Ok(build_named_tree(estimates, known, clauses, &|| false)?.tree)
}

/// [`build_tree`], for a tree that is shown to people. Once it is stopped, the first tree does.
pub fn build_named_tree(
    estimates: &Estimates,
    known: &[bool],
    clauses: &[(usize, &Clause)],
    is_stopped: &dyn Fn() -> bool,
) -> Result<NamedTree, TreeError> {
    let error = |clause: usize| move |why: OrderError| TreeError { clause, why };
    let mut prepared = Vec::with_capacity(clauses.len());
    for (number, clause) in clauses {
        prepared.push(prepare(*number, clause, known).map_err(error(*number))?);
    }
    let mut plans = Vec::with_capacity(clauses.len());
    for prepared in &prepared {
        let body = Body {
            conditions: &prepared.conditions,
            known: &prepared.known,
            outside: &prepared.outside,
        };
        plans.push(Plan::new(estimates, body).map_err(error(prepared.number))?);
    }
    let mut best: Option<(f64, NamedTree)> = None;
    for slack in SLACKS {
        let (cost, tree) = merge(estimates, known, &prepared, &plans, slack)?;
        if best.as_ref().is_none_or(|(least, _)| cost < least * (1.0 - SMALL_GAIN)) {
            best = Some((cost, tree));
        }
        if clauses.len() < 2 || is_stopped() {
            break;
        }
    }
    Ok(best.map(|(_, tree)| tree).unwrap_or_default())
}

/// How many times more than its own best order a clause may pay for what is left, so that it shares
/// what it tries next. Each is tried, and the tree that costs least under the model is kept.
const SLACKS: [f64; 5] = [1.0, 1.5, 3.0, 10.0, f64::INFINITY];

/// A tree that is cheaper by less than this part is not taken for cheaper.
const SMALL_GAIN: f64 = 0.01;

/// One way to merge the clauses, and what it is expected to cost.
fn merge(
    estimates: &Estimates,
    known: &[bool],
    prepared: &[Prepared],
    plans: &[Plan<'_>],
    slack: f64,
) -> Result<(f64, NamedTree), TreeError> {
    let mut branches = Vec::with_capacity(prepared.len());
    for (prepared, plan) in prepared.iter().zip(plans) {
        let error = |why: OrderError| TreeError { clause: prepared.number, why };
        let registers = Registers::of_inputs(&prepared.inputs).map_err(error)?;
        let placed = vec![false; prepared.conditions.len()];
        branches.push(Branch { prepared, plan, placed, registers });
    }
    let mut builder = Builder { slack, ..Builder::new(estimates) };
    let roots = builder.grow(branches, 1.0)?;
    Ok((builder.cost, builder.into_tree(known, roots)))
}

/// A clause on its way down the tree.
struct Branch<'a> {
    prepared: &'a Prepared,
    plan: &'a Plan<'a>,
    placed: Vec<bool>,
    registers: Registers,
}

/// A condition a branch may try next: as it stands in the tree, and the registers afterwards.
struct Offer {
    place: usize,
    registers: Registers,
    /// How many times more than the least the branch pays for the rest if this is next.
    regret: f64,
}

struct Builder<'a> {
    estimates: &'a Estimates,
    n_registers: usize,
    slack: f64,
    /// How many conditions are expected to hold in the nodes so far.
    cost: f64,
    registers: BTreeMap<usize, BTreeMap<Var, Var>>,
}

/// The branches that would try each condition next, with what they offer.
type Sharers = IndexMap<Condition, Vec<(usize, Offer)>, FxBuildHasher>;

impl<'a> Builder<'a> {
    fn new(estimates: &'a Estimates) -> Self {
        Self { estimates, n_registers: 0, slack: 1.0, cost: 0.0, registers: BTreeMap::new() }
    }

    fn into_tree(self, known: &[bool], roots: Vec<Node>) -> NamedTree {
        let n_inputs = known.iter().filter(|known| **known).count();
        let inputs = (0..n_inputs).map_while(|input| u16::try_from(input).ok().map(Var)).collect();
        let n_registers = self.n_registers.max(n_inputs);
        NamedTree { tree: Tree { inputs, n_registers, roots }, registers: self.registers }
    }
}

impl Builder<'_> {
    /// The nodes for branches that have come the same way; they are reached so many times.
    fn grow(&mut self, branches: Vec<Branch<'_>>, times: f64) -> Result<Vec<Node>, TreeError> {
        let mut nodes = Vec::new();
        let mut open: Vec<Option<Branch<'_>>> = Vec::new();
        for branch in branches {
            if branch.placed.iter().all(|placed| *placed) {
                nodes.push(self.conclude(&branch)?);
            } else {
                open.push(Some(branch));
            }
        }
        let mut sharers = Sharers::default();
        for (number, branch) in open.iter().flatten().enumerate() {
            self.offer(number, branch, &mut sharers)?;
        }
        while let Some((condition, taken)) = self.take_best(&mut sharers, &open) {
            let mut children = Vec::with_capacity(taken.len());
            let mut below = None;
            for (number, offer) in taken {
                let branch = open[number].take();
                let mut branch = branch.expect("a branch is offered until it is taken");
                if below.is_none() {
                    below = Some(self.pay(&branch, offer.place, times));
                }
                branch.placed[offer.place] = true;
                branch.registers = offer.registers;
                children.push(branch);
            }
            nodes.push(self.grow_below(condition, children, below.unwrap_or(times))?);
        }
        Ok(nodes)
    }

    fn grow_below(
        &mut self,
        condition: Condition,
        mut branches: Vec<Branch<'_>>,
        times: f64,
    ) -> Result<Node, TreeError> {
        let children = match branches.pop() {
            Some(branch) if branches.is_empty() => vec![self.grow_alone(branch, times)?],
            last => {
                branches.extend(last);
                self.grow(branches, times)?
            }
        };
        Ok(Node::Condition { condition, children })
    }

    /// The rest of a clause that shares nothing more: a chain, built from its end.
    fn grow_alone(&mut self, mut branch: Branch<'_>, times: f64) -> Result<Node, TreeError> {
        let mut times = times;
        let error = branch.error();
        let mut chain = Vec::new();
        for place in branch.plan.order_rest(branch.placed.clone()).map_err(&error)? {
            let (condition, registers) = self.key(&branch, place)?;
            times = self.pay(&branch, place, times);
            branch.registers = registers;
            branch.placed[place] = true;
            chain.push(condition);
        }
        let end = self.conclude(&branch)?;
        let around = |node, condition| Node::Condition { condition, children: vec![node] };
        Ok(chain.into_iter().rev().fold(end, around))
    }

    /// Adds what a branch may as well try next.
    fn offer(
        &self,
        number: usize,
        branch: &Branch<'_>,
        sharers: &mut Sharers,
    ) -> Result<(), TreeError> {
        let near = branch.plan.near(&branch.placed, self.slack).map_err(branch.error())?;
        for (place, regret) in near {
            let (condition, registers) = self.key(branch, place)?;
            let sharing = sharers.entry(condition).or_default();
            // A clause that says the same twice offers it once.
            if sharing.last().is_none_or(|(last, _)| *last != number) {
                sharing.push((number, Offer { place, registers, regret }));
            }
        }
        Ok(())
    }

    /// Notes what the condition costs; how many times what comes after it is reached.
    fn pay(&mut self, branch: &Branch<'_>, place: usize, times: f64) -> f64 {
        let (branching, cost) = branch.plan.expected(place, &branch.placed);
        self.cost += times * (branching + cost);
        times * branching
    }

    /// Takes the condition to try next. With no slack it is the one that saves most when those who
    /// offer it try it once instead of each for itself; with slack the one most branches offer, and of
    /// these the one they regret least.
    fn take_best(
        &self,
        sharers: &mut Sharers,
        open: &[Option<Branch<'_>>],
    ) -> Option<(Condition, Vec<(usize, Offer)>)> {
        for sharing in sharers.values_mut() {
            sharing.retain(|(number, _)| open[*number].is_some());
        }
        sharers.retain(|_, sharing| !sharing.is_empty());
        let mut best: Option<((f64, f64), usize)> = None;
        for (index, sharing) in sharers.values().enumerate() {
            let merit = if self.slack > 1.0 {
                let regret: f64 = sharing.iter().map(|(_, offer)| offer.regret).sum();
                (f64::from(u32::try_from(sharing.len()).unwrap_or(u32::MAX)), -regret)
            } else {
                (saved(sharing, open), 0.0)
            };
            if best.is_none_or(|(most, _)| merit > most) {
                best = Some((merit, index));
            }
        }
        let (_, index) = best?;
        sharers.shift_remove_index(index)
    }

    fn key(&self, branch: &Branch<'_>, place: usize) -> Result<(Condition, Registers), TreeError> {
        let bound = branch.registers.bound();
        let around = &branch.prepared.around[place];
        let inside = Inside { estimates: self.estimates, around, bound: &bound };
        let condition = inside.order(&branch.prepared.conditions[place]);
        key(&condition.map_err(branch.error())?, &branch.registers).map_err(branch.error())
    }

    fn conclude(&mut self, branch: &Branch<'_>) -> Result<Node, TreeError> {
        let registers = &branch.registers;
        self.n_registers = self.n_registers.max(registers.n_used());
        if let Some(open) = branch.prepared.head_vars().find(|var| registers.get(*var).is_none()) {
            return Err(branch.error()(OrderError::OpenHead(open)));
        }
        self.registers.insert(branch.prepared.number, registers.held());
        let row = branch.prepared.row.iter();
        let row = row.map(|term| substitute_term(*term, &|var| registers.term(var))).collect();
        Ok(Node::Conclusion { clause: branch.prepared.number, row })
    }
}

impl Branch<'_> {
    fn error(&self) -> impl Fn(OrderError) -> TreeError + use<> {
        let clause = self.prepared.number;
        move |why| TreeError { clause, why }
    }
}

fn saved(sharing: &[(usize, Offer)], open: &[Option<Branch<'_>>]) -> f64 {
    let [(number, offer), others @ ..] = sharing else { return 0.0 };
    let Some(branch) = &open[*number] else { return 0.0 };
    if others.is_empty() {
        return 0.0;
    }
    let n_others = u32::try_from(others.len()).unwrap_or(u32::MAX);
    f64::from(n_others) * branch.plan.cost(offer.place, &branch.placed)
}
