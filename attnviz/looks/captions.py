"""Whether each caption is on screen for as long as it takes to read. No pictures are looked at here."""

from __future__ import annotations

from attnviz.looks.finding import Measured
from attnviz.looks.view import quoted
from attnviz.scene import Beat

LETTERS_A_SECOND = 15
FLOATING = 1e-6  # seconds


def reading_time(beat: Beat) -> Measured:
    """How long a beat's caption is on screen; it comes with the beat and goes with it."""
    shown = " ".join(beat.caption.split())
    return Measured("caption", f"the caption {quoted(shown)}", beat.end - beat.start + FLOATING,
                    len(shown) / LETTERS_A_SECOND, " s", remedy="shorten it, or let the beat last longer")
