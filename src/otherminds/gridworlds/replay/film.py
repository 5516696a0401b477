"""A replay as a film (an animated GIF, or MP4 where PyAV is installed: ``otherminds[video]``), and its frames."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from otherminds.core.errors import StudyError
from otherminds.gridworlds.grid.pixels import TILE, Pixels, picture
from otherminds.gridworlds.replay.scenes import GridReplay
from otherminds.reports.replay.replays import Happening, sans

SAMPLES = 12
"""Frames from which the colours of a GIF are taken."""
HOLD = 2
"""Seconds for which the last frame stays."""
FASTEST = 50
"""GIF frames a second; viewers slow down what is faster."""
PAPER, BAND, INK, SOFT, LINE = "#0d1117", "#151b23", "#e6edf3", "#9198a1", "#3d444d"
EDGE, GAP = 12, 8
FULL = 600
"""Pixels: the greatest width of the map; cells have a whole number of pixels."""
CARD = 292
"""Pixels: the width of a seat's card."""
WINDOW = 120
"""Pixels: the greatest width of a seat's window; cells have a whole number of pixels."""
ROW, BAR = 16, 10
CHART = 64
CROWD = 4
"""With this number of seats or more, cards are in two columns."""


def write_film(replay: GridReplay, path: Path, speed: float) -> None:
    """Writes the film to ``path``, ``.gif`` or ``.mp4``, at ``speed`` steps a second.

    If a format does not support that frame rate, steps are left out.

    Raises:
        StudyError: another ending, or PyAV is lacking for MP4.
    """
    if path.suffix == ".gif":
        _gif(replay, path, speed)
    elif path.suffix == ".mp4":
        _mp4(replay, path, speed)
    else:
        raise StudyError(f"{path}: a film is a .gif or an .mp4")


def plan(replay: GridReplay, speed: float) -> tuple[list[int], float]:
    """The frames of a film by their numbers, and how many are shown a second: at most ``FASTEST``."""
    stride = max(1, ceil(speed / FASTEST))
    return [*range(replay.first, replay.last, stride), replay.last], speed / stride


def _gif(replay: GridReplay, path: Path, speed: float) -> None:
    drawing = FrameDrawing(replay)
    numbers, rate = plan(replay, speed)
    palette = _palette(drawing)
    frames = (drawing.frame(n).quantize(palette=palette, dither=Image.Dither.NONE) for n in numbers)
    first = next(frames)
    durations = [round(1000 / rate)] * (len(numbers) - 1) + [HOLD * 1000]
    first.save(path, save_all=True, append_images=frames, duration=durations, loop=0)


