//! Printing a chess-like game and parsing it back changes nothing, whatever is in it.

use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use rulesmith_logic::Span;
use rulesmith_rules::scl::{
    Area, Board, BoardKind, Capture, Castle, Comparison, Constraints, ContinueCaptures, Decider,
    Description, Direction, Draw, Dropping, Effect, Goal, Guard, Into, Inversion, Material,
    Maximal, Methods, Movement, MustCapture, Name, Names, Path, Piece, Place, Placement, Promoting,
    PromotingOn, Protect, Protected, Region, Relation, Repetition, RepetitionVerdict, Resets,
    SclGame, SclLimits, Setup, Side, Square, Symmetry, parse_scl, print_scl,
};
use rulesmith_rules::{Diagnostics, NoFiles, Severity, Sources};

/// Some of them are words of phrases, which is allowed.
const NAMES: [&str; 6] = ["king", "line", "x", "castle", "count", "draw"];
const REGIONS: [&str; 3] = ["home", "all", "leave"];
/// All squares that are placed are in the first rows, so that the sides do not meet.
const SIZE: i32 = 32;

fn name() -> impl Strategy<Value = Name> {
    select(&NAMES[..]).prop_map(named)
}

fn named(text: &str) -> Name {
    Name { text: text.to_owned(), span: Span::default() }
}

fn names(least: usize) -> impl Strategy<Value = Vec<Name>> {
    prop::collection::vec(name(), least..4)
}

fn region() -> impl Strategy<Value = Name> {
    select(&REGIONS[..]).prop_map(named)
}

fn side() -> impl Strategy<Value = Side> {
    select(&[Side::Player, Side::Opponent][..])
}

fn description() -> impl Strategy<Value = Description> {
    let names = prop_oneof![
        names(0).prop_map(|except| Names::Any { except }),
        names(1).prop_map(Names::Listed),
    ];
    (option::of(side()), names).prop_map(|(owner, names)| Description { owner, names })
}

fn comparison() -> impl Strategy<Value = Comparison> {
    let relation = select(&[Relation::Equal, Relation::AtLeast, Relation::AtMost][..]);
    (relation, 0..=SIZE).prop_map(|(relation, number)| Comparison { relation, number })
}

fn square() -> impl Strategy<Value = Square> {
    (1..=SIZE, 1..=SIZE).prop_map(|(column, row)| Square { column, row })
}

fn squares() -> impl Strategy<Value = Vec<(Square, Span)>> {
    prop::collection::vec(square().prop_map(|square| (square, Span::default())), 1..30)
}

fn range() -> impl Strategy<Value = (i32, i32)> {
    (1..=SIZE, 1..=SIZE).prop_map(|(one, other)| (one.min(other), one.max(other)))
}

/// An area that names no region.
fn plain_area() -> impl Strategy<Value = Area> {
    prop_oneof![
        squares().prop_map(Area::Squares),
        (range(), option::of(range()))
            .prop_map(|(ranks, files)| Area::Block { ranks: Some(ranks), files }),
        range().prop_map(|files| Area::Block { ranks: None, files: Some(files) }),
    ]
}

fn area() -> impl Strategy<Value = Area> {
    prop_oneof![plain_area(), region().prop_map(Area::Region)]
}

fn goal() -> impl Strategy<Value = Goal> {
    let leaf = prop_oneof![
        side().prop_map(Goal::Stalemate),
        description().prop_map(Goal::Eradicate),
        (description(), area(), any::<bool>()).prop_map(|(who, at, is_safe)| Goal::Arrive {
            who,
            at,
            is_safe
        }),
        (description(), description()).prop_map(|(fewer, more)| Goal::Fewer(fewer, more)),
        side().prop_map(Goal::Checkmate),
        (side(), 1..=1024).prop_map(|(side, number)| Goal::Checks(side, number)),
        (2..=SIZE, description(), option::of(area())).prop_map(|(length, of, on)| Goal::Line {
            length,
            of,
            on
        }),
        (description(), comparison()).prop_map(|(of, comparison)| Goal::Count(of, comparison)),
    ];
    let goal = leaf
        .prop_recursive(4, 12, 3, |inner| prop::collection::vec(inner, 1..4).prop_map(Goal::All));
    (goal, 0..3).prop_map(|(goal, when)| match when {
        0 => Goal::Answered(Box::new(goal)),
        1 => Goal::Evened(Box::new(goal)),
        _ => goal,
    })
}

