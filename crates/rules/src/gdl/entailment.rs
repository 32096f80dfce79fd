//! Entailment: what follows from the assumptions of a case by the rules.
//!
//! In: a settled case and a condition over its unknowns. Out: whether it must hold. Backward from
//! the rules, a few steps deep. Invariant: only exact rules conclude anything; the case's unknowns
//! are never bound, only the variables of rules are.

use rulesmith_logic::Value;

use super::case::{Case, term_of, value_of};
use super::contradiction::Prover;
use super::ground::Table;
use super::rule::{Formula, KifAtom, Relation};
use super::statement::KifTerm;

/// Rules applied one after the other.
const MAX_DEPTH: usize = 3;

/// Matches tried for one condition.
const MAX_MATCHES: usize = 2_000;

/// Variables of rules, as far as they are known.
type Bindings = Vec<Option<KifTerm>>;

/// What follows about a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    /// It holds.
    Yes,
    /// It holds unless these two are the same.
    UnlessEqual(KifTerm, KifTerm),
}

struct Entailment<'p, 'a> {
    prover: &'p mut Prover<'a>,
    case: &'p Case,
    /// Variables from this number on belong to rules.
    first: u32,
    left: usize,
}

impl Prover<'_> {
    /// Does the atom hold in every instance of the case, or in all but those where two terms agree?
    pub(super) fn follows(&mut self, case: &Case, atom: &KifAtom) -> Option<Follows> {
        let first = case.n_variables();
        let used = self.used.len();
        let goals = [Formula::Holds(atom.clone())];
        let mut entailment = Entailment { prover: self, case, first, left: MAX_MATCHES };
        let mut found = entailment.prove(&goals, &Vec::new(), MAX_DEPTH, false);
        if found.is_none() {
            entailment.left = MAX_MATCHES;
            found = entailment.prove(&goals, &Vec::new(), MAX_DEPTH, true);
        }
        if found.is_none() {
            self.used.truncate(used);
        }
        found
    }
}

impl Entailment<'_, '_> {
    /// Do all goals follow, for some choice of the rules' variables? When lenient, one `distinct`
    /// may be left open.
    fn prove(
        &mut self,
        goals: &[Formula],
        bindings: &Bindings,
        depth: usize,
        is_lenient: bool,
    ) -> Option<Follows> {
        let Some((goal, rest)) = self.take_goal(goals, bindings) else { return Some(Follows::Yes) };
        self.left = self.left.checked_sub(1)?;
        self.prover.charge(1 + goals.len() / 4);
        match goal {
            Formula::Holds(atom) => {
                self.prove_holds(&atom, Rest { goals: &rest, bindings, depth, is_lenient })
            }
            Formula::Fails(atom) if self.fails(&atom) => {
                self.prove(&rest, bindings, depth, is_lenient)
            }
            Formula::Equal(left, right) if left == right => {
                self.prove(&rest, bindings, depth, is_lenient)
            }
            Formula::Distinct(left, right) if self.case.are_distinct(&left, &right) => {
                self.prove(&rest, bindings, depth, is_lenient)
            }
            Formula::Distinct(left, right)
                if is_lenient
                    && left != right
                    && self.is_of_case(&left)
                    && self.is_of_case(&right) =>
            {
                self.prove(&rest, bindings, depth, false)?;
                Some(Follows::UnlessEqual(left, right))
            }
            _ => None,
        }
    }

    fn is_of_case(&self, term: &KifTerm) -> bool {
        let mut is_of_case = true;
        term.each_variable(&mut |variable| is_of_case &= variable < self.first);
        is_of_case
    }

    /// The next goal, with what is known put in: relations first, they bind; and the other goals.
    fn take_goal(&self, goals: &[Formula], bindings: &Bindings) -> Option<(Formula, Vec<Formula>)> {
        let is_relation = |goal: &Formula| matches!(goal, Formula::Holds(_));
        let place = goals.iter().position(is_relation).or((!goals.is_empty()).then_some(0))?;
        let mut rest = goals.to_vec();
        let goal = rest.remove(place);
        Some((goal.map_variables(&|variable| self.known(variable, bindings)), rest))
    }

    fn known(&self, variable: u32, bindings: &Bindings) -> KifTerm {
        let of_rule = variable.checked_sub(self.first).map(|index| index as usize);
        let bound = of_rule.and_then(|index| bindings.get(index)?.as_ref());
        bound.map_or(KifTerm::Variable(variable), |term| {
            term.map_variables(&|inner| {
                if inner == variable {
                    KifTerm::Variable(inner)
                } else {
                    self.known(inner, bindings)
                }
            })
        })
    }

    fn prove_holds(&mut self, atom: &KifAtom, rest: Rest<'_>) -> Option<Follows> {
        if let Some(table) = self.prover.facts.table(atom.relation) {
            return self.prove_static(table, atom, rest);
        }
        if let Some(follows) = self.prove_by_case(atom, rest) {
            return Some(follows);
        }
        if rest.depth == 0 { None } else { self.prove_by_rules(atom, rest) }
    }

