"""One payer at a time per ledger folder. A lease only limits cost: two that pay side by side get the same answers. It
is taken by linking a private file to the name `lease`, which is atomic on network file systems too; one that was not
touched for a minute, or whose process is gone, is renamed away. A newcomer waits, so that it finds the answers of the
holder."""

import contextlib
import json
import os
import secrets
import threading
import time
from pathlib import Path

from ragassay.base.atomic import HOST, alive, clear_leftovers
from ragassay.base.errors import MISSHAPEN
from ragassay.base.stage import log
from ragassay.calls.ledger import sharing
from ragassay.calls.ledger.register import STALE, Register

BEAT = 5.0


class Lease:
    """`with Lease(folder) as lease:` waits its turn; `lease.lost` says that another process took it over. What keeps
    the lease alive keeps the job's entry in the register alive, too. A folder that may not be written needs no lease:
    its answers can be read, and nothing can be asked (`read_only`).
    """

    def __init__(self, folder, needed: bool = True, register: Register | None = None):
        self.needed, self.folder, self.register = needed, Path(folder), register
        self.name = self.folder / "lease"
        self.private = self.folder / f".lease.{HOST}.{os.getpid()}.{secrets.token_hex(4)}"
        self.lost = self.read_only = False
        self._touched, self._since = None, 0.0  # when the holder touched it, and since when that is seen
        self._ending = threading.Event()

    def __enter__(self):
        if not self.needed:
            return self
        try:
            sharing.make_folder(self.folder)
            self.private.write_text(json.dumps({"host": HOST, "pid": os.getpid()}))
            sharing.adopt(self.private)
        except OSError as error:
            if error.errno not in sharing.REFUSALS or not os.access(self.folder, os.R_OK | os.X_OK):
                raise sharing.NotShared(f"{self.folder}: {sharing.problem(self.folder, error)}") from error
            self.needed, self.read_only, self.register = False, True, None
            return self
        last_message = 0.0
        while not self._take():
            if time.monotonic() - last_message > 30:
                log.info("waiting for %s, which asks for the same answers: %s", self._holder(), self.name)
                last_message = time.monotonic()
            time.sleep(0.2)
            self.private.touch()
        clear_leftovers(self.name)
        self._beating = threading.Thread(target=self._beat, daemon=True)
        self._beating.start()
        return self

    def __exit__(self, *_):
        if not self.needed:
            return
        self._ending.set()
        self._beating.join()
        if self._is_ours():
            self.name.unlink(missing_ok=True)
        self.private.unlink(missing_ok=True)

    def _take(self):
        with contextlib.suppress(FileExistsError):
            self.name.hardlink_to(self.private)
        if self._is_ours():  # not what link() returned: its reply may have been lost
            return True
        if self._is_stale(self.name):
            with contextlib.suppress(FileNotFoundError):
                broken = self.folder / f".lease.broken.{secrets.token_hex(4)}"
                self.name.rename(broken)
                broken.unlink()
        return False

    def _is_ours(self):
        try:
            return self.name.samefile(self.private)
        except FileNotFoundError:
            return False

    def _is_stale(self, lease):
        try:
            touched, now = lease.stat().st_mtime, self.private.stat().st_mtime  # both by the clock of the file system
            if touched != self._touched:
                self._touched, self._since = touched, time.monotonic()
            silent = now - touched > STALE and time.monotonic() - self._since >= 2 * BEAT
            holder = json.loads(lease.read_text())
            return silent or (holder["host"] == HOST and not alive(int(holder["pid"])))
        except FileNotFoundError:
            return False
        except MISSHAPEN:
            return silent

    def _holder(self):
        try:
            holder = json.loads(self.name.read_text())
            return f"process {holder['pid']} on {holder['host']}"
        except (FileNotFoundError, *MISSHAPEN):
            return "another process"

    def _beat(self):
        while not self._ending.wait(BEAT):
            self.private.touch()
            self.lost = self.lost or not self._is_ours()
            if self.register:
                self.register.stamp()
