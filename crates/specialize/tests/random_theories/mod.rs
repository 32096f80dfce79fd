//! Random theories as rules text, so that they pass the front end and a failure can be read.
//!
//! In: a seed. Out: a text with sorts, static relations, fluents with a random start, and derived
//! predicates over them. Invariant: the same seed gives the same text; most texts are accepted.

#![allow(
    dead_code,
    unused_imports,
    reason = "each test that includes this module uses a part of it"
)]

mod bodies;
mod claims;
mod shrink;
mod words;

pub(crate) use bodies::Bodies;
pub(crate) use claims::add_claims;
pub(crate) use shrink::shrink;
pub(crate) use words::{Kind, Random, Relation, Sort, Vocabulary};

/// A whole text: derived predicates over a random start.
pub(crate) fn random_theory(random: &mut Random) -> String {
    random_words(random).0
}

/// The same, half of them with what an author claims about fluents.
pub(crate) fn random_theory_with_claims(random: &mut Random) -> String {
    let (mut text, words) = random_words(random);
    if random.chance(50) {
        add_claims(random, &words, &mut text);
    }
    text
}

fn random_words(random: &mut Random) -> (String, Vocabulary) {
    let mut words = Vocabulary::default();
    let mut text = String::from("rules 1. game random. role a, b.\n");
    words.sorts.push(Sort::names("role", &["a", "b"]));
    add_sorts(random, &mut words, &mut text);
    add_statics(random, &mut words, &mut text);
    add_fluents(random, &mut words, &mut text);
    add_derived(random, &mut words, &mut text);
    text.push_str("move pass. legal a does pass.\n");
    text.push_str("terminal. goal(P, 50) :- role(P).\n");
    (text, words)
}

/// Sorts of every kind.
pub(crate) fn add_sorts(random: &mut Random, words: &mut Vocabulary, text: &mut String) {
    let ranges = [(1, 3), (0, 4), (-1, 2), (2, 5)];
    for name in ["n", "m"].iter().take(1 + random.below(2)) {
        let (low, high) = *random.pick(&ranges);
        text.extend([format!("sort {name} = {low}..{high}.\n")]);
        words.sorts.push(Sort::range(name, low, high));
    }
    if random.chance(60) {
        text.push_str("sort c = {red, green, blue}.\n");
        words.sorts.push(Sort::names("c", &["red", "green", "blue"]));
    }
    if random.chance(35) {
        let parts = [random.below(words.sorts.len()), random.below(words.sorts.len())];
        let names = parts.map(|part| words.sorts[part].name.clone());
        let (functor, sort) = if random.chance(50) {
            ("", format!("{} * {}", names[0], names[1]))
        } else {
            ("pair", format!("pair({}, {})", names[0], names[1]))
        };
        text.extend([format!("sort t = {sort}.\n")]);
        words.sorts.push(Sort::compound("t", functor, &parts, &words.sorts));
    }
    if random.chance(20) {
        let part = random.below(words.sorts.len());
        let name = words.sorts[part].name.clone();
        text.extend([format!("sort man = man({name}).\n")]);
        words.sorts.push(Sort::compound("man", "man", &[part], &words.sorts));
    }
}

/// Static relations: facts, clauses with arithmetic, and recursion.
pub(crate) fn add_statics(random: &mut Random, words: &mut Vocabulary, text: &mut String) {
    for number in 0..=random.below(3) {
        let args = random_args(random, words, 1, 3);
        let relation = Relation::new(format!("s{number}"), args, Kind::Static);
        text.extend([format!("static {}.\n", relation.declared(words))]);
        for _ in 0..=random.below(5) {
            let row = random_row(random, words, &relation.args);
            text.extend([format!("{}.\n", applied(&relation.name, &row))]);
        }
        let rank = words.relations.len();
        words.relations.push(relation);
        for _ in 0..random.below(3) {
            let n_conditions = random.below(3);
            let clause = Bodies::new(random, words).only_static().clause(rank, true, n_conditions);
            text.push_str(&clause);
        }
    }
    // A line of numbers: what ends a recursion.
    let place = words.sorts.iter().position(|sort| sort.name == "n");
    if let Some(sort) = place {
        let relation = Relation::new("next".to_owned(), vec![sort, sort], Kind::Static);
        text.push_str("static next(n, n). next(X, X + 1).\n");
        words.relations.push(relation);
    }
}

