"""Runs every benchmark."""

from __future__ import annotations

from benchmarks import gate, graders, replay

replay.main()
graders.main()
gate.main()
