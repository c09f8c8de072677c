"""`python -m benchmarks` runs them all, one after the other, each in a process of its own."""

import subprocess
import sys

for name in ("sdpa", "grid", "render", "audit"):
    subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)
