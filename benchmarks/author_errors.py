"""A competent author that makes errors of form: which of its turns are read, and which tasks arrive.

It is the scripted author, whose replies get an error at a stated rate: no action, prose around it, a code fence, two actions,
a bracket that is not closed, a task that is cut in its middle, a tool that does not exist. A part of its tasks has a planted
fault. It answers as a server of OpenAI's protocol on this machine. No judges are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from author_smollm2 import made, options_of, report
from common import finish
from tests.models.serving import scripted, serving

from otherminds.core.data import Message
from otherminds.core.encoding import stream
from otherminds.core.model import Completion, Decoding
from otherminds.household.authoring.scripted.models import open_author
from otherminds.models.registry import open_model
from otherminds.models.scripted import ScriptedModel

UNUSED = "No action was done"
"""How the answer to a turn without an action begins."""
ERRORS: Mapping[str, Callable[[str], str]] = {
    "no action": lambda said: "I think that the task is ready for the next check.",
    "prose around": lambda said: f"Sure! Here it is.\n\n{said}\n\nI wait for the result.",
    "fence around": lambda said: f"```\n{said}\n```",
    "two actions": lambda said: f"{said}\nObservation: it passed.\nAction: submit_task[]",
    "not closed": lambda said: said[:-1],
    "task cut": lambda said: f"{said[: len(said) // 2]}]",
    "unknown tool": lambda said: said.replace("Action: ", "Action: run_"),
}


class ErringAuthor:
    """The scripted author with errors in the part ``rate`` of its replies; it does not see those that were of no use."""

    context, concurrency = ScriptedModel.context, ScriptedModel.concurrency

    def __init__(self, rate: float, faults: float) -> None:
        self.spec = f"erring_author:{rate}"
        self._rate, self._inner = rate, open_author(f"{faults}")
        self.count = self._inner.count

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        turns = zip(messages[2::2], messages[3::2], strict=True)
        seen = [one for turn in turns if not turn[1].content.startswith(UNUSED) for one in turn]
        reply = await self._inner.generate((*messages[:2], *seen), decoding)
        draw = stream(decoding.seed, "errors")
        if draw.random() >= self._rate:
            return reply
        return Completion(ERRORS[_kind(draw)](reply.text), usage=reply.usage)


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument("--rate", type=float, default=0.4, help="part of replies with an error (default 0.4)")
    parser.add_argument(
        "--faults", type=float, default=0.5, help="part of tasks with a planted fault (default 0.5)"
    )
    options = parser.parse_args()
    with serving(scripted(ErringAuthor(options.rate, options.faults))) as server:
        models = [open_model(f"openai:erring@{server.url}") for _ in range(options.attempts)]
        finish(options, report(made(options, models)))


def _kind(draw: Random) -> str:
    return draw.choice(list(ERRORS))


if __name__ == "__main__":
    main()
