"""Plan, run, store and resume: from a study file to a folder of records.

``file`` reads a study, ``plan`` expands it to episodes, ``run`` plays them,
``store`` keeps the records (JSON lines, the truth), ``ledger`` what is planned
and done (SQLite; delete it and it is rebuilt).
"""
