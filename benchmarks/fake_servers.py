"""Fake servers that follow what providers document, and what becomes of one call to each.

The servers are those of ``tests/models/providers.py``. ``--before`` is the ``src`` folder of another
version of the project (``git worktree add ../older COMMIT``), which is asked the same. A call ends
in an answer, or in what kept it away; blaming the reply for a cut, a refusal or a refused parameter is
wrong.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

from common import arguments, finish, show

ROOT = Path(__file__).parents[1]
CALLS = 2
"""A server is called twice: the second call shows whether what was learned is kept."""


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--before", type=Path, help="the src folder of another version")
    parser.add_argument(
        "--one-version", action="store_true", help="print the outcomes of this version as JSON"
    )
    options = parser.parse_args()
    if options.one_version:
        print(json.dumps(outcomes()))
        return
    columns = {"now": ROOT / "src"} | ({"before": options.before} if options.before else {})
    found = {name: measured(source) for name, source in columns.items()}
    now, before = found["now"], found.get("before", {})
    rows = [(name, truth, before.get(name, ["", ""])[1], outcome) for name, (truth, outcome) in now.items()]
    show(f"{len(rows)} fake servers", ("server", "truth", "before", "now"), rows)
    wrong = {name: sum(truth != outcome for truth, outcome in of.values()) for name, of in found.items()}
    for name, count in wrong.items():
        print(f"{name}: {count} of {len(rows)} with another outcome than the truth")
    finish(options, wrong)


def measured(source: Path) -> dict[str, list[str]]:
    """The outcomes of the version in ``source``, in a process of its own: truth and outcome, by server."""
    done = subprocess.run(
        [sys.executable, __file__, "--one-version"],
        env=os.environ | {"PYTHONPATH": f"{source.resolve()}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def outcomes() -> dict[str, list[str]]:
    """The truth and the outcome of every server."""
    from tests.models import providers, serving

    os.environ |= dict.fromkeys(("ANTHROPIC_API_KEY", "GEMINI_API_KEY"), "none")
    found: dict[str, list[str]] = {}
    for name, server in providers.SERVERS.items():
        truth = "answer" if providers.ANSWER in server.text else BLAMED[server.finish]
        with serving.serving(server.answer) as local:
            found[name] = [truth, asyncio.run(outcome(f"{server.kind}:toy@{local.url}?context=20000"))]
    return found


BLAMED = {"length": "cut", "refusal": "refused", "filter": "filtered", "stop": "invalid reply"}


async def outcome(spec: str) -> str:
    """What the last of :data:`CALLS` calls to the model ``spec`` ends in."""
    from tests.models.providers import DECODING, HELLO

    from otherminds.core.errors import ProviderError, StudyError
    from otherminds.core.model import Completion
    from otherminds.models.registry import open_model
    from otherminds.models.wrapper import close
    from otherminds.replies.answers import asked, read

    try:
        model = open_model(spec)
    except StudyError:
        return "no such kind"
    reply = Completion("")
    try:
        for _ in range(CALLS):
            reply = await model.generate(HELLO, DECODING)
    except ProviderError:
        return "call fails"
    finally:
        await close(model)
    if read(asked("Which option?", ("J", "F"), (0, 1)), reply.text) == 0:
        return "answer"
    return BLAMED[getattr(reply, "finish", "stop")]


if __name__ == "__main__":
    main()
