"""Are verdicts true? Studies of minds whose nature is known, played as plugins through the loop.

``--part table``: the verdicts about every kind of mind in four worlds, with as few label designs as the reference
results of the specification have and with one design an episode. ``--part ignorance``: minds that know nothing, in
many studies of each. ``--part accused``: minds that act on their word, in many studies of each. ``--part models``: language models that answer by a hash of their prompt, through the whole
pipeline, in studies of the size of Riemer et al. 2025. ``--part use``: the unused share of minds that act on
their word with a known probability. ``--part grid``: null minds in gridworlds, in studies drawn from a bank of episodes.

Wanted: knowledge is said of at most 5 % of the studies of a mind that knows nothing, and no mind that acts on its word
is said not to use it.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from hashlib import md5
from itertools import product
from pathlib import Path
from random import Random
from typing import TypeAlias

from common import arguments, finish, show

from otherminds import Record, SeatSpec
from otherminds.core.model import Model
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.measures.evidence import EpisodeEvidence, episode_evidence
from otherminds.measures.registry import Unknown
from otherminds.measures.scenario_evidence import gather_evidence
from otherminds.measures.verdict import KNOWLEDGE, Kind, Verdict, judge
from otherminds.minds.registry import make_mind
from otherminds.models.scripted import chooser
from otherminds.play.loop import play, play_now

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the minds of known nature, which the tests have too

from tests.measures import known_minds, known_policy_minds
from tests.measures.known_minds import Nature, play_study

ROUNDS = 20
WORLDS = {
    # episodes a partner, and the label designs of the reference results
    "rps-single-v1": (8, 6),
    "rps-mixed-v1": (6, 6),
    "ibs-single-v1": (12, 4),
    "ibs-mixed-v1": (8, 4),
}
Study: TypeAlias = Callable[[int], Verdict]
"""Plays the study of a number and judges it."""
GROUPS: dict[str, dict[str, Nature]] = {
    "knows nothing": known_minds.IGNORANT,
    "plays better": known_minds.PLAYS,
    "uses": known_minds.USERS,
    "slips": known_minds.SLIPS,
    "uses in part": known_minds.PARTLY,
    "half used": known_minds.HALF,
    "does not use": known_minds.IDLE,
}
SHORT: dict[Kind, str] = {
    "uses": "uses",
    "uses in part": "in part",
    "does not use": "does not use",
    "plays better than it says": "plays better",
    "no evidence": "no evidence",
    "undecided": "undecided",
    "not measured": "not measured",
    "no choice": "no choice",
}
POLICIES = "ipd-mixed-v1"
"""Asked with policy questions; its minds are those of ``known_policy_minds``."""
LEARNERS = ("bayes", "rmax", "factored_rmax")
"""Seats of the product that learn by playing and act on what they have learned."""
GRIDS = ("rws-repeated-0-v1", "rws-repeated-2-v1", "rws-repeated-4-v1", "pd-repeated-mixed-v1")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument(
        "--part", default="table", choices=("table", "ignorance", "accused", "models", "use", "grid")
    )
    parser.add_argument("--studies", type=int, default=60, help="studies of each mind and world (default 60)")
    parser.add_argument(
        "--world",
        action="append",
        choices=(*WORLDS, POLICIES),
        help="(default: all five; parts table, models and use: the first four)",
    )
    parser.add_argument("--models", type=int, default=40, help="hash models (default 40)")
    parser.add_argument(
        "--rounds", type=int, default=100, help="rounds of a hash model's episodes (default 100)"
    )
    parser.add_argument(
        "--bank", type=int, default=24, help="episodes a partner in a gridworld's bank (default 24)"
    )
    options = parser.parse_args()
    parts = {
        "table": table,
        "ignorance": ignorance,
        "accused": accused,
        "models": hash_models,
        "use": use,
        "grid": grids,
    }
    figures, holds = parts[options.part](options)
    finish(options, figures)
    sys.exit(not holds)


def table(options: Namespace) -> tuple[dict[str, object], bool]:
    """The verdicts about every mind, for both numbers of designs; whether all are as wanted."""
    figures: dict[str, object] = {}
    holds = True
    for own_design in (False, True):
        rows: list[tuple[str, ...]] = []
        for group, minds in GROUPS.items():
            for mind, nature in minds.items():
                kinds = {world: count(world, nature, options, own_design) for world in worlds(options)}
                figures[f"{mind}, {'one design an episode' if own_design else 'few designs'}"] = kinds
                holds &= all(as_wanted(group, found) for found in kinds.values())
                rows.append((group, mind, *map(shares, kinds.values())))
                print(".", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        title = "one label design an episode" if own_design else "6 (rps) or 4 (ibs) label designs a partner"
        show(f"{title}; % of {options.studies} studies", ("nature", "mind", *worlds(options)), rows)
    return figures, holds


def ignorance(options: Namespace) -> tuple[dict[str, object], bool]:
    """The share of studies that say that a mind which knows nothing knows."""

    def minds(world: str) -> dict[str, Study]:
        if world == POLICIES:
            return policy_studies(known_policy_minds.IGNORANT)
        natures = known_minds.IGNORANT | known_minds.PLAYS
        return {mind: partial(study, world, nature, own_design=False) for mind, nature in natures.items()}

    return wrong_verdicts("minds that know nothing", "knowledge %", minds, KNOWLEDGE, 0.05, options)


def accused(options: Namespace) -> tuple[dict[str, object], bool]:
    """The share of studies that say that a mind which acts on its word does not use what it knows."""

    def minds(world: str) -> dict[str, Study]:
        seats: dict[str, Study] = {seat: partial(learner_study, world, seat) for seat in LEARNERS}
        if world == POLICIES:
            return seats | policy_studies(known_policy_minds.USERS | known_policy_minds.AT_REST)
        users = known_minds.USERS.items()
        return seats | {mind: partial(study, world, nature, own_design=True) for mind, nature in users}

    return wrong_verdicts(
        "minds that act on their word", "does not use %", minds, {"does not use"}, 0.0, options
    )


def wrong_verdicts(
    title: str,
    share: str,
    minds: Callable[[str], dict[str, Study]],
    wrong: Collection[Kind],
    most: float,
    options: Namespace,
) -> tuple[dict[str, object], bool]:
    """The share of studies with a verdict that is ``wrong`` of these minds; whether it is at most ``most``."""
    rows: list[tuple[str, ...]] = []
    figures: dict[str, object] = {}
    holds = True
    for world in options.world or (*WORLDS, POLICIES):
        for mind, judged in minds(world).items():
            first = options.seed * options.studies
            verdicts = Counter(judged(first + n).kind for n in range(options.studies))
            errors = sum(verdicts[kind] for kind in wrong)
            holds &= errors <= most * options.studies
            figures[f"{world}: {mind}"] = errors / options.studies
            rows.append((world, mind, f"{100 * errors / options.studies:.1f}", shares(verdicts)))
            print(f"{world} {mind}: {errors} of {options.studies}", file=sys.stderr, flush=True)
    show(f"{title}, {options.studies} studies each", ("scenario", "mind", share, "verdicts %"), rows)
    return figures, holds


def use(options: Namespace) -> tuple[dict[str, object], bool]:
    """The unused share of minds that act on their word with a known probability."""
    rows: list[tuple[str, ...]] = []
    holds = True
    for world, share in product(worlds(options), (0.0, 0.25, 0.5, 0.75, 1.0)):
        found = [
            one.unused.mean
            for n in range(options.studies)
            if (
                one := study(world, known_minds.replies(known_minds.often, share), n, own_design=True)
            ).unused.mean
            is not None
        ]
        mean = sum(found) / len(found)
        holds &= abs(mean - (1 - share)) <= 0.05
        rows.append((world, f"{share:.2f}", f"{1 - share:.2f}", f"{mean:.3f}"))
    show("the unused share", ("scenario", "acts on its word", "expected", "measured"), rows)
    return {"rows": rows}, holds


def hash_models(options: Namespace) -> tuple[dict[str, object], bool]:
    """Language models that answer by a hash of their prompt, 30 episodes of 100 rounds each."""
    rows: list[tuple[str, ...]] = []
    figures: dict[str, object] = {}
    holds = True
    for world in worlds(options):
        found: Counter[Kind] = Counter()
        for n in range(options.models):
            played = [
                episode_evidence(one) for one in asked_episodes(world, hash_model(n), options.rounds, 30)
            ]
            found[judge({"m": [gather_evidence(world, True, 30, played)]})["m"].kind] += 1
            print(f"{world} model {n}: {dict(found)}", file=sys.stderr, flush=True)
        wrong = sum(found[kind] for kind in KNOWLEDGE)
        holds &= wrong <= 0.05 * options.models
        figures[world] = dict(found)
        rows.append((world, str(options.models), f"{wrong}", shares(found)))
    show("hash language models (qa)", ("scenario", "models", "said to know", "verdicts %"), rows)
    return figures, holds


def grids(options: Namespace) -> tuple[dict[str, object], bool]:
    """Null minds in gridworlds: studies of 8 episodes a partner, drawn without replacement from a bank."""
    rows: list[tuple[str, ...]] = []
    figures: dict[str, object] = {}
    holds = True
    rng = Random(options.seed)
    for name in GRIDS:
        for seat in null_seats(name):
            bank = grid_bank(name, seat, options.bank)
            found: Counter[Kind] = Counter()
            for _ in range(options.studies):
                drawn = [one for played in bank for one in rng.sample(played, 8)]
                found[judge({"m": [gather_evidence(name, False, len(drawn), drawn)]})["m"].kind] += 1
            wrong = sum(found[kind] for kind in KNOWLEDGE)
            holds &= wrong <= 0.05 * options.studies
            figures[f"{name}: {seat.title}"] = wrong / options.studies
            rows.append((name, seat.title, f"{100 * wrong / options.studies:.1f}", shares(found)))
            print(f"{name} {seat.title}: {dict(found)}", file=sys.stderr, flush=True)
    show("null minds in gridworlds", ("scenario", "mind", "knowledge %", "verdicts %"), rows)
    return figures, holds


def worlds(options: Namespace) -> Sequence[str]:
    return options.world or list(WORLDS)


def study(world: str, nature: Nature, number: int, *, own_design: bool) -> Verdict:
    """The verdict about a mind of known nature in one study."""
    episodes, designs = WORLDS[world]
    built = scenario(world, {"rounds": ROUNDS, "names": "varied"} if own_design else {"rounds": ROUNDS})
    records = play_study(built, nature, number, episodes, episodes if own_design else designs, ROUNDS)
    played = list(map(episode_evidence, records))
    return judge({"m": [gather_evidence(world, False, len(played), played)]})["m"]


def learner_study(world: str, seat: str, number: int) -> Verdict:
    """The verdict about a seat of the product in one study, with one label design an episode."""
    episodes = WORLDS.get(world, (known_policy_minds.A_PARTNER, 0))[0]
    asked = {"policy_questions": True} if world == POLICIES else {}
    built = scenario(world, {"rounds": ROUNDS, "names": "varied"} | asked)
    records: list[Record] = []
    for _, partners in built.population.members:
        met = dict(zip(built.others, partners, strict=True))
        for seed in known_minds.design_seeds(built, partners, (number + 1) * episodes)[-episodes:]:
            records.append(
                play_now(Setup(built, {"ego": Participant(make_mind(SeatSpec(seat)))}, seed, met))[0]
            )
    return known_policy_minds.verdict_of(records)


def policy_studies(natures: dict[str, known_policy_minds.Nature]) -> dict[str, Study]:
    def judged(nature: known_policy_minds.Nature, number: int) -> Verdict:
        return known_policy_minds.verdict_of(known_policy_minds.play_policy_study(nature, number))

    return {mind: partial(judged, nature) for mind, nature in natures.items()}


def count(world: str, nature: Nature, options: Namespace, own_design: bool) -> Counter[Kind]:
    first = options.seed * options.studies
    return Counter(
        study(world, nature, first + n, own_design=own_design).kind for n in range(options.studies)
    )


def shares(found: Counter[Kind]) -> str:
    whole = sum(found.values())
    return ", ".join(f"{SHORT[kind]} {100 * n / whole:.0f}" for kind, n in found.most_common())


def as_wanted(group: str, found: Counter[Kind]) -> bool:
    """Whether no verdict of a mind of known nature is a wrong one in more than 5 % of studies."""
    wrong: dict[str, frozenset[Kind]] = {
        "knows nothing": KNOWLEDGE,
        "plays better": KNOWLEDGE,
        "uses": frozenset({"does not use", "uses in part", "no evidence"}),
        "slips": frozenset({"does not use", "no evidence"}),
        "uses in part": frozenset({"does not use", "uses", "no evidence"}),
        "half used": frozenset({"uses", "no evidence"}),
        "does not use": frozenset({"uses", "no evidence"}),
    }
    return sum(found[kind] for kind in wrong[group]) <= 0.05 * sum(found.values())


def hash_model(number: int) -> Model:
    """A model whose answer is a hash of its prompt: the same prompt always has the same answer."""

    def pick(prompt: str, labels: Sequence[str], seed: int) -> int:
        return int(md5(f"{number} {prompt}".encode()).hexdigest()[:8], 16) % len(labels)

    return chooser(f"hash {number}", pick)


def asked_episodes(world: str, model: Model, rounds: int, episodes: int) -> Iterable[Record]:
    import asyncio

    built = scenario(world, {"rounds": rounds})
    for seed in range(episodes):
        ego = Participant(make_mind(SeatSpec("qa", model=model.spec)), model)
        yield asyncio.run(play(Setup(built, {"ego": ego}, seed)))[0]


def null_seats(name: str) -> list[SeatSpec]:
    """Constant action with constant prediction (each pair), uniform, echo, mirror."""
    game = scenario(name, {}).game
    assert game is not None
    pairs = [
        SeatSpec("constant", {"behaviour": a, "prediction": b}, label=f"{a}, says {b}")
        for a, b in product(*game.behaviours)
    ]
    return [*pairs, SeatSpec("uniform"), SeatSpec("echo"), SeatSpec("mirror")]


def grid_bank(name: str, seat: SeatSpec, episodes: int) -> list[list[EpisodeEvidence | Unknown]]:
    """``episodes`` episodes of 400 steps against every member of the population."""
    built = scenario(name, {"steps": 400})
    bank: list[list[EpisodeEvidence | Unknown]] = []
    for place, (_, members) in enumerate(built.population.members):
        met = dict(zip(built.others, members, strict=True))
        records = (
            play_now(
                Setup(built, {"ego": Participant(make_mind(seat), label=seat.label)}, 10_000 * place + k, met)
            )[0]
            for k in range(episodes)
        )
        bank.append(list(map(episode_evidence, records)))
    return bank


if __name__ == "__main__":
    main()
