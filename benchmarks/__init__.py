"""Speed and memory, as ratios in one run: ``python -m benchmarks``."""
