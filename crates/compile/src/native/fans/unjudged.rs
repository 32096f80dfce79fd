//! Plans without masks: moves that are drawn first and judged then.
//!
//! In: kinds of moves that are legal but for what follows them. Out: where things can go, whatever follows. Invariant:
//! every legal move of these kinds is found by the plan or by one of the clauses that are left, never by both.

use super::super::Obstacle;
use super::super::build::Builder;
use super::plan::FanPlan;

impl Builder<'_> {
    /// The plan of a role's moves of some kinds without masks: what follows them is still to be judged.
    pub(crate) fn unjudged_plan(
        &self,
        role: usize,
        has_kind: &dyn Fn(usize) -> bool,
    ) -> Result<FanPlan, Obstacle> {
        let (draft, board, denied) = self.draft_fans(role, has_kind)?;
        let movers = self.movers(board, draft.goings);
        let (attackers, is_attack, drops) = (Vec::new(), false, Vec::new());
        let (fans, odd) = (draft.fans, draft.odd);
        Ok(FanPlan { role, board, denied, attackers, is_attack, fans, movers, drops, odd })
    }
}
