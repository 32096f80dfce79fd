//! Safety and sorts of one clause: every variable is bound or ranges over a known sort, and the sorts
//! of its places meet.
//!
//! In: a lowered clause. Out: the domain of each variable, and problems. Invariant: a clause that
//! passes never asks for a variable that nothing can give.

use std::collections::BTreeMap;

use rulesmith_logic::{
    Atom, Comparison, Condition, DomainId, Expr, Operation, PredicateId, Quantifier, Span, Term,
    Value, Var, atom_vars, condition_vars, expr_vars,
};

use super::Checker;
use super::lower::Lowering;
use super::variables::Origin;
use crate::source::Diagnostic;
use crate::theory::PredicateKind;

/// The places a variable stands in, as far as they have declared sorts.
type Places = BTreeMap<Var, Vec<(DomainId, PredicateId)>>;

impl Lowering<'_, '_> {
    /// Gives each variable the smallest of the sorts of its places.
    pub(crate) fn find_domains(&mut self, head: &Atom) {
        let mut places = Places::new();
        self.add_atom_places(head, &mut places);
        self.add_places(&self.body, true, &mut places);
        self.set_domains(&places);
    }

    pub(crate) fn find_object_domains(&mut self) {
        let mut places = Places::new();
        self.add_places(&self.body, true, &mut places);
        self.set_domains(&places);
    }

    fn set_domains(&mut self, places: &Places) {
        for (var, domains) in places {
            let size = |id: DomainId| self.checker.base.domain(id).values.len();
            let smallest = domains.iter().map(|(domain, _)| *domain).min_by_key(|id| size(*id));
            self.variables.list[var.0 as usize].domain = smallest;
        }
    }

    fn add_atom_places(&self, atom: &Atom, places: &mut Places) {
        let domains = &self.checker.base.predicate(atom.predicate).domains;
        for (term, domain) in atom.args.iter().zip(domains) {
            if let (Term::Var(var), Some(domain)) = (term, domain) {
                places.entry(*var).or_default().push((*domain, atom.predicate));
            }
        }
    }

    /// The places in a body; `deep` also looks into nested bodies.
    fn add_places(&self, body: &[Condition], deep: bool, places: &mut Places) {
        for condition in body {
            match condition {
                Condition::Holds(atom) => self.add_atom_places(atom, places),
                Condition::Member(Term::Var(var), domain) => {
                    places.entry(*var).or_default().push((*domain, PredicateId(u32::MAX)));
                }
                Condition::Elsewhere { by, body, .. } => {
                    self.add_atom_places(by, places);
                    if deep {
                        self.add_places(body, deep, places);
                    }
                }
                Condition::None { body, .. } if deep => self.add_places(body, deep, places),
                Condition::AnyOf(branches) if deep => {
                    for branch in branches {
                        self.add_places(branch, deep, places);
                    }
                }
                Condition::Compare(_, left, right) if deep => {
                    self.add_expr_places(left, places);
                    self.add_expr_places(right, places);
                }
                _ => {}
            }
        }
    }

    fn add_expr_places(&self, expr: &Expr, places: &mut Places) {
        match expr {
            Expr::Term(_) => {}
            Expr::Binary(_, left, right) => {
                self.add_expr_places(left, places);
                self.add_expr_places(right, places);
            }
            Expr::Count { body, .. } => self.add_places(body, true, places),
        }
    }

    /// Reports variables whose places have no value in common.
    pub(crate) fn check_sorts(&mut self, head: Option<&Atom>) {
        let mut places = Places::new();
        if let Some(head) = head {
            self.add_atom_places(head, &mut places);
        }
        let body = std::mem::take(&mut self.body);
        self.check_body_sorts(&body, &places);
        self.body = body;
    }

