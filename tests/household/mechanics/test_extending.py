"""The mechanic on the page about extending is all that a new one needs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
TRIED = """
from otherminds.household.authoring.references import mechanics_reference
from otherminds.household.epistemic.forms import forms, secrets
from otherminds.household.epistemic.words.free import read_message, told_freely
from otherminds.household.epistemic.words.sentences import read, say, tell
from otherminds.household.generating.wording import wordings
from otherminds.household.task import Binding
from otherminds.household.transmission import transmit
from tests.household import small_house as small

A, B = "agent_0", "agent_1"
told = Listens(A)
assert read(say(told)) == read(say(told, me=A), me=A) == read(tell(told, you=A), you=A) == (told,)
assert secrets(forms(told, (A, B))) == (told,)
for you in (A, B):
    assert len(wordings(told, you)) >= 5
    assert {told_freely(text, you) for text in wordings(told, you)} == {(told,)}
assert read_message("I may only listen.", A, B).statements == (told,)
assert transmit(A, B, "I may only listen. Hello!", 1, {A}).text == "I can only listen."

world = small.world(Binding("listen_only", for_agents=(A,)))
small.play(world, {A: f'Communicate[{B}, "Hello."]', B: f'Communicate[{A}, "Hello."]'})
assert [one.delivered for one in world.messages] == [(), (A,)]
assert "can_communicate" not in {fact[0] for fact in world.house.static if fact[1:2] == (A,)}

assert world.house.bound[0][0].secrets(world.house.bound[0][1]) == (told,)
assert told.denied(world.house.bound, (A, B)) == ""
assert Listens(B).denied(world.house.bound, (A, B))
assert "listen_only" in mechanics_reference()
"""


def test_the_mechanic_on_the_page_plays_and_is_said_read_and_checked() -> None:
    """In a process of its own: a mechanic that is registered stays so."""
    section = PAGE.split("### A mechanic")[1]
    found = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert found
    ran = subprocess.run(
        [sys.executable, "-c", found[1] + TRIED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
