"""A folder over http, as a web server would hand it out: parts of files too, without which no film can be sought."""

import re
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar


class Handler(SimpleHTTPRequestHandler):
    """Answers with the range that is asked for, and says what captions are."""

    extensions_map: ClassVar = {**SimpleHTTPRequestHandler.extensions_map, ".vtt": "text/vtt", ".mp4": "video/mp4"}

    def do_GET(self):
        if self.path == "/favicon.ico":  # which browsers ask for by themselves
            self.send_response(204)
            return self.end_headers()
        path = Path(self.translate_path(self.path))
        wanted = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not wanted or not path.is_file():
            return super().do_GET()
        content = path.read_bytes()
        first, last = int(wanted[1]), min(int(wanted[2] or len(content) - 1), len(content) - 1)
        self.send_response(206)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
        self.send_header("Content-Length", str(last - first + 1))
        self.end_headers()
        self.wfile.write(content[first:last + 1])

    def log_message(self, *_):
        pass


@contextmanager
def served(folder):
    """Yield the address of a folder; it ends with a slash."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
