//! The variables of one clause while it is lowered: names, places, scopes.
//!
//! In: names as they are met. Out: numbers. Invariant: a wildcard is a new variable each time; the
//! locals of `none` and `count` hide variables of the same name outside.

use rulesmith_logic::{Span, Term, Var, Variable};

/// How a variable came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Named by the author, and so the same everywhere in the clause.
    Named,
    /// Named as a local of `none` or `count`.
    Local,
    /// `_`, or made while flattening.
    Anonymous,
}

/// The variables of one clause.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    pub(crate) list: Vec<Variable>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) spans: Vec<Span>,
    /// How often each was written.
    pub(crate) uses: Vec<usize>,
    /// Locals in force, innermost last.
    scopes: Vec<(String, Var)>,
}

impl Variables {
    /// The variable of a name.
    pub(crate) fn named(&mut self, name: &str, span: Span) -> Term {
        let local = self.scopes.iter().rev().find(|(other, _)| other == name).map(|(_, var)| *var);
        let known = local.or_else(|| {
            let same = |place: &usize| {
                self.origins[*place] == Origin::Named && self.list[*place].name == name
            };
            (0..self.list.len()).find(same).map(to_var)
        });
        let var = known.unwrap_or_else(|| self.add(name, span, Origin::Named));
        self.uses[var.0 as usize] += 1;
        Term::Var(var)
    }

    /// A new variable without a name.
    pub(crate) fn fresh(&mut self, span: Span) -> Term {
        Term::Var(self.add("_", span, Origin::Anonymous))
    }

    /// Opens the scope of a local variable.
    pub(crate) fn open_local(&mut self, name: &str, span: Span) -> Var {
        let var = self.add(name, span, Origin::Local);
        self.scopes.push((name.to_owned(), var));
        var
    }

    /// Closes the scopes of the last locals.
    pub(crate) fn close_locals(&mut self, count: usize) {
        self.scopes.truncate(self.scopes.len() - count);
    }

    /// The variables made since there were `before` that belong to nobody outside.
    pub(crate) fn locals_since(&self, before: usize) -> Vec<Var> {
        let is_local = |place: &usize| self.origins[*place] != Origin::Named;
        (before..self.list.len()).filter(is_local).map(to_var).collect()
    }

    fn add(&mut self, name: &str, span: Span, origin: Origin) -> Var {
        self.list.push(Variable { name: name.to_owned(), domain: None });
        self.origins.push(origin);
        self.spans.push(span);
        self.uses.push(0);
        to_var(self.list.len() - 1)
    }

    /// More variables than fit their numbers?
    pub(crate) fn is_too_many(&self) -> bool {
        self.list.len() >= usize::from(u16::MAX)
    }
}

fn to_var(place: usize) -> Var {
    Var(u16::try_from(place).unwrap_or(u16::MAX))
}
