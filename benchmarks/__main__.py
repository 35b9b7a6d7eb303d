"""Runs every benchmark."""

from __future__ import annotations

from benchmarks import graders, replay

replay.main()
graders.main()
