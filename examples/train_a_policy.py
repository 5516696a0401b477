"""REINFORCE on text: a policy of two weights learns to act on what its partner did, in less than a minute.

The policy reads the prompts of a session as a language model would. It keeps six rules of what a partner may do next
(repeat or shift its own move, copy or shift mine), counts how often each was right, and scores an option by what it wins
against their predictions. Whether to act on that at all is what it has to learn. It trains against constant partners
and cyclers, and is then tried on families that it never met. The return is exact: 0 is the best play that ignores
the partner, 1 the best response.
"""

from __future__ import annotations

import re

import numpy as np

import otherminds as om

SPLITS = {
    "train": ["rps-single-v1", "rps-cycler-v1"],
    "held_out": ["rps-mixed-v1", "rps-best_response_to_last-v1"],
}
PAYS = re.compile(
    r"choose (Option \w+) and the other player chooses (Option \w+), then you receive a score of (\S+)"
)
ROUND = re.compile(r"you chose (Option \w+) and the other player chose (Option \w+)")
RATE, EPISODES, ROUNDS = 1.0, 200, 20


def read_features(turn: om.Turn) -> np.ndarray:
    """float64[options, 2]: what each option wins against the rules' predictions, and against that of the best rule."""
    pays = {(own, other): float(score) for own, other, score in PAYS.findall(turn.messages[0].content)}
    options = [option.removeprefix("A: ") for option in turn.options]
    beats = {other: own for (own, other), score in pays.items() if score > 0}
    played = [move for message in turn.messages for move in ROUND.findall(message.content)]
    hits, predicted = np.zeros(6), []
    for own, other in played:
        if predicted:
            hits += [move == other for move in predicted]
        predicted = [shift for move in (other, own) for shift in (move, beats[move], beats[beats[move]])]
    if not predicted:
        return np.zeros((len(options), 2))
    wins = np.array([[pays[option, move] for move in predicted] for option in options])
    return np.stack([wins @ hits / len(played), wins[:, hits.argmax()]], axis=1)


def play(
    session: om.Session, weights: np.ndarray, rng: np.random.Generator, seed: int, split: str
) -> np.ndarray:
    """Plays an episode; returns the gradient of each choice's log-probability, float64[rounds, 2]."""
    gradients, turn = [], session.reset(seed, split)
    while isinstance(turn, om.Turn):
        features = read_features(turn)
        chances = np.exp(features @ weights)
        chances /= chances.sum()
        choice = rng.choice(len(chances), p=chances)
        gradients.append(features[choice] - chances @ features)
        turn = session.step(turn.options[choice])
    return np.array(gradients)


def mean_return(session: om.Session, weights: np.ndarray, split: str, episodes: int = 36) -> float:
    """The mean return of ``episodes`` episodes of a split."""
    rng = np.random.default_rng(1)
    returns = []
    for seed in range(episodes):
        play(session, weights, rng, seed, split)
        returns.append(session.reward)
    return float(np.mean(returns))


def main() -> None:
    """Prints the return in both splits before and after training."""
    session = om.session(SPLITS, options={"rounds": ROUNDS}, ask=False)
    weights, rng = np.zeros(2), np.random.default_rng(0)
    before = {split: mean_return(session, weights, split) for split in SPLITS}
    for seed in range(EPISODES):
        gradients = play(session, weights, rng, seed, "train")
        to_come = np.cumsum(session.turn_rewards[::-1])[::-1]
        weights += RATE * gradients.T @ (to_come - to_come.mean()) / ROUNDS
    for split in SPLITS:
        print(f"{split}: return {before[split]:.2f} before, {mean_return(session, weights, split):.2f} after")
    print("weights:", np.round(weights, 2))


if __name__ == "__main__":
    main()
