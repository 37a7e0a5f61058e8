"""The fixture of a small corpus with queries."""

from query_study import study  # noqa: F401
