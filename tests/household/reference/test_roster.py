"""Every reference mind: it plays by what its seat hears alone, within its means, alike each time."""

from functools import cache

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.core.errors import StudyError
from otherminds.household.commands import Command, parse
from otherminds.household.house import House
from otherminds.household.reference.roster import NULL, ROSTER
from otherminds.household.tasks.load import shipped_tasks
from otherminds.household.teams import PANEL
from tests.cases import examples, for_each, thinned
from tests.household.reference import team

TASKS = tuple(sorted(shipped_tasks()))
TEAMS: list[tuple[str, dict[str, int]]] = [
    *((name, {}) for name in ROSTER if name != "level_k" and name not in PANEL),
    *(
        (name, {})
        for name in ("beyond_me-hallway", "random_messages-first_goal_first", "ask_first-explore_when_idle")
    ),
    *(("level_k", {"k": k}) for k in range(4)),
    ("broadcast", {"whole_memory": True}),
    *(("level_k", {"k": k, "whole_memory": True}) for k in (1, 2, 3)),
]
IDS = [name + "".join(map(str, params.values())) for name, params in TEAMS]
TURNS = 16


def make(house: House, name: str, params: dict[str, int]) -> dict[str, Mind]:
    return {seat: ROSTER[name](house, **params) for seat in house.agents}


@cache
def shipped(task: str) -> House:
    return team.shipped(task)


@cache
def played(task: str, name: str, params: tuple[tuple[str, int], ...]) -> object:
    """One episode with a reference mind in all seats, under seed 0."""
    house = shipped(task)
    return team.play(house, make(house, name, dict(params)), TURNS)


@pytest.fixture(scope="module", params=thinned(TASKS, 4))
def house(request: pytest.FixtureRequest) -> House:
    return shipped(request.param)


def once(house: House, name: str, params: dict[str, int]) -> object:
    return played(house.task.task_id, name, tuple(params.items()))


def test_the_roster_is_as_it_was_agreed() -> None:
    others = {"random", "no_message", "blind", "broadcast", "level_k", "informed", "planner"}
    assert set(ROSTER) - set(NULL) - set(PANEL) == others
    assert set(NULL) == {"egocentric", "always_holds", "always_fails", "always_unknown", "silent_and_done"}


@for_each("k", [-1, 4, 1.5, "2", True])
def test_there_is_no_other_level(k: object) -> None:
    with pytest.raises(StudyError, match="k must be one of 0, 1, 2, 3"):
        ROSTER["level_k"](None, k=k)


class Watched(Mind):
    """Plays as another does, and sees that only what is known is named, and nothing malformed said."""

    def __init__(self, inner: Mind) -> None:
        self.inner, self.grants = inner, inner.grants

    def begin(self, brief: Brief, context: MindContext) -> None:
        self.heard: set[str] = {brief.seat, *brief.others, "all"}
        self.inner.begin(brief, context)

    async def perceive(self, moment: Moment) -> None:
        seen = moment.observation
        self.heard |= {*seen["graph"]["objects"], *seen["house"]["rooms"], *seen["house"]["furniture"]}
        await self.inner.perceive(moment)

    async def act(self) -> Action | SkillChoice | Invalid:
        call = await self.inner.act()
        read = parse(call)
        assert isinstance(read, Command), call
        names = read.args[:1] if read.tool == "Communicate" else read.args
        assert set(names) <= self.heard | {"on", "within", "next_to"}, call
        return call

    async def answer(self, question: Question) -> Answer | Invalid:
        answer = await self.inner.answer(question)
        assert answer in question.options
        return answer


@for_each(("name", "params"), TEAMS, ids=IDS, every=2)
def test_calls_are_well_formed_and_name_only_what_is_known(
    house: House, name: str, params: dict[str, int]
) -> None:
    minds = {seat: Watched(mind) for seat, mind in make(house, name, params).items()}
    team.play(house, minds, TURNS)


@for_each(("name", "params"), TEAMS, ids=IDS, every=2)
def test_no_message_is_sent_beyond_the_budget_or_to_who_cannot_be_reached(
    house: House, name: str, params: dict[str, int]
) -> None:
    episode = once(house, name, params)
    assert [text for text in episode.failures if text.startswith("Blocked")] == []
    for seat, limit in house.limits.items():
        assert limit is None or sum(sender == seat for sender, *_ in episode.said) <= limit


@for_each(("name", "params"), TEAMS, ids=IDS, every=2)
def test_the_same_seed_gives_the_same_episode(house: House, name: str, params: dict[str, int]) -> None:
    first, second = once(house, name, params), team.play(house, make(house, name, params), TURNS)
    assert first.world.log == second.world.log
    assert first.answers == second.answers


def test_only_chance_depends_on_the_seed(house: House) -> None:
    for name, params in TEAMS:
        other = team.play(house, make(house, name, params), TURNS, seed=1)
        assert (once(house, name, params).world.log == other.world.log) == (not name.startswith("random"))


@for_each(("name", "params"), TEAMS, ids=IDS, every=2)
def test_nothing_is_read_off_the_house_that_a_mind_is_made_for(
    house: House, name: str, params: dict[str, int]
) -> None:
    """A mind that is made for a task with other secrets, goals and mechanics plays the same."""
    bare = msgspec.structs.replace(
        house.task,
        problem_pddl=f"(is_on_floor {house.objects[0]})",
        agent_secrets={},
        mechanic_bindings=(),
        private_goals={},
    )
    strange = make(House(bare, house.scene), name, params)
    own, other = once(house, name, params), team.play(house, strange, TURNS)
    assert own.world.log == other.world.log
    assert own.answers == other.answers


