"""`present --watch`: the page on an address of this machine, written after every save, loaded again where it is open.

Which beats are drawn again is decided by the store of beats, as in every render. Nothing leaves this machine.
"""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NoReturn

from attnviz.errors import AttnvizError
from attnviz.render.saves import next_save, saves_in

HALF_WRITTEN = 0.3  # seconds in which another save says that an error was of a file that was being written
ALIVE = 15.0  # seconds after which a page that waits is told that there is nothing yet

Say = Callable[[str], None]


class Served(ThreadingHTTPServer):
    """Serves one file, and tells whoever waits when there is another one in its place."""

    daemon_threads = True

    def __init__(self, path: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.path = path
        self.version = 0
        self.news = threading.Condition()

    @property
    def address(self) -> str:
        """Where a browser on this machine finds the page."""
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def tell(self) -> None:
        """Have every open page load again."""
        with self.news:
            self.version += 1
            self.news.notify_all()


@contextmanager
def served(path: Path) -> Iterator[Served]:
    """Serve a page while the block runs."""
    server = Served(path)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def watch(write: Callable[[], Path], folders: Iterable[Path], show: Say, say: Say) -> NoReturn:
    """Write the page, give its address to `show`, and write it again after every save in `folders`, until interrupted.

    What fails later is said, and the page stays as it was; what fails at first is raised.
    """
    sys.dont_write_bytecode = True  # or a helper saved twice in a second would be taken for what it was
    with saves_in(folders) as saves, served(write()) as server:
        show(server.address)
        fault: str | None = None
        while True:
            try:
                next_save(saves, HALF_WRITTEN if fault else None)
            except queue.Empty:
                say(f"error: {fault}")
                next_save(saves)
            fault = _attempt(write, server, say)


def _attempt(write: Callable[[], Path], server: Served, say: Say) -> str | None:
    """Write again; return what went wrong in one line."""
    try:
        write()
    except AttnvizError as fault:
        return str(fault)
    except Exception as fault:
        return " ".join(f"{type(fault).__name__}: {fault}".split())
    server.tell()
    say("the page is new")
    return None


class _Handler(BaseHTTPRequestHandler):
    server: Served

    def do_GET(self) -> None:
        """The page, or the news that there is another one."""
        if self.headers.get("Host") != self.server.address.removeprefix("http://").rstrip("/"):
            self.send_error(403)  # another site's name for this machine
        elif self.path == "/":
            self._send("text/html; charset=utf-8", self.server.path.read_bytes())
        elif self.path == "/news":
            with self.server.news:
                is_new = self.server.news.wait_for(lambda: self._cookie not in f"{self.headers.get('Cookie')};", ALIVE)
            self._send("text/plain", b"new" if is_new else b"")
        else:
            self.send_error(404)

    @property
    def _cookie(self) -> str:
        """What a page says of itself when it asks for news: so no change in between is missed."""
        return f"attnviz{self.server.server_address[1]}={self.server.version};"

    def _send(self, kind: str, content: bytes) -> None:
        try:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            if kind.startswith("text/html"):
                self.send_header("Set-Cookie", f"{self._cookie} SameSite=Strict; HttpOnly")
            self.end_headers()
            self.wfile.write(content)
        except ConnectionError:
            pass  # the page was closed meanwhile

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: requests of one's own browser are no news."""
