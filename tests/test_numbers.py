import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ml_dtypes import bfloat16

from attnviz.errors import InputError
from attnviz.numbers import NumberFormat, Operation, end_format, format_for, relation, shown_decimal, works_out
from attnviz.verify.shown import holds


@pytest.mark.parametrize(
    ("fmt", "value", "shown"),
    [
        (NumberFormat("fixed", 2), 0.625, "0.62"),
        (NumberFormat("fixed", 2), -1.5, "−1.50"),
        (NumberFormat("fixed", 2), -0.001, "0.00"),
        (NumberFormat("fixed", 2), -0.0, "0.00"),
        (NumberFormat("fixed", 2), -0.006, "−0.01"),
        (NumberFormat("fixed", 4), 0.72646, "0.7265"),
        (NumberFormat("fixed", 2), -math.inf, "−∞"),
        (NumberFormat("fixed", 2), math.inf, "∞"),
        (NumberFormat("fixed", 2), bfloat16(0.5), "0.50"),
        (NumberFormat("fixed", 2), np.float16(-0.25), "−0.25"),
        (NumberFormat("scientific", 1), 8.9e-08, "8.9e-08"),
        (NumberFormat("graded", 3), 0.2871, "0.287"),
        (NumberFormat("graded", 3), 0.0005, "0.001"),
        (NumberFormat("graded", 3), -1.72e-06, "−2e-06"),
        (NumberFormat("graded", 3), 0.0, "0.000"),
        (NumberFormat("scientific", 1), -8.9e-08, "−8.9e-08"),
        (NumberFormat("scientific", 1), -0.0, "0.0e+00"),
        (NumberFormat("integer", 0), 131072, "131072"),
        (NumberFormat("integer", 0), -3.0, "−3"),
        (NumberFormat("trimmed", 2), 0.0, "0"),
        (NumberFormat("trimmed", 2), -0.5, "−0.5"),
        (NumberFormat("trimmed", 2), 100, "100"),
        (NumberFormat("trimmed", 0), 100, "100"),
        (format_for("attn_weights"), 1.0, "1.00"),
        (format_for("max_abs_difference"), 1.19e-7, "1.2e-07"),
        (format_for("mask"), -math.inf, "−∞"),
    ],
)
def test_shown_form(fmt: NumberFormat, value: float, shown: str) -> None:
    assert fmt.text(value) == shown


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(InputError, match="NaN"):
        NumberFormat().text(math.nan)
    with pytest.raises(InputError, match="not a whole number"):
        NumberFormat("integer", 0).text(1.5)
    with pytest.raises(InputError, match="unknown"):
        NumberFormat("roman")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="0 to 17"):
        NumberFormat("fixed", 40)


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_the_shown_value_is_within_half_a_unit(value: float, digits: int) -> None:
    shown = NumberFormat("fixed", digits).text(value)
    assert abs(float(shown_decimal(shown)) - value) <= 0.5 * 10**-digits * (1 + 1e-9) + 1e-9
    assert not shown.startswith("−0.") or any(figure in shown for figure in "123456789")


@pytest.mark.parametrize(
    ("terms", "total", "operation", "sign"),
    [
        (["0.25", "0.75"], "1.00", "sum", "="),
        (["0.33", "0.33", "0.33"], "1.00", "sum", "≈"),
        (["0.1", "0.2"], "0.3", "sum", "="),
        (["−1.50", "0.50"], "−1.00", "sum", "="),
        (["0.50", "0.50"], "0.25", "product", "="),
        (["0.62", "1.37"], "0.85", "product", "≈"),
        (["1.00", "0.25", "0.25"], "0.5", "difference", "="),
        (["1.00", "3.00"], "0.33", "quotient", "≈"),
        (["1.00", "4.00"], "0.25", "quotient", "="),
        (["0.00"], "1.00", "exp", "="),
        (["−∞"], "0.00", "exp", "="),
        (["−1.00"], "0.37", "exp", "≈"),
        (["−∞", "0.00"], "0.00", "product", "≈"),
        (["0.38", "−∞"], "−∞", "sum", "="),
        (["0.51", "0.51"], "1.00", "exp", "="),
        (["0.51", "2.59"], "0.12", "exp", "≈"),
        (["0.51", "2.59"], "2.59", "largest", "="),
        (["0.51", "2.59"], "0.51", "largest", "≈"),
        (["0.12", "2.13", "0.01", "1.00"], "1.28", "rescaled", "≈"),
        (["0.50", "2.00", "0.25", "1.00"], "2.25", "rescaled", "="),
    ],
)
def test_equals_only_where_the_shown_digits_agree(terms: list[str], total: str, operation: str, sign: str) -> None:
    assert relation(terms, total, operation) == sign  # type: ignore[arg-type]
    assert holds(operation, terms, total) == (sign == "="), "the verifier does the same by itself"


