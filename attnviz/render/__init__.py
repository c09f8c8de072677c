"""From a scene to files: manim's configuration, the film and what lies beside it, the swap into place.

Start with `job.render_scene`. The modules here are imported one by one: only some of them need manim.
"""
