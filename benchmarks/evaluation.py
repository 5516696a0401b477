"""``otherminds evaluate`` against a fast fake server: time, and whether every call and token is accounted for.

The server runs in a thread of this process and answers as a scripted model. It counts requests and the
tokens that it reports; the result must name the same numbers. The size is the largest that fits into
``--minutes``, or ``--size``. Fails if a number differs, an episode is lost, or fewer than 10,000 calls are made.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Any

from common import arguments, finish, show

ROOT = Path(__file__).parents[1]
LEAST = 10_000


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--suite", default="core", help="the suite (default core)")
    parser.add_argument("--size", default="full", help="the size (default full)")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from tests.models import serving

    import otherminds as om

    served: Counter[str] = Counter()
    plain = serving.scripted()

    def answer(asked: Any) -> serving.Reply:
        reply = plain(asked)
        if asked.path.endswith("/chat/completions"):
            served["calls"] += 1
            served.update(reply.body["usage"])
        return reply

    with serving.serving(answer) as server, tempfile.TemporaryDirectory() as folder:
        server.asked = None
        started = perf_counter()
        found = om.evaluate(f"openai:toy@{server.url}", options.suite, folder, size=options.size)
        seconds = perf_counter() - started
        page = Path(folder, "run", "report.html").stat().st_size
    rows = [
        ("calls", served["calls"], found.calls),
        ("prompt tokens", served["prompt_tokens"], found.prompt_tokens),
        ("completion tokens", served["completion_tokens"], found.completion_tokens),
        ("episodes", found.planned, found.scored),
    ]
    show(
        f"{found.suite} {found.size} in {seconds:.0f} s ({found.calls / seconds:.0f} calls/s), page of {page / 1e6:.1f} MB",
        ("", "server, or planned", "result"),
        [(name, f"{one:,}", f"{two:,}") for name, one, two in rows],
    )
    right = all(one == two for _, one, two in rows) and found.calls >= LEAST
    print("every call, token and episode is accounted for" if right else "the numbers differ")
    finish(options, {"seconds": seconds, "calls": found.calls, "right": right})
    sys.exit(not right)


if __name__ == "__main__":
    main()
