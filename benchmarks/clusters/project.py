"""A clone of the project that runs on a Slurm of this machine and asks a loopback server, and what is counted of it."""

import bisect
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

from clusters.slurm import Slurm
from common.figures import ROOT
from ragassay.calls.ledger.journal import decode
from ragassay.release.verification.digests import logical_digest
from tools.loopback import Loopback

SHARDS = ("2026-01", "2026-02")
CLAIMS = tuple(f"results/recovered_claims/remote/{shard}.parquet" for shard in SHARDS)
DOCUMENTS = tuple(f"results/documents/{shard}.parquet" for shard in SHARDS)
AS_USERS_DO, HERE = ("--profile", "profiles/slurm"), ("--cores", "2")
ON_SLURM = (*AS_USERS_DO, "--slurm-init-seconds-before-status-checks", "3")  # jobs of a scenario take seconds
MOMENTS = ["fetched_at", "headers"]  # columns of pages that say when a server answered
PATIENCE = 1800  # seconds until a run counts as hanging
A_SECOND = 2  # requests that the limit of the model allows
SERVER = {"latency": 1.0, "respond": "ragassay.calls.providers.rules:respond", "models": []}


class Project:
    """A clone in a folder of its own, and the Slurm and the server that its runs use."""

    def __init__(self, folder: Path, slurm: Slurm, server: Loopback | None = None, like: Path | None = None):
        """A clone of this repository, or a copy of a folder like it, in which some rules have run."""
        self.folder, self.slurm, self.server, self.heads = Path(folder), slurm, server, []
        if like:
            shutil.copytree(like, folder, symlinks=True)
        else:
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
        self.settings, self.before = ["--configfile", "tests/tiny/config.yaml"], Counter()
        self.environment = dict(slurm.environment)
        if server:
            self._ask(server)

    def _ask(self, server):
        model = {"provider": "openai", "model": "loopback", "base_url": server.url, "key_variable": "LOOPBACK_KEY"}
        model |= {"price": {"input": 0, "output": 0}, "concurrency": 2, "requests_per_minute": 60 * A_SECOND}
        (self.folder / "trial.json").write_text(
            json.dumps({"models": {"remote": model}, "scope": {"generators": ["remote"]}})
        )
        self.settings.append("trial.json")
        self.environment["LOOPBACK_KEY"] = server.key
        self.before, self.start_of_log = Counter(server.summary()["requests_per_key"]), time.time()

    def start(self, *words, how=ON_SLURM) -> subprocess.Popen:
        command = [sys.executable, "-m", "snakemake", *how, *words, *self.settings]
        with (self.folder / "told.txt").open("ab") as told:
            head = subprocess.Popen(
                command, cwd=self.folder, env=self.environment, stdout=told, stderr=told, start_new_session=True
            )
        self.heads.append(head)
        return head

    def run(self, *words, how=ON_SLURM) -> int:
        return self.start(*words, how=how).wait(PATIENCE)

    def end(self):
        """Nothing of it goes on."""
        for head in self.heads:
            if head.poll() is None:
                os.killpg(head.pid, signal.SIGKILL)
                head.wait()
        self.slurm.command("scancel", "--me", "--signal=KILL", "--full")
        self.slurm.command("scancel", "--me")
        self.wait_until(lambda: not self.slurm.jobs(), "all jobs have ended")

    @property
    def told(self) -> str:
        return (self.folder / "told.txt").read_text()

    def wait_until(self, ready, what: str, seconds: float = PATIENCE):
        deadline = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > deadline:
                raise RuntimeError(f"{what}: not so after {seconds} s; see {self.folder / 'told.txt'}")
            time.sleep(0.2)

    def wait_for_jobs(self, running: bool = True):
        """Until a job runs, or none is left."""
        self.wait_until(lambda: bool(self.slurm.running()) == running, f"jobs {'run' if running else 'have ended'}")

    def wait_for_calls(self, requests: int, head: subprocess.Popen):
        """Until the server has been asked so often in this project: jobs are in mid-call then."""
        self.wait_until(lambda: self.asked().total() >= requests or head.poll() is not None, f"{requests} requests")
        assert head.poll() is None, f"the run ended before it asked anything; see {self.folder / 'told.txt'}"

    def asked(self) -> Counter:
        """Requests that the server got since this project began."""
        return Counter(self.server.summary()["requests_per_key"]) - self.before

    def tables(self) -> dict[str, str]:
        """Digests of all tables; of what depends on the moment, calls are left out, and pages have no times."""
        files = sorted(self.folder.glob("results/**/*.parquet"))
        names = {str(one.relative_to(self.folder)): one for one in files}
        return {name: digest(name, one) for name, one in names.items() if "/calls" not in name}

    def records(self):
        for file in sorted(self.folder.glob("ledger/**/*.jsonl")):
            for record in filter(None, map(decode, file.read_bytes().split(b"\n"))):
                yield record | {"ledger": file.parent}

    def asked_again(self, needed: Counter) -> int:
        """Answers that were in the ledger and were asked for again: what the server got beyond the requests that an
        undisturbed run needs and those that a kill caught in flight, and what the ledger has twice.
        """
        records = list(self.records())
        ended = {record["id"] for record in records if record["t"] in "df"}
        in_flight = sum(record["t"] == "i" and record["id"] not in ended for record in records)
        answered = Counter((r["ledger"], r["k"], *r["s"]) for r in records if r["t"] == "d")
        return max(0, (self.asked() - needed).total() - in_flight) + sum(count - 1 for count in answered.values())

    def most_in_a_second(self) -> int:
        lines = [line["time"] for line in self.server.log() if line["event"] == "asked"]
        times = sorted(moment for moment in lines if moment >= self.start_of_log)
        return max((bisect.bisect_left(times, start + 1.0) - at for at, start in enumerate(times)), default=0)


def digest(name: str, file: Path) -> str:
    if not name.startswith("results/pages/"):
        return hashlib.sha256(file.read_bytes()).hexdigest()
    pages = pq.read_table(file).drop_columns(MOMENTS)
    return logical_digest(pages.schema, pages.to_batches())