def _palette(drawing: FrameDrawing) -> Image.Image:
    """The colours of frames from all of the replay; a GIF has room for 256."""
    replay = drawing.replay
    numbers = sorted({replay.first + (replay.last - replay.first) * n // SAMPLES for n in range(SAMPLES + 1)})
    width, height = drawing.size
    sheet = Image.new("RGB", (width, height * len(numbers)))
    for n, number in enumerate(numbers):
        sheet.paste(drawing.frame(number), (0, n * height))
    return sheet.quantize(255, dither=Image.Dither.NONE)


def _mp4(replay: GridReplay, path: Path, speed: float) -> None:
    try:
        av: Any = import_module("av")
    except ImportError as error:
        raise StudyError(f"{path}: MP4 needs PyAV ({error}): pip install 'otherminds[video]'") from error
    drawing = FrameDrawing(replay)
    numbers, rate = plan(replay, speed)
    with av.open(str(path), "w", options={"movflags": "faststart"}) as film:
        stream = film.add_stream("libx264", rate=Fraction(rate).limit_denominator(1000))
        stream.width, stream.height = drawing.size
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": "18", "preset": "veryfast"}
        for number in numbers:
            film.mux(stream.encode(av.VideoFrame.from_image(drawing.frame(number))))
        film.mux(stream.encode())


class FrameDrawing:
    """Draws the frames of a replay, all of one size, even in both directions."""

    def __init__(self, replay: GridReplay) -> None:
        self.replay = replay
        stage, seats = replay.stage, len(replay.record.seats)
        self.scale = max(1, FULL // (stage.size[0] * TILE))
        self.close = max(1, WINDOW // (stage.view.shape[1] * TILE))
        self.columns = 1 if seats < CROWD else 2
        self.map = tuple(length * TILE * self.scale for length in stage.size)
        window = stage.view.shape[0] * TILE * self.close
        self.card = 26 + max(window, (len(stage.things) + 2) * ROW) + GAP
        rows = -(-seats // self.columns)
        side = rows * (self.card + GAP) - GAP
        self.captions = max(2, seats // 2)
        self.left = EDGE + self.map[0] + GAP
        width = self.left + self.columns * (CARD + GAP) - GAP + EDGE
        self.top = EDGE + 24
        self.below = self.top + max(self.map[1] + self.captions * ROW + GAP, side) + GAP
        height = self.below + CHART + EDGE
        self.size = (width + width % 2, height + height % 2)
        self.most = max(stage.most, int(replay.frames.counts.max(initial=0)))
        self.totals = replay.totals
        self.still = self._still()

    def frame(self, number: int) -> Image.Image:
        """Frame ``number``, counted as steps are, as an RGB picture."""
        replay = self.replay
        i = number - replay.first
        image = self.still.copy()
        pen = ImageDraw.Draw(image)
        self._paste(image, replay.stage.whole(replay.frames.codes[i]), self.scale, (EDGE, self.top))
        going = [h for h in replay.happenings if h.steps and h.step <= number < h.step + h.steps]
        self._marks(pen, i, going)
        for seat in range(len(replay.record.seats)):
            self._card(image, pen, i, seat, going)
        lately = going or [h for h in replay.happenings if h.stop and h.step <= number][-1:]
        for row, happening in enumerate(lately[: self.captions]):
            colour = INK if happening in going or happening.step == number else SOFT
            place = (EDGE, self.top + self.map[1] + 4 + row * ROW)
            text = _fitting(f"{happening.step}: {happening.text}", self.map[0], 12)
            pen.text(place, text, colour, sans(12))
        pen.text((self.size[0] - EDGE, EDGE), f"step {number}", INK, sans(14), anchor="ra")
        x = self._across(number)
        pen.line((x, self.below, x, self.below + CHART), "#6cb6ff", 2)
        return image

    def _still(self) -> Image.Image:
        """What is the same in every frame."""
        replay = self.replay
        image = Image.new("RGB", self.size, PAPER)
        pen = ImageDraw.Draw(image)
        spec = replay.record.spec
        pen.text((EDGE, EDGE), f"{spec.title}, seed {spec.seed}", INK, sans(14))
        pen.rectangle((EDGE, self.below, self.size[0] - EDGE, self.below + CHART), BAND)
        low, high = min(0.0, self.totals.min()), max(0.0, self.totals.max())
        scale = (CHART - 8) / ((high - low) or 1.0)

        def level(total: float) -> float:
            return self.below + CHART - 4 - (total - low) * scale

        pen.line((EDGE, level(0), self.size[0] - EDGE, level(0)), LINE)
        for seat, colour in enumerate(replay.stage.colours):
            points: list[tuple[float, float]] = []
            before = self.totals[0, seat]
            for n, total in enumerate(self.totals[:, seat], replay.first):
                points += [(self._across(n), level(before)), (self._across(n), level(total))]
                before = total
            pen.line(points, colour, 2)
        return image

    def _across(self, number: int) -> float:
        replay = self.replay
        return EDGE + (self.size[0] - 2 * EDGE) * (number - replay.first) / max(1, replay.last - replay.first)

    def _paste(
        self, image: Image.Image, tiles: NDArray[np.uint16], scale: int, place: tuple[int, int]
    ) -> None:
        small: Pixels = picture(self.replay.stage.tiles, tiles)
        image.paste(Image.fromarray(small.repeat(scale, axis=0).repeat(scale, axis=1)), place)

    def _marks(self, pen: ImageDraw.ImageDraw, i: int, going: Sequence[Happening]) -> None:
        """Each seat's window and avatar outlined; a line between those who duel."""
        replay = self.replay
        stage, cell = replay.stage, TILE * self.scale
        width, height = stage.size
        stands = replay.frames.stands[i].tolist()
        for seat, ((x, y, facing), colour) in enumerate(zip(stands, stage.colours, strict=True)):
            if x < 0:
                continue
            within = 2 * (seat % 2)  # two who face each other may see the same cells
            (down, up), (right, left) = ((int(way.max()), int(way.min())) for way in stage.gaze[facing])
            x0, x1 = EDGE + max(0, x + left) * cell, EDGE + min(width, x + right + 1) * cell - 1
            y0, y1 = self.top + max(0, y + up) * cell, self.top + min(height, y + down + 1) * cell - 1
            pen.rectangle((x0 + within, y0 + within, x1 - within, y1 - within), outline=colour)
            corner = (EDGE + x * cell, self.top + y * cell)
            pen.rectangle((*corner, corner[0] + cell - 1, corner[1] + cell - 1), outline=colour, width=2)
        for happening in going:
            ends = [stands[seat] for seat in happening.seats]
            if len(ends) > 1 and all(x >= 0 for x, _, _ in ends):
                centres = [(EDGE + (x + 0.5) * cell, self.top + (y + 0.5) * cell) for x, y, _ in ends]
                pen.line(centres, "#ffffff", 1)

    def _card(
        self, image: Image.Image, pen: ImageDraw.ImageDraw, i: int, seat: int, going: Sequence[Happening]
    ) -> None:
        replay, stage, frames = self.replay, self.replay.stage, self.replay.frames
        x = self.left + seat % self.columns * (CARD + GAP)
        y = self.top + seat // self.columns * (self.card + GAP)
        pen.rectangle((x, y, x + CARD - 1, y + self.card - 1), BAND, LINE)
        pen.rectangle((x, y, x + 4, y + self.card - 1), stage.colours[seat])
        name = replay.record.seats[seat]
        pen.text((x + 12, y + 5), name, INK, sans(13))
        after = x + 20 + sans(13).getlength(name)
        total = f"{self.totals[i, seat]:+.2f}"
        end = x + CARD - 8 - sans(13).getlength(total)
        mind = replay.record.spec.seats[name].title
        pen.text((after, y + 6), _fitting(mind, end - after - 8, 11), SOFT, sans(11))
        pen.text((x + CARD - 8, y + 5), total, INK, sans(13), anchor="ra")
        view = stage.window(frames.codes[i], frames.stands[i, seat].tolist(), seat)
        self._paste(image, view, self.close, (x + 12, y + 26))
        text_x = x + 12 + view.shape[1] * TILE * self.close + 10
        wide = max(sans(11).getlength(kind.name) for kind in stage.things) + 8
        room = x + CARD - 30 - text_x - wide
        for row, (kind, count) in enumerate(zip(stage.things, frames.counts[i, seat].tolist(), strict=True)):
            top = y + 26 + row * ROW
            pen.text((text_x, top), kind.name, SOFT, sans(11))
            pen.rectangle((text_x + wide, top + 2, text_x + wide + room, top + 2 + BAR), LINE)
            if count:
                filled = text_x + wide + room * count / self.most
                pen.rectangle((text_x + wide, top + 2, filled, top + 2 + BAR), kind.colour)
            pen.text((x + CARD - 8, top), str(count), INK, sans(11), anchor="ra")
        state = stage.states[frames.states[i, seat]]
        paid = [h.rewards[h.seats.index(seat)] for h in going if seat in h.seats and h.rewards]
        words = state + (f", {paid[0]:+.2f}" if paid and state else "")
        place = (text_x, y + 28 + len(stage.things) * ROW)
        pen.text(place, _fitting(words, x + CARD - 8 - text_x, 11), INK, sans(11))


def _fitting(text: str, width: float, size: int) -> str:
    """``text``, cut where it would be wider than ``width`` pixels."""
    font = sans(size)
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(text + "…") > width:
        text = text[:-1]
    return text + "…"
