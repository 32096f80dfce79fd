//! Results and texts in words.
//!
//! In: outcomes, and texts made by untrusted rules. Out: sentences that are safe to print.

use std::borrow::Cow;

use rulesmith_game::Ending;
use rulesmith_player::Conclusion;

/// How a contest ended, as a sentence.
pub(crate) fn result(conclusion: &Conclusion) -> String {
    match conclusion {
        Conclusion::Unfinished => "The contest is not finished.".to_owned(),
        Conclusion::Resigned(role) => format!("{} resigned.", plain(role)),
        Conclusion::Over(ending, goals) => {
            let values = values(goals);
            match ending {
                Ending::Terminal => format!("{} ({values})", verdict(goals)),
                Ending::Draw => format!("A drawing rule ends the contest. ({values})"),
                Ending::Stuck => format!(
                    "Stuck: nobody can move, and the rules do not say that the contest is over. ({values})"
                ),
            }
        }
    }
}

/// Who won, where the goal values tell.
fn verdict(goals: &[(String, Option<u8>)]) -> String {
    let best = goals.iter().filter_map(|(_, goal)| *goal).max();
    let Some(best) = best.filter(|_| goals.iter().all(|(_, goal)| goal.is_some())) else {
        return "The contest is over.".to_owned();
    };
    let winners: Vec<_> = goals.iter().filter(|(_, goal)| *goal == Some(best)).collect();
    match (goals.len(), winners.as_slice()) {
        (1, _) if best == 100 => "Solved.".to_owned(),
        (1, _) if best == 0 => "Failed.".to_owned(),
        (1, _) => "The contest is over.".to_owned(),
        (_, [(winner, _)]) => format!("{} wins.", plain(winner)),
        (all, winners) if winners.len() == all && best == 100 => "Everybody wins.".to_owned(),
        (all, winners) if winners.len() == all && best == 0 => "Everybody loses.".to_owned(),
        (all, winners) if winners.len() == all => "A draw.".to_owned(),
        (_, winners) => {
            let names: Vec<_> = winners.iter().map(|(name, _)| plain(name)).collect();
            format!("{} share the win.", names.join(" and "))
        }
    }
}

fn values(goals: &[(String, Option<u8>)]) -> String {
    let value = |goal: Option<u8>| goal.map_or("no goal".to_owned(), |goal| goal.to_string());
    let values = goals.iter().map(|(role, goal)| format!("{} {}", plain(role), value(*goal)));
    values.collect::<Vec<_>>().join(", ")
}

/// The text with control characters made visible: rules are untrusted, and a terminal obeys them.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let is_unsafe = |c: char| c.is_control() && c != '\n';
    if text.contains(is_unsafe) { text.replace(is_unsafe, "\u{FFFD}").into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::{plain, result};
    use rulesmith_game::Ending::{self, Draw, Stuck, Terminal};
    use rulesmith_player::Conclusion;

    fn check(ending: Ending, goals: &[Option<u8>], expected: &str) {
        let names = ["white", "black", "red"].map(str::to_owned);
        let goals = names.into_iter().zip(goals.iter().copied()).collect();
        assert_eq!(result(&Conclusion::Over(ending, goals)), expected);
    }

    #[test]
    fn results_are_told_in_words() {
        check(Terminal, &[Some(100), Some(0)], "white wins. (white 100, black 0)");
        check(Terminal, &[Some(30), Some(60)], "black wins. (white 30, black 60)");
        check(Terminal, &[Some(50), Some(50)], "A draw. (white 50, black 50)");
        check(Terminal, &[Some(0), Some(0)], "Everybody loses. (white 0, black 0)");
        check(Terminal, &[None, Some(0)], "The contest is over. (white no goal, black 0)");
        check(
            Terminal,
            &[Some(50), Some(50), Some(0)],
            "white and black share the win. (white 50, black 50, red 0)",
        );
        check(Terminal, &[Some(100)], "Solved. (white 100)");
        check(Terminal, &[Some(0)], "Failed. (white 0)");
        check(Draw, &[Some(50), Some(50)], "A drawing rule ends the contest. (white 50, black 50)");
        check(
            Stuck,
            &[None],
            "Stuck: nobody can move, and the rules do not say that the contest is over. \
             (white no goal)",
        );
        assert_eq!(result(&Conclusion::Resigned("white".to_owned())), "white resigned.");
    }

    #[test]
    fn control_characters_are_not_obeyed() {
        assert_eq!(plain("a\x1b[31mb\nc"), "a\u{FFFD}[31mb\nc");
    }
}
