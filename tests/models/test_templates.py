"""Chat templates in the sandbox write what llama.cpp's own engine writes, and reach nothing."""

import json

import pytest

from otherminds.models.embedded import Engine
from otherminds.models.llama import LONGEST, ChatTemplate, TemplateError, load
from tests.cases import thinned
from tests.models.toy import TEMPLATE, toy

LLAMA_2 = """{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}{% set system = messages[0]['content'] %}{% else %}{% set loop_messages = messages %}{% set system = false %}{% endif %}{% for message in loop_messages %}{% if loop.index0 == 0 and system != false %}{% set content = '<<SYS>>\\n' + system + '\\n<</SYS>>\\n\\n' + message['content'] %}{% else %}{% set content = message['content'] %}{% endif %}{% if message['role'] == 'user' %}{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}{% elif message['role'] == 'assistant' %}{{ ' ' + content.strip() + ' ' + eos_token }}{% endif %}{% endfor %}"""
NO_SYSTEM = """{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}{% for message in messages %}
    {%- if message['role'] == 'assistant' %}{% set role = 'model' %}{% else %}{% set role = message['role'] %}{% endif %}
{{ '<turn>' + role + '\\n' + message['content'] | trim + '<end>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<turn>model\\n' }}{% endif %}"""
NAMESPACES = """{%- set ns = namespace(n=0) -%}
{%- for message in messages -%}
    {%- if message.role == 'user' %}{% set ns.n = ns.n + 1 %}{% endif -%}
    {%- if loop.last and not message.content %}{% continue %}{% endif -%}
    [{{ ns.n }} {{ message.role | upper }}] {{ message.content | replace('a', 'e') }}{{ '' if loop.last else ', ' }}
{%- endfor %}
{{ '>' if add_generation_prompt }}{% if tools %}tools{% endif %}{{ enable_thinking is defined }}"""
PUBLISHED = {
    "plain": TEMPLATE,
    "none": "",
    "Llama 2": LLAMA_2,
    "no system": NO_SYSTEM,
    "namespaces": NAMESPACES,
}
SPOKEN = {
    "user": [("user", "  Which option?\n")],
    "system": [("system", "Be brief."), ("user", "Zoë: a or b? 🙂")],
    "turns": [("user", "Hi"), ("assistant", " Hello."), ("user", "Which?")],
    "all": [("system", "Be brief."), ("user", "Hi"), ("assistant", "Hello."), ("user", "{{ 1 }}{% if %}")],
}


def messages(spoken):
    return [{"role": role, "content": content} for role, content in spoken]


@pytest.mark.parametrize("source", thinned(PUBLISHED.values(), 2), ids=PUBLISHED)
def test_replies_are_those_with_the_engine_of_llama_cpp(tmp_path, source):
    path = tmp_path / "toy.gguf"
    whole = toy(source)
    if not source:
        del whole.about["tokenizer.chat_template"]
    path.write_bytes(whole.packed())
    native, held = load(str(path), 8192, ""), Engine(path)
    for name, spoken in SPOKEN.items():
        request = {"messages": messages(spoken), "max_tokens": 6, "seed": 3, "temperature": 1.0}
        theirs = native.handle_chat_completions(request)
        message, usage, _ = held.chat(request)
        assert message["content"] == (theirs["choices"][0]["message"]["content"] or ""), name
        assert usage.prompt == theirs["usage"]["prompt_tokens"], name
    held.close()


def test_replies_of_the_shipped_model_are_those_with_the_engine_of_llama_cpp(model, weights):
    native = load(str(weights), 8192, "")
    schema = {"type": "object", "properties": {"option": {"enum": ["J", "F"]}}, "required": ["option"]}
    asked = {"max_tokens": 12, "seed": 3, "top_k": 0, "min_p": 0.0, "top_p": 1.0}
    for spoken, options in (
        (SPOKEN["user"], {"temperature": 1.0}),
        (SPOKEN["all"], {"temperature": 0.0}),
        (SPOKEN["system"], {"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}}),
        (SPOKEN["turns"], {"grammar": 'root ::= "J" | "F"', "temperature": 2.0}),
    ):
        request = {"messages": messages(spoken), **asked, **options}
        theirs = native.handle_chat_completions(request)
        message, usage, finish = model._engine.chat(request)
        assert message["content"] == theirs["choices"][0]["message"]["content"]
        assert (usage.prompt, usage.completion) == tuple(
            theirs["usage"][f"{one}_tokens"] for one in ("prompt", "completion")
        )
        assert finish == theirs["choices"][0]["finish_reason"]


def test_a_system_message_that_a_template_does_not_show_goes_before_the_next():
    prompt = ChatTemplate(
        "{% for m in messages %}{% if m.role != 'system' %}{{ m.content }}{% endif %}{% endfor %}", "", ""
    )
    assert prompt.prompt(messages(SPOKEN["system"])) == "Be brief.\nZoë: a or b? 🙂"


def test_a_template_that_wants_parts_gets_parts():
    source = "{% for m in messages %}{% for part in m.content %}{{ part.text }}{% endfor %}{% endfor %}"
    assert ChatTemplate(source, "", "").prompt(messages(SPOKEN["user"])) == "  Which option?\n"


def test_a_last_message_of_the_assistant_is_continued():
    template = ChatTemplate("{{ messages | length }}:", "", "")
    assert (
        template.prompt([*messages(SPOKEN["user"]), {"role": "assistant", "content": "I say"}]) == "1:I say"
    )


def test_blocks_for_training_and_json_are_known():
    source = "{% generation %}{{ messages | tojson }}{% endgeneration %}"
    prompt = ChatTemplate(source, "", "").prompt([{"role": "user", "content": "<ä>"}])
    assert json.loads(prompt) == [{"role": "user", "content": "<ä>"}]
    assert "<ä>" in prompt


@pytest.mark.parametrize(
    "source",
    [
        "{{ messages.append(1) }}",
        "{{ ''.__class__.__mro__ }}",
        "{% include 'x' %}",
        "{% if",
        " " * (LONGEST + 1),
    ],
    ids=lambda source: source.strip()[:20] or "long",
)
def test_what_changes_or_is_no_template_is_refused_in_one_line(source):
    with pytest.raises(TemplateError) as caught:
        ChatTemplate(source, "", "").prompt(messages(SPOKEN["user"]))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "reached",
    [
        "''.__class__",
        "strftime_now.__self__",
        "raise_exception.__globals__",
        "messages.__class__",
        "range.__init__",
        "lipsum",
        "self.__class__",
    ],
)
def test_nothing_of_python_can_be_reached(reached):
    assert ChatTemplate(f"[{{{{ {reached} }}}}]", "", "").prompt(messages(SPOKEN["user"])) == "[]"
