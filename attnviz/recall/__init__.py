"""Beats that were drawn before: what makes a beat the same (digest.py, keys.py), and where it is kept (store.py).

Nothing here plays, draws or encodes; `attnviz/render/recall.py` brings both together while a scene plays.
"""
