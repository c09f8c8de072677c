"""The digest of a beat's code, of its words and of what draws it: what an edit costs, and what it must cost."""

import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnviz.recall import beside, keys
from attnviz.recall.keys import beat_code, beat_key, environment_key, words_digest

SCENES = Path(__file__).resolve().parent.parent / "scenes"
PIPELINE = (SCENES / "pipeline.py").read_text(encoding="utf-8")
BEATS = re.findall(r"self\.(\w+)[,)]", PIPELINE.partition("self.play_beats(")[2])[:12]
IDS = ("first", "second", "third")
SCENE = '''
"""A film."""
import manim
from attnviz.scene import LessonScene

SPEED = 2


class Film(LessonScene):
    """Three beats."""

    poster_beat = "second"

    def construct(self):
        self.prepare()
        self.play_beats(self.first, self.second, self.third)

    def prepare(self):
        self.plan = 3

    def first(self):
        self.helper(1)  # a number

    def second(self):
        self.helper(2)

    def third(self):
        """The last one."""
        self.helper(3)

    def helper(self, number):
        return number * SPEED
'''


def write(folder: Path, source: str = SCENE) -> Path:
    path = folder / "film.py"
    path.write_text(source, encoding="utf-8")
    return path


def changed(folder: Path, old: str, new: str, source: str = SCENE, ids: tuple[str, ...] = IDS) -> set[str]:
    """The beats whose code is another once `old` is replaced by `new` in the scene's file."""
    assert old in source
    before = beat_code(write(folder, source), "Film", ids)
    after = beat_code(write(folder, source.replace(old, new)), "Film", ids)
    assert before.keys() == after.keys() == set(ids)
    return {name for name in ids if before[name] != after[name]}


EDITS = {
    "a beat": ("self.helper(2)", "self.helper(4)", {"second"}),
    "a helper": ("number * SPEED", "number + SPEED", set(IDS)),
    "a constant": ("SPEED = 2", "SPEED = 3", set(IDS)),
    "an attribute of the class": ("poster_beat =", "case = 'x'\n    poster_beat =", set(IDS)),
    "the poster": ('poster_beat = "second"', 'poster_beat = "third"', set()),
    "construct": ("self.prepare()\n", "self.prepare()\n        self.wait()\n", set(IDS)),
    "the order of beats": ("self.first, self.second", "self.second, self.first", set()),
    "a comment": ("# a number", "# another", set()),
    "blank lines and brackets": ("self.helper(2)", "\n\n        self.helper(\n            (2)\n        )", set()),
    "a docstring": ("The last one.", "The very last.", set()),
    "an import": ("import manim", "import manim, json", set(IDS)),
    "a decorator": ("    def second", "    @staticmethod\n    def second", set(IDS)),
    "a default": ("def second(self)", "def second(self, by=SPEED)", set(IDS)),
    "one beat calls another": ("self.helper(2)", "self.third()", {"second"}),
}


@pytest.mark.parametrize(("old", "new", "beats"), EDITS.values(), ids=EDITS.keys())
def test_an_edit_costs_the_beats_that_it_can_change(tmp_path, old, new, beats):
    assert changed(tmp_path, old, new) == beats


REFERENCES = {
    "by name": ("self.helper(2)", "self.third()", {"second", "third"}),
    "handed on": ("self.helper(2)", "self.play_later(self.third)", {"second", "third"}),
    "through another object": ("self.helper(2)", "self.film.again.third()", {"second", "third"}),
    "as text": ("self.helper(2)", "getattr(self, 'third')()", {"second", "third"}),
    "as any text": ("self.helper(2)", "getattr(self, self.name)()", {"second", "third"}),
    "through a dict": ("self.helper(2)", "vars(type(self))['th' + 'ird'](self)", {"second", "third"}),
    "through a second": ("self.helper(1)", "self.second()\n\n    def none(self):\n        self.third()", set(IDS)),
    "from a helper": ("number * SPEED", "self.third()", set(IDS)),
    "in the class": ("    def first", "    again = third\n\n    def first", set(IDS)),
    "not as a place": ("number * SPEED", "self.plan.third.left", {"third"}),
    "not as other text": ("number * SPEED", "self.words['third']", {"third"}),
}


