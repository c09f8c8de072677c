"""attnviz: films that explain scaled dot-product attention, made from the numbers of a bundled SDPA."""

__version__ = "0.1.0"