/// Regions whose areas name those before them.
fn regions() -> impl Strategy<Value = Vec<Region>> {
    let areas = || prop::collection::vec((plain_area(), any::<bool>()), 1..4);
    (areas(), areas(), areas()).prop_map(|(first, second, third)| {
        let region = |(at, areas): (usize, Vec<(Area, bool)>)| {
            let before = at.checked_sub(1).map(|before| Area::Region(named(REGIONS[before])));
            let area = |(area, is_named)| before.clone().filter(|_| is_named).unwrap_or(area);
            Region { name: named(REGIONS[at]), areas: areas.into_iter().map(area).collect() }
        };
        [first, second, third].into_iter().enumerate().map(region).collect()
    })
}

/// Different squares of the left half of the first two rows.
fn setup() -> impl Strategy<Value = Setup> {
    let squares =
        (0..SIZE).map(|at| (Square { column: at % 16 + 1, row: at / 16 + 1 }, Span::default()));
    let squares: Vec<_> = squares.collect();
    let place = prop_oneof![(1_usize..6).prop_map(Ok), (1..=9).prop_map(Err)];
    let placement = (option::of(side()), name(), place);
    let all = squares.clone();
    prop_oneof![
        prop::collection::vec(placement, 1..6).prop_map(move |placements| {
            let mut free = squares.iter().copied();
            let place = |(side, name, place)| {
                let place = match place {
                    Ok(many) => Place::At(free.by_ref().take(many).collect()),
                    Err(many) => Place::InHand(many),
                };
                Placement { side, name, place }
            };
            Setup::Placements(placements.into_iter().map(place).collect())
        }),
        (decider(), names(1), 4_usize..20).prop_map(move |(decider, names, many)| {
            Setup::Assignment { decider, names, squares: all[..many].to_vec() }
        }),
    ]
}

fn decider() -> impl Strategy<Value = Decider> {
    prop_oneof![side().prop_map(Decider::Side), (0..9).prop_map(Decider::Random)]
}

fn piece_constraints() -> impl Strategy<Value = Constraints> {
    let maximal = prop_oneof![
        Just(Maximal::Count),
        name().prop_map(Maximal::Victims),
        name().prop_map(Maximal::By),
        name().prop_map(Maximal::First),
    ];
    let must = prop::collection::vec(maximal, 0..4)
        .prop_map(|maximal| MustCapture { maximal, ..MustCapture::default() });
    let goes_on =
        any::<(bool, bool)>().prop_map(|(deferred, onward)| ContinueCaptures { deferred, onward });
    (option::of(must), option::of(goes_on), any::<bool>()).prop_map(
        |(must_capture, continue_captures, no_flight)| Constraints {
            must_capture,
            continue_captures,
            no_flight,
            ..Constraints::default()
        },
    )
}

fn constraints() -> impl Strategy<Value = Constraints> {
    let which = select(&[Protected::Each, Protected::Last, Protected::Together][..]);
    let protect = (description(), which).prop_map(|(who, which)| Protect { who, which });
    let protect = prop::collection::vec(protect, 1..3);
    (piece_constraints(), protect, any::<[bool; 4]>()).prop_map(|(constraints, protect, flags)| {
        let [no_check, no_dead_end, pass, must_drop] = flags;
        let no_flight = false;
        Constraints { protect, no_check, no_dead_end, pass, must_drop, no_flight, ..constraints }
    })
}

fn draw() -> impl Strategy<Value = Draw> {
    prop_oneof![
        Just(Draw::Stalemate),
        (1..=100, resets(), prop::collection::vec((description(), comparison()), 0..3))
            .prop_map(|(turns, resets, counts)| Draw::Quiet { turns, resets, counts }),
        prop::collection::vec(
            (names(0), any::<bool>()).prop_map(|(names, is_alike)| Material { names, is_alike }),
            1..4
        )
        .prop_map(Draw::Material),
        (1..=100, armies(), armies(), option::of(area()))
            .prop_map(|(turns, stronger, weaker, on)| Draw::Ending { turns, stronger, weaker, on }),
        (1..=9).prop_map(Draw::Passes),
        (1..=100_000).prop_map(Draw::Turns),
        name().prop_map(Draw::Facing),
    ]
}

