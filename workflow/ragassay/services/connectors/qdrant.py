"""Qdrant, at an address or in a folder of its local mode. A key is a point's id, and its fields are the payload."""

from pathlib import Path

from qdrant_client import QdrantClient
from qdrant_client.http.exceptions import ApiException

from ragassay.services.collection import PAGE, SECONDS, Collection, CollectionError, Row


class Connector(Collection):
    ERRORS = (ApiException, OSError, RuntimeError, ValueError)

    def connect(self):
        address = self.entry["address"]
        if "://" in address:
            self.client = QdrantClient(
                url=address, api_key=self.secret or None, timeout=SECONDS, check_compatibility=False
            )
        elif Path(address).is_dir():
            self.client = QdrantClient(path=address)
        else:
            raise CollectionError(
                f"{self.place}.address: found {address!r}, expected http://... or a folder of Qdrant's local mode"
            )

    def names(self):
        return [collection.name for collection in self.client.get_collections().collections]

    def pages(self, fields, cursor=None, size=PAGE):
        while True:
            with self.asking():
                points, cursor = self.client.scroll(
                    self.entry["collection"], limit=size, offset=cursor, with_payload=fields, with_vectors=False
                )
            yield [Row(point.id, point.payload or {}) for point in points], cursor
            if cursor is None:
                return

    def close(self):
        self.client.close()
