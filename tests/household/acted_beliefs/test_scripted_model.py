"""Two scripted models behind a server: one reads off who saw what, the other sees from its own side only."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import otherminds as om
from otherminds.core.model import Completion
from tests.cases import for_each
from tests.models.serving import Answer, Asked, Reply, chat, scripted, serving

PARTNER = "agent_1"


def read_story(prompt: str) -> tuple[str, str]:
    """The place where the partner last saw the mug, and where it is, after the last encounter of ``prompt``."""
    story = prompt[prompt.rindex(" of 12.\n") :]
    start = re.search(r"mug_0 is put on (counter_\d)", story)
    assert start is not None, prompt
    now = believed = start[1]
    inside = True
    for line in story.splitlines():
        inside = inside and f"{PARTNER} left" not in line
        if place := re.search(r"Place\[mug_0, on, (counter_\d)\]", line):
            now = place[1]
            believed = now if inside else believed
        elif missed := re.search(r"I moved mug_0 to (counter_\d), and agent_1 (saw|did not)", line):
            now = missed[1]
            believed = now if missed[2] == "saw" else believed
        if f"{PARTNER} came in" in line:
            believed = now
    return believed, now


def answer_as(tracks: bool) -> Answer:
    """A server whose model names the place where the partner believes the mug to be, or else where it is."""
    listing = scripted()

    def answer(asked: Asked) -> Reply:
        if asked.path != "/v1/chat/completions":
            return listing(asked)
        prompt = "\n".join(message["content"] for message in asked.body["messages"])
        believed, now = read_story(prompt)
        return Reply(chat(Completion(f"A: Option {believed if tracks else now}")))

    return answer


@for_each("tracks, kind", [(True, "uses"), (False, "no evidence")])
def test_verdicts_of_scripted_models(tracks: bool, kind: str) -> None:
    cell = {"scenarios": ["acted_beliefs-meet-first-v1"], "minds": ["qa@MODEL"], "episodes": 27}
    with TemporaryDirectory() as folder, serving(answer_as(tracks)) as server:
        report = om.run([cell], Path(folder) / "run", models=f"openai:toy@{server.url}")
    (verdict,) = report.verdicts
    assert verdict.kind == kind, verdict.sentence
    assert (verdict.lost, verdict.unread, verdict.answers) == (0, 0, 27 * 12)
