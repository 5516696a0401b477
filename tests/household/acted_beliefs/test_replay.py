"""The replay of encounters: a row and a stop for each, turns that are played in the house, and departures that are named."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import StringIO
from xml.etree.ElementTree import fromstring

import pytest
from msgspec import to_builtins
from msgspec.structs import replace
from rich.console import Console

from otherminds import Record
from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Setup, scenario
from otherminds.household.acted_beliefs.contexts import AGENTS, COURSES, EGO, PARTNER, list_contexts
from otherminds.household.acted_beliefs.partner_types import DESIGN_OF
from otherminds.household.acted_beliefs.played import PLACES, THING, play_context
from otherminds.household.acted_beliefs.replay import print_encounters
from otherminds.household.acted_beliefs.replayed import ShownEncounter, find_departure, replay_encounters
from otherminds.household.acted_beliefs.rules import FACT, EncounterRules, read_rules
from otherminds.household.acted_beliefs.scenarios import name_scenario
from otherminds.household.acted_beliefs.stage_games import GAMES
from otherminds.household.acted_beliefs.turns import play_frames
from otherminds.play.loop import play_now
from otherminds.reports.replay.general import choose_page, choose_text
from tests.cases import for_each
from tests.reports.replay import reading

EVIL = "</script><img src=x onerror=alert(1)>"
ENCOUNTERS = 6


def play(name: str, mind: Mind | str = "bayes", seed: int = 1, arm: str = "", **options: object) -> Record:
    place = scenario(name, {"encounters": ENCOUNTERS, **options})
    seated = place.make(mind, {}) if isinstance(mind, str) else mind
    return play_now(Setup(place, {EGO: seated}, seed, intervention=arm))[0]


class Stumbling(Mind):
    """Names the first place, and chooses it until ``acts`` choices are made; then its reply cannot be read."""

    def __init__(self, acts: int, *, mumbles: bool = False) -> None:
        self.acts, self.mumbles = acts, mumbles

    def begin(self, brief: Brief, context: MindContext) -> None:
        self.made = 0

    async def perceive(self, moment: Moment) -> None:
        """Keeps nothing."""

    async def act(self) -> Action | Invalid:
        self.made += 1
        return Invalid("no option", EVIL) if self.made > self.acts else 0

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("no place", EVIL) if self.mumbles else PLACES[0]


def read_text(record: Record, width: int = 400) -> str:
    console = Console(file=StringIO(), width=width)
    for part in choose_text(record).text(record):
        console.print(part)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def list_rows(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if re.match(r" *\d+ ", line)]


def open_page(record: Record) -> str:
    return choose_page(record).play(record).page(None)


@for_each("game", GAMES)
def test_the_text_has_a_row_for_each_encounter(game: str) -> None:
    record = play(name_scenario(game, "second"))
    rules = read_rules(record)
    assert rules is not None
    rows = list_rows(read_text(record))
    assert len(rows) == ENCOUNTERS
    for row, context, answer, met in zip(rows, rules.contexts, record.asked, record.met[EGO], strict=True):
        believed = rules.names[context.view.thinks[0]]
        truth = "true" if context.view.thinks[0] == context.now else "false"
        assert f"{rules.names[context.now]} " in row
        assert f"{believed} ({truth}), and that {EGO} thinks {rules.names[context.view.thinks[1]]}" in row
        assert f"{answer.answer} {'✓' if answer.answer == answer.truth else '✗'}" in row
        assert row.split()[-2:] == [met.did[PARTNER][0], f"{met.reward:g}"]


def test_no_name_of_a_place_is_cut_off_or_broken_in_a_narrow_terminal() -> None:
    for game in GAMES:
        text = read_text(play(name_scenario(game, "second")), 80)
        assert not re.search(r"…|counter_(?!\d)", text), game


@for_each("game", GAMES)
def test_the_page_has_one_stop_for_each_encounter_and_no_fault(game: str) -> None:
    record = play(name_scenario(game, "second"))
    playback = choose_page(record).play(record)
    page = playback.page(None)
    assert playback.fault == ""
    assert reading.asked(page) <= reading.Reader(page).names
    story = reading.told(page)
    stops = [encounter["step"] for encounter in story["encounters"]]
    assert len(stops) == ENCOUNTERS
    assert stops == [
        next(n for n, turn in enumerate(story["turns"]) if turn["encounter"] == number)
        for number in range(ENCOUNTERS)
    ]
    assert len(story["turns"]) == story["last"] + 1
    for turn in story["turns"]:
        assert len(turn["agents"]) == len(AGENTS)
        for part in ("views", "moment"):
            fromstring(f"<svg>{turn[part]}</svg>")
    for encounter, met, answer in zip(story["encounters"], record.met[EGO], record.asked, strict=True):
        assert encounter["earned"] == pytest.approx(met.reward)
        assert encounter["right"] == (answer.answer == answer.truth)
        assert 0 <= encounter["share"] <= 1
    for stop, met in zip([*stops[1:], len(story["turns"])], record.met[EGO], strict=True):
        assert story["turns"][stop - 1]["agents"][1]["goes"] == met.did[PARTNER][0]


def list_shown(game: str, population: str) -> list[ShownEncounter]:
    """An encounter of each course of the design with each plan that differs for the partner."""
    rules = EncounterRules(game, population, PLACES[:3], 0.0, ())
    contexts = {
        context.course: context
        for context in list_contexts(
            DESIGN_OF.get(population, population), 3, early=False, aims=rules.stage.aims
        )
    }
    firsts = range(rules.stage.choices(0, 3)) if rules.stage.steps > 1 else range(1)
    plans = [(first, 0)[: rules.stage.steps] for first in firsts]
    return [
        ShownEncounter(rules, 0, context, None, plan=plan, place=1)
        for context in contexts.values()
        for plan in plans
    ]


@for_each(
    "game, population", [(game, name) for game in ("meet", "tell", "screen") for name in ("second", "all")]
)
def test_what_is_played_on_the_map_is_what_the_partner_acts_on(game: str, population: str) -> None:
    """The context, then what ego's first choice adds: the partner sees in the house what the rules say that it perceives."""
    for encounter in list_shown(game, population):
        frames = [*play_frames(encounter)]
        context, stage = encounter.context, encounter.rules.stage
        turns = play_context(context)
        assert [frame.state.agents[EGO].room for frame in frames[: len(turns)]] == [
            turn.rooms[EGO] for turn in turns
        ]
        view = stage.perceive(context.view, context, encounter.plan)
        before, after = frames[-2:]
        partner = before.agents[1]
        assert partner["believes"] == [f"on {PLACES[view.thinks[0]]}", view.thinks[0] == context.now]
        assert partner["of_ego"][0] == f"on {PLACES[view.thinks[1]]}"
        assert partner["saw"] == f"on {PLACES[view.sighting]}"
        assert before.state.objects[THING].rest.where == PLACES[context.now], "it is brought back"
        assert after.state.agents[PARTNER].room == "kitchen_1", "it really goes to its place"
        assert after.agents[1]["goes"] == PLACES[1]
        told = [saying for saying in COURSES[context.course].sayings if saying.hearer == PARTNER]
        assert len(partner["told"]) == len(told) + (game == "tell" and encounter.plan[0] == 1)


