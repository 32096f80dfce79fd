//! Choices in games small enough to know what is right, and in random games where anything may happen.

#![expect(clippy::unwrap_used, reason = "a failing test may panic")]

#[path = "../../game/tests/toys/mod.rs"]
mod toys;

mod tables;

use rulesmith_game::{Draws, Ending, Error, Game, Notation, Random, RoleId};
use rulesmith_search::{Choice, MonteCarlo, Pace, choose};
use tables::{Node, Table};
use toys::{hands, subtraction};

fn limits(playouts: u64, seed: u64) -> MonteCarlo {
    MonteCarlo { playouts, max_length: 50, seed }
}

/// The choice of a role, nothing stopping it.
fn choice<G: Game>(
    game: &G,
    state: &G::State,
    role: usize,
    limits: &MonteCarlo,
) -> Option<Choice<G::Move>> {
    choose(game, state, RoleId(role), limits, &mut || Pace::GoOn).unwrap()
}

#[test]
fn the_immediate_win_is_chosen() {
    for (heap, last) in [(2, 2), (3, 3)] {
        let game = subtraction(heap);
        for seed in 0..20 {
            let chosen = choice(&game, &game.initial().unwrap(), 0, &limits(200, seed)).unwrap();
            assert_eq!(chosen.chosen, last, "{chosen:?}");
            assert_eq!(chosen.ranked()[0].mean, Some(100.0));
        }
    }
}

#[test]
fn the_immediate_loss_is_avoided() {
    // Whoever leaves one to three counters loses at once to a good opponent: four must be left.
    for (position, mover, right) in [("5 first", 0, 1), ("6 second", 1, 2), ("7 first", 0, 3)] {
        let game = subtraction(9);
        let state = game.parse_state(position).unwrap();
        for seed in 0..20 {
            let chosen = choice(&game, &state, mover, &limits(2_000, seed)).unwrap();
            assert_eq!(chosen.chosen, right, "{position}: {chosen:?}");
        }
    }
}

#[test]
fn means_are_those_of_random_contests() {
    // A random player wins from 1, 2, 3, 4 counters with chance 1, 1/2, 1/2, 1/3.
    let game = subtraction(4);
    let chosen = choice(&game, &game.initial().unwrap(), 0, &limits(30_000, 1)).unwrap();
    for (score, mean) in chosen.scores.iter().zip([50.0, 50.0, 0.0]) {
        assert!((score.mean.unwrap() - mean).abs() < 2.0, "{score:?}");
    }
}

#[test]
fn roles_that_move_at_once_each_choose_their_own() {
    let game = hands(2);
    let start = game.initial().unwrap();
    for role in 0..2 {
        let chosen = choice(&game, &start, role, &limits(300, 3)).unwrap();
        assert_eq!(chosen.scores.len(), 3);
        assert_eq!(chosen.playouts, 300);
    }
    // The second role wins with 0 whatever the first does, and must see that through all of its moves.
    let goals = [0, 100, 0, 100].map(|goal| vec![Some(100 - goal), Some(goal)]);
    let game = Table::of_one_turn(2, &[2, 2], goals.to_vec());
    assert_eq!(choice(&game, &0, 1, &limits(100, 1)).unwrap().chosen, 1);
}

#[test]
fn a_single_role_reaches_for_its_own_goal() {
    let goals = [10, 0, 70, 30].map(|goal| vec![Some(goal)]);
    let game = Table::of_one_turn(1, &[4], goals.to_vec());
    let chosen = choice(&game, &0, 0, &limits(400, 1)).unwrap();
    assert_eq!(chosen.chosen, 2);
    let means: Vec<f64> = chosen.scores.iter().map(|score| score.mean.unwrap().round()).collect();
    assert_eq!(means, [10.0, 0.0, 70.0, 30.0]);
}

#[test]
fn what_the_rules_leave_open_counts_as_an_even_share() {
    // For one of several roles nothing given is better than a loss and worse than a win.
    let goals = vec![vec![Some(0); 3], vec![None; 3], vec![Some(60), Some(40), Some(0)]];
    let game = Table::of_one_turn(3, &[3, 0, 0], goals);
    let chosen = choice(&game, &0, 0, &limits(300, 1)).unwrap();
    assert_eq!(chosen.chosen, 2);
    let means: Vec<f64> = chosen.scores.iter().map(|score| score.mean.unwrap().round()).collect();
    assert_eq!(means, [0.0, 33.0, 60.0]);
    // A single role that gets nowhere has nothing.
    let game = Table::of_one_turn(1, &[2], vec![vec![None], vec![Some(1)]]);
    assert_eq!(choice(&game, &0, 0, &limits(100, 1)).unwrap().chosen, 1);
}

