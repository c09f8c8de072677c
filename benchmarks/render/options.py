"""The command line of the processes that are measured: a quality, a target, and switches."""

from __future__ import annotations

import argparse
from typing import Any

from benchmarks.render import QUALITIES


def parsed(about: str | None, arguments: list[str] | None = None, **switches: str) -> dict[str, Any]:
    """Return `quality`, `output` and a bool for each of `switches` (name to help)."""
    parser = argparse.ArgumentParser(description=(about or "").partition("\n")[0])
    parser.add_argument("-q", "--quality", choices=list(QUALITIES), default="m")
    parser.add_argument("-o", "--output", required=True, help="the MP4 to write")
    for name, text in switches.items():
        parser.add_argument(f"--{name}", action="store_true", help=text)
    return vars(parser.parse_args(arguments))
