"""An outside check: ONNX's tests of Attention, for each implementation, and its inner numbers against our record."""

import pytest
import torch

from attnviz.sdpa import scaled_dot_product_attention, trace_attention
from tests.onnx_cases import cases

BACKENDS = ("reference", "tiled", "triton")
TRACED = [case for case in cases() if case.stage]


def test_none_is_skipped():
    assert len(cases()) == 89
    assert len(TRACED) == 15


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
@pytest.mark.parametrize("backend", BACKENDS)
def test_output(case, backend, record_property):
    record_property("conformance", backend)
    output = scaled_dot_product_attention(**case.arguments, backend=backend)
    assert output.dtype == case.expected.dtype
    torch.testing.assert_close(output, case.expected, rtol=case.rtol, atol=1e-7)


@pytest.mark.parametrize("case", TRACED, ids=lambda case: case.name)
def test_inner_numbers_are_the_recorded_ones(case, record_property):
    record_property("conformance", f"record of {case.stage}")
    record = trace_attention(**case.arguments)
    recorded = torch.from_numpy(record[case.stage].values.copy()).to(case.expected_stage.dtype)
    torch.testing.assert_close(recorded, case.expected_stage, rtol=case.rtol, atol=1e-7)