@pytest.mark.parametrize(("old", "new", "beats"), REFERENCES.values(), ids=REFERENCES.keys())
def test_an_edit_costs_the_beats_that_refer_to_it_too(tmp_path, old, new, beats):
    source = SCENE.replace(old, new)
    assert changed(tmp_path, "self.helper(3)", "self.helper(30)", source) == beats


def test_a_beat_that_refers_to_one_that_refers_to_a_third(tmp_path):
    source = SCENE.replace("self.helper(1)", "self.second()").replace("self.helper(2)", "self.third()")
    assert changed(tmp_path, "self.helper(3)", "self.helper(30)", source) == set(IDS)


def test_a_method_that_manim_itself_calls_is_every_beat_s(tmp_path):
    source = SCENE.replace("def third", "def tear_down")
    assert changed(tmp_path, "self.helper(3)", "pass", source, ("first", "second", "tear_down")) == {
        "first", "second", "tear_down"}  # fmt: skip


def test_a_beat_that_is_added_costs_no_other(tmp_path):
    before = beat_code(write(tmp_path), "Film", IDS)
    more = SCENE.replace("self.third)", "self.third, self.fourth)") + "\n    def fourth(self):\n        self.wait()\n"
    after = beat_code(write(tmp_path, more), "Film", (*IDS, "fourth"))
    assert {name: after[name] for name in IDS} == before
    assert len(set(after.values())) == 4


@pytest.mark.parametrize("beat", BEATS)
def test_an_edit_of_one_beat_of_the_pipeline_costs_that_beat(tmp_path, beat):
    assert len(BEATS) == 12
    head = f"    def {beat}(self) -> None:\n"
    assert head in PIPELINE
    path = tmp_path / "pipeline.py"
    path.write_text(PIPELINE, encoding="utf-8")
    before = beat_code(path, "Pipeline", BEATS)
    path.write_text(PIPELINE.replace(head, head + "        self.wait()\n"), encoding="utf-8")
    after = beat_code(path, "Pipeline", BEATS)
    assert [name for name in BEATS if before[name] != after[name]] == [beat]


IMPORTS = (
    "import tools", "from tools import x", "from . import tools", "from .tools import x", "from scenes import tools",
    "import importlib; importlib.import_module('to' + 'ols')", "import deep", "from deep.inner import x",
)  # fmt: skip
BESIDE: dict[str, tuple[str, bool]] = {
    "tools.py": ("x = 2", True),
    "__init__.py": ("x = 2", True),
    "picture.png": ("pixels", True),
    "data/table.csv": ("1,2", True),
    "film.en.toml": ("title", False),
    "other.py": ("x = 2", False),
    "other.en.toml": ("title", False),
    "settings.toml": ("x = 2", True),
    ".hidden": ("x", False),
    "__pycache__/film.pyc": ("x", False),
    "out/manifest.json": ("{}", False),
    "out/film.mp4": ("film", False),
}


@pytest.mark.parametrize(("name", "counts"), [(name, counts) for name, (_, counts) in BESIDE.items()])
def test_what_lies_beside_counts_unless_it_is_another_scene_s(tmp_path, name, counts):
    for place, (content, _) in BESIDE.items():
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(content)
    path = write(tmp_path, SCENE.replace("import manim", "import manim\nimport tools"))
    before = beat_code(path, "Film", IDS)
    (tmp_path / name).write_text(BESIDE[name][0] + "1")
    after = beat_code(path, "Film", IDS)
    assert {before[beat] != after[beat] for beat in IDS} == {counts}


