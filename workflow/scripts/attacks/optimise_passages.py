"""Make the passages of an attack that optimises them, with the weights of a retriever. What is done is kept target by
target, so that a job that was killed goes on.
"""

from ragassay.base import tables
from ragassay.base.code_version import module_version
from ragassay.base.stage import log, run
from ragassay.calls import complete
from ragassay.schemas.attacks import POISONED_PASSAGES, TARGETS
from ragassay.schemas.report import CALLS
from ragassay.studies.poisoning.attacks.attack import Finished, Tools, known, rows, tried
from ragassay.studies.poisoning.attacks.attacked_corpus import retrieved_texts
from ragassay.studies.poisoning.attacks.victims import (
    AttackedFilter,
    AttackedReader,
    AttackedResponder,
    AttackedRetriever,
)


def optimise_passages(
    targets, passages, neighbours, prompt, poisoned_passages, calls, attack, kind, settings, retriever, finished,
    reader=None, filters=(), model=None, responder=None,
):  # fmt: skip
    """`retriever` says which encoders and similarity are attacked, `reader` which model and form of prompt, if any;
    `finished` is the folder of what was made before. Many attacks ask no model; then `calls` is empty.
    """
    wanted = {row["target_id"]: row for row in tables.read(TARGETS, targets).to_pylist()}
    chosen = tried(wanted, settings.get("targets"), settings.get("known", 0))
    victim = AttackedRetriever(**retriever)
    modules = [f"ragassay.studies.poisoning.attacks.{name}" for name in (f"kinds.{kind}", "victims")]
    made_by = {name: module_version(name) for name in modules}
    origins = {"code": made_by, "settings": settings, "retriever": victim.identity}
    if model:
        responder = AttackedResponder(model, prompt=prompt, **responder)
        origins |= responder.identity
    if reader:
        reader = AttackedReader(prompt=prompt, **reader)
        origins |= reader.identity
    tools = Tools(
        retrieved=retrieved_texts(neighbours, passages),
        questions={name: wanted[name]["question"] for name in known(wanted, settings.get("known", 0))},
        retriever=victim,
        reader=reader,
        responder=responder,
        filters=[AttackedFilter(**each) for each in filters],
        finished=Finished(finished, origins, keeps=not (responder and complete.estimating())),
    )
    log.info("tried on %d of %d targets", len(chosen), len(wanted))
    texts = list(rows(attack, kind, [wanted[name] for name in chosen], tools, settings))
    victim.stored([row["text"] for row in texts])
    count = tables.write(POISONED_PASSAGES, poisoned_passages, texts)
    tables.write(CALLS, calls, [responder.account()] if responder else [])
    log.info("%d passages for %d targets", count, len(chosen))


if __name__ == "__main__":
    run(optimise_passages, snakemake)
