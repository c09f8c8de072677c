"""The lecture player: finished renders made into one page that a lecturer steps through, beat by beat.

Here are the choice of scenes and beats, the film that holds just those, the page and its script (`web/`). Nothing here
draws or computes: what the page says of a number comes from the records, through `attnviz.explain`.
"""