@pytest.mark.parametrize("line", IMPORTS)
def test_a_module_beside_counts_however_it_is_imported(tmp_path, line):
    (tmp_path / "deep").mkdir()
    for name in ("tools", "more", "deep/inner"):
        (tmp_path / f"{name}.py").write_text("import more\nx = 1\n")
    path = write(tmp_path, SCENE.replace("import manim", f"import manim\n{line}"))
    before = beat_code(path, "Film", IDS)
    (tmp_path / "more.py").write_text("import more\nx = 1  # the same\n")
    assert beat_code(path, "Film", IDS) == before
    (tmp_path / "more.py").write_text("import more\nx = 2\n")
    assert not set(before.values()) & set(beat_code(path, "Film", IDS).values())


def test_a_module_from_elsewhere_counts(tmp_path, monkeypatch):
    (tmp_path / "lib").mkdir()
    (tmp_path / "scenes").mkdir()
    monkeypatch.syspath_prepend(tmp_path / "lib")
    (tmp_path / "lib" / "own_shapes.py").write_text("x = 1\n")
    path = write(tmp_path / "scenes", SCENE.replace("self.helper(1)", "from own_shapes import x"))
    before = beat_code(path, "Film", IDS)
    (tmp_path / "lib" / "own_shapes.py").write_text("x = 2\n")
    assert not set(before.values()) & set(beat_code(path, "Film", IDS).values())


def test_code_that_cannot_be_known_is_not_there(tmp_path, monkeypatch):
    assert beat_code(tmp_path / "film.py", "Film", IDS) == {}
    assert beat_code(write(tmp_path, "def"), "Film", IDS) == {}
    (tmp_path / "picture.png").write_bytes(b"0123456789")
    assert beat_code(write(tmp_path), "Film", IDS) != {}
    monkeypatch.setattr(beside, "MOST_BYTES", 9)
    assert beat_code(write(tmp_path), "Film", IDS) == {}
    monkeypatch.setattr(beside, "MOST_BYTES", 10)
    monkeypatch.setattr(beside, "MOST_PATHS", 1)
    assert beat_code(write(tmp_path), "Film", IDS) == {}


def test_the_environment_is_the_package_the_versions_and_the_options(tmp_path, monkeypatch):
    shutil.copytree(Path(keys.attnviz.__file__).parent / "fonts", tmp_path / "attnviz")
    monkeypatch.setattr(keys.attnviz, "__file__", str(tmp_path / "attnviz" / "__init__.py"))
    options = {"width": 1280, "fps": 30, "profile": {"qp": 24}, "theme": "dark"}
    before = environment_key(options)
    assert before == environment_key(dict(reversed(options.items())))
    found = {before, environment_key({**options, "fps": 60}), environment_key({**options, "profile": {"qp": 25}})}
    (tmp_path / "attnviz" / "font.ttf").write_bytes(b"x")
    found.add(environment_key(options))
    (tmp_path / "attnviz" / "font.ttf").rename(tmp_path / "attnviz" / "other.ttf")
    found.add(environment_key(options))
    monkeypatch.setattr(keys, "version", lambda package: "9" if package == "typst" else "1")
    found.add(environment_key(options))
    monkeypatch.setattr(keys.av, "library_versions", {"libavcodec": (1, 2, 3)})
    found.add(environment_key(options))
    assert len(found) == 7


def test_all_words_of_a_beat_count_but_its_note():
    words = {"id": "one", "title": "One", "caption": "One dot.", "note": "Ask.", "kind": "show"}
    assert words_digest({**words, "note": "Tell."}) == words_digest(words)
    others = [words_digest({**words, name: "x"}) for name in words if name != "note"]
    assert len({words_digest(words), *others}) == 5


@given(st.lists(st.text()), st.lists(st.text()))
def test_parts_of_a_key_do_not_run_into_each_other(one, other):
    assert (beat_key(*one) == beat_key(*other)) == (one == other)
