//! What all clauses of a called predicate ask, asked where it is called.
//!
//! In: bodies that call predicates. Out: the same with the static conditions that every clause of such a predicate has, so
//! that what they bind is known before the call: whatever moves along a path has a direction. Invariant: a body holds where it
//! held before.

use std::rc::Rc;

use rulesmith_logic::{Atom, Clause, Condition, PredicateId, Term, Value};

use crate::unfold::Unfolder;

/// A static atom that every clause of a predicate has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Common {
    predicate: PredicateId,
    args: Vec<CommonArg>,
}

/// An argument of such an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommonArg {
    /// The argument of the call at this place.
    Column(usize),
    Value(Value),
}

impl Common {
    /// An atom of a clause by the places that its terms have in the head; nothing if one has none.
    fn of(clause: &Clause, atom: &Atom) -> Option<Self> {
        let arg = |term: &Term| match term {
            Term::Value(value) => Some(CommonArg::Value(*value)),
            Term::Var(_) => {
                clause.head.args.iter().position(|head| head == term).map(CommonArg::Column)
            }
        };
        let args = atom.args.iter().map(arg).collect::<Option<_>>()?;
        Some(Self { predicate: atom.predicate, args })
    }

    /// The condition for a call with these arguments.
    fn condition(&self, args: &[Term]) -> Condition {
        let term = |arg: &CommonArg| match arg {
            CommonArg::Column(column) => args[*column],
            CommonArg::Value(value) => Term::Value(*value),
        };
        let args = self.args.iter().map(term).collect();
        Condition::Holds(Atom { predicate: self.predicate, args })
    }
}

impl Unfolder<'_> {
    /// Adds to a body what all clauses of the predicates ask that it calls.
    pub(crate) fn ask_common(&mut self, body: &mut Vec<Condition>) {
        let called: Vec<Atom> =
            body.iter().filter_map(|condition| self.called_atom(condition)).collect();
        for atom in called {
            for common in &*self.common_of(atom.predicate) {
                let condition = common.condition(&atom.args);
                if !body.contains(&condition) {
                    body.push(condition);
                }
            }
        }
    }

    fn called_atom(&self, condition: &Condition) -> Option<Atom> {
        match condition {
            Condition::Holds(atom) if self.bounds.called.contains(&atom.predicate) => {
                Some(atom.clone())
            }
            _ => None,
        }
    }

    fn common_of(&mut self, predicate: PredicateId) -> Rc<Vec<Common>> {
        if let Some(known) = self.common.get(&predicate) {
            return Rc::clone(known);
        }
        let clauses = self.flat_clauses(predicate).unwrap_or_default();
        let mut common = Vec::new();
        if let Some((first, others)) = clauses.split_first() {
            let atoms = first.body.iter().filter_map(|condition| match condition {
                Condition::Holds(atom) if self.knowledge.is_complete(atom.predicate) => {
                    Common::of(first, atom)
                }
                _ => None,
            });
            let is_everywhere = |common: &Common| {
                others
                    .iter()
                    .all(|clause| clause.body.contains(&common.condition(&clause.head.args)))
            };
            common.extend(atoms.filter(is_everywhere));
        }
        let common = Rc::new(common);
        self.common.insert(predicate, Rc::clone(&common));
        common
    }
}
