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
        ("[[2, 0], [3, 1]]", "[]", "line 4: row: expected `array` of length >= 2"),
        ("[[2, 0], [3, 1]]", "[[]]", "line 4: row"),
        ("[[2, 0], [3, 1]]", "[[2, 0], [3]]", "line 4: row[1]: expected `array` of length >= 2"),
        ("row = ", "column = []\nrow = ", "line 4: column: expected `array` of length >= 2"),
        ("row = ", "column = [[1, 1]]\nrow = ", "line 4: column"),
        (
            "row = ",
            "row = [[1, 1], [1, 1]]\nrow = ",
            "the key 'row' is given twice (at line 5, first at line 4)",
        ),
        ("bots.farmer =", "[[bots]]\nfarmer =", "line 10: bots: expected `table`, got `array`"),
        ("[[2, 0]", f"[[{2**70}, 0]", "line 4: row[0][0]: a number is too large; it has at most 64 bits"),
        ("wheat", "", "line 1: a class is named by words with single spaces between them, not ''"),
        ("wheat", "a\\nb", "line 1: a class is named by words with single spaces between them"),
        ("1 2", "1 1", "line 5: no 'wine' can grow: no cell with '2' or 'a' can be reached"),
        ("1 2PW", " PWW2", "line 5: no 'wheat' can grow"),
        (
            "row = ",
            "ending = { minimum = 9, maximum = 8 }\nrow = ",
            "line 4: minimum must be at most maximum, 8",
        ),
        ("WWWWWWW\n", "W" * 900 + "\n", "line 5: the map has 900 x 3 cells; it may have 2,500 at most"),
        (
            "row = ",
            "view = { left = 20 }\nrow = ",
            "line 4: the window has 23 x 5 cells; it may have 21 x 21",
        ),
        ("row = ", "players = 17\nrow = ", "line 4: players: expected `int` <= 16"),
    ],
)
def test_each_error_is_one_line_with_its_place(tmp_path: Path, old: str, new: str, error: str) -> None:
    assert old in FILE
    said = read(tmp_path, FILE.replace(old, new, 1))
    assert said.startswith("market.toml: ")
    assert error in said
    assert "\n" not in said


NUMBERS = {
    "row": "[[2, 0], [3, {}]]",
    "column": "[[2, 0], [{}, 1]]",
    "bounds": "[{}]",
    "players": "{}",
    "regrowth": "{}",
    "cooldown": "{}",
    "view": "{{ left = {} }}",
    "ending": "{{ maximum = {} }}",
    "scenarios": "[{{ do = 'x', bots = ['farmer'], focal = {} }}]",
    "bots.cheat": "{{ family = 'single', params = {{ behaviour = 'wine', slip = {} }} }}",
}
"""Keys of each kind that have numbers."""


@for_each("number", ["nan", "inf", "-inf", "1e308", "-1_000_001", "10_000_000_000"])
@for_each("key", sorted(NUMBERS))
def test_no_number_of_a_file_is_infinite_or_huge(tmp_path: Path, key: str, number: str) -> None:
    own = f"{key} = {NUMBERS[key].format(number)}\n"
    lines = [line for line in FILE.splitlines(keepends=True) if not line.startswith(f"{key} =")]
    said = read(tmp_path, own + "".join(lines).split("\n[[scenarios]]")[0])
    assert said.startswith(f"market.toml: line 1: {key}")
    assert "a number is from -1,000,000 to 1,000,000, not " in said
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
