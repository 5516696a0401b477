"""What worlds add to a report: each module here registers a :class:`~otherminds.reports.findings.WorldReport`."""
