"""The exact values of word games equal a plain enumeration by the rules."""

from random import Random

import numpy as np
import pytest

from otherminds.wordgames.exact import GameTables, PartnerModels
from otherminds.wordgames.game import Board
from otherminds.wordgames.minds import POLICIES
from otherminds.wordgames.partners import ASSOCIATIONS, CURVES, POPULATIONS
from otherminds.wordgames.rules import GAMES, tabulate
from tests.cases import depth, for_each
from tests.wordgames import plain_codenames, plain_taboo
from tests.wordgames import plain_wavelength as plain
from tests.wordgames.small import make_tables
from tests.wordgames.studies import play_rounds

BOARDS = 200
SLIPS = (0.0, 0.05, 0.3)


def draw_tables(game: str, number: int) -> GameTables:
    """Ten lexicons, both populations and several slips in turn."""
    population = [*POPULATIONS][number % 2]
    return make_tables(game, number % 10, population, SLIPS[number % 3])


def near_of(tables: GameTables, number: int) -> plain.Association:
    """The association of a type of partner, from the tables of the lexicon by its name."""
    kinds = tables.groups[number].split("+")
    lexicon = tables.lexicon
    if kinds == ["idiosyncratic"]:
        return lambda a, b: float(tables.listeners[number].matrix[a, b])
    return lambda a, b: sum(float(lexicon.associations[kind][a, b]) for kind in kinds) / len(kinds)


@pytest.fixture(scope="module")
def kept_tables() -> dict[tuple[str, int], GameTables]:
    return {(game, number): draw_tables(game, number) for game in GAMES for number in range(30)}


@pytest.mark.parametrize("boards", depth(50, BOARDS))
def test_giving_a_clue_is_worth_what_a_plain_enumeration_says(
    kept_tables: dict[tuple[str, int], GameTables], boards: int
) -> None:
    for number in range(boards):
        rng = Random(number)
        tables = kept_tables["wavelength-giver", number % 30]
        board = Board(tables.game.draw_words(tables.lexicon, rng), rng.randrange(9))
        values = tables.evaluate(board)
        slip = max(tables.slip, 1e-6)
        worths = [
            plain.give(near_of(tables, i), tables.listeners[i].curve, board.words, board.secret, slip)
            for i in range(len(tables.names))
        ]
        together = np.mean(worths, axis=0)
        best = together > together.max() - 1e-9
        assert values.informed[:, 0] == pytest.approx([max(row) for row in worths], abs=1e-9)
        assert values.blind[:, 0] == pytest.approx(np.array(worths)[:, best].mean(axis=1), abs=1e-9)
        tree = tables.tree(board)
        assert tree.weigh_choices((), tree.spread(tables.weights)) == pytest.approx(
            dict(enumerate(together)), abs=1e-9
        )
        left, right, *clues = board.words
        for i, truth in enumerate(tree.list_truths(())):
            near, curve = near_of(tables, i), tables.listeners[i].curve
            assert list(truth) == [plain.position(near, curve, left, right, clue) for clue in clues]


@pytest.mark.parametrize("boards", depth(50, BOARDS))
def test_setting_the_dial_is_worth_what_a_plain_enumeration_says(
    kept_tables: dict[tuple[str, int], GameTables], boards: int
) -> None:
    for number in range(boards):
        rng = Random(number)
        tables = kept_tables["wavelength-guesser", number % 30]
        words = tables.game.draw_words(tables.lexicon, rng)
        values = tables.evaluate(Board(words, -1))
        count, slip = len(tables.names), max(tables.slip, 1e-6)
        chances = np.array(
            [
                [
                    [
                        plain.chance_of_clue(
                            near_of(tables, i), tables.listeners[i].curve, words, target, clue, slip
                        )
                        for clue in range(4)
                    ]
                    for target in range(9)
                ]
                for i in range(count)
            ]
        )
        worth = np.array([[plain.points(dial, target) for target in range(9)] for dial in range(9)])
        informed = np.zeros(count)
        blind = np.zeros(count)
        for clue in range(4):
            joint = chances[:, :, clue] / 9
            by_dial = joint @ worth.T  # type, dial
            informed += by_dial.max(axis=1)
            together = by_dial.mean(axis=0)
            best = together > together.max() - 1e-9
            blind += by_dial[:, best].mean(axis=1)
        assert values.informed.mean(axis=1) == pytest.approx(informed, abs=1e-9)
        assert values.blind.mean(axis=1) == pytest.approx(blind, abs=1e-9)


