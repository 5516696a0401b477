"""The episodes that the tests of reports use."""

from tests.reports.conftest import found, play, records, seated, tabled

__all__ = ["found", "play", "records", "seated", "tabled"]
