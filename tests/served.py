"""A loopback server with the ways in which tests talk to it."""

import contextlib
import http.client
import json
import socket

import openai
from loopback import Loopback

MESSAGES = [{"role": "user", "content": "Is the harbour open?"}]
BODY = {"model": "loopback", "messages": MESSAGES}


class Served(Loopback):
    def openai(self, **settings):
        client = openai.OpenAI(base_url=self.url, api_key=settings.pop("key", self.key), max_retries=0, **settings)
        return contextlib.closing(client)

    def chat(self, **body):
        """One chat completion by the official client."""
        with self.openai() as client:
            return client.chat.completions.create(**{**BODY, **body})

    def post(self, body=BODY, path="/v1/chat/completions", **headers):
        """Status, headers and JSON of a plain request."""
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json", **headers}
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        with contextlib.closing(connection):
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            connection.request("POST", path, content, headers)
            reply = connection.getresponse()
            return reply.status, dict(reply.headers), json.loads(reply.read())

    def raw(self, *sent: bytes, timeout=None) -> bytes:
        """Everything that comes back on one connection until the server closes it, or `timeout` seconds if there is one
        have gone.
        """
        received = b""
        connect = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        with connect as connection, contextlib.suppress(TimeoutError, ConnectionResetError):
            for piece in sent:
                connection.sendall(piece)
            while piece := connection.recv(65_536):
                received += piece
        return received

    @property
    def port(self) -> int:
        return int(self.base.rpartition(":")[2])


def request(body=BODY, key="test-key", headers="") -> bytes:
    """The bytes of a chat request."""
    content = json.dumps(body).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n{headers}"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


@contextlib.contextmanager
def waiting(server):
    """A request whose reply nobody reads."""
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(request())
        yield
