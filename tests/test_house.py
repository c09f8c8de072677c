"""The house rules that a machine can hold: sizes, imports, docstrings. What may import what is read from the docs."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted([ROOT / "cli.py", *(ROOT / "attnviz").rglob("*.py"), *(ROOT / "scenes").glob("*.py")])
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
TREES = {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, FUNCTIONS))


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def imports(tree: ast.Module) -> set[str]:
    """Return the full names of the modules that a file imports, at its top or inside its functions."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert not node.level, "a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= set(names) if node.module == "attnviz" else {str(node.module)}
    return found


def test_no_file_is_long() -> None:
    lengths = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {path: lines for path, lines in lengths.items() if lines > 250} == {}


def test_no_script_of_a_page_is_long_or_wide() -> None:
    scripts = {path: path.read_text(encoding="utf-8").splitlines() for path in (ROOT / "attnviz").rglob("*.js")}
    assert scripts and {path.name: len(lines) for path, lines in scripts.items() if len(lines) > 250} == {}
    assert [path.name for path, lines in scripts.items() if max(map(len, lines)) > 120] == []
    assert [path.name for path, lines in scripts.items() if not lines[0].startswith("// ")] == []


def test_no_function_is_long() -> None:
    lengths = {f"{path}:{f.name}": length(f) for path, tree in TREES.items() for f in functions(tree)}
    assert {name: lines for name, lines in lengths.items() if lines > 40} == {}


def test_functions_are_short_as_a_rule() -> None:
    assert median(length(function) for tree in TREES.values() for function in functions(tree)) <= 10


def test_no_star_imports() -> None:
    nodes = [(path, node) for path, tree in TREES.items() for node in ast.walk(tree)]
    found = [path for path, node in nodes if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"]
    assert found == []


def test_a_module_says_what_it_holds() -> None:
    assert [path for path, tree in TREES.items() if tree.body and not ast.get_docstring(tree)] == []


def test_nothing_is_left_undone() -> None:
    marks = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
    assert [str(path) for path in SOURCES if marks.search(path.read_text(encoding="utf-8"))] == []


# --- who may import what: the table of docs/architecture.md -------------------------------------------------------

PACKAGES = {"pyav": "av", "pillow": "PIL", "pycairo": "cairo"}


def table() -> dict[str, str]:
    """Return the last column of the modules' table, by the place named in its first."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("| may import |")[2]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:] if line[:1] == "|"]
    return {place: row[2] for row in rows for place in re.findall(r"`([^`]+)`", row[0])}


def owner(name: str) -> str | None:
    """Return the row that a file falls under: the longest place that its path starts with."""
    fits = [place for place in table() if name == place or (place.endswith("/") and name.startswith(place))]
    return "scenes/NAME.py" if name.startswith("scenes/") else max(fits, key=len, default=None)


def allowed(place: str) -> set[str]:
    """Return the names a row allows, as they are imported; `standard library` is allowed to all."""
    words = re.findall(r"[A-Za-z_.]+", table()[place].replace("standard library", ""))
    return {PACKAGES.get(word.lower(), word) for word in words}


def is_allowed(name: str, place: str) -> bool:
    first = name.partition(".")[0]
    if first in sys.stdlib_module_names:
        return True
    own = place.removesuffix(".py").strip("/").replace("/", ".")
    inside = name.removeprefix("attnviz.").partition(".")[0]
    permitted = allowed(place)
    if first != "attnviz":
        return first in permitted
    free = inside in ("attnviz", "errors", "__version__")  # the package itself, and what every module may raise
    return free or (name + ".").startswith(own + ".") or inside in permitted


def test_every_module_has_a_row() -> None:
    assert [path for path in TREES if owner(path) is None and path != "attnviz/__init__.py"] == []


def test_imports_keep_to_the_table() -> None:
    light = {"cli.py", "attnviz/commands/", None}  # what these import at the start is seen by running them
    places = {path: owner(path) for path in TREES if owner(path) not in light}
    found = {path: {n for n in imports(TREES[path]) if not is_allowed(n, place)} for path, place in places.items()}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("name", "place", "wanted"),
    [
        ("json", "attnviz/trace/", True),
        ("numpy", "attnviz/trace/", True),
        ("torch", "attnviz/trace/", False),
        ("attnviz.trace.rules", "attnviz/trace/", True),
        ("attnviz.scene", "attnviz/trace/", False),
        ("attnviz.errors", "attnviz/trace/", True),
        ("torch", "scenes/NAME.py", False),
        ("numpy", "scenes/NAME.py", False),
        ("av", "attnviz/render/", True),
    ],
)
def test_the_table_is_read_as_it_is_meant(name: str, place: str, wanted: bool) -> None:
    assert is_allowed(name, place) is wanted


# --- documents that must keep up --------------------------------------------------------------------------------


def test_every_dependency_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    names = {re.split(r"[^\w-]", entry)[0] for entry in listed}
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    cells = " ".join(re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE))
    assert names - set(re.findall(r"[\w-]+", cells)) == set()


@pytest.mark.xdist_group("house")
def test_the_tests_of_one_scene_run_in_one_process(request, worker_id):
    """Else each process plays every scene anew, and the tests take half as long again: nothing else would tell."""
    if worker_id == "master":
        pytest.skip("one process runs all tests")
    assert request.node.nodeid.endswith("@house"), "this pytest-xdist cannot group the tests of this pytest"