/// Fluents of every kind, with a random start.
pub(crate) fn add_fluents(random: &mut Random, words: &mut Vocabulary, text: &mut String) {
    for number in 0..2 + random.below(3) {
        add_fluent(random, words, text, &format!("f{number}"), "");
    }
}

/// One fluent; `before` may make it transient.
pub(crate) fn add_fluent(
    random: &mut Random,
    words: &mut Vocabulary,
    text: &mut String,
    name: &str,
    before: &str,
) {
    let args = random_args(random, words, 0, 2);
    let value = if random.chance(60) { Some(random.below(words.sorts.len())) } else { None };
    let is_partial = value.is_some() && random.chance(40);
    let relation = Relation::new(name.to_owned(), args, Kind::Fluent { value, is_partial });
    let declared = relation.declared(words);
    let default = match value {
        None => String::new(),
        Some(sort) if is_partial => format!(" : {} = undefined", words.sorts[sort].name),
        Some(sort) => {
            let default = random.pick(&words.sorts[sort].values).clone();
            format!(" : {} = {default}", words.sorts[sort].name)
        }
    };
    text.extend([format!("{before}fluent {declared}{default}.\n")]);
    for row in all_rows(words, &relation.args) {
        if random.chance(45) {
            let value = value.map(|sort| random.pick(&words.sorts[sort].values).clone());
            let value = value.map_or(String::new(), |value| format!(" = {value}"));
            text.extend([format!("init {}{value}.\n", applied(name, &row))]);
        }
    }
    words.relations.push(relation);
}

/// Derived predicates, some of them recursive, alone or two together.
pub(crate) fn add_derived(random: &mut Random, words: &mut Vocabulary, text: &mut String) {
    let mut number = 0;
    for _ in 0..2 + random.below(4) {
        let first = words.relations.len();
        let n_together = if random.chance(20) { 2 } else { 1 };
        let is_declared = random.chance(60) || n_together == 2;
        for _ in 0..n_together {
            let args = random_args(random, words, 0, 3);
            let kind = Kind::Derived { first, is_declared };
            let relation = Relation::new(format!("d{number}"), args, kind);
            number += 1;
            if is_declared {
                text.extend([format!("derived {}.\n", relation.declared(words))]);
            }
            words.relations.push(relation);
        }
        for rank in first..words.relations.len() {
            for _ in 0..=random.below(3) {
                let n_conditions = 1 + random.below(4);
                let clause = Bodies::new(random, words).clause(rank, is_declared, n_conditions);
                text.push_str(&clause);
            }
        }
        words.n_settled = words.relations.len();
    }
}

pub(crate) fn random_args(
    random: &mut Random,
    words: &Vocabulary,
    least: usize,
    most: usize,
) -> Vec<usize> {
    let n_args = least + random.below(most + 1 - least);
    let mut args = Vec::new();
    for _ in 0..n_args {
        args.push(random.below(words.sorts.len()));
    }
    // Large tables make slow tests, not better ones.
    let size =
        |args: &[usize]| args.iter().map(|sort| words.sorts[*sort].values.len()).product::<usize>();
    while size(&args) > 40 {
        args.pop();
    }
    args
}

pub(crate) fn random_row(random: &mut Random, words: &Vocabulary, sorts: &[usize]) -> Vec<String> {
    sorts.iter().map(|sort| random.pick(&words.sorts[*sort].values).clone()).collect()
}

pub(crate) fn all_rows(words: &Vocabulary, sorts: &[usize]) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = vec![vec![]];
    for sort in sorts {
        let extend = |row: &Vec<String>| {
            let row = row.clone();
            let values = &words.sorts[*sort].values;
            values.iter().map(move |value| [row.clone(), vec![value.clone()]].concat())
        };
        rows = rows.iter().flat_map(extend).collect();
    }
    rows
}

pub(crate) fn applied(name: &str, args: &[String]) -> String {
    if args.is_empty() { name.to_owned() } else { format!("{name}({})", args.join(", ")) }
}
