//! One clause as text: each condition by itself, relations with all their arguments.
//!
//! In: a clause of the clause base, or one that the specialiser made from such clauses. Out: text for
//! people, in the words of the rule language; a fluent is written as a relation (`at(S, C)`), because
//! costs and reasons belong to single conditions. Invariant: no clause panics, and different variables
//! have different names.

use rulesmith_logic::{
    Atom, Clause, Comparison, Condition, DomainId, Expr, Operation, PredicateId, Quantifier,
    Symbols, Term, Value, Var, Variable,
};

use super::variables::Taken;
use super::write::applied_name;
use super::write_conditions::sign;
use crate::theory::{FluentId, PredicateKind, Theory};
use crate::wording::{name_text, value_text};

/// A clause with its full stop, on one line. `symbols` knows all its values, also those that were made
/// after the theory.
pub fn clause_text(theory: &Theory, symbols: &Symbols, clause: &Clause) -> String {
    let names = variable_names(&clause.variables);
    let writing = Writing { theory, symbols, names: &names };
    let head = writing.head(&clause.head);
    if clause.body.is_empty() {
        return format!("{head}.");
    }
    format!("{head} :- {}.", writing.conditions(&clause.body))
}

/// One condition of a clause with these variables.
pub fn condition_text(
    theory: &Theory,
    symbols: &Symbols,
    condition: &Condition,
    variables: &[Variable],
) -> String {
    conditions_text(theory, symbols, std::slice::from_ref(condition), variables)
}

/// Conditions of a clause with these variables, joined by commas.
pub fn conditions_text(
    theory: &Theory,
    symbols: &Symbols,
    conditions: &[Condition],
    variables: &[Variable],
) -> String {
    let names = variable_names(variables);
    Writing { theory, symbols, names: &names }.conditions(conditions)
}

/// The head of a clause with these variables, or any other atom.
pub fn atom_text(
    theory: &Theory,
    symbols: &Symbols,
    atom: &Atom,
    variables: &[Variable],
) -> String {
    let names = variable_names(variables);
    Writing { theory, symbols, names: &names }.head(atom)
}

/// A name for each variable: its own, with a number if another has it too; nameless ones get letters.
pub fn variable_names(variables: &[Variable]) -> Vec<String> {
    let is_nameless = |variable: &Variable| matches!(variable.name.as_str(), "" | "_");
    let mut taken = Taken::default();
    let mut names = vec![String::new(); variables.len()];
    for (name, variable) in names.iter_mut().zip(variables) {
        if !is_nameless(variable) {
            *name = taken.fresh(&variable.name);
        }
    }
    let letters = (0_usize..).flat_map(|round| {
        ('A'..='Z').map(move |letter| match round {
            0 => letter.to_string(),
            _ => format!("{letter}{round}"),
        })
    });
    let mut letters = letters.filter(|letter| taken.names.insert(letter.clone()));
    for name in names.iter_mut().filter(|name| name.is_empty()) {
        name.extend(letters.next());
    }
    names
}

/// One clause being written.
pub(super) struct Writing<'t> {
    pub(super) theory: &'t Theory,
    pub(super) symbols: &'t Symbols,
    pub(super) names: &'t [String],
}

