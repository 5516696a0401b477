"""Writes the table of automata; README.md says how."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import msgspec
from tools.axelrod_automata.learning import Learnt, NoAutomatonError, Word, learn
from tools.axelrod_automata.strategies import Listed, first_difference, random_opponent

from otherminds.core.data import Automaton
from otherminds.games.registry import ipd
from otherminds.matrix.axelrod import FAULTS, STATES, TABLE, AutomatonTable, for_game, length_blind, library

EXTRA = 2
"""The extra states of the W-method."""
HISTORIES = ((1000, 100), (20, 1000))
"""Numbers of random histories, and their rounds."""


def main() -> None:
    """Learns an automaton of every length-blind strategy, prints each outcome, and writes the table."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument(
        "strategies", nargs="*", help="their names (default: all; no table is written for some)"
    )
    chosen = parser.parse_args().strategies
    found: dict[str, Automaton] = {}
    others: dict[str, str] = {}
    for name, make in length_blind().items():
        if chosen and name not in chosen:
            continue
        started = perf_counter()
        try:
            found[name] = automaton_of(partial(for_game, make, ipd()))
            outcome = f"{len(found[name].output)} states"
        except NoAutomatonError as error:
            outcome = others[name] = str(error)
        print(f"{name:36} {outcome} ({perf_counter() - started:.1f} s)", flush=True)
    if not chosen:
        write(AutomatonTable(library().__version__, found, others), TABLE)


def automaton_of(make: Callable[[], Any]) -> Automaton:
    """The automaton of the strategy that ``make`` makes, which passes the W-method and all random histories.

    Raises:
        NoAutomatonError: it has none that is found.
    """

    def differences(learnt: Learnt) -> Iterator[Word]:
        rng = Random(0)
        for count, rounds in HISTORIES:
            for _ in range(count):
                word = first_difference(make, learnt.automaton, random_opponent(rng, rounds), rng)
                if word is not None:
                    yield word

    try:
        return learn(Listed(make), STATES, EXTRA, differences).automaton
    except FAULTS as error:
        raise NoAutomatonError(f"draws in a way that is not listed: {error}") from error


def write(table: AutomatonTable, path: Path) -> None:
    """Writes ``table`` as JSON, one strategy a line."""
    blocks = [
        f'"{name}": {{\n' + ",\n".join(f'"{key}": {_json(value)}' for key, value in block.items()) + "\n}"
        for name, block in (("automata", table.automata), ("others", table.others))
    ]
    path.write_text(f'{{"version": "{table.version}",\n' + ",\n".join(blocks) + "}\n", encoding="utf-8")


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


if __name__ == "__main__":
    main()
