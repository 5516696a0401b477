"""Options of requests: where replies end, how much to reason, and answers that the server restricts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.errors import StudyError
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.measures.notes import about
from otherminds.minds.registry import make_mind
from otherminds.models.registry import open_model
from otherminds.play.loop import play
from tests.cases import for_each
from tests.models import serving
from tests.models.serving import closing

Episode = Callable[..., Record]
BABBLE = "Well, that depends on what the other player has in mind."


def seat(name: str, **params: Any) -> SeatSpec:
    return SeatSpec(name, params, model="stand-in")


@for_each("name", ["qa", "reflexion", "s2a", "social_qa", "oracle"])
def test_answers_are_guided_and_free_texts_are_not(
    episode: Episode, stand_in: Any, agreeable: Any, name: str
) -> None:
    model = stand_in(agreeable(answer='{"option": "J"}'))
    params = {"guided": "schema", "stop": ["\n\n", "Q:"], "effort": "low"}
    record = episode(seat(name, **params), model)
    assert record.outcome.status == "scored"
    for call in record.calls:
        answers = call.purpose not in ("reflect", "rewrite", "predict:rewrite")
        assert call.config["stop"] == ["\n\n", "Q:"]
        assert call.config["effort"] == "low"
        assert ("schema" in call.config) is answers
        assert "choice" not in call.config


def test_the_listed_answers_are_the_choice(episode: Episode, stand_in: Any, agreeable: Any) -> None:
    record = episode(seat("qa", guided="choice"), stand_in(agreeable(answer="A: Option F")))
    for call in record.calls:
        assert sorted(call.config["choice"]) == ["A: Option F", "A: Option J"]
        assert "schema" not in call.config


def test_a_request_without_options_is_recorded_as_before(
    episode: Episode, stand_in: Any, agreeable: Any
) -> None:
    record = episode(seat("qa"), stand_in(agreeable()))
    assert record.calls[0].config.keys() == {"temperature", "top_p", "max_tokens", "stop", "seed"}


def test_a_schema_has_room_for_its_longest_answer(episode: Episode, stand_in: Any, agreeable: Any) -> None:
    model = stand_in(agreeable(answer='{"option": "J"}'))
    model.count = len
    record = episode(seat("qa", guided="schema"), model)
    assert all(
        call.config["max_tokens"] == len(json.dumps(call.config["schema"])) > 24 for call in record.calls
    )


def test_options_are_part_of_an_episodes_identity_and_shown_in_reports(
    episode: Episode, stand_in: Any, agreeable: Any
) -> None:
    plain, guided = (
        episode(seat("qa", **params), stand_in(agreeable()))
        for params in ({}, {"guided": "choice", "effort": "high", "stop": ["Q:"]})
    )
    assert plain.spec != guided.spec
    assert guided.spec.seats["ego"].params == {"guided": "choice", "effort": "high", "stop": ["Q:"]}
    (shown,) = about(guided).decodings
    assert shown.endswith(", from a list of answers, reasoning effort high, ended by 'Q:'")


@for_each(
    ("name", "params", "why"),
    [
        ("qa", {"guided": "grammar"}, "guided schema or choice"),
        ("qa", {"effort": "huge"}, "effort none, minimal, low, medium or high"),
        ("qa", {"stop": "Q:"}, "stop is a list of texts"),
        ("qa", {"stop": [""]}, "cannot stop at an empty text"),
        ("lm", {"effort": "low"}, "writes no replies"),
        ("lm", {"stop": ["Q:"]}, "writes no replies"),
        *((name, {"guided": "schema"}, "an answer alone") for name in ("cot", "cot_3shot", "s2a_cot")),
        *((name, {"guided": "choice"}, "an answer alone") for name in ("plans_insights", "tool_loop")),
    ],
)
def test_what_cannot_be_asked_for_is_refused_in_planning(name: str, params: Any, why: str) -> None:
    with pytest.raises(StudyError, match=why):
        make_mind(seat(name, **params))


def babbler(kind: str) -> serving.Answer:
    """A server of ``kind`` whose model answers only where the request restricts its reply."""

    def answer(asked: serving.Asked) -> serving.Reply:
        if asked.path == "/v1/models":
            return serving.Reply({"data": [{"id": "toy", "owned_by": kind, "max_model_len": 9000}]})
        body = asked.body
        text = BABBLE
        if "structured_outputs" in body and kind == "vllm":
            text = body["structured_outputs"]["choice"][0]
        elif "regex" in body and kind == "sglang":
            text = re.sub(r"\\(.)", r"\1", body["regex"][1:-1].split("|")[0])
        elif "grammar" in body and kind == "llamacpp":
            text = json.loads(body["grammar"].removeprefix("root ::= ").split(" | ")[0])
        elif "response_format" in body:
            schema = body["response_format"]["json_schema"]["schema"]
            text = json.dumps({"option": schema["properties"]["option"]["enum"][0]})
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return serving.Reply({"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 5}})

    return answer


@for_each(
    ("kind", "guided", "status"),
    [
        *((kind, "choice", "scored") for kind in ("vllm", "sglang", "llamacpp")),
        *((kind, "schema", "scored") for kind in ("vllm", "openai")),
        *((kind, "choice", "invalid") for kind in ("openai", "library")),
        ("vllm", "", "invalid"),
    ],
)
@for_each("reader", ["strict", "lenient"])
def test_a_guided_reply_of_a_babbler_is_an_answer(kind: str, guided: str, status: str, reader: str) -> None:
    mind = make_mind(SeatSpec("qa", {"guided": guided, "reader": reader}, model="openai:toy"))
    with serving.serving(babbler(kind)) as local:
        model = open_model(f"openai:toy@{local.url}")
        setup = Setup(scenario("ipd-tit_for_tat-v1", {"rounds": 2}), {"ego": Participant(mind, model)}, 0)
        record = closing(model, lambda: play(setup))[0]
    assert record.outcome.status == status
    assert {call.dropped for call in record.calls} == {
        ("choice",) if (guided, status) == ("choice", "invalid") else ()
    }
