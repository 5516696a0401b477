"""Scores of whole texts, chained over next tokens."""

from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.models.scoring import chain

TOKENS = st.lists(st.integers(0, 2), max_size=4)


def after(path):
    """A made-up model: the log-probabilities of three tokens after ``path``."""
    weights = [1 + (7 * len(path) + 3 * sum(path) + token) % 5 for token in range(3)]
    return {token: log(weight / sum(weights)) for token, weight in enumerate(weights)}


@given(TOKENS, st.lists(TOKENS, min_size=1, max_size=4))
def test_texts_differ_by_their_whole_log_probabilities(prompt, texts):
    asked = chain(prompt, texts)
    found = {path: after((*asked.head, *path)) for path in asked.paths()}
    assert all(asked.wanted[path] <= found[path].keys() for path in found)
    scores = asked.scores(found)
    whole = [sum(after(text[:i])[token] for i, token in enumerate(text)) for text in texts]
    base = sum(after(asked.head[:i])[token] for i, token in enumerate(asked.head))
    assert [score + base for score in scores] == pytest.approx(whole)
    assert all(exp(score) <= 1 for score in scores)


@given(TOKENS, st.lists(TOKENS, min_size=1, max_size=4))
def test_nothing_is_asked_twice_and_each_prompt_extends_an_earlier_one(prompt, tails):
    asked = chain(prompt, [[*prompt, *tail] for tail in tails])
    assert asked.head == tuple(prompt)
    paths = asked.paths()
    assert len(paths) == len(set(paths))
    assert set(paths) == {tuple(tail[:i]) for tail in tails for i in range(len(tail))}
    for i, path in enumerate(paths):
        assert not path or path[:-1] in paths[:i]
        beyond = [other[: len(path)] == path for other in paths[i:]]
        assert beyond == sorted(beyond, reverse=True)  # depth first: what extends a path follows it at once
