"""Rules for things, agents and places, and for what can be said of a thing."""

from __future__ import annotations

from otherminds.epistemic.words.free import lexicon
from otherminds.epistemic.words.free.building import (
    IT,
    ME,
    THEY,
    WE,
    YOU,
    at,
    denied,
    described,
    first,
    in_room,
    listed,
    named,
    parts,
    single,
    so,
    typed,
)
from otherminds.epistemic.words.free.meaning import StatementPart
from otherminds.epistemic.words.free.parser import Grammar


def add_phrases(made: Grammar) -> None:
    """Things, agents and pronouns."""
    for kind in ("THING", "ROOM", "AGENT"):
        made.kind(kind, lambda token, kind=kind: token.kind == kind)
    made.kind("ROOMWORD", lambda token: not token.kind and token.text in lexicon.ROOM_WORDS)
    made.kind("PLAIN", lambda token: bool(token.kind) or token.text in lexicon.PLAIN)
    made.kind("TYPE", lambda token: token.kind == "TYPE")
    made.kind("REQUEST", lambda token: token.text in lexicon.REQUESTED, ahead=True)
    made.kind(
        "BID", lambda token: token.text in lexicon.REQUESTED - {"put", "set", "shut", "let"}, ahead=True
    )
    made.kind("TELEGRAM", lambda token: token.text not in lexicon.REQUESTED, ahead=True)
    made.words("_advs", "", "_adv _advs")
    made.words("_adv", *lexicon.ADVERBS)
    made.words("_det", "a", "an", "the", "our", "my", "your", "this")
    made.words("_noun", "object", "item", "thing")
    made.words("_room", "ROOMWORD", "ROOMWORD ROOMWORD")
    made.words(
        "_inside", "over in", "in", "inside", "of", "from", "at", "within", "over in", "located in", "here in"
    )
    made.words("_mod", "_inside _room", "_inside _det _room")
    made.words("_mods", "", "_mod", "( _mod )", ", _mod ,")
    made.add("Roommod", "_inside Room")
    for lead in ("", "_det ", "_det _noun ", "_noun "):
        made.add("Bare", f"{lead}THING _mods", named)
    made.add("One", "Bare")
    for mod in ("Roommod", "( Roommod )", ", Roommod ,", "( Room )"):
        made.add("One", f"Bare {mod}", in_room)
    for predicate, texts in lexicon.STATES.items():
        for text in texts:
            if " " not in text and text not in ("on", "off"):
                made.add("Bare", f"_det {text} THING", described(predicate))
    for lead in ("the door of", "the doors of", "the door to", "the lid of", "the state of", "the status of"):
        made.add("One", f"{lead} Bare")
    made.add("One", "THING 's door", named)
    for lead in ("", "the "):
        made.add("One", f"{lead}THING door", named)
    made.add("Pronoun", "the TYPE", typed)
    made.words("Pronoun", "its door", "the door", value=IT)
    made.add("Room", "ROOM", named)
    made.add("Room", "_det ROOM", named)
    made.add("Room", "_det _room ROOM", named)
    for one, things in (("One", "Things"), ("Bare", "Bares")):
        several = f"{things}_listed"
        made.add(things, one)
        made.add(things, several)
        for lead in ("both", "all of", "all"):
            made.add(things, f"{lead} {several}")
        for sep in ("and", ", and"):
            made.add(several, f"{one} {sep} {one}", listed)
        made.add(several, f"{one} , {one}", listed)
        made.add(several, f"{one} , {several}", listed)
    made.words("Pronoun", "it", value=IT)
    made.words("Pronoun", "they", "them", "both", "both of them", "they both", "them both", value=THEY)
    made.words("Thing", "Things", "Pronoun")
    made.words("Moved", "Bares", "Pronoun")
    made.add("Who", "AGENT", named)
    made.words("Who", "i", value=ME)
    made.words("Who", "you", value=YOU)
    made.words("Whom", "me", value=ME)
    made.words("Whom", "you", value=YOU)
    made.add("Whom", "AGENT", named)
    made.words("Actor", "we", "we both", value=WE)
    made.add("Actor", "Who")


def add_parts(made: Grammar) -> None:
    """What can be said of a thing: its state, or its place."""
    for predicate, texts in lexicon.STATES.items():
        made.words("State", *texts, value=StatementPart(predicate))
    for predicate, texts in lexicon.PLACES.items():
        made.words(f"_{predicate}", *texts)
        for landmark in ("Bare", "Pronoun"):
            made.add("Spot", f"_{predicate} {landmark}", at(predicate))
    made.add("Spot", "_is_inside Room", at("is_in_room"))
    made.add("Spot", "inside", so(StatementPart("is_inside", IT)))
    made.words("_floor", "on the floor", "on the ground", "on floor", "down on the floor")
    made.add("Spot", "_floor", so(StatementPart("is_on_floor")))
    made.add("Spot", "_floor of Room", at("is_in_room"))
    made.add("Spots", "Spot", single)
    for sep in ("", ", ", "and ", "_advs , _advs "):
        made.add("Spots", f"Spot {sep}Spots", first)
    made.add("Spots", "Spot , _resting Spots", first)
    made.add("Part", "State", single)
    made.add("Part", "Spots")
    made.add("Part", "_resting Spots")
    made.add("Part", "_advs Part")
    for no in ("not", "no longer", "not _advs"):
        made.add("Part", f"{no} State", denied)
        made.add("Part", f"{no} Spot", denied)
    made.add("Parts", "Part _advs")
    for sep in ("and", "but", ",", ", and", ", but", "and _advs", "but _advs"):
        made.add("Parts", f"Part _advs {sep} Parts", parts)
