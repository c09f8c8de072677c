"""A bundle survives its file, and a file that was tampered with does not become a bundle."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest

from attnviz.errors import InputError, RecordError
from attnviz.trace import Bundle
from tests.follow import SDPA_PARAMS, build, sdpa_arrays


@pytest.fixture
def bundle() -> Bundle:
    first, second = (build("sdpa", sdpa_arrays(seed), SDPA_PARAMS) for seed in (0, 1))
    return Bundle({"first": first, "second": second})


def test_saved_and_loaded_it_is_the_same(bundle, tmp_path):
    bundle.save(tmp_path / "trace.npz")
    again = Bundle.load(tmp_path / "trace.npz")
    assert list(again) == ["first", "second"]
    for name, record in bundle.items():
        assert dict(again[name].params) == dict(record.params)
        assert dict(again[name].provenance) == {"backend": "test"}
        for tensor in record:
            assert np.array_equal(again[name][tensor.name].values, tensor.values, equal_nan=True)
    assert again["second"]["output"].record == "second"


def test_the_same_bundle_gives_the_same_bytes(bundle, tmp_path):
    for name in ("a", "b"):
        bundle.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_one_changed_weight_in_the_file_is_refused(bundle, tmp_path):
    path = tmp_path / "trace.npz"
    bundle.save(path)
    arrays = dict(np.load(path))
    arrays["first/attn_weights"][0, 1, 2, 0] += 0.01
    np.savez(path, **arrays)
    with pytest.raises(RecordError, match="attn_weights is off by"):
        Bundle.load(path)


def with_format(path, number):
    arrays = dict(np.load(path))
    header = json.loads(arrays["bundle.json"].tobytes())
    arrays["bundle.json"] = np.frombuffer(json.dumps({**header, "format": number}).encode(), dtype=np.uint8)
    np.savez(path, **arrays)


def test_files_that_are_no_bundle_are_refused_in_one_line(bundle, tmp_path):
    path = tmp_path / "trace.npz"
    for junk in (b"", b"not a zip", b"PK\x03\x04" + b"\0" * 40):
        path.write_bytes(junk)
        with pytest.raises(InputError, match="not a saved bundle"):
            Bundle.load(path)
    np.savez(path, x=np.zeros(3))
    with pytest.raises(InputError, match="not a saved bundle"):
        Bundle.load(path)
    np.savez(path, x=np.array([object()], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="not a saved bundle"):
        Bundle.load(path)
    with pytest.raises(InputError, match="not a saved bundle"):
        Bundle.load(tmp_path / "absent.npz")
    bundle.save(path)
    with_format(path, 99)
    with pytest.raises(InputError, match="format 99"):
        Bundle.load(path)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("x.npy", "w") as member:
        for _ in range(1100):
            member.write(b"\0" * (1 << 20))
    assert path.stat().st_size < 3 << 20
    with pytest.raises(InputError, match="unpacks to"):
        Bundle.load(path)


def test_an_absent_record_is_named(bundle):
    with pytest.raises(InputError, match="no record 'tiled'"):
        bundle["tiled"]
    assert "tiled" not in bundle
