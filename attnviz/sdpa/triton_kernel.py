"""A FlashAttention-style forward kernel that can keep a record of every tile it visits.

One program computes one query tile of one head; K and V stream past it. Imported only by `triton_launch`,
which first decides between a GPU and the interpreter. Plain pointers and masks: any strides, any length.
"""

# Triton gives the arguments their types when it compiles.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, misc"

import triton
import triton.language as tl

from attnviz.sdpa.triton_steps import (
    add_values,
    bytes_of,
    count_not_finite,
    keep_step,
    online_softmax,
    scores_of_tile,
    tile_pointers,
)

MINUS_INF = tl.constexpr(float("-inf"))


@triton.jit
def attention_forward(q, k, v, mask, out, lse_ptr, sizes, plan: tl.constexpr, record):
    """output (batch, head, query_pos, value_dim) and lse (batch, head, query_pos), natural logarithm.

    Grid: query tiles times batch times heads, the query tile running fastest. Arguments as in `triton_plan`.
    """
    query_tiles = tl.cdiv(sizes.query_count, plan.query_tile)
    i = tl.program_id(0) % query_tiles
    front = tl.program_id(0) // query_tiles
    batch, head = (front // sizes.heads).to(tl.int64), (front % sizes.heads).to(tl.int64)
    kv_head = head // sizes.group
    k_ptr = k.ptr + batch * k.strides[0] + kv_head * k.strides[1]
    v_ptr = v.ptr + batch * v.strides[0] + kv_head * v.strides[1]
    mask_ptr = mask.ptr
    if plan.mask:
        mask_ptr += batch * mask.strides[0] + head * mask.strides[1]

    row, value_dims = tl.arange(0, plan.block_query), tl.arange(0, plan.block_value_dim)
    row_ok = (row < plan.query_tile) & (i * plan.query_tile + row < sizes.query_count)
    out_ptr = out.ptr + batch * out.strides[0] + head * out.strides[1]
    out_place = tile_pointers(out_ptr, out.strides, i * plan.query_tile, row, value_dims, plan)
    out_ok = row_ok[:, None] & (value_dims < plan.value_dim)[None, :]
    if plan.careful:
        # A product spreads one NaN of V over every row. That is rare, and seen in the output: only then go on.
        odd = count_not_finite(tl.load(out_place, mask=out_ok, other=0))
        if odd == 0:
            return

    q_ptr = q.ptr + batch * q.strides[0] + head * q.strides[1]
    place = (i, row_ok, tl.program_id(0).to(tl.int64))
    m_i, l_i, acc = stream(place, q_ptr, q, k_ptr, k, v_ptr, v, mask_ptr, mask, sizes, record, plan)
    total = tl.where(l_i == 0, 1.0, l_i)  # a row with no key: 0 / 1 is 0
    tl.store(out_place, (acc / total[:, None]).to(out.ptr.dtype.element_ty), mask=out_ok)
    lse_place = lse_ptr + front.to(tl.int64) * sizes.query_count + i * plan.query_tile + row
    tl.store(lse_place, tl.where(l_i == 0, MINUS_INF, m_i + tl.log(total)), mask=row_ok)


@triton.jit
def key_tiles_to_visit(i, sizes, plan: tl.constexpr):
    """How many key tiles hold a key that some query of tile `i` may see; those beyond the causal edge are skipped."""
    keys = sizes.key_count
    if plan.is_causal:
        last_row = tl.minimum((i + 1) * plan.query_tile, sizes.query_count) - 1
        keys = tl.maximum(tl.minimum(keys, last_row + sizes.offset + 1), 0)
    return tl.cdiv(keys, plan.key_tile)


@triton.jit
def stream(place, q_ptr, q, k_ptr, k, v_ptr, v, mask_ptr, mask, sizes, record, plan: tl.constexpr):
    """Let K and V stream past one query tile; returns its maximum, sum and unnormalised output."""
    i, row_ok, program = place
    visits = key_tiles_to_visit(i, sizes, plan)
    row, lane = tl.arange(0, plan.block_query), tl.arange(0, plan.block_key)
    dims, value_dims = tl.arange(0, plan.block_head_dim), tl.arange(0, plan.block_value_dim)
    q_ok = row_ok & (row < plan.query_tile * visits)  # with no key to visit, Q is not read either
    q_place = tile_pointers(q_ptr, q.strides, i * plan.query_tile, row, dims, plan)
    q_block = tl.load(q_place, mask=q_ok[:, None] & (dims < plan.head_dim)[None, :], other=0)
    m_i = tl.full([plan.block_query], MINUS_INF, plan.acc)
    l_i = tl.full([plan.block_query], 0.0, plan.acc)
    acc = tl.full([plan.block_query, plan.block_value_dim], 0.0, plan.acc)
    for j in range(visits):
        first = j * plan.key_tile
        key_ok = (lane < plan.key_tile) & (first + lane < sizes.key_count)
        k_place = tile_pointers(k_ptr, k.strides, first, lane, dims, plan)
        k_block = tl.load(k_place, mask=key_ok[:, None] & (dims < plan.head_dim)[None, :], other=0)
        qk = scores_of_tile(q_block, k_block, mask_ptr, mask, i, j, row_ok, key_ok, sizes, plan)
        m_i, l_i, p, alpha, tile_max = online_softmax(qk, m_i, l_i, plan)
        v_place = tile_pointers(v_ptr, v.strides, first, lane, value_dims, plan)
        v_block = tl.load(v_place, mask=key_ok[:, None] & (value_dims < plan.value_dim)[None, :], other=0)
        acc = add_values(acc * alpha[:, None], p, qk, v_block, plan)
        if plan.record:
            step = program * tl.cdiv(sizes.key_count, plan.key_tile) + j
            keep_step(record, step, row_ok, key_ok, qk, p, tile_max, m_i, alpha, l_i, acc / plan.unit, plan)
            keep_counts(record.counts + step * 3, i, j, visits, row_ok, key_ok, sizes, plan)
    if plan.record:
        last = (program + 1) * tl.cdiv(sizes.key_count, plan.key_tile) - 1
        nothing_seen = (visits == 0) & (sizes.key_count > 0)
        tl.store(record.counts + last * 3 + 2, bytes_of(row_ok, plan.value_dim, plan), mask=nothing_seen)
    return m_i, l_i, acc / plan.unit


@triton.jit
def keep_counts(counts_ptr, i, j, visits, row_ok, key_ok, sizes, plan: tl.constexpr):
    """Store the kind of tile, and the bytes this step reads and writes, in the order of `tiles.COUNTS`."""
    row_count, key_count = tl.sum(row_ok.to(tl.int32), 0), tl.sum(key_ok.to(tl.int32), 0)
    ragged = (row_count < plan.query_tile) | (key_count < plan.key_tile)
    kind = ragged.to(tl.int64) * 2
    if plan.is_causal:
        last_key = j * plan.key_tile + key_count - 1
        kind += (last_key > i * plan.query_tile + sizes.offset).to(tl.int64)
    read = bytes_of(key_ok, plan.head_dim + plan.value_dim, plan)
    read += tl.where(j == 0, bytes_of(row_ok, plan.head_dim, plan), 0)
    written = tl.where(j == visits - 1, bytes_of(row_ok, plan.value_dim, plan), 0)
    tl.store(counts_ptr, kind)
    tl.store(counts_ptr + 1, read)
    tl.store(counts_ptr + 2, written)
