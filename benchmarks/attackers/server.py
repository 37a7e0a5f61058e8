"""The hostile servers, in a process of their own, which `running` starts: one that does what `attackers/behaviour.py`,
`attackers/bodies.py` and `attackers/places.py` say, by the host name that it is asked for
(`<behaviour>-<number>.test`), and its victims, which count connections.

Prints one line of JSON with its ports; each line on its standard input is answered with what the victims counted.
"""

import asyncio
import contextlib
import json
import random
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from attackers.behaviour import PAGE, play
from attackers.bodies import prepare
from attackers.cases import COMPANIONS, KINDS
from attackers.places import to_own


@dataclass(frozen=True)
class Place:
    victims: tuple[int, int]  # ports on 127.0.0.1 and ::1
    seconds: float  # that a fetch may take
    host: str = ""


class Victim:
    """Listens on all addresses of this machine and never says a word."""

    def __init__(self):
        self.visits = 0

    async def start(self, host):
        server = await asyncio.start_server(self.visit, host, 0)
        return server.sockets[0].getsockname()[1]

    async def visit(self, reader, writer):
        self.visits += 1
        writer.close()


async def serve(reader, writer, victims, seconds):
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
        start = await reader.readexactly(1)
        if start == b"\x16":  # the client wants TLS
            await play([b"HTTP/1.1 400 Bad Request\r\n\r\n"], writer)
            return
        lines = (start + await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        path = lines[0].split(" ")[1]
        host = next(line[6:] for line in lines if line.lower().startswith("host: "))
        name = host.partition("-")[0]
        dice, place, of_robots = random.Random(host), Place(victims, seconds, host), name.startswith("robots_")
        if name == "dns_to_own" and not path.startswith("/robots.txt"):
            pieces = to_own(dice, place)
        elif path.startswith("/final") or name.startswith("dns_") or (of_robots and not path.startswith("/robots.txt")):
            pieces = [PAGE]
        elif path.startswith("/robots.txt") and not of_robots:
            pieces = [b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"]
        else:
            pieces = KINDS[COMPANIONS.get(name, name)][1](dice, place)
        await play(pieces, writer)
    with contextlib.suppress(OSError):
        if writer.can_write_eof():
            writer.write_eof()
        async with asyncio.timeout(1):
            await writer.drain()
            await reader.read()
    writer.transport.abort()


class Running(NamedTuple):
    ports: dict
    visits: Callable[[], int]  # how many connections the victims have counted


@contextlib.contextmanager
def running(seconds: float) -> Iterator[Running]:
    """The process, for fetches that may take so long; it ends with the block."""
    command = [sys.executable, "-m", "attackers.server", str(seconds)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen(command, cwd=Path(__file__).resolve().parents[1], **pipes) as server:

        def visits():
            server.stdin.write("\n")
            return int(server.stdout.readline())

        try:
            yield Running(json.loads(server.stdout.readline()), visits)
        finally:
            server.kill()


async def main(seconds: float):
    prepare()
    victim = Victim()
    victims = await victim.start("0.0.0.0"), await victim.start("::")
    server = await asyncio.start_server(lambda r, w: serve(r, w, victims, seconds), "127.0.0.1", 0, backlog=1000)
    with socket.create_server(("127.0.0.1", 0), backlog=1) as full:  # nobody ever accepts there, and its queue is full
        places = [socket.socket() for _ in range(8)]
        for place in places:
            place.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                place.connect(full.getsockname())
        ports = {"server": server.sockets[0].getsockname()[1], "victims": victims, "full": full.getsockname()[1]}
        sys.stdout.write(json.dumps(ports) + "\n")
        sys.stdout.flush()
        loop = asyncio.get_running_loop()
        while await loop.run_in_executor(None, sys.stdin.readline):
            sys.stdout.write(f"{victim.visits}\n")
            sys.stdout.flush()
        for place in places:
            place.close()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
