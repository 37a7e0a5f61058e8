"""`make prune`: list the files below results that no configuration plans any more, and delete them with `--yes`.

Each configuration that has run here is planned again first, with each of its targets. Deletes nothing that costs money
or work: what models answered lies in the ledger, what people labelled in `annotation/`, and both are outside results.
"""

import sys
from dataclasses import replace
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.running import leftovers, plans
from ragassay.running.machine import alone
from ragassay.running.plans import Plan


class PruneError(AssayError):
    """It is not known which files are still wanted."""


def prune(delete: bool) -> None:
    """Prints what is left over, and deletes it on demand."""
    with alone():
        pass  # a run may add to what is planned
    wanted, dropped, remarks = renewed(plans.written())
    for remark in remarks:
        sys.stdout.write(f"prune: {remark}\n")
    for plan in wanted:
        if plan.configfiles or plan.overrides:
            sys.stdout.write(f"prune: kept are the {len(plan.outputs()):,} files of: {plan.command}\n")
    left = listed = leftovers.left_over(wanted[0], wanted[1:])
    for path, count in left.items():
        sys.stdout.write(f"{leftovers.size(count):>8}  {path}\n")
    total = f"{len(left):,} files, {leftovers.size(sum(left.values()))}"
    if not left:
        sys.stdout.write("prune: nothing to delete: every table below results is one that a configuration plans\n")
    elif not delete:
        sys.stdout.write(f"prune: {total}; nothing was deleted. To delete them: make prune ARGS=--yes\n")
    else:
        deleted = _delete(left, wanted, dropped)
        sys.stdout.write(f"prune: {deleted:,} of {total} deleted\n")
        for plan in dropped:
            plan.path.unlink()
        left = leftovers.left_over(wanted[0], wanted[1:])
    leftovers.note(left)
    plans.mark(wanted, left)
    _delete_empty({Path(path).parent for path in listed if path not in left})


def renewed(written: list[Plan]) -> tuple[list[Plan], list[Plan], list[str]]:
    """The plans of all configurations that have run here, as they are now; those that nobody can make any more, which
    protect nothing; and what a reader has to know of both. A configuration that cannot be planned now protects what it
    planned when it last ran.
    """
    current, kept, dropped, remarks = [], [], [], []
    default = Plan([], {}, [], "", [], {}, {}, {})
    wholes = [replace(plan, targets=[]) for plan in written or [default]]
    for configuration in {whole.path: whole for whole in wholes}.values():
        theirs = [plan for plan in written if plan.has_configuration_of(configuration)]
        if gone := [file for file in configuration.configfiles if not Path(file).exists()]:
            dropped += theirs
            remarks.append(f"found no {', '.join(gone)} any more, so nothing that it planned is kept")
            continue
        try:
            whole = plans.again(configuration)
            everything = plans.again(replace(whole, targets=whole.goals))  # exports, too, if somebody has made some
        except AssayError as error:
            kept += theirs
            remarks.append(f"{error}; its files are kept")
            continue
        current += [whole, replace(everything, pages={})]
        for plan in theirs:
            if all(plan.path != other.path for other in current):
                try:
                    current.append(plans.again(plan))
                except AssayError as error:  # so its targets are what is wrong
                    dropped.append(plan)
                    remarks.append(f"{error}; its files are not kept")
    if not current:
        raise PruneError("; ".join([*remarks, "expected a configuration that can be planned"]))
    before = {plan.path: plan for plan in written}
    for plan in current:
        plans.remember(plan, before.get(plan.path))
        plan.write()
    return [*current, *kept], dropped, remarks


def _delete(left, wanted, dropped):
    """Deletes what is still left over; returns how many files that were."""
    with alone():
        if any(plan not in [*wanted, *dropped] for plan in plans.written()):
            raise PruneError("found a run that has ended meanwhile, expected none; run `make prune` again")
        still = left.keys() & leftovers.left_over(wanted[0], wanted[1:]).keys()
        for path in still:
            Path(path).unlink()
    return len(still)


def _delete_empty(folders):
    for folder in folders:
        for above in (folder, *folder.parents):
            if above == Path(leftovers.RESULTS) or not above.is_dir() or any(above.iterdir()):
                break
            above.rmdir()
