//! Rules in normal form: negation stands before relations only, and keywords are resolved.
//!
//! In: checked statements. Out: rules whose conditions are relations that hold or fail, terms that
//! are equal or distinct, and alternatives. Invariant: same answers as the statement, given that it
//! is safe: what stands under two negations is only tested, never bound.

use rulesmith_logic::{Span, Symbol};

use super::keyword::Keywords;
use super::statement::{KifTerm, Literal, Sentence, Statement};

/// A name with its number of arguments; a constant has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Functor {
    pub(super) name: Symbol,
    pub(super) arity: usize,
}

/// What a rule reads or concludes. `…Of` relations are about one kind of fluent or move and have
/// its arguments as their own, after the role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Relation {
    Role,
    Init,
    Holds,
    Next,
    Legal,
    Does,
    Goal,
    Terminal,
    /// One of the author's, also `base` and `input`.
    Plain(Functor),
    InitOf(Functor),
    HoldsOf(Functor),
    NextOf(Functor),
    LegalOf(Functor),
    DoesOf(Functor),
    /// What a step assigns to a fluent: its keys, then its value.
    Assign(Functor),
    /// A fluent that holds and stays, made from frame axioms.
    Kept(Functor),
    /// Keys of a fluent that a step gives a value, made from the other rules for `next`.
    Added(Functor),
}

/// A relation applied to terms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct KifAtom {
    pub(super) relation: Relation,
    pub(super) args: Vec<KifTerm>,
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Formula {
    Holds(KifAtom),
    Fails(KifAtom),
    Equal(KifTerm, KifTerm),
    Distinct(KifTerm, KifTerm),
    AnyOf(Vec<Vec<Formula>>),
}

/// A head that holds when all conditions do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) head: KifAtom,
    pub(super) body: Vec<Formula>,
    /// The names of its variables, by number.
    pub(super) variables: Vec<String>,
    pub(super) span: Span,
}

/// The normal form of every statement that can hold at all.
pub(super) fn normalize(statements: &[Statement], keywords: &Keywords) -> Vec<Rule> {
    let rule = |statement: &Statement| {
        let body = conjunction(&statement.body, true, keywords)?;
        let head = atom(&statement.head, keywords);
        Some(Rule { head, body, variables: statement.variables.clone(), span: statement.span })
    };
    statements.iter().filter_map(rule).collect()
}

/// The conditions that all hold (or all fail); `None` when they cannot.
fn conjunction(literals: &[Literal], holds: bool, keywords: &Keywords) -> Option<Vec<Formula>> {
    let parts = literals.iter().map(|literal| formulas(literal, holds, keywords));
    Some(parts.collect::<Option<Vec<_>>>()?.concat())
}

fn formulas(literal: &Literal, holds: bool, keywords: &Keywords) -> Option<Vec<Formula>> {
    match literal {
        Literal::Sentence(sentence) if holds => {
            Some(vec![Formula::Holds(atom(sentence, keywords))])
        }
        Literal::Sentence(sentence) => Some(vec![Formula::Fails(atom(sentence, keywords))]),
        Literal::Distinct(left, right, _) if left == right => (!holds).then(Vec::new),
        Literal::Distinct(left, right, _) if holds => {
            Some(vec![Formula::Distinct(left.clone(), right.clone())])
        }
        Literal::Distinct(left, right, _) => {
            Some(vec![Formula::Equal(left.clone(), right.clone())])
        }
        Literal::Not(inner, _) => formulas(inner, !holds, keywords),
        Literal::And(items) if holds => conjunction(items, true, keywords),
        Literal::Or(items) if !holds => conjunction(items, false, keywords),
        Literal::And(items) | Literal::Or(items) => {
            any_of(items.iter().filter_map(|item| formulas(item, holds, keywords)).collect())
        }
    }
}

/// One of the alternatives, as simple as it can be said; `None` when there are none.
pub(super) fn any_of(alternatives: Vec<Vec<Formula>>) -> Option<Vec<Formula>> {
    let mut flat = Vec::new();
    for mut alternative in alternatives {
        match (alternative.len(), alternative.pop()) {
            (0, _) => return Some(Vec::new()),
            (1, Some(Formula::AnyOf(inner))) => flat.extend(inner),
            (_, Some(last)) => {
                alternative.push(last);
                flat.push(alternative);
            }
            (_, None) => {}
        }
    }
    match flat.len() {
        0 => None,
        1 => flat.pop(),
        _ => Some(vec![Formula::AnyOf(flat)]),
    }
}

