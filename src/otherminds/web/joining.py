"""The link for everybody, ``/join?PARAMETER=LABEL``: each new participant gets a free seat, and comes back to it.

A label is no secret: a recruiter shows it in addresses. So it opens a seat only once, to who comes first under it; who comes
again under the same label needs the cookie of that browser, or the link of the seat, which is the address of every page in it. Somebody who knows a label
before its owner comes can take its place, but never sees or writes anything in a seat that is taken.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from hmac import compare_digest

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from otherminds.web.people import Chair
from otherminds.web.protocol import Join

LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
LASTS = 30 * 86_400
"""Seconds for which a browser keeps the cookie of a seat."""
FAULTY = "This link has no proper {parameter}. Open it exactly as you were given it."
TAKEN = (
    "Somebody has already begun under this {parameter}. To go on, use the browser in which you began, or the address of the pages that you saw "
    "there; else ask whoever runs the study."
)
FULL = "All places in this study are taken. Thank you for your interest."
WELCOME = "This link gives you a place in the study. Please begin only if you have time now."


def make_join_routes(join: Join, chairs: Mapping[str, Chair], pages: Environment, title: str) -> list[Route]:
    """The page that asks whether to begin, and the form that gives a seat. ``chairs`` are by the secrets of their links.

    A seat is given by a form alone, so that a program that looks at addresses for a preview takes none.
    """

    def answer(text: str, status: int) -> Response:
        return HTMLResponse(
            pages.get_template("join.html").render(title=title, text=text, begin=status == 200), status
        )

    async def enter(request: Request) -> Response:
        values = request.query_params.getlist(join.parameter)
        if len(values) != 1 or not LABEL.fullmatch(values[0]) or not re.fullmatch(join.pattern, values[0]):
            return answer(FAULTY.format(parameter=join.parameter), 400)
        (label,) = values
        taken = next((secret for secret, chair in chairs.items() if chair.stay.participant == label), None)
        cookie = f"seat-{sha256(label.encode()).hexdigest()[:16]}"
        if taken is not None:
            if compare_digest(request.cookies.get(cookie, "").encode(), taken.encode()):
                return RedirectResponse(f"/s/{taken}", 303)
            return answer(TAKEN.format(parameter=join.parameter), 403)
        free = next((secret for secret, chair in chairs.items() if chair.stay.is_free), None)
        if free is None:
            return answer(f"{FULL}\n\nYour code: {join.full_code}" if join.full_code else FULL, 409)
        if request.method != "POST":
            return answer(WELCOME, 200)
        chairs[free].stay.join(label)
        response = RedirectResponse(f"/s/{free}", 303)
        response.set_cookie(
            cookie,
            free,
            max_age=LASTS,
            path="/join",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="lax",
        )
        return response

    return [Route("/join", enter, methods=["GET", "POST"])]
