"""The first import of manim, kept apart from what lies about: a manim.cfg, or an environment without a PATH.

Light to import, and nothing here configures a render: that is config.py.
"""

import logging
import os
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import contextmanager
from typing import Any


@contextmanager
def undisturbed() -> Iterator[None]:
    """Import manim inside of this, and no manim.cfg of the working folder or of the user's is looked at.

    manim takes its own defaults by `read_file`, then by `read` whatever else it finds: one that does not parse, or
    names a negative height, would end the import; one that is valid could have it write to stdout. What manim does to
    the root logger is undone: other packages' reports of themselves would be printed.
    """
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    os.environ.setdefault("PATH", os.defpath)  # manimpango and pydub look it up without asking
    plain: Any = ConfigParser.read
    ConfigParser.read = lambda self, filenames, encoding=None: []  # type: ignore[method-assign]
    try:
        yield
    finally:
        ConfigParser.read = plain  # type: ignore[method-assign]
        root.handlers[:] = handlers
        root.setLevel(level)
