//! Metarules: from the syntax tree to [`Metarule`], checked against the theory they are about.
//!
//! In: the metarules of the text. Out: metarules with numbered variables. Invariant: every metapredicate
//! exists with that number of arguments, every variable stands for one kind of thing, and what an
//! action, test or negation uses is given by a condition.

use rulesmith_logic::{Comparison, Condition, DomainId, Span, Term, Value, Var};

use super::{Checker, with_help};
use crate::metarule::{
    Action, Metacondition, Metarule, Metavariable, MetavariableKind, Phase, Quoted,
};
use crate::rules_text::ast::{
    Expr, ExprKind, Item, ItemKind, MetaArg, MetaAtom, MetaCondition, MetaConditionKind, Name,
};
use crate::source::{Diagnostic, Severity};

/// The metapredicates with their arguments, as messages show them.
pub(crate) const METAPREDICATES: [(&str, &[&str]); 22] = [
    ("rule", &["R"]),
    ("conclusion", &["R", "`p(X)`"]),
    ("condition", &["R", "`p(X)`"]),
    ("setofconditions", &["R", "S"]),
    ("variable", &["X"]),
    ("constant", &["X"]),
    ("same", &["X", "Y"]),
    ("sort", &["X", "SORT"]),
    ("member", &["`p(X)`", "S"]),
    ("subset", &["S", "T"]),
    ("union", &["S", "T", "U"]),
    ("length", &["S", "N"]),
    ("newrule", &["R"]),
    ("addrule", &["R"]),
    ("addconclusion", &["R", "`p(X)`"]),
    ("addcondition", &["R", "`p(X)`"]),
    ("addconditiontoset", &["R", "S"]),
    ("removecondition", &["R", "`p(X)`"]),
    ("unify", &["R", "X", "Y"]),
    ("impossible", &["R"]),
    ("kill", &["R", "\"why\""]),
    ("useless", &["R", "`p(X)`"]),
];

impl Checker<'_> {
    pub(crate) fn read_metarules(&mut self, items: &[Item]) {
        for item in items {
            let ItemKind::Metarule { phase, conclusions, body } = &item.kind else { continue };
            let mut reading = MetaReading::new(self);
            let metarule = reading.metarule(*phase, conclusions, body, item.span);
            self.metarules.extend(metarule);
        }
    }
}

/// One metarule being read.
pub(crate) struct MetaReading<'c, 'a> {
    pub(crate) checker: &'c mut Checker<'a>,
    pub(crate) variables: Vec<WrittenVariable>,
    once: Option<Vec<Var>>,
}

/// A variable as far as it is known.
#[derive(Debug)]
pub(crate) struct WrittenVariable {
    name: String,
    /// What it stands for, and where that was seen.
    kind: Option<MetavariableKind>,
    span: Span,
    uses: usize,
    /// The sorts of the places it stands in.
    pub(crate) places: Vec<DomainId>,
}

impl<'c, 'a> MetaReading<'c, 'a> {
    fn new(checker: &'c mut Checker<'a>) -> Self {
        Self { checker, variables: vec![], once: None }
    }

