"""The base class of every scene: it loads a case, plays beats, keeps their times and says what is on screen.

A scene below `scenes/` is a storyboard: one method a beat, and its words in the file beside it. Here live the
clock, the title, the captions and the score; nothing here computes a number or draws a grid.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import manim

from attnviz import cases, text, theme
from attnviz.audit.auditor import Audit, looked_at
from attnviz.cases.case import USUAL
from attnviz.errors import InputError
from attnviz.layout import Region, layout_for
from attnviz.mobjects.places import fit_into
from attnviz.mobjects.stages import stage_format
from attnviz.mobjects.together import all_apart
from attnviz.quoting import Quoting
from attnviz.trace import Entry, NamedTensor
from attnviz.words import BeatWords, Words

READING_SPEED = 15.0  # characters a second that a viewer reads with ease
SETTLE = 1.6  # seconds that a finished picture stands still at least


@dataclass(frozen=True)
class SceneOptions:
    """What a render may choose. `case` None means the scene's own, no `tokens` the case's; `on_beat` hears (index,
    total, beat id).

    `audit`: whether what is shown is compared with the records, at rest and inside every play.
    """

    case: str | None = None
    seed: int = 0
    tokens: tuple[str, ...] = ()
    theme: str = "dark"
    frame: str = "16:9"
    language: str = "en"
    burn_captions: bool = False
    audit: bool = True
    on_beat: Callable[[int, int, str], None] | None = None


@dataclass(frozen=True)
class Beat:
    """A beat as it was played. Times in seconds from the film's start; `last_change` is its last distinct frame."""

    id: str
    title: str
    caption: str
    note: str
    kind: str
    start: float
    last_change: float
    end: float
    visible: list[dict[str, Any]]


