"""The check of a finished render: from its files alone, with numpy, Pillow and PyAV, sharing nothing with what drew it.

`attnviz.verify.check.verify` does it all. Nothing in here imports Manim, torch, Triton or Typst, and nothing renders.
"""
