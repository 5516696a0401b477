"""The grammar of free sentences about the household: which sentences tell which facts.

It covers what is told outright, in the present, the past and the perfect, actively and passively. What
it does not cover whole is not understood: hedges, conditions, doubts, quotations and what others
are said to think have no rules, and so no meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from otherminds.epistemic.words.free import lexicon
from otherminds.epistemic.words.free.lexicon import Verb
from otherminds.epistemic.words.free.meaning import (
    ONE,
    SELF,
    Events,
    Known,
    Part,
    Phrase,
    Spoken,
    Told,
    acted,
)
from otherminds.epistemic.words.free.parser import Grammar

ME, YOU, WE, IT, THEY = (Phrase(word=word) for word in ("I", "you", "we", "it", "they"))


@cache
def grammar() -> Grammar:
    """All rules; ``sentence`` is a whole one, and its value is the events that it tells."""
    made = Grammar()
    for add in (_phrases, _parts, _present, _acts, _passives, _knowing, _joined):
        add(made)
    return made


def _phrases(made: Grammar) -> None:
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
        made.add("Bare", f"{lead}THING _mods", lambda name: Phrase((name,)))
    made.add("One", "Bare")
    for mod in ("Roommod", "( Roommod )", ", Roommod ,", "( Room )"):
        made.add("One", f"Bare {mod}", lambda p, r: Phrase(p.names, state=p.state, room=r.names[0]))
    for predicate, texts in lexicon.STATES.items():
        for text in texts:
            if " " not in text and text not in ("on", "off"):
                made.add("Bare", f"_det {text} THING", lambda name, to=predicate: Phrase((name,), state=to))
    for lead in ("the door of", "the doors of", "the door to", "the lid of", "the state of", "the status of"):
        made.add("One", f"{lead} Bare")
    made.add("One", "THING 's door", lambda name: Phrase((name,)))
    made.add("One", "THING door", lambda name: Phrase((name,)))
    made.add("Pronoun", "the TYPE", lambda word: Phrase(type=word))
    made.words("Pronoun", "its door", "the door", value=IT)
    made.add("Room", "ROOM", lambda name: Phrase((name,)))
    made.add("Room", "_det ROOM", lambda name: Phrase((name,)))
    made.add("Room", "_det _room ROOM", lambda name: Phrase((name,)))
    for one, things in (("One", "Things"), ("Bare", "Bares")):
        several = f"{things}_listed"
        made.add(things, one)
        made.add(things, several)
        made.add(things, f"both {several}")
        for sep in ("and", ", and"):
            made.add(several, f"{one} {sep} {one}", _both)
        made.add(several, f"{one} , {one}", _both)
        made.add(several, f"{one} , {several}", _both)
    made.words("Pronoun", "it", value=IT)
    made.words("Pronoun", "they", "them", "both", "both of them", "they both", "them both", value=THEY)
    made.words("Thing", "Things", "Pronoun")
    made.words("Moved", "Bares", "Pronoun")
    made.add("Who", "AGENT", lambda name: Phrase((name,)))
    made.words("Who", "i", value=ME)
    made.words("Who", "you", value=YOU)
    made.words("Whom", "me", value=ME)
    made.words("Whom", "you", value=YOU)
    made.add("Whom", "AGENT", lambda name: Phrase((name,)))
    made.words("Actor", "we", "we both", value=WE)
    made.add("Actor", "Who")


def _both(one: Phrase, other: Phrase) -> Phrase:
    return Phrase((*one.names, *other.names))


def _parts(made: Grammar) -> None:
    """What can be said of a thing: its state, or its place."""
    for predicate, texts in lexicon.STATES.items():
        made.words("State", *texts, value=Part(predicate))
    for predicate, texts in lexicon.PLACES.items():
        made.words(f"_{predicate}", *texts)
        for landmark in ("Bare", "Pronoun"):
            made.add("Spot", f"_{predicate} {landmark}", lambda p, to=predicate: Part(to, p))
    made.add("Spot", "_is_inside Room", lambda p: Part("is_in_room", p))
    made.add("Spot", "inside", lambda: Part("is_inside", IT))
    made.words("_floor", "on the floor", "on the ground", "on floor", "down on the floor")
    made.add("Spot", "_floor", lambda: Part("is_on_floor"))
    made.add("Spot", "_floor of Room", lambda p: Part("is_in_room", p))
    made.add("Spots", "Spot", lambda part: (part,))
    for sep in ("", ", ", "and ", "_advs , _advs "):
        made.add("Spots", f"Spot {sep}Spots", lambda part, parts: (part, *parts))
    made.add("Spots", "Spot , _resting Spots", lambda part, parts: (part, *parts))
    made.add("Part", "State", lambda part: (part,))
    made.add("Part", "Spots")
    made.add("Part", "_resting Spots")
    made.add("Part", "_advs Part")
    for no in ("not", "no longer", "not _advs"):
        made.add("Part", f"{no} State", lambda part: (_denied(part),))
        made.add("Part", f"{no} Spot", lambda part: (_denied(part),))
    made.add("Parts", "Part _advs")
    for sep in ("and", "but", ",", ", and", ", but", "and _advs", "but _advs"):
        made.add("Parts", f"Part _advs {sep} Parts", lambda part, parts: (*part, *parts))


def _denied(part: Part) -> Part:
    return Part(part.predicate, part.other, not part.denied)


def _of(subject: Phrase, parts: Iterable[Part]) -> Events:
    """The parts said of a subject."""
    return (Told(subject, tuple(parts)),)


def _told(subject: Phrase, predicate: str, other: Phrase | None = None, denied: bool = False) -> Events:
    return (Told(subject, (Part(predicate, other, denied),)),)


def _present(made: Grammar) -> None:
    """How things are now."""
    made.words("_be", "is", "are", "'s", "'re")
    made.words("_am", "am", "is", "are", "'m", "'s", "'re")
    made.words("_stays", "stays", "remains", "stay", "remain")
    made.words("_rests", "sits", "lies", "rests", "stands", "sit", "lie", "rest", "stand", "_be _resting")
    made.words(
        "_resting",
        *(
            f"_advs {word}"
            for word in (
                "sitting",
                "lying",
                "resting",
                "standing",
                "located",
                "stored",
                "placed",
                "kept",
                "Put away",
                "tucked away",
            )
        ),
    )
    made.words("_found", "can be found", "is found", "can be seen", "is to be found", "is kept")
    for verb in ("_be", "_stays", "_be kept", "_be left", "ended up", "ends up"):
        made.add("Pred", f"_advs {verb} _advs Parts")
    for verb in ("_rests", "_found"):
        made.add("Pred", f"_advs {verb} _advs Spots _advs")
    made.add("Preds", "Pred")
    for sep in ("and", "but", ",", ", and", ", but", "though", ", though"):
        made.add("Preds", f"Pred {sep} Preds", lambda parts, more: (*parts, *more))
    made.add("Clause", "Thing Preds", _of)
    made.add("Clause", "Thing , which _be _advs Parts , Preds", lambda p, one, more: _of(p, (*one, *more)))
    for mark in (":", "=", "-"):
        made.add("Clause", f"Thing {mark} Parts", _of)
    made.add("Clause", "One State", lambda p, part: _of(p, (part,)))
    made.words("Was", "State", "Spots", "not State", "not Spot")
    made.words("_was", "was", "were", "used to be", "had been")
    made.words(
        "_before", "", "earlier", "before", "previously", "at first", "at the start", "a while ago", "first"
    )
    made.add("Clause", "Thing _was _advs Was _before", lambda p, parts: (Spoken(p),))
    for until in ("before", "until"):
        made.add("Clause", f"Thing _was _advs Was {until} Clause", lambda p, parts, told: (Spoken(p), *told))
    made.add("Clause", "Bare Spots Preds", lambda p, spots, parts: _of(p, (*spots, *parts)))
    made.add("Clause", "_adv Clause")
    made.add("Clause", "_adv , Clause")
    for seen in ("i _found_it", "found", "spotted", "located", "saw"):
        made.add("Clause", f"_advs {seen} Bares", lambda p: (Spoken(p),))
        made.add("Clause", f"_advs {seen} Bares _advs Parts", _of)
    made.add("Clause", "i _found_it Pronoun _advs Parts", _of)
    made.add("Clause", "Who _unable vp_base", lambda who, told: tuple(Spoken(e.about) for e in told))
    made.words("_unable", "could not", "was not able to", "did not", "have not been able to", "failed to")
    made.words("_posted", "", "standing", "waiting", "staying", "stationed", "located", "positioned")
    made.words("_at", "in", "inside", "at", "within")
    made.words("_in", "_am _advs _posted _advs _at", "stay in", "stays in", "stay inside")
    made.add("Clause", "Who _advs _in Room _advs", lambda who, room: _told(who, "agent_in_room", room))
    made.add(
        "Clause",
        "Who _am _advs not _advs in Room _advs",
        lambda who, room: _told(who, "agent_in_room", room, denied=True),
    )
    made.words("_has", "_am _advs holding", "_am _advs carrying", "hold", "holds", "_have got")
    made.words("_have", "have", "has", "'ve", "'s")
    made.words("_hand", "in my hand", "in my hands", "with me", "in hand", "on me")
    for words in (
        "Who _advs _has _advs Thing _advs",
        "Who _advs _has Thing _hand",
        "Who _advs _have Thing _hand",
    ):
        made.add("Clause", words, lambda who, thing: _told(thing, "is_held_by", who))
    made.add("Clause", "Thing _be _advs _hand _advs", lambda thing: _told(thing, "is_held_by", ME))
    made.words("_has", "_am the one holding", "_am the one carrying", "got")
    for hand in ("hand", "hands"):
        made.add(
            "Clause",
            f"Thing _be _advs in AGENT 's {hand}",
            lambda p, who: _told(p, "is_held_by", Phrase((who,))),
        )
    made.add("Clause", "Who _advs _owns Thing", lambda who, thing: _told(thing, "is_held_by", who))
    made.words("_owns", "have", "has", "now have", "now has", "'ve got", "has got")
    for beside in ("next to each other", "side by side", "next to one another", "beside each other"):
        made.add("Clause", f"Bare and Bare are _advs {beside} _advs", lambda p, q: _told(p, "is_next_to", q))
    made.words("_gripped", "held", "being held", "carried", "being carried")
    made.add(
        "Clause", "Thing _be _advs _gripped by Whom _advs", lambda thing, who: _told(thing, "is_held_by", who)
    )
    made.words("_there", "there is", "there are", "there 's", "you can find", "you can see", "you 'll find")
    made.add("Clause", "_there _advs Bares _advs Spots _advs", _of)
    for link in (
        ":",
        "_be",
        "sits",
        "lies",
        "stands",
        "sit",
        "lie",
        "stand",
        "_there",
        ", _there",
        "i found",
    ):
        made.add("Clause", f"_advs Spots {link} Bares", lambda parts, p: _of(p, parts))
    made.add("Clause", "One _advs contains Things", lambda f, p: _told(p, "is_inside", f))


def _verbs(made: Grammar, name: str, verbs: Iterable[Verb], particles: Iterable[str] = ()) -> None:
    """The forms of verbs as ``_name_past`` and so on, with a particle or without."""
    for form in ("past", "done", "base", "doing"):
        for verb in verbs:
            texts = [getattr(verb, form), *(f"{getattr(verb, form)} {particle}" for particle in particles)]
            made.words(f"_{name}_{form}", *texts)


def _acts(made: Grammar) -> None:
    """What somebody did, and what it left behind: ``did`` in the past, ``done`` after *have*, ``to`` after *managed to*."""
    for predicate, verbs in lexicon.TURNING.items():
        particles = lexicon.PARTICLES.get(predicate, ())
        _verbs(made, predicate, verbs, particles)
        _verbs(made, f"{predicate}_bare", verbs)
        told = _leaving(predicate)
        for form in ("past", "done", "base", "doing"):
            made.add(f"vp_{form}", f"_{predicate}_{form} Thing", told)
            for particle in particles:
                made.add(f"vp_{form}", f"_{predicate}_bare_{form} Thing {particle}", told)
    for form in ("past", "done", "base", "doing"):
        made.add(f"vp_{form}", f"_is_filled_{form} Thing with water", _leaving("is_filled"))
    for name, verbs in (
        ("switch", lexicon.SWITCHING),
        ("push", lexicon.PUSHING),
        ("leave", (lexicon.LEAVE, lexicon.KEEP, lexicon.GET)),
        ("put", lexicon.PUTTING),
        ("pick", lexicon.PICKING),
        ("pickup", (Verb("pick", "picked", "picked", "picking"),)),
        ("look", lexicon.LOOKING),
        ("go", lexicon.GOING),
        ("enter", lexicon.regular("enter", "reach")),
        ("arrive", lexicon.regular("arrive")),
    ):
        _verbs(made, name, verbs)
    made.words(
        "_off", "from One", "off One", "off of One", "out of One", "from inside One", "from Room", "from it"
    )
    made.words("_from", "", "_off", "from the floor", "off the floor")
    made.words("_to", "to", "into", "in", "inside", "over to", "back to", "back into")
    for form in ("past", "done", "base", "doing"):
        for word, predicate in (("on", "is_powered_on"), ("off", "is_powered_off")):
            made.add(f"vp_{form}", f"_switch_{form} Thing {word}", _leaving(predicate))
            made.add(f"vp_{form}", f"_switch_{form} {word} Things", _leaving(predicate))
        for word, predicate in (("open", "is_open"), ("shut", "is_closed"), ("closed", "is_closed")):
            made.add(f"vp_{form}", f"_push_{form} Thing {word}", _leaving(predicate))
            made.add(f"vp_{form}", f"_push_{form} {word} Things", _leaving(predicate))
        made.add(f"vp_{form}", f"_leave_{form} Thing _advs State", lambda p, part: _of(p, (part,)))
        made.add(f"vp_{form}", f"_put_{form} Moved _from _advs Spots", _of)
        made.add(
            f"vp_{form}", f"_put_{form} Moved _from _advs to Room", lambda p, r: _told(p, "is_in_room", r)
        )
        made.words(
            f"_idle_{form}",
            *(f"_look_{form} {rest}" for rest in ("inside", "around", "inside it", "it", "around _mod")),
        )
        made.words(f"_idle_{form}", f"_go_{form} here", f"_go_{form} there", f"_arrive_{form}")
        made.add(f"vp_{form}", f"_idle_{form}", tuple)
        held = lambda p: _told(p, "is_held_by", SELF)  # noqa: E731 - one sense, five wordings
        for words in ("_pick_{} Thing", "_pick_{} Thing _off", "_pickup_{} up Thing", "_pickup_{} Thing up"):
            made.add(f"vp_{form}", words.format(form), held)
        made.add(f"vp_{form}", f"_pickup_{form} up Thing _off", held)
        gone = lambda r: _told(SELF, "agent_in_room", r)  # noqa: E731
        for words in ("_go_{} _advs _to Room", "_enter_{} Room", "_arrive_{} in Room", "_arrive_{} at Room"):
            made.add(f"vp_{form}", words.format(form), gone)
        made.add(f"vps_{form}", f"_advs vp_{form} _advs")
    made.words("_managed", "managed to", "was able to", "were able to", "did")
    made.words("_finished", "just finished", "finished", "am done", "'m done", "is done", "completed")
    for name, lead in (
        ("Did", ""),
        ("Did", "_advs have _advs "),
        ("Did", "_advs has _advs "),
        ("Did", "'ve _advs "),
    ):
        made.add(name, f"{lead}vps_{'done' if lead else 'past'}")
    made.add("Did", "'s _advs vps_done")
    made.add("Did", "_advs _managed vps_base")
    made.add("Did", "_advs _finished vps_doing")
    made.add("Dids", "Did")
    for sep in ("and", ", and", ",", "then", "and then", ", then", ", and then"):
        made.add("Dids", f"Did {sep} Dids", lambda one, more: (*one, *more))
        made.add("Dids", f"Did {sep} vps_done", lambda one, more: (*one, *more))
    made.add("Clause", "Actor Dids", acted)


def _leaving(predicate: str) -> Callable[[Phrase], Events]:
    return lambda thing: _told(thing, predicate)


def _passives(made: Grammar) -> None:
    """What was done, and by whom where that matters."""
    made.words("_aux", "was", "were", "_be", "has been", "have been", "'s been", "'ve been", "got")
    made.words("_aux", "has _advs been", "have _advs been", "'s _advs been")
    made.words("_by", "", "by _whom", "by us")
    made.words("_whom", "AGENT", "me", "you", "myself")
    for predicate in lexicon.TURNING:
        made.add("Made", f"_{predicate}_done", lambda to=predicate: (Part(to),))
    for word, predicate in (("on", "is_powered_on"), ("off", "is_powered_off")):
        made.add("Made", f"_switch_done {word}", lambda to=predicate: (Part(to),))
    for word, predicate in (("open", "is_open"), ("shut", "is_closed"), ("closed", "is_closed")):
        made.add("Made", f"_push_done {word}", lambda to=predicate: (Part(to),))
    made.add("Made", "_leave_done _advs State", lambda part: (part,))
    made.add("Put", "_put_done _from _advs Spots")
    made.add("Put", "_put_done _from to Room", lambda room: (Part("is_in_room", room),))
    for aux in ("_aux _advs ", "_advs "):
        made.add("Pred", f"{aux}Made _advs _by _advs")
        made.add("Pred", f"{aux}Put _advs _by _advs")
    for picked in ("_pick_done", "_pickup_done up"):
        made.add("Clause", f"Thing _aux _advs {picked} by Whom", lambda p, who: _told(p, "is_held_by", who))


def _knowing(made: Grammar) -> None:
    """Who knows what, and what one found."""
    made.words("_that", "", "that")
    made.words("_aware", "aware", "fully aware", "informed", "now aware", "already aware", "well aware")
    made.words(
        "_knows", "know", "knows", "_am _aware", "already know", "already knows", "now knows", "now know"
    )
    made.words("_knows", "saw", "has seen", "have seen", "'ve seen", "can see", "see", "sees", "has noticed")
    made.words("_knows", "noticed", "have noticed", "has learned", "also knows", "also know", "has found out")
    made.add("Clause", "Who _knows _that Clause", lambda who, told: (Known(who, told),))
    made.add("Clause", "as Who _knows , Clause", lambda who, told: (Known(who, told),))
    made.words(
        "_sure", "confirm", "can confirm", "confirmed", "verified", "checked", "made sure", "double checked"
    )
    made.words(
        "_sure", "have confirmed", "have verified", "have checked", "have made sure", "ensured", "'ve checked"
    )
    made.words("_sure", "'ve confirmed", "'ve verified", "'ve made sure", "made certain", "can report")
    made.add("Clause", "i _advs _sure _that Clause")
    made.words("_found_it", "see", "found", "have found", "spotted", "can see", "noticed", "saw", "'ve found")
    made.words("_found_it", "just found", "just saw", "have seen", "'ve seen", "located", "have located")


def _joined(made: Grammar) -> None:
    """Clauses in a row, with what goes before and behind them."""
    made.words("_sep", "and", ", and", ",", "but", ", but", "so", ", so", ", then", "and then", ", and then")
    made.words(
        "_sep",
        "because",
        ", because",
        ":",
        "whereas",
        ", whereas",
        "though",
        ", though",
        "although",
        ", although",
    )
    made.words("_sep", ";", ".", "-", ", and so", "and so", "while", ", while", "and now", ", and now")
    made.add("Clauses", "Clause", lambda one: one)
    made.add("Clauses", "Clause _sep Clauses", lambda one, more: (*one, *more))
    made.add("Clauses", "Clause , which _be _advs Parts", lambda one, parts: (*one, *_of(ONE, parts)))
    made.add("Clauses", "Clause which _be _advs Parts", lambda one, parts: (*one, *_of(ONE, parts)))
    made.add("Clauses", "Clause _sep _plan", lambda one: one)
    made.words(
        "_plan",
        "_doer _advs _modal _rest",
        "_modal _rest",
        "please _rest",
        "BID _rest",
        "_that _doer _modal _rest",
    )
    made.words("_doer", "i", "you", "we", "it", "they", "AGENT", "Things", "somebody", "someone")
    made.words(
        "_modal", *lexicon.MODALS, *(f"{modal} not" for modal in ("will", "would", "should", "must", "can"))
    )
    made.words(
        "_modal",
        "_am _advs heading",
        "_am _advs going",
        "_am on my way",
        "heading",
        "going",
        "let us",
        "let me",
    )
    made.words("_rest", "PLAIN", "PLAIN _rest")
    made.words("_mark", ": -", ":", ",", "-", "!", ".", "")
    made.words("_opening", *lexicon.OPENINGS)
    made.words("_openings", "", "_opening _mark _openings", "AGENT , _openings")
    made.words("_openings", "- _openings", "_mod _mark _openings", "message to AGENT : _openings")
    made.words("_openings", "_opening AGENT _mark _openings")
    made.words("_closings", "", *(f", {text}" for text in lexicon.CLOSINGS), ", AGENT", "!", ", _adv")
    made.add("sentence", "_openings Clauses _closings")
    # Without "I", only where the verb's form cannot be a request.
    made.add("sentence", "_openings TELEGRAM Dids _closings", lambda events: acted(ME, events))
    made.add("sentence", "_openings TELEGRAM Dids _sep Clauses", lambda one, more: (*acted(ME, one), *more))
    made.words("_quiet", *lexicon.SILENT, *lexicon.OPENINGS)
    made.words("nothing", "_quiet", "_quiet AGENT", "_quiet , AGENT", "_quiet _mark _quiet", value="nothing")
    made.words("nothing", "_openings _plan _closings", value="nothing")
    for verbs in (
        *lexicon.TURNING.values(),
        lexicon.PUTTING,
        lexicon.PICKING,
        lexicon.GOING,
        lexicon.SWITCHING,
    ):
        for verb in verbs:
            made.words("_acting", verb.doing)
    made.words(
        "_acting", "looking", "searching", "checking", "exploring", "heading", "picking", "trying", "waiting"
    )
    made.words("nothing", "_openings i _am _advs _acting _rest _closings", value="nothing")
    made.words("nothing", "_openings REQUEST _rest _closings", value="nothing")
