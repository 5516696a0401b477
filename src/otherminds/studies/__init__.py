"""Plan, run, store and resume: from a study file to a folder of records.

``file`` reads a study, ``plan`` expands it to episodes, ``run`` plays them,
``store`` keeps the records as JSON lines, ``run_dir`` the folder of a study and the state of each
episode (SQLite, rebuilt from the records at each start).
"""
