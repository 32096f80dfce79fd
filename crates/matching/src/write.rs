//! Writing code: one tree of conditions to one draft, and the drafts of the passages inside it.
//!
//! In: a tree and what is known at its start. Out: verified code, put behind the code of its passages.
//! Where nothing below a place binds what the conclusions below need, they are left after the first of
//! them holds: that is existential elimination. Invariant: places are known or not by the text alone.

use std::collections::BTreeSet;
use std::rc::Rc;

use indexmap::IndexSet;
use rulesmith_logic::{
    Atom, Comparison, Condition, PredicateId, Quantifier, Symbol, Term, Value, Var, condition_vars,
};
use rustc_hash::FxBuildHasher;

use crate::assemble::Answered;
use crate::bytecode::{
    Code, Conclusion, Draft, Instruction, Lookup, NO_NODE, Out, Place, Shape, Source, Stored,
    Target, Tuple,
};
use crate::error::Error;
use crate::relation::{MAX_ARITY, Mask};
use crate::tree::Node;
use crate::universe::{Universe, ValueId};
use crate::verify::{Surroundings, verify};
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
type Label = usize;

struct Writer<'a> {
    context: Context<'a>,
    codes: &'a mut Vec<Code>,
    draft: Draft,
    constants: IndexSet<ValueId, FxBuildHasher>,
    /// Which registers are bound here.
    bound: Vec<bool>,
    /// The register of each known argument of the conclusions, by column.
    known: Vec<Option<Place>>,
    /// The instructions that jump to each label.
    labels: Vec<Vec<usize>>,
    n_loops: u16,
    n_counts: u16,
    next_node: u32,
    /// In a passage conclusions are no nodes of the tree.
    numbers_conclusions: bool,
    reading: Reading,
}

