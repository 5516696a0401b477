"""A substrate is read from a file, and each error is one line with the file, the line and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.core.errors import StudyError
from otherminds.gridworlds.in_the_matrix.rules import SHIPPED, SUBSTRATES, read_rules
from tests.cases import for_each

FILE = """\
classes = ["wheat", "wine"]
symbols = "12"
colours = ["green", "red"]
row = [[2, 0], [3, 1]]
map = '''
WWWWWWW
WP1 2PW
WWWWWWW
'''
bots.farmer = { family = "single", params = { behaviour = "wheat" }, margins = 2 }

[[scenarios]]
do = "wheat"
bots = ["farmer"]
"""


def read(folder: Path, text: str) -> str:
    """The error of a file with ``text``, without the folder."""
    path = folder / "market.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError) as error:
        read_rules(path)
    return str(error.value).removeprefix(f"{folder}/")


def test_a_file_says_what_a_substrate_is_and_leaves_out_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "market.toml"
    path.write_text(FILE, encoding="utf-8")
    rules = read_rules(path)
    assert (rules.name, rules.players, rules.size) == ("market", 2, (7, 3))
    assert rules.column == ((2, 3), (0, 1)), "the column player's payoffs are the row player's, mirrored"
    assert rules.bounds == pytest.approx((0.6, 1.2, 1.8, 2.4))
    assert [(name, bot.family, bot.margins) for name, bot in rules.bots] == [("farmer", "single", (2, 2))]
    assert hash(rules) == hash(read_rules(path))


@for_each(
    ("old", "new", "error"),
    [
        (
            "colours",
            "colors",
            "line 3: there is no key 'colors' here; did you mean colours?",
        ),
        ("row =", "rows =", "line 4: there is no key 'rows' here; did you mean row"),
        ("symbols = ", "#", "the key 'symbols' is missing"),
        ("[[2, 0]", '[["2", 0]', "line 4: row[0][0]: expected `int | float`, got `str`"),
        ("[[2, 0]", "[[2, 0, 1]", "line 4: row must be 2 lists of 2 payoffs, one for each of classes"),
        ('"12"', '"123"', "line 2: symbols must be 2, one for each of classes, not 3"),
        ("red", "pink", "line 3: there is no sprite of colour 'pink'"),
        ("P1 2P", "P1 xP", "line 7: the map has 'x' in column 5; it may have 'W', 'a', ' ', 'P', '1', '2'"),
        ("P1 2PW", "P1 2P", "line 5: the map of market is not enclosed: (6, 1) is open"),
        ("2PW", "2 W", "line 5: market has 2 avatars and 1 spawn points"),
        ('"single"', '"singel"', "line 10: there is no partner family 'singel'; did you mean single?"),
        ('["farmer"]', '["famer"]', "line 14: there is no bot 'famer'; did you mean farmer?"),
        ("margins = 2", "margins = 0", "line 10: bots.farmer.margins: expected `int` >= 1"),
        ('["farmer"]', '["farmer"]\nfocal = 2', "line 15: focal must be below 2, the number of players"),
        ('["farmer"]', '["farmer"]\nroles = ["row", "column"]', "line 15: roles must be 2, one for each"),
        ("symbols", 'roles = ["row"]\nlooks = "roles"\nsymbols', "line 2: roles must be 2, one for each"),
        ("symbols", 'looks = "roles"\nsymbols', 'line 2: looks must be "roles" where players have roles'),
    ],
)
def test_each_error_is_one_line_with_its_place(tmp_path: Path, old: str, new: str, error: str) -> None:
    assert old in FILE
    said = read(tmp_path, FILE.replace(old, new, 1))
    assert said.startswith("market.toml: ")
    assert error in said
    assert "\n" not in said


def test_cells_that_nobody_can_reach_are_void(tmp_path: Path) -> None:
    path = tmp_path / "market.toml"
    shifted = FILE.replace("WWWWWWW\nWP1 2PW\nWWWWWWW", "   WWWWWWW\n   WP1 2PW\nWWWWWWWWWW")
    path.write_text(shifted, encoding="utf-8")
    rules = read_rules(path)
    assert rules.size == (10, 3)
    assert rules.open == ((4, 1), (5, 1), (6, 1), (7, 1), (8, 1))
    assert {(0, 0), (1, 1), (9, 2)} <= rules.closed


def test_shipped_files_are_named_as_their_substrates() -> None:
    assert {path.stem for path in SHIPPED.glob("*.toml")} == set(SUBSTRATES)
