"""A replay as a film: an animated GIF, or MP4 where PyAV is installed (``otherminds[video]``)."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import Any

from PIL import Image

from otherminds.core.errors import StudyError
from otherminds.reports.replay.again import Reel
from otherminds.reports.replay.drawing import Drawing

SAMPLES = 12
"""From so many frames the colours of a GIF are taken."""
HOLD = 2
"""Seconds for which the last frame stays."""
FASTEST = 50
"""GIF frames a second; viewers slow down what is faster."""


def write_film(reel: Reel, path: Path, speed: float) -> None:
    """Writes the film to ``path``, ``.gif`` or ``.mp4``, at ``speed`` steps a second.

    Where a format does not play so many frames a second, steps are left out.

    Raises:
        StudyError: another ending, or PyAV is lacking for MP4.
    """
    if path.suffix == ".gif":
        _gif(reel, path, speed)
    elif path.suffix == ".mp4":
        _mp4(reel, path, speed)
    else:
        raise StudyError(f"{path}: a film is a .gif or an .mp4")


def plan(reel: Reel, speed: float) -> tuple[list[int], float]:
    """The frames of a film by their numbers, and how many are shown a second: at most ``FASTEST``."""
    stride = max(1, ceil(speed / FASTEST))
    return [*range(reel.first, reel.last, stride), reel.last], speed / stride


def _gif(reel: Reel, path: Path, speed: float) -> None:
    drawing = Drawing(reel)
    numbers, rate = plan(reel, speed)
    palette = _palette(drawing)
    shown = (drawing.frame(n).quantize(palette=palette, dither=Image.Dither.NONE) for n in numbers)
    first = next(shown)
    durations = [round(1000 / rate)] * (len(numbers) - 1) + [HOLD * 1000]
    first.save(path, save_all=True, append_images=shown, duration=durations, loop=0)


def _palette(drawing: Drawing) -> Image.Image:
    """The colours of frames from all of the reel; a GIF has room for 256."""
    reel = drawing.reel
    numbers = sorted({reel.first + (reel.last - reel.first) * n // SAMPLES for n in range(SAMPLES + 1)})
    width, height = drawing.size
    sheet = Image.new("RGB", (width, height * len(numbers)))
    for n, number in enumerate(numbers):
        sheet.paste(drawing.frame(number), (0, n * height))
    return sheet.quantize(255, dither=Image.Dither.NONE)


def _mp4(reel: Reel, path: Path, speed: float) -> None:
    try:
        av: Any = import_module("av")
    except ImportError as error:
        raise StudyError(f"{path}: MP4 needs PyAV ({error}): pip install 'otherminds[video]'") from error
    drawing = Drawing(reel)
    numbers, rate = plan(reel, speed)
    with av.open(str(path), "w", options={"movflags": "faststart"}) as film:
        stream = film.add_stream("libx264", rate=Fraction(rate).limit_denominator(1000))
        stream.width, stream.height = drawing.size
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": "18", "preset": "veryfast"}
        for number in numbers:
            film.mux(stream.encode(av.VideoFrame.from_image(drawing.frame(number))))
        film.mux(stream.encode())
