"""Servers that lie about their bill or lose count of replies, and what a connection for each request costs.

A study of 800 calls runs with a limit of 1,000 tokens against each server of ``tests/models/adversary.py``. Twenty calls are
made to each server of ``tests/models/miscounting.py``, one after the other and five at a time. Requests on connections of
their own alternate with requests of httpx on kept ones, to one server in a process of its own. ``PYTHONPATH`` of another
version tries that one: ``--only bills`` and ``--only replies`` work with earlier ones. Fails if a limit is exceeded by more
than the calls in flight, or a reply is shifted.
"""

from __future__ import annotations

import asyncio
import os
import ssl
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from common import arguments, finish, show

from otherminds.core.data import Message
from otherminds.core.errors import ProviderError
from otherminds.core.model import Decoding
from otherminds.models.registry import open_model
from otherminds.models.wrapper import close
from otherminds.models.wrappers import BudgetSpentError, Retrying
from otherminds.studies.access import Limits
from otherminds.studies.plan import plan_file
from otherminds.studies.run import run
from otherminds.studies.run_overrides import RunOverrides

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.models import serving
from tests.models.adversary import LIARS
from tests.models.miscounting import ATTACKS, HONEST, Attack, miscounting, true_reply
from tests.models.services import Quiet

STUDY = """
name = "lied"
episodes = 400
rounds = 1
[[cells]]
scenarios = ["ipd-tit_for_tat-v1"]
minds = ["qa@MODEL"]
"""
PLANNED, LIMIT, AT_ONCE, CALLS = 800, 1000, 4, 20
BODY = (
    b'{"choices": [{"message": {"content": "J"}}], "usage": {"prompt_tokens": 500, "completion_tokens": 1}}'
)
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(BODY)
CONTENT = b'{"messages": [{"role": "user", "content": "%s"}]}' % (b"which option? " * 150)


def bills() -> list[tuple[str, int, int]]:
    """For each liar, the requests that were served under the limit, and the most that the limit allows."""
    found: list[tuple[str, int, int]] = []
    for name, answer in LIARS.items():
        with TemporaryDirectory() as folder, serving.serving(answer) as local:
            study = Path(folder) / "study.toml"
            study.write_text(STUDY)
            model = f"openai:toy@{local.url}?context=9000&concurrency={AT_ONCE}&timeout=5"
            plan = plan_file(study, RunOverrides((model,)))
            with suppress(BudgetSpentError):
                run(plan, Path(folder) / "out", Quiet(), limits=Limits(None, LIMIT))
            asked = [one for one in local.asked or () if one.method == "POST"]
        least = min(len(one.raw) for one in asked) / 3
        found.append((name, len(asked), int(LIMIT / least) + 1 + AT_ONCE))
    return found


def replies() -> list[tuple[str, Counter[str]]]:
    """For each way to reply, how many of forty calls were right, failed or shifted."""
    return [
        (name, sum((ends(attack, at_once) for at_once in (1, 5)), Counter[str]()))
        for name, attack in {**HONEST, **ATTACKS}.items()
    ]


def ends(attack: Attack, at_once: int) -> Counter[str]:
    """How twenty calls end, ``at_once`` at the same time."""
    now = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += max(seconds, 1.0)
        await asyncio.sleep(0)

    async def calls(url: str) -> Counter[str]:
        spec = f"openai:toy@{url}?context=9000&concurrency={at_once}&timeout=5"
        model = Retrying(open_model(spec), 6.0, sleep, lambda: now)

        async def call(i: int) -> str:
            asked = [Message("user", f"Question {i}")]
            try:
                reply = await model.generate(asked, Decoding(seed=i))
            except ProviderError:
                return "failed"
            true = true_reply(asked, i)
            return "right" if (reply.reasoning, reply.text) == (true.reasoning, true.text) else "shifted"

        try:
            found = Counter[str]()
            for start in range(0, CALLS, at_once):
                found.update(await asyncio.gather(*(call(i) for i in range(start, start + at_once))))
            return found
        finally:
            await close(model)

    with miscounting(attack) as server:
        return asyncio.run(calls(server.url))


