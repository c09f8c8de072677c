"""The worked FlashAttention example, step by step, in every implementation that has steps."""

import numpy as np
import pytest
import torch

from attnviz.sdpa import trace_attention

Q = [[1, 0, 2, 0], [0, 1, 1, 0], [1, 1, 0, 1], [0, 2, 1, 1]]
K = [[2, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 1], [0, 0, 2, 1]]
V = [[1, 0], [0, 1], [1, 1], [2, 1]]
SCORES = [[1, 1, 1.5, 2], [0.5, 1, 0.5, 1], [1.5, 0.5, 1, 0.5], [1, 1.5, 1, 1.5]]
ROWS = {
    ("running_max", 0): [1, 1, 1.5, 1.5],
    ("running_sum", 0): [2, 1.60653, 1.36788, 1.60653],
    ("rescale", 0): [0, 0, 0, 0],
    ("tile_row_max", 1): [2, 1, 1, 1.5],
    ("running_max", 1): [2, 1, 1.5, 1.5],
    ("rescale", 1): [0.36788, 1, 1, 1],
    ("running_sum", 1): [2.34229, 3.21306, 2.34229, 3.21306],
}
OUTPUT = [[1.26987, 0.84294], [1, 0.81123], [1, 0.57307], [1, 0.81123]]


@pytest.fixture(scope="module", params=["tiled", "triton"])
def record(request):
    q, k, v = (torch.tensor(rows, dtype=torch.float64)[None, None] for rows in (Q, K, V))
    return trace_attention(q, k, v, backend=request.param, tile=(4, 2))


def near(values, expected):
    np.testing.assert_allclose(values, expected, atol=5e-6, rtol=0)


def test_scores(record):
    tiles = record["tile_scores"].values[0, 0, 0]
    near(np.concatenate(list(tiles), axis=1), SCORES)


@pytest.mark.parametrize(("stage", "step"), ROWS)
def test_row_statistics(record, stage, step):
    near(record[stage].values[0, 0, 0, step], ROWS[stage, step])


def test_exponentials_are_from_the_running_maximum(record):
    maxima = np.array([ROWS["running_max", 0], ROWS["running_max", 1]])
    expected = np.exp(np.array(SCORES).reshape(4, 2, 2).swapaxes(0, 1) - maxima[:, :, None])
    near(record["tile_exp"].values[0, 0, 0], expected)


def test_accumulators(record):
    exponentials, value = record["tile_exp"].values[0, 0, 0], np.array(V)
    first = exponentials[0] @ value[:2]
    near(record["accumulator"].values[0, 0, 0, 0], first)
    second = np.array(ROWS["rescale", 1])[:, None] * first + exponentials[1] @ value[2:]
    near(record["accumulator"].values[0, 0, 0, 1], second)


def test_output(record):
    near(record["output"].values[0, 0], OUTPUT)
    near(record["lse"].values[0, 0], np.log(ROWS["running_sum", 1]) + ROWS["running_max", 1])


def test_bytes(record):
    """Q 4 x 4 once, K 2 x 4 and V 2 x 2 at each step, O 4 x 2 at the last, 8 bytes a number."""
    assert record["bytes_read"].values[0, 0, 0].tolist() == [(16 + 8 + 4) * 8, (8 + 4) * 8]
    assert record["bytes_written"].values[0, 0, 0].tolist() == [0, 8 * 8]