@pytest.mark.parametrize("boards", depth(20, BOARDS))
def test_leading_to_a_word_is_worth_what_a_plain_enumeration_says(
    kept_tables: dict[tuple[str, int], GameTables], boards: int
) -> None:
    for number in range(boards):
        rng = Random(number)
        tables = kept_tables["taboo", number % 30]
        board = Board(tables.game.draw_words(tables.lexicon, rng), rng.randrange(8))
        slip = max(tables.slip, 1e-6)
        tree = tables.tree(board)
        values, count = tables.evaluate(board), len(tables.names)
        nears = [near_of(tables, i) for i in range(count)]
        informed = [plain_taboo.best_worths(near, board.words, board.secret, slip) for near in nears]
        assert values.informed[:, 0] == pytest.approx([max(row) for row in informed], abs=1e-9)
        together = [0.0] * 6
        for first in range(4):
            chances = [plain_taboo.first_chances(near, board.words, first, slip) for near in nears]
            for word in range(8):
                if word == board.secret:
                    together[first] += 2 * sum(row[word] for row in chances) / count
                    continue
                seconds = [
                    plain_taboo.second_worths(near, board.words, board.secret, first, word, slip)
                    for near in nears
                ]
                together[first] += max(
                    sum(row[word] * worths[clue] for row, worths in zip(chances, seconds, strict=True))
                    / count
                    for clue in seconds[0]
                )
        prior = tree.spread(tables.weights)
        assert tree.weigh_choices((), prior) == pytest.approx(dict(enumerate(together)), abs=1e-9)
        assert tree.play((), prior).sum() == pytest.approx(max(together), abs=1e-9)


@pytest.mark.parametrize("boards", depth(50, BOARDS))
def test_a_clue_for_several_words_is_worth_what_a_plain_enumeration_says(
    kept_tables: dict[tuple[str, int], GameTables], boards: int
) -> None:
    for number in range(boards):
        rng = Random(number)
        tables = kept_tables["codenames-giver", number % 30]
        board = Board(tables.game.draw_words(tables.lexicon, rng), rng.randrange(len(plain_codenames.KEYS)))
        key, slip = plain_codenames.KEYS[board.secret], max(tables.slip, 1e-6)
        worths = [
            [
                plain_codenames.expect_names(
                    plain_codenames.ranking(near, board.words, clue), key, count, slip
                )
                for clue in range(4)
                for count in (1, 2)
            ]
            for near in (near_of(tables, i) for i in range(len(tables.names)))
        ]
        together = np.mean(worths, axis=0)
        tree, values = tables.tree(board), tables.evaluate(board)
        best = together > together.max() - 1e-9
        assert values.informed[:, 0] == pytest.approx([max(row) for row in worths], abs=1e-9)
        assert values.blind[:, 0] == pytest.approx(np.array(worths)[:, best].mean(axis=1), abs=1e-9)
        assert tree.weigh_choices((), tree.spread(tables.weights)) == pytest.approx(
            dict(enumerate(together)), abs=1e-9
        )


@pytest.mark.parametrize("boards", depth(2, BOARDS))
def test_naming_words_is_worth_what_a_plain_enumeration_says(
    kept_tables: dict[tuple[str, int], GameTables], boards: int
) -> None:
    """For the clue that one type gives for a random key, with all keys and types that may have led to it."""
    for number in range(boards):
        rng = Random(number)
        tables = kept_tables["codenames-guesser", number % 30]
        words, slip = tables.game.draw_words(tables.lexicon, rng), max(tables.slip, 1e-6)
        count, size = len(tables.names), len(plain_codenames.KEYS)
        chosen = [
            [plain_codenames.give(near_of(tables, i), words, key) for key in plain_codenames.KEYS]
            for i in range(count)
        ]
        clue, named = chosen[number % count][rng.randrange(size)]
        chances = [[(1 - slip) * (choice == (clue, named)) + slip / 8 for choice in row] for row in chosen]
        together = [sum(column) / count / size for column in zip(*chances, strict=True)]
        tree = tables.tree(Board(words, -1))
        moves = (clue * 2 + named - 1,)
        prior = tree.spread(tables.weights)
        best = plain_codenames.best_names(together, named)
        assert tree.play(moves, tree.follow(moves, prior)).sum() == pytest.approx(best, abs=1e-9)
        assert max(tree.weigh_choices(moves, prior).values()) * sum(together) == pytest.approx(best, abs=1e-9)
        for i, row in enumerate(chances):
            alone = tree.follow(moves, tree.spread(np.eye(count)[i]))
            expected = plain_codenames.best_names([chance / size for chance in row], named)
            assert tree.play(moves, alone).sum() == pytest.approx(expected, abs=1e-9)
            order = plain_codenames.ranking(near_of(tables, i), words, clue)
            assert list(tree.list_truths(moves)[i]) == order[:named]


