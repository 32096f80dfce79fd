//! Writing single instructions: operands, labels and numbers of nodes.
//!
//! In: terms and what is bound. Out: places of the frame; jumps that are filled in when the place they
//! lead to is reached. Invariant: a register is read only where it is bound.

use rulesmith_logic::{Condition, Term, Value, Var, condition_vars};

use crate::bytecode::{Instruction, NO_NODE, Out, Place, Target};
use crate::error::Error;
use crate::write::{Label, Writer, to_place};

impl Writer<'_> {
    pub(crate) fn is_known(&self, term: Term) -> bool {
        match term {
            Term::Var(var) => self.bound.get(usize::from(var.0)).copied().unwrap_or(false),
            Term::Value(_) => true,
        }
    }

    pub(crate) fn unbound(&self, condition: &Condition) -> Error {
        let vars = condition_vars(condition);
        let variable = vars.iter().find(|var| !self.is_known(Term::Var(**var)));
        Error::Unbound { variable: variable.copied().unwrap_or(Var(0)) }
    }

    pub(crate) fn read(&mut self, term: Term) -> Result<Place, Error> {
        match term {
            Term::Var(var) if self.is_known(term) => Ok(var.0),
            Term::Var(variable) => Err(Error::Unbound { variable }),
            Term::Value(value) => self.constant(value),
        }
    }

    pub(crate) fn constant(&mut self, value: Value) -> Result<Place, Error> {
        let (index, _) = self.constants.insert_full(self.context.universe.id(value));
        to_place(usize::from(self.draft.n_registers) + index)
    }

    pub(crate) fn bind(&mut self, var: Var) -> Result<Place, Error> {
        let place = self.bound.get_mut(usize::from(var.0));
        *place.ok_or(Error::TooLarge { what: "variables for its registers" })? = true;
        Ok(var.0)
    }

    pub(crate) fn out(&mut self, term: Term) -> Result<Out, Error> {
        match term {
            Term::Var(var) if !self.is_known(term) => Ok(Out::Bind(self.bind(var)?)),
            term => Ok(Out::Check(self.read(term)?)),
        }
    }

    pub(crate) fn number(&mut self) -> u32 {
        self.next_node += 1;
        self.next_node - 1
    }

    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(Vec::new());
        self.labels.len() - 1
    }

    /// The label stands here.
    pub(crate) fn place(&mut self, label: Label) {
        let here = Target::try_from(self.draft.instructions.len()).unwrap_or(Target::MAX);
        for at in std::mem::take(&mut self.labels[label]) {
            if let Some(target) = self.draft.instructions[at].target_mut() {
                *target = here;
            }
        }
    }

    pub(crate) fn push(&mut self, instruction: Instruction, node: u32) -> usize {
        self.draft.instructions.push(instruction);
        self.draft.nodes.push(node);
        self.draft.instructions.len() - 1
    }

    pub(crate) fn push_node_to(
        &mut self,
        instruction: Instruction,
        node: u32,
        label: Label,
    ) -> usize {
        let at = self.push(instruction, node);
        self.labels[label].push(at);
        at
    }

    pub(crate) fn push_to(&mut self, instruction: Instruction, label: Label) {
        self.push_node_to(instruction, NO_NODE, label);
    }
}
