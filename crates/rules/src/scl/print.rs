//! A game as text again.
//!
//! In: a game. Out: its canonical text: sections and sets in the order of the 1992 grammar, ours where the
//! grammar's notes put them. Invariant: parsing the text gives the same game, places apart.

use rulesmith_logic::Span;

use super::ast::{
    Area, BoardKind, Comparison, Constraints, Decider, Description, Draw, Goal, Inversion,
    Material, Maximal, Name, Names, Place, Placement, Protect, Protected, Relation, Repetition,
    RepetitionVerdict, SclGame, Setup, Side, Square,
};
use super::print_piece::piece_text;

/// The canonical text of a game.
pub fn print_scl(game: &SclGame) -> String {
    let mut lines = vec![format!("GAME {}", game.name.text)];
    let goals: Vec<String> = game.goals.iter().map(goal_text).collect();
    lines.push(format!("GOALS {}", goals.join("\n      ")).trim_end().to_owned());
    lines.push(format!("BOARD_SIZE {} BY {}", game.board.width, game.board.height));
    lines.push(format!("BOARD_TYPE {}", kind_text(game.board.kind)));
    if !game.board.holes.is_empty() {
        let holes: Vec<(Square, Span)> =
            game.board.holes.iter().map(|hole| (*hole, Span::default())).collect();
        lines.push(format!("BOARD_HOLES {}", squares_text(&holes, "             ")));
    }
    lines.extend(game.board.numbering.map(|numbering| {
        let Square { column, row } = numbering.first;
        let black_first = if numbering.is_black_first { " black_first" } else { "" };
        let algebraic = if numbering.is_algebraic { " algebraic" } else { "" };
        format!("BOARD_NUMBERS ({column},{row}){black_first}{algebraic}")
    }));
    lines
        .extend(game.inversion.map(|inversion| format!("INVERSION {}", inversion_text(inversion))));
    lines.push(format!("PROMOTE_RANK {}", game.promote_rank));
    for region in &game.regions {
        let areas: Vec<String> = region.areas.iter().map(area_text).collect();
        lines.push(format!("REGION {} {}", region.name.text, areas.join(" + ")));
    }
    lines.push(format!("SETUP {}", setup_text(&game.setup)));
    lines.extend(constraints_text(&game.constraints));
    lines.extend(game.draws.iter().map(|draw| format!("DRAWS {}", draw_text(draw))));
    lines.extend(game.repetitions.iter().map(repetition_text));
    lines.extend(game.pieces.iter().map(piece_text));
    lines.push("END GAME.\n".to_owned());
    lines.join("\n")
}

fn kind_text(kind: BoardKind) -> &'static str {
    match kind {
        BoardKind::Planar => "planar",
        BoardKind::VerticalCylinder => "vertical_cylinder",
    }
}

fn inversion_text(inversion: Inversion) -> &'static str {
    match inversion {
        Inversion::Diagonal => "diagonal",
        Inversion::Forward => "forward",
        Inversion::Side => "side",
    }
}

fn goal_text(goal: &Goal) -> String {
    match goal {
        Goal::Stalemate(side) => format!("stalemate {}", side_text(*side)),
        Goal::Eradicate(who) => format!("eradicate {}", description_text(who)),
        Goal::Arrive { who, at, is_safe } => {
            let safe = if *is_safe { " SAFE" } else { "" };
            format!("arrive {} AT {}{safe}", description_text(who), area_text(at))
        }
        Goal::Checkmate(side) => format!("checkmate {}", side_text(*side)),
        Goal::Checks(side, number) => format!("checks {} {number}", side_text(*side)),
        Goal::Line { length, of, on } => {
            let on = on.as_ref().map(|area| format!(" ON {}", area_text(area)));
            format!("line {length} {}{}", description_text(of), on.unwrap_or_default())
        }
        Goal::Count(of, comparison) => count_text(of, *comparison),
        Goal::Fewer(fewer, more) => {
            format!("fewer {} THAN {}", description_text(fewer), description_text(more))
        }
        Goal::Answered(goal) => format!("{} ANSWERED", goal_text(goal)),
        Goal::Evened(goal) => format!("{} EVENED", goal_text(goal)),
        Goal::All(goals) => {
            let goals: Vec<String> = goals.iter().map(goal_text).collect();
            format!("all {{{}}}", goals.join(" "))
        }
    }
}

