"""What services open: small gates, guards, probes and a detector; and vector databases."""

from databases import database, postgres  # noqa: F401
from fitted import fitted  # noqa: F401
from guarded import place, scored  # noqa: F401
