"""The configuration: what is refused and with which words, which file is blamed, and which defaults are filled in."""

import copy
import os
from pathlib import Path, PureWindowsPath

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from snakemake.utils import update_config

from ragassay.base.address import stays_inside
from ragassay.config import schema
from ragassay.config.schema import merged
from ragassay.config.settings import ConfigError, checked, read
from ragassay.plan import queries, search

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = merged()
SECRETS = [
    "sk-proj-Qw3rTyU1op",
    "sk-ant-Qw3rTyU1op",
    "hf_Qw3rTyU1opAsDf",
    "ghp_Qw3rTyU1opAsDf",
    "github_pat_Qw3rTyU1op",
    "gsk_Qw3rTyU1opAsDf",
    "tgp_v1_Qw3rTyU1op",
    "AKIAQW3RTYU1OPAS",
    "AIzaQw3rTyU1opAsDf",
    "xoxb-Qw3rTyU1op",
    "Bearer sk-Qw3rTyU1op",
    "-----BEGIN PRIVATE KEY-----Qw3rTyU1op",
    "https://me:Qw3rTyU1op@host.example/v1",
    "s3://bucket/a.csv?X-Amz-Signature=Qw3rTyU1op",
    "https://host.example/a.csv?v=1&X-Amz-Security-Token=Qw3rTyU1op",
]
NAN, INFINITY = float("nan"), float("inf")
MODEL = {"provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}
OUTSIDE = "/ /etc/passwd //server/share .. ../x a/.. a/../../x ./../x ~ ~/x ~root/x C:/x c:x".split()
OUTSIDE += ["C:\\x", "a\\b", "..\\x", "a\\b/../..", "", "a\0b", "s3://bucket/a.tsv", "file:///a.tsv"]
DEFAULTS = checked({}, [], SCHEMA)


def refusal(config, *files, schema=SCHEMA, checks=()):
    with pytest.raises(ConfigError) as caught:
        checked(config, files, schema, lambda config, _: [problem for check in checks for problem in check(config)])
    return str(caught.value)


@pytest.fixture
def write(tmp_path):
    """Write settings or a schema to a file and return its path."""

    def to_file(content, name="settings.yaml"):
        path = tmp_path / name
        path.write_text(yaml.safe_dump(content))
        return path

    return to_file


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"shards": 5}, "shards: found 5 (a whole number), expected text"),
        ({"documents": []}, "documents: found [] (a list), expected a mapping"),
        ({"documents": None}, "documents: found nothing, expected a mapping"),
        ({"documents": {"min_words": "many"}}, "documents.min_words: found 'many' (text), expected a whole number"),
        (
            {"documents": {"min_words": 0}},
            "documents.min_words: found 0 (a whole number), expected a whole number of at",
        ),
        ({"documents": {"min_words": True}}, "documents.min_words: found True (true/false), expected a whole number"),
        ({"documents": {"min_words": 25.0}}, "documents.min_words: found 25.0 (a number), expected a whole number"),
        (
            {"scope": {"annotation": {"confidence": 1}}},
            "scope.annotation.confidence: found 1 (a whole number), expected a number below 1",
        ),
        ({"report": {"title": ""}}, "report.title: found '' (text), expected not to be empty"),
        ({"report": {"sections": "documents"}}, "report.sections: found 'documents' (text), expected a list"),
        ({"scope": {"judges": []}}, "scope.judges: found [] (a list), expected not to be empty"),
        ({"report": {"sections": ["documents"] * 2}}, "(a list), expected no entry twice"),
        (
            {"models": {"m": {**MODEL, "provider": "opnai"}}},
            "models.m.provider: found 'opnai' (text), expected one of openai, recorded, rules, script, service",
        ),
        ({"models": {"m": {**MODEL, "mode": "now"}}}, "models.m.mode: found 'now' (text), expected one of batch, onl"),
        ({"report": {"sections": ["../page"]}}, "report.sections.0: found '../page' (text), expected text of the form"),
        ({"shards": "../x.tsv"}, "shards: found '../x.tsv' (text), expected a path inside the working directory"),
    ],
)
def test_a_wrong_value_is_named_with_file_key_finding_and_expectation(write, settings, problem):
    file = write(settings)
    message = refusal(settings, file)
    assert message.startswith(f"{file}: ")
    assert problem in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"crawl": {"seconds_between_requests": NAN}}, "crawl.seconds_between_requests: found nan"),
        ({"models": {"m": {**MODEL, "budget_usd": NAN}}}, "models.m.budget_usd: found nan"),
        ({"models": {"m": {**MODEL, "timeout": INFINITY}}}, "models.m.timeout: found inf"),
        ({"scope": {"judging": {"sampling": {"temperature": NAN}}}}, "scope.judging.sampling.temperature: found nan"),
        ({"detectors": {"shares": [1, NAN]}}, "detectors.shares.1: found nan"),
        ({"demo_lm": {"steps": 2**64}}, "demo_lm.steps: found a number of 65 bits"),
    ],
)
def test_what_is_no_number_to_count_with_is_refused(write, settings, problem):
    file = write(settings)
    assert refusal(settings, file).startswith(f"{file}: {problem}, expected a finite number below 2 to the 63rd")


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"models": {"abc\n": MODEL}}, "models.abc: found an unusable name"),
        ({"crawl": {"topics": ["news\n"]}}, "crawl.topics.0: found 'news\\n' (text), expected text of the form"),
        ({"crawl": {"languages": ["en\n"]}}, "crawl.languages.0: found 'en\\n' (text), expected text of the form"),
        ({"scope": {"responding": {"prompts": ["cot\n"]}}}, "scope.responding.prompts.0: found 'cot\\n' (text)"),
    ],
)
def test_a_name_does_not_end_with_a_line_end(write, settings, problem):
    file = write(settings)
    assert refusal(settings, file).startswith(f"{file}: {problem}")


