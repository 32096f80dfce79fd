//! Derivations counted: how many bodies unfolding alone would make.
//!
//! In: a goal and the moves it is regressed over. Out: the number of bodies when every atom is replaced
//! by every definition that unifies with it, and nothing is evaluated, refuted or compared. No body of
//! more than one group of conditions is ever built: groups that share no object are counted apart and
//! multiplied. Paper: metameta §4.1, figure 5. Invariant: a negation stays one condition, as it does
//! when it is unfolded; numbers beyond 2^128 stay there.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_logic::{
    Atom, Comparison, Condition, Expr, Level, Quantifier, Source, Term, Var, Variable,
    condition_vars, substitute_body,
};
use rustc_hash::FxHashMap;

use super::{Regression, move_atom};
use crate::binding::term_var;
use crate::definitions::Definitions;
use crate::draft::Draft;
use crate::program::Specializer;
use crate::regress::{Stage, stage_of};
use crate::simplify::Rigid;
use crate::unfold::Unfolder;

impl Specializer<'_> {
    /// How many bodies unfolding alone would make of a goal, by number of moves.
    pub fn count_derivations(
        &mut self,
        goal: &rulesmith_rules::Request,
        regression: &Regression,
    ) -> Vec<u128> {
        let funnel = self.unfolder.funnel;
        let clauses = self.unfolder.flat_clauses(goal.predicate).unwrap_or_default();
        let mut counts = vec![0_u128; regression.n_moves + 1];
        for clause in clauses {
            let mut variables = clause.variables.clone();
            let role = self.role_term(None, regression, &mut variables);
            let mut moves = Vec::new();
            for _ in 0..regression.n_moves {
                let by = move_atom(
                    self.unfolder.knowledge.theory,
                    regression.kind,
                    role,
                    &mut variables,
                );
                let asked = self.asked_of(&by, regression, &mut variables);
                moves.push(Made { by, asked });
            }
            let fixed = moves.iter().flat_map(|made| made.by.args.iter().copied());
            let fixed: BTreeSet<Var> = fixed.filter_map(term_var).collect();
            let n_first = variables.len();
            let mut counter = Counter {
                unfolder: &mut self.unfolder,
                moves,
                fixed,
                variables,
                n_first,
                known: FxHashMap::default(),
            };
            for (n_moves, count) in counts.iter_mut().enumerate() {
                *count = count.saturating_add(counter.goal(&clause.body, n_moves));
            }
        }
        self.unfolder.funnel = funnel;
        counts
    }
}

/// A move, and what is asked of it.
struct Made {
    by: Atom,
    asked: Vec<Vec<Condition>>,
}

struct Counter<'u, 'k> {
    unfolder: &'u mut Unfolder<'k>,
    /// The moves in the order they are made.
    moves: Vec<Made>,
    /// The variables of the moves, which are the same everywhere.
    fixed: BTreeSet<Var>,
    variables: Vec<Variable>,
    n_first: usize,
    /// What has been counted, by number of moves before and conditions.
    known: FxHashMap<(usize, String), u128>,
}

impl Counter<'_, '_> {
    /// The goal after so many moves, each of which may be made.
    fn goal(&mut self, body: &[Condition], n_moves: usize) -> u128 {
        let mut product = self.count(body.to_vec(), n_moves);
        for number in 0..n_moves {
            let asked = self.moves[number].asked.clone();
            let ways = asked.into_iter().map(|body| self.count(body, number));
            product = product.saturating_mul(ways.fold(0, u128::saturating_add));
        }
        product
    }

    /// The bodies of conditions judged after so many moves; what is judged elsewhere, is judged at some
    /// stage of the move that follows.
    fn count(&mut self, mut body: Vec<Condition>, n_before: usize) -> u128 {
        self.unfolder.split_passages(&mut body);
        if !unify(&mut body, &self.fixed) {
            return 0;
        }
        if body.iter().any(|condition| self.is_without_clauses(condition)) {
            return 0;
        }
        body.retain(|condition| self.is_open(condition, n_before));
        let groups = self.groups(body);
        let mut product = 1_u128;
        for group in groups {
            product = product.saturating_mul(self.count_group(group, n_before));
        }
        product
    }

