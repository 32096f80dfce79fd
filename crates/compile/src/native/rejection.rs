//! Moves drawn by rejection: a cheap set that has all legal moves, and a test for the one that was drawn.
//!
//! In: a kind of move whose clauses share a condition about its parameter, and a procedure that says whether
//! a given move is legal; or clauses that ask the same about the state after the move, which is left out. Out: a leaf
//! that may have too many moves, and statements that draw until a move is legal. Invariant: what is not legal is taken out before the next draw, so every legal move is drawn
//! equally often.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rulesmith_kernel::{Comparison, Scalar, Set, Statement, Word};
use rulesmith_logic::{
    Atom, Clause, Condition, PredicateId, Term, Var, condition_vars, has_var, substitute,
};
use rulesmith_matching::{Node, Procedure, Tree};

use super::Obstacle;
use super::build::{Builder, compare};
use super::emit::Emitter;
use super::loops::{Held, Keeping};
use super::moves::{Found, Leaf, Meaning, count};
use super::optimizations::Optimization;
use super::plan::is_elsewhere;
use super::playout::Contest;

impl<'b> Builder<'b> {
    /// The procedure that says whether a given move is legal.
    fn judge_of(&self, kind: usize) -> Option<Cow<'b, Procedure>> {
        let predicate = self.theory.moves[kind].legal;
        let all = self.specialized.procedures.iter().filter(|one| one.source == predicate);
        let mut all = all.map(|one| &one.procedure);
        let known = all.find(|procedure| procedure.known.iter().all(|known| *known));
        known.map(Cow::Borrowed).or_else(|| self.judge_after(kind).map(Cow::Owned))
    }

    /// The procedure that says whether a move is legal that is so but for the state after it; nothing unless all clauses
    /// of the kind ask the same about that.
    fn judge_after(&self, kind: usize) -> Option<Procedure> {
        let described = &self.theory.moves[kind];
        let mut all = self.specialized.procedures.iter();
        let one = all.find(|one| one.source == described.legal)?;
        let mut clauses = one.clauses.iter().map(|one| asked_after(&one.clause, described.does));
        let asked = clauses.next()??;
        if clauses.any(|other| other.as_ref() != Some(&asked)) {
            return None;
        }
        let n_args = 1 + described.n_params;
        let inputs: Vec<Var> = (0..u16::try_from(n_args).ok()?).map(Var).collect();
        let row = inputs.iter().copied().map(Term::Var).collect();
        let children = vec![Node::Conclusion { clause: 0, row }];
        let roots = vec![Node::Condition { condition: asked, children }];
        let tree = Tree { inputs, n_registers: n_args, roots };
        Some(Procedure { predicate: described.legal, known: vec![true; n_args], tree })
    }

    /// Leaves of moves that are legal but for the state after them, of all kinds that ask about that; none where masks
    /// find legal moves without making any.
    pub(super) fn unjudged_leaves(&mut self, emitter: &mut Emitter<'b>, role: usize) -> Vec<Leaf> {
        if !self.optimizations.has(Optimization::Rejection) || self.fan_plans[role].is_some() {
            return Vec::new();
        }
        let leaves = emitter.attempt(|emitter| self.emit_unjudged(emitter, role));
        leaves.unwrap_or_default()
    }

    fn emit_unjudged(
        &mut self,
        emitter: &mut Emitter<'b>,
        role: usize,
    ) -> Result<Vec<Leaf>, Obstacle> {
        let is_judged =
            |kind: usize| self.nearly[kind].is_some() && self.judge_after(kind).is_some();
        let kinds: Vec<usize> =
            (0..self.theory.moves.len()).filter(|kind| is_judged(*kind)).collect();
        let plan = self.unjudged_plan(role, &|kind| kinds.contains(&kind)).ok();
        let mut leaves = match &plan {
            Some(plan) => self.leaves_of_plan(emitter, plan)?,
            None => Vec::new(),
        };
        let planned: BTreeSet<usize> = leaves.iter().map(|leaf| leaf.kind).collect();
        for leaf in &mut leaves {
            leaf.is_sure = false;
        }
        for kind in kinds {
            let plan = plan.as_ref().filter(|_| planned.contains(&kind));
            if let Some((clauses, n_moves)) = self.odd_clauses((role, kind), plan) {
                let leaf = self.nearly_legal_leaf(emitter, (role, kind), (&clauses, n_moves))?;
                leaves.extend(leaf);
            } else if plan.is_some_and(|plan| plan.odd.contains_key(&kind)) {
                return Err(Obstacle::new("too many moves to be listed"));
            }
        }
        Ok(leaves)
    }

    /// A leaf of moves that may be legal; nothing if the clauses of the kind have no condition in common
    /// that says which.
    pub(super) fn generator(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, kind): (usize, usize),
    ) -> Result<Option<Leaf>, Obstacle> {
        if !self.optimizations.has(Optimization::Rejection) || self.judge_of(kind).is_none() {
            return Ok(None);
        }
        let sizes = self.param_sizes(kind)?;
        let [size] = sizes.as_slice() else { return Ok(None) };
        let Some((conditions, var)) = self.common_conditions(kind) else { return Ok(None) };
        let Some(procedure) = self.procedure(self.theory.moves[kind].legal) else {
            return Ok(None);
        };
        let domain = self.theory.base.predicate(self.theory.moves[kind].legal).domains[1];
        let inputs = self.role_input(procedure, role)?;
        let found = self.lower(emitter, procedure, |lowering| {
            lowering.set_of(&conditions, (inputs[0], var), domain)
        })?;
        let Some((set, width)) = found else { return Ok(None) };
        let plane = emitter.let_set(width, set);
        let moves = (0..*size).map(|root| (root, vec![root])).collect();
        let meaning = Meaning { width, moves };
        Ok(Some(Leaf { is_sure: false, ..Leaf::of_set(kind, Set::Plane(plane), meaning) }))
    }

    /// The conditions about the role and the parameter of a kind that all its clauses have, in the
    /// variables 0 and 1.
    fn common_conditions(&self, kind: usize) -> Option<(Vec<Condition>, Var)> {
        let predicate = self.theory.moves[kind].legal;
        let one = self.specialized.procedures.iter().find(|one| one.source == predicate)?;
        let renamed = |clause: &Clause| -> Option<Vec<Condition>> {
            let [Term::Var(role), Term::Var(param)] = clause.head.args[..] else { return None };
            let rename = |var: Var| match var {
                var if var == role => Term::Var(Var(0)),
                var if var == param => Term::Var(Var(1)),
                var => Term::Var(var),
            };
            let is_plain = |condition: &&Condition| match condition {
                Condition::Holds(_) => {
                    condition_vars(condition).iter().all(|var| *var == role || *var == param)
                        && has_var(condition, param)
                }
                _ => false,
            };
            let plain = clause.body.iter().filter(is_plain);
            Some(plain.map(|condition| substitute(condition, &rename)).collect())
        };
        let mut clauses = one.clauses.iter().map(|one| renamed(&one.clause));
        let mut common = clauses.next()??;
        for clause in clauses {
            let clause = clause?;
            common.retain(|condition| clause.contains(condition));
        }
        (!common.is_empty()).then_some((common, Var(1)))
    }

    /// Draws one of the moves that are legal; the contest ends where there is none.
    pub(super) fn draw_by_rejection(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, leaves): (usize, &[Leaf]),
        contest: &Contest,
    ) -> Result<(), Obstacle> {
        let (body, done) = emitter.block(|emitter| -> Result<(), Obstacle> {
            let n_moves = count(emitter, leaves);
            let stuck = vec![contest.leave()];
            emitter.push(Statement::If(Word::Scalar(n_moves), Vec::new(), stuck));
            self.draw_leaf(emitter, leaves, n_moves, contest);
            let is_legal = emitter.let_word(Word::Constant(1));
            let unsure = leaves.iter().filter(|leaf| !leaf.is_sure);
            let kinds: BTreeSet<usize> = unsure.map(|leaf| leaf.kind).collect();
            for kind in kinds {
                let own: Vec<&Leaf> = leaves.iter().filter(|leaf| leaf.kind == kind).collect();
                let (testing, done) =
                    emitter.block(|emitter| self.reject(emitter, (role, &own), is_legal, contest));
                done?;
                let kind = Word::Constant(kind as u64);
                let is_it = compare(Comparison::Equal, Word::Scalar(contest.kind), kind);
                emitter.push(Statement::If(is_it, testing, Vec::new()));
            }
            let leave = vec![Statement::Leave];
            emitter.push(Statement::If(Word::Scalar(is_legal), leave, Vec::new()));
            Ok(())
        });
        done?;
        emitter.push(Statement::Repeat(body));
        Ok(())
    }

    /// Does judging a move of a kind make it? It does if each of its clauses asks about the state after it and
    /// nothing counts steps.
    pub(super) fn is_made_by_judge(&self, kind: usize) -> bool {
        let Some(procedure) = self.judge_of(kind) else { return false };
        let does = self.theory.moves[kind].does;
        let inputs: Vec<Term> = procedure.tree.inputs.iter().copied().map(Term::Var).collect();
        let is_it = |condition: &Condition| match condition {
            Condition::Elsewhere { by, .. } => by.predicate == does && by.args == inputs,
            _ => false,
        };
        let has = |one| self.optimizations.has(one);
        let is_kept = has(Optimization::MadeByJudge) && has(Optimization::AskingLast);
        // Who moved is told where a step is made by itself.
        let is_kept = is_kept && self.events.is_empty() && self.places.cycles.is_empty();
        is_kept && procedure.tree.roots.iter().all(|node| asks_once(node, &is_it))
    }

    /// Tests the move that was drawn from the leaves of one kind, and takes it out if it is not legal.
    fn reject(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, leaves): (usize, &[&Leaf]),
        is_legal: Scalar,
        contest: &Contest,
    ) -> Result<(), Obstacle> {
        let nobody = || Obstacle::new("a move that nobody judges");
        let kind = leaves.first().ok_or_else(nobody)?.kind;
        let predicate = self.theory.moves[kind].legal;
        let domains = self.theory.base.predicate(predicate).domains.iter().skip(1);
        let params = domains.zip(&contest.params);
        let params: Option<Vec<Held>> =
            params.map(|(domain, param)| Some(Held::Place(*param, (*domain)?))).collect();
        let procedure = self.judge_of(kind).ok_or_else(nobody)?;
        let mut inputs = vec![Held::Fixed(rulesmith_logic::Value::Symbol(self.theory.roles[role]))];
        inputs.extend(params.ok_or_else(nobody)?);
        let keeps = self.is_made_by_judge(kind).then(|| Keeping {
            inputs: inputs.clone(),
            now: contest.past.as_ref().map(|past| past.now),
        });
        let flag = self.lower(emitter, &procedure, |lowering| {
            lowering.keeps = keeps;
            lowering.flag(&procedure.tree, &inputs)
        })?;
        emitter.push(Statement::Let(is_legal, flag.into()));
        let (take_out, done) = emitter.block(|emitter| {
            leaves.iter().try_for_each(|leaf| take_out(emitter, leaf, &contest.params))
        });
        done?;
        emitter.push(Statement::If(flag.into(), Vec::new(), take_out));
        Ok(())
    }
}

