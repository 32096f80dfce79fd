//! Expressions: names are looked up, applications flattened, until only terms and arithmetic are left.
//!
//! In: expressions of the syntax tree. Out: terms, and the conditions that give their fresh variables
//! a value. Invariant: no function term is left; a fluent in the place of a term becomes an atom.

use rulesmith_logic::{
    Atom, Comparison, Condition, Expr, Operation, PredicateId, Term, Value, Variable,
};

use super::lower::Lowering;
use super::with_help;
use crate::rules_text::ast;
use crate::rules_text::ast::ExprKind;
use crate::source::Diagnostic;
use crate::theory::UNDEFINED;

/// What an application names when it stands in the place of a term.
pub(crate) enum Function {
    /// A functional fluent or static: its last argument is the value.
    Value(PredicateId),
    /// `min` or `max`.
    Arithmetic(Operation),
    /// The functor of a product sort.
    Functor,
}

impl Lowering<'_, '_> {
    /// The expression as a term; conditions that make it so are added to the body.
    pub(crate) fn term(&mut self, expr: &ast::Expr) -> Option<Term> {
        match &expr.kind {
            ExprKind::Var(name) => Some(self.variables.named(name, expr.span)),
            ExprKind::Wildcard => Some(self.variables.fresh(expr.span)),
            ExprKind::Undefined => {
                Some(Term::Value(Value::Symbol(self.checker.symbols.symbol(UNDEFINED))))
            }
            ExprKind::Name(name) if self.function(name, 0).is_none() => {
                self.constant(expr, name).map(Term::Value)
            }
            ExprKind::Tuple(args) => self.construct(expr, "", args),
            ExprKind::Apply(name, args) => match self.function(&name.text, args.len()) {
                Some(Function::Functor) => self.construct(expr, &name.text, args),
                Some(_) => self.computed_term(expr),
                None if super::constants::is_function(&name.text, args.len()) => {
                    self.computed_term(expr)
                }
                None => {
                    self.unknown_function(name, args.len());
                    None
                }
            },
            _ => self.computed_term(expr),
        }
    }

    /// A fresh variable equal to the expression, or its value when that is known now.
    fn computed_term(&mut self, expr: &ast::Expr) -> Option<Term> {
        match self.expr(expr)? {
            Expr::Term(term) => Some(term),
            computed => {
                let fresh = self.variables.fresh(expr.span);
                self.body.push(Condition::Compare(Comparison::Equal, Expr::Term(fresh), computed));
                Some(fresh)
            }
        }
    }

    /// The expression as arithmetic.
    pub(crate) fn expr(&mut self, expr: &ast::Expr) -> Option<Expr> {
        match &expr.kind {
            ExprKind::Int(number) => {
                let fits = i32::try_from(*number).ok();
                if fits.is_none() {
                    let problem =
                        Diagnostic::error("arithmetic", expr.span, "this number does not fit");
                    self.checker.report(problem);
                }
                fits.map(|number| Expr::Term(Term::Value(Value::Int(number))))
            }
            ExprKind::Negate(inner) => {
                let inner = self.expr(inner)?;
                let zero = Expr::Term(Term::Value(Value::Int(0)));
                Some(fold(Operation::Sub, zero, inner))
            }
            ExprKind::Binary(operation, left, right) => {
                let (left, right) = (self.operand(left), self.operand(right));
                Some(fold(*operation, left?, right?))
            }
            ExprKind::Count { counted, body } => Some(self.count(counted, body)),
            ExprKind::Apply(name, args) => match self.function(&name.text, args.len()) {
                Some(Function::Value(predicate)) => self.function_value(expr, predicate, args),
                Some(Function::Arithmetic(operation)) => {
                    let (left, right) = (self.operand(&args[0]), self.operand(&args[1]));
                    Some(fold(operation, left?, right?))
                }
                _ if super::constants::is_function(&name.text, args.len()) => self
                    .checker
                    .constant_int(expr)
                    .map(|number| Expr::Term(Term::Value(Value::Int(number)))),
                _ => self.term(expr).map(Expr::Term),
            },
            ExprKind::Name(name) => match self.function(name, 0) {
                Some(Function::Value(predicate)) => self.function_value(expr, predicate, &[]),
                _ => self.term(expr).map(Expr::Term),
            },
            _ => self.term(expr).map(Expr::Term),
        }
    }

    /// An operand must not be a name.
    fn operand(&mut self, expr: &ast::Expr) -> Option<Expr> {
        let operand = self.expr(expr)?;
        if let Expr::Term(Term::Value(Value::Symbol(_) | Value::Compound(_))) = operand {
            let problem = Diagnostic::error("sort-mismatch", expr.span, "this is not a number");
            self.checker.report(problem.label("arithmetic needs integers"));
            return None;
        }
        Some(operand)
    }

    fn function_value(
        &mut self,
        expr: &ast::Expr,
        predicate: PredicateId,
        args: &[ast::Expr],
    ) -> Option<Expr> {
        let mut terms = self.terms(args)?;
        let value = self.variables.fresh(expr.span);
        terms.push(value);
        self.holds(predicate, terms, expr.span);
        Some(Expr::Term(value))
    }

    /// All arguments as terms; every one is looked at even when one is wrong.
    pub(crate) fn terms(&mut self, args: &[ast::Expr]) -> Option<Vec<Term>> {
        let terms: Vec<Option<Term>> = args.iter().map(|arg| self.term(arg)).collect();
        terms.into_iter().collect()
    }

