"""Rules for how things are now, for who knows what, and for what one found."""

from __future__ import annotations

from otherminds.epistemic.words.free import building
from otherminds.epistemic.words.free.lexicon import listed
from otherminds.epistemic.words.free.parser import Grammar


def add_present(made: Grammar) -> None:
    """How things are now."""
    made.words("_be", "is", "are", "'s", "'re")
    made.words("_am", "am", "is", "are", "'m", "'s", "'re")
    made.words("_stays", "stays", "remains", "stay", "remain", "has remained", "has stayed")
    made.words("_rests", "sits", "lies", "rests", "stands", "sit", "lie", "rest", "stand", "_be _resting")
    resting = "sitting; lying; resting; standing; located; stored; placed; kept; Put away; tucked away"
    made.words("_resting", *(f"_advs {word}" for word in listed(resting)))
    made.words("_found", "can be found", "is found", "can be seen", "is to be found", "is kept")
    for verb in ("_be", "_stays", "_be kept", "_be left", "ended up", "ends up"):
        made.add("Pred", f"_advs {verb} _advs Parts")
    made.add("Pred", "_advs _rests _advs State _advs")
    for verb in ("_rests", "_found"):
        made.add("Pred", f"_advs {verb} _advs Spots _advs")
    made.add("Preds", "Pred")
    for sep in ("and", "but", ",", ", and", ", but", "though", ", though"):
        made.add("Preds", f"Pred {sep} Preds", building.joined)
    made.add("Clause", "Thing Preds", building.of)
    made.add("Clause", "Thing , which _be _advs Parts , Preds", building.of)
    for mark in (":", "=", "-"):
        made.add("Clause", f"Thing {mark} Parts", building.of)
    made.add("Clause", "One State", building.of)
    made.words("Was", "State", "Spots", "not State", "not Spot")
    made.words("_was", "was", "were", "used to be", "had been")
    made.words(
        "_before", "", "earlier", "before", "previously", "at first", "at the start", "a while ago", "first"
    )
    made.add("Clause", "Thing _was _advs Was _before", building.spoken)
    for until in ("before", "until"):
        made.add("Clause", f"Thing _was _advs Was {until} Clause", building.spoken_until)
    made.add("Clause", "Bare Spots Preds", building.of)
    made.add("Clause", "_adv Clause")
    made.add("Clause", "_adv , Clause")
    for seen in ("i _found_it", "saw"):
        made.add("Clause", f"_advs {seen} Bares", building.spoken)
        made.add("Clause", f"_advs {seen} Bares _advs Parts", building.of)
    made.add("Clause", "i _found_it Pronoun _advs Parts", building.of)
    made.add("Clause", "Who _unable vp_base", building.not_done)
    made.words("_unable", "could not", "was not able to", "did not", "have not been able to", "failed to")
    made.words("_there", "there is", "there are", "there 's", "you can find", "you can see", "you 'll find")
    made.add("Clause", "_there _advs Bares _advs Spots _advs", building.of)
    for link in (":", *listed("_be; sits; lies; stands; sit; lie; stand; _there; , _there; i found")):
        made.add("Clause", f"_advs Spots {link} Bares", building.there)
    made.add("Clause", "One _advs contains Things", building.contains)


def add_holding(made: Grammar) -> None:
    """Where agents are, and what they hold."""
    made.words("_posted", "", "standing", "waiting", "staying", "stationed", "located", "positioned")
    made.words("_at", "in", "inside", "at", "within")
    made.words("_in", "_am _advs _posted _advs _at", "stay in", "stays in", "stay inside")
    made.add("Clause", "Who _advs _in Room _advs", building.relates("agent_in_room"))
    made.add("Clause", "Who _am _advs not _advs in Room _advs", building.not_in)
    made.words("_has", "_am _advs holding", "_am _advs carrying", "hold", "holds", "_have got")
    made.words("_have", "have", "has", "'ve", "'s")
    made.words("_hand", "in my hand", "in my hands", "with me", "in hand", "on me")
    for words in ("_advs _has _advs Thing _advs", "_advs _has Thing _hand", "_advs _have Thing _hand"):
        made.add("Clause", f"Who {words}", building.holds)
    made.add("Clause", "Thing _be _advs _hand _advs", building.i_hold)
    made.add("Clause", "Thing _be _advs with Whom _advs", building.relates("is_held_by"))
    for place in ("my location", "my current location", "current location", "location", "my position"):
        for link in ("is", ":", "is now"):
            made.add("Clause", f"{place} {link} Room", building.i_am_in)
    made.add("Clause", "neither One nor One _be _advs State _advs", building.neither)
    made.words("_has", "_am the one holding", "_am the one carrying", "got")
    for hand in ("hand", "hands"):
        made.add("Clause", f"Thing _be _advs in Agent 's {hand}", building.relates("is_held_by"))
    made.add("Clause", "Who _advs _owns Thing", building.holds)
    made.words("_owns", "have", "has", "now have", "now has", "'ve got", "has got")
    for beside in ("next to each other", "side by side", "next to one another", "beside each other"):
        made.add("Clause", f"Bare and Bare are _advs {beside} _advs", building.relates("is_next_to"))
    made.words("_gripped", "held", "being held", "carried", "being carried")
    made.add("Clause", "Thing _be _advs _gripped by Whom _advs", building.relates("is_held_by"))


def add_knowing(made: Grammar) -> None:
    """Who knows what, and what one found."""
    made.words("_that", "", "that")
    made.words("_aware", "aware", "fully aware", "informed", "now aware", "already aware", "well aware")
    made.words(
        "_knows", "know", "knows", "_am _aware", "already know", "already knows", "now knows", "now know"
    )
    made.words("_knows", "saw", "has seen", "have seen", "'ve seen", "can see", "see", "sees", "has noticed")
    made.words("_knows", "noticed", "have noticed", "has learned", "also knows", "also know", "has found out")
    made.add("Clause", "Who _knows _that Clause", building.knows)
    made.add("Clause", "as Who _knows , Clause", building.knows)
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
