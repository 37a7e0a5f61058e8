"""The command line for ledgers of calls: `python -m ragassay.calls.ledger verify | show | forget`. Asks no model."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.base.terminal import printable
from ragassay.calls.ledger.journal import records
from ragassay.calls.ledger.lease import Lease
from ragassay.calls.ledger.records import Ledger, folders

COUNTS = ("requests", "replies", "failures", "samples")


class NotInLedger(AssayError):
    """Nothing below this folder is what was asked for."""


def main(arguments: list[str]) -> int:
    given = _parser().parse_args(arguments)
    try:
        match given.command:
            case "verify":
                return verify(given.ledger)
            case "show":
                return show(given.ledger, given.key)
            case _:
                return forget(given.ledger, given.reason, given.model, given.dry_run)
    except AssayError as error:
        sys.stderr.write(f"ledger: {error}\n")
        return error.exit_code


def verify(ledger: Path) -> int:
    """Read all records below a folder; 1 if any is damaged."""
    sums = Counter()
    for folder in _jobs(ledger):
        with closing(Ledger(folder)) as journal:
            counts = {name: journal.counts[name] for name in COUNTS}
            counts |= {"possibly billed without an answer": journal.possibly_billed_twice}
            refusals = Counter(journal.standing().values())
        counts |= {f"refused as {reason}": refusals[reason] for reason in sorted(refusals)}
        damaged = [f"{path}:{number}" for path in sorted(folder.glob("*.jsonl")) for number in _damaged_lines(path)]
        counts |= {"damaged lines": len(damaged)} if damaged else {}
        _say(f"{folder}: {_counted(counts)}" + (f" ({', '.join(damaged[:3])})" if damaged else ""))
        sums.update(counts)
    _say(f"all: {_counted(sums)}")
    if sums["damaged lines"]:
        _say("What damaged lines held is asked again where it is needed; all else is as it was written.")
    return 1 if sums["damaged lines"] else 0


def show(ledger: Path, key: str) -> int:
    """Print the records of a call, which is named by its key or by the id of one of its replies, as lines of JSON."""
    for folder in _jobs(ledger):
        keys = {record["k"] for record in _records(folder) if "k" in record and key in (record["k"], record.get("id"))}
        if keys:
            ids = {record["id"] for record in _records(folder) if record.get("k") in keys and "id" in record}
            _say(f"{folder}:")
            for record in _records(folder):
                if record.get("k") in keys or record.get("id") in ids:
                    _say(json.dumps(record, sort_keys=True))
            return 0
    raise NotInLedger(f"{ledger}: found no call {key}, expected the key of a call or the id of a reply")


def forget(ledger: Path, reason: str, model: str | None, dry_run: bool) -> int:
    """Withdraw refusals, so that their requests are asked again. No answer is touched."""
    total, rules = 0, set()
    for folder in _jobs(ledger):
        keys = folder.relative_to(ledger).parts
        if model and model not in [part.removeprefix("_") for part in keys]:
            continue
        with Lease(folder, not dry_run), closing(Ledger(folder)) as journal:
            places = [place for place, why in journal.standing().items() if why == reason]
            for place in [] if dry_run else places:
                journal.withdraw(place)
        if places:
            _say(f"{folder}: {len(places)} {'would be' if dry_run else 'were'} forgotten")
            rules.add(keys[0] if keys else folder.name)
        total += len(places)
    _say(f"{total} refusals as {reason}")
    if rules:
        _say(f"Results that were made with them stay until they are made again: --forcerun {' '.join(sorted(rules))}")
    return 0


def _jobs(ledger) -> Iterator[Path]:
    jobs = folders(ledger)
    if not jobs:
        raise NotInLedger(f"{ledger}: found no ledger of calls, expected a folder such as ledger/")
    yield from jobs


def _records(folder):
    return (record for path in sorted(folder.glob("*.jsonl")) for _, _, record in records(path) if record)


def _damaged_lines(path):
    return [number for number, (_, _, record) in enumerate(records(path), start=1) if record is None]


def _counted(counts):
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def _say(line):
    sys.stdout.write(printable(line) + "\n")


def _parser():
    purpose = "Look into ledgers of calls, and forget refusals that were none."
    parser = argparse.ArgumentParser(prog="python -m ragassay.calls.ledger", description=purpose)
    parser.add_argument("--ledger", type=Path, default=Path("ledger"), help="the folder that they lie below")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("verify", help="read all records, count them, name damaged lines")
    showing = commands.add_parser("show", help="print all records of a call")
    showing.add_argument("key", help="the key of a call, or the id of a reply, as messages name it")
    forgetting = commands.add_parser("forget", help="have refused requests asked again")
    forgetting.add_argument("--reason", required=True, help="why they count as refused, such as provider_error")
    forgetting.add_argument("--model", metavar="NAME", help="of this model alone, where the path of a ledger names it")
    forgetting.add_argument("--dry-run", action="store_true", help="only count them")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
