"""What is taken to be known by others: by looking together, and by messages."""

from otherminds.household.epistemic.formula import Atom, Know, KnowledgeChain
from otherminds.household.epistemic.words import Fact
from otherminds.household.reference.picture import Models, Picture

OPEN = Atom("is_open", ("cabinet_2",))
HERE = {("is_open", "cabinet_2"): ("is_open",)}


def models() -> Models:
    return Models("agent_0", Picture({}))


def test_who_looks_together_knows_that_all_know() -> None:
    made = models()
    made.seen_together(["agent_1", "agent_2"], HERE)
    for chain in (
        ("agent_1",),
        ("agent_2", "agent_1"),
        ("agent_1", "agent_0"),
        ("agent_1", "agent_2", "agent_0"),
    ):
        assert made.holds(chain, OPEN) is True


def test_of_the_absent_nothing_is_known() -> None:
    made = models()
    made.seen_together(["agent_1"], HERE)
    assert made.holds(("agent_2",), OPEN) is None
    assert made.holds(("agent_1", "agent_2"), OPEN) is None


def test_one_s_own_knowledge_is_one_s_picture() -> None:
    own = Picture({})
    own.note(OPEN)
    made = Models("agent_0", own)
    assert made.holds((), OPEN) is True
    assert made.holds(("agent_0",), OPEN) is True
    assert made.holds(("agent_1",), OPEN) is None


def test_a_message_is_shared_by_both_ends() -> None:
    made = models()
    made.common(("agent_1",), Fact(OPEN))
    assert made.holds(("agent_1",), OPEN) is True
    assert made.holds(("agent_1", "agent_0", "agent_1"), OPEN) is True
    assert made.holds(("agent_1", "agent_2"), OPEN) is None


def test_who_says_that_another_knows_makes_it_known_of_both() -> None:
    made = models()
    made.common(("agent_1",), Fact(Know("agent_2", OPEN)))
    assert made.holds(("agent_1", "agent_2"), OPEN) is True
    assert made.holds(("agent_2",), OPEN) is True
    assert made.holds(("agent_2", "agent_1"), OPEN) is None


def test_what_changes_out_of_sight_of_others_they_do_not_learn() -> None:
    made = models()
    made.seen_together(["agent_1"], HERE)
    made.record_chain(KnowledgeChain(("agent_2",), Atom("is_closed", ("cabinet_2",))))
    assert made.holds(("agent_1",), OPEN) is True
    assert made.holds(("agent_2",), OPEN) is False
