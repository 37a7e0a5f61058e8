"""The schema of the configuration: files that fit together, in one order, with no keyword that nothing reads."""

import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from project import ROOT
from ragassay.base import variants
from ragassay.config.schema import FOLDER, FORMS, SchemaError, load, merged, parts, values

OURS = {"variant_of", "names", "file_of", "exists", "built_in", "replaced"}
JSON_SCHEMA = {*Draft202012Validator.VALIDATORS, "title", "description", "default"}


@pytest.fixture
def folder(tmp_path):
    """A function that writes files of a schema and returns their folder."""

    def write(**files):
        for name, part in files.items():
            (tmp_path / f"{name}.schema.yaml").write_text(yaml.safe_dump(part))
        return tmp_path

    return write


def part(place, *keys, **more):
    properties = {key: {"description": f"The {key}.", "type": "string", "default": ""} for key in keys}
    return {"$schema": "x", "title": "T", "description": "D.", "place": place, "properties": properties, **more}


def test_files_are_merged_in_the_order_of_their_places(folder):
    found = folder(a=part(2, "late"), b=part(1, "early", "second"))
    assert list(merged(found)["properties"]) == ["early", "second", "late"]
    assert not merged(found)["additionalProperties"]


@pytest.mark.parametrize(
    ("second", "line"),
    [
        (part(2, "crawl"), "properties: found the key crawl, which a.schema.yaml has already; give it another name"),
        (part(2, propertys={}), "found the keys $schema, description, place, properties, propertys, title, expected $"),
        ({"properties": {}}, "found the keys properties, expected $schema, title, description, place, properties"),
        (["crawl"], "found the keys none, expected $schema, title"),
    ],
)
def test_files_that_do_not_fit_together_are_told(folder, second, line):
    found = folder(a=part(1, "crawl"), b=second)
    with pytest.raises(SchemaError) as caught:
        merged(found)
    assert str(caught.value).startswith(f"{found}/b.schema.yaml: {line}")


def test_what_is_of_a_form_has_its_keys_where_it_says_nothing_else(folder):
    share = {"is": "share", "maximum": 0.5, "default": 0}
    [schema] = parts(folder(a=part(1) | {"properties": {"few": share}})).values()
    assert schema["properties"]["few"] == {"type": "number", "minimum": 0, "maximum": 0.5, "default": 0}
    with pytest.raises(SchemaError, match=r"b.schema.yaml: is: found the form 'shares', .*count, .*share"):
        parts(folder(b=part(2) | {"properties": {"few": {"items": {"is": "shares"}}}}))


def test_every_form_is_that_of_several_settings():
    uses = re.findall(r"\bis: (\w+)", "".join(file.read_text() for file in (FORMS, *parts())))
    assert {name: uses.count(name) for name in load(FORMS) if uses.count(name) < 2} == {}


def test_a_study_adds_a_file_and_edits_none(folder):
    for file in FOLDER.glob("*.schema.yaml"):
        folder(**{file.name.removesuffix(".schema.yaml"): load(file)})
    found = merged(folder(zebra=part(45, "zebra")))
    keys = list(found["properties"])
    assert keys[keys.index("zebra") - 1] == "scope"
    assert {*keys} - {"zebra"} == merged()["properties"].keys()


def keywords(schema, path):
    """(path, keyword) of a schema and all schemas inside it."""
    for name, value in schema.items():
        yield path, name
        if name == "properties":
            for key, inner in value.items():
                yield from keywords(inner, f"{path}.{key}")
        elif name in ("items", "additionalProperties", "propertyNames") and isinstance(value, dict):
            yield from keywords(value, path)


def test_every_keyword_is_one_that_something_reads():
    for file, schema in parts().items():
        for key, inner in schema["properties"].items():
            unread = [place for place in keywords(inner, key) if place[1] not in JSON_SCHEMA | OURS]
            assert not unread, file


def inner(schema, key=""):
    """(key, schema) of everything in a schema."""
    yield key, schema
    for name in ("items", "additionalProperties", "propertyNames"):
        if isinstance(schema.get(name), dict):
            yield from inner(schema[name], "" if name == "additionalProperties" else key)
    for name, part in schema.get("properties", {}).items():
        yield from inner(part, name)


def test_what_is_called_like_an_entry_is_declared_as_the_name_of_one():
    """But for those that have to be among a few of its kind, which a check of its study says."""
    entries = "attacks corpus defences extends far filter generators in_knowledge near probe query_encoder query_set"
    entries += " raters reader responders retriever retrievers scorer snapshot synthetic"
    texts = [part for key, part in inner(merged()) if key in entries.split() and "string" in part.get("type", [])]
    others = [part["description"] for part in texts if not {"names", "enum"} & part.keys()]
    assert [text.partition(",")[0] for text in others] == [
        "The corpus that should know what is asked",
        "The folder of its scorer; empty if it needs none.",  # in the settings of a guard server
    ]


def test_our_keywords_lead_somewhere():
    """A package of variants that there is, an entry elsewhere, a pattern with one gap."""
    sections = merged()["properties"]
    found = [schema for section in sections.values() for _, schema in inner(section)]
    assert all(variants.names(schema["variant_of"]) for schema in found if "variant_of" in schema)
    for names in [schema["names"] for schema in found if "names" in schema]:
        of = names["of"] if isinstance(names["of"], list) else [names["of"]]
        assert "kinds" not in names or variants.names(names["kinds"])
        assert names.keys() <= {"what", "of", "or", "kinds", "services"}
        for section, *below in (name.split(".") for name in of):
            assert sections[section]["type"] == "object"
            assert not below or below[0] in sections[section]["properties"]
    for patterns in [schema["file_of"] for schema in found if "file_of" in schema]:
        assert all(list(ROOT.glob(pattern.format("*"))) for pattern in patterns.values())
    kinds = {schema["exists"] for schema in found if "exists" in schema}
    assert kinds == {"file", "folder", "table", "tables", "targets"}


def test_settings_stand_in_the_same_order_in_the_configuration_and_its_description():
    written = list(yaml.safe_load(Path(ROOT, "config/config.yaml").read_text()))
    assert written == [key for key in merged()["properties"] if key in written]


def test_values_are_found_with_their_schemas():
    entry = {"type": "object", "properties": {"file": {"exists": "file"}, "sizes": {"items": {"type": "integer"}}}}
    schema = {"properties": {"models": {"propertyNames": {"file_of": {}}, "additionalProperties": entry}}}
    config = {"models": {"a": {"file": "x.csv", "sizes": [1, 2]}}, "unknown": 3}
    found = [(".".join(path), value, schema) for path, value, schema in values(config, schema)]
    assert ("models.a", "a", {"file_of": {}}) in found
    assert ("models.a.file", "x.csv", {"exists": "file"}) in found
    assert [value for path, value, part in found if part == {"type": "integer"}] == [1, 2]
    assert ("models.a.sizes", 2, {"type": "integer"}) in found and ("unknown", 3, {}) in found