impl Writing<'_> {
    /// An atom in the place of a head: targets and preferences are named as such.
    pub(super) fn head(&self, atom: &Atom) -> String {
        match self.kind(atom.predicate) {
            Some(PredicateKind::Target) => format!("target {}", self.atom(atom)),
            Some(PredicateKind::Prefer) => format!("prefer max({})", self.terms(&atom.args)),
            _ => self.atom(atom),
        }
    }

    fn conditions(&self, conditions: &[Condition]) -> String {
        if conditions.is_empty() {
            return "0 = 0".to_owned();
        }
        let texts: Vec<String> = conditions.iter().map(|one| self.condition(one)).collect();
        texts.join(", ")
    }

    /// One condition.
    pub(super) fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Holds(atom) => self.atom(atom),
            Condition::None { locals, body } if locals.is_empty() => match &body[..] {
                [only] if !matches!(only, Condition::Compare(..)) => {
                    format!("not {}", self.condition(only))
                }
                _ => format!("not ({})", self.conditions(body)),
            },
            Condition::None { locals, body } => {
                format!("none {{ {} : {} }}", self.variables(locals), self.conditions(body))
            }
            Condition::AnyOf(branches) if branches.is_empty() => "0 = 1".to_owned(),
            Condition::AnyOf(branches) => {
                let branches: Vec<String> =
                    branches.iter().map(|branch| self.conditions(branch)).collect();
                format!("({})", branches.join(" ; "))
            }
            Condition::Compare(comparison, left, right) => {
                format!("{} {} {}", self.expr(left), sign(*comparison), self.expr(right))
            }
            Condition::Construct { whole, functor, args } => {
                let sign = sign(Comparison::Equal);
                let functor = self.symbols.name(*functor);
                let functor = if functor.is_empty() { String::new() } else { name_text(functor) };
                format!("{} {sign} {functor}({})", self.term(*whole), self.terms(args))
            }
            Condition::Member(term, domain) => self.member(*term, *domain),
            Condition::Elsewhere { by, quantifier, body } => self.elsewhere(by, *quantifier, body),
        }
    }

    /// `file(F)`; a sort without a name is written out: `F in 1..3`.
    fn member(&self, term: Term, domain: DomainId) -> String {
        let sort = self.theory.sorts.iter().find(|sort| sort.domain == Some(domain));
        if let Some(sort) = sort {
            return format!("{}({})", name_text(&sort.name), self.term(term));
        }
        let domain = self.theory.base.domains.get(domain.0 as usize);
        format!("{} in {}", self.term(term), domain.map_or("?", |domain| domain.name.as_str()))
    }

    fn elsewhere(&self, by: &Atom, quantifier: Quantifier, body: &[Condition]) -> String {
        let conditions = self.conditions(body);
        match (self.kind(by.predicate), quantifier) {
            (Some(PredicateKind::Cycle(over)), Quantifier::Every) => {
                format!("cycle({}, {conditions}{})", self.terms(&by.args), self.over(over))
            }
            (_, Quantifier::Some) => format!("after({}, {conditions})", self.atom(by)),
            (_, Quantifier::Every) => format!("after(every {}, {conditions})", self.atom(by)),
        }
    }

    fn kind(&self, id: PredicateId) -> Option<&PredicateKind> {
        self.theory.kinds.get(id.0 as usize)
    }

    fn atom(&self, atom: &Atom) -> String {
        let theory = self.theory;
        let name = theory.base.predicates.get(atom.predicate.0 as usize);
        let Some((kind, name)) = self.kind(atom.predicate).zip(name) else {
            // A predicate that the specialiser added has a number only.
            return format!("p{}({})", atom.predicate.0, self.terms(&atom.args));
        };
        match kind {
            PredicateKind::Legal(id) => self.doing("legal ", &theory.move_kind(*id).name, atom),
            PredicateKind::Does(id) => self.doing("", &theory.move_kind(*id).name, atom),
            PredicateKind::Init(id) if theory.fluent(*id).is_functional => {
                self.equation("init", *id, "=", atom)
            }
            PredicateKind::Init(id) => {
                format!("init {}", self.applied(&theory.fluent(*id).name, &atom.args))
            }
            PredicateKind::Assign(id) => self.equation("effect", *id, ":=", atom),
            PredicateKind::Deferred(id) => self.equation("deferred effect", *id, ":=", atom),
            PredicateKind::Repeated(over) => {
                format!("repeated({}{})", self.terms(&atom.args), self.over(over))
            }
            PredicateKind::Since(event) => {
                let event = theory.base.predicates.get(event.0 as usize);
                let event = event.map_or("?".to_owned(), |event| name_text(&event.name));
                format!("since({event}, {})", self.terms(&atom.args))
            }
            _ => self.applied(&name.name, &atom.args),
        }
    }

    /// `legal P does step(F, R)`, `P does step(F, R)`.
    fn doing(&self, keyword: &str, act: &str, atom: &Atom) -> String {
        let Some((role, params)) = atom.args.split_first() else { return name_text(act) };
        format!("{keyword}{} does {}", self.term(*role), self.applied(act, params))
    }

    /// `init at(S) = C`, `effect at(S) := C`.
    fn equation(&self, keyword: &str, fluent: FluentId, sign: &str, atom: &Atom) -> String {
        let name = &self.theory.fluent(fluent).name;
        let Some((value, keys)) = atom.args.split_last() else { return name_text(name) };
        format!("{keyword} {} {sign} {}", self.applied(name, keys), self.term(*value))
    }

    fn over(&self, over: &[FluentId]) -> String {
        if over.iter().copied().eq(self.theory.fluent_ids()) {
            return String::new();
        }
        let names: Vec<String> =
            over.iter().map(|id| name_text(&self.theory.fluent(*id).name)).collect();
        format!(", over [{}]", names.join(", "))
    }

    fn applied(&self, name: &str, args: &[Term]) -> String {
        if args.is_empty() {
            return name_text(name);
        }
        format!("{}({})", applied_name(name), self.terms(args))
    }

    fn terms(&self, terms: &[Term]) -> String {
        terms.iter().map(|term| self.term(*term)).collect::<Vec<_>>().join(", ")
    }

    /// A variable or value.
    pub(super) fn term(&self, term: Term) -> String {
        match term {
            Term::Var(var) => self.variable(var),
            Term::Value(value) => value_text(self.symbols, value),
        }
    }

    /// A variable that the list does not know, such as a register, is named by its number.
    pub(super) fn variable(&self, var: Var) -> String {
        match self.names.get(var.0 as usize) {
            Some(name) => name.clone(),
            None => format!("V_{}", var.0),
        }
    }

    /// Variables joined by commas.
    pub(super) fn variables(&self, variables: &[Var]) -> String {
        variables.iter().map(|var| self.variable(*var)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Term(term) => self.term(*term),
            Expr::Binary(Operation::Sub, zero, operand) if is_zero(zero) => {
                format!("-{}", self.operand(operand))
            }
            Expr::Binary(operation, left, right) => {
                let sign = match operation {
                    Operation::Add => "+",
                    Operation::Sub => "-",
                    Operation::Mul => "*",
                    Operation::Div => "div",
                    Operation::Mod => "mod",
                    Operation::Min => return self.function("min", left, right),
                    Operation::Max => return self.function("max", left, right),
                };
                format!("{} {sign} {}", self.operand(left), self.operand(right))
            }
            Expr::Count { counted, body } => {
                format!("count {{ {} : {} }}", self.variables(counted), self.conditions(body))
            }
        }
    }

    fn function(&self, name: &str, left: &Expr, right: &Expr) -> String {
        format!("{name}({}, {})", self.expr(left), self.expr(right))
    }

    fn operand(&self, expr: &Expr) -> String {
        match expr {
            Expr::Binary(operation, ..)
                if !matches!(operation, Operation::Min | Operation::Max) =>
            {
                format!("({})", self.expr(expr))
            }
            _ => self.expr(expr),
        }
    }
}

fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Term(Term::Value(Value::Int(0))))
}
