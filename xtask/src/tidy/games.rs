//! Games: every rules file of the library has counts to be tested against.
//!
//! In: the tree. Out: a problem for each game in `games/` without a `.perft` file beside it, and
//! for each `.perft` file without a game.

use super::Finding;
use super::tree::Tree;

/// How the names of rules files end.
const LANGUAGES: &[&str] = &[".rules", ".kif", ".scl"];

/// Reports games without counts and counts without games.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let paths = tree.files.iter().map(|file| file.path.as_str());
    let in_games = paths.filter(|path| is_directly_in_games(path));
    in_games.filter_map(|path| check_path(tree, path)).collect()
}

fn is_directly_in_games(path: &str) -> bool {
    path.strip_prefix("games/").is_some_and(|name| !name.contains('/'))
}

fn check_path(tree: &Tree, path: &str) -> Option<Finding> {
    if let Some(game) = LANGUAGES.iter().find_map(|language| path.strip_suffix(language)) {
        let counts = format!("{game}.perft");
        let message = format!("no `{counts}` beside it");
        return (!tree.has(&counts)).then(|| Finding::problem(path, message));
    }
    let game = path.strip_suffix(".perft")?;
    let has_game = LANGUAGES.iter().any(|language| tree.has(&format!("{game}{language}")));
    (!has_game).then(|| Finding::problem(path, "no game of this name beside it"))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::tidy::expect_findings;

    #[expect(clippy::needless_pass_by_value, reason = "`expect!` gives a value")]
    fn check_paths(paths: &[&str], expected: Expect) {
        let files: Vec<_> = paths.iter().map(|path| (*path, "")).collect();
        expect_findings(&check(&Tree::of(&files)), &expected);
    }

    #[test]
    fn a_game_with_counts_is_fine() {
        check_paths(&["games/hex.rules", "games/hex.perft", "games/hex.kif"], expect![""]);
    }

    #[test]
    fn a_game_without_counts_is_a_problem() {
        check_paths(
            &["games/go.rules", "games/nim.kif", "games/README.md", "games/include/board.rules"],
            expect![[r"
                games/go.rules: no `games/go.perft` beside it
                games/nim.kif: no `games/nim.perft` beside it
            "]],
        );
    }

    #[test]
    fn counts_without_a_game_are_a_problem() {
        check_paths(
            &["games/go.perft"],
            expect![[r"
                games/go.perft: no game of this name beside it
            "]],
        );
    }
}
