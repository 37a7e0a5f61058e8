"""Texts to search."""

from models import texts  # noqa: F401  a fixture
