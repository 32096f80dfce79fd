//! What is assumed where nothing was counted.
//!
//! In: nothing. Out: the numbers an order is chosen with, next to the learned ones. Invariant: they
//! change the order of conditions and nothing else.

/// What is assumed of conditions that no working memory says anything about, and how long orders are
/// looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderingConfig {
    /// How often `=` between known values holds.
    pub equal: f64,
    /// How often `\=` holds: three times in four, as on a path that may not turn back on a grid.
    pub unequal: f64,
    /// How often `<`, `=<`, `>` and `>=` hold.
    pub compared: f64,
    /// How often a test of a predicate holds that was never counted, or of a domain.
    pub test: f64,
    /// How many values an argument without a domain is taken to have.
    pub open_domain: f64,
    /// How many times a condition is tried in a passage to another world, at least.
    pub passage_cost: f64,
    /// How many worlds and bindings a passage that binds variables leads to.
    pub passage_branching: f64,
    /// Bodies up to this many conditions get the best order under the model; longer ones the paper's
    /// greedy one. At most 16.
    pub exact_up_to: usize,
}

impl Default for OrderingConfig {
    fn default() -> Self {
        Self {
            equal: 0.2,
            unequal: 0.75,
            compared: 0.5,
            test: 0.5,
            open_domain: 64.0,
            passage_cost: 20.0,
            passage_branching: 2.0,
            exact_up_to: 12,
        }
    }
}
