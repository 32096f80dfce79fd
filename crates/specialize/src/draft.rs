//! Drafts: bodies in the making, and what becomes of them.
//!
//! In: a clause. Out: a draft that unfolding works on, with how it came about, and at last a clause
//! with its variables numbered anew. Invariant: variables that occur around a draft are rigid.

use rulesmith_logic::{
    Atom, Clause, Condition, PredicateId, Span, Term, Var, Variable, condition_vars,
    substitute_body, substitute_term,
};

use crate::simplify::Rigid;

/// A body in the making.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    /// The arguments of the head.
    pub(crate) head: Vec<Term>,
    pub(crate) body: Vec<Condition>,
    /// Variables that occur around it and may not be replaced.
    pub(crate) rigid: Rigid,
    /// What is known to hold around it.
    pub(crate) context: Vec<Condition>,
    /// Unfolding steps made so far.
    pub(crate) depth: usize,
    /// Unfolding steps of the recursion being followed.
    pub(crate) recursion: usize,
    /// How it came about.
    pub(crate) steps: Vec<Step>,
    pub(crate) span: Span,
    /// Does it stand inside another body, which goes on using its variables?
    pub(crate) is_nested: bool,
}

/// One step of a derivation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// An atom was replaced by a definition of its predicate.
    Unfold {
        /// The predicate.
        predicate: PredicateId,
        /// Which of its definitions.
        definition: usize,
    },
    /// Conditions after a move became conditions before it.
    Regress {
        /// The move.
        by: PredicateId,
        /// Which of the ways.
        way: usize,
    },
}

/// A finished body.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    pub(crate) head: Vec<Term>,
    pub(crate) body: Vec<Condition>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) steps: Vec<Step>,
    pub(crate) span: Span,
}

impl Finished {
    /// A draft that stays as it is.
    pub(crate) fn of_draft(draft: &Draft, variables: &[Variable]) -> Self {
        Self {
            head: draft.head.clone(),
            body: draft.body.clone(),
            variables: variables.to_vec(),
            steps: draft.steps.clone(),
            span: draft.span,
        }
    }

    pub(crate) fn into_clause(self, predicate: PredicateId) -> Clause {
        let head = Atom { predicate, args: self.head };
        let mut clause =
            Clause { head, body: self.body, variables: self.variables, span: self.span };
        compress(&mut clause);
        clause
    }
}

impl Draft {
    pub(crate) fn of_clause(clause: &Clause) -> Self {
        Self {
            head: clause.head.args.clone(),
            body: clause.body.clone(),
            rigid: Rigid::new(),
            context: Vec::new(),
            depth: 0,
            recursion: 0,
            steps: Vec::new(),
            span: clause.span,
            is_nested: false,
        }
    }

    /// A body on its own.
    pub(crate) fn of_body(body: Vec<Condition>, rigid: Rigid) -> Self {
        Self {
            head: Vec::new(),
            body,
            rigid,
            context: Vec::new(),
            depth: 0,
            recursion: 0,
            steps: Vec::new(),
            span: Span::default(),
            is_nested: false,
        }
    }

    pub(crate) fn nested(
        &self,
        body: Vec<Condition>,
        rigid: Rigid,
        context: Vec<Condition>,
    ) -> Self {
        let (head, steps) = (Vec::new(), Vec::new());
        Self { head, body, rigid, context, steps, is_nested: true, ..self.clone() }
    }
}

/// How many bodies became what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Funnel {
    /// Bodies made by unfolding steps.
    pub generated: u64,
    /// Bodies that evaluation of what is known decided to be false.
    pub evaluated: u64,
    /// Bodies that an impossibility metarule removed.
    pub impossible: u64,
    /// Variables that a monovaluation metarule unified.
    pub monovalued: u64,
}

/// A variable that ranges over a domain by a condition has that domain and no smaller one.
pub(crate) fn set_domains(body: &[Condition], variables: &mut [Variable]) {
    for condition in body {
        match condition {
            Condition::Member(Term::Var(var), domain) => {
                variables[var.0 as usize].domain = Some(*domain);
            }
            Condition::None { body, .. } | Condition::Elsewhere { body, .. } => {
                set_domains(body, variables);
            }
            _ => {}
        }
    }
}

/// Numbers the variables of a clause anew, without gaps, in the order of their first use.
pub(crate) fn compress(clause: &mut Clause) {
    let mut used: Vec<Var> = Vec::new();
    let head = clause.head.args.iter().copied().filter_map(crate::binding::term_var);
    for var in head.chain(clause.body.iter().flat_map(condition_vars)) {
        if !used.contains(&var) {
            used.push(var);
        }
    }
    let place = |var: Var| {
        let place = used.iter().position(|other| *other == var).unwrap_or(0);
        Var(u16::try_from(place).unwrap_or(u16::MAX))
    };
    let map = |var: Var| Term::Var(place(var));
    clause.body = substitute_body(&clause.body, &map);
    for term in &mut clause.head.args {
        *term = substitute_term(*term, &map);
    }
    clause.variables = used.iter().map(|var| clause.variables[var.0 as usize].clone()).collect();
}
