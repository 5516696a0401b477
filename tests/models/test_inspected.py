"""Inspect's providers as models: what is asked of them, what comes back, whose fault a fault is."""

import asyncio
import sys

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    Logprob,
    Logprobs,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    RetryDecision,
    TopLogprob,
    get_model,
    modelapi,
)
from inspect_ai.tool import ToolCall as InspectToolCall
from inspect_ai.util import LimitExceededError

from otherminds.core.data import Message, ModelTool
from otherminds.core.errors import ProviderError, StudyError, TransientError
from otherminds.core.model import Decoding, ToolCall, Usage
from otherminds.models.hosts import ALLOWANCE
from otherminds.models.inspected import CONTEXT, PATIENCE, Inspected, inspected
from otherminds.models.registry import open_model

pytestmark = pytest.mark.filterwarnings(
    "ignore:The '.*' parameter is deprecated, use '.*' instead:DeprecationWarning"
)
"""What Inspect does to tenacity."""

HELLO = [Message("user", "Hello.")]


class OverloadedError(Exception):
    pass


@modelapi(name="told")
class Told(ModelAPI):
    """A provider that answers with ``output``, or raises it, and keeps what it was asked."""

    def __init__(self, model_name, base_url=None, api_key=None, config=GenerateConfig(), output=None):  # noqa: B008 - Inspect's signature
        super().__init__(model_name, base_url, api_key, [], config)
        self.output = output
        self.asked = []
        self.closed = False

    async def generate(self, input, tools, tool_choice, config):
        self.tools = tools
        self.asked.append(([(message.role, message.text) for message in input], config))
        if isinstance(self.output, Exception) and not isinstance(self.output, ValueError):
            raise self.output
        if callable(self.output):
            await self.output()
        return self.output  # a ValueError is given back: that is how Inspect's providers report a bad request

    def should_retry(self, ex):
        return RetryDecision.rate_limit(12.5) if isinstance(ex, OverloadedError) else RetryDecision.no()

    async def aclose(self):
        self.closed = True


def model(output, config: GenerateConfig | None = None) -> Inspected:
    return Inspected(get_model("told/one", memoize=False, output=output, config=config))


def reply(content, **parts) -> ModelOutput:
    tools, usage, logprobs = parts.get("tools"), parts.get("usage"), parts.get("logprobs")
    message = ChatMessageAssistant(content=content, tool_calls=tools)
    choice = ChatCompletionChoice(message=message, stop_reason=parts.get("stop", "stop"), logprobs=logprobs)
    return ModelOutput(model="one", choices=[choice], usage=usage)


def said(of: Inspected, decoding: Decoding = Decoding()):  # noqa: B008 - frozen
    return asyncio.run(of.generate(HELLO, decoding))


def listed(*tokens: tuple[str, float]) -> Logprobs:
    top = [TopLogprob(token=token, logprob=logprob) for token, logprob in tokens]
    return Logprobs(content=[Logprob(token=tokens[0][0], logprob=tokens[0][1], top_logprobs=top)])


def test_the_prompt_and_the_whole_decoding_reach_the_provider():
    asked = model(reply("A: Option J"))
    prompt = [Message("system", "Be brief."), Message("user", "Hi."), Message("assistant", "Yes?"), *HELLO]
    schema = {"type": "object", "properties": {"option": {"type": "string", "enum": ["J", "F"]}}}
    schema |= {"required": ["option"], "additionalProperties": False}
    decoding = Decoding(0.3, 0.9, 77, ("\n\n", "Q:"), schema, 123)
    found = asyncio.run(asked.generate(prompt, decoding))
    ((messages, config),) = asked.model.api.asked
    assert found.text == "A: Option J"
    assert messages == [(message.role, message.content) for message in prompt]
    given = (config.temperature, config.top_p, config.max_tokens, config.stop_seqs, config.seed)
    assert given == (0.3, 0.9, 77, ["\n\n", "Q:"], 123)
    assert config.response_schema.json_schema.model_dump(exclude_none=True) == schema
    assert (config.logprobs, config.top_logprobs) == (None, None)


