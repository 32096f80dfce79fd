//! Costs: how often conditions hold before and after, measured on working memories.
//!
//! In: a program that holds the clauses as they were unfolded, the trees made of them, and a game to
//! take states from. Out: for each clause the two columns that the paper prints, and their sums. Paper:
//! metameta §3.2. Invariant: both sides answer the same questions in the same states as the reference
//! solver does by the rules alone, and a difference in their answers is told.

use std::collections::{BTreeMap, BTreeSet};

use rulesmith_compile::{ReferenceGame, Sampling, State, visit_states};
use rulesmith_game::{Error, Game};
use rulesmith_logic::{PredicateId, Row, Value};
use rulesmith_matching::Count;
use rulesmith_rules::{Request, RequestArg};

use super::report::TreeLine;
use super::trees::{ShownTree, Words};

/// Calls of a predicate whose answers never change.
const STATIC_CALLS: usize = 512;
/// Calls in each sampled state.
const STATE_CALLS: usize = 24;

/// How many conditions held.
#[derive(Clone, Debug, Default)]
pub struct Cost {
    /// What the predicate was called with, in words.
    pub called_with: String,
    /// How often it was called.
    pub n_calls: u64,
    /// In how many states; none if the answers are the same in all.
    pub n_states: Option<u64>,
    /// How many answers there were in all.
    pub n_answers: u64,
    /// For each clause, its conditions as they were unfolded, with how often each held.
    pub before: Vec<Vec<(String, u64)>>,
    /// For each clause, its conditions on its way through the tree, with how often each held.
    pub after: Vec<Vec<(String, u64)>>,
    /// Are they the answers of the rules as they are?
    pub agreement: Agreement,
    /// Conditions that held before, in all.
    pub total_before: u64,
    /// Conditions that held after, in all; those that clauses share count once.
    pub total_after: u64,
}

/// What the reference solver says to the same questions, by the rules as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Agreement {
    /// The same answers.
    #[default]
    Same,
    /// Other answers, and how many.
    Differs {
        /// How many answers the rules give.
        n_answers: u64,
    },
    /// It could not answer, and why.
    NotCompared(String),
}

/// What is measured: one procedure, before and after.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    /// The names it is called by and its places in the program, before and after.
    pub(super) before: (PredicateId, usize),
    pub(super) after: (PredicateId, usize),
    pub(super) calls: Calls,
    pub(super) before_tree: ShownTree,
    pub(super) after_tree: ShownTree,
}

/// The questions to ask.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    /// The values of the known arguments, one row a call.
    pub(super) patterns: Vec<Vec<Option<Value>>>,
    pub(super) is_static: bool,
    pub(super) words: String,
}

/// The answers to each question.
pub(super) type Answers = Vec<BTreeSet<Row>>;

/// What one side came to.
struct Side {
    counts: Vec<Vec<Count>>,
    answers: Answers,
    n_calls: u64,
    n_states: Option<u64>,
}

/// Asks both sides the same questions. Also gives the lines of the tree with their counts.
pub(super) fn measure(
    game: &ReferenceGame,
    sampling: Sampling,
    measured: &Measured,
    reference: &Result<Answers, String>,
) -> Result<(Cost, Vec<TreeLine>), String> {
    let after = side(game, sampling, measured.after.0, &measured.calls);
    let after = after.map_err(|error| error.to_string())?;
    let before = side(game, sampling, measured.before.0, &measured.calls);
    let before = before.map_err(|error| format!("as written: {error}"))?;
    if before.answers != after.answers {
        return Err("the program and the clauses it was made of differ".to_owned());
    }
    let agreement = match reference {
        Ok(answers) if *answers == after.answers => Agreement::Same,
        Ok(answers) => Agreement::Differs { n_answers: n_answers(answers) },
        Err(why) => Agreement::NotCompared(why.clone()),
    };
    let symbols = game.solver().symbols().borrow();
    let words = Words { theory: game.theory(), symbols: &symbols };
    let lines = |shown: &ShownTree, side: &Side, place: usize| {
        shown.lines(words, side.counts.get(place).map_or(&[], Vec::as_slice))
    };
    let written = lines(&measured.before_tree, &before, measured.before.1);
    let tree = lines(&measured.after_tree, &after, measured.after.1);
    let cost = Cost {
        called_with: measured.calls.words.clone(),
        n_calls: after.n_calls,
        n_answers: n_answers(&after.answers),
        agreement,
        n_states: after.n_states,
        before: columns(&measured.before_tree, words, &before, measured.before.1),
        after: columns(&measured.after_tree, words, &after, measured.after.1),
        total_before: total(&written, &before, measured.before.1),
        total_after: total(&tree, &after, measured.after.1),
    };
    Ok((cost, tree))
}

