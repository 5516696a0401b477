"""A seed and the actions decide an episode, whatever else goes on."""

from __future__ import annotations

from unittest import SkipTest

from otherminds.testing.compare import difference, global_randomness, global_state, promise
from otherminds.testing.elsewhere import elsewhere
from otherminds.testing.transcripts import SteppedEpisode
from otherminds.testing.worlds.case import WorldCase

MANY = 20
"""Seeds that are tried before chance is said to play no part."""


class WorldDeterminismPromises(WorldCase):
    """Checks that play the same episode under other circumstances."""

    def test_same_seed_same_episode(self) -> None:
        """A seed decides an episode: in a fresh world, and in one that was played before."""
        used = self.make_world()
        for seed in self.seeds:
            once, again, reused = self.run(seed), self.run(seed), SteppedEpisode(used, seed).play()
            for other, where in ((again, "a fresh world"), (reused, "a world that was played before")):
                promise(
                    once.lines == other.lines,
                    f"seed {seed} gives the same episode in {where}",
                    f"it differs {difference(once.lines, other.lines)}",
                )

    def test_seeds_matter(self) -> None:
        """Where chance plays a part, different seeds lead to different episodes."""
        if not self.has_chance:
            raise SkipTest("this world does not say that it has_chance")
        ways = {SteppedEpisode(self.make_world(), seed, acting=0).play().hash for seed in range(MANY)}
        promise(
            len(ways) > 1,
            "the seed decides what chance does",
            f"{MANY} seeds with equal actions gave one and the same episode",
        )

    def test_same_in_another_process(self) -> None:
        """Another process, with another ``PYTHONHASHSEED``, plays the same episodes."""
        hashes = [self.fingerprint(), *elsewhere(self, "fingerprint")]
        promise(
            len(set(hashes)) == 1,
            "the same episodes in every process, under every PYTHONHASHSEED",
            f"their hashes are {hashes}",
        )

    def test_interleaved_episodes(self) -> None:
        """Episodes that take turns are the episodes played one after the other."""
        alone = self.runs()
        together = [SteppedEpisode(self.make_world(), seed) for seed in self.seeds]
        while any(run.going for run in together):
            for run in together:
                if run.going:
                    run.step()
        for seed, one, other in zip(self.seeds, alone, together, strict=True):
            promise(
                one.lines == other.lines,
                f"seed {seed} gives the same episode while others are played",
                f"it differs {difference(one.lines, other.lines)}",
            )

    def test_global_randomness_is_left_alone(self) -> None:
        """A world has its own generator: it neither reads nor moves the global ones."""
        hashes: list[str] = []
        for seed in (1, 2):
            with global_randomness(seed):
                before = global_state()
                hashes.append(self.run(self.seeds[0]).hash)
                promise(
                    global_state() == before,
                    "the global generators are left alone",
                    "the world drew from one of them, or seeded it",
                )
        promise(hashes[0] == hashes[1], "the global generators are not read", "they decide the episode")
