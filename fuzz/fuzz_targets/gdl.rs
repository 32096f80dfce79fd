//! Any text as a `.kif` file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rulesmith_fuzz::check_text;
use rulesmith_player::Language;

fuzz_target!(|text: &str| check_text(Language::Gdl, text));
