"""What models on a server have in common: how they are opened, and an estimate of tokens."""

from __future__ import annotations

import re

from msgspec.structs import replace

from otherminds.core.model import Completion, ToolCall
from otherminds.models.address import Options, locate_model
from otherminds.models.billing import Meter
from otherminds.models.hosts import Hosts, allowed_hosts
from otherminds.models.http import Server

PIECE = re.compile(r"[A-Za-z]+|\d|\s+|[^A-Za-z\d\s]")


class ServedModel:
    """A model ``name`` on ``server``. Every fault of the server is a ``ProviderError``."""

    def __init__(self, spec: str, name: str, server: Server, context: int) -> None:
        self.spec = spec
        self.context = context
        self.concurrency = server.concurrency
        self._name = name
        self._server = server

    def count(self, text: str) -> int:
        """An upper estimate without a tokeniser.

        One token per three letters of a word (rounded up), per digit, other sign and run of
        white space but a single blank, and per byte beyond ASCII. English needs a half to two
        thirds of it.
        """
        return sum(
            -(-len(piece) // 3)
            if piece.isalpha() and piece.isascii()
            else len(piece.encode(errors="surrogatepass"))
            for piece in PIECE.findall(text)
            if piece != " "
        )

    def masked(self, reply: Completion) -> Completion:
        """``reply`` without secrets: a server may repeat its key as the text of a reply, which is recorded."""
        hide = self._server.secrets.masked_reply
        tools = tuple(ToolCall(hide(call.name), hide(call.arguments)) for call in reply.tools)
        return replace(reply, text=hide(reply.text), reasoning=hide(reply.reasoning), tools=tools)

    def bill(self, meter: Meter) -> None:
        """Has ``meter`` told of each request from now on."""
        self._server.meter = meter

    async def close(self) -> None:
        await self._server.close()


def open_server(kind: str, argument: str, hosts: Hosts | None = None) -> tuple[str, Server, Options]:
    """The name, the first server and the options of the model that ``kind:argument`` names.

    ``hosts`` are those that may be asked; by default also those that ``kind:argument`` itself names, as its caller chose them.

    Raises:
        StudyError: as :func:`otherminds.models.address.locate_model`.
    """
    if hosts is None:
        hosts = allowed_hosts(specs=(f"{kind}:{argument}",))
    served, chosen = locate_model(argument, kind, hosts.check)
    server = Server(served.shown, served.urls[0], chosen.key, chosen.timeout, chosen.concurrency, kind)
    return served.model, server, chosen
