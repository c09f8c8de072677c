"""The renders that a lecture is made of: one that lies there already, or a new one.

A render is taken as it is where its options, its files and its versions are what they should be, and nothing that it
was made from is newer. A new one goes to `renders/present/`, so that it never replaces somebody's own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import attnviz
from attnviz import __version__
from attnviz.registry import SceneEntry, find_scenes
from attnviz.render.course import render_all
from attnviz.render.job import OnBeat, RenderOptions
from attnviz.render.manifest import NAME, foreign_file, read_manifest, versions

_NOT_DRAWN = {"player", "explain", "embed", "export", "commands"}  # parts of the package that change no film


def rendered(
    wanted: Sequence[tuple[SceneEntry, RenderOptions]],
    renders: Path,
    *,
    jobs: int = 1,
    on_beat: OnBeat | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> list[Path]:
    """Return a folder with a finished render for each; what is not there yet is rendered first, and said to `say`."""
    folders: dict[tuple[SceneEntry, RenderOptions], Path] = {}
    for entry, options in wanted:
        if (entry, options) in folders:
            continue
        folder = found(entry, options, renders)
        if folder is None:
            folder = own_folder(entry, options, renders)
            folder.parent.mkdir(parents=True, exist_ok=True)
            say(f"rendering {entry.name}")
            render_all([(entry, folder)], options, jobs=jobs, on_beat=on_beat)
        folders[entry, options] = folder
    return [folders[pair] for pair in wanted]


def found(entry: SceneEntry, options: RenderOptions, renders: Path) -> Path | None:
    """The folder of a render that can be shown as it is; None where there is none."""
    places = (renders / entry.name, own_folder(entry, options, renders))
    return next((folder for folder in places if _is_good(folder, entry, options)), None)


def own_folder(entry: SceneEntry, options: RenderOptions, renders: Path) -> Path:
    """Where the player's own render with these options lies."""
    text = json.dumps(_plain(options), sort_keys=True)
    return renders / "present" / f"{entry.name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _plain(options: RenderOptions) -> dict[str, object]:
    """The options as a manifest has them."""
    chosen = {name: value for name, value in options.shaping().items() if value is not None}
    return {**chosen, "tokens": list(options.tokens)}


def _is_good(folder: Path, entry: SceneEntry, options: RenderOptions) -> bool:
    manifest = read_manifest(folder)
    same = manifest.get("options") == _plain(options) and manifest.get("scene") == entry.name
    current = manifest.get("versions") == versions() and manifest.get("attnviz") == __version__
    if not (same and current and (folder / f"{entry.name}.mp4").is_file() and foreign_file(folder) is None):
        return False
    made = (folder / NAME).stat().st_mtime
    return all(path.stat().st_mtime <= made for path in sources(entry))


def sources(entry: SceneEntry) -> Iterator[Path]:
    """The files that a render is made from: the scene's, its helpers', and the package but for what draws nothing."""
    beside = entry.path.parent
    others = {other.name for other in find_scenes(beside)} - {entry.name}
    near = _files([*beside.glob("*.py"), *beside.glob("*.toml")])
    yield from (path for path in near if path.name.partition(".")[0] not in others)
    package = Path(attnviz.__file__).parent
    for path in _files(package.rglob("*")):
        if path.suffix in (".py", ".safetensors", ".ttf") and path.relative_to(package).parts[0] not in _NOT_DRAWN:
            yield path


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    return (path for path in paths if path.is_file())
