"""Training of learned policies: recurrent PPO and OPRE for populations that share no weights.

Training needs the extra ``learn``. Its products are policy files, which numpy alone can play, also as partners
(:mod:`.scenarios`).
"""
