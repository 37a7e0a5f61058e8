"""The fixture of a small study."""

from study import study  # noqa: F401
