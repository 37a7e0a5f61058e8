"""The demo's service behind the proxy of `ragassay serve`, with a gate and a guard that the demo has fitted: users ask
the proxy. Both listen on free ports of 127.0.0.1 while a block runs."""

import socket
import tempfile
import threading
from contextlib import ExitStack

from demo import rag_service
from ragassay.config import schema
from ragassay.config.settings import with_defaults
from ragassay.services.serving.application import Server, application, listener
from ragassay.services.serving.fits import Fits
from ragassay.services.serving.proxy import Proxy


class LocalService:
    """`settings` hold those of the service as `service`, and of the guard server, as the configuration has them, as
    `guard_server`. Its log of decisions is gone with it.
    """

    def __init__(self, settings: dict):
        self.given = with_defaults(settings["guard_server"], schema.merged()["properties"]["guard_server"])
        self.service = rag_service.LocalService(settings.get("service", {}))

    def __enter__(self):
        with ExitStack() as stack:
            behind = stack.enter_context(self.service)
            log = stack.enter_context(tempfile.TemporaryDirectory())
            address = f"http://127.0.0.1:{behind.port}/ask"
            server = Server(
                self.given, Fits.load(self.given), Proxy(self.given["proxy"] | {"address": address, "log": log})
            )
            listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            self.port, self.server = listening.getsockname()[1], listener(application(server), server)
            self.thread = threading.Thread(target=self.server.run, args=([listening],), daemon=True)
            self.thread.start()
            self.open = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.server.should_exit = True
        self.thread.join()
        self.open.close()
