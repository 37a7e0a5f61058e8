"""Files of the loopback server, in memory: uploaded in one request as OpenAI takes them, or in the three steps of
Together (ask where to, put, confirm), where a file whose checksum is known is not taken twice.
"""

import time
from dataclasses import dataclass, field

from tools.provider.http import Refused, Reply, Request


@dataclass
class File:
    id: str
    filename: str
    purpose: str
    content: bytes | None = None  # None until Together's upload is done
    checksum: str = ""
    created: float = field(default_factory=time.time)

    def openai(self) -> dict:
        size, created = len(self.content or b""), int(self.created)
        names = {"id": self.id, "object": "file", "filename": self.filename, "purpose": self.purpose}
        return {**names, "bytes": size, "created_at": created, "status": "processed"}

    def together(self) -> dict:
        return {**self.openai(), "FileType": "jsonl", "processing_status": "COMPLETED"}


class Files:
    def __init__(self):
        self.files = {}  # id -> File

    def add(self, filename: str, purpose: str, content: bytes | None, checksum: str = "") -> File:
        file = File(f"file-{len(self.files) + 1:06}", filename, purpose, content, checksum)
        self.files[file.id] = file
        return file

    def get(self, name: str) -> File:
        file = self.files.get(name)
        if file is None or file.content is None:
            raise Refused(404, f"No such File object: {name}", param="id")
        return file

    def upload(self, request: Request) -> File:
        """OpenAI's upload: a form with the purpose and the file."""
        parts = form(request)
        if "file" not in parts or "purpose" not in parts:
            raise Refused(400, f"The form has {sorted(parts)}, expected purpose and file.", param="file")
        filename, content = parts["file"]
        return self.add(filename, parts["purpose"][1].decode(), content)

    def announce(self, request: Request, base: str) -> Reply:
        """Together's first step: says where the file may be put, or that it is there already."""
        parts = {name: content.decode() for name, (_, content) in form(request).items()}
        missing = {"purpose", "file_name", "file_type", "checksum"} - parts.keys()
        if missing:
            raise Refused(400, f"The form lacks {sorted(missing)}.", param=min(missing))
        for file in self.files.values():
            if file.checksum == parts["checksum"] and file.content is not None:
                refused = Refused(409, f"The file is there already: {file.id}")
                refused.body["file_id"] = file.id
                raise refused
        file = self.add(parts["file_name"], parts["purpose"], None, parts["checksum"])
        return Reply(302, b"", {"location": f"{base}/together/upload/{file.id}", "x-together-file-id": file.id})

    def put(self, name: str, content: bytes) -> None:
        if name not in self.files:
            raise Refused(404, f"No such File object: {name}", param="id")
        self.files[name].content = content

    def delete(self, name: str) -> dict:
        return {"id": self.files.pop(self.get(name).id).id, "object": "file", "deleted": True}

    def present(self) -> list[File]:
        return [file for file in reversed(self.files.values()) if file.content is not None]


def form(request: Request) -> dict[str, tuple[str, bytes]]:
    """The parts of a multipart form: name -> (file name or "", content)."""
    kind = request.headers.get("content-type", "")
    _, found, boundary = kind.partition("boundary=")
    if not found:
        raise Refused(400, f"The content type is {kind!r}, expected multipart/form-data with a boundary.")
    parts = {}
    for part in (b"\r\n" + request.body).split(b"\r\n--" + boundary.split(";")[0].strip('"').encode())[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        words = {}
        for word in head.decode().replace("\r\n", ";").split(";"):
            name, _, value = word.strip().partition("=")
            words[name] = value.strip('"')
        parts[words.get("name", "")] = (words.get("filename", ""), content)
    return parts
