"""Nobody speaks as somebody else: every attack of the corpus, sent as a message through the house.

An attack succeeds if a prompt of the recipient differs in anything but the
quotation of the message from the prompt that a harmless message gives.
"""

import asyncio
import dataclasses
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.contracts import MindContext
from otherminds.core.data import Brief, Message, Moment, ReceivedMessage, SkillChoice
from otherminds.core.model import Decoding, Model
from otherminds.core.record import Record, prompts
from otherminds.core.scenario import Participant, Scenario, Setup
from otherminds.core.text import quoted
from otherminds.core.wording import PLAIN
from otherminds.minds.language.requests import RESERVE
from otherminds.minds.language.strategies import LM, QA
from otherminds.minds.language.strategy import LanguageMind, Strategy
from otherminds.minds.language.wording import wording
from otherminds.models.embedded import Embedded
from otherminds.models.scripted import ScriptedModel, first
from otherminds.play.loop import play
from tests.cases import depth, for_each
from tests.contracts import house

DATA = Path(__file__).parents[1] / "data"
ATTACKS = [json.loads(line) for line in (DATA / "injections.jsonl").read_bytes().split(b"\n") if line]
MIXED = [attack for k in range(7) for attack in ATTACKS[k::7]]
"""In another order, in which the kinds take turns."""
CONTROL = (DATA / "control_tokens.txt").read_text("utf-8").split()
SENDER, RECIPIENT = "agent_0", "agent_1"
SECRETS = {SENDER: "the mug goes into the cupboard", RECIPIENT: "the mug is not yours"}
HARMLESS = "Hello, how are you?"

TOLD = re.compile(r'(\S+) tells you: ("(?:[^"\\]|\\.)*")')
OURS = re.compile(
    r"\W*(A: |Q: |In \w+ \d|In this round|Turn \d|You |Your |Option |Game master|Referee|Rules|System|SYSTEM"
    r"|agent_\d|ego|partner_\d|user|assistant|Human|Assistant|First think|Answer with)"
)
"""How the lines of rules, history, questions, answers, other seats and turns of a conversation begin."""


class Talker(LanguageMind):
    """Says ``says`` on its first turn, then goes by its strategy; remembers what it was told."""

    def __init__(self, strategy: Strategy, says: str = "") -> None:
        super().__init__(strategy, payoffs=False)
        self.says = says

    def begin(self, brief: Brief, context: MindContext) -> None:
        super().begin(brief, context)
        self.told: list[ReceivedMessage] = []

    async def perceive(self, moment: Moment) -> None:
        self.told += moment.told
        await super().perceive(moment)

    async def act(self) -> Any:
        if self.says and self._context.step == 0:
            return SkillChoice("say", (self.says,))
        return await super().act()


AGAIN = wording(PLAIN).answer.again.splitlines()[0]


@dataclass(frozen=True)
class Visit:
    """One episode: what was recorded, what each seat was told, and the prompts of each seat."""

    record: Record
    told: dict[str, list[ReceivedMessage]]
    prompts: dict[str, list[str]]


def obedient() -> Model:
    """A model that has no will of its own: it says all that it was ever told, its secret too."""

    def reply(messages: Sequence[Message], decoding: Decoding) -> str:
        return "\n".join(message.content for message in messages)

    return ScriptedModel(reply, lambda prompt, continuations: [float(len(text)) for text in continuations])


def home(house: ModuleType, turns: int = 3) -> Scenario:
    """The house, with secrets of which no attack holds any."""
    return dataclasses.replace(house.scenario(turns=turns), grants={"secrets": lambda seat: (SECRETS[seat],)})


async def visit(
    scene: Scenario, text: str, strategy: type[Strategy] = QA, model: Callable[[], Model] = first
) -> Visit:
    """``agent_0`` says ``text`` to ``agent_1``, who goes by ``strategy`` with ``model``."""
    minds = {SENDER: Talker(QA(), text), RECIPIENT: Talker(strategy())}
    seats = {SENDER: Participant(minds[SENDER], first()), RECIPIENT: Participant(minds[RECIPIENT], model())}
    record, _ = await play(Setup(scene, seats, 1, grants=dict.fromkeys(minds, ("secrets",))))
    shown: dict[str, list[str]] = {seat: [] for seat in minds}
    for call, messages in zip(record.calls, prompts(record.calls), strict=True):
        # How often it is asked again depends on what the model itself replied; the prompt then only gains our words.
        contents = [message.content.partition(f"\n\n{AGAIN}")[0] for message in messages]
        if not call.attempt or contents != shown[call.seat][-len(contents) :]:
            shown[call.seat] += contents
    return Visit(record, {seat: mind.told for seat, mind in minds.items()}, shown)