    fn check_body_sorts(&mut self, body: &[Condition], outer: &Places) {
        let mut places = outer.clone();
        self.add_places(body, false, &mut places);
        for (var, domains) in &places {
            if outer.get(var) != Some(domains) {
                self.check_var_sorts(*var, domains);
            }
        }
        for condition in body {
            match condition {
                Condition::None { body, .. } | Condition::Elsewhere { body, .. } => {
                    self.check_body_sorts(body, &places);
                }
                Condition::AnyOf(branches) => {
                    for branch in branches {
                        self.check_body_sorts(branch, &places);
                    }
                }
                Condition::Compare(Comparison::Equal, Expr::Term(left), Expr::Term(right)) => {
                    self.check_equal_sorts(*left, *right, &places);
                }
                Condition::Compare(_, left, right) => self.check_numbers(left, right, &places),
                _ => {}
            }
        }
    }

    fn check_var_sorts(&mut self, var: Var, domains: &[(DomainId, PredicateId)]) {
        let base = &self.checker.base;
        let Some((first, _)) = domains.first() else { return };
        let mut common: Vec<_> = base.domain(*first).values.iter().collect();
        for (place, (domain, predicate)) in domains.iter().enumerate() {
            common.retain(|value| base.domain(*domain).values.contains(*value));
            if !common.is_empty() {
                continue;
            }
            let (other, asked) = domains[..place].last().copied().unwrap_or(domains[0]);
            let sorts = [other, *domain].map(|id| base.domain(id).name.clone());
            let names = [asked, *predicate].map(|id| self.place_name(id));
            let name = self.variables.list[var.0 as usize].name.clone();
            let name = if name == "_" { "this value".to_owned() } else { format!("`{name}`") };
            let message = format!(
                "{name} would have to be of the sort `{}` ({}) and of the sort `{}` ({}), which have nothing in common",
                sorts[0], names[0], sorts[1], names[1]
            );
            let at = self.variables.spans[var.0 as usize];
            self.checker.report(Diagnostic::error("sort-mismatch", at, message));
            return;
        }
    }

    fn place_name(&self, id: PredicateId) -> String {
        match self.checker.base.predicates.get(id.0 as usize) {
            Some(predicate) => format!("in `{}`", predicate.name),
            None => "by its name".to_owned(),
        }
    }

    /// Reports what is no number where one is computed or computed with.
    fn check_numbers(&mut self, left: &Expr, right: &Expr, places: &Places) {
        let is_computed = |expr: &Expr| !matches!(expr, Expr::Term(_));
        if !is_computed(left) && !is_computed(right) {
            return;
        }
        let mut vars = expr_needs(left);
        vars.extend(expr_needs(right));
        for var in vars {
            let domains = places.get(&var).cloned().unwrap_or_default();
            let base = &self.checker.base;
            let has_number = |id: DomainId| {
                base.domain(id).values.iter().any(|value| matches!(value, Value::Int(_)))
            };
            let Some((domain, _)) = domains.iter().find(|(id, _)| !has_number(*id)) else {
                continue;
            };
            let sort = base.domain(*domain).name.clone();
            let message = format!("a number is computed here, but the sort `{sort}` has none");
            let at = self.variables.spans[var.0 as usize];
            self.checker.report(Diagnostic::error("sort-mismatch", at, message));
        }
    }

    fn check_equal_sorts(&mut self, left: Term, right: Term, places: &Places) {
        let (Term::Var(var), Term::Value(value)) =
            (if let Term::Var(_) = left { (left, right) } else { (right, left) })
        else {
            return;
        };
        let domains = places.get(&var).cloned().unwrap_or_default();
        let at = self.variables.spans[var.0 as usize];
        if let Some((domain, _)) =
            domains.iter().find(|(id, _)| !self.checker.base.domain(*id).values.contains(&value))
        {
            self.checker.check_value(at, value, *domain);
        }
    }

