"""Which of a scene's mobjects a play can change, and whether only its end counts. Nothing here paints."""

from collections.abc import Iterable
from typing import Any

import manim
from manim.animation.transform import _MethodAnimation

# What these change lies in the family of their mobject. Of any other animation, and of updaters, that is not known.
_NAMES = """
AnimationGroup ApplyMethod Circumscribe ClockwiseTransform CounterclockwiseTransform Create DrawBorderThenFill FadeIn
FadeOut FadeToColor FadeTransform FadeTransformPieces GrowArrow GrowFromCenter GrowFromEdge GrowFromPoint Indicate
LaggedStart LaggedStartMap MoveToTarget ReplacementTransform Restore Rotate Rotating ScaleInPlace ShowPassingFlash
ShrinkToCenter Succession Transform TransformFromCopy Uncreate Unwrite Wait Wiggle Write
"""
CONTAINED = {getattr(manim, name) for name in _NAMES.split()} | {_MethodAnimation}
OURS = "attnviz."  # this package's animations change their mobject's family too


def changing(scene: manim.Scene) -> list[manim.Mobject] | None:
    """Return the mobjects whose families are all that the running play can change; None where it could be anything."""
    overridden = type(scene).update_mobjects is not manim.Scene.update_mobjects
    if scene.always_update_mobjects or overridden or has_updaters(scene):
        return None
    animations = list(scene.animations or ())
    found: list[manim.Mobject] = []
    while animations:
        animation = animations.pop()
        kind = type(animation)
        if kind not in CONTAINED and not kind.__module__.startswith(OURS):
            return None
        mobject: Any = animation.mobject
        found.append(mobject)
        animations += getattr(animation, "animations", ())
    return found


def only_ends_count(scene: manim.Scene) -> bool:
    """Return whether the running play leaves the scene as it does when only its last moment is played.

    Not where something may add up what it sees from frame to frame: updaters, also those of what comes in midway, and
    animations that are not known.
    """
    found = changing(scene)
    return found is not None and not any(part.updaters for mobject in found for part in mobject.get_family())


def family(roots: Iterable[manim.Mobject]) -> set[int]:
    """Return the identities of all in the families of `roots`, as they are now: an animation may add to them."""
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        mobject = waiting.pop()
        if id(mobject) not in found:
            found.add(id(mobject))
            waiting += mobject.submobjects
    return found


def has_updaters(scene: manim.Scene) -> bool:
    """Return whether something in the scene moves by updaters, which see every frame and may remember what they saw."""
    parts = (part for mobject in scene.mobjects for part in mobject.get_family())
    return bool(scene.updaters) or any(part.updaters or _updates_itself(type(part)) for part in parts)


def _updates_itself(kind: type[manim.Mobject]) -> bool:
    """Whether mobjects of a class move by a method `update` of their own."""
    return kind.update is not manim.Mobject.update and not kind.__module__.startswith("manim.")
