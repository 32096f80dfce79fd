//! The vocabulary: which predicate a written subject names.
//!
//! In: the declared names, and a subject (see `rules_text`). Out: predicates with their written
//! arguments, or what is wrong. Requests and quoted patterns share it, so both resolve names and
//! suggest others alike. Invariant: a fluent or function may be written as a function with its value
//! (`at(S) = C`) or as a relation with all its arguments (`at(S, C)`).

use rulesmith_logic::{ClauseBase, Comparison, PredicateId, Span};

use crate::rules_text::ast::{ConditionKind, Expr, ExprKind, Subject};
use crate::source::{Diagnostic, nearest};
use crate::theory::{Fluent, MoveKind, PredicateKind, Theory};

/// A predicate and its arguments as written; `None` where nothing was written.
pub(crate) type Named<'s> = (PredicateId, Vec<Option<&'s Expr>>);

/// What is wrong with a subject.
pub(crate) type Problem = Box<Diagnostic>;

/// The names of a theory, finished or still being checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vocabulary<'v> {
    pub(crate) base: &'v ClauseBase,
    pub(crate) kinds: &'v [PredicateKind],
    pub(crate) fluents: &'v [Fluent],
    pub(crate) moves: &'v [MoveKind],
    pub(crate) preferences: &'v [PredicateId],
}

impl<'v> Vocabulary<'v> {
    /// The names of a finished theory.
    pub(crate) fn of(theory: &'v Theory) -> Self {
        let Theory { base, kinds, fluents, moves, preferences, .. } = theory;
        Self { base, kinds, fluents, moves, preferences }
    }

