"""Logs are read whole, or refused in one line that names the file and the line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from otherminds.core.errors import OtherMindsError
from otherminds.matrix.logs.episodes import ILLEGAL, SILENT, read_log
from tests.cases import for_each
from tests.cli.running import otherminds

HEAD = "Interaction index,Player index,Opponent index,Repetition,Player name,Opponent name,Actions"
ROWS = ("0,0,1,0,Ann,Bob,CCD", "0,1,0,0,Bob,Ann,CDC")
EPISODE: dict[str, Any] = {
    "game": "ipd",
    "players": ["ann", "bob"],
    "acts": [["cooperate", "defect"], ["defect", "defect"]],
}
OWN = {"behaviours": [["up", "down"], ["left", "right"]], "payoffs": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]}


def table(*rows: str, head: str = HEAD) -> bytes:
    return "\n".join((head, *rows, "")).encode()


def line(**changed: Any) -> bytes:
    return json.dumps(EPISODE | changed).encode() + b"\n"


def deep(levels: int) -> bytes:
    return b'{"game":' + b"[" * levels + b"]" * levels + b"}\n"


def test_the_two_rows_of_an_interaction_are_one_episode_wherever_they_stand(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_bytes(table(ROWS[0], "1,0,0,0,Ann,Ann,C", ROWS[1], "1,0,0,0,Ann,Ann,D"))
    met, itself = read_log(log)
    assert itself.players == ("Ann", "Ann")
    assert met.players == ("Ann", "Bob")
    assert [acts.tolist() for acts in met.acts] == [[0, 0, 1], [0, 1, 0]]
    assert met.rewards.tolist() == [[3, 0, 5], [3, 5, 0]]


def test_a_line_has_a_game_of_its_own_illegal_moves_predictions_and_rewards(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    acts = [["up", "down", None], ["right", "left", "left"]]
    stated = [["right", None, "left"], None]
    log.write_bytes(line(game=OWN, acts=acts, predictions=stated, rewards=[[3, 5, -1], [4, 6, 0]]))
    (episode,) = read_log(log)
    assert [row.tolist() for row in episode.acts] == [[0, 1, ILLEGAL], [1, 0, 0]]
    assert [row.tolist() for row in episode.predictions] == [[1, SILENT, 0], [SILENT] * 3]
    assert episode.rewards.tolist() == [[3, 5, -1], [4, 6, 0]]
    log.write_bytes(line(game=OWN, acts=acts))
    assert next(read_log(log)).rewards.tolist() == [[3, 5, 0], [4, 6, 0]]


HOSTILE: dict[str, bytes] = {
    "empty": b"",
    "blank": b"\n \n",
    "binary": bytes(range(256)),
    "UTF-16": "game".encode("utf-16"),
    "NUL in a cell": table("0,0,1,0,A\0nn,Bob,CCD", ROWS[1]),
    "NUL in JSON": line().replace(b"ann", b"a\0n"),
    "text": b"once upon a time\n",
    "a list": b"[1, 2]\n",
    "open JSON": b'{"game": "ipd"\n',
    "deep JSON": deep(100_000),
    "a key twice": line().replace(b'"game"', b'"game": "rps", "game"', 1),
    "an unknown key": line(colour="red"),
    "an unknown game": line(game="chess"),
    "no payoffs": line(game={"behaviours": OWN["behaviours"]}),
    "NaN as a payoff": line(game=OWN).replace(b"[1, 2]", b"[NaN, 2]"),
    "an infinite payoff": line(game=OWN).replace(b"[1, 2]", b"[1e999, 2]"),
    "a text as a payoff": line(game=OWN).replace(b"[1, 2]", b'["1", 2]'),
    "ragged payoffs": line(game=OWN | {"payoffs": [[[1, 2]], [[5, 6], [7, 8]]]}),
    "many behaviours": line(game={"behaviours": [[*"abcdefghi"], ["x"]], "payoffs": [[[0, 0]]] * 9}),
    "unequal lengths": line(acts=[["defect"], ["defect", "defect"]]),
    "no round": line(acts=[[], []]),
    "an unknown act": line(acts=[["defect", "betray"], ["defect", "defect"]]),
    "a number as an act": line(acts=[["defect", 1], ["defect", "defect"]]),
    "three players": line(players=["a", "b", "c"]),
    "a nameless player": line(players=["", "b"]),
    "a long name": line(players=["a" * 100_000, "b"]),
    "a name of two lines": line(players=["a\nb", "b"]),
    "a name that turns the line": line(players=["a\u202e", "b"]),
    "an unknown prediction": line(predictions=[["rock", None], None]),
    "a missing prediction": line(predictions=[["defect"], None]),
    "a reward too few": line(rewards=[[1], [1, 2]]),
    "a huge reward": line(rewards=[[1e12, 1], [1, 2]]),
    "an episode twice": line(episode=7) + line(episode=7),
    "a second line that is bad": line() + b"nothing\n",
    "no column of actions": table("0,0,1,0,Ann,Bob", head=HEAD.removesuffix(",Actions")),
    "a cell too few": table("0,0,1,0,Ann,Bob"),
    "an open quotation": table('0,0,1,0,"Ann,Bob,CCD'),
    "an action that is none": table("0,0,1,0,Ann,Bob,CXD", ROWS[1]),
    "no action": table("0,0,1,0,Ann,Bob,", ROWS[1]),
    "actions of unequal length": table(ROWS[0], "0,1,0,0,Bob,Ann,CD"),
    "an interaction of others": table(ROWS[0], "0,1,0,0,Bob,Eve,CDC"),
    "an interaction thrice": table(*ROWS, ROWS[0]),
    "half an interaction": table(ROWS[0]),
    "a score by other payoffs": table(ROWS[0] + ",8", ROWS[1] + ",9", head=HEAD + ",Score"),
    "a huge line": table("0,0,1,0,Ann,Bob," + "C" * 200_000, ROWS[1]),
}


@for_each(("name", "content"), HOSTILE.items(), ids=HOSTILE)
def test_a_hostile_log_ends_in_one_line_that_names_it(name: str, content: bytes, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(content)
    with pytest.raises(OtherMindsError) as caught:
        list(read_log(log))
    text = str(caught.value)
    assert text.startswith(str(log))
    assert "\n" not in text
    assert len(text) < 600 + len(str(log))
    if content.strip():
        assert "line " in text


def test_the_command_says_it_in_one_line(tmp_path: Path) -> None:
    log, link = tmp_path / "log.jsonl", tmp_path / "link"
    log.write_bytes(line() + b"{}\n")
    link.symlink_to(tmp_path / "nowhere")
    for path in (log, tmp_path, link, tmp_path / "absent", tmp_path / ("a" * 5000), "/dev/null", "../" * 50):
        done = otherminds("score", path)
        assert done.returncode == 2, (path, done)
        assert done.stdout == ""
        assert len(done.stderr.splitlines()) == 1, done.stderr
