"""Variants by name: those of a package, and what is said of a name that none has and of a package that is missing."""

import sys

import pytest

from ragassay.base import variants
from ragassay.calls.model import Model, provider_for
from ragassay.models.encoders.encoder import Encoder
from ragassay.studies.scope.detectors.detector import kind


@pytest.fixture
def colours(tmp_path, monkeypatch):
    """A package with three variants, one of which needs what is not installed and one of which is broken."""
    package = tmp_path / "colours_of_a_test"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "red.py").write_text("NAME = 'red'\n")
    (package / "blue.py").write_text("import not_installed_anywhere\n")
    (package / "green.py").write_text("import colours_of_a_test.gone\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield package.name
    for name in [name for name in sys.modules if name.startswith(package.name)]:
        del sys.modules[name]


def test_a_variant_is_loaded_by_its_name_and_no_other_with_it(colours):
    assert variants.names(colours) == ("blue", "green", "red")
    assert variants.load(colours, "red", "paint.kind").NAME == "red"
    assert f"{colours}.blue" not in sys.modules


@pytest.mark.parametrize("name", ["rad", "red.x", "../red", "__init__", ""])
def test_a_name_that_none_has_is_told_with_the_known_ones(colours, name):
    with pytest.raises(variants.VariantError) as caught:
        variants.load(colours, name, "paint.kind")
    hint = " (did you mean red?)" if name in ("rad", "red.x", "../red") else ""
    expected = f"found the name {name!r}, expected one of: blue, green, red{hint}; each is a module of {colours}"
    assert str(caught.value) == f"paint.kind: {expected}"


def test_a_missing_package_is_named_and_a_fault_of_ours_is_not_hidden(colours):
    expected = "^paint.kind: blue needs the package not_installed_anywhere, which is not installed$"
    with pytest.raises(variants.VariantError, match=expected):
        variants.load(colours, "blue", "paint.kind")
    with pytest.raises(ModuleNotFoundError, match="gone"):
        variants.load(colours, "green", "paint.kind")


@pytest.mark.parametrize(
    ("load", "line"),
    [
        (
            lambda: provider_for(Model("m", "opnai", "x")),
            "models.m.provider: found the name 'opnai', expected one of: openai, recorded, rules, script, service,"
            " together, transformers (did you mean openai?); each is a module of ragassay.calls.providers",
        ),
        (
            lambda: Encoder("e", "word2vec", "x").load(),
            "encoders.e.kind: found the name 'word2vec', expected one of: sentence_transformers, transformers; each is"
            " a module of ragassay.models.encoders.kinds",
        ),
        (
            lambda: kind({"detector": "d", "kind": "overlaps"}, "embeddings", "prompt"),
            "detectors.methods.d.kind: found the name 'overlaps', expected one of: appended_token, overlap,"
            " question_alone, sentence_pair, similarity (did you mean overlap?); each is a module of"
            " ragassay.studies.scope.detectors.kinds",
        ),
    ],
)
def test_providers_and_kinds_are_variants(load, line):
    with pytest.raises(variants.VariantError) as caught:
        load()
    assert str(caught.value) == line