    /// Can the condition still become something else?
    fn is_open(&mut self, condition: &Condition, n_before: usize) -> bool {
        match condition {
            Condition::Holds(atom) => {
                let is_static = self.unfolder.knowledge.theory.base.predicate(atom.predicate).level
                    == Level::Static;
                !is_static && (n_before > 0 || self.is_defined(atom))
            }
            Condition::Elsewhere { body, .. } => !matches!(
                body.first(),
                Some(Condition::None { .. } | Condition::Compare(..) | Condition::Member(..))
            ),
            _ => false,
        }
    }

    /// Nothing unifies with an atom of a predicate that no clause concludes.
    fn is_without_clauses(&self, condition: &Condition) -> bool {
        let base = &self.unfolder.knowledge.theory.base;
        match condition {
            Condition::Holds(atom) => {
                base.predicate(atom.predicate).source == Source::Clauses
                    && base.clauses_of(atom.predicate).is_empty()
            }
            _ => false,
        }
    }

    fn is_defined(&mut self, atom: &Atom) -> bool {
        matches!(self.unfolder.definitions(atom), Definitions::Unfold(_))
    }

    /// Conditions that share an object, or may come to, belong together.
    fn groups(&mut self, body: Vec<Condition>) -> Vec<Vec<Condition>> {
        let has_objects = !self.unfolder.knowledge.theory.base.components.is_empty();
        let mut groups: Vec<(BTreeSet<Var>, Vec<Condition>)> = Vec::new();
        for condition in body {
            let mut links = if has_objects { self.links(&condition) } else { BTreeSet::new() };
            links.retain(|var| !self.fixed.contains(var));
            let (joined, apart): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|(other, _)| !other.is_disjoint(&links));
            let mut group = (links, Vec::new());
            for (other, conditions) in joined {
                group.0.extend(other);
                group.1.extend(conditions);
            }
            group.1.push(condition);
            groups = apart;
            groups.push(group);
        }
        groups.into_iter().map(|(_, conditions)| conditions).collect()
    }

    fn links(&mut self, condition: &Condition) -> BTreeSet<Var> {
        let inner = match condition {
            Condition::Elsewhere { body, .. } => body.first().unwrap_or(condition),
            _ => condition,
        };
        match inner {
            Condition::Holds(atom) if self.unfolder.component_atom(inner).is_some() => {
                term_var(atom.args[0]).into_iter().collect()
            }
            Condition::Holds(atom) if self.is_defined(atom) => condition_vars(inner),
            Condition::Elsewhere { .. } => condition_vars(inner),
            _ => BTreeSet::new(),
        }
    }

    fn count_group(&mut self, group: Vec<Condition>, n_before: usize) -> u128 {
        let key = (n_before, self.shape(&group));
        if let Some(count) = self.known.get(&key) {
            return *count;
        }
        let mark = self.variables.len();
        let count = self.count_ways(group, n_before);
        self.variables.truncate(mark.max(self.n_first));
        self.known.insert(key, count);
        count
    }

    /// One step of one condition of the group, in all ways.
    fn count_ways(&mut self, mut group: Vec<Condition>, n_before: usize) -> u128 {
        let step = (0..group.len()).find_map(|place| self.step(&group, place, n_before));
        if let Some((places, alternatives)) = step {
            for place in places.iter().rev() {
                group.remove(*place);
            }
            let bodies = alternatives.into_iter().map(|body| [&group[..], &body].concat());
            let bodies: Vec<Vec<Condition>> = bodies.collect();
            return bodies
                .into_iter()
                .map(|body| self.count(body, n_before))
                .fold(0, u128::saturating_add);
        }
        let is_stuck = group.iter().any(|one| matches!(one, Condition::Elsewhere { .. }));
        let n_earlier = match n_before.checked_sub(1) {
            Some(n_earlier) if !is_stuck => n_earlier,
            _ => return 1,
        };
        let by = &self.moves[n_earlier].by;
        let after = |condition| Condition::Elsewhere {
            by: by.clone(),
            quantifier: Quantifier::Some,
            body: vec![condition],
        };
        let group = group.into_iter().map(after).collect();
        self.count(group, n_earlier)
    }

    /// What the condition at a place may be replaced by, with the others it takes along.
    fn step(
        &mut self,
        group: &[Condition],
        place: usize,
        n_before: usize,
    ) -> Option<(Vec<usize>, Vec<Vec<Condition>>)> {
        let bodies = |alternatives: crate::unfold::Alternatives| {
            alternatives.into_iter().map(|(body, _)| body).collect()
        };
        match &group[place] {
            Condition::Holds(atom) if self.is_defined(atom) => {
                let unfolded = self.unfolder.unfoldings(atom, false, &mut self.variables);
                Some((vec![place], bodies(unfolded)))
            }
            Condition::Elsewhere { by, body, .. } => {
                let (_, stage) = stage_of(self.unfolder.knowledge.theory, by.predicate)?;
                let inner = body.first()?;
                if stage == Stage::After && self.unfolder.component_atom(inner).is_some() {
                    let context = self.moves[n_before].asked.first().cloned().unwrap_or_default();
                    let draft = group_draft(group, context);
                    let ways = self.unfolder.object_ways(&draft, place, &mut self.variables);
                    return ways.ok().map(|one| (one.places, bodies(one.alternatives)));
                }
                let ways = self.unfolder.ways(by, stage, inner, &mut self.variables).ok()??;
                Some((vec![place], bodies(ways)))
            }
            _ => None,
        }
    }

    /// The conditions with variables named by first use, as a key.
    fn shape(&self, group: &[Condition]) -> String {
        let mut names: BTreeMap<Var, u16> = BTreeMap::new();
        let first = u16::try_from(self.n_first).unwrap_or(u16::MAX);
        for condition in group {
            for var in in_order(condition) {
                let next = first.saturating_add(u16::try_from(names.len()).unwrap_or(u16::MAX));
                if !self.fixed.contains(&var) {
                    names.entry(var).or_insert(next);
                }
            }
        }
        let map = |var: Var| Term::Var(names.get(&var).map_or(var, |name| Var(*name)));
        format!("{:?}", substitute_body(group, &map))
    }
}

