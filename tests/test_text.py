from pathlib import Path
from typing import Literal

import manim
import numpy as np
import pytest
from PIL import ImageFont

from attnviz import text
from attnviz.errors import EnvironmentFault, InputError, RenderError
from attnviz.text import fonts, typeset
from attnviz.text.outline import curves
from attnviz.theme import PIXEL

FORMULA = 'part("softmax", softmax)(part("frac", (part("q", Q) part("k", K^T)) / sqrt(d_k))) part("v", V)'
PLAIN = "softmax((Q K^T) / sqrt(d_k)) V"


@pytest.mark.parametrize("weight", fonts.CUTS)
def test_digits_are_tabular_and_as_pillow_sets_them(weight: text.Weight) -> None:
    glyphs = text.number_glyphs(weight)
    assert {glyphs[digit].advance for digit in "0123456789−+=×"} == {0.6}
    name = {"regular": "Regular", "semibold": "SemiBold", "italic": "Italic"}[weight]
    font = ImageFont.truetype(text.FONT_DIR / f"IBMPlexSans-{name}.ttf", 1000)
    for shown in ("0.62", "−3.10", "8.9e-08", "−∞", "(42)", "7%"):
        plain = font.getlength(shown, features=["-kern"]) / 1000
        assert text.compose(shown, weight)[1] == pytest.approx(plain, abs=2e-3)


def test_a_composed_number_is_what_typst_sets() -> None:
    marks, width = text.compose("−3.14")
    line = text.line("−3.14", size=100)
    assert [mark.points.shape for mark in marks] == [glyph.points[:, :2].shape for glyph in line]
    offset = line.points[0, :2] + (0, 0.251 * 100 * PIXEL)
    for mark, glyph in zip(marks, line, strict=True):
        assert np.allclose(mark.points * 100 * PIXEL + offset, glyph.points[:, :2], atol=2e-3)
    assert width == pytest.approx(line.width / (100 * PIXEL), abs=2e-3)


def test_a_number_takes_only_number_characters() -> None:
    with pytest.raises(InputError, match="'x'"):
        text.compose("1x")


def test_words_of_one_size_share_box_and_baseline() -> None:
    lines = [text.line(word, size=40).move_to((0, 1, 0)) for word in ("him", "Ägypten", "gypsy", "—", "Ġcat ▁the")]
    assert len({round(line.height, 9) for line in lines}) == 1
    assert len({round(line.baseline, 9) for line in lines}) == 1
    assert lines[0].baseline == pytest.approx(lines[0].submobjects[0].get_bottom()[1], abs=0.012 * 40 * PIXEL)
    lines[0].scale(2).shift(manim.UP)
    assert lines[0].baseline == pytest.approx(2 - 0.349 * 80 * PIXEL)
    assert text.line("x").on_baseline(1.5).baseline == pytest.approx(1.5)


def test_middle_of_a_line_is_the_middle_of_digits() -> None:
    line = text.line("0", size=100)
    assert line.submobjects[0].get_center()[1] == pytest.approx(line.get_center()[1], abs=0.01 * 100 * PIXEL)


def test_a_paragraph_keeps_its_width_and_all_its_letters() -> None:
    words = "The pronoun looks back over the sentence and finds its noun"
    block = text.paragraph(words, width=3, size=30)
    assert block.width <= 3.001
    assert len(block) == len(words.replace(" ", ""))
    assert block.height > 3 * 30 * PIXEL
    assert block.baseline > block.get_center()[1]


def lines_of(block: text.Typed) -> list[tuple[float, float]]:
    """Left and right of each line, from the top."""
    lines: dict[int, list[float]] = {}
    for glyph in block:
        lines.setdefault(round(-(glyph.get_y() - block.baseline) / (1.2 * block.size * PIXEL)), []).extend(
            (glyph.get_left()[0], glyph.get_right()[0]))
    return [(min(xs), max(xs)) for _, xs in sorted(lines.items())]


@pytest.mark.parametrize("align", ["left", "center"])
def test_lines_of_a_paragraph_are_about_as_long_as_each_other(align: Literal["left", "center"]) -> None:
    words = "each row is its own blend of the values"
    width = 0.9 * text.line(words, size=30).width  # one line with one word below it, if it were filled
    block = text.paragraph(words, width=width, size=30, align=align)
    (left, right), (low_left, low_right) = lines_of(block)
    assert 0.75 < (low_right - low_left) / (right - left) < 1.35
    middle, rim = block.get_x(), block.get_x() - block.width / 2
    assert (left + right) / 2 == pytest.approx(middle, abs=0.05) if align == "center" else left < rim + 0.05


