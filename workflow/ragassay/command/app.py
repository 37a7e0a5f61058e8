"""The command `ragassay`: a function for each subcommand, which loads what it needs when it runs, so that help and
completion wait for nothing. Runs are Snakemake's: what a subcommand does not know goes on to it.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="ragassay",
    help="Test a RAG system: which questions it should not answer, what its corpus knows, who poisoned it.",
    epilog="Start with: ragassay demo",
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
PASSING = {"ignore_unknown_options": True}  # and what is unknown is taken for a word
WHOLE = PASSING | {"allow_extra_args": True, "help_option_names": []}  # not even --help is known here
RELEASES = {
    "release": "Make an immutable release: ragassay release 2026-11.",
    "verify": "Verify a release: ragassay verify releases/2026-11.",
    "replay": "Make a release's tables again from its answers, offline.",
    "diff": "Compare two releases: ragassay diff BEFORE AFTER.",
    "rehydrate": "Fetch the texts that a release withholds.",
}
Words = Annotated[list[str] | None, typer.Argument(metavar="[STUDY]... [SNAKEMAKE OPTION]...", show_default=False)]
Checked = Annotated[
    list[str] | None, typer.Argument(metavar="[MODEL|SERVICE]... [--configfile FILE...]", show_default=False)
]
Settings = Annotated[list[str] | None, typer.Argument(metavar="[--configfile FILE...]", show_default=False)]


@app.command()
def init(
    folder: Annotated[Path | None, typer.Argument(help="Where the project goes.", show_default=False)] = None,
    documents: Annotated[str, typer.Option(help="A file or a folder of yours.", show_default=False)] = "",
    questions: Annotated[Path | None, typer.Option(help="A table of questions.", show_default=False)] = None,
    log: Annotated[Path | None, typer.Option(help="A table of what users asked, and when.", show_default=False)] = None,
    model: Annotated[str, typer.Option(help="Such as gpt-4o-mini; rules cost nothing.")] = "rules",
    month: Annotated[str, typer.Option(help="Add a month, such as 2026-12.", show_default=False)] = "",
) -> None:
    """Make a project for your documents, or add a month to one."""
    from ragassay.command.init import add_month, start

    if month:
        add_month(folder or Path(), month, documents)
    else:
        start(folder, documents, questions, log, model)


@app.command(context_settings=PASSING)
def demo(
    words: Words = None,
    folder: Annotated[Path | None, typer.Option(help="Where the demo goes.", show_default=False)] = None,
) -> None:
    """Run all studies on sixty articles of ours, without a key."""
    from ragassay.command.run import run_demo

    run_demo(folder, words or [])


@app.command(context_settings=PASSING)
def check(
    words: Checked = None,
    live: Annotated[bool, typer.Option("--live", help="Ask every model and service.")] = False,
    question: Annotated[str, typer.Option(help="What services are asked.", show_default=False)] = "",
) -> None:
    """Check settings and keys; ask models and services."""
    from ragassay.command.check import report

    raise typer.Exit(report(words or [], live, question))


@app.command(context_settings=PASSING)
def check_questions(
    questions: Annotated[Path, typer.Argument(help="A table with a question a row.", show_default=False)],
    documents: Annotated[Path, typer.Option(help="What should answer them: a folder or a file.", show_default=False)],
    log: Annotated[Path | None, typer.Option(help="What users asked, with dates.", show_default=False)] = None,
    answers: Annotated[Path | None, typer.Option(help="What a bot answered.", show_default=False)] = None,
    column: Annotated[list[str] | None, typer.Option(help="Such as question=Frage.", show_default=False)] = None,
    date_format: Annotated[str | None, typer.Option(help="Of the log, such as %d.%m.%Y.", show_default=False)] = None,
    words: Words = None,
) -> None:
    """Say which questions your documents answer."""
    from ragassay.command.check_questions import run_check

    run_check(questions, documents, log, answers, column or [], date_format, words or [])


@app.command(context_settings=PASSING)
def estimate(
    words: Words = None, ask: Annotated[int, typer.Option(min=0, help="Documents to ask for real.")] = 0
) -> None:
    """Say what a run would ask and pay, without asking."""
    from ragassay.calls import estimate as estimating
    from ragassay.running.machine import alone

    raise typer.Exit(estimating.main(words or [], ask, alone))


@app.command(context_settings=PASSING)
def run(
    words: Words = None,
    slurm: Annotated[bool, typer.Option("--slurm", help="Send jobs to Slurm.")] = False,
    download: Annotated[bool, typer.Option("--download", help="Fetch models of the hub first.")] = False,
) -> None:
    """Run all studies of this folder, or those that you name."""
    from ragassay.command.run import run_pipeline

    run_pipeline([*(["--config=download=True"] if download else []), *(words or [])], slurm)


@app.command(context_settings=PASSING)
def reproduce(
    table: Annotated[str | None, typer.Argument(help="Such as raguard/table-1.", show_default=False)] = None,
    words: Annotated[list[str] | None, typer.Argument(metavar="[SNAKEMAKE OPTION]...", show_default=False)] = None,
    demo: Annotated[bool, typer.Option("--demo", help="On the demo's data in place of the paper's.")] = False,
) -> None:
    """Make a table of a paper, beside the paper's numbers."""
    from ragassay.command.reproduce import reproduce as make

    raise typer.Exit(make(table, words or [], demo))


