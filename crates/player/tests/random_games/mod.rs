//! Random games as rules text: effects of every kind, conditions after moves, objects.
//!
//! In: a seed. Out: a text. Invariant: the same seed gives the same text; most texts are accepted.

use crate::random_theories::{
    Bodies, Kind, Random, Relation, Sort, Vocabulary, add_derived, add_fluent, add_sorts,
    add_statics, all_rows, applied, random_args,
};

/// A game over random fluents whose turns may be long, of which some are better than others, and which may
/// be drawn when nothing happens.
#[allow(dead_code, reason = "each test that includes this module uses a part of it")]
pub(crate) fn random_long_game(random: &mut Random) -> String {
    let (mut text, words) = random_words(random);
    if random.chance(50) {
        text.push_str("turns by result.\n");
    }
    if random.chance(50) {
        let by =
            *random.pick(&["hops", "3 - hops", "hops mod 2", "max(hops, 1)", "hops * 2 div 3"]);
        text.extend([format!("prefer max({by}).\n")]);
    }
    let mut bodies = Bodies::new(random, &words);
    bodies.sees_moves = true;
    let body = bodies.conditions(2);
    text.extend([format!("derived event.\nevent :- {body}.\ndraw :- since(event, 3).\n")]);
    text
}

/// A game over random fluents.
pub(crate) fn random_game(random: &mut Random) -> String {
    random_words(random).0
}

fn random_words(random: &mut Random) -> (String, Vocabulary) {
    let mut words = Vocabulary::default();
    let mut text = String::from("rules 1. game random. role a, b.\n");
    words.sorts.push(Sort::names("role", &["a", "b"]));
    add_sorts(random, &mut words, &mut text);
    add_statics(random, &mut words, &mut text);
    add_turn(&mut words, &mut text);
    let first_fluent = words.relations.len();
    for number in 0..2 + random.below(2) {
        let before = if random.chance(35) { "transient " } else { "" };
        add_fluent(random, &mut words, &mut text, &format!("f{number}"), before);
    }
    let fluents = first_fluent..words.relations.len();
    add_derived(random, &mut words, &mut text);
    for number in 0..=random.below(3) {
        let args = random_args(random, &words, 0, 2);
        let name = format!("m{number}");
        let sorts: Vec<String> = args.iter().map(|sort| words.sorts[*sort].name.clone()).collect();
        text.extend([format!("move {}.\n", applied(&name, &sorts))]);
        words.moves.push((name, args));
    }
    add_step_predicates(random, &mut words, &mut text);
    for fluent in fluents {
        add_effects(random, &words, &mut text, fluent);
    }
    add_continue(random, &words, &mut text);
    add_judgments(random, &mut words, &mut text);
    (text, words)
}

fn add_turn(words: &mut Vocabulary, text: &mut String) {
    text.push_str("fluent turn : role = a.\nfluent hops : 0..3 = 0.\n");
    let kind = Kind::Fluent { value: Some(0), is_partial: false };
    words.relations.push(Relation::new("turn".to_owned(), vec![], kind));
}

/// Predicates that ask which move is being made.
fn add_step_predicates(random: &mut Random, words: &mut Vocabulary, text: &mut String) {
    for number in 0..random.below(3) {
        let args = random_args(random, words, 0, 2);
        let relation = Relation::new(format!("st{number}"), args, Kind::Step);
        let declared = relation.declared(words);
        text.extend([format!("derived {declared}.\n")]);
        let rank = words.relations.len();
        words.relations.push(relation);
        for _ in 0..=random.below(2) {
            let n_conditions = 1 + random.below(3);
            let mut bodies = Bodies::new(random, words);
            bodies.sees_moves = true;
            text.push_str(&bodies.clause(rank, true, n_conditions));
        }
    }
}

