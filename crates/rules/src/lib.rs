//! The rule languages: text to a checked [`Theory`], and back.
//!
//! Read in this order: `source` (texts and problems), `rules_text` (the `.rules` language: tokens and
//! syntax tree), `metarule` and `theory` (what the rules say, checked and resolved), `print` (a theory as text again).
//! `gdl` and `scl` are further languages: that of general game playing, and that of chess-like games.
//! `vocabulary` and `request` resolve what is asked of a theory in the words of its rules.
//! Invariant: no input panics or hangs, and all problems of a text are reported in one go.

mod source;

mod rules_text;

mod metarule;

mod theory;

mod wording;

mod state_text;

mod check;

mod lint;

pub mod gdl;

pub mod scl;

mod print;

mod prune;

mod vocabulary;

mod request;

pub use check::{DataSetting, NoFiles, Parsed, Resolver, Settings, TextLimits, parse};
pub use metarule::{
    Action, Metacondition, Metarule, Metavariable, MetavariableKind, Phase, Quoted,
};
pub use print::{
    atom_text, clause_text, condition_text, conditions_text, metarule_text, print, variable_names,
};
pub use request::{Request, RequestArg, parse_request};
pub use rules_text::ParseLimits;
pub use source::*;
pub use state_text::{Assigned, parse_state_text};
pub use theory::*;
pub use wording::{Wording, applied_text, name_text, value_text};
