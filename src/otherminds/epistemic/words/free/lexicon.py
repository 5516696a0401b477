"""The words of free sentences: states, places, adverbs, openings, words without facts; and verbs by what their act leaves behind."""

from __future__ import annotations

from typing import NamedTuple


def listed(text: str) -> tuple[str, ...]:
    """The phrases of a text that semicolons part.

    >>> listed("on top of; on")
    ('on top of', 'on')
    """
    return tuple(" ".join(part.split()) for part in text.split(";"))


def words(text: str) -> frozenset[str]:
    """The words of a text, which tell alike."""
    return frozenset(text.split())


STATES = {
    "is_open": listed("open; wide open; opened; opened up; ajar; wide - open; standing open"),
    "is_closed": listed("closed; shut; tightly closed; tightly shut; closed shut; shut tight"),
    "is_clean": listed("clean; spotless; washed"),
    "is_dirty": listed("dirty; unwashed; filthy"),
    "is_filled": listed(
        """
        filled; full; filled up; filled to the brim; filled to the top; full of water; full of
        coffee; full of tea; full of milk; full of juice; full of soup; filled with water;
        filled with coffee; filled with tea; filled with milk; filled with juice; filled with
        soup
        """
    ),
    "is_empty": listed("empty; emptied"),
    "is_powered_on": listed(
        """
        on; switched on; turned on; powered on; powered up; lit; running; up and running
        """
    ),
    "is_powered_off": listed("off; switched off; turned off; powered off; powered down; unlit"),
}
"""How a state is said of a thing."""
PLACES = {
    "is_on_top": listed("on; onto; on to; on top of; upon; atop; up on; on the top of"),
    "is_inside": listed("in; inside; inside of; into; within; in to"),
    "is_next_to": listed(
        """
        next to; beside; right next to; right beside; alongside; adjacent to; directly next to
        """
    ),
}
"""How a place is said, before furniture and objects."""
ADVERBS = listed(
    """
    now; just; already; currently; presently; also; too; again; still; finally; successfully; indeed;
    definitely; certainly; actually; personally; myself; safely; completely; fully; here; there;
    clearly; properly; both; yet; anymore; carefully; right now; at the moment; at this moment; by now;
    as well; for you; for us; so far; as requested; as asked; as planned; as agreed; as instructed; as
    you asked; as told; as you requested; as you wanted; like you asked; on my side; over here; over
    there; in there; in here; with my own eyes; this turn; a moment ago; just now; moments ago; at last;
    once more; of course; any more; any longer; as of now; at this point; then; as of right now; all;
    right there; only; since then; right here; by hand; safe and sound; in fact; by the way; exactly; as
    expected; with my own hands; up; down; back; over
    """
)
"""Words that change nothing of what a clause tells. ``up`` and the like go with verbs of moving."""
OPENINGS = listed(
    """
    update; status; status update; fyi; note; info; report; news; good news; hi; hello; hey; ok; okay;
    alright; great; well; yes; yep; sure; understood; thanks; confirmed; thank you; got it; roger; copy;
    note that; please note that; please note; heads up; just so you know; so you know; for your
    information; just to let you know; quick update; careful; correction; for the record; reporting in;
    task done; done; summary; current state; summary of current state; quick report; quick report from
    me; hello both; hi both; state; my job is done; job done; all done; reminder; new information;
    attention; look; right; so; as an update; good; perfect; all good; oh; team; everyone; all; hi all;
    hi team; hi everyone; hello everyone; hello all; hey all; hey team; hey everyone; confirming that;
    confirming; i confirm; i can confirm; this is to confirm that; first; also; it is true that; the
    good news is that; be aware that; please be aware that; know that
    """
)
"""What may open a message and tells nothing."""
CLOSINGS = listed(
    """
    go ahead; done; as you can see; for the record; all done; job done; thanks; thank you; fyi; over;
    just so you know; so you know; by the way; cheers
    """
)
"""What may close one, behind a comma."""
SILENT = listed(
    """
    hi; hello; hey; ok; okay; thanks; thank you; understood; got it; sure; great; good luck; welcome;
    you are welcome; yes; no; roger; copy that; perfect; will do; please confirm; please advise; let me
    know; good morning; nice; cheers; hi there; bye; thanks a lot; thank you very much; please; sounds
    good; of course; no problem; hello there
    """
)
"""Whole sentences that tell no fact."""
MODALS = listed(
    """
    will; would; should; must; shall; can; could; may; might; cannot; 'll; 'd; need to; needs to; want
    to; wants to; plan to; plans to; have to; has to; 'd like to; would like to; intend to; ought to;
    want; wants; need; needs; do not need to; wish; is going to; am going to; are going to; 'm going to;
    're going to; 's going to; am about to; 'm about to; is to; are to; am to; had better; do not have
    to; does not need to; prefer; will not; would not; should not; must not; can not; heading; going;
    let us; let me
    """
)
"""What precedes an act that has not happened."""
JOINING = listed(
    """
    and; but; so; and then; because; whereas; though; although; and so; while; and now
    """
)
"""Words that join two clauses."""
ACTING = listed("looking; searching; checking; exploring; heading; picking; trying; waiting")
"""What an agent is doing that leaves nothing behind yet."""
PLAIN = words(
    """
    a able about above after again all also an and any anyone anything around as at away back bathroom
    be bedroom behind below beside both bring by carry check clean close closed come cross day deliver
    dining dirty done down drop each empty end enter every everything explore fetch fill filled first
    floor for from full garage get go grab hallway help her here him hold in inform inside into it keep
    kitchen know later lay leave let living look make me message messages more move my near next no not
    now of off office on once one only onto open opened or our out over pantry pick place please
    possible power put reach ready return room rooms search send set shut soon stay study sure switch
    take tell than that the them then there they this to top try turn turns under until up us use wait
    wash with you your
    """
)
"""Words that can follow a modal or begin a request and tell no fact there: no form of a finite verb."""
ASKING = words(
    """
    am are can could did do does has have how is may shall should what when where which who whose why
    will would
    """
)
"""First words of questions."""
REQUESTED = words(
    """
    bring carry check clean close come deliver do drop enter explore fetch fill get go grab help inform
    keep lay leave let look make move open pick place please power put return search send set shut stay
    switch take tell try turn wait wash
    """
)
"""First words of requests."""
ROOMS = words(
    """
    attic balcony basement bathroom bedroom cellar closet corridor entryway foyer garage hallway kitchen
    laundryroom library lobby lounge nursery office pantry playroom porch store study workshop
    """
)
"""Types of rooms; so is every type that ends in ``room``."""
ROOM_WORDS = ROOMS | words("living dining storage laundry guest room bath bed")
"""Words of rooms that are named without a number."""