/// Effects on one fluent. A value that does not depend on the body cannot contradict another.
fn add_effects(random: &mut Random, words: &Vocabulary, text: &mut String, fluent: usize) {
    let relation = &words.relations[fluent];
    let Kind::Fluent { value, is_partial } = relation.kind else { return };
    let constant = match value {
        None => (*random.pick(&["true", "true", "false"])).to_owned(),
        Some(_) if is_partial && random.chance(50) => "undefined".to_owned(),
        Some(sort) => random.pick(&words.sorts[sort].values).clone(),
    };
    let is_constant = random.chance(75);
    for (name, params) in words.moves.iter().chain([&("any".to_owned(), vec![])]) {
        let n_effects = if is_constant { random.below(3) } else { random.below(2) };
        for _ in 0..n_effects {
            let is_deferred = random.chance(35);
            let mut bodies = Bodies::new(random, words);
            bodies.sees_moves = true;
            let role = if name == "any" { None } else { Some(bodies.fresh(0)) };
            let args: Vec<String> = params.iter().map(|sort| bodies.fresh(*sort)).collect();
            let own = match value {
                Some(sort) if !is_constant => bodies.term(sort, false),
                _ => constant.clone(),
            };
            let n_conditions = bodies.up_to_two();
            let body = bodies.conditions(n_conditions);
            let keys: Vec<String> =
                relation.args.iter().map(|sort| bodies.term(*sort, false)).collect();
            let doer = role.map_or(String::new(), |role| format!("{role} does "));
            let deferred = if is_deferred { "deferred " } else { "" };
            let target = applied(&relation.name, &keys);
            let condition = if body.is_empty() { String::new() } else { format!(" :- {body}") };
            let made = applied(name, &args);
            text.extend([format!(
                "{deferred}effect {doer}{made} : {target} := {own}{condition}.\n"
            )]);
        }
    }
}

/// Whose turn it is, and whether a turn goes on.
fn add_continue(random: &mut Random, words: &Vocabulary, text: &mut String) {
    let is_long = random.chance(40);
    if is_long {
        let mut bodies = Bodies::new(random, words);
        bodies.sees_moves = true;
        let n_conditions = 1 + bodies.up_to_two();
        let body = bodies.conditions(n_conditions);
        text.extend([format!("continue :- hops < 2, {body}.\n")]);
        text.push_str("effect any : hops := hops + 1.\ndeferred effect any : hops := 0.\n");
    }
    let deferred = if is_long || random.chance(30) { "deferred " } else { "" };
    text.extend([format!("{deferred}effect any : turn := Q :- turn = P, opponent(P, Q).\n")]);
}

/// What asks about the state after a move.
fn add_judgments(random: &mut Random, words: &mut Vocabulary, text: &mut String) {
    for number in 0..random.below(3) {
        let args = random_args(random, words, 0, 2);
        let kind = Kind::Derived { first: words.relations.len(), is_declared: true };
        let relation = Relation::new(format!("e{number}"), args, kind);
        text.extend([format!("derived {}.\n", relation.declared(words))]);
        let rank = words.relations.len();
        words.relations.push(relation);
        for _ in 0..=random.below(2) {
            let n_conditions = 1 + random.below(3);
            let mut bodies = Bodies::new(random, words).below(rank);
            bodies.afters = 2;
            text.push_str(&bodies.clause(rank, true, n_conditions));
        }
        words.n_settled = words.relations.len();
    }
    let is_alternating = random.chance(80);
    for (name, params) in &words.moves {
        if random.chance(40) {
            let args: Vec<String> = (0..params.len()).map(|place| format!("A{place}")).collect();
            let made = applied(name, &args);
            text.extend([format!("legal P does {made} :- turn = P.\n")]);
        }
        for _ in 0..=random.below(2) {
            let mut bodies = Bodies::new(random, words);
            bodies.afters = 2;
            let role = bodies.fresh(0);
            let args: Vec<String> = params.iter().map(|sort| bodies.fresh(*sort)).collect();
            let mut body = vec![format!("role({role})")];
            if is_alternating {
                body = vec![format!("turn = {role}")];
            }
            if bodies.up_to_two() > 0 {
                let n_conditions = 1 + bodies.up_to_two();
                body.push(bodies.conditions(n_conditions));
            }
            if bodies.up_to_two() > 0 {
                body.push(bodies.after_move(&role, &applied(name, &args)));
            }
            let body = body.join(", ");
            text.extend([format!("legal {role} does {} :- {body}.\n", applied(name, &args))]);
        }
    }
    let mut bodies = Bodies::new(random, words);
    bodies.afters = 1;
    let n_conditions = 1 + bodies.up_to_two();
    let body = bodies.conditions(n_conditions);
    text.extend([format!("terminal :- {body}.\n")]);
    let body = Bodies::new(random, words).frozen().conditions(1);
    match random.below(3) {
        0 => text.extend([format!("draw :- cycle(a, {body}, over [turn]).\n")]),
        1 => text.extend([format!("draw :- not cycle(b, not ({body}), over [turn, f0]).\n")]),
        _ => text.push_str("draw :- repeated(2).\n"),
    }
    text.push_str("goal(P, 50) :- role(P).\n");
}