fn count_text(of: &Description, comparison: Comparison) -> String {
    format!("count {} {}", description_text(of), comparison_text(comparison))
}

/// `player` or `opponent`.
pub(super) fn side_text(side: Side) -> &'static str {
    match side {
        Side::Player => "player",
        Side::Opponent => "opponent",
    }
}

/// `[{player} {king queen}]`.
pub(super) fn description_text(description: &Description) -> String {
    let owner = description.owner.map(|side| format!("{{{}}}", side_text(side)));
    let owner = owner.as_deref().unwrap_or("any_player");
    match &description.names {
        Names::Any { except } if except.is_empty() => format!("[{owner} any_piece]"),
        Names::Any { except } => format!("[{owner} any_piece EXCEPT {}]", names_text(except)),
        Names::Listed(names) => format!("[{owner} {}]", names_text(names)),
    }
}

/// `{king queen}`.
pub(super) fn names_text(names: &[Name]) -> String {
    let names: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
    format!("{{{}}}", names.join(" "))
}

/// `[X = 1]`.
pub(super) fn comparison_text(comparison: Comparison) -> String {
    let sign = match comparison.relation {
        Relation::Equal => "=",
        Relation::AtLeast => ">=",
        Relation::AtMost => "<=",
    };
    format!("[X {sign} {}]", comparison.number)
}

fn area_text(area: &Area) -> String {
    match area {
        Area::Squares(squares) => squares_text(squares, "      "),
        Area::Region(name) => name.text.clone(),
        Area::Block { ranks, files } => {
            let ranks = ranks.map(|(first, last)| format!("RANKS {first} .. {last}"));
            let files = files.map(|(first, last)| format!("FILES {first} .. {last}"));
            ranks.into_iter().chain(files).collect::<Vec<String>>().join(" ")
        }
    }
}

/// `(5,1)`.
pub(super) fn square_text(square: Square) -> String {
    format!("({},{})", square.column, square.row)
}

/// Squares in braces, so many to a line.
fn squares_text(squares: &[(Square, Span)], indent: &str) -> String {
    const PER_LINE: usize = 12;
    let lines: Vec<String> = squares
        .chunks(PER_LINE)
        .map(|line| {
            line.iter().map(|(square, _)| square_text(*square)).collect::<Vec<_>>().join(" ")
        })
        .collect();
    format!("{{{}}}", lines.join(&format!("\n{indent}")))
}

fn setup_text(setup: &Setup) -> String {
    match setup {
        Setup::Placements(placements) => {
            let lines: Vec<String> = placements.iter().map(placement_text).collect();
            lines.join("\n      ")
        }
        Setup::Assignment { decider, names, squares } => format!(
            "DECISION {} ASSIGNS {}\n      TO {} END DECISION",
            decider_text(*decider),
            names_text(names),
            squares_text(squares, "          "),
        ),
    }
}

fn decider_text(decider: Decider) -> String {
    match decider {
        Decider::Side(side) => side_text(side).to_owned(),
        Decider::Random(0) => "random".to_owned(),
        Decider::Random(number) => format!("random {number}"),
    }
}

fn placement_text(placement: &Placement) -> String {
    let side = placement.side.map(|side| format!("{} ", side_text(side))).unwrap_or_default();
    let name = &placement.name.text;
    match &placement.place {
        Place::At(squares) => format!("{side}{name} AT {}", squares_text(squares, "        ")),
        Place::InHand(number) => format!("{side}{name} IN_HAND {number}"),
    }
}

