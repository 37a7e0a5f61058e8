"""What describes a release to other programs names the files that are there, with digests, and columns as they are."""

import hashlib
import json

import pyarrow.parquet as pq
import yaml
from datasets import load_dataset

from project import ROOT
from ragassay.release import descriptions
from ragassay.release.verification.release_folder import ReleaseFolder, present
from releases import DAY

KINDS = {"sc:Text": ("string", "binary"), "sc:Integer": ("int32", "int64"), "sc:Float": ("double", "float")}
KINDS |= {"sc:Boolean": ("bool",), "sc:DateTime": ("timestamp",)}


def test_croissant_lists_every_table_file_with_its_digest_and_every_column(published):
    croissant = json.loads((published / "croissant.json").read_text())
    required = {"@context", "@type", "conformsTo", "name", "description", "license", "creator", "datePublished"}
    assert required <= croissant.keys() and croissant["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    objects = {entry["@id"]: entry for entry in croissant["distribution"] if entry["@type"] == "cr:FileObject"}
    sets = {entry["@id"]: entry for entry in croissant["distribution"] if entry["@type"] == "cr:FileSet"}
    assert set(objects) == {name for name in present(published) if name.endswith(".parquet")}
    for name, entry in objects.items():
        assert entry["contentUrl"] == name and entry["encodingFormat"] == "application/x-parquet"
        assert entry["sha256"] == hashlib.sha256((published / name).read_bytes()).hexdigest()
    release = ReleaseFolder(published)
    assert [record["@id"] for record in croissant["recordSet"]] == sorted(release.tables)
    for record in croissant["recordSet"]:
        fields = {field["source"]["extract"]["column"]: field for field in record["field"]}
        assert {field["source"]["fileSet"]["@id"] for field in record["field"]} == {f"{record['@id']}-files"}
        files = sets[f"{record['@id']}-files"]["includes"]
        assert files == release.files[record["@id"]]
        schema = pq.read_schema(published / files[0])
        assert schema.names == list(fields)
        for column in schema:
            kind = str(column.type.value_type if "list" in str(column.type) else column.type)
            assert kind.startswith(KINDS[fields[column.name]["dataType"]]), column


def test_the_bill_of_materials_names_every_locked_package_and_torch(published):
    bill = json.loads((published / "sbom.cdx.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    addresses = {part["purl"] for part in bill["components"]}
    assert len(addresses) == len(bill["components"]), "each once"
    assert all(part["purl"] == f"pkg:pypi/{part['name']}@{part['version']}" for part in bill["components"])
    entries = (ROOT / "requirements.lock").read_text().splitlines()
    locked = {line.split()[0] for line in entries if line and not line.startswith((" ", "#"))}
    assert {f"pkg:pypi/{entry.replace('==', '@')}" for entry in locked} <= addresses
    assert any(address.startswith("pkg:pypi/torch@2.") for address in addresses)


def test_the_crate_describes_itself_and_every_file(published):
    crate = json.loads((published / "ro-crate-metadata.json").read_text())
    assert crate["@context"] == "https://w3id.org/ro/crate/1.1/context"
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(entities) == len(crate["@graph"]), "each id once"
    descriptor, root = entities["ro-crate-metadata.json"], entities["./"]
    assert descriptor["about"] == {"@id": "./"} and descriptor["@type"] == "CreativeWork"
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert root["@type"] == "Dataset" and root["datePublished"] == DAY and root["name"] and root["description"]
    assert entities[root["license"]["@id"]]["name"] == "apache-2.0"
    assert root["author"] == root["publisher"], "one value, not a list of one"
    author = {"@id": "#The%20makers%20of%20this%20data%20set", "@type": "Organization"}
    assert entities[root["author"]["@id"]] == author | {"name": "The makers of this data set"}
    parts = {part["@id"] for part in root["hasPart"]}
    assert parts | {"ro-crate-metadata.json"} == set(present(published))
    for name in parts:
        assert entities[name]["@type"] == "File"
        assert int(entities[name]["contentSize"]) == (published / name).stat().st_size


def test_the_citation_has_what_the_format_needs(published):
    citation = yaml.safe_load((published / "CITATION.cff").read_text())
    assert citation["type"] == "dataset"
    assert citation.keys() >= {"cff-version", "message", "title", "authors", "version"}
    assert citation["authors"] == [{"name": "The makers of this data set"}] and str(citation["date-released"]) == DAY


def test_a_doi_stands_in_every_description(published):
    manifest = json.loads((published / "manifest.json").read_text()) | {"doi": "10.5281/zenodo.1234567"}
    sums = {file: "" for entry in manifest["tables"].values() for file in entry["files"]}
    assert yaml.safe_load(descriptions.citation(manifest, DAY))["doi"] == "10.5281/zenodo.1234567"
    crate = json.loads(descriptions.ro_crate(published, manifest, DAY))["@graph"]
    described = [
        json.loads(descriptions.croissant(sums, manifest, DAY)),
        *(part for part in crate if part["@id"] == "./"),
    ]
    assert [part["identifier"] for part in described] == ["https://doi.org/10.5281/zenodo.1234567"] * 2
    assert "identifier" not in (published / "croissant.json").read_text(), "where there is none"


def test_the_datasets_library_opens_every_table_offline(published, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    release = ReleaseFolder(published)
    for name in ("selected_questions", "documents", "recorded_answers"):
        rows = load_dataset(str(published), name, cache_dir=str(tmp_path))["rows"]
        assert rows.num_rows == release.read(name, []).num_rows if release.tables[name]["path"] else rows.num_rows > 9
