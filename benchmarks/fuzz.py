"""Let mutated inputs in at every door of the library: each is read or refused by an error of its kind, in time.

`python benchmarks/fuzz.py 1000000` runs so many cases, `python benchmarks/fuzz.py 5000 gates` those of one door, and
`--seed 7` other ones. A finding is printed with its traceback and kept in tests/benchmarks/fuzz_seeds, where the suite
reads it again each time.
"""

import argparse
import hashlib
import itertools
import logging
import math
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import NamedTuple

from common.figures import figure, finish
from common.memory import peak_megabytes
from fuzzing.door import entered
from fuzzing.doors import DOORS
from fuzzing.fitted_files import damaged_files
from fuzzing.mutations import changed_bytes

CASES, DAMAGED = 20_000, 500
SEEDS = Path(__file__).resolve().parent.parent / "tests/benchmarks/fuzz_seeds"
SECONDS = 5.0  # of the processor, for one input
UNTOUCHED = 0.3  # share of inputs whose bytes stay as they grew


ENDED = threading.Event()


class TooLong(BaseException):
    """No error that a reader could take for one of its own."""


def inputs_of(name: str, seed: int = 0):
    """Endless inputs of a door, the same for a seed."""
    draw, door = random.Random(f"{seed} {name}"), DOORS[name]
    while True:
        content = door.sample(draw)
        yield content if draw.random() < UNTOUCHED else changed_bytes(draw, content, door.sample(draw))


def problem(name: str, content: bytes, seconds: float | None = None) -> BaseException | None:
    """What nobody foresaw of this input, if anything."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, seconds or SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            entered(DOORS[name], content, folder)
    except TooLong as error:
        return error
    except Exception as error:  # noqa: BLE001  which is what is looked for
        return error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        shutil.rmtree(folder)
    return None


def _stop(*_):
    raise TooLong(f"not done after {SECONDS:g} s of the processor")


def place(error: BaseException) -> str:
    """The last line of the library in a traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/workflow/" in frame.filename] or frames
    return f"{type(error).__name__} at {Path(ours[-1].filename).name}:{ours[-1].lineno}"


def keep(name: str, content: bytes) -> Path:
    path = SEEDS / name.replace(" ", "_") / hashlib.sha256(content).hexdigest()[:16]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


class Run(NamedTuple):
    cases: int
    found: int
    longest: tuple[float, str, str]  # seconds, door, the start of its input: few bytes, which no pipe holds up
    megabytes: float


def run(doors: list[str], count: int, seed: int, end: float, noted: Path) -> Run:
    """So many inputs at some doors in turn, fewer at the end of the time or of the process.

    Each is noted before it goes in, since it may end the process.
    """
    streams, found, longest, cases = {name: inputs_of(name, seed) for name in doors}, {}, (0.0, "", ""), 0
    for name in doors:  # libraries are imported before any input is timed
        content = next(inputs_of(name, seed))
        noted.write_bytes(f"{name}\n".encode() + content)
        problem(name, content, seconds=10 * SECONDS)
    for name in itertools.islice(itertools.cycle(doors), count):
        if time.monotonic() > end or ENDED.is_set():
            break
        content, begun = next(streams[name]), time.process_time()
        noted.write_bytes(f"{name}\n".encode() + content)
        error = problem(name, content)
        seconds, shown = time.process_time() - begun, f"{len(content)} bytes: {content[:200]!r}"
        longest, cases = max(longest, (seconds, name, shown)), cases + 1
        if error and (name, place(error)) not in found:
            found[name, place(error)] = keep(name, content)
            text = "".join(traceback.format_exception(error)[-12:])
            sys.stderr.write(f"{name}: {found[name, place(error)]}\n{text}\n")
    noted.unlink(missing_ok=True)
    return Run(cases, len(found), longest, peak_megabytes())


def _begin():
    """A process: SIGTERM has it report what it reached."""
    signal.signal(signal.SIGTERM, lambda *_: ENDED.set())
    logging.getLogger("ragassay").setLevel(logging.ERROR)  # each input would have its warnings
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)


def runs(shares: list[tuple]) -> list[Run]:
    """Each in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        noted = [Path(folder, str(number)) for number in range(len(shares))]
        try:
            with ProcessPoolExecutor(len(shares), initializer=_begin) as processes:
                started = [processes.submit(run, *share, path) for share, path in zip(shares, noted, strict=True)]
                signal.signal(
                    signal.SIGTERM, lambda *_: [os.kill(child, signal.SIGTERM) for child in processes._processes]
                )
                return [each.result() for each in started]
        except BrokenProcessPool:  # whose processes end in order by SIGTERM, but for the one that has ended
            for path in filter(Path.exists, noted):
                name, _, content = path.read_bytes().partition(b"\n")
                sys.stderr.write(f"{name.decode()}: {keep(name.decode(), content)}: this input ended the process\n")
            sys.exit(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cases", type=int, nargs="?", default=CASES)
    parser.add_argument("doors", nargs="*", default=[*DOORS], metavar="door")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop then, and report what was reached")
    given = parser.parse_args()
    if unknown := set(given.doors) - DOORS.keys():
        sys.exit(f"found no door {', '.join(unknown)}, expected some of: {', '.join(DOORS)}")
    count, end = os.cpu_count(), time.monotonic() + 60 * given.minutes
    shares = [given.doors[at::count] for at in range(min(count, len(given.doors)))]
    done = runs([(doors, round(given.cases * len(doors) / len(given.doors)), given.seed, end) for doors in shares])
    cases, found = sum(run.cases for run in done), sum(run.found for run in done)
    seconds, name, shown = max(run.longest for run in done)
    figure("fuzz_cases", cases, "inputs", f">= {given.cases}")
    figure("fuzz_doors", len(given.doors), "doors", f">= {len(given.doors)}")
    figure("fuzz_unexpected", found, "errors", "<= 0")
    damaged, refused, opened = damaged_files(DAMAGED)
    figure("damaged_guard_files", damaged, "files", f">= {DAMAGED}")
    figure("damaged_guard_files_refused", refused, "files", f">= {DAMAGED}")
    figure("damaged_guard_files_opened", opened, "files", "<= 0")
    sys.stderr.write(f"longest: {seconds:.1f} s of {name}, {shown}\n")
    figure("fuzz_longest_case", seconds, "s", f"<= {SECONDS:g}")
    figure("fuzz_memory", max(run.megabytes for run in done), "MB", "<= 1536")
    finish()


if __name__ == "__main__":
    main()