    /// What a name stands for in the place of a term, if it is applied.
    pub(crate) fn function(&self, name: &str, arity: usize) -> Option<Function> {
        let checker = &*self.checker;
        let fluent = checker
            .fluents
            .iter()
            .find(|fluent| fluent.is_functional && fluent.name == name && fluent.n_keys == arity);
        if let Some(fluent) = fluent {
            return Some(Function::Value(fluent.predicate));
        }
        let key = (name.to_owned(), arity);
        if let Some(predicate) = checker.functions.get(&key) {
            return Some(Function::Value(*predicate));
        }
        match (name, arity) {
            ("min", 2) => Some(Function::Arithmetic(Operation::Min)),
            ("max", 2) => Some(Function::Arithmetic(Operation::Max)),
            _ => checker.functors.contains(&key).then_some(Function::Functor),
        }
    }

    /// A parameter or a value of some sort.
    fn constant(&mut self, expr: &ast::Expr, name: &str) -> Option<Value> {
        let checker = &mut *self.checker;
        if let Some(number) = checker.param(name) {
            return Some(Value::Int(number));
        }
        if let Some(symbol) = checker.symbols.find(name) {
            let is_bool = matches!(name, "true" | "false");
            if checker.constants.contains(&symbol) || is_bool {
                return Some(Value::Symbol(symbol));
            }
        }
        let mut known: Vec<&str> = checker.known_names();
        let constants: Vec<&str> =
            checker.constants_in_order().map(|symbol| checker.symbols.name(symbol)).collect();
        known.extend(constants);
        known.extend(checker.params.iter().map(|param| param.name.as_str()));
        let is_variable = |variable: &&Variable| variable.name.eq_ignore_ascii_case(name);
        let variable = self.variables.list.iter().find(is_variable);
        let help = variable
            .map(|variable| format!("did you mean the variable `{}`?", variable.name))
            .or_else(|| super::Checker::did_you_mean(name, known));
        let problem = Diagnostic::error(
            "unknown-name",
            expr.span,
            format!("`{name}` is not a value of any sort"),
        );
        checker.report(with_help(problem, help));
        None
    }

    fn construct(&mut self, expr: &ast::Expr, functor: &str, args: &[ast::Expr]) -> Option<Term> {
        let terms = self.terms(args)?;
        let functor = self.checker.symbols.symbol(functor);
        let ground: Option<Vec<Value>> = terms
            .iter()
            .map(|term| if let Term::Value(value) = term { Some(*value) } else { None })
            .collect();
        if let Some(values) = ground {
            return Some(Term::Value(self.checker.symbols.compound(functor, &values)));
        }
        let whole = self.variables.fresh(expr.span);
        self.body.push(Condition::Construct { whole, functor, args: terms });
        Some(whole)
    }

    fn count(&mut self, counted: &[ast::Name], body: &[ast::Condition]) -> Expr {
        let counted_vars: Vec<_> =
            counted.iter().map(|name| self.variables.open_local(&name.text, name.span)).collect();
        let body = self.nested(body);
        self.variables.close_locals(counted.len());
        Expr::Count { counted: counted_vars, body }
    }

    /// Adds an atom to the body and checks its constants.
    pub(crate) fn holds(
        &mut self,
        predicate: PredicateId,
        args: Vec<Term>,
        span: rulesmith_logic::Span,
    ) {
        self.check_constants(predicate, &args, span);
        self.body.push(Condition::Holds(Atom { predicate, args }));
    }

    /// Reports constants outside the declared sorts of a predicate.
    pub(crate) fn check_constants(
        &mut self,
        predicate: PredicateId,
        args: &[Term],
        span: rulesmith_logic::Span,
    ) {
        let domains = self.checker.base.predicate(predicate).domains.clone();
        for (term, domain) in args.iter().zip(domains) {
            if let (Term::Value(value), Some(domain)) = (term, domain) {
                self.checker.check_value(span, *value, domain);
            }
        }
    }

    fn unknown_function(&mut self, name: &ast::Name, arity: usize) {
        let checker = &mut *self.checker;
        let is_relation = checker.relations.contains_key(&(name.text.clone(), arity));
        let problem = if is_relation {
            let message = format!("`{}` is a relation, it has no value", name.text);
            Diagnostic::error("no-value", name.span, message)
                .help("write it as a condition of its own")
        } else {
            let others = checker.other_arities(&name.text);
            let message = match &others[..] {
                [] => format!("there is no fluent or function `{}`", name.text),
                known => format!("`{}` takes {}, {arity} are given", name.text, known.join(" or ")),
            };
            let code = if others.is_empty() { "unknown-function" } else { "wrong-arity" };
            let help = super::Checker::did_you_mean(&name.text, checker.known_names());
            with_help(
                Diagnostic::error(code, name.span, message),
                help.filter(|_| others.is_empty()),
            )
        };
        checker.report(problem);
    }
}

/// An operation on two expressions, carried out when both are known.
fn fold(operation: Operation, left: Expr, right: Expr) -> Expr {
    if let (Expr::Term(Term::Value(left)), Expr::Term(Term::Value(right))) = (&left, &right)
        && let Some(value) = rulesmith_logic::apply(operation, *left, *right)
    {
        return Expr::Term(Term::Value(value));
    }
    Expr::Binary(operation, Box::new(left), Box::new(right))
}
