"""Policy files by name, those of the package and those that were pulled for the user, and the minds that play them.

A study names a policy by its name or by the path of a file. A planned study holds the hash of the file too
(:func:`pin_policy`), so that another file under the same name is another mind, and is refused by a study that is resumed.

``otherminds policies pull`` copies a file from a path or downloads it, and checks it before a study can name it."""

from __future__ import annotations

import hashlib
import os
import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote, urlsplit, urlunsplit

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.core.disk import check_file, read_file, replace_file, resolve_path
from otherminds.core.encoding import digest
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.text import hint, quote_name
from otherminds.core.user_files import check_kind, is_file
from otherminds.minds.learned.policy import LARGEST, Network, Playing, Policy, policy_of
from otherminds.minds.registry import minds

if TYPE_CHECKING:
    import httpx


SUFFIX = ".safetensors"
SHIPPED = Path(__file__).parent / "shipped"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""What a policy may be called."""
VARIABLE = "OTHERMINDS_DATA"
"""The environment variable that names another folder for data of the user."""


def kept_folder() -> Path:
    """The folder of the policies that the user has pulled."""
    from platformdirs import user_data_dir

    return Path(os.environ.get(VARIABLE) or user_data_dir("otherminds")) / "policies"


def shipped_files() -> dict[str, Path]:
    """The files of the policies of the package by name."""
    return {path.name.removesuffix(SUFFIX): path for path in sorted(SHIPPED.glob(f"*{SUFFIX}"))}


def pulled_files() -> dict[str, Path]:
    """The files of the policies that the user has pulled, by name."""
    return {path.name.removesuffix(SUFFIX): path for path in sorted(kept_folder().glob(f"*{SUFFIX}"))}


def known_files() -> dict[str, Path]:
    """Every policy that has a name; a shipped one takes precedence."""
    return pulled_files() | shipped_files()


def is_path(policy: str) -> bool:
    """Whether ``policy`` names a file and not a policy.

    >>> is_path("ppo-rws-repeated-0"), is_path("runs/mine"), is_path("mine.safetensors")
    (False, True, True)
    """
    return "/" in policy or os.sep in policy or policy.endswith(SUFFIX)


def network_of(policy: object) -> Network:
    """The network of a policy: a name, the path of a file, or either with its hash as from :func:`pin_policy`.

    Raises:
        StudyError: there is none, its file is damaged, or it is not the one with that hash.
    """
    if isinstance(policy, str):
        return load_network(_file(policy, Path()))
    pin = cast("Mapping[str, Any]", policy) if isinstance(policy, Mapping) else {}
    if set(pin) not in ({"name", "sha256"}, {"name", "sha256", "path"}) or not all(
        isinstance(value, str) for value in pin.values()
    ):
        raise StudyError(f"a policy is a name or the path of a file, not {quote_name(repr(policy))}")
    network = load_network(_file(pin.get("path", pin["name"]), Path()))
    if network.policy.sha256 != pin["sha256"]:
        raise StudyError(
            f"policy {quote_name(pin['name'])} has the SHA-256 {network.policy.sha256}, and this study was planned with "
            f"{quote_name(pin['sha256'])}; pull that file under this name, or start a new output folder"
        )
    return network


def pin_policy(policy: object, folder: Path) -> dict[str, str]:
    """``policy`` with the hash of its file; a path is relative to ``folder`` and becomes absolute.

    Raises:
        StudyError: there is none, or its file is damaged.
    """
    if not isinstance(policy, str):
        pinned_policy = network_of(policy).policy
        return dict(cast("Mapping[str, str]", policy)) | {"sha256": pinned_policy.sha256}
    path = _file(policy, folder)
    pinned_policy = load_network(path).policy
    pin = {"name": pinned_policy.name, "sha256": pinned_policy.sha256}
    return pin | {"path": str(resolve_path(path))} if is_path(policy) else pin


def shipped_networks(kind: str) -> list[Network]:
    """The policies of the package of one ``kind``, the first part of their names, by name.

    >>> [one.policy.name for one in shipped_networks("opre")][:1]
    ['opre-cooking-asymmetric-0']
    """
    return [load_network(path) for name, path in shipped_files().items() if name.startswith(f"{kind}-")]


def collection(networks: list[Network]) -> dict[str, str]:
    """The name and the hash of the policies of the package, as the value of a parameter."""
    return {
        "name": "shipped",
        "sha256": digest([[network.policy.name, network.policy.sha256] for network in networks]),
    }


def load_network(path: Path) -> Network:
    """The network in the file at ``path``; read again only if the file has changed.

    Raises:
        StudyError: it cannot be read, or is no policy.
    """
    try:
        stat = path.stat()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise StudyError(
            f"policy {quote_name(str(path))}: cannot be read ({why}); correct the path"
        ) from None
    return _load_cached(path, stat.st_size, stat.st_mtime_ns)


def read_policy(path: Path) -> bytes:
    """The bytes of a policy file.

    Raises:
        StudyError: it cannot be read, is no regular file, or is larger than a policy may be.
    """
    check_file(path)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise StudyError(f"policy {quote_name(str(path))}: cannot be read ({error.strerror})") from None
    if len(data) > LARGEST:
        raise StudyError(f"{path}: larger than {LARGEST // 2**20} MiB, the most that a policy may have")
    return data


@lru_cache(maxsize=64)
def _load_cached(path: Path, size: int, modified: int) -> Network:
    return Network(policy_of(read_policy(path), path.name.removesuffix(SUFFIX), str(path)))


def _file(policy: str, folder: Path) -> Path:
    if is_path(policy):
        path = folder / policy
        if not is_file(path):
            check_kind(path, StudyError)
            raise StudyError(f"there is no policy file {quote_name(str(path))}; correct the path")
        return path
    files = known_files()
    if policy not in files:
        raise StudyError(
            f"no policy is called {quote_name(policy)}{hint(policy, files, 'see `otherminds policies list`')} "
            f"(a file of your own is a path, such as runs/mine{SUFFIX})"
        )
    return files[policy]


OPENING, LONGEST = 30.0, 600.0
"""Seconds without an answer, and of a whole download, after which it is given up."""
REDIRECTS = 5
PIECE = 2**16
HASH = re.compile(r"[0-9a-f]{64}")


def pull(source: str, sha256: str = "", name: str = "") -> tuple[Path, Policy]:
    """Keeps the policy at the URL or path ``source`` as ``name``; returns its file and the policy.

    By default it has the name of the file. The file is read and checked before anything is written, and written whole.
    The same file under the same name is kept already, and nothing is written.

    Raises:
        StudyError: ``source`` or ``name`` is not valid or the name is taken, the file is damaged, or its hash is not ``sha256``.
        ProviderError: the server does not answer with the file.
    """
    expected = sha256.strip().lower()
    if expected and not HASH.fullmatch(expected):
        raise StudyError(f"--sha256 has 64 hexadecimal digits, and {quote_name(sha256)} is none such")
    where = shown_source(source)
    file = Path(unquote(urlsplit(where).path) if _is_url(source) else source)
    name = name or file.name.removesuffix(SUFFIX)
    if not NAME.fullmatch(name):
        raise StudyError(
            f"a policy cannot be called {quote_name(name)}: letters, digits, '.', '_' and '-', at most 100; add --name"
        )
    data = _download(source, where) if _is_url(source) else read_policy(file)
    digest = hashlib.sha256(data).hexdigest()
    if expected and digest != expected:
        raise StudyError(
            f"{where}: its SHA-256 is {digest}, not {expected}: another file, or a damaged one; nothing is kept"
        )
    policy = policy_of(data, name, where)
    path = kept_folder() / f"{name}{SUFFIX}"
    if name in shipped_files():
        raise StudyError(f"a policy of the package is called {name!r}; add --name")
    if path.exists() and read_file(path) != data:
        raise StudyError(f"{path}: another policy is called {name!r}; add --name, or remove that file")
    if not path.exists():
        replace_file(path, data, durable=True)
    return path, policy


def shown_source(source: str) -> str:
    """A path as it is; a URL without a user's name and password and without its query, which may be secret.

    >>> shown_source("https://me:hush@files.example/a/ppo.safetensors?token=4711")
    'https://files.example/a/ppo.safetensors'

    Raises:
        StudyError: it is no valid URL.
    """
    if not _is_url(source):
        return source
    try:
        parts = urlsplit(source)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    except ValueError as error:
        raise StudyError(
            f"{quote_name(source.partition('?')[0].rpartition('@')[2])} is no URL ({error}); correct it"
        ) from None


def _is_url(source: str) -> bool:
    return source.lower().startswith(("http://", "https://"))


def _download(url: str, where: str) -> bytes:
    """The body at ``url``, which messages call ``where``, of at most :data:`~otherminds.minds.learned.policy.LARGEST` bytes."""
    import httpx

    # No compression is asked for and none is read: a few kilobytes could become gigabytes.
    headers = {"Accept-Encoding": "identity"}
    began = monotonic()
    body = bytearray()
    with (
        _faults(where),
        httpx.Client(timeout=OPENING, follow_redirects=True, max_redirects=REDIRECTS) as client,
        client.stream("GET", url, headers=headers) as reply,
    ):
        _accept(where, reply)
        for piece in reply.iter_raw(PIECE):
            body += piece
            if len(body) > LARGEST:
                raise StudyError(
                    f"{where}: larger than {LARGEST // 2**20} MiB, the most that a policy may have"
                )
            if monotonic() - began > LONGEST:
                raise ProviderError(
                    f"{where}: not complete after {LONGEST:.0f} s; try again, or copy the file by hand"
                )
    return bytes(body)


def _accept(where: str, reply: httpx.Response) -> None:
    if reply.status_code != 200:
        raise ProviderError(
            f"{where}: the server answers with status {reply.status_code}; correct the address"
        )
    if reply.headers.get("Content-Encoding", "identity") != "identity":
        raise ProviderError(
            f"{where}: the server compresses the file; download it by hand and pull it from its path"
        )


@contextmanager
def _faults(where: str) -> Iterator[None]:
    """Turns faults of the network into a :class:`ProviderError`."""
    import httpx

    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        why = str(error).partition("\n")[0][:200] or type(error).__name__
        raise ProviderError(
            f"{where}: cannot be downloaded ({why}); check the address and the network"
        ) from None


NOTE = "policy"
"""The kind of the note that says which weights play: their name and their hash."""


class LearnedMind(Mind):
    """Plays a policy: draws a primitive action at each step, and answers from the probe trained beside the policy.

    The network advances once a moment, also while the avatar is removed or frozen, as in training. Subclasses
    say which network plays (``pick``).
    """

    @abstractmethod
    def pick(self, brief: Brief, context: MindContext) -> Network | str:
        """The network for an episode, or why there is none and what to do; may draw from ``context.rng``."""

    @abstractmethod
    def suits(self, brief: Brief, context: MindContext) -> str | None: ...

    def begin(self, brief: Brief, context: MindContext) -> None:
        picked = self.pick(brief, context)
        if isinstance(picked, str):
            raise StudyError(picked)
        policy = picked.policy
        context.note(NOTE, {"name": policy.name, "sha256": policy.sha256})
        self._rng = context.rng
        self._playing = Playing(picked)
        self._behaviours = tuple(policy.info.behaviours)
        # The probe is about the players after this seat in their order, going round.
        seats = list(brief.behaviours)
        own = seats.index(brief.seat)
        self._rows = {seat: row for row, seat in enumerate(seats[own + 1 :] + seats[:own])}
        self._action: int | None = None

    async def perceive(self, moment: Moment) -> None:
        self._playing.see(moment.observation, moment.reward, self._action)

    async def act(self) -> Action | SkillChoice | Invalid:
        self._action = self._playing.action(self._rng)
        return self._action

    async def answer(self, question: Question) -> Answer | Invalid:
        row = self._rows.get(question.about)
        if row is None or question.truth_is or not set(question.options) <= set(self._behaviours):
            return Invalid(
                "a learned policy says which behaviour another player shows next, and nothing else"
            )
        return self._behaviours[int(self._playing.foreseen()[row].argmax())]


@minds.register("learned")
class Learned(LearnedMind):
    """Plays the weights of ``policy``: a name (see `otherminds policies list`) or the path of a file."""

    def __init__(self, policy: str | Mapping[str, str]) -> None:
        self.policy = policy
        self._network = network_of(policy)

    @classmethod
    def pinned(cls, params: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        if "policy" not in params:
            return dict(params)
        return {**params, "policy": pin_policy(params["policy"], folder)}

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        return self._network.policy.unfit(brief)

    def pick(self, brief: Brief, context: MindContext) -> Network | str:
        return self._network


class ShippedMind(LearnedMind):
    """Plays the policies of the package of one kind that fit the world.

    Each episode draws one of them, or plays the one with the number ``member``, the last part of its name. A
    planned study holds the hash of all of them in ``policies``.
    """

    kind = ""

    def __init__(self, member: int | None = None, policies: Mapping[str, str] | None = None) -> None:
        self.member = member
        self.policies = policies
        self._networks = shipped_networks(self.kind)
        if policies is not None and dict(policies) != (here := collection(self._networks)):
            raise StudyError(
                f"the shipped policies of {self.kind} are not those that the study was planned with "
                f"({here['sha256'][:8]}, not {str(policies.get('sha256'))[:8]}); install the version of otherminds that "
                "planned it, or start a new output folder"
            )

    @classmethod
    def pinned(cls, params: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        return {**params, "policies": collection(shipped_networks(cls.kind))}

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        fit = self._fit(brief)
        return fit if isinstance(fit, str) else None

    def pick(self, brief: Brief, context: MindContext) -> Network | str:
        fit = self._fit(brief)
        return fit if isinstance(fit, str) else context.rng.choice(fit)

    def _fit(self, brief: Brief) -> list[Network] | str:
        """The policies that fit, or why there are none."""
        reasons = [network.policy.unfit(brief) for network in self._networks]
        fit = [network for network, reason in zip(self._networks, reasons, strict=True) if reason is None]
        if not fit:
            shipped = sorted({network.policy.info.substrate for network in self._networks})
            return (
                f"no shipped policy of {self.kind} fits this world (there are some for "
                f"{', '.join(shipped) or 'none'}); train one and name it as the policy of `learned`"
            )
        if self.member is None:
            return fit
        numbered = {network.policy.name.rpartition("-")[2]: network for network in fit}
        if str(self.member) not in numbered:
            return f"no shipped policy of {self.kind} has the member {self.member!r} here; there are {', '.join(numbered)}"
        return [numbered[str(self.member)]]


@minds.register("ppo")
class PPOMind(ShippedMind):
    """Plays the shipped policies of PPO with a GRU (Schulman et al. 2017), trained by self-play in a population."""

    kind = "ppo"


@minds.register("ppo_scripted")
class ScriptedPPO(ShippedMind):
    """Plays the shipped policies of PPO that were trained beside the scripted partners of the scenarios.

    In training, a further loss made the state predict what partners hold, where they hold anything. It has met the
    partners of the scenarios, so that its scores there are not those of new partners.
    """

    kind = "ppo_scripted"


@minds.register("opre")
class OPREMind(ShippedMind):
    """Plays the shipped policies of OPRE: options under a learned prior (Vezhnevets et al. 2020)."""

    kind = "opre"
