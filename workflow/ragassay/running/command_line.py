"""What Snakemake's command line names as configuration, checked before Snakemake reads it, whose messages name neither
file nor line. profiles/default asks for this, which is read before anything else; jobs have no profile.
"""

import sys
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.config.settings import ConfigError, read

DEFAULT = Path("config/config.yaml")
KINDS = (".yaml", ".yml", ".json")


def examine() -> None:
    """Ends the process with one line if a file cannot be used."""
    from snakemake.cli import get_argument_parser  # which calls this; most of what imports this module has none

    arguments, _ = get_argument_parser().parse_known_args(sys.argv[1:])
    try:
        read_all(arguments.configfile or [])
    except AssayError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(1)


def read_all(files: list[Path]) -> None:
    """The default configuration and what `--configfile` names; raises ConfigError."""
    for file in files[1:]:
        if file.suffix not in KINDS:
            raise ConfigError(
                f"found {file} among the files of --configfile, which takes all words that follow, expected names that"
                f" end in {', '.join(KINDS)}; write targets first: snakemake {file} --configfile {files[0]}"
            )
    for file in [DEFAULT, *files] if DEFAULT.exists() or not files else files:
        read(file)
