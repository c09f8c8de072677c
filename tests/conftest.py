"""Settings of every test run, and the lines that count the outside checks at its end."""

import os
import sys
import tempfile
from collections import Counter

import pytest
import torch

pytest_plugins = ["tests.browsing"]
torch.set_num_threads(1)
os.environ["ATTNVIZ_CACHE"] = tempfile.mkdtemp(prefix="attnviz-test-cache-")  # not the user's own
if not torch.cuda.is_available():
    # Torch's optimisers import Triton: whichever test is first, it must come with its interpreter.
    os.environ["TRITON_INTERPRET"] = "1"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol():
    """A render forgets what lies beside its scene; the tests' scenes lie here, beside what other tests hold on to."""
    before = {name: module for name, module in sys.modules.items() if name.startswith("tests.")}
    result = yield
    sys.modules.update(before)
    return result


def pytest_terminal_summary(terminalreporter):
    """Print how many outside cases each implementation passed, so that a run shows it."""
    counts = {"passed": Counter(), "failed": Counter()}
    for outcome, counter in counts.items():
        for report in terminalreporter.stats.get(outcome, []):
            counter.update(value for name, value in report.user_properties if name == "conformance")
    for name in sorted(counts["passed"] | counts["failed"]):
        passed, failed = counts["passed"][name], counts["failed"][name]
        terminalreporter.write_line(f"conformance {name}: {passed} passed, {failed} failed")
