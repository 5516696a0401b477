"""No study of somebody else sends a key of the user anywhere, and no key is printed or kept."""

from __future__ import annotations

import json
from base64 import b32encode, b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import otherminds as om
from otherminds.core.errors import StudyError
from otherminds.models.http import MASK
from otherminds.studies.run_dir import results
from tests.cli.running import Done, otherminds
from tests.models import serving

CANARY = "sk-canary/4711+abcdef90"
HEAD = 'name = "theirs"\nepisodes = 2\nrounds = 2\n'
CELL = '[[cells]]\nscenarios = ["rps-single-v1"]\nminds = [{minds}]\n'
MINDS = {
    "a mind in a word": '"qa@{spec}"',
    "a table": '{{ mind = "qa", model = "{spec}" }}',
    "one seat of a team": '{{ mind = "rmax", seats = {{ ego = "qa@{spec}" }} }}',
    "a seat in a table": '{{ mind = "rmax", seats = {{ ego = {{ mind = "qa", model = "{spec}" }} }} }}',
    "beside a model of the user's": '"qa@scripted:first", "qa@{spec}"',
}
PLACES = {
    "a key in clear to another machine": "openai:m@http://{elsewhere}/v1?context=9000",
    "a key to another machine": "openai:m@https://{elsewhere}/v1?context=9000",
    "a key of Anthropic to another machine": "anthropic:m@https://{elsewhere}/v1?context=9000",
    "a key of Google to another machine": "gemini:m@https://{elsewhere}/v1?context=9000",
    "another secret to another machine": "openai:m@https://{elsewhere}/v1?context=9000&key=AWS_SECRET_ACCESS_KEY",
    "another secret to the service": "openai:m?context=9000&key=AWS_SECRET_ACCESS_KEY",
    "another secret to this machine": "openai:m@{local}?context=9000&key=AWS_SECRET_ACCESS_KEY",
    "the second of two servers": "openai:m@{local},https://{elsewhere}/v1?context=9000",
    "a key of one service to another": "gemini:m@https://api.openai.com/v1?context=9000",
}
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "AWS_SECRET_ACCESS_KEY")


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.setenv(name, CANARY)


def study(folder: Path, minds: str) -> Path:
    path = folder / "study.toml"
    path.write_text(HEAD + CELL.format(minds=minds))
    return path


def every_text(done: list[Done], *places: Path) -> list[str]:
    """All that commands printed, and all that is in the files and the names of files in ``places``."""
    texts = [text for one in done for text in (one.stdout, one.stderr)]
    for place in places:
        files = [place, *place.rglob("*")] if place.is_dir() else [place]
        texts += [str(file) for file in files]
        texts += [file.read_bytes().decode("latin-1") for file in files if file.is_file()]
    return texts


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.usefixtures("keys")
def test_a_study_chooses_neither_a_host_nor_a_variable(place: str, tmp_path: Path) -> None:
    """The other machine is one that this machine reaches under a name that is not of its loopback interface."""
    with serving.serving() as local, serving.serving() as other:
        elsewhere = other.url.removeprefix("http://").removesuffix("/v1").replace("127.0.0.1", "127.1")
        spec = PLACES[place].format(elsewhere=elsewhere, local=local.url)
        said: list[Done] = []
        for name, mind in MINDS.items():
            path, out = study(tmp_path, mind.format(spec=spec)), tmp_path / name
            for words in (
                (),
                ("--dry-run",),
                ("--dry-run", "--ask-servers"),
                ("--cache", tmp_path / "cache"),
            ):
                done = otherminds("run", path, "--out", out, *words)
                said.append(done)
                assert done.returncode == 2, (name, words, done)
                assert "--allow-host" in done.stderr, (name, words)
                assert not out.exists(), "a run that is refused leaves nothing behind"
            with pytest.raises(StudyError, match="--allow-host"):
                om.run(path, out)
        assert not other.asked
        assert not any(CANARY in value for one in local.asked or () for value in one.headers.values())
    for text in every_text(said, tmp_path):
        assert CANARY not in text


@pytest.mark.usefixtures("keys")
def test_what_the_user_names_is_asked(tmp_path: Path) -> None:
    """By the option, by the model, and through Python: with the key that the user chose and no other."""
    with serving.serving() as local:
        host = local.url.removeprefix("http://").removesuffix("/v1")
        theirs = study(tmp_path, f'"qa@openai:toy@{local.url}?context=9000&key=AWS_SECRET_ACCESS_KEY"')
        allow = ("--allow-host", f"{host}=AWS_SECRET_ACCESS_KEY")
        done = otherminds("run", theirs, "--out", tmp_path / "a", *allow)
        assert done.returncode == 0, done.stderr
        om.run(theirs, tmp_path / "b", allow_hosts=[f"{host}=AWS_SECRET_ACCESS_KEY"])
        own = study(tmp_path, '"qa@MODEL"')
        model = f"openai:toy@{local.url}?context=9000&key=AWS_SECRET_ACCESS_KEY"
        done = otherminds("run", own, "--out", tmp_path / "c", "--model", model)
        assert done.returncode == 0, done.stderr
        om.run(own, tmp_path / "d", models=model)
        assert {one.headers["authorization"] for one in local.asked or ()} == {f"Bearer {CANARY}"}
    assert (
        len({json.dumps(sorted(str(one.actions) for one in results(tmp_path / name)[1])) for name in "abcd"})
        == 1
    )


