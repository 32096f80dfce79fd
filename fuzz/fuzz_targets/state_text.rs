//! Any text as a state and as a move of noughts and crosses.
#![no_main]

use std::thread_local;

use libfuzzer_sys::fuzz_target;
use rulesmith_fuzz::game_of;
use rulesmith_game::{Game, Notation, RoleId};
use rulesmith_player::{Language, ReferenceGame};

const RULES: &str = include_str!("../../games/noughts_and_crosses.rules");

thread_local! {
    static GAME: ReferenceGame = game_of(Language::Rules, RULES).expect("the library has no errors");
}

fuzz_target!(|text: &str| {
    GAME.with(|game| {
        if let Ok(state) = game.parse_state(text) {
            let written = game.state_text(&state);
            let again = game.parse_state(&written).expect("what is written can be read");
            assert_eq!(game.hash(&state), game.hash(&again), "what is written is the state");
        }
        let initial = game.initial().expect("the library has no errors");
        for role in (0..game.roles().len()).map(RoleId) {
            if let Ok(chosen) = game.parse_move(&initial, role, text) {
                let legal = game.legal_moves(&initial, role).expect("the library has no errors");
                assert!(legal.contains(&chosen), "only legal moves are read");
            }
        }
    });
});
