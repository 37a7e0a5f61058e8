"""Draw activations in the plane: of each answer the mean over layers, by PCA and by t-SNE, condition by condition.

A picture proves nothing: t-SNE shows groups in noise, too. It is here because papers on activations argue with it.
"""

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.probes import PROJECTIONS
from ragassay.studies.poisoning.probes.folds import CLASSES
from ragassay.studies.poisoning.probes.reading import Collection
from ragassay.studies.poisoning.probes.rows import ALL, Rows
from ragassay.studies.poisoning.probes.samples import Part, Stored

PERPLEXITY = 30.0  # of t-SNE; fewer samples than this and a half have a third of their number
FEWEST = 5  # answers that are drawn


def project_activations(prompt_pairs, prompt_answers, activations, collection, projections, embeddings, most, seed):
    """At most `most` answers of a condition are drawn, the first by their ids."""
    rows = Rows(prompt_pairs, prompt_answers, activations)
    states = Stored(Collection.load(collection), embeddings, rows.keys)
    count = 0
    with tables.Writer(PROJECTIONS, projections) as kept:
        for condition in rows.paired:
            chosen = np.flatnonzero(rows.of(condition, ALL) & np.isin(rows.labels, CLASSES))[:most]
            if len(chosen) < FEWEST:
                continue
            count += len(chosen)
            means = np.concatenate([chunk.mean(axis=1) for chunk in Part(states, chosen, chosen).chunks()])
            for method, places in (("pca", _pca(means)), ("t_sne", _t_sne(means, seed))):
                for number, (x, y) in zip(chosen.tolist(), places.tolist(), strict=True):
                    columns = {name: rows.row(number)[name] for name in ("target_id", "condition", "side", "label")}
                    kept.add(columns | {"method": method, "x": x, "y": y})
    log.info("%d answers drawn", count)


def _pca(means):
    from sklearn.decomposition import PCA

    return np.round(PCA(2, svd_solver="full").fit_transform(means), 6)


def _t_sne(means, seed):
    from sklearn.manifold import TSNE

    perplexity = min(PERPLEXITY, (len(means) - 1) / 3)
    return np.round(TSNE(2, perplexity=perplexity, init="pca", random_state=seed).fit_transform(means), 3)


if __name__ == "__main__":
    run(project_activations, snakemake)