def test_who_weighs_messages_in_another_way_is_shown_to_believe_what_it_acts_on() -> None:
    for seed in range(8):
        replay = replay_encounters(play("acted_beliefs-meet-messages-v1", seed=seed))
        for encounter in replay.encounters:
            if encounter.kind and encounter.kind.name in ("belief", "distrustful", "credulous"):
                assert [*play_frames(encounter)][-1].agents[1]["believes"][
                    0
                ] == f"on {PLACES[encounter.place or 0]}"


@for_each("game, acts", [("meet", 0), ("meet", 2), ("screen", 4), ("screen", 5)])
def test_an_episode_that_stopped_shows_what_was_played_and_why_it_stopped(game: str, acts: int) -> None:
    record = play(name_scenario(game, "first"), Stumbling(acts))
    assert record.outcome.status == "invalid"
    rules = read_rules(record)
    assert rules is not None
    finished = len(record.actions) // rules.stage.steps
    text = read_text(record)
    assert len(list_rows(text)) == finished + 1
    assert f"encounter {finished + 1} was not played to its end: invalid" in text
    assert EVIL in text
    playback = choose_page(record).play(record)
    story = reading.told(playback.page(None))
    assert playback.fault == ""
    assert [encounter["earned"] is None for encounter in story["encounters"]] == [False] * finished + [True]
    assert EVIL in [words for _, words, _ in story["encounters"][-1]["facts"]]
    assert story["turns"][-1]["agents"][1]["goes"] == ""


def test_a_reply_in_which_no_place_could_be_read_is_quoted() -> None:
    record = play("acted_beliefs-meet-first-v1", Stumbling(99, mumbles=True))
    assert record.outcome.status == "scored"
    assert read_text(record).count(EVIL) == ENCOUNTERS
    assert {encounter["right"] for encounter in reading.told(open_page(record))["encounters"]} == {None}


def tamper_place(record: Record) -> Record:
    """The partner of the second encounter goes elsewhere, and all that is recorded of it agrees."""
    (ego, place), met = record.actions[1], record.met[EGO][1]
    went = next(other for other in range(3) if other not in (ego, place))
    told = replace(met, did={**met.did, PARTNER: (PLACES[went],)}, reward=0.0)
    rewards = [*record.rewards]
    rewards[1] = (0.0, 0.0)
    return replace(
        record,
        actions=[record.actions[0], (ego, went), *record.actions[2:]],
        rewards=rewards,
        met={**record.met, EGO: (record.met[EGO][0], told, *record.met[EGO][2:])},
    )


