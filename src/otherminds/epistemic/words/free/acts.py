"""Rules for what somebody did, actively and passively, and what that left behind."""

from __future__ import annotations

from collections.abc import Iterable

from otherminds.epistemic.words.free import building, lexicon
from otherminds.epistemic.words.free.lexicon import Verb
from otherminds.epistemic.words.free.meaning import acted
from otherminds.epistemic.words.free.parser import Grammar


def _verbs(made: Grammar, name: str, some: Iterable[Verb], particles: Iterable[str] = ()) -> None:
    """The forms of verbs as ``_name_past`` and so on, with a particle or without."""
    for form in ("past", "done", "base", "doing"):
        for verb in some:
            texts = [getattr(verb, form), *(f"{getattr(verb, form)} {particle}" for particle in particles)]
            made.words(f"_{name}_{form}", *texts)


def add_acts(made: Grammar) -> None:
    """What somebody did, and what it left behind: ``did`` in the past, ``done`` after *have*, ``to`` after *managed to*."""
    for predicate, some in lexicon.TURNING.items():
        particles = lexicon.PARTICLES.get(predicate, ())
        _verbs(made, predicate, some, particles)
        _verbs(made, f"{predicate}_bare", some)
        told = building.says(predicate)
        for form in ("past", "done", "base", "doing"):
            made.add(f"vp_{form}", f"_{predicate}_{form} Thing", told)
            for particle in particles:
                made.add(f"vp_{form}", f"_{predicate}_bare_{form} Thing {particle}", told)
    for form in ("past", "done", "base", "doing"):
        made.add(f"vp_{form}", f"_is_filled_{form} Thing with water", building.says("is_filled"))
    for name, some in (
        ("switch", lexicon.SWITCHING),
        ("push", lexicon.PUSHING),
        ("leave", (lexicon.LEAVE, lexicon.KEEP, lexicon.GET)),
        ("put", lexicon.PUTTING),
        ("pick", lexicon.PICKING),
        ("pickup", (lexicon.Verb("pick", "picked", "picked", "picking"),)),
        ("look", lexicon.LOOKING),
        ("go", lexicon.GOING),
        ("enter", lexicon.regular("enter", "reach")),
        ("arrive", lexicon.regular("arrive")),
        ("make", (Verb("make", "made", "made", "making"),)),
        ("find", (Verb("find", "found", "found", "finding"), *lexicon.regular("spot", "locate"))),
    ):
        _verbs(made, name, some)
    made.words(
        "_off", "from One", "off One", "off of One", "out of One", "from inside One", "from Room", "from it"
    )
    made.words("_from", "", "_off", "from the floor", "off the floor")
    made.words("_to", "to", "into", "in", "inside", "over to", "back to", "back into")
    for form in ("past", "done", "base", "doing"):
        for word, predicate in (("on", "is_powered_on"), ("off", "is_powered_off")):
            made.add(f"vp_{form}", f"_switch_{form} Thing {word}", building.says(predicate))
            made.add(f"vp_{form}", f"_switch_{form} {word} Things", building.says(predicate))
        for word, predicate in (("open", "is_open"), ("shut", "is_closed"), ("closed", "is_closed")):
            made.add(f"vp_{form}", f"_push_{form} Thing {word}", building.says(predicate))
            made.add(f"vp_{form}", f"_push_{form} {word} Things", building.says(predicate))
        made.add(f"vp_{form}", f"_leave_{form} Thing _advs State", building.of)
        made.add(f"vp_{form}", f"_put_{form} Moved _from _advs Spots", building.of)
        made.add(f"vp_{form}", f"_put_{form} Moved _from _advs to Room", building.relates("is_in_room"))
        made.words(
            f"_idle_{form}",
            *(f"_look_{form} {rest}" for rest in ("inside", "around", "inside it", "it", "around _mod")),
        )
        made.words(f"_idle_{form}", f"_go_{form} here", f"_go_{form} there", f"_arrive_{form}")
        made.add(f"vp_{form}", f"_idle_{form}", building.nothing)
        for rest in ("Things", "in One", "inside One", "into One", "at One", "on One", "under One"):
            made.add(f"vp_{form}", f"_look_{form} {rest}", building.spoken)
        made.words(f"_idle_{form}", f"_look_{form}")
        for words in ("_pick_{} Thing", "_pick_{} Thing _off", "_pickup_{} up Thing", "_pickup_{} Thing up"):
            made.add(f"vp_{form}", words.format(form), building.picked)
        made.add(f"vp_{form}", f"_pickup_{form} up Thing _off", building.picked)
        for words in lexicon.listed(
            "_go_{} _advs _to Room; _enter_{} Room; _arrive_{} in Room; _arrive_{} at Room; _make_{} it to Room"
        ):
            made.add(f"vp_{form}", words.format(form), building.went)
        made.add(f"vp_{form}", f"_find_{form} Bares", building.spoken)
        made.add(f"vp_{form}", f"_find_{form} Moved _advs Parts", building.of)
        made.add(f"vps_{form}", f"_advs vp_{form} _advs")
    made.words("_managed", "managed to", "was able to", "were able to", "did")
    made.words("_finished", "just finished", "finished", "am done", "'m done", "is done", "completed")
    made.add("Did", "vps_past")
    for lead in ("_advs have", "_advs has", "'ve", "'s"):
        made.add("Did", f"{lead} _advs vps_done")
    made.add("Did", "_advs _managed vps_base")
    made.add("Did", "_advs _finished vps_doing")
    made.add("Dids", "Did")
    for sep in ("and", ", and", ",", "then", "and then", ", then", ", and then"):
        made.add("Dids", f"Did {sep} Dids", building.joined)
        made.add("Dids", f"Did {sep} vps_done", building.joined)
    made.add("Clause", "Actor Dids", acted)
    made.add("Deed", "_in Room _advs", building.went)
    made.add("Deed", "_has _advs Thing _advs", building.picked)
    made.add("Deed", "Dids")
    made.add("Deeds", "Deed")
    for sep in ("and", ", and", ",", "but"):
        made.add("Deeds", f"Deed {sep} Deeds", building.joined)
    made.add("Clause", "Who Deeds", acted)


def add_passives(made: Grammar) -> None:
    """What was done, and by whom where that matters."""
    made.words("_aux", "was", "were", "_be", "has been", "have been", "'s been", "'ve been", "got")
    made.words("_aux", "has _advs been", "have _advs been", "'s _advs been")
    made.words("_by", "", "by _whom", "by us")
    made.words("_whom", "AGENT", "me", "you", "myself")
    for predicate in lexicon.TURNING:
        made.words("Made", f"_{predicate}_done", value=building.part(predicate))
    for word, predicate in (("on", "is_powered_on"), ("off", "is_powered_off")):
        made.words("Made", f"_switch_done {word}", value=building.part(predicate))
    for word, predicate in (("open", "is_open"), ("shut", "is_closed"), ("closed", "is_closed")):
        made.words("Made", f"_push_done {word}", value=building.part(predicate))
    made.words("Made", "_is_filled_done with water", value=building.part("is_filled"))
    made.add("Made", "_leave_done _advs State")
    made.add("Put", "_put_done _from _advs Spots")
    made.add("Put", "_put_done _from to Room", building.at("is_in_room"))
    for aux in ("_aux _advs ", "_advs "):
        made.add("Pred", f"{aux}Made _advs _by _advs")
        made.add("Pred", f"{aux}Put _advs _by _advs")
    for verb in ("_pick_done", "_pickup_done up"):
        made.add("Clause", f"Thing _aux _advs {verb} by Whom", building.relates("is_held_by"))
