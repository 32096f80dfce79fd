//! Saved.
