"""Random playouts of OpenSpiel's games, inside C++, as JSON lines.

In: names of games (all of the table when none is given). Out: one JSON object a game, with playouts
and states per second of this thread's CPU time, the mean length of random contests and its standard
error. Started by the script `openspiel` beside this file, which installs OpenSpiel.

How it measures: the random-rollout evaluator is C++ and cannot be called from Python by itself, but
a Monte Carlo tree search that may do one simulation evaluates the state it is given, and nothing
else, with it. So one search from the start is n whole random contests without a step of Python
between them. The best of several rounds counts, because other work on the machine can only slow a
round down. The length of contests is not reported by the evaluator; a Python loop over fewer
contests measures it, and states per second are playouts per second times that mean.
"""

import argparse
import json
import math
import random
import sys
import time

import pyspiel

# Our names beside OpenSpiel's; what differs in the rules is said where a comparison needs it.
GAMES = {
    "noughts_and_crosses": "tic_tac_toe",
    "connect_four": "connect_four",
    "breakthrough": "breakthrough(rows=8,columns=8)",
    "english_draughts": "checkers(rows=8,columns=8)",
    "reversi": "othello",
    "hex": "hex(board_size=11)",
    "gomoku": "gomoku(size=15)",
    "go(size=9)": "go(board_size=9)",
    "go(size=19)": "go(board_size=19)",
    "lines_of_action": "lines_of_action",
    "nine_mens_morris": "nine_mens_morris",
    "amazons": "amazons(board_size=10)",
}


def rollout_seconds(game, n_rollouts, seed):
    """CPU seconds of this thread for so many random contests from the start."""
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts, seed)
    # One simulation: the search evaluates the root and stops.
    bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 64, False, seed, False)
    state = game.new_initial_state()
    start = time.thread_time()
    bot.mcts_search(state)
    return time.thread_time() - start


def playouts_per_second(game, arguments):
    """The best rate of all rounds, each of about the wanted time."""
    n_rollouts = 1
    while (seconds := rollout_seconds(game, n_rollouts, arguments.seed)) < 0.05:
        n_rollouts *= 4
    n_rollouts = max(1, round(n_rollouts * arguments.seconds / seconds))
    rates = []
    for a_round in range(arguments.rounds):
        rates.append(n_rollouts / rollout_seconds(game, n_rollouts, arguments.seed + a_round))
    return max(rates), n_rollouts


def contest_length(game, choose):
    """The number of moves of one random contest."""
    state = game.new_initial_state()
    length = 0
    while not state.is_terminal():
        state.apply_action(choose(state.legal_actions()))
        length += 1
    return length


def lengths(game, arguments):
    """Mean, standard error and number of the random contests that fit into the given time."""
    choose = random.Random(arguments.seed).choice
    found = []
    start = time.thread_time()
    while len(found) < 2 or time.thread_time() - start < arguments.length_seconds:
        found.append(contest_length(game, choose))
    mean = sum(found) / len(found)
    variance = sum((length - mean) ** 2 for length in found) / (len(found) - 1)
    return mean, math.sqrt(variance / len(found)), len(found)


def measure(name, arguments):
    """One line of the output."""
    text = GAMES[name]
    if text.split("(")[0] not in pyspiel.registered_names():
        return {"game": name, "peer": text, "skipped": "not in this OpenSpiel"}
    game = pyspiel.load_game(text)
    rate, n_rollouts = playouts_per_second(game, arguments)
    mean, error, n_contests = lengths(game, arguments)
    return {
        "game": name,
        "peer": text,
        "version": arguments.version_label,
        "playouts_per_second": round(rate, 1),
        "states_per_second": round(rate * mean),
        "mean_length": round(mean, 3),
        "length_error": round(error, 3),
        "contests_for_length": n_contests,
        "playouts_per_round": n_rollouts,
        "rounds": arguments.rounds,
        "seed": arguments.seed,
    }


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help="of: " + ", ".join(GAMES))
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds a round")
    parser.add_argument("--rounds", type=int, default=5, help="rounds, of which the best counts")
    parser.add_argument("--length-seconds", type=float, default=2.0, help="for the mean length")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--version-label", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    unknown = [name for name in arguments.games if name not in GAMES]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(GAMES)}")
    return arguments


def main():
    """Measures each game and prints its line at once."""
    arguments = parse_arguments()
    for name in arguments.games or GAMES:
        print(json.dumps(measure(name, arguments)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
