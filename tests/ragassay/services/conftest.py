"""What services open: small gates, guards, probes and a detector."""

from fitted import fitted  # noqa: F401
from guarded import place, scored  # noqa: F401
