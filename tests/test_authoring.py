"""The page for authors: the scene that it shows is whole, plays, and passes the audit."""

from __future__ import annotations

import importlib.util
import re
import sys
import tempfile
from pathlib import Path

from attnviz.render.config import configured
from attnviz.render.job import RenderOptions
from attnviz.scene import SceneOptions

PAGE = Path(__file__).parent.parent / "docs" / "authoring.md"


def test_the_scene_on_the_page_plays(tmp_path, monkeypatch):
    page = PAGE.read_text(encoding="utf-8")
    for name, language in (("one_row.py", "python"), ("one_row.en.toml", "toml")):
        [block] = re.findall(rf"`scenes/{re.escape(name)}`:\n\n```{language}\n(.*?)```", page, re.DOTALL)
        (tmp_path / name).write_text(block, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("one_row", tmp_path / "one_row.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "one_row", module)
    spec.loader.exec_module(module)
    with tempfile.TemporaryDirectory() as folder, configured(RenderOptions(quality="l", kind="png"), Path(folder)):
        scene = module.OneRow(SceneOptions(), skip_animations=True)
        scene.render()
    assert [beat.id for beat in scene.beats] == ["scores", "weights"]
    weight = scene.tensor("attn_weights").entry(query_pos=scene.data.worked_query, key_pos=1)
    assert f"gives {weight.value:.2f} of its attention to “cat”" in scene.beats[1].caption
