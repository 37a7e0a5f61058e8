"""`ragassay serve`: the guard server of the configuration, until it is interrupted."""

import asyncio
import logging
import os
import sys

from ragassay.base import pipeline
from ragassay.base.stage import log
from ragassay.config.settings import of_project
from ragassay.people.page.access import LOOPBACK
from ragassay.people.page.connections import listen
from ragassay.services.serving.application import Server, application, listener, reload_on_hangup
from ragassay.services.serving.fits import Fits, ServerError
from ragassay.services.serving.proxy import Proxy


def serve(words: list[str], host: str, port: int, observe: bool) -> None:
    """On other addresses than loopback it needs a token."""
    settings = of_project(pipeline.configfiles(words))["guard_server"]
    token = os.environ.get(settings["token_variable"], "")
    if not token and host not in LOOPBACK:
        variable = settings["token_variable"]
        raise ServerError(
            f"{host}: other machines can reach this address and {variable} is not set, expected a token there;"
            f" in your shell: export {variable}=..."
        )
    proxy = Proxy(settings["proxy"], observe) if settings["proxy"]["address"] else None
    if observe and not proxy:
        raise ServerError("guard_server.proxy.address: found none, expected the service that is observed")
    log.setLevel(logging.INFO)
    log.addHandler(logging.StreamHandler())
    listening = listen(host, port)
    asyncio.run(_run(listening, settings, token, proxy))


async def _run(listening, settings, token, proxy):
    server = Server(settings, Fits.load(settings), proxy)
    app = application(server, token)
    reload_on_hangup(server)
    host, port, *_ = listening.getsockname()
    names = ", ".join(server.fits.names())
    sys.stdout.write(f"serves {names} at http://{f'[{host}]' if ':' in host else host}:{port}/  (stop with Ctrl-C)\n")
    sys.stdout.flush()
    await listener(app, server).serve(sockets=[listening])