/// A game with stones, strings and captures on a tiny board with random links.
pub(crate) fn random_object_game(random: &mut Random) -> String {
    let mut words = Vocabulary::default();
    let mut text = String::from("rules 1. game stones. role a, b.\n");
    words.sorts.push(Sort::names("role", &["a", "b"]));
    words.sorts.push(Sort::range("p", 1, 6));
    words.sorts.push(Sort::names("content", &["empty", "a", "b"]));
    text.push_str("sort p = 1..6.\nsort content = {empty} + role.\n");
    let (role, point, content) = (0, 1, 2);
    add_links(random, &mut text);
    text.push_str("fluent at(p) : content = empty.\nfluent turn : role = a.\nfluent cut(p).\n");
    for row in all_rows(&words, &[point]) {
        if random.chance(55) {
            let value = random.pick(&["a", "b"]);
            text.extend([format!("init {} = {value}.\n", applied("at", &row))]);
        }
    }
    let relation =
        |name: &str, args: Vec<usize>, kind: Kind| Relation::new(name.to_owned(), args, kind);
    words.relations.push(relation("link", vec![point, point], Kind::Static));
    let at = Kind::Fluent { value: Some(content), is_partial: false };
    words.relations.push(relation("at", vec![point], at));
    let link = if random.chance(15) { "uncut" } else { "link" };
    text.push_str("uncut(X, Y) :- link(X, Y), not cut(X), not cut(Y).\n");
    text.extend([format!(
        "object string = component(X : at(X) = C, C \\= empty ; link {link} ; same C).\n"
    )]);
    text.extend([format!("object region = component(X : at(X) = empty ; link {link}).\n")]);
    for name in ["string_element", "string_border", "region_element", "region_border"] {
        words.relations.push(relation(name, vec![point, point], Kind::Object));
    }
    words.relations.push(relation("string_shared", vec![point, role], Kind::Object));
    text.push_str("liberty(S, X) :- string_border(S, X), at(X) = empty.\n");
    words.relations.push(relation("liberty", vec![point, point], Kind::Object));
    text.push_str(
        "derived near(p, p).\nnear(X, Y) :- string_border(S, Y), string_element(S, X).\n",
    );
    words.relations.push(relation("near", vec![point, point], Kind::Object));
    add_stone_moves(random, &mut words, &mut text);
    text.push_str("effect any : turn := Q :- turn = P, opponent(P, Q).\n");
    text.push_str("terminal :- not at(_) = empty.\ngoal(P, 50) :- role(P).\n");
    text
}

/// Links between points; sometimes they lead off the board.
fn add_links(random: &mut Random, text: &mut String) {
    let n_points = if random.chance(20) { 8 } else { 6 };
    text.extend([format!("sort q = 1..{n_points}.\nstatic link(q, q).\n")]);
    for _ in 0..5 + random.below(6) {
        let (from, to) = (1 + random.below(n_points), 1 + random.below(n_points));
        text.extend([format!("link({from}, {to}).\n")]);
    }
}

/// Kinds of moves with what they do to the stones, and when they are legal.
fn add_stone_moves(random: &mut Random, words: &mut Vocabulary, text: &mut String) {
    let point = 1;
    let kinds: [(&str, usize, &[&str]); 4] = [
        ("play", 1, PLAY_EFFECTS),
        ("take", 1, TAKE_EFFECTS),
        ("pair", 2, PAIR_EFFECTS),
        ("cut", 1, &["effect cut(X) : cut(X) := true."]),
    ];
    for (name, n_params, _) in &kinds {
        let sorts = vec!["p".to_owned(); *n_params];
        text.extend([format!("move {}.\n", applied(name, &sorts))]);
        words.moves.push(((*name).to_owned(), vec![point; *n_params]));
    }
    for (name, n_params, effects) in &kinds {
        text.push_str(effects[0]);
        text.push('\n');
        for effect in &effects[1..] {
            if random.chance(25) {
                text.push_str(effect);
                text.push('\n');
            }
        }
        for _ in 0..=random.below(2) {
            add_stone_legal(random, words, text, (name, *n_params));
        }
    }
}

