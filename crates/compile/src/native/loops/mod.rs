//! Clauses as nested loops: the second way from rules to kernels.
//!
//! In: the ordered condition tree of a procedure. Out: statements that loop over static tables, planes and
//! components, innermost first what the tree tries last. Conditions that ask one unknown thing are joined
//! as sets, so that a row of a static table and a plane of the state meet in one operation. Unlike ground
//! rows, loops stay as small as the clauses are. Read in this order: `domains`, `held`, `relations`,
//! `stored`, `listing`, `setting`, `lower`, `tests`, `sets`, `numbers`, `floods`, `fill`, `components`, `kept`, `calls`, `chase`, `routines`, `sinks`,
//! `prove`, `gather`, `assign`, `recompute`, `elsewhere`, `blame`.
//! Invariant: a conclusion is reached for exactly the bindings that make its clause hold, perhaps more
//! than once; what is concluded is a set, so that this does not matter.

mod assign;
mod blame;
mod calls;
mod chase;
mod components;
mod domains;
mod elsewhere;
mod fill;
mod floods;
mod gather;
mod held;
mod kept;
mod listing;
mod lower;
mod numbers;
mod order;
mod prove;
mod recompute;
mod relations;
mod routines;
mod sets;
mod setting;
mod sinks;
mod size;
mod stored;
mod tests;

pub(crate) use assign::Pending;
pub(crate) use elsewhere::{Doing, Kind};
pub(crate) use held::Held;
pub(crate) use listing::{Places, ROOM};
pub(crate) use lower::{Keeping, Lowering};
pub(crate) use routines::{Storing, n_statements};
pub(crate) use setting::Setting;
pub(crate) use stored::{Spare, Stored};
