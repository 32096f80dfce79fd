//! Shrinking: a text that fails becomes a shorter one that still does.
//!
//! In: a text of one item a line, and a test. Out: a text none of whose lines or outermost conditions
//! can be left out. Invariant: what comes out still fails.

/// The shortest text found that still fails.
pub(crate) fn shrink(text: &str, fails: &dyn Fn(&str) -> bool) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    loop {
        let before = lines.join("\n");
        let mut place = lines.len();
        while place > 0 {
            place -= 1;
            let removed = lines.remove(place);
            if !fails(&lines.join("\n")) {
                lines.insert(place, removed);
            }
        }
        for place in 0..lines.len() {
            shrink_line(&mut lines, place, fails);
        }
        if lines.join("\n") == before {
            return before;
        }
    }
}

/// Leaves out conditions of one clause.
fn shrink_line(lines: &mut [String], place: usize, fails: &dyn Fn(&str) -> bool) {
    loop {
        let line = lines[place].clone();
        let shorter = shorter_lines(&line);
        let found = shorter.into_iter().find(|candidate| {
            lines[place].clone_from(candidate);
            fails(&lines.join("\n"))
        });
        let Some(candidate) = found else {
            lines[place] = line;
            return;
        };
        lines[place] = candidate;
    }
}

/// The line without one of the parts that commas or semicolons separate, at any depth.
fn shorter_lines(line: &str) -> Vec<String> {
    let Some(body) = line.find(":- ").map(|place| place + 3) else { return vec![] };
    let mut shorter = Vec::new();
    if let Some(head) = line[..body].strip_suffix(" :- ") {
        shorter.push(format!("{head}."));
    }
    let starts = line[body..].char_indices().filter(|(place, _)| {
        *place == 0 || matches!(line.as_bytes()[body + place - 1], b' ' | b'(' | b'{')
    });
    for (start, _) in starts {
        let start = body + start;
        let Some(end) = part_end(line, start) else { continue };
        let (before, after) = (&line[..start], &line[end..]);
        for separator in [", ", " ; "] {
            if let Some(after) = after.strip_prefix(separator) {
                shorter.push(format!("{before}{after}"));
            }
            if let Some(before) = before.strip_suffix(separator) {
                shorter.push(format!("{before}{after}"));
            }
        }
    }
    shorter
}

/// Where the part that starts here ends: at a separator or at the end of what it stands in.
fn part_end(line: &str, start: usize) -> Option<usize> {
    let mut depth = 0;
    for (place, character) in line[start..].char_indices() {
        match character {
            '(' | '{' => depth += 1,
            ')' | '}' | ',' if depth == 0 => return Some(start + place),
            ')' | '}' => depth -= 1,
            ' ' if depth == 0 && line[start + place..].starts_with(" ; ") => {
                return Some(start + place);
            }
            '.' if depth == 0 && start + place + 1 == line.len() => return Some(start + place),
            _ => {}
        }
    }
    None
}
