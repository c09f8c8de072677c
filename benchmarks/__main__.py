"""`python -m benchmarks` runs them all; there is one so far."""

from benchmarks.sdpa import main

main()
