//! Requests: which predicate is to be specialised, and what is known when it is called.
//!
//! In: a text such as `distance(+X, -W, 4)` or `legal +P does any`. Out: predicates, each argument
//! known, unknown or a value. Invariant: a request names only what clauses answer, and its sorts meet.
//! Paper: metameta §2, where a goal comes with the variables that are instantiated.

use rulesmith_logic::{DomainId, PredicateId, Source, Span, Symbols, Value};

use crate::rules_text::ast::{Expr, ExprKind, Name, Subject};
use crate::rules_text::{ParseLimits, parse_request_text};
use crate::source::{Diagnostic, Diagnostics};
use crate::state_text::{ground, not_a_value};
use crate::theory::{PredicateKind, Theory, UNDEFINED};
use crate::vocabulary::{Named, Vocabulary};

/// A predicate to be specialised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The predicate.
    pub predicate: PredicateId,
    /// What is known about each argument.
    pub args: Vec<RequestArg>,
    /// The request in words, for headings.
    pub text: String,
}

/// What a request says about one argument. Equal names are equal arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestArg {
    /// A variable whose value is given with each call.
    Known(String),
    /// A variable whose values are asked for; `_` if it has no name.
    Unknown(String),
    /// Always this value.
    Value(Value),
}

/// Reads a request: one predicate, or one for each kind of move for `legal P does any`. Spans count
/// from the start of the text.
///
/// ```
/// use rulesmith_rules::{NoFiles, RequestArg, Settings, parse, parse_request};
/// let text = "rules 1. game one. role me. fluent done. move go.
///     legal me does go. effect go : done := true. terminal :- done. goal(me, 100) :- done.";
/// let theory = parse("one.rules", text, &Settings::default(), &NoFiles).theory.expect("no errors");
/// let requests = parse_request(&theory, "goal(+P, V)").expect("no errors");
/// assert_eq!(requests[0].args[0], RequestArg::Known("P".to_owned()));
/// ```
pub fn parse_request(theory: &Theory, text: &str) -> Result<Vec<Request>, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let parsed = parse_request_text(text, &ParseLimits::default(), &mut diagnostics);
    let requests = match parsed {
        Some((subject, known)) if !diagnostics.has_errors() => {
            resolve(theory, &subject, &known, &mut diagnostics)
        }
        _ => vec![],
    };
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(requests) }
}

fn resolve(
    theory: &Theory,
    subject: &Subject,
    known: &[Name],
    diagnostics: &mut Diagnostics,
) -> Vec<Request> {
    let named = match Vocabulary::of(theory).resolve(subject) {
        Ok(named) => named,
        Err(problem) => {
            diagnostics.report(*problem);
            return vec![];
        }
    };
    let (symbols, span) = (theory.symbols.clone(), subject.span());
    let mut reading = Reading { theory, symbols, known, span, diagnostics };
    named.iter().filter_map(|named| reading.request(named)).collect()
}

/// One request being read.
struct Reading<'r> {
    theory: &'r Theory,
    symbols: Symbols,
    known: &'r [Name],
    /// All of it.
    span: Span,
    diagnostics: &'r mut Diagnostics,
}