class LessonScene(manim.Scene):
    """A scene made of beats. Subclasses set `case`, may set `poster_beat`, and play their beats in `construct`."""

    case: ClassVar[str] = "trained"
    poster_beat: ClassVar[str | None] = None
    is_causal: ClassVar[bool | None] = None  # None: as the case has it
    heads_shown: ClassVar[frozenset[int] | None] = None  # None: the case's drawn head alone
    records_used: ClassVar[tuple[str, ...]] = USUAL  # by their names in attnviz/cases/records
    records_compared: ClassVar[tuple[str, ...]] = ()  # shown beside those with a mask, and said to be without it

    def __init__(self, options: SceneOptions | None = None, **manim_options: Any) -> None:
        self.options = options or SceneOptions()
        self.beats: list[Beat] = []
        self.past: list[manim.Mobject] = []  # what leaves when the next beat begins
        self.last_change = 0.0  # seconds: when something last moved
        self.beat_id = "before the first"
        self.audit: Audit | None = None
        super().__init__(**manim_options)

    def setup(self) -> None:
        """Load what the film shows: case, records, words, theme and layout."""
        self.theme = theme.theme_for(self.options.theme)
        self.layout = layout_for(self.options.frame)
        camera: Any = self.camera
        camera.background_color = manim.ManimColor(self.theme.background)
        camera.init_background()
        self.data = cases.load(self.options.case or self.case, seed=self.options.seed,
                               tokens=self.options.tokens)
        self.bundle = self.data.bundle(is_causal=self.is_causal, names=self.records_used)
        self.read_words()
        text.prepare([*self.words.text.values(), *self.data.query_tokens, *self.data.key_tokens])
        self.audit = Audit(self) if self.options.audit else None

    def read_words(self) -> None:
        """Read the scene's words, and fill in the numbers that they quote."""
        self.words = Words.load(self.words_path()).suited(self.situations).filled(self._quoted)
        text.prepare([beat.title for beat in self.words.beats], "semibold")

    @property
    def situations(self) -> frozenset[str]:
        """What holds of this film and not of each, as the words know it: the case's name, and what a scene adds."""
        return frozenset({self.data.name})

    def tensor(self, stage: str, record: str = "sdpa") -> NamedTensor:
        """A stage as it is drawn: the case's batch entry and head selected away."""
        whole = self.bundle[record][stage]
        drawn = {"batch": self.data.batch, "head": self.data.drawn_head, "kv_head": self.data.drawn_kv_head}
        return whole.sel(**{axis: index for axis, index in drawn.items() if axis in whole.axes})

    def region(self, name: str) -> Region:
        """A named region of the frame."""
        return self.layout.region(name)

    def play_beats(self, *methods: Callable[[], None]) -> None:
        """Play one method a beat, in order; their names are the ids of the words file, or InputError."""
        ids = [method.__name__ for method in methods]
        if ids != [beat.id for beat in self.words.beats]:
            known = ", ".join(beat.id for beat in self.words.beats)
            raise InputError(f"{type(self).__name__} plays {', '.join(ids)}; its words have {known}; make them agree")
        for index, beat in enumerate(ids):
            if self.options.on_beat:
                self.options.on_beat(index, len(ids), beat)
            self._play_beat(getattr(self, beat), self.words.beats[index])  # looked up now: `watch` renews both

    def compile_animations(self, *args: Any, **kwargs: Any) -> list[manim.Animation]:
        """What Manim makes of a play's arguments; InputError where two of them at once change the same thing."""
        animations: list[manim.Animation] = super().compile_animations(*args, **kwargs)
        all_apart(animations)
        return animations

    def begin_animations(self) -> None:
        """As in Manim; the audit sees from where they start."""
        super().begin_animations()
        if self.audit:
            self.audit.begin_play(self.animations or ())

    def update_to_time(self, t: float) -> None:
        """As in Manim; the audit looks into the play on the way, also where Manim jumps to its end."""
        if self.audit is None or self.audit.passing:
            super().update_to_time(t)
            return
        duration, is_there = float(self.duration or 0.0), False
        jumps = t > 0.9 * duration  # a play that is not drawn is one step: look in between
        for share in looked_at(duration, self.last_t, t):
            if jumps or not is_there:
                super().update_to_time(share * duration if jumps else t)
            self.audit.inside(share)
            is_there = not jumps
        if not is_there:
            super().update_to_time(t)

    def play(self, *args: Any, **kwargs: Any) -> None:
        """As in Manim; a play that only waits changes nothing."""
        super().play(*args, **kwargs)
        if not all(isinstance(animation, manim.Wait) for animation in args):
            self.last_change = self.time
        if self.audit:
            self.audit.after_play()

    def score(self) -> dict[str, Any]:
        """What the film shows and when, beat by beat, as plain JSON values."""
        return {
            "scene": self.words_path().name.partition(".")[0],
            "title": self.words.title,
            "case": self.data.name,
            "frame": self.options.frame,
            "theme": self.options.theme,
            "frame_size": [self.layout.width, self.layout.height],
            "beats": [asdict(beat) for beat in self.beats],
        }

    def _play_beat(self, method: Callable[[], None], beat: BeatWords) -> None:
        self.next_section(beat.id)
        start, self.beat_id = self.time, beat.id
        if self.audit:
            self.audit.words(self.words.beats.index(beat))
        self._change_title(beat)
        method()
        self._settle(start, len(beat.caption))
        if self.audit:
            self.audit.end_beat()
        self.beats.append(Beat(beat.id, beat.title, beat.caption, beat.note, beat.kind, start, self.last_change,
                               self.time, self._visible()))

    def _settle(self, start: float, letters: int) -> None:
        """Stand still until the caption of the beat that began at `start` can be read, in whole frames.

        Counted in frames, so that a beat has as many of them whenever it begins.
        """
        fps = self.camera.frame_rate
        passed = round((self.time - start) * fps)
        needed = max(math.ceil(SETTLE * fps), math.ceil(letters / READING_SPEED * fps - 1e-6) - passed)
        self.wait((needed + 0.5) / fps)  # Manim cuts what is left of a frame

    def _change_title(self, beat: BeatWords) -> None:
        """The last beat's title goes, with what was only of that beat; then the new title comes, never over it."""
        if self.past:
            self.play(manim.FadeOut(*self.past), run_time=self.theme.quick)
        headline = self._headline(beat)
        self.play(manim.FadeIn(headline), run_time=self.theme.quick)
        self.past = [headline]

    def _headline(self, beat: BeatWords) -> manim.Group:
        region = self.region("title")
        title = text.line(beat.title, size=self.theme.title_size, weight="semibold", color=self.theme.ink)
        parts = manim.Group(fit_into(title, region).align_to((region.left, 0, 0), manim.LEFT))
        if self.options.burn_captions:
            band = self.region("caption")
            caption = text.paragraph(beat.caption, width=band.width, size=self.theme.caption_size, color=self.theme.ink,
                                     align="center")
            parts.add(fit_into(caption, band))
        return parts

    def _visible(self) -> list[dict[str, Any]]:
        family = [part for mobject in self.mobjects for part in mobject.get_family()]
        return [part.describe() for part in family if hasattr(part, "describe")]

    def words_path(self) -> Path:
        """The file of the scene's words."""
        return Path(inspect.getfile(type(self))).with_suffix(f".{self.options.language}.toml")

    def resolve(self, name: str, coords: Sequence[str]) -> Entry | str:
        """What `{name[coords]}` in the words stands for: a token as it is quoted, or an entry of the records."""
        return Quoting(type(self).__name__, self.data, self.bundle, self.tensor).resolve(name, coords)

    def _quoted(self, name: str, coords: Sequence[str]) -> str:
        """What is written for `{name[coords]}` in the words."""
        meant = self.resolve(name, coords)
        if isinstance(meant, str):
            return meant
        return stage_format(self.tensor(meant.name, meant.record)).text(meant.value)
