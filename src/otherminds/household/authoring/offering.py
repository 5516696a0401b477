"""The tools that an author is offered: their names, arguments, and what they say of themselves."""

from __future__ import annotations

from collections.abc import Mapping

from otherminds.household.authoring.checking import FILE
from otherminds.household.authoring.drawing import FEWEST, MOST
from otherminds.household.authoring.turns import AuthorTool

SHELL = (
    AuthorTool(
        "bash", "command", "Run a shell command (jq, cat, python3, ...) in the folder of the workspace."
    ),
)
EDITS = (
    AuthorTool("read", "file", "Show a file of the workspace."),
    AuthorTool("write", "JSON", f"Replace {FILE} by this task."),
    AuthorTool(
        "edit",
        "JSON",
        f'Change one place of {FILE}: {{"path": "agent_secrets.agent_0[1]", "value": ...}}; '
        'instead of "value": "append" adds to a list, "remove": true takes out.',
    ),
)
"""What an author without a shell has instead of one."""


def offered(shell: bool) -> Mapping[str, AuthorTool]:
    """The tools that an author has, with a ``shell`` or with typed edits in its place."""
    scene = AuthorTool(
        "new_scene", "N", f"Draw a scene with N agents ({FEWEST} to {MOST}), and start the task anew in it."
    )
    rest = (
        AuthorTool("judge", "", "Check the task (structure, depth, secrets, proofs), then ask the judges."),
        AuthorTool(
            "test_task", "", "Look for a plan with all secrets public, and let reference teams play it."
        ),
        AuthorTool("submit_task", "", "Hand in the task; it must have passed judge and test_task unchanged."),
    )
    return {tool.name: tool for tool in (scene, *(SHELL if shell else EDITS), *rest)}
