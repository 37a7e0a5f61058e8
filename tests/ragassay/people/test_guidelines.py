"""Guidelines: ours can be used, and what is wrong in others is named."""

import pytest
import yaml

from people import GUIDELINES
from ragassay.config.settings import ConfigError
from ragassay.people.folder import StudyError, load_guidelines
from ragassay.people.labelling import LABELS


def test_ours_have_known_items_of_both_labels_for_each_task():
    found = load_guidelines(GUIDELINES, 6)
    for task, labels in LABELS.items():
        assert len(found.practice[task]) == 6
        assert {item["label"] for item in found.practice[task].values()} == set(labels)
        assert all(len(item["document"].split()) > 80 and item["because"] for item in found.practice[task].values())
    assert load_guidelines(GUIDELINES, 0).practice == {"scope": {}, "defusion": {}}


def changed(path, change):
    content = yaml.safe_load(GUIDELINES.read_text())
    change(content)
    (path / "guidelines.yaml").write_text(yaml.safe_dump(content))
    return path / "guidelines.yaml"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["practice"][0].update(document="x"), "item 1: found the document x, expected one of lighthouse"),
        (lambda c: c["practice"][0].update(label="defused"), "item 1: found the label defused, expected one of out_of"),
        (lambda c: c["practice"][0].update(response="x"), "items of defusion have a response, others none"),
        (
            lambda c: c["tasks"]["scope"]["labels"].update(x=c["tasks"]["scope"]["labels"].pop("in_scope")),
            "found out_of_scope, x",
        ),
        (lambda c: c["tasks"]["scope"]["labels"]["in_scope"].update(press="2"), "one key for both"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path, change, message):
    with pytest.raises(StudyError, match=message):
        load_guidelines(changed(tmp_path, change), 6)


def test_what_the_schema_does_not_know_is_named(tmp_path):
    with pytest.raises(ConfigError, match="welcom: found an unknown key"):
        load_guidelines(changed(tmp_path, lambda content: content.update(welcom="x")), 6)


@pytest.mark.parametrize("content", [None, b"\xff", b"{", b"text"])
def test_a_file_that_is_none_is_named(tmp_path, content):
    if content is not None:
        (tmp_path / "guidelines.yaml").write_bytes(content)
    with pytest.raises((StudyError, ConfigError), match=r"guidelines\.yaml"):
        load_guidelines(tmp_path / "guidelines.yaml", 6)
