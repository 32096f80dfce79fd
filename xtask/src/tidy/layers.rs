//! Layers: which crate of the project may use which.
//!
//! In: the crates with their edges. Out: every edge that the table does not have. Invariant: the
//! table is the architecture; a new edge is a change of its own here.

use super::Finding;
use super::metadata::Crate;

/// Each crate with the crates it may use, in reading order.
const LAYERS: &[(&str, &[&str])] = &[
    ("logic", &[]),
    ("rules", &["logic"]),
    ("matching", &["logic"]),
    ("specialize", &["logic", "rules", "matching"]),
    ("analyze", &["logic", "rules"]),
    ("game", &[]),
    ("kernel", &[]),
    ("compile", &["logic", "rules", "matching", "specialize", "analyze", "game", "kernel"]),
    ("search", &["game"]),
    ("learn", &["game"]),
    (
        "player",
        &[
            "logic",
            "rules",
            "matching",
            "specialize",
            "analyze",
            "game",
            "compile",
            "search",
            "learn",
        ],
    ),
    ("cli", &["player", "game"]),
    ("xtask", &[]),
    // Hand-written games to measure against: nothing uses them and they use nothing of ours.
    ("baselines", &[]),
];

/// Reports edges and crates that are not in the table.
pub(super) fn check(crates: &[Crate]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for one in crates {
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == one.name) else {
            let message = format!("the crate `{}` is not in the table of layers", one.name);
            findings.push(Finding::problem(&one.manifest, message));
            continue;
        };
        for used in one.inside.iter().filter(|used| !allowed.contains(&used.as_str())) {
            let allowed =
                if allowed.is_empty() { "no crate".to_owned() } else { allowed.join(", ") };
            let message = format!("`{}` uses `{used}`; it may use {allowed}", one.name);
            findings.push(Finding::problem(&one.manifest, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::tidy::expect_findings;

    /// Crates as lines of `name: used used`.
    #[expect(clippy::needless_pass_by_value, reason = "`expect!` gives a value")]
    fn check_layers(text: &str, expected: Expect) {
        let crates = text.lines().filter_map(|line| line.trim().split_once(':'));
        let crates = crates.map(|(name, used)| Crate {
            name: name.to_owned(),
            manifest: format!("crates/{name}/Cargo.toml"),
            inside: used.split_whitespace().map(str::to_owned).collect(),
            outside: Vec::new(),
        });
        expect_findings(&check(&crates.collect::<Vec<_>>()), &expected);
    }

    #[test]
    fn edges_of_the_table_are_fine() {
        check_layers(
            "logic:
             rules: logic
             compile: logic rules game
             cli: player game",
            expect![""],
        );
    }

    #[test]
    fn search_never_sees_a_clause() {
        check_layers(
            "search: game logic",
            expect![[r"
                crates/search/Cargo.toml: `search` uses `logic`; it may use game
            "]],
        );
    }

    #[test]
    fn the_command_line_goes_through_the_player() {
        check_layers(
            "cli: player rules",
            expect![[r"
                crates/cli/Cargo.toml: `cli` uses `rules`; it may use player, game
            "]],
        );
    }

    #[test]
    fn the_lowest_crates_use_no_other() {
        check_layers(
            "game: logic",
            expect![[r"
                crates/game/Cargo.toml: `game` uses `logic`; it may use no crate
            "]],
        );
    }

    #[test]
    fn nothing_uses_the_baselines() {
        check_layers(
            "baselines:
             cli: player baselines",
            expect![[r"
                crates/cli/Cargo.toml: `cli` uses `baselines`; it may use player, game
            "]],
        );
    }

    #[test]
    fn a_crate_outside_the_table_is_a_problem() {
        check_layers(
            "common: logic",
            expect![[r"
                crates/common/Cargo.toml: the crate `common` is not in the table of layers
            "]],
        );
    }
}
