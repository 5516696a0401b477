"""The English that free text is read by: small lists of words, and what a verb form comes from."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DOING = _words(
    "bring carry check clean close collect come deliver drop empty enter explore fetch fill get go grab head "
    "inspect lay leave look move navigate open pick place pour power put return set shut switch take turn "
    "verify walk wash"
)
"""What can be asked of an agent in the house."""
PICKING = _words("collect fetch get grab pick")
"""Of these, those that only empty hands can do."""
TELLING = _words("ask confirm inform let message pass relay remind report say tell")
"""What can be asked of an agent that needs no hands and no room."""
POLITE = _words("kindly please plz pls")
ASKING = frozenset(
    (
        "can you",
        "could you",
        "would you",
        "will you",
        "you should",
        "you must",
        "you to",
        "need you",
        "want you",
    )
)
"""Two words that make a request of what follows."""
AUXILIARY = _words("can could has must needs should to will")
"""What may stand between an agent and what it is to do."""
FILLERS = POLITE | _words(
    "also and everyone first guys hello hey hi just next now ok okay so team thanks then well"
)
"""What may stand before an imperative."""
WISHING = _words(
    "aim goal hope must mission need needs objective ought personal personally prefer private "
    "privately secret secretly should supposed target want wants wish"
)
OBLIGING = frozenset(("have to", "has to"))
"""Two words that wish for what follows."""
MEANING = _words("gonna going intend later ll planning shall soon will")
"""Words of what is yet to be."""
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
"""Words one of which must stand by a name where names alone do not say what is meant."""


def stem(word: str) -> str:
    """What a verb form in -s, -es or -ing comes from, if that is something to do or to tell; else the word.

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
