import pytest

from tests.cases import for_each

seen: list[tuple[int, str]] = []


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
