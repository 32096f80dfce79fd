//! Trees of which only the truth matters.
//!
//! In: a tree and what follows once one of its clauses holds. Out: statements that look for one, what costs
//! least first. Invariant: what follows is reached if and only if a clause holds.

use rulesmith_kernel::Word;
use rulesmith_logic::{Condition, Source, condition_vars};
use rulesmith_matching::Node;

use super::super::Obstacle;
use super::super::optimizations::Optimization;
use super::lower::{Lowering, Then, chain};
use super::order::vars_of;
use super::stored::all_of;

/// What conditions cost, very roughly: a test, a call, a flood, a move that is made.
const TEST: u32 = 1;
const CALL: u32 = 8;
const FLOOD: u32 = 64;
const MOVE: u32 = 512;

impl Lowering<'_, '_> {
    /// Looks for a clause that holds.
    pub(super) fn prove(
        &mut self,
        nodes: &[Node],
        found: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        let mut nodes: Vec<&Node> = nodes.iter().collect();
        if self.has(Optimization::CheapFirst) {
            nodes.sort_by_cached_key(|node| self.node_cost(node));
        }
        for node in nodes {
            match node {
                Node::Conclusion { .. } => found(self)?,
                Node::Condition { .. } => self.prove_node(node, found)?,
            }
        }
        Ok(())
    }

    /// A move that is judged binds nothing and takes long, so all that is below it comes first.
    fn prove_node(&mut self, node: &Node, found: &mut Then<'_, Self>) -> Result<(), Obstacle> {
        let (conditions, below) = chain(node);
        let asks_last = self.has(Optimization::AskingLast);
        let is_elsewhere =
            |one: &&Condition| asks_last && matches!(one, Condition::Elsewhere { .. });
        let (last, first): (Vec<&Condition>, Vec<&Condition>) =
            conditions.into_iter().partition(is_elsewhere);
        let above = std::mem::replace(&mut self.below, vars_of(below));
        let done = if last.is_empty() {
            self.run(&first, &mut |this| this.prove(below, found))
        } else {
            let own = self.below.clone();
            self.below.extend(last.iter().flat_map(|one| condition_vars(one)));
            self.run(&first, &mut |this| {
                let outer = std::mem::replace(&mut this.below, own.clone());
                let done = this.prove_before(below, &last, found);
                this.below = outer;
                done
            })
        };
        self.below = above;
        done
    }

    /// Parts of a tree, then moves to be judged.
    fn prove_before(
        &mut self,
        nodes: &[Node],
        last: &[&Condition],
        found: &mut Then<'_, Self>,
    ) -> Result<(), Obstacle> {
        if let [Node::Conclusion { .. }] = nodes {
            return self.judge(last, found);
        }
        let flag = self.emitter.let_word(Word::Constant(0));
        self.search(flag, &mut |this, found| this.prove(nodes, found))?;
        self.when(all_of(Vec::new(), flag.into()), &mut |this| this.judge(last, found))
    }

    /// Moves to be judged; the one that was drawn stays made if it is judged well. Who drew it relies on that.
    fn judge(&mut self, last: &[&Condition], found: &mut Then<'_, Self>) -> Result<(), Obstacle> {
        let [Condition::Elsewhere { by, body, .. }] = last else { return self.run(last, found) };
        if !self.is_drawn(by) {
            return self.run(last, found);
        }
        let is_asked = self.binds_for(body, &[])?;
        match self.after(by, body, true)?.filter(|_| !is_asked) {
            Some(certainty) => self.when(certainty, found),
            None => Err(Obstacle::new("a drawn move that cannot be made to be judged")),
        }
    }

    fn node_cost(&self, node: &Node) -> u32 {
        match node {
            Node::Conclusion { .. } => 0,
            Node::Condition { condition, children } => {
                let below = children.iter().map(|child| self.node_cost(child)).sum();
                self.cost(condition).saturating_add(below)
            }
        }
    }

    fn cost(&self, condition: &Condition) -> u32 {
        let all = |body: &[Condition]| body.iter().map(|one| self.cost(one)).sum::<u32>() + TEST;
        match condition {
            Condition::Holds(atom) => {
                if self.setting.stored(atom.predicate).is_some() {
                    TEST
                } else if matches!(self.setting.source(atom.predicate), Source::Component(..)) {
                    FLOOD
                } else if self.setting.is_called(atom.predicate) {
                    CALL
                } else {
                    TEST
                }
            }
            Condition::None { body, .. } => all(body),
            Condition::AnyOf(branches) => branches.iter().map(|branch| all(branch)).sum(),
            Condition::Elsewhere { .. } => MOVE,
            Condition::Compare(..) | Condition::Member(..) | Condition::Construct { .. } => TEST,
        }
    }
}
