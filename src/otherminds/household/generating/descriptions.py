"""Titles and public descriptions of generated tasks: plain sentences that name no thing, room or agent."""

from __future__ import annotations

import random
from collections.abc import Mapping

from otherminds.core.errors import TaskError

OF_CATEGORY: Mapping[str, Mapping[str, str]] = {
    "cooperative": {
        "Ready for the inspection": "The house is inspected tonight. It has to be left as the inspection list says, and not everybody has seen the same part of that list.",
        "Before the guests arrive": "Guests are expected soon. The hosts have asked for a few things, and not everybody has heard all of them.",
        "The landlord's checklist": "The landlord comes at the end of the day with a checklist. Everything on it has to be done by then.",
        "Closing up for the holidays": "You leave for the holidays. The house has to be left as the family wants it, and not everybody knows what that is.",
        "A house for the photographs": "The house is photographed for a magazine. The photographer has ordered how things have to look, and the order did not reach all of you.",
        "Evening round": "It is time for the evening round. At its end, the house has to be in the state that the house rules ask for.",
        "Moving day": "The movers come tomorrow. What they need has to be prepared today, and the instructions did not go to everybody.",
        "A viewing at noon": "Buyers view the house at noon. The agency has said what they should find, but it has not told everybody the same.",
        "Spring cleaning": "Spring cleaning is nearly done. The last points of the plan are left, and the plan was not given to all of you.",
        "House sitting": "You look after the house of friends. They left some wishes, and all of the wishes have to be met.",
        "The rehearsal": "A scene of a play is filmed here. The set has to be as the script says, and not everybody has read all of it.",
        "Handover": "One shift hands the house over to the next. The handover list has to be complete, and not everybody can see to all of it.",
        "After the party": "The party is over. The house has to be put in order again, in the way that the owners described.",
        "The safety check": "A safety check is due. The house passes only if everything is as the rules say, and not all of you have read the rules.",
    },
    "mixed": {
        "One list, several wishes": "You have a list to complete together before the day is over. Some of you also have wishes of their own.",
        "Inspection with interests": "The house is inspected tonight and has to pass. Not everybody among you wants exactly what the inspection list says.",
        "Sharing a house": "You share this house and have agreed on how to leave it today. Beyond the agreement, some of you may have a preference.",
        "A family evening": "The family prepares the evening together. What was agreed has to be done, but tastes differ.",
        "Two views of tidy": "The house has to be tidy by tonight, as was decided together. Some of you have their own view of what tidy means.",
        "The lease ends": "The lease ends today, and the house has to be handed over as agreed. Some of you would like to change some of it.",
        "Preparing the sale": "The house is for sale and has to be shown at its best. The sale is in everybody's interest, but it is not the only interest.",
        "House rules": "The house rules have to be kept until the day ends. Not all of you made these rules, and not all of you are content with them.",
        "The holiday let": "The next tenants come tonight, and the house has to be as they booked it. Somebody may also have plans for it.",
        "The photographer's order": "The house is staged for photographs, and the order of the photographer counts. Some of you also have wishes that were not discussed.",
        "A working group": "You work on the house as a group and answer for the result together. Besides, each member of the group may want something else.",
        "The birthday surprise": "A birthday is prepared, and the plan for it has to work out. Each of you may have a small plan besides.",
        "Unequal hosts": "You host a dinner together, and what was promised to the guests has to be done. The hosts have not told each other all that they hope for.",
        "Before the move": "The house has to be ready for the move, as you settled it with one another. Some points were never settled, and opinions on them differ.",
    },
}
"""Descriptions by title, by the category of a task."""
OF_PATTERN: Mapping[str, Mapping[str, str]] = {
    "delegation": {
        "Knowing and doing": "A few things in the house have to be put right today. Those who know what is wanted are not always those who can do it.",
        "Not everywhere at once": "The house has to be prepared, and not everybody can go everywhere. Some of you were told what has to be done.",
        "Errands": "There are errands to run in the house before the day is over. The agent that hears of an errand cannot always run it.",
    },
    "sequencing": {
        "Step after step": "The house has to be left as it was ordered. Some of the work depends on other work.",
        "One thing and then another": "Several things have to be done in this house today, and not all of them can be done at any time.",
        "A day's plan": "There is a plan for the house today. It is done when all of its parts are done.",
    },
    "relay": {
        "From one to the next": "The house has to be set up before evening. Not everybody can go everywhere, and not everybody was told the same.",
        "A long way round": "Something that one of you was told matters at the other end of the house. You can send few messages, and not to everybody.",
        "Few connections": "You prepare the house together, at different ends of it and with few messages. What was ordered has to be done anyway.",
    },
    "gated": {
        "A question of knowing": "The house has to be left as it was ordered. What that means is clear only to those who were told.",
        "Parts of a picture": "Today's work in the house was explained in parts. Not everybody has heard every part.",
        "Sealed orders": "There are orders for the house, and not all of you have read them. By tonight all of them have to be carried out.",
    },
    "mixed": {
        "Give and take": "You complete a list together, and it counts for all of you. Some of you have another aim, which nobody else knows.",
        "Common cause": "There is one task for all of you, and it has to succeed. Some of you would also profit from something else.",
        "Together, for now": "For today you work on the same task. Your interests beyond it were not discussed.",
    },
}
"""By the functional pattern of a task; these fit both categories, except those of ``mixed``."""


def choose_description(pattern: str, category: str, draw: random.Random) -> tuple[str, str]:
    """A title and a public description for a task of that pattern (``relay``, ...) and category (``mixed``, ...).

    Raises:
        TaskError: there is no such pattern or category.

    >>> choose_description("relay", "cooperative", random.Random(3))[0]
    'A viewing at noon'
    """
    for name, descriptions in ((pattern, OF_PATTERN), (category, OF_CATEGORY)):
        if name not in descriptions:
            raise TaskError(f"no descriptions for {name}; there are some for {', '.join(descriptions)}")
    return draw.choice((*OF_CATEGORY[category].items(), *OF_PATTERN[pattern].items()))
