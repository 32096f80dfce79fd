//! Metarules: what the program knows about clauses, most of it written by itself from the facts.
//!
//! In: the complete static facts of a theory, and clauses as they are unfolded. Out: dependencies
//! that say which clauses can never hold, which variables are one, and which conditions are useless.
//! Paper: metameta §2, §3.1, §3.2. Invariant: every dependency carries its proof, and applies to a
//! clause exactly when its body maps into the clause by a substitution; nothing here reads a clock
//! or a file, and no result depends on the order in which conditions come.
//!
//! Read in this order: `dependency`, `canonical`, `matching`, `general`, `mine`, `lazy`, `store`,
//! `saved`, `audit`.

mod audit;
mod canonical;
mod claim;
mod dependency;
mod domains;
mod general;
mod implication;
mod lazy;
mod matching;
mod mine;
mod order;
mod patterns;
mod reading;
mod saved;
mod signs;
mod store;
mod text;
mod useless;

pub use audit::{Complaint, audit};
pub use dependency::{Consequence, Family, Metarule, Origin, Proof, Use, Uses};
pub use general::{Border, Declarations, GeneralRule};
pub(crate) use lazy::holds_of;
pub use lazy::{LazyMiner, Minimization, Question};
pub use mine::{Mined, MiningLimits, Symmetry, mine};
pub use saved::{SavedError, read_metarules, write_metarules};
pub use store::{By, Chased, Effect, Families, MetaruleId, Step, Store};
pub use text::metarule_text;
pub(crate) use text::value_text;
pub use useless::{Removal, Trimmed};
