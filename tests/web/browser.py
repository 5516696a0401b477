"""The system's Chromium without a window, driven through a pipe by its own protocol; nothing has to be installed for it."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PATIENCE = 60
"""Seconds after which a browser that says nothing has failed."""
CONTROLS = {
    "link",
    "button",
    "combobox",
    "textbox",
    "searchbox",
    "DisclosureTriangle",
    "Iframe",
    "progressbar",
    "navigation",
    "form",
}
"""Roles of what can be used or has a value, and needs a name."""
ATTACH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 20) for end in sys.argv[1:3]]
for end, number in zip(ends, (3, 4)):
    os.dup2(end, number)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Becomes the browser, which reads commands from file 3 and writes answers to file 4."""


class Browser:
    """One page. ``messages`` are the events since the last address was opened."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers, self._session = commands, answers, ""
        self._unread = b""
        self._number = 0
        self.messages: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a command of the protocol."""
        answer = self._send(method, parameters)
        assert "error" not in answer, answer
        return answer["result"]

    def _send(self, method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while (answer := self._read()).get("id") != self._number:
            self.messages.append(answer)
        return answer

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            assert select.select([self._answers], [], [], PATIENCE)[0], f"no answer for {PATIENCE} seconds"
            chunk = os.read(self._answers, 2**20)
            assert chunk, "the browser has ended"
            self._unread += chunk
        text, _, self._unread = self._unread.partition(b"\0")
        return json.loads(text)

    def look(self, width: int, *, dark: bool) -> None:
        """Makes the page ``width`` pixels wide."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def go(self, address: str) -> None:
        """Opens an address, and waits until it is loaded."""
        self.run("window.isLeft = true")
        self.messages = []
        self.call("Page.navigate", url=address)
        self.wait_for_load()

    def wait_for_load(self) -> None:
        """Waits until another page than the one before is loaded; events of earlier pages may come late."""
        script = "window.isLeft === true || document.readyState !== 'complete'"
        # While one page gives way to the next, the protocol answers that there is nothing to ask.
        while (
            self._send("Runtime.evaluate", {"expression": script})
            .get("result", {})
            .get("result", {})
            .get("value", True)
        ):
            pass

    def run(self, script: str) -> Any:
        """The value of an expression of JavaScript; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other."""
        for key in keys:
            code, text = {"Tab": (9, ""), "Enter": (13, "\r"), "ArrowDown": (40, "")}[key]
            pressed = {"key": key, "windowsVirtualKeyCode": code, **({"text": text} if text else {})}
            if key == "Enter":
                self.run("window.isLeft = true")
            self.call("Input.dispatchKeyEvent", type="keyDown", **pressed)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def list_roles(self) -> list[tuple[str, str]]:
        """The role and the name of everything on the page that a screen reader tells."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in nodes
            if not node["ignored"]
        ]

    def list_problems(self) -> list[str]:
        """What the browser complains about: refused scripts and styles, errors of scripts, files that are not there."""
        return [
            json.dumps(message["params"])
            for message in self.messages
            if message.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown")
            and "favicon" not in str(message)
        ]


@contextmanager
def open_browser() -> Iterator[Browser]:
    """A browser, which ends with the block."""
    assert CHROMIUM is not None
    theirs, commands = os.pipe()
    answers, ours = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe")
        process = subprocess.Popen(
            [
                *(sys.executable, "-c", ATTACH, str(theirs), str(ours)),
                *(CHROMIUM, *options, f"--user-data-dir={profile}", "about:blank"),
            ],
            pass_fds=(theirs, ours),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        os.close(ours)
        try:
            yield Browser(commands, answers)
        finally:
            process.terminate()
            process.wait(20)
            os.close(commands)
            os.close(answers)