fn resets() -> impl Strategy<Value = Resets> {
    (any::<(bool, bool)>(), names(0)).prop_map(|((on_capture, on_promotion), on_turns_of)| Resets {
        on_capture,
        on_promotion,
        on_turns_of,
    })
}

fn armies() -> impl Strategy<Value = Vec<Vec<Name>>> {
    prop::collection::vec(names(0), 1..4)
}

fn repetition() -> impl Strategy<Value = Repetition> {
    use RepetitionVerdict::{Draw, LossFor, LossForChaser, LossForChecker, LossForMover};
    let of_side = [LossFor(Side::Player), LossFor(Side::Opponent)];
    let verdicts = [&[Draw, LossForChaser, LossForChecker, LossForMover][..], &of_side].concat();
    let verdict = select(verdicts);
    (2..=9, verdict).prop_map(|(times, verdict)| Repetition { times, verdict })
}

fn direction() -> impl Strategy<Value = Direction> {
    let is_somewhere = |way: &Direction| way.right != 0 || way.forward != 0;
    (-31..=31, -31..=31)
        .prop_map(|(right, forward)| Direction { right, forward })
        .prop_filter("somewhere", is_somewhere)
}

fn path() -> impl Strategy<Value = Path> {
    let comparisons = (comparison(), comparison(), comparison());
    prop_oneof![
        prop::collection::vec(direction(), 0..3).prop_map(|lame| Path::Leap { lame }),
        (range(), any::<[bool; 3]>()).prop_map(|((min, max), [has_min, has_max, longest])| {
            Path::Ride { min: has_min.then_some(min), max: has_max.then_some(max), longest }
        }),
        (comparisons, description()).prop_map(|((before, over, after), over_whom)| Path::Hop {
            before,
            over,
            after,
            over_whom,
        }),
    ]
}

fn movements() -> impl Strategy<Value = Vec<Movement>> {
    let guard = prop_oneof![
        region().prop_map(Guard::From),
        region().prop_map(Guard::To),
        region().prop_map(Guard::Within),
        Just(Guard::Unmoved),
        select(&[Guard::Unchecked, Guard::Alone, Guard::Peaceful][..]),
    ];
    let guards = prop::collection::vec(guard, 0..3);
    let flags = any::<[bool; 4]>();
    let kinds = (option::of(name()), option::of(name()));
    let movement = (path(), direction(), flags, guards, kinds).prop_map(
        |(path, direction, [forward, side, rotation, leaves_trail], guards, kinds)| Movement {
            path,
            direction,
            symmetry: Symmetry { forward, side, rotation },
            guards,
            leaves_trail,
            leaving: kinds.0,
            becoming: kinds.1,
            span: Span::default(),
        },
    );
    prop::collection::vec(movement, 1..4)
}

fn capture() -> impl Strategy<Value = Capture> {
    let effect = prop_oneof![
        Just(Effect::Remove),
        side().prop_map(Effect::Possesses),
        option::of(description()).prop_map(|sparing| Effect::Explode { sparing }),
    ];
    (any::<[bool; 4]>(), description(), effect, option::of(name()), movements()).prop_map(
        |([retrieve, clobber, hop, trail], victims, effect, becoming, movements)| Capture {
            methods: Methods { retrieve, clobber, hop, trail },
            victims,
            effect,
            becoming,
            movements,
            span: Span::default(),
        },
    )
}

fn castle() -> impl Strategy<Value = Castle> {
    let from = (option::of(square()), option::of(square()));
    (any::<bool>(), name(), square(), from).prop_map(|(is_right, partner, to, from)| {
        let (from, partner_from) = from;
        let partner_to = Square { column: to.column % SIZE + 1, ..to };
        Castle { is_right, from, partner, partner_from, to, partner_to, span: Span::default() }
    })
}

fn promoting() -> impl Strategy<Value = Promoting> {
    let on = any::<[bool; 4]>().prop_map(|[enter, within, leave, passing]| PromotingOn {
        enter,
        within,
        leave,
        passing,
    });
    let into = prop_oneof![
        name().prop_map(Into::Kind),
        (side(), description())
            .prop_map(|(decider, options)| { Into::Decision { decider, options } }),
    ];
    (option::of(on), option::of(region()), into).prop_map(|(on, area, into)| Promoting {
        on,
        area,
        into,
    })
}