def test_what_would_change_nothing_is_left_out():
    asked = model(reply("Yes."))
    said(asked, Decoding(temperature=0.0, top_p=1.0))
    ((_, config),) = asked.model.api.asked
    assert (config.temperature, config.top_p, config.stop_seqs, config.response_schema) == (
        0.0,
        None,
        None,
        None,
    )


def test_a_decoding_of_ours_goes_before_the_models_own_settings():
    asked = model(reply("Yes."), GenerateConfig(temperature=1.9, seed=4, top_k=7))
    said(asked, Decoding(temperature=0.2, seed=5))
    ((_, config),) = asked.model.api.asked
    assert (config.temperature, config.seed, config.top_k) == (0.2, 5, 7)


def test_cached_tokens_are_among_the_prompts():
    usage = ModelUsage(
        input_tokens=10,
        output_tokens=4,
        total_tokens=119,
        input_tokens_cache_read=100,
        input_tokens_cache_write=5,
    )
    assert said(model(reply("Yes.", usage=usage))).usage == Usage(prompt=115, completion=4, cached=100)
    assert said(model(reply("Yes."))).usage == Usage(2, 2, 0, 2, 2)  # estimated: the provider states none


def test_reasoning_stands_apart_from_the_answer():
    parts = [
        ContentReasoning(reasoning="It copies me."),
        ContentReasoning(reasoning="gibberish", summary="A summary.", redacted=True),
        ContentText(text="<think>So J.</think>A: Option J"),
    ]
    found = said(model(reply(parts)))
    assert (found.text, found.reasoning) == ("A: Option J", "It copies me.\nA summary.\nSo J.")
    plain = said(model(reply("A: Option J")))
    assert (plain.text, plain.reasoning) == ("A: Option J", "")


def test_tool_calls_are_kept():
    tools = [InspectToolCall(id="1", function="choose", arguments={"option": "J"})]
    found = said(model(reply("", tools=tools)))
    assert found.tools == (ToolCall("choose", '{"option": "J"}'),)
    assert found.text == ""


def test_options_are_scored_by_the_first_token_of_a_chat_reply():
    asked = model(reply("J", logprobs=listed((" F", -0.2), ("J", -1.7), ("I", -4.0))))
    found = asyncio.run(asked.score("Q: J or F?\nA: Option", [" J", " F"]))
    ((messages, config),) = asked.model.api.asked
    assert found.logprobs == (-1.7, -0.2)
    assert found.form == "chat"
    assert messages == [("user", "Q: J or F?\nA: Option")]
    assert (config.logprobs, config.top_logprobs, config.max_tokens, config.temperature) == (True, 20, 1, 1.0)


@pytest.mark.parametrize(
    "logprobs", [None, Logprobs(content=[]), Logprobs(content=[Logprob(token="J", logprob=0)])]
)
def test_without_log_probabilities_lm_prompting_is_unavailable(logprobs):
    with pytest.raises(ProviderError, match="LM prompting is unavailable"):
        asyncio.run(model(reply("J", logprobs=logprobs)).score("A: Option", [" J", " F"]))


def test_a_fault_that_inspect_gave_up_on_can_be_met_by_our_retries():
    asked = model(OverloadedError("too\n  busy"), GenerateConfig(max_retries=0))
    with pytest.raises(TransientError) as caught:
        said(asked)
    assert str(caught.value) == "model inspect:told/one: OverloadedError: too busy"
    assert caught.value.after == 12.5
    assert len(asked.model.api.asked) == 1


def test_a_call_that_hangs_is_given_up_and_can_be_met_by_our_retries():
    async def hang():
        await asyncio.sleep(30)

    with pytest.raises(TransientError, match="AttemptTimeoutError"):
        said(model(hang, GenerateConfig(max_retries=0, attempt_timeout=1)))


@pytest.mark.parametrize("fault", [PermissionError("no such key"), ValueError("no such key")])
def test_any_other_fault_is_final_and_told_in_one_line(fault):
    with pytest.raises(ProviderError) as caught:
        said(model(fault))
    assert not isinstance(caught.value, TransientError)
    assert str(caught.value) == f"model inspect:told/one: {type(fault).__name__}: no such key"


