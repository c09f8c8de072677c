"""The command group: one file a command, found by its name and imported when it is called.

Nothing heavy is imported here, and no command does more than read its options and make one call of the library.
"""

import importlib
import os
import pkgutil
import signal
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import click

from attnviz import __version__
from attnviz.errors import AttnvizError
from attnviz.registry import SCENES, did_you_mean

DEBUG = "ATTNVIZ_DEBUG"
INTERRUPTED = 130


@dataclass(frozen=True)
class Folders:
    """Where scenes are read from, and where renders go: the object that every command is passed."""

    scenes: Path = SCENES
    renders: Path = Path("renders")


class LazyGroup(click.Group):
    """A group whose commands are the modules of this package, each with a `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the modules beside this file."""
        return sorted(module.name for module in pkgutil.iter_modules(__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command; raise a usage error with the nearest name where there is none."""
        names = self.list_commands(ctx)
        if cmd_name not in names:
            raise click.UsageError(f'no command is called "{cmd_name}"{did_you_mean(cmd_name, names)}')
        command: click.Command = importlib.import_module(f"{__name__}.{cmd_name}").command
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="attnviz")
def group() -> None:
    """Films that explain scaled dot-product attention, made from the numbers of a bundled SDPA."""


def main(arguments: Sequence[str] | None = None, folders: Folders | None = None) -> NoReturn:
    """Run the command line and leave with its exit code: 0, or 1 render, 2 usage, 3 environment, 4 check, 130 stop."""
    folders = folders or Folders()
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _stop)
    try:
        group.main(arguments, prog_name="attnviz", standalone_mode=False, obj=folders)
    except click.exceptions.NoArgsIsHelpError as wish:
        click.echo(wish.format_message(), err=True)
        sys.exit(wish.exit_code)
    except click.ClickException as fault:
        _fail(fault.format_message(), fault.exit_code)
    except AttnvizError as fault:
        _fail(str(fault), fault.exit_code)
    except (KeyboardInterrupt, click.Abort):
        _fail("interrupted", INTERRUPTED)
    except Exception as fault:
        place = _place(fault, folders.scenes)
        _fail(f"{type(fault).__name__}: {fault} ({place}); run again with {DEBUG}=1 for the traceback", 1)
    sys.exit(0)


def _stop(number: int, frame: object) -> NoReturn:
    """Turn a signal into an exception, so that every `with` on the way out cleans up."""
    sys.exit(128 + number)


def _place(fault: Exception, scenes: Path) -> str:
    """Return FILE:LINE of the innermost call in a scene, or of the innermost call where no scene is involved."""
    calls = traceback.extract_tb(fault.__traceback__)
    inside = [call for call in calls if Path(call.filename).parent == scenes]
    call = (inside or calls)[-1]
    return f"{call.filename}:{call.lineno}"


def _fail(message: str, code: int) -> NoReturn:
    if os.environ.get(DEBUG):
        traceback.print_exc()
    click.echo("error: " + " ".join(message.split()), err=True)
    sys.exit(code)
