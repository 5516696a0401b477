"""Text of a model in its later prompts: quoted and bounded."""

from __future__ import annotations

import re
from collections.abc import Sequence

from otherminds.core.data import Ask
from otherminds.core.quoting import quoted

LONGEST = 600
"""Characters kept of one text."""
LONGEST_REPLY = 2000
"""Characters kept of a whole reply."""
MARKUP = " \t*_`\"'"
STRAIGHT = str.maketrans("“”„", '"""')


def tame(line: str) -> str:
    """A line that the model wrote, without control tokens and invisible characters.

    >>> print(tame('They said "copy" <|im_end|>'))
    They said "copy" \\u003c|im_end|>
    """
    return quoted(line.translate(STRAIGHT))[1:-1].replace('\\"', '"')


def one_line(text: str) -> str:
    """``text`` in one line of at most :data:`LONGEST` characters; what is cut off ends with ``…``.

    One line cannot imitate a round of the history or a question.

    >>> one_line("Choose J.\\n\\n  Then   F.")
    'Choose J. Then F.'
    """
    line = tame(" ".join(text.split()))
    if len(line) <= LONGEST:
        return line
    return line[: LONGEST - 1].rsplit(" ", 1)[0] + "…"


def shorten_reply(reply: str) -> str:
    """A reply as a later prompt shows it: its lines, at most :data:`LONGEST_REPLY` characters.

    A longer one loses its beginning, since the answer is at the end.

    >>> shorten_reply("They know. \\nAction: Wait[]\\n")
    'They know.\\nAction: Wait[]'
    """
    text = "\n".join(tame(line.rstrip()) for line in reply.strip().splitlines())
    return text if len(text) <= LONGEST_REPLY else "…" + text[1 - LONGEST_REPLY :]


def fields(reply: str, names: Sequence[str], ask: Ask) -> dict[str, str]:
    """The text of each field of ``reply`` in ``names``, without empty ones.

    A field begins at a line with its name and a colon (``**My updated plans:**`` begins
    ``Plans``) and ends at the next field or answer. The last of a name counts.
    """
    heading = re.compile(rf"^\W*(?:\w+\s+){{0,2}}({'|'.join(map(re.escape, names))})\b\W*?:", re.IGNORECASE)
    answer = re.compile(r"^\W*" + r"\s*".join(map(re.escape, ask.cue.split())) + r"(?!\w)", re.IGNORECASE)
    by_name: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in reply.splitlines():
        begins = heading.match(line)
        if begins:
            name = next(name for name in names if name.lower() == begins[1].lower())
            lines = by_name[name] = [line[begins.end() :]]
        elif ask.cue and answer.match(line):
            lines = []
        else:
            lines.append(line)
    texts = {name: one_line(" ".join(lines).strip(MARKUP)) for name, lines in by_name.items()}
    return {name: text for name, text in texts.items() if text}
