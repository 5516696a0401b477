"""A quotation is one line of text that cannot end itself, for every reader and tokeniser."""

import json
import re
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.text import plain, quoted
from tests.cases import depth, for_each

STRING = re.compile(r'"(?:[^"\\]|\\(?:["\\nrt]|u[0-9a-f]{4}))*"')
"""A JSON string, by its grammar: a double quote inside is always escaped."""

CONTROL = (Path(__file__).parents[1] / "data" / "control_tokens.txt").read_text("utf-8").split()
"""Control tokens and role tags of the chat templates of many models."""

ROLES = (
    *("USER:", "User:", "ASSISTANT:", "Human:", "System:", "### Instruction:", "### Response:", "user："),
    *(
        f"[{word}]"
        for word in ("inst", "/inst", "sys", "system", "user", "/user", "assistant", "think", "tool")
    ),
    "[startpiece]",
)
FENCES = ("```", "~~~", "````", "###")
ENDS = ("\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
LOOK_ALIKES = "“”„‟″‶〃〝〞〟＂❝❞ʺ˝ˮ˶״⹂"
COMMON = ("Lo", "Cn", "Co", "Cs")
"""Ideographs, what is unassigned, for private use or half a character: all but a few thousand of the million."""
TEXT = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from('"\\`~<>[]|/:nu0 \n\r\u2028\u200b\u0301'),
        st.sampled_from("＂＼＜＞［］｜："),
    )
)


def sound(quotation: str) -> None:
    """One line, one string, and nothing unseen."""
    assert quotation.splitlines() == [quotation]
    assert STRING.fullmatch(quotation)
    assert not any(char in quotation[1:-1] for char in LOOK_ALIKES)
    kinds = {unicodedata.category(char) for char in quotation}
    assert kinds.isdisjoint({"Cc", "Zl", "Zp", "Cs", "Co"})


class TestOneLine:
    @given(TEXT)
    def test_any_text_is_one_line_that_ends_where_it_should(self, text: str) -> None:
        sound(quoted(text))

    @given(TEXT)
    def test_normalisation_cannot_end_it(self, text: str) -> None:
        normal = unicodedata.normalize("NFKC", quoted(text))
        assert normal.splitlines() == [normal]
        assert STRING.fullmatch(normal)

    @given(TEXT.filter(lambda text: not re.search("[\ud800-\udbff][\udc00-\udfff]", text)))
    def test_it_reads_back(self, text: str) -> None:
        assert json.loads(quoted(text)) == text

    @given(TEXT, TEXT)
    def test_two_texts_have_two_quotations(self, one: str, other: str) -> None:
        assert (quoted(one) == quoted(other)) == (json.loads(quoted(one)) == json.loads(quoted(other)))

    @for_each("end", ENDS, ids=ascii)
    def test_no_end_of_line_is_left(self, end: str) -> None:
        assert quoted(f"a{end}b").splitlines() == [quoted(f"a{end}b")]
        assert end not in quoted(end)

    @for_each("quote", ['"', '\\"', '\\\\"', '\\\\\\"', "\\", "\\\\", "\\u0022", *LOOK_ALIKES])
    def test_no_quote_ends_it(self, quote: str) -> None:
        sound(quoted(quote))
        sound(quoted(f"{quote} is what you heard. {quote}"))


class TestEveryCharacter:
    @pytest.mark.parametrize("which", depth("some", "all"))
    def test_reads_back_and_is_seen(self, which: str) -> None:
        """One by one, all of Unicode in the slow run; visible marks of Arabic, Syriac, Kaithi and Egyptian are formats too."""
        left = set()
        for char in map(chr, range(sys.maxunicode + 1)):
            if which == "some" and unicodedata.category(char) in COMMON and ord(char) % 97:
                continue
            quotation = quoted(f"a{char}b")
            assert json.loads(quotation) == f"a{char}b"
            assert quotation.splitlines() == [quotation]
            assert STRING.fullmatch(unicodedata.normalize("NFKC", quotation))
            kind = unicodedata.category(char)
            if kind in ("Cc", "Cf", "Zl", "Zp", "Cs", "Co") and char in quotation:
                left.add(unicodedata.name(char, hex(ord(char))).split()[0])
        assert left <= {"ARABIC", "SYRIAC", "KAITHI", "EGYPTIAN"}

    def test_blank_letters_are_seen(self) -> None:
        for blank in "\u115f\u1160\u3164\uffa0\u2800\u034f\u180b\ufe00\U000e0100":
            assert blank not in quoted(f"a{blank}b"), ascii(blank)

    @for_each("mark", "\u0301\u0338\u20dd\u3099\ufe0f", ids=ascii)
    def test_a_mark_joins_no_character_of_ours(self, mark: str) -> None:
        for before in ("", '"', "\n", "\\", "<x", "\u200b"):
            start, text = before[:1], f"{before[:1]}{mark}{before[1:]}"
            assert mark not in quoted(text), f"after {start!r}"
        assert mark in quoted(f"a{mark}"), "it stays on a letter of the message's own"


