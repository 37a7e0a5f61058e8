"""Fit probes on activations, in folds by document, and the controls that they have to beat; score what each fold tests.

The probes of the first fold are saved, for use in a service: a tenth of the documents is new to them.
"""

import functools

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.calls.prompts import Prompt
from ragassay.models.activations.sites import ActivationsError
from ragassay.models.activations.state_store import Decoder
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.models.heads import heads_file
from ragassay.models.recording import PROVIDER, Recording
from ragassay.schemas.probes import PROBE_CLASSES, PROBE_SCORES
from ragassay.studies.poisoning.probes import folds
from ragassay.studies.poisoning.probes.folds import (
    ANSWER_TEXT,
    CONTROL,
    FIRST_TOKEN,
    FIRST_WORDS,
    LOG_PROBABILITIES,
    SHUFFLED,
    Contestant,
    Given,
    control,
)
from ragassay.studies.poisoning.probes.labels import CORRECT
from ragassay.studies.poisoning.probes.reading import Collection
from ragassay.studies.poisoning.probes.rows import ALL, Rows, baselines_of
from ragassay.studies.poisoning.probes.samples import Layers, ProbeError, Stored


def train_probes(
    prompt_pairs, prompt_answers, activations, collection, baselines, prompt, weights,
    heads, card, probe_scores, probe_classes,
    model, probes, shuffles, fpr, encoder, embeddings,
):  # fmt: skip
    """`probes` are entries by name, each with kind, settings, seeds, folds, site, position, layers and conditions;
    `shuffles` is how often labels are; `baselines` are files of baseline_scores.
    """
    rows, read = Rows(prompt_pairs, prompt_answers, activations), Collection.load(collection)
    states_of = functools.cache(lambda reading: Stored(read, embeddings, rows.keys, reading))
    states, where_read = states_of(read.reading()), {}
    texts = Embedder(Encoder(**encoder), embeddings).embed([text or " " for text in rows.answers["text"]])
    contestants, problems = [], []
    output = functools.cache(lambda: _output(model))
    for name, entry in probes.items():
        layers, read_out = entry.pop("layers"), folds.kind_of(entry["kind"], name).OUTPUT
        try:
            reading = read.reading(entry.pop("site"), entry.pop("position"))
            if read_out and not reading.has_last:
                raise ActivationsError("revprag.activations leaves out what the last block puts out, which it reads")
            places = reading.places([read.blocks] if read_out == "last" else layers)
        except ActivationsError as error:  # others may look at what was read
            problems.append(f"{name}: {error}")
            continue
        where_read[name] = {"places": places, "reading": reading.card}
        features = states_of(reading) if places is None else Layers(states_of(reading), places)
        if read_out:
            features = Layers(states_of(reading), places or list(range(len(reading.layers))), output())
        contestants.append(Contestant(name, features=features, **entry))
    others = [
        control(CONTROL, rows.rulers),
        Given(FIRST_TOKEN, "", {}, rows.surprises, [0]),
        control(LOG_PROBABILITIES, rows.certainties),
        control(ANSWER_TEXT, np.asarray(texts, np.float32)[:, None]),
        control(FIRST_WORDS, rows.first_words),
        control(SHUFFLED, states, range(shuffles)),
        *(Given(name, "", {}, values, [0]) for name, values in baselines_of(baselines, rows.pairs).items()),
    ]
    saved, cards = {}, {}
    with tables.Writer(PROBE_SCORES, probe_scores) as kept:
        for condition, facts, chosen, tested in rows.groups():
            if wrong := folds.problem(rows.labels, rows.clusters, chosen):
                problems.append(f"{condition}, {facts} facts: {wrong}")
                continue
            for contestant in [*contestants, *others]:
                if condition not in (contestant.conditions or [condition]):
                    continue
                flags = {}  # of right answers, by seed
                try:
                    for part in folds.scored(contestant, rows.labels, rows.clusters, chosen, tested, fpr):
                        _write(kept, rows, part, condition, facts, contestant.name)
                        if facts == ALL and part.fold == 0 and contestant in contestants:
                            name, probe = f"{condition}-{contestant.name}", part.probe
                            saved[name, part.seed] = probe.fitted
                            entry = {"kind": contestant.kind, "settings": probe.settings, "threshold": part.threshold}
                            entry["digest"] = heads_file.rounded_digest(probe.fitted)
                            cards[f"{name}.{part.seed}"] = entry | where_read[contestant.name]
                        if part.threshold is not None:
                            right = chosen[part.rows] & (rows.labels[part.rows] == CORRECT)
                            flags.setdefault(part.seed, []).extend((part.scores[right] > part.threshold).tolist())
                except ProbeError as error:  # others may do with fewer samples
                    problems.append(f"{contestant.name}, {condition}, {facts} facts: {error}")
                for seed, entry in (
                    (seed, cards.get(f"{condition}-{contestant.name}.{seed}")) for seed in contestant.seeds
                ):
                    if entry and facts == ALL:
                        entry["observed_fpr"] = float(np.mean(flags[seed])) if flags.get(seed) else None
    if not saved:
        raise ProbeError(
            f"model {model['name']}: no probe can be fitted: {'; '.join(problems)}; add targets or attacks"
        )
    for line in problems:
        log.info("no probe: %s", line)
    _classify(probe_classes, rows, {"logistic": states, CONTROL: rows.rulers})
    columns = {"identity": read.identity, "prompt": Prompt.load(prompt).digest}
    heads_file.write(heads, card, saved, columns | {"model": model["name"], "fpr": fpr, "heads": cards})
    log.info("%s; %d probes saved", rows.counts(), len(saved))


def _output(model):
    """The output layer; of a model that was recorded, the rows that were kept."""
    if model["provider"] == PROVIDER:
        return Recording.open(model["model"]).words
    return Decoder(f"model {model['name']}", model).output()


def _write(kept, rows, part, condition, facts, probe):
    columns = {"trained_on": condition, "facts": facts, "probe": probe, "seed": part.seed, "fold": part.fold}
    for number, score in zip(part.rows.tolist(), part.scores.tolist(), strict=True):
        if not np.isnan(score):
            flagged = None if part.threshold is None else score > part.threshold
            kept.add(rows.row(number) | columns | {"score": score, "flagged": flagged})


def _classify(probe_classes, rows, features):
    names = ("target_id", "condition", "side", "cluster", "label")
    with tables.Writer(PROBE_CLASSES, probe_classes) as kept:
        for probe, values in features.items():
            for condition in rows.paired:
                chosen = rows.of(condition, ALL)
                for tested, classes in folds.classified(values, rows.labels, rows.clusters, chosen):
                    for number, predicted in zip(tested.tolist(), classes.tolist(), strict=True):
                        columns = {name: rows.row(number)[name] for name in names}
                        kept.add(columns | {"probe": probe, "predicted": predicted})


if __name__ == "__main__":
    run(train_probes, snakemake)
