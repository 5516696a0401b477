"""The typeface of pictures that are drawn as pixels: Matplotlib's own DejaVu Sans, the same on every machine."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import matplotlib
from PIL import ImageFont


@cache
def sans(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    """The typeface at ``size`` pixels."""
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name, size)
