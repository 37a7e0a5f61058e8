"""Defences in a pool of all different texts that stand beside the project: those that people wrote (Wikipedia, search
snippets, abstracts and their conclusions), and those that a model wrote for other questions. A question finds more
there than the ten passages that were published for it. 48 questions count, each with thresholds from others.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from common.clone import DATA, cloned, snakemake
from common.figures import count, figure
from poison.held_out import difference, looked_at, wrong
from ragassay.studies.poisoning.targets.hygiene import is_refusal, without_debris

PEOPLE = ("wikipedia_passages/nq", "realtimeqa/passages", "relevance/corpus_pubmed")
PEOPLE += ("relevance/corpus_pubmed_conclusions",)
MODEL = ("poison_targets/revprag_nq", "poison_targets/revprag_hotpotqa")
TARGETS = "poison_targets/poisonedrag_nq"
CONTROLS = {"raguard": 0.1, "similarity": 0.05, "question_share": 0.05}  # with the false alarms that are allowed
MISSES = {"poisonedrag_black": 0.13, "poisonedrag_bare": 0.35}


def pools() -> None:
    with cloned() as clone:
        filled(clone)
        names = [f"results/filtered/pool/minilm/{attack}.parquet" for attack in ("none", *MISSES)]
        snakemake(clone, *names, "--configfile", "benchmarks/poison/pools.yaml")
        measured(clone / "results")


def filled(clone: Path) -> None:
    folder = clone / "data/published"
    folder.mkdir(parents=True)
    targets = pq.read_table(DATA / f"{TARGETS}.parquet")
    pq.write_table(targets, folder / "nq_targets.parquet")
    asked = {_plain(question) for question in targets["question"].to_pylist()}
    texts = list(_once([*_by_people(), *_by_model(asked)]))
    pq.write_table(pa.table({"text": texts}), folder / "pool.parquet")


def _by_people():
    for name in PEOPLE:
        yield from pq.read_table(DATA / f"{name}.parquet", columns=["text"])["text"].to_pylist()


def _by_model(asked):
    """Texts for questions that are not asked here."""
    for name in MODEL:
        for row in pq.read_table(DATA / f"{name}.parquet").to_pylist():
            if _plain(row["question"]) not in asked:
                yield from row["poisoned_texts"]


def _once(texts: Iterable[str]) -> Iterator[str]:
    for text in dict.fromkeys(map(without_debris, texts)):
        if text and not is_refusal(text):
            yield text


def _plain(question):
    return " ".join(question.lower().split())


def measured(results: Path) -> None:
    """False alarms without an attack and what is missed, at each defence's own threshold; of `echo` and of differences
    the upper ends of intervals.
    """
    cells = looked_at(results)
    count("pool_passages", pq.read_metadata(results / "passages/pool.parquet").num_rows, "passages")
    clean = {defence: wrong(cells["pool", "minilm", "none", defence, None]) for defence in ("echo", *CONTROLS)}
    figure("pool_clean_echo_false_alarms_at_most", clean["echo"]["high"], "share", "<= 0.03", clean["echo"]["value"])
    for control, most in CONTROLS.items():
        figure(f"pool_clean_{control}_false_alarms", clean[control]["value"], "share", f"<= {most}")
    for attack, most in MISSES.items():
        missed = wrong(cells["pool", "minilm", attack, "echo", None])
        name = attack.removeprefix("poisonedrag_")
        figure(f"pool_{name}_echo_missed_at_most", missed["high"], "share", f"<= {most}", missed["value"])
    bare = {defence: cells["pool", "minilm", "poisonedrag_bare", defence, None] for defence in ("echo", *CONTROLS)}
    beyond = max(difference(bare["echo"], bare[control])["high"] for control in CONTROLS)
    figure("pool_bare_echo_misses_beyond_any_control_at_most", beyond, "share", "<= 0")
