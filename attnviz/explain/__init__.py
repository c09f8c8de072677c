"""How each recorded number came about, as an expression whose leaves are other recorded numbers.

Only trace and the standard library are needed here. Nothing computes attention, draws, or reads a file.
"""