    /// Reports variables that no condition binds and that no declared sort limits.
    pub(crate) fn check_safety(&mut self, head: &Atom) {
        let mut bound = vec![false; self.variables.list.len()];
        let domains = self.checker.base.predicate(head.predicate).domains.clone();
        let is_target = self.checker.kinds[head.predicate.0 as usize] == PredicateKind::Target;
        for (term, domain) in head.args.iter().zip(domains) {
            // A target is asked with its parameters known.
            if let (Term::Var(var), true) = (term, domain.is_some() || is_target) {
                bound[var.0 as usize] = true;
            }
        }
        let body = std::mem::take(&mut self.body);
        self.check_body_safety(&body, &mut bound);
        for var in atom_vars(head) {
            self.require_bound(var, &mut bound, "the head");
        }
        self.body = body;
    }

    fn check_body_safety(&mut self, body: &[Condition], bound: &mut Vec<bool>) {
        bind(body, bound);
        for condition in body {
            match condition {
                Condition::Holds(_) | Condition::Member(..) => {}
                Condition::None { locals, body } => {
                    let shared =
                        condition_vars(condition).into_iter().filter(|var| !locals.contains(var));
                    for var in shared {
                        self.require_bound(var, bound, "a negation");
                    }
                    self.check_body_safety(body, &mut bound.clone());
                }
                Condition::AnyOf(branches) => {
                    for branch in branches {
                        self.check_body_safety(branch, &mut bound.clone());
                    }
                }
                Condition::Compare(_, left, right) => {
                    self.check_expr_safety(left, bound);
                    self.check_expr_safety(right, bound);
                }
                Condition::Construct { .. } => {
                    for var in condition_vars(condition) {
                        self.require_bound(var, bound, "a compound");
                    }
                }
                Condition::Elsewhere { by, body, .. } => {
                    for var in atom_vars(by) {
                        self.require_bound(var, bound, "the move of `after`");
                    }
                    self.check_body_safety(body, &mut bound.clone());
                }
            }
        }
    }

    fn check_expr_safety(&mut self, expr: &Expr, bound: &mut Vec<bool>) {
        match expr {
            Expr::Term(Term::Value(_)) => {}
            Expr::Term(Term::Var(var)) => self.require_bound(*var, bound, "a comparison"),
            Expr::Binary(_, left, right) => {
                self.check_expr_safety(left, bound);
                self.check_expr_safety(right, bound);
            }
            Expr::Count { counted, body } => {
                let mut inside = bound.clone();
                bind(body, &mut inside);
                for var in counted {
                    self.require_bound(*var, &mut inside, "a count");
                }
                let named = |var: &Var| self.variables.origins[var.0 as usize] == Origin::Named;
                let outer: Vec<Var> =
                    body.iter().flat_map(condition_vars).filter(|var| named(var)).collect();
                for var in outer {
                    self.require_bound(var, bound, "a count");
                }
                self.check_body_safety(body, &mut inside);
            }
        }
    }

    fn require_bound(&mut self, var: Var, bound: &mut [bool], place: &str) {
        let place_of = var.0 as usize;
        if bound[place_of] {
            return;
        }
        // One report for each variable is enough.
        bound[place_of] = true;
        let (name, span) =
            (self.variables.list[place_of].name.clone(), self.variables.spans[place_of]);
        let problem = if name == "_" {
            Diagnostic::error(
                "unsafe-variable",
                span,
                format!("nothing gives a value for {place} here"),
            )
            .help("bind it by a condition first")
        } else {
            let message = format!("`{name}` occurs in {place}, but no condition gives it a value");
            let help = match place {
                "a negation" | "a count" => format!(
                    "write `_` if any value will do, make it local (`none {{ {name} : … }}`), or bind `{name}` by a condition"
                ),
                _ => format!(
                    "bind it by a condition, for instance `SORT({name})`, or declare the sorts of the head"
                ),
            };
            Diagnostic::error("unsafe-variable", span, message).help(help)
        };
        self.checker.report(problem);
    }

    /// A name written once is often a slip.
    pub(crate) fn warn_of_singletons(&mut self) {
        for (name, span) in self.singletons() {
            self.checker.warn_of_singleton(&name, span);
        }
    }

