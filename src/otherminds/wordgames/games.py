"""The word games, by name."""

from otherminds.wordgames.game import WordGame
from otherminds.wordgames.wavelength import WavelengthGiver, WavelengthGuesser

GAMES: dict[str, WordGame] = {game.name: game for game in (WavelengthGiver(), WavelengthGuesser())}
