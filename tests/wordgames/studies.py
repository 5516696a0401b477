"""Episodes and studies of word games at the level of moves, without a world and its records."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from otherminds.core.encoding import stream
from otherminds.core.scenario import Population
from otherminds.measures.evidence import EpisodeEvidence
from otherminds.measures.registry import Unknown
from otherminds.wordgames.evidence import PlayedRound, is_asked, measure_episode
from otherminds.wordgames.exact import GameTables
from otherminds.wordgames.game import EGO, Board, Moves
from otherminds.wordgames.minds import PolicyMaker, RoundPolicy, reply


def play_rounds(
    tables: GameTables, policy: RoundPolicy, boards: Sequence[Board], partner: int, rng: Random
) -> list[PlayedRound]:
    """The rounds of an episode against type number ``partner``, whose slips come from ``rng``."""
    game, listener = tables.game, tables.listeners[partner]
    rounds: list[PlayedRound] = []
    for number, board in enumerate(boards):
        view = tables.hide_secret(board)
        moves: Moves = ()
        answers: tuple[int, ...] = ()
        while (mover := game.mover(moves)) is not None:
            if mover == EGO:
                if is_asked(number, len(boards)) and not answers:
                    answers = policy.predict(view, moves)
                move = policy.choose(view, moves)
            else:
                move = reply(tables, listener, board, moves, rng)
            moves = game.complete(board.secret, (*moves, move))
        policy.learn(board, moves)
        rounds.append(PlayedRound(moves, answers))
    return rounds


def simulate_study(
    tables: GameTables, make: PolicyMaker, episodes: int, rounds: int = 24, seed: int | str = 0
) -> list[EpisodeEvidence | Unknown]:
    """The evidence of ``episodes`` episodes of one policy, whose partners are those of a study with as many episodes."""
    members = Population(tuple((weight, (spec,)) for weight, spec in tables.members))
    gathered: list[EpisodeEvidence | Unknown] = []
    for episode in range(episodes):
        rng = stream(episode, f"word games {seed}")
        boards = tables.draw(rng, rounds)
        partner = tables.names.index(members.met(episode)[0].title)
        played = play_rounds(tables, make(tables, partner, rng), boards, partner, rng)
        gathered.append(measure_episode(tables, partner, boards, played, design=str(episode)))
    return gathered
