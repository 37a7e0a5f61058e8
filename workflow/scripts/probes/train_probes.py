"""Fit probes on activations, in folds by document, and the controls that they have to beat; score what each fold tests.

The probes of the first fold are saved, for use in a service: a tenth of the documents is new to them.
"""

import functools

import numpy as np

from ragassay.base import tables, variants
from ragassay.base.stage import log, run
from ragassay.calls.prompts import Prompt
from ragassay.models.activations.sites import RESIDUAL
from ragassay.models.activations.state_store import Decoder
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.models.heads import heads_file
from ragassay.schemas.probes import PROBE_CLASSES, PROBE_SCORES
from ragassay.studies.poisoning.probes.baselines import baselines_of
from ragassay.studies.poisoning.probes.controls import ANSWER_TEXT, CONTROL, SHUFFLED, control
from ragassay.studies.poisoning.probes.folds import KINDS, Given, Method, problem, scored
from ragassay.studies.poisoning.probes.reading import Collection
from ragassay.studies.poisoning.probes.rows import ALL, Rows
from ragassay.studies.poisoning.probes.samples import Layers, ProbeError, ReadOut, Stored
from ragassay.studies.poisoning.probes.three_way import classified


def train_probes(
    prompt_pairs, prompt_answers, activations, collection, baselines, prompt, weights,
    heads, card, probe_scores, probe_classes,
    model, probes, shuffles, fpr, encoder, embeddings,
):  # fmt: skip
    """`probes` are entries by name, each with kind, settings, seeds, folds, layers and conditions; `shuffles` is how
    often labels are; `baselines` are files of baseline_scores.
    """
    rows, read = Rows(prompt_pairs, prompt_answers, activations), Collection.load(collection)
    states, places = Stored(read, embeddings, rows.keys), {}
    texts = Embedder(Encoder(**encoder), embeddings).embed([text or " " for text in rows.answers["text"]])
    methods, problems = [], []
    output = functools.cache(lambda: Decoder(f"model {model['name']}", model).output())
    for name, entry in probes.items():
        layers, read_out = entry.pop("layers"), variants.load(KINDS, entry["kind"], name).OUTPUT
        if read_out and not (read.site == RESIDUAL and read.blocks in read.layers):
            problems.append(f"{name}: revprag.activations leaves out what the last block puts out, which it reads")
            continue
        places[name] = read.places([read.blocks] if read_out == "last" else layers)
        features = states if places[name] is None else Layers(states, places[name])
        if read_out:
            features = ReadOut(states, places[name] or list(range(states.shape[1])), output())
        methods.append(Method(name, features=features, **entry))
    others = [
        control(CONTROL, rows.rulers),
        control(ANSWER_TEXT, np.asarray(texts, np.float32)[:, None]),
        control(SHUFFLED, states, range(shuffles)),
        *(Given(name, "", {}, values, [0]) for name, values in baselines_of(baselines, rows.pairs).items()),
    ]
    saved, cards = {}, {}
    with tables.Writer(PROBE_SCORES, probe_scores) as kept:
        for condition, facts, chosen, tested in rows.groups():
            if found := problem(rows.labels, rows.clusters, chosen):
                problems.append(f"{condition}, {facts} facts: {found}")
                continue
            for method in (one for one in [*methods, *others] if condition in (one.conditions or [condition])):
                try:
                    for own in scored(method, rows.labels, rows.clusters, chosen, tested, fpr):
                        _write(kept, rows, own, condition, facts, method.name)
                        if facts == ALL and own.fold == 0 and method in methods:
                            name = f"{condition}-{method.name}"
                            saved[name, own.seed] = own.arrays
                            entry = {"kind": method.kind, "settings": method.settings, "threshold": own.threshold}
                            cards[f"{name}.{own.seed}"] = entry | {"places": places[method.name]}
                except ProbeError as error:  # others may do with fewer samples
                    problems.append(f"{method.name}, {condition}, {facts} facts: {error}")
    if not saved:
        raise ProbeError(
            f"model {model['name']}: no probe can be fitted: {'; '.join(problems)}; add targets or attacks"
        )
    for one in problems:
        log.info("no probe: %s", one)
    _classify(probe_classes, rows, {"logistic": states, CONTROL: rows.rulers})
    about = {"identity": read.identity, "prompt": Prompt.load(prompt).digest, "reading": read.reading}
    heads_file.write(heads, card, saved, about | {"model": model["name"], "fpr": fpr, "heads": cards})
    log.info("%s; %d probes saved", rows.counts(), len(saved))


def _write(kept, rows, own, condition, facts, probe):
    about = {"trained_on": condition, "facts": facts, "probe": probe, "seed": own.seed, "fold": own.fold}
    for number, score in zip(own.rows.tolist(), own.scores.tolist(), strict=True):
        if not np.isnan(score):
            flagged = None if own.threshold is None else score > own.threshold
            kept.add(rows.row(number) | about | {"score": score, "flagged": flagged})


def _classify(probe_classes, rows, features):
    names = ("target_id", "condition", "side", "cluster", "label")
    with tables.Writer(PROBE_CLASSES, probe_classes) as kept:
        for probe, values in features.items():
            for condition in rows.paired:
                chosen = rows.of(condition, ALL)
                for tested, classes in classified(values, rows.labels, rows.clusters, chosen):
                    for number, predicted in zip(tested.tolist(), classes.tolist(), strict=True):
                        about = {name: rows.row(number)[name] for name in names}
                        kept.add(about | {"probe": probe, "predicted": predicted})


if __name__ == "__main__":
    run(train_probes, snakemake)