async def serve(folder: str) -> None:
    """Replies to every request, and keeps connections that are to be kept; with TLS if ``folder`` has a certificate."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            kept = True
            while kept and (asked := await serving.read_request(reader)) is not None:
                writer.write(HEAD + BODY)
                kept = asked.headers.get("connection", "").lower() != "close"
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    context = None
    if folder:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(f"{folder}/cert.pem", f"{folder}/key.pem")
    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


@contextmanager
def serving_apart(folder: str) -> Iterator[str]:
    """The URL of a server in a process of its own."""
    command = [sys.executable, __file__, "--serve", folder]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        port = process.stdout.readline().strip()
        yield f"{'https' if folder else 'http'}://localhost:{port}/v1/chat/completions"
        process.stdin.close()


async def connections(url: str, requests: int, batches: int) -> dict[str, tuple[float, float]]:
    """Milliseconds a request and of CPU, with a connection of its own and with a kept one: medians of batches."""
    import httpx

    from otherminds.models.exchange import open_connection
    from otherminds.models.http import trusted_certificates

    fields = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
    async with httpx.AsyncClient(verify=trusted_certificates(), trust_env=False) as client:

        async def kept() -> None:
            async with client.stream("POST", url, content=CONTENT, headers=fields) as reply:
                await reply.aread()

        async def own() -> None:
            async with open_connection(url, trusted_certificates(), proxied=False) as line:
                await line.post(fields, CONTENT, 2**20, 2**20)

        times: dict[str, list[tuple[float, float]]] = {"kept": [], "own": []}
        for _ in range(batches):
            for name, ask in (("kept", kept), ("own", own)):
                await ask()
                wall, cpu = perf_counter(), process_time()
                for _ in range(requests):
                    await ask()
                wall, cpu = perf_counter() - wall, process_time() - cpu
                times[name].append((wall / requests * 1e3, cpu / requests * 1e3))
    return {
        name: (median(wall for wall, _ in found), median(cpu for _, cpu in found))
        for name, found in times.items()
    }


def costs(requests: int, batches: int) -> list[tuple[str, float, float, float, float]]:
    """Without and with TLS: milliseconds a request on a kept connection and on one of its own, and those of CPU."""
    rows: list[tuple[str, float, float, float, float]] = []
    with TemporaryDirectory() as folder:
        made = [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
        ]
        made += [
            "-addext",
            "subjectAltName=DNS:localhost",
            "-keyout",
            f"{folder}/key.pem",
            "-out",
            f"{folder}/cert.pem",
        ]
        subprocess.run(made, check=True, capture_output=True)
        os.environ["SSL_CERT_FILE"] = f"{folder}/cert.pem"
        for name, secret in (("HTTP", ""), ("HTTPS", folder)):
            with serving_apart(secret) as url:
                found = asyncio.run(connections(url, requests, batches))
            (kept, kept_cpu), (own, own_cpu) = found["kept"], found["own"]
            rows.append((name, kept, own, kept_cpu, own_cpu))
    return rows


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--only", choices=("bills", "replies", "costs"), help="one part alone")
    parser.add_argument("--requests", type=int, default=200, help="requests a batch (default 200)")
    parser.add_argument(
        "--batches", type=int, default=9, help="batches of each kind of connection (default 9)"
    )
    parser.add_argument(
        "--serve", help="serve until standard input closes; a folder with a certificate, or empty"
    )
    options = parser.parse_args()
    if options.serve is not None:
        asyncio.run(serve(options.serve))
        return
    bad = False
    figures: dict[str, object] = {}
    if options.only in (None, "bills"):
        served = bills()
        bad |= any(count > most for _, count, most in served)
        heads = ("server", "requests served", "at most")
        show(
            f"{PLANNED} calls are planned, {LIMIT:,} tokens allowed, {AT_ONCE} calls at the same time",
            heads,
            served,
        )
        figures["bills"] = served
    if options.only in (None, "replies"):
        found = replies()
        bad |= any(counts["shifted"] for _, counts in found)
        rows = [(name, *(counts[end] for end in ("right", "failed", "shifted"))) for name, counts in found]
        show(f"{2 * CALLS} calls to each server", ("server", "right", "failed", "shifted"), rows)
        figures["replies"] = rows
    if options.only in (None, "costs"):
        measured = costs(options.requests, options.batches)
        rows_of_costs = [
            (
                name,
                *(f"{one:.2f}" for one in (kept, own)),
                f"{own / kept:.2f}",
                f"{kept_cpu:.2f}",
                f"{own_cpu:.2f}",
            )
            for name, kept, own, kept_cpu, own_cpu in measured
        ]
        heads = ("", "kept, by httpx (ms)", "its own (ms)", "ratio", "CPU, kept (ms)", "CPU, its own (ms)")
        show("a request on a kept connection, and on one of its own", heads, rows_of_costs)
        figures["costs"] = measured
    finish(options, figures, ("httpx", "h11"))
    sys.exit(bad)


if __name__ == "__main__":
    main()
