"""Milvus, at an address or in a file of Milvus Lite. A key is the primary field; fields may be dynamic ones."""

import json
from pathlib import Path

import grpc
from pymilvus import DataType, MilvusClient, MilvusException

from ragassay.services.collection import PAGE, SECONDS, CollectionError, Page, TextCollection, whole_number

STRONG = {"consistency_level": "Strong"}  # what was written before is there


class Connector(TextCollection):
    ERRORS = (MilvusException, grpc.RpcError, OSError, RuntimeError, ValueError)

    def connect(self):
        address = self.entry["address"]
        if "://" not in address and not Path(address).exists():
            raise CollectionError(
                f"{self.place}.address: found {address!r}, expected http://... or a file of Milvus Lite"
            )
        self.client = MilvusClient(uri=address, token=self.secret, timeout=SECONDS)

    def names(self):
        return self.client.list_collections()

    def schema(self) -> tuple[dict[str, dict], dict]:
        """name -> each field of the schema, and the one that is the key."""
        with self.asking():
            fields = self.client.describe_collection(self.entry["collection"])["fields"]
        return {field["name"]: field for field in fields}, next(field for field in fields if field.get("is_primary"))

    def pages(self, fields, cursor=None, size=PAGE):
        key = self.schema()[1]["name"]
        with self.asking():
            self.client.load_collection(self.entry["collection"])
            rows = self.client.query_iterator(
                self.entry["collection"],
                batch_size=size,
                filter="" if cursor is None else f"{key} > {json.dumps(cursor)}",
                output_fields=[key, *fields],
            )
        try:
            while True:
                with self.asking():
                    page = rows.next()
                values = {name: [row.get(name) for row in page] for name in [key, *fields]}
                yield Page(values[key], values, page[-1][key] if page else None)
                if not page:
                    return
        finally:
            rows.close()

    def keys(self, ids):
        key = self.schema()[1]
        if key.get("auto_id"):
            raise self.refuse("keys that Milvus gives by itself", "a collection without auto_id")
        return [whole_number(name, 64) if key["type"] == DataType.INT64 else name for name in ids]

    def present(self, keys):
        key = self.schema()[1]["name"]
        with self.asking():
            self.client.load_collection(self.entry["collection"])
            rows = self.client.query(self.entry["collection"], ids=keys, output_fields=[key], **STRONG)
        return {row[key] for row in rows}

    def put(self, keys, vectors, fields):
        schema, key = self.schema()
        names = [name for name, field in schema.items() if field["type"] == DataType.FLOAT_VECTOR]
        if len(names) != 1:
            raise self.refuse(f"{len(names)} fields of vectors", "one")
        rows = zip(keys, vectors, fields, strict=True)
        with self.asking():
            self.client.insert(
                self.entry["collection"], [row | {key["name"]: first, names[0]: vector} for first, vector, row in rows]
            )

    def remove(self, keys):
        with self.asking():
            self.client.delete(self.entry["collection"], ids=keys)

    def close(self):
        self.client.close()
