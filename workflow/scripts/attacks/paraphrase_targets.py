"""Let a model write texts from the question and the wrong answer of each target, for an attack that plants them."""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally, reject
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.prompts import Prompt
from ragassay.schemas.attacks import ATTACK_TEXTS, TARGETS
from ragassay.studies.poisoning.targets import proposals
from ragassay.studies.poisoning.targets.hygiene import Problem, usable


def paraphrase_targets(
    targets, prompt, attack_texts, rejects, calls, model, ledger, sampling, dataset, texts, words, most_rejected
):
    """A text may lack the wrong answer, or have the right one, too: that is for the attacker to mend."""
    asked, model = Prompt.load(prompt), Model(**model)
    rows = tables.read(TARGETS, targets).to_pylist()

    def request(row):
        values = {"question": row["question"], "answer": row["target"], "right": row["answers"][0]}
        values |= {"n": texts, "words": words}
        return Request(asked.messages(**{name: values[name] for name in asked.labels}), sampling)

    tally = Tally.of_answers(model.name, "texts", most_rejected)
    with tables.Writer(ATTACK_TEXTS, attack_texts) as kept, tables.Writer(tables.REJECTS, rejects) as refused:
        for row, [answer] in zip(rows, complete(Requests(rows, request), model, ledger, calls, tally), strict=True):
            tally.hear(row["target_id"], [answer])
            written, problems = _texts(row, answer, texts)
            for problem in problems:
                tally.reject(problem.item, problem.reason, problem.detail, answer)
                refused.add(reject("paraphrase_targets", {"shard": dataset}, *problem))
            tally.keep(len(written))
            for number, text in enumerate(written, 1):
                made_by = {"calls": int(number == 1), "writer": model.name, "prompt": asked.digest}
                kept.add({"target_id": row["target_id"], "number": number, "text": text} | made_by)
    log.info("%d targets: %d texts, %d problems", len(rows), kept.written, refused.written)


def _texts(row, answer, count):
    texts = proposals.texts(answer, count)
    if isinstance(texts, proposals.NoProposal):
        return [], [Problem(row["target_id"], *texts)]
    cleaned, problems = usable(row | {"texts": texts})
    return cleaned["texts"] if cleaned else [], problems


if __name__ == "__main__":
    run(paraphrase_targets, snakemake)
