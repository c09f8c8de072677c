"""How fast films are drawn, beside plain Manim and beside encoding alone: `python -m benchmarks.render`.

The coordinator stays light (no numpy, no manim); whatever is measured runs in a fresh process of its own.
"""

QUALITIES = {"l": (854, 480, 15), "m": (1280, 720, 30), "h": (1920, 1080, 60), "k": (3840, 2160, 60)}
