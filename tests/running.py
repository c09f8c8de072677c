"""How tests run the command line: in this process where that is enough, in a child where it gets killed or limited."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from attnviz.commands import Folders, main

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
_CHILD = """
import sys
from pathlib import Path
from attnviz.commands import Folders, main
{prelude}
main(sys.argv[2:], Folders(Path({tests!r}), Path(sys.argv[1])))
"""


def run_here(renders: Path, *arguments: str, scenes: Path = TESTS) -> int:
    """Run one command on the scenes of the tests, in this process; return its exit code."""
    try:
        main(arguments, Folders(scenes, renders))
    except SystemExit as end:
        return int(end.code or 0)


def start_child(renders: Path, *arguments: str, prelude: str = "", **options: Any) -> subprocess.Popen[str]:
    """Start the same in a child, after `prelude` has run there; `options` are Popen's."""
    code = _CHILD.format(prelude=prelude, tests=str(TESTS))
    return subprocess.Popen(
        [sys.executable, "-c", code, str(renders), *arguments],
        **{"cwd": ROOT, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options},
    )


def end_of(child: subprocess.Popen[str]) -> tuple[str, str]:
    """Return what a child wrote to stdout and stderr; one that hangs is killed, and fails the test."""
    try:
        return child.communicate(timeout=60)
    finally:
        child.kill()


def everything_in(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file below a folder, hidden ones too, by its path in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
