"""Prompt packs: the wording of strategies, and of a world's frame, as one file.

Shipped packs are the files of the folder ``packs``. A pack of a user is a file of the same form. A table that
a file leaves out is the default pack's. Records and studies contain the whole content, never the path, so that a changed file is another mind and an
episode can be played again without the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, cast, get_type_hints

from msgspec import Struct

from otherminds.core.errors import StudyError
from otherminds.core.text import hint, quote_name
from otherminds.core.user_files import read_toml
from otherminds.core.wording import PLAIN, Fields, tables, texts
from otherminds.minds.language.requests import Instruction

LM = "lm"
"""The table of a pack with the form of LM prompting; without it in a record, options answer a question."""
FRAME = "frame"
"""The table of a pack with the frame of matrix games; without it the world uses its own frame."""


class AnswerTexts(Struct, frozen=True):
    """Instructions of answers without reasoning, and what follows every instruction.

    ``listed`` comes before the list of valid answers, ``open`` before forms of open answers. ``again``, which a
    pack may leave out, answers a reply that chooses what is none of them.
    """

    listed: str
    open: str
    at_once: str
    again: Annotated[str, Fields("answers")] = (
        "Your last reply chose none of the options. Write exactly one of these lines and stop:\n{answers}"
    )


class CotTexts(Struct, frozen=True):
    """The instruction to reason (``cot``, ``cot_3shot``, ``s2a_cot``, ``tool_loop``).

    ``consider`` is ``own`` in a choice and ``other`` in a prediction, unless the world names a subject.
    ``call`` replaces ``reason`` where ``tool_loop`` has tools; ``turn`` comes after worked examples.
    """

    reason: Annotated[str, Fields("consider")]
    call: Annotated[str, Fields("consider")]
    own: str
    other: str
    turn: str


class PlansTexts(Struct, frozen=True):
    """Plans + Insights. Replies are read by the names ``Plans:`` and ``Insights:``, which ``update`` must contain."""

    update: Annotated[str, Fields("consider")]
    other: str
    plans: Annotated[str, Fields("plans")]
    insights: Annotated[str, Fields("insights")]


class ReflexionTexts(Struct, frozen=True):
    """Reflexion. ``reflect_on`` is used where the world names a subject; ``shown`` comes before reflections."""

    reflect: str
    reflect_on: Annotated[str, Fields("consider")]
    shown: str


class S2ATexts(Struct, frozen=True):
    """The request to rewrite."""

    rewrite: str


class SocialTexts(Struct, frozen=True):
    """Social prompting: the prediction in the prompt of the choice, and its instruction."""

    expected: Annotated[str, Fields("option")]
    choose: str


class OracleTexts(Struct, frozen=True):
    """Oracles: the true next action in the prompt, and the instruction of Oracle + Max."""

    known: Annotated[str, Fields("option")]
    maximise: str


CONTINUATION, QUESTION = "continuation", "question"


class LMTexts(Struct, frozen=True):
    """LM prompting: whether options are scored as the ``continuation`` of the history or as the answer to a ``question``.

    A world without continuations has questions in both cases. Packs in records from before there was a
    choice have no such table, and a question.
    """

    form: str = QUESTION


class Wording(Struct, frozen=True):
    """A whole pack. ``frame`` is checked by the world that uses it."""

    answer: AnswerTexts
    cot: CotTexts
    plans_insights: PlansTexts
    reflexion: ReflexionTexts
    s2a: S2ATexts
    social: SocialTexts
    oracle: OracleTexts
    lm: LMTexts = LMTexts()
    frame: dict[str, Any] = {}

    def instruction(self, words: str, consider: str = "") -> Instruction:
        """``words`` with what follows an instruction in this pack."""
        return Instruction(words, consider, self.answer.listed, self.answer.open)

    @property
    def at_once(self) -> Instruction:
        """To answer without reasoning."""
        return self.instruction(self.answer.at_once)

    @property
    def reasoned(self) -> Instruction:
        """To reason about the own choice, then answer."""
        return self.instruction(self.cot.reason, self.cot.own)

    @property
    def reasoned_about_other(self) -> Instruction:
        """To reason about the other player, then answer."""
        return self.instruction(self.cot.reason, self.cot.other)


TABLES = {name: kind for name, kind in get_type_hints(Wording).items() if name != FRAME}


def shipped_packs() -> dict[str, Path]:
    """The files of the shipped packs by name, the default first."""
    folder = Path(str(files("otherminds.minds.language") / "packs"))
    packs = {path.stem: path for path in sorted(folder.glob("*.toml"))}
    return {PLAIN: packs.pop(PLAIN), **packs}


def content(path: Path) -> dict[str, Any]:
    """A pack file as the value of the parameter ``pack``: its name and its content.

    Raises:
        StudyError: the file cannot be read, or is no pack.
    """
    pack = {"name": path.stem, "texts": _complete_tables(path)}
    wording(pack)
    return pack


def wording(pack: Any) -> Wording:
    """The pack that the parameter ``pack`` names (a shipped one) or contains (see :func:`content`).

    Raises:
        StudyError: there is no such pack, or its texts are not valid.
    """
    if isinstance(pack, str):
        return _load_shipped(pack)
    contents = cast("dict[str, Any]", pack) if isinstance(pack, Mapping) else {}
    if set(contents) != {"name", "texts"} or not isinstance(contents["texts"], Mapping):
        raise StudyError(
            f"a prompt pack is a name, a path in a study file, or the content of one, not {pack!r}"
        )
    return _make_wording(contents["texts"], f"prompt pack {contents['name']!r}")


def resolve_pack(pack: Any, folder: Path) -> Any:
    """The parameter ``pack`` of a study file in ``folder``: a path is replaced by its :func:`content`."""
    if isinstance(pack, str) and (pack.endswith(".toml") or "/" in pack):
        return content(folder / pack)
    return pack


@cache
def _load_shipped(name: str) -> Wording:
    packs = shipped_packs()
    if name not in packs:
        raise StudyError(
            f"no prompt pack is called {quote_name(name)}{hint(name, packs)} "
            "(a pack of your own is a path to a .toml file)"
        )
    return _make_wording(_complete_tables(packs[name]), f"prompt pack {name!r}")


def _complete_tables(path: Path) -> dict[str, Any]:
    """The tables of a pack file; those that it leaves out are the default pack's, but for the frame.

    Raises:
        StudyError: the file cannot be read.
    """
    return read_toml(shipped_packs()[PLAIN], "prompt pack") | read_toml(path, "prompt pack")


def _make_wording(pack: Mapping[str, Any], where: str) -> Wording:
    chosen = {name: table for name, table in pack.items() if name != FRAME}
    tables(chosen, TABLES, where, {LM})
    by_table = {
        name: texts(kind, pack[name], f"{where}: {name}") for name, kind in TABLES.items() if name in pack
    }
    form = by_table[LM].form if LM in by_table else QUESTION
    if form not in (CONTINUATION, QUESTION):
        raise StudyError(f"{where}: lm.form must be {CONTINUATION!r} or {QUESTION!r}, not {form!r}")
    for field in ("Plans:", "Insights:"):
        if field not in by_table["plans_insights"].update:
            raise StudyError(
                f"{where}: plans_insights.update must contain {field!r}, since replies are read by it"
            )
    frame = pack.get(FRAME, {})
    if not isinstance(frame, Mapping):
        raise StudyError(f"{where}: {FRAME} must be a table of texts, not {frame!r}")
    return Wording(**by_table, frame=dict(frame))
