"""A server that speaks Qdrant's HTTP on loopback, as far as reading and searching go: what it answers comes from the
official client's local mode, in the official client's models. It writes down what it is asked, and can go away.
"""

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from qdrant_client import QdrantClient, models


class QdrantServer:
    def __init__(self, folder):
        self.asked, self.params = [], []  # vectors that were searched for, and with which parameters
        self.leaves_after = None  # how many are answered
        self._client = QdrantClient(path=str(folder), force_disable_check_same_thread=True)
        self._server = HTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._client.close()

    def _handler(self):
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                _, _, *name = self.path.split("/")
                answer = server._client.get_collection(name[0]) if name else server._client.get_collections()
                self._answer(answer)

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                _, _, name, _, what = self.path.split("/")
                assert what == "query", self.path
                if server.leaves_after is not None and len(server.asked) >= server.leaves_after:
                    self.close_connection = True
                    return  # without an answer
                asked = models.QueryRequest(**body)
                server.asked.append(asked.query.nearest)
                server.params.append(asked.params)
                points = server._client.query_points(
                    name, asked.query.nearest, limit=asked.limit, with_payload=asked.with_payload, using=asked.using
                )
                self._answer(points)

            def _answer(self, result):
                content = json.dumps({"result": result.model_dump(mode="json"), "status": "ok", "time": 0.0}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        return Handler


def serving(folder):
    """The server of a folder of local mode, for a `with` block."""
    return contextlib.closing(QdrantServer(folder))
