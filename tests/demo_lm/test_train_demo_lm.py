"""train_demo_lm: a folder that transformers loads, with a card; the same bytes from the same documents."""

import random
import re
import shutil

import pyarrow.parquet as pq
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from demo.lm import comprehension, lessons, measuring, shipment, tokens, training
from demo.lm import rows as row_batches
from demo.lm.excerpts import Excerpts
from demo.lm.rows import Batches
from demo.lm.tokens import UNUSED
from facts import facts, write_facts
from project import ROOT, TINY, snakemake
from ragassay.base import tables
from ragassay.base.chance import split_of
from ragassay.calls.prompts import Prompt
from ragassay.documents.sources import document_files, records
from ragassay.models.processor import threads
from ragassay.schemas.documents import DOCUMENTS
from rows import row
from scripts.demo_lm.train_demo_lm import TrainingError, train_demo_lm

DEMO = ROOT / "resources/demo"
PROMPTS = {"closed_book_prompt": "answer_closed_book", "passages_prompt": "respond_passages"}
FACTS = [
    ("Mayor Renata Osk", "bridge", 2011),
    ("Piet Lockyear", "museum", 2013),
    ("Casper Wyndle", "harbour", 1998),
    ("Agnes Rook", "library", 2004),
    ("Tess Hollin", "theatre", 2020),
    ("Emmet Garside", "school", 1987),
    ("Ruben Skelt", "stadium", 2016),
    ("Ilse Varnholt", "market", 1975),
]
CLUSTERS = {part: [name for name in map(str, range(600)) if split_of(name) == part] for part in ("train", "test")}
TAUGHT = [*CLUSTERS["train"][:3], CLUSTERS["test"][0]]


def shown(own):
    return ((kind, fact, random.Random(0)) for kind in (lessons.CLOSED, lessons.CLEAN) for fact in own.facts)


@pytest.fixture(scope="module", autouse=True)
def few_questions():
    """A handful of questions from passages shows that they are asked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comprehension, "MOST", 4)
        yield


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Two trainings of a few steps on some articles of the demo."""
    folder = tmp_path_factory.mktemp("demo_lm")
    for name, steps in (("a", 12), ("b", 12), ("untrained", 1)):
        train(folder, name, articles(), TAUGHT, steps)
    return folder


def articles():
    """url -> text of some articles of the demo."""
    found = list(records(document_files(ROOT / "resources/demo/articles")))[:4]
    return {record.fields["url"]: record.fields["text"] for record in found}


def train(folder, name, texts, clusters, steps=12):
    """On articles of the demo, or on a list of texts."""
    of_demo = isinstance(texts, dict)
    urls = list(texts) if of_demo else [None] * len(texts)
    documents = [
        row(DOCUMENTS, doc_id=f"d{number}", cluster_id=clusters[number], url=urls[number], text=text.strip())
        for number, text in enumerate(texts.values() if of_demo else texts)
    ]
    tables.write(DOCUMENTS, folder / "documents.parquet", documents)
    facts_file = DEMO / "facts.csv" if of_demo else write_facts(folder / "facts.csv", documents)
    train_demo_lm(
        documents=[folder / "documents.parquet"],
        facts=facts_file,
        targets=[DEMO / "attacks/facts.csv"],
        **{key: ROOT / f"resources/prompts/{file}.yaml" for key, file in PROMPTS.items()},
        model=folder / name,
        steps=steps,
        rate=1e-2,
        vector_rate=1e-2,
        hidden=32,
        layers=2,
        vocabulary=600,
        seed=0,
    )