@for_each("game", GAMES)
def test_the_posterior_is_that_of_bayes_by_hand(game: str) -> None:
    """After one round with one reply, each type has its prior times the probability of the reply."""
    tables = make_tables(game, 0)
    rng = Random(1)
    for board in tables.draw(rng, 10):
        policy = POLICIES["coin"](tables, 0, rng)
        (played,) = play_rounds(tables, policy, [board], 0, rng)
        models = PartnerModels(tables, tables.weights)
        models.learn(board, played.moves)
        likelihoods = np.ones(len(tables.names))
        for end, choice in enumerate(played.moves):
            before = played.moves[:end]
            if tables.game.mover(before) == "partner":
                count = len(tables.game.choices(before))
                for i, listener in enumerate(tables.listeners):
                    (own,) = tables.game.reply(listener, board.words, np.array([board.secret]), before)
                    likelihoods[i] *= 0.95 * (own == choice) + 0.05 / count
        expected = tables.weights * likelihoods
        assert models.weights == pytest.approx(expected / expected.sum(), abs=1e-12)


@for_each("game, population", [(game, population) for game in GAMES for population in POPULATIONS])
def test_knowing_the_partner_gains_on_every_board_and_much_on_average(game: str, population: str) -> None:
    tables = make_tables(game, 0) if population == "mixed" else make_tables(game, 0, population)
    values = [tables.evaluate(board) for board in tables.deck[:10]]
    gains = [value.informed.mean(axis=1) - value.blind.mean(axis=1) for value in values]
    assert all(tables.weights @ gain >= -1e-9 for gain in gains)
    assert tables.weights @ np.mean(gains, axis=0) > 0.05 * tables.game.most
    assert tables.weights @ np.mean([1 - value.answers for value in values], axis=0) > 0.2


@for_each("game", GAMES)
def test_no_mind_that_ignores_its_partner_earns_more_than_the_blind_one(game: str) -> None:
    """Sums over the population on each board, for minds that take every partner for one type."""
    tables = make_tables(game, 0)
    for board in tables.deck[:5]:
        tree, prior = tables.tree(board), tables.tree(board).spread(tables.weights)
        best = float(tree.play((), prior).sum())
        for i in range(len(tables.names)):
            alone = tree.spread(np.eye(len(tables.names))[i])
            if tables.game.gives:
                (choice, *_) = tree.list_best((), alone)
                assert tree.weigh_choices((), prior)[choice] <= best + 1e-9


@for_each("curve", CURVES)
def test_curves_are_monotone_and_anchored_at_both_ends(curve: str) -> None:
    values = CURVES[curve](np.linspace(0, 1, 101))
    assert (values[0], values[-1]) == (0, 1)
    assert (np.diff(values) >= 0).all()


def test_strangers_share_no_association_and_no_curve_with_the_population_of_minds() -> None:
    mixed, stranger = POPULATIONS["mixed"], POPULATIONS["stranger"]
    assert not {*mixed.associations} & {*stranger.associations}
    assert not {*mixed.curves} & {*stranger.curves}
    assert {*mixed.associations} == {*ASSOCIATIONS}


@pytest.mark.parametrize("episodes", depth(24, 240))
@for_each("game", GAMES)
def test_half_an_episode_tells_who_the_partner_is(game: str, episodes: int) -> None:
    """The posterior gives one type .9 after twelve rounds in at least 80 % of the episodes, whatever ego does."""
    tables = tabulate(game, "mixed", 0.05)
    told = 0
    for episode in range(episodes):
        rng, partner = Random(episode), episode % len(tables.names)
        models = PartnerModels(tables, tables.weights)
        boards = tables.draw(rng, 12)
        for board, played in zip(
            boards, play_rounds(tables, POLICIES["coin"](tables, 0, rng), boards, partner, rng), strict=True
        ):
            models.learn(board, played.moves)
        told += float(models.weights.max()) >= 0.9
    assert told >= 0.8 * episodes
