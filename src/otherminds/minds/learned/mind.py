"""The minds that play learned policies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.core.errors import StudyError
from otherminds.minds.learned.files import collection, network_of, pin_policy, shipped_networks
from otherminds.minds.learned.network import Network, Playing
from otherminds.minds.registry import minds

NOTE = "policy"
"""The kind of the note that says which weights play: their name and their hash."""


class LearnedMind(Mind):
    """Plays a policy: draws a primitive action at each step, and answers from the probe trained beside the policy.

    The network advances once a moment, also while the avatar is removed or frozen, as in training. Subclasses
    say which network plays (``pick``).
    """

    @abstractmethod
    def pick(self, brief: Brief, context: MindContext) -> Network | str:
        """The network for an episode, or why there is none and what to do; may draw from ``context.rng``."""

    @abstractmethod
    def suits(self, brief: Brief, context: MindContext) -> str | None: ...

    def begin(self, brief: Brief, context: MindContext) -> None:
        picked = self.pick(brief, context)
        if isinstance(picked, str):
            raise StudyError(picked)
        policy = picked.policy
        context.note(NOTE, {"name": policy.name, "sha256": policy.sha256})
        self._rng = context.rng
        self._playing = Playing(picked)
        self._behaviours = tuple(policy.info.behaviours)
        # The probe is about the players after this seat in their order, going round.
        seats = list(brief.behaviours)
        own = seats.index(brief.seat)
        self._rows = {seat: row for row, seat in enumerate(seats[own + 1 :] + seats[:own])}
        self._action: int | None = None

    async def perceive(self, moment: Moment) -> None:
        self._playing.see(moment.observation, moment.reward, self._action)

    async def act(self) -> Action | SkillChoice | Invalid:
        self._action = self._playing.action(self._rng)
        return self._action

    async def answer(self, question: Question) -> Answer | Invalid:
        row = self._rows.get(question.about)
        if row is None or question.truth_is or not set(question.options) <= set(self._behaviours):
            return Invalid(
                "a learned policy says which behaviour another player shows next, and nothing else"
            )
        return self._behaviours[int(self._playing.foreseen()[row].argmax())]


@minds.register("learned")
class Learned(LearnedMind):
    """Plays the weights of ``policy``: a name (see `otherminds policies list`) or the path of a file."""

    def __init__(self, policy: str | Mapping[str, str]) -> None:
        self.policy = policy
        self._network = network_of(policy)

    @classmethod
    def pinned(cls, params: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        if "policy" not in params:
            return dict(params)
        return {**params, "policy": pin_policy(params["policy"], folder)}

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        return self._network.policy.unfit(brief)

    def pick(self, brief: Brief, context: MindContext) -> Network | str:
        return self._network


class ShippedMind(LearnedMind):
    """Plays the policies of the package of one kind that fit the world.

    Each episode draws one of them, or plays the one with the number ``member``, the last part of its name. A
    planned study holds the hash of all of them in ``policies``.
    """

    kind = ""

    def __init__(self, member: int | None = None, policies: Mapping[str, str] | None = None) -> None:
        self.member = member
        self.policies = policies
        self._networks = shipped_networks(self.kind)
        if policies is not None and dict(policies) != (here := collection(self._networks)):
            raise StudyError(
                f"the shipped policies of {self.kind} are not those that the study was planned with "
                f"({here['sha256'][:8]}, not {str(policies.get('sha256'))[:8]}); install the version of otherminds that "
                "planned it, or start a new output folder"
            )

    @classmethod
    def pinned(cls, params: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        return {**params, "policies": collection(shipped_networks(cls.kind))}

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        fit = self._fit(brief)
        return fit if isinstance(fit, str) else None

    def pick(self, brief: Brief, context: MindContext) -> Network | str:
        fit = self._fit(brief)
        return fit if isinstance(fit, str) else context.rng.choice(fit)

    def _fit(self, brief: Brief) -> list[Network] | str:
        """The policies that fit, or why there are none."""
        reasons = [network.policy.unfit(brief) for network in self._networks]
        fit = [network for network, reason in zip(self._networks, reasons, strict=True) if reason is None]
        if not fit:
            shipped = sorted({network.policy.info.substrate for network in self._networks})
            return (
                f"no shipped policy of {self.kind} fits this world (there are some for "
                f"{', '.join(shipped) or 'none'}); train one and name it as the policy of `learned`"
            )
        if self.member is None:
            return fit
        numbered = {network.policy.name.rpartition("-")[2]: network for network in fit}
        if str(self.member) not in numbered:
            return f"no shipped policy of {self.kind} has the member {self.member!r} here; there are {', '.join(numbered)}"
        return [numbered[str(self.member)]]


@minds.register("ppo")
class PPOMind(ShippedMind):
    """Plays the shipped policies of PPO with a GRU (Schulman et al. 2017), trained by self-play in a population."""

    kind = "ppo"


@minds.register("ppo_scripted")
class ScriptedPPO(ShippedMind):
    """Plays the shipped policies of PPO that were trained beside the scripted partners of the scenarios.

    In training, a further loss made the state predict what partners hold, where they hold anything. It has met the
    partners of the scenarios, so that its scores there are not those of new partners.
    """

    kind = "ppo_scripted"


@minds.register("opre")
class OPREMind(ShippedMind):
    """Plays the shipped policies of OPRE: options under a learned prior (Vezhnevets et al. 2020)."""

    kind = "opre"