@pytest.mark.usefixtures("keys")
def test_a_folder_that_was_allowed_once_allows_nothing_later(tmp_path: Path) -> None:
    with serving.serving() as local:
        host = local.url.removeprefix("http://").removesuffix("/v1")
        path = study(tmp_path, f'"qa@openai:toy@{local.url}?context=9000&key=AWS_SECRET_ACCESS_KEY"')
        allow = ("--allow-host", f"{host}=AWS_SECRET_ACCESS_KEY")
        assert otherminds("run", path, "--out", tmp_path / "out", *allow).returncode == 0
        count = len(local.asked or ())
        done = otherminds("run", path, "--out", tmp_path / "out", "--episodes", 3)
        assert done.returncode == 2
        assert "--allow-host" in done.stderr
        assert len(local.asked or ()) == count


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("kind", ["openai", "anthropic", "gemini"])
def test_a_dry_run_sends_nothing_unless_it_is_asked_to(kind: str, tmp_path: Path) -> None:
    with serving.serving() as local:
        spec = f"{kind}:toy@{local.url}"
        path = study(tmp_path, f'"qa@{spec}"')
        for words in (
            ("run", path, "--out", tmp_path / "out"),
            ("evaluate", spec, "--out", tmp_path / "out"),
        ):
            done = otherminds(*words, "--dry-run")
            assert done.returncode == 0, done.stderr
            where = f"{kind}:toy is asked at {local.url.removesuffix('/v1')}, with the key in {kind.upper()}_API_KEY"
            assert where in done.stdout
        assert local.connections == 0
        done = otherminds("run", path, "--out", tmp_path / "out", "--dry-run", "--ask-servers")
        assert done.returncode == 0, done.stderr
        assert {one.method for one in local.asked or ()} == {"GET"}
    for text in every_text([done], tmp_path):
        assert CANARY not in text


@pytest.mark.usefixtures("keys")
def test_where_models_are_asked_is_said_before_anything_is_sent(tmp_path: Path) -> None:
    """The server is not there: the line is printed although no request succeeded."""
    for words in (
        ("run", study(tmp_path, '"qa@openai:toy@http://127.0.0.1:9/v1"')),
        ("evaluate", "openai:toy@http://127.0.0.1:9/v1"),
        (
            "pools",
            "author",
            "--model",
            "openai:toy@http://127.0.0.1:9/v1",
            "--sandbox",
            "none",
            "--without",
            "council",
        ),
    ):
        done = otherminds(*words, "--out", tmp_path / "out")
        said = done.stdout + done.stderr
        assert "openai:toy is asked at http://127.0.0.1:9, with the key in OPENAI_API_KEY" in said, said
        assert said.index("is asked at") < said.index("cannot reach")


def forms(path: str) -> str:
    """The canary in every usual way of writing it, and cut in pieces by white space."""
    key = CANARY.encode()
    encoded = b64encode(key).decode()
    hexadecimal = [f"{byte:02x}" for byte in key]
    return "\n".join(
        [
            *(CANARY, quote(CANARY, safe=""), quote(quote(CANARY, safe=""), safe=""), json.dumps(CANARY)),
            *(
                encoded,
                b64encode(b"Bearer " + key).decode(),
                encoded[:9] + "\n" + encoded[9:],
                " ".join(encoded),
            ),
            *(
                "".join(hexadecimal),
                ":".join(hexadecimal),
                " ".join(hexadecimal).upper(),
                "\\x".join(["", *hexadecimal]),
            ),
            *(" ".join(CANARY), "\n".join(CANARY), "\u200b".join(CANARY), CANARY[:7] + "\n" + CANARY[7:]),
            *(
                "".join(f"&#{ord(one)};" for one in CANARY),
                "".join(f"\\u{ord(one):04x}" for one in CANARY),
                path,
            ),
        ]
    )


LEAKS = [
    *(
        "canary",
        "c a n a r y",
        "c\na\nn",
        "c\u200ba",
        quote(CANARY, safe="")[9:],
        b64encode(CANARY.encode()).decode()[4:-4],
    ),
    *(
        "63616e617279",
        "63:61:6e",
        "63 61 6E",
        "\\x63\\x61",
        "&#99;&#97;",
        "\\u0063\\u0061",
        b32encode(CANARY.encode()).decode(),
    ),
]


