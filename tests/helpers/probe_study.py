"""A little study: questions about keepers of places, the answers of rules, and the activations of a random
decoder. It is run once; tests look at what each stage made of it.
"""

import contextlib
import copy
from types import SimpleNamespace

import pytest

from models import MINILM, save_decoder
from project import ROOT
from ragassay.base import tables
from ragassay.metrics.panel import auroc
from ragassay.models.processor import threads
from ragassay.schemas.attacks import POISONED_PASSAGES, RETRIEVED, TARGETS
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES
from ragassay.schemas.defences import FILTERED
from ragassay.studies.poisoning.probes.rows import asked_once
from ragassay.studies.poisoning.targets.hygiene import usable
from rows import row
from scripts.probes.answer_prompts import answer_prompts
from scripts.probes.collect_activations import collect_activations
from scripts.probes.combine_alarms import combine_alarms
from scripts.probes.mask_passages import mask_passages
from scripts.probes.measure_revprag import measure_revprag
from scripts.probes.pair_prompts import pair_prompts
from scripts.probes.project_activations import project_activations
from scripts.probes.train_probes import train_probes
from scripts.probes.transfer_probes import transfer_probes
from targets import READER

PLACES = (
    "lighthouse mill archive ferry orchard quarry chapel market bridge tower harbour library"
    " bakery station garden theatre museum school brewery forge stable windmill reservoir pier"
).split()
NAMES = (
    "Anna Piet Mirel Oskar Tilda Ruben Greta Levin Sanna Jonas Edda Bryn"
    " Ulf Karla Nils Wanda Ivo Petra Hugo Lena Otto Rosa Emil Frida"
).split()
COUNT, WITHOUT_ANSWER = len(PLACES), "target-23"
ENCODER = {
    "encoder": {"name": "minilm", "kind": "sentence_transformers", "model": MINILM, "options": {"device": "cpu"}}
}
PROMPTS = [ROOT / f"resources/prompts/{name}.yaml" for name in ("respond_passages", "answer_closed_book")]
CONDITIONS = ["released", "retrieved", "prefixed", "matched", "irrelevant", "misspelt"]
TABLES = ("prompt_answers", "probe_scores", "probe_classes", "projections")
MEASURED = (*(f"{name}/s/r/a/m" for name in TABLES), "probe_transfers/kinds", "alarms/s/r/a/m")
WHERE = {"site": None, "position": None, "layers": None}
LOGISTIC = {"kind": "logistic", "settings": {"strengths": [0.01]}, "seeds": [0], "folds": 10}
LENS = {"tokens": 40, "strengths": [0.3], "sparse": True}
CERTAINTY = {"tokens": 40, "strengths": [0.1]}
PROBES = {
    "logistic": LOGISTIC | {**WHERE, "conditions": []},
    "last_layer": LOGISTIC | {**WHERE, "layers": [-1], "conditions": ["released"]},
    "lens": LOGISTIC | {"kind": "lens", "settings": LENS, **WHERE, "conditions": ["matched"]},
    "certainty": LOGISTIC | {"kind": "certainty", "settings": CERTAINTY, **WHERE, "conditions": ["matched"]},
}
CELL = dict(zip(("dataset", "retriever", "attack", "responder"), "sram", strict=True))


def told(at, name):
    return f"{name} Marlowe is the keeper of the old {PLACES[at]} and lives there with two cats and a dog, number {at}."


def target(at):
    wrong = f"{NAMES[(at + 7) % COUNT]} Marlowe"
    found, _ = usable(
        {
            "target_id": f"target-{at:02}",
            "question": f"Who is the keeper of the old {PLACES[at]}?",
            "document": f"d{at:02}",
            "answers": [f"{NAMES[at]} Marlowe"],
            "target": wrong,
            "target_aliases": [],
            "texts": [f"{wrong} is the keeper of the old {PLACES[at]}."],
            "made_by": "file",
            "kind": ("who", "keeper")[at % 2],
        }
    )
    return row(TARGETS, **found)


