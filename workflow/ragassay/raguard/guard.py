"""Where services find fitted guards; what these do stands in `ragassay.defences.guard`."""

from ragassay.defences.guard import Guard

__all__ = ["Guard"]