def test_a_paragraph_has_as_few_lines_as_its_width_allows() -> None:
    words = "each row is its own blend of the values"
    for share, wanted in ((1.01, 1), (0.55, 2), (0.4, 3)):
        width = share * text.line(words, size=30).width
        assert len(lines_of(text.paragraph(words, width=width, size=30, align="center"))) == wanted


def test_a_long_word_stays_in_the_middle_of_its_paragraph() -> None:
    width = 1.02 * text.line("unconstitutionally", size=30).width
    block = text.paragraph("unconstitutionally so", width=width, size=30, align="center")
    for left, right in lines_of(block):
        assert (left + right) / 2 == pytest.approx(block.get_x(), abs=0.05)


def test_parts_change_neither_layout_nor_letters() -> None:
    labelled, plain = text.math(FORMULA), text.math(PLAIN)
    assert len(labelled) == len(plain)
    for one, other in zip(labelled, plain, strict=True):
        assert np.allclose(one.points, other.points, atol=1e-9)
    assert labelled.baseline == pytest.approx(plain.baseline)


def test_parts_nest_and_have_their_colours() -> None:
    formula = text.math(FORMULA, {"frac": "#ff0000", "k": "#00ff00"}, color="#0000ff")
    colors = {name: {glyph.color.to_hex() for glyph in formula.part(name)} for name in ("softmax", "frac", "q", "k")}
    assert colors == {"softmax": {"#0000FF"}, "frac": {"#FF0000", "#00FF00"}, "q": {"#FF0000"}, "k": {"#00FF00"}}
    assert len(formula.part("frac")) == 8  # Q, K, T, the bar, the root and its rule, d, k
    assert len(formula.part("softmax")) == 7
    assert formula.part("v").get_right()[0] == pytest.approx(formula.get_right()[0], abs=0.02)
    with pytest.raises(InputError, match="parts are softmax, q, frac, k, v"):
        formula.part("w")
    with pytest.raises(InputError, match="'w'"):
        text.math(FORMULA, {"w": "#ffffff"})


def test_a_formula_stands_on_the_line_of_its_letters() -> None:
    formula = text.math('part("x", x) = 1 / y')
    letter = formula.part("x").get_bottom()[1]
    assert formula.baseline == pytest.approx(letter, abs=0.03 * formula.size * PIXEL)


def test_what_typst_refuses_is_one_line() -> None:
    with pytest.raises(RenderError, match="unknown variable"):
        text.math("softmex(x)")
    with pytest.raises(InputError, match="not closed"):
        text.math('part("x", (x)')


def test_text_too_small_is_refused() -> None:
    with pytest.raises(InputError, match="at least 18"):
        text.line("tiny", size=17)
    with pytest.raises(InputError, match="regular, semibold, italic"):
        text.line("bold", weight="bold")  # type: ignore[arg-type]


def test_a_missing_font_is_the_machines_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "FONT_DIR", tmp_path)
    with pytest.raises(EnvironmentFault, match="IBM Plex Sans"):
        fonts.bundled_fonts.__wrapped__()


def test_prepared_strings_are_set_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text.prepare(["ready made", "and another"])
    monkeypatch.setattr(typeset, "_compiled", lambda sources: pytest.fail(f"set again: {sources}"))
    assert len(text.line("ready made")) == 9
    assert len(text.line("and another")) == 10


def test_nothing_is_left_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with manim.tempconfig({"media_dir": str(tmp_path / "media")}):
        text.line("no cache can go stale")
    assert not list(tmp_path.iterdir())


def test_curves_of_every_command() -> None:
    path = curves("M 0 0 L 3 0 h 3 V 3 q 0 3 -3 3 C 2 6 1 6 0 3 Z")
    assert path.reshape(-1, 4, 2)[:, 3].tolist() == [[3, 0], [6, 0], [6, 3], [3, 6], [0, 3], [0, 0]]
    assert np.allclose(path.reshape(-1, 4, 2)[3], [[6, 3], [6, 5], [5, 6], [3, 6]])
    assert len(curves("M 0 0 L 1 0 L 1 1", closed=False)) == 8
