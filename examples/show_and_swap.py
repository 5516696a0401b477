"""Does a mind act on what it is told? ``python examples/show_and_swap.py``.

The mind predicts its partner rightly and plays at random, until something is shown to it: then it listens half of the time."""

import tempfile

import otherminds as om
from otherminds.measures.interventions import arm_rows, episode_conduct

LISTENER = {
    "mind": "simulated",
    "params": {"accuracy": 1.0, "rationality": 1 / 3, "heeds": 0.5},
    "label": "listens half of the time",
}

if __name__ == "__main__":  # worker processes import this file
    cell = {
        "scenarios": ["rps-mixed-v1"],
        "minds": [LISTENER],
        "episodes": 24,
        "rounds": 20,
        "interventions": ["grant_prediction", "remind", "inject_advice", "swap"],
    }
    with tempfile.TemporaryDirectory() as out:
        om.run([cell], out)
        conducts = [conduct for record in om.records(out) if (conduct := episode_conduct(record))]
    for row in arm_rows({}, conducts):
        use, removed = (estimate.mean for estimate in (row.use, row.removed))
        print(f"{row.arm:16}  acts on what is shown: {use}  share of its loss removed: {removed}")

    record = om.play("rps-mixed-v1", "fictitious_play", options={"rounds": 6}, intervention="remind")
    print([note.data["behaviour"] for note in record.notes])
