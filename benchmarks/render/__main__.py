"""How fast films are drawn: figures side by side, and whether the bars are met.

    python -m benchmarks.render [film|limit|growth|pipeline|all] [--runs N] [--quality m|h] [--json FILE]

film: plain Manim beside ours. limit: the whole render beside encoding alone. growth: larger and larger heat maps, and
the memory at 4K. pipeline: the first film by the command line. Each run is a fresh process. Nothing here is a claim:
it prints what it saw.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.render.about import about, load, told
from benchmarks.render.film import film
from benchmarks.render.growth import SIZES, growth, memory
from benchmarks.render.limit import limit
from benchmarks.render.pipeline import pipeline
from benchmarks.render.report import Section
from benchmarks.render.run import BenchmarkError, run

PARTS = ("film", "limit", "growth", "pipeline")


def main(arguments: list[str] | None = None) -> int:
    """Measure what the command line asks for; print each table when it is done. Returns the exit code."""
    options = parse(arguments)
    sections: list[Section] = []
    try:
        facts = about()
        print(told(facts), end="\n\n", flush=True)
        run(["-c", "import benchmarks.film_plain, benchmarks.film_ours"])  # compiles what was edited lately
        with tempfile.TemporaryDirectory(prefix="attnviz-benchmark-") as place:
            for section in measured(options, Path(place)):
                sections.append(section)
                print(section.text(), flush=True)
    except BenchmarkError as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    facts["load after"] = load()
    print(f"load after: {facts['load after']}")
    if options.json:
        report = {"measured on": facts, "sections": [section.plain() for section in sections]}
        options.json.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Return the options; both qualities where none is named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.render", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("part", nargs="?", choices=[*PARTS, "all"], default="all")
    parser.add_argument("--runs", type=_count, default=3, help="how often each is measured")
    parser.add_argument("--quality", choices=["m", "h"], help="1280x720 at 30 or 1920x1080 at 60; both where not given")
    parser.add_argument("--json", type=_file, help="a file for the same figures")
    parser.add_argument("--caching", action="store_true", help="also plain Manim with its cache on")
    parser.add_argument("--no-psnr", action="store_true", help="do not compare the films with their frames as drawn")
    parser.add_argument("--no-4k", action="store_true", help="do not render the film at 3840x2160")
    parser.add_argument("--sizes", type=_count, nargs="+", default=SIZES, help="cells along a side of the heat maps")
    parser.add_argument("--plain-to", type=_count, default=64, help="the largest map that plain Manim draws")
    return parser.parse_args(arguments)


def measured(options: argparse.Namespace, place: Path) -> Iterator[Section]:
    """Yield the sections that are asked for, each when it is done."""
    parts = PARTS if options.part == "all" else (options.part,)
    qualities = [options.quality] if options.quality else ["m", "h"]
    for quality in qualities:
        if "film" in parts:
            yield film(quality, options.runs, place, caching=options.caching, psnr=not options.no_psnr)
        if "limit" in parts:
            yield limit(quality, options.runs, place)
    if "growth" in parts:
        yield growth(qualities[-1], options.runs, options.sizes, options.plain_to)
        if not options.no_4k:
            yield memory(place)
    for quality in qualities if "pipeline" in parts else []:
        yield pipeline(quality, options.runs, place)


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 up")
    return int(text)


def _file(text: str) -> Path:
    path = Path(text)
    if path.is_dir() or not path.absolute().parent.is_dir():  # found out now, not after an hour
        raise argparse.ArgumentTypeError(f"{text!r} cannot be a file: its folder is not there, or it is one")
    return path


if __name__ == "__main__":
    sys.exit(main())
