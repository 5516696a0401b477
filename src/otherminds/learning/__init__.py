"""Training of learned policies: recurrent PPO and OPRE for populations that share no weights.

Needs the extra ``learn``. Its products are policy files, which numpy alone can play.
"""