@pytest.mark.parametrize("title", ["</script><script>alert(1)", "a\x1b[2Jb", "two\nlines", "a\x85b", "a\u2028b", ""])
@pytest.mark.parametrize("section", ["report", "export"])
def test_a_title_is_one_line_without_markup(section, title):
    assert f"{section}.title: found {title!r} (text), expected" in refusal({section: {"title": title}})


@pytest.mark.parametrize("title", ['Größe & "quotes" > 3', "表 🙂"])
def test_other_letters_may_stand_in_a_title(title):
    assert checked({"report": {"title": title}}, [], SCHEMA)["report"]["title"] == title


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"report:\n  title: [\n", ":3: while parsing a flow node"),
        (b"- a\n", ": found ['a'], expected keys with values"),
        (b"# nothing\n", ": found nothing, expected keys with values"),
        (
            b"__use_yte__: true\n__definitions__: [import os]\n",
            ": found __use_yte__, which runs code while the file is read",
        ),
    ],
)
def test_a_file_that_is_no_configuration_is_refused_with_its_line(tmp_path, content, problem):
    file = tmp_path / "settings.yaml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"^[^\n]*$") as caught:
        read(file)
    assert str(caught.value).startswith(f"{file}{problem}")


def test_a_file_that_is_missing_or_no_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"nowhere.yaml: no such file"):
        read(tmp_path / "nowhere.yaml")
    with pytest.raises(ConfigError, match=r": cannot be read \(Is a directory\), expected a file with settings"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (
            {"reports": {}},
            f"reports: found an unknown key, expected one of: {', '.join(SCHEMA['properties'])} (did you mean report?)",
        ),
        ({"documents": {"min_word": None}}, "documents.min_word: found an unknown key, expected one of: min_words"),
        ({7: "x"}, f"7: found an unknown key, expected one of: {', '.join(SCHEMA['properties'])}"),
    ],
)
def test_an_unknown_key_is_refused_with_the_known_ones(write, settings, line):
    file = write(settings)
    assert refusal(settings, file).startswith(f"{file}: {line}")


def test_a_question_set_that_is_switched_off_is_as_if_it_were_not_there(write):
    assert checked({"question_sets": {"gold": {"used": False, "no": 1}}}, [], SCHEMA)["question_sets"] == {}
    sets = {"question_sets": {"gold": {"used": "false", "documents": ["texts.csv"], "questions": ["asked.csv"]}}}
    file = write(sets)
    assert refusal(sets, file).startswith(f"{file}: question_sets.gold.used: found 'false' (text), expected true or f")


