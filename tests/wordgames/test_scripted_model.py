"""Two scripted models behind a server that know nothing but the text: one infers its partner from it, the other takes all for one kind."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pytest

import otherminds as om
from otherminds.core.model import Completion
from otherminds.wordgames.lexicon import read_lexicon
from otherminds.wordgames.partners import Listener, list_members, make_listener
from otherminds.wordgames.wavelength import place_clues
from tests.cases import thinned
from tests.models.serving import Answer, Asked, Reply, chat, scripted, serving

BOARD = re.compile(r"from 1 \((\w+)\) to 9 \((\w+)\)\. The clue words are: (.*)\.")
GAVE, WAS = re.compile(r"Your partner gave the clue (\w+)\."), re.compile(r"The target was (\d)\.")


class ReadRound(NamedTuple):
    """A round as the prompt tells it: its words, the clue, and the target, -1 before the end."""

    words: tuple[int, ...]
    clue: int
    target: int


@cache
def list_listeners() -> list[Listener]:
    return [make_listener(read_lexicon(), spec) for _, spec in list_members("mixed", curves=True)]


def read_rounds(prompt: str) -> list[ReadRound]:
    """The rounds of a prompt, the last one unfinished."""
    number = read_lexicon().words.index
    rounds: list[ReadRound] = []
    for part in re.split(r"\nRound \d+ of \d+\.\n", prompt)[1:]:
        board, gave, was = BOARD.search(part), GAVE.search(part), WAS.search(part)
        assert board is not None, part
        assert gave is not None, part
        clues = board[3].split(", ")
        words = tuple(map(number, (board[1], board[2], *clues)))
        rounds.append(ReadRound(words, clues.index(gave[1]), int(was[1]) - 1 if was else -1))
    return rounds


def list_targets(listener: Listener, words: tuple[int, ...], clue: int) -> list[int]:
    """The targets for which a partner gives this clue."""
    places = place_clues(listener, words, calibrated=True)
    return [target for target in range(9) if np.abs(places - target).argmin() == clue]


def infer_partner(rounds: Sequence[ReadRound]) -> Listener:
    """The type whose clues were those of most rounds."""
    return max(
        list_listeners(),
        key=lambda listener: sum(
            read.target in list_targets(listener, read.words, read.clue) for read in rounds[:-1]
        ),
    )


def take_for_one_kind(rounds: Sequence[ReadRound]) -> Listener:
    """Always the first type."""
    return list_listeners()[0]


def answer_as(choose: Callable[[Sequence[ReadRound]], Listener]) -> Answer:
    """A server whose model answers, and sets the dial, as if its partner were the type that ``choose`` names."""
    listing = scripted()

    def answer(asked: Asked) -> Reply:
        if asked.path != "/v1/chat/completions":
            return listing(asked)
        prompt = "\n".join(message["content"] for message in asked.body["messages"])
        rounds = read_rounds(prompt)
        listener, current = choose(rounds), rounds[-1]
        if "How does your partner associate" in prompt[prompt.rindex("Round ") :]:
            place = int(place_clues(listener, current.words, calibrated=False)[current.clue])
        else:
            targets = list_targets(listener, current.words, current.clue)
            place = targets[len(targets) // 2] if targets else 4
        return Reply(chat(Completion(f"A: Option {place + 1}")))

    return answer


@pytest.mark.parametrize(
    ("choose", "kind"), thinned([(infer_partner, "uses"), (take_for_one_kind, "no evidence")], 2)
)
def test_the_text_tells_enough_to_know_the_partner_and_to_act_on_it(
    choose: Callable[[Sequence[ReadRound]], Listener], kind: str
) -> None:
    cell = {
        "scenarios": ["wavelength-guesser-mixed-v1"],
        "options": {"boards": 16, "slip": 0.0},
        "minds": ["qa@MODEL"],
        "episodes": 24,
    }
    with TemporaryDirectory() as folder, serving(answer_as(choose)) as server:
        report = om.run([cell], Path(folder) / "run", models=f"openai:toy@{server.url}")
    (verdict,) = report.verdicts
    assert verdict.kind == kind, verdict.sentence
    assert (verdict.lost, verdict.unread) == (0, 0)
