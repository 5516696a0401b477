"""The typeface of pictures that are not figures: films and maps. Apart from :mod:`.style`, which loads all of matplotlib."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from PIL import ImageFont


@cache
def sans(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    """The typeface at ``size`` pixels."""
    from matplotlib import get_data_path

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(Path(get_data_path()) / "fonts" / "ttf" / name, size)
