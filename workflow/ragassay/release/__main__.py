"""The command line of releases: `ragassay release | verify | diff | replay | rehydrate`.

All but `publish` work on releases of others: they run this checkout's code alone, in bounded memory.
"""

import argparse
import datetime
import logging
import sys
from functools import partial
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.release import comparing, gathering, opening
from ragassay.release.publishing import publish
from ragassay.release.rehydrating import rehydrate
from ragassay.release.replaying import replay
from ragassay.release.verification import checks
from ragassay.release.verification.release_folder import SIGNATURE

LEAST_GB = 0.5  # with less, not even threads start


def main(arguments: list[str]) -> int:
    given = _parser().parse_args(arguments)
    try:
        _check(given)
        if given.command != "publish":
            checks.bound_memory(given.memory)
        match given.command:
            case "verify":
                status = checks.report(Path(given.release), opening.problems(given.release, given.signers))
                if not given.signers and Path(given.release, SIGNATURE).is_file():
                    sys.stdout.write("its signature was not checked; name public keys that you trust: SIGNERS=FILE\n")
                return status
            case "publish":
                planned = partial(gathering.planned, targets=given.targets)
                confirm = partial(_confirmed, given.yes)
                folder = publish(given.version, given.configfile, given.date, given.key, planned, confirm)
                return _verify(folder)
            case "diff":
                changes = comparing.compare(given.before, given.after)
                folder = comparing.write(changes, _folder(given, f"{given.after.rstrip('/')}.changes"))
                moved = sum(row["moved"] for row in changes["numbers"])
                summary = f"{len(changes['tables'])} tables changed, {moved} numbers moved"
                sys.stdout.write(f"{folder}/changes.html: {summary}\n")
            case "rehydrate":
                crawl = gathering.configuration(given.configfile)["crawl"] | {"spacing_folder": "ledger/hosts"}
                folder = _folder(given, f"{given.release.rstrip('/')}.texts")
                outcomes = rehydrate(given.release, crawl, folder, given.signers)
                changes, total = outcomes["found"], outcomes.total()
                others = ", ".join(f"{count} {reason}" for reason, count in outcomes.most_common() if reason != "found")
                summary = f"{changes} of {total} texts ({changes / total:.1%}){f'; {others}' if others else ''}"
                sys.stdout.write(f"{folder}/texts.parquet: {summary}\n")
            case "replay":
                return _replay(given)
    except (AssayError, OSError) as error:  # such as a name that is too long, a full disk
        sys.stderr.write(f"release: {checks.line(str(error))}\n")
        return getattr(error, "exit_code", 1)
    except MemoryError:
        sys.stderr.write(f"release: this takes more than {given.memory:g} GB of memory; allow more with --memory\n")
        return 1
    return 0


def _check(given):
    """Whether each release has a name. An empty one, as where `make` was given none, would be this folder."""
    for argument, variable in {"release": "RELEASE", "before": "BEFORE", "after": "RELEASE"}.items():
        if getattr(given, argument, None) == "":
            expected = f"expected the folder of a release, as in: {variable}=releases/2026-11"
            raise gathering.NotReleasable(f"{variable}: found nothing, {expected}")
    if not getattr(given, "memory", LEAST_GB) >= LEAST_GB:
        raise gathering.NotReleasable(f"--memory: found {given.memory:g}, expected at least {LEAST_GB} gigabytes")


def _folder(given, beside):
    """Where to write: a folder beside the release, unless whoever sent the release has put a link there."""
    if not given.folder and Path(beside).is_symlink():
        raise gathering.NotReleasable(f"{beside}: found a symbolic link, expected no file; name a folder with --folder")
    return given.folder or beside


def _confirmed(yes, text):
    """Whether the person who publishes wants it; the table says what will be public."""
    sys.stdout.write(f"{text}\n")
    if yes:
        return True
    if not sys.stdin.isatty():
        raise gathering.NotReleasable("publish: found no terminal to ask at, expected --yes to publish the above")
    return input("Publish the above? A release is never changed. [y/N] ").strip().lower() in ("y", "yes")


def _verify(folder):
    """A fault of a new release is one of the results, or of this program."""
    problems = list(checks.problems(folder))
    sys.stderr.writelines(f"release: {problem}\n" for problem in problems)
    summary = f"{len(problems)} problems" if problems else checks.summary(folder)
    sys.stdout.write(f"{folder}: {summary}; to verify it again: python {folder}/verify.py\n")
    return 1 if problems else 0


def _replay(given):
    outcome = replay(given.release, only=given.tables, rehydrated=given.texts, signers=given.signers)
    sys.stderr.writelines(f"release: {given.release}: {file} came out with other values\n" for file in outcome.other)
    sys.stdout.write(f"{given.release}: {outcome}\n")
    if not outcome.made:
        sys.stderr.write(f"release: {given.release}: nothing was made again, so nothing was tested\n")
    return 1 if outcome.other or not outcome.made else 0


def _parser():
    parser = argparse.ArgumentParser(prog="ragassay", description="Make and use releases.")
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("publish", prog="ragassay release", help="make a release of a finished run's results")
    making.add_argument("version", help="its name, such as 2026-11; never given twice")
    making.add_argument("--configfile", nargs="+", default=[], help="configuration of the run, as for snakemake")
    making.add_argument("--date", default=_today(), help="the day of publication (default: today, in UTC)")
    making.add_argument("--targets", nargs="+", default=[], help="what was run, such as scope (default: everything)")
    making.add_argument("--yes", action="store_true", help="do not ask before texts are made public")
    making.add_argument("--key", help="a private key of ssh to sign the release with")
    check = commands.add_parser("verify", help="verify somebody's release with the code of this clone")
    check.add_argument("release", help="the folder of the release")
    again = commands.add_parser("replay", help="make the tables of a release again from its recorded answers")
    again.add_argument("release", help="the folder of the release")
    again.add_argument("--tables", nargs="+", default=[], help="only these tables, or parts such as metrics/scope")
    comparison = commands.add_parser("diff", help="compare two releases, as a page and as JSON")
    comparison.add_argument("before", help="the folder of the earlier release")
    comparison.add_argument("after", help="the folder of the later one")
    comparison.add_argument("--folder", help="where page and JSON go (default: beside the later one)")
    again.add_argument("--texts", metavar="FOLDER", help="where texts are that were rehydrated")
    fetching = commands.add_parser("rehydrate", help="fetch the texts that a release withholds from their pages")
    fetching.add_argument("release", help="the folder of the release")
    fetching.add_argument("--configfile", nargs="+", default=[], help="settings of `crawl`, such as crawl.contact")
    fetching.add_argument("--folder", help="where texts go (default: beside the release)")
    for command in (check, again, comparison, fetching):
        command.add_argument("--memory", type=float, default=checks.MEMORY_GB, help="gigabytes that it may take (1)")
        if command is not comparison:
            command.add_argument("--signers", type=Path, help="the publishers' public keys, as ssh-keygen has them")
    return parser


def _today():
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def run(arguments: list[str]) -> int:
    logging.basicConfig(format="%(message)s", stream=sys.stderr)
    logging.getLogger("ragassay").setLevel(logging.INFO)
    return main(arguments)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
