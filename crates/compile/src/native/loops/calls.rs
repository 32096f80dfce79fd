//! Calls: derived predicates that are too large to be stored are asked where a tree asks about them.
//!
//! In: an atom. Out: the callee's loops in the caller's place. Invariant: the callee has variables of its own;
//! a predicate that asks itself is an obstacle.

use rulesmith_kernel::Word;
use rulesmith_logic::{Atom, Condition, PredicateId, Term, Var, has_var};
use rulesmith_matching::Procedure;
use rulesmith_specialize::SpecializedProcedure;

use super::super::Obstacle;
use super::super::emit::Certainty;
use super::held::Held;
use super::lower::{Lowering, Then};
use super::setting::Setting;
use super::stored::{Stored, all_of};

impl<'b> Setting<'b> {
    /// Is the predicate answered by procedures of the program?
    pub(super) fn is_called(&self, predicate: PredicateId) -> bool {
        self.specialized.procedures.iter().any(|one| one.source == predicate)
    }

    /// The procedure that uses most of what is known.
    fn procedure_for(&self, predicate: PredicateId, known: &[bool]) -> Option<&'b Procedure> {
        self.specialized_for(predicate, known).map(|one| &one.procedure)
    }

    /// The same with its clauses.
    pub(super) fn specialized_for(
        &self,
        predicate: PredicateId,
        known: &[bool],
    ) -> Option<&'b SpecializedProcedure> {
        let all = self.specialized.procedures.iter().filter(|one| one.source == predicate);
        let can = all.filter(|one| {
            one.procedure.known.iter().zip(known).all(|(needed, known)| !needed || *known)
        });
        can.max_by_key(|one| one.procedure.known.iter().filter(|known| **known).count())
    }
}

impl Lowering<'_, '_> {
    /// Every way in which a derived predicate holds.
    pub(super) fn open_call(
        &mut self,
        predicate: PredicateId,
        args: &[Term],
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        if self.open_chased(predicate, args, then)? {
            return Ok(());
        }
        if self.calls.contains(&predicate) {
            return Err(Obstacle::new("a large predicate that asks itself"));
        }
        self.calls.push(predicate);
        let found = self.called(predicate, args, then);
        self.calls.pop();
        match found? {
            Some(certainty) => self.when(certainty, then),
            None => Ok(()),
        }
    }

    /// Whether a derived predicate holds of anything, where what is unknown in it matters to nobody else; nothing for
    /// other conditions.
    pub(super) fn any_answer(
        &mut self,
        condition: &Condition,
        rest: &[&Condition],
    ) -> Result<Option<Certainty>, Obstacle> {
        let Condition::Holds(Atom { predicate, args }) = condition else { return Ok(None) };
        let unknown = self.unknown(args);
        let is_asked =
            |var: &Var| self.below.contains(var) || rest.iter().any(|one| has_var(one, *var));
        if !self.setting.specialized.called.contains(predicate)
            || unknown.is_empty()
            || unknown.iter().any(is_asked)
            || self.calls.contains(predicate)
        {
            return Ok(None);
        }
        self.calls.push(*predicate);
        let found = self.holds_of_any(*predicate, args);
        self.calls.pop();
        found.map(Some)
    }

    /// Whether a derived predicate holds of what is known; where something is unknown, nothing remains to be done.
    fn called(
        &mut self,
        predicate: PredicateId,
        args: &[Term],
        then: &mut Then<'_, Self>,
    ) -> Result<Option<Certainty>, Obstacle> {
        if args.iter().any(|term| self.held(*term).is_none()) {
            match self.found_by_routine(predicate, args)? {
                Some(found) => self.open_found(&found, args, then)?,
                None => self.call(predicate, args, then)?,
            }
            return Ok(None);
        }
        self.holds_of_any(predicate, args).map(Some)
    }

    /// Whether a derived predicate holds of what is known and of anything else: one proof is enough.
    fn holds_of_any(
        &mut self,
        predicate: PredicateId,
        args: &[Term],
    ) -> Result<Certainty, Obstacle> {
        if let Some(certainty) = self.by_routine(predicate, args)? {
            return Ok(certainty);
        }
        let flag = self.emitter.let_word(Word::Constant(0));
        self.search(flag, &mut |this, found| this.call(predicate, args, found))?;
        Ok(all_of(Vec::new(), flag.into()))
    }

    /// Everything that a routine has found, bound one after another. What follows is the caller's.
    fn open_found(
        &mut self,
        found: &Stored,
        args: &[Term],
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let open: Vec<Term> =
            args.iter().copied().filter(|term| self.held(*term).is_none()).collect();
        let called = self.calls.pop();
        let done = self.open_stored(found, &open, then);
        self.calls.extend(called);
        done
    }

    /// Every way in which the predicate holds that was called last. What follows is the caller's, and may call it
    /// again.
    pub(super) fn call(
        &mut self,
        predicate: PredicateId,
        args: &[Term],
        then: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let held: Vec<Option<Held>> = args.iter().map(|term| self.held(*term)).collect();
        let known: Vec<bool> = held.iter().map(Option::is_some).collect();
        let procedure = self.setting.procedure_for(predicate, &known);
        let procedure = procedure.ok_or_else(|| Obstacle::new("a call with too little known"))?;
        let inputs = procedure.known.iter().zip(&held).filter(|(needed, _)| **needed);
        let inputs: Vec<Held> = inputs.filter_map(|(_, held)| *held).collect();
        let mut outer = std::mem::take(&mut self.env);
        let mut below = self.below.clone();
        let mut calls = self.calls.clone();
        calls.pop();
        self.start(&procedure.tree, &inputs);
        let done = self.nodes(&procedure.tree.roots, &mut |this, row| {
            let row: Option<Vec<Held>> = row.iter().map(|term| this.held(*term)).collect();
            let row = row.ok_or_else(|| Obstacle::new("a conclusion with something unknown"))?;
            // What follows is written once for each way, and may call again.
            if this.emitter.is_too_long() {
                return Err(Obstacle::new(
                    "predicates that are asked one after the other, at too great length",
                ));
            }
            std::mem::swap(&mut this.env, &mut outer);
            std::mem::swap(&mut this.below, &mut below);
            std::mem::swap(&mut this.calls, &mut calls);
            let done = this.open_held(args, &row, then);
            std::mem::swap(&mut this.calls, &mut calls);
            std::mem::swap(&mut this.below, &mut below);
            std::mem::swap(&mut this.env, &mut outer);
            done
        });
        (self.env, self.below) = (outer, below);
        done
    }
}