    fn metarule(
        &mut self,
        phase: Phase,
        conclusions: &[MetaAtom],
        body: &[MetaCondition],
        span: Span,
    ) -> Option<Metarule> {
        let n_problems = self.checker.diagnostics.list.len();
        let limit = self.checker.settings.limits.conditions;
        if conclusions.len().saturating_add(body.len()) > limit {
            let message =
                format!("this metarule has more conditions than the limit `conditions` of {limit}");
            self.checker.report(Diagnostic::error("limit", span, message));
            return None;
        }
        let conditions = self.conditions(body);
        let read: Vec<Option<Action>> =
            conclusions.iter().map(|atom| self.conclusion(atom)).collect();
        let conclusions = read.into_iter().collect::<Option<Vec<Action>>>()?;
        let conditions = conditions?;
        let is_too_many = self.variables.len() >= usize::from(u16::MAX);
        if is_too_many {
            let message = "this metarule has more than 65,534 variables";
            self.checker.report(Diagnostic::error("limit", span, message));
            return None;
        }
        self.equal_kinds(&conditions);
        let variables = self.variables.iter().map(|variable| Metavariable {
            name: variable.name.clone(),
            kind: variable.kind.unwrap_or(MetavariableKind::Term),
        });
        let (once, variables) = (self.once.take(), variables.collect());
        let metarule = Metarule { phase, conclusions, conditions, once, variables, span };
        self.check_bound(&metarule);
        self.check_new_rules(&metarule);
        self.check_sorts();
        self.warn_of_once_used();
        let new = self.checker.diagnostics.list.iter().skip(n_problems);
        let is_clean = new.into_iter().all(|problem| problem.severity == Severity::Warning);
        is_clean.then_some(metarule)
    }

    fn conditions(&mut self, body: &[MetaCondition]) -> Option<Vec<Metacondition>> {
        let read: Vec<Option<Option<Metacondition>>> =
            body.iter().map(|condition| self.condition(condition)).collect();
        let read: Option<Vec<Option<Metacondition>>> = read.into_iter().collect();
        Some(read?.into_iter().flatten().collect())
    }

    /// The condition; nothing inside for `once`, which is no condition.
    #[expect(clippy::option_option, reason = "outside: could it be read; inside: is it one")]
    fn condition(&mut self, condition: &MetaCondition) -> Option<Option<Metacondition>> {
        match &condition.kind {
            MetaConditionKind::Holds(atom) => self.atom(atom).map(Some),
            MetaConditionKind::Compare(comparison, left, right) => {
                self.comparison(*comparison, left, right).map(Some)
            }
            MetaConditionKind::Not(body) => {
                let before = self.variables.len();
                let body = self.conditions(body)?;
                let is_local = |place: &usize| self.variables[*place].name == "_";
                let locals = (before..self.variables.len()).filter(is_local).map(to_var).collect();
                if body
                    .iter()
                    .any(|inner| matches!(inner, Metacondition::Act(_) | Metacondition::NewRule(_)))
                {
                    let message = "a negation only tests, it cannot do anything";
                    self.checker.report(Diagnostic::error("meta-action", condition.span, message));
                    return None;
                }
                Some(Some(Metacondition::Not { locals, body }))
            }
            MetaConditionKind::Once(names) => {
                if self.once.is_some() {
                    let message = "there is one `once` already";
                    self.checker.report(Diagnostic::error("duplicate", condition.span, message));
                    return None;
                }
                let vars: Vec<Var> = names.iter().map(|name| self.any_variable(name)).collect();
                self.once = Some(vars);
                Some(None)
            }
        }
    }

    fn conclusion(&mut self, atom: &MetaAtom) -> Option<Action> {
        match self.atom(atom)? {
            Metacondition::Act(action) => Some(action),
            _ => {
                let message = format!("`{}` is a test, it does nothing", atom.name.text);
                let problem = Diagnostic::error("meta-action", atom.span, message);
                let help =
                    "a metarule concludes what is done: impossible, unify, useless, addrule, …";
                self.checker.report(problem.help(help));
                None
            }
        }
    }