def test_a_long_fault_is_cut():
    with pytest.raises(ProviderError) as caught:
        said(model(PermissionError("x" * 5000)))
    assert len(str(caught.value)) < 400


def test_a_limit_of_inspects_passes_as_it_is():
    with pytest.raises(LimitExceededError):
        said(model(LimitExceededError("token", value=10, limit=9)))


def test_a_prompt_that_does_not_fit_is_no_reply():
    with pytest.raises(ProviderError, match="do not fit its context"):
        said(model(reply("maximum context length is 8192", stop="model_length")))
    with pytest.raises(ProviderError, match="the reply is empty"):
        said(model(ModelOutput(model="one")))


def test_a_token_is_at_most_a_byte():
    asked = model(reply(""))
    assert asked.count("Zürich") == 7
    assert asked.context == CONTEXT
    assert asked.concurrency == asked.model.api.max_connections()
    assert model(reply(""), GenerateConfig(max_connections=3)).concurrency == 3


def test_the_context_is_the_one_inspect_knows():
    from inspect_ai.model import ModelInfo, set_model_info

    set_model_info("told/one", ModelInfo(context_length=4096))
    try:
        assert model(reply("")).context == 4096
    finally:
        set_model_info("told/one", ModelInfo())


def test_a_spec_string_opens_a_model_of_its_own_whose_retries_are_ours():
    opened, another = open_model("inspect:told/two/three"), open_model("inspect:told/two/three")
    assert opened.spec == "inspect:told/two/three"
    asked, other = opened.inner.model, another.inner.model
    assert asked is not other
    assert asked.config.max_retries == 0
    assert asked.config.attempt_timeout == PATIENCE
    asyncio.run(opened.close())
    assert (asked.api.closed, other.api.closed) == (True, False)


def test_a_model_that_reasons_has_room_for_it_as_at_a_server():
    opened = open_model("inspect:told/one")
    api = opened.inner.model.api
    api.output = reply("", stop="max_tokens")
    said(opened, Decoding(max_tokens=24))
    assert [config.max_tokens for _, config in api.asked] == [24, 24 + ALLOWANCE]


def test_a_model_that_is_given_keeps_its_retries():
    assert model(reply("")).model.config.max_retries is None


@pytest.mark.parametrize(
    ("rest", "text"),
    [
        ("gpt-4o", "must be inspect:PROVIDER/MODEL"),
        ("", "must be inspect:PROVIDER/MODEL"),
        ("nobody/x", "Model API nobody of model 'nobody/x' not recognized"),
    ],
)
def test_a_name_that_inspect_does_not_know_is_the_studys_fault(rest, text):
    with pytest.raises(StudyError, match=text):
        inspected(rest)


def test_a_provider_that_cannot_be_opened_says_why_in_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ProviderError) as caught:
        inspected("openai/gpt-4o")
    assert "pip install openai" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "[bold]" not in str(caught.value)


def test_without_inspect_the_mend_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "inspect_ai.model", None)
    with pytest.raises(StudyError, match=r"pip install 'otherminds\[inspect\]'"):
        inspected("openai/gpt-4o")


def test_effort_reaches_the_provider_and_a_choice_is_named_as_dropped():
    asked = model(reply("A: Option J"))
    found = said(asked, Decoding(effort="low", choice=("A: Option J", "A: Option F")))
    assert asked.model.api.asked[0][1].reasoning_effort == "low"
    assert found.dropped == ("choice",)


def test_tools_reach_the_provider_and_arguments_that_are_no_json_stay_so():
    parameters = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}
    parameters["additionalProperties"] = False
    cut = InspectToolCall(id="2", function="pay", arguments={}, parse_error="cut")
    asked = model(reply("", tools=[InspectToolCall(id="1", function="pay", arguments={"sum": 2}), cut]))
    found = said(asked, Decoding(tools=(ModelTool("pay", "Pays.", parameters),)))
    assert [(one.name, one.arguments) for one in found.tools] == [("pay", '{"sum": 2}'), ("pay", "cut")]
    assert found.dropped == ()
    (sent,) = asked.model.api.tools
    assert (sent.name, sent.description) == ("pay", "Pays.")
    assert sent.parameters.model_dump(exclude_none=True) == parameters
