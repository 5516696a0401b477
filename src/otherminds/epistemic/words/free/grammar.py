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
from otherminds.epistemic.words.free.meaning import ONE, SELF, Events, Known, Phrase, Told, acted
from otherminds.epistemic.words.free.parser import Grammar

I, YOU, WE, IT, THEY = (Phrase(word=word) for word in ("I", "you", "we", "it", "they"))
Part = tuple[str, Phrase | None, bool]
"""What is said of a subject: a predicate, its other argument, and whether it is denied."""


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
    made.kind("REQUEST", lambda token: token.text in lexicon.REQUESTED, ahead=True)
    made.kind("TELEGRAM", lambda token: token.text not in lexicon.REQUESTED, ahead=True)
    made.words("_advs", "", "_adv _advs")
    made.words("_adv", *lexicon.ADVERBS)
    made.words("_det", "a", "an", "the", "our", "my", "your", "this")
    made.words("_noun", "object", "item", "thing")
    made.words("_room", "ROOMWORD", "ROOMWORD ROOMWORD")
    made.words("_inside", "in", "inside", "of", "from", "at", "within", "over in", "located in", "here in")
    for within in ("_inside _room", "_inside _det _room", "_inside _ROOM", "_inside _det _room _ROOM"):
        made.add("_mod", within)
    made.add("_ROOM", "ROOM")
    made.words("_mods", "", "_mod", "( _mod )", ", _mod ,")
    for lead in ("", "_det ", "_det _noun ", "_noun "):
        made.add("one", f"{lead}THING _mods", lambda name: Phrase((name,)))
    for lead in ("the door of", "the doors of", "the door to", "the lid of"):
        made.add("one", f"{lead} one")
    made.add("one", "THING 's door", lambda name: Phrase((name,)))
    made.add("room", "ROOM", lambda name: Phrase((name,)))
    made.add("room", "_det ROOM", lambda name: Phrase((name,)))
    made.add("room", "_det _room ROOM", lambda name: Phrase((name,)))
    made.add("things", "one")
    made.add("things", "both several")
    made.add("things", "several")
    made.add("several", "one and one", _both)
    made.add("several", "one , and one", _both)
    made.add("several", "one , several", _both)
    made.words("pronoun", "it", value=IT)
    made.words("pronoun", "they", "them", "both", "both of them", "they both", "them both", value=THEY)
    made.words("thing", "things", "pronoun")
    made.add("who", "AGENT", lambda name: Phrase((name,)))
    made.words("who", "i", value=I)
    made.words("who", "you", value=YOU)
    made.words("whom", "me", value=I)
    made.words("whom", "you", value=YOU)
    made.add("whom", "AGENT", lambda name: Phrase((name,)))
    made.words("actor", "we", "we both", value=WE)
    made.add("actor", "who")


def _both(one: Phrase, other: Phrase) -> Phrase:
    return Phrase((*one.names, *other.names))


def _parts(made: Grammar) -> None:
    """What can be said of a thing: its state, or its place."""
    for predicate, texts in lexicon.STATES.items():
        made.words("state", *texts, value=(predicate, None, False))
    for predicate, texts in lexicon.PLACES.items():
        made.words(f"_{predicate}", *texts)
        for landmark in ("one", "pronoun"):
            made.add("spot", f"_{predicate} {landmark}", lambda p, to=predicate: (to, p, False))
    made.add("spot", "_is_inside room", lambda p: ("is_in_room", p, False))
    made.add("spot", "_is_inside room _is_on_top one", lambda p, q: ("is_on_top", q, False))
    for words in ("on the floor", "on the ground", "on the floor of room", "on the floor in room"):
        made.add("spot", f"{words} _mods", lambda *p: ("is_on_floor", None, False))
    made.add("part", "state")
    made.add("part", "spot")
    made.add("part", "_advs part")
    made.add("part", "not part", _denied)
    made.add("part", "no longer part", _denied)
    made.add("parts", "part _advs", lambda part: (part,))
    for sep in ("and", "but", ","):
        made.add("parts", f"part _advs {sep} parts", lambda part, parts: (part, *parts))


def _denied(part: Part) -> Part:
    return (part[0], part[1], not part[2])