    /// A static condition follows from a fact, or from the same condition in the case.
    fn prove_static(&mut self, table: &Table, atom: &KifAtom, rest: Rest<'_>) -> Option<Follows> {
        /// More facts are not tried one by one.
        const MAX_FACTS: usize = 64;
        let known: Vec<Option<Value>> =
            atom.args.iter().map(|arg| value_of(arg, self.prover.symbols)).collect();
        let candidates = table.candidates(&known);
        for index in 0..candidates.len().min(MAX_FACTS) {
            let row = &table.rows[candidates.get(index)];
            let terms: Vec<KifTerm> =
                row.iter().map(|value| term_of(*value, self.prover.symbols)).collect();
            if let Some(follows) = self.match_and_prove(atom, &terms, rest) {
                return Some(follows);
            }
        }
        self.prove_by_case(atom, rest)
    }

    fn prove_by_case(&mut self, atom: &KifAtom, rest: Rest<'_>) -> Option<Follows> {
        let case = self.case;
        let same = case.holds.iter().filter(|assumption| assumption.atom.relation == atom.relation);
        same.into_iter()
            .find_map(|assumption| self.match_and_prove(atom, &assumption.atom.args, rest))
    }

    fn match_and_prove(
        &mut self,
        atom: &KifAtom,
        terms: &[KifTerm],
        rest: Rest<'_>,
    ) -> Option<Follows> {
        let mut inside = rest.bindings.clone();
        if self.match_args(&atom.args, terms, &mut inside) {
            self.prove_rest(rest, &inside)
        } else {
            None
        }
    }

    fn prove_rest(&mut self, rest: Rest<'_>, bindings: &Bindings) -> Option<Follows> {
        self.prove(rest.goals, bindings, rest.depth, rest.is_lenient)
    }

    fn prove_by_rules(&mut self, atom: &KifAtom, rest: Rest<'_>) -> Option<Follows> {
        let n_rules = self.prover.rules.get(&atom.relation).map_or(0, Vec::len);
        for number in 0..n_rules {
            let rule = &self.prover.rules[&atom.relation][number];
            if !rule.is_exact {
                continue;
            }
            let mut inside = rest.bindings.clone();
            let first =
                self.first + u32::try_from(inside.len()).expect("a proof has few variables");
            inside.resize(inside.len() + rule.n_variables as usize, None);
            let head = rule.head.map_variables(&|variable| KifTerm::Variable(variable + first));
            let mut goals: Vec<Formula> =
                rule.body.iter().map(|formula| formula.shifted(first)).collect();
            if !self.match_args(&head.args, &atom.args, &mut inside) {
                continue;
            }
            goals.extend_from_slice(rest.goals);
            if let Some(follows) = self.prove(&goals, &inside, rest.depth - 1, rest.is_lenient) {
                return Some(follows);
            }
        }
        None
    }

    /// Must the atom fail? It is assumed to, or something that excludes it is assumed to hold.
    fn fails(&mut self, atom: &KifAtom) -> bool {
        if self.case.fails.contains(atom) {
            return true;
        }
        if let Some(table) = self.prover.facts.table(atom.relation) {
            let row: Option<Vec<_>> =
                atom.args.iter().map(|arg| value_of(arg, self.prover.symbols)).collect();
            return row.is_some_and(|row| !table.rows.contains(&row));
        }
        let Relation::HoldsOf(fluent) = atom.relation else { return false };
        let hypotheses = self.prover.hypotheses.get(&fluent).into_iter().flatten();
        for (number, exclusion) in hypotheses {
            let is_other = |other: &KifAtom| {
                other.relation == atom.relation
                    && exclusion.keys.iter().all(|&key| other.args[key] == atom.args[key])
                    && (0..fluent.arity)
                        .any(|place| self.case.are_distinct(&other.args[place], &atom.args[place]))
            };
            if self.case.holds.iter().any(|assumption| is_other(&assumption.atom)) {
                self.prover.used.push(*number);
                return true;
            }
        }
        false
    }

    fn match_args(&self, patterns: &[KifTerm], terms: &[KifTerm], bindings: &mut Bindings) -> bool {
        patterns.iter().zip(terms).all(|(pattern, term)| self.match_term(pattern, term, bindings))
    }

    /// Binds the rules' variables of the pattern so that it becomes the term.
    fn match_term(&self, pattern: &KifTerm, term: &KifTerm, bindings: &mut Bindings) -> bool {
        match (pattern, term) {
            (KifTerm::Variable(variable), _) if *variable >= self.first => {
                let bound = &mut bindings[(*variable - self.first) as usize];
                *bound.get_or_insert_with(|| term.clone()) == *term
            }
            (KifTerm::Function(f, xs), KifTerm::Function(g, ys)) => {
                f == g && xs.len() == ys.len() && self.match_args(xs, ys, bindings)
            }
            _ => pattern == term,
        }
    }
}

/// What remains to be proved after a goal.
#[derive(Clone, Copy)]
struct Rest<'g> {
    goals: &'g [Formula],
    bindings: &'g Bindings,
    depth: usize,
    is_lenient: bool,
}
