//! Matches: many contests between the same players, who take every role by turns.
//!
//! In: who plays which role, and outcomes. Out: how each player did. Invariant: each contest hands out
//! one point, shared by the roles with the highest goal, so the scores of a match sum up to its contests.

use rulesmith_game::{Error, Game, Outcome, RoleId};

use crate::session::Session;

/// How one player did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    /// Contests in which nobody else had a goal as high.
    pub wins: u64,
    /// Contests in which others had the same goal and nobody a higher one.
    pub draws: u64,
    /// The other contests.
    pub losses: u64,
    /// A point for each win, a share of one for each draw.
    pub points: f64,
    /// The sum of the goal values, and how many contests gave one.
    pub goals: (u64, u64),
}

/// Which player has a role in a contest: the players move on by one role from contest to contest.
pub fn player_of(role: RoleId, contest: u64, n_players: usize) -> usize {
    let shift = usize::try_from(contest % n_players.max(1) as u64).unwrap_or(0);
    (role.0 + shift) % n_players.max(1)
}

/// Plays a contest to its end, or for so many turns: `choose` gives the move of each role that has to move,
/// and may break off the work by an error. Tells how many turns were made.
pub fn play_contest<'g, G: Game>(
    session: &mut Session<'g, G>,
    max_turns: u64,
    mut choose: impl FnMut(&Session<'g, G>, RoleId) -> Result<G::Move, Error>,
) -> Result<u64, Error> {
    for length in 0..max_turns {
        if session.outcome().is_some() {
            return Ok(length);
        }
        let movers = session.choices().iter().map(|(role, _)| *role);
        let joint = movers.map(|role| Ok((role, choose(session, role)?)));
        let joint = joint.collect::<Result<_, Error>>()?;
        session.make(joint)?;
    }
    Ok(max_turns)
}

/// How each player did in contests that ended so, in the order they were played; `None` is a contest
/// that was given up, which is a draw. There are as many players as roles.
pub fn standings<'o>(
    n_players: usize,
    outcomes: impl IntoIterator<Item = Option<&'o Outcome>>,
) -> Vec<Standing> {
    let mut standings = vec![Standing::default(); n_players];
    for (contest, outcome) in (0..).zip(outcomes) {
        let goal = |role| outcome.and_then(|outcome| outcome.goals.get(role).copied().flatten());
        let best = (0..n_players).map(goal).max().flatten();
        let n_best = (0..n_players).filter(|&role| goal(role) == best).count();
        for role in 0..n_players {
            let standing = &mut standings[player_of(RoleId(role), contest, n_players)];
            standing.add(goal(role), goal(role) == best, n_best);
        }
    }
    standings
}

impl Standing {
    fn add(&mut self, goal: Option<u8>, is_best: bool, n_best: usize) {
        self.goals.0 += goal.map_or(0, u64::from);
        self.goals.1 += u64::from(goal.is_some());
        match (is_best, u32::try_from(n_best).unwrap_or(u32::MAX)) {
            (false, _) => self.losses += 1,
            (true, 1) => {
                self.wins += 1;
                self.points += 1.0;
            }
            (true, n_best) => {
                self.draws += 1;
                self.points += 1.0 / f64::from(n_best);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use rulesmith_game::{Ending, Outcome};

    use super::standings;

    /// Standings after contests that are lists of goals, `-` where none is given; `?` was given up.
    #[expect(clippy::needless_pass_by_value, reason = "`expect!` gives a value")]
    fn check(n_players: usize, contests: &str, expected: Expect) {
        let outcome = |text: &str| {
            let goals = text.split_whitespace().map(|goal| goal.parse().ok()).collect();
            (text.trim() != "?").then_some(Outcome { ending: Ending::Terminal, goals })
        };
        let outcomes: Vec<_> = contests.split(',').map(outcome).collect();
        let standings = standings(n_players, outcomes.iter().map(Option::as_ref));
        let line = |standing: &super::Standing| {
            let super::Standing { wins, draws, losses, points, goals } = standing;
            format!("{wins} {draws} {losses}, {points:.2}, {goals:?}\n")
        };
        expected.assert_eq(&standings.iter().map(line).collect::<String>());
    }

    #[test]
    fn players_change_roles_from_contest_to_contest() {
        check(
            2,
            "100 0, 0 100, 100 0",
            expect![[r#"
                3 0 0, 3.00, (300, 3)
                0 0 3, 0.00, (0, 3)
            "#]],
        );
    }

    #[test]
    fn draws_are_shared() {
        check(
            2,
            "50 50, ?, - -, - 0",
            expect![[r#"
            1 3 0, 2.50, (50, 2)
            0 3 1, 1.50, (50, 1)
        "#]],
        );
        check(
            3,
            "50 50 0, ?, 0 10 0",
            expect![[r#"
            1 2 0, 1.83, (60, 2)
            0 2 1, 0.83, (50, 2)
            0 1 2, 0.33, (0, 2)
        "#]],
        );
    }

    #[test]
    fn a_single_player_has_its_goals() {
        check(
            1,
            "70, 0, -",
            expect![[r#"
            3 0 0, 3.00, (70, 2)
        "#]],
        );
    }
}
