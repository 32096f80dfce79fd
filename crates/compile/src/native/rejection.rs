//! Moves drawn by rejection: a cheap set that has all legal moves, and a test for the one that was drawn.
//!
//! In: a kind of move whose clauses share a condition about its parameter, and a procedure that says whether
//! a given move is legal. Out: a leaf that may have too many moves, and statements that draw until a move
//! is legal. Invariant: what is not legal is taken out before the next draw, so every legal move is drawn
//! equally often.

use rulesmith_kernel::{Comparison, Scalar, Set, Statement, Word};
use rulesmith_logic::{Clause, Condition, Term, Var, condition_vars, substitute};
use rulesmith_matching::{Node, Procedure};

use super::Obstacle;
use super::build::{Builder, compare};
use super::emit::Emitter;
use super::loops::{Held, Keeping};
use super::moves::{Leaf, Meaning, count};
use super::optimizations::Optimization;
use super::playout::Contest;

impl<'b> Builder<'b> {
    /// The procedure that says whether a given move is legal.
    fn judge_of(&self, kind: usize) -> Option<&'b Procedure> {
        let predicate = self.theory.moves[kind].legal;
        let all = self.specialized.procedures.iter().filter(|one| one.source == predicate);
        all.map(|one| &one.procedure).find(|procedure| procedure.known.iter().all(|known| *known))
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
                        && condition_vars(condition).contains(&param)
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
            for leaf in leaves.iter().filter(|leaf| !leaf.is_sure) {
                let (testing, done) =
                    emitter.block(|emitter| self.reject(emitter, (role, leaf), is_legal, contest));
                done?;
                let kind = Word::Constant(leaf.kind as u64);
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

    /// Tests the move that was drawn, and takes it out if it is not legal.
    fn reject(
        &mut self,
        emitter: &mut Emitter<'b>,
        (role, leaf): (usize, &Leaf),
        is_legal: Scalar,
        contest: &Contest,
    ) -> Result<(), Obstacle> {
        let predicate = self.theory.moves[leaf.kind].legal;
        let domain = self.theory.base.predicate(predicate).domains[1];
        let (Some(procedure), Some(domain), Set::Plane(plane)) =
            (self.judge_of(leaf.kind), domain, &leaf.set)
        else {
            return Err(Obstacle::new("a move that nobody judges"));
        };
        let role = rulesmith_logic::Value::Symbol(self.theory.roles[role]);
        let inputs = [Held::Fixed(role), Held::Place(contest.params[0], domain)];
        let keeps = self.is_made_by_judge(leaf.kind).then(|| Keeping {
            inputs: inputs.to_vec(),
            now: contest.past.as_ref().map(|past| past.now),
        });
        let flag = self.lower(emitter, procedure, |lowering| {
            lowering.keeps = keeps;
            lowering.flag(&procedure.tree, &inputs)
        })?;
        emitter.push(Statement::Let(is_legal, flag.into()));
        let out = Set::Plane(*plane) - Set::single(leaf.meaning.width, contest.params[0]);
        let take_out = vec![Statement::LetSet(*plane, out)];
        emitter.push(Statement::If(flag.into(), Vec::new(), take_out));
        Ok(())
    }
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
