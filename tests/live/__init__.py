"""Tests against a real local judge: a llama.cpp server with a small model, both from PyPI."""
