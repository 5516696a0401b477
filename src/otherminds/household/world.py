"""The household as a PettingZoo environment."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import msgspec
from gymnasium.spaces import Space
from msgspec import UNSET, structs

from otherminds.core.data import Action, Answer, Brief, Encounter, Question, Seat
from otherminds.core.errors import WorldError
from otherminds.core.scenario import World, worlds
from otherminds.household.commands import TOOLS, Command, Malformed
from otherminds.household.engine import HouseEngine, Result
from otherminds.household.epistemic.formula import show
from otherminds.household.epistemic.household_facts import (
    Act,
    Entitled,
    HouseholdFacts,
    Questioned,
    Sent,
    add_conveyed,
)
from otherminds.household.epistemic.predicates import NAME
from otherminds.household.house import House
from otherminds.household.knowledge_tracker import KnowledgeTracker, Status
from otherminds.household.observation_space import OBSERVATIONS, observation_space
from otherminds.household.probes import answer_of, of_report, own, question_at_end
from otherminds.household.shared import Commands, observe_acts, read_action, shared_of

WAIT = Command("Wait")
HOLDING: dict[Status, bool | None] = {"holds": True, "fails": False, "unknown": None}
FORBIDDEN = "You cannot use {tool} in this task; your tools are {tools}."


@worlds.register("household")
class HouseholdWorld(World):
    """One task in its scene. Seats are ``agent_0``, ``agent_1``, ...; an action is a call of a tool, as text.

    A seat observes a mapping (plain JSON), whose keys :data:`~.observation_space.OBSERVATIONS` explains.

    Messages are in ``infos[seat]["told"]``. Where the task limits the statements of a message, only the first ones arrive
    (:mod:`.transmission`), and ``house`` has the key ``statements``. Each turn is one encounter: the tool that a seat used, known about others
    only if observed. ``Wait[]`` replaces an invalid reply. At the end each seat receives the reward 1 if all physical
    predicates of the goal hold, else 0 (Juneja et al. 2026, section 5). The world is deterministic: the seed has no
    effect.

    ``turns`` is the maximal length of the episode. ``split`` is the shipped split of the task, if any. The grant ``secrets`` adds the other agents' secrets to the brief.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - Gymnasium's form
        "name": "household_v1",
        "render_modes": ["ansi"],
        "observations": OBSERVATIONS,
    }

    def __init__(self, house: House, turns: int, render_mode: str | None = None, split: str = "") -> None:
        self.house = house
        self.turns = turns
        self.split = split
        self.render_mode = render_mode
        self.engine = HouseEngine(house)
        self.possible_agents = list(house.agents)
        self.agents: list[Seat] = []
        # What everybody knows: objects have to be seen.
        names = (*house.rooms, *house.furniture, *house.agents)
        self._action = {seat: Commands(names, house.agents) for seat in house.agents}
        self._shared = shared_of(house)
        self._grants: dict[Seat, dict[str, Any]] = {}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[Seat, Any], dict[Seat, dict[str, Any]]]:
        self._grants = (options or {}).get("grants", {})
        if unknown := set(self._grants) - set(self.possible_agents):
            raise WorldError(f"grants for {', '.join(sorted(unknown))}, who have no seat here")
        self.agents = list(self.possible_agents)
        self.turn = 0
        self.engine.reset()
        for i, seat in enumerate(self.agents):
            granted = " ".join(self._grants.get(seat, {}).get("secrets", ()))
            self.engine.heard[i] |= {*NAME.findall(granted)}
        self.entitled = KnowledgeTracker(self._shared.probed.followed)
        self.entitled.look(self.engine)
        self.log: list[Act] = []
        self.messages: list[Sent] = []
        self.held: dict[str, list[tuple[int, bool]]] = {text: [] for text in self._shared.literals}
        self._relevant = -1
        self._follow()
        return self._build_observations([""] * len(self.agents), [(True, "")] * len(self.agents), [])

    def step(
        self, actions: dict[Seat, Action]
    ) -> tuple[
        dict[Seat, Any], dict[Seat, float], dict[Seat, bool], dict[Seat, bool], dict[Seat, dict[str, Any]]
    ]:
        if not self.agents:
            raise WorldError("no episode is going on: call reset before step")
        seats = self.possible_agents
        commands = [self._read(seat, actions) for seat in seats]
        calls = [str(actions[seat]) for seat in seats]
        done = list(self.engine.over)
        for i, over in enumerate(done):
            if over:
                commands[i], calls[i] = WAIT, str(WAIT)
        results = self.engine.step(commands)
        self._write(calls, commands, results, done)
        self.entitled.look(self.engine)
        self.turn += 1
        self._follow()
        finished = all(self.engine.over)
        late = self.turn >= self.turns
        reward = float(self.solved()) if finished or late else 0.0
        observations, infos = self._build_observations(calls, results, [command.tool for command in commands])
        if finished or late:
            self.agents = []
        rewards, terminated = dict.fromkeys(seats, reward), dict.fromkeys(seats, finished)
        return observations, rewards, terminated, dict.fromkeys(seats, late and not finished), infos

    def solved(self) -> bool:
        """Functional success: all physical predicates of the goal hold. ``K`` does not count."""
        return all(literal.holds(self.engine) for literal in self._shared.goal)

    def observation_space(self, agent: Seat) -> Space[Any]:
        return self._observed[agent]

    @cached_property
    def _observed(self) -> dict[Seat, Space[Any]]:
        agents, plan = self.house.agents, self._shared.plan
        return {seat: observation_space(tuple(agents), plan, self.turns) for seat in agents}

    def action_space(self, agent: Seat) -> Space[Any]:
        return self._action[agent]

    def brief(self, seat: Seat) -> Brief:
        task = self.house.task
        granted = tuple(self._grants.get(seat, {}).get("secrets", ()))
        return Brief(
            seat=seat,
            others=tuple(other for other in self.possible_agents if other != seat),
            action_space=self._action[seat],
            behaviours=dict.fromkeys(self.possible_agents, tuple(TOOLS)),
            reward_range=(0.0, 1.0),
            horizon=self.turns,
            secrets=(*task.agent_secrets.get(seat, ()), *granted),
        )

    def fallback(self, seat: Seat) -> Action | None:
        return str(WAIT)

    def truth(self, question: Question, step: int) -> Answer | None:
        """The true answer after ``step`` turns: whether a fact held, or the report that the log entitles an agent to.

        ``None`` if the log cannot determine the report (:data:`~.knowledge_tracker.Status`).
        """
        name = question_at_end(question.id)
        chain = self._shared.probed.chains.get(name)
        if chain is None:
            return None
        status = self.entitled.status(name, step)
        return answer_of(chain.fact, HOLDING[status]) if status in HOLDING else None

    def facts(self) -> dict[str, Any]:
        """The result of :meth:`happened` as JSON."""
        happened = self.happened()
        facts = msgspec.json.decode(msgspec.json.encode(structs.replace(happened, log=())))
        facts["log"] = msgspec.to_builtins(list(happened.log))
        return facts

    def happened(self) -> HouseholdFacts:
        """The acts and messages, the knowledge that the log entitles agents to, and the state of the goal."""
        shared = self._shared
        return HouseholdFacts(
            task=structs.replace(shared.task, turns=self.turns, split=self.split),
            solved=self.solved(),
            private=shared.private_holds(self.engine),
            log=tuple(self.log),
            messages=tuple(add_conveyed(sent, self.possible_agents) for sent in self.messages),
            entitled=self.entitled.facts(),
            held={text: tuple(track) for text, track in self.held.items()},
            questions={
                name: Questioned(
                    chain=show(chain.formula),
                    truth=self.entitled.status(name, self.turn),
                    own=self.entitled.status(own(name), self.turn),
                    known=self.entitled.status(of_report(name), self.turn),
                    course=self._course(name),
                )
                for name, chain in self._shared.probed.chains.items()
            },
            tests=self._shared.probed.tests,
        )

    def _course(self, name: str) -> tuple[Entitled, ...]:
        """What the log entitled agents to say about a question, turn by turn, whenever it changed."""
        course: list[Entitled] = []
        for turn in self.entitled.changes():
            status = (self.entitled.status(question, turn) for question in (name, own(name), of_report(name)))
            then = Entitled(turn, *status)
            if not course or (then.truth, then.own, then.known) != (
                course[-1].truth,
                course[-1].own,
                course[-1].known,
            ):
                course.append(then)
        return tuple(course)

    def render(self) -> str:
        """The state of the house, in lines of text."""
        engine = self.engine
        rooms = [self.house.spot_room[spot] for spot in engine.spot]
        lines = [f"{seat} in {room}" for seat, room in zip(self.possible_agents, rooms, strict=True)]
        return "\n".join(
            [*lines, *(f"{o}: {' '.join(engine.current.place_of(o))}" for o in self.house.objects)]
        )

    def _read(self, seat: Seat, actions: dict[Seat, Action]) -> Command | Malformed:
        if seat not in actions:
            raise WorldError(f"no action for {seat}")
        action = actions[seat]
        call = read_action(action) if isinstance(action, str) else None
        if call is None:
            raise WorldError(f"action {str(action)[:60]!r} of seat {seat!r} is not the text of a call")
        task = self.house.task
        if task.agent_actions and isinstance(call, Command) and not task.allows(seat, call.tool):
            tools = ", ".join(task.agent_actions[seat])
            return Malformed(FORBIDDEN.format(tool=call.tool, tools=tools))
        return call

    def _follow(self) -> None:
        """Records when each literal of the goals (including private ones and those under ``K``) begins or ceases to hold."""
        relevant = self._shared.relevant(self.engine)
        if relevant == self._relevant and relevant >= 0:
            return
        self._relevant = relevant
        for text, literal in self._shared.literals.items():
            now, track = literal.holds(self.engine), self.held[text]
            if not track or track[-1][1] != now:
                track.append((self.turn, now))

    def _write(
        self,
        calls: list[str],
        commands: list[Command | Malformed],
        results: list[Result],
        done: list[bool],
    ) -> None:
        spots = self.engine.spot
        for i, seat in enumerate(self.possible_agents):
            if done[i]:
                continue
            worked, text = results[i]
            room, spot = self.house.spot_room[spots[i]], self.house.spots[spots[i]]
            self.log.append(Act(self.turn, seat, calls[i], worked, text, room, spot))
            command = commands[i]
            if isinstance(command, Command) and command.tool == "Communicate":
                sent = next(
                    (transmission for transmission in self.engine.sent if transmission.sender == seat), None
                )
                to, message = command.args
                if sent is None:
                    self.messages.append(Sent(self.turn, seat, to, message, (), text))
                    continue
                arrives = self.turn + sent.delay if sent.delay else UNSET
                self.messages.append(
                    Sent(
                        self.turn, seat, to, message, sent.reached, text, sent.text, sent.cut, arrives=arrives
                    )
                )
                self.entitled.told(sent)

    def _build_observations(
        self, calls: list[str], results: list[Result], tool_names: list[str]
    ) -> tuple[dict[Seat, Any], dict[Seat, dict[str, Any]]]:
        engine, house, shared = self.engine, self.house, self._shared
        seats, turn = self.possible_agents, self.turn
        observations: dict[Seat, Any] = {}
        infos: dict[Seat, dict[str, Any]] = {}
        for i, seat in enumerate(seats):
            acts = observe_acts(house, engine.acts, i)
            worked, result = results[i]
            beliefs, mail = engine.sight.shown(i), engine.mail[i]
            observations[seat] = {
                "turn": turn,
                "call": calls[i],
                "result": result,
                "worked": worked,
                "events": [[seats[act.agent], act.text] for act in acts] if acts else [],
                "room": house.spot_room[engine.spot[i]],
                "holding": beliefs.holding,
                "graph": beliefs.graph,
                "house": shared.plan,
            }
            infos[seat] = {"told": tuple(mail)}
            if tool_names:
                did = shared.unseen[seat, tool_names[i]]
                if acts:
                    did = did | {seats[act.agent]: act.tools for act in acts}
                infos[seat]["encounters"] = (Encounter(turn - 1, did, 0.0),)
        return observations, infos