const PLAY_EFFECTS: &[&str] = &[
    "effect P does play(X) : at(X) := P.",
    "effect P does play(X) : at(Y) := empty :- string_border(S, X), string_shared(S, Q), opponent(P, Q), none { Z : liberty(S, Z), Z \\= X }, string_element(S, Y).",
    "effect P does play(X) : at(Y) := empty :- string_border(S, X), string_element(S, Y), string_shared(S, Q), opponent(P, Q).",
    "effect P does play(X) : at(Y) := empty :- near(Y, X), not at(Y) = P.",
    "effect P does play(X) : at(Y) := empty :- link(X, Y), opponent(P, Q), at(Y) = Q.",
    "effect P does play(X) : at(Y) := P :- link(X, Y), opponent(P, Q), at(Y) = Q.",
    "effect P does play(X) : at(Y) := empty :- string_border(S, X), string_shared(S, P), string_element(S, Y).",
];

const TAKE_EFFECTS: &[&str] = &[
    "effect take(X) : at(X) := empty :- string_element(S, X), string_shared(S, _).",
    "effect take(X) : at(Y) := empty :- string_element(S, X), string_element(S, Y).",
    "effect take(X) : at(Y) := empty :- region_element(S, X), region_border(S, Y).",
];

const PAIR_EFFECTS: &[&str] = &[
    "effect P does pair(X, Y) : at(X) := P, at(Y) := P.",
    "effect P does pair(X, Y) : at(Z) := empty :- string_element(X, Z), opponent(P, Q), string_shared(X, Q), Z \\= X, Z \\= Y.",
];

/// Who may make a move: something now, and something about objects after it.
fn add_stone_legal(
    random: &mut Random,
    words: &Vocabulary,
    text: &mut String,
    (name, n_params): (&str, usize),
) {
    let params: Vec<String> = ["X", "Y"][..n_params].iter().map(|&var| var.to_owned()).collect();
    let move_text = applied(name, &params);
    let mut body = vec!["turn = P".to_owned()];
    for param in &params {
        let value = *random.pick(&["= empty", "= empty", "= empty", "\\= empty", "= P", "= _"]);
        body.push(format!("at({param}) {value}"));
    }
    if n_params == 2 && random.chance(70) {
        body.push("X \\= Y".to_owned());
    }
    let mut after = Vec::new();
    for _ in 0..=random.below(2) {
        after.push((*random.pick(AFTER_STONES)).to_owned());
    }
    if random.chance(30) {
        let mut bodies = Bodies::new(random, words);
        bodies.scope.push(("P".to_owned(), 0));
        bodies.scope.extend(params.iter().map(|param| (param.clone(), 1)));
        after.push(bodies.conditions(1));
    }
    body.push(format!("after({move_text}, {})", after.join(", ")));
    text.extend([format!("legal P does {move_text} :- {}.\n", body.join(", "))]);
}

const AFTER_STONES: &[&str] = &[
    "string_element(S, X), liberty(S, _)",
    "string_element(S, X), string_element(S, Z), Z \\= X",
    "string_element(S, X), string_shared(S, P)",
    "string_element(S, X), string_border(S, Z), at(Z) = Q, opponent(P, Q)",
    "string_element(T, V), string_border(T, W), V > W",
    "string_shared(U, R), opponent(P, R)",
    "none { A : string_element(A, X), string_element(A, 3) }",
    "none { A, B : string_element(A, B), not liberty(A, _) }",
    "count { A, B : string_element(A, B), string_border(A, X) } < 3",
    "string_element(D, 1), string_element(D, E), string_border(D, F), E \\= F",
    "region_element(G, X)",
    "region_element(G, H), region_element(G, I), H \\= I",
    "region_element(G, H), region_border(G, X)",
    "string_size(K, 2)",
    "near(X, L), at(L) = empty",
    "string_element(S, X), after(Q does play(2), string_element(M, X), liberty(M, _)), opponent(P, Q)",
    "not at(X) = P",
];
