//! Pieces as text: `DEFINE .. END DEFINE`.
//!
//! In: a piece. Out: its canonical text.

use super::ast::{
    Capture, Castle, Direction, Dropping, Effect, Guard, Into, Methods, Movement, Path, Piece,
    Promoting, PromotingOn, Symmetry,
};
use super::print::{
    comparison_text, constraints_text, description_text, names_text, side_text, square_text,
};

/// The definition of a piece.
pub(super) fn piece_text(piece: &Piece) -> String {
    let symbol = piece.symbol.as_ref().map(|symbol| format!(" SYMBOL \"{symbol}\""));
    let mut lines = vec![format!("DEFINE {}{}", piece.name.text, symbol.unwrap_or_default())];
    if !piece.moving.is_empty() {
        lines.push("  MOVING".to_owned());
        lines.extend(piece.moving.iter().map(|movement| movement_text(movement, "    ")));
        lines.push("  END MOVING".to_owned());
    }
    if !piece.capturing.is_empty() {
        lines.push("  CAPTURING".to_owned());
        piece.capturing.iter().for_each(|capture| lines.extend(capture_lines(capture)));
        lines.push("  END CAPTURING".to_owned());
    }
    if !piece.castling.is_empty() {
        lines.push("  CASTLING".to_owned());
        lines.extend(piece.castling.iter().map(castle_text));
        lines.push("  END CASTLING".to_owned());
    }
    lines.extend(piece.promoting.as_ref().map(promoting_text));
    lines.extend(piece.dropping.as_ref().map(dropping_text));
    lines.extend(piece.reverts_to.as_ref().map(|name| format!("  REVERTS_TO {}", name.text)));
    lines.extend(piece.limit.map(|limit| format!("  LIMIT {limit}")));
    lines.extend(constraints_text(&piece.constraints).map(|text| format!("  {text}")));
    lines.push("END DEFINE".to_owned());
    lines.join("\n")
}

fn capture_lines(capture: &Capture) -> Vec<String> {
    let effect = match &capture.effect {
        Effect::Remove => "remove".to_owned(),
        Effect::Possesses(side) => format!("{} possesses", side_text(*side)),
        Effect::Explode { sparing: None } => "explode".to_owned(),
        Effect::Explode { sparing: Some(who) } => {
            format!("explode SPARING {}", description_text(who))
        }
    };
    let (methods, victims) = (methods_text(capture.methods), description_text(&capture.victims));
    let becoming = capture.becoming.as_ref().map(|name| format!(" BECOMING {}", name.text));
    let becoming = becoming.unwrap_or_default();
    let mut lines =
        vec![format!("    CAPTURE BY {methods} TYPE {victims} EFFECT {effect}{becoming}")];
    let movements = capture.movements.iter();
    lines.extend(movements.map(|movement| movement_text(movement, "      ")));
    lines.push("    END CAPTURE".to_owned());
    lines
}

fn methods_text(methods: Methods) -> String {
    let Methods { retrieve, clobber, hop, trail } = methods;
    set_text(&[(retrieve, "retrieve"), (clobber, "clobber"), (hop, "hop"), (trail, "trail")])
}

/// Those words that are there, in braces.
fn set_text(words: &[(bool, &str)]) -> String {
    let there: Vec<&str> = words.iter().filter(|word| word.0).map(|word| word.1).collect();
    format!("{{{}}}", there.join(" "))
}

/// A movement on one line; hops have a second one.
fn movement_text(movement: &Movement, indent: &str) -> String {
    let mut words = vec!["MOVEMENT".to_owned(), path_text(&movement.path, indent)];
    if movement.path != Path::Stay {
        words.push(direction_text(movement.direction));
        words.push(format!("SYMMETRY {}", symmetry_text(movement.symmetry)));
    }
    words.extend(movement.guards.iter().map(|guard| match guard {
        Guard::From(name) => format!("FROM {}", name.text),
        Guard::To(name) => format!("TO {}", name.text),
        Guard::Within(name) => format!("WITHIN {}", name.text),
        Guard::Unmoved => "UNMOVED".to_owned(),
        Guard::Unchecked => "UNCHECKED".to_owned(),
        Guard::Alone => "ALONE".to_owned(),
        Guard::Peaceful => "PEACEFUL".to_owned(),
    }));
    words.extend(movement.leaves_trail.then(|| "TRAIL".to_owned()));
    words.extend(movement.leaving.as_ref().map(|name| format!("LEAVING {}", name.text)));
    words.extend(movement.becoming.as_ref().map(|name| format!("BECOMING {}", name.text)));
    words.push("END MOVEMENT".to_owned());
    format!("{indent}{}", words.join(" "))
}