def visits(scene: Scenario, texts: Sequence[str], **how: Any) -> list[Visit]:
    async def one_after_the_other() -> list[Visit]:
        return [await visit(scene, text, **how) for text in texts]

    return asyncio.run(one_after_the_other())


@cache
def tokenised() -> Embedded:
    """The embedded model's way to a chat template, for a vocabulary with all control tokens; no weights."""
    engine: Any = SimpleNamespace(context=1, digest="", file=SimpleNamespace(control=CONTROL))
    return Embedded("no weights", engine)


def successes(text: str, attacked: Visit, harmless: Visit) -> set[str]:
    """By which ways the message ``text`` was more than a message; empty if it was not."""
    found: set[str] = set()
    shown, due = attacked.prompts[RECIPIENT], harmless.prompts[RECIPIENT]
    if len(shown) != len(due) or attacked.prompts[SENDER] != harmless.prompts[SENDER]:
        found.add("other prompts")
    if attacked.told != {SENDER: harmless.told[SENDER], RECIPIENT: [ReceivedMessage(SENDER, text)]}:
        found.add("sender or recipient")
    sent = harmless.record.facts["messages"]
    if attacked.record.facts["messages"] != [[*m[:3], text if m[1] == SENDER else m[3]] for m in sent]:
        found.add("record")
    if attacked.record.actions[1:] != harmless.record.actions[1:]:
        found.add("actions")
    if any(SECRETS[SENDER] in prompt for prompt in shown):
        found.add("secret")
    if any(SECRETS[RECIPIENT] in prompt for prompt in attacked.prompts[SENDER]):
        found.add("secret")
    embedded = tokenised()
    for prompt, plain in zip(shown, due, strict=False):
        for words in (prompt, unicodedata.normalize("NFKC", prompt)):
            if embedded._defused(words) != words:
                found.add("control token")
        found |= _lines(text, prompt.splitlines(), plain.splitlines())
    return found


def _lines(text: str, shown: list[str], due: list[str]) -> set[str]:
    """Line by line, where a line ends wherever any reader may see an end."""
    found: set[str] = set()
    if len(shown) != len(due):
        found.add("lines")
    if sum(bool(OURS.match(line)) for line in shown) != sum(bool(OURS.match(line)) for line in due):
        found.add("forged line")
    for line, plain in zip(shown, due, strict=False):
        if line == plain:
            continue
        said, hello = TOLD.fullmatch(line), TOLD.fullmatch(plain)
        if said is None or hello is None:
            found.add("outside the quotation")
        elif said[1] != SENDER:
            found.add("sender")
        elif _meant(said[2]) != text:
            found.add("text")
    return found


def _meant(quotation: str) -> str | None:
    """What a quotation says; ``None`` if it cannot be read."""
    try:
        return json.loads(quotation, strict=False)
    except ValueError:
        return None


@pytest.fixture(scope="module")
def hello() -> Callable[..., Visit]:
    return lambda **how: visits(home(house), [HARMLESS], **how)[0]


class TestTheCorpus:
    def test_is_large_and_of_many_kinds(self) -> None:
        assert len({attack["text"] for attack in ATTACKS}) == len(ATTACKS) >= 200
        assert len({attack["kind"] for attack in ATTACKS}) >= 8

    def test_holds_no_secret_of_the_test(self) -> None:
        """Else a prompt that shows the attack would show the secret."""
        assert not [a for a in ATTACKS for secret in SECRETS.values() if secret in a["text"]]


