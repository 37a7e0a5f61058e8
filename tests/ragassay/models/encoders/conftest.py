"""The encoder that comes as a package, and texts to embed."""

from models import minilm, one_thread, texts  # noqa: F401  fixtures
