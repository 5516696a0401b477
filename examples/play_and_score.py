"""Play, score, compare and train against: ``python examples/play_and_score.py``."""

import tempfile

import otherminds as om

if __name__ == "__main__":  # worker processes import this file
    record = om.play("ipd-tit_for_tat-v1", "rmax", seed=0)
    print(record)
    print(om.score([om.play("rps-mixed-v1", "rmax", seed=seed) for seed in range(12)]))

    with tempfile.TemporaryDirectory() as out:
        print(om.run([{"scenarios": ["rps-mixed-v1"], "minds": ["rmax", "nash"], "episodes": 12}], out))

    env = om.make("rps-mixed-v1")
    observations, infos = env.reset(seed=0)
    while env.agents:
        observations, rewards, *_, infos = env.step({"ego": env.action_space("ego").sample()})
    print(env.record)
