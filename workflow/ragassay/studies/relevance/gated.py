"""What a gate says of many texts, as columns of a table. A text that comes again is asked about once."""

import numpy as np
import pyarrow as pa

TOGETHER = 4096  # texts that are searched for at once


def decisions(gate, texts: pa.ChunkedArray) -> dict:
    """value, p_value, rejected and passage_id, the nearest passage, of each text."""
    coded = texts.combine_chunks().dictionary_encode()
    different, at = coded.dictionary.to_pylist(), coded.indices.to_numpy()
    parts = [gate.measure(different[start : start + TOGETHER]) for start in range(0, len(different), TOGETHER)]
    columns = {
        "value": np.concatenate([part.values for part in parts]),
        "p_value": np.concatenate([part.p_values for part in parts]),
        "rejected": np.concatenate([part.rejected for part in parts]),
    }
    nearest = pa.array([passages[0] if passages else None for part in parts for passages in part.passages], pa.string())
    return {name: values[at] for name, values in columns.items()} | {"passage_id": nearest.take(coded.indices)}