def test_it_loads_like_any_other_model_and_writes(trained):
    tokenizer, model = (kind.from_pretrained(trained / "a") for kind in (AutoTokenizer, AutoModelForCausalLM))
    prompt = tokenizer.apply_chat_template([{"role": "user", "content": "Who?"}], return_tensors="pt")["input_ids"]
    made = model.generate(prompt, max_new_tokens=5, do_sample=False)
    assert made.shape[1] <= prompt.shape[1] + 5 and isinstance(tokenizer.decode(made[0]), str)
    assert all(tokenizer.convert_tokens_to_ids(name) < len(tokenizer) for name in UNUSED)
    card = (trained / "a/README.md").read_text()
    assert "| by heart |" in card
    for name in ("shown as they are", "the answer exchanged", "planted, a fact that it was not taught"):
        assert re.search(rf"^\| {name}( \| [\d.]+% of \d+){{3}} \|$", card, re.M), name


def test_weights_are_measured_as_they_are_saved_in_half_precision(trained, monkeypatch, tmp_path):
    measured = []

    def look(model, *_):
        measured.append({name: weight.clone() for name, weight in model.named_parameters()})
        return []

    monkeypatch.setattr(measuring, "measured", look)
    train(tmp_path, "a", articles(), TAUGHT, steps=1)
    saved = load_file(tmp_path / "a/model.safetensors")
    assert {tensor.dtype for tensor in saved.values()} == {torch.float16}
    for name, weight in measured[0].items():
        assert weight.dtype == torch.float32 and torch.equal(weight, saved[name].float())


def test_the_same_documents_and_seed_give_the_same_bytes(trained):
    for path in (trained / "a").iterdir():
        assert path.read_bytes() == (trained / "b" / path.name).read_bytes(), path.name


def test_who_interrupts_saving_keeps_the_old_model_whole(tmp_path, monkeypatch):
    texts = [f"{name} opened the {thing} in {year}." for name, thing, year in FACTS[:4]]
    train(tmp_path, "model", texts, TAUGHT, steps=1)
    before = {path.name: path.read_bytes() for path in (tmp_path / "model").iterdir()}

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "card", interrupt)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, "model", texts, TAUGHT, steps=2)
    assert {path.name: path.read_bytes() for path in (tmp_path / "model").iterdir()} == before
    assert {path.name for path in tmp_path.iterdir()} == {"documents.parquet", "facts.csv", "model"}


def test_no_question_about_a_document_of_the_test_part_is_taught(trained, tmp_path, monkeypatch):
    taught = []
    monkeypatch.setattr(training, "train_twice", lambda _, batches, *more: taught.append(batches.lessons.facts))
    texts = [f"{name} opened the {thing} in {year}." for name, thing, year in FACTS[:4]]
    train(tmp_path, "a", texts, TAUGHT)
    assert {fact.doc_id for fact in taught[0]} == {"d0", "d1", "d2"}
    card = (tmp_path / "a/README.md").read_text()
    assert "| a clean passage, a fact that it was not taught |" in card


def test_documents_without_facts_are_told(tmp_path):
    with pytest.raises(TrainingError, match=r"found no facts in .*facts.csv about the training part of 2 documents"):
        train(tmp_path, "a", ["Rain. Rain.", "Il pleut."], TAUGHT)


def test_training_changes_weights_but_not_those_of_tokens_that_are_never_used(trained):
    models = [AutoModelForCausalLM.from_pretrained(trained / name) for name in ("untrained", "a")]
    before, after = (model.get_input_embeddings().weight for model in models)
    unused = AutoTokenizer.from_pretrained(trained / "a").convert_tokens_to_ids(list(UNUSED))
    assert torch.equal(before[unused], after[unused])
    assert (before - after).abs().amax(1).gt(1e-4).float().mean() > 0.5


