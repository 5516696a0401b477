"""The messages to an author's model; old turns are shortened where the conversation would exceed the model's context."""

from __future__ import annotations

from collections.abc import Callable

from otherminds.core.data import Message

HEAD = 200
"""Characters that are left of a shortened text."""
EACH = 8
"""Tokens that a message may need besides its text."""
FILLED = 0.75
"""The part of the room that a conversation takes once it is shortened, so that the next turns leave it as it is."""


class Conversation:
    """The opening messages, and for each turn the author's reply and the answer to it.

    ``room`` is the number of tokens of a prompt, and ``count`` counts those of a text.
    """

    def __init__(self, system: str, first: str, room: int, count: Callable[[str], int]) -> None:
        self._opening = (Message("system", system), Message("user", first))
        self._turns: list[tuple[str, str]] = []
        self._room, self._count = room, count
        self._sizes: dict[str, int] = {}

    def add(self, reply: str, answer: str) -> None:
        """Adds a turn."""
        self._turns.append((reply or "(empty)", answer))

    def fitting(self, shortened: int) -> int | None:
        """The number of turns, from the first, that have to be shortened; ``shortened`` are already.

        The last turn is shortened only if nothing else is left; ``None`` if that is not enough either.
        """
        if self._size(shortened) <= self._room:
            return shortened
        for number in range(shortened + 1, len(self._turns)):
            if self._size(number) <= self._room * FILLED:
                return number
        few = (max(shortened, len(self._turns) - 1), len(self._turns))
        return next((number for number in few if self._size(number) <= self._room), None)

    def messages(self, shortened: int) -> tuple[Message, ...]:
        """The prompt, with that number of turns shortened."""
        said = [
            (_short(reply), _short(answer)) if number < shortened else (reply, answer)
            for number, (reply, answer) in enumerate(self._turns)
        ]
        turns = ((Message("assistant", reply), Message("user", answer)) for reply, answer in said)
        return (*self._opening, *(message for pair in turns for message in pair))

    def _size(self, shortened: int) -> int:
        return sum(self._tokens(message.content) + EACH for message in self.messages(shortened))

    def _tokens(self, text: str) -> int:
        if text not in self._sizes:
            self._sizes[text] = self._count(text)
        return self._sizes[text]


def _short(text: str) -> str:
    left = len(text) - HEAD
    return (
        text
        if left <= HEAD
        else f"{text[:HEAD]}\n[... {left} characters left out, since the conversation is long]"
    )
