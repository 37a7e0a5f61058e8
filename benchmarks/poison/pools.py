"""Defences in a pool of 20,000 passages, where a question finds more than the ten that were published for it: all
passages that people wrote beside the project (Wikipedia, search snippets, abstracts and their conclusions), and, up to
that number, texts that a model wrote for other questions. 48 questions count, each with thresholds from others.
"""

import contextlib
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
SIZE = 20_000
CONTROLS = {"raguard": 0.1, "similarity": 0.05, "question_share": 0.05}  # with the false alarms that are allowed
ATTACKS = {"poisonedrag_black": "black", "poisonedrag_bare": "bare"}
MISSES = {"poisonedrag_black": 0.13, "poisonedrag_bare": 0.35}


def pools() -> None:
    with run() as clone:
        measured(clone / "results")


@contextlib.contextmanager
def run() -> Iterator[Path]:
    """A clone in which the defences have judged."""
    with cloned() as clone:
        filled(clone)
        yield clone


def filled(clone: Path) -> None:
    folder = clone / "data/published"
    folder.mkdir(parents=True)
    targets = pq.read_table(DATA / f"{TARGETS}.parquet")
    pq.write_table(targets, folder / "nq_targets.parquet")
    asked = {_plain(question) for question in targets["question"].to_pylist()}
    people = list(_once(_by_people(), ()))
    model = list(_once(_by_model(asked), people))[: SIZE - len(people)]
    for name, texts in (("people", people), ("model", model)):
        pq.write_table(pa.table({"text": texts}), folder / f"{name}.parquet")
    names = [f"results/filtered/pool/minilm/{attack}.parquet" for attack in ("none", *ATTACKS)]
    snakemake(clone, *names, "--configfile", "benchmarks/poison/pools.yaml")


def _by_people():
    for name in PEOPLE:
        yield from pq.read_table(DATA / f"{name}.parquet", columns=["text"])["text"].to_pylist()


def _by_model(asked):
    """Texts for questions that are not asked here, the first text of each before all second ones."""
    rows = [row for name in MODEL for row in pq.read_table(DATA / f"{name}.parquet").to_pylist()]
    rows = [row for row in rows if _plain(row["question"]) not in asked]
    for number in range(max(len(row["poisoned_texts"]) for row in rows)):
        yield from (row["poisoned_texts"][number] for row in rows if number < len(row["poisoned_texts"]))


def _once(texts: Iterable[str], before: Iterable[str]) -> Iterator[str]:
    seen = set(before)
    for text in map(without_debris, texts):
        if text and text not in seen and not is_refusal(text):
            seen.add(text)
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
    for attack, name in ATTACKS.items():
        echo = cells["pool", "minilm", attack, "echo", None]
        missed = wrong(echo)
        figure(f"pool_{name}_echo_missed_at_most", missed["high"], "share", f"<= {MISSES[attack]}", missed["value"])
        for control in CONTROLS:
            other = cells["pool", "minilm", attack, control, None]
            more = difference(echo, other)
            label = f"pool_{name}_echo_misses_beyond_{control}_at_most"
            figure(label, more["high"], "share", "<= 0", wrong(other)["value"])
