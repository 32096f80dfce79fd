//! The golden numbers and the pictures of `metameta` are up to date.
//!
//! In: the worlds and positions of the other tests. Out: complaints, or with `REWRITE_PAPERS` the files
//! `golden/papers/metameta/*.toml` and `docs/pictures/metameta_*.svg`.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the golden numbers are files, and a test may panic"
)]

mod explosion;
mod golden;
mod pictures;
mod positions;
mod worlds;

use std::collections::BTreeSet;

use explosion::{CASES, Case, Explosion};
use golden::{Number, check, check_text, number, printed, unprinted};
use pictures::{Line, Panel, Picture, Scale, grouped};
use positions::threat::{FIXTURE, SECOND_ORDER, figure_7, least_successes};
use positions::{Go, at, int};
use rulesmith_logic::{Condition, Var};
use rulesmith_specialize::metarules::{
    LazyMiner, Minimization, MiningLimits, Origin, Symmetry, mine,
};
use rulesmith_specialize::{
    Body, Estimates, Matcher, Pattern, Sample, Selection, StaticFacts, order_by_branching,
};

const LIMIT: u64 = 10_000_000;

/// Columns of a rule, the paper's beside ours.
fn column(name: &str, paper: &[u32], ours: &[u64]) -> Vec<Number> {
    assert_eq!(paper.len(), ours.len());
    let one = |(place, (paper, ours)): (usize, (&u32, &u64))| {
        printed(
            &format!("{name}, condition {}", place + 1),
            f64::from(*paper),
            number((*ours).into()),
        )
    };
    paper.iter().zip(ours).enumerate().map(one).collect()
}

fn total(column: &[u64]) -> f64 {
    number(column.iter().sum::<u64>().into())
}

#[test]
fn metameta_3_2_paths() {
    let go = Go::new(19);
    let matcher = Matcher::new(&go.base, &[&go.fixed], LIMIT);
    let path = go.path_of_length_four();
    let simplified = at(&path, &[0, 2, 3, 5, 7, 9]);
    let center = [(Var(0), int(9 * 19 + 9))];
    let count = |conditions: &[Condition]| matcher.count_successes(conditions, &center).unwrap();
    let everywhere = |conditions: &[Condition]| matcher.count_successes(conditions, &[]).unwrap();
    let [before, after] = [count(&path), count(&simplified)];
    let with_head = "successes of the conditions, and one for the head: the paper adds it silently";
    let board = "all 361 points as the start; the paper prints one point";
    let mut numbers = column("as written", &[4, 4, 16, 12, 12, 48, 48, 36, 36, 144], &before);
    numbers.push(printed("as written, with the head", 361.0, total(&before) + 1.0).note(with_head));
    numbers.extend(column("simplified", &[4, 16, 12, 48, 36, 144], &after));
    numbers.push(printed("simplified, with the head", 261.0, total(&after) + 1.0).note(with_head));
    let whole = [("as written, whole board", &path), ("simplified, whole board", &simplified)];
    numbers.extend(whole.map(|(name, rule)| unprinted(name, total(&everywhere(rule))).note(board)));
    check(
        "metameta/paths",
        "metameta §3.2: the path of length four, on the middle of 19 x 19",
        &numbers,
    );
}

