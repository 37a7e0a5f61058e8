"""Milvus, at an address or in a file of Milvus Lite. A key is the primary field; fields may be dynamic ones."""

import json
from pathlib import Path

import grpc
from pymilvus import DataType, MilvusClient, MilvusException

from ragassay.services.collection import PAGE, SECONDS, CollectionError, Page, TextCollection, VectorField, whole_number

SIMILARITIES = {"COSINE": "cosine", "IP": "dot"}
STRONG = {"consistency_level": "Strong"}  # what was written before is there


class Connector(TextCollection):
    ERRORS = (MilvusException, grpc.RpcError, OSError, RuntimeError, ValueError)

    fields = None  # of the schema

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
        if self.fields is None:
            self.fields = self.client.describe_collection(self.entry["collection"])["fields"]
        key = next(field for field in self.fields if field.get("is_primary"))
        return {field["name"]: field for field in self.fields}, key

    def pages(self, fields, cursor=None, size=PAGE):
        key = self.schema()[1]["name"]
        self.client.load_collection(self.entry["collection"])
        rows = self.client.query_iterator(
            self.entry["collection"],
            batch_size=size,
            filter="" if cursor is None else f"{key} > {json.dumps(cursor)}",
            output_fields=[key, *fields],
        )
        try:
            while True:
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
        self.client.load_collection(self.entry["collection"])
        rows = self.client.query(self.entry["collection"], ids=keys, output_fields=[key], **STRONG)
        return {row[key] for row in rows}

    def put(self, keys, vectors, fields):
        key, name = self.schema()[1], self.vector_field().name
        rows = zip(keys, vectors, fields, strict=True)
        self.client.insert(
            self.entry["collection"], [row | {key["name"]: first, name: vector} for first, vector, row in rows]
        )

    def remove(self, keys):
        self.client.delete(self.entry["collection"], ids=keys)

    def vector_field(self):
        fields = [field for field in self.schema()[0].values() if field["type"] == DataType.FLOAT_VECTOR]
        if len(fields) != 1:
            raise self.refuse(f"{len(fields)} fields of vectors", "one")
        [field], collection = fields, self.entry["collection"]
        indexes = self.client.list_indexes(collection, field["name"])
        kinds = [self.client.describe_index(collection, index)["metric_type"] for index in indexes]
        if not kinds:
            raise self.refuse(f"no index of {field['name']}", "one; create it")
        return VectorField(field["name"], field["params"]["dim"], (SIMILARITIES.get(kinds[0], kinds[0]),))

    def nearest(self, vector, field, similarity, count, fields, options):
        key, collection = self.schema()[1]["name"], self.entry["collection"]
        self.client.load_collection(collection)
        [rows] = self.client.search(
            collection,
            data=[vector],
            anns_field=field.name,
            limit=count,
            output_fields=[key, *fields],
            search_params={"params": options},
            **STRONG,
        )
        values = {name: [row["entity"].get(name) for row in rows] for name in [key, *fields]}
        return Page(values[key], values, None), [row["distance"] for row in rows]

    def close(self):
        self.client.close()