    /// The predicates a subject names: one, or one for each kind of move or preference.
    pub(crate) fn resolve<'s>(&self, subject: &'s Subject) -> Result<Vec<Named<'s>>, Problem> {
        match subject {
            Subject::Init { fluent, value } => {
                let (known, mut args) = self.fluent(fluent)?;
                if known.is_functional {
                    args.push(value.as_ref());
                } else if let Some(value) = value {
                    let message = format!("`{}` is boolean: it has no value", known.name);
                    return Err(Box::new(Diagnostic::error(
                        "value-unexpected",
                        value.span,
                        message,
                    )));
                }
                Ok(vec![(known.init, args)])
            }
            Subject::Effect { is_deferred, fluent, value } => {
                let (known, mut args) = self.fluent(fluent)?;
                args.push(value.as_ref());
                Ok(vec![(if *is_deferred { known.deferred } else { known.assign }, args)])
            }
            Subject::Condition(condition) => match &condition.kind {
                ConditionKind::Holds(applied) => self.holds(applied),
                ConditionKind::Compare(Comparison::Equal, left, right) => self
                    .equation(left, right)
                    .or_else(|| self.equation(right, left))
                    .map(|named| vec![named])
                    .ok_or_else(|| Box::new(self.no_function(left))),
                ConditionKind::Legal { role, act: None } => {
                    let any = |kind: &MoveKind| {
                        let params = std::iter::repeat_n(None, kind.n_params);
                        (kind.legal, std::iter::once(Some(role)).chain(params).collect())
                    };
                    Ok(self.moves.iter().map(any).collect())
                }
                ConditionKind::Legal { role, act: Some(act) } => {
                    self.act(role, act, |kind| kind.legal)
                }
                ConditionKind::Does { role, act } => self.act(role, act, |kind| kind.does),
                _ => Err(Box::new(no_atom(condition.span))),
            },
        }
    }

    /// The predicate that answers a relation, also a fluent's with its value as the last argument.
    fn relation(&self, name: &str, arity: usize) -> Option<PredicateId> {
        let is_relation = |place: &usize| {
            let predicate = &self.base.predicates[*place];
            predicate.name == name
                && predicate.domains.len() == arity
                && is_named(&self.kinds[*place])
        };
        let boolean = self
            .fluents
            .iter()
            .find(|fluent| !fluent.is_functional && fluent.name == name && fluent.n_keys == arity);
        let relation = (0..self.base.predicates.len()).find(is_relation);
        boolean
            .map(|fluent| fluent.predicate)
            .or_else(|| relation.and_then(|place| u32::try_from(place).ok()).map(PredicateId))
    }

    fn holds<'s>(&self, applied: &'s Expr) -> Result<Vec<Named<'s>>, Problem> {
        let (name, args, span) = parts(applied).ok_or_else(|| Box::new(no_atom(applied.span)))?;
        let written: Vec<Option<&Expr>> = args.iter().map(Some).collect();
        if let Some(predicate) = self.relation(name, args.len()) {
            return Ok(vec![(predicate, written)]);
        }
        if name == "prefer" && args.len() < 2 && !self.preferences.is_empty() {
            let value = written.first().copied().flatten();
            return Ok(self.preferences.iter().map(|id| (*id, vec![value])).collect());
        }
        Err(Box::new(self.unknown(name, args.len(), span)))
    }

    /// The predicate of a function applied to arguments, and its value.
    fn equation<'s>(&self, applied: &'s Expr, value: &'s Expr) -> Option<Named<'s>> {
        let (name, args, _) = parts(applied)?;
        let is_function = |place: &usize| {
            let predicate = &self.base.predicates[*place];
            let is_functional = match &self.kinds[*place] {
                PredicateKind::Static { arrow, .. } => *arrow,
                PredicateKind::DerivedFunction => true,
                PredicateKind::Fluent(id) => self.fluents[id.0].is_functional,
                _ => false,
            };
            is_functional && predicate.name == name && predicate.domains.len() == args.len() + 1
        };
        let place = (0..self.base.predicates.len()).find(is_function)?;
        let args = args.iter().chain([value]).map(Some).collect();
        Some((PredicateId(u32::try_from(place).ok()?), args))
    }

    fn fluent<'s>(&self, expr: &'s Expr) -> Result<(&'v Fluent, Vec<Option<&'s Expr>>), Problem> {
        let (name, args, span) = parts(expr).ok_or_else(|| {
            Box::new(Diagnostic::error("no-fluent", expr.span, "a fluent is needed here"))
        })?;
        let is_same = |fluent: &&Fluent| fluent.name == name && fluent.n_keys == args.len();
        if let Some(fluent) = self.fluents.iter().find(is_same) {
            return Ok((fluent, args.iter().map(Some).collect()));
        }
        if let Some(known) = self.fluents.iter().find(|fluent| fluent.name == name) {
            let (takes, given) = (arguments(known.n_keys), args.len());
            let message = format!("`{name}` takes {takes}, {given} are given");
            return Err(Box::new(Diagnostic::error("wrong-arity", span, message)));
        }
        let problem =
            Diagnostic::error("unknown-fluent", span, format!("there is no fluent `{name}`"));
        let names = self.fluents.iter().map(|fluent| fluent.name.as_str());
        Err(Box::new(suggesting(problem, name, names)))
    }

    fn act<'s>(
        &self,
        role: &'s Expr,
        act: &'s Expr,
        which: impl Fn(&MoveKind) -> PredicateId,
    ) -> Result<Vec<Named<'s>>, Problem> {
        let (name, args, span) = parts(act).ok_or_else(|| {
            Box::new(Diagnostic::error("no-move", act.span, "a move is needed here"))
        })?;
        let is_same = |kind: &&MoveKind| kind.name == name && kind.n_params == args.len();
        if let Some(kind) = self.moves.iter().find(is_same) {
            return Ok(vec![(which(kind), std::iter::once(role).chain(args).map(Some).collect())]);
        }
        let takes: Vec<String> = self
            .moves
            .iter()
            .filter(|kind| kind.name == name)
            .map(|kind| arguments(kind.n_params))
            .collect();
        if !takes.is_empty() {
            let (takes, given) = (takes.join(" or "), args.len());
            let message = format!("the move `{name}` takes {takes}, {given} are given");
            return Err(Box::new(Diagnostic::error("wrong-arity", span, message)));
        }
        let problem = Diagnostic::error("unknown-move", span, format!("there is no move `{name}`"));
        Err(Box::new(suggesting(problem, name, self.moves.iter().map(|kind| kind.name.as_str()))))
    }

    fn unknown(&self, name: &str, arity: usize, span: Span) -> Diagnostic {
        let mut arities: Vec<usize> = self
            .named_predicates()
            .filter(|(other, _)| *other == name)
            .map(|(_, arity)| arity)
            .collect();
        arities.sort_unstable();
        arities.dedup();
        if !arities.is_empty() {
            let takes: Vec<String> = arities.into_iter().map(arguments).collect();
            let message = format!("`{name}` takes {}, {arity} are given", takes.join(" or "));
            return Diagnostic::error("wrong-arity", span, message);
        }
        let message = format!("there is no predicate `{name}` with {}", arguments(arity));
        let problem = Diagnostic::error("unknown-predicate", span, message);
        if self.moves.iter().any(|kind| kind.name == name) {
            return problem.help(format!("`{name}` is a move: write `legal P does {name}…`"));
        }
        suggesting(problem, name, self.named_predicates().map(|(name, _)| name))
    }

    fn named_predicates(&self) -> impl Iterator<Item = (&'v str, usize)> + use<'v> {
        let predicates = self.base.predicates.iter().zip(self.kinds);
        predicates
            .filter(|(_, kind)| is_named(kind))
            .map(|(predicate, _)| (predicate.name.as_str(), predicate.domains.len()))
    }

    fn no_function(&self, left: &Expr) -> Diagnostic {
        let Some((name, args, span)) = parts(left) else { return no_atom(left.span) };
        if self.relation(name, args.len()).is_some() {
            let message = format!("`{name}` is a relation, it has no value");
            return Diagnostic::error("no-value", span, message);
        }
        let message = format!("there is no fluent or function `{name}`");
        let problem = Diagnostic::error("unknown-function", span, message);
        suggesting(problem, name, self.named_predicates().map(|(name, _)| name))
    }
}

/// Is the predicate asked by its own name in conditions?
fn is_named(kind: &PredicateKind) -> bool {
    use PredicateKind::{
        Component, Continue, Derived, DerivedFunction, Draw, Fluent, Goal, Static, Target, Terminal,
    };
    matches!(
        kind,
        Static { .. }
            | Derived { .. }
            | DerivedFunction
            | Fluent(_)
            | Terminal
            | Goal
            | Draw
            | Continue
            | Target
            | Component
    )
}

/// Name, arguments and place of an application.
pub(crate) fn parts(expr: &Expr) -> Option<(&str, &[Expr], Span)> {
    match &expr.kind {
        ExprKind::Name(name) => Some((name, &[], expr.span)),
        ExprKind::Apply(name, args) => Some((&name.text, args, name.span)),
        _ => None,
    }
}

fn no_atom(span: Span) -> Diagnostic {
    Diagnostic::error("no-predicate", span, "one predicate with its arguments is needed here")
}

/// `1 argument`, `2 arguments`.
fn arguments(n: usize) -> String {
    crate::check::arguments(n)
}

/// With a name that is near, if there is one.
pub(crate) fn suggesting<'n>(
    problem: Diagnostic,
    word: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Diagnostic {
    match nearest(word, names) {
        Some(near) => problem.help(format!("did you mean `{near}`?")),
        None => problem,
    }
}
