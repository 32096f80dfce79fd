//! Goals regressed over moves: which moves of one role, made one after the other, reach a goal.
//!
//! In: a goal, a kind of move, a number of moves. Out: level by level, the clauses under which the goal
//! holds after so many moves: level 0 is the goal itself; each further level puts one more move before
//! the clauses of the last. A clause that holds only where fewer moves would do is left out, then
//! variants and contained clauses. Paper: metameta §2, §4.1 (figures 5 and 6); forcedmoves §5.
//! Invariant: where a clause of a level holds, its moves, made in order, reach the goal; moves of the
//! other roles in between are not looked at.

mod derivations;

use rulesmith_logic::{
    Atom, Clause, Condition, Level, Quantifier, Term, Value, Var, Variable, condition_vars,
};
use rulesmith_rules::{MoveId, Request, Theory};

use crate::core::minimize;
use crate::definitions::renamed_apart;
use crate::draft::{Draft, Finished, Funnel};
use crate::flat::push;
use crate::literal::{Literal, asked_literals, offered_literals};
use crate::program::{SpecializedClause, Specializer};
use crate::reduce::reduce;
use crate::simplify::equation;
use crate::subsumption::{
    Asked, Containment, Offered, STEP_LIMIT, WithGhosts, in_canonical_form, map_into,
};
use crate::unfold::Stuck;
use crate::variants::canonical;
use crate::wanted::to_wanted;

/// What a goal is regressed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regression {
    /// The kind of move.
    pub kind: MoveId,
    /// The role that makes all moves; none means that it is a variable of the head.
    pub role: Option<Value>,
    /// What is asked of each move.
    pub precondition: Precondition,
    /// How many moves.
    pub n_moves: usize,
}

/// What is asked of a move before its effects are looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precondition {
    /// Nothing: whoever uses the clauses knows that the moves are legal.
    Nothing,
    /// What the rules of legal moves say about the move's own parameters in the state before it: the
    /// point is empty. Whose turn it is, what the move must lead to and what happened before is not
    /// asked. Paper: metameta §4.1 regresses moves of one side in a row.
    #[default]
    OnParameters,
    /// The whole rule of legal moves.
    Legal,
}

/// What a goal regresses into.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    /// By number of moves.
    pub levels: Vec<GoalLevel>,
}

/// The clauses for one number of moves.
#[derive(Clone, Debug, Default)]
pub struct GoalLevel {
    /// The clauses in canonical order. Their heads are the arguments of the goal, the role, and the
    /// parameters of the moves, first move first.
    pub clauses: Vec<Clause>,
    /// What became of the bodies.
    pub counts: LevelCounts,
}

/// How many bodies of one level became what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelCounts {
    /// What became of the bodies on the way, one for each unfolding step.
    pub funnel: Funnel,
    /// Bodies that unfolding finished.
    pub finished: usize,
    /// Of these, bodies that still speak of the state after a move: no exact regression is known.
    pub unregressed: usize,
    /// Bodies left out because fewer moves would do.
    pub achieved_sooner: usize,
    /// Bodies left out as variants of others.
    pub duplicates: usize,
    /// Bodies left out because others contain them.
    pub subsumed: usize,
    /// What is kept.
    pub kept: usize,
}

