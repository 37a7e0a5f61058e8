"""The command line for labelling by hand: `ragassay annotate serve | export | import | interface`."""

import argparse
import logging
import sys
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.people import _label_files, exchange
from ragassay.people.folder import study
from ragassay.people.page.server import serve as serve_pages

COMMANDS = ("serve", "export", "import", "interface")


def main(arguments: list[str]) -> int:
    logging.basicConfig(format="%(message)s", stream=sys.stderr)
    given = _parser().parse_args(arguments)
    try:
        chosen = study(given.configfile, given.generator, given.judge)
        match given.command:
            case "serve":
                serve_pages(chosen, given.configfile, given.host, given.port, given.annotators)
            case "export":
                text, items, labels = exchange.exported(chosen, given.form or exchange.form_of(given.file))
                exchange.save(given.file, text)
                sys.stdout.write(f"{given.file}: {items} items with {labels} labels\n")
            case "interface":
                sys.stdout.write(_label_files.INTERFACE)
            case "import":
                form = given.form or exchange.form_of(given.file)
                counts = exchange.imported(chosen, given.file, form, given.annotator, given.replace)
                sys.stdout.write(f"{given.file}: {counts['new']} labels stored, {counts['same']} were already stored\n")
    except AssayError as error:
        sys.stderr.write(f"annotation: {error}\n")
        return error.exit_code
    return 0


def _parser():
    description = "Label questions and responses by hand, and exchange labels with other tools."
    parser = argparse.ArgumentParser(prog="ragassay annotate", description=description)
    commands = parser.add_subparsers(dest="command", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--configfile", nargs="+", default=[], help="configuration of the run, as for snakemake")
    common.add_argument("--generator", help="whose questions, or a question set (default: the first)")
    common.add_argument("--judge", help="whose labels the sample was drawn by (default: the first)")
    serve = commands.add_parser("serve", parents=[common], help="serve the pages on which people label")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on; others than loopback need tokens")
    serve.add_argument("--port", type=int, default=8137, help="0 takes any that is free")
    serve.add_argument("--annotators", nargs="+", default=[], metavar="NAME", help="give each of these a token")
    export = commands.add_parser("export", parents=[common], help="write all items with their labels to a file")
    importing = commands.add_parser("import", parents=[common], help="import labels from a file")
    commands.add_parser("interface", parents=[common], help="print the labelling interface for Label Studio")
    for command in (export, importing):
        command.add_argument("file", type=Path, help="the file")
        command.add_argument("--form", choices=sorted(exchange.FORMS), help="default: by the file's ending")
    importing.add_argument("--annotator", metavar="NAME", help="whose labels they are, where the file does not say")
    importing.add_argument("--replace", action="store_true", help="replace stored labels that differ")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