    /// The names written once, with their places.
    pub(crate) fn singletons(&self) -> Vec<(String, Span)> {
        let is_slip = |place: &usize| {
            let name = &self.variables.list[*place].name;
            let is_named =
                self.variables.origins[*place] == Origin::Named && !name.starts_with('_');
            is_named && self.variables.uses[*place] == 1
        };
        let slips = (0..self.variables.list.len()).filter(is_slip);
        slips
            .map(|place| (self.variables.list[place].name.clone(), self.variables.spans[place]))
            .collect()
    }
}

impl Checker<'_> {
    pub(crate) fn warn_of_singleton(&mut self, name: &str, span: Span) {
        let message = format!("`{name}` is used only once");
        let problem = Diagnostic::warning("singleton", span, message);
        self.report(problem.help("write `_` if any value will do"));
    }
}

/// Marks the variables that a body binds, given those bound before.
fn bind(body: &[Condition], bound: &mut [bool]) {
    loop {
        let before = bound.to_vec();
        for condition in body {
            bind_one(condition, bound);
        }
        if bound == before {
            return;
        }
    }
}

fn bind_one(condition: &Condition, bound: &mut [bool]) {
    match condition {
        Condition::Holds(atom) => mark(atom_vars(atom), bound),
        Condition::Member(Term::Var(var), _) => bound[var.0 as usize] = true,
        Condition::Compare(Comparison::Equal, left, right) => {
            for (known, unknown) in [(left, right), (right, left)] {
                if expr_needs(known).iter().all(|var| bound[var.0 as usize]) {
                    bind_unknown(unknown, bound);
                }
            }
        }
        Condition::Construct { whole, args, .. } => {
            let is_bound = |term: &Term, bound: &[bool]| match term {
                Term::Var(var) => bound[var.0 as usize],
                Term::Value(_) => true,
            };
            if is_bound(whole, bound) || args.iter().all(|arg| is_bound(arg, bound)) {
                mark(condition_vars(condition), bound);
            }
        }
        Condition::AnyOf(branches) => {
            let mut all = vec![true; bound.len()];
            for branch in branches {
                let mut inside = bound.to_vec();
                bind(branch, &mut inside);
                for (both, one) in all.iter_mut().zip(inside) {
                    *both &= one;
                }
            }
            if !branches.is_empty() {
                for (outer, inner) in bound.iter_mut().zip(all) {
                    *outer |= inner;
                }
            }
        }
        Condition::Elsewhere { by, quantifier: Quantifier::Some, body }
            if atom_vars(by).iter().all(|var| bound[var.0 as usize]) =>
        {
            bind(body, bound);
        }
        _ => {}
    }
}

fn mark(vars: impl IntoIterator<Item = Var>, bound: &mut [bool]) {
    for var in vars {
        bound[var.0 as usize] = true;
    }
}

/// The variables an expression needs; those inside a count are its own business.
fn expr_needs(expr: &Expr) -> Vec<Var> {
    match expr {
        Expr::Count { .. } => vec![],
        Expr::Binary(_, left, right) => [expr_needs(left), expr_needs(right)].concat(),
        Expr::Term(_) => expr_vars(expr).into_iter().collect(),
    }
}

/// Binds the one unknown under sums and differences.
fn bind_unknown(expr: &Expr, bound: &mut [bool]) {
    match expr {
        Expr::Term(Term::Var(var)) => bound[var.0 as usize] = true,
        Expr::Binary(Operation::Add | Operation::Sub, left, right) => {
            let is_known = |expr: &Expr| expr_needs(expr).iter().all(|var| bound[var.0 as usize]);
            match (is_known(left), is_known(right)) {
                (true, false) => bind_unknown(right, bound),
                (false, true) => bind_unknown(left, bound),
                _ => {}
            }
        }
        _ => {}
    }
}