def repeating(asked: Any) -> serving.Reply:
    """Repeats the key wherever a server has a place for text: lists, replies, errors, addresses, headers and counts."""
    said = forms(asked.path)
    if asked.method == "GET":
        return serving.Reply(
            {"data": [{"id": said, "owned_by": said}, {"id": CANARY, "max_model_len": 9000}]}
        )
    match len(asked.raw) % 4:
        case 0:
            return serving.Reply({"error": {"message": said, "code": said, "param": said, "type": said}}, 400)
        case 1:
            headers = {"location": f"https://evil.example/{quote(CANARY, safe='')}", "x-key": CANARY}
            return serving.Reply(said.encode(), 307, headers)
        case _:
            call = {"type": "function", "function": {"name": said, "arguments": json.dumps({CANARY: said})}}
            message = {"content": f"A: Rock {said}", "reasoning": said, "tool_calls": [call]}
            usage = {CANARY: said, "prompt_tokens": said}
            return serving.Reply(
                {
                    "id": said,
                    "model": said,
                    "usage": usage,
                    "choices": [{"message": message, "finish_reason": said}],
                }
            )


@pytest.mark.usefixtures("keys")
def test_no_form_of_a_key_is_printed_or_kept_whatever_a_server_says(tmp_path: Path) -> None:
    out, cache = tmp_path / "out", tmp_path / "cache.sqlite"
    minds = '"qa@MODEL", "cot@MODEL", { mind = "qa", label = "more", model = "MODEL", params = { guided = "choice" } }'
    path = study(tmp_path, minds)
    path.write_text(path.read_text().replace("episodes = 2", "episodes = 6"))
    with serving.serving(repeating) as local:
        model = f"openai:toy@{local.url}"
        words = ("run", path, "--out", out, "--model", model)
        said = [otherminds(*words, "--dry-run", "--ask-servers")]
        assert "the server does not list it" in said[0].stdout
        said += [otherminds(*words, "--cache", cache), otherminds(*words, "--retry-failed")]
    said += [otherminds("report", out, *form) for form in ((), ("--json",), ("--page",))]
    said += [otherminds("replay", out, str(n), "--prompts", "--page", out / f"{n}.html") for n in range(6)]
    said += [otherminds("status", out, "--json"), otherminds("episodes", out, "--json")]
    records = list(results(out)[1])
    assert {record.outcome.status for record in records} >= {"failed"}
    texts = every_text(said, out, cache) + [repr(record) for record in records]
    texts += [
        json.dumps(
            [(call.reply, call.error) if hasattr(call, "error") else call.reply for call in record.calls]
        )
        for record in records
    ]
    assert any(MASK in text for text in texts)
    for leak in LEAKS:
        assert [text[max(at - 80, 0) : at + 60] for text in texts if (at := text.find(leak)) >= 0] == [], leak


def test_a_page_is_written_elsewhere_and_the_run_stays_as_it_was(tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "pages"
    assert otherminds("run", study(tmp_path, '"rmax"'), "--out", out).returncode == 0
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    done = otherminds("report", out, "--page", "--out", elsewhere)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(elsewhere / "report.html")
    assert f"otherminds report {out} --page" in (elsewhere / "report.html").read_text()
    assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before


def test_an_evolution_asks_for_its_planner_before_it_asks_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("otherminds.household.authoring.evolution.program", lambda: None)
    with serving.serving() as local:
        model = f"openai:toy@{local.url}?context=9000"
        words = ("--author", model, "--targets", model, "--judges", f"{model},scripted_judge", "--n", 1)
        done = otherminds("pools", "evolve", tmp_path / "pool", *words)
        assert local.connections == 0
    assert done.returncode == 2
    assert "planner Fast Downward" in done.stderr
    assert "otherminds[verify]" in done.stderr


@pytest.mark.parametrize("order", [("a", "z"), ("z", "a")])
@pytest.mark.usefixtures("keys")
def test_no_server_is_asked_or_named_before_all_are_allowed(order: tuple[str, str], tmp_path: Path) -> None:
    """A study with a model on this machine, and one on a machine that the user did not allow."""
    mine, theirs = order
    with serving.serving() as local:
        path = study(
            tmp_path,
            f'"qa@openai:{mine}@{local.url}?context=9000", "qa@openai:{theirs}@https://evil.test/v1"',
        )
        for words in ((), ("--dry-run",), ("--dry-run", "--ask-servers")):
            done = otherminds("run", path, "--out", tmp_path / "out", *words)
            assert done.returncode == 2
            assert "an openai: model may not be asked at https://evil.test" in done.stderr
            assert "is asked at https://evil.test" not in done.stdout + done.stderr
            assert words or "is asked at" not in done.stdout + done.stderr
        assert not local.asked