#[test]
fn contests_without_end_are_given_up() {
    // The second move leads to a state that leads to itself for ever.
    let goals = vec![vec![Some(0), Some(100)]];
    let mut game = Table::of_one_turn(2, &[1, 0], goals);
    game.nodes[0] = Node { n_moves: vec![2, 0], next: vec![1, 2], outcome: None };
    game.nodes.push(Node { n_moves: vec![0, 1], next: vec![2], outcome: None });
    let chosen = choice(&game, &0, 0, &limits(100, 1)).unwrap();
    assert_eq!(chosen.chosen, 1);
    assert_eq!(chosen.scores[1].mean, Some(50.0));
    assert_eq!(chosen.capped, chosen.scores[1].visits);
}

#[test]
fn a_forced_move_costs_nothing_and_no_move_is_no_choice() {
    let game = subtraction(1);
    let forced = choice(&game, &game.initial().unwrap(), 0, &limits(100, 1)).unwrap();
    assert_eq!((forced.chosen, forced.playouts), (1, 0));
    assert_eq!(choice(&game, &game.initial().unwrap(), 1, &limits(100, 1)), None);
    assert_eq!(choice(&game, &game.initial().unwrap(), 7, &limits(100, 1)), None);
    let over = subtraction(0);
    assert_eq!(choice(&over, &over.initial().unwrap(), 0, &limits(100, 1)), None);
    let mut stuck = subtraction(5);
    stuck.stuck_at = Some(5);
    assert_eq!(choice(&stuck, &stuck.initial().unwrap(), 0, &limits(100, 1)), None);
    let mut drawn = subtraction(5);
    drawn.draw_at = Some(5);
    assert_eq!(choice(&drawn, &drawn.initial().unwrap(), 0, &limits(100, 1)), None);
}

#[test]
fn time_that_is_up_gives_an_answer_and_a_stop_gives_none() {
    let game = subtraction(40);
    let start = game.initial().unwrap();
    let run = |asked_at_most: u64, last: Pace| {
        let mut n_asked = 0;
        let mut pace = || {
            n_asked += 1;
            if n_asked > asked_at_most { last } else { Pace::GoOn }
        };
        let result = choose(&game, &start, RoleId(0), &limits(u64::MAX, 1), &mut pace);
        assert_eq!(n_asked, asked_at_most + 1, "nothing is asked after a stop");
        result
    };
    for asked in [0, 1, 2, 17, 1_000] {
        let chosen = run(asked, Pace::Enough).unwrap().unwrap();
        assert!(chosen.playouts <= asked && (asked < 1_000 || chosen.playouts > 10));
        let visits: u64 = chosen.scores.iter().map(|score| score.visits).sum();
        assert_eq!(visits, chosen.playouts);
        assert_eq!(run(asked, Pace::Interrupt), Err(Error::Interrupted));
    }
}

#[test]
fn any_game_and_any_state_gives_a_legal_move_by_the_seed() {
    let (mut n_choices, mut n_wins) = (0, 0);
    for seed in 0..60 {
        let game = Table::random(&mut Random::new(seed));
        for state in 0..game.nodes.len() {
            let outcome = game.outcome(&state, Draws::Apply).unwrap();
            let is_over = outcome.is_some_and(|outcome| outcome.ending != Ending::Stuck);
            for role in 0..game.roles().len() {
                let moves = game.legal_moves(&state, RoleId(role)).unwrap();
                let chosen = choice(&game, &state, role, &limits(300, seed));
                assert_eq!(chosen, choice(&game, &state, role, &limits(300, seed)));
                assert_eq!(chosen.is_some(), !is_over && !moves.is_empty());
                let Some(chosen) = chosen else { continue };
                n_choices += 1;
                n_wins += u64::from(check(&game, state, role, &chosen));
            }
        }
    }
    assert!(n_choices > 300 && n_wins > 20, "{n_choices} choices, {n_wins} with a sure win");
}

/// Checks a choice made with 300 playouts; tells whether a sure win could be chosen.
fn check(game: &Table, state: usize, role: usize, chosen: &Choice<usize>) -> bool {
    let moves = game.legal_moves(&state, RoleId(role)).unwrap();
    let listed: Vec<usize> = chosen.scores.iter().map(|score| score.chosen).collect();
    assert_eq!(listed, moves);
    let visits: u64 = chosen.scores.iter().map(|score| score.visits).sum();
    assert_eq!((visits, chosen.playouts), if moves.len() > 1 { (300, 300) } else { (0, 0) });
    let means = chosen.scores.iter().filter_map(|score| score.mean);
    assert!(means.clone().all(|mean| (0.0..=100.0).contains(&mean)), "{chosen:?}");
    let is_sure = means.fold(0.0, f64::max) >= 100.0;
    let mean = chosen.scores.iter().find(|score| score.chosen == chosen.chosen).unwrap().mean;
    assert!(!is_sure || mean.unwrap() > 90.0, "{chosen:?}");
    is_sure
}
