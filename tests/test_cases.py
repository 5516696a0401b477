from math import ceil

import pytest
from hypothesis import settings

from tests.cases import depth, examples, for_each, thinned

seen: list[tuple[int, str]] = []


every: list[int] = []


@for_each("number", range(7), every=3)
def test_the_first_of_each_so_many_is_run(number: int) -> None:
    every.append(number)


def test_the_others_are_left_to_the_slow_run() -> None:
    assert every == [0, 3, 6]
    (marks,) = test_the_first_of_each_so_many_is_run.pytestmark
    assert marks.args == ("thinned_to", depth(3, 1))


def test_a_share_of_the_examples_is_rounded_up() -> None:
    whole = settings().max_examples
    assert [examples(share).max_examples for share in (1, 0.2, 1e-9)] == [whole, ceil(whole / 5), 1]


@for_each("letter", "ab")
@for_each(("number",), [1, 2], ids=["one", "two"])
def test_every_case_is_run(number: int, letter: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert tmp_path_factory is not None, "fixtures are still handed over"
    seen.append((number, letter))


def test_none_was_left_out() -> None:
    assert seen == [(1, "a"), (2, "a"), (1, "b"), (2, "b")]


def test_an_error_names_its_case() -> None:
    @for_each("a, b", [(1, 1), (2, 3)])
    def same(a: int, b: int) -> None:
        assert a == b

    with pytest.raises(AssertionError) as caught:
        same()
    assert caught.value.__notes__ == ["case 2, 3"]


def test_a_promise_over_nothing_is_an_error() -> None:
    with pytest.raises(AssertionError, match="no case"):
        for_each("a", [])


def test_a_case_that_is_skipped_leaves_the_others() -> None:
    tried = []

    @for_each("a", [1, 2, 3])
    def some(a: int) -> None:
        tried.append(a)
        if a < 3:
            pytest.skip("too few")

    some()
    assert tried == [1, 2, 3]


def test_it_is_skipped_where_every_case_is() -> None:
    @for_each("a", [1, 2])
    def none(a: int) -> None:
        pytest.skip("nothing to do")

    with pytest.raises(pytest.skip.Exception, match="every case"):
        none()


def test_samples_run_always_and_the_whole_in_the_slow_run() -> None:
    assert [[mark.name for mark in one.marks] for one in depth(1, 9)] == [[], ["slow"]]
    kept = [one.values for one in thinned([1, (2, 3), 4, 5], 2) if not one.marks]
    assert kept == [(1,), (4,)]
