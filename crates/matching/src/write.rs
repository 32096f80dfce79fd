//! Writing code: one tree of conditions to one draft, and the drafts of the passages inside it.
//!
//! In: a tree and what is known at its start. Out: verified code, put behind the code of its passages.
//! Where nothing below a place binds what the conclusions below need, they are left after the first of
//! them holds: that is existential elimination. Invariant: places are known or not by the text alone.

use std::collections::BTreeSet;
use std::rc::Rc;

use indexmap::IndexSet;
use rulesmith_logic::{Comparison, Condition, PredicateId, Term, Var, condition_vars};
use rustc_hash::FxBuildHasher;

use crate::assemble::Answered;
use crate::bytecode::{Code, Conclusion, Draft, Instruction, NO_NODE, Place, Stored, Tuple};
use crate::error::Error;
use crate::relation::Mask;
use crate::surroundings::Surroundings;
use crate::tree::Node;
use crate::universe::{Universe, ValueId};
use crate::verify::verify;
use crate::way::{Way, way};

/// What the writer asks about the program around a tree.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) universe: &'a Rc<Universe>,
    /// For each procedure, how many arguments are known and how many it delivers.
    pub(crate) procedures: &'a [(usize, usize)],
    /// The procedure for a predicate, its arity and what is bound; and what it takes as known.
    pub(crate) find: &'a dyn Fn(PredicateId, (usize, Mask)) -> Result<(u32, Mask), Error>,
    pub(crate) answered: &'a dyn Fn(PredicateId) -> Option<Answered>,
}

/// A tree and what it concludes.
#[derive(Clone, Copy)]
pub(crate) struct Task<'t> {
    pub(crate) inputs: &'t [Var],
    pub(crate) n_registers: usize,
    pub(crate) roots: &'t [Node],
    pub(crate) arity: usize,
    pub(crate) known: Mask,
}

/// What the code of a tree depends on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    pub(crate) reads_state: bool,
    pub(crate) calls: Vec<u32>,
}

/// Writes a tree; what it depends on, and how many nodes it has.
pub(crate) fn write(
    context: Context<'_>,
    task: Task<'_>,
    codes: &mut Vec<Code>,
) -> Result<(Reading, u32), Error> {
    let mut writer = Writer::new(context, task, codes)?;
    writer.program(task)?;
    Ok((writer.reading, writer.next_node))
}

/// A place in the code that is not known yet.
pub(crate) type Label = usize;

/// A draft being written.
pub(crate) struct Writer<'a> {
    pub(crate) context: Context<'a>,
    pub(crate) codes: &'a mut Vec<Code>,
    pub(crate) draft: Draft,
    pub(crate) constants: IndexSet<ValueId, FxBuildHasher>,
    /// Which registers are bound here.
    pub(crate) bound: Vec<bool>,
    /// The register of each known argument of the conclusions, by column.
    pub(crate) known: Vec<Option<Place>>,
    /// The instructions that jump to each label.
    pub(crate) labels: Vec<Vec<usize>>,
    pub(crate) n_loops: u16,
    pub(crate) n_counts: u16,
    pub(crate) next_node: u32,
    /// In a passage conclusions are no nodes of the tree.
    pub(crate) numbers_conclusions: bool,
    pub(crate) reading: Reading,
}