def asked(study):
    return asked_once(*(study.place(name) for name in ("targets", "prompt_pairs", "prompt_answers")))


def write_tables(place):
    """Every question finds its passage, and in second place that of the next, but for one, which finds others alone."""
    targets = [target(at) for at in range(COUNT)]
    tables.write(TARGETS, place("targets"), targets)
    passages = [
        row(PASSAGES, passage_id=f"p{at:02}", document_id=f"d{at:02}", text=told(at, NAMES[at])) for at in range(COUNT)
    ]
    tables.write(PASSAGES, place("passages"), passages)
    planted, clean, attacked = [], [], []
    for at, one in enumerate(targets):
        name, poison = one["target_id"], f"poison-{at:02}"
        text = f"{one['question']} {one['texts'][0]}"
        planted.append(
            row(POISONED_PASSAGES, passage_id=poison, target_id=name, number=1, text=text, attack="a", poisoned=True)
        )
        found = [f"p{at:02}", f"p{(at + 1) % COUNT:02}"] if name != WITHOUT_ANSWER else ["p01", "p02"]
        clean += [row(NEIGHBOURS, query_id=name, rank=n, passage_id=one) for n, one in enumerate(found, 1)]
        attacked += [
            row(RETRIEVED, target_id=name, rank=n, passage_id=one, poisoned=one == poison)
            for n, one in enumerate([poison, found[1]], 1)
        ]
    tables.write(POISONED_PASSAGES, place("poisoned_passages"), planted)
    tables.write(NEIGHBOURS, place("neighbours"), clean)
    tables.write(RETRIEVED, place("retrieved"), attacked)
    for name, rows in (("filtered_clean", clean), ("filtered_attacked", attacked)):
        tables.write(FILTERED, place(name), [judged(one) for one in rows])


def judged(found):
    """A defence that suspects what is planted for every third target, and else what its score says."""
    name = found.get("query_id") or found["target_id"]
    at = int(name[-2:])
    score = 2.0 if found.get("poisoned") and at % 3 == 0 else (at * 7 % COUNT) / COUNT - found["rank"] / 100
    about = {"defence": "guard", "target_id": name, "rank": found["rank"], "passage_id": found["passage_id"]}
    return row(FILTERED, **about, score=score, removed=score > 1)


