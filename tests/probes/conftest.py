"""One little study for all tests."""

from probe_study import study

__all__ = ["study"]
