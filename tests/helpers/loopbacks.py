"""Loopback servers without the tenth of a second in which each would be loaded: one process has loaded it, and forks
for each request with settings, the file of the log and the places of modules. It answers with the process's number.
"""

import asyncio
import json
import os
import signal
import socket
import sys

from tools.provider.behaviour import Behaviour
from tools.provider.server import serve

LONGEST = 1 << 17  # bytes of a request


def main():
    requests = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    while True:
        request, descriptors, _, _ = socket.recv_fds(requests, LONGEST, 2)
        if not request:
            return
        process = os.fork()
        if process == 0:
            requests.close()
            run(descriptors, *json.loads(request))
        for descriptor in descriptors:
            os.close(descriptor)
        requests.send(str(process).encode())


def run(descriptors, settings, log, places) -> None:
    """As `python -m tools.loopback` does, to the end of this process."""
    for at, descriptor in enumerate(descriptors):
        os.dup2(descriptor, at)
        os.close(descriptor)
    sys.path[:] = places
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        asyncio.run(serve(Behaviour().changed(settings), log))
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
