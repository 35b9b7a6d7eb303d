"""Serves the page of the proof on localhost, and takes what the page tells."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue

HERE = Path(__file__).parent
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".mjs": "text/javascript",
    ".json": "application/json",
    ".wasm": "application/wasm",
    ".zip": "application/zip",
}
POLICY = "default-src 'self'; script-src 'self' 'unsafe-eval'; form-action 'none'"
"""Sent with the page: the browser itself refuses whatever comes from elsewhere."""


@dataclass
class Served:
    """A running server: its address, what was asked for, and what the page told."""

    url: str
    asked: list[str] = field(default_factory=list)
    told: Queue[str] = field(default_factory=Queue)


@contextmanager
def page_server(pyodide: Path, files: dict[str, str]) -> Iterator[Served]:
    """Serve the page, Pyodide's own files, and the files to load; nothing else."""
    contents = {f"/{name}": HERE / name for name in ("page.html", "page.mjs")}
    contents["/gate_in_pyodide.mjs"] = HERE / "gate_in_pyodide.mjs"
    contents |= {f"/pyodide/{path.name}": path for path in pyodide.iterdir() if path.is_file()}
    served = Served("")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append(self.path)
            if self.path == "/files.json":
                self._answer(json.dumps(files).encode(), ".json")
            elif self.path in contents:
                path = contents[self.path]
                self._answer(path.read_bytes(), path.suffix)
            else:
                self.send_error(404)

        def do_POST(self) -> None:
            served.told.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self._answer(b"{}", ".json")

        def _answer(self, body: bytes, suffix: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", TYPES.get(suffix, "application/octet-stream"))
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Security-Policy", POLICY)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        served.url = f"http://127.0.0.1:{server.server_port}/page.html"
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