@pytest.mark.parametrize(
    ("section", "entry"),
    [
        (("encoders",), {"kind": "transformers", "model": "bge"}),
        (("models",), MODEL),
        (("crawl", "other_names"), "tech"),
        (("detectors", "methods"), {"kind": "overlap", "encoders": ["minilm"]}),
    ],
)
def test_an_entry_stands_beside_the_built_in_ones(section, entry):
    config, expected = {"mine": entry}, DEFAULTS
    for key in reversed(section):
        config = {key: config}
    filled = checked(config, [], SCHEMA)
    for key in section:
        filled, expected = filled[key], expected[key]
    assert expected and list(filled) == [*expected, "mine"]


@pytest.mark.parametrize("off", [None, False])
def test_an_entry_is_switched_off_whether_it_is_built_in_or_of_a_file_below(off):
    lens = {"kind": "lens"}
    config = {"crawl": {"other_names": {"finance": off}}, "revprag": {"probes": {"a": lens, "b": lens}}}
    update_config(config, {"revprag": {"probes": {"a": off}}})
    filled = checked(config, [], SCHEMA)
    assert list(filled["crawl"]["other_names"]) == ["economics", "world", "sports", "technology"]
    assert list(filled["revprag"]["probes"]) == ["b"]


def test_where_nothing_is_a_value_nothing_is_switched_off():
    own = {**MODEL, "sampling": {"temperature": None, "stream": False}}
    assert checked({"models": {"own": own}}, [], SCHEMA)["models"]["own"]["sampling"] == own["sampling"]


def test_a_key_that_resembles_none_gets_no_suggestion():
    assert "did you mean" not in refusal({"zzzz": 1})


def test_every_problem_has_its_own_line(write):
    settings = {"shards": "/abs", "documents": {"min_words": 0, "a\nb": 1, 7: 2}, "report": {"title": 3}}
    assert len(refusal(settings, write(settings)).splitlines()) == 5


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    ("place", "key"),
    [
        (lambda s: {"report": {"title": s}}, "report.title"),
        (lambda s: {"report": {"title": f"key={s}"}}, "report.title"),
        (lambda s: {"report": {"sections": ["documents", s]}}, "report.sections.1"),
        (lambda s: {"documents": {"a": [{"b": {"c": s}}]}}, "documents.a.0.b.c"),
        (lambda s: {"documents": {s: 1}}, "documents."),
        (lambda s: {s: {"a": 1}}, ""),
    ],
)
def test_a_secret_is_refused_wherever_it_stands_and_not_printed(write, place, key, secret):
    settings = place(secret)
    file = write(settings)
    message = refusal(settings, file)
    assert message.startswith(f"{file}: {key}")
    assert "secret" in message
    assert "environment" in message
    assert "w3rTyU" not in message
    assert "W3RTYU" not in message


@pytest.mark.parametrize("name", ["api_key", "OPENAI_API_KEY", "apiKey", "access-token", "password", "token", "secret"])
@pytest.mark.parametrize("around", [lambda s: s, lambda s: {"shards": s}, lambda s: {"documents": {"min_words": [s]}}])
def test_a_key_made_for_a_secret_is_refused_and_its_value_is_not_printed(write, name, around):
    settings = around({name: "hunter2"})
    file = write(settings)
    message = refusal(settings, file)
    assert f"{name}: found a place for a secret" in message
    assert message.startswith(f"{file}: ")
    assert "hunter2" not in message


@pytest.mark.parametrize(
    "title", ["risk-averse", "desk-bound", "task-3", "max_tokens", "https://host.example:8000/v1@2"]
)
def test_ordinary_words_are_no_secrets(title):
    assert checked({"report": {"title": title}}, [], SCHEMA)["report"]["title"] == title


@pytest.mark.parametrize("path", OUTSIDE)
def test_a_path_that_leaves_the_working_directory_is_refused(write, path):
    file = write({"shards": path})
    message = refusal({"shards": path}, file)
    assert message.startswith(f"{file}: shards: found {path!r}")
    assert "expected a path inside the working directory" in message


@pytest.mark.parametrize("path", ["a", "./a", "a/b c/d.tsv", ".hidden", "a..b/...", "a/./b", "übung/表.tsv", "a-b_c"])
def test_a_path_below_the_working_directory_is_taken(path):
    assert checked({"shards": path}, [], SCHEMA)["shards"] == path