def area_of(rows):
    """The area under the curve of scores of answers that are right or poisoned."""
    decided = [row for row in rows if row["label"] in ("correct", "poisoned")]
    return auroc([row["score"] for row in decided], [row["label"] == "poisoned" for row in decided])


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """The places of its tables, and stages that can be called again with other settings."""
    folder = tmp_path_factory.mktemp("study")
    own = SimpleNamespace(folder=folder, embeddings=str(folder / "embeddings"), collection=folder / "collection.json")

    def place(name):
        return folder / f"{name}.parquet"

    def rows(table):
        return tables.read(table, place(table.name)).to_pylist()

    @contextlib.contextmanager
    def changed(table, rows=None, name=None):
        """A table that is as it was afterwards, and what is collected, too; with rows, it has these."""
        path = place(name or table.name)
        before = {file: file.read_bytes() for file in (path, own.collection)}
        try:
            if rows is not None:
                tables.write(table, path, rows)
            yield
        finally:
            for file, content in before.items():
                file.write_bytes(content)

    def pair(**more):
        inputs = [place(name) for name in ("targets", "passages", "poisoned_passages", "neighbours", "retrieved")]
        settings = {"dataset": "s", "conditions": CONDITIONS, "k": 2, "similarity": 0.6, "cut_after_words": 300}
        settings |= ENCODER | {"embeddings": own.embeddings}
        pair_prompts(*inputs, place("prompt_pairs"), place("rejects"), **settings | more)

    def answer(answers=(), **more):
        inputs = [place("targets"), place("prompt_pairs"), list(answers), *PROMPTS]
        settings = {"model": READER, "ledger": str(folder / "ledger/answers"), "sampling": {"temperature": 0}}
        settings |= {"in_lines": False, "wants": "answer", "most_rejected": 1}
        answer_prompts(*inputs, place("prompt_answers"), place("calls"), **settings | more)

    def collect(readings=None, **more):
        inputs = [place(name) for name in ("targets", "prompt_pairs", "prompt_answers")]
        settings = {"model": own.model, "readings": readings or [{}], "in_lines": False, "embeddings": own.embeddings}
        collect_activations(*inputs, *PROMPTS, [], place("activations"), own.collection, **settings | more)

    def train(output=folder, **more):
        inputs = [*(place(name) for name in ("prompt_pairs", "prompt_answers", "activations")), own.collection]
        outputs = [output / "heads.safetensors", output / "card.json"]
        outputs += [output / f"{name}.parquet" for name in ("probe_scores", "probe_classes")]
        settings = {"model": own.model, "probes": copy.deepcopy(PROBES), "shuffles": 1, "fpr": 0.1}
        settings |= ENCODER | {"embeddings": own.embeddings}
        train_probes(*inputs, [place("masking")], PROMPTS[0], [], *outputs, **settings | more)

    def mask(**more):
        inputs = [place(name) for name in ("targets", "prompt_pairs", "prompt_answers")]
        settings = {"model": own.model, "in_lines": False, "share": 0.2, "trials": 2, "mask": "_", "seed": 0}
        mask_passages(*inputs, *PROMPTS, [], place("masking"), **settings | more)

    def transfer(cells, across, **more):
        inputs = [place(name) for name in ("prompt_pairs", "prompt_answers", "activations")]
        inputs = [[one] * len(cells) for one in (*inputs, own.collection)]
        settings = {"probe": "logistic", "entry": {**WHERE, **LOGISTIC}, "conditions": ["released"], "fpr": 0.1}
        settings |= {"embeddings": own.embeddings}
        transfer_probes(*inputs, place("probe_transfers"), cells, across, [], **settings | more)

    def combine(output, **more):
        inputs = [place("prompt_pairs"), place("probe_scores"), [place("filtered_clean"), place("filtered_attacked")]]
        combine_alarms(*inputs, output, **{"defences": ["guard"], "fpr": 0.1} | more)

    def project(**more):
        inputs = [*(place(name) for name in ("prompt_pairs", "prompt_answers", "activations")), own.collection]
        settings = {"embeddings": own.embeddings, "most": 30, "seed": 0}
        project_activations(*inputs, place("projections"), **settings | more)

    own.__dict__.update(place=place, rows=rows, changed=changed, pair=pair, answer=answer, collect=collect, train=train)
    own.__dict__.update(mask=mask, transfer=transfer, project=project, combine=combine)
    write_tables(place)
    save_decoder(folder / "decoder", [told(at, NAMES[at]) for at in range(COUNT)], 600, 4096)
    own.model = {
        "name": "tiny",
        "provider": "transformers",
        "model": str(folder / "decoder"),
        "options": {"device": "cpu"},
    }
    with threads(1):
        pair()
        answer()
        collect()
        mask()
        train()
        project()
        transfer([CELL], "kind")
        combine(place("alarms"))
        own.files = [folder / f"{name}.parquet" for name in ("rejects/s/r/a", *MEASURED)]
        for file in own.files:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(place(file.relative_to(folder).parts[0]).read_bytes())
        own.card = folder / "probes/s/r/a/m/card.json"
        own.card.parent.mkdir(parents=True)
        own.card.write_bytes((folder / "card.json").read_bytes())
        inputs = [[file] for file in (*own.files, own.card)]
        measure_revprag(*inputs, place("metrics"), resamples=50, seed=0, flips=99, least_answers=20)
    return own
