"""Milvus, at an address or in a file of Milvus Lite. A key is the primary field; fields may be dynamic ones."""

import json
from pathlib import Path

import grpc
from pymilvus import MilvusClient, MilvusException

from ragassay.services.collection import PAGE, SECONDS, Collection, CollectionError, Row


class Connector(Collection):
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
                yield [Row(row[key], row) for row in page], page[-1][key] if page else None
                if not page:
                    return
        finally:
            rows.close()

    def close(self):
        self.client.close()
