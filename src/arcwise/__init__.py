"""Transition-based dependency parsing: fast, accurate, trained on a CPU."""