#[test]
fn metameta_3_1_cores() {
    let (grid, abalone) = (worlds::grid(19), worlds::abalone());
    let core = |facts: &StaticFacts, body: &str| {
        let mut miner = LazyMiner::with_minimization(facts, Minimization::OneByOne);
        let metarule = miner.refute(&worlds::conditions(body)).unwrap();
        let Origin::Clause { tests, .. } = metarule.origin else { panic!("not from a clause") };
        (number(metarule.body.len() as u128), f64::from(u32::try_from(tests).unwrap()))
    };
    let triangle = core(&grid, "connected(X,Y), connected(Y,Z), connected(Z,X)");
    let cycle = core(
        &grid,
        "connected(A,B), A\\=B, connected(B,C), A\\=C, connected(C,D), connected(D,E), \
         connected(E,A), connected(A,F), F\\=C",
    );
    let neighbors = core(
        &grid,
        "connected(A,P), connected(P,B), connected(A,Q), connected(Q,B), connected(A,R), \
         connected(R,B), P\\=Q, Q\\=R, P\\=R, A\\=B, connected(B,S)",
    );
    let back = core(&abalone, "connected(X,Y,D), connected(Y,X,D)");
    let home = core(&abalone, "connected(X,Y,D), connected(Y,Z,D), connected(Z,X,E)");
    let tests = "match tests, one condition left out at a time";
    let numbers = [
        printed("distance(X,X,3), conditions", 3.0, triangle.0),
        unprinted("distance(X,X,3), tests", triangle.1).note(tests),
        printed("Abalone, there and back in one direction, conditions", 2.0, back.0),
        unprinted("Abalone, there and back in one direction, tests", back.1).note(tests),
        unprinted("Abalone, two steps undone by one, conditions", home.0),
        unprinted("cycle of five in nine conditions, conditions", cycle.0),
        unprinted("cycle of five in nine conditions, tests", cycle.1).note(tests),
        unprinted("three common neighbors in eleven conditions, conditions", neighbors.0),
        unprinted("three common neighbors in eleven conditions, tests", neighbors.1).note(tests),
    ];
    check("metameta/cores", "metameta §3.1: minimal impossible sets of conditions", &numbers);
}

#[test]
fn metameta_3_patterns() {
    let worlds = [
        ("grid 19 x 19", worlds::grid(19), Symmetry::AsWritten),
        ("grid 19 x 19, symmetric", worlds::grid(19), Symmetry::Normalized),
        ("Abalone", worlds::abalone(), Symmetry::AsWritten),
        ("torus 3 x 3", worlds::torus(3), Symmetry::AsWritten),
    ];
    let mut numbers = Vec::new();
    for (name, facts, symmetry) in worlds {
        let mined = mine(&facts, symmetry, MiningLimits::default());
        let counts = [
            ("patterns", mined.n_patterns),
            ("impossible", mined.n_denials()),
            ("monovaluations", mined.n_monovaluations()),
            ("useless tests", mined.n_useless_tests()),
        ];
        let of = |(what, count)| unprinted(&format!("{name}, {what}"), number(count as u128));
        numbers.extend(counts.map(of));
    }
    check(
        "metameta/patterns",
        "metameta §3: metarules mined before any clause needs them",
        &numbers,
    );
}

/// Facts per position of these, on the average.
fn mean_rows(positions: &[Sample], n_rows: impl Fn(&Sample) -> usize) -> f64 {
    let rows = positions.iter().map(n_rows).sum::<usize>();
    number(rows as u128) / number(positions.len() as u128)
}

#[test]
fn metameta_3_3_branching() {
    let go = Go::new(19);
    let estimates = Estimates::learn(&go.base, go.fixed.clone(), Vec::new());
    let mean = |pattern| estimates.branching(&pattern).mean.value;
    let matcher = Matcher::new(&go.base, &[&go.fixed], LIMIT);
    let path = at(&go.path_of_length_four(), &[0, 2, 3, 5, 7, 9]);
    let walked = |n_before: usize| {
        let mean = matcher.mean_after(&path[..n_before], &path[n_before]).unwrap();
        let (rows, of) = mean.unwrap().exact.unwrap();
        number(rows.into()) / number(of.into())
    };
    let positions = go.random_positions(1, 30, 300);
    let is_empty = |row: &[rulesmith_logic::Value]| row[1] == go.empty;
    let empty = mean_rows(&positions, |sample| {
        sample.rows[&go.color_intersection].iter().filter(|row| is_empty(row)).count()
    });
    let degree = "1368 facts, 361 points; 3.76 is no mean of this board (64/17 is that of 17 x 17)";
    let unknown = "random positions; the paper's working memories are not known, and its two numbers \
                   do not add up to 361 points";
    let numbers = [
        printed("connected(+X, -Y)", 3.76, mean(Pattern::of_mask(go.connected, &[true, false])))
            .within(0.03, degree),
        printed("color(-C)", 2.0, mean(Pattern::of_mask(go.color, &[false]))),
        unprinted("connected(+X, -Y) after one step", walked(1)).note("5252 of 1368"),
        unprinted("connected(+X, -Y) after two steps", walked(3)).note("15036 of 3884"),
        unprinted("connected(+X, -Y) after three steps", walked(5)).note("43276 of 11152"),
        printed("colorintersection(-I, empty)", 240.8, empty).within(30.0, unknown),
        printed("elementstring(-X, -Y)", 94.8, 361.0 - empty).within(30.0, unknown),
    ];
    check("metameta/branching", "metameta §3.3: branching estimates on 19 x 19", &numbers);
}