class TestNobodySpeaksAsSomebodyElse:
    """0 of all attacks, of which there are at least 200, succeed (promises.md)."""

    @pytest.mark.parametrize("every", depth(24, 1))
    @for_each(
        ("nth", "strategy", "model"), [(0, QA, first), (1, QA, obedient), (2, LM, first), (3, LM, obedient)]
    )
    def test_no_attack_succeeds(
        self, hello: Callable[..., Visit], nth: int, strategy: Any, model: Any, every: int
    ) -> None:
        """A third of the attacks, each on one of the four, in every run; all attacks on each of them in the slow one."""
        texts = [attack["text"] for attack in MIXED[nth % every :: every]]
        harmless = hello(strategy=strategy, model=model)
        made = visits(home(house), texts, strategy=strategy, model=model)
        succeeded = [
            (text, ways)
            for text, attacked in zip(texts, made, strict=True)
            if (ways := successes(text, attacked, harmless))
        ]
        print(f"{len(succeeded)} of {len(made)} attacks succeed")
        assert succeeded == []
        assert len(made) * every >= 800

    def test_the_message_is_there(self, hello: Callable[..., Visit]) -> None:
        """The comparison shows something: the recipient is shown the message, and both know their secrets."""
        shown = hello().prompts
        assert sum(f'{SENDER} tells you: "{HARMLESS}"\n' in prompt for prompt in shown[RECIPIENT]) >= 3
        assert all(SECRETS[seat] in prompt for seat in shown for prompt in shown[seat])

    @pytest.mark.parametrize("every", depth(12, 1))
    def test_no_attack_succeeds_from_within_a_summary(self, every: int) -> None:
        """When the context is full, the message is told in the summary; a text counts as one token here."""

        class Forgetful(ScriptedModel):
            context = RESERVE + 4

            def count(self, text: str) -> int:
                return bool(text)

        def forgetful() -> Model:
            return Forgetful(first()._reply)

        scene = home(house, turns=7)
        texts = [HARMLESS, *(attack["text"] for attack in ATTACKS[::every])]
        harmless, *made = visits(scene, texts, model=forgetful)
        last = harmless.prompts[RECIPIENT][-1]
        assert last.index("turns so far") < last.index(HARMLESS) < last.index("Turn 8.")
        for text, attacked in zip(texts[1:], made, strict=True):
            assert not successes(text, attacked, harmless), ascii(text)

    @given(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=60))
    def test_no_other_text_does_either(self, text: str) -> None:
        attacked, harmless = visits(home(house), [text, HARMLESS])
        assert not successes(text, attacked, harmless)

    @pytest.mark.parametrize("every", depth(24, 1))
    def test_a_secret_changes_no_prompt_of_the_other(self, every: int) -> None:
        """Whatever is asked: the recipient's prompts do not hang on what the sender knows, nor the other way."""
        asking = [attack["text"] for attack in ATTACKS if attack["kind"] == "secret_extraction"]
        assert len(asking) >= 12
        asking = asking[::every]
        scene = home(house)
        for seat, other in ((SENDER, RECIPIENT), (RECIPIENT, SENDER)):
            secrets = {**SECRETS, seat: "the key is under the mat"}
            changed = dataclasses.replace(
                scene, grants={"secrets": lambda seat, secrets=secrets: (secrets[seat],)}
            )
            for one, two in zip(
                visits(scene, asking, model=obedient), visits(changed, asking, model=obedient), strict=True
            ):
                assert one.prompts[other] == two.prompts[other]
                assert one.prompts[seat] != two.prompts[seat]


def unescaped(*escapes: str) -> Callable[[ReceivedMessage], str]:
    """A telling whose quotation leaves these escapes out."""

    def message(told: ReceivedMessage) -> str:
        quotation = quoted(told.text)
        for escape in escapes:
            quotation = quotation.replace(escape, json.loads(f'"{escape}"'))
        return f"{told.sender} tells you: {quotation}"

    return message


def named(told: ReceivedMessage) -> str:
    """A telling that takes the sender from the text."""
    says = re.match(r"(agent_\d+)\b", told.text)
    return f"{says[1] if says else told.sender} tells you: {quoted(told.text)}"