def test_a_secret_of_another_changes_nothing_until_it_is_told(house: House) -> None:
    """What the others were told is taken away: with others who say nothing, a seat begins the same."""
    for seat in house.agents:
        alone = {seat: house.task.agent_secrets.get(seat, ())}
        other = House(msgspec.structs.replace(house.task, agent_secrets=alone), house.scene)
        first: list[list[str]] = []
        for place in (house, other):
            minds = {s: ROSTER["level_k" if s == seat else "blind"](place) for s in house.agents}
            log = team.play(place, minds, 1).world.log
            first.append([entry.call for entry in log if entry.seat == seat])
        assert first[0] == first[1]


def test_in_every_task_the_levels_are_ordered_and_the_team_that_knows_all_is_done(house: House) -> None:
    informed = team.play(house, make(house, "informed", {}), 100)
    assert informed.solved
    assert informed.said == []
    turns = 2 * informed.world.turn
    solved = [team.play(house, make(house, "level_k", {"k": k}), turns).solved for k in range(4)]
    assert solved == sorted(solved)
    assert solved[3]
    blind = team.play(house, make(house, "no_message", {}), turns)
    assert blind.solved == solved[0]
    assert blind.said == []


class Liar(Mind):
    """Says things from a list, one a turn, to everybody."""

    grants = frozenset[str]()

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts

    def begin(self, brief: Brief, context: MindContext) -> None:
        self.turn = 0

    async def perceive(self, moment: Moment) -> None:
        self.turn = moment.step

    async def act(self) -> Action | SkillChoice | Invalid:
        text = self.texts[self.turn % len(self.texts)]
        return f'Communicate[all, "{text}"]'

    async def answer(self, question: Question) -> Answer | Invalid:
        return question.options[-1]


AGENTS = some.sampled_from(("agent_0", "agent_1", "agent_2", "agent_77"))
THINGS = some.sampled_from(
    ("bowl_0", "cup_0", "cabinet_12", "fridge_3", "tv_7", "study_1", "store_1", "floor_store_1", "ghost_9")
)
FACTS = some.sampled_from(
    (
        *("{0} {v} on {1}", "{0} {v} inside {1}", "{0} {v} in {1}", "{0} {v} open", "{0} {v} not closed"),
        *("{0} {v} next to {1}", "{0} {v} filled", "{0} {v} switched on", "{0} {v} on the floor"),
        *("{0} {v} dirty", "{0} {v} empty", "{0} {v} not on {1}"),
    )
)
FORMS = some.sampled_from(
    (
        *(
            "{must}.",
            "{now}.",
            "{a} knows that {b} knows that {now}.",
            "By the end, {a} must know that {now}.",
        ),
        *(
            "{a} cannot enter {0} or {1}.",
            "{a} can only message {b}.",
            "{a} can send 3 messages.",
            "{a} holds {0}.",
        ),
        *(
            "{0} and {1} always move together.",
            "{0} works in reverse: opening closes it, and closing opens it.",
        ),
        *("Opening {0} makes {1} open, and closing it does the opposite.", "{a} is in {0}."),
        *("{a}, please see to it that {ends}.", "{a} will see to it that {ends}.", "{a} must end in {0}."),
        *("By the end, {a} must know that {b} knows that {now}.", "I want {0}!"),
    )
)


@some.composite
def sentences(draw: some.DrawFn) -> str:
    """A sentence of the controlled language, about anything, true or not."""
    one, other = draw(THINGS), draw(THINGS)
    fact = draw(FACTS)
    moods = {
        mood: fact.format(one, other, v=verb).replace(f"{verb} not", denied)
        for mood, verb, denied in (
            ("now", "is", "is not"),
            ("must", "must end", "must not end"),
            ("ends", "ends", "does not end"),
        )
    }
    return draw(FORMS).format(one, other, a=draw(AGENTS), b=draw(AGENTS), **moods)


@settings(examples(1))
@given(texts=some.lists(sentences(), min_size=1, max_size=12), k=some.integers(0, 4))
def test_nothing_that_a_partner_says_makes_a_mind_stumble(texts: list[str], k: int) -> None:
    house = team.house(
        team.barred("agent_0", "store_1"),
        goal="(and (is_open fridge_3) (K agent_0 (K agent_1 (is_open fridge_3))))",
        secrets={"agent_0": ["fridge_3 must end open.", "cup_0 must end on table_5."]},
    )
    name, params = ("broadcast", {}) if k == 4 else ("level_k", {"k": k})
    minds: dict[str, Mind] = {**make(house, name, params), "agent_2": Liar(texts)}
    own = [e for e in team.play(house, minds, 25).world.log if e.seat != "agent_2"]
    assert [e for e in own if "Malformed" in e.text] == []
    blocked = [e for e in own if e.text.startswith("Blocked")]
    assert len(blocked) <= len(minds)


@pytest.mark.parametrize("k", range(4))
def test_two_who_know_the_same_never_block_each_other(k: int) -> None:
    goals = {
        "(is_on_top bowl_0 table_5)": "bowl_0 must end on table_5.",
        "(is_inside towel_0 cabinet_6)": "towel_0 must end inside cabinet_6.",
        "(is_closed fridge_3)": "fridge_3 must end closed.",
        "(is_filled kettle_0)": "kettle_0 must end filled.",
        "(is_powered_on tv_7)": "tv_7 must end switched on.",
        "(is_in_room ball_0 kitchen_1)": "ball_0 must end in kitchen_1.",
    }
    house = team.house(
        goal=f"(and {' '.join(goals)})",
        secrets={f"agent_{i}": list(goals.values())[::step] for i, step in ((0, 1), (1, -1))},
        agents=2,
    )
    episode = team.play(house, make(house, "level_k", {"k": k}), 80)
    assert episode.solved
    assert max(e.turn for e in episode.world.log if e.call not in ("Wait[]", "Done[]")) < 60