class Verb(NamedTuple):
    """One verb: ``open``, ``opened``, ``opened``, ``opening``."""

    base: str
    past: str
    done: str
    doing: str


DOUBLED = words("drop grab flip slip pop step spot transfer slam unplug top shut")
"""Verbs whose last letter is doubled: ``dropped``."""


def regular(*bases: str) -> tuple[Verb, ...]:
    """Verbs with their forms by rule.

    >>> regular("place", "drop")[0].doing, regular("carry")[0].past
    ('placing', 'carried')
    """
    return tuple(_formed(base) for base in bases)


def _formed(base: str) -> Verb:
    stem = base + base[-1] if base in DOUBLED else base
    past = stem[:-1] + "ied" if stem[-1] == "y" and stem[-2] not in "aeo" else stem.removesuffix("e") + "ed"
    return Verb(base, past, past, stem.removesuffix("e") + "ing")


SHUT = Verb("shut", "shut", "shut", "shutting")
PUT = Verb("put", "put", "put", "putting")
SET = Verb("set", "set", "set", "setting")
LAY = Verb("lay", "laid", "laid", "laying")
LEAVE = Verb("leave", "left", "left", "leaving")
BRING = Verb("bring", "brought", "brought", "bringing")
KEEP = Verb("keep", "kept", "kept", "keeping")
TAKE = Verb("take", "took", "taken", "taking")
GET = Verb("get", "got", "gotten", "getting")
GO = Verb("go", "went", "gone", "going")
COME = Verb("come", "came", "come", "coming")
SWING = Verb("swing", "swung", "swung", "swinging")
SLIDE = Verb("slide", "slid", "slid", "sliding")

TURNING: dict[str, tuple[Verb, ...]] = {
    "is_open": regular("open", "reopen"),
    "is_closed": (*regular("close", "reclose"), SHUT),
    "is_clean": regular("clean", "wash", "wipe", "rinse", "scrub", "polish"),
    "is_dirty": regular("soil", "dirty"),
    "is_filled": regular("fill", "refill"),
    "is_empty": regular("empty", "drain"),
    "is_powered_on": regular("activate"),
    "is_powered_off": regular("deactivate"),
}
"""Verbs whose act leaves their object in a state."""
PARTICLES = {
    "is_clean": ("up", "off", "down"),
    "is_filled": ("up",),
    "is_empty": ("out",),
    "is_closed": ("up",),
}
"""Particles that change nothing of the sense."""
SWITCHING = regular("turn", "switch", "power", "flip")
"""Verbs that take ``on`` or ``off``."""
LOOKING = regular("look", "check", "inspect", "examine", "visit", "explore", "search")
"""Verbs whose act changes nothing."""
PUSHING = (*regular("pull", "push", "slam", "prop"), SWING, SLIDE)
"""Verbs that take ``open``, ``shut`` or ``closed``."""
PUTTING = (
    *regular(
        "place", "deposit", "store", "stash", "position", "drop", "relocate", "transfer", "rest", "move"
    ),
    *regular("tuck", "insert", "slip", "pop", "park"),
    *regular("carry", "deliver", "return", "stow"),
    PUT,
    SET,
    LAY,
    LEAVE,
    BRING,
)
"""Verbs whose act leaves their object in a place."""
PICKING = (*regular("grab", "snatch", "lift", "collect", "retrieve"), TAKE, GET)
"""Verbs whose act leaves their object in the hand."""
GOING = (*regular("move", "walk", "step", "return", "travel", "navigate"), GO, COME, GET)
"""Verbs whose act leaves one in a room."""