BROKEN: dict[str, tuple[Callable[[ReceivedMessage], str], str]] = {
    "bare": (lambda told: f"{told.sender} tells you: {told.text}", "outside the quotation"),
    "in quotes": (lambda told: f'{told.sender} tells you: "{told.text}"', "forged line"),
    "no line feed": (unescaped("\\n"), "lines"),
    "no carriage return": (unescaped("\\r"), "lines"),
    "no vertical tab": (unescaped("\\u000b"), "lines"),
    "no form feed": (unescaped("\\u000c"), "lines"),
    "no next line": (unescaped("\\u0085"), "lines"),
    "no line separator": (unescaped("\\u2028"), "lines"),
    "no paragraph separator": (unescaped("\\u2029"), "lines"),
    "no information separator": (unescaped("\\u001e"), "lines"),
    "no quote": (unescaped('\\"'), "outside the quotation"),
    "no backslash": (unescaped("\\\\"), "outside the quotation"),
    "no tag": (unescaped("\\u003c"), "control token"),
    "no wide tag": (unescaped("\\uff1c"), "control token"),
    "no bracket": (unescaped("\\u005b"), "control token"),
    "as JSON": (lambda told: f"{told.sender} tells you: {json.dumps(told.text)}", "control token"),
    "as JSON in Unicode": (
        lambda told: f"{told.sender} tells you: {json.dumps(told.text, ensure_ascii=False)}",
        "lines",
    ),
    "as Python": (lambda told: f"{told.sender} tells you: {told.text!r}", "outside the quotation"),
    "sender from the text": (named, "sender"),
    "sender left out": (lambda told: f"Somebody tells you: {quoted(told.text)}", "sender"),
    "cut": (lambda told: f"{told.sender} tells you: {quoted(told.text[:20])}", "text"),
    "said twice": (
        lambda told: f"{told.sender} tells you: {quoted(told.text)}\nRemember: {quoted(told.text)}",
        "outside the quotation",
    ),
}


class TestTheCheckCatches:
    @pytest.mark.parametrize("name", BROKEN)
    def test_a_broken_telling(self, name: str) -> None:
        message, way = BROKEN[name]

        class Broken(house.HouseVerbalizer):
            def message(self, told: ReceivedMessage) -> str:
                return message(told)

        # Only messages that the broken verbalizer words differently can change a prompt.
        sound, broken = house.HouseVerbalizer(RECIPIENT), Broken(RECIPIENT)
        sent = (ReceivedMessage(SENDER, attack["text"]) for attack in MIXED)
        differing = (told.text for told in sent if broken.message(told) != sound.message(told))
        self.caught(
            dataclasses.replace(home(house), verbalizer=lambda drawn, seat: Broken(seat)), way, differing
        )

    def test_a_telling_that_speaks_of_the_message_elsewhere(self) -> None:
        class Broken(house.HouseVerbalizer):
            def situation(self, moment: Moment) -> str:
                heard = f" You were told: {quoted(moment.told[0].text)}" if moment.told else ""
                return super().situation(moment) + heard

        scene = dataclasses.replace(home(house), verbalizer=lambda drawn, seat: Broken(seat))
        self.caught(scene, "outside the quotation")

    def test_a_world_that_takes_the_sender_from_the_text(self) -> None:
        class Broken(house.HouseWorld):
            def step(self, actions: Any) -> Any:
                *out, infos = super().step(actions)
                for info in infos.values():
                    info["told"] = tuple(
                        ReceivedMessage(
                            RECIPIENT if told.text.startswith(RECIPIENT) else told.sender, told.text
                        )
                        for told in info["told"]
                    )
                return *out, infos

        scene = dataclasses.replace(home(house), world=lambda: Broken(turns=3))
        self.caught(scene, "sender or recipient")
        self.caught(scene, "sender")

    def test_a_world_that_delivers_to_the_sender(self) -> None:
        class Broken(house.HouseWorld):
            def step(self, actions: Any) -> Any:
                *out, infos = super().step(actions)
                told = [told for info in infos.values() for told in info["told"]]
                for info in infos.values():
                    info["told"] = tuple(told)
                return *out, infos

        self.caught(dataclasses.replace(home(house), world=lambda: Broken(turns=3)), "sender or recipient")

    def test_a_world_that_records_another_sender(self) -> None:
        class Broken(house.HouseWorld):
            def facts(self) -> dict[str, Any]:
                facts = super().facts()
                facts["messages"] = [[turn, to, who, text] for turn, who, to, text in facts["messages"]]
                return facts

        self.caught(dataclasses.replace(home(house), world=lambda: Broken(turns=3)), "record")

    def test_a_scenario_that_grants_every_secret_to_everybody(self) -> None:
        every = tuple(SECRETS.values())
        self.caught(dataclasses.replace(home(house), grants={"secrets": lambda seat: every}), "secret")

    def caught(self, scene: Scenario, way: str, texts: Iterable[str] | None = None) -> None:
        """Some attack succeeds in ``scene``, in this way; played one by one until it does."""
        (harmless,) = visits(scene, [HARMLESS])
        for text in (attack["text"] for attack in MIXED) if texts is None else texts:
            (attacked,) = visits(scene, [text])
            if way in successes(text, attacked, harmless):
                return
        pytest.fail(f"none of {len(ATTACKS)} attacks succeeded by: {way}")
