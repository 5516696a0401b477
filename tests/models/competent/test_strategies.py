from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from otherminds.models.competent.strategies import StrategySetting, read, rules
from tests.cases import for_each

KINDS = ("rock", "paper", "scissors")
PARTNER_PAYOFFS = ((0, 10, -10), (-10, 0, 10), (10, -10, 0))
DUELS = StrategySetting(KINDS, KINDS, PARTNER_PAYOFFS)
DILEMMA = StrategySetting(("C", "D"), ("C", "D"), ((3, 5), (0, 1)), (0, 0))
LABELS = StrategySetting(("J", "F"), ("J", "F"))
SETTINGS = [DUELS, DILEMMA, LABELS]

COURSES = [
    ("They always play rock.", DUELS, "rps", "rrr"),
    ("They play what does best against my last play.", DUELS, "rpsr", "?psr"),
    ("They copy my last play.", DUELS, "rps", "?rp"),
    ("They play rock 2 times and scissors from then on.", DUELS, "rrrr", "rrss"),
    ("They go through rock, paper, scissors in turn.", DUELS, "rrrr", "?psr"),
    ("They go through rock, paper in turn.", DUELS, "rrrr", "?prp"),
    ("They play scissors most of the time.", DUELS, "rps", "sss"),
    (
        "Next time they answer my rock with scissors, my paper with rock, my scissors with rock.",
        DUELS,
        "rps",
        "?sr",
    ),
    ("They play C until I have played D 2 times, and D ever after.", DILEMMA, "CDCDCC", "CCCCDD"),
    (
        "They play D until I have played D 2 times, and copy my last play from then on.",
        DILEMMA,
        "DDCDCC",
        "DDCCDC",
    ),
    ("They repeat what paid them well, and else go on to the next of C, D.", DILEMMA, "CDDC", "?"),
    ("They play what does best against all that I have played so far.", DUELS, "rrppp", "?pppp"),
]
"""Own plays and what a strategy says to each history before; ``?`` where it leaves that open."""


def said(sentence: str, setting: StrategySetting, own: str) -> str:
    """What it plays against ``own``, taking its own word for what it played."""
    rule = rules(setting)[sentence]
    initials = {name[0]: i for i, name in enumerate(setting.own)}
    state, course = rule.start, ""
    for played in own:
        now = rule.says(state)
        course += "?" if now is None else setting.theirs[now][0]
        # A rule that leaves its first play open begins with the first behaviour.
        state = rule.after(state, 0 if now is None else now, initials[played])
    return course


@for_each(("sentence", "setting", "own", "course"), COURSES)
def test_a_sentence_does_what_it_says(sentence, setting, own, course):
    found = said(sentence, setting, own)
    assert found.startswith(course) if len(course) < len(own) else found == course


def test_win_stay_lose_shift_stays_after_5_and_shifts_after_1():
    rule = rules(DILEMMA)["They repeat what paid them well, and else go on to the next of C, D."]
    # The mean of its payoffs 3, 5, 0, 1 is 2.25: it stays after 3 and 5.
    assert [rule.says(rule.after(None, theirs, own)) for own, theirs in ((0, 0), (0, 1), (1, 0), (1, 1))] == [
        0,
        1,
        1,
        0,
    ]


@for_each("setting", SETTINGS)
def test_every_sentence_is_read_back(setting):
    for sentence, rule in rules(setting).items():
        assert read(sentence, setting) is rule
        assert read(f"I do what is best if this is so: {sentence}", setting) is rule
    assert read("They are moody.", setting) is None


@for_each("setting", SETTINGS)
def test_the_conclusion_is_read_and_not_an_idea_that_was_refuted_before(setting):
    sentences = list(rules(setting))
    for refuted, meant in [*pairwise(sentences), *pairwise(reversed(sentences))]:
        reply = f'I thought: "{refuted}" But they did otherwise. So: {meant} That is my answer.'
        assert read(reply, setting) is rules(setting)[meant]
        assert read(f"{meant} No. {reply}", setting) is rules(setting)[meant], "said twice"


def test_families_need_what_they_speak_of():
    assert not any("does best" in sentence for sentence in rules(LABELS))
    assert not any("copy" in sentence for sentence in rules(StrategySetting(("a", "b"), ("x", "y"))))


@given(st.sampled_from(SETTINGS), st.data())
def test_rules_take_what_is_unknown(setting, data):
    behaviours = st.none() | st.integers(0, len(setting.own) - 1)
    history = data.draw(st.lists(st.tuples(behaviours, behaviours), max_size=12))
    for rule in rules(setting).values():
        now = rule.says(rule.state(history))
        assert now is None or 0 <= now < len(setting.theirs)
        assert rule.cost(history, len(setting.theirs)) >= rule.bits
