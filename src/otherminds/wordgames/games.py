"""The word games, by name."""

from otherminds.wordgames.codenames import CodenamesGiver, CodenamesGuesser
from otherminds.wordgames.game import WordGame
from otherminds.wordgames.taboo import Taboo
from otherminds.wordgames.wavelength import WavelengthGiver, WavelengthGuesser

GAMES: dict[str, WordGame] = {
    game.name: game
    for game in (WavelengthGiver(), WavelengthGuesser(), Taboo(), CodenamesGuesser(), CodenamesGiver())
}