fn atom(sentence: &Sentence, keywords: &Keywords) -> KifAtom {
    let relation = match sentence.relation {
        name if name == keywords.role => Relation::Role,
        name if name == keywords.init => Relation::Init,
        name if name == keywords.holds => Relation::Holds,
        name if name == keywords.next => Relation::Next,
        name if name == keywords.legal => Relation::Legal,
        name if name == keywords.does => Relation::Does,
        name if name == keywords.goal => Relation::Goal,
        name if name == keywords.terminal => Relation::Terminal,
        name => Relation::Plain(Functor { name, arity: sentence.args.len() }),
    };
    KifAtom { relation, args: sentence.args.clone() }
}

impl KifAtom {
    /// The atom with every variable replaced.
    pub(super) fn map_variables(&self, replace: &dyn Fn(u32) -> KifTerm) -> Self {
        let args = self.args.iter().map(|arg| arg.map_variables(replace)).collect();
        Self { relation: self.relation, args }
    }

    /// Calls `visit` on every variable.
    pub(super) fn each_variable(&self, visit: &mut dyn FnMut(u32)) {
        self.args.iter().for_each(|arg| arg.each_variable(visit));
    }
}

impl Formula {
    /// The condition with every variable replaced.
    pub(super) fn map_variables(&self, replace: &dyn Fn(u32) -> KifTerm) -> Self {
        let map = |term: &KifTerm| term.map_variables(replace);
        match self {
            Self::Holds(atom) => Self::Holds(atom.map_variables(replace)),
            Self::Fails(atom) => Self::Fails(atom.map_variables(replace)),
            Self::Equal(left, right) => Self::Equal(map(left), map(right)),
            Self::Distinct(left, right) => Self::Distinct(map(left), map(right)),
            Self::AnyOf(branches) => {
                let map_branch = |branch: &Vec<Self>| {
                    branch.iter().map(|formula| formula.map_variables(replace)).collect()
                };
                Self::AnyOf(branches.iter().map(map_branch).collect())
            }
        }
    }

    /// Calls `visit` on every variable.
    pub(super) fn each_variable(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Self::Holds(atom) | Self::Fails(atom) => atom.each_variable(visit),
            Self::Equal(left, right) | Self::Distinct(left, right) => {
                left.each_variable(visit);
                right.each_variable(visit);
            }
            Self::AnyOf(branches) => {
                branches.iter().flatten().for_each(|formula| formula.each_variable(visit));
            }
        }
    }

    /// Calls `visit` on every atom; the flag says whether it is to hold.
    pub(super) fn each_atom<'a>(&'a self, visit: &mut dyn FnMut(&'a KifAtom, bool)) {
        match self {
            Self::Holds(atom) => visit(atom, true),
            Self::Fails(atom) => visit(atom, false),
            Self::Equal(..) | Self::Distinct(..) => {}
            Self::AnyOf(branches) => {
                branches.iter().flatten().for_each(|formula| formula.each_atom(visit));
            }
        }
    }
}

impl Rule {
    /// A fact about one term.
    pub(super) fn fact(relation: Relation, arg: KifTerm) -> Self {
        let head = KifAtom { relation, args: vec![arg] };
        Self { head, body: Vec::new(), variables: Vec::new(), span: Span::default() }
    }

    /// A rule that passes the arguments of one relation on to another; `also` must hold of the first.
    pub(super) fn passing_on(
        from: Relation,
        to: Relation,
        arity: usize,
        also: Option<Relation>,
    ) -> Self {
        let variables: Vec<String> = (0..arity).map(|place| format!("?{place}")).collect();
        let numbers = 0..u32::try_from(arity).expect("arities fit into a text within its limit");
        let args: Vec<KifTerm> = numbers.map(KifTerm::Variable).collect();
        let mut body = vec![Formula::Holds(KifAtom { relation: from, args: args.clone() })];
        body.extend(also.zip(args.first()).map(|(relation, first)| {
            Formula::Holds(KifAtom { relation, args: vec![first.clone()] })
        }));
        Self { head: KifAtom { relation: to, args }, body, variables, span: Span::default() }
    }

    /// The rule with every variable replaced, under new variables.
    pub(super) fn map_variables(
        &self,
        variables: Vec<String>,
        replace: &dyn Fn(u32) -> KifTerm,
    ) -> Self {
        let body = self.body.iter().map(|formula| formula.map_variables(replace)).collect();
        Self { head: self.head.map_variables(replace), body, variables, span: self.span }
    }
}
