"""Make the passages of an attack that optimises them, with the weights of a retriever. What is done is kept target by
target, so that a job that was killed goes on.
"""

from ragassay.base import tables
from ragassay.base.code_version import module_version
from ragassay.base.stage import log, run
from ragassay.calls import estimate_caller
from ragassay.schemas.attacks import POISONED_PASSAGES, TARGETS
from ragassay.schemas.report import CALLS
from ragassay.studies.poisoning.attacks.attacked_reader import AttackedReader
from ragassay.studies.poisoning.attacks.attacked_retriever import AttackedRetriever
from ragassay.studies.poisoning.attacks.blocking import AttackedResponder
from ragassay.studies.poisoning.attacks.finished import Finished
from ragassay.studies.poisoning.attacks.poison import Tools, rows
from ragassay.studies.poisoning.attacks.texts import retrieved_texts
from ragassay.studies.poisoning.attacks.tried import known, tried


def optimise_passages(
    targets, passages, neighbours, prompt, poisoned_passages, calls, attack, kind, own, retriever, finished,
    reader=None, filter=None, model=None, responder=None,
):  # fmt: skip
    """`retriever` says which encoders and similarity are attacked, `reader` which model and form of prompt, if any;
    `finished` is the folder of what was made before. Many attacks ask no model; then `calls` is empty.
    """
    wanted = {row["target_id"]: row for row in tables.read(TARGETS, targets).to_pylist()}
    chosen = tried(wanted, own.get("targets"), own.get("known", 0))
    victim = AttackedRetriever(**retriever)
    modules = [f"kinds.{kind}", "attacked_retriever", "attacked_reader", *(["attacked_filter"] if filter else [])]
    made_by = {name: module_version(f"ragassay.studies.poisoning.attacks.{name}") for name in modules}
    about = {"code": made_by, "settings": own, "retriever": victim.identity}
    if model:
        responder = AttackedResponder(model, prompt=prompt, **responder)
        about |= responder.identity
    if reader:
        reader = AttackedReader(prompt=prompt, **reader)
        about |= reader.identity
    tools = Tools(
        retrieved=retrieved_texts(neighbours, passages),
        questions={name: wanted[name]["question"] for name in known(wanted, own.get("known", 0))},
        retriever=victim,
        reader=reader,
        responder=responder,
        filter=_filter(**filter) if filter else None,
        finished=Finished(finished, about, keeps=not (responder and estimate_caller.estimating())),
    )
    log.info("tried on %d of %d targets", len(chosen), len(wanted))
    texts = rows(attack, kind, [wanted[name] for name in chosen], tools, own)
    texts = list(texts)
    victim.stored([row["text"] for row in texts])
    count = tables.write(POISONED_PASSAGES, poisoned_passages, texts)
    tables.write(CALLS, calls, [responder.account()] if responder else [])
    log.info("%d passages for %d targets", count, len(chosen))


def _filter(path, scorer):
    from ragassay.studies.poisoning.attacks.attacked_filter import AttackedFilter  # which brings the defences

    return AttackedFilter(path, scorer)


if __name__ == "__main__":
    run(optimise_passages, snakemake)