@given(st.text(st.sampled_from("a.~/\\:C\0 "), max_size=12) | st.text())
@example("a\\b/../..")
def test_no_accepted_path_resolves_outside(path):
    if stays_inside(path):
        assert "\0" not in path
        assert os.path.commonpath(["/work", os.path.normpath(os.path.join("/work", path))]) == "/work"  # noqa: PTH118
        assert os.path.expanduser(path) == path  # noqa: PTH111
        windows = PureWindowsPath(path)
        assert not windows.drive
        assert not windows.root
        assert ".." not in windows.parts


@pytest.mark.parametrize(
    ("files", "command_line", "blamed"),
    [
        ([{"shards": 1}, {}], {}, 0),
        ([{"shards": "a"}, {"shards": 1}], {}, 1),
        ([{"shards": 1}, {"shards": 1}], {}, 1),
        ([{}, {}], {"shards": 1}, None),
        ([{"shards": "a"}, {"shards": "b"}], {"shards": 1}, None),
        ([{"shards": 1}, {"shards": "b"}], {"shards": 1}, None),
        ([{"documents": None}, {}], {}, 0),
        ([{"shards": "a"}, {}], {"shards": {"x": 1}}, None),
        ([{"documents": {"x": 1}}, {"documents": {"min_words": 5}}], {}, 0),
        ([{"documents": {"min_words": 5}}, {}], {"documents": {"x": 1}}, None),
        ([{"x": {"a": 1}}, {"x": {"b": 1}}], {}, 1),
        ([{"report": {"sections": ["/a"]}}, {"report": {"sections": ["documents", "/b"]}}], {}, 1),
        ([{"report": {"sections": ["/a", "/b"]}}, {}], {"report": {"sections": ["/b"]}}, None),
        ([{"report": {"title": "sk-12345678"}}, {"report": {"sections": ["documents"]}}], {}, 0),
        ([{"sk-12345678": 1}, {}], {}, 0),
        ([{}, {}], {"sk-12345678": 1}, None),
    ],
)
def test_the_file_that_really_sets_the_value_is_blamed(write, files, command_line, blamed):
    config, paths = {}, []
    for number, settings in enumerate(files):
        paths.append(write(settings, f"{number}.yaml"))
        update_config(config, copy.deepcopy(settings))
    update_config(config, command_line)
    expected = "command line" if blamed is None else paths[blamed]
    assert [line.split(": ")[0] for line in refusal(config, *paths).splitlines()] == [str(expected)]


def test_defaults_are_filled_in_at_every_depth_and_in_built_in_entries():
    assert DEFAULTS["shards"] == "config/shards.tsv" and DEFAULTS["corpora"] == {}
    assert DEFAULTS["scope"]["recovery"]["sampling"] == {"temperature": 0.7, "max_tokens": 800}
    overlap = {"kind": "overlap", "encoders": ["minilm"], "appended": None, "layer": -1}
    assert DEFAULTS["detectors"]["methods"]["overlap"] == overlap
    assert DEFAULTS["revprag"]["probes"]["mlp"]["folds"] == 10
    assert set(DEFAULTS) == {*SCHEMA["properties"]}


def test_defaults_are_filled_in_beside_nested_keys():
    filled = checked({"documents": {"min_words": 7}}, [], SCHEMA)
    assert filled == DEFAULTS | {"documents": DEFAULTS["documents"] | {"min_words": 7}}


def test_the_defaults_of_entries_are_filled_in_in_mappings_and_lists():
    entry = {"type": "object", "properties": {"votes": {"type": "integer", "default": 3}}}
    models, steps = {"type": "object", "additionalProperties": entry}, {"type": "array", "items": entry}
    schema = {"type": "object", "properties": {"models": models, "steps": steps}}
    filled = checked({"models": {"a": {}, "b": {"votes": 1}}, "steps": [{}]}, [], schema)
    assert filled == {"models": {"a": {"votes": 3}, "b": {"votes": 1}}, "steps": [{"votes": 3}]}


