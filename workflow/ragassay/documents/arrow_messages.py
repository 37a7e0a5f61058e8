"""How many bytes a stream of Arrow's needs in memory, from the heads of its messages: nothing is unfolded for it."""

import struct

import pyarrow as pa

HEADER, COMPRESSION, BUFFERS, DATA = 2, 3, 2, 1  # places of fields in the tables of the format's flatbuffers
PLAIN = -1  # the length in front of a buffer that is not compressed, though others are
DICTIONARY, BATCH = "dictionary", "record batch"


def unfolded(stream: pa.Buffer) -> int:
    """Of all dictionaries together with the largest batch of rows."""
    sizes = {DICTIONARY: 0, BATCH: 0}
    for message in pa.ipc.MessageReader.open_stream(stream):
        if message.type in sizes:
            size = _size(message)
            sizes[message.type] = max(sizes[BATCH], size) if message.type == BATCH else sizes[DICTIONARY] + size
    return sum(sizes.values())


def _size(message):
    try:
        return _counted(message)
    except struct.error as error:
        raise ValueError(f"found a damaged message: {error}") from error


def _counted(message):
    head, body = memoryview(message.metadata), memoryview(message.body or b"")
    table = _pointed(head, _field(head, _pointed(head, 0), HEADER))
    if message.type == DICTIONARY:
        table = _pointed(head, _field(head, table, DATA))
    buffers, is_compressed = _pointed(head, _field(head, table, BUFFERS)), _field(head, table, COMPRESSION) is not None
    size = 0
    for number in range(*struct.unpack_from("<I", head, buffers)):
        offset, length = struct.unpack_from("<qq", head, buffers + 4 + 16 * number)
        if is_compressed and length:
            (whole,) = struct.unpack_from("<q", body, offset)
            length = length if whole == PLAIN else whole
        size += max(length, 0)
    return size


def _pointed(head, place):
    """Where an offset points."""
    return place + struct.unpack_from("<I", head, place)[0]


def _field(head, table, number):
    """Where a field of a table lies; None if it is left out."""
    fields = table - struct.unpack_from("<i", head, table)[0]
    (size,) = struct.unpack_from("<H", head, fields)
    (offset,) = struct.unpack_from("<H", head, fields + 4 + 2 * number) if size > 4 + 2 * number else (0,)
    return table + offset if offset else None
