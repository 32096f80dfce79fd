//! Engines, threads, stages and benches, driven from outside.

mod common;

use common::{file, folder, rulesmith};

/// A game whose native form is refused by a limit on its size.
const SMALL: &str = "--limit native-bytes=1";

#[test]
fn every_engine_counts_the_same() {
    for engine in ["reference", "interpreter", "native"] {
        for threads in 1..=3 {
            let ran = rulesmith(&format!(
                "perft connect_four --depth 3 --json --engine {engine} --threads {threads}"
            ));
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{engine} {threads}");
            let json = ran.json();
            let counts: Vec<_> = json.iter().map(|row| row["leaves"].as_u64()).collect();
            assert_eq!(counts, [Some(7), Some(49), Some(343)], "{engine} {threads}");
            assert!(json.iter().all(|row| row["engine"] == engine), "{ran:?}");
        }
    }
}

#[test]
fn an_engine_that_cannot_play_is_replaced_with_a_notice() {
    let ran = rulesmith(&format!("perft nim --depth 2 --json {SMALL}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    let notice = "the engine `native` cannot play this game (the limit `native-bytes` of 1 was \
                  reached); `interpreter` plays instead";
    assert_eq!(ran.stderr, format!("note: {notice}\n"));
    for row in ran.json() {
        assert_eq!(row["engine"], "interpreter");
        assert_eq!(row["fallback"], notice);
    }
    for command in ["playouts --count 3", "show --engine native"] {
        let ran = rulesmith(&format!("{command} nim --json {SMALL}"));
        assert_eq!(ran.json()[0]["fallback"], notice, "{command}");
    }
    let ran = rulesmith(&format!("perft nim --depth 2 --engine interpreter {SMALL}"));
    assert_eq!(ran.stderr, "", "the limit is on native games alone");
}

/// Makes native code impossible in its eighth line.
const MIDDLE: &str = "rules 1.
game middle.
role one.
sort n = 0..3.
fluent on(n).
fluent steps : 0..2 = 0.
move up(n).
legal one does up(N) :- not on(N), steps < 2,
    after(up(N), not repeated(2)).
effect one does up(N) : on(N) := true.
effect any : steps := steps + 1 :- steps < 2.
continue :- steps = 1.
terminal :- steps = 2.
goal(one, 100) :- steps = 2.
";

#[test]
fn a_notice_says_which_clause_native_code_cannot_have() {
    let rules = file(&folder("middle"), "middle.rules", MIDDLE.as_bytes());
    // What is in the cache by then changes nothing.
    for _ in 0..2 {
        let ran = rulesmith(&format!("playouts --count 1 {rules}"));
        assert_eq!(ran.code, 0, "{ran:?}");
        let place = "repetition without a past, at ";
        assert!(ran.stderr.contains(place), "{ran:?}");
        assert!(ran.stderr.contains("middle.rules:8:1); `interpreter` plays instead"), "{ran:?}");
    }
}

/// Seconds are the machine's business; that the answer stays the same is ours.
#[test]
fn an_engine_that_takes_too_long_is_replaced() {
    let ran = rulesmith("perft connect_four --depth 2 --json --limit compile-time=0");
    assert_eq!(ran.json()[1]["leaves"], 49, "{ran:?}");
    let engine = ran.json()[1]["engine"].as_str().expect("a name").to_owned();
    assert_eq!(engine == "native", ran.stderr.is_empty(), "{ran:?}");
}

#[test]
fn playouts_do_not_depend_on_threads() {
    for engine in ["reference", "interpreter", "native"] {
        let play = |threads: u32| {
            let ran = rulesmith(&format!(
                "playouts noughts_and_crosses --count 700 --json --engine {engine} --threads {threads}"
            ));
            let mut json = ran.json().remove(0);
            assert_eq!(json["playouts"], 700);
            json["seconds"] = 0.into();
            json
        };
        let alone = play(1);
        assert_eq!(play(2), alone);
        assert_eq!(play(3), alone);
    }
}

#[test]
fn a_foolish_number_of_threads_is_refused() {
    for number in ["0", "1000", "two"] {
        let ran = rulesmith(&format!("perft nim --depth 1 --threads {number}"));
        assert_eq!(ran.code, 30, "{ran:?}");
    }
}

#[test]
fn stages_are_told_when_asked_for() {
    let stages = |arguments: &str| rulesmith(arguments).json().remove(0)["stages"].clone();
    let fields = ["check", "compile", "lower", "read", "sample", "specialize"];
    for command in ["playouts nim --count 1", "show nim --engine native"] {
        let mut stages = stages(&format!("{command} --json --stages"));
        let from_cache = stages.as_object_mut().and_then(|fields| fields.remove("from_cache"));
        assert_eq!(from_cache, Some(false.into()));
        let keys: Vec<_> = stages.as_object().expect("an object").keys().collect();
        assert_eq!(keys, fields);
        assert!(fields.iter().all(|stage| stages[stage].as_f64().expect("seconds") > 0.0));
    }
    assert_eq!(stages("show nim --json --stages")["compile"], 0.0, "nothing is compiled");
    assert!(rulesmith("playouts nim --count 1 --stages").stdout.contains("stages, ms   read "));
}

#[test]
fn every_engine_shows_the_same() {
    let show = |engine: &str, moves: &str| {
        let ran = rulesmith(&format!("show breakthrough {moves} --json --engine {engine}"));
        let mut json = ran.json().remove(0);
        assert_eq!(json["engine"], engine);
        json["engine"] = "any".into();
        for moves in json["legal"].as_object_mut().expect("an object").values_mut() {
            let moves = moves.as_array_mut().expect("a list");
            moves.sort_by_key(ToString::to_string);
        }
        json
    };
    let first = show("reference", "");
    let chosen = first["legal"]["white"][3].as_str().expect("a move").to_owned();
    let moves = format!("--move {chosen}");
    for engine in ["interpreter", "native"] {
        assert_eq!(show(engine, ""), first);
        assert_eq!(show(engine, &moves), show("reference", &moves));
    }
}

#[test]
fn dumps_of_later_stages_explain_themselves() {
    let program = rulesmith("dump noughts_and_crosses --stage program");
    assert!(program.stdout.contains("% goal(+, -): 3 clauses\n"), "{}", program.stdout);
    let tree = rulesmith("dump noughts_and_crosses --stage tree");
    assert!(tree.stdout.contains("\nline(A)\n  => terminal\n"), "{}", tree.stdout);
    let layout = rulesmith("dump breakthrough --stage layout");
    assert!(layout.stdout.contains("a state takes 4 words, 32 bytes"), "{}", layout.stdout);
    let json = &rulesmith("dump breakthrough --stage layout --json").json()[0];
    assert_eq!((&json["words"], &json["bytes"]), (&4.into(), &32.into()));
    let at = &json["fluents"][0];
    assert_eq!((&at["fluent"], &at["kept"]), (&"at".into(), &"planes".into()));
    assert_eq!((&at["bits"], &at["words"], &at["offset"]), (&192.into(), &3.into(), &0.into()));
    assert!(json["turns"].as_str().expect("there are kernels").starts_with("one role moves"));
    let kernels = rulesmith("dump breakthrough --stage kernels");
    assert!(kernels.stdout.contains("kernel contest"), "{}", kernels.stdout);
    assert_eq!(rulesmith("dump nim --stage theory --json").code, 30);
    assert_eq!(rulesmith("dump nim --stage kernels --json").code, 30);
}

#[test]
fn bench_playouts_counts_without_a_clock() {
    let ran = rulesmith("bench playouts connect_four go:size=5 --count 20 --json --engine native");
    let json = ran.json();
    assert_eq!(json.len(), 2, "{ran:?}");
    assert_eq!(
        (&json[0]["game"], &json[1]["game"]),
        (&"connect_four".into(), &"go(size=5)".into())
    );
    for row in &json {
        assert_eq!(row["playouts"], 20);
        assert!(row.get("ours").is_none() && row["openspiel"].is_null(), "{row}");
    }
    assert_eq!(rulesmith("bench playouts nim --count 2 --seconds 1").code, 30);
}

#[test]
fn bench_playouts_measures_in_rounds() {
    let ran = rulesmith("bench playouts nim --alone --seconds 0.01 --rounds 2 --json");
    let json = &ran.json()[0];
    let rate = |field: &str| json["ours"][field].as_f64().expect("a rate");
    assert!(rate("playouts_per_second") >= rate("median_playouts_per_second"), "{ran:?}");
    assert!(rate("states_per_second") > rate("playouts_per_second"), "{ran:?}");
    let text = rulesmith("bench playouts nim --alone --seconds 0.01 --rounds 1").stdout;
    assert!(text.starts_with("game  ") && text.contains("\nnim  "), "{text}");
}

#[test]
fn peers_that_are_not_there_are_named() {
    let ran = rulesmith("bench playouts nim --seconds 0.01 --rounds 1 --peers nowhere");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stderr.contains("OpenSpiel is not installed: `scripts/peers/openspiel`"),
        "{ran:?}"
    );
}

#[test]
fn bench_perft_counts_in_both_kinds() {
    let ran = rulesmith("bench perft breakthrough --depth 3 --rounds 1 --alone --json");
    let json = ran.json();
    let kinds: Vec<_> = json.iter().map(|row| row["kind"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["applied", "bulk"]);
    assert!(json.iter().all(|row| row["leaves"] == 11_132), "{ran:?}");
}

#[test]
fn bench_match_measures_rules_in_all_ways() {
    let ran = rulesmith("bench match --alone --positions 2 --rounds 1 --json");
    let json = ran.json();
    assert_eq!(json.len(), 3, "{ran:?}");
    let counts = ["successes", "conclusions", "distinct"].map(|field| json[0][field].as_u64());
    assert_eq!(counts, [Some(111_408), Some(43_276), Some(7_549)]);
    assert_eq!(json[1]["distinct"], json[2]["distinct"]);
    for row in &json {
        let seconds = |field: &str| row[field].as_f64().expect("a time");
        assert!(seconds("tuples_seconds") < seconds("seconds"), "{row}");
        assert!(seconds("sets_seconds") < seconds("seconds"), "{row}");
        assert!(row["baseline_seconds"].is_null() && row["prolog_seconds"].is_null(), "{row}");
    }
    let text = rulesmith("bench match --alone --positions 1 --rounds 1").stdout;
    assert!(text.starts_with("rule  ") && text.contains("\nthreattoconnect-2 "), "{text}");
}