/// Goes on with what comes after a condition.
type Inner<'i, 'a> = dyn FnMut(&mut Writer<'a>) -> Result<(), Error> + 'i;

impl<'a> Writer<'a> {
    fn new(context: Context<'a>, task: Task<'_>, codes: &'a mut Vec<Code>) -> Result<Self, Error> {
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

    fn program(&mut self, task: Task<'_>) -> Result<(), Error> {
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
                match common {
                    Some(common) => common.iter().copied().eq(terms),
                    None => {
                        let found: Vec<Term> = terms.by_ref().collect();
                        let is_known = found.iter().all(|term| self.is_known(*term));
                        *common = Some(found);
                        is_known
                    }
                }
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
            Way::Holds(atom) => return self.holds(atom, (node, fail), inner),
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

    fn holds(
        &mut self,
        atom: &Atom,
        place: (u32, Label),
        inner: &mut Inner<'_, 'a>,
    ) -> Result<(), Error> {
        let predicate = atom.predicate;
        let known = Mask::new(atom.args.iter().map(|term| self.is_known(*term)));
        if atom.args.len() > MAX_ARITY {
            return Err(Error::Arity { predicate });
        }
        match (self.context.answered)(predicate).ok_or(Error::NoWay { predicate, known })? {
            Answered::Stored { arity, is_static } => {
                if arity != atom.args.len() {
                    return Err(Error::Arity { predicate });
                }
                self.reading.reads_state |= !is_static;
                let lookup = self.stored(Stored::Predicate(predicate), &atom.args)?;
                self.stored_loop(lookup, place, inner)
            }
            Answered::Called => {
                let (procedure, known) = (self.context.find)(predicate, (atom.args.len(), known))?;
                self.reading.calls.push(procedure);
                let lookup = self.call(procedure, known, &atom.args)?;
                self.asked_loop(lookup, place, inner)
            }
            Answered::Outside => {
                self.reading.reads_state = true;
                let mut pattern = Vec::new();
                let mut unknown = Vec::new();
                for term in &atom.args {
                    let is_known = self.is_known(*term);
                    pattern.push(if is_known { Some(self.read(*term)?) } else { None });
                    unknown.extend((!is_known).then_some(*term));
                }
                let lookup = self.lookup(Source::Outside { predicate, pattern }, &unknown)?;
                self.asked_loop(lookup, place, inner)
            }
        }
    }

    fn call(&mut self, procedure: u32, known: Mask, args: &[Term]) -> Result<Lookup, Error> {
        let mut inputs = Vec::new();
        let mut unknown = Vec::new();
        for (column, term) in args.iter().enumerate() {
            if known.has(column) {
                inputs.push(self.read(*term)?);
            } else {
                unknown.push(*term);
            }
        }
        self.lookup(Source::Call { procedure, inputs }, &unknown)
    }

    fn stored(&mut self, stored: Stored, args: &[Term]) -> Result<Lookup, Error> {
        let arity = u8::try_from(args.len()).map_err(|_| Error::TooLarge { what: "arguments" })?;
        let found = self.draft.relations.iter().position(|other| *other == (stored, arity));
        let index = found.unwrap_or(self.draft.relations.len());
        if found.is_none() {
            self.draft.relations.push((stored, arity));
        }
        let index = u16::try_from(index).map_err(|_| Error::TooLarge { what: "relations" })?;
        self.lookup(Source::Stored(index), args)
    }

    /// A look-up by these columns; what it delivers is bound from here on.
    fn lookup(&mut self, source: Source, columns: &[Term]) -> Result<Lookup, Error> {
        let mask = Mask::new(columns.iter().map(|term| self.is_known(*term)));
        let mut lookup = Lookup { source, arity: 0, mask, keys: Vec::new(), outs: Vec::new() };
        lookup.arity =
            u8::try_from(columns.len()).map_err(|_| Error::TooLarge { what: "columns" })?;
        for (column, term) in columns.iter().enumerate() {
            if mask.has(column) {
                lookup.keys.push(self.read(*term)?);
            } else {
                lookup.outs.push(self.out(*term)?);
            }
        }
        Ok(lookup)
    }

    fn stored_loop(
        &mut self,
        lookup: Lookup,
        (node, fail): (u32, Label),
        inner: &mut Inner<'_, 'a>,
    ) -> Result<(), Error> {
        let outs = lookup.outs.clone();
        let lookup = self.add_lookup(lookup)?;
        if outs.is_empty() {
            self.push_node_to(Instruction::Has { lookup, fail: 0 }, node, fail);
            return inner(self);
        }
        let slot = self.open_loop()?;
        let body = to_index(self.draft.instructions.len() + 1, "instructions")?;
        let (head, next) = match *outs {
            [Out::Bind(to)] => (
                Instruction::EachOne { lookup, slot, to, fail: 0 },
                Instruction::NextOne { slot, to, body },
            ),
            _ => (
                Instruction::Each { lookup, slot, fail: 0 },
                Instruction::Next { lookup, slot, body },
            ),
        };
        self.push_node_to(head, node, fail);
        inner(self)?;
        self.push(next, node);
        self.n_loops -= 1;
        Ok(())
    }

    fn asked_loop(
        &mut self,
        lookup: Lookup,
        (node, fail): (u32, Label),
        inner: &mut Inner<'_, 'a>,
    ) -> Result<(), Error> {
        let is_test = lookup.outs.is_empty();
        let lookup = self.add_lookup(lookup)?;
        let slot = self.open_loop()?;
        let at = self.push_node_to(Instruction::Ask { lookup, slot, fail: 0 }, node, fail);
        inner(self)?;
        if !is_test {
            let body = to_index(at + 1, "instructions")?;
            self.push(Instruction::NextAsked { lookup, slot, body }, node);
        }
        self.n_loops -= 1;
        Ok(())
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

    /// The body of a passage becomes code of its own, run on the memories it leads to.
    fn elsewhere(
        &mut self,
        by: &Atom,
        quantifier: Quantifier,
        body: &[Condition],
        needed: &dyn Fn() -> BTreeSet<Var>,
    ) -> Result<Lookup, Error> {
        self.reading.reads_state = true;
        let vars: BTreeSet<Var> = body.iter().flat_map(condition_vars).collect();
        let (inputs, free): (Vec<Var>, Vec<Var>) =
            vars.into_iter().partition(|var| self.is_known(Term::Var(*var)));
        let needed = if quantifier == Quantifier::Some { needed() } else { BTreeSet::new() };
        let outputs: Vec<Term> =
            free.into_iter().filter(|var| needed.contains(var)).map(Term::Var).collect();
        let conclusion = Node::Conclusion { clause: 0, row: outputs.clone() };
        let root = body.iter().rev().fold(conclusion, |child, condition| Node::Condition {
            condition: condition.clone(),
            children: vec![child],
        });
        let task = Task {
            inputs: &inputs,
            n_registers: usize::from(self.draft.n_registers),
            roots: std::slice::from_ref(&root),
            arity: outputs.len(),
            known: Mask(0),
        };
        let mut writer = Writer::new(self.context, task, &mut *self.codes)?;
        writer.next_node = self.next_node;
        writer.numbers_conclusions = false;
        writer.program(task)?;
        let (next_node, reading) = (writer.next_node, writer.reading);
        self.next_node = next_node;
        self.reading.calls.extend(reading.calls);
        let code = to_index(self.codes.len() - 1, "passages")?;
        let args = by.args.iter().map(|term| self.read(*term)).collect::<Result<_, _>>()?;
        let inputs = inputs.iter().map(|var| var.0).collect();
        let source = Source::Elsewhere { by: by.predicate, args, quantifier, code, inputs };
        self.lookup(source, &outputs)
    }

    fn shape(&mut self, functor: Symbol, args: &[Term]) -> Result<u32, Error> {
        let parts = args.iter().map(|term| self.out(*term)).collect::<Result<_, _>>()?;
        self.draft.shapes.push(Shape { functor, parts });
        to_index(self.draft.shapes.len() - 1, "compound terms")
    }

    fn add_lookup(&mut self, lookup: Lookup) -> Result<u32, Error> {
        self.draft.lookups.push(lookup);
        to_index(self.draft.lookups.len() - 1, "conditions")
    }

    fn open_loop(&mut self) -> Result<u16, Error> {
        let slot = self.n_loops;
        self.n_loops = slot.checked_add(1).ok_or(Error::TooLarge { what: "loops" })?;
        self.draft.n_slots = self.draft.n_slots.max(self.n_loops);
        Ok(slot)
    }

    fn is_known(&self, term: Term) -> bool {
        match term {
            Term::Var(var) => self.bound.get(usize::from(var.0)).copied().unwrap_or(false),
            Term::Value(_) => true,
        }
    }

    fn unbound(&self, condition: &Condition) -> Error {
        let vars = condition_vars(condition);
        let variable = vars.iter().find(|var| !self.is_known(Term::Var(**var)));
        Error::Unbound { variable: variable.copied().unwrap_or(Var(0)) }
    }

    fn read(&mut self, term: Term) -> Result<Place, Error> {
        match term {
            Term::Var(var) if self.is_known(term) => Ok(var.0),
            Term::Var(variable) => Err(Error::Unbound { variable }),
            Term::Value(value) => self.constant(value),
        }
    }

    fn constant(&mut self, value: Value) -> Result<Place, Error> {
        let (index, _) = self.constants.insert_full(self.context.universe.id(value));
        to_place(usize::from(self.draft.n_registers) + index)
    }

    fn bind(&mut self, var: Var) -> Result<Place, Error> {
        let place = self.bound.get_mut(usize::from(var.0));
        *place.ok_or(Error::TooLarge { what: "variables for its registers" })? = true;
        Ok(var.0)
    }

    fn out(&mut self, term: Term) -> Result<Out, Error> {
        match term {
            Term::Var(var) if !self.is_known(term) => Ok(Out::Bind(self.bind(var)?)),
            term => Ok(Out::Check(self.read(term)?)),
        }
    }

    fn number(&mut self) -> u32 {
        self.next_node += 1;
        self.next_node - 1
    }

    fn label(&mut self) -> Label {
        self.labels.push(Vec::new());
        self.labels.len() - 1
    }

    /// The label stands here.
    fn place(&mut self, label: Label) {
        let here = Target::try_from(self.draft.instructions.len()).unwrap_or(Target::MAX);
        for at in std::mem::take(&mut self.labels[label]) {
            if let Some(target) = self.draft.instructions[at].target_mut() {
                *target = here;
            }
        }
    }

    fn push(&mut self, instruction: Instruction, node: u32) -> usize {
        self.draft.instructions.push(instruction);
        self.draft.nodes.push(node);
        self.draft.instructions.len() - 1
    }

    fn push_node_to(&mut self, instruction: Instruction, node: u32, label: Label) -> usize {
        let at = self.push(instruction, node);
        self.labels[label].push(at);
        at
    }

    fn push_to(&mut self, instruction: Instruction, label: Label) {
        self.push_node_to(instruction, NO_NODE, label);
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

fn to_place(place: usize) -> Result<Place, Error> {
    Place::try_from(place).map_err(|_| Error::TooLarge { what: "registers" })
}

fn to_index(index: usize, what: &'static str) -> Result<u32, Error> {
    u32::try_from(index).map_err(|_| Error::TooLarge { what })
}
