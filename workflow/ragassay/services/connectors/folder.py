"""A folder in which a service looks for further texts when it starts, for services that read files. Each of its texts
is a file of its own, whose name without the ending is the key. There are no vectors. A folder that is missing is empty,
and is made when the first text comes.
"""

import re
from pathlib import Path

from ragassay.base.atomic import creating
from ragassay.services.collection import PAGE, CollectionError, Page, TextCollection

ENDING = ".txt"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)


class Connector(TextCollection):
    ERRORS = (OSError, UnicodeDecodeError)

    def connect(self):
        name = self.entry["collection"]
        if not NAME.fullmatch(name):
            raise CollectionError(f"{self.place}.collection: found {name!r}, expected the name of a folder in address")
        self.folder = Path(self.entry["address"], name)
        if self.folder.is_symlink() or (self.folder.exists() and not self.folder.is_dir()):
            raise CollectionError(f"{self.place}: found {self.folder}, which is a link or a file, expected a folder")

    def names(self):
        return [self.entry["collection"]]

    def pages(self, fields, cursor=None, size=PAGE):
        names = sorted(path.stem for path in self.folder.glob(f"*{ENDING}") if not path.name.startswith("."))
        names = [name for name in names if cursor is None or name > cursor]
        while True:
            page, names = names[:size], names[size:]
            texts = [self._file(name).read_text(encoding="utf-8") for name in page]
            column = self.entry["columns"]["text"]
            values = {name: texts if name == column else [None] * len(page) for name in fields}
            yield Page(page, values, page[-1] if names else None)
            if not names:
                return

    def keys(self, ids):
        return list(ids)

    def present(self, keys):
        return {key for key in keys if self._file(key).exists()}

    def put(self, keys, vectors, fields):
        for key, row in zip(keys, fields, strict=True):
            with creating(self._file(key)) as file:
                file.write(row[self.entry["columns"]["text"]].encode())

    def remove(self, keys):
        for key in keys:
            self._file(key).unlink(missing_ok=True)

    def vector_field(self):
        raise self.refuse("a folder of texts", "a database that has their vectors")

    def nearest(self, vector, field, similarity, count, fields, options):
        return self.vector_field()

    def close(self):
        pass

    def _file(self, key):
        if not NAME.fullmatch(key):
            raise self.refuse(f"the key {key!r:.60}", "the name of a file")
        return self.folder / f"{key}{ENDING}"
