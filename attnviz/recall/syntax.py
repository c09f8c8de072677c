"""The syntax tree of a scene's file: its beats taken apart, and which of them a piece of code refers to.

Trees only: no file is looked for here, and no code is run.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef
NOT_DRAWN = frozenset({"poster_beat"})  # attributes of a scene's class that change no picture of its film
_NAMING = frozenset({"getattr", "setattr", "delattr"})
# With these code reaches methods whose names stand nowhere.
_DYNAMIC = _NAMING | {"attrgetter", "methodcaller", "eval", "exec", "vars", "dir", "getmembers", "__dict__",
                      "__getattribute__"}  # fmt: skip


def parsed(path: Path) -> ast.Module:
    """Return a file's syntax tree, without docstrings unless its code reads them. Raises OSError, SyntaxError."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    if "__doc__" not in text and "getdoc" not in text:
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | Function) and _has_docstring(node):
                node.body = node.body[1:]
    return tree


def mentioned(tree: ast.AST) -> frozenset[str]:
    """Return the names of all attributes and imported modules in a piece of code, and all its strings."""
    nodes = list(ast.walk(tree))
    modules = {alias.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules |= {str(node.module).partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    strings = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return frozenset(strings | modules | {node.attr for node in nodes if isinstance(node, ast.Attribute)})


def take_beats(tree: ast.Module, class_name: str, beats: Collection[str]) -> dict[str, ast.Module]:
    """Take the beats' methods out of a class of `tree`, and their list out of its `play_beats`; return the methods.

    A beat stays where it does something as the class is made: with a decorator, or a default value.
    """
    taken: dict[str, ast.Module] = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            ours = [part for part in node.body if isinstance(part, Function) and part.name in beats and _is_bare(part)]
            for method in ours:
                taken.setdefault(method.name, ast.Module([], [])).body.append(method)
            node.body = [part for part in node.body if part not in ours and not _sets(part, NOT_DRAWN)]
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "play_beats":
            call.args = [part for part in call.args if _own_attribute(part) not in beats]
    return taken


def references(tree: ast.AST, beats: Collection[str]) -> set[str]:
    """Return which beats a piece of code may play: all where it picks attributes while it runs.

    `x.blend` may be a beat wherever it stands, but for `x.y.blend.z`: methods have no attributes to look into.
    """
    nodes = list(ast.walk(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    fixed = {id(call.func): name for call in calls if (name := _picked(call)) is not None}
    if any(is_named(node, _DYNAMIC) and id(node) not in fixed for node in nodes):
        return set(beats)
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    looked_into = {id(node.value) for node in attributes if not node.attr.startswith("__")}
    meant = {node.attr for node in attributes if isinstance(node.value, ast.Name) or id(node) not in looked_into}
    return (meant | set(fixed.values()) | _names_in_classes(nodes)) & set(beats)


def is_named(node: ast.AST, names: Collection[str]) -> bool:
    """Whether a piece of code is one of these names, or an attribute called so."""
    return (isinstance(node, ast.Name) and node.id in names) or (isinstance(node, ast.Attribute) and node.attr in names)


def dumped(tree: ast.AST) -> str:
    """Return a tree as text, without places."""
    return ast.dump(tree)


def _has_docstring(node: ast.Module | ast.ClassDef | Function) -> bool:
    first = node.body[0] if node.body else None
    value = first.value if isinstance(first, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _is_bare(method: Function) -> bool:
    return not (method.decorator_list or method.args.defaults or any(method.args.kw_defaults))


def _sets(node: ast.stmt, names: Collection[str]) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return bool(targets) and all(isinstance(target, ast.Name) and target.id in names for target in targets)


def _own_attribute(node: ast.expr) -> str:
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if own and isinstance(node, ast.Attribute) else ""


def _picked(call: ast.Call) -> str | None:
    """Return the attribute that `getattr(x, "name")` and its kin name outright."""
    if is_named(call.func, _NAMING) and len(call.args) > 1 and isinstance(call.args[1], ast.Constant):
        return str(call.args[1].value)
    return None


def _names_in_classes(nodes: Collection[ast.AST]) -> set[str]:
    """Return the bare names in the bodies of classes: only there is a method in sight without a dot before it."""
    parts: list[ast.AST] = [part for node in nodes if isinstance(node, ast.ClassDef) for part in node.body]
    outside = [part for part in parts if not isinstance(part, Function)]
    for part in parts:
        if isinstance(part, Function):
            outside += [*part.decorator_list, *part.args.defaults, *filter(None, part.args.kw_defaults)]
    return {node.id for part in outside for node in ast.walk(part) if isinstance(node, ast.Name)}