/// Goes on with what comes after a condition.
pub(crate) type Inner<'i, 'a> = dyn FnMut(&mut Writer<'a>) -> Result<(), Error> + 'i;

impl<'a> Writer<'a> {
    pub(crate) fn new(
        context: Context<'a>,
        task: Task<'_>,
        codes: &'a mut Vec<Code>,
    ) -> Result<Self, Error> {
        let n_vars = task.n_registers;
        let mut inputs: Vec<Place> = Vec::new();
        let mut n_registers = n_vars;
        for var in task.inputs {
            // A register that stands for two arguments gets a second one, compared at the start.
            let place = if inputs.contains(&var.0) { n_registers } else { usize::from(var.0) };
            n_registers += usize::from(place == n_registers);
            inputs.push(to_place(place)?);
        }
        let mut bound = vec![false; n_registers];
        for input in &inputs {
            *bound.get_mut(usize::from(*input)).ok_or(Error::TooLarge { what: "registers" })? =
                true;
        }
        let mut next_input = inputs.iter().copied();
        let known = (0..task.arity)
            .map(|column| if task.known.has(column) { next_input.next() } else { None })
            .collect();
        let draft = Draft {
            inputs,
            n_registers: to_place(n_registers)?,
            arity: u8::try_from(task.arity).map_err(|_| Error::TooLarge { what: "arguments" })?,
            known: task.known,
            ..Draft::default()
        };
        Ok(Self {
            context,
            codes,
            draft,
            constants: IndexSet::default(),
            bound,
            known,
            labels: Vec::new(),
            n_loops: 0,
            n_counts: 0,
            next_node: 0,
            numbers_conclusions: true,
            reading: Reading::default(),
        })
    }

    pub(crate) fn program(&mut self, task: Task<'_>) -> Result<(), Error> {
        let end = self.label();
        for (input, var) in self.draft.inputs.clone().into_iter().zip(task.inputs) {
            if input != var.0 {
                self.push_to(Instruction::Equal { left: var.0, right: input, fail: 0 }, end);
            }
        }
        self.group(task.roots, None)?;
        self.place(end);
        self.push(Instruction::Stop, NO_NODE);
        self.draft.constants = self.constants.iter().copied().collect();
        let surroundings = Surroundings {
            n_values: self.context.universe.len(),
            procedures: self.context.procedures,
            codes: self.codes,
        };
        let code = verify(std::mem::take(&mut self.draft), surroundings)?;
        self.codes.push(code);
        Ok(())
    }

    /// Siblings. `leave` is where to go on after a conclusion, once nothing new can come before.
    fn group(&mut self, nodes: &[Node], leave: Option<Label>) -> Result<(), Error> {
        let own = (leave.is_none() && self.is_determined(nodes)).then(|| self.label());
        for node in nodes {
            self.node(node, leave.or(own))?;
        }
        if let Some(own) = own {
            self.place(own);
        }
        Ok(())
    }

    fn node(&mut self, node: &Node, leave: Option<Label>) -> Result<(), Error> {
        let own = (leave.is_none() && self.is_determined(std::slice::from_ref(node)))
            .then(|| self.label());
        let leave = leave.or(own);
        match node {
            Node::Condition { condition, children } => {
                let needed = || subtree_vars(children);
                self.scope(condition, &needed, &mut |writer| writer.group(children, leave))?;
            }
            Node::Conclusion { clause, row } => self.conclusion(*clause, row, leave)?,
        }
        if let Some(own) = own {
            self.place(own);
        }
        Ok(())
    }

    /// Have all conclusions below the same row, made of what is known already?
    fn is_determined(&self, nodes: &[Node]) -> bool {
        let mut common: Option<Vec<Term>> = None;
        self.agree(nodes, &mut common)
    }

    fn agree(&self, nodes: &[Node], common: &mut Option<Vec<Term>>) -> bool {
        nodes.iter().all(|node| match node {
            Node::Condition { children, .. } => self.agree(children, common),
            Node::Conclusion { row, .. } => {
                let unknown = row.iter().zip(&self.known).filter(|(_, known)| known.is_none());
                let mut terms = unknown.map(|(term, _)| *term);
                if let Some(common) = common {
                    return common.iter().copied().eq(terms);
                }
                let found: Vec<Term> = terms.by_ref().collect();
                let is_known = found.iter().all(|term| self.is_known(*term));
                *common = Some(found);
                is_known
            }
        })
    }

    fn conclusion(
        &mut self,
        clause: usize,
        row: &[Term],
        leave: Option<Label>,
    ) -> Result<(), Error> {
        if row.len() != usize::from(self.draft.arity) {
            return Err(Error::TooLarge { what: "arguments in a conclusion" });
        }
        let node = if self.numbers_conclusions { self.number() } else { NO_NODE };
        let fail = self.label();
        let mut places = Vec::new();
        for (term, known) in row.iter().zip(self.known.clone()) {
            let place = self.read(*term)?;
            // A known argument that the head gives otherwise is compared.
            if let Some(known) = known
                && known != place
            {
                self.push_to(Instruction::Equal { left: place, right: known, fail: 0 }, fail);
            }
            places.push(place);
        }
        let conclusion = to_index(self.draft.conclusions.len(), "conclusions")?;
        self.draft.conclusions.push(Conclusion { clause, row: places });
        let at = self.push(Instruction::Emit { conclusion, exit: 0 }, node);
        self.labels[leave.unwrap_or(fail)].push(at);
        self.place(fail);
        Ok(())
    }

    /// A condition and what comes after it; what it binds is unknown again behind it.
    fn scope(
        &mut self,
        condition: &Condition,
        needed: &dyn Fn() -> BTreeSet<Var>,
        inner: &mut Inner<'_, 'a>,
    ) -> Result<(), Error> {
        let before = self.bound.clone();
        let fail = self.label();
        self.condition(condition, fail, needed, inner)?;
        self.place(fail);
        self.bound = before;
        Ok(())
    }

    fn condition(
        &mut self,
        condition: &Condition,
        fail: Label,
        needed: &dyn Fn() -> BTreeSet<Var>,
        inner: &mut Inner<'_, 'a>,
    ) -> Result<(), Error> {
        let node = self.number();
        let known = way(condition, &|term| self.is_known(term))?;
        let Some(known) = known else { return Err(self.unbound(condition)) };
        match known {
            Way::Holds(atom) => return self.holds(atom, (node, fail), needed, inner),
            Way::Member(term, domain) => {
                let lookup = self.stored(Stored::Domain(domain), &[term])?;
                return self.stored_loop(lookup, (node, fail), inner);
            }
            Way::Elsewhere { by, quantifier, body } => {
                let lookup = self.elsewhere(by, quantifier, body, needed)?;
                return self.asked_loop(lookup, (node, fail), inner);
            }
            Way::None { body, .. } => self.none(body, (node, fail))?,
            Way::Count { counted, body, result } => {
                self.count((counted, body), result, (node, fail))?;
            }
            Way::Compare(comparison, left, right) => {
                let (left, right) = (self.read(left)?, self.read(right)?);
                let instruction = match comparison {
                    Comparison::Equal => Instruction::Equal { left, right, fail: 0 },
                    Comparison::Unequal => Instruction::Unequal { left, right, fail: 0 },
                    _ => Instruction::Order { comparison, left, right, fail: 0 },
                };
                self.push_node_to(instruction, node, fail);
            }
            Way::Bind(var, term) => {
                let from = self.read(term)?;
                let to = self.bind(var)?;
                self.push(Instruction::Copy { from, to }, node);
            }
            Way::Compute { operation, left, right, result } => {
                let (left, right) = (self.read(left)?, self.read(right)?);
                let out = self.out(result)?;
                let compute = Instruction::Compute { operation, left, right, out, fail: 0 };
                self.push_node_to(compute, node, fail);
            }
            Way::TakeApart { whole, functor, args } => {
                let whole = self.read(whole)?;
                let shape = self.shape(functor, args)?;
                self.push_node_to(Instruction::TakeApart { shape, whole, fail: 0 }, node, fail);
            }
            Way::Make { whole, functor, args } => {
                let shape = self.shape(functor, args)?;
                let whole = self.bind(whole)?;
                self.push(Instruction::Make { shape, whole }, node);
            }
        }
        inner(self)
    }

    fn none(&mut self, body: &[Condition], (node, fail): (u32, Label)) -> Result<(), Error> {
        let end = self.label();
        self.push_node_to(Instruction::NoneBegin { end: 0 }, node, end);
        self.chain(body, &[], &mut |writer, _| {
            writer.push_node_to(Instruction::NoneEnd { fail: 0 }, node, fail);
            Ok(())
        })?;
        self.place(end);
        Ok(())
    }

    fn count(
        &mut self,
        (counted, body): (&[Var], &[Condition]),
        result: Term,
        (node, fail): (u32, Label),
    ) -> Result<(), Error> {
        let alternatives: Vec<&[Condition]> = match body {
            [Condition::AnyOf(bodies)] => bodies.iter().map(Vec::as_slice).collect(),
            body => vec![body],
        };
        let tally = self.n_counts;
        self.n_counts = tally.checked_add(1).ok_or(Error::TooLarge { what: "counts" })?;
        self.draft.n_tallies = self.draft.n_tallies.max(self.n_counts);
        self.push(Instruction::CountBegin { tally }, node);
        for alternative in &alternatives {
            let before = self.bound.clone();
            let repeats = alternatives.len() > 1 || self.can_repeat(counted, alternative);
            self.chain(alternative, counted, &mut |writer, exit| {
                let row = counted.iter().map(|var| writer.read(Term::Var(*var)));
                let row = row.collect::<Result<_, _>>()?;
                let tuple = to_index(writer.draft.tuples.len(), "counts")?;
                writer.draft.tuples.push(Tuple { row, repeats });
                let add = Instruction::CountAdd { tally, tuple, exit: 0 };
                writer.push_node_to(add, node, exit);
                Ok(())
            })?;
            self.bound = before;
        }
        let out = self.out(result)?;
        self.push_node_to(Instruction::CountEnd { tally, out, fail: 0 }, node, fail);
        self.n_counts -= 1;
        Ok(())
    }

    /// Does the body bind more than is counted? Rows are distinct, so it repeats no tuple otherwise.
    fn can_repeat(&self, counted: &[Var], body: &[Condition]) -> bool {
        let binds = |condition: &Condition| match condition {
            Condition::None { .. } => false,
            Condition::Elsewhere { .. } => true,
            condition => condition_vars(condition)
                .iter()
                .any(|var| !self.is_known(Term::Var(*var)) && !counted.contains(var)),
        };
        body.iter().any(binds)
    }

    /// A body from left to right. The label given to what comes last stands behind the conditions that
    /// bind none of the wanted variables.
    fn chain(
        &mut self,
        body: &[Condition],
        wanted: &[Var],
        last: &mut dyn FnMut(&mut Self, Label) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let before = self.bound.clone();
        self.links(body, wanted, None, last)?;
        self.bound = before;
        Ok(())
    }

    fn links(
        &mut self,
        body: &[Condition],
        wanted: &[Var],
        exit: Option<Label>,
        last: &mut dyn FnMut(&mut Self, Label) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let is_settled = wanted.iter().all(|var| self.is_known(Term::Var(*var)));
        let own = (exit.is_none() && is_settled).then(|| self.label());
        let exit = exit.or(own);
        match body {
            [] => {
                let behind = self.label();
                last(self, exit.unwrap_or(behind))?;
                self.place(behind);
            }
            [first, rest @ ..] => {
                let needed =
                    || rest.iter().flat_map(condition_vars).chain(wanted.iter().copied()).collect();
                self.scope(first, &needed, &mut |writer| writer.links(rest, wanted, exit, last))?;
            }
        }
        if let Some(own) = own {
            self.place(own);
        }
        Ok(())
    }
}

fn subtree_vars(nodes: &[Node]) -> BTreeSet<Var> {
    let mut vars = BTreeSet::new();
    for node in nodes {
        match node {
            Node::Condition { condition, children } => {
                vars.extend(condition_vars(condition));
                vars.extend(subtree_vars(children));
            }
            Node::Conclusion { row, .. } => vars.extend(row.iter().filter_map(|term| match term {
                Term::Var(var) => Some(*var),
                Term::Value(_) => None,
            })),
        }
    }
    vars
}

pub(crate) fn to_place(place: usize) -> Result<Place, Error> {
    Place::try_from(place).map_err(|_| Error::TooLarge { what: "registers" })
}

pub(crate) fn to_index(index: usize, what: &'static str) -> Result<u32, Error> {
    u32::try_from(index).map_err(|_| Error::TooLarge { what })
}
