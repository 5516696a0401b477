"""How much of free sentences the reader reads, and how often what it reads was said.

``tests/data/epistemic/paraphrases.jsonl`` holds messages with the facts that each states outright, written
without sight of the reader. They are split by a hash of their text: the reader was mended by looking
at the half ``dev`` alone, and its figures are those of the half ``test``.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import msgspec
from common import arguments, finish, show
from msgspec import Struct

from otherminds.household.epistemic.formula import And, Formula, Know, conjuncts
from otherminds.household.epistemic.formula import show as shown
from otherminds.household.epistemic.parse import parse
from otherminds.household.epistemic.predicates import positive
from otherminds.household.epistemic.words.free import read_message

DATA = Path(__file__).parent.parent / "tests" / "data" / "epistemic" / "paraphrases.jsonl"
HALVES = ("dev", "test")


class Paraphrase(Struct, frozen=True):
    """One message of ``sender`` and the facts that it states; a ``trap`` seems to state more than it does."""

    text: str
    sender: str
    facts: tuple[str, ...]
    trap: bool = False

    @property
    def half(self) -> str:
        """Which half of the data it belongs to."""
        return HALVES[sha256(self.text.encode()).digest()[0] % 2]

    @property
    def meant(self) -> frozenset[Formula | str]:
        """What it states, one formula a fact; ``(not (K ..))``, which goals cannot say, as it is written."""
        denied = frozenset(fact for fact in self.facts if fact.startswith("(not (K "))
        return denied | plain((parse(fact) for fact in self.facts if fact not in denied), self.sender)

    @property
    def read(self) -> frozenset[Formula]:
        """What the reader takes it to state."""
        return plain(read_message(self.text, me=self.sender).facts, self.sender)


class Score(Struct, frozen=True):
    """Counts over some messages: facts ``meant``, ``read`` and both (``right``); traps, and those of which a fact was read wrongly."""

    texts: int
    meant: int
    read: int
    right: int
    traps: int
    caught: int

    @property
    def recall(self) -> float:
        """The share (0 to 1) of stated facts that are read."""
        return self.right / self.meant

    @property
    def precision(self) -> float:
        """The share (0 to 1) of read facts that were stated."""
        return self.right / self.read


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--mistakes", action="store_true", help="list what is read otherwise in the half dev")
    options = parser.parse_args()
    found = paraphrases()
    halves = {half: [one for one in found if one.half == half] for half in HALVES}
    scores = {half: score(ones) for half, ones in halves.items()}
    heads = ("half", "messages", "facts", "read", "right", "recall", "precision", "traps", "misread traps")
    rows = [
        (half, s.texts, s.meant, s.read, s.right, f"{s.recall:.3f}", f"{s.precision:.3f}", s.traps, s.caught)
        for half, s in scores.items()
    ]
    show("free sentences", heads, rows)
    for one in halves["dev"] if options.mistakes else ():
        if one.read != one.meant:
            print(
                f"{one.text}\n    not read: {listed(one.meant - one.read)}; wrong: {listed(one.read - one.meant)}"
            )
    finish(
        options,
        {f"{h}.{name}": getattr(s, name) for h, s in scores.items() for name in ("recall", "precision")},
    )


def paraphrases() -> list[Paraphrase]:
    """All messages of the data."""
    lines = DATA.read_text(encoding="utf-8").splitlines()
    return [msgspec.json.decode(line, type=Paraphrase) for line in lines]


def score(ones: Iterable[Paraphrase]) -> Score:
    """The counts of some messages."""
    found = [(one, one.meant, one.read) for one in ones]
    return Score(
        texts=len(found),
        meant=sum(len(meant) for _, meant, _ in found),
        read=sum(len(read) for *_, read in found),
        right=sum(len(meant & read) for _, meant, read in found),
        traps=sum(one.trap for one, *_ in found),
        caught=sum(one.trap and not read <= meant for one, meant, read in found),
    )


def plain(formulas: Iterable[Formula], sender: str) -> frozenset[Formula]:
    """Facts one by one in their positive form, what is known among them; that the sender knows one is the fact itself."""
    parts = [_plain(part, sender) for formula in formulas for part in conjuncts(formula)]
    return frozenset([*parts, *(fact for part in parts for fact in _inside(part))])


def _plain(formula: Formula, sender: str) -> Formula:
    if isinstance(formula, Know):
        inside = _plain(formula.inside, sender)
        return inside if formula.agent == sender else Know(formula.agent, inside)
    return formula if isinstance(formula, And) else positive(formula)


def _inside(formula: Formula) -> Iterable[Formula]:
    """What somebody knows is so."""
    while isinstance(formula, Know):
        formula = formula.inside
        yield formula


def listed(formulas: Iterable[Formula | str]) -> str:
    """Formulas in one line."""
    return ", ".join(sorted(f if isinstance(f, str) else shown(f) for f in formulas)) or "nothing"


if __name__ == "__main__":
    main()
