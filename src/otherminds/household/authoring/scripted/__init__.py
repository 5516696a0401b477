"""An author and judges without a language model, as models: ``scripted_author`` and ``scripted_judge:RATE``."""

from __future__ import annotations

from otherminds.core.model import Model


def scripted_author(argument: str) -> Model:
    """scripted_author, an author of tasks without a model: recombines the tasks it is shown with drafts of the generator."""
    from otherminds.household.authoring.scripted.models import open_author

    return open_author(argument)


def scripted_judge(argument: str) -> Model:
    """scripted_judge:RATE, a judge without a model: linter and verdicts, wrong at RATE (0 to 1; 0 without one)."""
    from otherminds.household.authoring.scripted.models import open_judge

    return open_judge(argument)
