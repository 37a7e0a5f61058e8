"""A table of PostgreSQL, whose vectors are those of pgvector. A key is the table's primary key, and fields are columns;
those of JSON hold further fields. Reading is a transaction that cannot write.
"""

from functools import partial

import psycopg
from psycopg.sql import SQL, Identifier
from psycopg.types.json import Jsonb

from ragassay.base.errors import unknown
from ragassay.services.collection import (
    PAGE,
    SECONDS,
    CollectionError,
    Page,
    TextCollection,
    VectorField,
    identifier,
    whole_number,
)

TABLES = """
SELECT CASE WHEN pg_table_is_visible(oid) THEN relname ELSE relnamespace::regnamespace || '.' || relname END
FROM pg_class
WHERE relkind IN ('r', 'p') AND relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema')
ORDER BY 1
"""
COLUMNS = """
SELECT attname, format_type(atttypid, NULL), EXISTS (
    SELECT FROM pg_index WHERE indrelid = attrelid AND indisprimary AND indnatts = 1 AND indkey[0] = attnum)
FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""

WIDTH = "SELECT atttypmod FROM pg_attribute WHERE attrelid = %s::regclass AND attname = %s"
INDEXES = """
SELECT DISTINCT opcname FROM pg_index JOIN pg_opclass ON pg_opclass.oid = indclass[0] JOIN pg_attribute
ON attrelid = indrelid AND attnum = indkey[0] AND attrelid = %s::regclass AND attname = %s
WHERE indisvalid AND indpred IS NULL ORDER BY 1
"""
CLASSES = {"vector_cosine_ops": "cosine", "vector_ip_ops": "dot"}  # of an index's operators -> similarity
OPERATORS = {  # similarity -> distance in its order, and what it is of that
    "cosine": ("{} <=> %(vector)s::vector", "1 - ({})"),
    "dot": ("{} <#> %(vector)s::vector", "-({})"),
}
OPTIONS = ("hnsw.", "ivfflat.")  # the beginnings of parameters of pgvector

KEYS = {  # how a key of a type is made for an id
    "integer": partial(whole_number, bits=32),
    "bigint": partial(whole_number, bits=64),
    "uuid": identifier,
    "text": str,
    "character varying": str,
}


class Connector(TextCollection):
    ERRORS = (psycopg.Error,)

    layout = None  # the rows of COLUMNS

    def connect(self):
        more = {"password": self.secret} if self.secret else {}
        read_only = "off" if self.writes else "on"
        options = f"-c statement_timeout={SECONDS}s -c default_transaction_read_only={read_only}"
        self.client = psycopg.connect(
            self.entry["address"], connect_timeout=SECONDS, options=options, autocommit=True, **more
        )

    def names(self):
        return [name for (name,) in self.client.execute(TABLES)]

    @property
    def table(self):
        return Identifier(*self.entry["collection"].split("."))

    def columns(self) -> tuple[dict[str, str], str]:
        """name -> type of all columns, and the one that is the key."""
        if self.layout is None:
            self.layout = self.client.execute(COLUMNS, [self.table.as_string(self.client)]).fetchall()
        rows = self.layout
        keys = [name for name, _, is_key in rows if is_key]
        if not keys:
            raise CollectionError(
                f"{self.place}: found no primary key of one column, expected one; add it to the table"
            )
        return {name: kind for name, kind, _ in rows}, keys[0]

    def pages(self, fields, cursor=None, size=PAGE):
        columns, key = self.columns()
        if missing := [name for name in fields if name not in columns]:
            raise CollectionError(f"{self.place}.columns: {unknown('column', missing[0], columns)}")
        begin = SQL("SELECT {} FROM {}").format(SQL(", ").join(map(Identifier, [key, *fields])), self.table)
        end = SQL("ORDER BY {} LIMIT {}").format(Identifier(key), size)
        while True:
            after = SQL("") if cursor is None else SQL("WHERE {} > {}").format(Identifier(key), cursor)
            rows = self.client.execute(SQL(" ").join([begin, after, end])).fetchall()
            last = rows[-1][0] if len(rows) == size else None
            cursor = last if last is None or isinstance(last, int) else str(last)
            keys, *values = zip(*rows, strict=True) if rows else [()] * (1 + len(fields))
            yield Page([*map(_plain, keys)], dict(zip(fields, map(list, values), strict=True)), cursor)
            if cursor is None:
                return

    def keys(self, ids):
        columns, key = self.columns()
        kind = columns[key]
        if kind not in KEYS:
            raise self.refuse(f"a primary key of type {kind}", f"one of {', '.join(KEYS)}")
        return [KEYS[kind](name) for name in ids]

    def present(self, keys):
        columns, key = self.columns()
        query = SQL("SELECT {} FROM {} WHERE {} = ANY(%s::{}[])").format(
            Identifier(key), self.table, Identifier(key), SQL(columns[key])
        )
        return {_plain(row[0]) for row in self.client.execute(query, [keys])}

    def put(self, keys, vectors, fields):
        names = [self.columns()[1], self.vector_field().name, *fields[0]]
        query = SQL("INSERT INTO {} ({}) VALUES ({})").format(
            self.table, SQL(", ").join(map(Identifier, names)), SQL(", ").join([SQL("%s")] * len(names))
        )
        rows = [
            [first, str(vector), *(Jsonb(value) if isinstance(value, dict) else value for value in row.values())]
            for first, vector, row in zip(keys, vectors, fields, strict=True)
        ]
        with self.client.transaction(), self.client.cursor() as cursor:
            cursor.executemany(query, rows)

    def remove(self, keys):
        columns, key = self.columns()
        query = SQL("DELETE FROM {} WHERE {} = ANY(%s::{}[])").format(self.table, Identifier(key), SQL(columns[key]))
        self.client.execute(query, [keys])

    def vector_field(self):
        names = [name for name, kind in self.columns()[0].items() if kind == "vector"]
        if len(names) != 1:
            raise self.refuse(f"{len(names)} columns of type vector", "one")
        place = [self.table.as_string(self.client), names[0]]
        [(width,)] = self.client.execute(WIDTH, place).fetchall()
        classes = [name for (name,) in self.client.execute(INDEXES, place)]
        similarities = tuple(CLASSES.get(name, name) for name in classes)
        return VectorField(names[0], width if width > 0 else None, similarities)

    def nearest(self, vector, field, similarity, count, fields, options):
        operator, score = OPERATORS[similarity]
        columns, key = self.columns()
        if missing := [name for name in fields if name not in columns]:
            raise CollectionError(f"{self.place}.columns: {unknown('column', missing[0], columns)}")
        for name in options:
            if not name.startswith(OPTIONS):
                raise self.refuse(f"the parameter {name!r:.60}", f"one that begins with {' or '.join(OPTIONS)}")
        distance = SQL(operator).format(Identifier(field.name))
        query = SQL("SELECT {columns}, {score} FROM {table} ORDER BY {distance} LIMIT {count}").format(
            columns=SQL(", ").join(map(Identifier, [key, *fields])),
            score=SQL(score).format(distance),
            table=self.table,
            distance=distance,
            count=count,
        )
        for name, value in options.items():
            self.client.execute("SELECT set_config(%s, %s, false)", [name, str(value)])
        rows = self.client.execute(query, {"vector": str(vector)}).fetchall()
        keys, *values, scores = zip(*rows, strict=True) if rows else [()] * (2 + len(fields))
        return Page([*map(_plain, keys)], dict(zip(fields, map(list, values), strict=True)), None), list(scores)

    def close(self):
        self.client.close()


def _plain(key):
    return key if isinstance(key, int) else str(key)
