"""The body of a fetched page as it is stored: compressed, and given back as the bytes that came."""

import zlib

LEVEL = 6


def packed(body: bytes) -> bytes:
    """What goes into the column body of the table pages."""
    return zlib.compress(body, LEVEL)


def body(row: dict) -> bytes:
    """The bytes of the page in a row of the table pages."""
    return zlib.decompress(row["body"])
