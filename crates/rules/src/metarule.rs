//! Metarules as data: rules about clauses, written in `meta` blocks of a rules text.
//!
//! In: nothing but what the author wrote, checked against the theory. Out: one data type that the
//! specialiser runs and that prints back. Paper: forcedmoves §4, §6. Invariant: the pattern of an object
//! condition is a flat condition whose variables are the metarule's variables by number; every variable
//! of an action, negation or test is given by another condition.

use std::collections::BTreeSet;

use rulesmith_logic::{Comparison, Condition, DomainId, Span, Term, Value, Var, condition_vars};

/// When metarules run: all of one phase see the same clauses, and the next phase sees what they made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// New clauses are made from others.
    Generate,
    /// Variables are unified and conditions rewritten.
    Normalize,
    /// Clauses that can never hold and conditions that always do are dropped.
    Filter,
    /// Conditions are put into the order they are tried in.
    Order,
}

impl Phase {
    /// All phases in the order they run.
    pub const ALL: [Self; 4] = [Self::Generate, Self::Normalize, Self::Filter, Self::Order];

    /// Its name in a rules text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Generate => "generate",
            Self::Normalize => "normalize",
            Self::Filter => "filter",
            Self::Order => "order",
        }
    }
}

/// A rule about clauses: when all its conditions hold, all its conclusions are carried out.
#[derive(Clone, Debug)]
pub struct Metarule {
    /// When it runs.
    pub phase: Phase,
    /// What it does, one or more actions.
    pub conclusions: Vec<Action>,
    /// When it does so.
    pub conditions: Vec<Metacondition>,
    /// `once { … }`: one deduction for each binding of these variables; `None` for every one.
    pub once: Option<Vec<Var>>,
    /// Its variables by number.
    pub variables: Vec<Metavariable>,
    /// Where it was written.
    pub span: Span,
}

/// A variable of a metarule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metavariable {
    /// Its name; `_` for an anonymous one.
    pub name: String,
    /// What it stands for.
    pub kind: MetavariableKind,
}

/// What a variable of a metarule stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MetavariableKind {
    /// A clause.
    Rule,
    /// An argument of a condition: a variable or constant of a clause.
    Term,
    /// A condition, or a conclusion, of a clause.
    Condition,
    /// A set of conditions.
    Set,
    /// A number.
    Number,
}

/// An object condition inside a metapredicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quoted {
    /// In backquotes: a flat condition over the metarule's variables.
    Pattern(Condition),
    /// A variable that stands for a whole condition.
    Variable(Var),
}

/// A condition of a metarule. Rules, sets and numbers are variables of those kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Metacondition {
    /// `rule(R)`: R is a clause of the present phase.
    Rule(Var),
    /// ``conclusion(R, `p(X)`)``: the head of R is so.
    Conclusion(Var, Quoted),
    /// ``condition(R, `p(X)`)``: a condition of R is so.
    Condition(Var, Quoted),
    /// `setofconditions(R, S)`: S is the body of R.
    SetOfConditions(Var, Var),
    /// `variable(X)`.
    Variable(Term),
    /// `constant(X)`.
    Constant(Term),
    /// `same(X, Y)`: the same variable or the same constant.
    Same(Term, Term),
    /// `sort(X, file)`: a variable or constant of that sort.
    Sort(Term, DomainId),
    /// ``member(`p(X)`, S)``.
    Member(Quoted, Var),
    /// `subset(S, T)`: every condition of S is one of T.
    Subset(Var, Var),
    /// `union(S, T, U)`: U has the conditions of S and of T.
    Union(Var, Var, Var),
    /// `length(S, N)`: S has N conditions.
    Length(Var, Term),
    /// `N < 5`; `X = Y` and `X \= Y` also compare terms.
    Compare(Comparison, Term, Term),
    /// `newrule(R)`: R is a new clause without conclusion and conditions.
    NewRule(Var),
    /// `not C`, `not (C, D)`: no values of the locals make all of the body hold.
    Not {
        /// Variables that occur nowhere outside.
        locals: Vec<Var>,
        /// What must not hold.
        body: Vec<Metacondition>,
    },
    /// An action among the conditions: carried out when all conditions hold, like a conclusion.
    Act(Action),
}

