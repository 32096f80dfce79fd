//! Writing conditions that deliver rows: look-ups, calls, questions to the host, passages.
//!
//! In: an atom or a passage and what is bound. Out: a look-up with its columns resolved, and the pair of
//! instructions that loops over its rows. Invariant: what a look-up delivers is bound behind it.

use std::collections::BTreeSet;

use rulesmith_logic::{Atom, Condition, Quantifier, Symbol, Term, Var, condition_vars};

use crate::assemble::Answered;
use crate::bytecode::{Column, Instruction, Lookup, Out, Shape, Source, Stored};
use crate::error::Error;
use crate::relation::{MAX_ARITY, Mask};
use crate::tree::Node;
use crate::write::{Inner, Label, Task, Writer, to_index};

impl<'a> Writer<'a> {
    pub(crate) fn holds(
        &mut self,
        atom: &Atom,
        place: (u32, Label),
        needed: &dyn Fn() -> BTreeSet<Var>,
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
                let lookup = self.call(procedure, known, &atom.args, &needed())?;
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

    pub(crate) fn call(
        &mut self,
        procedure: u32,
        known: Mask,
        args: &[Term],
        needed: &BTreeSet<Var>,
    ) -> Result<Lookup, Error> {
        let mut inputs = Vec::new();
        let mut unknown = Vec::new();
        for (column, term) in args.iter().enumerate() {
            if known.has(column) {
                inputs.push(self.read(*term)?);
            } else {
                unknown.push(*term);
            }
        }
        // Where nobody asks what the unknown arguments are, one row does.
        let vars: Vec<Var> = unknown.iter().copied().filter_map(var_of).collect();
        let is_free = |var: &Var| !self.is_known(Term::Var(*var)) && !needed.contains(var);
        let is_any = !vars.is_empty()
            && vars.len() == unknown.len()
            && vars.iter().all(is_free)
            && vars.iter().collect::<BTreeSet<_>>().len() == vars.len();
        self.lookup(Source::Call { procedure, inputs, is_any }, &unknown)
    }

    pub(crate) fn stored(&mut self, stored: Stored, args: &[Term]) -> Result<Lookup, Error> {
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
    pub(crate) fn lookup(&mut self, source: Source, columns: &[Term]) -> Result<Lookup, Error> {
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

    fn add_pair(&mut self, pair: (u16, Column)) -> Result<u16, Error> {
        let pairs = &mut self.draft.pairs;
        let index = pairs.iter().position(|other| *other == pair).unwrap_or(pairs.len());
        if index == pairs.len() {
            pairs.push(pair);
        }
        u16::try_from(index).map_err(|_| Error::TooLarge { what: "relations" })
    }

    pub(crate) fn stored_loop(
        &mut self,
        lookup: Lookup,
        (node, fail): (u32, Label),
        inner: &mut Inner<'_, 'a>,
    ) -> Result<(), Error> {
        if lookup.outs.is_empty() {
            let lookup = self.add_lookup(lookup)?;
            self.push_node_to(Instruction::Has { lookup, fail: 0 }, node, fail);
            return inner(self);
        }
        let slot = self.open_loop()?;
        let body = to_index(self.draft.instructions.len() + 1, "instructions")?;
        let columns = (&lookup.source, lookup.keys.as_slice(), lookup.outs.as_slice());
        let (head, next) = if let (&Source::Stored(relation), &[key], &[Out::Bind(to)]) = columns {
            let column = if lookup.mask == Mask(1) { Column::First } else { Column::Second };
            let pair = self.add_pair((relation, column))?;
            let head = Instruction::EachOne { pair, slot, key, to, fail: 0 };
            (head, Instruction::NextOne { slot, to, body })
        } else {
            let lookup = self.add_lookup(lookup)?;
            let head = Instruction::Each { lookup, slot, fail: 0 };
            (head, Instruction::Next { lookup, slot, body })
        };
        self.push_node_to(head, node, fail);
        inner(self)?;
        self.push(next, node);
        self.n_loops -= 1;
        Ok(())
    }

    pub(crate) fn asked_loop(
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

    /// The body of a passage becomes code of its own, run on the memories it leads to.
    pub(crate) fn elsewhere(
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

    pub(crate) fn shape(&mut self, functor: Symbol, args: &[Term]) -> Result<u32, Error> {
        let parts = args.iter().map(|term| self.out(*term)).collect::<Result<_, _>>()?;
        self.draft.shapes.push(Shape { functor, parts });
        to_index(self.draft.shapes.len() - 1, "compound terms")
    }

    pub(crate) fn add_lookup(&mut self, lookup: Lookup) -> Result<u32, Error> {
        self.draft.lookups.push(lookup);
        to_index(self.draft.lookups.len() - 1, "conditions")
    }

    pub(crate) fn open_loop(&mut self) -> Result<u16, Error> {
        let slot = self.n_loops;
        self.n_loops = slot.checked_add(1).ok_or(Error::TooLarge { what: "loops" })?;
        self.draft.n_slots = self.draft.n_slots.max(self.n_loops);
        Ok(slot)
    }
}

fn var_of(term: Term) -> Option<Var> {
    match term {
        Term::Var(var) => Some(var),
        Term::Value(_) => None,
    }
}
