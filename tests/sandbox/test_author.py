"""An author whose shell is a real sandbox: its commands write the task, and reach nothing else."""

from __future__ import annotations

from pathlib import Path

from otherminds.household.authoring.attempt import AttemptOptions
from otherminds.sandbox.kinds import Sandbox
from tests.cases import for_each
from tests.household.authoring.authors import TitleServices, attempted, says, task_text
from tests.sandbox.conftest import LIMITS

WRITE = f"Action: bash[cat > working_task.json <<'EOF'\n{task_text('a fault')}\nEOF\n]"
MEND = """Action: bash[python3 -c "
import json
task = json.load(open('working_task.json'))
task['title'] = 'A viewing'
json.dump(task, open('working_task.json', 'w'))"; ls; ls /root /home; cat /etc/shadow]"""


def test_an_author_with_a_shell_writes_a_task_that_is_kept(tmp_path: Path, sandbox: Sandbox) -> None:
    author = says(
        WRITE, "Action: judge[]", MEND, "Action: judge[]", "Action: test_task[]", "Action: submit_task[]"
    )
    services = TitleServices()
    record = attempted(author, services, tmp_path, options=AttemptOptions("attempt_0", sandbox=sandbox))
    assert (record.ended, record.stage, record.sandbox) == ("submitted", "kept", sandbox.name)
    assert [step.tool for step in record.steps] == [
        "bash",
        "judge",
        "bash",
        "judge",
        "test_task",
        "submit_task",
    ]
    assert [submission.task.title for submission in services.submitted] == ["A viewing"]
    shown = record.steps[2].result
    assert shown is not None
    assert "working_task.json" in shown.text
    assert "/root" in shown.text.partition("stderr")[2]
    assert "root:" not in shown.text


FILLING = {
    "folders": f"rm *.json; for number in $(seq {LIMITS.files}); do mkdir -p d/$number; done",
    "files": f"rm *.json; mkdir d; for number in $(seq {LIMITS.files}); do echo > d/$number; done",
    "bytes": f"rm *.json; head -c {LIMITS.file_bytes} /dev/zero > big",
    "blocks": f"rm *.json; for number in $(seq 200); do head -c {LIMITS.file_bytes // 100} /dev/zero > $number; done",
}
"""Commands that leave no room for the files that a tool writes next."""


@for_each("how", FILLING, every=2)
def test_a_full_workspace_ends_the_attempt_and_not_the_command(
    tmp_path: Path, sandbox: Sandbox, how: str
) -> None:
    replies = (f"Action: bash[{FILLING[how]}]", "Action: new_scene[2]", "Action: bash[ls]", "Action: judge[]")
    options = AttemptOptions("attempt_0", sandbox=sandbox)
    record = attempted(says(*replies), TitleServices(), tmp_path / how / "first", options)
    assert (record.ended, record.stage, len(record.steps)) == ("unusable", "no task", 3)
    again = attempted(says(*replies), TitleServices(), tmp_path / how / "first", options)
    assert again == record
    author = says(WRITE, MEND, "Action: judge[]", "Action: test_task[]", "Action: submit_task[]")
    after = attempted(
        author, TitleServices(), tmp_path / how / "second", AttemptOptions("attempt_1", sandbox=sandbox)
    )
    assert (after.ended, after.stage) == ("submitted", "kept")