def _of(subject: Phrase, parts: Iterable[Part]) -> Events:
    """The parts said of a subject."""
    return tuple(Told(predicate, subject, other, denied) for predicate, other, denied in parts)


def _present(made: Grammar) -> None:
    """How things are now."""
    made.words("_be", "is", "are", "'s", "'re")
    made.words("_am", "am", "is", "are", "'m", "'s", "'re")
    made.words("_stays", "stays", "remains", "stay", "remain")
    made.words("_rests", "sits", "lies", "rests", "stands", "sit", "lie", "rest", "stand", "_be _resting")
    made.words("_resting", *(f"_advs {word}" for word in ("sitting", "lying", "resting", "standing", "located")))
    made.words("_found", "can be found", "is found", "can be seen", "is to be found", "is kept")
    for verb in ("_be", "_stays", "_be kept", "_be left"):
        made.add("clause", f"thing _advs {verb} _advs parts", _of)
    for verb in ("_rests", "_found"):
        made.add("clause", f"thing _advs {verb} _advs spot _advs", lambda p, part: _of(p, (part,)))
    made.add("clause", "thing : parts", _of)
    made.add("clause", "thing = parts", _of)
    made.words("_posted", "", "standing", "waiting", "staying", "stationed", "located", "positioned")
    made.words("_at", "in", "inside", "at", "within")
    made.words("_in", "_am _advs _posted _advs _at", "stay in", "stays in", "stay inside")
    made.add("clause", "who _advs _in room _advs", lambda who, room: (Told("agent_in_room", who, room),))
    made.add(
        "clause", "who _am _advs not _advs in room _advs", lambda who, room: (Told("agent_in_room", who, room, True),)
    )
    made.words("_has", "_am _advs holding", "_am _advs carrying", "hold", "holds", "_have got", "_am still holding")
    made.words("_have", "have", "has", "'ve", "'s")
    made.words("_hand", "in my hand", "in my hands", "with me", "in hand", "on me")
    for words in ("who _advs _has _advs thing _advs", "who _advs _has thing _hand", "who _advs _have thing _hand"):
        made.add("clause", words, lambda who, thing: (Told("is_held_by", thing, who),))
    made.add("clause", "thing _be _advs _hand _advs", lambda thing: (Told("is_held_by", thing, I),))
    made.words("_gripped", "held", "being held", "carried", "being carried")
    made.add("clause", "thing _be _advs _gripped by whom", lambda thing, who: (Told("is_held_by", thing, who),))
    made.words("_there", "there is", "there are", "there 's", "you can find", "you can see")
    made.add("clause", "_there _advs things _advs spot _advs", lambda p, part: _of(p, (part,)))
    made.add("clause", "one _advs contains things", lambda f, p: (Told("is_inside", p, f),))


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
            made.add(f"vp_{form}", f"_{predicate}_{form} thing", told)
            for particle in particles:
                made.add(f"vp_{form}", f"_{predicate}_bare_{form} thing {particle}", told)
    for form in ("past", "done", "base", "doing"):
        made.add(f"vp_{form}", f"_is_filled_{form} thing with water", _leaving("is_filled"))
    for name, verbs in (
        ("switch", lexicon.SWITCHING),
        ("push", lexicon.PUSHING),
        ("leave", (lexicon.LEAVE, lexicon.KEEP, lexicon.GET)),
        ("put", lexicon.PUTTING),
        ("pick", lexicon.PICKING),
        ("pickup", (Verb("pick", "picked", "picked", "picking"),)),
        ("go", lexicon.GOING),
        ("enter", lexicon.regular("enter", "reach")),
        ("arrive", lexicon.regular("arrive")),
    ):
        _verbs(made, name, verbs)
    made.words("_off", "from one", "off one", "off of one", "out of one", "from inside one", "from room", "from it")
    made.words("_to", "to", "into", "in", "inside", "over to", "back to", "back into")
    for form in ("past", "done", "base", "doing"):
        for word, predicate in (("on", "is_powered_on"), ("off", "is_powered_off")):
            made.add(f"vp_{form}", f"_switch_{form} thing {word}", _leaving(predicate))
            made.add(f"vp_{form}", f"_switch_{form} {word} things", _leaving(predicate))
        for word, predicate in (("open", "is_open"), ("shut", "is_closed"), ("closed", "is_closed")):
            made.add(f"vp_{form}", f"_push_{form} thing {word}", _leaving(predicate))
            made.add(f"vp_{form}", f"_push_{form} {word} things", _leaving(predicate))
        made.add(f"vp_{form}", f"_leave_{form} thing _advs state", lambda p, part: _of(p, (part,)))
        made.add(f"vp_{form}", f"_put_{form} thing _advs spot", lambda p, part: _of(p, (part,)))
        made.add(f"vp_{form}", f"_put_{form} thing _advs back to room", lambda p, r: (Told("is_in_room", p, r),))
        made.add(f"vp_{form}", f"_put_{form} thing _advs to room", lambda p, r: (Told("is_in_room", p, r),))
        held = lambda p: (Told("is_held_by", p, SELF),)  # noqa: E731 - one sense, five wordings
        for words in ("_pick_{} thing", "_pick_{} thing _off", "_pickup_{} up thing", "_pickup_{} thing up"):
            made.add(f"vp_{form}", words.format(form), held)
        made.add(f"vp_{form}", f"_pickup_{form} up thing _off", held)
        gone = lambda r: (Told("agent_in_room", SELF, r),)  # noqa: E731
        for words in ("_go_{} _advs _to room", "_enter_{} room", "_arrive_{} in room", "_arrive_{} at room"):
            made.add(f"vp_{form}", words.format(form), gone)
        made.add(f"vps_{form}", f"_advs vp_{form} _advs")
    made.words("_managed", "managed to", "was able to", "were able to", "did")
    made.words("_finished", "finished", "am done", "'m done", "is done", "completed")
    for name, lead in (("did", ""), ("did", "_advs have _advs "), ("did", "_advs has _advs "), ("did", "'ve _advs ")):
        made.add(name, f"{lead}vps_{'done' if lead else 'past'}")
    made.add("did", "'s _advs vps_done")
    made.add("did", "_advs _managed vps_base")
    made.add("did", "_advs _finished vps_doing")
    made.add("dids", "did")
    for sep in ("and", ", and", ",", "then", "and then", ", then", ", and then"):
        made.add("dids", f"did {sep} dids", lambda one, more: (*one, *more))
        made.add("dids", f"did {sep} vps_done", lambda one, more: (*one, *more))
    made.add("clause", "actor dids", acted)


