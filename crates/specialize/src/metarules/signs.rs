//! The signs a saved metarule is written with.
//!
//! In: one line. Out: names, variables, numbers and marks. Invariant: no line makes it panic, and the
//! signs are never more than the characters.

/// A sign of a saved metarule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// A plain name, or a word of the language.
    Name(String),
    /// A name in quotes, never a word of the language.
    Quoted(String),
    /// A variable.
    Variable(String),
    /// An integer.
    Number(i32),
    /// Punctuation or an operator.
    Mark(&'static str),
}

/// Longer marks first, so that `=<` is not read as `=`.
const MARKS: [&str; 19] = [
    ":-", "\\=", "=<", ">=", "<", ">", "=", "(", ")", "{", "}", ",", ":", "+", "-", "*", ".", ";",
    "#",
];

/// The signs of a line.
pub(crate) fn signs(line: &str) -> Result<Vec<Sign>, String> {
    let mut signs = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let (sign, length) = if first == '\'' {
            quoted(rest)?
        } else if first.is_ascii_digit() || is_negative(rest, &signs) {
            number(rest)?
        } else if first.is_ascii_alphabetic() || first == '_' {
            word(rest)
        } else {
            let mark = MARKS.into_iter().find(|mark| rest.starts_with(mark));
            let mark = mark.ok_or_else(|| format!("`{first}` is out of place"))?;
            (Sign::Mark(mark), mark.len())
        };
        signs.push(sign);
        rest = rest[length..].trim_start();
    }
    Ok(signs)
}

/// Is this a minus sign in front of a number, where no difference can be meant?
fn is_negative(rest: &str, before: &[Sign]) -> bool {
    let is_after_mark = before.last().is_none_or(|sign| match sign {
        Sign::Mark(mark) => *mark != ")",
        Sign::Name(word) => ["in", "div", "mod", "min", "max", "useless"].contains(&word.as_str()),
        _ => false,
    });
    let mut characters = rest.chars();
    characters.next() == Some('-')
        && characters.next().is_some_and(|next| next.is_ascii_digit())
        && is_after_mark
}

fn number(rest: &str) -> Result<(Sign, usize), String> {
    let digits = rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| end + 1);
    let number = rest[..digits].parse().map_err(|_| "a number too large".to_owned())?;
    Ok((Sign::Number(number), digits))
}

fn word(rest: &str) -> (Sign, usize) {
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let text = rest[..end].to_owned();
    let is_name = text.starts_with(|first: char| first.is_ascii_lowercase());
    (if is_name { Sign::Name(text) } else { Sign::Variable(text) }, end)
}

/// A name in quotes, with the escapes of `char::escape_default`.
fn quoted(rest: &str) -> Result<(Sign, usize), String> {
    let mut name = String::new();
    let mut characters = rest.char_indices().skip(1);
    while let Some((place, character)) = characters.next() {
        match character {
            '\'' => return Ok((Sign::Quoted(name), place + 1)),
            '\\' => {
                let escaped = characters.next().map(|(_, escaped)| escaped);
                name.push(match escaped {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some('r') => '\r',
                    Some('u') => {
                        let code: String = characters
                            .by_ref()
                            .map(|(_, digit)| digit)
                            .skip_while(|digit| *digit == '{')
                            .take_while(|digit| *digit != '}')
                            .collect();
                        let code = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                        code.ok_or("an unknown character")?
                    }
                    Some(other) => other,
                    None => return Err("a name without end".to_owned()),
                });
            }
            other => name.push(other),
        }
    }
    Err("a name without end".to_owned())
}
