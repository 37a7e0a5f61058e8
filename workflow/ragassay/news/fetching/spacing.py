"""Turns at a host: one request at a time, with a pause in between, in all processes that share the folder. A file per
host is locked (flock) while a request is under way and says when the last one ended and until when the host wants to
be left alone. Nobody holds the lock while waiting. Clocks may differ: no wait is longer than the pause itself."""

import asyncio
import contextlib
import fcntl
import hashlib
import os
import time
from collections import defaultdict
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.news.fetching.addresses import Failed

LONGEST = 86_400.0  # of what a host may ask for by Retry-After
LONGEST_NAME = 120  # file systems take 255 bytes or less, and temporary files add to a name
FIRST_LOOK, LAST_LOOK = 0.002, 0.1  # pauses between two looks at a lock that another process holds


def file_of(folder: Path, name: str, ending: str) -> Path:
    """Where something about a host is kept. A long name becomes its digest, which no host can be called: labels end at
    63 characters.
    """
    name = name if len(name) <= LONGEST_NAME else hashlib.sha256(name.encode()).hexdigest()
    return folder / f"{name}.{ending}"


class Turn:
    """One request's hold on a host; `file` is that of the host, locked."""

    def __init__(self, file: int):
        self.file = file
        try:
            self.ended, self.left_alone_until = map(float, os.pread(file, 100, 0).split())
        except ValueError:  # new, or torn by a machine that went down
            self.ended = self.left_alone_until = 0.0

    def wait(self, gap: float, patience: float, waited: float) -> float:
        """Seconds until the host may be asked by one who has waited so long since it was last asked."""
        now = time.time()
        rest = min(self.left_alone_until - now, LONGEST)
        if rest > patience:
            raise Failed("put_off", f"the host wants to be left alone for another {rest:.0f} s")
        return max(rest, min(self.ended + gap - now, gap - waited))

    def leave_alone(self, seconds: float) -> None:
        self.left_alone_until = time.time() + min(max(seconds, 0.0), LONGEST)

    def note(self) -> None:
        self.ended = time.time()
        os.pwrite(self.file, f"{self.ended:.6f} {self.left_alone_until:.6f}\n".ljust(60).encode(), 0)

    def close(self) -> None:
        os.close(self.file)


class Spacing:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.locks = defaultdict(asyncio.Lock)  # a host's requests in this process need not look at its file

    @contextlib.asynccontextmanager
    async def turn(self, host: str, gap: float, patience: float):
        """Wait for the host; Failed if it wants to be left alone for longer than `patience` seconds."""
        async with self.locks[host]:
            turn = await self._take(host, gap, patience)
            try:
                turn.note()
                yield turn
            finally:
                turn.note()
                turn.close()

    async def _take(self, host, gap, patience):
        look, last, since = FIRST_LOOK, None, 0.0
        while True:
            turn = self._open(host)
            if turn is None:
                await asyncio.sleep(look)
                look = min(2 * look, LAST_LOOK)
                continue
            if turn.ended != last:
                last, since = turn.ended, time.monotonic()
            try:
                wait = turn.wait(gap, patience, time.monotonic() - since)
            except Failed:
                turn.close()
                raise
            if wait <= 0:
                return turn
            turn.close()
            await asyncio.sleep(wait)

    def _open(self, host):
        """The host's turn, or None while another process has it."""
        path = file_of(self.folder, host, "turn")
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return None
        except OSError as error:
            os.close(file)
            raise AssayError(
                f"{path} cannot be locked ({error.strerror}), so jobs could not keep apart at one host: put the "
                "folder on a file system with locks"
            ) from None
        return Turn(file)
