//! Flat conditions: the form every clause has while it is specialised.
//!
//! In: conditions as front ends write them. Out: the same meaning in fewer forms, so that metarules,
//! canonical keys and subsumption look at few cases. A flat condition is one of
//!
//! - `Holds(atom)`,
//! - `Compare(any, term, term)`,
//! - `Compare(Equal, term, Binary(operation, term, term))`,
//! - `Compare(Equal, term, Count { body })`, the body flat, or one `AnyOf` of flat bodies,
//! - `Construct`, `Member`,
//! - `None` and `Elsewhere` with flat bodies.
//!
//! Invariant: no `AnyOf` outside counts (alternatives become clauses of their own), no expression
//! inside an expression, and every variable is bound by a condition or is an argument of the head.