class TestTags:
    @for_each("token", CONTROL)
    def test_no_control_token_is_left(self, token: str) -> None:
        for text in (token, f"x{token}y", f"ok {token} system\n{token}", token * 3, f"{token[:2]}{token}"):
            quotation = quoted(text)
            assert token not in quotation
            assert token not in unicodedata.normalize("NFKC", quotation)
            assert json.loads(quotation) == text

    @for_each("token", CONTROL)
    def test_a_look_alike_of_it_does_not_normalise_to_it(self, token: str) -> None:
        wide = "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in token)
        if "~" in token or token.startswith("|"):
            wide = (
                token  # a wide tilde or bar is plain punctuation in Chinese, and no token in any vocabulary
            )
        assert token not in unicodedata.normalize("NFKC", quoted(f"{wide} system"))

    @for_each("text", [*ROLES, *FENCES])
    def test_roles_and_fences_are_broken_up(self, text: str) -> None:
        assert text not in quoted(f"ok {text} do it")
        assert text not in quoted(text)

    @for_each("fence", FENCES)
    def test_nothing_of_a_fence_is_left(self, fence: str) -> None:
        assert fence[0] not in quoted(f"a {fence} b {fence}")

    def test_what_is_escaped_by_hand_stays_text(self) -> None:
        assert quoted("\\u003c|im_start|>") == '"\\\\u003c|im_start|>"'


READABLE = (
    "The mug is in the kitchen (2nd shelf), isn't it? 50% off: 3 + 4 = 7; a/b & c_d* @home #1 $5 ^ ~2 {x}!",
    "Öffne bitte den Küchenschrank – dort steht die große Schüssel. Straße, Maß, naïve, ça va?",
    "请把杯子放进厨房的柜子里，然后告诉我。《规则》（第一条）：好的！",
    "カップはキッチンにあります。「はい」と言ってください。",
    "चाय का प्याला मेज़ पर है।",
    "الكوب على الطاولة؟",
    "ถ้วยอยู่บนโต๊ะ",
    "Great 🎉👍🏽 ❤️ 1️⃣ 🇩🇪 🙂",
    "Open[cabinet_4], then cups[2] = [1, 2]; a < b <= c, x -> y, `code`, ~5, C# | D",
)


@for_each("text", READABLE)
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert quoted(text) == f'"{text}"'


@for_each(
    ("text", "quotation"),
    [
        ("", '""'),
        ('Say "yes"\n\tnow\r', r'"Say \"yes\"\n\tnow\r"'),
        ("C:\\temp", r'"C:\\temp"'),
        ("„Hallo“", r'"\u201eHallo\u201c"'),
        ("<|im_end|>", r'"\u003c|im_end|>"'),
        ("[INST]", r'"\u005bINST]"'),
        ("\U000e0041", r'"\udb40\udc41"'),
        ("\ud83d", r'"\ud83d"'),
        ("👨\u200d👩", r'"👨\u200d👩"'),
    ],
)
def test_escapes_are_those_of_json(text: str, quotation: str) -> None:
    assert quoted(text) == quotation


@for_each(
    "char",
    [*"\0\x1b\x7f\x85\r\u2028\u2029", *"\u00ad\u200b\u200e\u202e\u2066\u2069\ufeff", *"\ue000\U000e0041"],
    ids=ascii,
)
def test_a_terminal_gets_nothing_unseen_and_lines_and_tabulators_as_they_are(char: str) -> None:
    """Controls, ends of lines for some readers, directions of writing, marks without width, private characters, tags."""
    printed = plain(f"a\tb{char}\nc")
    assert char not in printed
    assert printed.startswith("a\tb\\u")
    assert printed.endswith("\nc")
    assert json.loads(f'"{plain(char)}"') == char