/// Takes a move out of a leaf, if it is there.
fn take_out(emitter: &mut Emitter<'_>, leaf: &Leaf, params: &[Scalar]) -> Result<(), Obstacle> {
    match (&leaf.found, &leaf.set) {
        (Found::List(list), _) => {
            let (number, place) = (emitter.let_word(list.number(params)), emitter.scalar());
            emitter.push_all(list.remove(number, place));
        }
        (Found::Fan(fan), _) => emitter.push(fan.remove(params)),
        (Found::Numbers, Set::Plane(plane)) => {
            let others = Set::Plane(*plane) - Set::single(leaf.meaning.width, params[0]);
            emitter.push(Statement::LetSet(*plane, others));
        }
        _ => return Err(Obstacle::new("a move that cannot be taken out")),
    }
    Ok(())
}

/// What a clause asks about the state after the very move it is about, in variables that number the move's role and
/// parameters; nothing if it asks about other states, or about more than the move.
fn asked_after(clause: &Clause, does: PredicateId) -> Option<Condition> {
    let mut after = clause.body.iter().filter(|condition| is_elsewhere(condition));
    let (Some(Condition::Elsewhere { by, quantifier, body }), None) = (after.next(), after.next())
    else {
        return None;
    };
    let args = &clause.head.args;
    let number = |var: Var| args.iter().position(|arg| *arg == Term::Var(var));
    let is_told = |var: &Var| number(*var).is_some();
    let is_own = by.predicate == does && by.args == *args;
    if !is_own || !body.iter().flat_map(condition_vars).all(|var| is_told(&var)) {
        return None;
    }
    let rename = |var: Var| match number(var).and_then(|place| u16::try_from(place).ok()) {
        Some(place) => Term::Var(Var(place)),
        None => Term::Var(var),
    };
    let by =
        Atom { predicate: does, args: (0..).map(Var).map(Term::Var).take(args.len()).collect() };
    let body = body.iter().map(|condition| substitute(condition, &rename)).collect();
    Some(Condition::Elsewhere { by, quantifier: *quantifier, body })
}

/// Is there exactly one condition of a kind on every way through a tree, and no other question about another state?
fn asks_once(node: &Node, is_it: &dyn Fn(&Condition) -> bool) -> bool {
    let Node::Condition { condition, children } = node else { return false };
    if is_it(condition) {
        return children.iter().all(asks_nothing);
    }
    let is_plain = !matches!(condition, Condition::Elsewhere { .. });
    is_plain && !children.is_empty() && children.iter().all(|child| asks_once(child, is_it))
}

/// Is there no question about another state in a tree?
fn asks_nothing(node: &Node) -> bool {
    match node {
        Node::Conclusion { .. } => true,
        Node::Condition { condition, children } => {
            !matches!(condition, Condition::Elsewhere { .. }) && children.iter().all(asks_nothing)
        }
    }
}
