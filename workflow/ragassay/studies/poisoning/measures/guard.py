"""Where services find fitted guards; what these do stands in `ragassay.studies.poisoning.defences.guard`."""

from ragassay.studies.poisoning.defences.guard import Guard

__all__ = ["Guard"]