def test_an_unusable_name_of_an_entry_is_refused_by_its_name(write):
    names = {"propertyNames": {"pattern": "^[a-z]+$"}, "type": "object"}
    schema = {"type": "object", "properties": {"models": names}}
    file = write({"models": {"../x": {}}})
    message = refusal({"models": {"../x": {}}}, file, schema=schema)
    assert message.startswith(f"{file}: models.../x: found an unusable name, expected letters")


def test_what_was_given_stays_as_it_was():
    config = {"documents": {"min_words": 7}}
    checked(config, [], SCHEMA)
    assert config == {"documents": {"min_words": 7}}


def test_filled_in_settings_pass_and_stay_the_same():
    assert checked(DEFAULTS, [], SCHEMA) == DEFAULTS


def keys(schema, path=""):
    for name, inner in schema.get("properties", {}).items():
        yield f"{path}{name}", inner
        yield from keys(inner, f"{path}{name}.")


def test_every_key_of_the_schema_is_described_typed_and_has_a_default():
    assert len(dict(keys(SCHEMA))) > 200
    for name, key in keys(SCHEMA):
        assert key["description"].strip() and "default" in key, name
        assert key["type"] != "object" or key.get("additionalProperties") is not None or key["default"], name


@pytest.mark.parametrize(
    "names", [["config.yaml"], ["paper/scope.yaml"], ["config.yaml", "paper/scope.yaml"]], ids="+".join
)
def test_the_configurations_that_come_with_the_project_pass(names):
    files, config = [ROOT / "config" / name for name in names], {}
    for file in files:
        update_config(config, yaml.safe_load(file.read_text()))
    assert checked(config, files, SCHEMA)["documents"]["cut_after_words"] == 300


def test_the_papers_data_sets_lack_nothing_but_their_files(tmp_path, monkeypatch):
    """Where each is an empty file, no name is unknown: eight sets of queries, two corpora and six encoders."""
    monkeypatch.chdir(tmp_path)
    files, config = [ROOT / "config" / name for name in ("config.yaml", "paper/scope.yaml", "paper/relevance.yaml")], {}
    for file in files:
        update_config(config, yaml.safe_load(file.read_text()))
    filled = checked(config, files, SCHEMA)
    assert [*search.check(filled), *queries.check(filled)] == []
    paper = yaml.safe_load(files[-1].read_text())
    assert (len(paper["query_sets"]), len(paper["corpora"])) == (8, 2)
    six = ["bm25", "bge", *paper["retrievers"]]
    assert len(six) == 6 and {*six} == {*filled["relevance"]["retrievers"]}
    assert all(search.retriever(filled, name)["kind"] in ("bm25", "dense", "vectors") for name in six)


KEYS = st.sampled_from(["shards", "documents", "min_words", "report", "sections", "title"]) | st.text() | st.integers()
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_whatever_is_given_is_filled_in_or_refused_line_by_line(config):
    try:
        assert checked(config, [], SCHEMA).keys() == DEFAULTS.keys()
    except ConfigError as error:
        assert all(line.startswith("command line: ") for line in str(error).split("\n"))


@pytest.mark.parametrize("path", ["s3://bucket/../a.csv", "s3://bucket/a.csv?versionId=1", "file:///a.csv", "/a.csv"])
def test_what_is_neither_a_path_nor_an_address_is_refused_with_the_form_of_both(path):
    message = refusal({"corpora": {"own": {"files": [path]}}})
    assert message.startswith(f"command line: corpora.own.files.0: found {path!r} (text), expected a path inside")
    assert "or the address of an object: s3://bucket/key, gs://bucket/key" in message and "\n" not in message


def test_jobs_read_copies_where_the_configuration_has_addresses_of_files():
    files = ["s3://bucket/a.csv", "own/b.csv"]
    entry = {"columns": {"id": "s3://no/file.csv"}, "files": files}
    config = checked({"corpora": {"own": entry}}, [], SCHEMA)
    read = schema.fetched(config, SCHEMA)
    assert config["corpora"]["own"]["files"] == files
    assert read["corpora"]["own"]["files"] == ["fetched/corpora.own/s3/bucket/a.csv", "own/b.csv"]
    assert read["corpora"]["own"]["columns"]["id"] == "s3://no/file.csv"
    assert schema.fetched(DEFAULTS, SCHEMA) == DEFAULTS