fn path_text(path: &Path, indent: &str) -> String {
    match path {
        Path::Stay => "STAY".to_owned(),
        Path::Leap { lame } if lame.is_empty() => "LEAP".to_owned(),
        Path::Leap { lame } => {
            let lame: Vec<String> = lame.iter().map(|way| direction_text(*way)).collect();
            format!("LEAP LAME {}", lame.join(" "))
        }
        Path::Ride { min, max, longest } => {
            let min = min.map(|min| format!(" MIN {min}")).unwrap_or_default();
            let max = max.map(|max| format!(" MAX {max}")).unwrap_or_default();
            format!("RIDE{min}{max}{}", if *longest { " LONGEST" } else { "" })
        }
        Path::Hop { before, over, after, over_whom } => format!(
            "HOP BEFORE {} OVER {} AFTER {}\n{indent}         HOP_OVER {}",
            comparison_text(*before),
            comparison_text(*over),
            comparison_text(*after),
            description_text(over_whom),
        ),
    }
}

fn direction_text(direction: Direction) -> String {
    format!("<{},{}>", direction.right, direction.forward)
}

fn symmetry_text(symmetry: Symmetry) -> String {
    let Symmetry { forward, side, rotation } = symmetry;
    if forward && side && rotation {
        return "all_symmetry".to_owned();
    }
    set_text(&[(forward, "forward"), (side, "side"), (rotation, "rotation")])
}

fn castle_text(castle: &Castle) -> String {
    let from = castle.from.map(|square| format!(" FROM {}", square_text(square)));
    let at = castle.partner_from.map(|square| format!(" AT {}", square_text(square)));
    format!(
        "    CASTLE {}{} WITH {}{} TO {} PARTNER TO {}",
        if castle.is_right { "RIGHT" } else { "LEFT" },
        from.unwrap_or_default(),
        castle.partner.text,
        at.unwrap_or_default(),
        square_text(castle.to),
        square_text(castle.partner_to),
    )
}

fn promoting_text(promoting: &Promoting) -> String {
    let mut words = vec!["  PROMOTING".to_owned()];
    words.extend(promoting.on.map(|on| {
        let PromotingOn { enter, within, leave, passing } = on;
        let words = [(enter, "enter"), (within, "within"), (leave, "leave"), (passing, "passing")];
        format!("ON {}", set_text(&words))
    }));
    words.extend(promoting.area.as_ref().map(|name| format!("IN {}", name.text)));
    words.push(match &promoting.into {
        Into::Kind(name) => format!("PROMOTE_TO {}", name.text),
        Into::Decision { decider, options } => {
            format!("DECISION {} OPTIONS {}", side_text(*decider), description_text(options))
        }
    });
    words.push("END PROMOTING".to_owned());
    words.join(" ")
}

fn dropping_text(dropping: &Dropping) -> String {
    let mut words = vec!["  DROPPING".to_owned()];
    words.extend(dropping.to.as_ref().map(|name| format!("TO {}", name.text)));
    words.extend(
        (!dropping.kinds.is_empty()).then(|| format!("AS {}", names_text(&dropping.kinds))),
    );
    words.extend(
        dropping
            .not_sharing_file
            .as_ref()
            .map(|who| format!("NOT_SHARING_FILE {}", description_text(who))),
    );
    words.extend(dropping.up_to.map(|number| format!("UP_TO {number}")));
    let color = dropping.not_sharing_color.as_ref();
    words.extend(color.map(|who| format!("NOT_SHARING_COLOR {}", description_text(who))));
    words.extend(dropping.reserved.then(|| "RESERVED".to_owned()));
    words.extend(dropping.no_check.then(|| "NO_CHECK".to_owned()));
    words.extend(dropping.no_checkmate.then(|| "NO_CHECKMATE".to_owned()));
    words.push("END DROPPING".to_owned());
    words.join(" ")
}