fn dropping() -> impl Strategy<Value = Dropping> {
    let apart = (option::of((description(), option::of(1..=9))), option::of(description()));
    (option::of(region()), names(0), apart, any::<[bool; 3]>()).prop_map(
        |(to, kinds, (file, not_sharing_color), [is_reserved, no_check, no_checkmate])| Dropping {
            to,
            kinds,
            not_sharing_file: file.as_ref().map(|(who, _)| who.clone()),
            up_to: file.and_then(|(_, up_to)| up_to),
            reserved: is_reserved && not_sharing_color.is_some(),
            not_sharing_color,
            no_check,
            no_checkmate,
        },
    )
}

/// A piece that still needs its name.
fn piece() -> impl Strategy<Value = Piece> {
    let moving = prop_oneof![Just(vec![]), movements()];
    let capturing = prop::collection::vec(capture(), 0..3);
    let castling = prop::collection::vec(castle(), 0..3);
    let powers = (moving, capturing, castling);
    let in_hand = (option::of(name()), option::of(0..=9));
    let others = (option::of(promoting()), option::of(dropping()), in_hand);
    (powers, others, piece_constraints(), any::<bool>()).prop_map(
        |(
            (moving, capturing, castling),
            (promoting, dropping, (reverts_to, limit)),
            constraints,
            has_symbol,
        )| Piece {
            symbol: has_symbol.then(String::new),
            moving,
            capturing,
            castling,
            promoting,
            dropping,
            reverts_to,
            limit,
            constraints,
            ..Piece::inert(named(""))
        },
    )
}

/// One piece of each name; symbols of all three forms.
fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    prop::collection::vec(piece(), NAMES.len()).prop_map(|mut pieces| {
        let symbols = ["K", "+K", "K~", "A", "Z", "+Z"];
        for ((piece, name), symbol) in pieces.iter_mut().zip(NAMES).zip(symbols) {
            piece.name = named(name);
            piece.symbol = piece.symbol.as_ref().map(|_| symbol.to_owned());
        }
        pieces
    })
}

fn board() -> impl Strategy<Value = Board> {
    let kind = select(&[BoardKind::Planar, BoardKind::VerticalCylinder][..]);
    kind.prop_map(|kind| Board { width: SIZE, height: SIZE, kind, holes: vec![], numbering: None })
}

fn game() -> impl Strategy<Value = SclGame> {
    let inversion = select(&[Inversion::Diagonal, Inversion::Forward, Inversion::Side][..]);
    let goals = prop::collection::vec(goal(), 0..4);
    let draws = prop::collection::vec(draw(), 0..4);
    let repetitions = prop::collection::vec(repetition(), 0..3);
    let header = (name(), goals, board(), option::of(inversion), 1..=SIZE);
    let middle = (regions(), setup(), constraints(), draws, repetitions);
    (header, middle, pieces()).prop_map(|(header, middle, pieces)| {
        let (name, goals, board, inversion, promote_rank) = header;
        let (regions, setup, constraints, mut draws, repetitions) = middle;
        // Promotions in captures that go on are told by these captures alone.
        for draw in &mut draws {
            if let Draw::Quiet { resets, .. } = draw {
                resets.on_capture |= resets.on_promotion && pieces.iter().any(promotes_in_chains);
            }
        }
        SclGame {
            name,
            goals,
            board,
            inversion,
            promote_rank,
            regions,
            setup,
            constraints,
            draws,
            repetitions,
            pieces,
        }
    })
}

fn promotes_in_chains(piece: &Piece) -> bool {
    piece.promoting.is_some() && piece.constraints.continue_captures.is_some()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_game_prints_and_parses_back(game in game()) {
        let text = print_scl(&game);
        let (mut sources, mut problems) = (Sources::default(), Diagnostics::default());
        let file = sources.add("printed.scl", text.clone());
        let limits = SclLimits::default();
        let again = parse_scl(&mut sources, file, &NoFiles, &limits, &mut problems);
        let errors: Vec<_> =
            problems.list.iter().filter(|problem| problem.severity == Severity::Error).collect();
        prop_assert_eq!(errors, Vec::<&rulesmith_rules::Diagnostic>::new(), "{}", text);
        let again = again.expect("no errors").without_places();
        prop_assert_eq!(&again, &game, "{}", text);
        prop_assert_eq!(print_scl(&again), text);
    }
}
