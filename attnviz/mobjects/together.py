"""Whether the animations of one play leave each other alone: what two of them change would keep only one's change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import manim

from attnviz.errors import InputError


def all_apart(animations: Sequence[Any]) -> list[manim.Mobject]:
    """What is drawn from records and changed by these animations, all at once; InputError for what comes twice."""
    changed = [part for animation in animations for part in _changed(animation)]
    for place, part in enumerate(changed):
        if any(part is other for other in changed[:place]):
            said = {**part.describe(), **part.describe().get("content", {})}
            raise InputError(f"two animations of one play change {said.get('address', said.get('text', 'one thing'))}: "
                             "one of them would be lost, so play them one after the other")
    return changed


def _changed(animation: Any) -> list[manim.Mobject]:
    if not isinstance(animation, manim.AnimationGroup):
        return [part for part in animation.mobject.get_family() if hasattr(part, "describe")]
    if animation.lag_ratio >= 1:  # one after the other
        return list({id(part): part for step in animation.animations for part in _changed(step)}.values())
    return all_apart(animation.animations)
