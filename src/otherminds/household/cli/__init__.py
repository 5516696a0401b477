"""The commands of the household: ``tasks``, in several modules, ``scenes``, ``pool``, and those of authors."""

from otherminds.household.cli import browse as browse
from otherminds.household.cli import pools as pools
from otherminds.household.cli.tasks import tasks_app as tasks_app
