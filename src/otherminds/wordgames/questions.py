"""How questions about the partner and their answers are named in records, whatever the words of a round are."""

from collections.abc import Sequence

SLOT, ANSWER = "about:", "answer "
"""The beginnings of the ids of questions about the partner, and of their answers."""


def name_slot(slot: int) -> str:
    """The id of a question about the partner."""
    return f"{SLOT}{slot}"


def read_slot(question: str) -> int | None:
    """The number of a question about the partner; ``None`` for other questions.

    >>> read_slot("about:2"), read_slot("next:partner")
    (2, None)
    """
    return int(question.removeprefix(SLOT)) if question.startswith(SLOT) else None


def name_answer(answer: int) -> str:
    """An answer as records name it, whatever the words are.

    >>> name_answer(0), read_answer("answer 1")
    ('answer 1', 0)
    """
    return f"{ANSWER}{answer + 1}"


def read_answer(name: str) -> int:
    """The number of a named answer."""
    return int(name.removeprefix(ANSWER)) - 1


def count_declarations(answers: int, slots: int) -> int:
    """The number of declarations of up to ``slots`` answers: 0 declares nothing."""
    return answers**slots + 1


def declare(truth: Sequence[int], answers: int) -> int:
    """The true answers of a partner as one number above 0, by which it tells the world what no move of its own shows.

    >>> declare((2, 0), 9), read_declaration(declare((2, 0), 9), 9, 2)
    (3, (2, 0))
    """
    return 1 + sum(answer * answers**slot for slot, answer in enumerate(truth))


def read_declaration(number: int, answers: int, slots: int) -> tuple[int, ...]:
    """The answers that were declared, filled up to ``slots``."""
    return tuple((number - 1) // answers**slot % answers for slot in range(slots))
