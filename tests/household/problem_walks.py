"""Random walks beside the exported epistemic problem: facts and knowledge must be those of the simulator.

One agent acts in each turn, or all do. In a joint turn, messages count by what their senders knew before it, then agents
act in the order of seats; a fact that is false after one of these acts ends knowledge, even if it holds after the last;
then all agents observe. Secrets do not gate the calls of the simulator, so gates are left out here.
A message whose content its sender does not know is no step of the problem; it costs a unit and tells nothing. The log
takes a message to state what its sentence implies as well, for one unit, even if the sentence is false: here these are
several steps for one unit.
Explore is no action of the problem: it is a walk that shows its agent what is seen from any spot of the room.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import structs

from otherminds.household.commands import EVERYBODY, Command
from otherminds.household.epistemic.certificate import EpistemicProblem, Known, PlanAct, PlanTell, Words
from otherminds.household.epistemic.formula import Formula, Know, show
from otherminds.household.epistemic.parse import parse
from otherminds.household.epistemic.words import Fact
from otherminds.household.epistemic.words.sentences import say
from otherminds.household.house import House
from otherminds.household.knowledge_tracker import FollowedChains, KnowledgeTracker
from otherminds.household.proofs.exported import exported
from otherminds.household.transmission import REFUSED, Transmission
from tests.household.problem_interpreter import ImpossibleStepError, Interpreted, behind
from tests.household.walks import ALWAYS, DisagreementError, Step, Walk

WAIT = Command("Wait")


class ProblemWalk(Walk):
    """A walk in which the problem of ``told`` (by default of ``house``) is executed as well.

    All agents act in each turn if the walk is ``joint``, else one. ``facts`` and ``chains`` count what was compared, ``differences`` the kinds of what differs.
    """

    def __init__(
        self,
        house: House,
        seed: int,
        problem: EpistemicProblem | None = None,
        strict: bool = True,
        joint: bool = False,
    ) -> None:
        self.joint = joint
        self.problem = structs.replace(problem or exported(house), gates=())
        self.followed = FollowedChains(house)
        self.pairs = [
            ((chain.agents, show(chain.fact)), 1 << number)
            for chain, number in self.followed.chains.items()
            if show(chain.fact) in self.problem.literals
        ]
        self.deepest = max(len(known[0]) for known, _ in self.pairs)
        self.strict = strict
        self.facts = self.chains = 0
        self.differences: Counter[str] = Counter()
        super().__init__(house, seed)

    def reset(self) -> None:
        super().reset()
        self.execution = _Interpreter(self.problem, self.deepest)
        self.tracker = KnowledgeTracker(self.followed)
        self.tracker.look(self.engine)
        self._compare_problem("the start")

    def turn(self) -> None:
        engine, run, turn = self.engine, self.execution, self.turns
        agents = engine.agents
        acting = range(len(agents)) if self.joint else [turn % len(agents)]
        commands, contents = [WAIT] * len(agents), dict[int, Known | None]()
        meeting = self.joint and self.chooser.draw.random() < 0.3
        for i in acting:
            commands[i], contents[i] = self._at_followed() if meeting else self.chooser.choose(i), None
            if commands[i].tool == "Communicate" and self.chooser.draw.random() < 0.9:
                contents[i], commands[i] = self._message(agents[i])
        believed, before = {i: self._believed(i, commands[i]) for i in acting}, engine.state
        results = engine.step(commands)
        known = frozenset(run.known)
        for i in sorted(acting, key=lambda i: commands[i].tool != "Communicate"):
            agent, command, (worked, said) = agents[i], commands[i], results[i]
            steps = [] if command.tool in ALWAYS else self._steps(agent, command, believed[i])
            self.tried[command.tool] += 1
            told = contents[i]
            if said == REFUSED:
                # It has names that its sender does not know, so that it knows no such fact.
                why = "the problem says it is known" if told and behind(agent, told) in known else ""
            else:
                why = self._executed(agent, command, (told, known), steps, worked)
            if why:
                self._differs(f"applicability of {command.tool}", f"{agent}: {command}: {said!r}: {why}")
            for name, values in [step for step in steps if worked and self.pddl.applicable(*step)][:1]:
                self.pddl.apply(name, values)
                self.fired[name] += 1
            run.forget()
        run.observe()
        self.tracker.look(engine)
        self.actions += len(acting)
        self.turns += 1
        self._compare(before)
        self._compare_problem(" ".join(map(str, commands)))

    def _at_followed(self) -> Command:
        """A call on furniture whose state is followed: agents that act on it together undo what others did."""
        pieces = sorted(
            {fact[1] for ways in self.problem.literals.values() for fact in ways if fact[0] == "is_open"}
        )
        tool = self.chooser.draw.choice(("Navigate", "Open", "Close"))
        return Command(tool, (self.chooser.draw.choice(pieces),))

    def _message(self, agent: str) -> tuple[Known, Command]:
        """A message about a followed chain: as often one that its sender knows as any."""
        draw, known = self.chooser.draw, self.execution.known
        mine = sorted(one for one, _ in self.pairs if one in known and one[0][0] == agent)
        agents, fact = draw.choice(mine if mine and draw.random() < 0.5 else [one for one, _ in self.pairs])
        content = (agents[1:] if agents[0] == agent else agents, fact)
        formula: Formula = parse(fact)
        for one in reversed(content[0]):
            formula = Know(one, formula)
        to = draw.choice((*self.house.agents, EVERYBODY))
        return content, Command("Communicate", (to, say(Fact(formula), me=agent)))

    def _executed(
        self,
        agent: str,
        command: Command,
        message: tuple[Known | None, frozenset[Known]],
        steps: Sequence[Step],
        worked: bool,
    ) -> str:
        """Executes the step of a call; why the problem and the simulator disagree on whether it is possible, or "".

        ``message`` is the content of a message, and what was known before the turn.
        """
        run = self.execution
        if command.tool in ALWAYS or command.tool == "Done":
            return ""
        if command.tool == "Communicate":
            to, text = command.args
            hearers = self.house.talk[agent] if to == EVERYBODY else (to,)
            possible = run.can_tell(agent, hearers)
            if worked:
                self.tracker.told(Transmission(agent, to, tuple(hearers), text, text))
                run.tell_or_pay(agent, hearers, *message)
            return "" if worked == possible else f"the problem says {possible}"
        found = [
            step
            for step in (PlanAct(name, tuple(v.replace("--", ":") for v in values)) for name, values in steps)
            if run.tried(step)
        ][:1]
        if worked != bool(found):
            return f"the problem says {bool(found)} of {steps}"
        if found:
            run.act(found[0])
            if command.tool == "Explore":
                run.explored(agent, command.args[0])
        return ""

    def _compare_problem(self, after: str) -> None:
        """The facts and the knowledge of all agents are the same."""
        mine = {fact for fact in self.house.facts.shown(self.engine.state) if fact[0] != "left"}
        self.facts += len(mine | self.execution.state)
        if mine != self.execution.state:
            self._differs("facts", f"{after}: {sorted(mine ^ self.execution.state)}")
        self.tracker.facts()
        log, run = self.tracker._known, self.execution.known
        self.chains += len(self.pairs)
        for known, bit in self.pairs:
            if bool(log & bit) != (known in run):
                side = "the simulator" if log & bit else "the problem"
                self._differs(f"only {side} knows", f"{after}: {known}")

    def _differs(self, kind: str, what: str) -> None:
        self.differences[kind] += 1
        if self.strict:
            raise DisagreementError(f"turn {self.turns}: {kind}: {what}")


class _Interpreter(Interpreted):
    """The execution of steps that are not known to be possible."""

    def __init__(self, problem: EpistemicProblem, deepest: int) -> None:
        super().__init__(problem)
        self.deepest = deepest
        self.spots = {
            room: [fact[1] for fact in problem.static if fact[0] == "spot_in" and fact[2] == room]
            for room in problem.names["room"]
        }
        self.observe()

    def tried(self, step: PlanAct) -> bool:
        """Whether an act is applicable."""
        state = set(self.state)
        try:
            self.act(step)
        except ImpossibleStepError:
            return False
        finally:
            self.state = state
        return True

    def can_tell(self, sender: str, hearers: Words) -> bool:
        links = self.problem.links.get(sender, ())
        single = len(hearers) == 1 and hearers[0] in links
        return (single or (links != () and hearers == links)) and self.left.get(sender, 1) > 0

    def tell_or_pay(
        self, sender: str, hearers: Words, content: Known | None, before: frozenset[Known]
    ) -> None:
        if sender in self.left:
            self.left[sender] -= 1
        if content is None:
            return
        agents, literal = content
        ways = set(self.problem.literals[literal])
        for implied, others in self.problem.literals.items():
            if ways.issubset(others) and behind(sender, (agents, implied)) in before:
                left, self.left = self.left, {}
                self.tell(PlanTell(sender, hearers, (agents, implied)))
                self.left = left

    def explored(self, agent: str, room: str) -> None:
        """What is seen from any spot of the room, its agent alone knows."""
        (here,) = [fact for fact in self.state if fact[:2] == ("at", agent)]
        for spot in self.spots[room]:
            self.state = self.state - {here} | {("at", agent, spot)}
            values = {"?a": agent, "?s": spot}
            for literal, ways in self.problem.literals.items():
                if any(self.sees(values, way) for way in self.state.intersection(ways)):
                    self.known.add(((agent,), literal))
            self.state = self.state - {("at", agent, spot)} | {here}


def asking(house: House) -> House:
    """The house of the same task with a goal of chains up to depth 2 over facts of every kind that is seen."""
    kinds = {
        kind: sorted(fact[1] for fact in house.static if fact[0] == kind)
        for kind in ("articulated", "washable", "fillable", "switch", "container")
    }
    one, other = house.agents[:2]
    things = [name for name in kinds["washable"] if name in house.objects] or list(house.objects)
    first, last = things[0], house.objects[-1]
    opened = house.scene.articulated_furniture[-1]
    parts = [
        f"(is_on_top {first} {house.scene.furniture[0]})",
        f"(K {one} (K {other} (is_open {opened})))",
        f"(K {other} (is_inside {last} {house.scene.articulated_furniture[0]}))",
        f"(K {other} (is_held_by {first} {one}))",
        f"(K {one} (is_in_room {last} {house.rooms[0]}))",
        f"(K {other} (K {one} (is_on_floor {last})))",
        f"(K {other} (K {one} (agent_in_room {one} {house.rooms[0]})))",
    ]
    for kind, state in (("washable", "is_clean"), ("fillable", "is_filled"), ("switch", "is_powered_on")):
        parts += [f"(K {one} ({state} {name}))" for name in kinds[kind] if name in house.objects][:1]
    return House(structs.replace(house.task, problem_pddl=f"(and {' '.join(parts)})"), house.scene)
