//! The words whose meaning the language fixes.
//!
//! In: an interner. Out: a symbol for each keyword. Every other name is the author's and means
//! nothing here. Invariant: rules are told apart by these symbols alone.

use rulesmith_logic::{Symbol, Symbols};

const WORDS: [&str; 14] = [
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input",
    "distinct", "not", "or", "<=",
];

/// Is the folded word a keyword?
pub(super) fn is_keyword(word: &str) -> bool {
    WORDS.contains(&word)
}

/// The keywords, interned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keywords {
    /// `role(r)`: r is a role.
    pub(super) role: Symbol,
    /// `init(f)`: f holds at the start.
    pub(super) init: Symbol,
    /// `true(f)`: f holds now.
    pub(super) holds: Symbol,
    /// `does(r, m)`: r makes the move m.
    pub(super) does: Symbol,
    /// `next(f)`: f holds after the moves being made.
    pub(super) next: Symbol,
    /// `legal(r, m)`: r may make the move m.
    pub(super) legal: Symbol,
    /// `goal(r, n)`: the state is worth n to r.
    pub(super) goal: Symbol,
    /// `terminal`: the contest is over.
    pub(super) terminal: Symbol,
    /// `base(f)`: f may hold in some state; no part of the meaning.
    pub(super) base: Symbol,
    /// `input(r, m)`: r may make m in some state; no part of the meaning.
    pub(super) input: Symbol,
    /// `distinct(s, t)`: two different terms.
    pub(super) distinct: Symbol,
    /// Negation.
    pub(super) not: Symbol,
    /// Disjunction.
    pub(super) or: Symbol,
    /// Conjunction; a plain name in texts that define a relation so named.
    pub(super) and: Symbol,
    /// `<=`, which starts a rule.
    pub(super) follows: Symbol,
    /// The kind of all fluents that are constants, where there are too many for a kind each.
    pub(super) any_fact: Symbol,
    /// The kind of all moves that are constants, where there are too many for a kind each.
    pub(super) any_choice: Symbol,
    /// The relation that holds of all constants.
    pub(super) constant: Symbol,
}

/// Starts the names that no text can spell.
pub(super) const UNSPELLABLE: char = '\0';

impl Keywords {
    /// Interns the keywords.
    pub(super) fn new(symbols: &mut Symbols) -> Self {
        Self {
            role: symbols.symbol("role"),
            init: symbols.symbol("init"),
            holds: symbols.symbol("true"),
            does: symbols.symbol("does"),
            next: symbols.symbol("next"),
            legal: symbols.symbol("legal"),
            goal: symbols.symbol("goal"),
            terminal: symbols.symbol("terminal"),
            base: symbols.symbol("base"),
            input: symbols.symbol("input"),
            distinct: symbols.symbol("distinct"),
            not: symbols.symbol("not"),
            or: symbols.symbol("or"),
            and: symbols.symbol("and"),
            follows: symbols.symbol("<="),
            any_fact: symbols.symbol("\0fact"),
            any_choice: symbols.symbol("\0choice"),
            constant: symbols.symbol("\0constant"),
        }
    }

    /// How many arguments the language gives a relation; `None` for the author's relations.
    pub(super) fn arity(&self, relation: Symbol) -> Option<usize> {
        let unary = [self.role, self.init, self.holds, self.next, self.base];
        let binary = [self.does, self.legal, self.goal, self.input];
        match relation {
            _ if relation == self.terminal => Some(0),
            _ if unary.contains(&relation) => Some(1),
            _ if binary.contains(&relation) => Some(2),
            _ => None,
        }
    }
}