@pytest.mark.parametrize(("terms", "total", "operation", "expected"), [
    (["0.12", "2.13", "0.01", "1.00"], "1.28", "rescaled", False),  # 1.2656: another last digit
    (["0.124", "2.132", "0.011", "1.000"], "1.28", "rescaled", True), (["0.51", "2.59"], "0.12", "exp", True),
    (["−∞", "0.51"], "0.00", "exp", True), (["0.51", "2.59"], "0.13", "exp", False),
    (["0.51", "2.594"], "2.594", "largest", True), (["0.51", "2.594"], "2.59", "largest", True),
    (["0.1", "0.2"], "0.3", "sum", True), (["0.1", "0.2"], "∞", "sum", False)])
def test_what_is_shown_works_out_where_its_digits_round_to_the_shown_total(
    terms: list[str], total: str, operation: Operation, expected: bool) -> None:
    assert works_out(terms, total, operation) == expected


def test_only_some_operations_are_worked_out() -> None:
    with pytest.raises(InputError, match="'quotient' is not worked out"):
        works_out(["1", "2"], "0.5", "quotient")


def test_relation_needs_shown_numbers() -> None:
    with pytest.raises(InputError, match="'one'"):
        relation(["one"], "1")
    with pytest.raises(InputError, match="no terms"):
        relation([], "0.00")
    with pytest.raises(InputError, match="unknown"):
        relation(["1"], "1", "power")  # type: ignore[arg-type]


@pytest.mark.parametrize(("stage", "values", "largest"), [
    ("query", [0.5, -999.99], "−999.99"),
    ("query", [0.5, -1000.0], "−1.0e+03"),
    ("query", [1e-4, -3e-4], "−3.0e-04"),
    ("query", [0.006, -0.005], "0.01"),
    ("query", [0.0, math.nan, -math.inf], "0.00"),
    ("query", [], "0.00"),
    ("scores", [1e12, -math.inf], "1.0e+12"),
    ("attn_weights", [0.25, 1.0], "1.00"),
    ("bytes_read", [8_388_608], "8388608"),
    ("max_abs_difference", [0.25], "2.5e-01"),
])
def test_a_stage_is_written_so_that_its_largest_number_can_be_read(stage, values, largest) -> None:
    extreme = max((value for value in values if math.isfinite(value)), key=abs, default=0.0)
    assert format_for(stage, values).text(extreme) == largest


@pytest.mark.parametrize(("stage", "end", "shown"), [
    ("query", 2.0, "2.00"), ("query", 0.015, "0.015"), ("query", 0.002, "2e-03"), ("query", 1.5e-30, "1.5e-30"),
    ("query", 0.8, "0.80"), ("query", 2500.0, "2500.00"), ("query", 1e12, "1e+12"), ("scores", 150_000.0, "1.5e+05"),
    ("attn_weights", 1.0, "1.00"), ("max_abs_difference", 1.5e-7, "1.5e-07"), ("bytes_read", 8000.0, "8000"),
    ("query", math.pi / 100, "3.1415926535897934e-02"),
])
def test_the_ends_of_a_scale_are_written_exactly(stage, end, shown) -> None:
    fmt = end_format(stage, (-end, end))
    assert fmt.text(end) == shown
    assert float(shown_decimal(fmt.text(-end))) == -end