def _leaving(predicate: str) -> Callable[[Phrase], Events]:
    return lambda thing: (Told(predicate, thing),)


def _passives(made: Grammar) -> None:
    """What was done, and by whom where that matters."""
    made.words("_aux", "was", "were", "_be", "has been", "have been", "'s been", "'ve been", "got")
    made.words("_aux", "has _adv been", "have _adv been", "has now been")
    made.words("_by", "", "by _whom", "by us")
    made.words("_whom", "AGENT", "me", "you", "myself")
    for predicate in lexicon.TURNING:
        for aux in ("_aux _advs ", "_advs "):
            made.add("clause", f"thing {aux}_{predicate}_done _advs _by _advs", _leaving(predicate))
    for word, predicate in (("on", "is_powered_on"), ("off", "is_powered_off")):
        made.add("clause", f"thing _aux _advs _switch_done {word} _advs _by _advs", _leaving(predicate))
    told = lambda p, part: _of(p, (part,))  # noqa: E731
    for aux in ("_aux _advs ", "_advs "):
        made.add("clause", f"thing {aux}_put_done _advs spot _advs _by _advs", told)
    made.add("clause", "thing _aux _advs _leave_done _advs state _advs _by _advs", told)
    made.add("clause", "thing _aux _advs _put_done to room _by _advs", lambda p, r: (Told("is_in_room", p, r),))
    for picked in ("_pick_done", "_pickup_done up"):
        made.add("clause", f"thing _aux _advs {picked} by whom", lambda p, who: (Told("is_held_by", p, who),))


