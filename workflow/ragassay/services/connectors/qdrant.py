"""Qdrant, at an address or in a folder of its local mode. A key is a point's id, and its fields are the payload."""

from pathlib import Path

from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException

from ragassay.services.collection import PAGE, SECONDS, CollectionError, Page, TextCollection, VectorField, identifier


class Connector(TextCollection):
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
            points, cursor = self.client.scroll(
                self.entry["collection"], limit=size, offset=cursor, with_payload=fields, with_vectors=False
            )
            payloads = [point.payload or {} for point in points]
            values = {name: [payload.get(name) for payload in payloads] for name in fields}
            yield Page([point.id for point in points], values, cursor)
            if cursor is None:
                return

    def keys(self, ids):
        return [identifier(name) for name in ids]

    def present(self, keys):
        points = self.client.retrieve(self.entry["collection"], keys, with_payload=False)
        return {point.id for point in points}

    def put(self, keys, vectors, fields):
        if name := self.vector_field().name:
            vectors = [{name: vector} for vector in vectors]
        rows = zip(keys, vectors, fields, strict=True)
        points = [models.PointStruct(id=key, vector=vector, payload=payload) for key, vector, payload in rows]
        self.client.upsert(self.entry["collection"], points, wait=True)

    def remove(self, keys):
        self.client.delete(self.entry["collection"], models.PointIdsList(points=keys), wait=True)

    def vector_field(self):
        kinds = self.client.get_collection(self.entry["collection"]).config.params.vectors
        named = kinds if isinstance(kinds, dict) else {"": kinds} if kinds else {}
        if len(named) != 1:
            raise self.refuse(f"vectors {', '.join(named)}" if named else "no dense vectors", "one for each point")
        [(name, kind)] = named.items()
        return VectorField(name, kind.size, (kind.distance.value.lower(),))

    def nearest(self, vector, field, similarity, count, fields, options):
        points = self.client.query_points(
            self.entry["collection"],
            query=vector,
            using=field.name or None,
            limit=count,
            search_params=models.SearchParams(**options) if options else None,
            with_payload=fields,
        ).points
        payloads = [point.payload or {} for point in points]
        values = {name: [payload.get(name) for payload in payloads] for name in fields}
        return Page([point.id for point in points], values, None), [point.score for point in points]

    def close(self):
        self.client.close()
