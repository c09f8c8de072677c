"""The whole check of a render's folder, from its files alone: hashes, records, score, and every beat's last picture.

Nothing here judges by itself: it reads the files in order, hands them on, and counts in one report.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from attnviz.errors import CheckError, InputError, RecordError
from attnviz.registry import printable
from attnviz.render.manifest import NAME, sha256
from attnviz.verify.claims import shortly
from attnviz.verify.contents import Content
from attnviz.verify.film import LARGEST_SIDE, Facts, facts_of, frames_at
from attnviz.verify.folder import Folder, opened
from attnviz.verify.items import Scene
from attnviz.verify.picture import Picture, still
from attnviz.verify.report import REQUIRED, Report, Tally
from attnviz.verify.score import Beat, Score, check_captions, check_words, contents_of, read_score
from attnviz.verify.truth import Truth
from attnviz.verify.view import View

LEVELS = {"draft": 8.0, "default": 6.0, "archive": 6.0}  # that a flat colour may be off, by how a film was encoded
LEVELS_OF_STILLS = 2.0
BLOCK, POSTER_LEVELS = 16, 24.0  # pixels of a block, and how far the mean of one may be from that in the film


def verify(path: Path) -> Report:
    """Check a render's folder and report what holds and what does not.

    Raises InputError for what cannot be read as a render, RecordError for records that do not follow from their inputs,
    CheckError for a film of another trace, or one that cannot be decoded.
    """
    folder = opened(path)
    report = Report(path, folder.scene)
    files = report.beat("files")
    for fault in folder.faults:
        files.complain(*fault)
    truth = _truth(folder, report)
    score = read_score(folder.path / "score.json")
    facts = facts_of(folder.film, folder.manifest["film"]["fps"].whole(1, 1000)) if folder.is_film else None
    if facts:
        _refuse_another_trace(folder, facts)
        _check_film(folder, score, facts, files)
    _check_manifest(folder, score, truth, files)
    claims = report.beat("score")
    contents = contents_of(score, truth, claims)
    check_words(score, truth, claims)
    report.strings = sum(len(row) for content in contents for row in content.strings)
    _check_beats(folder, score, facts, truth, contents, report)
    return report


def _truth(folder: Folder, report: Report) -> Truth:
    try:
        truth = Truth.load(folder.path / "trace.npz")
    except RecordError as fault:
        raise RecordError(f"{folder.path / 'trace.npz'}: {printable(str(fault))}") from fault
    report.numbers = truth.numbers
    return truth


def _refuse_another_trace(folder: Folder, facts: Facts) -> None:
    wanted = sha256(folder.path / "trace.npz")
    if facts.comment != f"trace.npz sha256:{wanted}":
        raise CheckError(f"{folder.film} was not made from the trace.npz beside it: its comment is "
                         f"{printable(facts.comment)!r:.90}, the trace hashes to {wanted[:12]}; render the scene again")


def _check_film(folder: Folder, score: Score, facts: Facts, files: Tally) -> None:
    """Compare what the film's file says with manifest and score."""
    stated, name = folder.manifest["film"], folder.film.name
    found = {"file": name, "width": facts.width, "height": facts.height, "frames": facts.frames,
             "duration": facts.frames / facts.fps}  # fmt: skip
    for key, value in found.items():
        if stated[key].value != value:
            files.complain(name, f"its {key} is {value}", f"{NAME} says {shortly(stated[key].value)}")
    if facts.is_odd or not (facts.is_even or folder.options["vfr"].value is True):
        files.complain(name, "its frames do not come at an even rate", f"{NAME} says {facts.fps} a second")
    shape = score.frame_size[0] / score.frame_size[1]
    if abs(facts.width / facts.height / shape - 1) > 0.01:
        files.complain(name, f"it is {facts.width}x{facts.height}", f"a frame of {score.frame} is shaped otherwise")
    wanted = [(round(beat.start * facts.fps), round(beat.end * facts.fps), _line(beat.title)) for beat in score.beats]
    if facts.chapters != wanted:
        first = next((number for number, pair in enumerate(zip(facts.chapters, wanted, strict=False))
                      if pair[0] != pair[1]), min(len(facts.chapters), len(wanted)))
        files.complain(name, f"its chapters differ from the {first + 1}. on", "they should be the score's beats")
    if wanted[-1][1] != facts.frames:
        files.complain(name, f"it has {facts.frames} frames", f"the score's beats have {wanted[-1][1]}")
    if facts.title != _line(score.title):
        files.complain(name, f"its title is {facts.title!r:.60}", f"the score says {score.title!r:.60}")
    check_captions(score, folder.path / f"{folder.scene}.en.vtt", files)


