"""The fixtures of a small corpus with queries, and of vector databases."""

from databases import database, postgres  # noqa: F401
from query_study import study  # noqa: F401