/// What a metarule does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// `addrule(R)`: the new clause joins the others.
    AddRule(Var),
    /// ``addconclusion(R, `p(X)`)``: the new clause concludes this; several make several clauses.
    AddConclusion(Var, Quoted),
    /// ``addcondition(R, `p(X)`)``.
    AddCondition(Var, Quoted),
    /// `addconditiontoset(R, S)`: all conditions of S are added.
    AddConditionToSet(Var, Var),
    /// ``removecondition(R, `p(X)`)``.
    RemoveCondition(Var, Quoted),
    /// `unify(R, X, Y)`: in R the two are the same; a clause in which they cannot be is dropped.
    Unify(Var, Term, Term),
    /// `impossible(R)`: R never holds.
    Impossible(Var),
    /// `kill(R, "why")`: R is dropped.
    Kill(Var, String),
    /// ``useless(R, `p(X)`)``: the condition always holds in R and is not needed.
    Useless(Var, Quoted),
}

impl Quoted {
    /// Its variables.
    pub fn variables(&self) -> BTreeSet<Var> {
        match self {
            Self::Pattern(condition) => condition_vars(condition),
            Self::Variable(var) => BTreeSet::from([*var]),
        }
    }
}

impl Metacondition {
    /// The variables that must be known before it is tried.
    pub fn needs(&self) -> BTreeSet<Var> {
        match self {
            Self::Rule(_) | Self::NewRule(_) => BTreeSet::new(),
            Self::Conclusion(rule, _)
            | Self::Condition(rule, _)
            | Self::SetOfConditions(rule, _) => BTreeSet::from([*rule]),
            Self::Member(_, set) | Self::Length(set, _) => BTreeSet::from([*set]),
            Self::Union(left, right, _) => BTreeSet::from([*left, *right]),
            Self::Variable(_)
            | Self::Constant(_)
            | Self::Same(..)
            | Self::Sort(..)
            | Self::Subset(..)
            | Self::Compare(..)
            | Self::Not { .. }
            | Self::Act(_) => self.variables(),
        }
    }

    /// All its variables, but for the locals of a negation.
    pub fn variables(&self) -> BTreeSet<Var> {
        match self {
            Self::Rule(var) | Self::NewRule(var) => BTreeSet::from([*var]),
            Self::Conclusion(rule, quoted) | Self::Condition(rule, quoted) => {
                with(quoted.variables(), *rule)
            }
            Self::Member(quoted, set) => with(quoted.variables(), *set),
            Self::SetOfConditions(left, right) | Self::Subset(left, right) => {
                BTreeSet::from([*left, *right])
            }
            Self::Union(left, right, whole) => BTreeSet::from([*left, *right, *whole]),
            Self::Length(set, number) => with(term_vars([*number]), *set),
            Self::Variable(term) | Self::Constant(term) | Self::Sort(term, _) => term_vars([*term]),
            Self::Same(left, right) | Self::Compare(_, left, right) => term_vars([*left, *right]),
            Self::Not { locals, body } => {
                let vars = body.iter().flat_map(Self::variables);
                vars.filter(|var| !locals.contains(var)).collect()
            }
            Self::Act(action) => action.variables(),
        }
    }
}

impl Action {
    /// The clause it is about.
    pub fn rule(&self) -> Var {
        match self {
            Self::AddRule(rule)
            | Self::AddConclusion(rule, _)
            | Self::AddCondition(rule, _)
            | Self::AddConditionToSet(rule, _)
            | Self::RemoveCondition(rule, _)
            | Self::Unify(rule, ..)
            | Self::Impossible(rule)
            | Self::Kill(rule, _)
            | Self::Useless(rule, _) => *rule,
        }
    }

    /// All its variables.
    pub fn variables(&self) -> BTreeSet<Var> {
        let others = match self {
            Self::AddRule(_) | Self::Impossible(_) | Self::Kill(..) => BTreeSet::new(),
            Self::AddConclusion(_, quoted)
            | Self::AddCondition(_, quoted)
            | Self::RemoveCondition(_, quoted)
            | Self::Useless(_, quoted) => quoted.variables(),
            Self::AddConditionToSet(_, set) => BTreeSet::from([*set]),
            Self::Unify(_, left, right) => term_vars([*left, *right]),
        };
        with(others, self.rule())
    }
}

impl Metarule {
    /// Everything it does: its conclusions, then the actions among its conditions.
    pub fn actions(&self) -> impl Iterator<Item = &Action> {
        self.conclusions.iter().chain(self.conditions.iter().filter_map(|condition| {
            if let Metacondition::Act(action) = condition { Some(action) } else { None }
        }))
    }
}

fn with(mut vars: BTreeSet<Var>, var: Var) -> BTreeSet<Var> {
    vars.insert(var);
    vars
}

fn term_vars(terms: impl IntoIterator<Item = Term>) -> BTreeSet<Var> {
    let var = |term| match term {
        Term::Var(var) => Some(var),
        Term::Value(Value::Int(_) | Value::Symbol(_) | Value::Compound(_)) => None,
    };
    terms.into_iter().filter_map(var).collect()
}
