"""Somebody's words made safe for what they stand in: HTML and Markdown at once, an attribute, reStructuredText.

Whatever a word holds, it stays one line of that word. Nothing here knows what the words say.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from attnviz.errors import InputError

_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_ACTIVE = "\\`*_{}[]$~|^@#"  # what some reader of Markdown, or of templates, takes for more than itself
_TEXT = str.maketrans(_HTML | {letter: f"&#{ord(letter)};" for letter in _ACTIVE})
_ATTRIBUTE = str.maketrans(_HTML | {letter: f"&#{ord(letter)};" for letter in "`{}"})
_LONGEST_URL = 2000  # letters


def one_line(text: str) -> str:
    """`text` with single spaces between its words; control characters and halves of a character become U+FFFD."""
    return " ".join("".join("\N{REPLACEMENT CHARACTER}" if _is_broken(letter) else letter for letter in text).split())


def _is_broken(letter: str) -> bool:
    return (ord(letter) < 32 or 127 <= ord(letter) < 160 or 0xD800 <= ord(letter) < 0xE000) and not letter.isspace()


def html_text(text: str) -> str:
    """`text` as what stands between tags, the same whether Markdown is read there or not."""
    return one_line(text).translate(_TEXT)


def attribute(text: str) -> str:
    """`text` as the value of an attribute, with its quotes."""
    return f'"{one_line(text).translate(_ATTRIBUTE)}"'


def address(url: str) -> str:
    """An address as the value of an attribute, with its quotes; its letters are known to be harmless."""
    return f'"{url.translate(_ATTRIBUTE)}"'


def rst_text(text: str) -> str:
    """`text` as a paragraph of reStructuredText, with nothing in it that is markup."""
    return re.sub(r"([^\w\s]|_)", r"\\\1", one_line(text))


def path_in_url(path: str) -> str:
    """A path as it stands in an address; `@` is kept, as Moodle's own mark begins and ends with it."""
    return quote(path, safe="/@")


def checked_url(url: str) -> str:
    """Return the address of a film elsewhere: http, https, or a path that counts from the page; else InputError."""
    shown = ascii(url if len(url) <= 60 else url[:57] + "...")
    if not url or len(url) > _LONGEST_URL or not url.isprintable() or " " in url or "\\" in url:
        raise InputError(f"--src {shown} is no address: no spaces, backslashes or control characters in it")
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError as fault:
        raise InputError(f"--src {shown} is no address: {fault}") from None
    if "@" in parts.netloc:
        raise InputError(f"--src {shown} has a name or password in it, which every reader would see; leave it out")
    is_web = parts.scheme in ("http", "https") and host
    is_near = not parts.scheme and not parts.netloc and not url.startswith("//")
    if not (is_web or (is_near and parts.path and not re.match(r"[^/?#]*:", url))):
        raise InputError(f"--src {shown}: give an address with http or https, or a path that counts from the page")
    return url