impl Reading<'_> {
    fn request(&mut self, (predicate, written): &Named<'_>) -> Option<Request> {
        let theory = self.theory;
        if let Some(problem) = refused(theory, *predicate, self.span) {
            self.diagnostics.report(problem);
            return None;
        }
        let domains = &theory.base.predicate(*predicate).domains;
        let args: Vec<Option<RequestArg>> =
            written.iter().zip(domains).map(|(expr, domain)| self.arg(*expr, *domain)).collect();
        let args: Vec<RequestArg> = args.into_iter().collect::<Option<_>>()?;
        self.check_sorts(written, &args, domains)?;
        let text = request_text(theory, *predicate, &args);
        Some(Request { predicate: *predicate, args, text })
    }

    fn arg(&mut self, expr: Option<&Expr>, domain: Option<DomainId>) -> Option<RequestArg> {
        let Some(expr) = expr else { return Some(RequestArg::Unknown("_".to_owned())) };
        match &expr.kind {
            ExprKind::Wildcard => Some(RequestArg::Unknown("_".to_owned())),
            ExprKind::Var(name) => {
                let is_known = self.known.iter().any(|known| known.text == *name);
                Some(if is_known {
                    RequestArg::Known(name.clone())
                } else {
                    RequestArg::Unknown(name.clone())
                })
            }
            ExprKind::Negate(inner)
                if matches!(inner.kind, ExprKind::Var(_) | ExprKind::Wildcard) =>
            {
                let ExprKind::Var(name) = &inner.kind else {
                    return Some(RequestArg::Unknown("_".to_owned()));
                };
                if self.known.iter().any(|known| known.text == *name) {
                    let message = format!("`{name}` is marked as known and as unknown");
                    self.diagnostics.report(Diagnostic::error("request", expr.span, message));
                    return None;
                }
                Some(RequestArg::Unknown(name.clone()))
            }
            _ => self.value(expr, domain).map(RequestArg::Value),
        }
    }

    fn value(&mut self, expr: &Expr, domain: Option<DomainId>) -> Option<Value> {
        let param = |name: &String| self.theory.params.iter().find(|param| param.name == *name);
        let value = match &expr.kind {
            ExprKind::Name(name) if param(name).is_some() => {
                param(name).map(|param| Value::Int(param.value))
            }
            ExprKind::Undefined => self.symbols.find(UNDEFINED).map(Value::Symbol),
            _ => ground(&mut self.symbols, expr),
        };
        // What no sort of the theory has made before is no value of it.
        let n_compounds = self.theory.symbols.n_compounds();
        let is_new = self.symbols.n_compounds() > n_compounds;
        let value = value.filter(|value| match domain {
            Some(domain) => self.theory.base.domain(domain).values.contains(value),
            None => !is_new,
        });
        if value.is_none() {
            let problem = not_a_value(self.theory, &self.symbols, expr, domain);
            let problem = if domain.is_none() {
                problem.help("use a name, a number or a compound of the rules, `+X` or `-X`")
            } else {
                problem
            };
            self.diagnostics.report(problem);
        }
        if is_new {
            self.symbols = self.theory.symbols.clone();
        }
        value
    }

    /// Reports a variable whose places have no value in common.
    fn check_sorts(
        &mut self,
        written: &[Option<&Expr>],
        args: &[RequestArg],
        domains: &[Option<DomainId>],
    ) -> Option<()> {
        for (place, arg) in args.iter().enumerate() {
            let (RequestArg::Known(name) | RequestArg::Unknown(name)) = arg else { continue };
            let before = args[..place].iter().rposition(|other| other == arg);
            let Some(before) = before.filter(|_| name != "_") else { continue };
            let (Some(first), Some(second)) = (domains[before], domains[place]) else { continue };
            let [first, second] = [first, second].map(|id| self.theory.base.domain(id));
            if first.values.iter().any(|value| second.values.contains(value)) {
                continue;
            }
            let message = format!(
                "`{name}` would have to be of the sort `{}` and of the sort `{}`, which have nothing in common",
                first.name, second.name
            );
            let span = written[place].map_or(Span::default(), |expr| expr.span);
            self.diagnostics.report(Diagnostic::error("sort-mismatch", span, message));
            return None;
        }
        Some(())
    }
}

/// Why a predicate cannot be specialised, if so.
fn refused(theory: &Theory, id: PredicateId, span: Span) -> Option<Diagnostic> {
    let predicate = theory.base.predicate(id);
    let name = &predicate.name;
    let why = match (&predicate.source, theory.kind(id)) {
        (_, PredicateKind::Component) => {
            format!("`{name}` belongs to an object: it is kept by the state, no clause defines it")
        }
        (_, PredicateKind::Fluent(_)) => {
            format!("`{name}` is a fluent: it is read from the state, no clause defines it")
        }
        (Source::World, PredicateKind::Does(_)) => {
            "which move is being made is given, no clause defines it".to_owned()
        }
        (Source::World, _) => format!("`{name}` is answered by the history, no clause defines it"),
        (Source::Component(..), _) => format!("`{name}` belongs to an object"),
        (Source::Clauses, _) => return None,
    };
    let problem = Diagnostic::error("request", span, why);
    Some(match theory.kind(id) {
        PredicateKind::Fluent(_) => problem.help(format!(
            "its start is `init {name}`, its changes are `effect {name}`, or ask for a predicate that uses it"
        )),
        PredicateKind::Does(_) => problem.help("ask who may do it: `legal P does MOVE`"),
        _ => problem.help("ask for a predicate that uses it"),
    })
}

/// The request as one may write it.
fn request_text(theory: &Theory, id: PredicateId, args: &[RequestArg]) -> String {
    let texts: Vec<String> = args
        .iter()
        .map(|arg| match arg {
            RequestArg::Known(name) => format!("+{name}"),
            RequestArg::Unknown(name) => name.clone(),
            RequestArg::Value(value) => crate::wording::value_text(&theory.symbols, *value),
        })
        .collect();
    let applied = |name: &str, args: &[String]| match args {
        [] => crate::wording::name_text(name),
        _ => format!("{}({})", crate::wording::name_text(name), args.join(", ")),
    };
    let assigned = |keyword: &str, name: &str, sign: &str| match texts.split_last() {
        Some((value, keys)) => format!("{keyword} {} {sign} {value}", applied(name, keys)),
        None => format!("{keyword} {name}"),
    };
    match theory.kind(id) {
        PredicateKind::Legal(kind) => {
            let act = applied(&theory.move_kind(*kind).name, texts.get(1..).unwrap_or_default());
            format!("legal {} does {act}", texts.first().map_or("_", String::as_str))
        }
        PredicateKind::Init(fluent) if theory.fluent(*fluent).is_functional => {
            assigned("init", &theory.fluent(*fluent).name, "=")
        }
        PredicateKind::Init(fluent) => {
            format!("init {}", applied(&theory.fluent(*fluent).name, &texts))
        }
        PredicateKind::Assign(fluent) => assigned("effect", &theory.fluent(*fluent).name, ":="),
        PredicateKind::Deferred(fluent) => {
            assigned("deferred effect", &theory.fluent(*fluent).name, ":=")
        }
        PredicateKind::Prefer => format!("prefer max({})", texts.join(", ")),
        _ => applied(&theory.base.predicate(id).name, &texts),
    }
}
