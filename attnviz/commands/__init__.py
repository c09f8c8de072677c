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
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import click

from attnviz import __version__
from attnviz.errors import AttnvizError
from attnviz.registry import SCENES, did_you_mean, printable

DEBUG = "ATTNVIZ_DEBUG"
SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@dataclass(frozen=True)
class Folders:
    """Where scenes are read from, and where renders go: the object that every command is passed."""

    scenes: Path = SCENES
    renders: Path = Path("renders")


class OutputError(AttnvizError):
    """What a command prints cannot be written."""


class Stop(BaseException):
    """A signal asks for the end. Every `with` on the way out cleans up."""

    def __init__(self, number: int) -> None:
        super().__init__("interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}")
        self.exit_code = 128 + number


class LazyGroup(click.Group):
    """A group whose commands are the modules of this package, each with a `command`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the modules beside this file."""
        names = (module.name for module in pkgutil.iter_modules(__path__))
        return sorted(name for name in names if not name.startswith("_"))

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
    """Run the command line and leave with its code: 0, or 1 render, 2 usage, 3 environment, 4 check, 128 + a signal."""
    folders = folders or Folders()
    heard = [number for number in SIGNALS if signal.getsignal(number) not in (signal.SIG_IGN, None)]
    later = {number: signal.signal(number, _stop) for number in heard}
    try:
        group.main(arguments, prog_name="attnviz", standalone_mode=False, obj=folders)
    except click.exceptions.NoArgsIsHelpError as wish:
        with suppress(OSError):
            click.echo(wish.format_message(), err=True)
        sys.exit(wish.exit_code)
    except click.ClickException as fault:
        _fail(_joined(fault.format_message()), fault.exit_code)
    except AttnvizError as fault:
        _fail(str(fault), fault.exit_code)
    except Stop as stop:
        later = dict.fromkeys(later, signal.SIG_IGN)  # all is cleared up: a second signal must not change the exit code
        _fail(str(stop), stop.exit_code)
    except click.Abort:
        _fail("interrupted", 128 + signal.SIGINT)
    except BaseException as fault:
        text = _joined(f"{type(fault).__name__}: {fault}")
        _fail(f"{text} ({_place(fault, folders.scenes)}); run again with {DEBUG}=1 for the traceback", 1)
    finally:
        for number, handler in later.items():
            signal.signal(number, handler)
    sys.exit(0)


def show(text: str) -> None:
    """Print to stdout, with escapes for what its encoding lacks; raise OutputError where it cannot be written."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        click.echo(text.encode(encoding, "backslashreplace").decode(encoding))
    except OSError as fault:
        raise OutputError(f"stdout cannot be written: {fault.strerror}") from fault


def tell(text: str) -> None:
    """Print one line to stderr; where nobody takes that either, there is nobody to tell."""
    with suppress(OSError):
        click.echo(printable(text), err=True)


def _stop(number: int, frame: object) -> None:
    """Turn a signal into an exception; one that comes while an earlier one is cleaned up after changes nothing."""
    handled = sys.exc_info()[1]
    while handled is not None and not isinstance(handled, Stop):
        handled = handled.__context__
    if handled is None:
        raise Stop(number)


def _joined(text: str) -> str:
    return " ".join(text.split())


def _place(fault: BaseException, scenes: Path) -> str:
    """Return FILE:LINE of the innermost call in a scene, or of the innermost call where no scene is involved."""
    calls = traceback.extract_tb(fault.__traceback__)
    inside = [call for call in calls if Path(call.filename).parent == scenes]
    call = (inside or calls)[-1]
    return f"{call.filename}:{call.lineno}"


def _fail(message: str, code: int) -> NoReturn:
    if os.environ.get(DEBUG):
        with suppress(OSError):
            traceback.print_exc()
    tell(f"error: {message}")
    sys.exit(code)
