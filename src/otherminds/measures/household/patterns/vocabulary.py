"""The vocabulary for free text: small lists of words, and the stems of verb forms."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DOING = _words(
    "bring carry check clean close collect come deliver drop empty enter explore fetch fill get go grab head "
    "inspect lay leave look move navigate open pick place pour power put return set shut switch take turn "
    "verify walk wash"
)
"""Acts that can be requested."""
PICKING = _words("collect fetch get grab pick")
"""Acts that require an empty hand."""
TELLING = _words("ask confirm inform let message pass relay remind report say tell")
"""Acts of communication that can be requested."""
POLITE = _words("kindly please plz pls")
ASKING = frozenset(
    [
        "can you",
        "could you",
        "would you",
        "will you",
        "you should",
        "you must",
        "you to",
        "need you",
        "want you",
    ]
)
"""Two words that introduce a request."""
AUXILIARY = _words("can could has must needs should to will")
"""Words between an agent and its act."""
FILLERS = POLITE | _words(
    "also and everyone first guys hello hey hi just next now ok okay so team thanks then well"
)
"""Words before an imperative."""
WISHING = _words(
    "aim goal hope must mission need needs objective ought personal personally prefer private "
    "privately secret secretly should supposed target want wants wish"
)
OBLIGING = frozenset(("have to", "has to"))
"""Two words that introduce a wish."""
MEANING = _words("gonna going intend later ll planning shall soon will")
"""Words of the future."""
DENYING = _words("cannot cant didnt doesnt dont isnt neither never no nobody none nor not wont without")
KNOWING = _words(
    "aware checked confirmed confirms informed knows know noticed reported reports said saw says seen sees told"
)
TOLD = frozenset(("told", "informed"))

STATES: dict[str, frozenset[str]] = {
    "is_open": frozenset(("open", "opened", "opening", "opens")),
    "is_closed": frozenset(("close", "closed", "closes", "closing", "shut", "shuts", "shutting")),
    "is_clean": frozenset(("clean", "cleaned", "wash", "washed")),
    "is_dirty": frozenset(("dirty", "unwashed")),
    "is_filled": frozenset(("fill", "filled", "full")),
    "is_empty": frozenset(("empty", "emptied")),
    "is_powered_on": frozenset(("on", "powered", "running")),
    "is_powered_off": frozenset(("off", "unpowered")),
    "is_on_floor": frozenset(("floor", "ground")),
    "is_held_by": frozenset(("carries", "carry", "carrying", "has", "have", "hold", "holding", "holds")),
}
"""Words for each state; one of them must accompany a name."""


def stem(word: str) -> str:
    """The stem of a verb form in -s, -es or -ing if it is in ``DOING`` or ``TELLING``; else the word.

    >>> stem("placing"), stem("brings"), stem("fetches"), stem("putting"), stem("thing")
    ('place', 'bring', 'fetch', 'put', 'thing')
    """
    ends = [word]
    if word.endswith("ing"):
        root = word[:-3]
        ends += [root, root + "e", root[:-1]]
    elif word.endswith("s"):
        ends += [word[:-1], word[:-2]]
    return next((end for end in ends if end in DOING or end in TELLING), word)
