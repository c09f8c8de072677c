"""The benchmark of rendering: that it measures the same film twice, and says what it saw. Nothing is timed here."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import manim
import numpy as np
import pytest

from attnviz.render.job import QUALITIES as OUR_QUALITIES
from benchmarks import film_ours, film_plain
from benchmarks.film_numbers import SECONDS, TOTAL, stages
from benchmarks.render import QUALITIES, growth, pipeline
from benchmarks.render.__main__ import parse
from benchmarks.render.compare import BEST, compared, psnr, ticks
from benchmarks.render.film import FRAMES
from benchmarks.render.plain import plain
from benchmarks.render.report import Bar, Section, table
from benchmarks.render.run import ROOT, BenchmarkError, Usage, ratio, run

MIB = 2**20
FILMS = pytest.mark.parametrize("film", [film_plain, film_ours], ids=["plain", "ours"])


def test_the_command_line() -> None:
    assert (parse([]).part, parse([]).runs, parse([]).quality, parse([]).json) == ("all", 3, None, None)
    chosen = parse(["limit", "--runs", "5", "--quality", "h", "--json", "a.json"])
    assert (chosen.part, chosen.runs, chosen.quality, chosen.json) == ("limit", 5, "h", Path("a.json"))


WRONG = (["films"], ["--runs", "0"], ["--runs", "two"], ["--quality", "k"], ["--json", "no/file"])


@pytest.mark.parametrize("wrong", WRONG)
def test_the_command_line_refuses(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parse(wrong)
    assert end.value.code == 2 and wrong[-1] in capsys.readouterr().err


def test_sizes_are_those_of_the_renderer() -> None:
    assert QUALITIES == OUR_QUALITIES


def test_a_bar_says_whether_it_is_met() -> None:
    assert Bar("the film", 11.34, 10).line() == "the film: bar 10x: 11.3x met"
    assert Bar("the film", 9.99, 10).line() == "the film: bar 10x: 9.99x MISSED"
    assert Bar("memory", 2048, 2048, " MiB", most=True).met and not Bar("memory", 2049, 2048, most=True).met


def test_the_table_is_aligned() -> None:
    lines = table(("", "wall s", "MB"), [("plain Manim", 123.4, 2.0), ("ours", 6.54321, None)])
    assert lines == ["             wall s    MB", "plain Manim     123  2.00", "ours           6.54     -"]


def test_the_report_is_json_too() -> None:
    section = Section("A film", ("", "wall s"), [("ours", 1.5)], [Bar("it", 3.0, 2.0, most=True)], ["a note"])
    plain_values = json.loads(json.dumps(section.plain()))
    assert plain_values["rows"] == [{"": "ours", "wall s": 1.5}] and plain_values["bars"][0]["met"] is False
    assert "a note" in section.text() and "MISSED" in section.text()


def test_ratios_are_taken_pair_by_pair() -> None:
    slow, fast = [Usage(10, 1, 0), Usage(40, 1, 0), Usage(30, 1, 0)], [Usage(1, 1, 0), Usage(4, 1, 0), Usage(6, 1, 0)]
    assert ratio(slow, fast) == 10 and ratio(slow, fast, "cpu") == 1


def beats(film: Any) -> list[float]:
    """The length of every play of a film, in seconds; nothing is drawn."""
    lengths = []

    class Counted(film.AttentionFilm):  # type: ignore[misc]
        def play(self, *args: Any, **options: Any) -> None:
            lengths.append(float(self.get_run_time(self.compile_animations(*args, **options))))

    with manim.tempconfig({"dry_run": True}):
        Counted().construct()
    return lengths


def test_both_films_have_the_same_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(film_plain, "Text", lambda *args, **options: manim.Dot())  # 256 texts take their time
    ours = beats(film_ours)
    assert beats(film_plain) == ours
    assert sum(ours) == TOTAL
    assert {quality: TOTAL * QUALITIES[quality][2] for quality in FRAMES} == FRAMES


def test_beats_are_whole_frames() -> None:
    assert all((seconds * 30).is_integer() for seconds in SECONDS.values())


def test_our_film_shows_the_record_of_its_numbers() -> None:
    film = film_ours.AttentionFilm.__new__(film_ours.AttentionFilm)
    shown = film.tensor("attn_weights")
    assert np.array_equal(shown.values, stages()["attn_weights"][0, 0]) and np.allclose(shown.values.sum(1), 1)


@pytest.mark.parametrize(
    ("module", "absent"),
    [("benchmarks.film_plain", "attnviz"), ("benchmarks.render.heat_plain", "attnviz"),
     ("benchmarks.render.__main__", "numpy")],
)  # fmt: skip
def test_what_a_process_does_not_load(module: str, absent: str) -> None:
    code = f"import sys, {module}; sys.exit({absent!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_a_run_is_measured_with_its_children() -> None:
    child = f"[memory := bytearray({96 * MIB}), __import__('time').sleep(0.5)]"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}]); print('{{\"frames\": 3}}')"
    usage = run(["-c", parent])
    assert usage.memory >= 96 * MIB and usage.cpu > 0 and usage.answer == {"frames": 3}


def test_a_run_that_fails_says_why() -> None:
    with pytest.raises(BenchmarkError, match=r"ended with 3: no such option"):
        run(["-c", "import sys; print('no such option', file=sys.stderr); sys.exit(3)"])


def encoded(path: Path, options: dict[str, str], codec: str = "libx264rgb") -> Path:
    """Two frames of noise at 10 frames a second, the first of them held for three."""
    noise = np.random.default_rng(0).integers(0, 255, (2, 64, 64, 3), dtype=np.uint8)
    with av.open(path, "w") as container:
        stream: Any = container.add_stream(codec, rate=10, options={"preset": "ultrafast", **options})
        stream.width, stream.height, stream.pix_fmt = 64, 64, "rgb24" if codec == "libx264rgb" else "yuv420p"
        for pixels, places in ((noise[0], (0, 1, 2)), (noise[1], (3,))):
            for place in places if codec == "libx264rgb" else places[:1]:
                frame: Any = av.VideoFrame.from_ndarray(pixels, format="rgb24")
                frame.pts, frame.time_base = place, Fraction(1, 10)
                container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def test_a_frame_that_is_held_counts_as_often_as_it_is_seen(tmp_path: Path) -> None:
    film = encoded(tmp_path / "held.mp4", {"qp": "0", "bf": "0"}, "libx264")
    with av.open(film) as container:
        seen = [frame.pts for frame in ticks(container, 10)]
    assert len(seen) == 4 and len(set(seen)) == 2 and seen[0] == seen[2] != seen[3]


def test_the_distance_from_the_drawn_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.render.compare.STEP", 1)
    drawn = encoded(tmp_path / "drawn.mp4", {"qp": "0"})
    lossless, coarse = (encoded(tmp_path / f"{qp}.mp4", {"qp": qp, "bf": "0"}, "libx264") for qp in ("0", "40"))
    assert compared(str(lossless), str(drawn))["frames"] == 4
    assert compared(str(lossless), str(drawn))["luma"] > 45 > 30 > compared(str(coarse), str(drawn))["luma"]
    assert psnr(0) == BEST and psnr(1) == pytest.approx(48.13, abs=0.01)


def test_growth_is_judged_by_its_rows() -> None:
    rows = [("8x8", 30.0, 4.0, 5.0, 1.0, 1.0, 300.0, 7.5), ("64x64", 450.0, 6.4, None, 1.0, 1.0, 300.0, 70.3)]
    flat, heat = growth._bars(rows)
    assert (flat.value, flat.met, heat.value, heat.met) == (1.6, False, 70.3, True)
    assert growth._bars(rows[:1]) == []


def test_what_the_command_line_lacks_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*args: Any, **options: Any) -> Usage:
        raise BenchmarkError("it ended with 2: No such option: --jobs")

    monkeypatch.setattr(pipeline, "run", missing)
    section = pipeline.pipeline("m", 1, tmp_path)
    assert section.rows == [] and len(section.notes) == len(pipeline.LINES) and "--jobs" in section.notes[-1]
    assert list(tmp_path.iterdir()) == []


def test_the_edit_changes_one_line_of_a_copy(tmp_path: Path) -> None:
    workshop = pipeline.Workshop(tmp_path / "place")
    before = (ROOT / "scenes" / "pipeline.py").read_text(encoding="utf-8").splitlines()
    pipeline.edit(workshop.scenes)
    after = (workshop.scenes / "pipeline.py").read_text(encoding="utf-8").splitlines()
    assert sum(old != new for old, new in zip(before, after, strict=True)) == 1
    with pytest.raises(BenchmarkError, match="not exactly one line"):
        pipeline.edit(workshop.scenes)


@pytest.mark.slow
@FILMS
def test_a_second_of_each_film(film: Any, tmp_path: Path) -> None:
    first = type("First", (film.AttentionFilm,), {"change": lambda *_, **__: None, "blend": lambda _: None})
    draw = plain if film is film_plain else film_ours.ours
    assert draw(first, "l", tmp_path / "film.mp4") == pytest.approx(4.0, abs=0.2)
    with av.open(tmp_path / "film.mp4") as container:
        pictures = [frame.to_ndarray(format="gray") for frame in container.decode(video=0)]
    assert pictures[0].shape == (480, 854) and np.ptp(pictures[-1]) > 50 > np.ptp(pictures[0][240:])
