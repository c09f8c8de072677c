"""How scenes look: whether all in them can be read, stands apart, and harms nobody, measured on what is drawn."""

from attnviz.looks.check import Look, LookOptions, check_scene, looks_at
from attnviz.looks.finding import Complaint

__all__ = ["Complaint", "Look", "LookOptions", "check_scene", "looks_at"]