#[test]
fn metameta_4_2_threat() {
    let go = Go::new(11);
    let position = go.read(FIXTURE);
    let rule = go.threat_to_connect();
    let matcher = Matcher::new(&go.base, &[&go.fixed, &position], LIMIT);
    let count = |places: &[usize]| matcher.count_successes(&at(&rule, places), &[]).unwrap();
    let (second, first) = (count(&SECOND_ORDER), count(&[0, 1, 2, 3, 4, 5, 6, 7, 8]));
    let fixture = "on a position made for the second column; no position gives both, since by the \
                   symmetry of the rule 140 would be 254";
    let mut numbers = column("second order", &[2, 14, 68, 240, 96, 350, 254, 84, 36], &second);
    numbers.extend([
        printed("second order, with the head", 1145.0, total(&second) + 1.0)
            .note("1144 successes and one for the head, which 2249 does not have"),
        printed("first order", 2249.0, total(&first)).within(200.0, fixture),
        unprinted("least of all orders", number(least_successes(&matcher, &rule).into()))
            .note("the same position"),
    ]);
    for (size, n_moves) in [(9, 60), (19, 300)] {
        let ratio = unseen_ratio(&Go::new(size), n_moves);
        let note = "unordered against ordered successes on 30 random positions not learned from; the \
                    paper's ratio is that of its own two columns";
        let name = format!("ratio on {size} x {size}");
        numbers.push(printed(&name, 2249.0 / 1145.0, ratio).within(0.3, note));
    }
    check("metameta/threat", "metameta §4.2: threattoconnect, successes by condition", &numbers);
}

fn unseen_ratio(go: &Go, n_moves: usize) -> f64 {
    let states = go.random_positions(2, 60, n_moves);
    let (learned, unseen) = states.split_at(30);
    let estimates = Estimates::learn(&go.base, go.fixed.clone(), learned.to_vec());
    let rule = go.threat_to_connect();
    let (known, outside) = (BTreeSet::new(), [0, 1, 2, 3].map(Var).into_iter().collect());
    let body = Body { conditions: &rule, known: &known, outside: &outside };
    let cost = |places: &[usize]| {
        let rule = at(&rule, places);
        let costs = unseen.iter().map(|position| {
            let matcher = Matcher::new(&go.base, &[&go.fixed, position], LIMIT);
            total(&matcher.count_successes(&rule, &[]).unwrap())
        });
        costs.sum::<f64>()
    };
    let ordered = order_by_branching(&estimates, body).unwrap();
    cost(&[0, 1, 2, 3, 4, 5, 6, 7, 8]) / cost(&ordered)
}

const WITHOUT: &str = "#b5431d";
const WITH: &str = "#1d5fa6";

