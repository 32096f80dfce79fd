//! Untrusted texts in pictures and pages.
//!
//! In: any text. Out: the same text, harmless. Invariant: no text ends an element or an attribute.

/// A text without anything that markup means something by, or that XML forbids.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter if letter.is_control() || matches!(letter, '\u{FFFE}' | '\u{FFFF}') => {
                escaped.push('\u{FFFD}');
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}