fn group_draft(group: &[Condition], context: Vec<Condition>) -> Draft {
    Draft {
        head: Vec::new(),
        body: group.to_vec(),
        rigid: Rigid::new(),
        context,
        depth: 0,
        recursion: 0,
        steps: Vec::new(),
        span: rulesmith_logic::Span::default(),
        is_nested: true,
    }
}

/// The variables of a condition in the order they are written.
fn in_order(condition: &Condition) -> Vec<Var> {
    let of_terms = |terms: &[Term]| terms.iter().copied().filter_map(term_var).collect();
    match condition {
        Condition::Holds(atom) => of_terms(&atom.args),
        Condition::Elsewhere { by, body, .. } => {
            let mut vars: Vec<Var> = of_terms(&by.args);
            vars.extend(body.iter().flat_map(in_order));
            vars
        }
        other => condition_vars(other).into_iter().collect(),
    }
}

/// Makes one of what equations say is one; false if they say that two values are.
fn unify(body: &mut Vec<Condition>, fixed: &BTreeSet<Var>) -> bool {
    let is_equation = |condition: &Condition| {
        matches!(condition, Condition::Compare(Comparison::Equal, Expr::Term(_), Expr::Term(_)))
    };
    let is_fixed = |term: Term| term_var(term).is_some_and(|var| fixed.contains(&var));
    while let Some(place) = body.iter().position(is_equation) {
        let Condition::Compare(_, Expr::Term(left), Expr::Term(right)) = body.remove(place) else {
            unreachable!("only equations are removed");
        };
        let (var, term) = match (left, right) {
            (Term::Value(left), Term::Value(right)) if left != right => return false,
            (left, right) if left == right => continue,
            // The variables of moves stay, where there is a choice.
            (term, Term::Var(var)) if is_fixed(left) || !is_fixed(right) => (var, term),
            (Term::Var(var), term) | (term, Term::Var(var)) => (var, term),
            (Term::Value(_), Term::Value(_)) => continue,
        };
        let map = |other: Var| if other == var { term } else { Term::Var(other) };
        *body = substitute_body(body, &map);
    }
    true
}
