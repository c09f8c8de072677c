"""One film, made once, and everything that is said of it read back from its files."""

import hashlib
import io
import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import pytest
import webvtt
from PIL import Image

from attnviz.errors import RenderError
from attnviz.layout import frame_size
from attnviz.render.manifest import foreign_file
from attnviz.render.movie import Film
from attnviz.render.reading import inspect
from tests.running import run_here
from tests.tiny_scene import HOSTILE

FPS = 15
BEAT = 9  # frames in each of the two beats of the tiny scene


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    renders = tmp_path_factory.mktemp("renders")
    assert run_here(renders, "render", "tiny_scene", "-q", "l") == 0
    return renders / "tiny_scene"


@pytest.fixture
def film(folder: Path) -> Iterator[av.container.InputContainer]:
    with av.open(folder / "tiny_scene.mp4") as container:
        yield container


def test_the_folder_holds_these_files_and_no_other(folder: Path) -> None:
    names = ["manifest.json", "poster.png", "score.json", "sheet.png"]
    names += ["tiny_scene.en.vtt", "tiny_scene.mp4", "trace.npz"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert [path.name for path in folder.parent.iterdir()] == ["tiny_scene"]


def test_it_decodes_whole_at_a_constant_rate(film: av.container.InputContainer) -> None:
    times = [frame.pts * frame.time_base for frame in film.decode(video=0)]
    assert times == [Fraction(number, FPS) for number in range(2 * BEAT)]
    assert film.duration == 2 * BEAT * av.time_base // FPS
    assert film.streams.video[0].average_rate == FPS


def test_its_picture_is_tagged_as_it_was_converted(film: av.container.InputContainer) -> None:
    frame = next(film.decode(video=0))
    assert (frame.width, frame.height, frame.format.name) == (854, 480, "yuv420p")
    assert (frame.colorspace, frame.color_primaries, frame.color_trc, frame.color_range) == (1, 1, 1, 1)


def test_colours_come_back_from_it(folder: Path) -> None:
    wanted = {"poster.png": (88, 196, 221), "sheet.png": (131, 193, 103)}  # manim's BLUE, then GREEN
    poster = Image.open(folder / "poster.png")
    assert poster.size == (854, 480)
    found = poster.getpixel((427, 240))
    assert max(abs(a - b) for a, b in zip(found, wanted["poster.png"], strict=True)) <= 4
    sheet = Image.open(folder / "sheet.png").convert("RGB")
    colours = {colour for _, colour in sheet.getcolors(sheet.width * sheet.height) or []}
    near = min(max(abs(a - b) for a, b in zip(c, wanted["sheet.png"], strict=True)) for c in colours)
    assert near <= 4


def test_chapters_are_the_beats(film: av.container.InputContainer) -> None:
    found = [(c["start"] * c["time_base"], c["end"] * c["time_base"], c["metadata"]["title"]) for c in film.chapters()]
    half = Fraction(BEAT, FPS)
    assert found == [(0, half, "The square comes."), (half, 2 * half, "The square turns.")]


def test_a_key_frame_stands_at_each_beats_start(film: av.container.InputContainer) -> None:
    packets = [packet for packet in film.demux(video=0) if packet.dts is not None]
    assert {0, BEAT} <= {number for number, packet in enumerate(packets) if packet.is_keyframe}


def test_its_index_stands_in_front(folder: Path) -> None:
    content = (folder / "tiny_scene.mp4").read_bytes()
    assert 0 < content.index(b"moov") < content.index(b"mdat")


def test_it_names_its_title_and_its_trace(film: av.container.InputContainer, folder: Path) -> None:
    trace = hashlib.sha256((folder / "trace.npz").read_bytes()).hexdigest()
    assert film.metadata["title"] == "A square"
    assert film.metadata["comment"] == f"trace.npz sha256:{trace}"


def test_captions_span_their_beats(folder: Path) -> None:
    cues = list(webvtt.read(str(folder / "tiny_scene.en.vtt")))
    assert [cue.text for cue in cues] == ["The square comes.", "The square turns."]
    assert [cue.end for cue in cues] == ["00:00:00.600", "00:00:01.200"]


def test_the_manifest_lists_every_file_with_its_hash(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    found = {
        path.name: {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "size": path.stat().st_size}
        for path in folder.iterdir()
        if path.name != "manifest.json"
    }
    assert manifest["files"] == found
    assert foreign_file(folder) is None
    assert manifest["provenance"] == {"numbers": {"seed": 0}}
    assert manifest["options"]["quality"] == "l" and manifest["versions"]["manim"].startswith("0.22")
    assert manifest["film"] == {
        **{"file": "tiny_scene.mp4", "width": 854, "height": 480},
        **{"fps": FPS, "frames": 2 * BEAT, "duration": 2 * BEAT / FPS},
    }


def test_the_same_render_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    assert run_here(tmp_path, "render", "tiny_scene", "-q", "l") == 0
    assert (tmp_path / "tiny_scene" / "manifest.json").read_bytes() == (folder / "manifest.json").read_bytes()


def test_a_manim_cfg_of_the_users_changes_nothing(folder: Path, tmp_path: Path) -> None:
    import manim

    with manim.tempconfig({"background_color": "#ffffff", "video_codec": "libx265", "save_sections": True}):
        assert run_here(tmp_path, "render", "tiny_scene", "-q", "l") == 0
    name = "tiny_scene/tiny_scene.mp4"
    assert (tmp_path / name).read_bytes() == (folder.parent / name).read_bytes()


@pytest.mark.parametrize(("frame", "size"), [("9:16", (480, 854)), ("1:1", (480, 480))])
def test_other_frames(tmp_path: Path, frame: str, size: tuple[int, int]) -> None:
    assert run_here(tmp_path, "render", "tiny_scene", "-q", "l", "--frame", frame) == 0
    poster = Image.open(tmp_path / "tiny_scene" / "poster.png")
    assert poster.size == size
    left, top, right, bottom = poster.point(lambda level: 255 if level > 100 else 0).getbbox() or (0, 0, 0, 0)
    side = size[0] / frame_size(frame)[0]  # the square is one unit wide; its outline adds to that
    assert right - left == pytest.approx(side, abs=6) and bottom - top == pytest.approx(side, abs=6)


def test_stills_are_as_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_here(tmp_path, "render", "tiny_scene", "-q", "l", "--format", "png") == 0
    assert capsys.readouterr().out == f"{tmp_path / 'tiny_scene'}\n"
    names = {path.name for path in (tmp_path / "tiny_scene").iterdir()}
    pictures = {"01-comes.png", "02-turns.png", "poster.png", "sheet.png"}
    assert names == {*pictures, "score.json", "trace.npz", "manifest.json"}
    for name, colour in {"01-comes.png": (88, 196, 221), "02-turns.png": (131, 193, 103)}.items():
        assert Image.open(tmp_path / "tiny_scene" / name).getpixel((427, 240)) == colour


def test_hostile_words_go_through_every_file(tmp_path: Path) -> None:
    assert run_here(tmp_path, "render", "tiny_scene", "-q", "l", "--case", "hostile") == 0
    folder = tmp_path / "tiny_scene"
    shown = " ".join(HOSTILE.replace("\0", " ").split())
    with av.open(folder / "tiny_scene.mp4") as film:
        assert [chapter["metadata"]["title"] for chapter in film.chapters()] == [shown, shown]
    assert len(list(webvtt.read(str(folder / "tiny_scene.en.vtt")))) == 2
    assert json.loads((folder / "manifest.json").read_text())["title"] == HOSTILE


class TestReadingBack:
    """A film that is not what was encoded is never called done."""

    def film(self, folder: Path, content: bytes, **changes: int) -> Film:
        path = folder / "x.mp4"
        path.write_bytes(content)
        return Film(path, **{"width": 854, "height": 480, "fps": FPS, "frames": 2 * BEAT, **changes})

    @pytest.fixture
    def good(self, folder: Path) -> bytes:
        return (folder / "tiny_scene.mp4").read_bytes()

    @pytest.mark.parametrize("changes", [{"frames": 17}, {"frames": 19}, {"fps": 30}, {"width": 480}, {"height": 854}])
    def test_other_facts(self, good: bytes, tmp_path: Path, changes: dict[str, int]) -> None:
        with pytest.raises(RenderError, match="was not written whole"):
            inspect(self.film(tmp_path, good, **changes), [good])

    @pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
    def test_a_file_cut_short(self, good: bytes, tmp_path: Path, share: float) -> None:
        with pytest.raises(RenderError, match=r"x\.mp4"):
            inspect(self.film(tmp_path, good[: int(len(good) * share)]), [good])

    def test_one_bit_of_a_frame(self, good: bytes, tmp_path: Path) -> None:
        place = len(good) - 8
        changed = good[:place] + bytes([good[place] ^ 4]) + good[place + 1 :]
        with pytest.raises(RenderError, match="is not what was encoded"):
            inspect(self.film(tmp_path, changed), [good])

    @pytest.mark.parametrize("change", ["missing", "longer", "later"])
    def test_other_packets(self, good: bytes, tmp_path: Path, change: str) -> None:
        """The file claims the right length, but one packet is missing, lasts longer or comes later."""
        path, front = tmp_path / "x.mp4", {"movflags": "+faststart"}
        with av.open(io.BytesIO(good)) as source, av.open(path, "w", options=front) as copy:
            stream = copy.add_stream_from_template(source.streams.video[0])
            packets = [packet for packet in source.demux(video=0) if packet.dts is not None]
            last = packets[-1]
            if change in ("missing", "longer"):
                packets[-2].duration *= 2
                packets.pop(3 if change == "missing" else -1)
            if change == "later":
                last.pts = last.dts = last.pts + last.duration // 2
                last.duration -= last.duration // 2
            for packet in packets:
                packet.stream = stream
                copy.mux(packet)
        with pytest.raises(RenderError, match=r"was not written whole|cannot be read back"):
            inspect(Film(path, 854, 480, FPS, 2 * BEAT), [good])

    @pytest.mark.parametrize("content", [b"", b"not a film", b"\0" * 4000])
    def test_no_film_at_all(self, good: bytes, tmp_path: Path, content: bytes) -> None:
        with pytest.raises(RenderError, match=r"x\.mp4"):
            inspect(self.film(tmp_path, content), [good])

    def test_the_whole_one(self, good: bytes, tmp_path: Path) -> None:
        inspect(self.film(tmp_path, good), [good])