impl Specializer<'_> {
    /// Regresses a goal over moves of one role.
    pub fn regress_goal(&mut self, goal: &Request, regression: &Regression) -> Levels {
        let mut levels = Levels::default();
        let n_args = goal.args.len();
        self.unfolder.funnel = Funnel::default();
        let flat = self.unfolder.flat_clauses(goal.predicate);
        // Too many alternatives to be flat: the clauses stay as they are.
        let theory = self.unfolder.knowledge.theory;
        let clauses = flat.unwrap_or_else(|| theory.base.clauses_of(goal.predicate).to_vec());
        let unfolded = self.unfolded(&to_wanted((0, goal)), clauses);
        let finished = unfolded.into_iter().map(|(one, _)| one).collect();
        levels.levels.push(self.level(goal, regression.kind, finished, &[]));
        for _ in 0..regression.n_moves {
            self.unfolder.funnel = Funnel::default();
            let parents = levels.levels[levels.levels.len() - 1].clauses.clone();
            let finished =
                parents.iter().flat_map(|parent| self.one_move_earlier(parent, n_args, regression));
            let finished = finished.collect();
            let lower = levels.levels.iter().flat_map(|level| &level.clauses);
            let lower: Vec<Lower> = lower.map(|clause| Lower::new(clause, n_args)).collect();
            levels.levels.push(self.level(goal, regression.kind, finished, &lower));
        }
        levels
    }

    /// The bodies under which one more move leads to where the clause holds.
    fn one_move_earlier(
        &mut self,
        parent: &Clause,
        n_args: usize,
        regression: &Regression,
    ) -> Vec<Finished> {
        let theory = self.unfolder.knowledge.theory;
        let mut variables = parent.variables.clone();
        let (args, moves) = parent.head.args.split_at(n_args.min(parent.head.args.len()));
        let role = self.role_term(moves.first(), regression, &mut variables);
        let by = move_atom(theory, regression.kind, role, &mut variables);
        let params = &by.args[1..];

        let older = moves.get(1..).unwrap_or_default();
        let head = [args, &[role], params, older].concat();
        let after = Condition::Elsewhere {
            by: by.clone(),
            quantifier: Quantifier::Some,
            body: parent.body.clone(),
        };
        let mut all = Vec::new();
        for asked in self.asked_of(&by, regression, &mut variables) {
            let mut draft = Draft::of_clause(parent);
            draft.head.clone_from(&head);
            draft.body = asked;
            draft.body.push(after.clone());
            let whole = Finished::of_draft(&draft, &variables);
            let mut variables = variables.clone();
            match self.unfolder.expand(draft, &mut variables) {
                Ok(finished) => all.extend(finished),
                Err(Stuck) => all.push(whole),
            }
        }
        all
    }

    /// The role that makes the moves: that of the moves made so far, or the one asked for.
    fn role_term(
        &self,
        known: Option<&Term>,
        regression: &Regression,
        variables: &mut Vec<Variable>,
    ) -> Term {
        let theory = self.unfolder.knowledge.theory;
        let does = theory.move_kind(regression.kind).does;
        match (known, regression.role) {
            (Some(role), _) => *role,
            (None, Some(role)) => Term::Value(role),
            (None, None) => {
                let domain = theory.base.predicate(does).domains[0];
                Term::Var(push(variables, Variable { name: "P".to_owned(), domain }))
            }
        }
    }

    /// What is asked of a move: one body for each rule of legal moves.
    fn asked_of(
        &mut self,
        by: &Atom,
        regression: &Regression,
        variables: &mut Vec<Variable>,
    ) -> Vec<Vec<Condition>> {
        let theory = self.unfolder.knowledge.theory;
        let domains = &theory.base.predicate(by.predicate).domains;
        let inside: Vec<Condition> = by
            .args
            .iter()
            .zip(domains)
            .filter_map(|(term, domain)| domain.map(|domain| Condition::Member(*term, domain)))
            .collect();
        let legal = theory.move_kind(regression.kind).legal;
        if regression.precondition == Precondition::Nothing {
            return vec![inside];
        }
        let Some(clauses) = self.unfolder.flat_clauses(legal) else { return vec![inside] };
        let mut bodies: Vec<Vec<Condition>> = Vec::new();
        for clause in clauses {
            let (head, mut body) = renamed_apart(&clause, variables);
            if regression.precondition == Precondition::OnParameters {
                let params: Vec<Var> =
                    head[1..].iter().copied().filter_map(crate::binding::term_var).collect();
                body.retain(|condition| self.is_about(condition, &params));
            }
            let same = by.args.iter().zip(head).map(|(arg, term)| equation(*arg, term));
            bodies.push(inside.iter().cloned().chain(same).chain(body).collect());
        }
        bodies
    }

    /// Does the condition test the parameters of a move, in the present state alone?
    fn is_about(&self, condition: &Condition, params: &[Var]) -> bool {
        let theory = self.unfolder.knowledge.theory;
        let is_present = match condition {
            Condition::Holds(atom) => {
                let is_history = theory.kind(atom.predicate).is_history();
                theory.base.predicate(atom.predicate).level <= Level::State && !is_history
            }
            Condition::Compare(..) | Condition::Member(..) | Condition::Construct { .. } => true,
            Condition::None { .. } | Condition::Elsewhere { .. } | Condition::AnyOf(_) => false,
        };
        is_present && condition_vars(condition).iter().all(|var| params.contains(var))
    }

    /// The role and the parameters of all moves are in their domains, said or unsaid.
    fn moves_inside(&self, clause: &Clause, n_args: usize, kind: MoveId) -> Vec<Condition> {
        let theory = self.unfolder.knowledge.theory;
        let (does, n_params) = (theory.move_kind(kind).does, theory.move_kind(kind).n_params);
        let domains = &theory.base.predicate(does).domains;
        let cycle = domains[..1].iter().chain(domains[1..=n_params].iter().cycle());
        let terms = clause.head.args.iter().skip(n_args);
        terms
            .zip(cycle)
            .filter_map(|(term, domain)| domain.map(|domain| Condition::Member(*term, domain)))
            .collect()
    }

    /// What is left of the bodies of one level. Useless conditions go last: it is dear to find them, and
    /// what they would have in common is seen without.
    fn level(
        &mut self,
        goal: &Request,
        kind: MoveId,
        finished: Vec<Finished>,
        lower: &[Lower],
    ) -> GoalLevel {
        let n_args = goal.args.len();
        let mut level = GoalLevel::default();
        let counts = &mut level.counts;
        (counts.funnel, counts.finished) = (self.unfolder.funnel, finished.len());
        let mut new = Vec::new();
        for one in finished {
            let clause = one.into_clause(goal.predicate);
            let is_after = |condition: &Condition| matches!(condition, Condition::Elsewhere { .. });
            counts.unregressed += usize::from(clause.body.iter().any(is_after));
            let clause = self.with_moves(&clause, n_args, kind);
            if is_achieved_sooner(&clause, n_args, lower) {
                counts.achieved_sooner += 1;
            } else {
                new.push(clause);
            }
        }
        let trimmed = reduced(new, counts).into_iter().map(|clause| {
            let clause = self.trimmed(SpecializedClause::unchanged(clause)).clause;
            self.with_moves(&clause, n_args, kind)
        });
        let trimmed = trimmed.collect();
        let kept = reduced(trimmed, counts);
        level.clauses = kept.iter().map(|clause| minimize(clause, STEP_LIMIT).clause).collect();
        counts.kept = level.clauses.len();
        level
    }

    /// The clause with what it implies.
    fn with_moves(&self, clause: &Clause, n_args: usize, kind: MoveId) -> WithGhosts {
        let mut with_ghosts = self.with_ghosts(clause);
        with_ghosts.ghosts.extend(self.moves_inside(clause, n_args, kind));
        with_ghosts
    }
}