def _knowing(made: Grammar) -> None:
    """Who knows what, and what one found."""
    made.words("_that", "", "that")
    made.words("_aware", "aware", "fully aware", "informed", "now aware", "already aware", "well aware")
    made.words("_knows", "know", "knows", "_am _aware", "already know", "already knows", "now knows", "now know")
    made.words("_knows", "saw", "has seen", "have seen", "'ve seen", "can see", "see", "sees", "has noticed")
    made.words("_knows", "noticed", "have noticed", "has learned", "also knows", "also know", "has found out")
    made.add("clause", "who _knows _that clause", lambda who, told: (Known(who, told),))
    made.add("clause", "who _knows _that it 's clause", lambda who, told: (Known(who, told),))
    made.words("_sure", "confirm", "can confirm", "confirmed", "verified", "checked", "made sure", "double checked")
    made.words("_sure", "have confirmed", "have verified", "have checked", "have made sure", "ensured", "'ve checked")
    made.words("_sure", "'ve confirmed", "'ve verified", "'ve made sure", "made certain", "can report")
    made.add("clause", "i _advs _sure _that clause")
    made.words("_found_it", "see", "found", "have found", "spotted", "can see", "noticed", "saw", "'ve found")
    made.words("_found_it", "just found", "just saw", "have seen", "'ve seen", "located", "have located")
    made.add("clause", "i _found_it things _advs parts", _of)
    made.add("clause", "i _found_it it _advs parts", lambda parts: _of(IT, parts))


def _joined(made: Grammar) -> None:
    """Clauses in a row, with what goes before and behind them."""
    made.words("_sep", "and", ", and", ",", "but", ", but", "so", ", so", ", then", "and then", ", and then")
    made.words("_sep", ";", ".", "-", ", and so", "and so", "while", ", while", "and now", ", and now")
    made.add("clauses", "clause", lambda one: one)
    made.add("clauses", "clause _sep clauses", lambda one, more: (*one, *more))
    made.add("clauses", "clause , which _be _advs parts", lambda one, parts: (*one, *_of(ONE, parts)))
    made.add("clauses", "clause which _be _advs parts", lambda one, parts: (*one, *_of(ONE, parts)))
    made.add("clauses", "clause _sep _plan", lambda one: one)
    made.words("_plan", "_doer _advs _modal _rest", "_modal _rest", "please _rest", "_that _doer _modal _rest")
    made.words("_doer", "i", "you", "we", "it", "they", "AGENT", "things", "somebody", "someone")
    made.words("_modal", *lexicon.MODALS, *(f"{modal} not" for modal in ("will", "would", "should", "must", "can")))
    made.words("_modal", "_am _advs heading", "_am _advs going", "_am on my way", "heading", "going", "let us", "let me")
    made.words("_rest", "PLAIN", "PLAIN _rest")
    made.words("_mark", ":", ",", "-", "!", ".", "")
    made.words("_opening", *lexicon.OPENINGS)
    made.words("_openings", "", "_opening _mark _openings", "AGENT , _openings")
    made.words("_openings", "_opening AGENT _mark _openings")
    made.words("_closings", "", *(f", {text}" for text in lexicon.CLOSINGS), ", AGENT", "!")
    made.add("sentence", "_openings clauses _closings")
    # Without "I", only where the verb's form cannot be a request.
    made.add("sentence", "_openings TELEGRAM dids _closings", lambda events: acted(I, events))
    made.add("sentence", "_openings TELEGRAM dids _sep clauses", lambda one, more: (*acted(I, one), *more))
    made.words("_quiet", *lexicon.SILENT, *lexicon.OPENINGS)
    made.words("nothing", "_quiet", "_quiet AGENT", "_quiet , AGENT", "_quiet _mark _quiet", value="nothing")
    made.words("nothing", "_openings _plan _closings", value="nothing")
    for verbs in (*lexicon.TURNING.values(), lexicon.PUTTING, lexicon.PICKING, lexicon.GOING, lexicon.SWITCHING):
        for verb in verbs:
            made.words("_acting", verb.doing)
    made.words("_acting", "looking", "searching", "checking", "exploring", "heading", "picking", "trying", "waiting")
    made.words("nothing", "_openings i _am _advs _acting _rest _closings", value="nothing")
    made.words("nothing", "_openings REQUEST _rest _closings", value="nothing")