@app.command(context_settings=PASSING)
def assay(
    service: Annotated[str, typer.Argument(help="Of `services`.")],
    words: Settings = None,
    fail_if: Annotated[
        list[str] | None, typer.Option(help='"answered_out_of_scope > 0.1".', show_default=False)
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="JUnit XML to write.", show_default=False)] = None,
    badge: Annotated[Path | None, typer.Option(help="A badge to write, as SVG.", show_default=False)] = None,
    against: Annotated[Path | None, typer.Option(help="An earlier card.json.", show_default=False)] = None,
) -> None:
    """Assay a service; fail where its card breaks a bound."""
    from ragassay.command.assay import run_assay

    raise typer.Exit(run_assay(service, fail_if or [], words or [], junit, badge, against))


@app.command(context_settings=PASSING)
def show(
    words: Settings = None,
    serve: Annotated[bool, typer.Option("--serve", help="Serve the report at an address of this machine.")] = False,
    port: Annotated[int, typer.Option(help="0 takes any that is free.")] = 8138,
) -> None:
    """Print what was found, and open the report."""
    from ragassay.command.show import show_report

    show_report(words or [], port if serve else None)


@app.command(context_settings=WHOLE)
def annotate(context: typer.Context) -> None:
    """Label questions by hand, in the browser; exchange labels."""
    from ragassay.people.__main__ import COMMANDS
    from ragassay.people.__main__ import main as people

    _in_project(context.args)
    complete = context.args[:1] and context.args[0] in (*COMMANDS, "--help", "-h")
    raise typer.Exit(people(context.args if complete else ["serve", *context.args]))


@app.command(context_settings=PASSING)
def export(words: Words = None) -> None:
    """Write the questions as BEIR and Hugging Face folders."""
    from ragassay.command.run import run_pipeline

    run_pipeline(["export", *(words or [])])


def _of_releases(name: str, context: typer.Context) -> None:
    from ragassay.release.__main__ import run as run_release

    if name == "release":
        _in_project(context.args)
    raise typer.Exit(run_release(["publish" if name == "release" else name, *context.args]))


def _add_release_command(name: str, what: str) -> None:
    def command(context: typer.Context) -> None:
        _of_releases(name, context)

    app.command(name, context_settings=WHOLE, help=what)(command)


for _name, _what in RELEASES.items():
    _add_release_command(_name, _what)


@app.command()
def prune(yes: Annotated[bool, typer.Option("--yes", help="Delete what is listed.")] = False) -> None:
    """List and delete results that nothing plans any more."""
    from ragassay.running import pruning

    _in_project([])
    pruning.prune(delete=yes)


@app.command(context_settings=PASSING)
def guard(
    words: Words = None,
    dataset: Annotated[str, typer.Option(help="Of `datasets`.", show_default=False)] = "",
    retriever: Annotated[str, typer.Option(help="Of `retrieval.retrievers`.", show_default=False)] = "",
    defence: Annotated[str, typer.Option(help="Such as raguard.", show_default=False)] = "",
) -> None:
    """Fit guards for your own service."""
    from ragassay.command.guard import fit

    fit({"dataset": dataset, "retriever": retriever, "defence": defence}, words or [])


@app.command(context_settings=PASSING)
def serve(
    words: Settings = None,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes any that is free.")] = 8139,
    observe: Annotated[bool, typer.Option("--observe", help="Decide nothing, only record.")] = False,
) -> None:
    """Serve fitted gates and guards, alone or before a service."""
    from ragassay.command.serve import serve as serve_guards

    serve_guards(words or [], host, port, observe)


@app.command(context_settings=PASSING)
def stage(
    collection: Annotated[str, typer.Argument(help="Of `collections`, with staging: true.")],
    dataset: Annotated[str, typer.Option(help="Of `datasets`.")],
    attack: Annotated[str, typer.Option(help="Of `attacks`.")],
    words: Settings = None,
) -> None:
    """Put poisoned passages into a collection for tests."""
    from ragassay.command.staging import put

    put(collection, dataset, attack, words or [])


@app.command(context_settings=PASSING)
def clean_staging(words: Settings = None) -> None:
    """Remove poisoned passages from collections for tests."""
    from ragassay.command import staging

    staging.remove(words or [])


@app.command(context_settings=PASSING)
def exam(
    model: Annotated[str, typer.Argument(help="A folder with weights, or a name of the hub that is fetched.")],
    words: Words = None,
    name: Annotated[str, typer.Option(help="Of the responder in results.", show_default=False)] = "",
    site: Annotated[list[str] | None, typer.Option(help="Such as mlp, beside others.", show_default=False)] = None,
    layer: Annotated[list[int] | None, typer.Option(help="Four, spread, unless named.", show_default=False)] = None,
    device: Annotated[str, typer.Option(help="Such as cuda.", show_default=False)] = "",
    dtype: Annotated[str, typer.Option(help="Such as float32.", show_default=False)] = "",
    revision: Annotated[str, typer.Option(help="Of the hub's.", show_default=False)] = "",
) -> None:
    """Record a model's answers and activations in a file."""
    from ragassay.command.exam import run_exam

    options = {"device": device, "dtype": dtype, "revision": revision}
    run_exam(model, name, options, site or [], layer or [], words or [])


@app.command()
def doctor(slurm: Annotated[bool, typer.Option(help="And what a run on Slurm lacks.")] = False) -> None:
    """Say what this machine has, and what is missing."""
    from ragassay.command.doctor import report

    raise typer.Exit(report(slurm))


def _in_project(words):
    """Whether there is a configuration, unless somebody asks for help."""
    from ragassay.base.pipeline import configfiles
    from ragassay.running.command_line import read_all

    if not {"-h", "--help"} & {*words}:
        read_all(configfiles(words))


def main() -> None:
    from ragassay.base.errors import AssayError

    words = sys.argv[1:]
    if "--" in words:  # which the parser takes away, and Snakemake wants to see
        words.insert(words.index("--"), "--")
    try:
        app(words, prog_name="ragassay")
    except AssayError as error:
        sys.stderr.write(f"ragassay: {error}\n")
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
