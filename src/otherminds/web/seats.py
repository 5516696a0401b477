"""The pages of people in a study: one unguessable link for each, and behind it the turn that waits for a reply.

A page needs no script. It shows what a model would be sent in that turn, drawn where the world has a form
(:mod:`otherminds.web.forms`), with a button for each option; a reply is a form with the number of its turn, so that a second tab, the
button "back" and a double click change nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from otherminds.api.sessions import Turn
from otherminds.core.data import Message
from otherminds.web.forms import TEXT, draw_form, list_buttons
from otherminds.web.joining import make_join_routes
from otherminds.web.people import Chair, Desk, OpenTurn
from otherminds.web.protocol import Join

WAIT = 2.0
"""Seconds for which a page waits for the next turn before it tells the person to wait."""
AGAIN = 2
"""Seconds after which a page that waits asks again."""


def make_app(desk: Desk, links: Mapping[str, str], title: str, join: Join | None = None) -> Starlette:
    """The application: ``/s/SECRET`` is a person's page. ``links`` are the secrets by label. With ``join``, there is a link for everybody."""
    chairs = {secret: desk.chairs[label] for label, secret in links.items() if label in desk.chairs}
    pages = make_pages()

    def find_chair(request: Request) -> Chair | None:
        return chairs.get(request.path_params["secret"])

    async def show(request: Request) -> Response:
        chair = find_chair(request)
        if chair is None:
            return refuse()
        if request.method == "HEAD":  # a preview or a scanner of links, for whom no time begins
            return Response()
        waiting = None if chair.page() is not None else await chair.wait(WAIT)
        if (around := chair.page()) is not None:  # perhaps a check before the turn that has just been opened
            chair.show_page(around)
            return HTMLResponse(pages.get_template("page.html").render(title=title, page=around))
        if waiting is not None:
            chair.show(waiting.number)
        fields = describe_seat(chair, waiting, title)
        chair.has_seen_end = waiting is None and bool(fields["farewell"])
        return HTMLResponse(pages.get_template("seat.html").render(fields))

    async def take_reply(request: Request) -> Response:
        chair = find_chair(request)
        if chair is None:
            return refuse()
        body = await request.body()
        if chair.page() is not None:
            number, reply, _ = read_form(body, "page")
            chair.press(number, reply)
        elif (waiting := chair.open_turn) is not None:
            number, reply, text = read_form(body, "turn")
            if is_offered(waiting, reply):
                chair.answer(number, reply.replace(TEXT, " ".join(text.split())))
        return RedirectResponse(request.url.path, 303)

    def refuse() -> Response:
        return HTMLResponse(pages.get_template("nobody.html").render(title=title), 404)

    return Starlette(
        routes=[
            Route("/s/{secret}", show, methods=["GET"]),
            Route("/s/{secret}", take_reply, methods=["POST"]),
            *(make_join_routes(join, chairs, pages, title) if join else ()),
            Mount("/static", StaticFiles(packages=[("otherminds.web", "static")])),
        ]
    )


def hide_form(turn: Turn) -> str:
    """The last message of a turn without the list of its options and the line before it, which buttons replace."""
    before = turn.observation.rstrip("\n").splitlines()[: -len(turn.options) - 1]
    return "\n".join(before)


def read_form(body: bytes, kind: str) -> tuple[int, str, str]:
    """The number of the turn or page, the reply and the field beside its button; -1, which no turn has, where it is no such form or the reply is empty.

    >>> read_form(b"turn=3&reply=A%3A+Option+J", "turn")
    (3, 'A: Option J', '')
    >>> read_form(b"turn=3&reply=Say+%EE%80%80.&text=Hello", "turn")[2]
    'Hello'
    >>> [read_form(body, "turn")[0] for body in (b"turn=x&reply=1", b"page=3&reply=1", b"turn=3&reply=a&reply=b", bytes([255]))]
    [-1, -1, -1, -1]
    """
    try:
        fields = parse_qs(body.decode(), max_num_fields=4, keep_blank_values=True)
    except ValueError:  # also UnicodeDecodeError: too many fields, or bytes that are no text
        return -1, "", ""
    number, reply, text = (fields.get(name, [""]) for name in (kind, "reply", "text"))
    if (
        len(number) > 1
        or len(reply) > 1
        or not re.fullmatch(r"[0-9]{1,9}", number[0])
        or not reply[0].strip()
    ):
        return -1, "", ""
    return int(number[0]), reply[0], text[0]


def is_open_question(waiting: OpenTurn) -> bool:
    """Whether the page of a turn has a field for its reply, and not a button for each."""
    return not waiting.turn.options or (waiting.scene is not None and bool(waiting.scene.ask.forms))


def is_offered(waiting: OpenTurn, reply: str) -> bool:
    """Whether the page of a turn can send this reply: nobody spoils an episode by one that no button has."""
    if is_open_question(waiting) or reply in waiting.turn.options:
        return True
    form = draw_form(waiting.scene, waiting.turn.messages)
    return form is not None and reply in [button.reply for button in list_buttons(form)]


def make_pages() -> Environment:
    """The templates of the app; text of models, people and files is escaped."""
    return Environment(loader=PackageLoader("otherminds.web"), undefined=StrictUndefined, autoescape=True)


def describe_seat(chair: Chair, waiting: OpenTurn | None, title: str) -> dict[str, Any]:
    """What the page of a seat shows."""
    left = chair.seconds_left
    shown: dict[str, Any] = {
        "title": title,
        "label": chair.label,
        "farewell": chair.farewell,
        "again": AGAIN,
        "wait": None if chair.longest_wait is None else max(1, round(chair.longest_wait)),
        "left": None if left is None else max(1, round(left)),
    }
    if waiting is None:
        return shown | {"turn": None}
    turn = waiting.turn
    rules = [message.content for message in turn.messages if message.role == "system"]
    past: tuple[Message, ...] = tuple(message for message in turn.messages[:-1] if message.role != "system")
    form = draw_form(waiting.scene, turn.messages)
    is_open = is_open_question(waiting)
    now = turn.observation if is_open else hide_form(turn)
    drawn = () if form is None else [button.reply for button in list_buttons(form)]
    return shown | {
        "turn": turn,
        "number": waiting.number,
        "rules": "\n\n".join(rules),
        "past": past,
        "now": now,
        "form": form,
        "question": now if form is None else form.leave_out(hide_form(turn)),
        "text": TEXT,
        "is_open": is_open,
        "buttons": [
            (option, option.partition(": ")[2] or option)
            for option in turn.options
            if option not in drawn and not is_open
        ],
    }
