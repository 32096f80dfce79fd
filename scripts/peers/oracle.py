"""Answers for other programs: which moves are legal in a position, and what it is after each.

Reads one JSON object a line and prints one for each, in the same order. `peer` says who answers:

pyffish     variant, position (a FEN; "" for the start), moves (made first; `pass` is whatever move stays where it is),
            chess960 (castling is written as king takes rook), follow (is it asked where moves lead?), after (FENs of ours).
            Answers legal, a list of [move, FEN after it], and after, the same FENs as this program writes them.
pydraughts  variant, position (a PDN position). Answers legal, a list of [move, position after it].

What goes wrong is an answer too: {"error": "..."}. With --version it says who is there.
"""

import json
import sys


def ask_pyffish(request):
    import pyffish

    variant, is_960 = request["variant"], request["chess960"]
    start = request["position"] or pyffish.start_fen(variant)
    made = []
    for move in request["moves"]:
        if move == "pass":
            legal = pyffish.legal_moves(variant, start, made, is_960)
            move = next((one for one in legal if stays(one)), move)
        made.append(move)
    legal = pyffish.legal_moves(variant, start, made, is_960)
    if not request["follow"]:
        return {"legal": [[move, ""] for move in legal], "after": []}
    # What is legal may depend on how one came here; where a move leads does not.
    here = pyffish.get_fen(variant, start, made, is_960)
    return {
        "legal": [[move, pyffish.get_fen(variant, here, [move], is_960)] for move in legal],
        "after": [pyffish.get_fen(variant, fen, [], is_960) for fen in request["after"]],
    }


def stays(move):
    half = len(move) // 2
    return move[:half] == move[half:]


def ask_pydraughts(request):
    import draughts

    board = draughts.Board(variant=request["variant"], fen=request["position"])
    legal = []
    for move in board.legal_moves():
        after = draughts.Board(variant=request["variant"], fen=request["position"])
        after.push(move)
        legal.append([move.pdn_move, after.fen])
    return {"legal": legal, "after": []}


def version():
    from importlib.metadata import version

    return " ".join(f"{name} {version(name)}" for name in ("pyffish", "pydraughts"))


def main():
    if sys.argv[1:] == ["--version"]:
        import draughts, pyffish  # noqa: F401, E401

        print(version())
        return
    peers = {"pyffish": ask_pyffish, "pydraughts": ask_pydraughts}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = peers[request["peer"]](request)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


main()
