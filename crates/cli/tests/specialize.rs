//! `rulesmith specialize`, driven from outside: the paper's metarules and columns, JSON, pictures, errors.

mod common;

use common::{file, folder, run, text};
use expect_test::{Expect, expect};

/// The part of the output from one line to before another.
fn part<'t>(output: &'t str, from: &str, to: &str) -> &'t str {
    let start = output.find(from).unwrap_or_else(|| panic!("no {from:?} in {output}"));
    let end = output[start..].find(to).map_or(output.len(), |end| start + end);
    &output[start..end]
}

fn check(arguments: &[&str], (from, to): (&str, &str), expected: &Expect) {
    let ran = run(&[&["specialize"], arguments].concat(), b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    expected.assert_eq(part(&ran.stdout, from, to));
}

#[test]
fn metameta_3_2_the_columns_of_the_path_are_the_papers() {
    let path = ["grid", "path(+X, -D)", "--at", "X=(10, 10)"];
    check(
        &path,
        ("  before ", "never"),
        &expect![[r#"
          before                                  after
          connected(X, Y)                     4   connected(X, Y)                     4
          X \= Y                              4   connected(Y, Z)                    16
          connected(Y, Z)                    16   X \= Z                             12
          X \= Z                             12   connected(Z, W)                    48
          Y \= Z                             12   Y \= W                             36
          connected(Z, W)                    48   connected(W, D)                   144
          X \= W                             48
          Y \= W                             36
          Z \= W                             36
          connected(W, D)                   144
          sum                               360   sum                               260

        in all 360 before, 260 after, 1.4 times fewer; the same 25 answers
    "#]],
    );
}

#[test]
fn metameta_3_2_the_useless_tests_of_the_path_go_by_the_papers_metarules() {
    let path = ["grid", "path(+X, -D)", "--derivations"];
    check(
        &path,
        ("after:", "funnel:"),
        &expect![[r#"
        after:
          path(X, D) :- connected(X, Y), connected(Y, Z), X \= Z, connected(Z, W),
              Y \= W, connected(W, D).
        derivation of clause 1:
          without W \= Z, by useless X \= Y :- connected(X, Y).
            given connected(Z, W)
          without Z \= Y, by useless X \= Y :- connected(X, Y).
            given connected(Y, Z)
          without W \= X, by useless X \= W :- connected(X, Y), connected(Y, Z),
              connected(Z, W).
            given connected(X, Y), connected(Y, Z), connected(Z, W)
          without X \= Y, by useless X \= Y :- connected(X, Y).
            given connected(X, Y)
    "#]],
    );
    check(
        &path,
        ("15 metarules", "ordering"),
        &expect![[r#"
        15 metarules, 2 of use
        useless X \= Y :- connected(X, Y).
            useless, 3 useless conditions, 6 implied conditions
            static facts 96c0e72e1014: holds in all 1368 matches among 1368 facts of
                connected/2; mined: patterns of 1 condition
        useless X \= W :- connected(X, Y), connected(Y, Z), connected(Z, W).
            useless, 1 useless condition, 4 implied conditions
            static facts 96c0e72e1014: holds in all 20288 matches among 1368 facts of
                connected/2; mined: patterns of 3 conditions

    "#]],
    );
}

#[test]
fn metameta_3_1_the_triangle_is_impossible() {
    check(
        &["grid", "distance(+X, +X, 3)"],
        ("after:", "X = Y, or"),
        &expect![[r#"
        after:
          no clause is left: it never holds
        impossible, among others:
          distance(X, X, 3) :- connected(X, Z), connected(Z, Z1), connected(Z1, X).
              by impossible :- connected(X, Y), connected(Y, Z), connected(Z, X).
        funnel:
          generated                     29  ████████████████████████████████████████
          decided by evaluation          9  █████████████
          impossible                     2  ███
          monovalued (variables)         9  █████████████
          duplicate                      0
          subsumed                       0
          kept                           0

        15 metarules, 3 of use
        impossible :- connected(X, Y), connected(Y, Z), connected(Z, X).
            impossibility, 1 impossible clause
            static facts 96c0e72e1014: no match among 1368 facts of connected/2; mined:
                patterns of 3 conditions
    "#]],
    );
}

#[test]
fn metameta_3_1_distance_three_is_unfolded_to_three_steps() {
    check(
        &["grid", "distance(+X, -W, 3)"],
        ("after:", "funnel:"),
        &expect![[r#"
        after:
          distance(X, W, 3) :- connected(X, Z), connected(Z, Z1), connected(Z1, W).
    "#]],
    );
}

#[test]
fn metameta_3_3_branching_is_the_mean_number_of_neighbors() {
    let ran = run(&["specialize", "grid", "distance(+X, -W, 3)"], b"");
    let wanted = "branching(connected(+X, -Y)) = 3.79, 1368 of 361, static facts\n";
    assert!(ran.stdout.contains(wanted), "{}", ran.stdout);
}

#[test]
fn what_is_kept_is_called_and_said_to_be() {
    let ran = run(&["specialize", "hex", "terminal"], b"");
    assert!(ran.stdout.contains("linked/2 is called: it asks itself"), "{}", ran.stdout);
    let ran = run(&["specialize", "hex", "terminal", "--keep", "won"], b"");
    assert!(ran.stdout.contains("won/1 is called: as asked"), "{}", ran.stdout);
    let ran = run(&["specialize", "reversi", "legal +P does place(S)", "--bound", "depth=0"], b"");
    assert!(ran.stdout.contains("bound `depth` reached: 1 body left"), "{}", ran.stdout);
    assert!(ran.stdout.contains("open/2 is called: a bound was reached"), "{}", ran.stdout);
}

#[test]
fn bounds_and_families_change_how_much_is_done_and_not_what_is_answered() {
    let answers = |more: &[&str]| {
        let request = ["specialize", "reversi", "legal +P does place(S)", "--json"];
        let ran = run(&[&request[..], more].concat(), b"");
        let cost = &ran.json()[0]["procedures"][0]["cost"];
        (cost["answers"].as_u64(), cost["calls"].as_u64())
    };
    let plain = answers(&[]);
    assert!(plain.0 > Some(100), "{plain:?}");
    assert_eq!(answers(&["--bound", "definitions=0"]), plain);
    assert_eq!(answers(&["--no-metarules", "impossibility", "--no-metarules", "general"]), plain);
}

#[test]
fn json_has_everything_that_is_printed() {
    let ran = run(&["specialize", "grid", "path(+X, -D)", "--at", "X=(10, 10)", "--json"], b"");
    let json = &ran.json()[0];
    assert_eq!(json["schema"], 1);
    assert_eq!((&json["game"], &json["request"]), (&"grid".into(), &"path(+X, -D)".into()));
    assert_eq!(json["facts"]["relations"][0]["facts"], 1368);
    let procedure = &json["procedures"][0];
    assert_eq!(procedure["funnel"]["kept"], 1);
    assert_eq!(procedure["after"][0]["removed"].as_array().map(Vec::len), Some(4));
    assert_eq!(procedure["tree"].as_array().map(Vec::len), Some(7));
    let cost = &procedure["cost"];
    assert_eq!((&cost["before"], &cost["after"]), (&360.into(), &260.into()));
    let successes = |side: &str| -> Vec<u64> {
        let column = cost["clauses"][0][side].as_array().into_iter().flatten();
        column.filter_map(|one| one["successes"].as_u64()).collect()
    };
    assert_eq!(successes("before"), [4, 4, 16, 12, 12, 48, 48, 36, 36, 144]);
    assert_eq!(successes("after"), [4, 16, 12, 48, 36, 144]);
    let metarules = json["metarules"].as_array().into_iter().flatten();
    let used: Vec<_> = metarules.filter(|one| one["removals"] != 0).collect();
    assert_eq!(used.len(), 2, "{used:?}");
    assert_eq!(used[0]["evidence"], "holds in all 1368 matches among 1368 facts of connected/2");
}

#[test]
fn the_same_command_prints_the_same() {
    let command = ["specialize", "english_draughts", "legal +P does any", "--metarules", "all"];
    assert_eq!(run(&command, b"").stdout, run(&command, b"").stdout);
}

#[test]
fn requests_that_make_no_sense_are_shown_with_a_caret() {
    let ran = run(&["specialize", "grid", "distanc(+X, -W, 3)"], b"");
    assert_eq!((ran.code, ran.stdout.as_str()), (34, ""));
    assert!(ran.stderr.contains("^^^^^^^"), "{}", ran.stderr);
    assert!(ran.stderr.contains("distance"), "{}", ran.stderr);
    let ran = run(&["specialize", "grid", "path(+X, -D)", "--at", "X=(10, 40)"], b"");
    assert_eq!(ran.code, 34, "{ran:?}");
    assert!(ran.stderr.contains('^'), "{}", ran.stderr);
}

#[test]
fn options_that_do_not_exist_are_explained() {
    for (option, value, words) in [
        ("--bound", "clause=3", "did you mean `clauses`?"),
        ("--no-metarules", "useles", "did you mean `useless`?"),
        ("--keep", "distanc", "did you mean `distance`?"),
        ("--at", "Y=(1, 1)", "no known argument `Y`"),
    ] {
        let ran = run(&["specialize", "grid", "path(+X, -D)", option, value], b"");
        assert_eq!(ran.code, 30, "{ran:?}");
        assert!(ran.stderr.contains(words), "{option}: {}", ran.stderr);
    }
}

#[test]
fn metarules_are_saved_and_loaded_and_refused_for_other_facts() {
    let folder = folder("metarules");
    let saved = folder.join("grid.metarules");
    let saved = saved.to_str().expect("a plain path");
    let request = ["specialize", "grid", "distance(+X, +X, 3)"];
    let first = run(&[&request[..], &["--save", saved]].concat(), b"");
    assert_eq!(first.code, 0, "{first:?}");
    let wanted = "impossible :- connected(X, Y), connected(Y, Z), connected(Z, X).";
    assert!(text(saved).contains(wanted), "{}", text(saved));
    let again = run(&[&request[..], &["--load", saved]].concat(), b"");
    assert_eq!((again.code, &again.stdout), (0, &first.stdout));
    let other = run(&[&request[..], &["--set", "size=5", "--load", saved]].concat(), b"");
    assert_eq!(other.code, 32, "{other:?}");
    assert!(other.stderr.contains("metarules of other facts"), "{}", other.stderr);
    let bad = file(&folder, "bad.metarules", b"no metarules");
    assert_eq!(run(&[&request[..], &["--load", &bad]].concat(), b"").code, 32);
}

/// Do the tags of a picture open and close in order?
fn assert_well_formed(markup: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in markup.split('<').skip(1) {
        let (inside, after) = tag.split_once('>').expect("a tag ends");
        assert!(!after.contains('>'), "{after}");
        let name = inside.split([' ', '\n', '/']).next().unwrap_or_default();
        if let Some(closed) = inside.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "{inside}");
        } else if !inside.ends_with('/') {
            open.push(name);
        }
        assert_eq!(inside.matches('"').count() % 2, 0, "{inside}");
        for reference in after.split('&').skip(1) {
            assert!(reference.split_once(';').is_some_and(|(name, _)| name.len() < 6), "{after}");
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn pictures_are_well_formed_and_need_nothing_else() {
    let folder = folder("pictures");
    let svg = folder.join("draughts.svg");
    let svg = svg.to_str().expect("a plain path");
    let page = folder.join("draughts.html");
    let page = page.to_str().expect("a plain path");
    let request = ["specialize", "english_draughts", "legal +P does any"];
    let ran = run(&[&request[..], &["--svg", svg, "--html", page]].concat(), b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    let (svg, page) = (text(svg), text(page));
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert_well_formed(&svg);
    assert!(page.contains(svg.trim_end()), "the page holds the picture");
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("http"), "no outside");
    assert_eq!(page.matches("<svg").count(), 1);
}

#[test]
fn texts_of_untrusted_rules_do_no_harm_in_pictures() {
    let folder = folder("hostile pictures");
    let rules = "rules 1. game hostile. role me. sort s = {'<script>&\"', b}. fluent done.\n\
        static next(s, s). next('<script>&\"', b). next(b, b).\n\
        derived far(s, s). far(X, Z) :- next(X, Y), next(Y, Z). far('<script>&\"', b).\n\
        target reach(X) :- far(b, X). move go. legal me does go :- not done.\n\
        effect go : done := true. terminal :- done. goal(me, 100) :- done.\n";
    let rules = file(&folder, "hostile.rules", rules.as_bytes());
    let svg = folder.join("hostile.svg");
    let svg = svg.to_str().expect("a plain path");
    let ran = run(&["specialize", &rules, "far('<script>&\"', -Y)", "--svg", svg], b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_well_formed(&text(svg));
    assert!(!text(svg).contains("<script"), "{}", text(svg));
    assert!(text(svg).contains("&lt;script&gt;"), "{}", text(svg));
}

#[test]
fn answers_that_rest_on_a_false_declared_metarule_are_warned_of() {
    let rules = "rules 1. game m. role white. sort n = 0..4. static beside(n, n). beside(F, F + 1).
        fluent at(n). move put(n). legal white does put(F) :- n(F), not at(F).
        effect put(F) : at(F) := true. derived pair(n, n). pair(F, G) :- beside(F, G), at(F), at(G).
        terminal :- at(0). goal(white, 50).
        meta phase filter. useless(R, C) :- rule(R), condition(R, C).\n";
    let file = file(&folder("declared"), "m.rules", rules.as_bytes());
    let ran = run(&["specialize", &file, "pair(F, G)"], b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    for wanted in [
        "% by a declared metarule",
        "declared, not proved, of use",
        "declared, 2 rewritings",
        "but the",
    ] {
        assert!(ran.stdout.contains(wanted), "{wanted}: {}", ran.stdout);
    }
    assert!(ran.stderr.contains("not answered as the rules answer it"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--proved-only"), "{}", ran.stderr);
    let json = &run(&["specialize", &file, "pair(F, G)", "--json"], b"").json()[0];
    let procedure = &json["procedures"][0];
    assert_eq!(procedure["cost"]["agrees"], false);
    assert_eq!(procedure["after"][0]["declared"].as_array().map(Vec::len), Some(1));
    let right = run(&["specialize", &file, "pair(F, G)", "--proved-only"], b"");
    assert!(right.stdout.contains("; the same "), "{}", right.stdout);
}
