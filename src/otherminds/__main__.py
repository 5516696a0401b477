"""``python -m otherminds``: the command line."""

from otherminds.cli.main import main

if __name__ == "__main__":
    main()