def tamper_reward(record: Record) -> Record:
    return replace(record, rewards=[record.rewards[0], (9.0, 9.0), *record.rewards[2:]])


def tamper_told(record: Record) -> Record:
    met = record.met[EGO]
    other = next(name for name in PLACES if name != met[1].did[PARTNER][0])
    told = replace(met[1], did={**met[1].did, PARTNER: (other,)})
    return replace(record, met={**record.met, EGO: (met[0], told, *met[2:])})


def tamper_context(record: Record) -> Record:
    rules = read_rules(record)
    assert rules is not None
    first, second, *others = rules.contexts
    changed = replace(second, places=(*second.places[1:], second.places[0]))
    return replace(record, facts={FACT: to_builtins(replace(rules, contexts=(first, changed, *others)))})


@for_each(
    "tamper, name",
    [
        (tamper_place, "in encounter 2 agent_1 went to"),
        (tamper_reward, "from step 2 on the replay is not what was recorded: rewards"),
        (tamper_told, "encounter 2 was told as another one than was played"),
        (tamper_context, "the context of encounter 2 is not the one that is drawn"),
    ],
)
def test_a_record_that_departs_from_its_world_is_named(tamper: Callable[[Record], Record], name: str) -> None:
    record = play("acted_beliefs-meet-first-v1")
    assert find_departure(record) == ""
    playback = choose_page(tamper(record)).play(tamper(record))
    assert playback.fault.startswith(name)
    page = playback.page(None)
    assert reading.Reader(page).text.count(playback.fault) == 1
    assert "departs from the record" in reading.Reader(page).text


def test_a_partner_that_slips_is_no_departure() -> None:
    record = play("acted_beliefs-meet-first-v1", slip=0.45, encounters=24)
    assert any(answer.answer != answer.truth for answer in record.asked)
    assert find_departure(record) == ""


@for_each("name", ["acted_beliefs-meet-first-v1", "acted_beliefs-tell-first-v1"])
def test_what_an_intervention_showed_stands_with_its_encounter(name: str) -> None:
    record = play(name, arm="remind")
    said = [str(answer.answer) for answer in record.asked]
    assert [encounter.notice for encounter in replay_encounters(record).encounters] == said
    text = read_text(record)
    assert "shown" in text
    assert "Arm remind: " in text
    for encounter, word in zip(reading.told(open_page(record))["encounters"], said, strict=True):
        assert ["shown before the choice", word, ""] in encounter["facts"]
    assert "shown" not in read_text(play(name))


def test_each_half_of_an_episode_has_its_partner_where_another_one_came() -> None:
    record = play("acted_beliefs-meet-messages-v1", arm="swap")
    kinds = [encounter.kind.name for encounter in replay_encounters(record).encounters if encounter.kind]
    assert len(set(kinds[:3])) == len(set(kinds[3:])) == 1
    assert kinds[0] != kinds[3]
    assert find_departure(record) == ""


def test_nothing_that_a_mind_is_called_or_said_is_markup() -> None:
    record = play("acted_beliefs-meet-first-v1", Stumbling(3, mumbles=True))
    seats = {**record.spec.seats, EGO: SeatSpec("x", label=EVIL)}
    page = open_page(replace(record, spec=replace(record.spec, seats=seats)))
    assert "<img" not in page
    assert "img" not in reading.Reader(page).tags
    script = reading.Reader(page).scripts[""]
    assert re.findall(r"\S+\.innerHTML = \S+", script) == [
        'el("views").innerHTML = turns[now].views;',
        'el("moment").innerHTML = turns[now].moment;',
    ]


def test_notes_and_questions_stand_at_the_turn_in_which_the_choice_is_made() -> None:
    record = play("acted_beliefs-screen-first-v1")
    story = reading.told(open_page(record))
    asked = [step for step, kind, *_ in story["log"] if kind == "question"]
    assert [story["turns"][step]["encounter"] for step in asked] == [*range(ENCOUNTERS)]
    for step in asked:
        assert story["turns"][step]["encounter"] == story["turns"][step + 1]["encounter"], (
            "before ego chooses"
        )


def test_text_and_page_are_deterministic_and_the_text_plays_no_world() -> None:
    record = play("acted_beliefs-screen-second-v1")
    assert read_text(record) == read_text(record)
    assert open_page(record) == open_page(record)
    elsewhere = replace(record, spec=replace(record.spec, scenario="no-such-scenario-v1"))
    assert list(map(str, print_encounters(replay_encounters(elsewhere))))[-1].startswith("Predictions with a")
