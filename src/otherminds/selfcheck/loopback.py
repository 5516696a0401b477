"""A language-model server on this machine that counts what reaches it, and may lie."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

MODELS = {"data": [{"id": "toy", "max_model_len": 65536}]}


@dataclass
class Loopback:
    """Answers chat requests with the last line of their prompt, which is an answer that fits.

    ``usage`` is what it states about tokens, whatever was read and written. With ``elsewhere``, every request is
    redirected to that URL.
    """

    usage: Any = None
    elsewhere: str = ""
    connections: int = 0
    asked: list[tuple[str, Mapping[str, str], bytes]] = field(default_factory=list)
    """The method, the headers and the body of each request."""
    url: str = ""

    @property
    def spec(self) -> str:
        """A model at this server, as studies and commands name it."""
        return f"openai:toy@{self.url}?context=9000&concurrency={AT_ONCE}"

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.url.rpartition(":")[2].partition("/")[0])

    @property
    def prompts(self) -> list[bytes]:
        """The bodies of the chat requests."""
        return [body for method, _, body in self.asked if method == "POST"]


AT_ONCE = 4
"""Requests at a time."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, loopback: Loopback) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.loopback = loopback

    def get_request(self) -> Any:
        self.loopback.connections += 1
        return super().get_request()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        self._answer(b"", MODELS)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        last = json.loads(body)["messages"][-1]["content"].rpartition("\n")[2]
        message = {"role": "assistant", "content": last}
        usage = cast("_Server", self.server).loopback.usage
        self._answer(body, {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})

    def _answer(self, body: bytes, content: object) -> None:
        loopback = cast("_Server", self.server).loopback
        loopback.asked.append((self.command, dict(self.headers.items()), body))
        raw = json.dumps(content).encode()
        self.send_response(307 if loopback.elsewhere else 200)
        if loopback.elsewhere:
            self.send_header("location", loopback.elsewhere)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:
        """Prints nothing."""


@contextmanager
def serve(usage: Any = None, elsewhere: str = "") -> Iterator[Loopback]:
    """A server in threads of this process."""
    loopback = Loopback(usage, elsewhere)
    server = _Server(loopback)
    loopback.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield loopback
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
