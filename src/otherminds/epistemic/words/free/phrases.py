"""Rules for things, agents and places, and for what can be said of a thing."""

from __future__ import annotations

from otherminds.epistemic.words.free import building, lexicon
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
        made.add("Bare", f"{lead}THING _mods", building.named)
    made.add("One", "Bare")
    for mod in ("Roommod", "( Roommod )", ", Roommod ,", "( Room )"):
        made.add("One", f"Bare {mod}", building.in_room)
    for predicate, texts in lexicon.STATES.items():
        for text in texts:
            if " " not in text and text not in ("on", "off"):
                made.add("Bare", f"_det {text} THING", building.described(predicate))
    for lead in ("the door of", "the doors of", "the door to", "the lid of", "the state of", "the status of"):
        made.add("One", f"{lead} Bare")
    made.add("One", "THING 's door", building.named)
    for lead in ("", "the "):
        made.add("One", f"{lead}THING door", building.named)
    made.add("Pronoun", "the TYPE", building.typed)
    made.words("Pronoun", "its door", "the door", value=building.IT)
    made.add("Room", "ROOM", building.named)
    made.add("Room", "_det ROOM", building.named)
    made.add("Room", "_det _room ROOM", building.named)
    for one, things in (("One", "Things"), ("Bare", "Bares")):
        several = f"{things}_listed"
        made.add(things, one)
        made.add(things, several)
        for lead in ("both", "all of", "all"):
            made.add(things, f"{lead} {several}")
        for sep in ("and", ", and"):
            made.add(several, f"{one} {sep} {one}", building.listed)
        made.add(several, f"{one} , {one}", building.listed)
        made.add(several, f"{one} , {several}", building.listed)
    made.words("Pronoun", "it", value=building.IT)
    made.words(
        "Pronoun", "they", "them", "both", "both of them", "they both", "them both", value=building.THEY
    )
    made.words("Thing", "Things", "Pronoun")
    made.words("Moved", "Bares", "Pronoun")
    made.add("Agent", "AGENT", building.named)
    made.add("Who", "Agent")
    made.words("Who", "i", value=building.ME)
    made.words("Who", "you", value=building.YOU)
    made.words("Whom", "me", value=building.ME)
    made.words("Whom", "you", value=building.YOU)
    made.add("Whom", "Agent")
    made.words("Actor", "we", "we both", value=building.WE)
    made.add("Actor", "Who")


def add_parts(made: Grammar) -> None:
    """What can be said of a thing: its state, or its place."""
    for predicate, texts in lexicon.STATES.items():
        made.words("State", *texts, value=building.part(predicate))
    for predicate, texts in lexicon.PLACES.items():
        made.words(f"_{predicate}", *texts)
        for landmark in ("Bare", "Pronoun"):
            made.add("Spot", f"_{predicate} {landmark}", building.at(predicate))
    made.add("Spot", "_is_inside Room", building.at("is_in_room"))
    made.words("Spot", "inside", value=building.part("is_inside", building.IT))
    made.words("_floor", "on the floor", "on the ground", "on floor", "down on the floor")
    made.words("Spot", "_floor", value=building.part("is_on_floor"))
    made.add("Spot", "_floor of Room", building.at("is_in_room"))
    made.add("Spots", "Spot")
    for sep in ("", ", ", "and ", "_advs , _advs "):
        made.add("Spots", f"Spot {sep}Spots", building.joined)
    made.add("Spots", "Spot , _resting Spots", building.joined)
    made.add("Part", "State")
    made.add("Part", "Spots")
    made.add("Part", "_resting Spots")
    made.add("Part", "_advs Part")
    for no in ("not", "no longer", "not _advs"):
        made.add("Part", f"{no} State", building.denied)
        made.add("Part", f"{no} Spot", building.denied)
    made.add("Parts", "Part _advs")
    for sep in ("and", "but", ",", ", and", ", but", "and _advs", "but _advs"):
        made.add("Parts", f"Part _advs {sep} Parts", building.joined)