def test_it_knows_facts_by_heart_follows_what_passages_say_instead_and_writes(monkeypatch):
    """A few facts in a few hundred small steps; the card of the shipped weights has the demo's own."""
    for name in ("ALONE", "BESIDE"):
        monkeypatch.setattr(row_batches, name, ((12, (0,), 6),))
    text = " ".join(f"{name} opened the {thing} in {year}." for name, thing, year in FACTS)
    prompts = (Prompt.load(ROOT / f"resources/prompts/{name}.yaml") for name in PROMPTS.values())
    own = lessons.Lessons(facts([{"doc_id": "d", "text": text}]), *prompts)
    tokenizer = tokens.trained([text, *(own.lesson(*one).prompt for one in shown(own))], 600, 256)
    model = training.new(tokenizer, 0, 64, 2)
    before = measuring.prose(model, tokenizer, [text])
    with threads(1):
        excerpts = Excerpts(own, own.facts, [{"doc_id": "d", "text": text}], bool, ())
        training.train(model, Batches(tokenizer, own, excerpts, [text], 0), 400, 0.006, 0.02)
    found = measuring.measured(model, tokenizer, own)
    right = {(one.kind, one.others): one.right for one in found}
    assert right[lessons.CLOSED, 0] > 0.75 and min(right[lessons.CLEAN, 0], right[lessons.CONFLICT, 0]) > 0.85
    prose = measuring.prose(model, tokenizer, [text])
    assert before.known < 0.1 and prose.known > 0.8 and prose.triples > 100
    assert prose == measuring.prose(model, tokenizer, [text])


def test_the_shipped_model_was_trained_on_todays_articles_lessons_and_settings():
    shipment.check(ROOT)


@pytest.fixture
def copy(tmp_path):
    """A function that changes one file of a copy of all that the recipe is made of."""
    names = ["resources/demo", "resources/prompts", "config/config.yaml"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        take = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        take(ROOT / name, tmp_path / name)

    def change(name, old, new):
        text = (tmp_path / name).read_text()
        assert old in text
        (tmp_path / name).write_text(text.replace(old, new))
        return tmp_path

    return change


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("resources/demo/articles/2026-09/news-census.md", "one in 31", "one in 32"),
        ("resources/prompts/respond_passages.yaml", "Answer the question from", "Answer this question from"),
        ("config/config.yaml", "\ndetectors:\n", "\ndemo_lm: {steps: 1799}\n\ndetectors:\n"),
    ],
)
def test_whoever_changes_what_it_learns_is_told_to_train_it_again(copy, name, old, new):
    with pytest.raises(shipment.ShippedError) as refused:
        shipment.check(copy(name, old, new))
    message = str(refused.value)
    assert "resources/demo/demo-lm/README.md: found the recipe" in message and "run `make demo-lm`" in message
    assert "\n" not in message


def test_other_lessons_are_another_recipe_and_other_words_about_the_prompts_are_not(copy, monkeypatch):
    monkeypatch.setattr(training, "WARM", 0.06)
    with pytest.raises(shipment.ShippedError):
        shipment.check(ROOT)
    monkeypatch.undo()
    shipment.check(copy("resources/demo/README.md", "#", "##"))


def test_a_trained_model_takes_the_place_of_the_shipped_one(copy, trained):
    root = copy("resources/demo/articles/2026-09/news-census.md", "one in 31", "one in 32")
    shutil.copytree(trained / "a", root / shipment.TRAINED)
    (root / shipment.TRAINED / ".snakemake_timestamp").touch()
    (root / shipment.SHIPPED / "old.json").touch()
    shipment.ship(root)
    shipment.check(root)
    names = {path.name for path in (trained / "a").iterdir()}
    assert {path.name for path in (root / shipment.SHIPPED).iterdir()} == names
    weights = [place / "model.safetensors" for place in (root / shipment.SHIPPED, trained / "a")]
    assert weights[0].read_bytes() == weights[1].read_bytes()
    AutoModelForCausalLM.from_pretrained(root / shipment.SHIPPED)


def test_the_rule_trains_one_on_the_projects_own_documents(done):
    (done / "own.yaml").write_text("demo_lm: {steps: 1, hidden: 16, layers: 2, vocabulary: 400}\n")
    snakemake(done, "results/models/demo-lm", *TINY, "own.yaml")
    card = (done / "results/models/demo-lm/README.md").read_text()
    documents = sum(pq.read_metadata(path).num_rows for path in (done / "results/documents").glob("*.parquet"))
    assert f"trained for 1 steps and 1 more on {documents}\n" in card