/// Leaves out variants and contained clauses.
fn reduced(clauses: Vec<WithGhosts>, counts: &mut LevelCounts) -> Vec<Clause> {
    let reduced = reduce(clauses, STEP_LIMIT);
    counts.duplicates += reduced.duplicates.len();
    counts.subsumed += reduced.subsumed.len();
    reduced.kept.into_iter().map(|kept| kept.clause.clause).collect()
}

/// A move with parameters of its own.
fn move_atom(theory: &Theory, kind: MoveId, role: Term, variables: &mut Vec<Variable>) -> Atom {
    let predicate = theory.move_kind(kind).does;
    let domains = &theory.base.predicate(predicate).domains;
    let mut args = vec![role];
    for domain in domains.iter().skip(1) {
        let variable = Variable { name: "I".to_owned(), domain: *domain };
        args.push(Term::Var(push(variables, variable)));
    }
    Atom { predicate, args }
}

/// A clause of a lower level, ready to be mapped into others. Which moves it makes does not matter.
struct Lower {
    clause: Clause,
    literals: Vec<Literal>,
}

impl Lower {
    fn new(clause: &Clause, n_args: usize) -> Self {
        let clause = canonical(&without_moves(clause, n_args + 1)).clause;
        let literals = asked_literals(&clause);
        Self { clause, literals }
    }
}

/// Is the goal of the clause reached by fewer moves wherever the clause holds?
fn is_achieved_sooner(clause: &WithGhosts, n_args: usize, lower: &[Lower]) -> bool {
    // The goal itself does not speak of a role.
    let forms = [n_args, n_args + 1].map(|n_head| {
        let ghosts = clause.ghosts.clone();
        in_canonical_form(&WithGhosts { clause: without_moves(&clause.clause, n_head), ghosts })
    });
    let literals = [0, 1].map(|form| offered_literals(&forms[form].clause, &forms[form].ghosts));
    lower.iter().any(|lower| {
        let form = usize::from(lower.clause.head.args.len() > n_args);
        let asked = Asked { clause: &lower.clause, literals: &lower.literals };
        let offered = Offered { clause: &forms[form].clause, literals: &literals[form] };
        map_into(asked, offered, STEP_LIMIT) == Containment::Contained
    })
}

/// The clause with so many arguments in its head.
fn without_moves(clause: &Clause, n_head: usize) -> Clause {
    let mut clause = clause.clone();
    clause.head.args.truncate(n_head);
    clause
}
