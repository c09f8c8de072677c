"""A scene played once: the beats that are wanted, each drawn, encoded, or found in the cache.

What comes out can be sent to another process: a film is put together of such parts. Here manim is configured and run;
nothing here decides where files go, or who draws which beats.
"""

import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from importlib import invalidate_caches
from importlib.util import module_from_spec, spec_from_file_location
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from manim.utils.exceptions import EndSceneEarlyException
from PIL.Image import Image

from attnviz.errors import RenderError
from attnviz.registry import SceneEntry
from attnviz.render.config import configured
from attnviz.render.job import OnBeat, RenderOptions
from attnviz.render.recall import Recall
from attnviz.render.renderer import QuickRenderer
from attnviz.render.stills import thumbnail
from attnviz.render.writer import SegmentWriter
from attnviz.scene import Beat, LessonScene, SceneOptions


@dataclass(frozen=True)
class DrawnBeat:
    """A beat as it was drawn: its encoded frames (none where stills are made), and the picture at its end.

    The picture is whole for a still and for the poster, else as small as on the sheet.
    """

    beat: Beat
    segment: bytes
    picture: Image


@dataclass(frozen=True)
class Part:
    """What one run of a scene gives: some of its beats by their index, and what is the same in every whole run.

    `sound` is a WAV file (or empty) and `frames` the film's length, both as far as the run went.
    """

    title: str
    poster: str
    score: dict[str, Any]
    provenance: dict[str, Any]
    trace: bytes
    sound: bytes
    frames: int
    beats: dict[int, DrawnBeat]


def draw_part(
    entry: SceneEntry,
    options: RenderOptions,
    media: Path,
    wanted: Collection[int] | None = None,
    on_beat: OnBeat | None = None,
    before: Callable[["Run", int], None] = lambda run, index: None,
    seen: Callable[[], None] = lambda: None,
) -> Part:
    """Play a scene, with manim's own files in `media`, and draw the beats with these indices; None: all.

    `before` is called before each beat, `seen` whenever a frame was drawn.
    """
    media.mkdir(parents=True, exist_ok=True)  # the first beat may be found before manim makes it
    with configured(options, media):
        recall = Recall(entry, options, media) if options.cache and options.kind == "mp4" else None
        run = Run(options, wanted, on_beat, recall, before)
        settings = partial(SegmentWriter, profile=options.encode, vfr=options.vfr, combine=False, passes=run.passes,
                           seen=seen)  # fmt: skip
        renderer = QuickRenderer(settings, skip_animations=options.kind == "png")
        _forget_helpers(entry)
        run.scene = scene = scene_class(entry)(_scene_options(options, run.begin), renderer=renderer)
        scene.render()
        run.end_beat()
        return Part(
            title=scene.words.title,
            poster=scene.poster_beat or "",
            score={key: value for key, value in scene.score().items() if key != "beats"},
            provenance={name: record.described() for name, record in scene.bundle.items()},
            trace=_trace(scene),
            sound=_sound(renderer.file_writer),
            frames=renderer.frames,
            beats=run.drawn(),
        )


class Run:
    """One run of a scene: which beats are passed through, and how each that is wanted looks at its end."""

    scene: LessonScene

    def __init__(
        self,
        options: RenderOptions,
        wanted: Collection[int] | None,
        on_beat: OnBeat | None,
        recall: Recall | None,
        before: Callable[["Run", int], None],
    ) -> None:
        self._options, self._wanted, self._recall = options, wanted, recall
        self._on_beat, self._before = on_beat, before
        self._known: dict[int, Path] = {}
        self._pictures: dict[int, Image] = {}
        self._index, self._is_poster = -1, False

    def begin(self, index: int, total: int, beat: str) -> None:
        """Hear that a beat begins: the one before has ended. After the last that is wanted, the scene may end."""
        self.end_beat()
        if self._wanted is not None and index > max(self._wanted):
            raise EndSceneEarlyException
        self._before(self, index)
        self._index, self._is_poster = index, beat == (self.scene.poster_beat or (beat if index == total - 1 else ""))
        if self._recall and self._is_wanted() and (known := self._recall.find(self.scene, index)):
            self._known[index] = known
        if audit := getattr(self.scene, "audit", None):
            audit.passing = self.passes() and not (self._options.check and self._is_wanted())
        if self._on_beat:
            self._on_beat(index, total, beat)

    def forget(self) -> None:
        """The scene's files are not what they were when the run began."""
        if self._recall:
            self._recall.forget()

    def passes(self) -> bool:
        """Whether the beat that begins is passed through without drawing: not wanted here, or known already."""
        return self._index in self._known or not self._is_wanted()

    def end_beat(self) -> None:
        """Keep the picture at the end of the beat that was last begun, if it is wanted."""
        if self._index < 0 or self._index in self._pictures or not self._is_wanted():
            return
        renderer: Any = self.scene.renderer
        renderer.update_frame(self.scene)
        picture = renderer.camera.get_image().convert("RGB")
        whole = self._is_poster or self._options.kind == "png"
        self._pictures[self._index] = picture if whole else thumbnail(picture)

    def drawn(self) -> dict[int, DrawnBeat]:
        """Return what became of the beats that were wanted."""
        drawn = {
            index: DrawnBeat(self.scene.beats[index], self._segment(index), picture)
            for index, picture in self._pictures.items()
        }
        if self._recall:
            self._recall.close()
        return drawn

    def _is_wanted(self) -> bool:
        return self._wanted is None or self._index in self._wanted

    def _segment(self, index: int) -> bytes:
        if self._options.kind == "png":
            return b""
        if index in self._known:
            return self._known[index].read_bytes()
        writer: Any = self.scene.renderer.file_writer
        [path] = map(Path, writer.sections[index].get_clean_partial_movie_files())
        if self._recall:
            self._recall.keep(index, path)
        return path.read_bytes()


def _trace(scene: LessonScene) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trace.npz"
        scene.bundle.save(path)
        return path.read_bytes()


def _sound(writer: Any) -> bytes:
    """Return what the scene had played, as a WAV file; nothing where it is silent."""
    if not writer.includes_sound:
        return b""
    file = BytesIO()
    writer.audio_segment.export(file, format="wav")
    return file.getvalue()


def scene_class(entry: SceneEntry) -> Any:
    """Run a scene's file as it is now, from whichever folder it was found in, and return its class.

    Python's own import would take compiled code for an edit of the same second.
    """
    name = f"scenes.{entry.name}"
    spec = spec_from_file_location(name, entry.path)
    if spec is None:
        raise RenderError(f"{entry.path} cannot be imported")
    module = module_from_spec(spec)
    sys.modules[name] = module
    exec(compile(entry.path.read_bytes(), entry.path, "exec"), vars(module))
    return getattr(module, entry.class_name)


def _forget_helpers(entry: SceneEntry) -> None:
    """Have what scenes import from beside them imported anew: in a process that stays, it may have been saved since."""
    beside = {str(path) for path in entry.path.parent.glob("*.py") if path.name != "__init__.py"}
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) in beside:
            del sys.modules[name]
    invalidate_caches()


def _scene_options(options: RenderOptions, on_beat: OnBeat) -> SceneOptions:
    return SceneOptions(
        case=options.case,
        seed=options.seed,
        tokens=options.tokens,
        theme=options.theme,
        frame=options.frame,
        burn_captions=options.burn_captions,
        on_beat=on_beat,
    )
