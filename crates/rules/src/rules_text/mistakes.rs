//! Spellings of other languages: what to say about them, and what was meant.
//!
//! In: a wrong token. Out: a problem with a way out, and our token. Invariant: every wrong spelling is
//! reported exactly once, here.

use logos::Lexer;
use rulesmith_logic::Span;

use super::lex::Token;
use crate::source::Diagnostic;

/// Our token for an operator of another language, and the problem.
pub(crate) fn foreign_operator(span: Span, spelling: &str) -> (Token, Diagnostic) {
    let (token, help) = match spelling {
        "<=" => (Token::AtMost, "\"at most\" is written `=<`"),
        "=>" => (Token::AtLeast, "\"at least\" is written `>=`, and a clause `head :- body`"),
        "!=" | "\\==" | "<>" | "=\\=" | "/=" | "~=" => {
            (Token::Unequal, "\"unequal\" is written `\\=`")
        }
        "==" | "===" | "=:=" => (Token::Equal, "\"equal\" is written `=`"),
        "&" | "&&" => (Token::Comma, "\"and\" is written `,`"),
        "|" | "||" => (Token::Semicolon, "\"or\" is written `;`, inside parentheses: `(C ; D)`"),
        "\\+" | "!" | "~" => (Token::Negation, "negation is written `not`"),
        _ => (Token::Star, "division is written `div`, its remainder `mod`"),
    };
    (token, operator(span, spelling, help))
}

/// Our token for a mathematical sign.
pub(crate) fn symbol(span: Span, sign: char) -> Option<(Token, Diagnostic)> {
    let (token, help) = match sign {
        '≤' => (Token::AtMost, "\"at most\" is written `=<`"),
        '≥' => (Token::AtLeast, "\"at least\" is written `>=`"),
        '≠' => (Token::Unequal, "\"unequal\" is written `\\=`"),
        '∧' => (Token::Comma, "\"and\" is written `,`"),
        '∨' => (Token::Semicolon, "\"or\" is written `;`, inside parentheses: `(C ; D)`"),
        '¬' => (Token::Negation, "negation is written `not`"),
        '×' | '·' => (Token::Star, "a product is written `*`"),
        '−' | '–' => (Token::Minus, "minus is written `-`"),
        '←' | '⇐' => (Token::If, "a clause is written `head :- body`"),
        '→' => (Token::Arrow, "an arrow is written `->`"),
        '…' => (Token::Range, "a range is written `1..8`"),
        _ => return None,
    };
    Some((token, operator(span, &sign.to_string(), help)))
}

fn operator(span: Span, spelling: &str, help: &str) -> Diagnostic {
    Diagnostic::error(
        "foreign-operator",
        span,
        format!("`{spelling}` is not an operator of this language"),
    )
    .label("not an operator")
    .help(help)
}

/// A character that belongs to no token.
pub(crate) fn character(span: Span, character: char) -> Diagnostic {
    let shown = if character.is_control() || character.is_whitespace() {
        format!("character U+{:04X}", u32::from(character))
    } else {
        format!("character `{character}`")
    };
    let diagnostic = Diagnostic::error("unknown-character", span, format!("unexpected {shown}"))
        .label("not part of the language");
    match character {
        '?' => diagnostic.help("variables start with a capital letter"),
        '“' | '”' | '„' => diagnostic.help("strings stand between straight quotes: \"…\""),
        '‘' | '’' | '`' => diagnostic.help("quoted names stand between straight quotes: 'X'"),
        '#' => diagnostic.help("comments start with `%`; as a name it is quoted: '#'"),
        _ if character.is_whitespace() => diagnostic.help("replace it by an ordinary space"),
        _ => diagnostic.help(format!("as a name it is quoted: '{}'", character.escape_debug())),
    }
}

/// A word that is no name as it stands.
pub(crate) fn name(span: Span, word: &str) -> Diagnostic {
    let message = format!(
        "`{word}` is not a name: names start with a small letter and use a to z, A to Z, 0 to 9 and `_`"
    );
    Diagnostic::error("bad-name", span, message)
        .label("not a name")
        .help(format!("quote it: '{word}'"))
}

/// A number with a fraction.
pub(crate) fn decimal(span: Span, digits: &str) -> Diagnostic {
    let range = digits.replacen('.', "..", 1);
    Diagnostic::error("bad-number", span, format!("`{digits}` is not a whole number"))
        .label("only whole numbers")
        .help(format!("a range is written `{range}`"))
}

/// A full stop with something right behind it.
pub(crate) fn tight_stop(span: Span) -> Diagnostic {
    Diagnostic::error(
        "tight-stop",
        span,
        "a full stop ends an item and needs a space or a new line behind it",
    )
    .label("something follows at once")
    .help("put the next item on a new line; a range is written with two dots: `1..8`")
}

/// A comment of another language.
pub(crate) fn comment(span: Span, sign: &str) -> Diagnostic {
    Diagnostic::error("foreign-comment", span, format!("`{sign}` does not start a comment"))
        .label("not a comment")
        .help("comments start with `%` and go to the end of the line")
}

/// Moves the lexer past the rest of a `/* … */`.
pub(crate) fn scan_comment(lexer: &mut Lexer<'_, Token>) {
    let rest = lexer.remainder();
    lexer.bump(rest.find("*/").map_or(rest.len(), |at| at + 2));
}
