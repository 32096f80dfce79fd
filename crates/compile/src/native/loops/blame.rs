//! Which clauses stand in the way of native code.
//!
//! In: the part of a tree that could not be lowered. Out: where the clauses of its predicate were written. A program
//! from the cache does not know its clauses' places, so the theory's are told. Invariant: nothing is decided here; it
//! is told to whoever reads the notice.

use rulesmith_matching::Node;

use super::lower::Lowering;

/// So many places are told.
const MAX_PLACES: usize = 3;

impl Lowering<'_, '_> {
    /// Where the clauses were written that a part of a tree belongs to; nothing if nobody wrote them.
    pub(super) fn place_of(&self, part: &Node) -> Option<String> {
        let theory = self.setting.theory;
        let mut all = self.setting.specialized.procedures.iter();
        let one = all.find(|one| has_part(&one.procedure.tree.roots, part))?;
        let clauses = &theory.base.clauses[one.source.0 as usize];
        let mut places: Vec<String> =
            clauses.iter().map(|clause| theory.sources.locate(clause.span)).collect();
        places.dedup();
        if places.len() > MAX_PLACES {
            places.truncate(MAX_PLACES);
            places.push("later".to_owned());
        }
        (!places.is_empty()).then(|| places.join(" or "))
    }
}

/// Is this part, and no other that is equal to it, among some nodes or below them?
fn has_part(nodes: &[Node], part: &Node) -> bool {
    nodes.iter().any(|node| {
        std::ptr::eq(node, part)
            || matches!(node, Node::Condition { children, .. } if has_part(children, part))
    })
}
