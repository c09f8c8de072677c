"""What else can be made of a finished render: small loops, other encodings, stills, a handout, slides.

Nothing here draws a film: pictures come from the frames of one, and vectors from its scene played once more without.
"""
