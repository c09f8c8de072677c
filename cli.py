"""The command line, run from a checkout: `python cli.py render pipeline`. The commands live in attnviz/commands/."""

import sys


def run() -> None:
    """Hand over to the command group; say what to do where even its one package is missing."""
    try:
        from attnviz.commands import main
    except ModuleNotFoundError as missing:
        remedy = "run `make setup`, then use .venv/bin/python cli.py"
        print(f"error: {sys.executable} lacks the package {missing.name}: {remedy}", file=sys.stderr)
        sys.exit(3)
    main()


if __name__ == "__main__":
    run()
