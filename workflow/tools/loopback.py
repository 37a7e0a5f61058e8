"""A provider of language models on this machine, for benchmarks and tests: OpenAI-compatible, in a process of its own,
with the latency, limits and faults that it is told to have, and a log of what it billed.

    with Loopback(latency=0.2, faults={"429": 0.02, "drop": 0.01}) as server:
        client = openai.OpenAI(base_url=server.url, api_key=server.key, max_retries=0)
        ...
        server.control(faults={})
        server.summary()["billed"]

or by hand: `PYTHONPATH=workflow python -m tools.loopback '{"latency": 0.2}' --log calls.jsonl`, which prints port and
pid as one line of JSON and serves until its standard input closes or SIGTERM. `provider/behaviour.py` lists all
settings and faults; POST /control changes them, GET /log/summary has the totals. It imports nothing of what it is there
to test."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from tools.provider.behaviour import Behaviour

DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Loopback:
    """The server as a context manager. Keyword arguments are settings of its behaviour; `log` is where it writes."""

    def __init__(self, log: str | os.PathLike | None = None, **behaviour):
        Behaviour().changed(json.loads(json.dumps(behaviour)))  # a wrong setting is an error here and now
        self.behaviour, self.key = behaviour, behaviour.get("key", "test-key")
        self.folder = None if log else tempfile.TemporaryDirectory(prefix="loopback-")
        self.path = Path(log or Path(self.folder.name) / "log.jsonl")

    def start(self):
        """The server's process."""
        command = [sys.executable, __file__, json.dumps(self.behaviour), "--log", str(self.path)]
        # A function that answers is imported from where the caller would import it.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)

    def __enter__(self):
        self.process = self.start()
        started = self.process.stdout.readline()
        if not started:
            self.__exit__()
            raise ValueError("the loopback server did not start; it says why on standard error")
        self.base = f"http://127.0.0.1:{json.loads(started)['port']}"
        self.url, self.together_url = f"{self.base}/v1", f"{self.base}/together"
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        if self.folder:
            self.folder.cleanup()

    def ask(self, path: str, settings: dict | None = None) -> dict:
        body = None if settings is None else json.dumps(settings).encode()
        try:
            with DIRECT.open(urllib.request.Request(self.base + path, data=body), timeout=60) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            raise ValueError(json.load(error)["error"]["message"]) from None

    def control(self, **behaviour) -> dict:
        """Change settings from the next request on; all settings as they are now."""
        return self.ask("/control", behaviour)

    def summary(self) -> dict:
        """Counts by kind, what was billed, most in flight, requests per key."""
        return self.ask("/log/summary")

    def log(self) -> list[dict]:
        """All lines of the log, with the rows of batches that ended by now."""
        self.summary()
        with self.path.open() as file:
            return [json.loads(line) for line in file]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("behaviour", nargs="?", default="{}", help="settings as a JSON object")
    parser.add_argument("--log", default=os.devnull, help="the file that requests are logged to")
    arguments = parser.parse_args()
    import asyncio

    from tools.provider.server import serve

    try:
        asyncio.run(serve(Behaviour().changed(json.loads(arguments.behaviour)), arguments.log))
    except ValueError as error:
        sys.exit(f"loopback: {error}")


if __name__ == "__main__":
    main()
