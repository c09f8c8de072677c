"""Bytes by the rule: the lesson's figures, what the records refuse, and how positions are cut into tiles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from attnviz import cases
from attnviz.cases.records.making import Making
from attnviz.cases.records.tiled import LARGE, tile_size, tiled
from attnviz.errors import InputError, RecordError
from attnviz.sdpa import Setting, trace_traffic
from attnviz.sdpa.triton_launch import LARGEST_TILE
from attnviz.trace import KINDS, Record
from attnviz.verify.chain import recomputed

NAMES = ("sdpa", "tiled", "traffic", "tiled_difference")


def test_the_lesson_s_figures_for_a_long_text():
    """One head, fp16, d = 64, query tile 128, s = 8192, dense: 516 against 130 MiB moved, 128 MiB against none held."""
    record = trace_traffic([LARGE])
    assert record["untiled_moves_mib"].values[0].tolist() == [3, 128, 128, 128, 128, 1]
    assert record["tiled_moves_mib"].values[0].tolist() == [1, 128, 1]
    assert record["bytes_moved_mib"].values[0].tolist() == [516, 130]
    assert record["bytes_held_mib"].values[0].tolist() == [128, 0]
    assert record["bytes_held"].values[0, 0] == 2 * 8192**2


def test_a_small_one_counted_by_hand():
    """8 queries and keys, 4 wide, 4 bytes a number, tiles of 3 queries: K and V are read three times."""
    record = trace_traffic([Setting(8, 8, 4, 4, 4, 3)])
    assert record["untiled_moves"].values[0].tolist() == [384, 256, 256, 256, 256, 128]
    assert record["tiled_moves"].values[0].tolist() == [128, 3 * 256, 128]
    assert record["bytes_moved"].values[0].tolist() == [1536, 1024]


def test_unequal_sizes_are_counted_each_by_itself():
    record = trace_traffic([Setting(5, 7, 4, 3, 2, 2)])
    q, k, v, scores, o = 5 * 4 * 2, 7 * 4 * 2, 7 * 3 * 2, 5 * 7 * 2, 5 * 3 * 2
    assert record["untiled_moves"].values[0].tolist() == [q + k + v, *[scores] * 4, o]
    assert record["tiled_moves"].values[0].tolist() == [q, 3 * (k + v), o]
    assert recomputed(record) == sum(array.size for array in record.arrays.values())


@pytest.mark.parametrize("settings", [[], [Setting(8, 8, 4, 4, 4, 0)], [LARGE, Setting(0, 8, 4, 4, 4, 3)]])
def test_no_setting_and_a_size_below_one_are_refused(settings):
    with pytest.raises(InputError, match="sizes of 1 or more"):
        trace_traffic(settings)


@pytest.mark.parametrize("stage", [stage.name for stage in KINDS["traffic"].stages if stage.rule])
def test_a_wrong_count_in_any_stage_is_refused(stage):
    record = trace_traffic([LARGE])
    changed = record.arrays[stage].copy()
    changed.reshape(-1)[0] += 1
    with pytest.raises(RecordError, match=f"traffic.{stage} is off by"):
        Record.build("traffic", {**record.arrays, stage: changed}, dtype="float64", params={}, provenance={})


@pytest.mark.parametrize(("count", "size"), [(1, 1), (2, 1), (3, 2), (4, 3), (5, 2), (6, 4), (7, 3), (8, 3), (12, 5)])
def test_tiles_are_two_or_three_and_the_last_is_ragged_where_that_can_be(count, size):
    assert tile_size(count) == size
    assert count < 3 or (count % size and 2 <= -(-count // size) <= 3)


def test_the_default_sentence_has_every_sort_of_tile():
    kinds = cases.load("trained").bundle(names=["tiled"])["tiled"]["tile_kind"].sel(batch=0, head=1).values
    assert kinds.tolist() == [[1, 4, 4], [0, 1, 4], [2, 2, 3]]


@pytest.mark.parametrize("name", cases.names())
def test_the_kernel_s_record_says_what_ran_and_agrees_with_torch(name):
    bundle = cases.load(name).bundle(names=NAMES)
    about = bundle["tiled"].provenance
    assert about["backend"] == "triton" and {"interpreted", "stand_in"} <= set(about)
    assert about["stand_in"] or about["triton"]
    assert np.array_equal(bundle["tiled_difference"].arrays["ours"], bundle["tiled"].arrays["output"])
    assert bundle["tiled_difference"].arrays["max_abs_difference"] < 2e-6
    assert "rule" in bundle["traffic"].provenance


def test_the_kernel_moves_no_more_than_the_rule_and_less_where_it_skips():
    bundle = cases.load("trained").bundle(names=NAMES)
    ruled = int(bundle["traffic"]["bytes_moved"].values[0, 1])
    assert counted(bundle["tiled"]) < ruled
    assert counted(cases.load("trained").bundle(is_causal=False, names=NAMES)["tiled"]) == ruled


def counted(record: Record) -> int:
    """The bytes that a kernel counted itself, for the drawn head."""
    return sum(int(record[stage].sel(batch=0, head=1).values.sum()) for stage in ("bytes_read", "bytes_written"))


@pytest.mark.parametrize("count", range(3, 65))
def test_every_count_of_words_has_few_tiles_with_a_ragged_end_and_tiles_to_skip(count):
    size = tile_size(count)
    tiles = -(-count // size)
    assert 2 <= tiles <= 3 and count % size and size <= LARGEST_TILE
    assert count < 13 or count % size >= size / 2, "seen to be cut short, and still a tile"
    ends = [(tile * size, min((tile + 1) * size, count) - 1) for tile in range(tiles)]
    assert sum(keys[0] > queries[1] for queries in ends for keys in ends) == tiles * (tiles - 1) // 2


def test_words_that_give_no_tiles_to_follow_are_refused():
    for words, most in ((("the", "cat"), 2), (tuple("w" * 65), 65)):
        case = replace(cases.load("random", tokens=("a", "b", "c")), query=torch.zeros(1, 4, most, 4),
                       key=torch.zeros(1, 4, most, 4), value=torch.zeros(1, 4, most, 4), query_tokens=words)
        with pytest.raises(InputError, match="give 3 to 64 words"):
            tiled(Making(case, False))
