//! Limits by name: what reading rules and reasoning about them may cost.
//!
//! In: a name and a number, as on the command line. Out: the limits of every stage. Invariant: the
//! names are those that messages about a reached limit use.

use rulesmith_compile::TurnLimits;
use rulesmith_logic::Limits;
use rulesmith_rules::TextLimits;
use rulesmith_rules::gdl::GdlLimits;
use rulesmith_rules::scl::SclLimits;

/// What reading and reasoning may cost.
#[derive(Clone, Debug)]
pub struct BuildLimits {
    /// What a text may ask for before anything is played.
    pub text: TextLimits,
    /// What a `.kif` text may ask for.
    pub gdl: GdlLimits,
    /// What a `.scl` text may ask for.
    pub scl: SclLimits,
    /// What one question to the solver may cost.
    pub solver: Limits,
    /// What one turn may hold.
    pub turns: TurnLimits,
    /// Bytes that tables, machine code and one state of a native game may take.
    pub native_bytes: u64,
}

impl Default for BuildLimits {
    fn default() -> Self {
        Self {
            text: TextLimits::default(),
            gdl: GdlLimits::default(),
            scl: SclLimits::default(),
            solver: Limits::default(),
            turns: TurnLimits::default(),
            native_bytes: 256 << 20,
        }
    }
}

/// The name of the limit on native games.
pub(crate) const NATIVE_BYTES: &str = "native-bytes";

/// The limit `nesting` cannot be raised above this.
const MAX_NESTING: usize = 500;

/// One limit.
enum Slot<'l> {
    Count(&'l mut u64),
    Size(&'l mut usize),
}

impl BuildLimits {
    /// Sets a limit by name; false if there is none of that name.
    pub fn set(&mut self, name: &str, value: u64) -> bool {
        let slot = self.slots().into_iter().find(|(slot_name, _)| *slot_name == name);
        match slot {
            Some((_, Slot::Count(slot))) => *slot = value,
            // Nesting uses the stack, which has an end.
            Some(("nesting", Slot::Size(slot))) => {
                *slot = usize::try_from(value).unwrap_or(usize::MAX).min(MAX_NESTING);
            }
            Some((_, Slot::Size(slot))) => *slot = usize::try_from(value).unwrap_or(usize::MAX),
            None => return false,
        }
        // All languages know these; a person sets them once.
        match name {
            "nesting" => {
                self.gdl.nesting = self.text.parse.nesting;
                self.scl.nesting = self.text.parse.nesting;
            }
            "text-bytes" => {
                self.gdl.text = self.text.parse.text_bytes;
                self.scl.text_bytes = self.text.parse.text_bytes;
            }
            "includes" => self.scl.includes = self.text.includes,
            "conditions" => self.gdl.conditions = self.text.conditions,
            _ => {}
        }
        true
    }

    /// The names of all limits.
    pub fn names() -> Vec<&'static str> {
        Self::default().slots().iter().map(|(name, _)| *name).collect()
    }

    fn slots(&mut self) -> [(&'static str, Slot<'_>); 15] {
        let Self { text, gdl, scl: _, solver, turns, native_bytes } = self;
        [
            ("inferences", Slot::Count(&mut solver.inferences)),
            ("derived-facts", Slot::Count(&mut solver.derived_facts)),
            ("recursion-depth", Slot::Count(&mut solver.recursion_depth)),
            ("terms", Slot::Count(&mut solver.terms)),
            (NATIVE_BYTES, Slot::Count(native_bytes)),
            ("turn-steps", Slot::Size(&mut turns.steps)),
            ("turns", Slot::Size(&mut turns.turns)),
            ("sort-size", Slot::Size(&mut text.sort_size)),
            ("nesting", Slot::Size(&mut text.parse.nesting)),
            ("includes", Slot::Size(&mut text.includes)),
            ("conditions", Slot::Size(&mut text.conditions)),
            ("fluent-keys", Slot::Size(&mut text.fluent_keys)),
            ("text-bytes", Slot::Size(&mut text.parse.text_bytes)),
            ("clause-copies", Slot::Size(&mut gdl.clause_copies)),
            ("shape-steps", Slot::Size(&mut gdl.shape_steps)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::BuildLimits;

    #[test]
    fn every_limit_is_documented() {
        let page = include_str!("../../../docs/commands.md");
        for name in BuildLimits::names() {
            assert!(page.contains(&format!("| `{name}` |")), "{name} is not in the page");
        }
    }

    #[test]
    fn every_limit_is_set_by_its_name() {
        for name in BuildLimits::names() {
            let mut limits = BuildLimits::default();
            assert!(limits.set(name, 7), "{name}");
            assert_ne!(format!("{limits:?}"), format!("{:?}", BuildLimits::default()), "{name}");
        }
        assert!(!BuildLimits::default().set("luck", 7));
    }
}