    fn atom(&mut self, atom: &MetaAtom) -> Option<Metacondition> {
        use Metacondition as M;
        let name = atom.name.text.as_str();
        let args = self.arguments(atom)?;
        Some(match (name, args) {
            ("rule", [rule]) => M::Rule(self.rule(rule)?),
            ("newrule", [rule]) => M::NewRule(self.rule(rule)?),
            ("conclusion", [rule, quoted]) => M::Conclusion(self.rule(rule)?, self.head(quoted)?),
            ("condition", [rule, quoted]) => M::Condition(self.rule(rule)?, self.quoted(quoted)?),
            ("setofconditions", [rule, set]) => {
                M::SetOfConditions(self.rule(rule)?, self.set(set)?)
            }
            ("variable", [term]) => M::Variable(self.term(term)?),
            ("constant", [term]) => M::Constant(self.term(term)?),
            ("same", [left, right]) => M::Same(self.term(left)?, self.term(right)?),
            ("sort", [term, sort]) => M::Sort(self.term(term)?, self.sort(sort)?),
            ("member", [quoted, set]) => M::Member(self.quoted(quoted)?, self.set(set)?),
            ("subset", [left, right]) => M::Subset(self.set(left)?, self.set(right)?),
            ("union", [left, right, whole]) => {
                M::Union(self.set(left)?, self.set(right)?, self.set(whole)?)
            }
            ("length", [set, number]) => M::Length(self.set(set)?, self.number(number)?),
            _ => M::Act(self.action(name, args)?),
        })
    }

    fn action(&mut self, name: &str, args: &[MetaArg]) -> Option<Action> {
        use Action as A;
        Some(match (name, args) {
            ("addrule", [rule]) => A::AddRule(self.rule(rule)?),
            ("addconclusion", [rule, quoted]) => {
                A::AddConclusion(self.rule(rule)?, self.head(quoted)?)
            }
            ("addcondition", [rule, quoted]) => {
                A::AddCondition(self.rule(rule)?, self.quoted(quoted)?)
            }
            ("addconditiontoset", [rule, set]) => {
                A::AddConditionToSet(self.rule(rule)?, self.set(set)?)
            }
            ("removecondition", [rule, quoted]) => {
                A::RemoveCondition(self.rule(rule)?, self.quoted(quoted)?)
            }
            ("unify", [rule, left, right]) => {
                A::Unify(self.rule(rule)?, self.term(left)?, self.term(right)?)
            }
            ("impossible", [rule]) => A::Impossible(self.rule(rule)?),
            ("kill", [rule, why]) => A::Kill(self.rule(rule)?, self.reason(why)?),
            ("useless", [rule, quoted]) => A::Useless(self.rule(rule)?, self.quoted(quoted)?),
            _ => return None,
        })
    }