/// `CONSTRAINTS ..`, if there are any.
pub(super) fn constraints_text(constraints: &Constraints) -> Option<String> {
    let mut words = vec![];
    if let Some(must) = &constraints.must_capture {
        words.push("must_capture".to_owned());
        match must.maximal[..] {
            [] => {}
            [Maximal::Count] => words.push("maximal".to_owned()),
            _ => {
                let maximal: Vec<String> = must.maximal.iter().map(maximal_text).collect();
                words.push(format!("maximal {{{}}}", maximal.join(" ")));
            }
        }
    }
    if let Some(goes_on) = constraints.continue_captures {
        words.push("continue_captures".to_owned());
        words.extend(goes_on.deferred.then(|| "deferred".to_owned()));
        words.extend(goes_on.onward.then(|| "onward".to_owned()));
    }
    words.extend(constraints.protect.iter().map(protect_text));
    words.extend(constraints.no_check.then(|| "no_check".to_owned()));
    words.extend(constraints.no_dead_end.then(|| "no_dead_end".to_owned()));
    words.extend(constraints.pass.then(|| "pass".to_owned()));
    words.extend(constraints.must_drop.then(|| "must_drop".to_owned()));
    words.extend(constraints.no_flight.then(|| "no_flight".to_owned()));
    (!words.is_empty()).then(|| format!("CONSTRAINTS {}", words.join(" ")))
}

fn protect_text(protect: &Protect) -> String {
    let which = match protect.which {
        Protected::Each => "",
        Protected::Last => " last",
        Protected::Together => " together",
    };
    format!("protect {}{which}", description_text(&protect.who))
}

fn maximal_text(maximal: &Maximal) -> String {
    match maximal {
        Maximal::Count => "count".to_owned(),
        Maximal::Victims(name) => format!("victims {}", name.text),
        Maximal::By(name) => format!("by {}", name.text),
        Maximal::First(name) => format!("first {}", name.text),
    }
}

fn draw_text(draw: &Draw) -> String {
    match draw {
        Draw::Stalemate => "stalemate".to_owned(),
        Draw::Quiet { turns, resets, counts } => {
            let names = resets.on_turns_of.iter().map(|name| name.text.as_str());
            let capture = resets.on_capture.then_some("capture");
            let promotion = resets.on_promotion.then_some("promotion");
            let words: Vec<&str> = capture.into_iter().chain(promotion).chain(names).collect();
            format!("quiet {turns} RESET {{{}}}{}", words.join(" "), counts_text(counts))
        }
        Draw::Material(lists) => {
            let lists: Vec<String> = lists.iter().map(material_text).collect();
            format!("material {{{}}}", lists.join(" "))
        }
        Draw::Ending { turns, stronger, weaker, on } => {
            let (stronger, weaker) = (armies_text(stronger), armies_text(weaker));
            let on = on.as_ref().map(|area| format!(" ON {}", area_text(area)));
            format!("ending {turns} {stronger} AGAINST {weaker}{}", on.unwrap_or_default())
        }
        Draw::Passes(number) => format!("passes {number}"),
        Draw::Turns(turns) => format!("turns {turns}"),
        Draw::Facing(name) => format!("facing {}", name.text),
    }
}

/// ` WITH {count [{player} {king}] [X >= 1]}`; nothing without counts.
fn counts_text(counts: &[(Description, Comparison)]) -> String {
    if counts.is_empty() {
        return String::new();
    }
    let counts: Vec<String> =
        counts.iter().map(|(of, comparison)| count_text(of, *comparison)).collect();
    format!(" WITH {{{}}}", counts.join(" "))
}

fn armies_text(armies: &[Vec<Name>]) -> String {
    let army = |names: &Vec<Name>| {
        let names: Vec<&str> = names.iter().map(|name| name.text.as_str()).collect();
        format!("{{{}}}", names.join(" "))
    };
    format!("{{{}}}", armies.iter().map(army).collect::<Vec<_>>().join(" "))
}

fn material_text(material: &Material) -> String {
    let names = material.names.iter().map(|name| name.text.as_str());
    let words: Vec<&str> = names.chain(material.is_alike.then_some("ALIKE")).collect();
    format!("{{{}}}", words.join(" "))
}

fn repetition_text(repetition: &Repetition) -> String {
    let verdict = match repetition.verdict {
        RepetitionVerdict::Draw => "draw",
        RepetitionVerdict::LossForChecker => "loss_for checker",
        RepetitionVerdict::LossForChaser => "loss_for chaser",
        RepetitionVerdict::LossForMover => "loss_for mover",
        RepetitionVerdict::LossFor(Side::Player) => "loss_for player",
        RepetitionVerdict::LossFor(Side::Opponent) => "loss_for opponent",
    };
    format!("REPETITION {} {verdict}", repetition.times)
}
