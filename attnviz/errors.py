"""The errors that a user sees: one line each, with the exit code of the command that ends on it.

Here live only the classes. Nothing here prints, and nothing here knows what failed.
"""


class AttnvizError(Exception):
    """Something a user can mend: one line that says what, where, the offending value and the remedy."""

    exit_code = 1


class RenderError(AttnvizError):
    """A film could not be made or put in place; what was there before is still there."""


class InputError(AttnvizError, ValueError):
    """An argument, a tensor or a name that cannot be used as it is."""

    exit_code = 2


class EnvironmentFault(AttnvizError):
    """The machine lacks something: a package, a font, an encoder, a device."""

    exit_code = 3


class RecordError(AttnvizError, ValueError):
    """A record whose numbers do not follow from its inputs, or whose shape is not its table's."""

    exit_code = 4


class CheckError(AttnvizError):
    """Something that was looked at and does not hold: a film, a score or a picture that says what no record says."""

    exit_code = 4
