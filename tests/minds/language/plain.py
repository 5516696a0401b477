"""The texts of the default prompt pack, for tests of strategies."""

from otherminds.minds.language.wording import wording

PLAIN = wording("plain")
AT_ONCE = PLAIN.at_once
REASONED = PLAIN.reasoned
REASONED_ABOUT_OTHER = PLAIN.reasoned_about_other
GIVEN_THAT = PLAIN.instruction(PLAIN.social.choose)
OPEN = PLAIN.answer.open
REFLECT = PLAIN.reflexion.reflect
REWRITE = PLAIN.s2a.rewrite
