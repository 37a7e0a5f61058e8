"""Outputs that a job on another machine wrote and of which no run knows how. Snakemake's head records settings, code
and inputs when it sees that a job has ended; if it was killed before, there is no record, or an older one. Such an
output looks finished, and what changes later would pass it by. It is marked as incomplete, so that the next run makes
it again; what was asked for it stands in the ledger.
"""

import sys
from pathlib import Path

from snakemake.persistence.file import FilePersistence

from ragassay.running.cluster import LATENCY

BEGUN = Path(".snakemake/remote.run")  # written when the last run began whose jobs go to other machines
SECONDS = 1  # by which the time of a file and that of its record may differ


def begin(workflow) -> None:
    """When the first job is about to start."""
    if not workflow.local_exec:
        BEGUN.write_text("")


def mark(workflow) -> None:
    """While the Snakefile is read, when all rules are known. What was there before the last such run, as tables that
    somebody copied here, stays.
    """
    if not workflow.is_main_process or not BEGUN.exists():
        return
    since, records = BEGUN.stat().st_mtime - LATENCY, FilePersistence(nolock=True)
    patterns = [output for rule in workflow.rules for output in rule.output]
    lost = [path for path in sorted(map(str, Path("results").rglob("*"))) if _is_lost(path, since, records)]
    lost = [path for path in lost if any(pattern.match(path) for pattern in patterns)]
    for path in lost:
        records._mark_incomplete(path, None)
    if lost:
        sys.stderr.write(f"{len(lost)} outputs of jobs whose end no run saw are made again.\n")


def _is_lost(path, since, records):
    try:
        changed = Path(path).stat().st_mtime
    except FileNotFoundError:  # a run beside this one has just removed it
        return False
    record = records._read_record(path) if changed > since else None
    return changed > since and (record is None or record.endtime < changed - SECONDS)