#[test]
fn metameta_4_1_explosion() {
    let mut numbers = Vec::new();
    let mut panels = Vec::new();
    for case in &CASES {
        let found = Explosion::of(case, Selection::FewestDefinitions);
        let kept = found.levels.levels.iter().map(|level| level.clauses.len() as u128);
        let kept: Vec<f64> = kept.map(number).collect();
        let alone: Vec<f64> = found.alone.iter().copied().map(number).collect();
        for n_moves in 1..=case.n_moves {
            let name = |what: &str| format!("{}, {n_moves} moves, {what}", case.name);
            numbers.push(unprinted(&name("unfolded alone"), alone[n_moves]));
            numbers.push(unprinted(&name("kept"), kept[n_moves]));
        }
        panels.push(panel(case, &alone, &kept));
    }
    let about = "metameta §2, §4.1, figures 5 and 6: bodies by unfolding alone, clauses with metarules.\n\
                 # The paper's six rules are not printed: its 166,391,568 against 106 is a shape, orders of\n\
                 # magnitude for each move.";
    check("metameta/explosion", about, &numbers);
    let picture = Picture {
        title: "Goals of Go regressed over moves: unfolding alone, and with metarules".to_owned(),
        subtitle: "clauses under which so many moves of one side reach the goal; logarithmic scale"
            .to_owned(),
        vertical: "bodies, clauses".to_owned(),
        horizontal: "moves regressed".to_owned(),
        scale: Scale::Logarithmic,
        highest: 1e27,
        marks: vec![1.0, 1e3, 1e6, 1e9, 1e12, 1e15, 1e18, 1e21, 1e24, 1e27],
        panels,
        source: "after metameta §4.1, figures 5 and 6 (there 166,391,568 rules against 106); redrawn by \
                 cargo xtask papers"
            .to_owned(),
    };
    check_text("docs/pictures/metameta_figure_5_6.svg", &picture.svg());
}

fn panel(case: &Case, alone: &[f64], kept: &[f64]) -> Panel {
    let line = |name: &str, color, is_above, counts: &[f64]| Line {
        name: name.to_owned(),
        color,
        is_dashed: false,
        is_above,
        points: counts
            .iter()
            .enumerate()
            .map(|(at, count)| {
                (at, *count, if at == 0 && is_above { String::new() } else { grouped(*count) })
            })
            .collect(),
    };
    Panel {
        title: case.name.to_owned(),
        last: case.n_moves,
        stride: 1,
        lines: vec![
            line("unfolding alone (counted)", WITHOUT, true, alone),
            line("with metarules at every step", WITH, false, kept),
        ],
    }
}

#[test]
fn metameta_4_2_figure_7() {
    let figure = figure_7();
    let means = figure.means.iter().enumerate();
    let mut numbers: Vec<Number> = means
        .clone()
        .map(|(n_metarules, mean)| unprinted(&format!("{n_metarules} metarules"), rounded(*mean)))
        .collect();
    numbers.push(unprinted("published order", rounded(figure.published)));
    let about =
        "metameta §4.2, figure 7: successes per match of threattoconnect on unseen positions";
    check("metameta/figure_7", about, &numbers);
    let last = figure.means.len() - 1;
    let label = |at: usize, mean: f64| {
        if at == 0 || at == last { grouped(mean) } else { String::new() }
    };
    let learned = Line {
        name: "ordered by the metarules known so far".to_owned(),
        color: WITH,
        is_dashed: false,
        is_above: true,
        points: means.map(|(at, mean)| (at, *mean, label(at, *mean))).collect(),
    };
    let published = Line {
        name: "the order the paper prints".to_owned(),
        color: "#6b7480",
        is_dashed: true,
        is_above: false,
        points: [0, last].map(|at| (at, figure.published, String::new())).to_vec(),
    };
    let mut marks = vec![0.0];
    while marks[marks.len() - 1] < figure.means[0] {
        marks.push(marks[marks.len() - 1] + 1000.0);
    }
    let highest = marks[marks.len() - 1];
    let picture = Picture {
        title: "The cost of matching falls as ordering metarules are added".to_owned(),
        subtitle:
            "threattoconnect on ten 9 x 9 positions not used for learning; mean over 20 orders of \
                   learning"
                .to_owned(),
        vertical: "successes of conditions per match".to_owned(),
        horizontal: "ordering metarules known".to_owned(),
        scale: Scale::Linear,
        highest,
        marks,
        panels: vec![Panel {
            title: String::new(),
            last,
            stride: 2,
            lines: vec![learned, published],
        }],
        source: "after metameta §4.2, figure 7; redrawn by cargo xtask papers".to_owned(),
    };
    check_text("docs/pictures/metameta_figure_7.svg", &picture.svg());
}

fn rounded(mean: f64) -> f64 {
    (mean * 10.0).round() / 10.0
}
