"""Fit probes on activations, in folds by document, and the controls that they have to beat; score what each fold tests.

The probes of the first fold are saved, for use in a service: a tenth of the documents is new to them.
"""

import numpy as np

from ragassay import tables
from ragassay.activations.decoder import Decoder
from ragassay.encoders.embed import Embedder
from ragassay.encoders.encoder import Encoder
from ragassay.heads import heads_file
from ragassay.llm.prompts import Prompt
from ragassay.revprag.folds import Method, problem, scored
from ragassay.revprag.reading import Reading
from ragassay.revprag.rows import ALL, Rows
from ragassay.revprag.samples import ProbeError, Stored
from ragassay.schemas.probe_scores import PROBE_SCORES
from ragassay.stage import log, run

CONTROL, ANSWER_TEXT, SHUFFLED = "control", "answer_text", "shuffled"


def train_probes(
    prompt_pairs, prompt_answers, activations, prompt, weights, heads, card, probe_scores,
    model, reading, probes, shuffles, fpr, encoder, embeddings,
):  # fmt: skip
    """`probes` are entries by name, each with kind, settings, seeds and folds; `shuffles` is how often labels are."""
    rows, decoder = Rows(prompt_pairs, prompt_answers, activations), Decoder(f"model {model['name']}", model)
    reading = Reading(**reading).resolved(decoder)
    states = Stored(reading.store(decoder, embeddings), rows.keys)
    texts = Embedder(Encoder(**encoder), embeddings).embed([text or " " for text in rows.answers["text"]])
    methods = [Method(name, features=states, **entry) for name, entry in probes.items()]
    controls = [
        _control(CONTROL, rows.rulers),
        _control(ANSWER_TEXT, np.asarray(texts, np.float32)[:, None]),
        _control(SHUFFLED, states, range(shuffles)),
    ]
    saved, cards, problems = {}, {}, []
    with tables.Writer(PROBE_SCORES, probe_scores) as kept:
        for condition, facts, chosen, tested in rows.groups():
            if found := problem(rows.labels, rows.clusters, chosen):
                problems.append(f"{condition}, {facts} facts: {found}")
                continue
            for method in [*methods, *controls]:
                try:
                    for own in scored(method, rows.labels, rows.clusters, chosen, tested, fpr):
                        _write(kept, rows, own, condition, facts, method.name)
                        if facts == ALL and own.fold == 0 and method in methods:
                            name = f"{condition}-{method.name}"
                            saved[name, own.seed] = own.arrays
                            entry = {"kind": method.kind, "settings": method.settings, "threshold": own.threshold}
                            cards[f"{name}.{own.seed}"] = entry
                except ProbeError as error:  # others may do with fewer samples
                    problems.append(f"{method.name}, {condition}, {facts} facts: {error}")
    if not saved:
        raise ProbeError(
            f"model {model['name']}: no probe can be fitted: {'; '.join(problems)}; add targets or attacks"
        )
    for one in problems:
        log.info("no probe: %s", one)
    about = {"identity": decoder.identity, "prompt": Prompt.load(prompt).digest, "reading": reading.about}
    heads_file.write(heads, card, saved, about | {"model": model["name"], "fpr": fpr, "heads": cards})
    log.info("%s; %d probes saved", rows.counts(), len(saved))


def _control(name, features, seeds=(0,)):
    from ragassay.revprag.kinds import logistic

    return Method(name, "logistic", logistic.SETTINGS, features, list(seeds), shuffled=name == SHUFFLED)


def _write(kept, rows, own, condition, facts, probe):
    about = {"trained_on": condition, "facts": facts, "probe": probe, "seed": own.seed, "fold": own.fold}
    for number, score in zip(own.rows.tolist(), own.scores.tolist(), strict=True):
        flagged = None if own.threshold is None else score > own.threshold
        kept.add(rows.row(number) | about | {"score": score, "flagged": flagged})


if __name__ == "__main__":
    run(train_probes, snakemake)
