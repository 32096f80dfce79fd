//! Any text is answered: no panic, no hang, no stack overflow.

use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};

use super::parsed;
use crate::rules_text::ParseLimits;

/// Pieces of rules, right and wrong.
const PIECES: &str = r#"
    role sort move fluent legal effect init not none count after over cycle since repeated does any goal
    terminal static object component display notation glyph data X _ _1 a 'B' '' ' " """ \ 1
    99999999999999999999 1.5 ( ) { } [ ] , ; : :- := -> .. . = \= < =< > >= + - * div mod <= != // /* */
    % # é ∧ and or undefined ` meta phase filter end rule condition once addrule
"#;

/// Pieces that were dear once, or could be, when repeated; `_` stands for a space, `$` for a line end.
const MONOTONOUS: &str = r#"
    ( a( { not_ - 1+ ' \' " "$ #_ a_#_ a:- legal$ role_a$ a, a; a$ sort_a=a+ +a sort_a=b+c$ . .. (a)= none{X:
    a_:-_b(,), é é1_ <= count{ a_:-_b,$ after( cycle(a, a_b_ legal_a_does_ /* //a$ 'a a_:-_b_ ` a(`b`, a(`b`):-_ not(_
"#;

fn piece() -> impl Strategy<Value = String> {
    let pieces: Vec<_> = PIECES.split_ascii_whitespace().chain(["\0", "\n", ".\n"]).collect();
    prop_oneof![8 => prop::sample::select(pieces).prop_map(str::to_owned), 1 => any::<String>()]
}

fn soup() -> impl Strategy<Value = String> {
    let separator = prop_oneof![3 => Just(" "), 1 => Just(""), 1 => Just("\n")];
    prop::collection::vec((piece(), separator), 0..200)
        .prop_map(|pieces| pieces.into_iter().map(|(piece, separator)| piece + separator).collect())
}

proptest! {
    #[test]
    fn token_soup_never_panics(text in soup()) {
        parsed(&text, &ParseLimits::default());
    }

    #[test]
    fn texts_never_panic(text in any::<String>()) {
        parsed(&text, &ParseLimits::default());
    }
}

/// Tens of thousands of the same piece: what is not linear would not end.
#[test]
fn monotonous_texts_are_answered_in_linear_time() {
    for piece in MONOTONOUS.split_ascii_whitespace() {
        let piece = piece.replace('_', " ").replace('$', "\n");
        for start in [
            "",
            "a :- ",
            "sort a = ",
            "effect any : ",
            "notation a = ",
            "init ",
            "meta phase filter. ",
        ] {
            let text = start.to_owned() + &piece.repeat(60_000 / piece.len());
            parsed(&text, &ParseLimits::default());
        }
    }
}
