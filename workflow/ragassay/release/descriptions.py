"""What describes a release to other programs: Croissant and RO-Crate as JSON-LD, CITATION.cff, and a CycloneDX bill of
materials."""

import json
import mimetypes
import re
from pathlib import Path
from urllib.parse import quote

import yaml

from ragassay.release.verification.release_folder import present

PARQUET = "application/vnd.apache.parquet"
PARQUET_IN_CROISSANT = "application/x-parquet"  # its readers know no other name
CROISSANT = "http://mlcommons.org/croissant/1.0"
TERMS = """citeAs column containedIn equivalentProperty extract field fileObject fileProperty fileSet format
includes isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate
separator source subField transform""".split()
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{term: f"cr:{term}" for term in TERMS},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}
PINNED = re.compile(r'^(?:TORCH = ")?([A-Za-z0-9._-]+)==([A-Za-z0-9._+!-]+)')  # in a lock, or in envs/setup.py
KINDS = {"string": "sc:Text", "bool": "sc:Boolean", "int32": "sc:Integer", "int64": "sc:Integer"}
KINDS |= {"double": "sc:Float", "float": "sc:Float", "binary": "sc:Text"}


def sbom(locks: Path, version: str) -> str:
    """The packages that the release's locks name, for all platforms, as scanners of known holes read it. Their hashes
    stand in the locks: a package has one for each platform's wheel.
    """
    lines = {line for path in sorted(locks.iterdir()) for line in path.read_text().splitlines()}
    pins = {match.groups() for line in lines if (match := PINNED.match(line))}
    addresses = {f"pkg:pypi/{re.sub('[-_.]+', '-', name).lower()}@{pinned}": pinned for name, pinned in pins}
    components = [
        {"type": "library", "bom-ref": purl, "name": purl[9:].split("@")[0], "version": addresses[purl], "purl": purl}
        for purl in sorted(addresses)
    ]
    about = {"component": {"type": "data", "bom-ref": "release", "name": "ragassay release", "version": version}}
    document = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": about}
    return json.dumps(document | {"components": components}, indent=1) + "\n"


def croissant(sums: dict[str, str], manifest: dict, day: str) -> str:
    """Each file of a table with its digest, as in `sums`, and each table as a set of records over its files."""
    files, sets, records = [], [], []
    for name, entry in sorted(manifest["tables"].items()):
        includes = sorted(entry["files"])
        for file in includes:
            described = {"@type": "cr:FileObject", "@id": file, "name": file, "contentUrl": file}
            files.append(described | {"encodingFormat": PARQUET_IN_CROISSANT, "sha256": sums[file]})
        described = {"@type": "cr:FileSet", "@id": f"{name}-files", "encodingFormat": PARQUET_IN_CROISSANT}
        sets.append(described | {"includes": includes})
        records.append(_record_set(name, entry))
    dataset = {
        "@context": dict(sorted(CONTEXT.items())),
        "@type": "sc:Dataset",
        "conformsTo": CROISSANT,
        "name": manifest["title"],
        "description": manifest["licence_note"],
        "version": manifest["version"],
        "datePublished": day,
        "citeAs": f"{', '.join(manifest['authors'])}: {manifest['title']}, version {manifest['version']}, {day[:4]}",
        "license": manifest["licence"],
        "creator": [{"@type": "sc:Organization", "name": author} for author in manifest["authors"]],
        **_identifier(manifest),
        "isLiveDataset": False,
        "distribution": [*files, *sets],
        "recordSet": records,
    }
    return _json(dataset)


def _record_set(name, entry):
    fields = []
    for column in entry["columns"]:
        kind = column["type"]
        repeated = kind.startswith(("list", "fixed_size_list"))
        base = kind.partition(": ")[2].rstrip(">") if repeated else kind
        source = {"fileSet": {"@id": f"{name}-files"}, "extract": {"column": column["name"]}}
        field = {"@type": "cr:Field", "@id": f"{name}/{column['name']}", "name": f"{name}/{column['name']}"}
        field |= {"description": column["description"], "dataType": KINDS.get(base, "sc:DateTime"), "source": source}
        fields.append(field | ({"repeated": True} if repeated else {}))
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "description": entry["row"], "field": fields}


def ro_crate(folder: Path, manifest: dict, day: str) -> str:
    """The folder as a research object: each file with its size and what it is."""
    names = present(folder)
    files = []
    for name in names:
        size = (folder / name).stat().st_size
        kind = PARQUET if name.endswith(".parquet") else mimetypes.guess_type(name)[0] or "text/plain"
        files.append({"@id": name, "@type": "File", "name": name, "contentSize": str(size), "encodingFormat": kind})
    authors = [{"@id": f"#{quote(name)}", "@type": "Organization", "name": name} for name in manifest["authors"]]
    named = [{"@id": author["@id"]} for author in authors]
    named = named[0] if len(named) == 1 else named  # the specification prefers a single value to a list of one
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"{manifest['title']}, {manifest['version']}",
        "description": manifest["licence_note"] or manifest["title"],
        "datePublished": day,
        "version": manifest["version"],
        **_identifier(manifest),
        "license": {"@id": "#licence"},
        "author": named,
        "publisher": named,
        "hasPart": [{"@id": name} for name in names],
    }
    licence = {"@id": "#licence", "@type": "CreativeWork", "name": manifest["licence"]}
    licence["description"] = manifest["licence_note"] or manifest["licence"]
    descriptor = {"@id": "ro-crate-metadata.json", "@type": "CreativeWork", "about": {"@id": "./"}}
    descriptor["conformsTo"] = {"@id": "https://w3id.org/ro/crate/1.1"}
    graph = [descriptor, root, licence, *authors, *files]
    return _json({"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph})


def citation(manifest: dict, day: str) -> str:
    fields = {
        "cff-version": "1.2.0",
        "message": "If you use this data set, please cite it as below.",
        "title": manifest["title"],
        "type": "dataset",
        "authors": [{"name": author} for author in manifest["authors"]],
        "version": manifest["version"],
        "date-released": day,
        **({"doi": manifest["doi"]} if manifest["doi"] else {}),
    }
    return yaml.safe_dump(fields, sort_keys=False, allow_unicode=True)


def _identifier(manifest):
    return {"identifier": f"https://doi.org/{manifest['doi']}"} if manifest["doi"] else {}


def _json(value):
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