    /// The arguments, if the metapredicate exists and takes so many.
    fn arguments<'m>(&mut self, atom: &'m MetaAtom) -> Option<&'m [MetaArg]> {
        let name = atom.name.text.as_str();
        let known = METAPREDICATES.iter().find(|(other, _)| *other == name);
        let Some((_, form)) = known else {
            let message = format!("there is no metapredicate `{name}`");
            let problem = Diagnostic::error("unknown-metapredicate", atom.name.span, message);
            let names = METAPREDICATES.iter().map(|(name, _)| *name);
            let help = match name {
                "intcut" | "cutifdeduction" => Some("write `once { R }`".to_owned()),
                "greaterthan" | "lessthan" => Some("write `N < 5`".to_owned()),
                _ if self.checker.is_known(name) => {
                    Some(format!("conditions of clauses are quoted: condition(R, `{name}(…)`)"))
                }
                _ => Checker::did_you_mean(name, names),
            };
            self.checker.report(with_help(problem, help));
            return None;
        };
        if form.len() == atom.args.len() {
            return Some(&atom.args);
        }
        let (takes, given) = (super::arguments(form.len()), atom.args.len());
        let message = format!("the metapredicate `{name}` takes {takes}, {given} are given");
        let problem = Diagnostic::error("wrong-arity", atom.name.span, message);
        self.checker.report(problem.help(format!("write {name}({})", form.join(", "))));
        None
    }

    fn rule(&mut self, arg: &MetaArg) -> Option<Var> {
        self.variable_of(arg, MetavariableKind::Rule)
    }

    fn set(&mut self, arg: &MetaArg) -> Option<Var> {
        self.variable_of(arg, MetavariableKind::Set)
    }

    fn variable_of(&mut self, arg: &MetaArg, kind: MetavariableKind) -> Option<Var> {
        if let MetaArg::Expr(expr) = arg {
            match &expr.kind {
                ExprKind::Var(name) => return self.variable(name, expr.span, Some(kind)),
                ExprKind::Wildcard => return Some(self.fresh(expr.span, kind)),
                _ => {}
            }
        }
        self.complain(arg, &format!("a variable that stands for {}", kind_text(kind)))
    }

    fn number(&mut self, arg: &MetaArg) -> Option<Term> {
        match arg {
            MetaArg::Expr(Expr { kind: ExprKind::Var(_) | ExprKind::Wildcard, .. }) => {
                self.variable_of(arg, MetavariableKind::Number).map(Term::Var)
            }
            MetaArg::Expr(expr) => self.checker.constant_int(expr).map(Value::Int).map(Term::Value),
            _ => self.complain(arg, "a number"),
        }
    }

    fn term(&mut self, arg: &MetaArg) -> Option<Term> {
        match arg {
            MetaArg::Expr(expr) => self.object_term(expr, None),
            _ => self.complain(arg, "a variable or constant of a clause"),
        }
    }

    fn sort(&mut self, arg: &MetaArg) -> Option<DomainId> {
        let MetaArg::Expr(Expr { kind: ExprKind::Name(name), span }) = arg else {
            return self.complain(arg, "the name of a sort");
        };
        if let Some(Some(domain)) = self.checker.sorts.get(name) {
            return Some(*domain);
        }
        let help = Checker::did_you_mean(name, self.checker.sorts.keys().map(String::as_str));
        let problem = Diagnostic::error("meta-sort", *span, format!("there is no sort `{name}`"));
        self.checker.report(with_help(problem, help));
        None
    }

    fn reason(&mut self, arg: &MetaArg) -> Option<String> {
        match arg {
            MetaArg::Text(text) => Some(text.text.clone()),
            _ => self.complain(arg, "a reason: \"why\""),
        }
    }

    fn quoted(&mut self, arg: &MetaArg) -> Option<Quoted> {
        match arg {
            MetaArg::Quoted(subject, span) => self.pattern(subject, *span).map(Quoted::Pattern),
            MetaArg::Expr(Expr { kind: ExprKind::Var(_) | ExprKind::Wildcard, .. }) => {
                self.variable_of(arg, MetavariableKind::Condition).map(Quoted::Variable)
            }
            _ => self.complain(arg, "a pattern in backquotes: `p(X)`"),
        }
    }

    /// A pattern of a conclusion: an atom.
    fn head(&mut self, arg: &MetaArg) -> Option<Quoted> {
        let quoted = self.quoted(arg)?;
        if matches!(&quoted, Quoted::Pattern(condition) if !matches!(condition, Condition::Holds(_)))
        {
            let span = meta_span(arg);
            let message = "a clause concludes a predicate with its arguments";
            self.checker.report(Diagnostic::error("no-predicate", span, message));
            return None;
        }
        Some(quoted)
    }

    fn complain<T>(&mut self, arg: &MetaArg, what: &str) -> Option<T> {
        let message = format!("{what} is needed here");
        self.checker.report(Diagnostic::error("meta-argument", meta_span(arg), message));
        None
    }

    fn comparison(
        &mut self,
        comparison: Comparison,
        left: &Expr,
        right: &Expr,
    ) -> Option<Metacondition> {
        let is_order = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
        let mut sides = [left, right].map(|side| match &side.kind {
            ExprKind::Var(name) => {
                let kind = is_order.then_some(MetavariableKind::Number);
                self.variable(name, side.span, kind).map(Term::Var)
            }
            _ if is_order => self.checker.constant_int(side).map(Value::Int).map(Term::Value),
            _ => self.object_term(side, None),
        });
        let [left, right] = [sides[0].take()?, sides[1].take()?];
        Some(Metacondition::Compare(comparison, left, right))
    }

    fn any_variable(&mut self, name: &Name) -> Var {
        let known = self.variables.iter().position(|variable| variable.name == name.text);
        let place = known.unwrap_or_else(|| self.add(&name.text, name.span, None));
        self.variables[place].uses += 1;
        to_var(place)
    }

    /// The variable of a name, of that kind.
    pub(crate) fn variable(
        &mut self,
        name: &str,
        span: Span,
        kind: Option<MetavariableKind>,
    ) -> Option<Var> {
        let known = self.variables.iter().position(|variable| variable.name == name);
        let place = known.unwrap_or_else(|| self.add(name, span, kind));
        let variable = &mut self.variables[place];
        variable.uses += 1;
        if let (Some(before), Some(now)) = (variable.kind, kind)
            && before != now
        {
            let message =
                format!("`{name}` stands for {} and for {}", kind_text(before), kind_text(now));
            let problem = Diagnostic::error("meta-kind", span, message);
            let problem = problem.related(variable.span, "first here");
            self.checker.report(problem);
            return None;
        }
        variable.kind = variable.kind.or(kind);
        Some(to_var(place))
    }

    /// A new variable without a name.
    pub(crate) fn fresh(&mut self, span: Span, kind: MetavariableKind) -> Var {
        to_var(self.add("_", span, Some(kind)))
    }

    fn add(&mut self, name: &str, span: Span, kind: Option<MetavariableKind>) -> usize {
        let (name, uses, places) = (name.to_owned(), 0, vec![]);
        self.variables.push(WrittenVariable { name, kind, span, uses, places });
        self.variables.len() - 1
    }

    /// A name written once is often a slip.
    fn warn_of_once_used(&mut self) {
        let is_slip =
            |variable: &&WrittenVariable| variable.uses == 1 && !variable.name.starts_with('_');
        let slips: Vec<(String, Span)> = self
            .variables
            .iter()
            .filter(is_slip)
            .map(|variable| (variable.name.clone(), variable.span))
            .collect();
        for (name, span) in slips {
            self.checker.warn_of_singleton(&name, span);
        }
    }

    /// Where a variable was first written, and its name.
    pub(crate) fn written(&self, var: Var) -> (String, Span) {
        let variable = &self.variables[var.0 as usize];
        (variable.name.clone(), variable.span)
    }

    /// The two sides of an equation are of one kind.
    fn equal_kinds(&mut self, conditions: &[Metacondition]) {
        for condition in conditions {
            match condition {
                Metacondition::Compare(_, Term::Var(left), Term::Var(right)) => {
                    let [left, right] = [left, right].map(|var| var.0 as usize);
                    let kinds = [left, right].map(|place| self.variables[place].kind);
                    let kind = kinds[0].or(kinds[1]);
                    let (name, span) =
                        (self.variables[right].name.clone(), self.variables[right].span);
                    if let (Some(one), Some(other)) = (kinds[0], kinds[1])
                        && one != other
                    {
                        let (one, other) = (kind_text(one), kind_text(other));
                        let message = format!("`{name}` is {other}, compared with {one}");
                        self.checker.report(Diagnostic::error("meta-kind", span, message));
                    }
                    self.variables[left].kind = kind;
                    self.variables[right].kind = kinds[1].or(kind);
                }
                Metacondition::Not { body, .. } => self.equal_kinds(body),
                _ => {}
            }
        }
    }
}

/// What a variable stands for, in words.
pub(crate) fn kind_text(kind: MetavariableKind) -> &'static str {
    match kind {
        MetavariableKind::Rule => "a rule",
        MetavariableKind::Term => "a term",
        MetavariableKind::Condition => "a condition",
        MetavariableKind::Set => "a set of conditions",
        MetavariableKind::Number => "a number",
    }
}

fn meta_span(arg: &MetaArg) -> Span {
    match arg {
        MetaArg::Quoted(_, span) => *span,
        MetaArg::Text(text) => text.span,
        MetaArg::Expr(expr) => expr.span,
    }
}

fn to_var(place: usize) -> Var {
    Var(u16::try_from(place).unwrap_or(u16::MAX))
}
