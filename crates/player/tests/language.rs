//! Every example of the language chapter is run: whole files, parts added to the first game, and
//! wrong ones with their message.

#![expect(clippy::unwrap_used, reason = "a panic is the verdict of a test")]

use rulesmith_game::{Draws, Game, JointMoves, Notation, Random};
use rulesmith_player::{BuildRequest, BuildResult, NoFiles, Severity, Stop, build, reference_game};

const CHAPTER: &str = include_str!("../../../docs/language.md");

/// The fenced blocks of the chapter: kind and text.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let mut blocks = Vec::new();
    let mut rest = CHAPTER;
    while let Some(start) = rest.find("\n```") {
        let after = &rest[start + 4..];
        let (kind, text) = after.split_once('\n').expect("a block has lines");
        let end = text.find("```").expect("a block is closed");
        blocks.push((kind.trim(), &text[..end]));
        rest = &text[end + 3..];
    }
    blocks
}

fn first_game() -> &'static str {
    blocks().iter().find(|(kind, _)| *kind == "rules").expect("the chapter starts with a game").1
}

fn read(text: &str) -> BuildResult {
    let request = BuildRequest {
        name: "example".to_owned(),
        text: text.to_owned(),
        ..BuildRequest::default()
    };
    build(&request, &NoFiles)
}

/// The example must check, start, list its moves and play a few steps.
fn check_runs(text: &str) {
    let result = read(text);
    let problems = result.diagnostics.list.iter();
    let errors: Vec<String> = problems
        .filter(|problem| problem.severity == Severity::Error)
        .map(|problem| format!("{}: {}", result.sources.locate(problem.span), problem.message))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{text}");
    let request = BuildRequest::default();
    let game = reference_game(result, &request.limits, &Stop::default()).expect("no errors");
    let mut state = game.initial().unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut random = Random::new(1);
    for _ in 0..5 {
        let written = game.state_text(&state);
        let again = game.parse_state(&written).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again, state, "{written}");
        assert!(!game.picture(&state).is_empty());
        if game
            .outcome(&state, Draws::Apply)
            .unwrap_or_else(|error| panic!("{error}\n{text}"))
            .is_some()
        {
            return;
        }
        let joint = JointMoves::of(&game, &state).unwrap().choose(&mut random).expect("a move");
        game.apply(&mut state, &joint).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
}

#[test]
fn whole_files_of_the_chapter_play() {
    let whole: Vec<&str> =
        blocks().into_iter().filter(|(kind, _)| *kind == "rules").map(|(_, text)| text).collect();
    assert!(whole.len() >= 3);
    whole.into_iter().for_each(check_runs);
}

#[test]
fn parts_of_the_chapter_play_with_its_first_game() {
    let parts: Vec<&str> = blocks()
        .into_iter()
        .filter(|(kind, _)| *kind == "rules-part")
        .map(|(_, text)| text)
        .collect();
    assert!(parts.len() >= 15);
    for part in parts {
        check_runs(&format!("{}\n{part}", first_game()));
    }
}

#[test]
fn wrong_examples_of_the_chapter_are_refused_with_their_message() {
    let blocks = blocks();
    let wrong = blocks.windows(2).filter(|pair| pair[0].0 == "rules-wrong");
    let mut n_wrong = 0;
    for pair in wrong {
        let ((_, part), (kind, message)) = (pair[0], pair[1]);
        assert_eq!(kind, "message", "a wrong example is followed by its message");
        let result = read(&format!("{}\n{part}", first_game()));
        let messages: Vec<&str> =
            result.diagnostics.list.iter().map(|problem| problem.message.as_str()).collect();
        assert!(messages.iter().any(|found| found.contains(message.trim())), "{messages:#?}");
        assert!(result.theory.is_none());
        n_wrong += 1;
    }
    assert!(n_wrong >= 4);
}
