"""One import for those who write a substrate *in the matrix*, its partners or its learners.

A file is read by :func:`read_rules`; :func:`make_scenario` and :func:`make_substrate` make of its rules what
``otherminds.play`` and learners take. A partner is an automaton over duels: registered as a family with
``@partners.register``, the file's ``bots`` can name it; followed by a :class:`Bot`, it sits in any seat.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     path = Path(folder, "market.toml")
...     _ = path.write_text('''
... classes = ["wheat", "wine"]
... symbols = "12"
... colours = ["yellow", "purple"]
... row = [[2, 0], [3, 1]]
... map = "WWWWWWW\\\\nWP1 2PW\\\\nWWWWWWW"
... ''')
...     rules = read_rules(path)
>>> rules.name, rules.size, [name for name, _ in rules.bots]
('market', (7, 3), ['wheat', 'wine'])
>>> turns = Machine(0, lambda turn: always(turn, 2), lambda turn, own, other: 1 - turn)
>>> trader = Bot(rules, Puppeteer(turns.automaton(rules.game, 50), margins=(2, 2)))
>>> make_scenario(rules, "mixed").id
'market-mixed-v1'
"""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.games.automata import Machine, always, mostly
from otherminds.games.registry import partners
from otherminds.gridworlds.grid.learner import Substrate, substrate
from otherminds.gridworlds.in_the_matrix.bots import BatchedBots, Bot
from otherminds.gridworlds.in_the_matrix.charts import Puppeteer
from otherminds.gridworlds.in_the_matrix.rules import BotPolicy, Rules, read_rules
from otherminds.gridworlds.in_the_matrix.scenarios import build as make_scenario
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld, make_substrate

__all__ = ["Automaton", "BatchedBots", "Bot", "BotPolicy", "Game", "InTheMatrixWorld", "Machine", "Puppeteer"]
__all__ += [
    "Rules",
    "Substrate",
    "always",
    "make_scenario",
    "make_substrate",
    "mostly",
    "partners",
    "read_rules",
]
__all__ += ["substrate"]
