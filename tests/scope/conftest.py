"""A folder for a small scope study."""

from study import study  # noqa: F401  a fixture
