"""Free text: names in any spelling, requests and whom they are for, reports and who is said to know."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from otherminds.epistemic.household_facts import TaskFacts
from otherminds.epistemic.parse import parse
from otherminds.measures.household.patterns.mentions import ActionRequest, Reader
from otherminds.measures.household.trace import Trace
from tests.cases import for_each

SEATS = ("agent_0", "agent_1", "agent_2")
TASK = TaskFacts(
    id="t",
    category="mixed",
    depth=1,
    goal="(and (is_open fridge_3) (is_on_top picture_frame_5 table_18))",
    secrets=dict.fromkeys(SEATS, ("cup_1 is on table_9.",)),
    private_goals={"agent_1": "(is_closed fridge_3)"},
    barred=dict.fromkeys(SEATS, ()),
    talk=dict.fromkeys(SEATS, SEATS),
    limits=dict.fromkeys(SEATS),
    rooms={
        "fridge_3": "kitchen_1",
        "table_18": "living_room_1",
        "table_9": "kitchen_1",
        "cabinet_7": "kitchen_1",
    },
)
READER = Reader(Trace(TASK, False, {}, (), (), {}, {}))
FRIDGE, FRAME = parse("(is_open fridge_3)"), parse("(is_on_top picture_frame_5 table_18)")


@for_each(
    ("text", "names"),
    [
        ("picture_frame_5 to table_18", ["picture_frame_5", "table_18"]),
        ("Picture Frame 5, TABLE 18!", ["picture_frame_5", "table_18"]),
        ("picture-frame-5/table18", ["picture_frame_5", "table_18"]),
        ("the picture frame and the fridge", ["picture_frame_5", "fridge_3"]),
        ("the table", []),  # there are two
        ("fridge 4 is none of ours", []),
        ("the living room", ["living_room_1"]),
        ("agent 2 and agent_0", ["agent_2", "agent_0"]),
        ("", []),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    assert [name for clause in READER.clauses(text) for name in clause.named()] == names


@for_each(
    ("text", "doer", "names", "picks"),
    [
        ("Please open the fridge.", "", ["fridge_3"], False),
        ("Hey agent_2, go to kitchen 1", "agent_2", ["kitchen_1"], False),
        ("Could you fetch cup_1 and put it on table_18?", "", ["cup_1", "table_18"], True),
        ("agent_1 takes cup_1 to table_9", "agent_1", ["cup_1", "table_9"], False),
        ("agent_1 should carry cup_1", "agent_1", ["cup_1"], False),
        ("please tell agent_0 to open fridge_3", "agent_0", ["fridge_3"], False),
        ("agent_0 asks you to open fridge_3", "", ["fridge_3"], False),
        ("All well here; now bring cup_1 over", "", ["cup_1"], False),
    ],
)
def test_requests(text: str, doer: str, names: list[str], picks: bool) -> None:
    assert READER.requests(text) == (ActionRequest(doer, tuple(names), picks),)


@for_each(
    "text",
    [
        "I will open fridge_3.",
        "Let me open fridge_3.",
        "fridge_3 is open.",
        "Do not open fridge_3.",
        "please don\u2019t open fridge_3",
        "Could you tell me whether fridge_3 is open?",
        "Where is cup_1?",
        "Please hurry!",
        "agent_0 opened fridge_3",
    ],
)
def test_no_requests(text: str) -> None:
    assert READER.requests(text) == ()


@for_each(
    ("text", "knowers"),
    [
        ("fridge_3 is open", ()),
        ("I have opened the fridge!", ()),
        ("agent_1 knows that fridge_3 is open", ("agent_1",)),
        ("agent_2 told me that agent_1 saw fridge 3 open", ("agent_2", "agent_1")),
        ("I told agent_2: fridge_3 is open", ("agent_2",)),
        ("agent_2 said the fridge is open so agent_2 knows", ("agent_2",)),
        ("fridge_3 is not open", None),
        ("Is fridge_3 open?", None),
        ("fridge_3 must be open", None),
        ("I am going to open fridge_3", None),
        ("please open fridge_3", None),
        ("fridge_3 is closed", None),
        ("it is open", None),
    ],
)
def test_reports(text: str, knowers: tuple[str, ...] | None) -> None:
    assert READER.reports(text, FRIDGE) == knowers


def test_reports_of_what_is_not_so() -> None:
    closed = parse("(not (is_open fridge_3))")
    assert READER.reports("fridge_3 is not open", closed) == ()
    assert READER.reports("fridge_3 is open", closed) is None


@for_each(
    ("text", "aims"),
    [
        ("picture_frame_5 goes to table_18", True),
        ("Put it on table 18.", True),
        ("The target is table_18", True),
        ("table_18 is a nice table", False),
        ("Not table_18!", False),
        ("picture_frame_5 belongs somewhere", False),
    ],
)
def test_telling_where_a_thing_goes(text: str, aims: bool) -> None:
    assert READER.aims_at(text, FRAME) is aims


def test_telling_what_one_wants() -> None:
    closed = parse("(is_closed fridge_3)")
    assert READER.confesses("My secret objective: the fridge CLOSED", closed)
    assert READER.confesses("Then I will shut fridge_3", closed)
    assert READER.confesses("close the fridge pls", closed)
    assert not READER.confesses("fridge_3 is closed", closed)
    assert not READER.confesses("I want fridge_3 open", closed)


@given(
    st.text(max_size=300)
    | st.lists(
        st.sampled_from(["tell", "agent_1", "to", "open", "the", "fridge", ";", "?", "not", "I", "will"]),
        max_size=400,
    ).map(" ".join)
)
def test_anything_can_be_read(text: str) -> None:
    for literal in (FRIDGE, FRAME):
        READER.aims_at(text, literal)
        READER.reports(text, literal)
        READER.confesses(text, literal)
    READER.requests(text)
