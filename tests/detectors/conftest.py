"""A small scope study whose questions are kept, and detectors on a real encoder and on a little random decoder."""

import json
import random

import pytest

from models import save_decoder
from project import ROOT
from ragassay.base import tables
from ragassay.base.chance import split_of
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_questions import QUESTIONS, SELECTED_QUESTIONS
from rows import row
from study import MINILM

WORDS = "ferry quay glacier marks council storm harbour orchard lighthouse census bridge herring cheese tower".split()
NEAR = {"similarity": 0.6, "cut_after_words": 300}
RECIPE = {"hidden": 8, "dropout": 0.1, "epochs": 2, "batch": 8, "rate": 0.01, "standardize": True}


class Study:
    """A folder with documents, kept questions and what is made of them."""

    def __init__(self, folder, embeddings):
        self.folder, self.embeddings = folder, embeddings
        draw = random.Random(3)
        documents, questions = [], []
        for number in range(30):
            words = draw.sample(WORDS, 6)
            doc_id, cluster = f"doc-{number:02}", f"cluster-{number // 2 * 2:02}"  # two and two are near-duplicates
            text = f"The {words[0]} and the {words[1]} lie at the {words[2]}. They cost {number + 2} marks."
            documents.append(row(DOCUMENTS, doc_id=doc_id, cluster_id=cluster, shard="s", text=text, topic="food"))
            for slot, (kind, word) in enumerate([("in_scope", words[0]), ("out_of_scope", words[5])]):
                same = {"question_id": f"q-{number:02}-{slot}", "doc_id": doc_id, "shard": "s", "intended": kind}
                same |= {"slot": slot, "text": f"Where does the {word} lie?", "generator": "g"}
                judged = {"label": kind, "status": "kept", "split": split_of(cluster), "judge": "j"}
                questions.append(row(SELECTED_QUESTIONS, **same, **judged))
        self.write(DOCUMENTS, documents)
        self.write(SELECTED_QUESTIONS, questions)
        self.write(QUESTIONS, [{name: one[name] for name in QUESTIONS.schema.names} for one in questions])

    def path(self, name):
        return self.folder / name

    def rows(self, table):
        return tables.read(table, self.path(f"{table.name}.parquet")).to_pylist()

    def write(self, table, rows):
        tables.write(table, self.path(f"{table.name}.parquet"), rows)

    def card(self, where="detector"):
        return json.loads(self.made(where)["card"].read_text())

    def inputs(self, *names):
        return {name: [self.path(f"{name}.parquet")] for name in names}

    def made(self, where="detector"):
        place = self.folder / where
        files = {"heads": "heads.safetensors", "card": "card.json", "known_documents": "documents.parquet"}
        return {name: place / file for name, file in files.items()}

    def settings(self, kind, encoder=MINILM, **options):
        options = {"appended": None, "layer": -1} | options
        about = {"detector": "d", "kind": kind, "encoder": encoder, "options": options}
        prompt = ROOT / "resources/prompts/detect_scope.yaml"
        return {"detector": about, "embeddings": str(self.embeddings), "weights": [], "prompt": prompt}

    def lengthen(self, count):
        """The first documents become longer than the little decoder reads; their ids."""
        rows = self.rows(DOCUMENTS)
        for one in rows[:count]:
            one["text"] += " Nobody was there but the ferry." * 100
        self.write(DOCUMENTS, rows)
        return {one["doc_id"] for one in rows[:count]}

    def train(self, settings, where="detector", most_questions=50_000):
        from scripts.detectors.train_detector import train_detector

        files = self.inputs("documents", "selected_questions") | self.made(where)
        files |= {"training": self.folder / where / "training.parquet"}
        settings = settings | {"recipe": RECIPE, "seeds": [0, 1], "shares": [0.5], "cut_after_words": 300}
        train_detector(**files, **settings, most_questions=most_questions)

    def apply(self, settings, where="detector", **more):
        from scripts.detectors.apply_detectors import apply_detectors

        given = {name: self.path(f"{name}.parquet") for name in ("documents", "questions")} | more
        made, output = self.made(where), self.folder / f"predictions/d/e/g/j/g/{where}.parquet"
        of_each = {"heads": [made["heads"]], "cards": [made["card"]], "known_documents": [made["known_documents"]]}
        settings = dict(settings)
        of_each["detectors"] = [settings.pop("detector")]
        apply_detectors(**of_each, **given, **settings, predictions=[output], asked="g", **NEAR)
        return output


@pytest.fixture(scope="session")
def embeddings(tmp_path_factory):
    """Vectors that tests share, so that the encoder is loaded once."""
    return tmp_path_factory.mktemp("embeddings")


@pytest.fixture(scope="session")
def new_study(embeddings):
    """A function that makes a study in a folder."""
    return lambda folder: Study(folder, embeddings)


@pytest.fixture
def study(new_study, tmp_path):
    return new_study(tmp_path)


@pytest.fixture(scope="session")
def decoder(tmp_path_factory):
    """The folder of a little random decoder with a tokenizer that has tokens of its own."""
    folder = tmp_path_factory.mktemp("decoder")
    save_decoder(folder, [" ".join(WORDS)] * 3, 400, 512)
    return {"name": "little", "model": str(folder), "options": {"device": "cpu"}}