/// What a game without a program answers: the reference solver, by the rules alone.
pub(super) fn reference(
    game: &ReferenceGame,
    sampling: Sampling,
    asked: &Request,
    calls: &Calls,
) -> Result<Answers, Error> {
    let mut answers = Vec::new();
    let mut ask = |state: &State| {
        for pattern in &calls.patterns {
            let given = asked.args.iter().zip(pattern).map(|(arg, known)| match arg {
                RequestArg::Value(value) => Some(*value),
                _ => *known,
            });
            let rows = game.ask(state, asked.predicate, &given.collect::<Vec<_>>())?;
            answers.push(rows.iter().filter(|row| fits(&asked.args, row)).cloned().collect());
        }
        Ok(())
    };
    if calls.is_static {
        ask(&game.initial()?)?;
    } else {
        visit_states(game, sampling, &mut ask)?;
    }
    Ok(answers)
}

/// Do arguments with one name have one value?
fn fits(args: &[RequestArg], row: &Row) -> bool {
    let name = |arg: &RequestArg| match arg {
        RequestArg::Known(name) | RequestArg::Unknown(name) if name != "_" => Some(name.clone()),
        _ => None,
    };
    let named = args.iter().zip(row.iter()).filter_map(|(arg, value)| Some((name(arg)?, value)));
    let mut values: BTreeMap<String, &Value> = BTreeMap::new();
    named.into_iter().all(|(name, value)| *values.entry(name).or_insert(value) == value)
}

fn n_answers(answers: &Answers) -> u64 {
    answers.iter().map(|rows| rows.len() as u64).sum()
}

fn side(
    game: &ReferenceGame,
    sampling: Sampling,
    predicate: PredicateId,
    calls: &Calls,
) -> Result<Side, Error> {
    let mut side = Side { counts: Vec::new(), answers: Vec::new(), n_calls: 0, n_states: None };
    let interpreter = game.interpreter();
    let mut ask = |state: &State| {
        if let Some(interpreter) = interpreter {
            interpreter.reset_counts();
        }
        for pattern in &calls.patterns {
            let rows = game.ask(state, predicate, pattern)?;
            side.answers.push(rows.iter().cloned().collect());
            side.n_calls += 1;
        }
        if let Some(interpreter) = interpreter {
            add(&mut side.counts, &interpreter.counts());
        }
        Ok(())
    };
    // States are made anew for each side: a state remembers what was asked about it.
    if calls.is_static {
        ask(&game.initial()?)?;
    } else {
        let mut n_states = 0;
        visit_states(game, sampling, &mut |state| {
            n_states += 1;
            ask(state)
        })?;
        side.n_states = Some(n_states);
    }
    Ok(side)
}

fn add(totals: &mut Vec<Vec<Count>>, counts: &[Vec<Count>]) {
    totals.resize_with(counts.len().max(totals.len()), Vec::new);
    for (total, counts) in totals.iter_mut().zip(counts) {
        total.resize_with(counts.len().max(total.len()), Count::default);
        for (total, count) in total.iter_mut().zip(counts) {
            total.tried += count.tried;
            total.held += count.held;
        }
    }
}

/// The conditions on the way to each clause, with how often they held.
fn columns(
    shown: &ShownTree,
    words: Words<'_>,
    side: &Side,
    place: usize,
) -> Vec<Vec<(String, u64)>> {
    let counts = side.counts.get(place).map_or(&[][..], Vec::as_slice);
    shown.paths(words, counts).into_iter().map(|path| path.conditions).collect()
}

/// What held in the procedure and in those it calls. Conclusions are no conditions.
fn total(lines: &[TreeLine], side: &Side, place: usize) -> u64 {
    let own = lines.iter().filter(|line| line.concludes.is_none());
    let own: u64 = own.map(|line| line.held + line.held_inside).sum();
    let others = side.counts.iter().enumerate().filter(|(other, _)| *other != place);
    own + others.flat_map(|(_, counts)| counts).map(|count| count.held).sum::<u64>()
}

/// Combinations of values, one for each list; if there are too many, some of them at even distances.
pub(super) fn combinations(lists: &[Vec<Value>], is_static: bool) -> Vec<Vec<Value>> {
    let n_wanted = if is_static { STATIC_CALLS } else { STATE_CALLS };
    let n_all = lists.iter().fold(1_usize, |product, list| product.saturating_mul(list.len()));
    let n_taken = n_all.min(n_wanted);
    let combination = |number: usize| {
        // In the middle of its share, so that not only corners are taken.
        let share = n_all / n_taken.max(1);
        let mut rest = if n_all > n_taken { number * share + share / 2 } else { number };
        let mut values = Vec::with_capacity(lists.len());
        for list in lists.iter().rev() {
            values.push(list[rest % list.len()]);
            rest /= list.len();
        }
        values.reverse();
        values
    };
    (0..n_taken).map(combination).collect()
}