def _check_manifest(folder: Folder, score: Score, truth: Truth, files: Tally) -> None:
    claim, options = score.claim, folder.options
    pairs = [("scene", folder.manifest["scene"], claim["scene"]), ("title", folder.manifest["title"], claim["title"]),
             ("theme", options["theme"], claim["theme"]), ("frame", options["frame"], claim["frame"])]
    for name, one, other in pairs:
        if one.value != other.value:
            files.complain("score.json", f"its {name} is {shortly(other.value)}", f"{NAME} says {shortly(one.value)}")
    if folder.manifest["provenance"].value != truth.described():
        files.complain(NAME, "its provenance", "that of the records is another")


def _line(text: str) -> str:
    return " ".join(text.replace("\0", " ").split())


def _check_beats(folder: Folder, score: Score, facts: Facts | None, truth: Truth, contents: list[Content],
                 report: Report) -> None:
    """Look at the picture at the end of every beat; then say whether enough of it could be read."""
    levels = LEVELS.get(folder.options["encode"].text(), LEVELS["default"]) if facts else LEVELS_OF_STILLS
    nearest, poster = np.inf, _opened(folder.path / "poster.png")
    for beat, picture in zip(score.beats, _pictures(folder, score.beats, facts), strict=True):
        view = View(picture, score.frame_size, levels)
        said = beat.title, beat.caption
        Scene(beat.visible, contents, truth, score.theme, view, report.beat(beat.id), said).check()
        report.is_large = view.is_large
        nearest = min(nearest, _apart(poster, picture))
    files = report.beats[0]
    shown = {item["content"].value for beat in score.beats for item in beat.visible if item["type"].value == "grid"}
    for number, content in enumerate(contents):
        if number not in shown:
            files.complain(f"score.json: {content.tensor.address}", "no beat shows it", "it says how that looks")
    if not report.count("values"):
        files.complain("score.json", "it shows no value at all", "nothing in the film was proved")
    if nearest > POSTER_LEVELS:
        files.complain("poster.png", "it is no picture of the film", "it should be the end of a beat")
    due, missed = report.count("due"), report.count("missed")
    if report.is_large and missed > (1 - REQUIRED) * due:
        unread = f"{missed} of {due} drawn numbers could not be read"
        files.complain("the picture", unread, f"no more than {1 - REQUIRED:.0%} may be so")


def _pictures(folder: Folder, beats: list[Beat], facts: Facts | None) -> Iterator[Picture]:
    if facts:
        return frames_at(folder.film, [round(beat.end * facts.fps) - 1 for beat in beats], facts.fps)
    return (_opened(folder.still(number, beat.id)) for number, beat in enumerate(beats, start=1))


def _opened(path: Path) -> Picture:
    try:
        with Image.open(path, formats=("PNG",)) as image:
            if max(image.size) > LARGEST_SIDE:
                size = f"{image.size[0]}x{image.size[1]}"
                raise InputError(f"{path} is {size}, more than {LARGEST_SIDE} pixels wide or high; render again")
            return still(np.asarray(image.convert("RGB")))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, MemoryError) as fault:
        if isinstance(fault, InputError):
            raise
        raise InputError(f"{path} is no picture that can be read ({printable(str(fault)):.80}); "
                         "render the scene again") from None


def _apart(one: Picture, other: Picture) -> float:
    """By how much the blocks of two pictures differ at most, in levels of luma."""
    if one.size != other.size:
        return float(np.inf)
    high, wide = (side // BLOCK for side in one.luma.shape)
    apart = (one.luma - other.luma)[: high * BLOCK, : wide * BLOCK].reshape(high, BLOCK, wide, BLOCK)
    return float(np.abs(apart.mean(axis=(1, 3))).max(initial=0.0))
