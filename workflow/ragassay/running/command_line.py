"""What Snakemake's command line names as configuration, checked before Snakemake reads it, whose messages name neither
file nor line. profiles/default asks for this, which is read before anything else; jobs have no profile.
"""

import atexit
import gc
import sys
from pathlib import Path

from ragassay.base import pipeline
from ragassay.base.errors import AssayError
from ragassay.config.settings import ConfigError, read

KINDS = (".yaml", ".yml", ".json")


targets = []  # of this command line, once it is examined


def examine() -> None:
    """Ends the process with one line if a file cannot be used."""
    gc.set_threshold(50_000, 20, 20)  # looking for cycles among a plan's objects takes a tenth of its time,
    atexit.register(gc.freeze)  # and so does looking once more before the process ends
    from snakemake.cli import get_argument_parser  # which calls this; most of what imports this module has none

    words, _ = get_argument_parser().parse_known_args(sys.argv[1:])
    targets.extend(words.targets or ())
    try:
        read_all(words.configfile or [], Path(words.directory or ""))
    except AssayError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(1)


def read_all(files: list, project: Path = Path()) -> None:
    """The configuration of the project and what `--configfile` names; raises ConfigError."""
    for file in files[1:]:
        if Path(file).suffix not in KINDS:
            command = pipeline.run_command(str(file), "--configfile", str(files[0]))
            raise ConfigError(
                f"found {file} among the files of --configfile, which takes all words that follow, expected names that"
                f" end in {', '.join(KINDS)}; write targets first: {command}"
            )
    settings = [project / name for name in pipeline.SETTINGS if (project / name).exists()][:1]
    if not settings and not files:
        place = project / pipeline.SETTINGS[-1 if pipeline.in_clone() else 0]
        raise ConfigError(f"{place}: no such file; run this in the project's folder, or make one: ragassay init")
    for file in [*settings, *files]:
        read(file)
