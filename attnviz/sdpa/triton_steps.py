"""The parts of one step of the kernel: scores, the running softmax, the second product, the record of it.

Inlined into `triton_kernel`; imported by nothing else. The field's short names are kept: q k v qk p m_i l_i acc alpha.
"""

# Triton gives the arguments their types when it compiles.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, misc"

import triton
import triton.language as tl

NO_MASK = tl.constexpr(0)
BOOL_MASK = tl.constexpr(1)
MINUS_INF = tl.constexpr(float("-inf"))


@triton.jit
def tile_pointers(ptr, strides, first_row, rows, columns, plan: tl.constexpr):
    """Pointers to a (row, column) block. The start is found in 64 bits: a long tensor has over 2**31 numbers."""
    start = ptr + tl.cast(first_row, tl.int64) * strides[2]
    if plan.wide:
        rows, columns = rows.to(tl.int64), columns.to(tl.int64)
    return start + (rows[:, None] * strides[2] + columns[None, :] * strides[3])


@triton.jit
def scores_of_tile(q, k, mask_ptr, mask, i, j, row_ok, key_ok, sizes, plan: tl.constexpr):
    """q @ k^T * scale + mask; minus infinity for a pair that is not allowed, whatever K holds there."""
    row, column = tl.arange(0, plan.block_query), tl.arange(0, plan.block_key)
    first_row, first_key = i * plan.query_tile, j * plan.key_tile
    qk = tl.dot(q, tl.trans(k), input_precision="ieee", out_dtype=plan.acc) * plan.scale
    allowed = key_ok[None, :]
    if plan.mask != NO_MASK:
        corner = mask_ptr + tl.cast(first_key, tl.int64) * mask.strides[3]
        there = row_ok[:, None] & key_ok[None, :]
        bias = tl.load(tile_pointers(corner, mask.strides, first_row, row, column, plan), mask=there, other=0)
        if plan.mask == BOOL_MASK:
            allowed = allowed & (bias != 0)
        else:
            allowed = allowed & (bias != MINUS_INF)
            qk += bias.to(plan.acc)
    if plan.is_causal:
        allowed = allowed & (first_key + column[None, :] <= first_row + row[:, None] + sizes.offset)
    return tl.where(allowed, qk, MINUS_INF)


@triton.jit
def online_softmax(qk, m_i, l_i, plan: tl.constexpr):
    """The new maximum and sum, the tile's exponentials, the factor for what was gathered, the tile's maximum.

    A careful plan lets a NaN score win the maximum, as it does everywhere else; a GPU's own maximum passes over it.
    """
    tile_max = tl.max(qk, 1)
    if plan.careful:
        tile_max = tl.where(tl.sum((qk != qk).to(tl.int32), 1) > 0, float("nan"), tile_max)
    m_next = tl.where((m_i > tile_max) | (m_i != m_i), m_i, tile_max)
    base = tl.where(m_next == MINUS_INF, 0.0, m_next)  # a row that has met no key: -inf minus -inf is no number
    p = tl.exp(qk - base[:, None])
    if plan.careful:
        p = tl.where(qk == MINUS_INF, 0.0, p)
    alpha = tl.where(m_next == MINUS_INF, 1.0, tl.exp(m_i - base))
    return m_next, l_i * alpha + tl.sum(p, 1), p, alpha, tile_max


@triton.jit
def add_values(acc, p, qk, v, plan: tl.constexpr):
    """acc + p @ v. The weights enter as several half-type parts, so tensor cores give float32's accuracy.

    They are counted in parts of 1 / plan.unit, a power of two: small ones stay clear of float16's subnormal numbers.

    A careful plan keeps what is not finite in V out of the product, where 0 * NaN would enter every row.
    """
    if plan.careful:
        clean = tl.where(tl.abs(v.to(plan.acc)) < float("inf"), v, 0.0).to(v.dtype)
        acc = add_odd_values(acc, p * plan.unit, qk, (v - clean).to(plan.acc), plan)
    else:
        clean = v
    rest = p * plan.unit
    pieces: tl.constexpr = plan.pieces
    for _ in tl.static_range(pieces):
        piece = rest.to(v.dtype)
        acc = tl.dot(piece, clean, acc, input_precision="ieee", out_dtype=plan.acc)
        rest -= piece.to(plan.acc)
    return acc


@triton.jit
def add_odd_values(acc, p, qk, odd, plan: tl.constexpr):
    """acc + p @ odd, key by key, for the allowed pairs only; `odd` is V where it is not finite, else 0."""
    lanes = tl.arange(0, plan.block_key)
    for lane in range(plan.block_key):
        value = tl.sum(tl.where(lanes[:, None] == lane, odd, 0.0), 0)
        weight = tl.sum(tl.where(lanes[None, :] == lane, p, 0.0), 1)
        allowed = tl.sum(((lanes[None, :] == lane) & (qk != MINUS_INF)).to(tl.int32), 1) > 0
        enters = allowed[:, None] & (value != 0)[None, :]
        acc += tl.where(enters, weight[:, None] * value[None, :], 0.0)
    return acc


@triton.jit
def keep_step(record, step, row_ok, key_ok, qk, p, tile_max, m_i, alpha, l_i, acc, plan: tl.constexpr):
    """Store one step's numbers as `tiles.TileRecord` lays them out; lanes that do not exist are left alone."""
    row = tl.arange(0, plan.block_query)
    column = tl.arange(0, plan.block_key)
    value_dim = tl.arange(0, plan.block_value_dim)
    area = plan.query_tile * plan.key_tile
    there = row_ok[:, None] & key_ok[None, :]
    square = record.squares + step * 2 * area + row[:, None] * plan.key_tile + column[None, :]
    tl.store(square, qk, mask=there)
    tl.store(square + area, p, mask=there)
    rows = record.rows + step * 4 * plan.query_tile + row
    tl.store(rows, tile_max, mask=row_ok)
    tl.store(rows + plan.query_tile, m_i, mask=row_ok)
    tl.store(rows + 2 * plan.query_tile, alpha, mask=row_ok)
    tl.store(rows + 3 * plan.query_tile, l_i, mask=row_ok)
    sums = record.accumulators + step * plan.query_tile * plan.value_dim
    sums += row[:, None] * plan.value_dim + value_dim[None, :]
    tl.store(sums, acc, mask=row_ok[:, None] & (value_dim < plan.value_dim)[None, :])


@triton.jit
def bytes_of(row_ok, width: tl.constexpr, plan: tl.constexpr):
    """Bytes that a block moves: the lanes its mask lets through, each width numbers wide."""
    return tl.sum(row_ok.to(tl.int64), 0) * width * plan.element_size


@triton.jit
def count_not_finite(block):
    """How many numbers of a block are NaN or infinite."""
    return tl.sum(tl.sum((tl.abs(block) < float("inf")).to(tl.int32) - 1, 1), 0)
